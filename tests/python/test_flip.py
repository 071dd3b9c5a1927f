"""flip against NumPy's."""

import itertools

import numpy as np
import pytest

import headrace as hr

SHAPES = {"HWC": (5, 7, 3), "CHW": (3, 5, 7), "FHWC": (2, 5, 7, 3), "FCHW": (2, 3, 5, 7),
          "DHWC": (4, 5, 7, 3), "CDHW": (3, 4, 5, 7), "FDHWC": (2, 4, 5, 7, 3), "HW": (5, 7)}
FLAGS = {"depthwise": "D", "horizontal": "W", "vertical": "H"}


def flipped(x, layout, **flags):
    axes = [layout.index(FLAGS[k]) for k, on in flags.items() if on and FLAGS[k] in layout]
    return np.flip(x, axes) if axes else x


@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
def test_all_flags(layout, dtype):
    x = np.arange(np.prod(SHAPES[layout])).reshape(SHAPES[layout]).astype(dtype)
    for d, h, v in itertools.product((0, 1), repeat=3):
        flags = dict(depthwise=d, horizontal=h, vertical=v)
        got = hr.flip(hr.tensor(x, layout=layout), **flags)
        assert got.layout == layout
        np.testing.assert_array_equal(np.asarray(got), flipped(x, layout, **flags))


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
def test_rows_of_every_width(channels, dtype):
    for width in range(1, 40):
        x = np.random.default_rng(width).integers(0, 200, (2, width, channels)).astype(dtype)
        got = np.asarray(hr.flip(hr.tensor(x, layout="HWC")))
        np.testing.assert_array_equal(got, x[:, ::-1])


def test_flags_per_sample():
    x = np.arange(4 * 2 * 3 * 3, dtype=np.uint8).reshape(4, 2, 3, 3)
    got = hr.flip(hr.batch(x, layout="HWC"), horizontal=hr.batch([0, 1, 0, 1]),
                  vertical=hr.batch([0, 0, 1, 1]))
    for i, (h, v) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)]):
        np.testing.assert_array_equal(np.asarray(got.select(i)),
                                      flipped(x[i], "HWC", horizontal=h, vertical=v))


def test_default_layout_comes_from_the_rank():
    x = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    got = hr.flip(x)
    assert got.layout == "HWC"
    np.testing.assert_array_equal(np.asarray(got), x[:, ::-1])


def test_twice_is_the_input():
    x = np.random.default_rng(0).integers(0, 255, (9, 11, 3), np.uint8)
    t = hr.tensor(x, layout="HWC")
    np.testing.assert_array_equal(np.asarray(hr.flip(hr.flip(t, vertical=1), vertical=1)), x)


def test_a_layout_without_the_axes_is_refused():
    with pytest.raises(ValueError, match="flip.*layout \"ft\""):
        hr.flip(hr.tensor(np.zeros((3, 4), np.float32), layout="ft"))
