"""Loads the case tables and runs them on a module in a process of its own.

A crash or a hang costs one case: its result says so, and the next process goes on after it.
"""
import importlib
import json
import os
import pkgutil
import subprocess
import tempfile

import parity
from parity import pictures

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data", "parity")
PEER = "nvidia.dali.experimental.dynamic"
HANG_SECONDS = 240


def tables():
    """Operator name -> list of cases, in a fixed order. Names are made unique and full here."""
    out = {}
    for info in sorted(pkgutil.iter_modules(parity.__path__), key=lambda i: i.name):
        if not info.name.startswith("cases_"):
            continue
        table = importlib.import_module("parity." + info.name)
        cases = [dict(c, op=table.OP, name=table.OP + "/" + c["name"]) for c in table.CASES]
        otherwise = getattr(table, "PEER_REFUSES", set()) | getattr(table, "PEER_ACCEPTS", set())
        for c in cases:
            if c["name"][len(table.OP) + 1:] in otherwise:
                c["fails"] = not c.get("fails", False)
            if "like" in c:
                c["like"] = table.OP + "/" + c["like"]
        names = [c["name"] for c in cases]
        doubles = sorted({n for n in names if names.count(n) > 1})
        if doubles:
            raise ValueError("%s: cases of one name: %s" % (info.name, ", ".join(doubles)))
        out[table.OP] = cases
    return out


def all_cases():
    return [c for cases in tables().values() for c in cases]


def resolved(cases):
    return [pictures.resolve(c) for c in cases]


def run(python, module, cases, env=None):
    """Results in the order of `cases` (which hold bytes instead of pictures). A case marked
    `alone` gets a process of its own."""
    groups = [[c for c in cases if not c.get("alone")]] + [[c] for c in cases if c.get("alone")]
    results = {}
    for group in groups:
        for case, result in zip(group, _run_group(python, module, group, env)):
            results[case["name"]] = result
    return [results[c["name"]] for c in cases]


def _run_group(python, module, cases, env):
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "cases.json"), os.path.join(folder, "results.jsonl")
        with open(source, "w", encoding="utf-8") as f:
            json.dump(cases, f)
        open(target, "w").close()
        results = []
        while len(results) < len(cases):
            end = _run_once(python, module, source, target, len(results), env)
            with open(target, encoding="utf-8") as f:
                lines = [line for line in f if line.endswith("\n")]
            if len(lines) < len(cases):
                lost = {"error": "crash", "bases": [], "message": end}
                if not lines and not results and end.startswith("exit 1:"):
                    raise RuntimeError("%s does not run: %s" % (module, end))
                with open(target, "w", encoding="utf-8") as f:
                    f.writelines(lines + [json.dumps(lost) + "\n"])
                lines.append(json.dumps(lost))
            results = [json.loads(line) for line in lines]
        return results


def _run_once(python, module, source, target, first, env):
    command = [python, os.path.join(HERE, "runner.py"), module, source, target, str(first)]
    full = dict(os.environ, **(env or {}))
    try:
        done = subprocess.run(command, env=full, timeout=HANG_SECONDS, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        return "no result for %d s" % HANG_SECONDS
    return "exit %d: %s" % (done.returncode, done.stderr.decode(errors="replace")[-600:])
