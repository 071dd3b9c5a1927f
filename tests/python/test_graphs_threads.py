"""Execution graphs and threads: routing, recording, tuning, wrapping and batch sizes in scope; tasks too."""
import asyncio
import collections
import contextvars
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

from headrace import graphs


def zeros(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


@contextmanager
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def run_threads(work, n=8):
    """work(0) to work(n - 1), each in a thread of its own; their answers."""
    start = threading.Barrier(n)

    def run(i):
        start.wait()
        return work(i)

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(run, range(n)))


def test_each_thread_is_served_by_its_own_graph():
    calls = 10_000
    module = graphs.Module(lambda x, key: (x.ndim, key), "m")
    for i in range(8):
        module(zeros(*(1,) * (i % 4)), i)
    module.tune(strategy=ByName())

    def work(i):
        x = zeros(*(2,) * (i % 4))
        return collections.Counter(module(x, i) for _ in range(calls))

    with frequent_switches():
        answers = run_threads(work)
    assert answers == [{str(i): calls} for i in range(8)]
    assert module.module.served == (calls,) * 8 and module.module.n_unknown == 0


class ByName:
    """A strategy whose backends tell the name of their graph, with a little Python on the way."""

    def tune(self, module, name, graph_spec, data, device, cache_dir):
        backend = graphs.Backend()
        backend.infer = lambda *args, **kwargs: "".join(list(graph_spec.name))
        return backend


def test_threads_record_and_count_together():
    module = graphs.Module(lambda x, key=None: x, "m")
    run_threads(lambda i: [module(zeros(2), j % 4) for j in range(50)])
    assert len(module.graph_specs) == 4
    module.tune()
    run_threads(lambda i: [module(zeros(2, 2), j % 4) for j in range(50)])
    assert module.module.n_unknown == 400 and len(module.module.unknown_graphs) == 4


def test_tuning_while_others_call():
    module = graphs.Module(lambda x: x, "m")
    module(zeros(1))
    stop, bad = threading.Event(), []

    def work(i):
        x = zeros(i + 1)
        while i and not stop.is_set():
            if module(x) is not x:
                bad.append(i)
        if i == 0:
            for _ in range(20):
                module.tune()
                module.enable_recording(force=True)
                while not module.graph_specs:
                    pass
            stop.set()

    run_threads(work, 4)
    assert bad == []


def test_scopes_of_batch_sizes_do_not_leak_between_threads():
    module = graphs.Module(lambda x, who: x, "m")

    def work(i):
        for n in (1, 2, 3):
            with graphs.batch_size_scope(n):
                module(zeros(n * (i + 1), 5), i)

    run_threads(work)
    found = {g.input_spec.other_data[0][1]: g.input_spec.tensor_specs[0].get_batch_axis_multipliers()
             for g in module.graph_specs}
    assert found == {i: {0: i + 1} for i in range(8)}


def test_each_task_has_a_batch_size_of_its_own():
    model = graphs.Module(lambda x, who: x, "m")

    async def work(i):
        for n in (1, 2, 3):
            with graphs.batch_size_scope(n):
                await asyncio.sleep(0)
                model(zeros(n * (i + 1), 5), i)
                await asyncio.sleep(0)

    async def main():
        with graphs.batch_size_scope(100):  # tasks inherit it, and leave it as it is
            await asyncio.gather(*(work(i) for i in range(8)))
            return graphs.SampleMetadata.from_inputs({"x": zeros(300)}).tensor_specs[0]._bs_multipliers

    assert asyncio.run(main()) == [3.0]
    found = {g.input_spec.other_data[0][1]: g.input_spec.tensor_specs[0].get_batch_axis_multipliers()
             for g in model.graph_specs}
    assert found == {i: {0: i + 1} for i in range(8)}


def test_a_thread_starts_without_a_batch_size():
    def multipliers():
        return graphs.SampleMetadata.from_inputs({"x": zeros(8)}).tensor_specs[0]._bs_multipliers

    with graphs.batch_size_scope(2), ThreadPoolExecutor(1) as pool:
        there = pool.submit(multipliers).result()
        copied = pool.submit(contextvars.copy_context().run, multipliers).result()
        assert multipliers() == copied == [4.0] and there != there[:0] and there[0] != there[0]
    assert multipliers()[0] != multipliers()[0]


# ---- policies and graphs that change while others call --------------------------------------------------


class Answer:
    device, is_jit = "cpu", True

    def __init__(self, answer):
        self.answer = answer

    def infer(self, *args, **kwargs):
        return self.answer


SIGNATURE = graphs.ForwardSignature.from_callable(lambda x, key=None: None)


def meta(*args):
    return graphs.SampleMetadata.from_inputs(SIGNATURE.normalize(args, {}).arguments, strict=True)


