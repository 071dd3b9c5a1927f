"""Picture decoders: what comes out for every kind of JPEG and PNG, and what becomes of broken files.

Expectations are Pillow's pixels (JPEG within one level: another libjpeg-turbo), exact sample values
for PNG, and the documented formulas for colour and depth.
"""
import io
import resource
import struct
import zlib

import numpy as np
import pytest

import headrace as hr
from encoded_pictures import (KINDS, by_pillow, chunk, exif_block, ink_file, jpeg, picture, png,
                              upright, with_exif)

Image = pytest.importorskip("PIL.Image")

# ---- inputs ----------------------------------------------------------------------------------


def as_bytes(data):
    return np.frombuffer(data, np.uint8)


def decode(data, **options):
    return np.asarray(hr.decoders.image(as_bytes(data), **options))


def near(a, b, levels=1):
    return a.shape == b.shape and np.abs(a.astype(int) - b.astype(int)).max() <= levels


# ---- JPEG ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"subsampling": 1}, {"subsampling": 2},
                                     {"progressive": True}, {"restart_marker_rows": 1}])
def test_jpeg_colour(options):
    data = jpeg(picture(50, 71), **options)
    assert near(decode(data), by_pillow(data))
    assert near(decode(data, output_type=hr.types.BGR)[..., ::-1], by_pillow(data))
    assert near(decode(data, output_type=hr.types.ANY_DATA), by_pillow(data))


def test_jpeg_gray_of_colour_is_its_luma():
    data = jpeg(picture())
    image = Image.open(io.BytesIO(data))
    image.draft("L", image.size)
    out = decode(data, output_type=hr.types.GRAY)
    assert out.shape == (24, 40, 1) and near(out[..., 0], np.asarray(image))


@pytest.mark.parametrize("options", [{}, {"progressive": True}])
def test_jpeg_of_one_component(options):
    data = jpeg(picture()[..., 0], **options)
    gray = by_pillow(data, "L")
    batch = hr.decoders.image(hr.batch([as_bytes(data)] * 8), output_type=hr.types.ANY_DATA)
    for sample in batch.tensors:
        assert sample.shape == (24, 40, 1) and near(np.asarray(sample)[..., 0], gray)
    assert near(decode(data), np.repeat(gray[..., None], 3, -1))


def test_jpeg_one_pixel():
    data = jpeg(np.full((1, 1, 3), 77, np.uint8))
    assert near(decode(data), by_pillow(data))


@pytest.mark.parametrize("size", [(1, 65500), (65500, 1)])
def test_jpeg_longest_sides(size):
    data = jpeg(np.resize(picture(), (*size, 3)))
    assert near(decode(data), by_pillow(data))


@pytest.mark.parametrize("transform", [0, 2, None])
def test_jpeg_of_four_inks(transform):
    data = ink_file(transform)
    assert near(decode(data), by_pillow(data), 2)
    gray = by_pillow(data) @ np.array([0.299, 0.587, 0.114])
    assert np.abs(decode(data, output_type=hr.types.GRAY)[..., 0] - gray).max() <= 2
    inks = decode(data, output_type=hr.types.ANY_DATA)
    assert near(inks, np.asarray(Image.open(io.BytesIO(data))))  # Pillow's: 255 is full ink


def test_jpeg_fast_transform_is_another_one():
    data = jpeg(np.asarray(Image.fromarray(picture()).resize((320, 200))), quality=80)
    exact, fast = decode(data), decode(data, use_fast_idct=True)
    assert (exact != fast).any() and near(exact, fast, 12)


# ---- orientation -----------------------------------------------------------------------------


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(orientation, order):
    stored = picture()
    block = exif_block(orientation, order)
    plain = jpeg(stored)
    pixels = decode(plain)
    assert near(pixels, by_pillow(plain))
    files = [(with_exif(plain, block), pixels),
             (png(stored, 2, 8, chunk(b"eXIf", block)), stored),
             (png(stored, 2, 8, chunk(b"eXIf", block), interlace=1), stored)]
    for data, expected in files:
        assert np.array_equal(decode(data), upright(expected, orientation))
        assert np.array_equal(decode(data, adjust_orientation=False), expected)
        as_float = decode(data, dtype=hr.float32)
        assert np.allclose(as_float, upright(expected, orientation) / 255, atol=1e-6)


@pytest.mark.parametrize("block", [b"", b"II", exif_block(0, "<"), exif_block(9, ">"), exif_block(6, "<")[:15],
                                   b"XX" + exif_block(6, "<")[2:], b"II*\0\xff\xff\xff\xff"])
