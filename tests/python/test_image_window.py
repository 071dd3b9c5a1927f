"""decoders.image_crop, decoders.image_slice, peek_image_shape: parts of what decoders.image gives."""
import io

import numpy as np
import pytest

import headrace as hr
from headrace import types

SIZE = (37, 50)  # height, width


def encode(kind, mode="RGB", orientation=None, **options):
    from PIL import Image

    y, x = np.mgrid[:SIZE[0], :SIZE[1]]
    pixels = np.stack([5 * x, 6 * y, (x * y) % 256], -1).astype(np.uint8)
    if orientation:
        exif = Image.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif.tobytes()
    out = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(out, kind, **options)
    return hr.as_tensor(np.frombuffer(out.getvalue(), np.uint8))


FILES = {
    "png": lambda **k: encode("PNG", **k), "png-gray": lambda **k: encode("PNG", "L", **k),
    "jpeg": lambda **k: encode("JPEG", quality=90, subsampling=2, **k),
    "jpeg-full": lambda **k: encode("JPEG", quality=90, subsampling=0, **k),
    "progressive": lambda **k: encode("JPEG", quality=80, progressive=True, **k),
}


def whole(file, **named):
    return np.asarray(hr.decoders.image(file, **named))


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("place", [(0, 0), (0.5, 0.5), (1, 1), (0.1, 0.9)])
def test_crop_is_a_window_of_the_whole(kind, place):
    file, (h, w) = FILES[kind](), (13, 18)
    got = hr.decoders.image_crop(file, crop=[h, w], crop_pos_x=place[0], crop_pos_y=place[1])
    x, y = int(place[0] * (SIZE[1] - w) + 0.5), int(place[1] * (SIZE[0] - h) + 0.5)
    assert got.layout == "HWC"
    assert np.array_equal(np.asarray(got), whole(file)[y:y + h, x:x + w])


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("adjust", [True, False])
def test_places_are_upright(orientation, adjust):
    file = FILES["jpeg"](orientation=orientation)
    want = whole(file, adjust_orientation=adjust)
    got = hr.decoders.image_crop(file, crop=[9, 11], crop_pos_x=0.0, crop_pos_y=1.0,
                                 adjust_orientation=adjust)
    assert np.array_equal(np.asarray(got), want[-9:, :11])
    got = hr.decoders.image_slice(file, start=[3, 5], end=[20, 17], adjust_orientation=adjust)
    assert np.array_equal(np.asarray(got), want[5:17, 3:20])
    shape = hr.peek_image_shape(file, adjust_orientation=adjust)
    assert tuple(np.asarray(shape)) == want.shape


def test_extents_below_one_are_whole():
    file = FILES["png"]()
    assert np.array_equal(np.asarray(hr.decoders.image_crop(file)), whole(file))
    got = hr.decoders.image_crop(file, crop=[0, 10.9])
    assert np.array_equal(np.asarray(got), whole(file)[:, 20:30])


REGIONS = [
    ({"start": [4, 3], "end": [10, 12]}, (3, 12, 4, 10)),
    ({"start": [4, 3], "shape": [6, 7]}, (3, 10, 4, 10)),
    ({"start": [4, 3]}, (3, 37, 4, 50)), ({"shape": [4, 3]}, (0, 3, 0, 4)),
    ({"rel_start": [0.1, 0.5], "rel_end": [0.5, 0.75]}, (19, 28, 5, 25)),
    ({"start": [4], "end": [10], "axes": [0]}, (4, 10, 0, 50)),
    ({"start": [4, 3], "end": [10, 12], "axis_names": "HW"}, (4, 10, 3, 12)),
]


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("named, where", REGIONS)
def test_slice_is_a_region_of_the_whole(kind, named, where):
    file = FILES[kind]()
    got = np.asarray(hr.decoders.image_slice(file, **named))
    assert np.array_equal(got, whole(file)[where[0]:where[1], where[2]:where[3]])


def test_slice_by_inputs():
    file = FILES["png"]()
    anchor, shape = np.float32([0.1, 0.5]), np.float32([0.4, 0.25])
    got = np.asarray(hr.decoders.image_slice(file, anchor, shape))
    assert np.array_equal(got, whole(file)[19:28, 5:25])
    got = np.asarray(hr.decoders.image_slice(file, np.int32([4, 3]), np.int64([6, 7])))
    assert np.array_equal(got, whole(file)[3:10, 4:10])
    batch = hr.as_batch([file, FILES["jpeg"]()])
    got = hr.decoders.image_slice(batch, hr.as_batch([np.int32([0, 0]), np.int32([1, 2])]),
                                  np.int32([5, 6]))
    assert np.array_equal(np.asarray(got.tensors[1]), whole(FILES["jpeg"]())[2:8, 1:6])


