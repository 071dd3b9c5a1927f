"""Does the body overlap with the pipeline? A step's time over the best that is possible.

    python bench/bench_overlap.py [--rounds 3] [--threads 1]

The pipeline resizes 4 pictures three times: P ms a step with an empty body. `sleep-R`: the body sleeps
T = R x P; the best is max(T, P), and a step may take 0.2 ms more. `compute-R`: it computes, without the
GIL, for T; the best of two cores is (T + processor time of P) / 2, and never less than T. Windows with
and without a body take turns within one loop, and each one's minimum counts.
"""

import argparse
import time

from rivals import dynamic, main

RATIOS = (0.25, 0.5, 1, 2, 4)
WINDOW, WINDOWS, SPARE = 24, 12, 2e-4


@dynamic
def _dynamic(module, args) -> dict:
    import numpy as np

    rng = np.random.default_rng(0)
    images = module.as_batch([rng.integers(0, 255, (360, 500, 3), np.uint8) for _ in range(4)], layout="HWC")
    numbers = rng.random(20000)
    room = np.empty_like(numbers)

    def pipeline(x):
        y = module.resize(x, size=[400, 600])
        z = module.resize(y, size=[600, 400])
        return module.resize(z, size=[448, 448])

    def compute(times: int) -> None:
        for _ in range(times):
            np.sqrt(numbers, out=room)

    def cost(f, repeat: int) -> float:
        best = 1e9
        for _ in range(20):
            begun = time.process_time()
            for _ in range(repeat):
                f()
            best = min(best, (time.process_time() - begun) / repeat)
        return best

    def steps(bodies: list, windows: int) -> list[float]:
        """The least seconds of a step with each of the bodies."""
        best, begun = [1e9] * len(bodies), 0.0
        source = module.ExternalSource([images] * (WINDOW * windows + 8))
        for k, x in enumerate(source.captured(batch_size=4)):
            window, at = divmod(k - 8, WINDOW)
            if k >= 8 and at == 0:
                begun = time.perf_counter()
            bodies[window % len(bodies)]()
            pipeline(x).evaluate()
            if k >= 8 and at == WINDOW - 1:
                which = window % len(bodies)
                best[which] = min(best[which], (time.perf_counter() - begun) / WINDOW)
        return best

    def nothing() -> None:
        pass

    work = cost(lambda: pipeline(images).evaluate(), 4)
    unit = cost(lambda: compute(1), 50)

    def sleeping(ratio: float):
        def run() -> tuple[int, float]:
            t = ratio * steps([nothing], 8)[0]
            alone = min(_timed(lambda: time.sleep(t)) for _ in range(20))
            p, both = steps([nothing, lambda: time.sleep(t)], WINDOWS)
            return 1, (both - SPARE) / max(p, alone)
        return run

    def computing(ratio: float):
        def run() -> tuple[int, float]:
            times = max(1, round(ratio * work / unit))
            t = times * unit
            _, both = steps([nothing, lambda: compute(times)], WINDOWS)
            return 1, both / max((t + work) / 2, t)
        return run
    out = {f"sleep-{r:g}": sleeping(r) for r in RATIOS}
    out.update({f"compute-{r:g}": computing(r) for r in RATIOS})
    return out


def _timed(f) -> float:
    begun = time.perf_counter()
    f()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main(argparse.ArgumentParser(description=__doc__.split("\n")[0]), "/best", 1)
