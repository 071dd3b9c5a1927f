"""What tracing asks of Python: is an argument proven constant, and what a site looks like."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core
from .prove import prove_call


class EagerInput(NamedTuple):
    """Why a batch or tensor is no captured argument: it is no result of this step's pipeline."""

    code: str = "EAGER_INPUT"
    sentence: str = "an input is no result of a captured call of this step"
    remedy: str = ("capture the call that makes it (arithmetic, `.slice` and `hr.math` are never "
                   "captured), or mark it with `hr.capture.invariant` if it is the same in all steps")


def classify(op: Any, frames: list[Any], kwnames: tuple[str, ...], values: tuple[Any, ...],
             wanted: list[int]) -> list[Any]:
    """For each of `values` that is `wanted`: the frames that its proof needed, or a reason."""
    out: list[Any] = [0] * len(values)
    open_ = []
    for i in wanted:
        if isinstance(values[i], (_core.Batch, _core.Tensor)):
            out[i] = EagerInput()
        else:
            open_.append(i)
    if open_:
        proof = prove_call(frames, kwnames, values, open_)
        for i in open_:
            out[i] = proof.arguments[i]
    return out


def row(op: Any, frames: list[Any], kwnames: tuple[str, ...], captured: int,
        reasons: Any) -> dict[str, Any]:
    """One site as `explain()` shows it."""
    frame = frames[0]
    return {"file": frame.f_code.co_filename, "line": frame.f_lineno, "operator": op.__name__,
            "captured": bool(captured),
            "reasons": [r for r in reasons or () if not isinstance(r, int)]}
