"""Checkpoints: the states of readers and generators by name, as one text or file.

    saved = hr.checkpoint.Checkpoint()
    saved.register(rng, "augment")
    saved.register(reader, "train")
    ...
    saved.collect()
    saved.save("run/state_{seq:04d}.json")

A later run registers its own new objects under the same names after `load()`, and each goes to
its saved place at once.
"""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from ._describe import proposing

__all__ = ["Checkpoint", "current"]

_VERSION = 2
_AUTOMATIC = "__op_"


class _Entry(NamedTuple):
    state: Any
    type: str | None  # name of the object's type; None: not known
    is_pending: bool  # not yet applied to an object


def _type_name(op_type: Any) -> str | None:
    if op_type is None or isinstance(op_type, str):
        return op_type
    if isinstance(op_type, type):
        return op_type.__name__
    raise TypeError(f"set_state: op_type must be a class or its name, got {op_type!r}")


def _read_entry(name: str, entry: Any) -> _Entry:
    if not name:
        raise ValueError("checkpoint: an entry has no name")
    if not isinstance(entry, dict) or not isinstance(entry.get("state"), str):
        raise ValueError(f"checkpoint: entry {name!r} has no `state`, which must be a text")
    kind = entry.get("type")
    if kind is not None and not isinstance(kind, str):
        raise ValueError(f"checkpoint: entry {name!r} has the `type` {kind!r}, it must be a text")
    return _Entry(entry["state"], kind, True)


def _read(data: str) -> dict[str, _Entry]:
    if not isinstance(data, (str, bytes, bytearray)):
        raise TypeError(f"deserialize: a text is needed, got {type(data).__name__}")
    try:
        content = json.loads(data)
    except RecursionError:
        raise ValueError("checkpoint: the text is nested too deeply") from None
    except ValueError as e:
        raise ValueError(f"checkpoint: the text is not JSON: {e}") from None
    if not isinstance(content, dict) or "version" not in content or "states" not in content:
        raise ValueError("checkpoint: the text must be a JSON object with `version` and `states`")
    version = content["version"]
    if isinstance(version, bool) or version != _VERSION:
        raise ValueError(f"checkpoint: format {version!r} is not known; this version reads {_VERSION}")
    if not isinstance(content["states"], dict):
        raise ValueError("checkpoint: `states` must be a JSON object")
    return {name: _read_entry(name, entry) for name, entry in content["states"].items()}


