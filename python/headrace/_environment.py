"""What the process's environment asks for. What it says wrongly is told once, and not heard."""

from __future__ import annotations

import os

_MOST_THREADS = 4096
_WORDS = {"HEADRACE_EXPLAIN": ("0", "1"), "HEADRACE_CPU": ("base", "avx2", "avx512")}


def _fault(name: str, text: str) -> str:
    """What the value must be; "" where it is right."""
    if name in _WORDS:
        return "" if text in _WORDS[name] else "it must be " + " or ".join(_WORDS[name])
    first = text.partition(",")[0].strip()  # a list, as for OMP_NUM_THREADS: its first number counts
    is_count = first.isdecimal() and 1 <= int(first) <= _MOST_THREADS
    return "" if is_count else f"it must be a number of threads, 1 to {_MOST_THREADS}"


def read() -> None:
    """For the package's import: warns of wrong values, and has captured loops explained at exit."""
    for name in (*_WORDS, "HEADRACE_NUM_THREADS"):
        text = os.environ.get(name, "")
        fault = text and _fault(name, text)
        if fault:
            import warnings

            from ._slow import HeadraceWarning

            warnings.warn(f"{name} is {text!r}, {fault}", HeadraceWarning, stacklevel=3)
    if os.environ.get("HEADRACE_EXPLAIN") == "1":
        from .capture._session import print_at_exit

        print_at_exit()
