"""Module: the wrapper around a model. It records calls, is tuned, and routes calls to the backends."""
from __future__ import annotations

import threading
import weakref
from enum import Enum
from typing import Any, Callable, Iterable, Mapping

from .. import _core
from . import _torch
from ._backend import EagerBackend, TorchEagerBackend
from ._config import config
from ._dims import validate_dynamic_shape_definitions
from ._errors import UserInputError
from ._graph import GraphSpec
from ._locator import Locator
from ._proxy import Proxy
from ._recording import RecordingModule, device_of, forward_of
from ._signature import ForwardSignature, free_names
from ._strategy import OneBackendStrategy
from ._tuned import TunedModule, any_jit

_changes = threading.RLock()  # of any module's state
_registry: "weakref.WeakValueDictionary[str, Module]" = weakref.WeakValueDictionary()


class ModuleState(Enum):
    """What a call of a Module does."""

    INIT = "init"
    RECORDING = "recording"
    PASSTHROUGH = "passthrough"
    TUNED = "tuned"


def registered_modules() -> list[str]:
    """The names of all wrapped modules that are alive."""
    return list(_registry)


def reset() -> None:
    """Forgets the names of wrapped modules; they go on working."""
    _registry.clear()


def _unique(name: str) -> str:
    if name not in _registry:
        return name
    import logging

    number = next(i for i in range(2, len(_registry) + 3) if f"{name}_{i}" not in _registry)
    log = logging.getLogger("headrace.graphs")
    log.info("a module %r is wrapped already; the new one is called %r", name, f"{name}_{number}")
    return f"{name}_{number}"


def _qualified(module: Any) -> str:
    kind = module if hasattr(module, "__qualname__") and not _torch.is_module(module) else type(module)
    return f"{kind.__module__}.{kind.__qualname__}"


def _device(device: Any, module: Any) -> Any:
    """Where to tune: `device`, or where the module is. ValueError for text that names no device."""
    if device is None:
        try:
            return device_of(module)
        except StopIteration:
            return "cpu"
    if not isinstance(device, str):
        return device  # a torch.device has been checked
    text = device
    kind, _, number = text.partition(":")
    if text in ("cpu", "meta", "cuda") or (kind == "cuda" and number.isdigit() and int(number) <= 127):
        return device
    raise ValueError(f"device: {text!r} is none of 'cpu', 'meta', 'cuda', 'cuda:0' to 'cuda:127'")



