"""SampleMetadata: what makes two calls one graph, and what it says of them."""
import argparse
import collections
import dataclasses
import gc
import pathlib
import pickle
import sys
import threading
import types
import weakref

import numpy as np
import pytest

import headrace as hr
from headrace.graphs import (
    ExactSampleMetadata, ForwardSignature, InfoLevel, Locator, SampleMetadata, TensorSpec, batch_size_scope,
)


def t(*shape, dtype="float32"):
    return np.zeros(shape, dtype=dtype)


def meta(value, strict=True, **options):
    return SampleMetadata.from_inputs({"v": value}, strict=strict, **options)


@dataclasses.dataclass(frozen=True)
class Frozen:
    data: object
    note: str = "n"


Point = collections.namedtuple("Point", "x y")


def test_rank_and_place_make_a_graph_sizes_and_dtypes_do_not():
    base = meta(t(2, 3))
    assert base == meta(t(9, 1)) and hash(base) == hash(meta(t(9, 1)))
    assert base == meta(t(2, 3, dtype="int64"))
    assert base != meta(t(2, 3, 1))
    assert base != meta([t(2, 3)])
    assert base != SampleMetadata.from_inputs({"w": t(2, 3)}, strict=True)
    assert meta([t(1)]) == meta((t(1),)) != meta({0: t(1)})
    assert meta({"data": t(1), "note": "n"}) != meta(Frozen(t(1)))


def test_order_of_a_dict_plays_no_part():
    one = SampleMetadata.from_inputs({"a": t(1), "b": 2, "c": t(1, 1)}, strict=True)
    two = SampleMetadata.from_inputs({"c": t(4, 4), "a": t(3), "b": 2}, strict=True)
    assert one == two and hash(one) == hash(two) and len({one, two}) == 1
    swapped = SampleMetadata.from_inputs({"a": t(1, 1), "b": 2, "c": t(1)}, strict=True)
    assert one != swapped


VALUES = [1, 1.0, True, 0, 0.0, False, None, "", "1", b"1", 1 + 0j, float("nan"), float("inf"), 2**70,
          {1}, {True}, {1.0}, frozenset({1}), range(3), range(4), np.float32(1), np.float64(1),
          np.int64(1), bytearray(b"1"), collections.deque([1]), collections.deque([True]), int, float,
          collections.deque([1.0]), slice(1), slice(1.0), types.SimpleNamespace(a=1),
          types.SimpleNamespace(a=True), argparse.Namespace(a=1), argparse.Namespace(a=1.0)]


def test_values_are_compared_with_their_types():
    for i, a in enumerate(VALUES):
        for j, b in enumerate(VALUES):
            assert (meta(a) == meta(b)) is (i == j), (a, b)
        assert hash(meta(a)) == hash(meta(a))


def test_nan_is_nan_and_arrays_go_by_content():
    assert meta(float("nan")) == meta(float("nan"))
    assert meta(np.float32("nan")) == meta(np.float32("nan"))
    assert meta(complex("nan")) == meta(complex("nan"))
    assert meta({float("nan")}) == meta({float("nan")})
    assert meta(collections.deque([t(2)])) == meta(collections.deque([t(2)]))
    assert meta(collections.deque([t(2)])) != meta(collections.deque([t(2) + 1]))
    assert meta(argparse.Namespace(a=float("nan"))) == meta(argparse.Namespace(a=float("nan")))
    assert meta(0.0) == meta(-0.0)


def test_objects_without_a_comparison_go_by_their_attributes():
    class Options:
        def __init__(self, **fields):
            self.__dict__.update(fields)

    assert meta(Options(mode="a", sizes=[1, 2])) == meta(Options(mode="a", sizes=[1, 2]))
    assert meta(Options(mode="a")) != meta(Options(mode="b"))
    assert meta(Options(mode=1)) != meta(Options(mode=True))
    changed = Options(mode="a")
    before = meta(changed)
    changed.mode = "b"
    assert before != meta(changed) and before == meta(Options(mode="a"))
    sentinel, other = object(), object()
    assert meta(sentinel) == meta(sentinel) != meta(other)


def test_a_changed_set_is_another_value():
    values = {1, 2}
    before = meta(values)
    values.add(3)
    assert before != meta(values) and before == meta({1, 2})


def test_without_strict_values_are_not_there():
    assert meta("a", strict=False) == meta(None, strict=False) == meta([], strict=False)
    assert meta([t(1), 3], strict=False).other_data == ()


def test_inputs_and_outputs_differ():
    assert SampleMetadata.from_inputs([t(1)]) != SampleMetadata.from_outputs([t(1)])
    assert str(SampleMetadata.from_outputs([t(1), 2], strict=True)) == "Tensors: output[0] Others: output[1]=2"


def test_headrace_tensors_and_batches():
    batch = hr.batch([np.zeros((2, 3), "uint8"), np.zeros((4, 3), "uint8")])
    found = SampleMetadata.from_inputs({"t": hr.tensor(np.zeros((5, 6))), "b": batch})
    assert [s.shape for s in found.tensor_specs] == [[5, 6], [2, 4, 3]]
    assert [s.dtype for s in found.tensor_specs] == [hr.float64, hr.uint8]


