"""Recording: which graphs a callable's calls make, and what is learned of each."""
from __future__ import annotations

import copy
import itertools
import threading
import warnings
from collections import Counter
from typing import Any, Callable, Iterable

from ._config import Config, config as process_config
from ._dims import validate_dynamic_shape_definitions
from ._errors import UserInputError
from ._graph import GraphSpec, _places
from ._metadata import SampleMetadata
from ._shapes import check_call
from ._signature import ForwardSignature, free_names
from ._spec import InfoLevel


def forward_of(module: Any) -> Callable[..., Any]:
    """What has the arguments of a call: a module's `forward`, else the callable itself."""
    if not callable(module):
        raise UserInputError(f"{module!r} cannot be called")
    forward: Any = getattr(module, "forward", None)
    found: Callable[..., Any] = forward if callable(forward) and hasattr(module, "parameters") else module
    return found


def device_of(module: Any) -> Any:
    """The device of a module's first parameter; "cpu" for a plain callable. StopIteration without one."""
    parameters = getattr(module, "parameters", None)
    return next(iter(parameters())).device if callable(parameters) else "cpu"


class RecordingModule:
    """Calls a module, or any callable, and notes the execution graphs of the calls.

    Calls return what the module returns. The first `config.max_num_samples_stored` calls of each graph
    are kept as copies. `dynamic_shapes` are checked on each call (UserInputError). Arguments named in
    `free` make no graphs by their values. Calls beyond `config.max_num_graphs` graphs run all the same,
    unrecorded (`n_unrecorded`), with one warning that names the argument behind them.
    """

    def __init__(self, module: Any, name: str, config: Config | None = None,
                 dynamic_shapes: dict[Any, Any] | None = None, *, free: Iterable[str] = ()) -> None:
        forward = forward_of(module)
        if dynamic_shapes is not None:
            validate_dynamic_shape_definitions(dynamic_shapes)
        signature = ForwardSignature.from_callable(forward)
        self._setup(module, module, name, signature, config, dynamic_shapes, free)

    def _setup(self, module: Any, call: Callable[..., Any], name: str, signature: ForwardSignature,
               config: Config | None, dynamic_shapes: dict[Any, Any] | None, free: Iterable[str]) -> None:
        self.module, self.name = module, name
        self._call = call
        self._config = process_config if config is None else config
        self._signature, self._free = signature, free_names(free)
        self._native = signature.native(self._free)
        self._dynamic_shapes = dict(dynamic_shapes or {})
        self._matched: set[Any] = set()
        self._graphs: dict[SampleMetadata, GraphSpec] = {}
        self._samples: dict[str, list[Any]] = {}
        self._numbers = itertools.count()
        self._lock = threading.RLock()
        self.calls: Counter[str] = Counter()  # recorded calls by graph
        self.output_changes: Counter[str] = Counter()
        self.n_unrecorded = 0
        self._cannot_copy = self._is_overfull = self._is_undescribed = False  # told of already

    # ---- calls --------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module. TypeError as Python would raise it; what the module raises is not recorded."""
        inputs = SampleMetadata.from_call(self._native, self._config.strict_mode, None, *args, **kwargs)
        shapes = check_call(self._dynamic_shapes, inputs)
        sample = self._copy(inputs, args, kwargs)
        output = self._call(*args, **kwargs)
        try:
            outputs = SampleMetadata.from_outputs(output, strict=self._config.strict_mode)
        except Exception as error:  # a result is not lost because it cannot be described
            self._undescribed(error)
            return output
        with self._lock:
            self._record(inputs, shapes, outputs, sample)
        return output

    def _copy(self, inputs: SampleMetadata, args: Any, kwargs: Any) -> Any:
        """A copy of the call, if it will be kept."""
        graph = self._graphs.get(inputs)
        stored = len(self._samples[graph.name]) if graph else 0
        if stored >= self._config.max_num_samples_stored or (graph is None and self._is_full()):
            return None
        bound = self._signature.normalize(args, kwargs)
        try:
            return copy.deepcopy((bound.args, bound.kwargs))
        except Exception as error:
            if isinstance(error, RuntimeError) and not isinstance(error, RecursionError):
                raise RuntimeError(
                    f"{self.name}: this call's arguments cannot be copied to keep them as a sample "
                    f"({error}); run it without gradients (torch.no_grad()), or detach the tensors"
                ) from error
            if not self._cannot_copy:
                what = f"{type(error).__name__}: {error}"
                warnings.warn(f"{self.name}: calls are recorded without samples: {what}", RuntimeWarning,
                              stacklevel=3)
            self._cannot_copy = True
            return None

    def _is_full(self) -> bool:
        return len(self._graphs) >= self._config.max_num_graphs

    def _record(self, inputs: SampleMetadata, shapes: dict[Any, Any], outputs: SampleMetadata,
                sample: Any) -> None:
        graph = self._graphs.get(inputs)
        if graph is None:
            if self._is_full():
                self._overflow(inputs)
                return
            graph = self._add(inputs, outputs, shapes)
        elif _places(graph.output_spec) == _places(outputs):
            graph.update_shapes_seen(inputs, outputs)
        else:
            graph.input_spec.update_shapes_seen(inputs)
            self._output_changed(graph, outputs)
        self.calls[graph.name] += 1
        self._matched.update(shapes)
        if sample is not None and len(self._samples[graph.name]) < self._config.max_num_samples_stored:
            self._samples[graph.name].append(sample)

    def _add(self, inputs: SampleMetadata, outputs: SampleMetadata, shapes: dict[Any, Any]) -> GraphSpec:
        name = str(next(self._numbers))
        if inputs.llm_phase:
            name += f" (LLM phase {inputs.llm_phase})"
        graph = GraphSpec(name, inputs, outputs, self._signature, shapes)
        self._samples.setdefault(name, [])
        return self._graphs.setdefault(inputs, graph)

    # ---- what is odd --------------------------------------------------------------------------------

    def _output_changed(self, graph: GraphSpec, outputs: SampleMetadata) -> None:
        self.output_changes[graph.name] += 1
        if self.output_changes[graph.name] == 1:
            texts = _in_words(lambda: [m.describe(InfoLevel.SHORT) for m in (outputs, graph.output_spec)])
            what = f"{texts[0]} after {texts[1]}" if isinstance(texts, list) else texts
            warnings.warn(
                f"{self.name}: graph {graph.name} returned {what}, or other ranks; its output is "
                "described by the first call",
                RuntimeWarning, stacklevel=4,
            )

    def _overflow(self, inputs: SampleMetadata) -> None:
        self.n_unrecorded += 1
        if not self._is_overfull:
            self._is_overfull = True
            warnings.warn(
                f"{self.name}: {len(self._graphs)} graphs are recorded, which is max_num_graphs; "
                f"{_in_words(lambda: blame(list(self._graphs), inputs))}. Further graphs run unrecorded",
                RuntimeWarning, stacklevel=4,
            )

    def _undescribed(self, error: Exception) -> None:
        with self._lock:
            self.n_unrecorded += 1
            is_first, self._is_undescribed = not self._is_undescribed, True
        if is_first:
            warnings.warn(
                f"{self.name}: a call runs unrecorded, as its output cannot be described: "
                f"{type(error).__name__}: {error}",
                RuntimeWarning, stacklevel=3,
            )

    # ---- what was recorded --------------------------------------------------------------------------

    @property
    def graph_specs(self) -> list[GraphSpec]:
        """The graphs in order of appearance."""
        return list(self._graphs.values())

    @property
    def forward_signature(self) -> ForwardSignature:
        """The signature that calls are bound by."""
        return self._signature

    @property
    def device(self) -> Any:
        """The device of the module's first parameter, "cpu" for a plain callable.

        StopIteration for a module without parameters.
        """
        return device_of(self.module)

    @property
    def is_ready_for_optimization(self) -> bool:
        """Whether `config.min_num_samples` samples of each graph are stored; True without graphs."""
        return all(len(s) >= self._config.min_num_samples for s in self._samples.values())

    def samples_for_graph_spec(self, graph: GraphSpec) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        """Copies of the stored calls, as normalised (args, kwargs)."""
        return copy.deepcopy(self._samples[graph.name])

    def validate_dynamic_shape_paths_recorded(self) -> None:
        """UserInputError when a path of `dynamic_shapes` was in no recorded call."""
        missing = [path for path in self._dynamic_shapes if path not in self._matched]
        if missing:
            raise UserInputError(
                f"{self.name}: dynamic_shapes: no recorded call had a tensor at {missing[0]!r}"
            )

    def describe(self, level: InfoLevel = InfoLevel.FULL) -> str:
        """The graphs' tables, and what was odd about the calls."""
        lines = [
            f"Name={g.name}\nInput_spec:\n{g.input_spec.describe(level)}\n"
            f"Output_spec:\n{g.output_spec.describe(level)}" for g in self.graph_specs
        ]
        return "\n".join([*lines, *self.notes()])

    def notes(self) -> list[str]:
        """What was odd about the calls, in sentences."""
        notes = [f"Graph {name}: {n} calls with another output structure"
                 for name, n in self.output_changes.items()]
        if self.n_unrecorded:
            notes.append(f"{self.n_unrecorded} calls were not recorded")
        return notes


