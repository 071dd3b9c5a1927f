"""Correctness checks, strategies, backends and data sets, on NumPy."""
import collections
import copy
import pickle

import numpy as np
import pytest

from headrace import graphs

ONES = np.ones(2, "float32")


def spec_of(output):
    return graphs.SampleMetadata.from_outputs(output)


def check(output, expected=ONES, reference=None):
    graphs.check_inference_output_correctness(
        [((), {})], spec_of(expected), lambda: output, "probe",
        None if reference is None else lambda: reference,
    )


@pytest.mark.parametrize("output, error", [
    (ONES, None),
    (np.float32([1, np.nan]), "Value"),
    (np.float32([np.inf, 1]), "Value"),
    (np.ones(3, "float32"), "TensorShape"),
    (np.ones((2, 1), "float32"), "TensorShape"),
    ((ONES,), "TensorShape"),
    (None, "TensorShape"),
])
def test_values_and_shapes(output, error):
    if error is None:
        return check(output)
    with pytest.raises(getattr(graphs, f"Correctness{error}Error"), match="probe") as caught:
        check(output)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("bad", [float("nan"), [1, float("inf")], {"a": {"b": complex(0, float("nan"))}},
                                 (np.float64("nan"), "text")])
def test_numbers_anywhere_must_be_finite(bad):
    with pytest.raises(graphs.CorrectnessValueError):
        check((ONES, bad), (ONES, bad))


def test_text_none_and_whole_numbers_are_fine():
    fine = (ONES, "nan", None, b"x", 3, 10**400, np.array(["text"]), {1.0}, object())
    check(fine, fine)


@pytest.mark.parametrize("output, reference, error", [
    (np.zeros(2, "float32"), ONES, "Value"),
    (np.float32([1, 1.5]), ONES, "Value"),
    (ONES * np.float32(1 + 1e-6), ONES, None),
    (ONES.astype("float64"), ONES, "Dtype"),
    (np.array([1, 2]), np.array([1, 3]), "Value"),
    (np.array([True, False]), np.array([True, True]), "Value"),
    (ONES * 1j, ONES * 1j, None),
    (ONES * 1j, ONES * 2j, "Value"),
    (np.zeros((0, 2)), np.zeros((0, 2)), None),
    (np.float32(3), np.float32(3), None),
])
def test_outputs_are_compared_with_the_originals(output, reference, error):
    if error is None:
        return check(output, output, reference)
    with pytest.raises(getattr(graphs, f"Correctness{error}Error")):
        check(output, output, reference)


def test_a_random_original_is_not_compared():
    rng = np.random.default_rng(1)
    graphs.check_inference_output_correctness(
        [((), {})], spec_of(ONES), lambda: rng.random(2, "float32"), "probe", lambda: rng.random(2, "float32"))


def test_runs_have_the_same_chance_and_leave_it():
    import random

    def noise():
        return np.random.random(2).astype("float32") + random.random()

    random.seed(1)
    np.random.seed(1)
    wanted = noise()
    random.seed(1)
    np.random.seed(1)
    graphs.check_inference_output_correctness([((), {})], spec_of(ONES), noise, "probe", noise)
    with pytest.raises(graphs.CorrectnessValueError):  # as the module gives the same, it can be compared
        graphs.check_inference_output_correctness([((), {})], spec_of(ONES), lambda: noise() + 1, "probe", noise)
    assert noise().tolist() == wanted.tolist()


def test_calls_are_copies():
    x = np.zeros(2, "float32")

    def add(x):
        x += 1
        return x

    graphs.check_inference_output_correctness([((x,), {})], spec_of(ONES), add, "probe", add)
    assert x.tolist() == [0, 0]


def tuned(function, *shapes, backend=None, **options):
    strategy = graphs.OneBackendStrategy(backend or graphs.EagerBackend())
    module = graphs.Module(function, "m", strategy=strategy, **options)
    for shape in shapes:
        with graphs.batch_size_scope(shape[0]):
            module(np.ones(shape, "float32"))
    return module, strategy


