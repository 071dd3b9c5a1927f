"""Forward signatures of what people call, and tables of what they pass."""
import functools
import inspect
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.graphs import (
    ForwardSignature, InfoLevel, SampleMetadata, UserInputError, validate_forward_input_path,
)


def names(function):
    return [p.name for p in ForwardSignature.from_callable(function).parameters]


class Model:
    def __init__(self):
        self.calls = 0

    def forward(self, x, y=1, *, z=2):
        return x

    def __call__(self, x, *rest):
        return x

    @classmethod
    def build(cls, size):
        return cls()

    @staticmethod
    def apply(a, b):
        return a


def free(model, x, y=1):
    return x


def test_methods_and_callables_drop_what_is_bound():
    model = Model()
    assert names(model.forward) == ["x", "y", "z"]
    assert names(model) == ["x", "rest"]
    assert names(Model.build) == ["size"] and names(Model.apply) == names(model.apply) == ["a", "b"]
    assert names(Model.forward) == ["self", "x", "y", "z"]


def test_partials_drop_what_they_hold():
    assert names(functools.partial(free, Model())) == ["x", "y"]
    assert names(functools.partial(free, Model(), y=3)) == ["x", "y"]
    bound = functools.partial(free, Model(), y=3)
    kinds = {p.name: p.kind for p in ForwardSignature.from_callable(bound).parameters}
    assert kinds == {"x": "POSITIONAL_OR_KEYWORD", "y": "KEYWORD_ONLY"}
    assert names(functools.partial(functools.partial(free, Model()), 1)) == ["y"]
    wrapped = functools.update_wrapper(functools.partial(free, Model()), free)
    assert names(wrapped) == ["x", "y"]


def test_decorators_show_what_they_wrap():
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)
        return wrapper

    assert names(logged(logged(Model.apply))) == ["a", "b"]
    assert names(logged(Model().forward)) == ["x", "y", "z"]
    assert names(functools.lru_cache(free)) == ["model", "x", "y"]

    def declared(*args):
        return args

    declared.__signature__ = inspect.signature(Model.apply)
    assert names(declared) == ["a", "b"] and names(logged(declared)) == ["a", "b"]


def test_a_chain_of_wrappers_that_goes_in_a_circle_is_not_followed():
    def one(x, *args):
        return args

    def two(*args):
        return args

    one.__wrapped__, two.__wrapped__ = two, one
    assert names(one) == ["x", "args"]


def test_what_cannot_be_called():
    for thing in (5, None, "f", [len]):
        with pytest.raises(TypeError, match="cannot be called"):
            ForwardSignature.from_callable(thing)


def test_signatures_are_values():
    one, two = (ForwardSignature.from_callable(Model().forward) for _ in range(2))
    assert one == two and hash(one) == hash(two) and one != ForwardSignature.from_callable(free)
    for back in (ForwardSignature.from_dict(one.to_dict()), pickle.loads(pickle.dumps(one))):
        assert back == one and list(back.normalize((1,), {"z": 3}).arguments) == ["x", "z"]
    with pytest.raises(AttributeError):
        one.parameters = ()


def test_calls_written_in_two_ways_are_one_graph():
    signature = ForwardSignature.from_callable(Model().forward)
    x = np.zeros((2, 3))
    ways = [((x, 5), {"z": 1}), ((x,), {"z": 1, "y": 5}), ((), {"y": 5, "z": 1, "x": x})]
    found = {SampleMetadata.from_call(signature.native(), True, None, *a, **k) for a, k in ways}
    assert len(found) == 1
    assert SampleMetadata.from_call(signature.native(), True, None, x) not in found  # y is not supplied


def test_paths_to_inputs():
    for path in ("x", ("x", 0), ("x", "k", 3)):
        validate_forward_input_path(path)
    for path in ("", (), ("x",), (0, "x"), ("", 1), ("x", True), ("x", 1.5), ["x", 0], None, 3):
        with pytest.raises(UserInputError, match="is no path to an input"):
            validate_forward_input_path(path)


# ---- tables ----------------------------------------------------------------------------------------

CELLS = ["1", "-2", "1.5", "nan", "inf", "True", "False", "", "abc", "[1]", "(1,)", "x y", "1,000", "007",
         "1e3", "b'1'", "NaN", "Infinity", "_a", "1_000", "é", "  pad", "None", "1e999", "a\nb", "+5", "٣"]


@settings(deadline=None, max_examples=300)
@given(st.lists(st.tuples(*[st.sampled_from(CELLS)] * 3), min_size=1, max_size=5))
def test_columns_are_those_of_the_table_package(rows):
    tabulate = pytest.importorskip("tabulate").tabulate
    from headrace.graphs._table import _table

    headers = ["One", "Two", "Three"]
    for level, style in ((InfoLevel.FULL, "fancy_grid"), (InfoLevel.MEDIUM, "simple")):
        assert _table(rows, headers, level) == tabulate(rows, headers=headers, tablefmt=style)


def test_numeric_columns_are_aligned_on_their_points():
    pytest.importorskip("tabulate")
    found = SampleMetadata.from_inputs({"a": 1.5, "b": 22.25, "c": -3}, strict=True)
    lines = found.describe(InfoLevel.MEDIUM).splitlines()
    assert lines[2:] == ["Other:", "Access Path    Semantic Path      Value", "-------------  ---------------  -------",
                         "a              a                   1.5", "b              b                  22.25",
                         "c              c                  -3"]
    outputs = SampleMetadata.from_outputs((np.zeros(2), np.zeros(3)))
    assert "│               0 │" in outputs.describe()  # bare indices are numbers


def test_tables_without_the_table_package(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "tabulate", None)
    found = SampleMetadata.from_inputs({"x": np.zeros(2)})
    assert found.describe(InfoLevel.SHORT) == "Tensors: x"
    assert SampleMetadata.from_inputs({}).describe() == "Tensors:\n\n"
    with pytest.raises(ImportError, match="pip install tabulate"):
        found.describe()
