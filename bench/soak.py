"""Many steps with random shapes: does memory stay flat?

    python bench/soak.py [--steps 20000] [--seed 1] [--captured] [--json]

Each step decodes, resizes, crops, computes and reduces a batch of random sizes; every 1000th holds one
sample hundreds of times the usual size. Prints the resident set (RSS) along the way; exits with 1 when it
grows by more than 20 MB after step 2000. There and at the end some seconds of usual steps follow, in which
a huge sample's memory must be given back.
"""
from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from typing import Any

import numpy as np

import headrace as hr

LIMIT = 20 << 20  # bytes that the process may grow after step START
START = 2000
REST = 3.0        # seconds of usual steps before the resident set counts
HUGE_EVERY = 1000


def resident() -> int:
    """The process's resident set in bytes."""
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4096


def pictures(rng: np.random.Generator, step: int) -> list[np.ndarray]:
    n = int(rng.integers(1, 9))
    out = [rng.integers(0, 255, (*rng.integers(1, 120, 2), 3), np.uint8) for _ in range(n)]
    if step % HUGE_EVERY == HUGE_EVERY // 2:
        out[0] = np.zeros((3000, 4000, 3), np.uint8)
    return out


def pnm(pixels: np.ndarray) -> np.ndarray:
    """A picture file that needs no library to write."""
    head = b"P6 %d %d 255\n" % (pixels.shape[1], pixels.shape[0])
    return np.frombuffer(head + pixels.tobytes(), np.uint8)


def work(files: hr.Batch, rng: np.random.Generator) -> Any:
    images = hr.decoders.image(files)
    size = [int(x) for x in rng.integers(1, 100, 2)]
    scaled = hr.resize(images, size=size)
    turned = hr.rotate(images, angle=float(rng.integers(0, 360)), fill_value=0)
    mirror = hr.random.coin_flip(batch_size=images.batch_size)
    floats = hr.crop_mirror_normalize(scaled, mirror=mirror, mean=[100.0], std=[50.0], output_layout="CHW")
    sums = hr.reductions.mean(turned)
    return (floats * 2.0 + 1.0).slice[0], sums + 1.0


def check(results: Any) -> None:
    for each in results:
        assert np.isfinite(np.asarray(each.tensors[0])).all()


def eager(steps: int, rng: np.random.Generator) -> Any:
    for step in range(steps):
        yield step, work(hr.batch([pnm(p) for p in pictures(rng, step)]), rng)


def captured(steps: int, rng: np.random.Generator) -> Any:
    """The same number of steps through a captured loop; its batch size cannot change."""
    def source() -> Any:
        for step in range(steps):
            some = (pictures(rng, step) * 4)[:4]
            yield hr.batch([pnm(p) for p in some])

    step = 0
    for files in hr.ExternalSource(source()).captured(4):
        images = hr.decoders.image(files)
        scaled = hr.resize(images, size=[64, 48])
        mirror = hr.random.coin_flip(batch_size=4)
        floats = hr.crop_mirror_normalize(scaled, mirror=mirror, mean=[100.0], std=[50.0])
        yield step, (floats, hr.reductions.mean(images))
        step += 1


def rest(rng: np.random.Generator) -> int:
    """The resident set after some seconds of usual steps, of four samples as in the captured loop."""
    end = time.monotonic() + REST
    while time.monotonic() < end:
        some = (pictures(rng, 0) * 4)[:4]
        images = hr.decoders.image(hr.batch([pnm(p) for p in some]))
        check([hr.crop_mirror_normalize(hr.resize(images, size=[200, 100]), mean=[100.0], std=[50.0])])
    gc.collect()
    return resident()


def soak(steps: int, seed: int, is_captured: bool, note: Any = None) -> dict[str, Any]:
    """Runs; the figures as a dict. `note` is called with (step, bytes) ten times."""
    rng = np.random.default_rng(seed)
    hr.random.set_seed(seed)
    start = 0
    for step, results in (captured if is_captured else eager)(steps, rng):
        check(results)
        del results
        if step == START:
            start = rest(np.random.default_rng(seed))
        if note and step % max(1, steps // 10) == 0:
            note(step, resident())
    end = rest(rng)
    for _ in range(3):  # a machine that does other things gives back late; what leaks stays
        if end - start >= LIMIT:
            end = min(end, rest(rng))
    return {"steps": steps, "rss_start_mb": round(start / 2**20, 1), "rss_end_mb": round(end / 2**20, 1),
            "growth_mb": round((end - start) / 2**20, 1),
            "fine": end - start < LIMIT}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--captured", action="store_true", help="through a captured loop")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.steps <= START:
        parser.error(f"--steps must be over {START}")
    note = None if args.json else lambda step, rss: print(f"step {step:6d}  RSS {rss / 2**20:7.1f} MB")
    out = soak(args.steps, args.seed, args.captured, note)
    print(json.dumps(out) if args.json else "\n".join(f"{k:<16}{v}" for k, v in out.items()))
    return 0 if out["fine"] else 1


if __name__ == "__main__":
    sys.exit(main())
