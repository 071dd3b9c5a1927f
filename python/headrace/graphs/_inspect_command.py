"""headrace inspect: runs a script and prints the execution graphs of a model that it calls.

The model is wrapped the moment the script gives it its name, so that all calls that follow are seen.
"""
from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import types
from collections.abc import Iterator, MutableMapping
from typing import Any

from .. import _core
from .._explain_command import run_script
from ._module import Module
from ._recording import RecordingModule
from ._spec import InfoLevel


class _Watched(MutableMapping[str, Any]):
    """The names of a module that is being run; `name` is wrapped when it is set, `holder.name` as soon as
    the holder, which the script asks for, has it."""

    def __init__(self, names: dict[str, Any], name: str, free: list[str]) -> None:
        self._names, self._free = names, free
        self._name, *self._path = name.split(".")
        self.found: list[Module] = []

    def __setitem__(self, name: str, value: Any) -> None:
        self._names[name] = self._wrapped(value) if name == self._name else value

    def _wrapped(self, value: Any) -> Any:
        """The value with the model in it wrapped; other things of that name stay as they are."""
        holder, target = None, value
        for step in self._path:
            holder, target = target, getattr(target, step, None)
        is_known = any(target is module for module in self.found)
        if is_known or isinstance(target, types.ModuleType) or not callable(target):
            return value
        entry = getattr(target, "forward", None)
        if isinstance(entry, _core.GraphEntry):  # it has the name again, as after model = model.eval()
            return value
        if type(target) is not Module:
            target = Module(target, ".".join((self._name, *self._path)), free=self._free)
            if holder is not None:
                setattr(holder, self._path[-1], target)
        self.found.append(target)
        return target if holder is None else value

    def __getitem__(self, name: str) -> Any:
        value = self._names[name]
        return self._wrapped(value) if self._path and name == self._name else value

    def __delitem__(self, name: str) -> None:
        del self._names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def inspect_script(args: Any) -> int:
    """0: there are graphs; 1: no call was seen, or the script failed; 2: wrong usage."""
    script, _, name = args.target.rpartition(":")
    if not script or not all(part.isidentifier() for part in name.split(".")):
        return _refuse(f"{args.target!r} is not SCRIPT:NAME, such as train.py:model")
    if not os.path.isfile(script):
        return _refuse(f"there is no file {script}")
    if not args.json and importlib.util.find_spec("tabulate") is None:
        return _refuse("tables need the package tabulate (pip install tabulate); --json needs none")
    module = types.ModuleType("__main__")
    watched = _Watched(vars(module), name, args.free)

    def run(path: str, run_name: str) -> None:
        with open(path, "rb") as stream:
            code = compile(stream.read(), path, "exec")
        vars(module).update(__file__=path, __name__=run_name)
        sys.modules[run_name] = module
        exec(code, vars(module), watched)

    own = sys.modules["__main__"]
    out = sys.stdout
    try:
        with contextlib.redirect_stdout(sys.stderr) if args.json else contextlib.nullcontext():
            code = run_script(script, args.arguments, run)
    finally:
        sys.modules["__main__"] = own
    if not watched.found:
        return _missing(vars(module), name, code)
    return _report(watched.found, name, code, args.json, out)


def _refuse(why: str) -> int:
    print(f"headrace inspect: {why}", file=sys.stderr)
    return 2


def _missing(names: dict[str, Any], name: str, code: int) -> int:
    why = f"the script gave nothing that can be called the name {name!r}"
    if callable(names.get(name)):  # by `global`, in a function, which goes past us
        why = f"{name!r} is set inside a function of the script; set it at the script's top level"
    refused = _refuse(why)
    return code or refused


def _report(found: list[Module], name: str, code: int, as_json: bool, out: Any) -> int:
    recordings = [m._recording for m in found if m._recording is not None]
    if as_json:
        print(json.dumps([entry for r in recordings for entry in _entries(r)], indent=1), file=out)
    else:
        print("\n".join(map(_text, recordings)) or f"{name} was not called", file=out)
    return code or int(not any(r.graph_specs for r in recordings))


def _entries(recording: RecordingModule) -> list[dict[str, Any]]:
    return [
        {"module": recording.name, "graph": g.name, "calls": recording.calls[g.name],
         "inputs": g.input_spec.to_json_dict(), "outputs": g.output_spec.to_json_dict()}
        for g in recording.graph_specs
    ]


def _text(recording: RecordingModule) -> str:
    specs = recording.graph_specs
    lines = [f"{recording.name}: {len(specs)} execution graph{'s' if len(specs) != 1 else ''}"]
    for graph in specs:
        calls = recording.calls[graph.name]
        lines.append(f"\nGraph {graph.name}: {calls} call{'s' if calls != 1 else ''}")
        lines.append("Inputs\n" + graph.input_spec.describe(InfoLevel.FULL).rstrip("\n"))
        lines.append("Outputs\n" + graph.output_spec.describe(InfoLevel.FULL).rstrip("\n"))
        lines += ["Axes", graph.input_spec.explain()]
    lines += [f"\n{note}" for note in recording.notes()]
    return "\n".join(lines)
