"""Float functions on 64 samples of 4096 elements, one thread; nanoseconds an element. Headrace at each
CPU level the machine has, NumPy, the peer.

    python bench/bench_math.py [--rounds 7] [--dtype float32]
"""

import argparse

from rivals import main, rival

SAMPLES, SIZE = 64, 4096
NAMES = {"exp": "exp", "log": "log", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos",
         "tan": "tan", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh",
         "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "cbrt": "cbrt",
         "sqrt": "sqrt"}


def _data(name: str, dtype: str):
    import numpy as np

    low, high = (1, 9) if name == "acosh" else (0.01, 0.99)
    return np.random.default_rng(0).uniform(low, high, (SAMPLES, SIZE)).astype(dtype)


def _timed(f):
    def run() -> int:
        f()
        return SAMPLES * SIZE
    return run


def _dynamic(module, args) -> dict:
    module.set_num_threads(1)
    cases = {}
    for name in NAMES:
        x, f = module.as_batch(_data(name, args.dtype)), getattr(module.math, name)
        cases[name] = _timed(lambda x=x, f=f: f(x).evaluate())
    x, y = module.as_batch(_data("pow", args.dtype)), module.as_batch(3 * _data("pow", args.dtype))
    cases["pow"] = _timed(lambda: module.math.pow(x, y).evaluate())
    cases["atan2"] = _timed(lambda: module.math.atan2(x, y).evaluate())
    return cases


def _level(name: str):
    def setup(args):
        import headrace

        headrace._core.set_cpu_level(name)
        return _dynamic(headrace, args)
    return setup


rival("headrace")(lambda args: _dynamic(__import__("headrace"), args))
for _name in ("base", "avx2"):
    rival("headrace " + _name)(_level(_name))


@rival("numpy")
def numpy(args):
    import numpy as np

    cases = {name: _timed(lambda x=_data(name, args.dtype), f=getattr(np, theirs): f(x))
             for name, theirs in NAMES.items()}
    x, y = _data("pow", args.dtype), 3 * _data("pow", args.dtype)
    cases["pow"], cases["atan2"] = _timed(lambda: np.power(x, y)), _timed(lambda: np.arctan2(x, y))
    return cases


@rival("peer")
def peer(args):
    import nvidia.dali.experimental.dynamic as ndd

    return _dynamic(ndd, args)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dtype", default="float32", choices=("float32", "float64"))
    main(parser, "ns", 1e9)
