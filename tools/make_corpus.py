#!/usr/bin/env python3
"""Writes the seed inputs of the fuzz targets: fuzz/corpus/<target>/*. A few KB in total, all made here.

    python tools/make_corpus.py [fuzz/corpus]

Needs Pillow and NumPy. The files are committed; run again when a codec learns a new kind.
"""
import io
import pathlib
import struct
import sys
import tarfile
import zlib

import numpy as np
from PIL import Image

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tests" / "python"))
import picture_files as made  # noqa: E402
import record_files as records  # noqa: E402


def picture(h, w):
    y, x = np.mgrid[:h, :w]
    return np.stack([6 * x, 10 * y, x * y], -1).astype(np.uint8)


def tiff(orientation, order):
    entry = struct.pack(order + "HHIHH", 0x112, 3, 1, orientation, 0)
    head = b"II" if order == "<" else b"MM"
    return head + struct.pack(order + "HIH", 42, 8, 1) + entry + bytes(4)


def jpeg(pixels, mode="RGB", **options):
    out = io.BytesIO()
    Image.fromarray(pixels).convert(mode).save(out, "JPEG", quality=60, **options)
    return out.getvalue()


def with_exif(data, orientation, order):
    block = b"Exif\0\0" + tiff(orientation, order)
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(pixels, kind, depth, extra=b"", interlace=0):
    """Pixels are (h, w, channels) sample values; the filter of every row is 0."""
    h, w = pixels.shape[:2]
    passes = [(0, 0, 1, 1)]
    if interlace:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4),
                  (1, 0, 2, 2), (0, 1, 1, 2)]
    rows = b""
    for x, y, dx, dy in passes:
        part = pixels[y::dy, x::dx]
        if part.size:
            rows += b"".join(b"\0" + pack_row(row, depth) for row in part)
    head = struct.pack(">IIBBBBB", w, h, depth, kind, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra +
            chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def pack_row(row, depth):
    if depth == 16:
        return row.astype(">u2").tobytes()
    bits = "".join(format(int(v), f"0{depth}b") for v in row.ravel())
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def jpegs():
    p = picture(11, 19)
    yield "420", jpeg(p, subsampling=2)
    yield "422", jpeg(p, subsampling=1)
    yield "444_restart", jpeg(p, subsampling=0, restart_marker_blocks=1)
    yield "gray", jpeg(p, "L")
    yield "cmyk", jpeg(p, "CMYK")
    yield "progressive", jpeg(p, progressive=True)
    yield "progressive_gray", jpeg(p, "L", progressive=True)
    yield "one_pixel", jpeg(picture(1, 1))
    for orientation, order in ((3, "<"), (6, ">"), (7, "<")):
        yield f"exif_{orientation}", with_exif(jpeg(p, "L"), orientation, order)
    whole = jpeg(p)
    yield "cut", whole[:-60]
    yield "header_only", whole[:150]
    yield "cut_progressive", jpeg(p, progressive=True)[:-90]


def pngs():
    y, x = np.mgrid[:7, :9]
    ramp = (257 * x + y)[..., None]
    colours = chunk(b"PLTE", bytes(range(10, 22)))
    for kind, channels in ((0, 1), (4, 2), (2, 3), (6, 4)):
        deep = np.repeat(ramp, channels, -1)
        yield f"deep_{kind}", png(deep, kind, 16)
        yield f"byte_{kind}", png(deep % 256, kind, 8)
    for depth in (1, 2, 4):
        yield f"gray_{depth}", png(ramp % 2**depth, 0, depth)
        yield f"interlaced_{depth}", png(ramp % 2**depth, 0, depth, interlace=1)
    for depth in (2, 4, 8):
        alpha = chunk(b"tRNS", bytes([255, 128, 0, 64]))
        yield f"palette_{depth}", png(ramp % 4, 3, depth, colours)
        yield f"palette_alpha_{depth}", png(ramp % 4, 3, depth, colours + alpha)
    yield "interlaced", png(np.repeat(ramp % 256, 3, -1), 2, 8, interlace=1)
    yield "exif_8", png(np.repeat(ramp % 256, 3, -1), 2, 8, chunk(b"eXIf", tiff(8, ">")))
    yield "colour_key", png(ramp % 256, 0, 8, chunk(b"tRNS", b"\0\3"))
    whole = png(np.repeat(ramp, 4, -1), 6, 16)
    yield "cut", whole[:-30]
    yield "bad_crc", whole[:-5] + b"\0" + whole[-4:]
    yield "huge", whole[:16] + struct.pack(">II", 60000, 60000) + whole[24:]


def bmps():
    p = picture(5, 7)
    bgr = [row[:, ::-1].tobytes() for row in p]
    index = (np.arange(9)[None] + 2 * np.arange(5)[:, None]) % 16
    colours = [(16 * i, 255 - 16 * i, i) for i in range(16)]
    words = np.arange(12).reshape(3, 4) * 0x1234567
    yield "24", made.bmp(bgr, 7, 24)
    yield "24_core", made.bmp(bgr, 7, 24, header=12)
    yield "24_top_down", made.bmp(bgr, 7, 24, top_down=True)
    for depth in (1, 2, 4, 8):
        rows = made.pack_bits(index % (1 << depth), depth)
        yield f"{depth}", made.bmp(rows, 9, depth, palette=colours[:1 << depth])
        yield f"{depth}_core", made.bmp(rows, 9, depth, header=12, palette=colours[:1 << depth])
    for depth, data in ((8, made.rle8(index)), (4, made.rle4(index))):
        yield f"rle{depth}", made.bmp([], 9, depth, palette=colours,
                                      compression=1 if depth == 8 else 2, data=data, height=5)
    yield "rle_jump", made.bmp([], 4, 8, palette=colours, compression=1, height=3,
                               data=bytes([2, 1, 0, 2, 1, 1, 1, 3, 0, 1]))
    yield "16", made.bmp(made.bmp_words(words & 0xFFFF, 2), 4, 16)
    yield "565", made.bmp(made.bmp_words(words & 0xFFFF, 2), 4, 16, compression=3,
                          masks=made.MASKS_565)
    yield "32", made.bmp(made.bmp_words(words, 4), 4, 32)
    yield "32_alpha", made.bmp(made.bmp_words(words, 4), 4, 32, header=108, compression=3,
                               masks=(0xFF0000, 0xFF00, 0xFF, 0xFF000000))
    yield "cut", made.bmp(bgr, 7, 24)[:-30]


def pnms():
    p = picture(3, 5).astype(int)
    for kind in (1, 4):
        yield f"p{kind}", made.pnm(kind, (p[..., 0] > 9).astype(int))
    for kind, values in ((2, p[..., 0]), (3, p), (5, p[..., 0]), (6, p)):
        yield f"p{kind}", made.pnm(kind, values, 255, "# c\n")
        yield f"p{kind}_100", made.pnm(kind, values % 101, 100)
        yield f"p{kind}_16", made.pnm(kind, values * 257, 65535)
    for depth in (1, 2, 3, 4):
        yield f"pam{depth}", made.pam(np.resize(p, (3, 5, depth)), 255, "RGB")
    yield "cut", made.pnm(6, p)[:-4]


def tiffs():
    p = picture(9, 20).astype(int)
    yield "rgb", made.tiff(p, 2)
    yield "rgb_16_big_endian", made.tiff(p * 257, 2, bits=16, order=">")
    yield "big", made.tiff(p, 2, big=True)
    yield "planes", made.tiff(p, 2, planar=2, rows=4)
    yield "tiles", made.tiff(p, 2, tile=(16, 16), order=">")
    yield "tile_planes", made.tiff(p * 9, 2, bits=16, tile=(16, 16), planar=2, compression=8)
    yield "predictor", made.tiff(p, 2, compression=8, predictor=2)
    for bits in (1, 2, 4):
        yield f"gray_{bits}", made.tiff(p[..., :1] % (1 << bits), 1, bits=bits)
        yield f"white_{bits}", made.tiff(p[..., :1] % (1 << bits), 0, bits=bits, tile=(16, 16))
    colours = np.arange(48).reshape(16, 3) * 999
    yield "palette", made.tiff(p[..., :1] % 16, 3, bits=4, palette=colours)
    yield "inks", made.tiff(np.resize(p, (9, 20, 4)), 5)
    yield "alpha", made.tiff(np.resize(p, (9, 20, 2)), 1, extra={338: (3, [2]), 274: (3, [6])})
    for name in ("tiff_lzw", "packbits", "jpeg"):
        out = io.BytesIO()
        Image.fromarray(picture(9, 20)).save(out, "TIFF", compression=name)
        yield name, out.getvalue()
    for mode, options in (("1", {"compression": "group4"}), ("YCbCr", {}), ("LAB", {})):
        out = io.BytesIO()
        image = Image.fromarray(picture(9, 20))
        image = (Image.frombytes("LAB", (20, 9), image.tobytes()) if mode == "LAB"
                 else image.convert(mode))
        image.save(out, "TIFF", **options)
        yield f"mode_{mode}", out.getvalue()


def webps():
    p = picture(11, 19)
    rgba = np.dstack([p, p[..., 0]])
    exif = Image.Exif()
    exif[0x112] = 6
    for name, pixels, options in (
            ("lossy", p, {"quality": 50}), ("lossless", p, {"lossless": True}),
            ("alpha", rgba, {"quality": 50}), ("lossless_alpha", rgba, {"lossless": True}),
            ("exif", p, {"quality": 5, "exif": exif.tobytes()}),
            ("moving", rgba, {"save_all": True, "append_images": [Image.fromarray(rgba[::-1])]})):
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, "WEBP", **options)
        yield name, out.getvalue()
    yield "cut", out.getvalue()[:-40]


