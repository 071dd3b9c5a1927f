"""Routing: each call goes to the backend of its execution graph."""
from __future__ import annotations

from typing import Any, Callable, Iterable, Mapping

from .. import _core
from ._backend import Backend
from ._config import Config, config as process_config
from ._dims import DynamicDim, Shape
from ._metadata import SampleMetadata
from ._signature import ForwardSignature, free_names
from ._spec import InfoLevel

_DEMANDS = {"range": 1, "dtype": 2, "device": 4}


def _demands_of(backend: Any) -> int:
    """The guards that a backend declares, as the router's bits. ValueError for one that is not known."""
    demands = 0
    for name in getattr(backend, "guards", ()):
        if name not in _DEMANDS:
            raise ValueError(f"backend {backend!r}: guard {name!r} is none of {', '.join(_DEMANDS)}")
        demands |= _DEMANDS[name]
    return demands


def _bounds(shape: Shape) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low = tuple(s.min if isinstance(s, DynamicDim) else s for s in shape)
    return low, tuple(s.max if isinstance(s, DynamicDim) else s for s in shape)


def _guards(sample: SampleMetadata, backend: Any, shapes: Mapping[Any, Shape]) -> tuple[Any, ...]:
    demands = _demands_of(backend)
    if not demands:
        return ()
    guards = []
    for number, (locator, spec) in enumerate(sample.tensor_data):
        low, high = tuple(spec.min_shape), tuple(spec.max_shape)
        if locator.path in shapes:
            low, high = _bounds(shapes[locator.path])
        guards.append((number, demands, low, high))
    return tuple(guards)


