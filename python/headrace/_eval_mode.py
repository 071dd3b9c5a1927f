"""EvalMode: how strictly operators are evaluated at their call."""

from __future__ import annotations

import enum
import threading


class _Stack(threading.local):
    def __init__(self) -> None:
        self.modes: list[EvalMode] = []


class EvalMode(enum.Enum):
    """In order of growing strictness. A context manager: inside, it is the thread's mode.

    CPU operators of this version have finished when their call returns, which every mode allows;
    so values, errors and their places are the same in all of them.
    """

    deferred = 1  #: run when a result is asked for, at the latest
    eager = 2  #: start at once, may end later
    sync_cpu = 3  #: CPU work is finished on return
    sync_full = 4  #: all devices have finished on return
    default = 2

    @staticmethod
    def current() -> EvalMode:
        """The innermost entered mode of the thread, else ``EvalMode.default``."""
        return _stack.modes[-1] if _stack.modes else EvalMode.eager

    def __enter__(self) -> EvalMode:
        _stack.modes.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        if EvalMode.current() is not self or not _stack.modes:
            raise RuntimeError(f"{self} is left out of order, or was never entered")
        _stack.modes.pop()


_stack = _Stack()