def npys():
    def save(array, version=None):
        out = io.BytesIO()
        np.lib.format.write_array(out, array, version=version, allow_pickle=True)
        return out.getvalue()

    a = np.arange(6).reshape(2, 3)
    for kind in ("u1", "?", "<i2", ">i4", "<f2", ">f8", "c8", "U2", "S2", "M8[s]", "V3"):
        yield "kind_" + kind.strip("<>?[s]") + "_" + str(len(kind)), save(a.astype(kind))
    yield "fortran", save(np.asfortranarray(np.arange(24, dtype=">u2").reshape(2, 3, 4)))
    yield "no_axes", save(np.float32(3).reshape(()))
    yield "no_elements", save(np.zeros((0, 3), "f4"))
    yield "version_2", save(a, (2, 0))
    yield "version_3", save(a, (3, 0))
    yield "structured", save(np.zeros(2, [("\u00e9", "i4"), ("b", "f4")]), (3, 0))
    yield "object", save(np.array([None], object))
    whole = save(a)
    yield "cut", whole[:-3]
    yield "header_cut", whole[:50]
    yield "huge", whole.replace(b"(2, 3)", b"(1099511627776, 3)").replace(b" " * 12, b"", 1)


def tars():
    members = [("a.jpg", b"A" * 20), ("d/" * 60 + "b.cls", b"1"), ("./c", None), ("é.x", b"")]
    for name, kind in (("ustar", tarfile.USTAR_FORMAT), ("gnu", tarfile.GNU_FORMAT),
                       ("pax", tarfile.PAX_FORMAT)):
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w", format=kind) as t:
            for member, data in members:
                info = tarfile.TarInfo(member)
                info.type = tarfile.REGTYPE if data is not None else tarfile.DIRTYPE
                info.size = len(data or b"")
                if kind == tarfile.PAX_FORMAT:
                    info.pax_headers = {"size": str(info.size), "comment": "x"}
                t.addfile(info, io.BytesIO(data or b""))
        whole = out.getvalue().rstrip(b"\0")
        yield name, whole + bytes(-len(whole) % 512 + 1024)
    yield "cut", whole[:-300]
    big = bytearray(whole[:1024])
    big[124:136] = b"\x80" + bytes(3) + (1 << 40).to_bytes(8, "big")
    yield "base_256", bytes(big)


def tfrecords():
    features = {"a": [1, -2, 300], "b": [1.5, 2.5], "image": [b"xyz", b""]}
    yield "packed", records.example(features)
    yield "unpacked", records.example(features, packed=False)
    yield "empty", records.example({"a": ("int64", [])})
    yield "record", records.record(records.example(features))
    yield "wrong", records.record(records.example(features))[:-1] + b"\0"
    yield "unknown", b"\x58\x05" + records.example({"b": [b"q"]}) + records.field(9, b"zz")


def main():
    base = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "fuzz/corpus")
    for target, files in (
            ("fuzz_bmp", bmps()), ("fuzz_jpeg", jpegs()), ("fuzz_npy", npys()), ("fuzz_png", pngs()),
            ("fuzz_pnm", pnms()), ("fuzz_tar", tars()), ("fuzz_tfrecord", tfrecords()),
            ("fuzz_tiff", tiffs()), ("fuzz_webp", webps())):
        folder = base / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
