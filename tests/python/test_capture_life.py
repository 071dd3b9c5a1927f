"""Captured loops from their first step to the last: ways in, ways out, epochs, threads, contexts."""
import functools
import gc
import itertools
import threading
import weakref

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


@pytest.fixture
def folder(tmp_path):
    for k in range(9):
        np.save(tmp_path / f"{k}.npy", np.full((4,), 10 * k, np.int32))
    return str(tmp_path)


def numbers_of(loop, n=10 ** 9):
    """Which items the first n steps of a loop over a source give; a capturable call in each."""
    out = []
    for x in itertools.islice(loop, n):
        y = hr.cat(x, x)
        assert number(y) == number(x)
        out.append(number(x))
    return out


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


# ---- threads ---------------------------------------------------------------------------------------


def test_the_source_is_called_on_the_thread_that_drives_the_loop():
    threads = set()

    def pull():
        threads.add(threading.get_ident())
        return item(0)
    numbers = hr.ExternalSource(pull).captured(batch_size=SIZE, prefetch=4)
    for x in itertools.islice(numbers, 6):
        hr.cat(x, x)
    assert threads == {threading.get_ident()}


def in_threads(*works):
    failed = []

    def guard(work):
        try:
            work()
        except BaseException as error:  # what a test raises in a thread is a failure of it
            failed.append(error)
    threads = [threading.Thread(target=guard, args=(work,)) for work in works]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if failed:
        raise failed[0]


def test_loops_in_several_threads_each_with_its_own_context_and_generator():
    results = {}

    def work(k):
        ctx, rng = hr.EvalContext(num_threads=1 + k % 2), hr.random.RNG(seed=k)
        source, out = hr.ExternalSource(items(20), cycle="raise"), []
        for _ in range(3):
            for x in source.captured(batch_size=SIZE, ctx=ctx):
                assert hr.EvalContext.current() is ctx
                noise = hr.random.normal(x, rng=rng)
                out.append([t.tolist() for t in hr.cast(noise, dtype=hr.float32).tensors])
        results[k] = out, str(rng.state)

    def eagerly(k):
        rng = hr.random.RNG(seed=k)
        out = [[t.tolist() for t in hr.cast(hr.random.normal(x, rng=rng), dtype=hr.float32).tensors]
               for _ in range(3) for x in items(20)]
        return out, str(rng.state)
    in_threads(*[functools.partial(work, k) for k in range(4)])
    assert results == {k: eagerly(k) for k in range(4)}


def test_a_loop_may_be_handed_to_another_thread():
    loop = hr.ExternalSource(items(6)).captured(batch_size=SIZE)
    got = numbers_of(loop, 2)
    in_threads(lambda: got.extend(numbers_of(loop, 2)))
    x = next(loop)
    assert is_captured(hr.cast(x, dtype=hr.float32)) is False  # another place: eager, and no error
    got.append(number(x))
    got.extend(numbers_of(loop))
    assert got == [0, 1, 2, 3, 4, 5]


def test_a_loop_that_another_thread_frees_is_no_longer_active_here():
    box = [hr.ExternalSource(items(6)).captured(batch_size=SIZE)]
    x = next(box[0])
    hr.cat(x, x)
    x = next(box[0])
    in_threads(box.clear)
    assert not is_captured(hr.cat(x, x))
    assert numbers_of(hr.ExternalSource(items(3)).captured(batch_size=SIZE)) == [0, 1, 2]


def test_a_loop_left_in_a_thread_that_ended_can_be_taken_up():
    source = hr.ExternalSource(Pulled())
    kept = []

    def begin():
        kept.append(source.captured(batch_size=SIZE))
        numbers_of(kept[0], 3)
    in_threads(begin)
    assert numbers_of(source.captured(batch_size=SIZE), 3) == [3, 4, 5]


def test_one_root_is_driven_by_one_thread():
    source = hr.ExternalSource(Pulled())
    entered, done = threading.Event(), threading.Event()

    def hold():
        for x in itertools.islice(source.captured(batch_size=SIZE), 2):
            hr.cat(x, x)
            entered.set()
            assert done.wait(30)

    def disturb():
        assert entered.wait(30)
        try:
            with pytest.raises(RuntimeError, match="in another thread"):
                next(source.captured(batch_size=SIZE))
        finally:
            done.set()
    in_threads(hold, disturb)


def test_a_loop_cannot_be_advanced_or_closed_by_its_own_source():
    def pull():
        with pytest.raises(RuntimeError, match="being advanced"):
            next(loop)
        with pytest.raises(RuntimeError, match="being advanced"):
            loop.close()
        pulled.append(1)
        return item(len(pulled) - 1)
    pulled = []
    loop = hr.ExternalSource(pull).captured(batch_size=SIZE)
    assert numbers_of(loop, 3) == [0, 1, 2]


# ---- contexts and pools ----------------------------------------------------------------------------


