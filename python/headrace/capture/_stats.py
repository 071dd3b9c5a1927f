"""`loop.stats()`: the extension's clocks and counts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._report import Report, place


class Stats(Report):
    """Time of the pipeline, by call site; times in milliseconds a step."""

    title = "stats"
    columns = ("where", "operator", "ms a step", "share")
    numbers = frozenset({"ms a step", "share"})

    def __init__(self, rows: Iterable[dict[str, Any]], steps: int, ms: float) -> None:
        super().__init__(rows)
        self.steps, self.ms_a_step = steps, ms

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "steps": self.steps, "ms_a_step": self.ms_a_step}

    def head(self) -> str:
        return f"{self.steps} steps, {self.ms_a_step:.3f} ms of pipeline work a step"


def stats(steps: int, busy_ns: int, nodes: list[tuple[str, int, str, int]]) -> Stats:
    """From the executor's counts: (file, line, operator, nanoseconds) a node."""
    each = max(steps, 1)
    total = max(sum(n[3] for n in nodes), 1)
    return Stats(({"where": place(file, line), "operator": op,
                   "ms a step": f"{ns / each / 1e6:.3f}", "share": f"{ns / total:.0%}"}
                  for file, line, op, ns in nodes), steps, busy_ns / each / 1e6)
