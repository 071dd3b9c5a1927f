"""Antialiased resizing on one thread: microseconds a picture, and ratios, in one run.

    python bench/bench_resize.py [--rounds 7]

OpenCV's INTER_LINEAR does not antialias and INTER_AREA is another filter: rows for orientation.
"""

import argparse

from rivals import main, rival

# name: source height, width; output height, width
SHAPES = {
    "500x375-224": (375, 500, 224, 224),
    "300x250-224": (250, 300, 224, 224),
    "150x120-224": (120, 150, 224, 224),
    "2000x1500-224": (1500, 2000, 224, 224),
    "224-448": (224, 224, 448, 448),
}
REPEAT = 20


def _cases(make, kinds) -> dict:
    """make(picture, height, width, kind) -> function for one call."""
    import numpy as np

    def timed(f):
        f()

        def run() -> int:
            for _ in range(REPEAT):
                f()
            return REPEAT
        return run

    out = {}
    for name, (h, w, oh, ow) in SHAPES.items():
        picture = np.random.default_rng(0).integers(0, 256, (h, w, 3), dtype=np.uint8)
        for kind in kinds:
            out[f"{name} {kind}"] = timed(make(picture, oh, ow, kind))
    return out


def _dynamic(module) -> dict:
    filters = {"linear": 1, "lanczos": 3}
    to_type = getattr(module, "INTERP", int)

    def make(picture, h, w, kind):
        one = module.as_tensor(picture, layout="HWC")
        interp = to_type(filters[kind])
        return lambda: module.resize(one, size=[h, w], interp_type=interp).evaluate()

    return _cases(make, filters)


@rival("headrace")
def headrace(args):
    import headrace

    headrace.set_num_threads(1)
    return _dynamic(headrace)


@rival("peer")
def peer(args):
    import nvidia.dali.experimental.dynamic as ndd
    from nvidia.dali import types

    ndd.set_num_threads(1)
    ndd.INTERP = types.DALIInterpType
    return _dynamic(ndd)


@rival("pillow")
def pillow(args):
    from PIL import Image

    filters = {"linear": Image.BILINEAR, "lanczos": Image.LANCZOS}

    def make(picture, h, w, kind):
        image = Image.fromarray(picture)
        return lambda: image.resize((w, h), filters[kind])

    return _cases(make, filters)


@rival("torch")
def torch(args):
    import torch

    torch.set_num_threads(1)

    def make(picture, h, w, kind):
        planes = torch.from_numpy(picture).permute(2, 0, 1)[None]  # channels last
        f = torch.nn.functional.interpolate
        return lambda: f(planes, (h, w), mode="bilinear", antialias=True)

    return _cases(make, ["linear"])


@rival("opencv-area")
def opencv_area(args):
    import cv2

    cv2.setNumThreads(1)
    return _cases(lambda a, h, w, kind: lambda: cv2.resize(a, (w, h), interpolation=cv2.INTER_AREA),
                  ["linear"])


@rival("opencv-no-aa")
def opencv_linear(args):
    import cv2

    cv2.setNumThreads(1)
    return _cases(lambda a, h, w, kind: lambda: cv2.resize(a, (w, h)), ["linear"])


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__), "us", 1e6)
