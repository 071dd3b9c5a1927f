"""Operators on 16 pictures of 224x224 uint8 RGB, one thread; milliseconds a picture. Headrace at each CPU
level the machine has, the peer, OpenCV, NumPy.

    python bench/bench_kernels.py [--rounds 7]
"""

import argparse

from rivals import main, rival

N = 16
MEAN = (123.7, 116.3, 103.5)
STD = (58.4, 57.1, 57.4)


def _pictures():
    import numpy as np

    return np.random.default_rng(0).integers(0, 256, (N, 224, 224, 3), np.uint8)


def _dynamic(module) -> dict:
    module.set_num_threads(1)
    x = module.as_batch(_pictures(), layout="HWC")
    calls = {
        "flip": lambda: module.flip(x, horizontal=1),
        "cast u8->f32": lambda: module.cast(x, dtype=module.float32),
        "normalize CHW": lambda: module.crop_mirror_normalize(x, mean=MEAN, std=STD, mirror=1),
        "crop": lambda: module.crop(x, crop=(160, 160)),
        "noise.gaussian": lambda: module.noise.gaussian(x, stddev=5.0),
    }

    def timed(f):
        def run() -> int:
            f().evaluate()
            return N
        return run
    return {name: timed(f) for name, f in calls.items()}


def _level(name: str):
    def setup(args):
        import headrace

        headrace._core.set_cpu_level(name)
        return _dynamic(headrace)
    return setup


rival("headrace")(lambda args: _dynamic(__import__("headrace")))
for _name in ("base", "avx2", "avx512"):
    rival("headrace " + _name)(_level(_name))


@rival("peer")
def peer(args):
    import nvidia.dali.experimental.dynamic as ndd

    return _dynamic(ndd)


@rival("opencv")
def opencv(args):
    import cv2
    import numpy as np

    cv2.setNumThreads(1)
    pictures = _pictures()
    scale = (1 / np.float32(STD)).reshape(1, 1, 3)

    def flip() -> int:
        for p in pictures:
            cv2.flip(p, 1)
        return N

    def normalize() -> int:
        for p in pictures:
            f = (cv2.flip(p, 1).astype(np.float32) - np.float32(MEAN)) * scale
            np.ascontiguousarray(f.transpose(2, 0, 1))
        return N
    return {"flip": flip, "normalize CHW": normalize}


@rival("numpy")
def numpy(args):
    import numpy as np

    x = _pictures()

    def flip() -> int:
        x[:, :, ::-1].copy()
        return N

    def cast() -> int:
        x.astype(np.float32)
        return N
    return {"flip": flip, "cast u8->f32": cast}


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__.split("\n")[0]), "ms", 1e3)
