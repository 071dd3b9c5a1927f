"""tensor[...] and batch.slice[...]: against NumPy, with bounds of each sample's own."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as hr

A = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
X = hr.as_tensor(A, layout="HWC")
SAMPLES = [np.arange(12, dtype=np.int64).reshape(3, 4), np.arange(20, dtype=np.int64).reshape(5, 4)]
B = hr.as_batch(SAMPLES, layout="HW")

bounds = st.one_of(st.none(), st.integers(-7, 7))
slices = st.builds(slice, bounds, bounds, st.one_of(st.none(), st.integers(-4, 4).filter(bool)))


@st.composite
def indices(draw, ndim):
    """An index of up to ndim axes, perhaps with `...` and new axes. Places may be out of range."""
    parts = draw(st.lists(st.one_of(slices, st.integers(-3, 3)), max_size=ndim))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), ...)
    for _ in range(draw(st.integers(0, 2))):
        parts.insert(draw(st.integers(0, len(parts))), None)
    return tuple(parts) if len(parts) != 1 or draw(st.booleans()) else parts[0]


def numpy_answer(a, index):
    try:
        return a[index]
    except IndexError:
        return None


@settings(deadline=None, max_examples=300)
@given(data=st.data(), shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
def test_tensor_against_numpy(data, shape):
    a = np.arange(np.prod(shape, dtype=int), dtype=np.int16).reshape(shape)
    if data.draw(st.booleans()):
        a = a.T
    index = data.draw(indices(a.ndim))
    want = numpy_answer(a, index)
    t = hr.as_tensor(a)
    if want is None:
        with pytest.raises(IndexError, match="outside axis"):
            t[index]
        return
    got = t[index]
    assert isinstance(got, hr.Tensor) and got.shape == want.shape
    np.testing.assert_array_equal(np.asarray(got), want)
    np.testing.assert_array_equal(np.asarray(got + 0), want)  # as an operand, packed


@settings(deadline=None, max_examples=150)
@given(data=st.data(), extents=st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_batch_against_numpy(data, extents):
    arrays = [np.arange(4 * n, dtype=np.int32).reshape(n, 4) for n in extents]
    index = data.draw(indices(2))
    wants = [numpy_answer(a, index) for a in arrays]
    b = hr.as_batch(arrays)
    if any(w is None for w in wants):
        first = next(i for i, w in enumerate(wants) if w is None)
        with pytest.raises(IndexError, match="sample %d" % first):
            b.slice[index]
        return
    got = b.slice[index]
    assert isinstance(got, hr.Batch) and got.shape == [w.shape for w in wants]
    for g, w in zip(got.tensors, wants):
        np.testing.assert_array_equal(np.asarray(g), w)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), n=st.integers(1, 4),
       dtypes=st.tuples(*[st.sampled_from(["int8", "int32", "int64"])] * 3))
def test_bounds_of_each_sample(data, n, dtypes):
    """Any of start, stop, step: absent, shared, or a batch."""
    arrays = [np.arange(6 * (i + 2)).reshape(i + 2, 6) for i in range(n)]
    parts, each = [], [[] for _ in range(n)]
    for k, dtype in enumerate(dtypes):
        kind = data.draw(st.sampled_from(["none", "shared", "batch"]))
        values = [v if k < 2 or v else 1 for v in data.draw(
            st.lists(st.integers(-7, 7), min_size=n, max_size=n))]
        parts.append(None if kind == "none" else values[0] if kind == "shared"
                     else hr.batch([np.array(v, dtype) for v in values]))
        for i in range(n):
            each[i].append(None if kind == "none" else values[0 if kind == "shared" else i])
    got = hr.as_batch(arrays).slice[:, slice(*parts)]
    for g, a, p in zip(got.tensors, arrays, each):
        np.testing.assert_array_equal(np.asarray(g), a[:, slice(*p)])


def test_places_of_each_sample():
    at = hr.batch([np.int32(-1), np.uint8(2).astype(np.int32)])
    got = B.slice[at, 1:3]
    assert got.layout == "W"
    assert [np.asarray(t).tolist() for t in got.tensors] == [[9, 10], [9, 10]]
    assert B.slice[hr.batch([np.uint8(1), np.uint8(2)]):].shape == [(2, 4), (3, 4)]


def test_layouts_follow_the_axes():
    assert X[0].layout == X[..., 0, :, :].layout == "WC"
    assert X[:, 1].layout == "HC" and X[..., 0].layout == "HW" and X[0, :, 0].layout == "W"
    assert X[0, 0, 0].layout is None and X[0, 0, 0].shape == ()
    assert X[:, ::-1, 1:2].layout == X[...].layout == X[()].layout == "HWC"
    assert X[None].layout is None and X[None].shape == (1, 2, 3, 4)
    assert B.slice[0].layout == "W" and B.slice[..., 1:].layout == "HW"


@pytest.mark.parametrize("one", [hr.tensor(np.int32(1)), hr.tensor(np.uint8(1)), np.int64(1), np.array(1)])
def test_scalar_tensors_and_numpy_integers(one):
    np.testing.assert_array_equal(np.asarray(X[one]), A[1])
    np.testing.assert_array_equal(np.asarray(X[:, one:]), A[:, 1:])
    np.testing.assert_array_equal(np.asarray(X[..., ::one]), A)
    assert B.slice[one].shape == [(4,), (4,)]


def test_huge_bounds_are_cut_off_as_pythons():
    for index in (slice(10**30), slice(10**30, None), slice(-10**30, None), slice(None, None, 10**30),
                  slice(None, None, -10**30), slice(2**63 - 1, -2**63, -1)):
        np.testing.assert_array_equal(np.asarray(X[index]), A[index])
    for place in (10**30, -10**30, 2**63 - 1, -2**63):
        with pytest.raises(IndexError):
            X[place]


@pytest.mark.parametrize("index, error", [
    (2, IndexError), (-3, IndexError), ((0, 3), IndexError), ((0, 0, 0, 0), ValueError),
    ((..., ...), ValueError), (slice(None, None, 0), ValueError), (True, TypeError), (1.0, TypeError),
    ("a", TypeError), ([0, 1], TypeError), (np.array([0, 1]), TypeError), (A > 3, TypeError),
    (np.array([1]), TypeError), (hr.tensor(np.float32(1)), TypeError), (hr.tensor(np.int32([1])), TypeError),
    (slice(1.5), TypeError), (slice("a"), TypeError), ((None,) * 40, ValueError), ({}, TypeError)])
def test_what_is_no_index(index, error):
    for call in (lambda: X[index], lambda: hr.as_batch([A, A]).slice[index]):
        with pytest.raises(error):
            call()


def test_batches_as_bounds():
    two = hr.batch([np.int32(1), np.int32(2)])
    with pytest.raises(TypeError, match="batch"):
        X[two]
    with pytest.raises(ValueError, match="3.*2"):
        B.slice[hr.batch([np.int32(1)] * 3)]
    for bad in (hr.batch([np.float32(1)] * 2), hr.batch([np.int32([1])] * 2)):
        with pytest.raises(TypeError, match="one integer a sample"):
            B.slice[bad]
    with pytest.raises(IndexError, match="sample 1: index 5 is outside axis 0, which has 5"):
        B.slice[hr.batch([np.int32(0), np.int32(5)])]
    with pytest.raises(ValueError, match="sample 0.*step"):
        B.slice[:: hr.batch([np.int32(0), np.int32(1)])]
    # out of range is fine for slices, also sample by sample
    assert B.slice[hr.batch([np.int32(9), np.int32(-9)]):].shape == [(0, 4), (5, 4)]


def test_batches_themselves_are_not_indexed():
    with pytest.raises(TypeError, match="slice|select|tensors"):
        B[0]


def test_parts_share_memory_and_outlive_the_whole():
    a = np.arange(12).reshape(3, 4)
    part = hr.as_tensor(a)[1:, ::2]
    assert np.shares_memory(np.asarray(part), a)
    del a
    assert np.asarray(part).tolist() == [[4, 6], [8, 10]]


def test_nothing_left():
    assert X[2:].shape == (0, 3, 4) and X[:, 1:1].size == 0
    assert B.slice[9:].shape == [(0, 4), (0, 4)]
    assert hr.batch([], dtype=hr.uint8).slice[0].batch_size == 0


def test_assignment_is_not_offered():
    with pytest.raises(TypeError):
        X[0] = 1
    with pytest.raises(TypeError):
        B.slice[0] = 1


def test_many_samples_at_once():
    b = hr.as_batch([A] * 500)
    got = b.slice[:, hr.batch([np.int32(i % 3) for i in range(500)])]
    assert [int(np.asarray(t)[0, 0]) for t in got.tensors] == [4 * (i % 3) for i in range(500)]
