"""Values of many types, and what can be done with them: for test_invariant*.py."""
import array
import collections
import copy
import datetime
import decimal
import enum
import fractions
import math
import operator
import os
import pathlib
import re
import types
from collections import abc

import headrace as hr


def is_marked(x):
    return type(x).__name__.startswith("_Invariant_")


class Plain:
    """No special method of its own."""


class Full:
    """Special methods of every group; each answers with its name and its arguments."""

    def __init__(self, value=4):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, Full) and self.value == other.value

    def __hash__(self):
        return hash(self.value)

    def __len__(self):
        return self.value

    def __getitem__(self, key):
        return ("item", key)

    def __contains__(self, item):
        return item == self.value

    def __iter__(self):
        return iter(range(self.value))

    def __reversed__(self):
        return iter("back")

    def __call__(self, *args, **kwargs):
        return ("call", args, kwargs)

    def __index__(self):
        return self.value

    def __float__(self):
        return self.value / 2

    def __complex__(self):
        return complex(self.value, 1)

    def __bytes__(self):
        return b"full"

    def __format__(self, spec):
        return f"<{spec}>"

    def __fspath__(self):
        return "/full"

    def __round__(self, n=None):
        return ("round", n)

    def __trunc__(self):
        return -1

    def __floor__(self):
        return -2

    def __ceil__(self):
        return -3

    def __length_hint__(self):
        return 5

    def __enter__(self):
        return "entered"

    def __exit__(self, *exc):
        return True

    def __getattr__(self, name):
        if name.startswith("dynamic"):
            return name
        raise AttributeError(name)


def _binary(name):
    def method(self, other):
        return (name, other)
    return method


for _name in ("add sub mul truediv floordiv mod divmod pow matmul lshift rshift and or xor").split():
    for _kind in ("", "r"):
        setattr(Full, f"__{_kind}{_name}__", _binary(_kind + _name))
for _name in "neg pos abs invert".split():
    setattr(Full, f"__{_name}__", lambda self, name=_name: (name, self.value))


class Color(enum.IntEnum):
    RED = 3


class Names(dict):
    def __missing__(self, key):
        return ("missing", key)


class OldSequence:
    """A sequence by __getitem__ alone."""

    def __getitem__(self, i):
        if i >= 3:
            raise IndexError(i)
        return i * 10


class NoIter:
    __iter__ = None
    __hash__ = None
    __reversed__ = None

    def __getitem__(self, i):
        return i


Point = collections.namedtuple("Point", "x y")

VALUES = {
    "int": 6, "zero": 0, "big": 2**80, "bool": True, "float": 2.6, "nan_free": -0.5, "complex": 1 + 2j,
    "str": "ab", "empty": "", "number_text": "12", "bytes": b"ab", "bytearray": bytearray(b"abc"),
    "none": None, "ellipsis": ..., "tuple": (3, 1, 2), "list": [3, 1, 2], "nested": [[1], [2]],
    "dict": {"a": 1, 2: "b"}, "names": Names(a=1), "set": {1, 2}, "frozenset": frozenset({1}),
    "range": range(5), "slice": slice(1, 3), "point": Point(1, 2), "enum": Color.RED,
    "decimal": decimal.Decimal("1.5"), "fraction": fractions.Fraction(3, 4),
    "date": datetime.date(2020, 2, 3), "delta": datetime.timedelta(1), "path": pathlib.PurePath("a/b"),
    "pattern": re.compile("a+"), "array": array.array("i", [1, 2]), "type": int, "class": Full,
    "generic": list, "function": len, "lambda": lambda *a: a, "method": "abc".upper, "module": math,
    "plain": Plain(), "full": Full(), "old_sequence": OldSequence(), "no_iter": NoIter(),
    "counter": collections.Counter("aab"), "deque": collections.deque([1, 2]),
    "namespace": types.SimpleNamespace(a=1, b=[2]), "exception": ValueError("x"),
    "dtype": hr.float32, "tensor": hr.tensor([1, 2, 3]), "view": {"a": 1}.keys(),
    "property": property(lambda self: 7), "static": staticmethod(len),
}


