"""ExternalSource, called: items, endings, layouts and types, wrong sources."""
import gc
import re
import weakref

import numpy as np
import pytest

import headrace as hr

Source = hr.ExternalSource


def items(n=2):
    return [np.int32([i, 10 * i]) for i in range(n)]


def pull(source, n, **kw):
    """n pulls; "end" for StopIteration."""
    out = []
    for _ in range(n):
        try:
            out.append(np.asarray(source(**kw)).tolist())
        except StopIteration:
            out.append("end")
    return out


ONE, TWO = [0, 0], [1, 10]


def function():
    yield from items()


class Iterable:
    def __iter__(self):
        return iter(items())


class Sequence:
    def __getitem__(self, i):
        return items()[i]


# ---- endings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [items(), tuple(items()), function, Iterable(), Sequence()],
                         ids=["list", "tuple", "generator function", "iterable", "sequence"])
@pytest.mark.parametrize("cycle, want", [
    (None, [ONE, TWO, "end", "end", "end"]), (False, [ONE, TWO, "end", "end", "end"]),
    ("no", [ONE, TWO, "end", "end", "end"]), (True, [ONE, TWO, ONE, TWO, ONE]),
    ("quiet", [ONE, TWO, ONE, TWO, ONE]), ("raise", [ONE, TWO, "end", ONE, TWO, "end", ONE])])
def test_cycles(source, cycle, want):
    assert pull(Source(source, cycle=cycle), len(want)) == want


def test_a_generator_ends_and_cannot_start_over():
    assert pull(Source(function()), 4) == [ONE, TWO, "end", "end"]
    for cycle in (True, "quiet", "raise"):
        with pytest.raises(TypeError, match="generator function"):
            Source(function(), cycle=cycle)


def test_an_empty_source_that_cycles_ends():
    assert pull(Source([], cycle="quiet"), 2) == ["end", "end"]
    assert pull(Source([], cycle="raise"), 2) == ["end", "end"]


def test_callables():
    calls = []

    def source():
        calls.append(1)
        if len(calls) == 3:
            raise StopIteration
        return np.int32([len(calls)])

    assert pull(Source(source), 4) == [[1], [2], "end", [4]]


def test_a_source_is_asked_only_when_called():
    asked = []

    def watch():
        for x in items():
            asked.append(1)
            yield x

    source = Source(watch)
    assert asked == []
    source()
    assert asked == [1]


def test_next_pass_is_made_only_when_needed():
    passes = []

    class Counted:
        def __iter__(self):
            passes.append(1)
            return iter(items())

    source = Source(Counted(), cycle="raise")
    pull(source, 3)
    assert passes == [1]
    pull(source, 1)
    assert passes == [1, 1]


# ---- items ---------------------------------------------------------------------------------------------


def test_a_batch_stays_one():
    batch = hr.batch([1, 2])
    for kw in ({}, {"batch_size": 2}):
        got = Source([batch])(**kw)
        assert isinstance(got, hr.Batch) and got.batch_size == 2
    with pytest.raises(ValueError, match="2.*3"):
        Source([batch])(batch_size=3)


def test_the_samples_of_a_batch_are_one():
    got = Source([hr.batch([1, 2, 3]).tensors[:2]])(batch_size=2)
    assert isinstance(got, hr.Batch) and [t.item() for t in got.tensors] == [1, 2]


def test_anything_else_is_one_sample():
    assert isinstance(Source(items())(), hr.Tensor)
    got = Source(items())(batch_size=3)
    assert isinstance(got, hr.Batch) and [np.asarray(t).tolist() for t in got.tensors] == [ONE] * 3
    assert Source([[1, 2, 3]])().shape == (3,)  # a list is one array
    assert Source([5])().shape == () and Source([2.5])().dtype == hr.float32
    assert Source([hr.tensor([1])])().shape == (1,)
    for each in (np.int32([1, 2]), hr.tensor([1, 2])):  # and so is a tuple, of any number of rows
        for n in (1, 2, 3, 4):
            assert np.asarray(Source([(each,) * n])()).tolist() == [[1, 2]] * n
            assert Source([(each,) * n])(batch_size=2).shape == [(n, 2)] * 2
    assert np.asarray(Source(np.arange(6).reshape(3, 2))()).tolist() == [0, 1]
    assert np.asarray(Source(hr.batch([7, 8]))()).tolist() == 7
    assert pull(Source(range(3)), 4) == [0, 1, 2, "end"]
    assert Source(items())(batch_size=0).batch_size == 0


def test_several_outputs():
    got = Source([(1, [2.5])], 2)()
    assert isinstance(got, tuple) and [t.dtype for t in got] == [hr.int32, hr.float32]
    got = Source([[1, 2]], 2)(batch_size=3)
    assert [b.batch_size for b in got] == [3, 3]
    got = Source([(hr.batch([1, 2]), hr.batch([3, 4]))], 2)(batch_size=2)
    assert [type(b) for b in got] == [hr.Batch, hr.Batch]
    assert not isinstance(Source([[1]], 1)(), tuple)


@pytest.mark.parametrize("item", [(1, 2, 3), (1,), np.int32([1, 2]), iter((1, 2)), 5])
def test_wrong_number_of_outputs(item):
    with pytest.raises(ValueError, match="2 outputs"):
        Source([item], 2)()


