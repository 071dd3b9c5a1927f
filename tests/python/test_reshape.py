"""reshape and reinterpret: extents, layouts, shared memory."""
import numpy as np
import pytest

import headrace as hr

A = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)


@pytest.mark.parametrize("named, shape", [
    ({"shape": [4, 6]}, (4, 6)),
    ({"shape": [4, -1]}, (4, 6)),
    ({"shape": -1}, (24,)),
    ({"shape": [1, 2, 3, 4, 1]}, (1, 2, 3, 4, 1)),
    ({"rel_shape": [0.5, 2, 1]}, (1, 6, 4)),
    ({"rel_shape": [1, -1]}, (2, 12)),
    ({"rel_shape": [1.3, -1]}, (3, 8)),
    ({"src_dims": [2, 0, 1]}, (4, 2, 3)),
    ({"src_dims": [0, -1, 1, 2]}, (2, 1, 3, 4)),
    ({"src_dims": [1, 0], "rel_shape": [1, -1]}, (3, 8)),
    ({"src_dims": [1, -1, 0], "rel_shape": [1, 4, 1]}, (3, 4, 2)),
])
def test_shapes(named, shape):
    out = hr.reshape(A, **named)
    assert np.array_equal(np.asarray(out), A.reshape(shape))


def test_shape_as_input():
    assert hr.reshape(A, np.int32([6, 4])).shape == (6, 4)
    assert hr.reshape(A, np.array([6, -1])).shape == (6, 4)
    b = hr.as_batch([A, A])
    assert hr.reshape(b, hr.as_batch([np.int32([4, 6]), np.int32([6, 4])])).shape == \
        [(4, 6), (6, 4)]
    assert hr.reshape(b, np.int32([[4, 6], [6, 4]])).shape == [(4, 6), (6, 4)]
    assert hr.reshape(b, np.int32([[4, 6]])).shape == [(4, 6), (4, 6)]
    assert hr.reshape(A, np.int32([6, 0, 4, 0])[::2]).shape == (6, 4)


def test_layouts():
    t = hr.as_tensor(A, layout="HWC")
    assert hr.reshape(t, shape=[2, 4, 3]).layout == "HWC"
    assert hr.reshape(t, shape=[4, 6]).layout is None
    assert hr.reshape(t, shape=[4, 6], layout="AB").layout == "AB"
    assert hr.reshape(t, layout="CHW").layout == "CHW"
    assert hr.reshape(t, layout="").layout is None


def test_memory_is_shared():
    t = hr.as_tensor(A)
    address = t.__array_interface__["data"][0]
    assert hr.reshape(t, shape=[4, 6]).__array_interface__["data"][0] == address
    assert hr.reinterpret(t, dtype="uint16").__array_interface__["data"][0] == address
    turned = hr.as_tensor(A.T)
    assert np.array_equal(np.asarray(hr.reshape(turned, shape=[24])), A.T.reshape(24))


def test_the_result_outlives_its_input():
    out = hr.reshape(hr.as_tensor(A.copy()), shape=[24])
    assert np.array_equal(np.asarray(out), np.arange(24))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "float32"])
def test_reinterpret_changes_the_innermost_extent(dtype):
    assert np.array_equal(np.asarray(hr.reinterpret(A, dtype=dtype)), A.view(dtype))
    back = hr.reinterpret(A.view(dtype), dtype="uint8")
    assert np.array_equal(np.asarray(back), A)


def test_reinterpret_with_shapes():
    assert np.array_equal(np.asarray(hr.reinterpret(A, dtype="int32", shape=[-1])),
                          A.reshape(-1).view("int32"))
    assert hr.reinterpret(A, dtype="int16", rel_shape=[1, 1, -1]).shape == (2, 3, 2)
    assert hr.reinterpret(A, dtype="int16", src_dims=[2, 1, 0]).shape == (4, 3, 1)
    assert hr.reinterpret(np.float32(1), dtype="int32").item() == 0x3F800000


@pytest.mark.parametrize("call, words", [
    (lambda: hr.reshape(A), "neither a new shape"),
    (lambda: hr.reshape(A, shape=[5, 5]), "25 bytes, the input has 24"),
    (lambda: hr.reshape(A, shape=[5, -1]), "20 bytes, the input has 24"),
    (lambda: hr.reshape(A, shape=[-1, -1]), "two negative"),
    (lambda: hr.reshape(A[:0], shape=[-1, 0]), "left open"),
    (lambda: hr.reshape(A, shape=[2**40, 2**40]), "too large"),
    (lambda: hr.reshape(A, shape=[1] * 9), "more than 8"),
    (lambda: hr.reshape(A, layout="AB"), "layout"),
    (lambda: hr.reshape(A, shape=[24], rel_shape=[1]), "exclude each other"),
    (lambda: hr.reshape(A, np.int32([24]), shape=[24]), "exclude each other"),
    (lambda: hr.reshape(A, rel_shape=[1, 1, 1, 1]), "4 values, the input has 3"),
    (lambda: hr.reshape(A, rel_shape=[float("nan")]), "nan"),
    (lambda: hr.reshape(A, src_dims=[0, 1, 5]), "`src_dims` has 5"),
    (lambda: hr.reshape(A, src_dims=[0, 1], rel_shape=[1]), "`src_dims` has 2"),
    (lambda: hr.reshape(A, np.int32(24)), "list of extents"),
    (lambda: hr.reinterpret(A), "neither a new shape"),
    (lambda: hr.reinterpret(A, dtype="float64"), "innermost extent is 4"),
    (lambda: hr.reinterpret(np.int32(1), dtype="uint8"), "has no axis"),
    (lambda: hr.reinterpret(np.int32(1), dtype="int64"), "has no axis"),
])
def test_refusals(call, words):
    with pytest.raises((ValueError, OverflowError), match=words):
        call()


def test_samples_keep_one_rank():
    b = hr.as_batch([A, A])
    with pytest.raises(ValueError, match="reshape"):
        hr.reshape(b, shape=hr.as_batch([np.int32([24]), np.int32([4, 6])]))
