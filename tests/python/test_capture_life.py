"""Captured loops from their first step to the last: ways in, ways out, ends of sources, errors."""
import functools
import gc
import itertools
import weakref

import numpy as np
import pytest
from capture_items import SIZE, WAYS_OUT, Pulled, is_captured, item, items, leave_by_with, number, numbers_of

import headrace as hr


@pytest.fixture
def folder(tmp_path):
    for k in range(9):
        np.save(tmp_path / f"{k}.npy", np.full((4,), 10 * k, np.int32))
    return str(tmp_path)


# ---- tracing through ways of calling -------------------------------------------------------------


def doubled(x):
    return hr.cat(x, x)


def decorated(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner


class Model:
    def method(self, x):
        return hr.cat(x, x)

    @staticmethod
    def static(x):
        return hr.cat(x, x)

    @classmethod
    def of_class(cls, x):
        return hr.cat(x, x)

    def __call__(self, x):
        return self.method(x)


def nested(x):
    def inner(y):
        return doubled(y)
    return inner(x)


def generated(x):
    yield hr.cat(x, x)


WAYS = {
    "function": doubled, "nested": nested, "decorated": decorated(doubled),
    "lambda": lambda x: hr.cat(x, x), "method": Model().method, "static": Model.static,
    "class method": Model.of_class, "callable object": Model(),
    "partial": functools.partial(doubled),
    "list comprehension": lambda x: [hr.cat(y, y) for y in [x]][0],
    "dict comprehension": lambda x: {0: hr.cat(y, y) for y in [x]}[0],
    "map": lambda x: list(map(doubled, [x]))[0],
    "generator": lambda x: next(generated(x)),
    "ternary": lambda x: hr.cat(x, x) if x is not None else None,
    "walrus": lambda x: (y := hr.cat(x, x)) and y,
    "several lines": lambda x: hr.cat(
        x,
        x,
    ),
    "star": lambda x: hr.cat(*(x, x)),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_call_of_batches_is_captured_in_every_way_of_calling(way):
    flags, values = [], []
    for x in hr.ExternalSource(items(5)).captured(batch_size=SIZE):
        y = WAYS[way](x)
        flags.append(is_captured(y))
        values.append(number(y))
    assert flags == [True] * 5 and values == [0, 1, 2, 3, 4]


def test_two_calls_on_a_line_and_one_routine_twice_in_an_expression():
    for x in hr.ExternalSource(items(4)).captured(batch_size=SIZE):
        a, b = doubled(x), doubled(x)
        c = doubled(doubled(x))
        assert is_captured(a) and is_captured(b) and is_captured(c)
        assert np.asarray(c.select(0)).shape == (16,)


def test_one_body_reached_by_two_chains_of_calls_in_two_loops():
    def outer(x):
        return doubled(x)
    for body in (doubled, outer):
        for x in hr.ExternalSource(items(4)).captured(batch_size=SIZE):
            assert is_captured(body(x))


# ---- ways out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 3, 5])
@pytest.mark.parametrize("leave", WAYS_OUT)
def test_nothing_is_lost_or_repeated_by_leaving_a_source(leave, steps):
    pulled = Pulled()
    source = hr.ExternalSource(pulled)
    before = weakref.ref(source)
    taken = 0
    for _ in range(3):
        leave(source.captured(batch_size=SIZE), steps)
        gc.collect()
        taken += steps
        assert numbers_of(source.captured(batch_size=SIZE), 2) == [taken, taken + 1]
        taken += 2
    assert number(source()) == taken  # eagerly: the next one
    del source
    gc.collect()
    assert before() is None


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
@pytest.mark.parametrize("leave", [way for way in WAYS_OUT if way is not leave_by_with])
def test_nothing_is_lost_or_repeated_by_leaving_a_reader(folder, leave, steps):
    def walk(capture):
        reader = hr.readers.Numpy(file_root=folder, random_shuffle=True, seed=3)
        rng, out = hr.random.RNG(seed=1), []

        def noted():
            for (x,) in reader.next_epoch(batch_size=2, capture=capture):
                noise = hr.random.uniform(batch_size=2, shape=[2], rng=rng)
                out.append([[t.tolist() for t in b.tensors] for b in (x, noise)])
                yield x
        for _ in range(2):
            leave(noted(), steps)
            gc.collect()
        for _ in range(2):
            for _x in noted():
                pass
        return out, str(rng.state)
    assert walk(True) == walk(False)


def test_a_loop_that_stands_is_ended_by_the_next_one_over_its_source(folder):
    source = hr.ExternalSource(Pulled())
    first = source.captured(batch_size=SIZE)
    assert numbers_of(first, 3) == [0, 1, 2]
    assert numbers_of(source.captured(batch_size=SIZE), 3) == [3, 4, 5]
    with pytest.raises(RuntimeError, match="another loop over the same reader or source has begun"):
        next(first)
    reader = hr.readers.Numpy(file_root=folder)
    first = reader.next_epoch(batch_size=3, capture=True)
    got = [number(x) for (x,) in itertools.islice(first, 2) if hr.cat(x, x)]
    got += [number(x) for (x,) in reader.next_epoch(batch_size=3, capture=True) if hr.cat(x, x)]
    assert got == [0, 3, 6, 0, 3] or got == [0, 3, 6]  # as an eager reader: wrap goes on
    with pytest.raises(RuntimeError, match="another loop"):
        next(first)


def test_break_and_the_same_loop_goes_on():
    loop = hr.ExternalSource(items(7)).captured(batch_size=SIZE)
    assert numbers_of(loop, 3) == [0, 1, 2]
    assert numbers_of(loop) == [3, 4, 5, 6]


def test_a_closed_loop_gives_nothing_and_cannot_be_iterated():
    loop = hr.ExternalSource(items(7)).captured(batch_size=SIZE)
    numbers_of(loop, 2)
    loop.close()
    assert next(loop, None) is None
    with pytest.raises(RuntimeError, match="closed"):
        iter(loop)
    with pytest.raises(RuntimeError, match="closed"):
        with loop:
            pass


# ---- passes and ends of sources --------------------------------------------------------------------


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5])
def test_the_end_of_a_pass_is_where_it_would_be_eagerly(steps):
    """A loop that pulled the end ahead and is left gives it back as well."""
    def rest(source):
        out = []
        for _ in range(8):
            try:
                out.append(number(source()))
            except StopIteration:
                out.append("end")
        return out
    for cycle in (None, "raise", "quiet"):
        captured, eager = (hr.ExternalSource(items(5), cycle=cycle) for _ in range(2))
        numbers_of(captured.captured(batch_size=SIZE), steps)
        for _ in range(steps):
            eager()
        assert rest(captured) == rest(eager)


