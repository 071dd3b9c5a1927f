"""pad: extents from the batch, from `shape`, from `align`; against a NumPy formula."""
import numpy as np
import pytest

import headrace as hr


def ones(*shapes, layout=None):
    samples = [np.arange(1, 1 + int(np.prod(s)), dtype=np.int32).reshape(s) for s in shapes]
    return samples, hr.as_batch(samples, layout=layout)


def padded(sample, shape, fill=0):
    out = np.full(shape, fill, sample.dtype)
    out[tuple(slice(n) for n in sample.shape)] = sample
    return out


def check(got, samples, shapes, fills=None):
    assert [tuple(t.shape) for t in got.tensors] == shapes
    for i, t in enumerate(got.tensors):
        want = padded(samples[i], shapes[i], fills[i] if fills else 0)
        assert np.array_equal(np.asarray(t), want)


@pytest.mark.parametrize("arguments, shapes", [
    ({}, [(3, 3), (3, 3)]),
    ({"axes": []}, [(3, 3), (3, 3)]),
    ({"axes": [0]}, [(3, 3), (3, 1)]),
    ({"axes": 0}, [(3, 3), (3, 1)]),
    ({"axes": [-1]}, [(2, 3), (3, 3)]),
    ({"shape": [4, 5]}, [(4, 5), (4, 5)]),
    ({"shape": 4}, [(4, 4), (4, 4)]),
    ({"shape": [4], "axes": [1]}, [(2, 4), (3, 4)]),
    ({"shape": [1, 1]}, [(2, 3), (3, 1)]),
    ({"shape": [0, 0]}, [(3, 3), (3, 3)]),
    ({"shape": [-1, 1]}, [(3, 3), (3, 1)]),
    ({"align": [4, 4]}, [(4, 4), (4, 4)]),
    ({"align": 2}, [(4, 4), (4, 4)]),
    ({"align": [2], "axes": [1]}, [(2, 4), (3, 4)]),
    ({"align": [2, 2], "shape": [1, 1]}, [(2, 4), (4, 2)]),
])
def test_extents(arguments, shapes):
    samples, batch = ones((2, 3), (3, 1))
    check(hr.pad(batch, **arguments), samples, shapes)


def test_axis_names():
    samples, batch = ones((2, 3), (3, 1), layout="HW")
    got = hr.pad(batch, axis_names="W")
    assert got.layout == "HW"
    check(got, samples, [(2, 3), (3, 3)])
    check(hr.pad(batch, axis_names=""), samples, [(3, 3), (3, 3)])


def test_per_sample_arguments():
    samples, batch = ones((2, 3), (3, 1))
    got = hr.pad(batch, axes=hr.as_batch([np.int32([0]), np.int32([1])]),
                 shape=hr.as_batch([np.int32([5]), np.int32([6])]),
                 fill_value=hr.as_batch([np.float32(7), np.float32(8)]))
    check(got, samples, [(5, 3), (3, 6)], [7, 8])
    got = hr.pad(batch, align=hr.as_batch([np.int32([4, 4]), np.int32([5, 5])]))
    check(got, samples, [(4, 4), (5, 5)])


def test_one_sample_alone_is_the_largest():
    samples, batch = ones((2, 3))
    check(hr.pad(batch), samples, [(2, 3)])


@pytest.mark.parametrize("dtype, fill, want", [
    ("int32", 2.7, 2), ("int32", -2.7, -2), ("uint8", 300, 255), ("uint8", -3, 0),
    ("int8", -200, -128), ("float32", 2.5, 2.5), ("float16", 2.5, 2.5), ("float64", 2.5, 2.5),
    ("bool", 0.5, True), ("int32", float("nan"), 0), ("uint64", 7, 7),
])
def test_fill_values(dtype, fill, want):
    got = np.asarray(hr.pad(hr.as_tensor(np.ones(1, dtype)), shape=[3], fill_value=fill))
    assert got.dtype == dtype
    assert got.tolist() == [1, want, want]


def test_inner_axes_and_empty_samples(rng=np.random.default_rng(1)):
    samples = [rng.integers(0, 9, s).astype(np.uint16) for s in [(2, 1, 3), (1, 4, 2), (0, 2, 2)]]
    check(hr.pad(hr.as_batch(samples), fill_value=9), samples, [(2, 4, 3)] * 3, [9] * 3)


def test_large_runs_are_filled():
    a = np.ones((3, 5), np.float64)
    got = np.asarray(hr.pad(hr.as_tensor(a), shape=[7, 5000], fill_value=0.5))
    assert np.array_equal(got, padded(a, (7, 5000), 0.5))


@pytest.mark.parametrize("arguments, words", [
    ({"axes": [2]}, r"2.*-2\.\.1"),
    ({"axes": [-3]}, r"-3.*-2\.\.1"),
    ({"axes": [0, -2]}, "axis 0 is given twice"),
    ({"axis_names": "C"}, "'C'"),
    ({"axis_names": "WW"}, "twice"),
    ({"axis_names": "W", "axes": [0]}, "exclude"),
    ({"align": [0, 1]}, "align.*0.*at least 1|align.*0.*1"),
    ({"align": [1, 2, 3]}, "`align` has 3 values"),
    ({"shape": [1, 2, 3]}, "`shape` has 3 values"),
    ({"shape": [2, 2], "axes": [1]}, "`shape` has 2 values"),
])
def test_wrong_arguments(arguments, words):
    _, batch = ones((2, 3), (3, 1), layout="HW")
    with pytest.raises(ValueError, match=words):
        hr.pad(batch, **arguments)


def test_too_large():
    _, batch = ones((2, 3))
    with pytest.raises((OverflowError, MemoryError)):
        hr.pad(batch, shape=[2**40, 2**40])
    with pytest.raises((OverflowError, ValueError)):
        hr.pad(batch, shape=[2**63 - 2, 1], align=[2**40, 1])


def test_no_axes():
    with pytest.raises(ValueError, match="0 axes"):
        hr.pad(hr.as_tensor(np.int32(1)))
