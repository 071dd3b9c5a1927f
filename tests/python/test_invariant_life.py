"""Marked values and their classes: references, cycles, classes that change, memory."""
import copy
import gc
import pickle
import sys
import weakref
from collections import abc

import pytest

import headrace as hr

inv = hr.capture.invariant


def test_weak_references():
    class Thing:
        pass

    p = inv(Thing())
    ref = weakref.ref(p)
    assert ref() is p
    called = []
    weakref.finalize(p, called.append, 1)
    del p
    assert ref() is None and called == [1]
    for value in (5, "a", [1], None, (1,)):
        with pytest.raises(TypeError):
            weakref.ref(inv(value))


def test_classes_are_not_kept():
    refs = []
    for _ in range(200):
        class Thing:
            def __len__(self):
                return 3
        assert len(inv(Thing())) == 3
        refs.append(weakref.ref(Thing))
        del Thing
    gc.collect()
    assert not any(r() for r in refs)


def test_cycles_are_collected():
    class Node:
        pass

    node = Node()
    node.me = inv(node)
    ref = weakref.ref(node)
    items = [weakref.ref(x) for x in (node.me,)]
    del node
    gc.collect()
    assert ref() is None and items[0]() is None
    around = []
    around.append(inv(around))
    assert repr(around) == "[[[...]]]" or repr(around) == "[[...]]"


def test_a_changed_class():
    class Thing:
        pass

    first = inv(Thing())
    with pytest.raises(TypeError):
        len(first)
    Thing.__len__ = lambda self: 5
    assert len(inv(Thing())) == 5 and isinstance(inv(Thing()), abc.Sized)
    Thing.__enter__ = lambda self: "in"
    Thing.__exit__ = lambda self, *exc: None
    with inv(Thing()) as inside:
        assert inside == "in"
    second = inv(Thing())
    del Thing.__len__
    with pytest.raises(TypeError):
        len(second)
    with pytest.raises(TypeError):
        len(inv(Thing()))
    Thing.__hash__ = None
    with pytest.raises(TypeError):
        hash(inv(Thing()))
    Thing.__next__ = lambda self: 1
    it = inv(Thing())
    assert next(it) == 1
    del Thing.__next__
    with pytest.raises(TypeError):
        next(it)


def test_memory_stays_flat():
    class Config:
        size = (1, 2)

        def method(self):
            return 1

    def work():
        p = inv(Config())
        for _ in range(50):
            p.size[0], p.method(), p == 3, hash(p), copy.copy(p), str(p), p.size + (3,)
            pickle.dumps(p.size)
            try:
                p.nothing
            except AttributeError:
                pass

    def measure():
        for _ in range(20):
            work()
        gc.collect()
        return sys.getallocatedblocks()

    measure()
    first = measure()
    assert measure() - first < 500, "1000 rounds: a block lost in each would be 1000"
