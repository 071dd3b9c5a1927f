"""A captured loop over many steps: memory must be flat, and the system asked for nothing.

    python bench/soak_capture.py [--steps 100000] [--size 64]

Prints a line every tenth of the steps; ends with 1 when something grew after the first tenth.
"""

import argparse
import gc
import itertools
import sys
import time


def counters() -> dict[str, int]:
    import headrace as hr

    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as f:
        resident = int(f.read().split()[1]) * 4096
    stats = hr._core.alloc_stats()
    return {"system_allocs": stats["system_allocs"], "live_blocks": stats["live_blocks"],
            "python_blocks": sys.getallocatedblocks(), "rss": resident}


def walk(steps: int, size: int) -> list[dict[str, int]]:
    import headrace as hr
    import numpy as np

    images = hr.as_batch([np.full((size, size, 3), k, np.uint8) for k in range(4)], layout="HWC")
    rng = hr.random.RNG(seed=1)
    loop = hr.ExternalSource(lambda: images).captured(batch_size=4)
    marks, begun = [], time.perf_counter()
    for k, x in enumerate(itertools.islice(loop, steps)):
        y = hr.random_resized_crop(x, size=[24, 24], rng=rng)
        z = hr.flip(y, horizontal=1)
        w = hr.cast(z, dtype=hr.float32)
        if k % 3:
            w.evaluate()
        if (k + 1) % (steps // 10) == 0:
            marks.append(counters())
            each = (time.perf_counter() - begun) / (k + 1) * 1e6
            print(f"{k + 1:>8} steps {each:8.1f} us a step  ", marks[-1], flush=True)
    return marks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--size", type=int, default=64)
    args = parser.parse_args()
    marks = walk(args.steps, args.size)
    first, last = marks[0], marks[-1]
    grew = [name for name, most in (("system_allocs", 16), ("live_blocks", 16), ("python_blocks", 200),
                                    ("rss", 4 << 20)) if last[name] > first[name] + most]
    print("grew: " + ", ".join(grew) if grew else "flat")
    return bool(grew)


if __name__ == "__main__":
    sys.exit(main())
