"""Verdicts over many cases, and what is said of them in tests and reports."""
import importlib.util
import sys

from parity import compare, differences, drive


def ours(cases, python=None, env=None):
    """Headrace's results for resolved cases; the interpreter of the caller unless another is
    given."""
    return drive.run(python or sys.executable, "headrace", cases, env)


def runnable(cases):
    """Cases whose needs are met here: some look at what torch makes of our tensors."""
    if importlib.util.find_spec("torch"):
        return cases
    return [c for c in cases if "torch" not in c.get("code", "")]


def verdicts(cases, peer, mine):
    """[(case, verdict, reason or None, peer result, our result)]; hints against their base."""
    by_name = {c["name"]: i for i, c in enumerate(cases)}
    out = []
    for c, p, o in zip(cases, peer, mine):
        v = compare.verdict(c, p, o)
        base = by_name.get(c.get("like"))
        if not v.kind and base is not None and "value" in o:
            same = compare.values("exact", mine[base].get("value", {"kind": "error"}), o["value"])
            if same.kind:
                v = compare.Verdict("hint", "a hint changed the result of ours: " + same.detail,
                                    0.0, 0.0)
        reason = differences.explain(c["name"], v.kind, p, o) if v.kind else None
        out.append((c, v, reason, p, o))
    return out


def unexplained(rows):
    return ["%s: %s: %s" % (c["name"], v.kind, v.detail) for c, v, reason, _, _ in rows
            if v.kind and reason is None]
