"""`loop.explain()`: the extension's rows in words, one a call site of the loop's body."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ._report import Report, place
from .chain import Chain
from .reasons import CALL_CODES, CALLS, Unproven, quote

SIGNS = {"ARITHMETIC", "MATH", "SLICE"}  # calls that capture=True never captures


class Explanation(Report):
    """One row a call site: captured, partly or eager, how often, why, and what would capture it.

    `rows` are dictionaries: ``where`` ("train.py:12"), ``file``, ``line``, ``operator``, ``status``
    ("captured", "partly", "eager"), ``captured`` and ``eager`` (numbers of calls), ``first_step`` (in
    which the site was first reached, from 0), ``from`` (the calls that led there, where the same line
    was reached by several paths), ``codes``, ``reason`` and ``remedy`` (text), and ``reasons``: one
    dictionary a reason with ``code``, ``sentence``, ``remedy``, ``argument`` (its source text), ``file``
    and ``line`` of the cause, and ``count`` (calls).
    """

    title = "explain"
    columns = ("where", "operator", "status", "captured", "eager")
    numbers = frozenset({"captured", "eager"})
    below = (("from", "from"), ("reason", "why"), ("remedy", "how"))

    def __init__(self, told: dict[str, Any]) -> None:
        super().__init__([_row(row) for row in told["rows"]])
        self.file, self.line = told["file"] or "", told["line"]
        self.steps, self.left_out = told["steps"], told["left_out"]
        self.loops = told.get("loops", 1)  #: readers and sources that loops of this line ran over

    @property
    def counts(self) -> dict[str, int]:
        """Sites by status."""
        found = Counter(row["status"] for row in self.rows)
        return {status: found[status] for status in ("captured", "partly", "eager")}

    def head(self) -> str:
        made = f" of {place(self.file, self.line)}" if self.file else ""
        sites = ", ".join(f"{n} {status}" for status, n in self.counts.items())
        more = f"; {self.left_out} calls of further sites are left out" if self.left_out else ""
        what = f"sites: {sites}{more}" if self.rows else "no operator was called"
        many = f"{self.loops} captured loops" if self.loops > 1 else "captured loop"
        return f"{many}{made}, {self.steps} steps; {what}"

    def to_dict(self) -> dict[str, Any]:
        return {"title": self.title, "file": self.file, "line": self.line, "steps": self.steps,
                "left_out": self.left_out, "counts": self.counts, "rows": self.rows}


def explain(told: dict[str, Any] | None) -> Explanation:
    """From the extension's description of a capture; None: of a loop that was closed and freed."""
    return Explanation(told or {"rows": [], "file": "", "line": 0, "steps": 0, "left_out": 0})


def refusal(row: dict[str, Any]) -> str:
    """The message of a strict loop's RuntimeError."""
    told = _row(row)
    return (f"capture=\"strict\": {told['operator']} at {told['file']}:{told['line']} runs eagerly: "
            f"{told['reason']}. To capture it: {told['remedy']}")


def _row(row: dict[str, Any]) -> dict[str, Any]:
    code, _, line = row["chain"][0]
    file = code.co_filename
    captured, eager = row["captured"], row["eager"]
    status = "partly" if captured and eager else "captured" if captured else "eager"
    reasons = [_reason(row, reason) for reason in row["reasons"]]
    calls = captured + eager
    sentences = [(f"{r['count']} of {calls} calls: " if status == "partly" else "") + r["sentence"]
                 for r in reasons]
    return {
        "where": place(file, line), "file": file, "line": line,
        "operator": row["operator"].replace("operator ", ""),
        "status": status, "captured": captured, "eager": eager, "first_step": row["first_step"],
        "from": ", ".join(place(c.co_filename, at) for c, _, at in row["chain"][1:]),
        "codes": [r["code"] for r in reasons], "reason": "; ".join(dict.fromkeys(sentences)),
        "remedy": "; ".join(dict.fromkeys(r["remedy"] for r in reasons)), "reasons": reasons,
    }


def _reason(row: dict[str, Any], reason: dict[str, Any]) -> dict[str, Any]:
    code, offset, line = row["chain"][0]
    proof = reason["proof"]
    if proof is not None:
        return {"code": proof.code, "sentence": proof.sentence, "remedy": proof.remedy,
                "argument": proof.argument, "file": proof.cause_file, "line": proof.cause_line,
                "count": reason["count"]}
    name = CALL_CODES[reason["code"]]
    text = argument_text(code, offset, line, reason["position"], reason["name"])
    told = quote(text) if text else _by_place(reason["position"], reason["name"])
    culprit, file, at = "an eager call", code.co_filename, line
    cure = "capture that call"
    if reason["culprit"] is not None:
        operator, file, at = reason["culprit"]
        culprit = f"line {at}" if file == code.co_filename else place(file, at)
        is_own = (operator, file, at) == (row["operator"], code.co_filename, line)
        cure = _cure(operator, f"the calls of {culprit} that come before it" if is_own else culprit)
        culprit += f" ({operator.replace('operator ', '')})"
    sentence, remedy = CALLS[name]
    fields = {"argument": told, "culprit": culprit, "cure": cure,
              "of_argument": f": {told}" if reason["position"] >= 0 else ""}
    return {"code": name, "sentence": sentence.format(**fields), "remedy": remedy.format(**fields),
            "argument": text, "file": file, "line": at, "count": reason["count"]}


def _cure(operator: str, where: str) -> str:
    if operator.startswith(("operator ", "math.", ".slice")):
        kind = ("MATH" if operator.startswith("math.") else
                "SLICE" if operator.startswith(".slice") else "ARITHMETIC")
        return f"{where}: {CALLS[kind][1]}"
    return f"capture {where}"


def _by_place(position: int, name: str | None) -> str:
    return f"argument `{name}`" if name else f"input {position}" if position >= 0 else "the call"


class _Stopped:
    """What a frame showed of itself when its call was noted."""

    f_back = None

    def __init__(self, code: Any, offset: int, line: int) -> None:
        self.f_code, self.f_lasti, self.f_lineno = code, offset, line
        self.f_globals: dict[str, Any] = {}


def argument_text(code: Any, offset: int, line: int, position: int, name: str | None) -> str:
    """The source text of one argument of the call at code:offset; "" where it cannot be told."""
    if position < 0:
        return ""
    chain = Chain([_Stopped(code, offset, line)])  # type: ignore[list-item]
    try:
        found = chain.place(0)
    except Unproven:
        return ""
    call = found.call
    if name is None:
        given = call.args[:position + 1]
        known = len(given) == position + 1 and not any(type(a).__name__ == "Starred" for a in given)
        return found.block.text_of(given[-1]) if known else ""
    return next((found.block.text_of(k.value) for k in call.keywords if k.arg == name), "")
