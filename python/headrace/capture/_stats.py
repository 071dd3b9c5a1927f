"""`loop.stats()`: where a captured loop's time goes, from the extension's clocks."""

from __future__ import annotations

import textwrap
from typing import Any

from ._report import WIDTH, Report, place

WAITS = 0.05  # a part of a step's time: below it nobody is held up


class Stats(Report):
    """Times in milliseconds a step, of the steps that came from the pipeline.

    ``body_ms``: the loop's body without waiting; ``wait_ms``: waiting for results, in the body or where a
    step is left; ``source_ms``: reading the sources, on the thread that drives the loop; ``pipeline_ms``:
    work of the pipeline, of all its threads together, beside all these. ``ready``: steps that were complete
    when the body asked for one, of ``ahead`` that had been begun, both on average. ``limit``: which side
    holds up the other, "body", "pipeline" or "source"; None before the first step of the pipeline.
    ``bytes_in``, ``bytes_out``: of the sources' batches and of all results, a step. ``peak_bytes``: the
    most that the library's allocator had handed out after a call of the pipeline, in the whole process.
    ``first_step_ms``: the traced step's body.
    `rows` has each operator's time and bytes.
    """

    title = "stats"
    columns = ("where", "operator", "ms a step", "share", "bytes a step")
    numbers = frozenset({"ms a step", "share", "bytes a step"})

    def __init__(self, told: dict[str, Any]) -> None:
        work = told["work"]
        steps = max(told["steps"], 1)
        total = max(sum(row[3] for row in work), 1)
        super().__init__([{
            "where": place(file, line), "file": file, "line": line, "operator": operator,
            "ms a step": f"{ns / steps / 1e6:.3f}", "share": f"{ns / total:.0%}",
            "bytes a step": _amount(size / steps), "ms": ns / steps / 1e6, "bytes": size / steps,
        } for file, line, operator, ns, size in work])
        bodies, asked = max(told["bodies"], 1), max(told["asked"], 1)
        self.steps, self.traced, self.eager = told["captured"], told["traced"], told["eager"]
        self.body_ms = told["body_ns"] / bodies / 1e6
        self.wait_ms = told["wait_ns"] / bodies / 1e6
        self.source_ms = told["source_ns"] / steps / 1e6
        self.pipeline_ms = told["busy_ns"] / steps / 1e6
        self.first_step_ms = told["traced_ns"] / max(told["traced"], 1) / 1e6
        self.ready, self.ahead = told["ready"] / asked, told["ahead"] / asked
        self.bytes_in = told["bytes_in"] / steps
        self.bytes_out = sum(row[4] for row in work) / steps
        self.peak_bytes = told["peak_bytes"]
        self.limit = self._limit()

    def _limit(self) -> str | None:
        if not self.steps:
            return None
        if self.wait_ms > WAITS * (self.body_ms + self.wait_ms + self.source_ms):
            return "pipeline"
        return "source" if self.source_ms > self.body_ms else "body"

    def to_dict(self) -> dict[str, Any]:
        names = ("steps", "traced", "eager", "body_ms", "wait_ms", "source_ms", "pipeline_ms",
                 "first_step_ms", "ready", "ahead", "limit", "bytes_in", "bytes_out", "peak_bytes")
        return {**super().to_dict(), **{name: getattr(self, name) for name in names}}

    def head(self) -> str:
        if not self.steps:
            return (f"{self.traced} traced and {self.eager} eager steps, none from the pipeline yet")
        more = f" and {self.eager} eager ones" if self.eager else ""
        return (f"{self.steps} steps from the pipeline{more}; a step: body {self.body_ms:.3f} ms, waiting "
                f"{self.wait_ms:.3f} ms, source {self.source_ms:.3f} ms, pipeline {self.pipeline_ms:.3f} ms; "
                f"{self.ready:.1f} of {self.ahead:.1f} steps ahead were ready; {_WORDS[self.limit]}; "
                f"{_amount(self.bytes_in)} in and {_amount(self.bytes_out)} made a step, at most "
                f"{_amount(self.peak_bytes)} held; first step {self.first_step_ms:.1f} ms")

    def text(self, colours: bool = False) -> str:
        lines = [line for part in self.head().split("; ") for line in textwrap.wrap(part, WIDTH)]
        return "\n".join(lines + (self._lines(colours) if self.rows else []))


def _amount(size: float) -> str:
    """Bytes in words: "960 B", "1.50 MB"."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.{0 if unit == 'B' else 2}f} {unit}"
        size /= 1000
    return f"{size:.2f} GB"


_WORDS: dict[str | None, str] = {
    "pipeline": "the pipeline limits the loop: the body waits for results",
    "source": "the source limits the loop: reading it takes longer than the body",
    "body": "the body limits the loop: results are there when it asks",
}
_NOTHING = dict.fromkeys(("traced", "captured", "eager", "bodies", "body_ns", "traced_ns", "source_ns",
                          "wait_ns", "asked", "ready", "ahead", "steps", "busy_ns", "bytes_in",
                          "peak_bytes"), 0)


def stats(told: dict[str, Any] | None) -> Stats:
    """From the extension's counts; None: of a loop that was freed."""
    return Stats(told or {**_NOTHING, "work": []})