class Checkpoint:
    """States of registered objects by name. An object has ``get_state()`` and ``set_state(text)``,
    as readers and ``random.RNG`` have; `str` makes text of the state that it gives.
    """

    def __init__(self) -> None:
        self._last_number = -1  # in the name of a file: never used twice
        self.clear()

    def clear(self) -> None:
        """Forgets all objects and states."""
        self._ops: dict[str, Any] = {}
        self._entries: dict[str, _Entry] = {}
        self._is_complete = self._is_loaded = False
        self._n_registered = 0

    # ---- objects ---------------------------------------------------------------------------

    @proposing
    def register(self, op: Any, name: str | None = None) -> str:
        """Adds an object; gives its name, ``__op_<n>`` in order of registration where none is given.

        A state that waits for this name is applied at once. An object keeps its first name; a
        second object of the same type under one name replaces the first.
        """
        _check_name(name)
        key = self._key_of(op)
        if key is not None:
            if name is not None and name != key:
                raise RuntimeError(f"register: the object has the name {key!r} already; it cannot "
                                   f"have {name!r} as well")
            return key
        for method in ("get_state", "set_state"):
            if not callable(getattr(op, method, None)):
                raise TypeError(f"register: {type(op).__name__} has no {method}(); readers and "
                                "random.RNG have")
        key = f"{_AUTOMATIC}{self._n_registered}" if name is None else name
        self._check_new(key, op)
        if key in self._entries:
            self._apply(key, op)
        self._n_registered += key not in self._ops
        self._ops[key] = op
        return key

    def _key_of(self, op: Any) -> str | None:
        return next((key for key, known in self._ops.items() if known is op), None)

    def _check_new(self, key: str, op: Any) -> None:
        if key in self._ops:
            known = type(self._ops[key])
            if known is not type(op):
                raise TypeError(f"register: {key!r} is the name of a {known.__name__}; a "
                                f"{type(op).__name__} cannot replace it")
        elif self._is_complete:
            raise RuntimeError(f"register: {key!r} is new, but states were collected already; "
                               "clear() starts anew")
        elif self._is_loaded and key not in self._entries:
            hint = (" Names of the form __op_<n> follow the order of registration; give names to "
                    "be independent of it." if key.startswith(_AUTOMATIC) else "")
            raise KeyError(f"the loaded checkpoint has no state for {key!r}, only for "
                           f"{sorted(self._entries)}.{hint}")

    def _apply(self, key: str, op: Any) -> None:
        entry = self._entries[key]
        if not entry.is_pending:
            return
        if entry.type is not None and entry.type != type(op).__name__:
            raise TypeError(f"checkpoint: the state {key!r} is of a {entry.type}, the object is a "
                            f"{type(op).__name__}")
        op.set_state(entry.state)
        self._entries[key] = entry._replace(is_pending=False)

    # ---- states ----------------------------------------------------------------------------

    def collect(self) -> None:
        """Takes the state of every object. Names can no longer be added then."""
        self._check_no_surplus()
        self._entries = {key: _Entry(op.get_state(), type(op).__name__, False)
                         for key, op in self._ops.items()}
        self._is_complete, self._is_loaded = bool(self._ops), False

    def restore(self) -> None:
        """Applies all states that were set or loaded and are not applied yet."""
        self._check_no_surplus()
        missing = sorted(set(self._ops) - set(self._entries))
        if missing and (self._entries or self._is_loaded):
            raise RuntimeError(f"checkpoint: there are no states for {missing}")
        for key, op in self._ops.items():
            if key in self._entries:
                self._apply(key, op)

    def _check_no_surplus(self) -> None:
        surplus = sorted(set(self._entries) - set(self._ops))
        if surplus:
            raise RuntimeError(f"checkpoint: there are states for {surplus}, but no objects are "
                               "registered under these names")

    @proposing
    def get_state(self, name: str) -> Any:
        """The state held under a name; None before there is one."""
        if name in self._entries:
            return self._entries[name].state
        if name in self._ops:
            return None
        raise KeyError(f"checkpoint: {name!r} is not known, only {sorted({*self._ops, *self._entries})}")

    @proposing
    def set_state(self, name: str, value: Any, op_type: Any = None) -> None:
        """Holds a state for `restore()`, or for the object that will be registered. `op_type`, a
        class or its name, is compared with that object."""
        if not isinstance(name, str):
            raise TypeError(f"set_state: a name is a str, got {type(name).__name__}")
        kind = _type_name(op_type)
        if self._is_complete and name not in self._ops:
            raise KeyError(f"checkpoint: {name!r} is not registered, only {sorted(self._ops)}")
        if value is None:
            raise TypeError("set_state: a state cannot be None")
        self._entries[name] = _Entry(value, kind, True)

    # ---- text and files ----------------------------------------------------------------------

    def serialize(self) -> str:
        """All states as JSON."""
        if not self._entries:
            raise RuntimeError("serialize: there are no states; collect() takes them")
        states = {key: {"state": str(entry.state), "type": entry.type}
                  for key, entry in self._entries.items()}
        return json.dumps({"version": _VERSION, "states": states})

    @proposing
    def deserialize(self, data: str) -> None:
        """Holds the states of a text; `restore()` applies them to the objects that are there."""
        self._entries = _read(data)
        self._is_complete, self._is_loaded = False, True

    @proposing
    def save(self, filename: str | os.PathLike[str]) -> str:
        """Writes a new file; gives its name. ``{seq}``, or with a format ``{seq:04d}``, is the next
        free number. The file is there whole or not at all, and an existing one is never
        overwritten: without ``{seq}`` that is a FileExistsError."""
        from ._checkpoint_file import Pattern, write_new  # slow to load, and only files need it

        pattern, text = Pattern(filename), self.serialize()
        while True:
            number = max(self._last_number, pattern.last_number()) + 1
            path = pattern.path(number)
            try:
                write_new(path, text)
            except FileExistsError:  # another process was faster
                if not pattern.is_numbered or not os.path.lexists(path):
                    raise
                self._last_number = number
                continue
            if pattern.is_numbered:
                self._last_number = number
            return path

    @proposing
    def load(self, filename: str | os.PathLike[str]) -> str:
        """Reads a file of `save()`, of several numbers the highest; gives its name."""
        from ._checkpoint_file import Pattern

        pattern = Pattern(filename)
        number = pattern.last_number()
        if pattern.is_numbered and number < 0:
            raise FileNotFoundError(f"load: there is no file {os.fspath(filename)!r}")
        path = pattern.path(number)
        with open(path, encoding="utf-8") as f:
            self.deserialize(f.read())
        self._last_number = max(self._last_number, number)
        return path

    # ---- bookkeeping -------------------------------------------------------------------------

    @property
    def is_complete(self) -> bool:
        """Whether the states were collected."""
        return self._is_complete

    @property
    def is_loaded(self) -> bool:
        """Whether the states come from a text or a file."""
        return self._is_loaded

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the registered objects."""
        return tuple(self._ops)

    def __len__(self) -> int:
        return len(self._ops)

    def __contains__(self, name: object) -> bool:
        return name in self._ops

    def __repr__(self) -> str:
        return f"<Checkpoint of {list(self._ops)}, {len(self._entries)} states>"


def _check_name(name: Any) -> None:
    if name is None:
        return
    if not isinstance(name, str):
        raise TypeError(f"register: a name is a str, got {type(name).__name__}")
    if not name:
        raise ValueError("register: the name is empty")
    if name.startswith(_AUTOMATIC):
        raise ValueError(f"register: {name!r} begins with {_AUTOMATIC!r}, which is for names that are "
                         "not given")


def current() -> Checkpoint:
    """The checkpoint of the current EvalContext."""
    from ._core import EvalContext

    return EvalContext.current().checkpoint
