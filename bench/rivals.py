"""Shared by the benchmarks: rivals run in processes of their own and take turns, repetition by
repetition, so that a busy machine slows all alike; each one's minimum counts, as wall time and as
processor time. A bench declares `rival(name)(setup)`: setup() returns {case: function}, the function
runs one repetition and returns how many units it did, or (units, seconds) where it took the time.

The peer needs an interpreter that has it: HEADRACE_PEER_PYTHON=/path/to/python.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

RIVALS: dict[str, Callable[[argparse.Namespace], dict]] = {}
OUR_OWN = "headrace"


def rival(name: str) -> Callable:
    def declare(setup: Callable) -> Callable:
        RIVALS[name] = setup
        return setup
    return declare


def dynamic(setup: Callable) -> Callable:
    """Declares `headrace` and `peer`, whose dynamic modes are called alike: setup(module, args)."""
    @rival(OUR_OWN)
    def ours(args: argparse.Namespace) -> dict:
        import headrace

        headrace.set_num_threads(args.threads)
        return setup(headrace, args)

    @rival("peer")
    def peer(args: argparse.Namespace) -> dict:
        import nvidia.dali.experimental.dynamic as ndd

        ndd.set_num_threads(args.threads)
        return setup(ndd, args)
    return setup


def serve(args: argparse.Namespace) -> None:
    """The worker: reads case names, answers with seconds a unit."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints must not mix with answers

    def say(**answer: object) -> None:
        print(json.dumps(answer), file=answers, flush=True)

    try:
        cases = RIVALS[args.worker](args)
    except Exception as error:  # an absent rival is a line in the table
        say(error=f"{type(error).__name__}: {error}"[:120])
        return
    say(cases=list(cases), note=getattr(args, "note", ""))
    for line in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        units = cases[line.strip()]()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if isinstance(units, tuple):
            units, wall = units
        say(wall=wall / units, cpu=cpu / units)
    os._exit(0)


class Worker:
    def __init__(self, name: str) -> None:
        python = os.environ.get("HEADRACE_PEER_PYTHON", sys.executable)
        self.process = subprocess.Popen(
            [sys.executable if name.startswith(OUR_OWN) else python, *sys.argv, "--worker", name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        first = self._read()
        self.cases, self.error = first.get("cases", []), first.get("error")
        self.note = first.get("note", "")  # what the rival's setup left in args.note

    def _read(self) -> dict:
        line = self.process.stdout.readline()
        return json.loads(line) if line else {"error": "the worker ended"}

    def ask(self, case: str) -> dict:
        self.process.stdin.write(case + "\n")
        self.process.stdin.flush()
        return self._read()


def main(parser: argparse.ArgumentParser, unit: str, scale: float, **shared: str) -> None:
    """Prints a table: wall and processor time a unit, and the ratio to ours. `shared`: options that all
    rivals are to get."""
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        serve(args)
        return
    sys.argv += [word for name, value in shared.items() for word in (f"--{name}", value)]
    workers = {name: Worker(name) for name in RIVALS}
    best: dict[tuple[str, str], list[float]] = {}
    for _ in range(args.rounds):
        for case in sorted({c for w in workers.values() for c in w.cases}):
            for name, worker in workers.items():
                if case not in worker.cases:
                    continue
                got = worker.ask(case)
                if "wall" not in got:
                    worker.cases, worker.error = [], got.get("error")
                    continue
                low = best.setdefault((case, name), [1e9, 1e9])
                low[:] = min(low[0], got["wall"]), min(low[1], got["cpu"])
    print(f"{'case':<22}{'who':<16}{'wall ' + unit:>14}{'cpu ' + unit:>14}{'wall/ours':>11}{'cpu/ours':>10}")
    for (case, name), (wall, cpu) in sorted(best.items(), key=lambda x: (x[0][0], x[1])):
        ours = best.get((case, OUR_OWN), [wall, cpu])
        print(f"{case:<22}{name:<16}{wall * scale:>14.3f}{cpu * scale:>14.3f}"
              f"{wall / ours[0]:>11.2f}{cpu / max(ours[1], 1e-12):>10.2f}")
    for name, worker in workers.items():
        if worker.error:
            print(f"{name}: {worker.error}")
        worker.process.stdin.close()
        worker.process.wait(10)
