"""What hostile values do to the walk: cycles, lies, errors, changes under way."""
import sys
import threading
import types

import numpy as np
import pytest
from walked_values import Pair, leaves, meta

from headrace.graphs import Locator, SampleMetadata


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


def test_keys_that_cannot_be_told_in_words_hide_no_error():
    class Key:
        def __str__(self):
            raise KeyError("never")

    loop = {Key(): []}
    next(iter(loop.values())).append(loop)
    with pytest.raises(ValueError, match=r"^v\[<Key>\]\[0\] is v again: .* holds itself"):
        meta(loop)
    odd = {"\udc80": []}
    odd["\udc80"].append(odd["\udc80"])
    with pytest.raises(ValueError, match="holds itself"):
        meta(odd)


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
