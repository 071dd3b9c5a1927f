"""BMP, PNM, TIFF and WebP: exact pixels for every kind, regions, and broken files."""
import io
import re

import numpy as np
import pytest
from picture_files import (MASKS_565, bmp, bmp_words, pack_bits, pam, picture, pnm, rle4, rle8,
                           tiff)

import headrace as hr

Image = pytest.importorskip("PIL.Image")
HAS = hr._core.codecs()
ANY, RGB, GRAY = hr.types.ANY_DATA, hr.types.RGB, hr.types.GRAY


def needs(name):
    return pytest.mark.skipif(name not in HAS, reason=f"built without {name}")


def decode(data, output_type=ANY, **options):
    t = hr.decoders.image(np.frombuffer(data, np.uint8), output_type=output_type, **options)
    return np.asarray(t)


def by_pillow(data, mode="RGB"):
    return np.asarray(Image.open(io.BytesIO(data)).convert(mode))


def saved(pixels, kind, mode=None, **options):
    out = io.BytesIO()
    image = Image.fromarray(pixels)
    (image.convert(mode) if mode else image).save(out, kind, **options)
    return out.getvalue()


P = picture()
PALETTE = [(16 * i, 255 - 16 * i, i) for i in range(16)]
INDEX = (np.arange(15)[None] + 2 * np.arange(5)[:, None]) % 16
DEEP = 257 * np.arange(40)[None, :, None] + np.arange(24)[:, None, None] + 7 * np.arange(4)
COLOURS = np.array(PALETTE, np.uint8)

# ---- every kind, exact ----------------------------------------------------------------------


