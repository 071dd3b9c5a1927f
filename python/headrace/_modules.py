"""Puts operators where their names say: "random.uniform" becomes headrace.random.uniform."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def _submodule(package: ModuleType, path: str) -> ModuleType:
    """headrace.<path>: the package's own file where there is one, else an empty module."""
    parent = package
    for part in path.split("."):
        name = f"{parent.__name__}.{part}"
        module = sys.modules.get(name)
        if module is None and _has_file(parent, name):
            module = importlib.import_module(name)
        elif module is None:
            module = ModuleType(name, f"Operators {name.partition('.')[2]}.*")
            sys.modules[name] = module
        setattr(parent, part, module)
        parent = module
    return parent


def _has_file(parent: ModuleType, name: str) -> bool:
    return hasattr(parent, "__path__") and importlib.util.find_spec(name) is not None


def unknown_name(module: ModuleType) -> Callable[[str], Any]:
    """What a module answers for a name that it does not have."""

    def __getattr__(name: str) -> Any:
        from ._describe import suggestion
        from ._plugins import found

        if found(module, name):
            return vars(module)[name]
        known = [n for n in vars(module) if not n.startswith("_") and n != "annotations"]
        raise AttributeError(f"{module.__name__} has no {name!r}{suggestion(name, known)}")

    return __getattr__


def install(package: ModuleType, ops: dict[str, Any]) -> None:
    """Makes every operator an attribute of its module."""
    for full, op in ops.items():
        if " " in full:  # "operator +": behind a sign
            continue
        path, _, name = full.rpartition(".")
        module = _submodule(package, path) if path else package
        setattr(module, name, op)
        if module is not package and not hasattr(module, "__getattr__"):
            setattr(module, "__getattr__", unknown_name(module))
