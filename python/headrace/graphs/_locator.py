"""Where a leaf lies in a call: the steps from the root, and how to get and set a value there."""
from __future__ import annotations

import copy
from enum import IntEnum
from typing import Any, Callable, Iterator

from .. import _core


class ObjectType(IntEnum):
    """How a step of a path goes from a container to what it holds."""

    SEQUENCE = 0
    DICT = 1
    DATACLASS = 2
    USER_TYPE = 3


Step = tuple[Any, ObjectType]
_RECORDS = (ObjectType.DATACLASS, ObjectType.USER_TYPE)


def _step_text(step: Step, is_bare: bool) -> str:
    accessor, kind = step
    if kind in _RECORDS:
        return f".{accessor}"
    if kind == ObjectType.SEQUENCE or not isinstance(accessor, str):
        return f"[{accessor}]"
    return accessor if is_bare and accessor.isidentifier() else f'["{accessor}"]'


def _rebuilt_tuple(old: Any, items: list[Any]) -> Any:
    """A tuple of the type of `old`: named tuples and others that are made of their items."""
    if type(old) is tuple:
        return tuple(items)
    make = getattr(type(old), "_make", None)  # named tuples
    return make(items) if make is not None else type(old)(items)


def replaced(container: Any, step: Step, value: Any) -> Any:
    """A container of the same type that holds `value` at the step; itself, changed, if it can be."""
    accessor, kind = step
    if kind in _RECORDS:
        setattr(container, accessor, value)
    elif isinstance(container, tuple):
        items = list(container)
        items[accessor] = value
        return _rebuilt_tuple(container, items)
    else:
        container[accessor] = value
    return container


def copied_with(container: Any, step: Step, value: Any) -> Any:
    """As `replaced`, but never changes `container`; frozen dataclasses come out as such."""
    accessor, kind = step
    if kind not in _RECORDS:
        return replaced(container if isinstance(container, tuple) else copy.copy(container), step, value)
    new = copy.copy(container)
    parameters = getattr(container, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        object.__setattr__(new, accessor, value)
    else:
        setattr(new, accessor, value)
    return new


class Locator:
    """The steps from the root of a call, or of its output, to one leaf.

    ``Locator((("values", ObjectType.DICT), (3, ObjectType.SEQUENCE)))`` is ``values[3]``. Two locators
    are equal if their steps are; whether they belong to inputs or outputs plays no part.
    """

    __slots__ = ("_pairs", "_is_output", "_hash")
    _pairs: tuple[Step, ...]

    def __init__(self, pairs: Any = (), is_output: bool = False) -> None:
        self._pairs = pairs if type(pairs) is tuple else tuple(pairs)
        self._is_output = is_output

    @property
    def is_output(self) -> bool:
        """Whether the path starts at an output."""
        return self._is_output

    @property
    def depth(self) -> int:
        """Number of steps."""
        return len(self._pairs)

    @property
    def root_name(self) -> Any:
        """The first accessor; '' when there is none."""
        return self._pairs[0][0] if self._pairs else ""

    @property
    def leaf_name(self) -> Any:
        """The last accessor; IndexError when there is none."""
        return self._pairs[-1][0]

    def accessor_at(self, i: int) -> Any:
        """The i-th accessor; negative numbers count from the end; IndexError outside."""
        return self._pairs[i][0]

    @property
    def path(self) -> Any:
        """The semantic path: the accessors as a tuple, or the one accessor itself."""
        if len(self._pairs) == 1:
            return self._pairs[0][0]
        return tuple(accessor for accessor, _ in self._pairs)

    def path_iter(self) -> Iterator[Step]:
        """The (accessor, ObjectType) pairs."""
        return iter(self._pairs)

    @property
    def display_path(self) -> str:
        """The access path as one writes it in Python: ``values[3]["t"]``, ``output[0].left``."""
        parts = ["output"] if self._is_output else []
        for i, step in enumerate(self._pairs):
            parts.append(_step_text(step, i == 0 and not self._is_output))
        return "".join(parts)

    def __str__(self) -> str:
        return self.display_path

    def __repr__(self) -> str:
        return self.display_path

    def __eq__(self, other: object) -> bool:
        return self._pairs == other._pairs if isinstance(other, Locator) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._pairs)

    def __reduce__(self) -> Any:
        return Locator, (tuple((a, int(k)) for a, k in self._pairs), self._is_output)

    def get_value(self, obj: Any) -> Any:
        """What lies there in `obj`. KeyError, IndexError, AttributeError, TypeError where it is not."""
        for accessor, kind in self._pairs:
            obj = getattr(obj, accessor) if kind in _RECORDS else obj[accessor]
        return obj

    def set_value(self, obj: Any, value: Any) -> Any:
        """Stores `value` there and returns the root to use from now on.

        Lists, mappings and records are changed in place. A tuple is made anew, of its own type, and
        stored in what holds it. A frozen dataclass raises FrozenInstanceError.
        """
        return self._put(obj, value, replaced)

    def with_value(self, obj: Any, value: Any) -> Any:
        """A root like `obj` that has `value` there; `obj` stays as it is, frozen records work."""
        return self._put(obj, value, copied_with)

    def _put(self, obj: Any, value: Any, put: Callable[[Any, Step, Any], Any]) -> Any:
        holders = []
        for accessor, kind in self._pairs[:-1]:
            holders.append(obj)
            obj = getattr(obj, accessor) if kind in _RECORDS else obj[accessor]
        if not self._pairs:
            return value
        holders.append(obj)
        for holder, step in zip(reversed(holders), reversed(self._pairs)):
            new = put(holder, step, value)
            if new is holder:
                return holders[0]
            value = new
        return value

    # ---- finding leaves, and what is walked ---------------------------------------------------------

    @staticmethod
    def find_leaves(
        obj: Any, only_tensors: bool = False, is_output: bool = False
    ) -> Iterator[tuple["Locator", Any]]:
        """All leaves of a nested value with their locators, depth first.

        Lists, tuples, dicts, UserDicts, dataclasses and registered types are walked, all else is a
        leaf. ValueError for a container that holds itself.
        """
        yield from _core.graph_find_leaves(obj, only_tensors, is_output)

    @staticmethod
    def register_user_type(cls: type, only_tensors: bool = False) -> None:
        """Walks the public data attributes of instances of exactly `cls`.

        `only_tensors` drops (False: keeps) values that are no tensors below such an instance.
        """
        _core.graph_register_user_type(cls, only_tensors)

    @staticmethod
    def unregister_user_type(cls: type) -> None:
        """Instances of `cls` are leaves again."""
        _core.graph_unregister_user_type(cls)

    @staticmethod
    def ignore_type(cls: type) -> None:
        """Instances of exactly `cls` are neither walked nor leaves."""
        _core.graph_ignore_type(cls)

    @staticmethod
    def unignore_type(cls: type) -> None:
        """Undoes ignore_type()."""
        _core.graph_unignore_type(cls)

    @staticmethod
    def register_tensor_type(
        cls: type, shape: Callable[[Any], Any], dtype: Callable[[Any], Any]
    ) -> None:
        """Instances of `cls` and of its subclasses are tensors; the getters take one."""
        _core.graph_register_tensor_type(cls, shape, dtype)

    @staticmethod
    def unregister_tensor_type(cls: type) -> None:
        """Undoes register_tensor_type()."""
        _core.graph_register_tensor_type(cls, None, None)


_core.graph_set_locator(Locator, *ObjectType)