@pytest.mark.parametrize("steps", [1, 3, 5])
def test_a_loop_after_one_that_was_left_has_the_rest_of_the_pass_or_a_new_one(steps):
    source = hr.ExternalSource(items(5), cycle="raise")
    assert numbers_of(source.captured(batch_size=SIZE), steps) == list(range(steps))
    assert numbers_of(source.captured(batch_size=SIZE)) == list(range(steps % 5, 5))
    assert numbers_of(source.captured(batch_size=SIZE)) == list(range(5))


def test_a_source_that_ends_for_good_gives_empty_epochs():
    source = hr.ExternalSource(items(3))
    for steps in (3, 0, 0):
        assert len(numbers_of(source.captured(batch_size=SIZE))) == steps
    assert numbers_of(hr.ExternalSource([]).captured(batch_size=SIZE)) == []


def test_several_epochs_through_one_loop_object():
    loop = hr.ExternalSource(items(3), cycle="raise").captured(batch_size=SIZE)
    for _ in range(3):
        assert numbers_of(loop) == [0, 1, 2]


@pytest.mark.parametrize("sizes", [[3, 3, 2], [3, 1], [2], [3, 3, 3, 1]])
def test_a_short_batch_may_be_the_last_of_every_epoch(sizes):
    source = hr.ExternalSource([item(k, n) for k, n in enumerate(sizes)], cycle="raise")

    def body(x, rng):
        noise = hr.random.uniform(batch_size=x.batch_size, shape=[2], rng=rng)
        return [[t.tolist() for t in b.tensors] for b in (hr.cat(x, x), noise, hr.zeros_like(x))]
    one, two = hr.random.RNG(seed=1), hr.random.RNG(seed=1)
    for _ in range(3):
        got = [body(x, one) for x in source.captured(batch_size=3)]
        assert got == [body(item(k, n), two) for k, n in enumerate(sizes)]
        assert str(one.state) == str(two.state)


@pytest.mark.parametrize("sizes, message", [
    ([3, 3, 4], "a batch of 4, expected batch size 3"),
    ([3, 2, 3], "a batch of 3 follows a shorter one"), ([3, 3, 2, 2], "follows a shorter one"),
    ([3, 3, 0], "a batch of 0")])
def test_only_a_smaller_batch_and_only_as_the_last(sizes, message):
    source = hr.ExternalSource([item(k, n) for k, n in enumerate(sizes)])
    done = []
    with pytest.raises(ValueError, match=message):
        for x in source.captured(batch_size=3):
            hr.cat(x, x)
            done.append(number(x))
    assert done == list(range(len(sizes) - 1))


def test_partial_last_batches_of_a_reader(folder):
    def walk(capture):
        reader = hr.readers.Numpy(file_root=folder, last_batch="partial")
        return [[t.tolist() for t in hr.cat(x, x).tensors] for _ in range(2)
                for (x,) in reader.next_epoch(batch_size=4, capture=capture)]
    assert walk(True) == walk(False)


