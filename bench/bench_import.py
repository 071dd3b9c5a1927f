"""What a package costs before it does anything: milliseconds of import, memory that the import adds, and
milliseconds from the last statement to the end of the process, idle and after a first call that started
threads. Each figure is the least of several processes, less that of bare Python.

    python bench/bench_import.py [--rounds 15]
"""

import argparse
import json
import os
import subprocess
import sys
import time

CHILD = """
import os, time
wall, cpu = time.perf_counter(), time.process_time()
{code}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
with open("/proc/self/statm") as f:
    pages = int(f.read().split()[1])
print(f'[{{wall}}, {{cpu}}, {{pages * os.sysconf("SC_PAGE_SIZE")}}, {{time.time()}}]', flush=True)
"""
WORK = "; x = {0}.as_batch([[1.0] * 100000] * 8); {0}.cast(x, dtype={0}.float64).evaluate()"
DYNAMIC = "import nvidia.dali.experimental.dynamic as ndd"
CASES = {"python": "pass", "headrace": "import headrace",
         "headrace, worked": "import headrace" + WORK.format("headrace"), "numpy": "import numpy",
         "peer": DYNAMIC, "torch": "import torch"}


def _once(name: str) -> tuple[float, float, float, float]:
    theirs = os.environ.get("HEADRACE_PEER_PYTHON", sys.executable)
    python = theirs if name in ("peer", "torch", "numpy") else sys.executable
    child = subprocess.run([python, "-c", CHILD.format(code=CASES[name])], capture_output=True,
                           text=True)
    end = time.time()
    lines = [line for line in child.stdout.splitlines() if line.startswith("[")]
    if not lines:
        raise ImportError(child.stderr.strip().splitlines()[-1][:80])
    wall, cpu, memory, last = json.loads(lines[0])
    return wall * 1e3, cpu * 1e3, memory / 1e6, (end - last) * 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    args = parser.parse_args()
    best: dict[str, list[float]] = {}
    absent: dict[str, str] = {}
    for _ in range(args.rounds):
        for name in CASES:
            if name in absent:
                continue
            try:
                got = _once(name)
            except ImportError as error:
                absent[name] = str(error)
                continue
            best[name] = [min(pair) for pair in zip(best.get(name, got), got)]
    print(f"{'':<18}{'import ms':>11}{'cpu ms':>9}{'MB':>8}{'exit ms':>9}")
    bare = best["python"]
    print(f"{'bare python':<18}{'':>11}{'':>9}{bare[2]:>8.1f}{bare[3]:>9.1f}")
    for name, figures in best.items():
        if name != "python":
            wall, cpu, memory, leave = (a - b for a, b in zip(figures, bare))
            print(f"{name:<18}{wall:>11.1f}{cpu:>9.1f}{memory:>8.1f}{leave:>9.1f}")
    for name, why in absent.items():
        print(f"{name}: {why}")


if __name__ == "__main__":
    main()
