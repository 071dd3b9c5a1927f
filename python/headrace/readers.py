"""Readers: one class for each kind that the library has, made from its descriptor.

    reader = hr.readers.File(file_root="photos", random_shuffle=True)
    for content, label in reader.next_epoch(batch_size=32):
        ...
"""

from __future__ import annotations

import json
from typing import Any

from . import _core
from ._describe import annotation, argument_doc, default_value, proposing, suggestion
from ._device import check_device
from ._stream import stream as _stream

__all__ = ["ReaderState"]

# What every reader takes besides its descriptor's arguments: by position, then by name.
_BY_POSITION = {"max_batch_size": None, "name": None, "device": "cpu", "num_inputs": None}
_BY_NAME = {"batch_size": None, "enable_checkpointing": False}
_DOCS = {
    "max_batch_size": "The batch size of `next_epoch()` when that is given none, and the largest "
                      "one allowed.",
    "name": "Any text; kept as the attribute of that name.",
    "device": '"cpu"; this build has no other.',
    "num_inputs": "Without effect: readers have no inputs.",
    "batch_size": "The batch size of `next_epoch()` and of calls that are given none.",
    "enable_checkpointing": "Without effect: a reader's state can be taken at any time.",
}


class ReaderState:
    """A reader's place; `str` gives it as text, which `set_state` takes as well."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"ReaderState({self._text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ReaderState) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)


class _Reader(_core.Reader):
    """What readers do once a run, and so in Python."""

    @proposing
    def get_state(self, *, cuda_stream: Any = None) -> ReaderState:
        """The place in front of the first batch that was not given out. `cuda_stream` can only be None:
        this build has no GPU."""
        _stream(stream=cuda_stream)
        return ReaderState(json.dumps(self.state_dict(), sort_keys=True))

    @proposing
    def set_state(self, state: ReaderState | str) -> None:
        """Goes to a place of get_state(); only before the reader is used.

        The next pass goes on from there as it does after a `break`: with last_batch="wrap" it is a
        whole epoch's number of batches, else the rest of the epoch."""
        if not isinstance(state, (ReaderState, str)):
            raise TypeError(f"set_state: a ReaderState or its text is needed, got {type(state).__name__}")
        try:
            place = json.loads(str(state))
        except ValueError as e:
            raise ValueError(f"set_state: {str(state)[:60]!r} is no reader's state") from e
        if not isinstance(place, dict):
            raise ValueError(f"set_state: {str(state)[:60]!r} is no reader's state")
        self._load_start(place)


# Arguments that are given in another form than C takes them in.
_ANNOTATIONS = {("readers.TFRecord", "features"): "dict[str, Feature]",
                ("readers.Webdataset", "dtypes"): "Sequence[DTypeLike] | DTypeLike | None"}


def _reader_annotation(kind: str, arg: dict[str, Any]) -> str:
    """The type of a reader's argument as a stub writes it."""
    return _ANNOTATIONS.get((kind, arg["name"])) or annotation(arg)


def _signature(info: dict[str, Any]) -> Any:
    from inspect import Parameter, Signature

    out = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=value)
           for name, value in _BY_POSITION.items()]
    own = {arg["name"]: (Parameter.empty if arg["required"] else default_value(arg),
                         _reader_annotation(info["name"], arg)) for arg in info["args"]}
    own.update((name, (value, Parameter.empty)) for name, value in _BY_NAME.items())
    out += [Parameter(name, Parameter.KEYWORD_ONLY, default=own[name][0], annotation=own[name][1])
            for name in sorted(own)]
    return Signature(out)


class _Signature:
    """A reader class's signature, made when it is asked for: `inspect` is slow to load."""

    def __init__(self, info: dict[str, Any]) -> None:
        self._info = info

    def __get__(self, reader: Any, cls: Any) -> Any:
        return _signature(self._info)


def _doc(info: dict[str, Any]) -> str:
    lines = [info["doc"], "", f"Gives tuples of {info['outs']}.", "", "Arguments"]
    docs = dict(_DOCS)
    docs.update((arg["name"], argument_doc(arg)) for arg in info["args"])
    names = [*_BY_POSITION, *sorted(set(docs) - set(_BY_POSITION))]
    lines += [f"    {name}: {docs[name]}" for name in names]
    return "\n".join(lines)


def _strings(arguments: dict[str, Any], *names: str) -> None:
    """One string stands for a list of one."""
    for name in names:
        if isinstance(arguments.get(name), str):
            arguments[name] = [arguments[name]]


def _webdataset_arguments(arguments: dict[str, Any]) -> None:
    _strings(arguments, "paths", "ext", "index_paths")
    if arguments.get("missing_component_behavior") == "":
        del arguments["missing_component_behavior"]  # the peer's default, which means "empty"
    if arguments.get("dtypes") is not None:
        from . import type_id

        types = arguments["dtypes"]
        types = list(types) if isinstance(types, (list, tuple)) else [types]
        arguments["dtypes"] = [int(type_id(t if isinstance(t, _core.DType) else _core.dtype(t)))
                               for t in types]


def _tfrecord_arguments(arguments: dict[str, Any]) -> None:
    from .tfrecord import _to_words

    _strings(arguments, "path", "index_path")
    if "features" in arguments:
        arguments["features"] = _to_words(arguments["features"])


# Arguments that C takes in another form than the caller gives them in.
_PREPARE = {"readers.TFRecord": _tfrecord_arguments,
            "readers.Webdataset": _webdataset_arguments}


def _reader_class(info: dict[str, Any]) -> type:
    """The class of one kind of reader."""
    kind, name = info["name"], info["name"].rpartition(".")[2]
    known = [arg["name"] for arg in info["args"]]

    def __init__(self: Any, max_batch_size: Any = None, name: Any = None, device: Any = "cpu",
                 num_inputs: Any = None, *, batch_size: Any = None,
                 enable_checkpointing: bool = False, **arguments: Any) -> None:
        check_device(device)
        for each in arguments:
            if each not in known:
                near = suggestion(each, [*known, *_BY_POSITION, *_BY_NAME])
                raise TypeError(f"{kind}: has no argument `{each}`{near}")
        if kind in _PREPARE:
            _PREPARE[kind](arguments)
        _core.Reader.__init__(self, kind, name, max_batch_size, batch_size, arguments)

    __init__.__qualname__ = f"{name}.__init__"
    return type(name, (_Reader,), {"__init__": __init__, "__doc__": _doc(info),
                                   "__module__": __name__, "__signature__": _Signature(info)})


for _info in _core.reader_kinds.values():
    _cls = _reader_class(_info)
    globals()[_cls.__name__] = _cls
    __all__.append(_cls.__name__)
del _info, _cls
