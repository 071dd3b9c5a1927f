"""Answers recorded from the peer, bit for bit (random_replay.py says how they are kept)."""
import json

import pytest

import headrace as hr
import random_replay as replay

DOC = replay.load()


def name(entry):
    text = json.dumps(entry["args"], separators=(",", ":"))
    return "%s-%s-%s" % (entry["op"], entry["seed"], text[:60])


@pytest.mark.parametrize("entry", DOC["draws"], ids=lambda e: e["seed"])
def test_draws(entry):
    assert replay.draws(hr, entry["seed"]) == (entry["words"], entry["after"])


@pytest.mark.parametrize("entry", DOC["skips"], ids=lambda e: e["before"] + "+" + e["n"])
def test_skips(entry):
    found = replay.skip(hr, entry["before"], entry["n"])
    assert found == (entry["state"], entry["next"], entry["after"])


@pytest.mark.parametrize("entry", DOC["calls"], ids=name)
def test_calls(entry):
    outputs, after = replay.call(hr, entry)
    assert after == entry["after"]
    assert outputs == entry["outputs"]


def test_the_file_has_every_operator():
    ops = {entry["op"] for entry in DOC["calls"]}
    assert ops == {"random.uniform", "random.normal", "random.coin_flip", "random.choice",
                   "random.beta", "batch_permutation", "random_crop_generator",
                   "noise.gaussian", "noise.salt_and_pepper", "noise.shot"}
    assert len(DOC["calls"]) > 120