def test_batch_sizes():
    with batch_size_scope(2):
        one = SampleMetadata.from_inputs({"x": t(2, 5)})
        with batch_size_scope(6):
            one.update_shapes_seen(SampleMetadata.from_inputs({"x": t(6, 5)}))
    assert one.tensor_specs[0].shape == ["batch0", 5]
    for bad, error in ((-1, ValueError), (2.5, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error, match="batch_size"):
            SampleMetadata.from_inputs({}, batch_size=bad)


def test_learning_refuses_other_tensors_and_changes_nothing():
    found = SampleMetadata.from_inputs({"x": t(1, 2), "y": t(3)}, batch_size=1)
    for other in ({"x": t(2, 2)}, {"x": t(2, 2), "z": t(6)}, {"x": t(2, 2), "y": t(6, 1)}):
        with pytest.raises(ValueError, match="other tensors or ranks"):
            found.update_shapes_seen(SampleMetadata.from_inputs(other, batch_size=2))
    assert [s.shape for s in found.tensor_specs] == [[1, 2], [3]]


def test_records_keep_what_was_learned():
    found = SampleMetadata.from_inputs({"x": t(1, 4), "m": "s"}, strict=True, batch_size=1)
    found.update_shapes_seen(SampleMetadata.from_inputs({"x": t(2, 7), "m": "s"}, batch_size=2))
    for back in (SampleMetadata.from_dict(found.to_dict()), pickle.loads(pickle.dumps(found))):
        assert back == found and hash(back) == hash(found)
        assert repr(back) == repr(found)
        assert str(back.tensor_specs[0].axes) == str(found.tensor_specs[0].axes)


def test_a_record_of_an_empty_axis_keeps_its_multiplier():
    spec = TensorSpec.from_tensor(t(0, 2), 2)
    back = TensorSpec.from_dict(spec.to_dict())
    assert back._bs_multipliers == spec._bs_multipliers == [0, 1]
    back.update_shapes_seen(TensorSpec.from_tensor(t(3, 3), 3))
    assert back.shape == ["dim0", "batch1"]


def test_batches_of_tables():
    class Table:  # as pandas': rows by take(), no index of slices, sizes by a getter
        def __init__(self, rows):
            self.rows = rows

        def take(self, index, axis=0):
            assert axis == 0
            return Table([self.rows[i] for i in index])

    Locator.register_tensor_type(Table, lambda f: (len(f.rows), 3), lambda f: "table")
    try:
        seen = SampleMetadata.from_inputs(Table([0]), batch_size=1)
        seen.update_shapes_seen(SampleMetadata.from_inputs(Table([0, 1]), batch_size=2))
        assert [seen.make_batch(Table([7, 8, 9]), n).rows for n in (1, 3, 5)] == [[7], [7, 8, 9], [7, 8, 9, 7, 8]]
    finally:
        Locator.unregister_tensor_type(Table)


def test_a_call_is_described_in_one_pass():
    def forward(a, b=1, *rest, c=2, **more):
        return a

    signature = ForwardSignature.from_callable(forward)
    args, kwargs = (t(1), 2, t(2, 2), "s"), {"c": t(3), "z": [t(4)]}
    whole = SampleMetadata.from_inputs(signature.normalize(args, kwargs).arguments, strict=True)
    direct = SampleMetadata.from_call(signature.native(), True, None, *args, **kwargs)
    assert direct == whole and str(direct) == str(whole)
    free = SampleMetadata.from_call(signature.native(["b"]), True, None, *args, **kwargs)
    other = SampleMetadata.from_call(signature.native(["b"]), True, None, t(1), 99, *args[2:], **kwargs)
    assert free == other != direct
    with pytest.raises(ValueError, match="'q' is no parameter"):
        signature.native(["q"])


def test_exact_metadata_compares_sizes():
    exact = ExactSampleMetadata.from_inputs
    assert exact({"x": t(2)}) == exact({"x": t(2)}) != exact({"x": t(3)})
    assert len({exact({"x": t(2)}), exact({"x": t(2)}), exact({"x": t(3)})}) == 2


def test_nothing_is_kept_of_the_tensors():
    class Array(np.ndarray):
        pass

    array = np.zeros(3).view(Array)
    gone = weakref.ref(array)
    found = SampleMetadata.from_inputs({"x": array}, strict=True)
    del array
    gc.collect()
    assert gone() is None and found.tensor_specs[0].shape == [3]


def test_texts():
    found = SampleMetadata.from_inputs({"n": 3, "x": t(2), "opt": [None, t(1, 1)]}, strict=True)
    assert str(found) == "Tensors: x, opt[1] Others: n=3, opt[0]=None"
    assert repr(found) == found.describe() == found.describe(InfoLevel.FULL)
    assert "x axis 0 (2): always 2 in 1 sample without a batch size: still open" in found.explain()
    assert isinstance(found.tensor_specs[0], TensorSpec)
    for described in (found, found.tensor_specs[0]):
        with pytest.raises(ValueError, match="'FULL'"):
            described.describe("FULL")


def test_no_python_runs_while_a_call_is_described():
    def forward(x, table=None, *rest, **more):
        return x

    signature = ForwardSignature.from_callable(forward).native()
    table = {"a": [Frozen(t(2)), Point(t(1), 2.5)], "b": collections.UserDict(k=t(3)),
             "o": collections.OrderedDict(s={1, 2}, r=range(3)), "h": hr.tensor([1, 2])}
    SampleMetadata.from_call(signature, True, None, t(2), table, 1, z=None)
    frames = []

    def note(frame, event, argument):
        if event == "call":
            frames.append(frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else "?")

    first = SampleMetadata.from_call(signature, True, None, t(2), table, 1, z=None)
    arguments = {"x": t(2), "table": table, "rest": (1,), "more": {"z": None}}
    sys.setprofile(note)
    try:
        second = SampleMetadata.from_call(signature, True, None, arguments["x"], table, 1, z=None)
        third = SampleMetadata.from_inputs(arguments, strict=True)
        same = first == second == third and hash(first) == hash(third)
    finally:
        sys.setprofile(None)
    assert same and frames == []


def test_describing_calls_leaves_nothing_behind():
    inputs = {"x": [t(2), Frozen(t(1, 1))], "mode": "a", "s": {1, 2}, "n": 2.5}
    table = {SampleMetadata.from_inputs(inputs, strict=True): 1}

    def round_trip(n):
        for _ in range(n):
            found = SampleMetadata.from_inputs(inputs, strict=True)
            assert table[found] == 1
            found.tensor_data, found.other_data, found.tensor_specs[0].shape

    round_trip(200)
    gc.collect()
    before = sys.getallocatedblocks()
    round_trip(5000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 500


def test_threads_describe_and_learn_each_for_itself():
    problems = []

    def work(number):
        with batch_size_scope(number + 1):
            for i in range(2000):
                found = SampleMetadata.from_inputs({"x": t(number + 1, 3), "k": number}, strict=True)
                if found.tensor_specs[0].axes[0][5] != [(number + 1, number + 1, False, 1)]:
                    problems.append((number, i))
                if found != SampleMetadata.from_inputs({"k": number, "x": t(1, 1)}, strict=True):
                    problems.append((number, i, "key"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_the_page_on_graphs_runs():
    page = pathlib.Path(__file__).parents[2] / "docs" / "graphs.md"
    for code in page.read_text(encoding="utf-8").split("```python\n")[1:]:
        exec(code.partition("```")[0], {})


def test_json():
    import enum
    import json

    class Colour(enum.Enum):
        RED = 1

    found = SampleMetadata.from_inputs(
        {"x": [t(2, 3)], "n": None, "c": Colour.RED, "s": {1}, "p": pathlib.Path("a/b"), "f": 1.5, "q": (),
         "z": frozenset({1})},
        strict=True, batch_size=2)
    data = json.loads(json.dumps(found.to_json_dict()))
    assert data["tensor_data"] == [{"access_path": "x[0]", "semantic_path": ["x", 0], "shape": [2, 3],
                                    "min_shape": [2, 3], "max_shape": [2, 3], "dtype": "float32"}]
    assert [(d["semantic_path"], d["value"]) for d in data["other_data"]] == [
        ("n", None), ("c", 1), ("s", [1]), ("p", "a/b"), ("f", 1.5), ("z", "frozenset({1})")]
    assert data["strict"] is True and data["llm_phase"] is None


def test_specs_follow_what_is_written_into_their_lists():
    spec = TensorSpec.from_tensor(t(2, 3), 2)
    spec.shape[0] = "batch0"
    assert spec.has_batch_axis() and spec.get_batch_axis_multipliers() == {0: 1}
    spec.update_shapes_seen(TensorSpec.from_tensor(t(4, 3), 4))
    assert (spec.shape, spec.min_shape, spec.max_shape) == (["batch0", 3], [2, 3], [4, 3])
    spec.max_shape = [64, 3]
    spec.update_shapes_seen(TensorSpec.from_tensor(t(8, 5), 8))
    assert (spec.shape, spec.max_shape) == (["batch0", "dim1"], [64, 5])
    for change in (lambda s: s.shape.append(1), lambda s: s.shape.__setitem__(0, "odd"),
                   lambda s: s.min_shape.__setitem__(0, -1), lambda s: s.min_shape.__setitem__(0, 99),
                   lambda s: s._bs_multipliers.clear()):
        broken = TensorSpec.from_tensor(t(2, 3), 2)
        broken.shape, broken.min_shape
        change(broken)
        with pytest.raises(ValueError):
            broken.update_shapes_seen(TensorSpec.from_tensor(t(4, 3), 4))


def test_open_axes_ask_for_a_sample():
    spec = TensorSpec.from_tensor(t(1, 8), 1)
    assert spec.open_axes() == [0, 1] and "record one more sample" in spec.explain(0)
    spec.update_shapes_seen(TensorSpec.from_tensor(t(2, 8), 2))
    assert spec.open_axes() == [] and spec.shape == ["batch0", 8]
    with pytest.raises(IndexError, match="axis 2 of a spec of rank 2"):
        spec.explain(2)
