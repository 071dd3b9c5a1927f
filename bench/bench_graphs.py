"""What describing and routing a call costs, microseconds a call: each case's minimum over rounds in
which all cases take turns.

    python bench/bench_graphs.py [--rounds 60] [--json FILE]

"peer" is AITune 0.6.0's cost as recorded on another machine, scaled by the bare call of the same module
there and here. Routing is told over the bare call. Rows with "rotating" take 64 tensors of different
sizes in turn, so that nothing can be remembered by identity. With PyTorch the inputs are its tensors and
the module is a torch.nn.Module; "NumPy" rows, and all rows without PyTorch, use NumPy arrays.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np

from headrace import graphs

try:
    import torch
except ImportError:
    torch = None

PEER_BARE = 1.4  # the bare call beside which the peer's figures were recorded
CALLS = 400


@dataclass
class Case:
    name: str
    call: object
    over: str = ""  # the bare call that it is told over
    peer: float | None = None
    most: float | None = None
    calls: int = CALLS  # a round


@dataclass
class Item:
    data: object
    mask: object


class Bare:
    """The module that is routed to; does nothing."""

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, position_ids=None, mode="m0"):
        return input_ids

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)


class Direct:
    device, is_jit = "cpu", True

    def __init__(self, module):
        self.infer = module


def make_module():
    if torch is None:
        return Bare()
    return type("Bare", (torch.nn.Module,), {"forward": Bare.forward})()


def numpy_zeros(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


def torch_zeros(*shape, dtype="float32"):
    return torch.zeros(shape, dtype=getattr(torch, dtype))


def nested(zeros):
    return {
        "hidden": [zeros(4, 8) for _ in range(6)],
        "cache": tuple((zeros(4, 2, 8), zeros(4, 2, 8)) for _ in range(3)),
        "extra": {"a": Item(zeros(4), zeros(4, 4)), "b": {"c": [zeros(2), zeros(2, 2)], "d": zeros(1)}},
        "x": zeros(4, 8), "y": zeros(4), "z": zeros(), "mode": "eval", "scale": 1.5,
    }


def flat(zeros):
    names = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
    return {name: zeros(8, 128, dtype="int64") for name in names}


def tuned(module, args, kwargs, n):
    """A router of n graphs that differ in `mode`; calls are of the last."""
    signature = graphs.ForwardSignature.from_callable(module.forward)
    backends = {}
    for i in range(n):
        arguments = signature.normalize(args, dict(kwargs, mode=f"m{i}")).arguments
        backends[graphs.SampleMetadata.from_inputs(arguments, strict=True)] = Direct(module)
    return graphs.TunedModule(backends, "bench", signature)


def routing_cases(zeros, word):
    module = make_module()
    for title, args, kwargs, peer, most in (
        ("one tensor", (zeros(8, 128),), {}, 22, 1), ("four tensors", (), flat(zeros), 39, 2),
    ):
        bare = f"bare call, {title}{word}"
        if kwargs:
            args = (kwargs.pop("input_ids"),)
        yield Case(bare, lambda args=args, kwargs=kwargs: module(*args, mode="m0", **kwargs))
        for n in (1, 8, 1000):
            last = dict(kwargs, mode=f"m{n - 1}")
            routed = tuned(module, args, kwargs, n)
            yield Case(f"routing, {n} graphs, {title}{word}",
                       lambda args=args, last=last, routed=routed: routed(*args, **last), bare,
                       peer if n < 1000 else None, most)
    yield from rotating_cases(module, zeros, word)


def rotating_cases(module, zeros, word):
    ring = [zeros(1 + i % 8, 16 + i) for i in range(64)]
    for title, call in (("bare call", module), ("routing, 8 graphs", tuned(module, (ring[0],), {}, 8))):
        turn = itertools.cycle(ring)
        yield Case(f"{title}, rotating{word}", lambda call=call, turn=turn: call(next(turn), mode="m7"),
                   f"bare call, rotating{word}" if call is not module else "", None,
                   1 if call is not module else None)


def metadata_cases(zeros, word):
    for title, inputs, peer, most in (
        ("one tensor", {"x": zeros(8, 128)}, 5.4, 1), ("four tensors", flat(zeros), 12.6, 2),
        ("20 nested", nested(zeros), 65, 8),
    ):
        for strict in (False, True):
            yield Case(f"from_inputs, strict={strict}, {title}{word}",
                       lambda inputs=inputs, strict=strict: graphs.SampleMetadata.from_inputs(inputs, strict),
                       "", peer, most)


def wrapper_cases(zeros):
    def make():
        module = graphs.Module(make_module(), "bench")
        module(zeros(8, 128), mode="m0")
        return module
    x, passing, routing = zeros(8, 128), make(), make()
    passing.enable_passthrough()
    routing.tune()
    yield Case("whole wrapper, passthrough, one tensor", lambda: passing(x, mode="m0"), "", None, None)
    yield Case("whole wrapper, tuned, one tensor", lambda: routing(x, mode="m0"), "", 70, None)


def measure(cases, rounds):
    """Microseconds a call by name; all take turns, each one's minimum counts."""
    best = {}
    for _ in range(rounds):
        for case in cases:
            call, turns = case.call, range(case.calls)
            begin = time.perf_counter()
            for _ in turns:
                call()
            spent = (time.perf_counter() - begin) / case.calls * 1e6
            best[case.name] = min(best.get(case.name, spent), spent)
    return best


