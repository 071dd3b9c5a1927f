"""The worked examples of the document that ordered the graph half, letter for letter.

tests/data/execution_graph_tables.txt has its tables. They name torch's dtypes, so tensors are either
torch's or stand-ins of a registered class whose dtypes print alike.
"""
import pathlib
from dataclasses import dataclass

import pytest

from headrace.graphs import InfoLevel, Locator, SampleMetadata

pytest.importorskip("tabulate")
TABLES = pathlib.Path(__file__).parents[1] / "data" / "execution_graph_tables.txt"


def golden(name):
    parts = TABLES.read_text(encoding="utf-8").split("== ")
    found = {p.partition("\n")[0]: p.partition("\n")[2] for p in parts if p}
    return found[name]


class StandInType(str):
    """A dtype that prints as torch's."""


class StandIn:
    def __init__(self, *shape, dtype="torch.float32"):
        self.sizes, self.kind = shape, StandInType(dtype)

    def __getitem__(self, key):
        return StandIn(*[len(range(n)[k]) if isinstance(k, slice) else len(k)
                         for n, k in zip(self.sizes, key + (slice(None),) * len(self.sizes))],
                       dtype=self.kind)

    @property
    def shape(self):
        return self.sizes


@pytest.fixture(params=["stand-in", "torch"])
def make(request):
    if request.param == "torch":
        torch = pytest.importorskip("torch")
        yield lambda *shape, dtype="float32": torch.zeros(*shape, dtype=getattr(torch, dtype))
        return
    Locator.register_tensor_type(StandIn, lambda t: t.sizes, lambda t: t.kind)
    yield lambda *shape, dtype="float32": StandIn(*shape, dtype=f"torch.{dtype}")
    Locator.unregister_tensor_type(StandIn)


def described(inputs, **options):
    return SampleMetadata.from_inputs(inputs, **options)


def test_one_tensor(make):
    found = described({"simple_tensor": make(2, 3, 4)})
    assert repr(found) == golden("simple")


def test_two_parameters(make):
    assert repr(described({"first": make(2, 3), "second": make(4, 5)})) == golden("two_parameters")


def test_values_are_left_out(make):
    inputs = {"label": "some_string", "tensor": make(2, 2), "steps": 42, "data": make(3, 3),
              "learning_rate": 0.001}
    assert repr(described(inputs)) == golden("primitives_ignored")


def test_strict_and_not(make):
    inputs = {"values": (1, 2, 3, make(2, 2)), "t": make(2, 3), "other": "abc"}
    assert repr(described(inputs, strict=False)) == golden("not_strict")
    assert repr(described(inputs, strict=True)) == golden("strict")


@dataclass
class ModelInput:
    data: object
    metadata: str


def test_nested(make):
    values = ["first_arg", make(1), (make(2), make(3)), {"t": make(4)}, ModelInput(make(5), "info")]
    inputs = {"values": values, "t1": make(1, 1), "t2": [make(2, 2), make(3, 3)],
              "t3": ModelInput(make(4, 4), "xyz"), "last": "other"}
    found = described(inputs, strict=True)
    assert repr(found) == golden("nested")
    assert found.tensor_data[3][0].path == ("values", 3, "t")
    assert found.tensor_data[3][0].display_path == 'values[3]["t"]'


def test_three_levels(make):
    found = described({"first": make(2, 3), "second": make(4, 5, 6), "mask": make(2, 1)})
    assert found.describe(InfoLevel.SHORT) == "Tensors: first, second, mask"
    assert found.describe(InfoLevel.MEDIUM) == golden("levels_medium")
    assert found.describe(InfoLevel.FULL) == golden("levels_full")


def test_learning(make):
    first = described({"first": make(1), "second": make(2), "third": make(5), "data": make(1, 10)},
                      batch_size=1)
    assert first.describe() == golden("first_sample")
    second = described({"first": make(2), "second": make(5), "third": make(15), "data": make(2, 25)},
                       batch_size=2)
    assert second.describe() == golden("second_sample")
    first.update_shapes_seen(second)
    assert first.describe() == golden("after_both")


def test_making_batches(make):
    found = described({"features": make(1, 5), "stacked": make(2, 3), "mask": make(1, 10)}, batch_size=1)
    found.update_shapes_seen(
        described({"features": make(2, 5), "stacked": make(4, 3), "mask": make(2, 10)}, batch_size=2))
    assert found.describe() == golden("learned")
    inputs = {"features": make(1, 5), "stacked": make(2, 3), "mask": make(1, 10)}
    made = found.make_batch(inputs, batch_size=10)
    assert [tuple(made[k].shape) for k in made] == [(10, 5), (20, 3), (10, 10)]
    assert [tuple(inputs[k].shape) for k in inputs] == [(1, 5), (2, 3), (1, 10)]


def test_single_specs(make):
    found = described({"features": make(1, 5), "data": make(1, 10)}, batch_size=1)
    found.update_shapes_seen(described({"features": make(2, 5), "data": make(2, 20)}, batch_size=2))
    facts = [(loc.display_path, s.shape, s.min_shape, s.max_shape, str(s.dtype), s.has_batch_axis(),
              s.has_dynamic_axis(), s.get_batch_axis_multipliers()) for loc, s in found.tensor_data]
    assert facts == [
        ("features", ["batch0", 5], [1, 5], [2, 5], "torch.float32", True, False, {0: 1}),
        ("data", ["batch0", "batch1"], [1, 10], [2, 20], "torch.float32", True, False, {0: 1, 1: 10}),
    ]


@dataclass
class ModelInputs:
    input_ids: object
    attention_mask: object
    position_ids: object


def test_a_language_model(make):
    def sample(batch, length):
        ids, positions = (make(batch, length, dtype="int64") for _ in range(2))
        return {"inputs": ModelInputs(ids, make(batch, length), positions)}

    found = described(sample(1, 10), batch_size=1, strict=False)
    assert found.describe() == golden("tokens_1")
    found.update_shapes_seen(described(sample(2, 15), batch_size=2))
    assert found.describe() == golden("tokens_2")
    found.update_shapes_seen(described(sample(4, 20), batch_size=4))
    assert found.describe() == golden("tokens_3")
    given = sample(2, 12)
    scaled = found.make_batch(given, batch_size=8)["inputs"]
    assert type(scaled) is ModelInputs
    assert [tuple(v.shape) for v in vars(scaled).values()] == [(8, 12)] * 3
    assert tuple(given["inputs"].input_ids.shape) == (2, 12)
