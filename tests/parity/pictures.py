"""Encoded pictures for decoder cases, made by Pillow (and by hand where Pillow cannot write the
kind). Needs Pillow; the recorded expectations hold the bytes and do not."""
import base64
import io
import struct
import zlib

import numpy as np

from parity import inputs


def pixels(h, w, channels, seed=1, noise=24):
    """Slopes in every direction plus a little noise, so that a swap of axes or channels shows."""
    y, x = np.mgrid[0:h, 0:w]
    planes = [6 * x + y, 10 * y + 2 * x, (x * y) // 2, 255 - 3 * x - 2 * y]
    base = np.stack([p % 224 for p in planes[:channels]], axis=-1)
    grain = inputs.words(h * w * channels, seed) % np.uint64(max(noise, 1))
    return (base + grain.astype(np.int64).reshape(h, w, channels)).astype(np.uint8)


def _chunk(tag, body):
    return struct.pack(">I", len(body)) + tag + body + struct.pack(">I", zlib.crc32(tag + body))


def png16(h, w, channels, seed=1):
    """A 16-bit PNG of 1 to 4 channels."""
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    a = (inputs.words(h * w * channels, seed) & np.uint64(0xFFFF)).astype(">u2")
    rows = a.reshape(h, w * channels)
    raw = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", w, h, 16, colour, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(raw))
            + _chunk(b"IEND", b""))


def _pillow(spec):
    from PIL import Image

    h, w = spec["size"]
    mode = spec.get("mode", "RGB")
    a = pixels(h, w, {"L": 1, "1": 1, "P": 3, "I;16": 1, "LA": 2, "RGB": 3, "RGBA": 4,
                      "CMYK": 4}[mode], spec.get("seed", 1), spec.get("noise", 24))
    if mode == "P":
        im = Image.fromarray(a, "RGB").quantize(spec.get("colours", 16))
    elif mode == "1":
        im = Image.fromarray(a[..., 0], "L").convert("1")
    elif mode == "I;16":
        im = Image.fromarray(a[..., 0].astype(np.uint16) * 257)
    else:
        im = Image.fromarray(a[..., 0] if mode == "L" else a, mode)
    save = dict(spec.get("save", {}))
    if "orientation" in spec:
        exif = Image.Exif()
        exif[0x0112] = spec["orientation"]
        save["exif"] = exif.tobytes()
    out = io.BytesIO()
    im.save(out, spec["format"], **save)
    return out.getvalue()


def encode(spec):
    """The bytes of one picture; `keep` cuts the file to that share, `raw` is text as it is."""
    if "raw" in spec:
        return base64.b64decode(spec["raw"])
    if spec["format"] == "PNG16":
        data = png16(*spec["size"], spec["channels"], spec.get("seed", 1))
    else:
        data = _pillow(spec)
    if "keep" in spec:
        data = data[: max(1, int(len(data) * spec["keep"]))]
    return data


def resolve(value):
    """A copy of a case (or of a part of one) with pictures replaced by their bytes."""
    if isinstance(value, list):
        return [resolve(v) for v in value]
    if not isinstance(value, dict):
        return value
    out = {k: resolve(v) for k, v in value.items() if k != "pictures"}
    if "pictures" in value:
        out["bytes"] = [base64.b64encode(encode(p)).decode() for p in value["pictures"]]
    return out
