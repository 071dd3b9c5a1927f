"""See parity/roam_graphs/__init__.py."""
import argparse
import contextlib
import math
import pathlib
import sys
import tempfile
import types
import warnings
from collections import Counter
from typing import Any, Callable

import torch

from parity import roam_graphs
from parity.roam_graphs.values import Dice, register

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "bench"))


def ours() -> Any:
    from headrace import graphs

    return graphs


def peers() -> Any:
    """The peer's names, as one module."""
    from aitune.global_context import BATCH_SIZE_KEY, global_context
    from aitune.torch.config import AITuneConfig
    from aitune.torch.module.forward_signature import ForwardSignature
    from aitune.torch.module.locator import Locator
    from aitune.torch.module.recording_module import RecordingModule
    from aitune.torch.module.sample_metadata import SampleMetadata, batch_tensor
    from aitune.torch.module.tensor_spec import InfoLevel, TensorSpec

    @contextlib.contextmanager
    def batch_size_scope(size: int) -> Any:
        with global_context:
            global_context.set(BATCH_SIZE_KEY, size)
            yield

    folder = pathlib.Path(tempfile.mkdtemp(prefix="roam_graphs_"))

    def recorder(module: Any, name: str, config: Any) -> Any:
        return RecordingModule(module, name, config=config, cache_dir_resolver=lambda: folder)

    return types.SimpleNamespace(
        ForwardSignature=ForwardSignature, Locator=Locator, SampleMetadata=SampleMetadata, InfoLevel=InfoLevel,
        TensorSpec=TensorSpec, RecordingModule=recorder, Config=AITuneConfig, batch_tensor=batch_tensor,
        batch_size_scope=batch_size_scope)


