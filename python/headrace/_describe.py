"""Signatures and documents, made from operators' descriptors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

_TYPES = {
    "bool": "bool", "int": "int", "float": "float", "str": "str | os.PathLike[str]",
    "choice": "str", "dtype": "DTypeLike", "image_type": "DALIImageType | int",
    "interp": "DALIInterpType | int", "layout": "str", "ints": "Sequence[int] | int",
    "floats": "Sequence[float] | float",
    "strs": "Sequence[str | os.PathLike[str]] | str | os.PathLike[str]",
}


def default_value(arg: dict[str, Any]) -> Any:
    """The default as a Python value; enumerations and dtypes as the objects users write."""
    text = arg["initial"]
    if text is None:
        return None
    kind = arg["kind"]
    if kind == "dtype":
        from . import _core

        return getattr(_core, text)
    if kind in ("image_type", "interp"):
        from . import types

        return getattr(types, text)
    if kind in ("str", "choice", "layout"):
        return text
    import ast

    return ast.literal_eval(text)


def default_text(arg: dict[str, Any]) -> str:
    """The default as it is written in a signature."""
    text = arg["initial"]
    if text is None:
        return "None"
    if arg["kind"] in ("str", "choice", "layout"):
        return repr(text)
    return str(text)


def annotation(arg: dict[str, Any]) -> str:
    """The argument's type as a stub writes it."""
    text = _TYPES[arg["kind"]]
    if arg["per_sample"]:
        text += " | Tensor | Batch | ArrayLike"
    if not arg["required"]:
        text += " | None"
    return text


def parameters(info: dict[str, Any]) -> list[tuple[str, str, str, Any]]:
    """(name, kind, annotation, argument or None) of every parameter, in order. The kind is one of
    input, optional input, variadic input, keyword."""
    out: list[tuple[str, str, str, Any]] = []
    for each in info["ins"]:
        if each["variadic"]:
            out.append((f"{each['name']}_0", "input", "TensorLike", None))
            out.append((f"{each['name']}s", "variadic input", "TensorLike", None))
        elif each["optional"]:
            out.append((each["name"], "optional input", "TensorLike | None", None))
        else:
            out.append((each["name"], "input", "TensorLike", None))
    out.append(("batch_size", "keyword", "int | None", None))
    out.append(("device", "keyword", "DeviceLike | None", None))
    for arg in info["args"]:
        out.append((arg["name"], "keyword", annotation(arg), arg))
    if info["random"]:
        out.append(("rng", "keyword", "RNG | None", None))
    return out


def op_signature(op: Any) -> Any:
    """The operator's inspect.Signature."""
    from inspect import Parameter, Signature

    kinds = {"input": Parameter.POSITIONAL_ONLY, "optional input": Parameter.POSITIONAL_ONLY,
             "variadic input": Parameter.VAR_POSITIONAL, "keyword": Parameter.KEYWORD_ONLY}
    out = []
    info = op.describe()
    for name, kind, text, arg in parameters(info):
        default: Any = Parameter.empty
        if arg is not None and not arg["required"]:
            default = default_value(arg)
        elif (arg is None and kind == "keyword") or kind == "optional input":
            default = None
        place = Parameter.POSITIONAL_OR_KEYWORD if info["named"] and kind == "input" else kinds[kind]
        out.append(Parameter(name, place, default=default, annotation=text))
    return Signature(out)


def op_text_signature(op: Any) -> str:
    """The signature as text: "($module, input, /, *, batch_size=None, …)"."""
    parts, slash, star = ["$module"], False, False
    info = op.describe()
    for name, kind, _, arg in parameters(info):
        if kind in ("input", "optional input"):
            parts.append(name + ("=None" if kind == "optional input" else ""))
            slash = not info["named"]
            continue
        if slash:
            parts.append("/")
            slash = False
        if kind == "variadic input":
            parts.append("*" + name)
            star = True
            continue
        if not star:
            parts.append("*")
            star = True
        required = arg is not None and arg["required"]
        parts.append(name + ("" if required else "=" + (default_text(arg) if arg else "None")))
    return "(" + ", ".join(parts) + ")"