@pytest.mark.parametrize("named", [{"output_type": types.GRAY}, {"output_type": types.ANY_DATA},
                                   {"dtype": hr.float32}, {"use_fast_idct": True}])
def test_arguments_are_those_of_decoders_image(named):
    for kind in FILES:
        file = FILES[kind]()
        want = whole(file, **named)
        got = hr.decoders.image_crop(file, crop=[7, 8], crop_pos_x=0, crop_pos_y=0, **named)
        assert np.array_equal(np.asarray(got), want[:7, :8])
        got = hr.decoders.image_slice(file, end=[8, 7], **named)
        assert np.array_equal(np.asarray(got), want[:7, :8])


def test_rows_below_the_window_are_not_needed():
    data = np.asarray(FILES["jpeg"]())
    cut = hr.as_tensor(data[:len(data) * 2 // 3].copy())
    with pytest.raises(hr.DataError):
        hr.decoders.image(cut)
    got = hr.decoders.image_crop(cut, crop=[8, 50], crop_pos_y=0.0)
    assert np.array_equal(np.asarray(got), whole(FILES["jpeg"]())[:8])


@pytest.mark.parametrize("op, named, words", [
    ("image_crop", {"crop": [38, 10]}, "height, which is 37"), ("image_crop", {"crop": [10, 51]}, "width"),
    ("image_crop", {"crop_h": 10}, "needs `crop_w`"),
    ("image_crop", {"crop": [10, 10], "crop_pos_x": 2}, "crop_pos_x"),
    ("image_slice", {}, "no region"), ("image_slice", {"start": [0, 0], "end": [51, 10]}, "0..50"),
    ("image_slice", {"start": [3, 3], "end": [3, 9]}, "has none"),
    ("image_slice", {"start": [0], "end": [1], "axes": [2]}, "axes"),
])
def test_windows_that_do_not_fit(op, named, words):
    for policy in ("raise", "blank"):  # the arguments' fault, not the file's
        with pytest.raises((ValueError, IndexError), match=words):
            getattr(hr.decoders, op)(FILES["png"](), on_error=policy, **named)


@pytest.mark.parametrize("op, named", [("image_crop", {"crop": [5, 6]}),
                                       ("image_slice", {"end": [6, 5]})])
def test_broken_files(op, named):
    batch = hr.as_batch([FILES["png"](), hr.as_tensor(np.frombuffer(b"<html>", np.uint8))])
    decode = getattr(hr.decoders, op)
    with pytest.raises(hr.DataError, match="sample 1"):
        decode(batch, **named)
    got = decode(batch, on_error="blank", **named)
    assert [np.asarray(t).shape for t in got.tensors] == [(5, 6, 3), (1, 1, 3)]
    assert hr.drop_failed(got).batch_size == 1


@pytest.mark.parametrize("model, channels", [(types.RGB, 3), (types.BGR, 3), (types.GRAY, 1),
                                             (types.YCbCr, 3), (types.ANY_DATA, None)])
def test_peek_is_the_shape_of_the_whole(model, channels):
    for mode, stored in (("RGB", 3), ("L", 1), ("RGBA", 4), ("LA", 2), ("P", 3)):
        file = encode("PNG", mode)
        shape = hr.peek_image_shape(file, image_type=model)
        assert (shape.dtype, shape.layout) == (hr.int64, None) or not shape.layout
        assert np.asarray(shape).tolist() == [*SIZE, channels or stored]
        assert tuple(np.asarray(shape)) == whole(file, output_type=model).shape


def test_peek_types_and_errors():
    file = FILES["jpeg"]()
    for name in ("int32", "uint32", "int64", "uint64", "float32", "float64"):
        got = np.asarray(hr.peek_image_shape(file, dtype=getattr(hr, name)))
        assert got.dtype == name and got.tolist() == [37, 50, 3]
    with pytest.raises(ValueError, match="`dtype` is uint8"):
        hr.peek_image_shape(file, dtype=hr.uint8)
    cut = hr.as_tensor(np.asarray(file)[:-200].copy())
    assert np.asarray(hr.peek_image_shape(cut)).tolist() == [37, 50, 3]  # the header is all there
    with pytest.raises(hr.DataError):
        hr.peek_image_shape(hr.as_tensor(np.asarray(file)[:20].copy()))
