"""Descriptions of features for readers.TFRecord.

    features = {"image/encoded": hr.tfrecord.FixedLenFeature((), hr.tfrecord.string, ""),
                "image/class/label": hr.tfrecord.FixedLenFeature([1], hr.tfrecord.int64, -1)}
    reader = hr.readers.TFRecord(path=files, features=features)
"""

from __future__ import annotations

from typing import Any, Sequence

from . import _core
from ._describe import proposing

__all__ = ["Feature", "FixedLenFeature", "VarLenFeature", "float32", "int64", "string"]

int64, string, float32 = 0, 1, 2  # the peer's numbers
_NAMES = {int64: "int64", string: "string", float32: "float32"}


def _kind(dtype: Any) -> int:
    for number, name in _NAMES.items():
        if dtype == number or dtype == name or (name != "string" and dtype == getattr(_core, name)):
            return number
    raise ValueError(f"tfrecord: {dtype!r} is no type of a feature: int64, float32 or string")


def _shape(shape: Any) -> tuple[int, ...]:
    try:
        extents = tuple(int(n) for n in shape)
    except TypeError:
        raise TypeError(f"tfrecord: a shape is a sequence of whole numbers, got {shape!r}") from None
    if any(n < 0 for n in extents):
        raise ValueError(f"tfrecord: shape {list(extents)} has a negative extent")
    return extents


def _is_number(kind: int, value: Any) -> bool:
    """One number, which a feature of int64 takes if it is a whole one."""
    if isinstance(value, (str, bytes)):
        return False
    try:
        if kind == int64:
            return bool(int(value) == value)
        float(value)
    except (TypeError, ValueError, OverflowError):  # no number; as int64 also NaN and infinity
        return False
    return True


def _default(kind: int, value: Any) -> str:
    """"" for none, else "=" and the value."""
    if value is None:
        return ""
    if kind == string:
        if isinstance(value, bytes):
            value = value.decode("utf-8", "surrogateescape")
        if not isinstance(value, str):
            raise TypeError(f"tfrecord: the default of a string is a string, got {value!r}")
        if "\0" in value:
            raise ValueError("tfrecord: the default of a string has a zero byte")
        return "=" + value
    if not _is_number(kind, value):
        raise TypeError(f"tfrecord: the default of {_NAMES[kind]} is "
                        f"{'a whole number' if kind == int64 else 'a number'}, got {value!r}")
    if kind == int64 and not -2**63 <= int(value) < 2**63:
        raise OverflowError(f"tfrecord: the default {value} is outside int64")
    return f"={int(value)}" if kind == int64 else f"={float(value)!r}"


class Feature:
    """What is wanted of a feature; made by FixedLenFeature and VarLenFeature."""

    __slots__ = ("_words",)

    def __init__(self, form: str, shape: Sequence[int], dtype: Any, default_value: Any) -> None:
        kind = _kind(dtype)
        extents = _shape(shape)
        self._words = (form, _NAMES[kind], ",".join(map(str, extents)),
                       _default(kind, default_value))

    def __repr__(self) -> str:
        form, name, shape, default = self._words
        return (f"{'FixedLenFeature' if form == 'fixed' else 'VarLenFeature'}([{shape}], {name}, "
                f"{default[1:] if default else None!r})")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Feature) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)


@proposing
def FixedLenFeature(shape: Sequence[int], dtype: Any, default_value: Any = None) -> Feature:
    """A feature with as many values as `shape` has elements. Missing from a record, it is filled
    with `default_value`; without one that is an error."""
    return Feature("fixed", shape, dtype, default_value)


def VarLenFeature(*args: Any, **kwargs: Any) -> Feature:
    """VarLenFeature(dtype, default_value) or VarLenFeature(shape, dtype, default_value)

    A feature of any number of values: one axis, or, with `shape`, one before those of the shape.
    Missing from a record, it has one element (one of that shape) of `default_value`."""
    names = ["shape", "dtype", "default_value"]
    if "shape" not in kwargs and not (args and isinstance(args[0], (list, tuple))):
        names = names[1:]
    if len(args) > len(names):
        raise TypeError(f"VarLenFeature: takes {', '.join(names)}, got {len(args)} values")
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names or name in given:
            raise TypeError(f"VarLenFeature: argument `{name}` is not one of {', '.join(names)}, "
                            "or given twice")
        given[name] = value
    if "dtype" not in given:
        raise TypeError("VarLenFeature: `dtype` is needed")
    return Feature("var", given.get("shape", ()), given["dtype"], given.get("default_value"))


def _to_words(features: Any) -> list[str]:
    """For C: name, form, type, shape and default of each, one after the other."""
    if not isinstance(features, dict) or not features:
        raise TypeError("readers.TFRecord: `features` is a dict of names and descriptions from "
                        f"headrace.tfrecord, got {features!r:.80}")
    words: list[str] = []
    for name, feature in features.items():
        if not isinstance(name, str) or not isinstance(feature, Feature):
            raise TypeError("readers.TFRecord: `features` maps names to FixedLenFeature or "
                            f"VarLenFeature, got {name!r}: {feature!r:.80}")
        words += [name, *feature._words]
    return words
