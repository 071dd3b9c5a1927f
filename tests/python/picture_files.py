"""Picture files made by hand, in kinds that Pillow does not write: BMP, PNM, TIFF."""

from __future__ import annotations

import struct
import zlib

import numpy as np


def picture(h: int = 24, w: int = 40) -> np.ndarray:
    y, x = np.mgrid[:h, :w]
    return np.stack([6 * x, 10 * y, x * y], -1).astype(np.uint8)


def pack_bits(rows: np.ndarray, depth: int) -> list[bytes]:
    """Rows of samples of 1, 2, 4, 8 bits to bytes, first sample in the highest bits."""
    out = []
    for row in rows.reshape(len(rows), -1):
        bits = np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - depth:].ravel()
        out.append(np.packbits(bits).tobytes())
    return out


# ---- BMP ---------------------------------------------------------------------------------

MASKS_555 = (0x7C00, 0x3E0, 0x1F)
MASKS_565 = (0xF800, 0x7E0, 0x1F)


def bmp(rows: list[bytes], w: int, depth: int, *, header: int = 40, compression: int = 0,
        palette: list[tuple[int, int, int]] = (), masks: tuple[int, ...] = (),
        top_down: bool = False, data: bytes | None = None, used: int | None = None,
        height: int | None = None) -> bytes:
    """`rows` are top to bottom, unpadded; `data` stands for them when it is given."""
    h = height if height is not None else len(rows)
    if data is None:
        padded = [r + bytes(-len(r) % 4) for r in rows]
        data = b"".join(padded if top_down else padded[::-1])
    signed = -h if top_down else h
    colours = b"".join(bytes((b, g, r)) + (b"" if header == 12 else b"\0")
                       for r, g, b in palette)
    if header == 12:
        info = struct.pack("<IHHHH", 12, w, h, 1, depth)
    else:
        info = struct.pack("<IiiHHIIiiII", header, w, signed, 1, depth, compression, len(data),
                           2835, 2835, len(palette) if used is None else used, 0)
        fields = struct.pack(f"<{len(masks)}I", *masks)
        info += fields if header == 40 else (fields + bytes(header))[:header - 40]
    offset = 14 + len(info) + len(colours)
    return struct.pack("<2sIHHI", b"BM", offset + len(data), 0, 0, offset) + info + colours + data


def bmp_words(values: np.ndarray, size: int) -> list[bytes]:
    return [row.astype(f"<u{size}").tobytes() for row in values]


def rle8(rows: np.ndarray) -> bytes:
    """Runs, literals where the length allows, end marks."""
    out = bytearray()
    for row in rows[::-1]:
        x = 0
        while x < len(row):
            n = 1
            while x + n < len(row) and row[x + n] == row[x] and n < 255:
                n += 1
            if n == 1 and x + 5 <= len(row):
                out += bytes([0, 5, *row[x:x + 5], 0])
                x += 5
            else:
                out += bytes([n, row[x]])
                x += n
        out += b"\0\0"
    return bytes(out[:-2] + b"\0\1")


def rle4(rows: np.ndarray) -> bytes:
    out = bytearray()
    for row in rows[::-1]:
        x = 0
        while x < len(row):
            if x % 3 == 0 and x + 5 <= len(row):
                a = [int(v) for v in row[x:x + 5]]
                out += bytes([0, 5, a[0] << 4 | a[1], a[2] << 4 | a[3], a[4] << 4, 0])
                x += 5
            else:
                n = min(3, len(row) - x)
                while n > 2 and row[x + 2] != row[x]:
                    n -= 1
                second = int(row[x + 1]) if n > 1 else 0
                out += bytes([n, int(row[x]) << 4 | second])
                x += n
        out += b"\0\0"
    return bytes(out[:-2] + b"\0\1")


# ---- PNM ---------------------------------------------------------------------------------


def pnm(kind: int, values: np.ndarray, maxval: int = 255, comment: str = "") -> bytes:
    """P1..P6; the values of bitmaps are 1 for black."""
    h, w = values.shape[:2]
    head = f"P{kind}\n{comment}{w} {h}\n" + ("" if kind in (1, 4) else f"{maxval}\n")
    flat = values.reshape(h, -1)
    if kind <= 3:
        return (head + "\n".join(" ".join(map(str, row)) for row in flat) + "\n").encode()
    if kind == 4:
        return head.encode() + b"".join(pack_bits(flat, 1))
    return head.encode() + flat.astype(">u2" if maxval > 255 else "u1").tobytes()