def op_doc(op: Any) -> str:
    """The operator's docstring."""
    info = op.describe()
    lines = [info["doc"], ""]
    if info["ins"]:
        lines.append("Inputs")
        for each in info["ins"]:
            notes = []
            if each["layouts"]:
                notes.append(f"layouts {each['layouts']}")
            if len(each["dtypes"]) < 12:
                notes.append("types " + " ".join(each["dtypes"]))
            if each["optional"]:
                notes.append("optional")
            if each["variadic"]:
                notes.append("one or more")
            note = f" ({'; '.join(notes)})" if notes else ""
            lines.append(f"    {each['name']}: {each['doc']}{note}")
        lines.append("")
    lines.append("Arguments")
    lines.append("    batch_size: Number of samples to make; by default that of the inputs.")
    lines.append('    device: "cpu"; this build has no other.')
    for arg in info["args"]:
        lines.append(f"    {arg['name']}: {argument_doc(arg)}")
    if info["random"]:
        lines.append("    rng: The generator to draw from; by default the thread's own.")
    lines += ["", f"Returns {info['outs']}." if info["outs"] else ""]
    if info["example"] or not info["args"]:
        lines += ["", f"Example: {example_call(info)}"]
    return "\n".join(lines).strip()


def argument_doc(arg: dict[str, Any]) -> str:
    """Meaning, default and choices of an argument on a line."""
    notes = []
    if arg["required"]:
        notes.append("required")
    elif arg["initial"] is not None:
        notes.append(f"default {default_text(arg)}")
    if arg["choices"]:
        notes.append("one of " + ", ".join(map(repr, arg["choices"].split("|"))))
    if arg["per_sample"]:
        notes.append("may be given per sample")
    if arg["hint"]:
        notes.append("a hint: changes no value")
    if arg["deprecated"]:
        notes.append("deprecated")
    return str(arg["doc"]) + (f" ({'; '.join(notes)})" if notes else "")


def example_call(info: dict[str, Any]) -> str:
    """A call as users write it."""
    text = info["example"]
    inputs = [each["name"] for each in info["ins"] if not each["optional"]]
    if text and "=" not in text.partition(",")[0]:
        inputs = []  # the example gives values for them
    parts = inputs + ([text] if text else [])
    if not any(not each["optional"] for each in info["ins"]) and "batch_size" not in text:
        parts.append("batch_size=4")
    return f"hr.{info['name']}({', '.join(parts)})"


def find_op(name: str) -> Any:
    from . import _core

    if name not in _core.ops:
        from ._plugins import load_operators

        load_operators()
    return _core.ops[name]


def unknown_argument(op: Any, name: str) -> None:
    """Raises the error for a keyword that the operator does not have."""
    info = op.describe()
    known = [p[0] for p in parameters(info) if p[1] == "keyword"]
    inputs = [p[0] for p in parameters(info) if p[1] != "keyword"]
    if name in inputs or name in [each["name"] for each in info["ins"]]:
        how = "twice" if info["named"] else "by position, not by name"
        raise TypeError(f"{info['name']}: input `{name}` is given {how}")
    raise TypeError(f"{info['name']}: has no argument `{name}`{suggestion(name, known)}")


def unknown_keyword(function: str, name: str, known: list[str]) -> None:
    """Raises the error for a keyword that a function of the extension does not have."""
    raise TypeError(f"{function}: has no argument `{name}`{suggestion(name, known)}")


def proposing(function: _F) -> _F:
    """The function; a keyword that it does not have is an error that proposes the near one, as operators
    and the extension's functions do."""
    import functools

    code = function.__code__
    total = code.co_argcount + code.co_kwonlyargcount
    known = [n for n in code.co_varnames[code.co_posonlyargcount:total] if n != "self"]
    owner = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    owner = owner.removeprefix("tensor_").removeprefix("batch_")  # methods that live in _slow

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in known:
                unknown_keyword(owner, name, known)
        return function(*args, **kwargs)

    return checked  # type: ignore[return-value]


def suggestion(name: str, known: list[str]) -> str:
    """"; did you mean `size`?" where one of `known` is near."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean `{near[0]}`?" if near else ""