def test_exif_that_says_nothing(block):
    assert decode(with_exif(jpeg(picture()), block)).shape == (24, 40, 3)


# ---- PNG -------------------------------------------------------------------------------------


def expected_rgb(samples):
    return np.repeat(samples[..., :1], 3, -1) if samples.shape[-1] < 3 else samples[..., :3]


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_16_bits(channels, interlace):
    y, x = np.mgrid[:21, :17]
    samples = np.stack([(257 * x + y + 7919 * c) % 65536 for c in range(channels)], -1)
    data = png(samples, KINDS[channels], 16, interlace=interlace)
    any_data = {"output_type": hr.types.ANY_DATA}
    out = decode(data, dtype=hr.uint16, **any_data)
    assert out.dtype == np.uint16 and np.array_equal(out, samples)
    assert np.array_equal(decode(data, **any_data), np.floor(samples / 257 + 0.5))
    assert np.allclose(decode(data, dtype=hr.float32, **any_data), samples / 65535, atol=1e-7)
    assert np.array_equal(decode(data, dtype=hr.uint16), expected_rgb(samples))


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_png_8_bits(channels, interlace):
    samples = np.resize(picture(), (24, 40, channels))
    data = png(samples, KINDS[channels], 8, interlace=interlace)
    assert np.array_equal(decode(data, output_type=hr.types.ANY_DATA), samples)
    assert np.array_equal(decode(data), expected_rgb(samples))
    assert np.array_equal(decode(data, output_type=hr.types.BGR), expected_rgb(samples)[..., ::-1])


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("depth", [1, 2, 4])
def test_png_few_bits(depth, interlace):
    samples = (np.mgrid[:13, :11].sum(0) % 2**depth)[..., None]
    data = png(samples, 0, depth, interlace=interlace)
    out = decode(data, output_type=hr.types.GRAY)
    assert np.array_equal(out, samples * 255 // (2**depth - 1))


@pytest.mark.parametrize("interlace", [0, 1])
@pytest.mark.parametrize("depth", [1, 2, 4, 8])
def test_png_palette(depth, interlace):
    colours = np.arange(10, 10 + 12).reshape(4, 3)[:2**depth]
    index = np.mgrid[:9, :14].sum(0) % len(colours)
    alpha = np.array([255, 128, 0, 64])[:len(colours)]
    head = chunk(b"PLTE", colours.astype(np.uint8).tobytes())
    plain = png(index[..., None], 3, depth, head, interlace)
    clear = png(index[..., None], 3, depth, head + chunk(b"tRNS", bytes(alpha.tolist())), interlace)
    for data in plain, clear:
        assert np.array_equal(decode(data), colours[index])
    assert decode(plain, output_type=hr.types.ANY_DATA).shape == (9, 14, 3)
    four = decode(clear, output_type=hr.types.ANY_DATA)
    assert np.array_equal(four, np.concatenate([colours[index], alpha[index][..., None]], -1))


@pytest.mark.parametrize("depth", [8, 16])
def test_gray_and_ycbcr_formulas(depth):
    full = 2**depth - 1
    samples = np.random.default_rng(1).integers(0, full + 1, (40, 30, 3))
    data = png(samples, 2, depth)
    gray = decode(data, output_type=hr.types.GRAY, dtype=hr.float32)[..., 0]
    assert np.abs(gray - samples @ np.array([9797, 19234, 3737]) / 2**15 / full).max() <= 1.01 / full
    assert np.abs(gray - samples @ np.array([0.299, 0.587, 0.114]) / full).max() <= 1.01 / 255
    matrix = np.array([[65.481, 128.553, 24.966], [-37.797, -74.203, 112], [112, -93.786, -18.214]])
    expected = samples / full @ matrix.T / 255 + np.array([0.0625, 0.5, 0.5])
    out = decode(data, output_type=hr.types.YCbCr, dtype=hr.float32)
    assert np.abs(out - expected).max() < 1e-5
    studio = samples / full @ matrix.T + np.array([16, 128, 128])
    assert np.abs(decode(data, output_type=hr.types.YCbCr) - studio).max() <= 0.51


@pytest.mark.parametrize("name,top", [("uint8", 255), ("int8", 127), ("uint16", 65535),
                                      ("int16", 32767), ("uint32", 2**32 - 1),
                                      ("int32", 2**31 - 1), ("float32", 1), ("float16", 1)])
def test_depth(name, top):
    samples = np.arange(256).reshape(16, 16, 1)
    out = decode(png(samples, 0, 8), output_type=hr.types.GRAY, dtype=getattr(hr, name))
    assert out.dtype == name and out.min() == 0 and out.max() == top
    slack = {"float32": 1e-7, "float16": 5e-4}.get(name, max(0.5, top * 2e-7))
    assert np.abs(out.astype(np.float64) - samples / 255 * top).max() <= slack


@pytest.mark.parametrize("name", ["uint64", "int64", "float64", "bool"])
def test_depth_that_is_not_offered(name):
    with pytest.raises(ValueError, match=name):
        hr.decoders.image(as_bytes(jpeg(picture())), dtype=getattr(hr, name))


def test_bytes_with_a_stride():
    data = as_bytes(jpeg(picture()))
    assert np.array_equal(decode(data.tobytes()), np.asarray(hr.decoders.image(
        np.repeat(data, 2)[::2])))


# ---- the random window -----------------------------------------------------------------------


def windows(files, seed, **options):
    """The crop operator's samples beside the same windows of whole decodes."""
    sizes = [decode(f).shape[:2] for f in files]
    shapes = hr.batch([np.array(s, np.int64) for s in sizes])
    anchors, extents = hr.random_crop_generator(shapes, rng=hr.random.RNG(seed), **options)
    batch = hr.batch([as_bytes(f) for f in files])
    crops = hr.decoders.image_random_crop(batch, rng=hr.random.RNG(seed), **options)
    for f, crop, anchor, extent in zip(files, crops.tensors, anchors.tensors, extents.tensors):
        (y, x), (h, w) = np.asarray(anchor), np.asarray(extent)
        yield np.asarray(crop), decode(f)[y:y + h, x:x + w]


@pytest.mark.parametrize("options", [{}, {"random_area": [0.01, 0.1]},
                                     {"random_aspect_ratio": [3.0, 5.0], "num_attempts": 2}])
def test_window_equals_crop_of_the_whole(options):
    base = picture(60, 91)
    files = [jpeg(base, subsampling=s, progressive=p) for s in (0, 1, 2) for p in (False, True)]
    files += [jpeg(base[..., 0]), jpeg(base, "CMYK"), png(base, 2, 8), png(base, 2, 8, interlace=1)]
    for orientation in range(1, 9):
        block = exif_block(orientation, "<")
        files.append(with_exif(jpeg(base, subsampling=2), block))
        files.append(png(base, 2, 8, chunk(b"eXIf", block)))
    for seed in range(5):
        for crop, expected in windows(files, seed, **options):
            assert np.array_equal(crop, expected)


def test_window_arguments():
    data = as_bytes(jpeg(picture()))
    for bad in ({"random_area": [0.5, 0.3]}, {"random_area": [0.1, 0.2, 0.3]},
                {"random_aspect_ratio": [2.0, 1.0]}, {"random_aspect_ratio": [0.0, 1.0]},
                {"num_attempts": -1}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            hr.decoders.image_random_crop(data, rng=hr.random.RNG(1), **bad)
    out = hr.decoders.image_random_crop(data, rng=hr.random.RNG(1), random_area=[0.25])
    assert abs(out.shape[0] * out.shape[1] / (24 * 40) - 0.25) < 0.05


# ---- broken and foreign files ----------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"subsampling": 2}])
def test_jpeg_cut_at_many_lengths(options):
    data = jpeg(picture(), **options)
    for size in range(1, len(data) - 1, 13):
        with pytest.raises(RuntimeError, match="ends|begins with"):
            decode(data[:size])
    with pytest.raises(hr.DataError, match="ends"):
        decode(data[:-2])
    assert np.array_equal(decode(data + b"rubbish"), decode(data))


def test_jpeg_cut_says_where():
    data = jpeg(np.resize(picture(), (240, 400, 3)))
    with pytest.raises(hr.DataError, match=r"ends after row \d+ of 240"):
        decode(data[:len(data) * 7 // 10])


@pytest.mark.parametrize("interlace", [0, 1])
def test_png_cut_or_changed(interlace):
    data = png(picture(), 2, 8, chunk(b"eXIf", exif_block(1, "<")), interlace)
    for size in range(8, len(data), 11):
        with pytest.raises(hr.DataError, match="PNG"):
            decode(data[:size])
    start = data.index(b"IDAT")
    for at in [20, 29, start + 9, start + 100, len(data) - 14, len(data) - 1]:
        broken = bytearray(data)
        broken[at] ^= 1
        with pytest.raises(hr.DataError, match="PNG"):
            decode(bytes(broken))


FOREIGN = [(b"GIF89a\1\0\1\0\0\0\0;", "GIF"), (b"8BPS\0\1", "Photoshop PSD"),
           (b"\0\0\0\x18ftypheic" + bytes(12), "HEIC"), (b"\0\0\0\x1cftypavif" + bytes(16), "AVIF"),
           (b"\xff\x0a" + bytes(9), "JPEG XL"), (b"\xff\x4f\xff\x51" + bytes(9), "JPEG 2000"),
           (b"PF\n1 1\n-1\n" + bytes(12), "PFM"), (b"qoif" + bytes(10), "QOI"),
           (b"<svg xmlns='x'/>", "SVG")]


@pytest.mark.parametrize("data,name", FOREIGN)
def test_foreign_format_is_named(data, name):
    with pytest.raises(NotImplementedError, match=f"{name}.* is not supported in this build"):
        decode(data)


def test_no_picture_at_all():
    with pytest.raises(hr.DataError, match="empty"):
        decode(b"")
    with pytest.raises(hr.DataError, match="64 6f 6e"):
        decode(b"don't know")
    with pytest.raises(hr.DataError, match="HTML text, not a picture"):
        decode(b"\r\n<!DOCTYPE html><title>404</title>")
    with pytest.raises(hr.DataError, match="PDF"):
        decode(b"%PDF-1.7")


def test_bad_file_in_a_batch_is_named(tmp_path):
    good = jpeg(picture())
    batch = hr.batch([as_bytes(good)] * 5 + [as_bytes(good[:400])] + [as_bytes(good)] * 2)
    with pytest.raises(hr.DataError, match="decoders.image: sample 5.*JPEG"):
        hr.decoders.image(batch).evaluate()


def test_bomb_is_refused_before_memory_is_taken():
    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99))) +
            chunk(b"IEND", b""))
    decode(png(picture(), 2, 8))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for operator in hr.decoders.image, hr.decoders.image_random_crop:
        with pytest.raises(hr.DataError, match="60000 x 60000 is over the limit"):
            operator(as_bytes(data)).evaluate()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


