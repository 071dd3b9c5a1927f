"""Operators of other packages: entry points of the group "headrace.operators".

They are looked for once, when a name is asked for that Headrace does not have, or by
load_operators(). A package that fails is reported by name and left out.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from typing import Any

GROUP = "headrace.operators"

_lock = threading.RLock()
_names: list[str] | None = None  # of the operators that others brought; None: not looked for yet


def get_include() -> str:
    """The folder of the C headers, for building operators in a package of one's own."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "include")


def load_operators() -> list[str]:
    """Finds the operators that other packages bring, once; their names, as "garden.invert".

    A package names, under the entry-point group "headrace.operators", a list of capsules of
    hr_plugin_operator() (see include/headrace/plugin.h), or a function that gives one."""
    global _names
    with _lock:
        if _names is None:
            _names = []  # whatever a plug-in asks for while it loads: not again
            from importlib.metadata import entry_points

            for point in sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value)):
                _names += _load(point)
        return list(_names)


def found(module: Any, name: str) -> bool:
    """Whether looking for other packages' operators gave `module` this name."""
    if name.startswith("_") or _names is not None:
        return False
    load_operators()
    return name in vars(module)


def _load(point: Any) -> list[str]:
    from . import _core
    from ._modules import install

    names: list[str] = []
    try:
        capsules = point.load()
        if callable(capsules):
            capsules = capsules()
        for capsule in capsules:
            op = _core.add_operator(capsule)
            name = op.describe()["name"]
            install(sys.modules["headrace"], {name: op})
            names.append(name)
    except Exception as e:  # a broken plug-in must not stop the others
        _report(point, e)
    return names


def _report(point: Any, e: Exception) -> None:
    from ._slow import HeadraceWarning

    package = getattr(point.dist, "name", None)
    whose = f"of the package {package} " if package else ""
    warnings.warn(f"operators {point.name!r} {whose}({point.value}) are left out: "
                  f"{type(e).__name__}: {e}", HeadraceWarning, stacklevel=2)
