#!/usr/bin/env python3
"""Writes the type stubs of the package: python/headrace/*.pyi.

    PYTHONPATH=build/site python tools/make_stubs.py [python/headrace]

Operators come from their descriptors, classes and functions from the extension itself with the
types of tools/stub_types.py. The files are committed; a test compares them with fresh ones.
"""
import inspect
import pathlib
import sys
import types
from contextvars import ContextVar

import headrace
from headrace import _core, _describe, graphs  # noqa: F401  (imported lazily by users)
from headrace import types as enums

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from stub_types import (  # noqa: E402
    BASES, BINARY, COMPARE, FUNCTIONS, MEMBERS, SETTABLE, TYPING, UNARY,
)

HEAD = '"""Made by tools/make_stubs.py: do not edit."""\n\n'
IMPORTS = """import builtins as _builtins
import enum as _enum
import os as os
from collections.abc import Iterable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any, Literal, SupportsIndex, TypeVar, overload

from typing_extensions import Self

from ._device import Device
from .checkpoint import Checkpoint
from ._typing import ArrayLike, DeviceLike, DTypeLike, Selection, TensorLike
from .types import DALIDataType, DALIImageType, DALIInterpType
"""
OP_IMPORTS = """import builtins as _builtins
import os
from collections.abc import Sequence
from typing import Any, Literal, overload
"""
# Names that operators' signatures use, by the module that they come from.
OP_NAMES = {"_core": ("RNG", "Batch", "DType", "Tensor"),
            "_typing": ("ArrayLike", "DeviceLike", "DTypeLike", "TensorLike"),
            "types": ("DALIDataType", "DALIImageType", "DALIInterpType")}


# ---- functions ------------------------------------------------------------------------------------


def function(name, signature, indent="", decorator=""):
    """One `def`, over several lines if it is long. `signature` is "(a: int) -> str"."""
    text = f"{indent}def {name}{signature}: ..."
    if len(text) > 98:
        inner, _, result = signature.rpartition(") -> ")
        parts = split_parameters(inner[1:])
        lines = "".join(f"{indent}    {p},\n" for p in parts)
        text = f"{indent}def {name}(\n{lines}{indent}) -> {result}: ..."
    return (f"{indent}{decorator}\n" if decorator else "") + text + "\n"


def split_parameters(text):
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c in "[(") - (c in "])")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def functions(name, signatures, indent="", decorator=""):
    """One signature, or overloads."""
    if isinstance(signatures, str):
        return function(name, signatures, indent, decorator)
    return "".join(function(name, s, indent, "@overload") for s in signatures)


def from_text_signature(text):
    """A signature of unknown types: "($self, /, a, b=None)"."""
    inner = text.strip()[1:-1].replace("$", "")
    parts = []
    for p in split_parameters(inner):
        if p in ("/", "*", "", "self", "cls") or p in ("type",):
            parts.append("self" if p == "type" else p)
            continue
        name, eq, default = p.partition("=")
        parts.append(f"{name}: Any" + (f" = {default}" if eq else ""))
    parts = [p for p in parts if p]
    if parts[:2] == ["self", "/"]:
        parts.pop(1)
    return f"({', '.join(parts)}) -> Any"


# ---- operators -------------------------------------------------------------------------------------


def simple_default(arg):
    value = _describe.default_value(arg)
    is_simple = value is None or type(value) in (bool, int, float, str)
    return repr(value) if is_simple else "..."


def argument(arg, with_batch, with_last=False):
    if arg["adds_output"]:  # it decides what comes out
        return f"{arg['name']}: Literal[{with_last}]" + ("" if with_last else " | None = False")
    text = _describe.annotation(arg)
    if not with_batch:
        text = text.replace(" | Batch", "")
    text = text.replace("bool", "_builtins.bool")
    default = "" if arg["required"] else f" = {simple_default(arg)}"
    return f"{arg['name']}: {text}{default}"


def op_signature(info, first, others, batch_size, with_batch, result, with_last=False):
    """One overload: what the first input is, what further ones are, and so on."""
    parts, slash = [], False
    for i, each in enumerate(info["ins"]):
        kind = first if i == 0 else others
        if each["variadic"]:
            parts += [f"{each['name']}_0: {kind}", "/", f"*{each['name']}s: {others}"]
            slash = False
            break
        slash = not info["named"]
        optional = each["optional"] and not (i == 0 and first == "Batch")
        parts.append(f"{each['name']}: {kind}" + (" | None = None" if optional else ""))
    if slash:
        parts.append("/")
    if not any(p.startswith("*") for p in parts):
        parts.append("*")
    parts += [f"batch_size: {batch_size}", "device: DeviceLike | None = None"]
    parts += [argument(arg, with_batch, with_last) for arg in info["args"]]
    if info["random"]:
        parts.append("rng: RNG | None = None")
    return f"({', '.join(parts)}) -> {result}"


