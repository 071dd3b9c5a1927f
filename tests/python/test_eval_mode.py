"""EvalMode: a stack a thread, and no difference in values; streams where there is no GPU."""
import threading

import numpy as np
import pytest

import headrace as hr
from headrace import EvalMode

MODES = ["deferred", "eager", "sync_cpu", "sync_full"]


def test_members():
    assert [m.name for m in EvalMode] == MODES
    assert [m.value for m in EvalMode] == [1, 2, 3, 4]  # in order of growing strictness
    assert EvalMode.default is EvalMode.eager and EvalMode["default"] is EvalMode.eager
    assert EvalMode(1) is EvalMode.deferred and str(EvalMode.sync_cpu) == "EvalMode.sync_cpu"
    with pytest.raises(ValueError):
        EvalMode("x")


def test_stack():
    assert EvalMode.current() is EvalMode.eager
    with EvalMode.deferred:
        assert EvalMode.current() is EvalMode.deferred
        with EvalMode.sync_full, EvalMode.sync_full:
            assert EvalMode.current() is EvalMode.sync_full
        assert EvalMode.current() is EvalMode.deferred
    assert EvalMode.current() is EvalMode.eager


def test_left_by_an_exception():
    with pytest.raises(KeyError):
        with EvalMode.sync_cpu:
            raise KeyError
    assert EvalMode.current() is EvalMode.eager


def test_of_one_thread():
    seen = []
    with EvalMode.deferred:
        thread = threading.Thread(target=lambda: seen.append(EvalMode.current()))
        thread.start()
        thread.join()
    assert seen == [EvalMode.eager]


def test_leaving_what_was_not_entered():
    with pytest.raises(RuntimeError):
        EvalMode.eager.__exit__(None, None, None)
    with EvalMode.deferred:
        with pytest.raises(RuntimeError):
            EvalMode.eager.__exit__(None, None, None)
        assert EvalMode.current() is EvalMode.deferred


@pytest.mark.parametrize("mode", MODES)
def test_values_and_errors_are_the_same(mode):
    b = hr.as_batch([np.arange(6).reshape(2, 3), np.arange(3).reshape(1, 3)])
    with EvalMode[mode]:
        rng = hr.random.RNG(seed=1)
        got = hr.random.uniform(b, rng=rng) + b.slice[:, ::-1]
        with pytest.raises(TypeError):  # arguments are checked at the call
            hr.cast(b)
        with pytest.raises(ValueError) as caught:
            (b // 0).evaluate()
    rng = hr.random.RNG(seed=1)
    want = hr.random.uniform(b, rng=rng) + b.slice[:, ::-1]
    for g, w in zip(got.tensors, want.tensors):
        np.testing.assert_array_equal(np.asarray(g), np.asarray(w))
    assert "test_eval_mode.py" in str(caught.value) + str(caught.value.__cause__)


def test_reserved_members_of_contexts():
    ctx = hr.EvalContext(num_threads=1)
    assert ctx.cached_results(1) is None and ctx.cache_results(1, 2) is None
    assert ctx.cached_results(1) is None
    for call in (ctx.cached_results, ctx.cache_results, lambda: ctx.cache_results(1)):
        with pytest.raises(TypeError):
            call()


# ---- streams -------------------------------------------------------------------------------------


class Foreign:
    cuda_stream = 7


class Protocol:
    def __cuda_stream__(self):
        return 0, 7


def test_getters_answer_none():
    assert hr.get_default_stream() is None
    assert hr.get_default_stream(0) is None and hr.get_default_stream(device_id=None) is None
    assert hr.get_current_stream() is None


def test_none_stays_none():
    assert hr.stream(stream=None) is None
    assert hr.set_current_stream(None) is None and hr.set_default_stream(None) is None
    assert hr.get_current_stream() is None and hr.get_default_stream() is None


@pytest.mark.parametrize("call", [
    hr.stream, lambda: hr.stream(device_id=0), hr.Stream, lambda: hr.Stream(device_id=0)])
def test_there_is_nothing_to_make_a_stream_on(call):
    with pytest.raises(RuntimeError, match="CPU"):
        call()


@pytest.mark.parametrize("obj", [5, Foreign(), Protocol()])
def test_there_is_nothing_to_wrap(obj):
    for call in (lambda: hr.stream(stream=obj), lambda: hr.Stream(stream=obj, device_id=0),
                 lambda: hr.set_current_stream(obj), lambda: hr.set_default_stream(obj, 0)):
        with pytest.raises(RuntimeError, match="CPU"):
            call()


@pytest.mark.parametrize("obj", ["x", object(), 1.5, [1]])
def test_what_is_no_stream(obj):
    for call in (lambda: hr.stream(stream=obj), lambda: hr.Stream(stream=obj),
                 lambda: hr.set_current_stream(obj), lambda: hr.set_default_stream(obj)):
        with pytest.raises(TypeError, match="no stream"):
            call()


def test_wrong_calls():
    with pytest.raises(ValueError, match="None"):
        hr.Stream(stream=None)
    for call in (lambda: hr.Stream(5), lambda: hr.stream(5), lambda: hr.get_current_stream(0),
                 lambda: hr.set_current_stream(), lambda: hr.set_default_stream()):
        with pytest.raises(TypeError):
            call()
