"""What is walked, what is a leaf, and what hostile or odd arguments do."""
import collections
import dataclasses
import functools
import sys
import threading
import types

import numpy as np
import pytest

import headrace as hr
from headrace.graphs import ForwardSignature, Locator, ObjectType, SampleMetadata


def leaves(value, **options):
    return [(str(loc), leaf) for loc, leaf in Locator.find_leaves(value, **options)]


def meta(value, strict=True):
    return SampleMetadata.from_inputs({"v": value}, strict=strict)


@dataclasses.dataclass
class Pair:
    left: object
    right: object = None


Point = collections.namedtuple("Point", "x y")


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


# ---- hostile ---------------------------------------------------------------------------------------


def test_deep_nesting():
    value = np.zeros(1)
    for level in range(10_000):
        value = [value] if level % 2 else {"k": value}
    found = meta(value)
    locator, spec = found.tensor_data[0]
    assert locator.depth == 10_001 and spec.shape == [1]
    assert locator.get_value({"v": value}).shape == (1,)
    assert found == meta(value) and hash(found) == hash(meta(value))


@pytest.mark.parametrize("length", [1, 2, 3, 7, 40])
def test_a_container_in_itself_is_an_error_that_names_the_path(length):
    ring = [[] for _ in range(length)]
    for i, one in enumerate(ring):
        one += [1, {"k": ring[(i + 1) % length]}]
    with pytest.raises(ValueError, match=r'^v\["x"\]\[1\]\["k"\].* is .* again: .* holds itself'):
        meta({"x": ring[0]})
    with pytest.raises(ValueError, match="holds itself"):
        leaves(ring[0])


def test_a_dict_and_an_object_in_themselves():
    loop = {}
    loop["me"] = loop
    with pytest.raises(ValueError, match=r"^me is the whole call again"):
        SampleMetadata.from_inputs(loop)
    pair = Pair(1)
    pair.right = (pair,)
    with pytest.raises(ValueError, match=r"v\.right\[0\]"):
        meta(pair)

    class State:
        pass

    state = State()
    state.me = state
    assert meta(state) == meta(state)  # a leaf; compared by identity


def test_shared_parts_are_no_cycles_but_have_an_end():
    part = [1]
    assert len(leaves([part, part, [part]])) == 3
    bomb = []
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(ValueError, match="more than 4194304 containers"):
        meta(bomb, strict=False)


def test_huge_dicts():
    found = meta({i: i for i in range(200_000)})
    assert len(found.other_data) == 200_000
    assert found == meta({i: i for i in reversed(range(200_000))})


class Raises:
    def __init__(self, error):
        self.error = error

    def __eq__(self, other):
        raise self.error

    __hash__ = None


def test_comparisons_that_raise_are_not_equal():
    assert meta(Raises(ValueError("no"))) != meta(Raises(ValueError("no")))
    with pytest.raises(KeyboardInterrupt):
        meta(Raises(KeyboardInterrupt())) == meta(Raises(KeyboardInterrupt()))


class Lies:
    def __init__(self, hash_value, answer):
        self.hash_value, self.answer = hash_value, answer

    def __hash__(self):
        return self.hash_value

    def __eq__(self, other):
        return self.answer


@pytest.mark.parametrize("answer", [True, False, 0.5, "yes", None, NotImplemented])
def test_comparisons_that_lie_do_no_harm(answer):
    table = {meta(Lies(i % 3, answer)): i for i in range(50)}
    for i in range(50):
        table.get(meta(Lies(i % 3, answer)))


def test_arrays_in_comparisons():
    class Vague:
        __hash__ = None

        def __eq__(self, other):
            return np.array([True, False])  # has no truth value

    assert meta(Vague()) != meta(Vague())


class NoShape:
    @property
    def shape(self):
        raise RuntimeError("not now")

    dtype = "f32"


class StopsInHash:
    def __hash__(self):
        raise RuntimeError("no hash")


def test_shapes_and_hashes_that_raise():
    Locator.register_tensor_type(NoShape, lambda t: t.shape, lambda t: t.dtype)
    try:
        with pytest.raises(RuntimeError, match=r'^v\["k"\]: not now'):
            meta({"k": NoShape()})
    finally:
        Locator.unregister_tensor_type(NoShape)
    assert meta(StopsInHash()) != meta(StopsInHash())
    value = StopsInHash()
    assert meta(value) == meta(value)


def test_a_field_that_was_never_set():
    pair = Pair(1)
    del pair.left
    del Pair.right
    try:
        with pytest.raises(AttributeError, match=r"^v\[0\]\.left: "):
            meta([pair])
    finally:
        Pair.right = None


def test_containers_that_change_under_the_walk():
    class Grows:
        """Its shape adds to the container that holds it."""

        def __init__(self, change):
            self.change = change

    Locator.register_tensor_type(Grows, lambda t: t.change() or (1,), lambda t: "f32")
    try:
        grown, shrunk, table = [1], [1, 2, 3], {"a": 1}
        grown.insert(0, Grows(lambda: grown.append(2) if len(grown) < 5 else None))
        assert len(meta(grown).other_data) == 2
        shrunk.insert(0, Grows(shrunk.clear))
        assert meta(shrunk).other_data == ()
        table["b"] = Grows(lambda: table.update(c=1))
        with pytest.raises(RuntimeError, match="changed its size"):
            meta(table)
    finally:
        Locator.unregister_tensor_type(Grows)


def test_generators_iterators_and_files_are_left_alone():
    generator = (i for i in range(3))
    iterator = iter([1, 2])
    found = meta([generator, iterator, sys.stdout, types, print, threading.Lock()])
    assert len(found.other_data) == 6
    assert next(generator) == 0 and next(iterator) == 1


def test_wrong_calls_of_the_factories():
    for wrong in (lambda: SampleMetadata.from_inputs(), lambda: SampleMetadata.from_inputs(1, 2, 3, 4),
                  lambda: SampleMetadata.from_inputs(1, inputs=2), lambda: SampleMetadata.from_inputs(1, x=2),
                  lambda: SampleMetadata.from_call(1, 2, 3), lambda: SampleMetadata(1, 2),
                  lambda: SampleMetadata([(1, 2)], ())):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(TypeError, match="no SampleMetadata"):
        SampleMetadata.from_inputs(1).update_shapes_seen(3)


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