def describe_case(zeros, rounds):
    """FULL describe of 20 tensors, and the table package by itself."""
    from tabulate import tabulate

    sample = graphs.SampleMetadata.from_inputs(nested(zeros), strict=True)
    rows = [[str(loc), str(loc.path), str(s.shape), str(s.min_shape), str(s.max_shape), str(s.dtype)]
            for loc, s in sample.tensor_data]
    others = [[str(loc), str(loc.path), str(value)] for loc, value in sample.other_data]

    def tables():
        tabulate(rows, headers=list("abcdef"), tablefmt="fancy_grid")
        tabulate(others, headers=list("abc"), tablefmt="fancy_grid")

    cases = [Case("describe FULL, 20 tensors", sample.describe, "", 951, 1000, calls=1),
             Case("the same tables by tabulate's defaults", tables, calls=1)]
    return cases, measure(cases, rounds)


def import_cost():
    """Milliseconds of processor time that headrace.graphs.Module adds to headrace; what else came."""
    code = ("import time, sys, numpy, headrace; t = time.process_time(); from headrace.graphs import Module; "
            "print((time.process_time() - t) * 1e3, 'torch' in sys.modules, 'tabulate' in sys.modules)")
    command = [sys.executable, "-c", code]
    answers = [subprocess.check_output(command, text=True).split() for _ in range(5)]
    return min(float(a[0]) for a in answers), answers[0][1:]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json")
    options = parser.parse_args()
    zeros = numpy_zeros if torch is None else torch_zeros
    if torch is not None:
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
    cases = [*routing_cases(zeros, ""), *metadata_cases(zeros, ""), *wrapper_cases(zeros)]
    if torch is not None:
        cases += [*routing_cases(numpy_zeros, ", NumPy"), *metadata_cases(numpy_zeros, ", NumPy")]
    gc.collect()
    gc.disable()
    best = measure(cases, options.rounds)
    more, figures = describe_case(zeros, 2 * options.rounds)
    best.update(figures)
    scale = best["bare call, one tensor"] / PEER_BARE
    print(f"{'':48}{'us':>9}{'over bare':>11}{'at most':>9}{'peer':>9}{'peer/ours':>11}")
    rows = []
    for case in [*cases, *more]:
        us = best[case.name]
        told = us - best[case.over] if case.over else us
        peer = case.peer * scale if case.peer else None
        rows.append({"case": case.name, "us": us, "told": told, "most": case.most, "peer": peer})
        print(f"{case.name:48}{us:9.2f}{(f'{told:11.2f}' if case.over else ' ' * 11)}"
              f"{case.most or '':>9}{(f'{peer:9.1f}' if peer else ' ' * 9)}"
              f"{(f'{peer / max(told, 0.01):11.0f}' if peer else '')}")
    ms, (with_torch, with_tables) = import_cost()
    print(f"import of headrace.graphs.Module adds {ms:.1f} ms (at most 30); "
          f"torch: {with_torch}, tabulate: {with_tables}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump({"rows": rows, "import_ms": ms}, stream, indent=1)


if __name__ == "__main__":
    main()
