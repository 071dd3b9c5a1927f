"""JPEG files by Pillow, PNG files by hand, EXIF blocks: the pictures that decoders are tested with."""
import io
import struct
import zlib

import numpy as np
import pytest

from picture_files import picture  # noqa: F401  (the picture P of the tests, for those who import this)

Image = pytest.importorskip("PIL.Image")


def jpeg(pixels, mode=None, **options):
    out = io.BytesIO()
    image = Image.fromarray(pixels)
    options = {"quality": 95, "subsampling": 0, **options}
    (image.convert(mode) if mode else image).save(out, "JPEG", **options)
    return out.getvalue()


def by_pillow(data, mode="RGB"):
    return np.asarray(Image.open(io.BytesIO(data)).convert(mode))


def exif_block(orientation, order):
    entry = struct.pack(order + "HHIHH", 0x112, 3, 1, orientation, 0)
    head = b"II" if order == "<" else b"MM"
    return head + struct.pack(order + "HIH", 42, 8, 1) + entry + bytes(4)


def with_exif(data, block):
    block = b"Exif\0\0" + block
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
          (0, 1, 1, 2)]


def pack_row(row, depth):
    if depth == 16:
        return row.astype(">u2").tobytes()
    bits = "".join(format(int(v), f"0{depth}b") for v in row.ravel())
    bits += "0" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


def png(pixels, kind, depth, extra=b"", interlace=0):
    """Pixels are (h, w, channels) sample values; every row has filter 0."""
    h, w = pixels.shape[:2]
    rows = b""
    for x, y, dx, dy in PASSES if interlace else [(0, 0, 1, 1)]:
        part = pixels[y::dy, x::dx]
        if part.size:
            rows += b"".join(b"\0" + pack_row(row, depth) for row in part)
    head = struct.pack(">IIBBBBB", w, h, depth, kind, 0, 0, interlace)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


KINDS = {1: 0, 2: 4, 3: 2, 4: 6}  # channels to PNG colour type


def upright(a, orientation):
    """EXIF 2.3: where the 0th row and the 0th column are."""
    turned = a.transpose(1, 0, 2)
    return {1: a, 2: a[:, ::-1], 3: a[::-1, ::-1], 4: a[::-1], 5: turned, 6: turned[:, ::-1],
            7: turned[::-1, ::-1], 8: turned[::-1]}[orientation]


def ink_file(transform, **options):
    """CMYK as Adobe writes it; transform 2 says YCCK, None takes the marker away."""
    data = jpeg(picture(), "CMYK", **options)
    at = data.index(b"\xff\xee")
    size = struct.unpack(">H", data[at + 2:at + 4])[0]
    if transform is None:
        return data[:at] + data[at + 2 + size:]
    return data[:at + 15] + bytes([transform]) + data[at + 16:]
