"""color_space_conversion: BT.601 evaluated by NumPy."""
import itertools

import numpy as np
import pytest

import headrace as hr
from headrace import types

MODELS = {"RGB": types.RGB, "BGR": types.BGR, "GRAY": types.GRAY, "YCbCr": types.YCbCr}
TO_YCBCR = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112.0],
                     [112.0, -93.786, -18.214]]) / 255


def convert(a, source, target, layout="HWC"):
    got = hr.color_space_conversion(hr.as_tensor(a, layout=layout), image_type=MODELS[source],
                                    output_type=MODELS[target])
    assert got.layout == layout and got.dtype == hr.uint8
    return np.asarray(got)


def formula(a, source, target):
    """In double, not rounded."""
    a = a.astype(np.float64)
    if source == "GRAY":
        rgb = np.repeat(a, 3, -1)
    elif source == "YCbCr":
        rgb = (a - [16, 128, 128]) @ np.linalg.inv(TO_YCBCR).T
    else:
        rgb = a if source == "RGB" else a[..., ::-1]
    if target == "GRAY":
        if source == "YCbCr":
            return (a[..., :1] - 16) * 255 / 219
        return rgb @ np.array([[0.299], [0.587], [0.114]])
    if target == "YCbCr":
        return rgb @ TO_YCBCR.T + [16, 128, 128]
    return rgb if target == "RGB" else rgb[..., ::-1]


def pixels(source, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (29, 41, 1 if source == "GRAY" else 3), np.uint8)


PAIRS = [p for p in itertools.product(MODELS, MODELS) if p[0] != p[1]]


@pytest.mark.parametrize("source, target", PAIRS)
def test_formula(source, target):
    a = pixels(source)
    got, want = convert(a, source, target), np.clip(formula(a, source, target), 0, 255)
    # Half a level of rounding, and weights of 15 bits or single precision.
    assert np.abs(got - want).max() <= 0.52


@pytest.mark.parametrize("model", MODELS)
def test_the_same_model_is_a_copy(model):
    a = pixels(model)
    assert np.array_equal(convert(a, model, model), a)


def test_order_of_channels():
    a = np.array([[[255, 0, 0]]], np.uint8)
    assert convert(a, "RGB", "BGR").tolist() == [[[0, 0, 255]]]
    assert convert(a, "RGB", "GRAY").tolist() == [[[76]]]
    assert convert(a, "BGR", "GRAY").tolist() == [[[29]]]
    assert convert(a, "RGB", "YCbCr").tolist() == [[[81, 90, 240]]]


def test_gray_keeps_gray():
    a = np.arange(256, dtype=np.uint8).reshape(16, 16, 1)
    for model in ("RGB", "BGR"):
        there = convert(a, "GRAY", model)
        assert np.array_equal(there, np.repeat(a, 3, -1))
        assert np.array_equal(convert(there, model, "GRAY"), a)


@pytest.mark.parametrize("layout, shape", [("HWC", (4, 5)), ("FHWC", (2, 4, 5)),
                                           ("DHWC", (3, 4, 5)), ("FDHWC", (2, 3, 4, 5))])
def test_layouts(layout, shape):
    a = np.random.default_rng(1).integers(0, 256, shape + (3,), np.uint8)
    flat = convert(a.reshape(1, -1, 3), "RGB", "GRAY")
    assert np.array_equal(convert(a, "RGB", "GRAY", layout), flat.reshape(shape + (1,)))


def test_no_pixels():
    assert convert(np.zeros((0, 4, 3), np.uint8), "RGB", "GRAY").shape == (0, 4, 1)


@pytest.mark.parametrize("named, words", [
    ({"image_type": types.RGB, "output_type": types.ANY_DATA}, "`output_type` is ANY_DATA"),
    ({"image_type": types.ANY_DATA, "output_type": types.RGB}, "`image_type` is ANY_DATA"),
    ({"image_type": types.GRAY, "output_type": types.RGB}, "3 channels, GRAY has 1"),
])
def test_wrong_models(named, words):
    with pytest.raises(ValueError, match=words):
        hr.color_space_conversion(np.zeros((2, 2, 3), np.uint8), **named)