def test_boundaries_run_at_the_smallest_and_largest_sizes():
    shapes = []

    class Note(graphs.EagerBackend):
        def _infer(self, x):
            shapes.append(x.shape)
            if x.shape[0] == 4:
                raise KeyError("too big")
            return super()._infer(x)

    module, strategy = tuned(lambda x: x, (1, 3), (2, 3), backend=Note())
    module.tune()
    assert shapes == [(1, 3), (1, 3), (2, 3)]
    module, strategy = tuned(lambda x: x, (1, 3), (4, 3), backend=Note())
    with pytest.raises(graphs.CorrectnessDynamicShapeError, match="largest.*KeyError"):
        module.tune()
    assert strategy.backend_results == [{"backend": "Note()", "success": False}]
    strategy.enable_correctness_check(False)
    module.tune()


@pytest.mark.parametrize("name", ["enable_performance_validation", "enable_find_max_batch_size"])
def test_backends_are_not_measured_yet(name):
    strategy = graphs.OneBackendStrategy(graphs.TorchEagerBackend())
    assert getattr(strategy, name)(False) is strategy
    with pytest.raises(NotImplementedError, match=f"not measured.*{name}"):
        getattr(strategy, name)()


def test_explicit_bounds_are_run():
    shapes = []

    class Note(graphs.EagerBackend):
        def _infer(self, x):
            shapes.append(x.shape)
            return super()._infer(x)

    module, _ = tuned(lambda x: x, (2, 3), backend=Note(), dynamic_shapes={"x": (graphs.BatchDim("b", 1, 9), 3)})
    module.tune()
    assert shapes == [(2, 3), (1, 3), (9, 3)]


def test_sizes_at_which_the_module_fails_as_well_are_not_held_against_the_backend(caplog):
    def halves(x, y):  # x has as many rows as y has fewer than ten
        assert len(x) + len(y) == 10
        return x

    module = graphs.Module(halves)
    for n in (2, 7):
        module(np.zeros((n, 3)), np.zeros((10 - n, 3)))
    module.tune()
    assert [r.levelname for r in caplog.records] == ["WARNING"] * 2
    assert "not checked at the smallest sizes of graph '0'" in caplog.text


def test_what_a_call_changes_in_place_is_fresh_for_each_check():
    def append(x, seen):
        seen["rows"] = np.concatenate([seen["rows"], x]) if "rows" in seen else x
        assert len(seen["rows"]) == len(x)
        return x * 2

    module = graphs.Module(append)
    for n in (1, 4):
        with graphs.batch_size_scope(n):
            module(np.zeros((n, 3)), {})
    module.tune()
    assert module.module.served == (0,)


class Table:
    def __init__(self, rows):
        self.rows = np.asarray(rows, float)

    def take(self, index, axis):
        return Table(self.rows.take(index, axis))

    def __array__(self, dtype=None, copy=None):
        return self.rows


class Opaque(Table):
    __array__ = None


@pytest.mark.parametrize("kind, factor, error", [
    (Table, 1, None), (Table, 0, graphs.CorrectnessValueError), (Opaque, 0, None),
])
def test_outputs_of_registered_types_are_compared_where_they_have_numbers(kind, factor, error):
    class Scaled(graphs.EagerBackend):
        def _infer(self, x):
            return kind(super()._infer(x).rows * factor)

    graphs.Locator.register_tensor_type(Table, lambda t: t.rows.shape, lambda t: "table")
    try:
        module = graphs.Module(lambda x: kind(x.rows + 1), strategy=graphs.OneBackendStrategy(Scaled()))
        for n in (1, 3):
            with graphs.batch_size_scope(n):
                module(kind(np.ones((n, 2))))
        if error is None:
            return module.tune()
        with pytest.raises(error, match="values 2 off"):
            module.tune()
    finally:
        graphs.Locator.unregister_tensor_type(Table)


