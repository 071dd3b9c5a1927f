"""Every captured loop of the process, explained together: HEADRACE_EXPLAIN=1, `headrace explain`."""

from __future__ import annotations

import atexit
import json
import os
import sys
from typing import Any

from .. import _core
from ._explain import Explanation, explain
from ._report import has_colours

KEPT = 64  # captures that are kept whole; of older ones that have ended only the counts


class Session:
    """Captures from now on. Those of loops made at the same line are one table."""

    def __init__(self) -> None:
        self._kept: list[Any] = []
        self._folded: dict[Any, dict[str, Any]] = {}
        _core.watch_captures(self._take)

    def _take(self, capture: Any) -> None:
        self._kept.append(capture)
        if len(self._kept) < 2 * KEPT:
            return
        alive = []
        while self._kept:
            one = self._kept.pop(0)
            if sys.getrefcount(one) > 2 or len(self._kept) < KEPT:  # in use, or young
                alive.append(one)
            else:
                _fold(self._folded, _core.describe_capture(one))
        self._kept = alive

    def explanations(self) -> list[Explanation]:
        """One for each line that made loops, in the order in which the first of them were made."""
        all_: dict[Any, dict[str, Any]] = {}
        for told in self._folded.values():
            _fold(all_, told)
        for capture in self._kept:
            _fold(all_, _core.describe_capture(capture))
        return [explain(told) for told in all_.values() if told["steps"]]


def _fold(into: dict[Any, dict[str, Any]], told: dict[str, Any]) -> None:
    """Adds a capture's counts to those of the same line's other captures."""
    key = (told["file"], told["line"])
    known = into.get(key)
    if known is None:
        into[key] = {**told, "loops": told.get("loops", 1), "rows": list(told["rows"])}
        return
    known["loops"] += told.get("loops", 1)
    known["steps"] += told["steps"]
    known["left_out"] += told["left_out"]
    rows = {_row_key(row): at for at, row in enumerate(known["rows"])}
    for row in told["rows"]:
        at = rows.get(_row_key(row))
        if at is None:
            known["rows"].append(row)
        else:
            known["rows"][at] = _sum_of(known["rows"][at], row)


def _row_key(row: dict[str, Any]) -> Any:
    return row["operator"], tuple((id(code), offset) for code, offset, _ in row["chain"])


def _sum_of(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
    reasons = [dict(r) for r in a["reasons"]]
    for reason in b["reasons"]:
        same = next((r for r in reasons if all(
            r[k] == reason[k] for k in ("code", "position", "name", "culprit", "proof"))), None)
        if same is None:
            reasons.append(reason)
        else:
            same["count"] += reason["count"]
    return {**a, "reasons": reasons, "first_step": min(a["first_step"], b["first_step"]),
            **{k: a[k] + b[k] for k in ("captured", "eager", "ns", "bytes")}}


def report(session: Session, stream: Any, as_json: bool = False) -> list[Explanation]:
    """Prints the tables; returns them."""
    found = session.explanations()
    if as_json:
        print(json.dumps([e.to_dict() for e in found], indent=1), file=stream)
    elif not found:
        print("headrace: no captured loop ran", file=stream)
    else:
        print("\n\n".join(e.text(has_colours(stream)) for e in found), file=stream)
    return found


def print_at_exit() -> None:
    """HEADRACE_EXPLAIN=1: the tables go to stderr when the interpreter ends."""
    session = Session()
    owner = os.getpid()

    def at_exit() -> None:
        if os.getpid() == owner and sys.stderr is not None:  # a forked child tells nothing
            report(session, sys.stderr)

    atexit.register(at_exit)
