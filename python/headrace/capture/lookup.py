"""Values of names and attributes without running the user's code.

No `__getattr__`, property, descriptor or `__class__` of a user's object is ever called: types are
read with `type`, attributes from the dictionaries of instances and of their classes.
"""

from __future__ import annotations

import sys
import types
from typing import Any, NamedTuple

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "missing"})()
PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None)})
LIBRARY = __name__.partition(".")[0]
#: Types of the library whose values never change.
CONSTANTS = frozenset({"DType", "Device", "DALIDataType", "DALIImageType", "DALIInterpType"})
CHANGEABLE = frozenset({list, dict, set, bytearray})

_class_names: Any = type.__dict__["__dict__"].__get__
_bases: Any = type.__dict__["__mro__"].__get__
_module_names: Any = vars(types.ModuleType)["__dict__"].__get__


def _name_says_marked(value: Any) -> bool:
    return type(value).__name__.startswith("_Invariant_")


def _from_locals(frame: types.FrameType, name: str) -> Any:
    """Up to Python 3.12 this leaves a copy of the locals in the frame, so the extension has a
    reader of its own."""
    return frame.f_locals.get(name, MISSING)


class Hooks:
    """What the extension knows better. It sets these when it has been loaded."""

    is_marked = staticmethod(_name_says_marked)  #: (value) -> is it an invariant proxy
    read_local = staticmethod(_from_locals)  #: (frame, name) -> value, or lookup.MISSING
    invariant: Any = None  #: the function that marks; None: headrace.capture.invariant


hooks = Hooks()


class Bound(NamedTuple):
    """A function found through an instance or as a class method: it passes one argument itself."""

    function: types.FunctionType


class Callee(NamedTuple):
    """What a call runs, and what was bound before."""

    function: Any  #: a types.FunctionType
    given: int  #: positional arguments bound before the call's own
    keywords: dict[str, Any]  #: keywords bound by functools.partial


def is_library_type(kind: Any) -> bool:
    module = _class_names(kind).get("__module__")
    return type(module) is str and module.partition(".")[0] == LIBRARY


def is_library_constant(value: Any) -> bool:
    kind = type(value)
    return kind.__name__ in CONSTANTS and is_library_type(kind)


def changes(value: Any) -> str:
    """"" for an immutable value, else words for what may change in it."""
    kind = type(value)
    if kind in PLAIN or is_library_constant(value) or hooks.is_marked(value):
        return ""
    if kind is tuple or kind is frozenset:
        inner = next(filter(None, map(changes, value)), "")
        return inner and f"a {kind.__name__} that holds {inner}"
    if kind in CHANGEABLE:
        return f"a {kind.__name__}, which can be changed"
    return f"a value of type {kind.__name__}, which is not known to be immutable"


def _in_classes(kind: Any, name: str) -> Any:
    for base in _bases(kind):
        found = _class_names(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def _own_names(value: Any) -> dict[str, Any]:
    """The instance's dictionary; empty where it has none, or a class that hides it."""
    place = _in_classes(type(value), "__dict__")
    if type(place) is not types.GetSetDescriptorType:
        return {}
    names = place.__get__(value)
    return names if type(names) is dict else {}


def attribute(value: Any, name: str) -> Any:
    """`value.name` if plain look-up gives it, a Bound for methods, else MISSING."""
    kind = type(value)
    if hooks.is_marked(value):
        return MISSING
    if issubclass(kind, types.ModuleType):
        return dict.get(_module_names(value), name, MISSING)
    if issubclass(kind, type):
        return _of_class(value, name)
    if _in_classes(kind, "__getattribute__") is not object.__dict__["__getattribute__"]:
        return MISSING
    found = _in_classes(kind, name)
    if type(found) is types.MemberDescriptorType:
        try:
            return found.__get__(value)
        except AttributeError:
            return MISSING
    if found is not MISSING and _in_classes(type(found), "__set__") is not MISSING:
        return MISSING  # a property
    own = _own_names(value).get(name, MISSING)
    if own is not MISSING:
        return own
    if type(found) is types.FunctionType:
        return Bound(found)
    return _unwrapped(found)


def _of_class(value: Any, name: str) -> Any:
    meta = type(value)
    if _in_classes(meta, "__getattribute__") is not type.__dict__["__getattribute__"]:
        return MISSING
    members = _class_names(value).get("_member_map_")
    if type(members) is dict and name in members:  # of an enumeration
        return members[name]
    if _in_classes(meta, name) is not MISSING:
        return MISSING  # the metaclass has a say
    return _unwrapped(_in_classes(value, name))


def _unwrapped(found: Any) -> Any:
    """An attribute of a class as a read gives it, if that runs no code."""
    kind = type(found)
    if kind is staticmethod:
        return found.__func__
    if kind is classmethod:
        function = found.__func__
        return Bound(function) if type(function) is types.FunctionType else MISSING
    if kind is types.FunctionType or found is MISSING:
        return found
    return found if _in_classes(kind, "__get__") is MISSING else MISSING


def omitted(callee: Callee, name: str) -> Any:
    """The value of a parameter that the call leaves out."""
    function: Any = callee.function
    if name in callee.keywords:
        return callee.keywords[name]
    values, names = function.__defaults__ or (), function.__code__.co_varnames
    count = function.__code__.co_argcount
    found = dict(zip(names[count - len(values):count], values))
    return found.get(name, (function.__kwdefaults__ or {}).get(name, MISSING))


def callee_of(value: Any) -> Callee | None:
    """The Python function that a call of `value` runs, or None."""
    kind: Any = type(value)
    if kind is Bound:
        return Callee(value.function, 1, {})
    if kind is types.FunctionType:
        return Callee(value, 0, {})
    if kind is types.MethodType:
        method = callee_of(value.__func__)
        return method and method._replace(given=method.given + 1)
    functools = sys.modules.get("functools")
    if functools is not None and kind is functools.partial:
        inner = callee_of(value.func)
        return inner and Callee(inner.function, inner.given + len(value.args),
                                {**inner.keywords, **value.keywords})
    return None


def is_marker(value: Any) -> bool:
    """Whether `value` is the function hr.capture.invariant."""
    marker = hooks.invariant
    if marker is None:
        package = sys.modules.get(f"{LIBRARY}.capture")
        marker = package and dict.get(_module_names(package), "invariant")
    return marker is not None and value is marker


def is_library(value: Any) -> bool:
    """A module or a type of the library: the constants that they hold are constant."""
    if issubclass(type(value), types.ModuleType):
        name = dict.get(_module_names(value), "__name__")
        return type(name) is str and name.partition(".")[0] == LIBRARY
    return issubclass(type(value), type) and is_library_type(value)


def may_begin_chain(value: Any) -> bool:
    """Whether `value.a.b` may name a constant of the library: a module, or one of its types."""
    return issubclass(type(value), types.ModuleType) or is_library(value)
