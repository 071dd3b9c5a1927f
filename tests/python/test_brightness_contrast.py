"""brightness_contrast and its parts: values against the formula in float32."""
import numpy as np
import pytest

import headrace as hr

F = np.float32
TOP = {"uint8": 255, "int8": 127, "uint16": 65535, "int16": 32767, "int32": 2**31 - 1,
       "float16": 1, "float32": 1}
MIDDLE = {"uint8": 128, "int8": 64, "uint16": 32768, "int16": 16384, "int32": 2**30,
          "float16": 0.5, "float32": 0.5}


def expected(a, to, brightness=1.0, shift=0.0, contrast=1.0, center=None):
    """x * mul + add, every operation rounded to float32, then to the type."""
    b, s, c = F(brightness), F(shift), F(contrast)
    m = F(MIDDLE[str(a.dtype)] if center is None else center)
    with np.errstate(all="ignore"):
        add = F(s * F(TOP[to])) + F(b * F(m - F(c * m)))
        v = F(a.astype(F) * F(b * c)) + add
        if to.startswith("float"):
            return v.astype(to)
        v = np.nan_to_num(v.astype(np.float64), nan=0, posinf=np.inf, neginf=-np.inf)
        low, high = np.iinfo(to).min, np.iinfo(to).max
        return np.clip(np.trunc(v + np.copysign(0.5, v)), low, high).astype(to)


def values(dtype, n=1000, seed=3):
    rng = np.random.default_rng(seed)
    if dtype == "uint8":
        return np.arange(256, dtype=dtype).repeat(4).reshape(1, -1, 1)
    if dtype.startswith("float"):
        return (rng.standard_normal((1, n, 1)) * 3).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, (1, n, 1), dtype, endpoint=True)


@pytest.mark.parametrize("to", TOP)
@pytest.mark.parametrize("of", TOP)
def test_every_pair_of_types(of, to):
    a = values(of)
    named = {"brightness": 1.37, "contrast": 0.83}
    got = hr.brightness_contrast(hr.as_tensor(a, layout="HWC"), brightness_shift=-0.13,
                                 contrast_center=0.4, dtype=getattr(hr, to), **named)
    want = expected(a, to, shift=-0.13, center=0.4, **named)
    assert (got.dtype.name, got.layout) == (getattr(hr, to).name, "HWC")
    if to == "float16":  # halves of float16 are rounded as the cast has them
        assert np.allclose(np.asarray(got), want, rtol=2e-3)
    else:
        assert np.array_equal(np.asarray(got), want)


@pytest.mark.parametrize("brightness, shift, contrast, center", [
    (1.0, 0.0, 1.0, None), (0.5, 0.0, 1.0, None), (1.0, 0.5, 1.0, None), (1.0, 0.0, 2.0, None),
    (1.0, 0.0, 2.0, 0.5), (-1.0, 1.0, 1.0, None), (1.9, -0.3, 0.2, 13.37), (0.0, 0.25, 0.0, 9.0),
    (float("nan"), 0.0, 1.0, None), (float("inf"), 0.0, 1.0, None), (1e38, 0.0, 1e38, None),
])
def test_every_level(brightness, shift, contrast, center):
    a = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)
    got = hr.brightness_contrast(hr.as_tensor(a, layout="HWC"), brightness=brightness,
                                 brightness_shift=shift, contrast=contrast, contrast_center=center)
    want = expected(a, "uint8", brightness, shift, contrast, center)
    assert np.array_equal(np.asarray(got), want)


@pytest.mark.parametrize("of", ["uint8", "int16", "float32"])
def test_the_parts_are_the_whole(of):
    a = hr.as_tensor(values(of), layout="HWC")
    whole = hr.brightness_contrast(a, brightness=1.3, brightness_shift=0.1)
    part = hr.brightness(a, brightness=1.3, brightness_shift=0.1)
    assert np.array_equal(np.asarray(part), np.asarray(whole))
    for center in (None, 0.3):
        whole = hr.brightness_contrast(a, contrast=1.3, contrast_center=center)
        part = hr.contrast(a, contrast=1.3, contrast_center=center)
        assert np.array_equal(np.asarray(part), np.asarray(whole))


def test_the_middle_stays():
    a = np.array([100, 128, 130], np.uint8).reshape(1, 3, 1)
    got = np.asarray(hr.contrast(hr.as_tensor(a, layout="HWC"), contrast=2.0)).ravel()
    assert got.tolist() == [72, 128, 132]


def test_per_sample_values():
    a = np.full((2, 2, 1), 100, np.uint8)
    got = hr.brightness(hr.as_batch([a, a], layout="HWC"),
                        brightness=hr.as_batch([np.float32(0.5), np.float32(2.0)]))
    assert [int(np.asarray(t)[0, 0, 0]) for t in got.tensors] == [50, 200]


@pytest.mark.parametrize("arguments, error, words", [
    ({"dtype": hr.float64}, ValueError, "`dtype` is float64"),
    ({"brightness": "a"}, ValueError, "brightness"),
    ({"brightnes": 1}, TypeError, "brightness"),
])
def test_wrong_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        hr.brightness_contrast(np.zeros((2, 2, 1), np.uint8), **arguments)


def test_wrong_inputs():
    with pytest.raises(ValueError, match="layout"):
        hr.brightness(hr.as_tensor(np.zeros((1, 2, 2), np.uint8), layout="CHW"))
    with pytest.raises(TypeError, match="float64"):
        hr.brightness(np.zeros((1, 2, 2)))
