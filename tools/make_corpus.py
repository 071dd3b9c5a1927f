#!/usr/bin/env python3
"""Writes the seed inputs of the fuzz targets: fuzz/corpus/<target>/*. A few KB in total, all made here.

    python tools/make_corpus.py [fuzz/corpus]

Needs Pillow and NumPy. The files are committed; run again when a codec learns a new kind.
"""
import io
import pathlib
import struct
import sys
import zlib

import numpy as np
from PIL import Image


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


def main():
    base = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "fuzz/corpus")
    for target, files in (("fuzz_jpeg", jpegs()), ("fuzz_png", pngs())):
        folder = base / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
