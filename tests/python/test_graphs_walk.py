"""What is walked, what is a leaf; locators; signatures."""
import collections
import dataclasses
import functools

import numpy as np
import pytest
from walked_values import Pair, Point, leaves, meta

import headrace as hr
from headrace.graphs import ForwardSignature, Locator, ObjectType, SampleMetadata

# ---- containers -----------------------------------------------------------------------------------


def test_order_of_leaves():
    value = {"b": [1, (2, {"z": 3})], "a": Pair(4, [5]), "c": 6}
    assert leaves(value) == [("b[0]", 1), ("b[1][0]", 2), ('b[1][1]["z"]', 3), ("a.left", 4),
                             ("a.right[0]", 5), ("c", 6)]


def test_ordered_dicts_go_in_their_own_order():
    value = collections.OrderedDict(a=1, b=2, c=3)
    value.move_to_end("a")
    assert leaves(value) == [("b", 2), ("c", 3), ("a", 1)]


class ModelOutput(collections.OrderedDict):
    """As transformers': a dict whose items are attributes and have numbers as well."""

    def __getitem__(self, key):
        return list(self.values())[key] if isinstance(key, int) else super().__getitem__(key)


@dataclasses.dataclass
class Outputs(ModelOutput):
    logits: object = None


class Encoding(collections.UserDict):
    """As transformers' BatchEncoding: a UserDict with a subscript of its own."""

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.data[key]
        raise KeyError("numbers are not for indexing here")

    def __getattr__(self, name):
        try:
            return self.data[name]
        except KeyError:
            raise AttributeError(name) from None


def test_model_outputs_and_encodings_are_mappings():
    t = np.zeros((2, 3))
    outputs = Outputs()
    outputs["logits"] = t
    for value in (outputs, ModelOutput(logits=t), Encoding(logits=t), collections.UserDict(logits=t),
                  {"logits": t}):
        assert meta(value) == meta({"logits": t})
        assert leaves(value, only_tensors=True)[0][0] == "logits"


def test_a_user_dict_over_another_mapping():
    value = collections.UserDict()
    value.data = collections.ChainMap({"a": 1}, {"b": 2})
    assert sorted(leaves(value)) == [("a", 1), ("b", 2)]


def test_a_cache_of_pairs():
    cache = tuple((np.zeros((1, 2, 3, 4)), np.zeros((1, 2, 3, 4))) for _ in range(3))
    found = SampleMetadata.from_inputs({"past_key_values": cache})
    assert str(found).endswith("past_key_values[2][0], past_key_values[2][1]")


def test_none_is_a_value_and_empty_containers_are_nothing():
    assert leaves({"a": [], "b": {}, "c": (), "d": [[], {"e": ()}], "f": None}) == [("f", None)]
    assert meta([1, None]) != meta([1])
    assert meta([1, [], {}]) == meta([1])


def test_scalars_zero_sizes_and_masks():
    assert [s.shape for s in meta([np.zeros(()), np.zeros((0, 3))]).tensor_specs] == [[], [0, 3]]
    assert meta(np.zeros(4, bool)) == meta(np.zeros(4, np.int64))
    assert meta(np.float32(1)).tensor_data == ()


def test_registered_types_and_their_flags():
    class Box:
        limit = 7

        def __init__(self, value):
            self.value = value
            self.hidden_by_property = 3
            self._hidden = 1

        @property
        def double(self):
            raise AssertionError("nobody asks")

        @functools.cached_property
        def computed(self):
            raise AssertionError("nobody asks")

        def method(self):
            pass

    class Sub(Box):
        pass

    t = np.zeros(2)
    Locator.register_user_type(Box)
    try:
        assert [p for p, _ in leaves({"x": Box([1, t])})] == [
            "x.hidden_by_property", "x.limit", "x.value[0]", "x.value[1]"]
        assert [p for p, _ in leaves({"x": Sub(1)})] == ["x"]
        Locator.register_user_type(Box, only_tensors=True)
        assert [p for p, _ in leaves({"a": 1, "x": Box([1, t]), "z": 2})] == ["a", "x.value[1]", "z"]
        Locator.ignore_type(Box)
        assert [p for p, _ in leaves({"a": 1, "x": Box(1)})] == ["a"]
    finally:
        Locator.unignore_type(Box)
    assert [p for p, _ in leaves({"x": Box(1)})] == ["x"]