def op_overloads(info):
    """By what the inputs are; twice where an argument adds an output."""
    adds = any(arg["adds_output"] for arg in info["args"])
    plain = overloads_of(info, info["n_out"] - adds, False)
    return overloads_of(info, info["n_out"], True) + plain if adds else plain


def overloads_of(info, n_out, with_last):
    def result(kind):
        return kind if n_out == 1 else f"tuple[{', '.join([kind] * n_out)}]"

    either = "TensorLike | Batch"
    out = []
    if info["ins"]:
        out.append(op_signature(info, "Batch", either, "int | None = None", True,
                                result("Batch"), with_last))
    out.append(op_signature(info, "TensorLike", either, "int", True, result("Batch"), with_last))
    if not (info["batchwise"] and not info["ins"]):
        out.append(op_signature(info, "TensorLike", "TensorLike", "None = None", False,
                                result("Tensor"), with_last))
    both = result("Tensor | Batch")
    out.append(op_signature(info, either, either, "int | None = None", True, both, with_last))
    return out


def imread_overloads():
    """The arguments of decoders.image behind a path, or paths."""
    args = [argument(arg, False) for arg in _core.ops["decoders.image"].describe()["args"]]
    path = "str | bytes | os.PathLike[str]"
    return [f"(filepaths: {first}, /, *, device: DeviceLike = 'cpu', {', '.join(args)}) -> {result}"
            for first, result in ((f"{path} | Tensor", "Tensor"),
                                  (f"list[Any] | tuple[{path} | Tensor, ...] | Batch", "Batch"))]


# ---- the extension ----------------------------------------------------------------------------------


def member(cls, name, obj):
    known = MEMBERS.get(cls, {}).get(name, "")
    short = name[2:-2] if name.startswith("__") else ""
    if known is None:
        return ""
    if short in UNARY:
        return functions(name, f"(self) -> {cls}", "    ")
    if cls in ("Tensor", "Batch") and (short in BINARY + COMPARE or short[1:] in BINARY):
        return binary(cls, name, short in ("eq", "ne"))
    if isinstance(obj, (types.GetSetDescriptorType, types.MemberDescriptorType)) or inspect.isclass(obj):
        text = f"    @property\n    def {name}(self) -> {known or 'Any'}: ...\n"
        if name in SETTABLE.get(cls, ()):
            text += f"    @{name}.setter\n    def {name}(self, value: {known}) -> None: ...\n"
        return text if not inspect.isclass(obj) else f"    {name}: {known or 'Any'}\n"
    if not known and name.startswith("__"):
        return ""
    if not known:
        known = from_text_signature(getattr(obj, "__text_signature__", None) or "($self, *args)")
    is_class = isinstance(obj, types.ClassMethodDescriptorType)
    if is_class and not known.startswith("(cls"):
        known = "(cls, " + known[1:]
    return functions(name, known, "    ", "@classmethod" if is_class else "")


def binary(cls, name, is_equality):
    ignore = "  # type: ignore[override]" if is_equality else ""
    other = "TensorLike | Batch"
    if cls == "Batch":
        return f"    def {name}(self, other: {other}, /) -> Batch: ...{ignore}\n"
    text = f"    @overload{ignore}\n    def {name}(self, other: Batch, /) -> Batch: ...\n"
    return text + f"    @overload\n    def {name}(self, other: TensorLike, /) -> Tensor: ...\n"


def class_stub(cls):
    name = cls.__name__
    base = BASES.get(name, "")
    lines = ""
    members = dict(vars(cls))
    for extra in ("__init__", "__iter__", "__contains__", "__buffer__", "__call__"):
        if MEMBERS.get(name, {}).get(extra):
            members.setdefault(extra, None)
    for key in sorted(members, key=lambda k: (k != "__init__", k.startswith("__"), k)):
        if key in ("__doc__", "__module__", "__new__", "__repr__", "__str__", "__reduce__",
                   "__weakref__", "__qualname__"):
            continue
        if key.startswith("_") and key[1] != "_" and key not in MEMBERS.get(name, {}):
            continue
        lines += member(name, key, members[key])
    if MEMBERS.get(name) and vars(cls).get("__hash__", 0) is None:
        lines += "    __hash__: None  # type: ignore[assignment]\n"
    head = f"class {name}({base}):" if base else f"class {name}:"
    return f"{head}\n{lines}\n\n" if lines else f"{head} ...\n\n\n"


def core_stub():
    text = HEAD + IMPORTS + "\n_T = TypeVar(\"_T\")\n\n"
    text += "class _Kind(_enum.Enum):\n"
    text += "".join(f"    {k.name} = {k.value}\n" for k in _core.DType.Kind) + "\n\n"
    values, calls = "", ""
    for name in sorted(vars(_core)):
        obj = getattr(_core, name)
        if name.startswith("_"):
            continue
        if inspect.isclass(obj):
            text += class_stub(obj)
        elif isinstance(obj, _core.DType):
            values += f"{name}: DType\n"
        elif isinstance(obj, dict):
            kind = "Operator" if name == "ops" else "Any"
            values += f"{name}: dict[str, {kind}]\n"
        elif isinstance(obj, ContextVar):
            values += f"{name}: ContextVar[Any]\n"
        elif callable(obj):
            known = FUNCTIONS.get(name) or from_text_signature(
                obj.__text_signature__ or "(*args)")
            calls += functions(name, known)
    return text + calls + "\n" + values


