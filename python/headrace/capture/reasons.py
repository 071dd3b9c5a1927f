"""Why an argument is not proven constant: a closed list, each with one sentence and a remedy.

A reason names the thing in the user's words. `file` and `line` are the argument's; `cause_file` and
`cause_line` are where the proof ended, which may be a binding above the call or a caller.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

MARK = "mark {root} with `hr.capture.invariant`"
WRITE = "write the value in the call, or " + MARK
ONCE = "give {root} one assignment of a constant, or " + MARK

# code: (sentence, what would capture it). The fields are filled by `explain`.
TABLE: dict[str, tuple[str, str]] = {
    "MODULE_NAME": (
        "{text} is a name at module level",
        "write its value in the call, assign it to a local name, or " + MARK),
    "CLASS_NAME": ("{text} is a name of a class body", WRITE),
    "ASSIGNED_TWICE": ("{text} is assigned {detail}", "use a second name, or " + MARK),
    "NONLOCAL": ("{text} is assigned again by a nested function, {detail}", MARK),
    "CIRCULAR": ("{text} is assigned from itself", ONCE),
    "MUTABLE_VALUE": (
        "{text} is bound to {detail}",
        "use a tuple, write the value in the call, or " + MARK),
    "CALL_RESULT": ("{text} is the result of a call", MARK),
    "ATTRIBUTE": ("{text} is an attribute of {detail}", MARK),
    "FOR_TARGET": ("{text} is the target of a `for` loop", MARK),
    "COMPREHENSION_TARGET": ("{text} is the target of a comprehension's `for`", MARK),
    "WITH_TARGET": ("{text} is the target of a `with` statement", MARK),
    "EXCEPT_TARGET": ("{text} is the target of an `except` clause", WRITE),
    "MATCH_TARGET": ("{text} is captured by a `match` pattern", MARK),
    "IMPORT": ("{text} is bound by an import", MARK),
    "DEFINITION": ("{text} is bound by a `def` or `class` statement", WRITE),
    "UNPACKED": (
        "{text} is unpacked from {detail}, which is no tuple written there", ONCE),
    "STAR_TARGET": ("{text} collects the rest of an unpacking and is a list", ONCE),
    "STAR_ARGUMENT": (
        "the call passes {text}, so that its arguments cannot be told apart",
        "write the arguments one by one, or mark the values with `hr.capture.invariant`"),
    "VARIADIC_PARAMETER": (
        "{text} collects arguments ({detail})",
        "give the function a parameter of its own, or " + MARK),
    "PARAMETER_NOT_PROVEN": (
        "{text} is a parameter, and {detail}",
        "call the function by its name with the value, or " + MARK),
    "BOUND_ARGUMENT": (
        "{text} is not written in the call, but bound before (as `functools.partial` does)",
        "write the argument in the call, or mark the value with `hr.capture.invariant`"),
    "INDIRECT_CALL": (
        "the line in {text} does not call the operator itself, other code does (such as `map`)",
        "call the operator in the loop's own code, or mark the value with "
        "`hr.capture.invariant`"),
    "NO_SOURCE": (
        "the source of {text} cannot be read{detail}",
        "run the code from a file or a notebook cell, or mark the value with "
        "`hr.capture.invariant`"),
    "STALE_SOURCE": (
        "the source of {text} is not what runs: {detail}",
        "load the code anew, or mark the value with `hr.capture.invariant`"),
    "SAME_LINE_310": (
        "line {detail} holds several calls, which cannot be told apart without columns "
        "(Python 3.10, or -X no_debug_ranges)",
        "put each call on a line of its own, or use Python 3.11"),
    "COMPARISON": ("{text} is a comparison", WRITE),
    "BOOLEAN": ("{text} is an `and`, `or` or `not`", WRITE),
    "CONDITIONAL": ("{text} is a conditional expression", WRITE),
    "SUBSCRIPT": ("{text} is a subscript", "use a name for the item alone, or mark the value "
                  "with `hr.capture.invariant`"),
    "F_STRING": ("{text} is a formatted string", WRITE),
    "OPERATOR": ("{text} uses an operator that is not followed ({detail})", WRITE),
    "DISPLAY": ("{text} is a dictionary or a set", MARK),
    "COMPREHENSION": ("{text} is a comprehension", "write a tuple or a list of its items, or mark "
                      "the value with `hr.capture.invariant`"),
    "LAMBDA": ("{text} is a function", MARK),
    "AWAIT": ("{text} comes from `await` or `yield`", MARK),
    "EXPRESSION": ("{text} is a form that is not followed", WRITE),
}

#: Why a call ran eagerly although no proof failed, in the order of the extension's eager_code. The first
#: two have no words: UNSEEN calls are told by what was noted before, PROOF by TABLE.
CALLS: dict[str, tuple[str, str]] = {
    "UNSEEN": ("", ""),
    "PROOF": ("", ""),
    "EAGER_INPUT": ("{argument} depends on {culprit}, which is eager", "{cure}"),
    "STALE_INPUT": (
        "{argument} is a batch of an earlier step",
        "pass this step's batch; results of earlier steps are for eager code"),
    "OTHER_INPUT": (
        "{argument} is the result of another call than when this line was recorded",
        "give each of these batches a call of its own, on a line of its own"),
    "OUTSIDE_INPUT": (
        "{argument} is no result of an operator of this step: it was made outside the loop, or by a "
        "function that is no operator",
        "mark it with `hr.capture.invariant` if it is the same in all steps, or feed it by an "
        "ExternalSource that is read in the loop"),
    "OTHER_ARGUMENTS": (
        "the call has other arguments than when it was recorded{of_argument}",
        "pass the same arguments in every step, or give each form of the call a line of its own"),
    "CHANGED_CONSTANT": (
        "{argument} has another value than when this line was recorded",
        "give each value a call of its own, on a line of its own"),
    "NEW_SITE": (
        "the call was not reached in the first step",
        "call it in the first step as well: that step decides what is captured"),
    "NEW_PATH": (
        "another path of calls led here than in the first step",
        "take this path in the first step as well: that step decides what is captured"),
    "REPEATED_RANDOM": (
        "the random call ran more than once in a step: only the first one is captured",
        "give each draw a call of its own, on a line of its own"),
    "RNG_AHEAD": (
        "its generator had drawn more before the call than in the first step",
        "draw in the same order in every step"),
    "SINGLE_SAMPLE": (
        "the call gives one sample, not a batch",
        "pass it a batch, or give it `batch_size`"),
    "ARITHMETIC": (
        "arithmetic and comparisons are not captured",
        "use an operator that does the same (such as `hr.normalize` or `hr.brightness_contrast`), or "
        "do it after the last captured call"),
    "MATH": (
        "the functions of `hr.math` are not captured",
        "use an operator that does the same, or do it after the last captured call"),
    "SLICE": (
        "`.slice[...]` is not captured",
        "use `hr.slice` or `hr.crop`, or do it after the last captured call"),
    "COMPILED_ANEW": (
        "the code of this call was compiled anew since the first step, as `exec` and `eval` of a text do",
        "compile it once, in front of the loop, and run the same code in every step"),
}
CALL_CODES = tuple(CALLS)


class Unproven(Exception):
    """A proof has ended. `text` is the thing, as the user wrote it."""

    def __init__(self, code: str, text: str, file: str, line: int, detail: str = "",
                 root: str = "") -> None:
        super().__init__(code, text)
        self.code, self.text, self.file, self.line = code, text, file, line
        self.detail, self.root = detail, root


class Reason(NamedTuple):
    """What `loop.explain()` tells of one argument."""

    code: str  #: a key of TABLE
    sentence: str
    remedy: str  #: what would capture it
    argument: str  #: source text of the argument; "" where there is none
    file: str
    line: int
    cause_file: str
    cause_line: int

    def __str__(self) -> str:
        return f"{self.sentence}: {self.remedy}"

    def to_dict(self) -> dict[str, Any]:
        return self._asdict()


def quote(text: str) -> str:
    """Source text on one line, cut where it is long."""
    flat = " ".join(text.split())
    return f"`{flat if len(flat) <= 60 else flat[:57] + '...'}`"


def explain(cause: Unproven, argument: str, file: str, line: int) -> Reason:
    """The reason in words, for the argument at file:line."""
    sentence, remedy = TABLE[cause.code]
    text = quote(cause.text) if cause.text else "the argument"
    root = quote(cause.root or cause.text) if cause.root or cause.text else "the value"
    fields = {"text": text, "detail": cause.detail, "root": root}
    said = sentence.format(**fields)
    if cause.file != file:
        said += f" ({os.path.basename(cause.file)}:{cause.line})"
    elif cause.line != line and str(cause.line) not in cause.detail:
        said += f" (line {cause.line})"
    if argument and cause.text and cause.text not in argument:
        said = f"{quote(argument)} is not constant: {said}"
    return Reason(cause.code, said, remedy.format(**fields), argument, file, line,
                  cause.file, cause.line)


def lines_in_words(lines: list[int]) -> str:
    """[12, 17] -> "twice, lines 12 and 17"."""
    times = "twice" if len(lines) == 2 else f"{len(lines)} times"
    where = sorted(set(lines))
    if len(where) == 1:
        return f"{times}, line {where[0]}"
    return f"{times}, lines {', '.join(map(str, where[:-1]))} and {where[-1]}"
