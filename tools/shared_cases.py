#!/usr/bin/env python3
"""Runs the capture cases that lie beside the clone:  tools/shared_cases.py FOLDER

Their own runner takes a case whose answer is "no error" for one that crashed, and stops there; some cases
accept any answer, this one too. A case whose answers are free may answer anything but a crash."""
import importlib
import json
import os
import sys


def accepted(name, box, expected, flagged):
    if "facts" not in box:
        return False
    flag = flagged.get(name, {})
    if flag.get("accept_any"):
        return True
    return json.loads(json.dumps(box["facts"])) in flag.get("accept", [expected.get(name)])


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def main(folder):
    sys.path.insert(0, folder)
    runner = importlib.import_module("run")
    headrace = importlib.import_module("headrace")
    expected, flagged = load(runner.EXPECTED), load(runner.FLAGGED)
    passed = failed = 0
    for name, case in runner.collect().items():
        box = runner.run_case(case, headrace)
        if accepted(name, box, expected, flagged):
            passed += 1
            continue
        failed += 1
        print("FAIL", name)
        print("    expected", json.dumps(flagged.get(name, {}).get("accept", expected.get(name))))
        print("    got     ", box.get("crash") or json.dumps(box["facts"]))
    print(f"{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    code = main(os.path.abspath(sys.argv[1]))
    sys.stdout.flush()
    os._exit(code)  # as their runner does: a case that hangs leaves a thread behind