def bmp_kinds():
    words = np.arange(64)[None] << 5 | (np.arange(64)[None] % 32) << 11
    argb = np.array([[0x80112233, 0xFF445566], [0x00778899, 0x7FAABBCC]])
    rgba = np.array([[[0x11, 0x22, 0x33, 0x80], [0x44, 0x55, 0x66, 0xFF]],
                     [[0x77, 0x88, 0x99, 0], [0xAA, 0xBB, 0xCC, 0x7F]]], np.uint8)
    bgr = [row[:, ::-1].tobytes() for row in P]
    for header in (12, 40, 52, 56, 64, 108, 124):
        yield f"24_header{header}", bmp(bgr, 40, 24, header=header), P
        for depth, mask in ((1, 1), (2, 3), (4, 15), (8, 15)):
            yield (f"{depth}_header{header}",
                   bmp(pack_bits(INDEX & mask, depth), 15, depth, header=header,
                       palette=PALETTE[:min(1 << depth, 16)]), COLOURS[INDEX & mask])
    yield "top_down", bmp(bgr, 40, 24, top_down=True), P
    yield "gray", saved(P[..., 0], "BMP"), P[..., :1]
    yield "bits", saved(P[..., 0], "BMP", "1"), by_pillow(saved(P[..., 0], "BMP", "1"))[..., :1]
    yield "rle8", bmp([], 15, 8, palette=PALETTE, compression=1, data=rle8(INDEX),
                      height=5), COLOURS[INDEX]
    yield "rle4", bmp([], 15, 4, palette=PALETTE, compression=2, data=rle4(INDEX),
                      height=5), COLOURS[INDEX]
    expected = np.zeros((3, 4), int)
    expected[2, :2], expected[1, 3] = 1, 3
    jump = bytes([2, 1, 0, 2, 1, 1, 1, 3, 0, 1])  # two pixels, one right and one up, one pixel, end
    yield "rle8_jump", bmp([], 4, 8, palette=PALETTE, compression=1, data=jump,
                           height=3), COLOURS[expected]
    fields = np.stack([words >> 11 << 0, words >> 5 & 63, words & 31], -1)
    yield "565", bmp(bmp_words(words, 2), 64, 16, compression=3, masks=MASKS_565), (
        fields * 255 // [31, 63, 31])
    thirds = np.arange(32)[None] * 0b10000100001
    yield "555", bmp(bmp_words(thirds, 2), 32, 16), np.repeat(
        (np.arange(32) * 255 // 31)[None, :, None], 3, -1)
    yield "32", bmp(bmp_words(argb, 4), 2, 32), rgba[..., :3]
    yield "32_alpha", bmp(bmp_words(argb, 4), 2, 32, header=108, compression=3,
                          masks=(0xFF0000, 0xFF00, 0xFF, 0xFF000000)), rgba
    yield "32_swapped", bmp(bmp_words(argb, 4), 2, 32, header=40, compression=3,
                            masks=(0xFF, 0xFF00, 0xFF0000)), rgba[..., 2::-1]
    ten = np.array([[1023 << 20 | 512 << 10 | 1]])
    yield "32_ten_bits", bmp(bmp_words(ten, 4), 1, 32, compression=3,
                             masks=(1023 << 20, 1023 << 10, 1023)), np.array([[[255, 127, 0]]])


def pnm_kinds():
    bits = (P[..., 0] > 99).astype(int)
    for kind in (1, 4):
        yield f"P{kind}", pnm(kind, bits), (255 * (1 - bits))[..., None]
    yield "P1_dense", b"P1 3 2 101\n0#x\n10", np.array([[0, 255, 0], [255, 0, 255]])[..., None]
    for maximum in (1, 3, 15, 100, 254, 255, 256, 1000, 4095, 65535):
        full = 255 if maximum < 256 else 65535
        gray, rgb = DEEP[..., 0] % (maximum + 1), DEEP[..., :3] % (maximum + 1)
        for kind, values in ((2, gray), (5, gray), (3, rgb), (6, rgb)):
            expected = (2 * values * full + maximum) // (2 * maximum)
            if kind in (2, 5):
                expected = expected[..., None]
            yield f"P{kind}_{maximum}", pnm(kind, values, maximum), expected
    yield "comments", pnm(6, P, 255, "# one\n#two\n"), P
    yield "blank_pixel", b"P5\n2 1\n255\n \n", np.array([[[32], [10]]])
    for depth, name in ((1, "GRAYSCALE"), (2, "GRAYSCALE_ALPHA"), (3, "RGB"), (4, "RGB_ALPHA")):
        values = DEEP[..., :depth]
        yield f"pam_{depth}", pam(values % 256, 255, name), values % 256
        yield f"pam_{depth}_16", pam(values, 65535, name), values
    yield "pam_bits", pam(bits[..., None], 1, "BLACKANDWHITE"), 255 * bits[..., None]


def tiff_kinds():
    alpha = {338: (3, [2])}
    gray = P[..., 2:]
    for order in "<>":
        for name, bits, v in (("8", 8, P), ("16", 16, DEEP[..., :3])):
            yield f"rgb{name}{order}", tiff(v, 2, bits=bits, order=order), v
            yield f"rgb{name}{order}_big", tiff(v, 2, bits=bits, order=order, big=True), v
            yield f"rgb{name}{order}_planes", tiff(v, 2, bits=bits, order=order, planar=2), v
            for planar in (1, 2):
                yield (f"rgb{name}{order}_tiles{planar}",
                       tiff(v, 2, bits=bits, order=order, tile=(16, 16), planar=planar), v)
                yield (f"rgb{name}{order}_predictor{planar}",
                       tiff(v, 2, bits=bits, order=order, compression=8, predictor=2,
                            planar=planar), v)
    yield "white", tiff(gray, 0), 255 - gray
    yield "white16", tiff(DEEP[..., :1], 0, bits=16), 65535 - DEEP[..., :1]
    for bits in (1, 2, 4):
        small = gray % (1 << bits)
        scale = 255 // ((1 << bits) - 1)
        yield f"gray{bits}", tiff(small, 1, bits=bits), small * scale
        yield f"gray{bits}_tiles", tiff(small, 1, bits=bits, tile=(16, 32)), small * scale
        yield f"white{bits}", tiff(small, 0, bits=bits), 255 - small * scale
    for bits in (1, 2, 4, 8):
        small = gray % min(1 << bits, 16)
        for factor in (1, 256, 257):
            colours = np.zeros((1 << bits, 3), int)
            colours[:16] = COLOURS.astype(int)[:1 << bits] * factor
            yield (f"palette{bits}_{factor}", tiff(small, 3, bits=bits, palette=colours),
                   COLOURS[small[..., 0]])
    yield "gray_alpha", tiff(DEEP[..., :2] % 256, 1, extra=alpha), DEEP[..., :2] % 256
    yield "rgba", tiff(DEEP % 256, 2, extra=alpha), DEEP % 256
    yield "rgba16_planes", tiff(DEEP, 2, bits=16, planar=2, extra=alpha), DEEP
    yield "lzw", saved(P, "TIFF", compression="tiff_lzw"), P
    yield "lzw_predictor", saved(P, "TIFF", compression="tiff_lzw", tiffinfo={317: 2}), P
    yield "packbits", saved(P, "TIFF", compression="packbits"), P
    bits = saved(P[..., 0], "TIFF", "1", compression="group4")
    yield "group4", bits, by_pillow(bits)[..., :1]
    pages = io.BytesIO()
    Image.fromarray(P).save(pages, "TIFF", save_all=True, append_images=[Image.fromarray(P[::-1])])
    yield "pages", pages.getvalue(), P


def cases(kinds, name):
    if name not in HAS:
        return [pytest.param(b"", None, id="none", marks=needs(name))]
    return [pytest.param(data, expected, id=f"{name}-{key}") for key, data, expected in kinds()]


KINDS = cases(bmp_kinds, "BMP") + cases(pnm_kinds, "PNM") + cases(tiff_kinds, "TIFF")


@pytest.mark.parametrize("data, expected", KINDS)
def test_pixels_are_exact(data, expected):
    deep = expected.max() > 255
    got = decode(data, dtype=hr.uint16 if deep else hr.uint8)
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("data, expected", KINDS)
def test_rgb_drops_alpha_and_spreads_gray(data, expected):
    deep = expected.max() > 255
    got = decode(data, RGB, dtype=hr.uint16 if deep else hr.uint8)
    if expected.shape[-1] < 3:
        expected = np.repeat(expected[..., :1], 3, -1)
    np.testing.assert_array_equal(got, expected[..., :3])


@needs("TIFF")
def test_tiff_inks_are_mixed():
    for bits, values in ((8, DEEP % 256), (16, DEEP * 3)):
        top = (1 << bits) - 1
        ink = top - values.astype(np.int64)
        got = decode(tiff(values, 5, bits=bits), RGB, dtype=hr.uint16 if bits == 16 else hr.uint8)
        np.testing.assert_array_equal(got, ink[..., :3] * ink[..., 3:] // top)
        any_ = decode(tiff(values, 5, bits=bits), dtype=hr.uint16 if bits == 16 else hr.uint8)
        np.testing.assert_array_equal(any_, values)


@pytest.mark.parametrize("data, expected", KINDS)
def test_a_region_is_cut_from_the_whole(data, expected):
    whole = decode(data, RGB)
    for seed in range(3):
        got = np.asarray(hr.decoders.image_random_crop(
            np.frombuffer(data, np.uint8), random_area=[0.1, 0.6], rng=hr.random.RNG(seed)))
        h, w = got.shape[:2]
        places = np.lib.stride_tricks.sliding_window_view(whole, (h, w, 3))
        assert (places == got).all((-3, -2, -1)).any()


@pytest.mark.parametrize("data, expected", KINDS)
def test_a_cut_file_is_a_named_error(data, expected):
    for n in {len(data) * k // 12 for k in range(1, 12)} | {3, 10, 20}:
        try:
            got = decode(data[:n])
        except (hr.DataError, NotImplementedError) as e:
            assert re.search("BMP|PNM|TIFF|no picture format", str(e))
        else:  # what is missing was not needed: padding, a second page, a directory's rest
            assert got.ndim == 3


# ---- by kind --------------------------------------------------------------------------------


def test_info_lists_them():
    assert {"BMP", "PNM"} <= set(HAS)


def test_bmp_names_what_it_lacks():
    for compression, word in ((4, "JPEG"), (5, "PNG")):
        with pytest.raises(NotImplementedError, match=f"BMP: a {word} file"):
            decode(bmp([b"\0" * 4], 1, 32, compression=compression))
    with pytest.raises(hr.DataError, match="BMP: 5 bits"):
        decode(bmp([b"\0" * 4], 1, 5))
    with pytest.raises(hr.DataError, match="BMP: compression 1 of 24 bits"):
        decode(bmp([b"\0" * 4], 1, 24, compression=1))
    with pytest.raises(hr.DataError, match="ends in row"):
        decode(bmp([b"\0" * 4] * 3, 1, 32)[:-9])
    with pytest.raises(hr.DataError, match="over the limit"):
        decode(bmp([], 60000, 24, data=b"", height=60000))


def test_pnm_names_what_is_wrong():
    for data, words in ((b"P5 1 x 255 ", "no number for the height"),
                        (b"P5 1 1", "ends before the maximum"),
                        (b"P2 2 1 100 1 101", "value 101 in row 0 is over the maximum 100"),
                        (b"P5 1 1 70000 0", "maximum 70000"),
                        (b"P6 2 2 255 12345678901", "row 1 of 2"),
                        (b"P1 1 1 7", "no number"), (b"P6 60000 60000 255 ", "over the limit"),
                        (b"P5 0 1 255 ", "size of 0 x 1")):
        with pytest.raises(hr.DataError, match=words):
            decode(data)
    with pytest.raises(NotImplementedError, match="7 channels"):
        decode(pam(np.zeros((1, 1, 7), int), 255, "X"))
    with pytest.raises(NotImplementedError, match="PFM"):
        decode(b"PF\n1 1\n-1\n" + bytes(12))


@needs("TIFF")
def test_tiff_names_the_tag(capfd):
    for data, tag in ((tiff(P, 2, extra={339: (3, [3, 3, 3])}), 339),
                      (tiff(P[..., :1], 32845), 262), (tiff(P, 1), 277),
                      (tiff(P[..., :1], 1, extra={258: (3, [12])}), 258),
                      (tiff(P, 2, extra={259: (3, [34712])}), 259)):
        with pytest.raises(NotImplementedError, match=rf"TIFF: .*tag {tag}\b"):
            decode(data)
    with pytest.raises(hr.DataError, match="Colormap"):
        decode(tiff(P[..., :1] % 16, 3, bits=4))
    huge = tiff(P[:1, :1], 2, extra={256: (4, [60000]), 257: (4, [60000])})
    with pytest.raises(hr.DataError, match="over the limit"):
        decode(huge)
    with pytest.raises(hr.DataError, match="tile.*over the limit"):
        decode(tiff(P[:1, :1], 2, tile=(16, 16), extra={322: (4, [65536]), 323: (4, [65536])}))
    decode(tiff(P, 2, extra={65000: (3, [1])}))  # an unknown tag: libtiff would warn
    assert capfd.readouterr() == ("", "")


@needs("TIFF")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_tiff_orientation(orientation):
    data = tiff(P, 2, extra={274: (3, [orientation])})
    turned = {1: P, 2: P[:, ::-1], 3: P[::-1, ::-1], 4: P[::-1], 5: P.transpose(1, 0, 2),
              6: np.rot90(P, -1), 7: P[::-1, ::-1].transpose(1, 0, 2), 8: np.rot90(P)}
    np.testing.assert_array_equal(decode(data), turned[orientation])
    np.testing.assert_array_equal(decode(data, adjust_orientation=False), P)


@needs("TIFF")
def test_tiff_models_that_libtiff_converts():
    lossy = saved(P, "TIFF", compression="jpeg")
    assert np.abs(decode(lossy).astype(int) - by_pillow(lossy)).max() <= 1
    ycc = saved(P, "TIFF", "YCbCr")
    assert np.abs(decode(ycc).astype(int) - P).max() <= 3


# ---- WebP -------------------------------------------------------------------------------------


def animation(**options):
    a = np.zeros((24, 40, 4), np.uint8)
    a[..., :3], a[..., 3] = P, 255
    a[:8, :8, 3] = 0
    small = Image.fromarray(a[4:12, 6:20])
    frames = [Image.fromarray(a), small.resize((40, 24)), Image.fromarray(a[::-1])]
    out = io.BytesIO()
    frames[0].save(out, "WEBP", save_all=True, append_images=frames[1:], **options)
    return out.getvalue(), a


@needs("WebP")
def test_webp_pixels():
    rgba = np.dstack([P, P[..., 0]])
    data = saved(rgba, "WEBP", lossless=True, exact=True)
    np.testing.assert_array_equal(decode(data), rgba)
    np.testing.assert_array_equal(decode(data, RGB), P)
    np.testing.assert_array_equal(decode(saved(P, "WEBP", lossless=True)), P)
    for options in ({"quality": 80}, {"quality": 10}, {"quality": 100, "method": 0}):
        data = saved(P, "WEBP", **options)
        np.testing.assert_array_equal(decode(data, RGB), by_pillow(data))
        np.testing.assert_array_equal(decode(data, hr.types.BGR), by_pillow(data)[..., ::-1])
    data = saved(rgba, "WEBP", quality=60)
    np.testing.assert_array_equal(decode(data), by_pillow(data, "RGBA"))


@needs("WebP")
def test_webp_regions_equal_the_whole():
    noise = np.random.default_rng(5).integers(0, 256, (61, 83, 3), np.uint8)
    for data in (saved(noise, "WEBP", quality=70), saved(noise, "WEBP", quality=5, method=6),
                 saved(noise, "WEBP", lossless=True), saved(noise, "WEBP", "RGBA", quality=30)):
        whole = decode(data, RGB)
        for seed in range(30):
            got = np.asarray(hr.decoders.image_random_crop(
                np.frombuffer(data, np.uint8), random_area=[0.05, 0.9], rng=hr.random.RNG(seed)))
            h, w = got.shape[:2]
            assert h * w < 61 * 83
            places = np.lib.stride_tricks.sliding_window_view(whole, (h, w, 3))
            assert (places == got).all((-3, -2, -1)).any()


@needs("WebP")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_webp_orientation(orientation):
    exif = Image.Exif()
    exif[0x112] = orientation
    data = saved(P, "WEBP", lossless=True, exif=exif.tobytes())
    from PIL import ImageOps
    upright = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data))).convert("RGB"))
    np.testing.assert_array_equal(decode(data, RGB), upright)
    np.testing.assert_array_equal(decode(data, RGB, adjust_orientation=False), P)


@needs("WebP")
def test_webp_animation_gives_its_first_frame():
    data, first = animation(lossless=True, exact=True)
    got = decode(data)
    assert got.shape == (24, 40, 4)
    seen = first[..., 3] > 0
    np.testing.assert_array_equal(got[seen], first[seen])
    np.testing.assert_array_equal(got[..., 3], first[..., 3])
    assert hr._core.image_info(data)["frames"] == 3


@needs("WebP")
def test_webp_first_frame_smaller_than_the_canvas():
    inner = saved(P[:8, :10], "WEBP", lossless=True)[12:]  # the VP8L chunk
    frame = b"".join(int(v).to_bytes(3, "little") for v in (3, 2, 9, 7, 100)) + b"\0" + inner
    chunks = (b"VP8X" + (10).to_bytes(4, "little") + b"\x02\0\0\0" + (39).to_bytes(3, "little") +
              (23).to_bytes(3, "little") + b"ANIM" + (6).to_bytes(4, "little") + b"\xff" * 4 +
              b"\0\0" + b"ANMF" + len(frame).to_bytes(4, "little") + frame)
    data = b"RIFF" + (4 + len(chunks)).to_bytes(4, "little") + b"WEBP" + chunks
    expected = np.zeros((24, 40, 4), np.uint8)
    expected[4:12, 6:16, :3], expected[4:12, 6:16, 3] = P[:8, :10], 255
    np.testing.assert_array_equal(decode(data), expected)
    np.testing.assert_array_equal(decode(data, RGB), expected[..., :3])
    for seed in range(20):
        got = np.asarray(hr.decoders.image_random_crop(
            np.frombuffer(data, np.uint8), random_area=[0.02, 0.5], rng=hr.random.RNG(seed)))
        h, w = got.shape[:2]
        places = np.lib.stride_tricks.sliding_window_view(expected[..., :3], (h, w, 3))
        assert (places == got).all((-3, -2, -1)).any()


@needs("WebP")
def test_webp_broken():
    data = saved(P, "WEBP", quality=80)
    for n in (12, 20, 29, 40, len(data) // 2, len(data) - 3):
        with pytest.raises(hr.DataError, match="WebP"):
            decode(data[:n])
    with pytest.raises(hr.DataError, match="WebP"):
        decode(data[:20] + b"\xff" * 60 + data[80:])