# ---- errors of sources and operators ---------------------------------------------------------------


class Broken(Pulled):
    """Raises at one of its calls, once."""

    def __init__(self, at, error=OSError):
        super().__init__()
        self.at, self.error = at, error

    def __call__(self):
        if self.calls == self.at:
            self.at = -1
            raise self.error(f"call {self.calls}")
        return super().__call__()


@pytest.mark.parametrize("at", [0, 1, 2, 4])
def test_an_error_of_the_source_comes_when_its_step_is_asked_for(at):
    source = hr.ExternalSource(Broken(at))
    done = []
    with pytest.raises(OSError, match=f"call {at}"):
        for x in source.captured(batch_size=SIZE):
            hr.cat(x, x)
            done.append(number(x))
    assert done == list(range(at))
    assert numbers_of(source.captured(batch_size=SIZE), 3) == [at, at + 1, at + 2]


def test_an_error_that_was_pulled_ahead_is_not_lost_by_leaving():
    source = hr.ExternalSource(Broken(4))
    assert numbers_of(source.captured(batch_size=SIZE), 3) == [0, 1, 2]
    assert number(source()) == 3
    with pytest.raises(OSError, match="call 4") as caught:
        source()
    told = getattr(caught.value, "__notes__", [str(caught.value.__cause__)])
    assert "in __call__" in told[0] and "test_capture_life.py" in told[0]
    assert number(source()) == 4


def test_a_wrong_item_pulled_ahead_comes_again_after_leaving():
    source = hr.ExternalSource([*items(4), "nonsense", item(5)])
    assert numbers_of(source.captured(batch_size=SIZE), 3) == [0, 1, 2]
    done = []
    with pytest.raises((TypeError, ValueError)):
        for x in source.captured(batch_size=SIZE):
            done.append(number(hr.cat(x, x)))
    assert done == [3]
    assert number(source()) == 5


def shapes(step, bad):
    return hr.as_batch([np.zeros((3 if step == bad and i == 1 else 2,), np.int32) for i in range(SIZE)])


def test_an_operators_error_is_caught_in_the_body_and_the_loop_goes_on():
    done, failed = [], []
    for k, x in enumerate(hr.ExternalSource([shapes(k, 3) for k in range(6)]).captured(batch_size=SIZE)):
        y = hr.reshape(x, shape=[2])
        try:
            y.evaluate()
            done.append(k)
        except ValueError as error:
            assert "sample 1" in str(error) and "test_capture_life.py" in str(error)
            failed.append(k)
    assert done == [0, 1, 2, 4, 5] and failed == [3]


def test_a_kept_result_of_a_step_that_failed_fails_when_it_is_looked_at_later():
    kept = []
    for x in hr.ExternalSource([shapes(k, 3) for k in range(6)]).captured(batch_size=SIZE):
        y = hr.reshape(x, shape=[2])
        kept.append(y)
        if len(kept) == 4:
            break  # nobody looks in the step itself
    assert kept[2].batch_size == SIZE
    with pytest.raises(ValueError, match="sample 1"):
        kept[3].evaluate()


def test_a_failed_step_ends_the_loop_and_the_next_one_begins_behind_it():
    source = hr.ExternalSource([shapes(k, 2) for k in range(6)])
    done = 0
    with pytest.raises(ValueError, match="sample 1"):
        for x in source.captured(batch_size=SIZE):
            hr.reshape(x, shape=[2])
            done += 1
    assert done == 3  # 0, 1 and the one that failed, found when it was left
    assert sum(1 for x in source.captured(batch_size=SIZE) if hr.reshape(x, shape=[2])) == 3


@pytest.mark.parametrize("prefetch", [1, 3])
def test_a_call_that_the_body_skips_does_not_fail(prefetch):
    """It is computed all the same, and nobody asked for it."""
    source = hr.ExternalSource([shapes(k, 3) for k in range(6)])
    done = []
    for k, x in enumerate(source.captured(batch_size=SIZE, prefetch=prefetch)):
        if k != 3:
            y = hr.reshape(x, shape=[2])
            hr.cat(y, y)
        w = hr.cat(x, x)
        done.append(w.shape[1][0])
    assert done == [4, 4, 4, 6, 4, 4]


def test_one_of_two_failed_calls_is_skipped():
    source = hr.ExternalSource([shapes(k, 3) for k in range(6)])
    with pytest.raises(ValueError, match="sample 1"):
        for k, x in enumerate(source.captured(batch_size=SIZE)):
            if k != 3:
                hr.reshape(x, shape=[1, 2])
            hr.reshape(x, shape=[2, 1])
    assert k == 3
