"""zeros: shape, type, layout."""
import numpy as np
import pytest

import headrace as hr

TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
         "float32", "float64", "bool"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [[], [3], [2, 0, 3], [2, 3, 4, 5], [1] * 8])
def test_values(dtype, shape):
    got = np.asarray(hr.zeros(shape=shape, dtype=getattr(hr, dtype)))
    assert got.dtype == dtype and got.shape == tuple(shape)
    assert not got.any()


def test_defaults():
    got = hr.zeros()
    assert got.shape == () and np.asarray(got).dtype == np.int32 and got.layout is None
    assert hr.zeros(shape=3).shape == (3,)


def test_layout():
    assert hr.zeros(shape=[2, 3], layout="HW").layout == "HW"
    assert hr.zeros(shape=[2, 3], layout="").layout is None
    for layout in ("H", "HWC"):
        with pytest.raises(ValueError, match=layout):
            hr.zeros(shape=[2, 3], layout=layout)
    with pytest.raises(ValueError):
        hr.zeros(layout="H")


def test_batches():
    assert [t.shape for t in hr.zeros(shape=[2], batch_size=3).tensors] == [(2,)] * 3
    got = hr.zeros(shape=hr.as_batch([np.int32([2]), np.int32([3])]))
    assert [t.shape for t in got.tensors] == [(2,), (3,)]
    with pytest.raises(ValueError):
        hr.zeros(shape=hr.as_batch([np.int32([2]), np.int32([3, 1])]))


@pytest.mark.parametrize("shape, words", [([-1], "-1"), ([2, -7], "-7"), ([1] * 9, "9.*8")])
def test_wrong_shapes(shape, words):
    with pytest.raises(ValueError, match=words):
        hr.zeros(shape=shape)


@pytest.mark.parametrize("shape", [[2**62], [2**20] * 6, [2**40, 2**40]])
def test_too_large(shape):
    with pytest.raises((OverflowError, MemoryError)):
        hr.zeros(shape=shape)


@pytest.mark.parametrize("arguments", [{"shape": "a"}, {"layout": 3, "shape": [1]}])
def test_wrong_types(arguments):
    with pytest.raises((TypeError, ValueError), match=next(iter(arguments))):
        hr.zeros(**arguments)
