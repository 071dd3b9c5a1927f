"""What is an error in a captured loop, never a fallback."""
import itertools
import re

import numpy as np
import pytest
from capture_items import SIZE, items, number

import headrace as hr

HERE = r"test_capture_errors\.py:\d+"


def loop_of(n=6, **options):
    return hr.ExternalSource(items(n)).captured(batch_size=SIZE, **options)


def line_of(function, text):
    """The line of a function's source that holds the text, as messages write it."""
    code = function.__code__
    with open(code.co_filename, encoding="utf-8") as f:
        lines = f.read().splitlines()
    at = next(i for i in range(code.co_firstlineno, len(lines)) if text in lines[i])
    return f"test_capture_errors.py:{at + 1}"


# ---- the list ------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [1, 3])
def test_another_device(at):
    def body(x, device):
        return hr.cat(x, x, device=device)
    with pytest.raises(RuntimeError, match="device") as caught:
        for k, x in enumerate(loop_of()):
            body(x, "gpu" if k == at else "cpu")
    assert line_of(body, "hr.cat") in str(caught.value) and "'gpu'" in str(caught.value)


def test_the_same_device_written_in_another_way():
    for k, x in enumerate(loop_of()):
        y = hr.cat(x, x, device=(None, "cpu", hr.Device("cpu"))[k % 3])
        assert y._capture_ref is not None


def test_a_gpu_in_the_first_step_is_an_error_at_the_call():
    with pytest.raises(RuntimeError, match="gpu"):
        for x in loop_of():
            hr.cat(x, x, device="gpu")


def test_a_mark_that_is_dropped():
    size = [[2, 2]]

    def body(x, shape):
        return hr.reshape(x, shape=shape)
    with pytest.raises(RuntimeError, match="must remain marked") as caught:
        for k, x in enumerate(loop_of()):
            body(x, hr.capture.invariant(size[0]) if k < 3 else size[0])
    message = str(caught.value)
    assert "argument `shape`" in message and "[2, 2]" in message
    assert message.count(line_of(body, "hr.reshape")) == 2  # traced there, called there


@pytest.mark.parametrize("wrap", [lambda v: [v], lambda v: (v,), lambda v: [[v][0]][:1]])
def test_marks_on_items_of_a_list_are_compared_by_value(wrap):
    mark = hr.capture.invariant

    def body(x, v):
        return hr.pad(x, axes=[0], shape=[v])
    flags = []
    for k, x in enumerate(loop_of()):
        y = body(x, (mark(6), mark(6), 6, mark(7), 7, mark(6))[k])
        flags.append(y._capture_ref is not None)
        assert y.shape == [((6, 6, 6, 7, 7, 6)[k],)] * SIZE
    assert flags == [True, True, True, False, False, True]


class Unequal:
    """A size of the user's own that refuses to be compared."""

    def __index__(self):
        return 6

    def __eq__(self, other):
        raise LookupError("not to be asked")


def test_a_marked_item_that_cannot_be_compared_makes_the_call_eager():
    def body(x, v):
        return hr.pad(x, axes=[0], shape=[v])
    same = hr.capture.invariant(Unequal())
    flags = []
    for k, x in enumerate(loop_of()):
        y = body(x, same if k < 3 else hr.capture.invariant(Unequal()))
        flags.append(y._capture_ref is not None)
        assert y.shape == [(6,)] * SIZE
    assert flags == [True, True, True, False, False, False]


def test_a_marked_argument_that_is_absent_makes_the_call_eager():
    for k, x in enumerate(loop_of()):
        fill = hr.capture.invariant(3) if k < 3 else None
        y = hr.pad(x, axes=(0,), shape=(6,), fill_value=fill)
        assert (y._capture_ref is not None) == (k < 3)
        assert int(np.asarray(y.select(0))[5]) == (3 if k < 3 else 0)


@pytest.mark.parametrize("captured", [True, False])
@pytest.mark.parametrize("at", [0, 1, 4])
def test_a_conflicting_batch_size(at, captured):
    fill = [0]  # not provable

    def body(n, value):
        if captured:
            return hr.zeros(shape=[2], batch_size=n)
        return hr.full(value, batch_size=n)
    with pytest.raises(RuntimeError, match="batch size") as caught:
        for k, x in enumerate(loop_of()):
            hr.cat(x, x)
            body(5 if k == at else SIZE, fill[0])
    assert " 5" in str(caught.value) and " 3" in str(caught.value)
    assert line_of(body, "hr.zeros" if captured else "hr.full") in str(caught.value)