def pam(values: np.ndarray, maxval: int, kind: str) -> bytes:
    h, w, depth = values.shape
    head = f"P7\nWIDTH {w}\nHEIGHT {h}\nDEPTH {depth}\nMAXVAL {maxval}\nTUPLTYPE {kind}\nENDHDR\n"
    return head.encode() + values.astype(">u2" if maxval > 255 else "u1").tobytes()


# ---- TIFF --------------------------------------------------------------------------------


def _pieces(values: np.ndarray, tile: tuple[int, int] | None, rows: int) -> list[np.ndarray]:
    """(h, w, samples) in strips, or in tiles that are filled up with zeros."""
    h, w = values.shape[:2]
    if tile is None:
        return [values[y:y + rows] for y in range(0, h, rows)]
    tw, th = tile
    full = np.pad(values, [(0, -h % th), (0, -w % tw), (0, 0)])
    return [full[y:y + th, x:x + tw] for y in range(0, h, th) for x in range(0, w, tw)]


def tiff(values: np.ndarray, photometric: int, *, bits: int = 8, order: str = "<",
         tile: tuple[int, int] | None = None, rows: int = 7, planar: int = 1,
         compression: int = 1, predictor: int = 1, big: bool = False,
         palette: np.ndarray | None = None, extra: dict[int, tuple[int, list[int]]] = {}) -> bytes:
    """`values` are (h, w, samples); compression 1 or 8 (deflate); tags of `extra` are
    (type, values)."""
    h, w, samples = values.shape
    planes = [values[..., s:s + 1] for s in range(samples)] if planar == 2 else [values]
    blobs = []
    for plane in planes:
        for piece in _pieces(plane, tile, rows):
            piece = piece.astype(np.int64)
            if predictor == 2:
                piece = np.diff(piece, axis=1, prepend=0) % (1 << bits)
            data = (piece.astype(f"{order}u2").tobytes() if bits == 16
                    else b"".join(pack_bits(piece, bits)))
            blobs.append(zlib.compress(data) if compression == 8 else data)
    tags: dict[int, tuple[int, list[int]]] = {
        256: (3, [w]), 257: (3, [h]), 258: (3, [bits] * samples), 259: (3, [compression]),
        262: (3, [photometric]), 277: (3, [samples]), 284: (3, [planar])}
    if tile:
        tags.update({322: (3, [tile[0]]), 323: (3, [tile[1]])})
    else:
        tags[278] = (3, [rows])
    if predictor != 1:
        tags[317] = (3, [predictor])
    if palette is not None:
        tags[320] = (3, [int(v) for v in palette.T.ravel()])
    tags.update(extra)
    offset_tag, count_tag = (324, 325) if tile else (273, 279)
    header = 16 if big else 8
    at, offsets = header, []
    for blob in blobs:
        offsets.append(at)
        at += len(blob) + len(blob) % 2
    tags[offset_tag] = (4, offsets)
    tags[count_tag] = (4, [len(b) for b in blobs])
    body = b"".join(b + bytes(len(b) % 2) for b in blobs)
    ifd = _directory(tags, order, at, big)
    mark = b"II" if order == "<" else b"MM"
    if big:
        return mark + struct.pack(order + "HHHQ", 43, 8, 0, at) + body + ifd
    return mark + struct.pack(order + "HI", 42, at) + body + ifd


def _directory(tags: dict[int, tuple[int, list[int]]], order: str, at: int, big: bool) -> bytes:
    word, entry, count = ("Q", 20, "Q") if big else ("I", 12, "H")
    room = struct.calcsize("<" + word)
    place = at + struct.calcsize("<" + count) + entry * len(tags) + room
    entries, far = b"", b""
    for tag, (kind, values) in sorted(tags.items()):
        data = struct.pack(f"{order}{len(values)}{'H' if kind == 3 else 'I'}", *values)
        if len(data) > room:
            field = struct.pack(order + word, place + len(far))
            far += data + bytes(len(data) % 2)
        else:
            field = data.ljust(room, b"\0")
        entries += struct.pack(order + "HH" + word, tag, kind, len(values)) + field
    return struct.pack(order + count, len(tags)) + entries + bytes(room) + far