def test_a_backend_that_returns_zeros_is_refused():
    class Zeros(graphs.EagerBackend):
        def _infer(self, x):
            return x * 0

    module, strategy = tuned(lambda x: x + 1, (1, 3), backend=Zeros())
    with pytest.raises(graphs.CorrectnessValueError, match="graph 0, Zeros"):
        module.tune()
    assert module.state.value == "recording"


def test_states_of_a_backend():
    backend = graphs.EagerBackend()
    for move in (backend.activate, backend.deactivate, backend.deploy, backend.infer):
        with pytest.raises(RuntimeError, match="init"):
            move()
    backend.build(len, None, [], "cpu", None)
    with pytest.raises(RuntimeError, match="active"):
        backend.build(len, None, [], "cpu", None)
    assert backend.infer([1, 2]) == 2
    backend.deactivate()
    with pytest.raises(RuntimeError, match="inactive"):
        backend.infer([1])
    backend.activate()
    for other in (copy.deepcopy(backend), pickle.loads(pickle.dumps(backend))):
        assert other.infer([1]) == 1 and other.state is graphs.BackendState.ACTIVE
    backend.deploy()
    for move in (backend.activate, backend.deactivate, backend.deploy):
        with pytest.raises(RuntimeError, match="deployed"):
            move()
    assert backend.infer([1]) == 1
    with pytest.raises(ValueError):
        graphs.OneBackendStrategy("eager")


# ---- data sets -----------------------------------------------------------------------------------------


def batches(data, sizes, most=None):
    return list(graphs.samples_generator(data, sizes, most))


def test_items_are_stacked_by_kind():
    data = [{"a": np.full(3, i), "s": f"t{i}", "n": i, "none": None, "label": float(i), "d": {"k": i}}
            for i in range(5)]
    (one, args, first), (_, _, second) = batches(data, [2])
    assert (one, args) == (2, ()) and sorted(first) == ["a", "d", "labels", "n", "s"]
    assert first["a"].tolist() == [[0] * 3, [1] * 3] and second["s"] == ["t2", "t3"]
    assert first["n"].tolist() == [0, 1] and first["labels"].tolist() == [0.0, 1.0] and first["d"] == {"k": [0, 1]}
    assert [b for b, _, _ in batches(data, [1, 2, 4], 2)] == [1, 1, 2, 2, 4]


def test_positional_items_and_short_data():
    pairs = [[np.zeros(2), "a"], [np.ones(2), "b"], (np.ones(2), "c")]
    (_, args, kwargs), = batches(pairs, [2])
    assert args[0].tolist() == [[0, 0], [1, 1]] and args[1] == ["a", "b"] and kwargs == {}
    (_, args, _), = batches(["x", "y"], [5])
    assert args == (["x", "y", "x", "y", "x"],)
    (_, args, _), = batches(np.zeros((2, 3)), [4])
    assert args[0].shape == (4, 2, 3)


def test_items_that_are_whole_calls():
    items = [((np.full(2, i), "t"), {"k": np.full((), i), "n": i}) for i in range(3)]
    (size, args, kwargs), = batches(items, [3])
    assert size == 3 and args[0].tolist() == [[0, 0], [1, 1], [2, 2]] and args[1] == ["t"] * 3
    assert kwargs["k"].tolist() == kwargs["n"].tolist() == [0, 1, 2]
    assert batches([((), {"s": "a"}), ((), {"s": "b"})], [2]) == [(2, (), {"s": ["a", "b"]})]
    assert [len(args) for _, args, _ in batches([([np.zeros(1)] * 2, {})], [1])] == [2]


def test_dynamic_shapes_and_loaders():
    data = graphs.DynamicShapeDataset([np.zeros(2), np.zeros(5)])
    assert [args[0].shape for _, args, _ in batches(data, [1, 3])] == [(1, 2), (1, 5), (3, 2), (3, 5)]