def test_the_policy_may_change_while_others_call():
    route = graphs.TunedModule({meta(zeros(1), 0): Answer("graph")}, "m", SIGNATURE,
                               original=lambda x, key: "original")
    assert route.unknown == "fallback" and route.check_graph is True
    with pytest.raises(ValueError, match="'never'"):
        route.unknown = "never"
    with pytest.raises(AttributeError):
        del route.unknown
    with pytest.raises(AttributeError):
        route.check_graph = False
    stop = threading.Event()

    def work(i):
        if i == 0:
            for n in range(3000):
                route.unknown = ("fallback", "error", "nearest")[n % 3]
            stop.set()
            return None
        seen = collections.Counter()
        while not stop.is_set():
            try:
                seen[route(zeros(1), 1)] += 1
            except RuntimeError as error:
                assert "no graph for Tensors: x Others: key=1" in str(error)
                seen["error"] += 1
        return seen

    with frequent_switches():
        seen = sum(run_threads(work)[1:], collections.Counter())
    assert set(seen) <= {"original", "graph", "error"} and route.n_unknown == seen.total()
    for policy, answer in (("fallback", "original"), ("nearest", "graph")):
        route.unknown = policy
        assert route(zeros(1), 1) == answer and route.unknown == policy
    route.unknown = "error"
    with pytest.raises(RuntimeError):
        route(zeros(1), 1)


def test_graphs_are_added_while_others_call():
    route = graphs.TunedModule({meta(zeros(1), 0): Answer(0)}, "m", SIGNATURE, original=lambda x, key: None)
    n, ready = 2000, [1]

    def work(i):
        if i == 0:
            for key in range(1, n):
                route._add(meta(zeros(1), key), Answer(key), ())
                ready[0] = key + 1
            return 0
        wrong = 0
        while ready[0] < n:
            for key in range(max(0, ready[0] - 20), ready[0]):
                wrong += route(zeros(2), key) != key
        return wrong

    with frequent_switches():
        assert run_threads(work, 4) == [0] * 4
    assert route.n_unknown == 0 and [route(zeros(3), key) for key in range(n)] == list(range(n))


class Sly:
    """A value whose comparison does something meanwhile."""

    def __init__(self, meanwhile=lambda: None):
        self.meanwhile = meanwhile

    def __hash__(self):
        return 7

    def __eq__(self, other):
        self.meanwhile()
        other.meanwhile()
        return self is other


def test_adding_does_not_mix_up_backends_when_comparison_adds():
    sly = Sly()
    route = graphs.TunedModule({meta(zeros(1), sly): Answer("first")}, "m", SIGNATURE)
    refused = []

    def add_another():
        sly.meanwhile = lambda: None
        try:
            route._add(meta(zeros(1), "other"), Answer("other"), ())
        except RuntimeError as error:
            refused.append(str(error))

    sly.meanwhile = add_another
    second = Sly()
    route._add(meta(zeros(1), second), Answer("second"), ())
    assert refused == ["another graph is being added to this router"]
    assert [route(zeros(4), key) for key in (sly, second)] == ["first", "second"]
    route._add(meta(zeros(1), "other"), Answer("other"), ())
    assert route(zeros(4), "other") == "other" and route.served == (1, 1, 1)


# ---- wrapping and tuning from several threads -----------------------------------------------------------


def test_one_of_two_threads_wraps_a_module_and_names_are_unique():
    torch = pytest.importorskip("torch")
    with frequent_switches():
        for _ in range(30):
            model = torch.nn.Identity()

            def wrap(i, model=model):
                try:
                    return graphs.Module(model, "shared")
                except graphs.UserInputError as error:
                    assert "wrapped already" in str(error)
            made = [m for m in run_threads(wrap, 4) if m is not None]
            assert len(made) == 1 and model(3) == 3 and len(made[0].graph_specs) == 1
            made[0].unwrap()


def test_names_of_wrappers_made_in_threads_are_unique():
    with frequent_switches():
        made = [m for some in run_threads(lambda i: [graphs.Module(lambda x: x, "same") for _ in range(20)])
                for m in some]
    assert len({m.name for m in made}) == 160


def test_a_module_is_tuned_once_at_a_time():
    model = graphs.Module(lambda x: x, "m")
    model(zeros(1))
    inside, go_on, refused = threading.Event(), threading.Event(), []

    class Slow:
        def tune(self, *args):
            inside.set()
            assert go_on.wait(30)
            return Answer("slow")

    def work(i):
        if i == 0:
            model.tune(strategy=Slow())
            return
        try:
            assert inside.wait(30)
            with pytest.raises(RuntimeError, match="tune.. is under way already"):
                model.tune()
            assert model(zeros(1)).shape == (1,)  # calls go on being recorded
            refused.append(i)
        finally:
            go_on.set()

    run_threads(work, 2)
    assert refused == [1] and model(zeros(1)) == "slow"
    with pytest.raises(ValueError, match="state tuned"):
        model.tune()


def test_a_failed_tuning_can_be_repeated():
    model = graphs.Module(lambda x: x, "m")
    model(zeros(1))

    class Failing:
        def tune(self, *args):
            raise KeyError("no such backend")

    for _ in range(2):
        with pytest.raises(KeyError):
            model.tune(strategy=Failing())
    model.tune()
    assert model.state is graphs.ModuleState.TUNED
