"""Headrace against the recorded expectations of the peer. Needs numpy, not the peer."""
import glob
import gzip
import json
import os

import pytest

pytest.importorskip("numpy")

from parity import drive, outcome  # noqa: E402


def recorded(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    results = {r["case"]["name"]: r["result"] for r in rows}
    return [(r["case"], results[r["result"]["like"]] if "like" in r["result"] else r["result"])
            for r in rows]


FILES = sorted(glob.glob(os.path.join(drive.DATA, "*.json.gz")))


def test_there_are_recordings_of_every_operator():
    names = {os.path.basename(f)[:-len(".json.gz")] for f in FILES}
    assert names == set(drive.tables())


@pytest.mark.parametrize("path", FILES, ids=lambda p: os.path.basename(p)[:-len(".json.gz")])
def test_recorded(path):
    rows = recorded(path)
    cases = outcome.runnable([c for c, _ in rows])
    peer = {c["name"]: r for c, r in rows}
    mine = outcome.ours(cases)
    bad = outcome.unexplained(
        outcome.verdicts(cases, [peer[c["name"]] for c in cases], mine))
    assert not bad, "%d of %d cases disagree with the peer:\n%s" % (
        len(bad), len(cases), "\n".join(bad))


@pytest.mark.parametrize("path", FILES, ids=lambda p: os.path.basename(p)[:-len(".json.gz")])
def test_recording_is_of_these_cases(path):
    """A case that was changed after the recording would compare with something else."""
    op = os.path.basename(path)[:-len(".json.gz")]
    now = {c["name"]: without_inputs(c) for c in drive.tables()[op]}
    for case, _ in recorded(path):
        assert now.get(case["name"]) == without_inputs(case), "record again: %s" % case["name"]


def without_inputs(case):
    """As text: a NaN does not equal itself."""
    return json.dumps({k: v for k, v in case.items() if k != "inputs"}, sort_keys=True)
