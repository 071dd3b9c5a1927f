"""Looking like what is wrapped: attributes, items, isinstance(), copies."""
from __future__ import annotations

import copy
import functools
import inspect
import types
from typing import Any

from .. import _core
from . import _torch

_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial, type)
_OWN = ("name", "state", "module", "graph_specs", "device", "unknown")


class Proxy(_core.GraphWrapper):
    """Shows what `_original` shows, but for the names of its own."""

    name: str
    _original: Any
    _entry: Any

    def _set(self, name: str, value: Any) -> None:
        """Sets an attribute of the wrapper, not of what it wraps."""
        object.__setattr__(self, name, value)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        original = vars(self).get("_original", self)
        return type(self) if original is self or isinstance(original, _FUNCTIONS) else type(original)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._entry.__wrapped__)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """A copy of the module, which is not wrapped."""
        return copy.deepcopy(self._original, memo)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _torch.restored, (self._original,)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") or "_original" not in vars(self):
            raise AttributeError(name)
        return getattr(self._original, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN:
            raise AttributeError(f"{self.name}: {name!r} cannot be set")
        setattr(self._original, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._original, name)

    def __getitem__(self, key: Any) -> Any:
        return self._original[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._original[key] = value

    def __len__(self) -> int:
        return len(self._original)

    def __iter__(self) -> Any:
        return iter(self._original)

    def __contains__(self, item: Any) -> bool:
        return item in self._original

    def __bool__(self) -> bool:
        return True

    def __dir__(self) -> list[str]:
        return sorted({*dir(type(self)), *dir(self._original)})

    def __repr__(self) -> str:
        return f"Module({self.name!r}, {self.state.value}, {self._original!r})"
