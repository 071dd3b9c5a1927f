"""ones, zeros_like, ones_like, full_like."""
import numpy as np
import pytest

import headrace as hr

TYPES = ["uint8", "int16", "uint32", "int64", "float16", "float32", "float64", "bool"]


@pytest.mark.parametrize("dtype", TYPES)
def test_ones(dtype):
    got = np.asarray(hr.ones(shape=[2, 3], dtype=dtype))
    assert got.dtype == dtype and np.array_equal(got, np.ones((2, 3), dtype))
    assert hr.ones(shape=[2, 3], layout="HW").layout == "HW"
    assert hr.ones().item() == 1 and hr.ones().dtype == hr.int32


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("op, value", [(hr.zeros_like, 0), (hr.ones_like, 1)])
def test_like(op, value, dtype):
    b = hr.as_batch([np.full((2, 3), 7).astype(dtype), np.full((1, 3), 7).astype(dtype)],
                    layout="HW")
    out = op(b)
    assert (out.dtype, out.layout, out.shape) == (b.dtype, "HW", [(2, 3), (1, 3)])
    assert all((np.asarray(t) == value).all() for t in out.tensors)
    assert op(b, dtype="float32").dtype == hr.float32
    assert np.array_equal(np.asarray(b.tensors[0]), np.full((2, 3), 7).astype(dtype))


def test_ones_of_bfloat16():
    got = hr.cast(hr.ones(shape=[3], dtype="bfloat16"), dtype="float32")
    assert np.asarray(got).tolist() == [1, 1, 1]


def test_full_like_converts_as_cast_does():
    a = np.zeros((2, 3), np.uint8)
    for value, want in ((7, 7), (7.5, 8), (-1, 0), (300, 255)):
        got = np.asarray(hr.full_like(a, value))
        assert got.dtype == np.uint8 and (got == want).all()


@pytest.mark.parametrize("shape", [(), (4,), (1,), (3, 1), (3, 4), (2, 1, 1), (2, 3, 4),
                                   (1, 2, 3, 4)])
def test_full_like_broadcasts(shape):
    fill = np.random.default_rng(0).integers(0, 99, shape)
    like = hr.as_tensor(np.zeros((2, 3, 4), np.int16), layout="HWC")
    out = hr.full_like(like, fill)
    want = np.broadcast_to(fill.reshape(shape[-3:]), (2, 3, 4))
    assert out.layout == "HWC" and np.array_equal(np.asarray(out), want)


def test_full_like_refuses_what_does_not_broadcast():
    with pytest.raises(ValueError, match="extent 3"):
        hr.full_like(np.zeros((2, 4)), [1, 2, 3])
    with pytest.raises(ValueError, match="extent 2"):
        hr.full_like(3, [1, 2])
    with pytest.raises(ValueError, match="extent 2"):
        hr.full_like(np.zeros((3, 4)), np.zeros((2, 3, 4)))
