"""copy and cast_like."""
import numpy as np
import pytest

import headrace as hr


def test_copy_is_another_memory():
    t = hr.as_tensor(np.arange(6).reshape(2, 3), layout="HW")
    out = hr.copy(t)
    assert (out.layout, out.dtype) == ("HW", t.dtype)
    assert np.array_equal(np.asarray(out), np.asarray(t))
    assert out.__array_interface__["data"][0] != t.__array_interface__["data"][0]


def test_copy_packs():
    a = np.arange(12).reshape(3, 4)
    for view in (a[::-1], a[:, ::2], a.T, a[1:, 1:]):
        out = hr.copy(hr.as_tensor(view))
        assert np.array_equal(np.asarray(out), view)
        assert np.asarray(out).flags.c_contiguous


def test_cast_like_is_cast():
    a = np.float32([0.5, 1.5, -1, 300])
    for like in (np.uint8(0), np.zeros((3, 3), np.int16), True, np.float16(1)):
        out = hr.cast_like(a, like)
        want = hr.cast(a, dtype=hr.as_tensor(like).dtype)
        assert np.array_equal(np.asarray(out), np.asarray(want))
        assert out.dtype == want.dtype


def test_cast_like_keeps_the_first_shape_and_layout():
    b = hr.as_batch([np.zeros((2, 3), np.uint8), np.zeros((1, 3), np.uint8)], layout="HW")
    out = hr.cast_like(b, hr.as_batch([np.float32(1), np.float32(2)]))
    assert (out.shape, out.layout, out.dtype) == ([(2, 3), (1, 3)], "HW", hr.float32)
    with pytest.raises(ValueError):
        hr.cast_like(b, hr.as_batch([np.float32(1)] * 3))