DRAWS = {
    "one more, at the end": lambda k, rng, f: (f(), k == 2 and rng()),
    "one more, in front": lambda k, rng, f: (k == 2 and rng(), f()),
    "advance": lambda k, rng, f: (f(), k == 2 and rng.advance(5)),
    "dropped": lambda k, rng, f: k != 2 and f(),
    "seeded": lambda k, rng, f: (k == 2 and setattr(rng, "seed", 5), f()),
    "the same state": lambda k, rng, f: (k == 2 and setattr(rng, "state", rng.state), f()),
    "set_state": lambda k, rng, f: (k == 2 and rng.set_state(rng.get_state()), f()),
    "another call": lambda k, rng, f: (f(), k == 2 and hr.random.coin_flip(batch_size=SIZE, rng=rng)),
    "a single sample": lambda k, rng, f: (f(), k == 2 and hr.random.uniform(shape=[2], rng=rng)),
}


@pytest.mark.parametrize("how", DRAWS)
def test_a_changed_pattern_of_draws(how):
    rng = hr.random.RNG(seed=3)

    def call():
        return hr.random.uniform(batch_size=SIZE, shape=[2], rng=rng)
    with pytest.raises(RuntimeError, match="RNG of a captured operator was used unexpectedly") as caught:
        for k, x in enumerate(loop_of()):
            DRAWS[how](k, rng, call)
    message = str(caught.value)
    assert re.search(r"7 words, with random\.uniform at " + re.escape(line_of(call, "hr.random.uniform")), message)
    assert "Philox_" in message and re.search(f"called at {HERE}", message)
    assert re.search(r"in step [123], \d+ came", message)


def test_another_generator_at_a_site():
    rngs = [hr.random.RNG(seed=k) for k in range(2)]
    with pytest.raises(RuntimeError, match="another generator was passed"):
        for k, x in enumerate(loop_of()):
            hr.random.uniform(batch_size=SIZE, rng=rngs[k == 3])


def test_generators_that_no_captured_call_uses_are_free():
    rng, factor = hr.random.RNG(seed=3), [0.5]
    for k, x in enumerate(loop_of()):
        hr.cat(x, x)
        for _ in range(k):
            hr.random.coin_flip(batch_size=SIZE, probability=factor[0], rng=rng)
        rng.seed = k


TOUCHES = {
    "draw": (lambda rng: rng(), False), "a period": (lambda rng: rng.advance(7), False),
    "the same state": (lambda rng: setattr(rng, "state", rng.state), False),
    "seed": (lambda rng: setattr(rng, "seed", 3), False),
    "nothing": (lambda rng: rng.advance(0), True), "a clone's draw": (lambda rng: rng.clone()(), True),
    "read": (lambda rng: str(rng.state), True),
}


@pytest.mark.parametrize("how", TOUCHES)
def test_a_generator_touched_between_epochs(how):
    rng, source = hr.random.RNG(seed=3), hr.ExternalSource(items(3), cycle="raise")
    touch, is_allowed = TOUCHES[how]

    def epoch():
        for _ in source.captured(batch_size=SIZE):
            hr.random.uniform(batch_size=SIZE, shape=[2], rng=rng)
    epoch()
    touch(rng)
    if is_allowed:
        epoch()
        return
    with pytest.raises(RuntimeError, match="RNG"):
        epoch()


def test_a_second_loop_in_the_thread():
    first, second = loop_of(), loop_of()

    def begin():
        return next(first)
    begin()
    with pytest.raises(RuntimeError, match="only one captured loop may be active") as caught:
        next(second)
    assert line_of(begin, "next(first)") in str(caught.value)
    assert re.search(f"called at {HERE}", str(caught.value))
    first.close()
    assert [number(x) for x in loop_of() if hr.cat(x, x)] == list(range(6))


def test_nested_and_zipped_loops():
    with pytest.raises(RuntimeError, match="only one captured loop"):
        for x in loop_of():
            hr.cat(x, x)
            for y in loop_of():
                hr.cat(y, y)
    with pytest.raises(RuntimeError, match="only one captured loop"):
        for x, y in zip(loop_of(), loop_of()):
            hr.cat(x, y)
    source = hr.ExternalSource(items(6))
    with pytest.raises(RuntimeError, match="another loop over the same reader or source has begun"):
        for x, y in zip(source.captured(batch_size=SIZE), source.captured(batch_size=SIZE)):
            hr.cat(x, x)
    with pytest.raises(RuntimeError, match="another loop over the same reader or source has begun"):
        for x in source.captured(batch_size=SIZE):
            hr.cat(x, x)
            for y in source.captured(batch_size=SIZE):
                hr.cat(y, y)


