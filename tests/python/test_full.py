"""full: against numpy.broadcast_to."""
import numpy as np
import pytest

import headrace as hr


@pytest.mark.parametrize("fill, shape", [
    ((), []), ((), [3]), ((), [2, 3, 4]), ((1,), [5]), ((3,), [2, 3]), ((2, 1), [2, 3]),
    ((2, 1, 4), [2, 3, 4]), ((1, 3, 1), [2, 3, 4]), ((4,), [2, 3, 4]), ((2, 3, 4), [2, 3, 4]),
    ((1,), [0]), ((1, 3), [0, 3]), ((0,), [0]), ((1, 1), [3, 70]),
])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "float16", "float64", "bool"])
def test_against_numpy(fill, shape, dtype, rng=np.random.default_rng(0)):
    value = (rng.random(fill) * 9).astype(dtype)
    got = np.asarray(hr.full(hr.as_tensor(value), shape=shape))
    assert got.dtype == dtype
    assert np.array_equal(got, np.broadcast_to(value, shape))


def test_leading_axes_of_extent_1_are_dropped():
    got = np.asarray(hr.full(hr.as_tensor(np.int32([[[1, 2, 3]]])), shape=[2, 3]))
    assert got.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_numbers():
    assert np.asarray(hr.full(3)).shape == ()
    assert np.asarray(hr.full(3, shape=[2])).tolist() == [3, 3]
    assert np.asarray(hr.full(3, shape=[2])).dtype == np.int32
    assert np.asarray(hr.full(3.5, shape=[2])).dtype == np.float32
    assert np.asarray(hr.full(True, shape=[2])).dtype == np.bool_


def test_layout_is_the_arguments():
    value = hr.as_tensor(np.int32([1, 2, 3]), layout="C")
    assert hr.full(value, shape=[2, 3]).layout is None
    assert hr.full(value, shape=[2, 3], layout="WC").layout == "WC"
    with pytest.raises(ValueError, match="HWC"):
        hr.full(value, shape=[2, 3], layout="HWC")


def test_batches():
    values = hr.as_batch([np.int32(1), np.int32(2)])
    got = hr.full(values, shape=hr.as_batch([np.int32([2]), np.int32([3])]))
    assert [np.asarray(t).tolist() for t in got.tensors] == [[1, 1], [2, 2, 2]]
    got = hr.full(7, shape=[1], batch_size=2)
    assert [np.asarray(t).tolist() for t in got.tensors] == [[7], [7]]


@pytest.mark.parametrize("fill, shape", [((2,), [2, 3]), ((2, 3), [3]), ((3,), []),
                                         ((0,), [3]), ((3,), [1])])
def test_what_does_not_broadcast(fill, shape):
    with pytest.raises(ValueError, match="fill_value"):
        hr.full(hr.as_tensor(np.zeros(fill, np.int32)), shape=shape)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="-1"):
        hr.full(1, shape=[-1])
    with pytest.raises((OverflowError, MemoryError)):
        hr.full(1, shape=[2**62])
    with pytest.raises(TypeError):
        hr.full(shape=[2])
