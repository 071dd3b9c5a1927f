"""crop: windows against slicing, the three policies at the edge, and what is refused."""
import numpy as np
import pytest

import headrace as hr

LAYOUTS = ["HWC", "CHW", "DHWC", "CDHW", "FHWC", "FCHW", "CFHW", "FDHWC", "FCDHW", "CFDHW"]
EXTENTS = {"H": 6, "W": 7, "C": 2, "D": 4, "F": 3}


def picture(layout, dtype="uint8"):
    shape = [EXTENTS[c] for c in layout]
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def crop(array, layout="HWC", **arguments):
    got = hr.crop(hr.as_tensor(array, layout=layout), **arguments)
    return got, np.asarray(got)


def line(width, **arguments):
    """The columns that a window of one row takes from 0, 1, 2, …"""
    a = np.arange(width, dtype=np.uint8).reshape(1, width, 1)
    return crop(a, **arguments)[1].ravel().tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "uint64", "bool"])
def test_every_layout(layout, dtype):
    a = picture(layout, dtype)
    got, values = crop(a, layout, crop=[2, 3], crop_pos_x=1.0, crop_pos_y=0.0)
    where = {"H": slice(0, 2), "W": slice(4, 7)}
    assert got.layout == layout and values.dtype == dtype
    assert np.array_equal(values, a[tuple(where.get(c, slice(None)) for c in layout)])


@pytest.mark.parametrize("layout", [l for l in LAYOUTS if len(l) > 3])
def test_three_extents(layout):
    """Depth is the D axis; in a sequence without one, the frames."""
    a = picture(layout)
    depth = "D" if "D" in layout else "F"
    where = {"H": slice(4, 6), "W": slice(0, 3), depth: slice(1, 2)}
    where = tuple(where.get(c, slice(None)) for c in layout)
    position = 0.34 if depth == "D" else 0.5
    place = dict(crop_pos_x=0.0, crop_pos_y=1.0, crop_pos_z=position)
    assert np.array_equal(crop(a, layout, crop=[1, 2, 3], **place)[1], a[where])
    assert np.array_equal(crop(a, layout, crop_d=1, crop_h=2, crop_w=3, **place)[1], a[where])


def test_depth_is_ignored_without_such_an_axis():
    a = picture("HWC")
    assert np.array_equal(crop(a, crop=[9, 2, 3])[1], crop(a, crop=[2, 3])[1])
    assert np.array_equal(crop(a, crop_d=9, crop_h=2, crop_w=3)[1], crop(a, crop=[2, 3])[1])


def test_no_layout_means_the_first_of_the_rank():
    assert hr.crop(picture("HWC"), crop=[2, 3]).layout == "HWC"
    assert hr.crop(picture("DHWC"), crop=[1, 2, 3]).layout == "DHWC"


def test_without_arguments_the_whole_picture():
    assert np.array_equal(crop(picture("HWC"))[1], picture("HWC"))


@pytest.mark.parametrize("size, height", [(0, 6), (-1, 6), (0.9, 6), (1.9, 1), (3.99, 3), (6, 6)])
def test_fractions_are_cut_off_and_nothing_means_all(size, height):
    assert crop(picture("HWC"), crop=[size, 3])[1].shape == (height, 3, 2)
    assert crop(picture("HWC"), crop_h=size, crop_w=3)[1].shape == (height, 3, 2)


@pytest.mark.parametrize("position, width, rounded, cut", [
    (0.0, 8, 0, 0), (1.0, 8, 5, 5), (0.5, 8, 3, 2), (0.25, 8, 1, 1), (0.1, 8, 1, 0),
    (0.9, 8, 4, 4),  # float32 0.9 is below 0.9
    (0.5, 6, 2, 1), (0.25, 6, 1, 0),
])
def test_rounding(position, width, rounded, cut):
    window = dict(crop=[1, 3], crop_pos_x=position)
    assert line(width, **window)[0] == rounded
    assert line(width, rounding="round", **window)[0] == rounded
    assert line(width, rounding="truncate", **window)[0] == cut


@pytest.mark.parametrize("position, rounding, want", [
    (0.0, "round", [0, 1, 2, 99, 99, 99]), (1.0, "round", [99, 99, 99, 0, 1, 2]),
    (0.5, "round", [99, 99, 0, 1, 2, 99]), (0.5, "truncate", [99, 0, 1, 2, 99, 99]),
])
@pytest.mark.parametrize("policy", ["pad", "constant"])
def test_filled_up(position, rounding, want, policy):
    assert line(3, crop=[1, 6], crop_pos_x=position, rounding=rounding, fill_values=99,
                out_of_bounds_policy=policy) == want


def test_fill_values_by_channel():
    a = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    want = np.empty((3, 3, 2), np.uint8)
    want[...] = [9, 8]
    want[1:, 1:] = a
    pad = dict(crop=[3, 3], out_of_bounds_policy="pad", fill_values=[9, 8])
    assert np.array_equal(crop(a, **pad)[1], want)
    planes = np.ascontiguousarray(a.transpose(2, 0, 1))
    assert np.array_equal(crop(planes, "CHW", **pad)[1], want.transpose(2, 0, 1))


def test_trimmed():
    assert line(3, crop=[1, 6], crop_pos_x=0.5, out_of_bounds_policy="trim_to_shape") == [0, 1, 2]
    a = picture("HWC")
    got = crop(a, crop=[2, 99], out_of_bounds_policy="trim_to_shape")[1]
    assert np.array_equal(got, a[2:4])


