"""Recording, on plain callables and NumPy."""
import collections
import copy
import functools
import pickle
import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from recorded_calls import Model, record, scale, zeros

from headrace import graphs


@pytest.fixture(autouse=True)
def fresh():
    yield
    graphs.reset()


# ---- recording -----------------------------------------------------------------------------------------


def test_calls_written_differently_are_one_graph():
    rec = record(scale, ((zeros(2, 3), 4), {}), ((), {"factor": 4, "x": zeros(5, 3)}),
                 ((zeros(1, 3),), {"factor": 4}))
    assert [g.name for g in rec.graph_specs] == ["0"]
    assert rec.graph_specs[0].input_spec.tensor_specs[0].shape == ["dim0", 3]


def test_ranks_values_and_structure_make_graphs():
    rec = record(scale, ((zeros(2),), {}), ((zeros(2, 2),), {}), ((zeros(2), 1), {}), ((zeros(2), True), {}),
                 ((zeros(2), 1.0), {}), ((zeros(2), 1), {"shift": 0}))
    assert len(rec.graph_specs) == 6


def test_results_are_passed_on_and_failures_are_not_recorded():
    def half(x, fail=False):
        if fail:
            raise KeyError("no")
        return {"half": x / 2}

    rec = record(half)
    assert rec(np.ones(2))["half"].tolist() == [0.5, 0.5]
    with pytest.raises(KeyError):
        rec(np.ones(2), fail=True)
    with pytest.raises(TypeError, match="x"):
        rec()
    assert len(rec.graph_specs) == 1


def test_samples_are_copied_once_before_the_call():
    copies = []

    class Counted:
        def __deepcopy__(self, memo):
            copies.append(1)
            return Counted()

        def __eq__(self, other):
            return isinstance(other, Counted)

        __hash__ = None

    def grow(x, note):
        x += 1
        return x

    rec = record(grow, *[((np.zeros(2), Counted()), {}) for _ in range(5)])
    assert len(copies) == 1  # later calls are not kept, so they are not copied
    (args, kwargs), = rec.samples_for_graph_spec(rec.graph_specs[0])
    assert args[0].tolist() == [0, 0] and kwargs == {}


def test_a_table_that_makes_graphs_is_to_be_registered():
    class Frame:  # compares element by element, as tables do
        shape = (2, 3)

        def __eq__(self, other):
            raise ValueError("ambiguous")

        def __repr__(self):
            return "a b c"

    config = graphs.Config()
    config.max_num_graphs = 3
    rec = graphs.RecordingModule(lambda x: 1, "r", config)
    with pytest.warns(RuntimeWarning, match="'x' makes most of them, with 4 values .* register Frame as a tensor"):
        for _ in range(4):
            rec(Frame())


def test_a_result_that_cannot_be_described_is_returned():
    loop = []
    loop.append(loop)
    with pytest.warns(RuntimeWarning, match="output cannot be described: ValueError: output.0. is output again"):
        rec = record(lambda x: loop, ((zeros(2),), {}))
    assert rec(zeros(2)) is loop and rec.n_unrecorded == 2 and rec.graph_specs == []


def test_values_that_cannot_be_told_in_words_lose_no_call():
    class Silent:
        def __repr__(self):
            raise KeyError("never")

    config = graphs.Config()
    config.max_num_graphs = 1
    rec = graphs.RecordingModule(lambda x, m: x, "r", config)
    assert rec(1, Silent()) == 1
    with pytest.warns(RuntimeWarning, match="told in words.*KeyError"):
        assert rec(1, Silent()) == 1


@pytest.mark.filterwarnings("error")
def test_coroutines_and_generators_are_passed_on():
    import asyncio

    async def model(x, k=1):
        await asyncio.sleep(0)
        return x * k

    def steps(x):
        yield from x

    module, stream = graphs.Module(model, "coroutine"), graphs.Module(steps, "generator")
    for _ in range(2):
        for n in (1, 3):
            assert asyncio.run(module(np.ones(n), k=2)).tolist() == [2] * n
            assert list(stream(np.ones(n))) == [1] * n
        if module.state is graphs.ModuleState.RECORDING:
            module.tune()
            stream.tune()
    assert module.module.served == stream.module.served == (2,)