def test_another_context():
    source = hr.ExternalSource(items(3), cycle="raise")
    one, two = hr.EvalContext(num_threads=1), hr.EvalContext(num_threads=1)

    def epoch(ctx):
        for x in source.captured(batch_size=SIZE, ctx=ctx):
            hr.cat(x, x)
    epoch(one)
    with pytest.raises(RuntimeError, match="EvalContext") as caught:
        epoch(two)
    assert str(caught.value).count(line_of(epoch, "for x in")) == 2
    epoch(one)


# ---- extra sources ---------------------------------------------------------------------------------


def fed(reads, n_root=6, n_feeder=9, **options):
    """The feeder's numbers, read `reads(step)` times a step."""
    feeder = hr.ExternalSource([np.full((4,), 10 * k, np.int32) for k in range(n_feeder)])
    out = []

    def read():
        return feeder(**options)
    for step, x in enumerate(loop_of(n_root)):
        hr.cat(x, x)
        for _ in range(reads(step)):
            out.append(number(read()))
    return out


def test_an_extra_source_is_read_once_a_step():
    assert fed(lambda step: 1) == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("step", [1, 3, 5])
@pytest.mark.parametrize("times", [0, 2])
def test_read_twice_or_not_at_all(step, times):
    with pytest.raises(RuntimeError, match="exactly once") as caught:
        fed(lambda k: times if k == step else 1)
    assert f"step {step}" in str(caught.value) and re.search(HERE, str(caught.value))
    assert ("twice" if times else "not consumed") in str(caught.value)


def test_read_twice_in_the_traced_step():
    with pytest.raises(RuntimeError, match="twice"):
        fed(lambda k: 2)


def test_first_read_after_tracing():
    with pytest.raises(RuntimeError, match="first read after the tracing step"):
        fed(lambda k: k > 0)


def test_ended_before_the_root():
    with pytest.raises(RuntimeError, match="exhausted before the loop's own source") as caught:
        fed(lambda k: 1, n_feeder=4)
    assert re.search(f"read at {HERE}", str(caught.value))
    assert fed(lambda k: 1, n_feeder=6) == [0, 1, 2, 3, 4, 5]  # together


def test_a_conflicting_size_for_an_extra_source():
    with pytest.raises(RuntimeError, match="batch_size=5.*conflicts"):
        fed(lambda k: 1, batch_size=5)


def test_extra_sources_go_on_over_epochs_and_behind_break():
    feeder = hr.ExternalSource([np.full((4,), 10 * k, np.int32) for k in range(30)])
    source = hr.ExternalSource(items(5), cycle="raise")
    got = []
    for stop in (3, None, 2, None, None):
        for x in itertools.islice(source.captured(batch_size=SIZE), stop):
            got.append((number(x), number(hr.cat(feeder(), x))))
    assert got == [(k % 5, k) for k in range(15)]


# ---- operators that fail ----------------------------------------------------------------------------


def test_each_failure_of_a_step_is_told_where_it_belongs():
    """Two calls of one step fail by themselves: each value tells its own call's error, in any order."""
    def body(x):
        a = hr.reshape(x, shape=[2, 2])
        b = hr.reshape(x, shape=[4, 1])
        c = hr.reshape(b, shape=[1, 4])
        return a, b, c, hr.cat(x, x)
    sizes = [4, 4, 4, 6, 4]
    sources = [hr.as_batch([np.zeros(n, np.int32)] * SIZE) for n in sizes]
    asked = []
    for k, x in enumerate(hr.ExternalSource(sources).captured(batch_size=SIZE)):
        a, b, c, sound = body(x)
        assert sound.evaluate().shape == [(2 * sizes[k],)] * SIZE
        if sizes[k] == 4:
            continue
        for value, text in ((c, "[4, 1]"), (a, "[2, 2]"), (b, "[4, 1]")):
            with pytest.raises(ValueError, match="reshape") as caught:
                value.evaluate()
            notes = "".join(getattr(caught.value, "__notes__", [])) + str(caught.value)
            asked.append(line_of(body, f"shape={text}") in notes)
    assert asked == [True] * 3


def test_of_several_failures_the_first_of_the_body_is_raised():
    def body(x, skip):
        if not skip:
            hr.reshape(x, shape=[2, 2])
        hr.reshape(x, shape=[4, 1])
    for skip, text in ((False, "[2, 2]"), (True, "[4, 1]")):
        sources = [hr.as_batch([np.zeros(n, np.int32)] * SIZE) for n in (4, 4, 4, 6, 4)]
        steps = 0
        with pytest.raises(ValueError, match="reshape") as caught:
            for k, x in enumerate(hr.ExternalSource(sources).captured(batch_size=SIZE)):
                body(x, skip and k == 3)
                steps += 1
        assert steps == 4 and line_of(body, f"shape={text}") in str(caught.value)
