#!/usr/bin/env python3
"""Writes the reference of all operators and readers from their descriptors: docs/reference/*.md.

    PYTHONPATH=build/site python tools/make_reference.py [docs/reference]

One page a module, one section an operator. The pages are committed; a test compares them with
fresh ones.
"""
import inspect
import math
import pathlib
import sys

import headrace as hr
from headrace import _core, _describe

INTRO = """Made by `tools/make_reference.py` from the operators' descriptors: do not edit.

Every operator takes its inputs by position and its arguments by name. An input is a `Tensor` (one
sample), a `Batch` or anything array-like; with at least one batch the result is a batch, and plain
samples are seen by every sample. Besides its own arguments each operator takes `batch_size` (the
number of samples to make; by default that of the inputs) and `device` (`"cpu"`), random ones also
`rng` (a `headrace.random.RNG`; by default the thread's own). `None` means "not given".
"""


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ") or " "


def number(value):
    return str(int(value)) if value == int(value) and abs(value) < 2**53 else f"{value:.9g}"


def bounds(arg):
    parts = []
    if arg["min"] != 0 or arg["max"] != 0:
        high = math.isfinite(arg["max"]) and arg["max"] < 2**62
        parts.append(f"{number(arg['min'])} to {number(arg['max'])}" if high
                     else f"at least {number(arg['min'])}")
    if arg["min_n"] and arg["min_n"] == arg["max_n"]:
        parts.append(f"{arg['min_n']} elements")
    elif arg["max_n"]:
        parts.append(f"{arg['min_n']} to {arg['max_n']} elements")
    elif arg["min_n"]:
        parts.append(f"at least {arg['min_n']} elements")
    if arg["choices"]:
        parts.append(", ".join(f"`{c!r}`" for c in arg["choices"].split("|")))
    return "; ".join(parts)


TYPES = {"bool": "bool", "int": "int", "float": "float", "str": "str or path", "choice": "str",
         "dtype": "DType", "image_type": "image type", "interp": "interpolation",
         "layout": "layout", "ints": "list of int", "floats": "list of float",
         "strs": "list of str or path"}


def default(arg):
    if arg["required"]:
        return "required"
    return "" if arg["initial"] is None else f"`{_describe.default_text(arg)}`"


def meaning(arg):
    notes = []
    if arg["hint"]:
        notes.append("A hint: changes no value.")
    if arg["deprecated"]:
        notes.append("Deprecated.")
    return " ".join([arg["doc"], *notes])


def argument_table(args):
    lines = ["| argument | type | default | per sample | values | meaning |",
             "|---|---|---|---|---|---|"]
    for arg in args:
        cells = [f"`{arg['name']}`", TYPES[arg["kind"]], default(arg),
                 "yes" if arg["per_sample"] else "", bounds(arg), meaning(arg)]
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return lines


def input_line(each):
    notes = []
    if each["layouts"]:
        notes.append("layouts " + " ".join(f"`{x}`" for x in each["layouts"].split()))
    if each["min_ndim"] or each["max_ndim"]:
        low, high = each["min_ndim"], each["max_ndim"]
        notes.append(f"{low} axes" if low == high else f"{low} to {high} axes")
    if each["encoded"]:
        notes.append("the bytes of a file")
    elif len(each["dtypes"]) < 15:
        notes.append("types " + ", ".join(each["dtypes"]))
    if each["optional"]:
        notes.append("may be left out")
    if each["variadic"]:
        notes.append("one or more")
    text = f"* `{each['name']}`: {each['doc']}"
    return text + (f" ({'; '.join(notes)})" if notes else "")


def section(info):
    lines = [f"## `headrace.{info['name']}`", "", info["doc"], ""]
    kinds = [word for word, on in (("random", info["random"]),
                                   ("looks at the whole batch", info["batchwise"])) if on]
    if kinds:
        lines += [f"*{', '.join(kinds)}*", ""]
    lines += ["```python", _describe.example_call(info), "```", ""]
    if info["ins"]:
        lines += ["Inputs:", "", *map(input_line, info["ins"]), ""]
    if info["args"]:
        lines += argument_table(info["args"]) + [""]
    outs = f"Returns {info['outs']}." if info["outs"] else "Returns one output."
    if info["n_out"] > 1:
        adds = [arg["name"] for arg in info["args"] if arg["adds_output"]]
        outs += f" A tuple of {info['n_out']}" + (f" with `{adds[0]}`." if adds else ".")
    return lines + [outs, ""]


def is_public(name, op):
    return getattr(sys.modules.get(op.__module__), op.__name__, None) is op


def page(title, sections):
    lines = [f"# {title}", "", INTRO]
    for each in sections:
        lines += each
    return "\n".join(lines).rstrip("\n") + "\n"


def reader_section(info):
    lines = [f"## `headrace.{info['name']}`", "", info["doc"], "",
             f"Gives tuples of {info['outs']}.", ""]
    own = {arg["name"] for arg in info["args"]}
    shared = [p.name for p in inspect.signature(getattr(hr.readers, info["name"].rpartition(".")[2])
                                                ).parameters.values() if p.name not in own]
    lines += [f"Besides: {', '.join(f'`{n}`' for n in shared)}.", ""]
    return lines + argument_table(info["args"]) + [""]


def pages():
    """File name to text."""
    by_module = {}
    for name, op in sorted(_core.ops.items()):
        if is_public(name, op):
            by_module.setdefault(op.__module__, []).append(section(op.describe()))
    out = {f"{module}.md": page(module, found) for module, found in by_module.items()}
    readers = [reader_section(info) for _, info in sorted(_core.reader_kinds.items())]
    out["headrace.readers.md"] = page("headrace.readers", readers)
    index = ["# Reference", "", "Made by `tools/make_reference.py`: do not edit.", ""]
    for name in sorted(out):
        index.append(f"* [{name[:-3]}]({name})")
    out["README.md"] = "\n".join(index) + "\n"
    return out


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                          pathlib.Path(__file__).parents[1] / "docs" / "reference")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
