"""The calls that bench_graphs.py times, written once for both sides: `api` has the names of one of them."""

from __future__ import annotations

import itertools
import tempfile
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

NAMES = ("input_ids", "attention_mask", "token_type_ids", "position_ids")


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
    """A backend that is the module itself."""

    device, is_jit = "cpu", True

    def __init__(self, module):
        self.infer = module


def headrace_api() -> types.SimpleNamespace:
    from headrace import graphs

    return types.SimpleNamespace(**{name: getattr(graphs, name) for name in graphs.__all__})


def aitune_api() -> types.SimpleNamespace:
    """The peer's names; aitune_on_cpu.import_aitune() went before."""
    from aitune.torch.backend.torch_eager import TorchEagerBackend
    from aitune.torch.module.forward_signature import ForwardSignature
    from aitune.torch.module.graph_spec import GraphSpec
    from aitune.torch.module.sample_metadata import SampleMetadata
    from aitune.torch.module.tuned_module import TunedModule
    from aitune.torch.module.wrapper_module import Module

    return types.SimpleNamespace(TorchEagerBackend=TorchEagerBackend, ForwardSignature=ForwardSignature,
                                 GraphSpec=GraphSpec, SampleMetadata=SampleMetadata, TunedModule=TunedModule,
                                 Module=Module)


def torch_zeros() -> Callable | None:
    """Makes torch tensors; None where there is no PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    return lambda *shape, dtype="float32": torch.zeros(shape, dtype=getattr(torch, dtype))


def numpy_zeros(*shape, dtype="float32"):
    import numpy as np

    return np.zeros(shape, dtype)


def nested(zeros: Callable) -> dict:
    """Twenty tensors and two values."""
    return {
        "hidden": [zeros(4, 8) for _ in range(6)],
        "cache": tuple((zeros(4, 2, 8), zeros(4, 2, 8)) for _ in range(3)),
        "extra": {"a": Item(zeros(4), zeros(4, 4)), "b": {"c": [zeros(2), zeros(2, 2)], "d": zeros(1)}},
        "x": zeros(4, 8), "y": zeros(4), "z": zeros(), "mode": "eval", "scale": 1.5,
    }


def make_module(has_torch: bool) -> object:
    if not has_torch:
        return Bare()
    import torch

    def construct(self):
        torch.nn.Module.__init__(self)
        self.weight = torch.nn.Parameter(torch.zeros(1))

    return type("Bare", (torch.nn.Module,), {"__init__": construct, "forward": Bare.forward})()


def _eager(api: types.SimpleNamespace, module: object, graph: object) -> object:
    import torch

    backend = api.TorchEagerBackend()
    with tempfile.TemporaryDirectory() as folder:
        backend.build(module, graph, [], torch.device("cpu"), Path(folder))
    return backend


def _tuned(api, module, args, kwargs, n, is_eager=False) -> object:
    """A router of n graphs that differ in `mode`; calls are of the last."""
    signature = api.ForwardSignature.from_callable(module.forward)
    backends = {}
    for i in range(n):
        arguments = signature.normalize(args, dict(kwargs, mode=f"m{i}")).arguments
        sample = api.SampleMetadata.from_inputs(arguments, strict=True)
        if is_eager:
            output = api.SampleMetadata.from_outputs(args[0], strict=True)
            backends[sample] = _eager(api, module, api.GraphSpec(str(i), sample, output, signature))
        else:
            backends[sample] = Direct(module)
    return api.TunedModule(backends, "bench", signature)


def _call(function, args, kwargs, mode) -> Callable:
    kwargs = dict(kwargs, mode=mode)
    return lambda: function(*args, **kwargs)


def _graphs(n: int) -> str:
    return f"{n} graph{'s' * (n > 1)}"


def metadata_cases(api, zeros, word="") -> Iterator[tuple[str, Callable]]:
    flat = {name: zeros(8, 128, dtype="int64") for name in NAMES}
    for title, inputs in (("1 tensor", {"x": zeros(8, 128)}), ("4 in a dict", flat),
                          ("20 nested", nested(zeros))):
        for strict, said in ((False, "not strict"), (True, "strict")):
            yield (f"from_inputs, {said}, {title}{word}",
                   lambda inputs=inputs, strict=strict: api.SampleMetadata.from_inputs(inputs, strict=strict))


def routing_cases(api, zeros, has_torch, word="") -> Iterator[tuple[str, Callable]]:
    module = make_module(has_torch)
    four = [zeros(8, 128, dtype="int64") for _ in NAMES]
    for title, args, kwargs in (("1 tensor", (zeros(8, 128),), {}),
                                ("4 tensors", tuple(four[:1]), dict(zip(NAMES[1:], four[1:])))):
        yield f"bare, {title}{word}", _call(module, args, kwargs, "m0")
        for n in (1, 8, 1000):
            routed = _tuned(api, module, args, kwargs, n)
            yield f"routing, {_graphs(n)}, {title}{word}", _call(routed, args, kwargs, f"m{n - 1}")
        if has_torch and not word:
            for n in (1, 8):
                routed = _tuned(api, module, args, kwargs, n, is_eager=True)
                yield f"routing, {_graphs(n)}, eager, {title}", _call(routed, args, kwargs, f"m{n - 1}")
    ring = [zeros(1 + i % 8, 16 + i) for i in range(64)]
    for title, call in (("bare", module), ("routing, 8 graphs", _tuned(api, module, (ring[0],), {}, 8))):
        turn = itertools.cycle(ring)
        yield f"{title}, rotating{word}", lambda call=call, turn=turn: call(next(turn), mode="m7")


class Plain:
    """A strategy that keeps the module as it is, in the eager backend: neither side searches."""

    backend_results: tuple = ()

    def __init__(self, api):
        self.api = api

    def tune(self, module, name, graph_spec, data, device, cache_dir):
        return _eager(self.api, module, graph_spec)

    def to_json_dict(self):
        return {}

    def _configure_for_module(self, module):
        pass


def wrapper_cases(api, zeros) -> Iterator[tuple[str, Callable]]:
    import torch

    x = zeros(8, 128)
    wrapped = api.Module(make_module(True), "bench", strategy=Plain(api))
    wrapped(x, mode="m0")
    wrapped.tune(torch.device("cpu"))
    yield "whole wrapper, tuned, 1 tensor", lambda: wrapped(x, mode="m0")


def describe_case(api, zeros) -> Iterator[tuple[str, Callable]]:
    sample = api.SampleMetadata.from_inputs(nested(zeros), strict=True)
    yield "describe FULL, 20 tensors", sample.describe
