"""Checkpoints with known states, for tests."""
import json

import headrace as hr
from headrace.checkpoint import Checkpoint

RNG = hr.random.RNG


def state(n):
    return "Philox_%016X_0000000000000000:0000000000000000_0" % n


def text(**states):
    return json.dumps({"version": 2, "states": {
        name: {"state": state(n), "type": "RNG"} for name, n in states.items()}})


def loaded(**states):
    out = Checkpoint()
    out.deserialize(text(**states))
    return out


def collected(n=5, name="gen"):
    out, rng = Checkpoint(), RNG(seed=n)
    out.register(rng, name)
    out.collect()
    return out, rng


class Own:
    def __init__(self):
        self.value = 0

    def get_state(self):
        return str(self.value)

    def set_state(self, value):
        self.value = int(value)