class TunedModule(_core.GraphRouter):
    """Sends each call to the backend of its graph: ``backend.infer(*args, **kwargs)``, normalised.

    `backends` maps the metadata of graphs (SampleMetadata of their inputs) to backends; ValueError when
    it is empty. With `check_graph` off, one backend takes all calls.

    A call of no graph, or outside the guards that its backend declares (``backend.guards``, of "range",
    "dtype", "device"), goes by `unknown`: "fallback" to `original`, "error" (RuntimeError), "nearest" to
    the graph with the same tensors and ranks and other values, or with the failed guard, and to
    `original` where there is none. Without an `original` it is a RuntimeError. Such calls are counted
    (`n_unknown`, `n_outside`) and each kind is logged once.

    Arguments named in `free` play no part by their values. Ranges are those learned, or those of
    `dynamic_shapes`. Any number of threads may call.
    """

    def __init__(self, backends: Mapping[SampleMetadata, Any], module_name: str,
                 forward_signature: ForwardSignature, check_graph: bool = True, config: Config | None = None,
                 original: Callable[..., Any] | None = None, unknown: str = "fallback", *,
                 free: Iterable[str] = (), dynamic_shapes: Mapping[Any, Shape] | None = None) -> None:
        if not backends:
            raise ValueError(f"TunedModule {module_name!r}: there are no backends")
        used = process_config if config is None else config
        self._free = free_names(free)
        super().__init__(forward_signature.native(self._free), SampleMetadata, used.strict_mode, original,
                         unknown, check_graph)
        self.name, self.forward_signature = module_name, forward_signature
        self._backends = dict(backends)
        self._shapes = dict(dynamic_shapes or {})
        for sample, backend in self._backends.items():
            self._add(sample, backend, _guards(sample, backend, self._shapes))

    @property
    def backends(self) -> dict[SampleMetadata, Any]:
        """The backends by graph."""
        return dict(self._backends)

    @property
    def device(self) -> Any:
        """The device of the first backend."""
        return next(iter(self._backends.values())).device

    def activate(self) -> None:
        """Activates all backends."""
        for backend in self._backends.values():
            backend.activate()

    def deactivate(self) -> None:
        """Deactivates all backends."""
        for backend in self._backends.values():
            backend.deactivate()

    def deploy(self, device: Any = None) -> None:
        """Deploys all backends, which is final."""
        for backend in self._backends.values():
            backend.deploy(device)

    def describe(self) -> str:
        """A table of graphs, their backends and calls, and what was of no graph."""
        from ._table import plain_table

        rows = [
            [str(i), sample.describe(InfoLevel.SHORT), _text_of(backend), str(calls)]
            for i, ((sample, backend), calls) in enumerate(zip(self._backends.items(), self.served))
        ]
        text = plain_table(rows, ["Graph", "Inputs", "Backend", "Calls"])
        return f"{text}\nUnknown graph: {self.n_unknown} calls, outside of guards: {self.n_outside}\n"

    # ---- called by the router -----------------------------------------------------------------------

    def _what(self, sample: SampleMetadata, graph: int, reason: str | None) -> str:
        if graph >= 0:
            return f"{self.name}: graph {graph} does not take this call: {reason}"
        try:
            return f"{self.name}: {self._unknown_text(sample)}"
        except Exception as error:  # of a value's own __str__ or __repr__; no reason to lose the call
            return f"{self.name}: no graph for a call that cannot be told in words: {error!r:.200}"

    def _unknown_text(self, sample: SampleMetadata) -> str:
        shapes = "; ".join(f"{loc} {spec.shape}" for loc, spec in sample.tensor_data) or "no tensors"
        number, differences = min(
            enumerate(_differences(sample, known) for known in self._backends), key=lambda e: len(e[1])
        )
        more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
        return (f"no graph for {sample.describe(InfoLevel.SHORT)} ({shapes}); "
                f"in graph {number} {', '.join(differences[:3])}{more}")

    def _tell(self, sample: SampleMetadata, graph: int, reason: str | None) -> None:
        import logging  # takes long, and is rarely needed

        log = logging.getLogger("headrace.graphs")
        log.warning("%s; policy %r; further calls like this are only counted",
                     self._what(sample, graph, reason), self.unknown)

    def _refuse(self, sample: SampleMetadata, graph: int, reason: str | None) -> None:
        raise RuntimeError(self._what(sample, graph, reason))

    # ---- records ------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A record: backends, check_graph, is_any_jit, module_name, forward_signature.

        And free, unknown and dynamic_shapes where they are not the default.
        """
        own = {"free": list(self._free), "unknown": self.unknown, "dynamic_shapes": dict(self._shapes)}
        default = {"free": [], "unknown": "fallback", "dynamic_shapes": {}}
        return {
            "backends": [(s.to_dict(), backend.to_dict()) for s, backend in self._backends.items()],
            "check_graph": self.check_graph,
            "is_any_jit": any_jit(self._backends.values()),
            "module_name": self.name,
            "forward_signature": self.forward_signature.to_dict(),
            **{name: value for name, value in own.items() if value != default[name]},
        }

    @classmethod
    def from_dict(cls, module: Any, data: dict[str, Any], **options: Any) -> "TunedModule":
        """The router of such a record, for the original `module`; ValueError for an unknown backend.

        `options` are further arguments of TunedModule, which go before those of the record.
        """
        names = ("free", "unknown", "dynamic_shapes")
        more: dict[str, Any] = {name: data[name] for name in names if name in data}
        more.update(options)
        backends = {
            SampleMetadata.from_dict(sample): Backend.from_dict(module, backend)
            for sample, backend in data["backends"]
        }
        return cls(backends, data.get("module_name", "Unknown"),
                   ForwardSignature.from_dict(data["forward_signature"]), data["check_graph"],
                   **more)


def _differences(call: SampleMetadata, graph: SampleMetadata) -> list[str]:
    """What is otherwise in a graph than in the call, in words."""
    found = []
    here, there = dict(call.tensor_data), dict(graph.tensor_data)
    for locator in {**there, **here}:
        if locator not in here or locator not in there:
            found.append(f"{locator} is {'a tensor' if locator in there else 'no tensor, or not given'}")
        elif len(here[locator].shape) != len(there[locator].shape):
            found.append(f"{locator} has {len(there[locator].shape)} axes")
    values, known = dict(call.other_data), dict(graph.other_data)
    for locator in {**known, **values}:
        if locator in here or locator in there:
            continue
        if locator not in known:
            found.append(f"{locator} is not given")
        elif locator not in values or not _is_same(values[locator], known[locator]):
            value = known[locator]
            found.append(f"{locator} is {value!r:.60} ({type(value).__name__})")
    if not found and call.llm_phase != graph.llm_phase:
        found.append(f"the phase is {graph.llm_phase or 'none'}")
    return found or ["the same places hold other values"]


def _is_same(a: Any, b: Any) -> bool:
    one, two = (SampleMetadata.from_inputs(v, strict=True) for v in (a, b))
    return one == two


def _text_of(backend: Any) -> str:
    describe = getattr(backend, "describe", None)
    return str(describe() if callable(describe) else type(backend).__name__)


def any_jit(backends: Iterable[Any]) -> bool:
    """Whether some backend needs the original module while it runs."""
    answers = (getattr(backend, "is_jit", True) for backend in backends)
    return any(answer() if callable(answer) else answer for answer in answers)