class Made(graphs.DataLoaderFactory):
    def create_dataloader(self, batch_size):
        n = batch_size
        return iter([np.zeros(n), (np.zeros(n), 1), {"x": n}, ["t"] * n])


def test_loaders():
    assert [(len(args), sorted(kwargs)) for _, args, kwargs in batches(Made([]), [2])] == [
        (1, []), (2, []), (0, ["x"]), (1, [])]
    assert len(batches(Made([]), [1, 2], 1)) == 2
    items = [np.full(2, i) for i in range(5)]
    plain = graphs.DataLoaderFactory(items)
    assert [args[0].tolist() for _, args, _ in batches(plain, [2])] == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    own = graphs.DataLoaderFactory(items, collate_fn=lambda batch: {"x": len(batch)})
    assert batches(own, [4, 6]) == [(4, (), {"x": 4}), (6, (), {"x": 6})]
    for wrong, error in ((dict(collate_fn=3), TypeError), (dict(num_workers=-1), ValueError)):
        with pytest.raises(error, match="DataLoaderFactory"):
            graphs.DataLoaderFactory(items, **wrong)


def test_random_shapes_between_bounds():
    configs = [graphs.InputConfig((3, 4), (3, 9), dtype=np.float64, kwarg_name="x", min_value=-2, max_value=5),
               graphs.InputConfig([2], kwarg_name="y", dtype=np.int64, max_value=7)]
    data = graphs.MinMaxRandomDataset(40, configs)
    assert len(data) == 40 and sorted(data[0]) == ["x", "y"]
    assert [data[i]["x"].shape for i in range(2)] == [(3, 4), (3, 9)]
    assert {s["x"].shape[1] for s in data} == set(range(4, 10))
    assert all(s["y"].shape == (2,) and s["y"].dtype == np.int64 for s in data)
    low, high = min(s["x"].min() for s in data), max(s["x"].max() for s in data)
    assert -2 <= low < -1.5 and 4.5 < high < 5
    again, other = graphs.MinMaxRandomDataset(40, configs), graphs.MinMaxRandomDataset(40, configs, seed=1)
    assert all((a["x"] == b["x"]).all() for a, b in zip(data, again))
    assert [s["x"].shape for s in data] != [s["x"].shape for s in other]
    assert [k["x"].shape for _, _, k in batches(data, [2], 2)] == [(2, 3, 4), (2, 3, 9)]
    listed = graphs.MinMaxRandomDataset(1, [graphs.InputConfig((2,), (4,), dtype=np.float32)], False)
    assert type(listed[0]) is list and 2 <= listed[0][0].shape[0] <= 4


@pytest.mark.parametrize("make, text", [
    (lambda: graphs.InputConfig((3,), (2,)), r"from \(3,\) to \(2,\)"),
    (lambda: graphs.InputConfig((3,), (3, 3)), "cannot go"),
    (lambda: graphs.InputConfig((-1,)), "-1"),
    (lambda: graphs.InputConfig((1,), min_value=2), "from 2 to 1"),
    (lambda: graphs.MinMaxRandomDataset(1, [graphs.InputConfig((1,))]), "at least 2"),
    (lambda: graphs.MinMaxRandomDataset(0, [graphs.InputConfig((1,))], False), "at least 1"),
    (lambda: graphs.MinMaxRandomDataset(2, []), "give inputs"),
    (lambda: graphs.MinMaxRandomDataset(2, [graphs.InputConfig((1,)), graphs.InputConfig((1,), kwarg_name="x")]),
     "kwarg_name or none"),
])
def test_wrong_random_samples(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("data, error", [
    ([5], ValueError), ([None], ValueError), ([[5]], ValueError), ([{"k": object()}], RuntimeError),
    ([], ValueError), (collections.deque(), ValueError),
])
def test_bad_items(data, error):
    with pytest.raises(error, match="samples_generator"):
        batches(data, [1])
    with pytest.raises(ValueError, match="0"):
        batches(["x"], [0])
