"""Captured loops and threads, contexts, pools, the collector."""
import functools
import gc
import itertools
import os
import threading
import time
import weakref

import numpy as np
import pytest
from capture_items import SIZE, WAYS_OUT, Pulled, is_captured, item, items, leave_by_islice, number, numbers_of

import headrace as hr


@pytest.fixture
def folder(tmp_path):
    for k in range(9):
        np.save(tmp_path / f"{k}.npy", np.full((4,), 10 * k, np.int32))
    return str(tmp_path)


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


@pytest.fixture
def all_cores():
    """As many threads as cores: a body that computes wants one of the pool's."""
    before = hr.get_num_threads()
    hr.set_num_threads(max(2, len(os.sched_getaffinity(0))))
    yield
    hr.set_num_threads(before)


def test_a_body_that_computes_and_sleeps_in_turn(all_cores):
    """Its thread works for the pipeline while it waits, or does not; the results are the same."""
    rng = np.random.default_rng(0)
    images = [hr.as_batch(list(rng.integers(0, 255, (3, 90, 120, 3), np.uint8)), layout="HWC") for _ in range(4)]

    def changed(x):
        y = hr.resize(x, size=[300, 200])
        return hr.flip(hr.resize(y, size=[120, 160]), horizontal=1)
    expected = [np.stack([np.asarray(t) for t in changed(x)]) for x in images]
    source = hr.ExternalSource(itertools.cycle(images).__next__)
    for k, x in enumerate(itertools.islice(source.captured(batch_size=3), 120)):
        y = changed(x)
        if k // 20 % 2:
            time.sleep(0.002)
        else:
            sum(range(40000))
        if k % 3:
            assert np.array_equal(np.stack([np.asarray(t) for t in y]), expected[k % 4]), k


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
    Trainer().train(steps)  # what is made once and kept
    grew = []
    for _ in range(5):  # a thread's own memory may come with its first work, in any round
        gc.collect()
        before = hr._core.alloc_stats()["live_blocks"]
        trainer = Trainer()
        trainer.train(steps)
        seen = weakref.ref(trainer)
        del trainer
        gc.collect()
        assert seen() is None
        grew.append(hr._core.alloc_stats()["live_blocks"] - before)
    assert min(grew) <= 0, grew


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
