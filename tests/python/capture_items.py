"""Numbered items for captured loops, and all ways out of a loop."""
import itertools

import numpy as np
import pytest

import headrace as hr

SIZE = 3


def item(k, size=SIZE):
    samples = [np.full((4,), 10 * k + s, np.int32) for s in range(size)]
    return hr.as_batch(samples, dtype=hr.int32)


def items(n):
    return [item(k) for k in range(n)]


def number(batch):
    """Which item a batch came from."""
    return int(np.asarray(batch.select(0))[0]) // 10


def is_captured(batch):
    return batch._capture_ref is not None


class Pulled:
    """An endless callable that knows how often it was called."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return item(self.calls - 1)


def numbers_of(loop, n=10 ** 9):
    """Which items the first n steps of a loop over a source give; a capturable call in each."""
    out = []
    for x in itertools.islice(loop, n):
        y = hr.cat(x, x)
        assert number(y) == number(x)
        out.append(number(x))
    return out


# ---- ways out: each takes n steps of the loop ---------------------------------------------------------


def leave_by_break(loop, n):
    for x in loop:
        hr.cat(x, x)
        n -= 1
        if n == 0:
            break


def leave_by_return(loop, n):
    for x in loop:
        hr.cat(x, x)
        n -= 1
        if n == 0:
            return


def leave_by_error(loop, n):
    try:
        leave_by_raise(loop, n)
    except KeyError:
        pass


def leave_by_raise(loop, n):
    for x in loop:
        hr.cat(x, x)
        n -= 1
        if n == 0:
            raise KeyError("mine")


def leave_by_generator(loop, n, end=lambda g: g.close()):
    def forward():
        yield from loop
    steps = forward()
    for _ in range(n):
        x = next(steps)
        hr.cat(x, x)
    end(steps)


def leave_by_throw(loop, n):
    def throw(steps):
        with pytest.raises(OSError):
            steps.throw(OSError("thrown"))
    leave_by_generator(loop, n, throw)


def leave_by_dropping_the_generator(loop, n):
    leave_by_generator(loop, n, lambda g: None)


def leave_by_close(loop, n):
    numbers_of(loop, n)
    loop.close()
    loop.close()  # may be repeated


def leave_by_with(loop, n):
    with loop:
        numbers_of(loop, n)


def leave_by_cycle(loop, n):
    """The loop is garbage only the collector finds."""
    numbers_of(loop, n)
    ring = [loop]
    ring.append(ring)


def leave_by_islice(loop, n):
    assert len(list(itertools.islice(loop, n))) == n


def leave_by_exhausting_another(loop, n):
    for x, _ in zip(loop, range(n - 1)):
        hr.cat(x, x)


WAYS_OUT = [f for name, f in sorted(globals().items()) if name.startswith("leave_by_")
            and name != "leave_by_raise"]
