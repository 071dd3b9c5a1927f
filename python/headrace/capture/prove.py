"""Proves arguments of an operator call constant by reading the source. Asked while a loop traces.

    proof = prove_call(frames, kwnames, values)
    proof.arguments[i]   # for values[i]: frames needed (int), or a reasons.Reason

* `frames`: frame objects from the operator's direct caller outwards; the list may be cut short
  (one frame will do), frames further out are reached by f_back.
* `kwnames`: the call's keyword names, None or () without; `values`: the positional values, then the
  keywords' values. `wanted`: indices of `values` to be judged (others get 0), default all.
* An int says how many frames of the chain the proof needed: 1 the caller's own, 2 with the caller's
  caller, and so on. 0: no proof is needed (None, or a marked value).
* No code of the user runs: no attribute, property, operator or `__eq__` of an object is called.
* `forget()` drops what is kept of code objects; call it when the trace has ended. Parsed files are
  kept (sources.FILES_KEPT) and read anew when they change.
* `lookup.hooks` takes what the extension knows better: `is_marked(value)`,
  `read_local(frame, name)`, `invariant`.

The rules are in judge.py, bindings in names.py, values in lookup.py, text in sources.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from . import reasons
from .chain import Chain, Place, forget, is_calling
from .judge import Judge, Where, check_stars
from .lookup import hooks
from .reasons import Reason, Unproven

__all__ = ["Proof", "forget", "prove_call"]


class Proof(NamedTuple):
    arguments: list[Any]  #: one int or Reason for each value

    @property
    def frames(self) -> int:
        """The frames that all the proofs of the call need."""
        return max((a for a in self.arguments if type(a) is int), default=0)

    @property
    def reasons(self) -> list[Reason]:
        return [a for a in self.arguments if type(a) is not int]


def prove_call(frames: list[Any], kwnames: tuple[str, ...] | None, values: Any,
               wanted: Any = None) -> Proof:
    chosen = range(len(values)) if wanted is None else wanted
    todo = [i for i in chosen if values[i] is not None and not hooks.is_marked(values[i])]
    arguments: list[Any] = [0] * len(values)
    if not todo:
        return Proof(arguments)
    chain = Chain(frames)
    try:
        place = _place_of_call(chain)
        where = Where(place.block, place.path, 0)
        judge = Judge(chain)
        check_stars(judge, where)
        expressions = _expressions(place, kwnames or (), len(values), frames[0])
    except Unproven as cause:
        line = frames[0].f_lineno
        reason = reasons.explain(cause, "", frames[0].f_code.co_filename, line)
        for i in todo:
            arguments[i] = reason
        return Proof(arguments)
    for i in todo:
        arguments[i] = _prove(judge, expressions[i], where, values[i])
    return Proof(arguments)


def _prove(judge: Judge, expression: Any, where: Where, value: Any) -> Any:
    if isinstance(expression, Unproven):
        return reasons.explain(expression, "", expression.file, expression.line)
    try:
        return max(judge.judge(expression, where, value), 1)
    except Unproven as cause:  # kept in no other name: its traceback holds the user's frames
        return _reason(cause, expression, where)
    except RecursionError:
        return _reason(judge.unproven("EXPRESSION", expression, where), expression, where)


def _reason(cause: Unproven, expression: Any, where: Where) -> Reason:
    block = where.block
    return reasons.explain(cause, block.text_of(expression), block.source.filename,
                           block.line_of(expression))


def _place_of_call(chain: Chain) -> Place:
    frame: Any = chain.frame(0)
    if not is_calling(frame):
        raise _indirect(frame)
    return chain.place(0)


def _indirect(frame: Any) -> Unproven:
    return Unproven("INDIRECT_CALL", frame.f_code.co_name, frame.f_code.co_filename,
                    frame.f_lineno)


def _expressions(place: Place, kwnames: tuple[str, ...], n: int, frame: Any) -> list[Any]:
    """The call's expressions in the order of its values."""
    call = place.call
    given = {k.arg: k.value for k in call.keywords}
    if len(call.args) != n - len(kwnames) or not given.keys() <= set(kwnames):
        raise _indirect(frame)  # what the line calls is not the operator itself
    line = place.block.line_of(call)
    return [*call.args,
            *(given.get(k) or Unproven("BOUND_ARGUMENT", k, place.block.source.filename, line)
              for k in kwnames)]
