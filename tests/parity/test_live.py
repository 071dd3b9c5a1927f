"""Headrace against the live peer, which HEADRACE_PEER_PYTHON names: a Python interpreter of an
environment with nvidia-dali-cuda120 2.4.0. Skipped, with the number of cases, where it is not set.
"""
import os

import pytest

pytest.importorskip("numpy")

from parity import differences, drive, outcome  # noqa: E402

PYTHON = os.environ.get("HEADRACE_PEER_PYTHON")
TABLES = drive.tables()
COUNT = sum(map(len, TABLES.values()))

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="%d live parity cases skipped: HEADRACE_PEER_PYTHON is not set" % COUNT)


@pytest.fixture(scope="module")
def rows():
    pytest.importorskip("PIL")
    cases = drive.resolved(outcome.runnable(drive.all_cases()))
    peer = drive.run(PYTHON, drive.PEER, cases)
    return outcome.verdicts(cases, peer, outcome.ours(cases))


@pytest.mark.parametrize("op", sorted(TABLES))
def test_live(rows, op):
    mine = [r for r in rows if r[0]["op"] == op]
    bad = outcome.unexplained(mine)
    assert not bad, "%d of %d cases disagree with the peer:\n%s" % (
        len(bad), len(mine), "\n".join(bad))


@pytest.mark.parametrize("op", sorted(TABLES))
def test_cases_do_what_their_tables_say(rows, op):
    """A case meant to be refused that is accepted (or the other way round) tests nothing."""
    odd = ["%s: %s" % (c["name"], p.get("message", "accepted")) for c, _, _, p, _ in rows
           if c["op"] == op and not c.get("alone") and ("error" in p) != bool(c.get("fails"))]
    assert not odd, "\n".join(odd)


def test_every_listed_difference_is_still_one(rows):
    stale = differences.unused([(c["name"], v.kind) for c, v, _, _, _ in rows if v.kind], TABLES)
    assert not stale, "rows of differences.py that explain nothing: %s" % stale


# The peer reads memory that nobody wrote (behind the mean that it is given; in place of a default): each
# run has other values.
UNWRITTEN = {"reductions.std_dev/wrong/mean-length", "reductions.variance/wrong/mean-length",
             "readers.TFRecord/missing-default"}


def test_recordings_are_those_of_this_peer(rows):
    from parity.test_recorded import FILES, recorded
    from parity import compare
    now = {c["name"]: p for c, _, _, p, _ in rows}
    for path in FILES:
        for case, result in recorded(path):
            if case["name"] not in now or case["rule"] == "shape" or case["name"] in UNWRITTEN:
                continue
            found = compare.verdict(dict(case, rule="exact"), result, now[case["name"]])
            assert not found.kind or result.get("error") == "crash", (case["name"], found)
