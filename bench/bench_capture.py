"""Captured loops on tiny data, a batch of 4 samples of 3x3x1 float32; microseconds.

    python bench/bench_capture.py [--rounds 7]

call-flip      a captured call in the body: the time inside it of 50 calls, divided by 50
iter-N         a whole warm iteration with N chained captured calls, nothing looked at
iterlook-N     the same, and the body evaluates the last result
deep-flip      as call-flip, 40 Python calls deeper
"""

import argparse
import linecache
import time

from rivals import dynamic, main

STEPS = 60
LOOP = """
def loop(module, source, clock):
    inside, steps, begun = 0.0, 0, 0.0
    for x in source.captured(batch_size=4):
        entered = clock()
        {body}
        left = clock()
        steps += 1
        if steps == 8:
            begun = left
        elif steps > 8:
            inside += left - entered
    return inside / (steps - 8), (clock() - begun) / (steps - 8)
"""


def _loop(lines: list[str]):
    """A loop whose body has these lines; capture reads them, so they must be found."""
    text = LOOP.replace("{body}", "\n        ".join(lines))
    name = f"<loop {len(linecache.cache)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope: dict = {}
    exec(compile(text, name, "exec"), scope)
    return scope["loop"]


def _deeper(f, levels: int):
    return f() if levels == 0 else _deeper(f, levels - 1)


@dynamic
def _dynamic(module, args) -> dict:
    import numpy as np

    batch = module.as_batch(np.random.default_rng(0).random((4, 3, 3, 1), np.float32), layout="HWC")

    def case(lines: list[str], which: int, units: int, depth: int = 0):
        loop = _loop(lines)

        def once():
            return loop(module, module.ExternalSource([batch] * STEPS), time.perf_counter)

        def run() -> tuple[int, float]:
            return units, _deeper(once, depth)[which]
        return run
    calls = [f"y{i} = module.flip(x, horizontal=1)" for i in range(50)]
    out = {"call-flip": case(calls, 0, 50), "deep-flip": case(calls, 0, 50, 40)}
    for n in (1, 10):
        chain = ["y = x"] + ["y = module.flip(y, horizontal=1)"] * n
        out[f"iter-{n:03}"] = case(chain, 1, 1)
        out[f"iterlook-{n:03}"] = case([*chain, "y.evaluate()"], 1, 1)
    return out


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__.split("\n")[0]), "us", 1e6)