def test_outputs_of_two_kinds():
    with pytest.raises(TypeError, match="all tensors or all batches"):
        Source([(np.int32([1]), hr.batch([1, 2]))], 2)()
    with pytest.raises(ValueError, match="3.*2"):
        Source([(hr.batch([1, 2]), hr.batch([1, 2, 3]))], 2)(batch_size=2)


@pytest.mark.parametrize("item", [None, "a", object(), {}])
def test_items_that_are_no_data(item):
    with pytest.raises(TypeError):
        Source([item])()


# ---- layout and dtype --------------------------------------------------------------------------------------


def test_layout_and_dtype():
    got = Source(items(), layout="X", dtype=hr.float32)()
    assert got.layout == "X" and got.dtype == hr.float32
    got = Source([(items()[0], 1)], 2, layout=["X", None], dtype=[hr.float16, hr.int8])()
    assert [t.layout for t in got] == ["X", None]
    assert [t.dtype for t in got] == [hr.float16, hr.int8]
    got = Source([(1, 2)], 2, dtype=hr.int8)()
    assert [t.dtype for t in got] == [hr.int8, hr.int8]
    got = Source([hr.batch([[1, 2]])], layout="X", dtype=hr.uint8)()
    assert isinstance(got, hr.Batch) and got.layout == "X" and got.dtype == hr.uint8
    assert Source([hr.as_batch(items(), layout="X")])().layout == "X"


def test_layout_that_does_not_fit():
    with pytest.raises(ValueError, match="XY"):
        Source(items(), layout="XY")()


def test_data_is_shared_where_it_can_be():
    a = np.arange(1000)
    assert np.shares_memory(np.asarray(Source([a])()), a)
    got = Source([a])(batch_size=3)
    assert all(np.shares_memory(np.asarray(t), a) for t in got.tensors)


# ---- wrong arguments ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error, args, kw", [
    (TypeError, (5,), {}), (TypeError, (None,), {}),
    (ValueError, (lambda x: 1,), {}), (ValueError, (lambda x=1: 1,), {}), (ValueError, (lambda *a: 1,), {}),
    (ValueError, (items(),), {"cycle": "x"}), (ValueError, (items(),), {"cycle": 1}),
    (ValueError, (items(),), {"cycle": 0}), (ValueError, (lambda: 1,), {"cycle": True}),
    (ValueError, (items(), 0), {}), (ValueError, (items(), -1), {}), (TypeError, (items(), "a"), {}),
    (TypeError, (items(), 1.0), {}), (RuntimeError, (items(),), {"device": "gpu"}),
    (ValueError, (items(),), {"device": "tpu"}), (ValueError, (items(),), {"layout": ["X", "Y"]}),
    (ValueError, (items(),), {"dtype": [hr.uint8, hr.uint8]}), (ValueError, (items(),), {"dtype": "foo"}),
    (TypeError, (items(),), {"layout": 5}), (TypeError, (items(), 1, None), {}), (TypeError, (), {})])
def test_wrong_arguments(error, args, kw):
    with pytest.raises(error):
        Source(*args, **kw)


@pytest.mark.parametrize("error, args, kw", [
    (TypeError, (3,), {}), (TypeError, (), {"foo": 1}), (ValueError, (), {"batch_size": -1}),
    (TypeError, (), {"batch_size": "a"}), (TypeError, (), {"batch_size": 1.5})])
def test_wrong_calls(error, args, kw):
    with pytest.raises(error):
        Source(items())(*args, **kw)


# ---- errors of the source ---------------------------------------------------------------------------------------


class Trouble(Exception):
    pass


def test_exceptions_of_the_source_pass_unchanged():
    trouble = Trouble("x")

    def fail():
        raise trouble

    with pytest.raises(Trouble) as caught:
        Source(fail)()
    assert caught.value is trouble and caught.value.__cause__ is None


def test_a_source_may_go_on_after_an_error():
    class Sometimes:
        def __iter__(self):
            self.n = 0
            return self

        def __next__(self):
            self.n += 1
            if self.n == 2:
                raise Trouble("n")
            return np.int32(self.n)

    source = Source(Sometimes())
    assert source().item() == 1
    with pytest.raises(Trouble):
        source()
    assert source().item() == 3


def test_an_error_while_the_next_pass_begins():
    class Broken:
        passes = 0

        def __iter__(self):
            self.passes += 1
            if self.passes == 2:
                raise Trouble("pass")
            return iter(items(1))

    source = Source(Broken(), cycle="quiet")
    source()
    with pytest.raises(Trouble):
        source()
    assert pull(source, 1) == [ONE]


def test_sources_are_collected():
    class Holder:
        def __call__(self):
            return 1

    holder = Holder()
    holder.source = Source(holder)
    holder.source()
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_subclasses():
    class Mine(Source):
        def __init__(self, n):
            super().__init__(items(n))

    assert pull(Mine(1), 2) == [ONE, "end"]


@pytest.mark.parametrize("size", ["2", 1.5, [2]])
def test_a_batch_size_that_is_no_integer_is_named(size):
    source = hr.ExternalSource([[1, 2]])
    for call in (lambda: source(batch_size=size), lambda: hr.zeros(shape=[1], batch_size=size)):
        with pytest.raises(TypeError, match=re.escape(f"batch_size is {size!r}, it must be an integer")):
            call()
