"""headrace info: what this build is and where it runs."""

from __future__ import annotations

import json
import platform
from typing import Any


def gather() -> dict[str, Any]:
    from . import _core
    from ._plugins import load_operators

    added = load_operators()
    return {
        "headrace": _core.version(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "cpu_level": _core.cpu_level(),
        "cpus": _core.cpu_count(),
        "threads": _core.get_num_threads(),
        "codecs": _core.codecs(),
        "operators": len(_core.ops),
        "added_operators": added,
        "devices": ["cpu"],
    }


def print_info(as_json: bool) -> int:
    info = gather()
    if as_json:
        print(json.dumps(info, indent=1))
        return 0
    info["codecs"] = ", ".join(f"{name} ({library})" for name, library in info["codecs"].items())
    info["added_operators"] = ", ".join(info["added_operators"]) or "none"
    info["devices"] = ", ".join(info["devices"])
    for key, value in info.items():
        print(f"{key.replace('_', ' '):<15} {value}")
    return 0