# ---- modules --------------------------------------------------------------------------------------------


def own_module(obj):
    """Where a class or function of the package is written: "_device"."""
    name = getattr(obj, "__module__", "") or ""
    return name.rpartition(".")[2] if name.startswith("headrace.") else ""


def module_stub(module):
    """A module with operators: they, and what it takes from elsewhere."""
    imports, defs = {}, ""
    for source, names in OP_NAMES.items():
        imports.update((n, f"from headrace.{source} import {n}\n") for n in names)
    for name in sorted(n for n in vars(module) if not n.startswith("_") and n != "annotations"):
        obj = getattr(module, name)
        if isinstance(obj, _core.Operator):
            defs += functions(name, op_overloads(obj.describe()))
        elif inspect.ismodule(obj):
            if obj.__name__.startswith("headrace."):
                imports[name] = f"from {module.__name__} import {name} as {name}\n"
        elif getattr(_core, name, None) is obj:
            imports[name] = f"from headrace._core import {name} as {name}\n"
        elif name == "imread":
            defs += functions(name, imread_overloads())
        elif name in FUNCTIONS:
            defs += functions(name, FUNCTIONS[name])
        elif own_module(obj):
            imports[name] = f"from headrace.{own_module(obj)} import {name} as {name}\n"
        else:
            raise SystemExit(f"{module.__name__}.{name}: no rule for {type(obj).__name__}")
    values = "__version__: str\n\n" if module is headrace else ""
    lines = sorted(imports.values(), key=lambda line: (line.split()[1], line.lower()))
    return HEAD + OP_IMPORTS + "\n" + "".join(lines) + "\n" + values + defs


def types_stub():
    text = HEAD + "from enum import IntEnum\n\n"
    names = ""
    for cls in (enums.DALIDataType, enums.DALIImageType, enums.DALIInterpType):
        text += f"class {cls.__name__}(IntEnum):\n"
        for m in cls:
            text += f"    {m.name} = {m.value}\n"
            names += f"{m.name} = {cls.__name__}.{m.name}\n"
        text += "\n\n"
    return text + names


READER_STATE = '''class ReaderState:
    def __init__(self, text: str) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...


class _Reader(_core.Reader):
    def get_state(self, *, cuda_stream: Any = None) -> ReaderState: ...
    def set_state(self, state: ReaderState | str) -> None: ...


'''


def readers_stub():
    module = headrace.readers
    text = HEAD + "import os\nfrom collections.abc import Sequence\nfrom typing import Any\n\n"
    text += "from . import _core\nfrom ._typing import DeviceLike, DTypeLike\n"
    text += "from .tfrecord import Feature\n\n\n" + READER_STATE
    for info in _core.reader_kinds.values():
        name = info["name"].rpartition(".")[2]
        args = {arg["name"]: arg for arg in info["args"]}
        parts = ["self"]
        special = {"max_batch_size": "int | None", "name": "str | None",
                   "device": "DeviceLike | None", "num_inputs": "int | None",
                   "batch_size": "int | None", "enable_checkpointing": "bool"}
        star = False
        for p in inspect.signature(getattr(module, name)).parameters.values():
            if p.kind is p.KEYWORD_ONLY and not star:
                star = True
                parts.append("*")
            kind = special.get(p.name) or module._reader_annotation(info["name"], args[p.name])
            simple = p.default is None or type(p.default) in (bool, int, float, str)
            default = "" if p.default is p.empty else f" = {repr(p.default) if simple else '...'}"
            parts.append(f"{p.name}: {kind}{default}")
        text += f"class {name}(_Reader):\n"
        text += function("__init__", f"({', '.join(parts)}) -> None", "    ") + "\n\n"
    return text.rstrip("\n") + "\n"


def stubs():
    """File name to text."""
    out = {"_typing.pyi": TYPING, "_core.pyi": core_stub(), "types.pyi": types_stub(),
           "readers.pyi": readers_stub(), "__init__.pyi": module_stub(headrace)}
    for name in sorted(sys.modules):
        module = sys.modules[name]
        if name.startswith("headrace.") and any(
                isinstance(v, _core.Operator) for v in vars(module).values()):
            path = name.partition(".")[2].replace(".", "/")
            out[f"{path}.pyi"] = module_stub(module)
    return {name: text.rstrip("\n") + "\n" for name, text in out.items()}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parents[1] / "python" / "headrace")
    for name, text in stubs().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