def test_built_in_types_can_be_ignored():
    Locator.ignore_type(str)
    try:
        assert leaves({"a": "text", "b": 1}) == [("b", 1)]
    finally:
        Locator.unignore_type(str)
    assert leaves({"a": "text"}) == [("a", "text")]


def test_registered_tensors():
    class Remote:
        def __init__(self, *sizes):
            self.sizes = sizes

    class Nearer(Remote):
        pass

    Locator.register_tensor_type(Remote, lambda r: r.sizes, lambda r: "f32")
    try:
        found = meta([Remote(2, 3), Nearer(4)])
        assert [(s.shape, s.dtype) for s in found.tensor_specs] == [([2, 3], "f32"), ([4], "f32")]
        for sizes, error, text in (((-1,), ValueError, "size -1"), ((2.5,), TypeError, "float"),
                                   ((2**70,), ValueError, "size"), ((1,) * 65, ValueError, "65 axes")):
            with pytest.raises(error, match=rf"^v\[1\]: .*{text}"):
                meta([1, Remote(*sizes)])
    finally:
        Locator.unregister_tensor_type(Remote)
    assert meta(Remote(2)).tensor_data == ()
    with pytest.raises(TypeError, match="cannot be called"):
        Locator.register_tensor_type(Remote, 3, len)
    with pytest.raises(TypeError, match="is no class"):
        Locator.register_user_type(3)


def test_devices_of_other_libraries_guard_their_graph():
    class Device:
        def __init__(self, name):
            self.name = name

        def __str__(self):
            return self.name

    class Remote:
        shape, dtype = (2,), "f32"

        def __init__(self, device):
            self.device = device

    near, far = Device("tpu:0"), Device("tpu:1")
    Locator.register_tensor_type(Remote, lambda r: r.shape, lambda r: r.dtype)
    try:
        class Backend:
            device, guards = "cpu", ("device",)

            def infer(self, x):
                return "served"

        route = hr.graphs.TunedModule(
            {meta_of_x(Remote(near)): Backend()}, "m", ForwardSignature.from_callable(lambda x: "original"),
            original=lambda x: "original")
        asked = [Remote(near), Remote(far), Remote(near), Remote(Device("tpu:0")), Remote(None)]
        assert [route(r) for r in asked] == ["served", "original", "served", "served", "original"]
    finally:
        Locator.unregister_tensor_type(Remote)


def meta_of_x(value):
    return SampleMetadata.from_inputs({"x": value}, strict=True)


def test_numpy_subclasses_with_shapes_of_their_own():
    class Odd(np.ndarray):
        @property
        def shape(self):
            return (7, 7, 7)

    assert meta(np.zeros(3).view(Odd)).tensor_specs[0].shape == [7, 7, 7]
    assert meta(np.ma.zeros((2, 3))).tensor_specs[0].shape == [2, 3]
    assert meta(np.zeros(3, [("a", "i4")])).tensor_specs[0].dtype == np.dtype([("a", "i4")])


def test_marked_values_are_what_they_mark():
    marked = hr.capture.invariant([1, np.zeros(2)])
    assert meta(marked) == meta([1, np.zeros(5)])
    assert meta([hr.capture.invariant("a")]) == meta(["a"])


# ---- locators ----------------------------------------------------------------------------------------


def test_setting_keeps_types():
    value = {"a": Point(1, (2, [3]))}
    for locator, leaf in list(Locator.find_leaves(value)):
        value = locator.set_value(value, leaf * 10)
    assert value == {"a": Point(10, (20, [30]))} and type(value["a"]) is Point


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: object
    rest: object = ()


