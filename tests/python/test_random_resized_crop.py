"""random_resized_crop: a region resize of the window that random_crop_generator draws."""
import numpy as np
import pytest

import headrace as hr


def picture(h=48, w=64, layout="HWC"):
    a = np.random.default_rng(h).integers(0, 256, (h, w, 3)).astype(np.uint8)
    return hr.tensor(a if layout == "HWC" else a.transpose(2, 0, 1).copy(), layout=layout)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("interp", [0, 1, 2])
def test_is_a_region_resize(seed, interp):
    a = picture()
    got = hr.random_resized_crop(a, size=[17, 23], interp_type=interp, rng=hr.random.RNG(seed=seed))
    anchor, shape = hr.random_crop_generator(hr.tensor(np.int64([48, 64])),
                                             rng=hr.random.RNG(seed=seed))
    start, extent = np.asarray(anchor), np.asarray(shape)
    want = hr.resize(a, size=[17, 23], interp_type=interp, roi_start=start.astype(np.float32),
                     roi_end=(start + extent).astype(np.float32))
    assert np.array_equal(np.asarray(got), np.asarray(want))


def test_samples_have_windows_of_their_own():
    b = hr.as_batch([np.asarray(picture())] * 4, layout="HWC")
    got = hr.random_resized_crop(b, size=8, rng=hr.random.RNG(seed=5))
    assert all(tuple(t.shape) == (8, 8, 3) for t in got.tensors)
    assert not np.array_equal(np.asarray(got.tensors[0]), np.asarray(got.tensors[1]))
    again = hr.random_resized_crop(b, size=[8], rng=hr.random.RNG(seed=5))
    assert all(np.array_equal(np.asarray(p), np.asarray(q))
               for p, q in zip(got.tensors, again.tensors))


def test_planar_equals_interleaved():
    got = hr.random_resized_crop(picture(layout="CHW"), size=[9, 12], rng=hr.random.RNG(seed=2))
    want = hr.random_resized_crop(picture(), size=[9, 12], rng=hr.random.RNG(seed=2))
    assert np.array_equal(np.asarray(got).transpose(1, 2, 0), np.asarray(want))


def test_a_sequence_has_one_window():
    one = np.asarray(picture())
    frames = hr.tensor(np.stack([one, one]), layout="FHWC")
    got = np.asarray(hr.random_resized_crop(frames, size=[9, 12], rng=hr.random.RNG(seed=3)))
    assert np.array_equal(got[0], got[1])


def test_whole_picture():
    got = hr.random_resized_crop(picture(), size=[9, 12], random_area=[1.0, 1.0],
                                 random_aspect_ratio=[64 / 48, 64 / 48],
                                 rng=hr.random.RNG(seed=3))
    assert np.array_equal(np.asarray(got), np.asarray(hr.resize(picture(), size=[9, 12])))


def test_real_output():
    got = hr.random_resized_crop(picture(), size=[9, 12], dtype=hr.float32,
                                 rng=hr.random.RNG(seed=3))
    whole = hr.random_resized_crop(picture(), size=[9, 12], rng=hr.random.RNG(seed=3))
    assert np.asarray(got).dtype == np.float32
    assert np.abs(np.asarray(got) - np.asarray(whole)).max() <= 0.6


@pytest.mark.parametrize("arguments, words", [
    (dict(size=0), "size"), (dict(size=[0, 5]), "size"), (dict(size=[5, -5]), "size"),
    (dict(size=[5, 5, 5]), "size"), (dict(size=[5, 5], dtype=hr.int16), "dtype"),
    (dict(size=[5, 5], random_area=[0.5, 0.2]), "random_area"),
])
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        hr.random_resized_crop(picture(), rng=hr.random.RNG(seed=1), **arguments)


def test_size_is_needed():
    with pytest.raises(TypeError, match="size"):
        hr.random_resized_crop(picture(), rng=hr.random.RNG(seed=1))
