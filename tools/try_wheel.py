"""Uses an installed headrace as a stranger would; tools/test_wheel.sh runs it.

    python -I try_wheel.py alone
    python -I try_wheel.py next-to FOLDER_OF_TORCH MODULE...     imports in that order
"""
import importlib
import io
import os
import struct
import subprocess
import sys
import zlib

PIXELS = bytes(range(10, 22))  # 2 x 2 of three channels


def png():
    def chunk(kind, data):
        sum_ = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + sum_

    rows = b"\0" + PIXELS[:6] + b"\0" + PIXELS[6:]
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def home(module):
    return os.path.dirname(os.path.abspath(module.__file__))


def alone():
    """Without NumPy: decode, flip, look at the bytes, end quickly."""
    import headrace as hr
    assert "numpy" not in sys.modules
    assert "site-packages" in home(hr), home(hr)
    picture = hr.decoders.image(hr.as_tensor(memoryview(png())))
    assert bytes(memoryview(picture)) == PIXELS
    assert bytes(memoryview(hr.flip(picture)))[:3] == PIXELS[3:6]
    command = [os.path.join(os.path.dirname(sys.executable), "headrace"), "info"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "JPEG" in done.stdout, done
    print("wheel: works without NumPy and the source tree")


def next_to(folder, names):
    """The same picture by each library that is there, in one process; each keeps its own codec."""
    if folder:
        sys.path.append(folder)
    there = {}
    for name in names:
        try:
            there[name] = importlib.import_module(name)
        except ImportError:
            if name in ("headrace", "PIL"):
                raise
    import numpy as np
    from PIL import Image
    hr = there["headrace"]
    y, x = np.mgrid[:48, :64]
    pixels = np.stack([4 * x, 5 * y, 2 * x + y], -1).astype(np.uint8)
    for kind, tolerance in (("JPEG", 2), ("PNG", 0)):
        out = io.BytesIO()
        Image.fromarray(pixels).save(out, kind, quality=95)
        data = np.frombuffer(out.getvalue(), np.uint8)
        mine = np.asarray(hr.decoders.image(hr.as_tensor(data))).astype(int)
        others = {"PIL": np.asarray(Image.open(io.BytesIO(out.getvalue())))}
        if "cv2" in there:
            others["cv2"] = there["cv2"].imdecode(data, 1)[..., ::-1]
        for name, theirs in others.items():
            worst = abs(mine - theirs).max()
            assert worst <= tolerance, (kind, name, worst)
    if "torch" in there:
        torch = there["torch"]
        t = hr.as_tensor(pixels).torch()
        assert bool((torch.from_numpy(pixels) == t).all())
    print("wheel: works next to", ", ".join(there))


if __name__ == "__main__":
    if sys.argv[1] == "alone":
        alone()
    else:
        next_to(sys.argv[2], sys.argv[3:])
