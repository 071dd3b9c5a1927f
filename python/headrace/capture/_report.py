"""What a captured loop says of itself: `loop.explain()` and `loop.stats()`."""

from __future__ import annotations

import html
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

WIDTH = 100


class Report:
    """Rows of plain values; `str` gives a table of at most 100 columns."""

    title = ""
    columns: tuple[str, ...] = ()

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self.rows = list(rows)

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "rows": self.rows}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1)

    def _cells(self) -> list[list[str]]:
        return [[str(row.get(c, "")) for c in self.columns] for row in self.rows]

    def __str__(self) -> str:
        return table(self.columns, self._cells(), _has_colours())

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(c)}</th>" for c in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>"
                       for cells in self._cells())
        return f"<table><tr>{head}</tr>{body}</table>"


class Explanation(Report):
    """One row a call site of the traced step: captured or eager, and why."""

    title = "explain"
    columns = ("where", "operator", "status", "steps", "reason", "remedy")


class Stats(Report):
    """Time of the pipeline, by call site; times in milliseconds a step."""

    title = "stats"
    columns = ("where", "operator", "ms a step", "share")

    def __init__(self, rows: Iterable[dict[str, Any]], steps: int, ms: float) -> None:
        super().__init__(rows)
        self.steps, self.ms_a_step = steps, ms

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "steps": self.steps, "ms_a_step": self.ms_a_step}

    def __str__(self) -> str:
        head = f"{self.steps} steps, {self.ms_a_step:.3f} ms of pipeline work a step\n"
        return head + super().__str__()


def _has_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def table(columns: tuple[str, ...], cells: list[list[str]], colours: bool = False) -> str:
    """An aligned text table; the last columns wrap below where the line is full."""
    if not cells:
        return "(no operator was called)"
    narrow = [i for i, c in enumerate(columns) if c not in ("reason", "remedy")]
    widths = {i: max(len(columns[i]), *(len(r[i]) for r in cells)) for i in narrow}
    lines = ["  ".join(columns[i].ljust(widths[i]) for i in narrow).rstrip()]
    for row in cells:
        line = "  ".join(row[i].ljust(widths[i]) for i in narrow).rstrip()
        if colours and "eager" in row:
            line = f"\033[33m{line}\033[0m"
        lines.append(line)
        for i, name in enumerate(columns):
            if name in ("reason", "remedy") and row[i]:
                lines += _wrapped(("why: " if name == "reason" else "how: ") + row[i])
    return "\n".join(lines)


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="         ")


def explain(rows: list[dict[str, Any]]) -> Explanation:
    """The table of a capture's rows."""
    return Explanation(_explained(row) for row in rows)


def _explained(row: dict[str, Any]) -> dict[str, Any]:
    reasons = row["reasons"]
    return {
        "where": f"{os.path.basename(row['file'])}:{row['line']}", "file": row["file"],
        "line": row["line"], "operator": row["operator"],
        "status": "captured" if row["captured"] else "eager", "steps": row.get("steps", ""),
        "codes": [r.code for r in reasons],
        "reason": "; ".join(r.sentence for r in reasons),
        "remedy": "; ".join(dict.fromkeys(r.remedy for r in reasons)),
    }


def stats(steps: int, busy_ns: int, nodes: list[tuple[str, int, str, int]]) -> Stats:
    """From the executor's counts: (file, line, operator, nanoseconds) a node."""
    each = max(steps, 1)
    total = max(sum(n[3] for n in nodes), 1)
    return Stats(({"where": f"{os.path.basename(file)}:{line}", "operator": op,
                   "ms a step": f"{ns / each / 1e6:.3f}", "share": f"{ns / total:.0%}"}
                  for file, line, op, ns in nodes), steps, busy_ns / each / 1e6)