def test_over_the_edge_is_an_error():
    with pytest.raises(ValueError, match=r"-1\.\.6 of axis H.*0\.\.6"):
        crop(picture("HWC"), crop=[7, 3])


def test_one_pixel():
    a = np.full((1, 1, 3), 5, np.uint8)
    assert np.array_equal(crop(a, crop=[1, 1])[1], a)
    got = crop(a, crop=[3, 3], out_of_bounds_policy="pad")[1]
    assert got.sum() == 15 and np.array_equal(got[1, 1], [5, 5, 5])


def test_no_pixels():
    a = np.zeros((0, 6, 1), np.uint8)
    assert crop(a)[1].shape == (0, 6, 1)
    got = crop(a, crop=[1, 2], out_of_bounds_policy="pad", fill_values=3)[1]
    assert got.ravel().tolist() == [3, 3]


def test_per_sample_arguments():
    a = np.arange(6, dtype=np.uint8).reshape(1, 6, 1)
    batch = hr.as_batch([a, a], layout="HWC")
    got = hr.crop(batch, crop=hr.as_batch([np.float32([1, 2]), np.float32([1, 3])]),
                  crop_pos_x=hr.as_batch([np.float32(0), np.float32(1)]))
    assert [np.asarray(t).ravel().tolist() for t in got.tensors] == [[0, 1], [3, 4, 5]]


@pytest.mark.parametrize("dtype, want", [
    ("uint8", [0, 255, 2, 0, 254]), ("int8", [-1, 127, 2, 0, 127]),
    ("float32", [-1.5, 300, 2.5, np.nan, 254.6]), ("int32", [-1, 300, 2, 0, 254]),
])
def test_reals_are_cut_off_and_clamped(dtype, want):
    a = np.float32([-1.5, 300, 2.5, np.nan, 254.6]).reshape(1, 5, 1)
    got = crop(a, dtype=getattr(hr, dtype))[1].ravel()
    assert got.dtype == dtype
    assert np.array_equal(got, np.array(want, dtype), equal_nan=got.dtype.kind == "f")


def test_float16_is_clamped():
    a = np.int32([70000, -70000, 2049, 5]).reshape(1, 4, 1)
    got = crop(a, dtype=hr.float16)[1].ravel().tolist()
    assert got == [65504, -65504, 2050, 5]


def test_wide_runs_are_converted(rng=np.random.default_rng(2)):
    a = (rng.random((3, 2000, 3)) * 400 - 50).astype(np.float64)
    got = crop(a, crop=[2, 1500], crop_pos_y=0.0, crop_pos_x=0.0, dtype=hr.uint8)[1]
    assert np.array_equal(got, np.clip(np.trunc(a[:2, :1500]), 0, 255).astype(np.uint8))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_output_dtype_is_the_former_name():
    assert crop(picture("HWC"), output_dtype=hr.float32)[1].dtype == np.float32
    with pytest.raises(TypeError, match="output_dtype"):
        crop(picture("HWC"), output_dtype=hr.float32, dtype=hr.uint8)


@pytest.mark.parametrize("arguments, words", [
    ({"crop": [2]}, "`crop` has 1"), ({"crop": 2}, "`crop` has 1"), ({"crop": []}, "`crop` has 0"),
    ({"crop": [1, 2, 3, 4]}, "`crop` has 4"),
    ({"crop_h": 2}, "`crop_h` needs `crop_w`"), ({"crop_w": 2}, "`crop_w` needs `crop_h`"),
    ({"crop_d": 2}, "`crop_d` needs"), ({"crop": [2, 2], "crop_d": 1}, "exclude"),
    ({"crop": [2, 2], "crop_h": 1, "crop_w": 1}, "exclude"),
    ({"crop": [float("nan"), 2]}, "height is -?nan"), ({"crop": [2, float("inf")]}, "width is inf"),
    ({"crop": [2, 2], "crop_pos_x": 1.1}, r"crop_pos_x.*1\.1.*0\.\.1"),
    ({"crop": [2, 2], "crop_pos_y": -0.5}, r"crop_pos_y.*-0\.5"),
    ({"crop": [2, 2], "crop_pos_z": float("nan")}, "crop_pos_z"),
    ({"crop": [2, 2], "rounding": "up"}, '"up".*round'),
    ({"crop": [2, 2], "out_of_bounds_policy": "wrap"}, '"wrap".*trim_to_shape'),
    ({"crop": [9, 9], "out_of_bounds_policy": "pad", "fill_values": [1, 2, 3]},
     "`fill_values` has 3 values.*2 channels"),
])
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        crop(picture("HWC"), **arguments)


@pytest.mark.parametrize("shape, layout", [((4, 6), "HW"), ((4, 6), None), ((4, 6, 1), "WHC"),
                                           ((4,), None), ((4, 6, 1, 2), "HWCF")])
def test_wrong_layouts(shape, layout):
    with pytest.raises(ValueError, match="layout"):
        crop(np.zeros(shape, np.uint8), layout, crop=[1, 1])


def test_too_large():
    with pytest.raises((MemoryError, OverflowError)):
        crop(picture("HWC"), crop=[2e9, 2e9], out_of_bounds_policy="pad")


def test_the_sample_is_named():
    batch = hr.as_batch([picture("HWC")] * 2, layout="HWC")
    sizes = hr.as_batch([np.float32([2, 2]), np.float32([99, 2])])
    with pytest.raises(ValueError, match="sample 1"):
        hr.crop(batch, crop=sizes)
