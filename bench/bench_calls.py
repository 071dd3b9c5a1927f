"""What one eager call costs on tiny data: a batch of 4 samples of 3x3x1 float32; microseconds.

    python bench/bench_calls.py [--rounds 7]
"""

import argparse

from rivals import OUR_OWN, dynamic, main, rival

REPEAT = 2000


def _cases(functions: dict, finish=lambda out: out, repeat: int = REPEAT) -> dict:
    def timed(f):
        def run() -> int:
            for _ in range(repeat):
                finish(f())
            return repeat
        return run
    return {name: timed(f) for name, f in functions.items()}


def _data():
    import numpy as np

    return np.random.default_rng(0).random((4, 3, 3, 1), np.float32)


@dynamic
def _dynamic(module, args) -> dict:
    batch = module.as_batch(_data(), layout="HWC")
    return _cases({
        "flip": lambda: module.flip(batch, horizontal=1),
        "cast": lambda: module.cast(batch, dtype=module.int32),
        "uniform": lambda: module.random.uniform(range=(0.0, 1.0), batch_size=4),
        "resize": lambda: module.resize(batch, size=[2, 2]),
        "batch + 1": lambda: batch + 1,
        "batch * batch": lambda: batch * batch,
        "exp": lambda: module.math.exp(batch),
        "batch.slice[0:2]": lambda: batch.slice[0:2],
    }, lambda out: out.evaluate(), REPEAT if module.__name__ == OUR_OWN else 200)


@rival("numpy")
def numpy(args):
    import numpy as np

    x, rng = _data(), np.random.default_rng(0)
    return _cases({"flip": lambda: np.flip(x, 2).copy(), "cast": lambda: x.astype(np.int32),
                   "uniform": lambda: rng.random(4, np.float32), "batch + 1": lambda: x + 1,
                   "batch * batch": lambda: x * x, "exp": lambda: np.exp(x),
                   "batch.slice[0:2]": lambda: x[:, 0:2].copy()})


@rival("torch")
def torch(args):
    import torch

    torch.set_num_threads(args.threads)
    x = torch.from_numpy(_data()).permute(0, 3, 1, 2).contiguous()
    resize = torch.nn.functional.interpolate
    return _cases({"flip": lambda: torch.flip(x, (3,)), "cast": lambda: x.to(torch.int32),
                   "uniform": lambda: torch.rand(4),
                   "resize": lambda: resize(x, (2, 2), mode="bilinear", antialias=True)})


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__), "us", 1e6)
