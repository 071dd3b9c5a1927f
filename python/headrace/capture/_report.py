"""Reports that a captured loop gives: rows of plain values as text, JSON or HTML."""

from __future__ import annotations

import html
import json
import os
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

WIDTH = 100
WIDEST = 44  # of a column
COLOURS = {"captured": "32", "partly": "33", "eager": "31"}  # green, yellow, red


class Report:
    """Rows of plain values; `str` gives a table of at most 100 columns."""

    title = ""
    columns: tuple[str, ...] = ()
    numbers: frozenset[str] = frozenset()  #: columns that are aligned to the right
    below: tuple[tuple[str, str], ...] = ()  #: (key, word): texts below a row

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self.rows = list(rows)

    def head(self) -> str:
        """The line above the table."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "rows": self.rows}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1)

    def text(self, colours: bool = False) -> str:
        """The table; `colours`: with escape codes of terminals."""
        lines = textwrap.wrap(self.head(), WIDTH)
        if self.rows:
            lines += self._lines(colours)
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text(has_colours(sys.stdout))

    def _cell(self, row: dict[str, Any], column: str) -> str:
        text = str(row.get(column, ""))
        return text if len(text) <= WIDEST else "..." + text[3 - WIDEST:]

    def _lines(self, colours: bool) -> list[str]:
        cells = [{c: self._cell(row, c) for c in self.columns} for row in self.rows]
        widths = {c: max(len(c), *(len(row[c]) for row in cells)) for c in self.columns}

        def line(texts: dict[str, str]) -> str:
            return "  ".join(texts[c].rjust(widths[c]) if c in self.numbers else
                             texts[c].ljust(widths[c]) for c in self.columns).rstrip()

        lines = [line({c: c for c in self.columns})]
        for row, texts in zip(self.rows, cells):
            one = line(texts)
            colour = COLOURS.get(row.get("status", "")) if colours else None
            lines.append(f"\033[{colour}m{one}\033[0m" if colour else one)
            for key, word in self.below:
                if row.get(key):
                    lines += textwrap.wrap(f"{word}: {row[key]}", WIDTH, initial_indent="    ",
                                           subsequent_indent=" " * (6 + len(word)))
        return lines

    def _repr_html_(self) -> str:
        names = [*self.columns, *(key for key, _ in self.below
                                  if any(row.get(key) for row in self.rows))]
        head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
        body = "".join("<tr>" + "".join(self._html_cell(row, n) for n in names) + "</tr>\n"
                       for row in self.rows)
        return f"<p>{html.escape(self.head())}</p>\n<table>\n<tr>{head}</tr>\n{body}</table>"

    def _html_cell(self, row: dict[str, Any], name: str) -> str:
        style = " style=\"text-align: right\"" if name in self.numbers else ""
        mark = f" class=\"{row[name]}\"" if name == "status" else ""
        return f"<td{mark}{style}>{html.escape(str(row.get(name, '')))}</td>"

    def __rich__(self) -> Any:
        from rich.table import Table  # type: ignore[import-not-found,unused-ignore]

        names = [*self.columns, *(key for key, _ in self.below)]
        table = Table(title=self.head() or None)
        for name in names:
            table.add_column(name, justify="right" if name in self.numbers else "left")
        for row in self.rows:
            table.add_row(*(str(row.get(n, "")).replace("[", "\\[") for n in names))
        return table


def has_colours(stream: Any) -> bool:
    """Is it a terminal whose user wants colours? (https://no-color.org)"""
    return (not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
            and stream is not None and stream.isatty())


def place(file: str, line: int) -> str:
    return f"{os.path.basename(file)}:{line}"