def test_frozen_records():
    value = {"a": Frozen(1, Frozen(2))}
    locator = list(Locator.find_leaves(value))[1][0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        locator.set_value(value, 5)
    changed = locator.with_value(value, 5)
    assert changed == {"a": Frozen(1, Frozen(5))} and value == {"a": Frozen(1, Frozen(2))}


def test_with_value_leaves_the_original_alone():
    for value in ([1, {"k": (2, Pair(3))}], collections.OrderedDict(a=[1]), Pair(Pair(1), 2)):
        before = repr(value)
        for locator, leaf in list(Locator.find_leaves(value)):
            new = locator.with_value(value, "new")
            assert locator.get_value(new) == "new" and repr(value) == before
            assert type(new) is type(value)


def test_locators_as_keys():
    made = Locator((("x", ObjectType.DICT), (3, ObjectType.SEQUENCE)))
    assert made.display_path == "x[3]" and made.path == ("x", 3) and made.depth == 2
    assert {made: 1}[Locator((("x", 1), (3, 0)))] == 1
    assert made != ("x", 3)


# ---- signatures ----------------------------------------------------------------------------------------


def test_bindings_agree_with_python():
    import inspect

    def f(a, /, b, c=3, *rest, d, e=5, **more):
        return a

    def g(x, y=1):
        return x

    calls = [((1, 2), {"d": 3}), ((1, 2, 3, 4, 5), {"d": 6, "z": 7}), ((1,), {"b": 2, "d": 3, "a": 9}),
             ((), {"x": 1}), ((1,), {"x": 1}), ((1, 2, 3), {}), ((1,), {"q": 2}), ((1, 2), {}), ((), {}),
             ((1,), {"y": None})]
    for function in (f, g, lambda *a, **k: a, lambda: None, lambda *, k: k):
        signature, ours = inspect.signature(function), ForwardSignature.from_callable(function)
        for args, kwargs in calls:
            try:
                want = signature.bind(*args, **kwargs)
            except TypeError:
                with pytest.raises(TypeError):
                    ours.normalize(args, kwargs)
                continue
            got = ours.normalize(args, kwargs)
            assert list(got.arguments.items()) == list(want.arguments.items())
            assert (got.args, got.kwargs) == (want.args, want.kwargs)


def test_many_parameters_and_keywords():
    names = [f"p{i}" for i in range(60)]
    scope = {}
    exec(f"def f({', '.join(n + '=None' for n in names)}, **more): pass", scope)
    signature = ForwardSignature.from_callable(scope["f"])
    kwargs = {n: i for i, n in enumerate(names)} | {f"x{i}": i for i in range(60)}
    bound = signature.normalize((), kwargs)
    assert bound.args == tuple(range(60)) and len(bound.kwargs) == 60
    assert len(SampleMetadata.from_call(signature.native(), True, None, **kwargs).other_data) == 120


def test_a_registered_type_turns_values_on_for_leaves_but_not_for_metadata_that_has_none():
    class Inner:
        def __init__(self):
            self.mode = "a"

    class Outer:
        def __init__(self):
            self.inner, self.size = Inner(), 3

    Locator.register_user_type(Inner)
    Locator.register_user_type(Outer, only_tensors=True)
    try:
        value = {"o": Outer(), "k": 1, "i": [Inner()]}
        assert leaves(value) == [("o.inner.mode", "a"), ("k", 1), ("i[0].mode", "a")]
        assert leaves(value, only_tensors=True) == [("o.inner.mode", "a"), ("i[0].mode", "a")]
        found = SampleMetadata.from_inputs(value, strict=True)
        assert [str(loc) for loc, _ in found.other_data] == ["o.inner.mode", "k", "i[0].mode"]
        assert SampleMetadata.from_inputs(value).other_data == ()
        call = ForwardSignature.from_callable(lambda o, k: 0).native(("o",))
        assert [str(loc) for loc, _ in SampleMetadata.from_call(call, True, None, Outer(), 1).other_data] == ["k"]
    finally:
        Locator.unregister_user_type(Inner)
        Locator.unregister_user_type(Outer)
