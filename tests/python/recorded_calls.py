"""Callables to record, calls of them, and arrays of zeros."""
import numpy as np

from headrace import graphs


def scale(x, factor=2, *, shift=0):
    return x * factor + shift


def record(function, *calls, **options):
    recording = graphs.RecordingModule(function, "f", graphs.Config(), **options)
    for args, kwargs in calls:
        recording(*args, **kwargs)
    return recording


def zeros(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


class Model:
    def __init__(self, factor):
        self.factor = factor

    def run(self, x, times=1):
        return x * self.factor * times

    def __call__(self, x):
        return x + self.factor