def answer(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "answer", call()
    except Exception as error:
        return "error", type(error).__name__.removeprefix("AITune")


def multipliers(spec: Any) -> list[float | None]:
    return [None if math.isnan(m) else m for m in spec._bs_multipliers]


def facts_of_spec(spec: Any) -> list[Any]:
    return [spec.shape, spec.min_shape, spec.max_shape, spec.dtype, multipliers(spec), str(spec), repr(spec),
            spec.describe(), spec.has_batch_axis(), spec.has_dynamic_axis(), spec.get_max_batch_size(),
            spec.get_min_batch_size(), spec.get_batch_axis_multipliers()]


def facts_of(meta: Any) -> list[Any]:
    return [[(loc.display_path, loc.path, loc.depth, loc.root_name, facts_of_spec(spec))
             for loc, spec in meta.tensor_data],
            [(loc.display_path, loc.path, str(value)) for loc, value in meta.other_data], str(meta), repr(meta),
            meta.llm_phase, meta.detected_dynamic_axis(), meta.has_batch_axis()]


# ---- what is compared: each draws its input once and gives a function of a side ------------------------


def describing(d: Dice) -> Callable[[Any], Any]:
    inputs = {d.choice(["x", "y", "mask", "a-b", ""]): d.nested(3) for _ in range(d.choice([1, 1, 2, 3]))}
    strict, size, is_output = d.random() < 0.6, d.choice([None, None, 1, 2, 3]), d.random() < 0.2

    def run(side: Any) -> Any:
        make = side.SampleMetadata.from_outputs if is_output else side.SampleMetadata.from_inputs
        meta = make(inputs, strict=strict, batch_size=size)
        back = side.SampleMetadata.from_dict(meta.to_dict())
        leaves = [[(str(loc), id(value)) for loc, value in
                   side.Locator.find_leaves(inputs, only_tensors=only, is_output=is_output)] for only in (False, True)]
        return facts_of(meta), meta.describe(side.InfoLevel.MEDIUM), meta.to_json_dict(), facts_of(back), leaves

    return run


def learning(d: Dice) -> Callable[[Any], Any]:
    rank, unknown = d.randrange(4), d.random() < 0.25
    kinds: list[Callable[[int], int]] = [
        lambda b: b, lambda b: 3 * b, lambda b: d.choice([0, 1, 2, 5, 7]), lambda b: b // 2, lambda b: 4,
    ]
    axes, batches = [d.choice(kinds) for _ in range(rank)], [d.choice([1, 2, 3, 4, 6]) for _ in range(d.randrange(1, 6))]
    shapes = [[size(b) for size in axes] for b in batches]
    for column in zip(*shapes):  # a size that stays the same at another batch: docs/graphs.md
        if len(set(column)) > 1 and any(len({b for b, s in zip(batches, column) if s == size}) > 1
                                        for size in set(column)):
            return lambda side: None
    tensors = [torch.arange(math.prod(shape), dtype=torch.float32).reshape(shape) for shape in shapes]

    def run(side: Any) -> Any:
        specs = [side.TensorSpec.from_tensor(t, float("nan") if unknown else b) for t, b in zip(tensors, batches)]
        steps = []
        for other in specs[1:]:
            specs[0].update_shapes_seen(other)
            steps.append(facts_of_spec(specs[0]))
        back = facts_of_spec(side.TensorSpec.from_dict(dict(specs[0].to_dict())))
        made = [answer(lambda n=n: side.batch_tensor(tensors[0], specs[0], n).tolist()) for n in (0, 1, 2, 5, 9)]
        return steps, [specs[0].matches(s) for s in specs], back, [m for m in made if m[0] == "answer"]

    return run


def binding(d: Dice) -> Callable[[Any], Any]:
    names = d.sample(["x", "y", "z", "mask", "args", "kwargs", "self", "a", "b"], d.randrange(6))
    cut, parts, has_default = d.randrange(len(names) + 1), [], False
    for name in names[:cut]:
        has_default = has_default or d.random() < 0.3
        parts.append(name + ("=None" if has_default else ""))
    if d.random() < 0.4:
        parts.append("*rest")
    elif names[cut:]:
        parts.append("*")
    parts += [name + ("=1" if d.random() < 0.5 else "") for name in names[cut:]]
    if d.random() < 0.4:
        parts.append("**more")
    function = eval(f"lambda {', '.join(parts)}: 0")
    calls = [(tuple(range(d.randrange(6))), {k: 1 for k in d.sample([*names, "q", "rest", "more"], d.randrange(3))})
             for _ in range(6)]

    def bound(signature: Any, args: Any, kwargs: Any) -> Any:
        call = signature.normalize(args, kwargs)
        return list(call.arguments.items()), call.args, list(call.kwargs.items())

    def run(side: Any) -> Any:
        signature = side.ForwardSignature.from_callable(function)
        return signature.to_dict(), [answer(lambda c=c: bound(signature, *c)) for c in calls]

    return run


class Net(torch.nn.Module):
    def __init__(self, kind: int) -> None:
        super().__init__()
        self.weights, self.kind = torch.nn.Linear(1, 1), kind

    def forward(self, x: Any, y: Any = None, *rest: Any, flag: bool = False, name: str = "n", **more: Any) -> Any:
        if flag and self.kind == 0:
            raise KeyError("as told")
        tensors = [v for v in (x, y, *rest, *more.values()) if isinstance(v, torch.Tensor)]
        return [x, {"a": x, "n": len(tensors)}, (x * 2, []), x.sum(), (x, name)][self.kind]


def recording(d: Dice) -> Callable[[Any], Any]:
    net, calls = Net(d.randrange(5)).eval(), []
    strict, kept = d.random() < 0.7, d.choice([1, 1, 2, 5, 0])
    for n, batch in enumerate(d.sample([1, 2, 3, 4, 5, 6, 7], d.randrange(1, 7))):
        args: list[Any] = [torch.zeros(d.choice([(batch, 3 + n), (batch, 2, 3), (2 * batch, 3), ()]))]
        args += d.choice([[], [], [torch.zeros(batch, 4)], [None], [[torch.zeros(batch), {"q": torch.zeros(batch, 1)}]],
                          [torch.zeros(batch), 1, "s"]])
        kwargs = {key: d.choice(values) for key, values in (("flag", [True, False]), ("name", ["n", "m", 3]), (
            "extra", [2, [], torch.zeros(batch)])) if d.random() < 0.2}
        calls.append((batch, args, kwargs))

    def run(side: Any) -> Any:
        config = side.Config()
        config.strict_mode, config.max_num_samples_stored, config.min_num_samples = strict, kept, 2
        module, results = side.RecordingModule(net, "net", config=config), []
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for batch, args, kwargs in calls:
                with side.batch_size_scope(batch):
                    results.append(answer(lambda: str(module(*args, **kwargs))))
        graphs = [(g.name, str(g), g.get_max_batch_size(), g.get_max_batch_size(normalized=True),
                   g.get_min_batch_size(), str(list(module.samples_for_graph_spec(g)))) for g in module.graph_specs]
        return results, graphs, module.is_ready_for_optimization, str(module.device)

    return run


# ---- running -------------------------------------------------------------------------------------------


def first_difference(a: Any, b: Any) -> Any:
    if type(a) is type(b) and isinstance(a, (list, tuple)) and len(a) == len(b):
        for x, y in zip(a, b):
            if x != y:
                return first_difference(x, y)
    if isinstance(a, str) and isinstance(b, str):
        return next(((x, y) for x, y in zip(a.split("\n"), b.split("\n")) if x != y), (a, b))
    return a, b


def main() -> int:
    parser = argparse.ArgumentParser(description=roam_graphs.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500)
    args = parser.parse_args()
    from aitune_on_cpu import import_aitune

    print(import_aitune())
    sides = peers(), ours()
    for side in sides:
        register(side.Locator)
    found: Counter[str] = Counter()
    kinds = (describing, learning, binding, recording)
    for kind in kinds:
        for i in range(args.count):
            run = kind(Dice(f"{kind.__name__} {args.seed} {i}"))
            theirs, mine = (answer(lambda s=s: run(s)) for s in sides)
            if theirs == mine:
                continue
            found[kind.__name__] += 1
            if found[kind.__name__] <= 3:
                print(f"{kind.__name__} {args.seed} {i}: peer, ours: {first_difference(theirs, mine)}"[:600])
    print(f"{len(kinds) * args.count} calls on both sides, {sum(found.values())} answers differ {dict(found) or ''}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
