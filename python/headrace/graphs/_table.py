"""Tables of a call's leaves, by the tabulate package, which is imported at the first one."""
from __future__ import annotations

from typing import Any, Callable

from ._spec import InfoLevel


def _tabulate() -> Callable[..., str]:
    try:
        from tabulate import tabulate
    except ImportError:
        raise ImportError(
            "tables of execution graphs need the package `tabulate` (pip install tabulate); "
            "InfoLevel.SHORT needs none"
        ) from None
    return tabulate  # type: ignore[no-any-return]


def _is_text(cell: str) -> bool:
    """Whether the cell can be nothing but text, whatever its column: no number, no truth value."""
    if not cell[:1].isalpha():
        return cell[:1] in ("[", "(")
    if cell in ("True", "False"):
        return False
    try:
        float(cell)  # nan, inf
    except ValueError:
        return True
    return False


def _table(rows: list[list[str]], headers: list[str], level: InfoLevel) -> str:
    if not rows:
        return ""
    # One such cell makes its column text; looking for numbers there takes half of the table's time.
    texts = [i for i, column in enumerate(zip(*rows)) if any(map(_is_text, column))]
    style = "fancy_grid" if level is InfoLevel.FULL else "simple"
    return _tabulate()(rows, headers=headers, tablefmt=style, disable_numparse=texts or False)


def tensor_table(data: Any, level: InfoLevel) -> str:
    """The table of (Locator, TensorSpec) pairs."""
    headers = ["Access Path", "Semantic Path", "Shape"]
    rows = []
    for locator, spec in data:
        row = [locator.display_path, str(locator.path), str(spec.shape)]
        if level is InfoLevel.FULL:
            row += [str(spec.min_shape), str(spec.max_shape), str(spec.dtype)]
        rows.append(row)
    if level is InfoLevel.FULL:
        headers = headers + ["Min Shape", "Max Shape", "Dtype"]
    return _table(rows, headers, level)


def value_table(data: Any, level: InfoLevel) -> str:
    """The table of (Locator, value) pairs."""
    rows = [[locator.display_path, str(locator.path), str(value)] for locator, value in data]
    return _table(rows, ["Access Path", "Semantic Path", "Value"], level)


def plain_table(rows: list[list[str]], headers: list[str]) -> str:
    """A table in MEDIUM's style of cells that are kept as they are."""
    return _tabulate()(rows, headers=headers, tablefmt="simple", disable_numparse=True)
