"""Runs the bodies that fall back to eager in a folder of capture cases (`case_fall_*` of cases_const.py),
and checks what explain() says of each: a line of the body itself, a reason of the closed list.

    python tools/check_explain_cases.py ../shared/cases/capture
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from collections import Counter
from pathlib import Path

import headrace as hr
from headrace.capture import reasons

NONE_EAGER = "no call is told to be eager"
CODES = set(reasons.TABLE) | set(reasons.CALLS) - {"UNSEEN", "PROOF"}


class Recorder(hr.ExternalSource):
    """Keeps the loops that are made."""

    loops: list = []

    def captured(self, *args: object, **kw: object) -> object:
        loop = super().captured(*args, **kw)
        Recorder.loops.append(loop)
        return loop


def findings(case: object) -> list[str]:
    """What is wrong with the report of one case; its codes are added to `seen`."""
    Recorder.loops = []
    case(hr)
    rows = [row for loop in Recorder.loops for row in loop.explain().rows]
    lines, first = inspect.getsourcelines(case)
    eager = [row for row in rows if row["eager"]]
    if not eager:
        return [NONE_EAGER]
    found = []
    for row in eager:
        seen.update(row["codes"])
        if row["file"] != inspect.getsourcefile(case) and "exec" not in case.__name__:
            found.append(f"told of {row['file']}")
        elif not first <= row["line"] < first + len(lines) and "exec" not in case.__name__:
            found.append(f"line {row['line']} is outside the case")
        elif "exec" not in case.__name__ and "(" not in lines[row["line"] - first]:
            found.append(f"line {row['line']} holds no call")
        if not row["codes"] or set(row["codes"]) - CODES:
            found.append(f"codes {row['codes']}")
        if not row["reason"] or not row["remedy"]:
            found.append("no reason or no remedy")
    return found


seen: Counter = Counter()


def main(folder: str) -> int:
    sys.path.insert(0, str(Path(folder).resolve()))
    hr.ExternalSource = Recorder
    import cases_const

    warnings.simplefilter("ignore")
    cases = {n: f for n, f in vars(cases_const).items() if n.startswith("case_fall_")}
    bad = 0
    # more than the reference captures is allowed where the case says so
    growing = json.loads((Path(folder) / "flagged.json").read_text())
    for name, case in cases.items():
        for text in findings(case):
            if text == NONE_EAGER and name in growing:
                continue
            print(f"{name}: {text}")
            bad += 1
    print(f"{len(cases)} bodies, {bad} findings; codes: {dict(seen)}")
    return int(bad > 0 or not cases)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
