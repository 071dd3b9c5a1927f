"""rotate: against a direct evaluation in double, with NumPy's own turns and with symmetry."""
import numpy as np
import pytest

import headrace as hr
from headrace import types

NN = types.INTERP_NN


def rotate(a, angle, layout="HWC", **named):
    got = hr.rotate(hr.as_tensor(a, layout=layout), angle=angle, **named)
    assert got.layout == layout
    return np.asarray(got)


def evaluate(a, angle, out, fill=None):
    """Linear mixing at the places of a picture's output pixels, in double."""
    h, w = a.shape[:2]
    c, s = np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))
    y, x = np.mgrid[:out[0], :out[1]] + 0.5
    y, x = y - out[0] / 2, x - out[1] / 2
    at = np.stack([s * x + c * y + h / 2 - 0.5, c * x - s * y + w / 2 - 0.5])
    low = np.floor(at).astype(int)
    total = 0
    for dy in (0, 1):
        for dx in (0, 1):
            iy, ix = low[0] + dy, low[1] + dx
            v = a[np.clip(iy, 0, h - 1), np.clip(ix, 0, w - 1)].astype(float)
            if fill is not None:
                out_of = (iy < 0) | (iy >= h) | (ix < 0) | (ix >= w)
                v = np.where(out_of[..., None], fill, v)
            weight = np.abs(1 - dy - (at[0] - low[0])) * np.abs(1 - dx - (at[1] - low[1]))
            total = total + v * weight[..., None]
    return total


def picture(h, w, c, dtype="uint8", seed=0):
    a = np.random.default_rng(seed).integers(0, 256, (h, w, c))
    return (a - 100).astype(dtype) if dtype != "uint8" else a.astype(dtype)


@pytest.mark.parametrize("fill", [None, 40.0])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_formula(dtype, channels, fill):
    a = picture(37, 301, channels, dtype)
    for angle in (0, 7.7, 45, -60, 133, 200, -91):
        got = rotate(a, angle, fill_value=fill)
        want = evaluate(a, angle, got.shape, fill)
        # Places are sums of up to 256 steps in single precision, each 1e-5 pixels off at most;
        # neighbours differ by up to 255.
        assert np.abs(got - want).max() <= (1.0 if dtype != "float32" else 0.5)
        assert np.abs(got - want).mean() <= (0.28 if dtype != "float32" else 0.1)


@pytest.mark.parametrize("interp", [NN, types.INTERP_LINEAR])
def test_quarter_turns(interp):
    for shape in ((6, 9), (5, 5), (1, 7), (300, 2)):
        a = picture(*shape, 3)
        for k in range(-4, 5):
            assert np.array_equal(rotate(a, 90.0 * k, interp_type=interp), np.rot90(a, k))


@pytest.mark.parametrize("angle", [0, 10, 45, 89, 90, 123.4, 180, -35])
def test_canvas(angle):
    for h, w in ((1, 1), (10, 10), (9, 20), (31, 4)):
        got = rotate(np.zeros((h, w, 1), np.uint8), angle).shape[:2]
        c, s = abs(np.cos(np.deg2rad(angle))), abs(np.sin(np.deg2rad(angle)))
        least = np.array([s * w + c * h, c * w + s * h])
        assert np.all(got >= least - 0.02) and np.all(got < least + 2)
        near = (h, w) if s <= c else (w, h)
        assert angle == 45 or [n % 2 for n in got] == [n % 2 for n in near]


def test_nothing_is_lost_and_the_fill_stays_outside():
    a = np.full((20, 30, 1), 200, np.uint8)
    got = rotate(a, 30, fill_value=0)
    assert abs(got.astype(int).sum() / (200 * 600) - 1) < 0.01
    assert got[0, 0] == 0 and got.max() == 200
    assert rotate(a, 30).min() == 200


@pytest.mark.parametrize("shape", [(1, 1), (1, 40), (40, 1), (2, 2)])
def test_small_pictures(shape):
    a = picture(*shape, 3)
    for angle in (0, 30, 45, 100):
        for fill in (None, 9):
            got = rotate(a, angle, fill_value=fill)
            assert np.abs(got - evaluate(a, angle, got.shape, fill)).max() <= 0.55
            rotate(a, angle, fill_value=fill, interp_type=NN)


@pytest.mark.parametrize("shape", [(0, 4, 3), (4, 0, 3), (4, 4, 0)])
def test_no_pixels(shape):
    a = np.zeros(shape, np.uint8)
    got = rotate(a, 30, size=[3, 5], fill_value=7)
    assert got.shape == (3, 5, shape[2]) and np.all(got == 7)
    rotate(a, 30)