def test_what_cannot_be_copied_is_recorded_without_samples():
    with pytest.warns(RuntimeWarning, match="without samples.*generator"):
        rec = record(lambda x, steps: x, ((zeros(2), (i for i in range(3))), {}))
    assert len(rec.graph_specs) == 1 and rec.samples_for_graph_spec(rec.graph_specs[0]) == []


def test_what_is_nested_too_deeply_to_be_copied_is_recorded_without_samples():
    deep = zeros(2)
    for _ in range(20_000):
        deep = [deep]
    with pytest.warns(RuntimeWarning, match="without samples.*RecursionError"):
        rec = record(lambda x: 1, ((deep,), {}), ((deep,), {}))
    assert rec.calls == {"0": 2}


def test_output_that_changes_its_structure_is_noted_and_returned():
    rec = record(lambda x, many=False: (x, x) if many else x, free="many")
    rec(zeros(2))
    with pytest.warns(RuntimeWarning, match="graph 0 returned"):
        assert len(rec(zeros(3), many=True)) == 2
    rec(zeros(4), many=True)
    assert rec.output_changes == {"0": 2}
    assert "Graph 0: 2 calls with another output structure" in rec.describe(graphs.InfoLevel.SHORT)
    assert rec.graph_specs[0].input_spec.tensor_specs[0].max_shape == [4]


def test_cap_on_graphs_names_the_argument():
    settings = graphs.Config()
    settings.max_num_graphs = 5
    rec = graphs.RecordingModule(scale, "f", settings)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(20):
            assert rec(np.ones(1), i * 0.5).tolist() == [i * 0.5]
    assert len(rec.graph_specs) == 5 and rec.n_unrecorded == 15
    assert len(caught) == 1 and "'factor' makes most of them, with 6 values" in str(caught[0].message)
    assert "free=['factor']" in str(caught[0].message)


def test_cap_names_what_differs_in_structure():
    settings = graphs.Config()
    settings.max_num_graphs = 3
    rec = graphs.RecordingModule(lambda x, tree: x, "f", settings)
    with pytest.warns(RuntimeWarning, match="'tree' makes most of them, with 4 structures"):
        for n in range(6):
            rec(zeros(1), [zeros(1)] * (n + 1))


def test_free_arguments_make_no_graphs_but_their_tensors_count():
    rec = record(scale, *[((zeros(2), i), {}) for i in range(9)], free=["factor"])
    assert len(rec.graph_specs) == 1
    rec(zeros(2), zeros(2))
    assert len(rec.graph_specs) == 2
    with pytest.raises(ValueError, match="no_such"):
        record(scale, free=["no_such"])


def test_batch_axes_of_inputs_and_outputs():
    rec = record(lambda x: np.concatenate([x, x]))
    for n in (1, 3):
        with graphs.batch_size_scope(n):
            rec(zeros(n, 4))
    graph, = rec.graph_specs
    assert graph.input_spec.tensor_specs[0].shape == ["batch0", 4]
    assert graph.output_spec.tensor_specs[0].get_batch_axis_multipliers() == {0: 2}
    assert "in all 2 samples" in graph.input_spec.explain()
    assert rec.calls == {"0": 2}
    args, kwargs = graph.make_batch((zeros(1, 4),), {}, 7)
    assert args[0].shape == (7, 4) and kwargs == {}


def test_explicit_shapes_are_checked_before_the_call():
    ran = []
    shapes = {"x": (graphs.BatchDim("b", 1, 4), 3), ("o", "m"): (graphs.BatchDim("b", 1, 4),)}
    rec = record(lambda x, o=None: ran.append(1), dynamic_shapes=shapes)
    rec(zeros(2, 3))
    with pytest.raises(graphs.UserInputError, match="o.*m"):
        rec.validate_dynamic_shape_paths_recorded()
    rec(zeros(4, 3), {"m": zeros(4)})
    rec.validate_dynamic_shape_paths_recorded()
    for bad, text in (((zeros(5, 3),), "5"), ((zeros(2, 4),), "axis 1"), ((zeros(2),), "axes"),
                      ((zeros(2, 3), {"m": zeros(3)}), "'b'")):
        with pytest.raises(graphs.UserInputError, match=text):
            rec(*bad)
    assert len(ran) == 2