@pytest.mark.parametrize("leave", [way for way in WAYS_OUT if way is not leave_by_islice])
def test_the_context_is_left_with_the_loop(leave):
    ctx, outer = hr.EvalContext(num_threads=1), hr.EvalContext(num_threads=1)
    before = hr.EvalContext.current()
    with outer:
        leave(hr.ExternalSource(items(9)).captured(batch_size=SIZE, ctx=ctx), 3)
        gc.collect()
        assert hr.EvalContext.current() is outer
    assert hr.EvalContext.current() is before


def test_the_context_is_left_out_of_order():
    ctx, own = hr.EvalContext(num_threads=1), hr.EvalContext(num_threads=1)
    before = hr.EvalContext.current()
    loop = hr.ExternalSource(items(9)).captured(batch_size=SIZE, ctx=ctx)
    numbers_of(loop, 2)
    with own:
        loop.close()
        assert hr.EvalContext.current() is own
    assert hr.EvalContext.current() is before


def test_the_context_is_left_by_another_thread():
    ctx = hr.EvalContext(num_threads=1)
    before = hr.EvalContext.current()
    box = [hr.ExternalSource(items(9)).captured(batch_size=SIZE, ctx=ctx)]
    numbers_of(box[0], 2)
    assert hr.EvalContext.current() is ctx
    in_threads(box.clear)
    assert hr.EvalContext.current() is before


def test_the_pool_may_be_replaced_inside_a_loop():
    threads = hr.get_num_threads()
    try:
        for k, x in enumerate(hr.ExternalSource(items(12)).captured(batch_size=SIZE)):
            hr.set_num_threads(1 + k % 3)
            assert number(hr.cat(x, x)) == k
    finally:
        hr.set_num_threads(threads)


# ---- garbage ---------------------------------------------------------------------------------------


class Trainer:
    """Everything in one ring: source, feeder, loop, kept results, marked settings."""

    def __init__(self):
        self.size = (2, 2)
        self.settings = hr.capture.invariant(self)
        self.source = hr.ExternalSource(self.pull)
        self.feeder = hr.ExternalSource(self.feed)
        self.loop = self.source.captured(batch_size=SIZE)

    def pull(self):
        return item(0)

    def feed(self):
        return np.zeros(4, np.int32)

    def train(self, steps):
        for x in itertools.islice(self.loop, steps):
            self.kept = hr.reshape(hr.cat(x, x), shape=self.settings.size + (2,))
            self.fed = hr.cat(x, self.feeder())


@pytest.mark.parametrize("steps", [0, 1, 2, 4])
def test_a_ring_through_a_loop_is_collected(steps):
    before = hr._core.alloc_stats()["live_blocks"]
    trainer = Trainer()
    trainer.train(steps)
    seen = weakref.ref(trainer)
    del trainer
    gc.collect()
    assert seen() is None
    assert hr._core.alloc_stats()["live_blocks"] <= before


def test_a_ring_through_a_captured_reader_is_collected(folder):
    class Own:
        def feed(self):
            return np.zeros(4, np.int32)
    own = Own()
    own.reader = hr.readers.Numpy(file_root=folder)
    own.feeder = hr.ExternalSource(own.feed)
    for (x,) in own.reader.next_epoch(batch_size=3, capture=True):
        own.kept = hr.cat(x, own.feeder())
    seen = weakref.ref(own)
    del own, x
    gc.collect()
    assert seen() is None


def test_kept_results_do_not_keep_their_loop():
    source = hr.ExternalSource(items(5))
    seen = weakref.ref(source)
    kept = [hr.cat(x, x) for x in source.captured(batch_size=SIZE)]
    del source
    gc.collect()
    assert seen() is None and [number(k) for k in kept] == [0, 1, 2, 3, 4]


def test_a_loop_that_is_collected_in_the_middle_of_a_call():
    """Nobody holds the loop any more; the collector finds it inside the very calls of its body."""
    before = gc.get_threshold()
    for steps in (1, 2, 3):
        ring = [hr.ExternalSource(Pulled()).captured(batch_size=SIZE)]
        ring.append(ring)
        for x in itertools.islice(ring[0], steps - 1):
            hr.stack(hr.cat(x, x), hr.cat(x, x))
        x = next(ring[0])
        gc.set_threshold(1, 1, 1)
        try:
            del ring
            for _ in range(20):
                y = hr.stack(hr.cat(x, x), hr.cat(x, x))
                assert number(hr.reshape(y, shape=[16])) == number(x)
        finally:
            gc.set_threshold(*before)


def test_a_loop_that_is_closed_in_the_middle_of_a_call():
    class Size:
        def __index__(self):
            loop.close()
            return SIZE
    for steps in (1, 2, 3):
        loop = hr.ExternalSource(Pulled()).captured(batch_size=SIZE)
        numbers_of(loop, steps - 1)
        x = next(loop)
        assert hr.zeros(shape=[2], batch_size=Size()).batch_size == SIZE
        assert not is_captured(hr.cat(x, x))