def test_size_and_keep_size():
    a = picture(9, 14, 3)
    assert rotate(a, 30, keep_size=True).shape == (9, 14, 3)
    assert rotate(a, 30, size=[4.9, 20]).shape == (4, 20, 3)
    assert rotate(a, 30, size=[0, 3]).shape == (0, 3, 3)
    small, large = rotate(a, 30, size=[6, 6]), rotate(a, 30, size=[10, 10])
    assert np.array_equal(small, large[2:-2, 2:-2])


def test_frames_turn_alike():
    a = np.random.default_rng(1).integers(0, 256, (3, 8, 9, 2), np.uint8)
    got = rotate(a, 20, "FHWC")
    for f in range(3):
        assert np.array_equal(got[f], rotate(a[f], 20))


@pytest.mark.parametrize("interp", [NN, types.INTERP_LINEAR])
def test_volumes_about_z_are_pictures(interp):
    a = np.random.default_rng(2).integers(0, 256, (4, 8, 9, 3), np.uint8)
    for angle in (0, 30, -70):
        got = rotate(a, angle, "DHWC", axis=[0, 0, 5], interp_type=interp)
        assert got.shape[0] == 4
        # About z, with y down, a positive angle goes the other way round.
        for z in range(4):
            flat = rotate(a[z], -angle, interp_type=interp)
            gap = np.abs(got[z].astype(int) - flat)
            assert gap.max() <= 1 or interp == NN and (gap > 0).mean() < 0.01


def test_volume_axes_are_alike():
    """A turn about x of the volume is a turn about z of the volume with its axes renamed."""
    a = np.random.default_rng(3).standard_normal((5, 6, 7, 1)).astype(np.float32)
    about_z = rotate(a, 25, "DHWC", axis=[0, 0, 1])
    renamed = np.ascontiguousarray(a.transpose(1, 2, 0, 3))  # z becomes x, x y, y z
    about_x = rotate(renamed, 25, "DHWC", axis=[1, 0, 0])
    assert np.allclose(about_x.transpose(2, 0, 1, 3), about_z, atol=1e-4)


@pytest.mark.parametrize("to", ["uint8", "uint16", "int16", "int32"])
def test_reals_become_integers(to):
    a = np.float32([[[-7.5], [1e6], [2.5], [254.5]]])
    got = rotate(a, 0, dtype=getattr(hr, to)).ravel()
    info = np.iinfo(to)
    assert got.tolist() == [max(-8, info.min), min(10**6, info.max), 3, 255]


@pytest.mark.parametrize("fill, want", [(7.6, 8), (300, 255), (-5, 0), (float("nan"), 0)])
def test_the_fill_value_is_an_element(fill, want):
    a = np.full((3, 3, 1), 100, np.uint8)
    assert rotate(a, 45, fill_value=fill)[0, 0] == want
    assert rotate(a, 45, fill_value=fill, dtype=hr.float32)[0, 0] == want


def test_per_sample_arguments():
    a = picture(5, 6, 1)
    got = hr.rotate(hr.as_batch([a, a], layout="HWC"), angle=hr.as_batch(np.float32([90, 180])))
    assert np.array_equal(np.asarray(got.tensors[0]), np.rot90(a, 1))
    assert np.array_equal(np.asarray(got.tensors[1]), np.rot90(a, 2))


@pytest.mark.parametrize("named, words", [
    ({"angle": float("nan")}, "`angle` is nan"),
    ({"angle": 1, "interp_type": types.INTERP_CUBIC}, "`interp_type`"),
    ({"angle": 1, "size": [1, 2, 3]}, "`size` has 3"), ({"angle": 1, "size": [-1, 2]}, "`size` is -1"),
    ({"angle": 1, "size": [1e9, 2]}, "`size` is 1e"), ({"angle": 1, "dtype": hr.int8}, "`dtype` is int8"),
])
def test_wrong_arguments(named, words):
    with pytest.raises(ValueError, match=words):
        hr.rotate(picture(3, 4, 1), **named)


@pytest.mark.parametrize("named, words", [
    ({}, "needs an `axis`"), ({"axis": [1, 2]}, "`axis` has 2"), ({"axis": [0, 0, 0]}, "no direction"),
    ({"axis": [float("inf"), 0, 0]}, "no direction"),
])
def test_wrong_axes(named, words):
    with pytest.raises(ValueError, match=words):
        rotate(np.zeros((2, 3, 4, 1), np.uint8), 30, "DHWC", **named)
