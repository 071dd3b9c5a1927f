"""headrace explain: runs a script and tells about its captured loops, or only reads it."""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import sys
import traceback
from typing import Any, Callable


def explain_script(args: Any) -> int:
    """0: every call was captured; 1: some were not, or the script failed; 2: it cannot be read."""
    if not os.path.isfile(args.script):
        print(f"headrace explain: there is no file {args.script}", file=sys.stderr)
        return 2
    if args.static and args.arguments:
        print(f"headrace explain --static runs nothing: {args.arguments[0]!r} is of no use",
              file=sys.stderr)
        return 2
    return _read(args.script, args.json) if args.static else _run(args)


# ---- reading -----------------------------------------------------------------------------------


def _read(script: str, as_json: bool) -> int:
    from .capture.predict import predict

    try:
        calls = predict(script)
    except (SyntaxError, UnicodeError, OSError) as error:
        print(f"headrace explain: {script} cannot be read: {error}", file=sys.stderr)
        return 2
    if as_json:
        print(json.dumps([{**c._asdict(), "arguments": [_argument(a) for a in c.arguments]}
                          for c in calls], indent=1))
    else:
        print(_prediction(script, calls))
    return int(any(a.verdict == "refused" for c in calls for a in c.arguments))


def _argument(argument: Any) -> dict[str, Any]:
    reason = argument.reason
    return {**argument._asdict(), "reason": reason and reason.to_dict()}


def _prediction(script: str, calls: list[Any]) -> str:
    from .capture._report import Report

    class Prediction(Report):
        columns = ("where", "operator", "argument", "verdict")
        below = (("reason", "why"), ("remedy", "how"))

        def head(self) -> str:
            kinds = [row["verdict"] for row in self.rows]
            counts = ", ".join(f"{kinds.count(k)} {k}" for k in (
                "constant", "batch", "depends", "refused"))
            return (f"{os.path.basename(script)}: {len(calls)} calls of operators; arguments: {counts}"
                    if calls else f"{os.path.basename(script)}: no operator is called")

    rows = []
    for call in calls:
        for a in call.arguments:
            name = f"input {a.name}" if a.name.isdigit() else a.name
            rows.append({"where": f"{os.path.basename(call.file)}:{call.line}",
                         "operator": call.operator, "argument": name, "verdict": a.verdict,
                         "status": _STATUS[a.verdict],
                         "reason": a.reason.sentence if a.reason else "",
                         "remedy": a.reason.remedy if a.reason else ""})
    return str(Prediction(rows))


_STATUS = {"constant": "captured", "batch": "captured", "depends": "partly", "refused": "eager"}


# ---- running -----------------------------------------------------------------------------------


def _run(args: Any) -> int:
    from .capture._session import Session, report

    session = Session()
    out, began = sys.stdout, os.getpid()
    # with --json the script's own output must not mix with the report
    elsewhere = contextlib.redirect_stdout(sys.stderr) if args.json else contextlib.nullcontext()
    with elsewhere:
        code = run_script(args.script, args.arguments)
    if os.getpid() != began:
        return code  # a child that the script forked has come to its end
    out = sys.stderr if out.closed else out  # by the script
    if not args.json:
        print(file=out)
    found = report(session, out, args.json)
    out.flush()
    return code or int(any(e.counts["eager"] or e.counts["partly"] for e in found))


def run_script(script: str, arguments: list[str], run: Callable[..., Any] = runpy.run_path) -> int:
    """As `python script arguments` would; the exit code. `run` is called as runpy.run_path is."""
    sys.argv = [script, *arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        run(script, run_name="__main__")
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:  # the report is wanted most where the script fails
        shown = error.__traceback__
        while shown is not None and shown.tb_frame.f_code.co_filename != script:
            shown = shown.tb_next  # without the frames of this command
        if shown is None and not isinstance(error, SyntaxError):
            shown = error.__traceback__
        traceback.print_exception(type(error), error, shown)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0
