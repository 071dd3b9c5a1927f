"""What tracing asks of Python: which arguments of a call are proven constant."""

from __future__ import annotations

from typing import Any

from .. import _core
from .lookup import MISSING, hooks
from .prove import prove_call


def _is_marked(value: Any) -> bool:
    return _core.is_invariant(value)


def _read_local(frame: Any, name: str) -> Any:
    return _core.frame_local(frame, name, MISSING)


hooks.is_marked = _is_marked
hooks.invariant = _core.invariant
hooks.read_local = _read_local


def prove(frames: list[Any], kwnames: tuple[str, ...], values: tuple[Any, ...],
          wanted: list[int]) -> list[Any]:
    """For each of `values` that is `wanted`: the frames that its proof needed, or a reason."""
    return prove_call(frames, kwnames, values, wanted).arguments
