"""What describing and routing a call costs, microseconds, beside the peer in the same run.

    python bench/bench_graphs.py [--rounds 40] [--json FILE]

Headrace and AITune run in processes of their own and take turns, case by case; each one's minimum counts.
Headrace runs in this interpreter, the peer in that of HEADRACE_PEER_PYTHON (without it: in this one).
Where the peer cannot be imported, its figures are those recorded on another machine, scaled by the bare
call of the same torch module there and here (without PyTorch: as they are); the first line says which.

Routing and the whole wrapper are told over the bare call. Rows with "rotating" take 64 tensors of
different sizes in turn, so that nothing can be remembered by identity. With PyTorch in this interpreter
the inputs are its tensors and the module is a torch.nn.Module; rows with "NumPy", and all rows without
PyTorch, use NumPy arrays (the peer has torch's tensors in any case).
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import re
import subprocess
import sys
import tempfile

import graph_cases
from rivals import RIVALS, Worker, rival, serve

RECORDED_BARE = 1.4  # the bare call beside which the recorded figures were taken
RECORDED = {  # the issue's; either for strict or not, for one graph or eight
    "from_inputs, 1 tensor": 5.4, "from_inputs, 4 in a dict": 12.6, "from_inputs, 20 nested": 65,
    "routing, 1 tensor": 22, "routing, 4 tensors": 39, "routing, eager, 1 tensor": 41,
    "routing, eager, 4 tensors": 60, "whole wrapper, tuned, 1 tensor": 70, "describe FULL, 20 tensors": 951,
}
AT_MOST = {  # the bounds; the same for NumPy arrays, for rotating tensors and for 1,000 graphs
    "from_inputs, 1 tensor": 1, "from_inputs, 4 in a dict": 2, "from_inputs, 20 nested": 8,
    "routing, 1 tensor": 1, "routing, 4 tensors": 2, "routing, rotating": 1,
    "describe FULL, 20 tensors": 1000,
}
IMPORT_AT_MOST = 30  # milliseconds
SPAN = 2e-3  # seconds that one turn of a case takes, about


def _timed(cases):
    """Functions that take a turn of each case and say how many calls it was."""
    from time import perf_counter

    def turn(call):
        call()
        begin = perf_counter()
        for _ in range(5):
            call()
        count = max(1, int(SPAN / max((perf_counter() - begin) / 5, 1e-8)))

        def run():
            for _ in range(count):
                call()
            return count
        return run

    timed = {name: turn(call) for name, call in cases}
    gc.collect()
    gc.disable()
    return timed


@rival("headrace")
def headrace(args):
    api, torch_zeros = graph_cases.headrace_api(), graph_cases.torch_zeros()
    zeros = torch_zeros or graph_cases.numpy_zeros
    has_torch = torch_zeros is not None
    cases = [*graph_cases.metadata_cases(api, zeros), *graph_cases.routing_cases(api, zeros, has_torch),
             *graph_cases.describe_case(api, zeros)]
    if has_torch:
        arrays = graph_cases.numpy_zeros
        cases += [*graph_cases.wrapper_cases(api, zeros), *graph_cases.metadata_cases(api, arrays, ", NumPy"),
                  *graph_cases.routing_cases(api, arrays, True, ", NumPy")]
    return _timed(cases)


@rival("aitune")
def aitune(args):
    from aitune_on_cpu import import_aitune

    args.note = import_aitune()
    api, zeros = graph_cases.aitune_api(), graph_cases.torch_zeros()
    cases = [*graph_cases.metadata_cases(api, zeros), *graph_cases.routing_cases(api, zeros, True),
             *graph_cases.wrapper_cases(api, zeros), *graph_cases.describe_case(api, zeros)]
    return _timed(cases)


def measure(rounds):
    """{rival: {case: microseconds a call}}, whether the peer is live, and what it is or why it is not."""
    workers = {name: Worker(name) for name in RIVALS}
    best = {name: {} for name in RIVALS}
    order = list(workers["headrace"].cases)
    for _ in range(rounds):
        for case in order:
            for name, worker in workers.items():
                if case not in worker.cases:
                    continue
                answer = worker.ask(case)
                if "wall" not in answer:
                    worker.cases, worker.error = [], answer.get("error")
                    continue
                best[name][case] = min(best[name].get(case, 1e9), answer["wall"] * 1e6)
    if not best["headrace"]:
        sys.exit(f"headrace: {workers['headrace'].error}")
    for worker in workers.values():
        worker.process.stdin.close()
        worker.process.wait(10)
    peer = workers["aitune"]
    return best, not peer.error, peer.error or peer.note


def kind_of(case):
    """A case's row in the issue's table: without strictness, number of graphs and kind of array."""
    return re.sub(r", (not strict|strict|\d+ graphs?|NumPy)", "", case)


def over_bare(figures, case):
    """A case's cost; of routing, what it adds to the bare call."""
    if not case.startswith(("routing", "whole")):
        return figures[case]
    return figures[case] - figures["bare, " + case.replace(", eager", "").split(", ", 2)[-1]]


def rows_of(best, is_live):
    ours, live = best["headrace"], best["aitune"]
    scale = 1.0 if graph_cases.torch_zeros() is None else ours["bare, 1 tensor"] / RECORDED_BARE
    for case in ours:
        kind = kind_of(case)
        if is_live:
            same = case.replace(", NumPy", "")
            peer = over_bare(live, same) if same in live else None
        else:
            peer = RECORDED[kind] * scale if kind in RECORDED else None
        yield {"case": case, "us": ours[case], "told": over_bare(ours, case), "peer": peer,
               "most": AT_MOST.get(kind)}


def import_cost():
    """Milliseconds of processor time that headrace.graphs.Module adds to headrace; what else came."""
    code = ("import time, sys, numpy, headrace; t = time.process_time(); from headrace.graphs import Module; "
            "print((time.process_time() - t) * 1e3, 'torch' in sys.modules, 'tabulate' in sys.modules)")
    with tempfile.TemporaryDirectory() as folder:  # compiled once, as an installed package is
        env = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        answers = [subprocess.check_output([sys.executable, "-c", code], text=True, env=env).split()
                   for _ in range(5)]
    return min(float(a[0]) for a in answers), answers[0][1:]


def show(rows):
    print(f"{'microseconds a call':44}{'total':>9}{'ours':>9}{'at most':>9}{'':>6}{'peer':>9}"
          f"{'peer/ours':>11}")
    for row in rows:
        told, most, peer = row["told"], row["most"], row["peer"]
        verdict = "" if most is None else "ok" if told <= most else "OVER"
        print(f"{row['case']:44}{row['us']:9.2f}{told:9.2f}{most or '':>9}{verdict:>6}"
              + (f"{peer:9.2f}{peer / max(told, 0.01):11.1f}" if peer else ""))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        serve(options)
        return
    best, is_live, said = measure(options.rounds)
    print(f"peer: {'live in this run' if is_live else 'recorded figures'} ({said})")
    rows = list(rows_of(best, is_live))
    show(rows)
    ms, (with_torch, with_tables) = import_cost()
    print(f"import of headrace.graphs.Module adds {ms:.1f} ms (at most {IMPORT_AT_MOST}); "
          f"torch: {with_torch}, tabulate: {with_tables}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"live": is_live, "peer": said, "rows": rows, "import_ms": ms}, stream, indent=1)


if __name__ == "__main__":
    main()
