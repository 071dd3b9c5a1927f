"""resize_crop_mirror is resize, crop and a flip one after the other."""
import numpy as np
import pytest

import headrace as hr
from headrace import types

LAYOUTS = {"HWC": (23, 31, 3), "CHW": (3, 23, 31), "FHWC": (2, 23, 31, 3), "FCHW": (2, 3, 23, 31),
           "CFHW": (3, 2, 23, 31)}
FILTERS = [types.INTERP_NN, types.INTERP_LINEAR, types.INTERP_CUBIC, types.INTERP_LANCZOS3,
           types.INTERP_TRIANGULAR, types.INTERP_GAUSSIAN]


def picture(shape, dtype="uint8", seed=0):
    return np.random.default_rng(seed).integers(0, 256, shape).astype(dtype)


def both(a, layout, resize, crop, mirror=0, **filters):
    """(in one pass, step by step)"""
    t = hr.as_tensor(a, layout=layout)
    one = hr.resize_crop_mirror(t, mirror=mirror, **resize, **crop, **filters)
    steps = hr.crop(hr.resize(t, **resize, **filters), **crop)
    assert (one.layout, one.dtype) == (steps.layout, steps.dtype)
    axes = [layout.index(letter) for i, letter in enumerate("WHD") if mirror >> i & 1]
    return np.asarray(one).astype(float), np.flip(np.asarray(steps).astype(float), axes)


@pytest.mark.parametrize("mirror", [0, 1, 2, 3])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint16", "float32"])
def test_layouts_and_mirrors(layout, mirror, dtype):
    a = picture(LAYOUTS[layout], dtype)
    one, steps = both(a, layout, {"size": [17, 20]}, {"crop": [8, 9], "crop_pos_x": 0.2}, mirror)
    assert one.shape == steps.shape and np.abs(one - steps).max() <= (1 if dtype != "float32" else 0.02)


@pytest.mark.parametrize("interp", FILTERS)
@pytest.mark.parametrize("size", [[9, 50], [40, 11], [23, 31]])
@pytest.mark.parametrize("antialias", [True, False])
def test_filters(interp, size, antialias):
    a = picture((23, 31, 3), "float32")
    crop = {"crop": [size[0] // 2, size[1] // 3], "crop_pos_y": 0.9}
    one, steps = both(a, "HWC", {"size": size}, crop, 1, interp_type=interp, antialias=antialias)
    off = np.abs(one - steps) > 0.05
    # Nearest neighbour: a position on a pixel's edge may go either way.
    assert off.mean() <= (0.1 if interp == types.INTERP_NN else 0)


@pytest.mark.parametrize("mirror", range(8))
def test_volumes(mirror):
    a = picture((5, 6, 7, 2), "float32")
    one, steps = both(a, "DHWC", {"size": [8, 9, 10]}, {"crop": [3, 4, 5], "crop_pos_z": 0.0}, mirror)
    assert one.shape == (3, 4, 5, 2) and np.abs(one - steps).max() < 0.02


@pytest.mark.parametrize("resize", [{"resize_shorter": 13.3}, {"resize_longer": 40}, {"resize_x": 20},
                                    {"size": [20, 20], "mode": "not_larger"}, {"size": [-20, -30]},
                                    {"size": [20, 30], "roi_start": [3, 4], "roi_end": [20, 11]}])
def test_sizes(resize):
    a = picture((23, 31, 3), "float32")
    one, steps = both(a, "HWC", resize, {"crop_h": 7, "crop_w": 6})
    assert one.shape == (7, 6, 3) and np.abs(one - steps).max() < 0.02


def test_without_a_window_it_is_resize():
    a = picture((23, 31, 3))
    t = hr.as_tensor(a, layout="HWC")
    got, want = hr.resize_crop_mirror(t, size=[10, 12]), hr.resize(t, size=[10, 12])
    assert np.array_equal(np.asarray(got), np.asarray(want))


def test_a_window_over_the_edge_repeats_it():
    a = picture((8, 8, 1))
    got = np.asarray(hr.resize_crop_mirror(hr.as_tensor(a, layout="HWC"), size=[8, 8], crop=[12, 8]))
    assert np.array_equal(got, np.pad(a, ((2, 2), (0, 0), (0, 0)), mode="edge"))


def test_one_pixel_and_none():
    one = np.full((1, 1, 3), 9, np.uint8)
    got = np.asarray(hr.resize_crop_mirror(one, size=[7, 7], crop=[3, 2], mirror=1))
    assert got.shape == (3, 2, 3) and np.all(got == 9)
    none = hr.resize_crop_mirror(np.zeros((0, 5, 3), np.uint8), size=[7, 7], crop=[3, 2])
    assert none.shape[0] == 0


def test_per_sample_arguments():
    a = picture((9, 10, 1))
    got = hr.resize_crop_mirror(hr.as_batch([a, a], layout="HWC"), size=[9, 10],
                                crop=hr.as_batch([np.float32([3, 4]), np.float32([9, 10])]),
                                mirror=hr.as_batch([np.int32(0), np.int32(1)]))
    assert np.array_equal(np.asarray(got.tensors[0]), a[3:6, 3:7])
    assert np.array_equal(np.asarray(got.tensors[1]), a[:, ::-1])


@pytest.mark.parametrize("named, words", [
    ({"crop": [3, 3]}, "give the size in one way"), ({"size": [4, 4], "crop_h": 2}, "needs `crop_w`"),
    ({"size": [4, 4], "crop": [2, 2], "crop_pos_x": 2.0}, "crop_pos_x"),
    ({"size": [4, 4], "crop": [1e9, 2]}, "a window of 1000000000"),
    ({"size": [4, 4], "crop": [float("nan"), 2]}, "height is"),
])
def test_wrong_arguments(named, words):
    with pytest.raises(ValueError, match=words):
        hr.resize_crop_mirror(picture((5, 5, 1)), **named)