# ---- on_error --------------------------------------------------------------------------------


def broken_batch():
    good = jpeg(picture())
    files = good, good[:-100], b"nothing", b"GIF89a" + bytes(9), good
    return hr.batch([as_bytes(b) for b in files])


def test_blank():
    out = hr.decoders.image(broken_batch(), on_error="blank")
    samples = [np.asarray(t) for t in out.tensors]
    assert [s.shape for s in samples] == [(24, 40, 3), (24, 40, 3)] + 2 * [(1, 1, 3)] + [(24, 40, 3)]
    assert np.array_equal(samples[0], samples[4]) and samples[0].any()
    assert not any(s.any() for s in samples[1:4])
    reasons = [t.failure for t in out.tensors]
    assert reasons[0] is None and reasons[4] is None
    assert "ends" in reasons[1] and "6e 6f" in reasons[2] and "GIF" in reasons[3]


def test_blank_is_dropped():
    labels = hr.batch([np.int32(i) for i in range(5)])
    pictures = hr.decoders.image(broken_batch(), on_error="blank", output_type=hr.types.GRAY)
    pictures, labels = hr.drop_failed(pictures, labels)
    assert [int(np.asarray(t)) for t in labels.tensors] == [0, 4]
    assert [t.shape for t in pictures.tensors] == [(24, 40, 1)] * 2


def test_blank_window():
    """A cut file's window keeps its size; the neighbours' windows do not change."""
    rng = lambda: hr.random.RNG(7)  # noqa: E731
    good = as_bytes(jpeg(picture()))
    sound = hr.decoders.image_random_crop(hr.batch([good] * 5), rng=rng())
    out = hr.decoders.image_random_crop(broken_batch(), rng=rng(), on_error="blank")
    assert [t.failure is None for t in out.tensors] == [True, False, False, False, True]
    for i in 0, 4:
        assert np.array_equal(np.asarray(out.tensors[i]), np.asarray(sound.tensors[i]))
    assert out.tensors[1].shape == sound.tensors[1].shape and not np.asarray(out.tensors[1]).any()


def test_blank_does_not_hide_wrong_arguments():
    with pytest.raises(ValueError, match="bool"):
        hr.decoders.image(broken_batch(), on_error="blank", dtype=hr.bool)
    with pytest.raises(ValueError, match="raise|blank"):
        hr.decoders.image(broken_batch(), on_error="skip")
