"""EvalContext and ThreadPool: where operators run."""
import copy
import pickle
import threading

import numpy as np
import pytest

import headrace as hr
from headrace import EvalContext, ThreadPool


def test_current_and_default():
    assert EvalContext.current() is EvalContext.default()
    with EvalContext(num_threads=1) as outer:
        assert EvalContext.current() is outer
        with EvalContext(num_threads=2) as inner:
            assert EvalContext.current() is inner
            assert EvalContext.default() is not inner
        assert EvalContext.current() is outer
    assert EvalContext.current() is EvalContext.default()


def test_entering_one_twice():
    c = EvalContext(num_threads=1)
    with c:
        with c:
            assert EvalContext.current() is c
        assert EvalContext.current() is c
    assert EvalContext.current() is not c
    with c:
        assert EvalContext.current() is c


def test_an_exception_leaves_it():
    with pytest.raises(KeyError):
        with EvalContext(num_threads=1):
            raise KeyError
    assert EvalContext.current() is EvalContext.default()


def test_leaving_what_was_not_entered():
    c, d = EvalContext(num_threads=1), EvalContext(num_threads=1)
    with pytest.raises(RuntimeError):
        c.__exit__(None, None, None)
    c.__enter__()
    d.__enter__()
    with pytest.raises(RuntimeError, match="order"):
        c.__exit__(None, None, None)
    d.__exit__(None, None, None)
    c.__exit__(None, None, None)
    assert EvalContext.current() is EvalContext.default()


def test_two_threads_at_once_are_an_error():
    c, seen = EvalContext(num_threads=1), []

    def work():
        try:
            c.__enter__()
        except RuntimeError as e:
            seen.append(str(e))

    with c:
        t = threading.Thread(target=work)
        t.start()
        t.join()
    assert len(seen) == 1 and "thread" in seen[0]
    t = threading.Thread(target=lambda: (c.__enter__(), c.__exit__(None, None, None)))
    t.start()
    t.join()
    with c:
        pass


def test_threads_have_contexts_of_their_own():
    seen = []
    with EvalContext(num_threads=1) as c:
        t = threading.Thread(target=lambda: seen.append(EvalContext.current()))
        t.start()
        t.join()
        assert seen[0] is not c and seen[0] is not EvalContext.default()


def test_num_threads():
    assert EvalContext(num_threads=3).num_threads == 3
    assert EvalContext().num_threads == hr.get_num_threads()
    pool = ThreadPool(2)
    c = EvalContext(thread_pool=pool)
    assert c.num_threads == 2 and c.thread_pool is pool and pool.num_threads == 2
    assert EvalContext(num_threads=2).thread_pool.num_threads == 2
    assert ThreadPool().num_threads >= 1 and ThreadPool(num_threads=4).num_threads == 4


@pytest.mark.parametrize("make", [ThreadPool, lambda n: EvalContext(num_threads=n)])
def test_impossible_numbers_of_threads(make):
    for bad in (0, -1, 10**6, 2**70):
        with pytest.raises(ValueError, match="threads"):
            make(bad)
    for bad in (1.5, "2", [1]):
        with pytest.raises(TypeError):
            make(bad)


def test_arguments_that_exclude_each_other():
    with pytest.raises(ValueError):
        EvalContext(num_threads=1, thread_pool=ThreadPool(1))
    with pytest.raises(TypeError):
        EvalContext(thread_pool=5)
    with pytest.raises(TypeError):
        EvalContext(2)
    for more in ({"device_id": 0}, {"cuda_stream": object()}):
        with pytest.raises(RuntimeError, match="GPU"):
            EvalContext(**more)
    with pytest.raises(RuntimeError, match="GPU"):
        ThreadPool(1, device_id=0)
    assert EvalContext().device_id is None and EvalContext().cuda_stream is None
    assert ThreadPool(1).device_id is None


def test_contexts_may_share_a_pool():
    pool = ThreadPool(2)
    x = np.zeros((300, 300, 3), np.uint8)
    with EvalContext(thread_pool=pool):
        with EvalContext(thread_pool=pool):
            assert hr.flip(x, batch_size=4).batch_size == 4
    del pool
    with EvalContext(num_threads=2) as c:
        pool = c.thread_pool
        del c
    assert pool.num_threads == 2


def test_a_pool_serves_several_threads_at_once():
    pool, errors = ThreadPool(3), []
    x = np.random.default_rng(1).integers(0, 255, (50, 60, 3), np.uint8)
    batch = hr.batch([x] * 20)
    want = bytes(hr.as_tensor(hr.flip(batch)))

    def work():
        with EvalContext(thread_pool=pool):
            for _ in range(20):
                if bytes(hr.as_tensor(hr.flip(batch))) != want:
                    errors.append("differs")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []


def test_a_context_dropped_while_it_is_entered():
    c = EvalContext(num_threads=2)
    c.__enter__()
    leave = c.__exit__
    del c
    assert hr.flip(np.zeros((200, 200, 3)), batch_size=4).batch_size == 4
    leave(None, None, None)


def test_evaluate_all_has_nothing_to_wait_for():
    assert EvalContext().evaluate_all() is None


def test_neither_is_pickled():
    for each, why in ((EvalContext(), "this process"), (ThreadPool(1), "holds threads"),
                      (hr.ExternalSource([1]), "in the middle of its source"),
                      (hr.batch([1]).tensors, "looks at the batch"), (hr.batch([1]).slice, "looks at the batch")):
        for send in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be pickled or copied.*" + why):
                send(each)


def test_modes_change_no_value():
    x = np.arange(12, dtype=np.uint8).reshape(2, 2, 3)
    want = bytes(hr.flip(x))
    for mode in hr.EvalMode:
        with mode:
            assert hr.EvalMode.current() is mode
            assert bytes(hr.flip(x)) == want
    assert hr.EvalMode.current() is hr.EvalMode.default is hr.EvalMode.eager