class Module(Proxy):
    """Wraps a model, a torch.nn.Module or any callable; works as it does, and knows its calls.

    Calls are recorded first; `tune()` gives each execution graph a backend, and from then on calls are
    routed. `forward` of a torch module is replaced once, here, so that calls of the module itself are
    recorded and routed as well; `unwrap()` puts it back. Attributes, items and isinstance() are the
    module's.

    strategy, strategies
        how a graph gets its backend: one for all, a list in the order of the graphs, or a map from
        SampleMetadata. Default: the module itself, without gradients
    dynamic_shapes
        shapes by semantic path, as tuples of sizes, DynamicDim and BatchDim; calls outside raise
        UserInputError while recording
    unknown
        what serves a call of no recorded graph, see TunedModule: "fallback", "error", "nearest"
    free
        names of arguments whose values make no graphs

    ValueError for both kinds of strategies; UserInputError for what cannot be wrapped.
    """

    def __init__(self, module: Any, name: str | None = None, strategy: Any = None, strategies: Any = None,
                 dynamic_shapes: dict[Any, Any] | None = None, *, unknown: str = "fallback",
                 free: Iterable[str] = ()) -> None:
        with _changes:  # so that of two threads that wrap a module one is refused, and names stay unique
            self._wrap(module, name, strategy, strategies, dynamic_shapes, unknown, free)

    def _wrap(self, module: Any, name: str | None, strategy: Any, strategies: Any,
              dynamic_shapes: dict[Any, Any] | None, unknown: str, free: Iterable[str]) -> None:
        set_own = self._set
        self._check(module, strategy, strategies, dynamic_shapes, unknown)
        forward = forward_of(module)
        set_own("_original", module)
        set_own("_signature", ForwardSignature.from_callable(forward))
        set_own("_free", free_names(free))
        self._signature.native(self._free)  # ValueError for a free argument that there is none of
        set_own("_strategy", strategy)
        set_own("_strategies", strategies)
        set_own("_dynamic_shapes", dict(dynamic_shapes or {}))
        set_own("unknown", unknown)
        set_own("name", _unique((name or _qualified(module)).replace("/", "_")))
        set_own("_recording", None)
        set_own("_tuned", None)
        set_own("_is_empty", False)  # the weights are gone
        set_own("_is_tuning", False)
        self._install(forward)
        self._become(ModuleState.INIT, self._first_call)
        _registry[self.name] = self

    @staticmethod
    def _check(module: Any, strategy: Any, strategies: Any, dynamic_shapes: Any, unknown: str) -> None:
        if strategy is not None and strategies is not None:
            raise ValueError("Module: give a strategy or strategies, not both")
        if strategies is not None and not isinstance(strategies, (list, tuple, Mapping)):
            raise ValueError(f"Module: strategies are a list or a map, not {strategies!r}")
        if unknown not in ("fallback", "error", "nearest"):
            raise ValueError(f"Module: unknown: {unknown!r} is none of 'fallback', 'error', 'nearest'")
        if dynamic_shapes is not None:
            validate_dynamic_shape_definitions(dynamic_shapes)
        if isinstance(getattr(module, "forward", None), _core.GraphEntry) or isinstance(module, Module):
            raise UserInputError(f"{module!r} is wrapped already; unwrap() it first")

    def _install(self, forward: Callable[..., Any]) -> None:
        """Puts the entry in the place of `forward`, for good."""
        module, set_own = self._original, self._set
        is_own = _torch.is_module(module) and _torch.is_own_forward(module, forward)
        restore = (getattr, (module, "forward")) if is_own else (_torch.restored, (forward,))
        entry = _core.GraphEntry(forward, restore)
        entry.owner = self
        set_own("_entry", entry)
        set_own("_backend_view", module)
        set_own("_is_own_forward", is_own)
        if not _torch.is_module(module) or _torch.is_scripted(module):
            self._hold(entry, None, (), None)
            return
        set_own("_backend_view", _torch.without_hooks(module, forward))
        module.__dict__["forward"] = entry
        self._hold(entry, module, *_torch.hook_places(module))

    def unwrap(self) -> Any:
        """Puts the module's own `forward` back and returns the module, whose calls are its own again.

        The wrapper goes on, without the module's hooks.
        """
        module = self._original
        if vars(module).get("forward") is self._entry if hasattr(module, "__dict__") else False:
            if self._is_own_forward:
                del module.__dict__["forward"]
            else:
                module.__dict__["forward"] = self._entry.__wrapped__
            self._hold(self._entry, None, (), None)
        if _registry.get(self.name) is self:
            del _registry[self.name]
        return module

    # ---- states -------------------------------------------------------------------------------------

    def _become(self, state: ModuleState, target: Callable[..., Any]) -> None:
        self._set("state", state)
        self._entry.target = target

    def _first_call(self, *args: Any, **kwargs: Any) -> Any:
        with _changes:  # another thread's first call may have come first
            if self.state is ModuleState.INIT:
                self.enable_recording()
        return self._entry.target(*args, **kwargs)

    def _leave_tuned(self, what: str, force: bool) -> None:
        if self.state is not ModuleState.TUNED:
            return
        if not force:
            raise RuntimeError(f"{self.name}: {what}() would drop what was tuned; force=True does it")
        if self._is_empty:
            raise RuntimeError(f"{self.name}: {what}(): the weights went to {config.device_after_tuning!r}")
        self._set("_recording", None)
        self._set("_tuned", None)

    def enable_recording(self, force: bool = False) -> None:
        """Calls are recorded; an earlier recording goes on. RuntimeError when tuned, unless `force`."""
        with _changes:
            self._leave_tuned("enable_recording", force)
            if self._recording is None:
                recording = RecordingModule.__new__(RecordingModule)
                recording._setup(self._original, self._entry.__wrapped__, self.name, self._signature, config,
                                 self._dynamic_shapes, self._free)
                self._set("_recording", recording)
            self._become(ModuleState.RECORDING, self._recording)

    def enable_passthrough(self, force: bool = False) -> None:
        """Calls go to the module, tensors moved to its device. RuntimeError when tuned, unless `force`."""
        moves = _torch.is_module(self._original) and _torch.has_accelerator(self._original)
        with _changes:
            self._leave_tuned("enable_passthrough", force)
            self._become(ModuleState.PASSTHROUGH, self._moved_call if moves else self._entry.__wrapped__)

    def _moved_call(self, *args: Any, **kwargs: Any) -> Any:
        device, call = _device(None, self._original), (args, kwargs)
        for locator, tensor in Locator.find_leaves(call, only_tensors=True):
            if hasattr(tensor, "to") and getattr(tensor, "device", device) != device:
                call = locator.with_value(call, tensor.to(device))
        return self._entry.__wrapped__(*call[0], **call[1])

    def activate(self) -> None:
        """Activates the backends. RuntimeError unless tuned or in passthrough."""
        if self.state is ModuleState.TUNED:
            self._tuned.activate()
        elif self.state is not ModuleState.PASSTHROUGH:
            raise RuntimeError(f"{self.name}: activate() in state {self.state.value}; it works once tuned")

    def deactivate(self) -> None:
        """Deactivates the backends; does nothing unless tuned."""
        if self.state is ModuleState.TUNED:
            self._tuned.deactivate()

    # ---- tuning -------------------------------------------------------------------------------------

    def tune(self, device: Any = None, strategy: Any = None, dry_run: bool = False) -> None:
        """Gives each recorded graph a backend, and routes calls from then on.

        `strategy` takes the place of those given before. A dry run asks the strategies what they would
        do (their `tune_dry_run`). ValueError unless recording; RuntimeError for a graph without a
        strategy; UserInputError for a path of `dynamic_shapes` that was in no call. If a graph fails its
        exception leaves and the module goes on recording. RuntimeError while another tune() is under way.
        """
        with _changes:
            if self.state is not ModuleState.RECORDING:
                raise ValueError(f"{self.name}: tune() in state {self.state.value}; it needs recorded calls")
            if self._is_tuning:
                raise RuntimeError(f"{self.name}: tune() is under way already")
            self._set("_is_tuning", True)
        try:
            self._tune(device, strategy, dry_run)
        finally:
            self._set("_is_tuning", False)

    def _tune(self, device: Any, strategy: Any, dry_run: bool) -> None:
        recording, used = self._recording, _device(device, self._original)
        recording.validate_dynamic_shape_paths_recorded()
        graphs = recording.graph_specs
        chosen = self._chosen(graphs, strategy)
        if _torch.is_module(self._original):
            if device is not None:
                _torch.move(self._original, used)
        elif str(used) != "cpu":
            raise ValueError(f"{self.name}: device {str(used)!r}; a plain callable has no weights to move")
        backends = {}
        for graph, how in zip(graphs, chosen):
            data, folder = recording.samples_for_graph_spec(graph), config.cache_dir / self.name / graph.name
            run = how.tune_dry_run if dry_run else how.tune
            backends[graph.input_spec] = run(self._backend_view, self.name, graph, data, used, folder)
        if not dry_run:
            self._serve(backends, graphs)

    def _chosen(self, graphs: list[GraphSpec], strategy: Any) -> list[Any]:
        """A strategy for each graph."""
        if not graphs:
            raise ValueError(f"{self.name}: tune() without recorded calls")
        if strategy is None and isinstance(self._strategies, Mapping):
            missing = [g.name for g in graphs if g.input_spec not in self._strategies]
            if missing:
                raise RuntimeError(f"{self.name}: the map of strategies has none for graph {missing[0]}")
            return [self._strategies[g.input_spec] for g in graphs]
        if strategy is None and self._strategies is not None:
            if len(self._strategies) < len(graphs):
                n = len(self._strategies)
                raise RuntimeError(f"{self.name}: {n} strategies for {len(graphs)} graphs")
            return list(self._strategies[:len(graphs)])
        return [strategy or self._strategy or self._default_strategy()] * len(graphs)

    def _default_strategy(self) -> OneBackendStrategy:
        is_torch = _torch.is_module(self._original)
        return OneBackendStrategy(TorchEagerBackend() if is_torch else EagerBackend())

    def _serve(self, backends: dict[Any, Any], graphs: list[GraphSpec]) -> None:
        shapes = {path: shape for graph in graphs for path, shape in graph.dynamic_shapes.items()}
        needs_original = self.unknown != "error" or any_jit(backends.values())
        tuned = TunedModule(
            backends, self.name, self._signature, config=config, unknown=self.unknown, free=self._free,
            original=self._entry.__wrapped__ if self.unknown != "error" else None, dynamic_shapes=shapes,
        )
        self._set("_tuned", tuned)
        self._become(ModuleState.TUNED, tuned)
        if not needs_original and _torch.is_module(self._original):
            _torch.move(self._original, config.device_after_tuning)
            self._set("_is_empty", str(config.device_after_tuning) == "meta")

    # ---- what is known ------------------------------------------------------------------------------

    @property
    def module(self) -> Any:
        """What serves calls: the RecordingModule, the TunedModule, or the original."""
        if self.state is ModuleState.RECORDING:
            return self._recording
        tuned = self._tuned  # None from when another thread leaves the state until it has become the next
        return tuned if self.state is ModuleState.TUNED and tuned is not None else self._original

    @property
    def graph_specs(self) -> list[GraphSpec]:
        """The recorded graphs. ValueError when no call was recorded."""
        if self._recording is None:
            raise ValueError(f"{self.name}: nothing was recorded")
        specs: list[GraphSpec] = self._recording.graph_specs
        return specs

    @property
    def device(self) -> Any:
        """The device of the first parameter; "cpu" for a plain callable. StopIteration without one."""
        return device_of(self._original)

    # ---- records ------------------------------------------------------------------------------------

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "",
                   keep_vars: bool = False) -> Any:
        """In passthrough the module's own; once tuned one entry, under `prefix`, with the routing's record.

        RuntimeError before.
        """
        if args:
            destination = args[0]
            prefix = args[1] if len(args) > 1 else prefix
        if self.state is ModuleState.PASSTHROUGH:
            return self._original.state_dict(destination=destination, prefix=prefix, keep_vars=keep_vars)
        if self.state is not ModuleState.TUNED:
            raise RuntimeError(f"{self.name}: state_dict() in state {self.state.value}; tune() it first")
        destination = {} if destination is None else destination
        destination[prefix] = {
            "type": "Module", "name": self.name, "dynamic_shapes": dict(self._dynamic_shapes),
            "tuned_module": self._tuned.to_dict(),
        }
        return destination

    @classmethod
    def from_dict(cls, module: Any, data: dict[str, Any], device: Any = None) -> "Module":
        """A tuned wrapper of `module` from such an entry; its backends are deployed."""
        routing = data["tuned_module"]
        made = cls(module, data["name"], dynamic_shapes=data["dynamic_shapes"] or None,
                   unknown=routing.get("unknown", "fallback"), free=routing.get("free", ()))
        try:
            tuned = TunedModule.from_dict(made._backend_view, routing,
                                          original=made._entry.__wrapped__, config=config)
            tuned.deploy(_device(device, module))
        except Exception:
            made.unwrap()
            raise
        made._set("_tuned", tuned)
        made._become(ModuleState.TUNED, tuned)
        return made
