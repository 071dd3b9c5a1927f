"""Known differences between the peer and Headrace, each with its reason.

A row is (pattern of case names, kind of verdict, reason); see compare.py for the kinds. A verdict
that no row explains fails the suite; so does a row that explains nothing any more.
"""
from fnmatch import fnmatchcase

# Where the peer raises the first type, ours may raise the second.
ERROR_TYPES = {
    ("RuntimeError", "ValueError"):
        "a wrong value is a ValueError at the call; the peer finds it later, in a worker",
    ("RuntimeError", "TypeError"):
        "a wrong kind of value is a TypeError at the call; the peer finds it later, in a worker",
    ("AttributeError", "TypeError"):
        "the peer trips over a missing attribute of a value of the wrong type",
    ("ValueError", "TypeError"):
        "a value of the wrong type (text for a number) is a TypeError in Python",
    ("KeyError", "ValueError"): "the peer looks an unknown name up in a table",
    ("ValueError", "RuntimeError"):
        "device=\"gpu\" anywhere is one RuntimeError that says this build has no GPU code",
}

DIFFERENCES = []


def explain(name, kind, peer, ours):
    """The reason why this verdict is right, or None."""
    if kind == "error-type":
        reason = ERROR_TYPES.get((peer["error"], ours["error"]))
        if reason and _narrow(name, peer, ours):
            return reason
    for pattern, which, reason in DIFFERENCES:
        if which == kind and fnmatchcase(name, pattern):
            return reason
    return None


def _narrow(name, peer, ours):
    """ValueError -> RuntimeError is meant for devices only."""
    if (peer["error"], ours["error"]) == ("ValueError", "RuntimeError"):
        return "GPU" in ours["message"] or "gpu" in ours["message"]
    return True


def unused(verdicts):
    """Rows that explain none of the verdicts [(name, kind)]."""
    return [row for row in DIFFERENCES
            if not any(k == row[1] and fnmatchcase(n, row[0]) for n, k in verdicts)]
