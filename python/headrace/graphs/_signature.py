"""How a callable's arguments are named, so that one call written in two ways is one graph."""
from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import Any, Callable, Iterable

from .. import _core
from ._errors import UserInputError

_KINDS = {kind.name: int(kind) for kind in inspect._ParameterKind}


@dataclass(frozen=True)
class ForwardParameter:
    """A parameter: `kind` is the name of inspect's, such as ``"KEYWORD_ONLY"``."""

    name: str
    kind: str
    has_default: bool


class BoundCall:
    """A call by parameter (`arguments`, without defaults) and as normalised `args` and `kwargs`."""

    __slots__ = ("arguments", "args", "kwargs")

    def __init__(self, arguments: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.arguments, self.args, self.kwargs = arguments, args, kwargs

    def __repr__(self) -> str:
        return f"BoundCall({', '.join(f'{k}={v!r}' for k, v in self.arguments.items())})"


@dataclass(frozen=True, init=False)
class ForwardSignature:
    """The parameters of a callable; equal and hashed by them."""

    parameters: tuple[ForwardParameter, ...]

    def __init__(self, parameters: Iterable[ForwardParameter]) -> None:
        object.__setattr__(self, "parameters", tuple(parameters))
        object.__setattr__(self, "_native", self.native())

    def native(self, free: Iterable[str] = ()) -> Any:
        """The signature as the extension binds by it; values of `free` arguments make no graphs."""
        described = tuple((p.name, _KINDS[p.kind], p.has_default) for p in self.parameters)
        return _core.GraphSignature(described, tuple(free))

    @classmethod
    def from_callable(cls, function: Callable[..., Any]) -> "ForwardSignature":
        """The signature that calls of `function` are bound by.

        Methods drop `self`; functions that wrap others (``__wrapped__``) show the innermost one, but a
        partial on the way shows itself, and an explicit ``__signature__`` in front of it wins. A chain
        of wrappers that goes in a circle is not followed.
        TypeError for what cannot be called.
        """
        if not callable(function):
            raise TypeError(f"ForwardSignature.from_callable: {function!r} cannot be called")
        empty = inspect.Parameter.empty
        inspected, ends = _inspected(function)
        found = inspect.signature(inspected, follow_wrapped=ends)
        return cls(
            ForwardParameter(p.name, p.kind.name, p.default is not empty)
            for p in found.parameters.values()
        )

    def normalize(self, args: Iterable[Any], kwargs: dict[str, Any]) -> BoundCall:
        """Binds a call. Defaults are not filled in. TypeError as Python would raise it."""
        return BoundCall(*self._native.bind(tuple(args), dict(kwargs)))  # type: ignore[attr-defined]

    def to_dict(self) -> dict[str, Any]:
        """``{"parameters": [{"name", "kind", "has_default"}, ...]}``."""
        return {"parameters": [
            {"name": p.name, "kind": p.kind, "has_default": p.has_default} for p in self.parameters
        ]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "ForwardSignature":
        """The signature of such a dict."""
        return cls(ForwardParameter(**p) for p in data["parameters"])

    def __reduce__(self) -> Any:
        return ForwardSignature, (self.parameters,)


def free_names(free: str | Iterable[str]) -> tuple[str, ...]:
    """The names of free arguments; one may be given alone."""
    return (free,) if isinstance(free, str) else tuple(free)


def _inspected(function: Callable[..., Any]) -> tuple[Callable[..., Any], bool]:
    """A partial in the chain of wrapped functions, unless an explicit signature comes earlier; and
    whether the chain has an end."""
    seen: set[int] = set()
    link: Any = function
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        if getattr(link, "__signature__", None) is not None and not isinstance(link, type):
            return function, True
        if isinstance(link, functools.partial):
            return functools.partial(link.func, *link.args, **link.keywords), True
        link = getattr(link, "__wrapped__", None)
    return function, link is None


def validate_forward_input_path(path: Any) -> None:
    """UserInputError unless `path` is a name, or a tuple of a name and further names or indices."""
    if isinstance(path, str) and path:
        return
    is_path = (
        isinstance(path, tuple) and len(path) > 1 and isinstance(path[0], str) and bool(path[0])
        and all(isinstance(step, (str, int)) and not isinstance(step, bool) for step in path[1:])
    )
    if not is_path:
        raise UserInputError(
            f"{path!r} is no path to an input: a parameter's name, or a tuple of it and further steps "
            "(text or whole numbers)"
        )