def _unary_operations():
    ops = {name: getattr(operator, name) for name in "neg pos abs invert index not_ truth".split()}
    ops.update((f.__name__, f) for f in (
        bool, int, float, complex, str, repr, list, tuple, set, len, iter, reversed, hash, callable, sum,
        min, max, sorted, any, all, round, math.floor, math.ceil, math.trunc, dir, vars, bin, chr, format,
        os.fspath, enumerate, dict, next, operator.length_hint, issubclass))
    ops["bytes"] = lambda x: bytes(x) if not isinstance(x, int) else None
    ops["round_1"] = lambda x: round(x, 1)
    ops["format_spec"] = lambda x: f"{x:>7}"
    ops["percent"] = lambda x: "%s" % [x]
    ops["percent_d"] = lambda x: "%d" % x
    ops["call"] = lambda x: x()
    ops["call_args"] = lambda x: x("12")
    ops["call_keywords"] = lambda x: x(a=1)
    ops["star"] = lambda x: [*x]
    ops["double_star"] = lambda x: dict(**x)
    ops["enter"] = lambda x: x.__enter__()
    ops["callable"] = callable
    ops["class"] = lambda x: x.__class__
    ops["isinstance"] = lambda x: [isinstance(x, t) for t in (int, str, list, dict, type, Full, tuple)]
    ops["abcs"] = lambda x: [isinstance(x, getattr(abc, n)) for n in sorted(abc.__all__)
                             if n not in ("Buffer", "ByteString")]
    ops["match"] = _match
    ops["hasattr"] = lambda x: [hasattr(x, n) for n in (
        "__iter__", "__len__", "__add__", "__radd__", "append", "dynamic_a", "nothing", "__call__")]
    for i in (0, 1, -1, -9, 9, "a", slice(1, None), (0, 0), None, ...):
        ops[f"item {i!r}"] = lambda x, i=i: x[i]
        ops[f"in {i!r}"] = lambda x, i=i: i in x
        ops[f"index_by {i!r}"] = lambda x: [10, 20, 30, 40, 50, 60, 70][x]
    return ops


def _match(x):
    match x:
        case int() | str():
            return "scalar"
        case [first, *rest]:
            return ("sequence", first, len(rest))
        case {"a": value}:
            return ("mapping", value)
        case Full(value=4):
            return "full"
    return "other"


UNARY = _unary_operations()
BINARY = {name: getattr(operator, name) for name in (
    "add sub mul truediv floordiv mod pow matmul lshift rshift and_ or_ xor eq ne lt le gt ge concat "
    "contains iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior ixor "
    "getitem").split()}
BINARY["divmod"] = divmod
BINARY["round"] = round
BINARY["isinstance"] = isinstance
BINARY["format"] = format
BINARY["mod_pow"] = lambda a, b: pow(a, b, 5)


def outcome(f, *args):
    """What came of it, comparable: values, or the exception's type."""
    try:
        r = f(*args)
    except RecursionError:
        raise
    except Exception as e:  # noqa: BLE001
        return ("raises", type(e))
    assert not is_marked(r), "results are ordinary"
    return describe(r)


def describe(r):
    r = hr._core.plain(r)  # what a method of the other operand was given
    if isinstance(r, abc.Iterator):
        return (type(r), [describe(x) for x in r])
    if isinstance(r, (hr.Tensor, hr.Batch, hr.DType)):
        return (type(r), str(r))
    if isinstance(r, (list, tuple)):
        return (type(r), [describe(x) for x in r])
    if isinstance(r, (Plain, OldSequence, NoIter, types.MethodType, types.BuiltinMethodType)):
        return (type(r),)
    return (type(r), r)


def fresh(x):
    """A copy for operations that change their operand."""
    return copy.copy(x) if isinstance(x, (list, dict, set, bytearray, collections.deque, array.array)) else x
