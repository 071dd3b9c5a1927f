"""A call that CPython compiles to several instructions is one call: it is known by its source position."""
import sys

import numpy as np
import pytest

import headrace as hr

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="3.10 knows lines of code, not columns")


def loop_of(n):
    batches = [hr.as_batch([np.full((3,), i, np.float32)] * 2) for i in range(n)]
    return hr.ExternalSource(batches).captured(batch_size=2)


def is_captured(x):
    return getattr(x, "_capture_ref", None) is not None


def test_a_condition_at_a_function_s_end():
    """3.12 copies the short end of a function into both branches."""
    seen = []

    def call(step, x, y):
        hr.cast(x if step % 2 == 0 else y, dtype=hr.int32)

    def keep(x):
        return hr.cast(x, dtype=hr.int16)

    for step, x in enumerate(loop_of(4)):
        call(step, x, x)
        seen.append(is_captured(keep(x)))
    assert seen[1:] == [True] * 3


def test_another_generator_at_a_function_s_end_is_an_error_at_the_call():
    rng, other = hr.random.RNG(seed=1), hr.random.RNG(seed=2)
    finished = 0

    def body(step):
        hr.random.uniform(batch_size=2, shape=[2], rng=rng if step == 0 else other)

    with pytest.raises(RuntimeError, match="another generator"):
        for step, _ in enumerate(loop_of(4)):
            body(step)
            finished += 1
    assert finished == 1


def test_the_test_of_a_while_loop():
    """Compiled in front of the body and behind it."""
    results = []

    def body(x):
        n = 0
        while results.append(hr.cast(x, dtype=hr.int32)) is None and n < 2:
            n += 1

    for x in loop_of(3):
        body(x)
    assert len(results) == 9
    assert [[t.tolist() for t in r.tensors] for r in results[::3]] == [
        [[i] * 3] * 2 for i in range(3)]


def test_a_finally_block():
    """Compiled for the way through and for exceptions."""
    seen, values = [], []

    def body(step, x):
        try:
            if step == 2:
                raise KeyError
        except KeyError:
            pass
        finally:
            y = hr.cast(x, dtype=hr.int32)
            seen.append(is_captured(y))
            values.append([t.tolist() for t in y.tensors])

    for step, x in enumerate(loop_of(4)):
        body(step, x)
    assert seen[1:] == [True] * 3
    assert values == [[[i] * 3] * 2 for i in range(4)]
