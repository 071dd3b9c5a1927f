"""slice: regions against NumPy indexing; shares, inputs, policies."""
import numpy as np
import pytest

import headrace as hr

A = np.arange(60, dtype=np.int16).reshape(3, 4, 5)


def got(*inputs, **named):
    return np.asarray(hr.slice(*inputs, **named))


@pytest.mark.parametrize("axes", [[0], [1], [2], [0, 1], [2, 0], [-1], [-2, 0], [0, 1, 2]])
def test_start_and_end_by_axis(axes):
    index = [slice(None)] * 3
    for a in axes:
        index[a] = slice(1, 3)
    want = A[tuple(index)]
    n = len(axes)
    assert np.array_equal(got(A, start=[1] * n, end=[3] * n, axes=axes), want)
    assert np.array_equal(got(A, start=[1] * n, shape=[2] * n, axes=axes), want)
    assert np.array_equal(got(A, start=1, end=3, axes=axes), want)
    anchor, shape = np.full(n, 1, np.int32), np.full(n, 2, np.int64)
    assert np.array_equal(got(A, anchor, shape, axes=axes), want)


@pytest.mark.parametrize("layout, names", [("HWC", "WH"), ("CHW", "WH"), ("HWC", "C"),
                                           ("ABC", "BA")])
def test_axes_by_letter(layout, names):
    t = hr.as_tensor(A, layout=layout)
    index = [slice(None)] * 3
    for k, letter in enumerate(names):
        index[layout.index(letter)] = slice(k, k + 2)
    out = hr.slice(t, start=list(range(len(names))), shape=2, axis_names=names)
    assert out.layout == layout
    assert np.array_equal(np.asarray(out), A[tuple(index)])


def test_the_default_axes_are_width_and_height():
    for t in (A, hr.as_tensor(A, layout="HWC")):
        assert np.array_equal(got(t, start=[2, 1], end=[3, 3]), A[1:3, 2:3])
    assert np.array_equal(got(hr.as_tensor(A, layout="CHW"), start=[2, 1], end=[3, 3]),
                          A[:, 1:3, 2:3])


@pytest.mark.parametrize("named, want", [
    ({"rel_start": [0.5]}, (3, 5)),                     # 2.5 is rounded up
    ({"rel_end": [0.5]}, (0, 3)),
    ({"rel_start": [0.7], "rel_end": [1.0]}, (4, 5)),   # 3.5 in float32
    ({"rel_start": [0.3], "rel_shape": [0.3]}, (2, 3)),  # the end, 3.0, is rounded, not the shape
    ({"start": [1], "rel_shape": [0.5]}, (1, 4)),
    ({"rel_start": [0.2], "shape": [3]}, (1, 4)),
    ({"rel_start": [0.9], "rel_shape": [0.0]}, (5, 5)),
    ({"end": [3]}, (0, 3)),
    ({"shape": [3]}, (0, 3)),
    ({"start": [5]}, (5, 5)),
])
def test_shares_of_the_extent(named, want):
    v = np.arange(5)
    assert got(v, axes=[0], **named).tolist() == v[slice(*want)].tolist()


def test_anchor_inputs_in_shares_and_in_elements():
    v = np.arange(10)
    half, fifth = np.float32([0.5]), np.float64([0.2])
    assert got(v, half, fifth, axes=[0]).tolist() == [5, 6]
    assert got(v, np.float32([5]), np.float32([2]), axes=[0], normalized_anchor=False,
               normalized_shape=False).tolist() == [5, 6]
    assert got(v, np.float32([5]), fifth, axes=[0], normalized_anchor=False).tolist() == [5, 6]
    assert got(v, np.int32([5]), fifth, axes=[0]).tolist() == [5, 6]
    wide = np.arange(4, dtype=np.int32)[::2]  # strides
    assert got(np.arange(12).reshape(3, 4), wide, np.int32([1, 1]), axes=[0, 1]).tolist() == [[2]]


def test_arguments_and_anchors_per_sample():
    b = hr.as_batch([A, A[:2]])
    starts = hr.as_batch([np.int32([0, 1]), np.int32([1, 0])])
    out = hr.slice(b, start=starts, shape=[1, 2], axes=[0, 2])
    assert np.array_equal(np.asarray(out.tensors[0]), A[0:1, :, 1:3])
    assert np.array_equal(np.asarray(out.tensors[1]), A[1:2, :, 0:2])
    out = hr.slice(b, starts, np.int32([1, 2]), axes=[0, 2])
    assert np.array_equal(np.asarray(out.tensors[1]), A[1:2, :, 0:2])
    out = hr.slice(b, start=[1], end=[2], axes=hr.as_batch([np.int32([2]), np.int32([0])]))
    assert [t.shape for t in out.tensors] == [(3, 4, 1), (1, 4, 5)]