def _in_words(tell: Callable[[], Any]) -> Any:
    """What `tell` says; values' own __str__ and __repr__ may fail, and lose no call."""
    try:
        return tell()
    except Exception as error:
        return f"what cannot be told in words ({error!r:.200})"


def _advice(path: str, value: Any) -> str:
    if hasattr(value, "shape"):
        return f"register {type(value).__name__} as a tensor (Locator.register_tensor_type)"
    name = path.split("[")[0].split(".")[0]
    return f"declare it free (free=[{name!r}]) if the result's structure does not hang on it"


def blame(graphs: list[SampleMetadata], last: SampleMetadata) -> str:
    """Which argument makes the graphs, in words."""
    values: dict[str, dict[SampleMetadata, Any]] = {}  # by path, told apart as keys tell them apart
    for graph in [*graphs, last]:
        for locator, value in graph.other_data:
            key = SampleMetadata.from_inputs(value, strict=True)
            values.setdefault(str(locator), {}).setdefault(key, value)
    if values and len(kinds := max(values.values(), key=len)) > 1:
        path = next(p for p, k in values.items() if k is kinds)
        first, *_, another = kinds.values()
        return (
            f"{path!r} makes most of them, with {len(kinds)} values such as {type(first).__name__} "
            f"{first!r:.60}, {type(another).__name__} {another!r:.60}: {_advice(path, another)}"
        )
    layouts: dict[str, set[Any]] = {}
    for graph in [*graphs, last]:
        for root in {locator.root_name for locator, _ in graph.tensor_data}:
            places = frozenset((loc, len(s.shape)) for loc, s in graph.tensor_data if loc.root_name == root)
            layouts.setdefault(str(root), set()).add(places)
    if not layouts:
        return "they differ in which arguments are given"
    root = max(layouts, key=lambda r: len(layouts[r]))
    return f"{root!r} makes most of them, with {len(layouts[root])} structures or ranks of its tensors"
