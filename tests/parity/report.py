"""Writes docs/parity.md: how far Headrace and the peer agree, operator by operator.

    HEADRACE_PEER_PYTHON=/venv/bin/python python tests/parity/report.py [OUT.md]

The page depends on the two packages only: it is the same each time.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from parity import differences, drive, outcome  # noqa: E402

HEAD = """# Agreement with the peer

Made by `tests/parity/report.py` from the cases of `tests/parity/`, run on Headrace and on
`nvidia-dali-cuda120` 2.4.0 (dynamic mode, CPU). Shapes, dtypes, layouts, generator states and
exceptions are compared in every case. "equal" counts the cases whose values are the same bits or
whose calls both sides refuse; "within" those inside the tolerance of `tests/parity/compare.py`.
Levels are steps of an integer type (JPEG: of the 8-bit scale); "relative" is a share of what is
allowed for floats, 1 being the limit.

"""
COLUMNS = ["operator", "cases", "equal", "within", "differ, with a reason", "differ, unexplained",
           "largest, integers (levels)", "largest, floats (of the limit)"]
HEAD += "| %s |\n%s|\n" % (" | ".join(COLUMNS), "|---" * len(COLUMNS))


def row(op, rows):
    equal = sum(1 for _, v, _, _, _ in rows if not v.kind and v.largest == 0 and v.scaled == 0)
    reasons = sum(1 for _, v, r, _, _ in rows if v.kind and r)
    open_ = sum(1 for _, v, r, _, _ in rows if v.kind and not r)
    near = [(v, is_float(p)) for _, v, _, p, _ in rows if not v.kind]
    levels = max([v.largest for v, f in near if not f], default=0)
    share = max([v.scaled for v, f in near if f], default=0)
    return "| %s | %d | %d | %d | %d | %d | %g | %.2g |\n" % (
        op, len(rows), equal, len(near) - equal, reasons, open_, round(levels, 3), share)


def is_float(result):
    found = []

    def walk(v):
        if isinstance(v, dict):
            if "np" in v:
                found.append(v["np"][0] == "f")
            for each in v.values():
                walk(each)
        elif isinstance(v, list):
            for each in v:
                walk(each)

    walk(result)
    return any(found)


def main():
    python = os.environ.get("HEADRACE_PEER_PYTHON")
    if not python:
        sys.exit("set HEADRACE_PEER_PYTHON to a Python with nvidia-dali-cuda120 2.4.0")
    root = os.path.dirname(os.path.dirname(drive.HERE))
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.join(root, "docs", "parity.md")
    cases = drive.resolved(outcome.runnable(drive.all_cases()))
    rows = outcome.verdicts(cases, drive.run(python, drive.PEER, cases), outcome.ours(cases))
    text = HEAD + "".join(row(op, [r for r in rows if r[0]["op"] == op]) for op in drive.tables())
    text += "\n## Differences\n\n| cases | what | why |\n|---|---|---|\n"
    text += "".join("| `%s` | %s | %s |\n" % d for d in differences.DIFFERENCES)
    text += "\n## Exceptions of another type\n\n| the peer raises | we raise | why |\n|---|---|---|\n"
    text += "".join("| %s | %s | %s |\n" % (a, b, why)
                    for (a, b), why in differences.ERROR_TYPES.items())
    with open(target, "w", encoding="utf-8") as f:
        f.write(text)
    bad = outcome.unexplained(rows)
    print("%d cases, %d unexplained differences; wrote %s" % (len(rows), len(bad), target))
    for line in bad:
        print("  " + line[:300])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