def test_out_of_bounds_policies():
    v = np.arange(4, dtype=np.uint8)
    named = {"start": [-2], "end": [6], "axes": [0]}
    with pytest.raises(ValueError, match="takes -2..6 of axis 0"):
        hr.slice(v, **named)
    assert got(v, out_of_bounds_policy="pad", fill_values=9, **named).tolist() == \
        [9, 9, 0, 1, 2, 3, 9, 9]
    assert got(v, out_of_bounds_policy="trim_to_shape", **named).tolist() == [0, 1, 2, 3]
    for far in ([9, 12], [-9, -7]):
        assert got(v, start=far[:1], end=far[1:], axes=[0],
                   out_of_bounds_policy="trim_to_shape").size == 0
        assert got(v, start=far[:1], end=far[1:], axes=[0],
                   out_of_bounds_policy="pad").tolist() == [0] * (far[1] - far[0])


def test_fill_values_a_channel():
    t = hr.as_tensor(np.zeros((1, 2, 3), np.uint8), layout="HWC")
    out = got(t, start=[-1], end=[3], axis_names="W", out_of_bounds_policy="pad",
              fill_values=[1, 2.9, 300])
    assert out.tolist() == [[[1, 2, 255], [0, 0, 0], [0, 0, 0], [1, 2, 255]]]
    with pytest.raises(ValueError, match="2 values, the output has 3 channels"):
        hr.slice(t, start=[-1], end=[3], axis_names="W", out_of_bounds_policy="pad",
                 fill_values=[1, 2])


def test_dtype_cuts_off_and_clamps():
    v = np.float32([0.9, 1.5, -0.9, 300, np.nan, np.inf])
    out = hr.slice(v, start=[0], axes=[0], dtype="uint8")
    assert np.asarray(out).tolist() == [0, 1, 0, 255, 0, 255]
    with pytest.warns(DeprecationWarning):
        assert hr.slice(v, start=[0], axes=[0], output_dtype=hr.uint8).dtype == hr.uint8


@pytest.mark.parametrize("named, words", [
    ({}, "no region is given"),
    ({"start": [0, 0], "rel_start": [0, 0]}, "exclude each other"),
    ({"end": [0, 0], "shape": [0, 0]}, "exclude each other"),
    ({"start": [0], "axes": [0], "axis_names": "H"}, "exclude each other"),
    ({"start": [0, 0], "axes": [1, 1]}, "given twice"),
    ({"start": [0], "axes": [3]}, "-3..2"),
    ({"start": [2, 2], "end": [1, 3]}, "ends before it starts"),
    ({"shape": [-1, 1]}, "must not be negative"),
    ({"rel_start": [float("nan"), 0]}, "nan"),
    ({"rel_end": [float("inf"), 0]}, "inf"),
    ({"start": [1, 2, 3]}, "3 values"),
])
def test_refusals(named, words):
    with pytest.raises(ValueError, match=words):
        hr.slice(A, **named)


def test_refusals_of_inputs():
    with pytest.raises(ValueError, match="`shape_input` is missing"):
        hr.slice(A, np.int32([0, 0]))
    with pytest.raises(ValueError, match="exclude `start`"):
        hr.slice(A, np.int32([0, 0]), np.int32([1, 1]), start=[0, 0])
    with pytest.raises(ValueError, match="list of 2"):
        hr.slice(A, np.int32([0]), np.int32([1]))


def test_random_regions_against_numpy():
    rng = np.random.default_rng(3)
    for _ in range(200):
        shape = rng.integers(1, 7, rng.integers(1, 5))
        a = rng.integers(0, 99, shape).astype(np.uint8)
        start = [int(rng.integers(0, n + 1)) for n in shape]
        end = [int(rng.integers(s, n + 1)) for s, n in zip(start, shape)]
        want = a[tuple(slice(s, e) for s, e in zip(start, end))]
        assert np.array_equal(got(a, start=start, end=end, axes=[]), want)
