"""Backends: what runs the calls of one graph."""
from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, Sequence

from .. import _core
from ._errors import UserInputError
from ._graph import GraphSpec
from ._torch import is_module, torch_of

if TYPE_CHECKING:
    from pathlib import Path


class BackendState(Enum):
    """Where a backend stands; only active and deployed ones serve calls."""

    INIT = "init"
    ACTIVE = "active"
    INACTIVE = "inactive"
    LOADED = "loaded"
    DEPLOYED = "deployed"


class Backend:
    """Runs the calls of one graph. Subclasses have `_build` and `_infer`.

    States: init, active by `build()` (once), active and inactive by `activate()` and `deactivate()`;
    a loaded one becomes active or deployed; deployed is final. RuntimeError for other moves, and for
    `infer()` outside of active and deployed.

    `guards` names what must hold of a call's tensors for this backend, beyond the graph: "range" (sizes
    within those learned), "dtype", "device". The router checks it.
    """

    guards: tuple[str, ...] = ()
    is_jit = True  # needs the original module while it runs

    def __init__(self) -> None:
        self.state = BackendState.INIT
        self.device: Any = None

    # ---- for subclasses -----------------------------------------------------------------------------

    def _build(self, module: Any, graph_spec: GraphSpec, data: Sequence[Any], cache_dir: "Path") -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _build()")

    def _infer(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _infer()")

    def _entry(self) -> Any:
        """What calls go to while they are served."""
        return self._infer

    def _settings(self) -> dict[str, Any]:
        """Settings that are not the default."""
        return {}

    # ---- life ---------------------------------------------------------------------------------------

    def build(self, module: Any, graph_spec: GraphSpec, data: Sequence[Any], device: Any,
              cache_dir: "Path") -> "Backend":
        """Makes the backend for a graph of `module`; `data` are stored samples. Active afterwards."""
        self._move("build", (BackendState.INIT,))
        self.device = device
        self._build(module, graph_spec, data, cache_dir)
        self._serve(BackendState.ACTIVE)
        return self

    def activate(self) -> None:
        """Serves calls; also when it does already."""
        if self.state is not BackendState.ACTIVE:
            self._move("activate", (BackendState.INACTIVE, BackendState.LOADED))
            self._serve(BackendState.ACTIVE)

    def deactivate(self) -> None:
        """Serves no calls until it is activated; also when it does not already."""
        if self.state is not BackendState.INACTIVE:
            self._move("deactivate", (BackendState.ACTIVE,))
            self.__dict__.pop("infer", None)
            self.state = BackendState.INACTIVE

    def deploy(self, device: Any = None) -> None:
        """Serves calls for good."""
        self._move("deploy", (BackendState.ACTIVE, BackendState.INACTIVE, BackendState.LOADED))
        if device is not None:
            self.device = device
        self._serve(BackendState.DEPLOYED)

    def infer(self, *args: Any, **kwargs: Any) -> Any:
        """Runs a call. RuntimeError unless active or deployed."""
        raise RuntimeError(f"{self.describe()} is {self.state.value}; it serves calls once active")

    def _serve(self, state: BackendState) -> None:
        self.__dict__["infer"] = self._entry()  # so that calls reach it without a check of the state
        self.state = state

    def _move(self, what: str, allowed: tuple[BackendState, ...]) -> None:
        if self.state not in allowed:
            raise RuntimeError(
                f"{self.describe()}: {what}() in state {self.state.value}; it works from "
                f"{', '.join(s.value for s in allowed)}"
            )

    # ---- records ------------------------------------------------------------------------------------

    def key(self) -> str:
        """A name for folders: the class and the settings that are not the default."""
        return "_".join([type(self).__name__, *(f"{k}-{v}" for k, v in self._settings().items())])

    def describe(self) -> str:
        """The class and the settings that are not the default: ``TorchEagerBackend()``."""
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._settings().items())})"

    __repr__ = describe

    def to_dict(self) -> dict[str, Any]:
        """A record: type and settings."""
        return {"type": type(self).__name__, "settings": self._settings()}

    @classmethod
    def from_dict(cls, module: Any, data: dict[str, Any]) -> "Backend":
        """The backend of such a record, loaded. ValueError for a type that no subclass has."""
        kind = _subclasses(Backend).get(data.get("type", ""))
        if kind is None:
            raise ValueError(f"Backend.from_dict: no backend of type {data.get('type')!r} is known")
        backend = kind(**data["settings"])
        backend._load(module)
        backend.state = BackendState.LOADED
        return backend

    def _load(self, module: Any) -> None:
        raise NotImplementedError(f"{type(self).__name__} cannot be loaded")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if state.pop("infer", None) is not None:
            state["_is_serving"] = True
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        is_serving = state.pop("_is_serving", False)
        self.__dict__.update(state)
        if is_serving:
            self._serve(self.state)


def _subclasses(kind: type[Backend]) -> dict[str, type[Backend]]:
    found: dict[str, type[Backend]] = {}
    for sub in kind.__subclasses__():
        found[sub.__name__] = sub
        found.update(_subclasses(sub))
    return found


class EagerBackend(Backend):
    """The callable as it is; for any callable, without PyTorch."""

    def _build(self, module: Any, graph_spec: GraphSpec, data: Sequence[Any], cache_dir: "Path") -> Any:
        self._module = module

    def _load(self, module: Any) -> None:
        self._module = module

    def _infer(self, *args: Any, **kwargs: Any) -> Any:
        return self._module(*args, **kwargs)

    def _entry(self) -> Any:
        is_plain = type(self)._infer is EagerBackend._infer
        return self._module if is_plain else self._infer


class TorchEagerBackend(EagerBackend):
    """A PyTorch module as it is, without gradients."""

    def _build(self, module: Any, graph_spec: GraphSpec, data: Sequence[Any], cache_dir: "Path") -> Any:
        self._load(module)

    def _load(self, module: Any) -> None:
        if not is_module(module):
            raise UserInputError(f"TorchEagerBackend: {module!r} is no torch.nn.Module; use EagerBackend")
        self._torch = torch_of(module)
        self._module = module

    def _infer(self, *args: Any, **kwargs: Any) -> Any:
        with self._torch.no_grad():
            return self._module(*args, **kwargs)

    def _entry(self) -> Any:
        set_enabled = getattr(self._torch._C, "_set_grad_enabled", None)
        if type(self)._infer is not TorchEagerBackend._infer or set_enabled is None:
            return self._infer
        return _core.GraphNoGrad(self._module, self._torch.is_grad_enabled, set_enabled)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_torch", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_module" in state:
            self._torch = torch_of(state["_module"])
        super().__setstate__(state)