def test_a_failed_merge_changes_nothing():
    graph, = record(scale, ((zeros(2),), {})).graph_specs
    inputs = graphs.SampleMetadata.from_inputs({"x": zeros(9)}, strict=True)
    with pytest.raises(ValueError, match="output"):
        graph.update_shapes_seen(inputs, graphs.SampleMetadata.from_outputs([zeros(9)]))
    assert graph.input_spec.tensor_specs[0].shape == [2]


def test_graph_record_keeps_everything():
    shapes = {"x": (graphs.DynamicDim("n", 1, 9, opt=3),)}
    graph, = record(scale, ((zeros(2),), {}), ((zeros(4),), {}), dynamic_shapes=shapes).graph_specs
    back = graphs.GraphSpec.from_dict(pickle.loads(pickle.dumps(graph.to_dict())))
    assert back == graph and str(back) == str(graph)
    assert back.get_effective_input_shapes(*back.input_spec.tensor_data[0]) == ([1], [3], [9])


# ---- odd inputs ----------------------------------------------------------------------------------------


class Encoding(collections.UserDict):
    """As tokenizers return them."""


class Output(collections.OrderedDict):
    """As models return them: items are attributes as well."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True)
class Frozen:
    data: object
    note: str = ""


Point = collections.namedtuple("Point", "x y")


def past(layers):
    return tuple((zeros(1, 2, 3, 4), zeros(1, 2, 3, 4)) for _ in range(layers))


@pytest.mark.parametrize("name, make", [
    ("none", lambda n: (None, [None, zeros(n)])),
    ("user dict", lambda n: (Encoding(input_ids=zeros(n, 4, dtype="int64"), mask=None),)),
    ("model output", lambda n: (Output(logits=zeros(n, 3), past_key_values=past(2)),)),
    ("past key values", lambda n: (zeros(n, 1), past(3))),
    ("zero size", lambda n: (zeros(0, 4), np.float32(2))),
    ("0-d", lambda n: (zeros(), zeros(n))),
    ("frozen", lambda n: (Frozen(zeros(n), "a"), [Frozen(None)])),
    ("named tuple", lambda n: (Point(zeros(n), Point(1, None)),)),
])
def test_odd_inputs_are_recorded_routed_and_unchanged(name, make):
    def forward(*args, **kwargs):
        return args

    module = graphs.Module(forward, name)
    first = make(2)
    before = copy.deepcopy(first)
    kept = module(*first)
    assert all(a is b for a, b in zip(kept, first)) and repr(first) == repr(before)
    module(*make(3))
    assert len(module.graph_specs) == 1
    module.tune()
    again = make(7)
    assert all(a is b for a, b in zip(module(*again), again))
    assert module.module.served == (1,) and module.module.n_unknown == 0


def test_masks_of_one_shape_are_one_graph_whatever_their_dtype():
    rec = record(lambda x, mask: x, ((zeros(2), zeros(2, dtype="bool")), {}),
                 ((zeros(2), zeros(2, dtype="int64")), {}))
    assert len(rec.graph_specs) == 1


def test_variadic_forwards():
    rec = record(lambda *rest, **more: rest, ((zeros(1), 2), {"k": zeros(2)}), ((zeros(4), 2), {"k": zeros(9)}),
                 ((zeros(1),), {"k": zeros(2)}), ((), {}))
    paths = [[str(loc) for loc, _ in g.input_spec.tensor_data] for g in rec.graph_specs]
    assert paths == [["rest[0]", 'more["k"]'], ["rest[0]", 'more["k"]'], []]


def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner


@pytest.mark.parametrize("make, argument", [
    (lambda: Model(3).run, "x"),
    (lambda: functools.partial(scale, factor=3), "x"),
    (lambda: decorated(scale), "x"),
    (lambda: Model(3), "x"),
    (lambda: functools.partial(Model(3).run, times=2), "x"),
])
def test_callables_of_all_kinds(make, argument):
    function = make()
    module = graphs.Module(function, "f")
    want = function(np.arange(3.0)).tolist()
    assert module(np.arange(3.0)).tolist() == want
    assert module(**{argument: np.arange(3.0)}).tolist() == want
    module.tune()
    assert module(np.arange(3.0)).tolist() == want
    assert [str(loc) for loc, _ in module.graph_specs[0].input_spec.tensor_data] == ["x"]


def test_a_cycle_is_an_error_that_names_the_path():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError, match=r"x\[0\]"):
        record(scale, ((loop,), {}))
