"""capture.invariant(): what can be done with a value can be done with the marked value, and no more."""
import asyncio
import copy
import os
import pathlib
import pickle

import pytest
from invariant_values import BINARY, UNARY, VALUES, Color, Full, Plain, Point, fresh, is_marked, outcome

import headrace as hr

inv = hr.capture.invariant

TEXT = {"str", "empty", "number_text"}
TYPES = {"type", "class", "generic"}


def is_c_check(op, left, right=None, both=False):
    """Where Python looks at a type in C: the rules promise nothing there."""
    return ((op in ("int", "float", "complex", "bytes") and left in TEXT)
            or (op.startswith("index_by") and left == "slice")
            or (op == "format" and both and right in TEXT)
            or (op == "round" and both and right == "none")
            or (op in ("or_", "ior") and left == "none" and right in TYPES))


@pytest.mark.filterwarnings("ignore:Bitwise inversion")  # of a bool, from CPython 3.12 on
@pytest.mark.parametrize("name", VALUES)
def test_operation_of_one_value(name):
    value = VALUES[name]
    for op, f in UNARY.items():
        if is_c_check(op, name) or (op, name) == ("call", "exception"):
            continue
        assert outcome(f, inv(fresh(value))) == outcome(f, fresh(value)), op


@pytest.mark.parametrize("name", [n for n in VALUES if n != "big"])  # nothing to the power of 2**80
def test_operation_of_two_values(name):
    a = VALUES[name]
    for other, b in VALUES.items():
        for op, f in BINARY.items():
            if other == "big":
                continue
            wanted = outcome(f, fresh(a), fresh(b))
            if not is_c_check(op, name, other):
                assert outcome(f, inv(fresh(a)), fresh(b)) == wanted, (op, other)
            if op != "isinstance" and not is_c_check(op, name, other, both=True):
                assert outcome(f, inv(fresh(a)), inv(fresh(b))) == wanted, (op, other, "both")


NUMBERS = ["int", "zero", "bool", "float", "complex", "enum", "fraction"]


@pytest.mark.parametrize("name", NUMBERS)
def test_marked_on_the_right(name):
    for other in [*NUMBERS, "full", "list", "str"]:
        for op, f in BINARY.items():
            a, b = VALUES[other], VALUES[name]
            if op not in ("isinstance", "format"):
                assert outcome(f, fresh(a), inv(b)) == outcome(f, fresh(a), b), (op, other)


def test_changes_reach_the_value():
    data, other = [1, 2, 3], {"k": 1}
    p, q = inv(data), inv(other)
    p[0] = 9
    p[inv(1)] = 8
    del p[2]
    p.append(7)
    q[inv("new")] = 2
    del q["k"]
    assert data == [9, 8, 7] and other == {"new": 2} and not is_marked(next(iter(other)))
    same = p
    p += [6]
    assert p is data and data == [9, 8, 7, 6] and same == data
    left = [1]
    alias = left
    left += inv((2,))
    left *= inv(2)
    assert left is alias and left == [1, 2, 1, 2]


def test_attributes():
    class Config:
        kind = "class"

        def __init__(self):
            self.size = [1, 2]
            self.inner = Plain()
            self.inner.deep = 5

        @property
        def area(self):
            return self.size[0]

        @property
        def broken(self):
            raise LookupError("broken")

        def method(self, *args):
            return (self, args)

    value = Config()
    p = inv(value)
    for read in (lambda: p.size, lambda: p.inner, lambda: p.inner.deep, lambda: p.area, lambda: p.kind,
                 lambda: p.method):
        assert is_marked(read())
    assert p.size == [1, 2] and p.area == 1 and p.inner.deep == 5
    assert p.__dict__ is value.__dict__ and p.__class__ is Config and p.__module__ == __name__
    me, args = p.method(p, 1)
    assert me is value and args[0] is p, "methods run on the value, arguments pass as they are"
    p.added = q = inv(3)
    assert value.added is q and p.added is q
    del p.added
    assert not hasattr(value, "added") and not hasattr(p, "added")
    with pytest.raises(AttributeError, match="nothing"):
        p.nothing
    with pytest.raises(AttributeError):
        del p.nothing
    with pytest.raises(LookupError, match="broken"):
        p.broken
    with pytest.raises(AttributeError):
        inv(5).x = 1
    p.__class__ = type("Other", (Config,), {})
    assert type(value).__name__ == "Other"


def test_marking_a_marked_value_and_the_type():
    p = inv([1])
    assert inv(p) is p and type(p) is type(inv([2])) and type(p).__name__ == "_Invariant_list"
    assert type(p).__module__ == "headrace.capture" and type(inv(None)).__name__ == "_Invariant_NoneType"
    assert inv(None) is not None and inv(p) == [1]
    with pytest.raises(TypeError):
        type(p)()
    with pytest.raises(TypeError):
        type("Derived", (type(p),), {})
    assert is_marked(inv(value=3))
    for bad in (lambda: inv(), lambda: inv(1, 2), lambda: inv(1, value=2), lambda: inv(other=1)):
        with pytest.raises(TypeError, match="value"):
            bad()
    assert hr._core.is_invariant(p) and not hr._core.is_invariant([1])


def test_taking_marks_off():
    plain = hr._core.plain
    same = [1, (2, [3])]
    assert plain(same) is same and plain(inv(same)) is same and plain(inv(5)) == 5
    got = plain([inv(1), (inv("a"), [inv([inv(2)])]), 3])
    assert got == [1, ("a", [[2]]), 3] and type(got[0]) is int and type(got[1][0]) is str
    assert type(got[1][1][0][0]) is int
    around = [1]
    around.append(around)
    with pytest.raises(RecursionError):
        plain(around)


def test_copies_and_pickles_are_plain():
    for value in (5, "a", None, [1, [2]], {"a": 1}, Point(1, 2), len, Full, Color.RED, pathlib.PurePath("a")):
        p = inv(value)
        for proto in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(p, proto))
            assert type(back) is type(value) and back == value
        assert type(copy.copy(p)) is type(value) and copy.copy(p) == value
        assert type(copy.deepcopy([p])[0]) is type(value)
    value = [[1]]
    assert copy.copy(inv(value))[0] is value[0] and copy.deepcopy(inv(value))[0] is not value[0]
    shared = [1]
    one, two = copy.deepcopy((inv(shared), shared))
    assert one is two


def test_context_managers():
    log = []

    class Manager:
        def __enter__(self):
            log.append(type(self).__name__)
            return self

        def __exit__(self, kind, value, tb):
            log.append(kind)
            return True

    value = Manager()
    with inv(value) as inside:
        assert inside is value
        raise KeyError("x")
    assert log == ["Manager", KeyError]
    with pytest.raises((TypeError, AttributeError)):
        with inv(3):
            pass


def test_iterators_and_generators():
    def count():
        got = yield 1
        yield got
        return "end"

    p = inv(count())
    assert next(p) == 1 and p.send(5) == 5
    with pytest.raises(StopIteration) as e:
        next(p)
    assert e.value.value == "end"

    def outer():
        return (yield from inv(count()))

    g = outer()
    assert [next(g), g.send(7)] == [1, 7]
    with pytest.raises(StopIteration) as e:
        next(g)
    assert e.value.value == "end"


def test_coroutines():
    class Waits:
        def __await__(self):
            yield from asyncio.sleep(0).__await__()
            return "waited"

    class Source:
        def __init__(self):
            self.n = 0

        def __aiter__(self):
            return self

        async def __anext__(self):
            self.n += 1
            if self.n > 3:
                raise StopAsyncIteration
            return self.n

        async def __aenter__(self):
            return "in"

        async def __aexit__(self, *exc):
            return True

    async def plain():
        return 4

    async def main():
        got = [await inv(plain()), await inv(Waits()), [x async for x in inv(Source())]]
        async with inv(Source()) as inside:
            got.append(inside)
            raise KeyError
        return got

    assert asyncio.run(main()) == [4, "waited", [1, 2, 3], "in"]
    with pytest.raises(TypeError):
        asyncio.run(_wait_for(inv(3)))


async def _wait_for(x):
    return await x


def test_descriptors():
    class Named:
        def __set_name__(self, owner, name):
            self.name = name

        def __get__(self, obj, kind):
            return (self.name, obj is None)

        def __set__(self, obj, value):
            obj.log = value

        def __delete__(self, obj):
            obj.log = "deleted"

    class Owner:
        named = inv(Named())
        method = inv(lambda self, x: (self, x))
        prop = inv(property(lambda self: 8))
        fixed = inv(7)
        static = inv(staticmethod(len))

    o = Owner()
    assert o.named == ("named", False) and Owner.named == ("named", True)
    o.named = 3
    assert o.log == 3
    del o.named
    assert o.log == "deleted"
    assert o.method(2) == (o, 2) and o.prop == 8 and o.static("ab") == 2 and is_marked(o.fixed)


def test_classes():
    p = inv(Full)
    assert isinstance(Full(), p) and issubclass(Full, p) and not isinstance(3, p) and p == Full
    assert p(3).value == 3 and isinstance(p, type) and {Full: 1}[p] == 1

    class Meta(type):
        def __instancecheck__(cls, x):
            return x == "magic"

        def __len__(cls):
            return 42

    class Odd(metaclass=Meta):
        pass

    assert isinstance("magic", inv(Odd)) and isinstance(inv("magic"), inv(Odd)) and len(inv(Odd)) == 42
    assert inv(list)[int] == list[int]
    with pytest.raises(TypeError):
        inv(int)[int]


def test_text_and_paths(tmp_path):
    name = str(tmp_path / "a.txt")
    with open(inv(name), "w") as f:
        f.write(inv("text").upper())
    assert open(inv(name.encode())).read() == "TEXT"
    assert os.path.join(inv("a"), "b") == os.path.join("a", "b") and os.path.exists(inv(tmp_path))
    assert "x" + inv("y") == "xy" and b"x" + inv(b"y") == b"xy" and (1,) + inv((2,)) == (1, 2)
    assert "%s %d" % (inv("a"), inv(3)) == "a 3" and f"{inv(1.5):.2f}" == "1.50"
    assert bytes(memoryview(inv(b"ab"))) == b"ab"


def test_numpy():
    np = pytest.importorskip("numpy")
    a = np.arange(6.0).reshape(2, 3)
    p = inv(a)
    assert np.shares_memory(np.asarray(p), a) and type(p + p) is np.ndarray
    assert (p + 1).tolist() == (a + 1).tolist()
    assert (a + p).tolist() == (a * 2).tolist() and np.add(a, p).tolist() == (a * 2).tolist()
    assert p.shape == (2, 3) and is_marked(p.shape) and float(p.sum()) == 15.0 and type(p.T[0]) is np.ndarray
    assert a[inv(1), inv(2)] == 5 and p[inv((0, 1))] == 1 and np.float32(inv(2.5)) == 2.5
    p += 1
    assert p is a and a[0, 0] == 1
    with pytest.raises(ValueError):
        bool(inv(a))
    assert inv(np.int64(3)) + 1 == 4 and range(5)[inv(np.int64(3))] == 3


# ---- the library's own functions ---------------------------------------------------------------


def test_operators_take_marked_values():
    x = hr.batch([[1, 2, 3], [4, 5, 6]])
    plain = hr.pad(x, fill_value=7, axes=(0,), shape=[4])
    got = hr.pad(inv(x), fill_value=inv(7), axes=inv((0,)), shape=[inv(4)], batch_size=inv(2),
                 device=inv("cpu"))
    assert str(got) == str(plain)
    assert str(hr.cast(x, dtype=inv(hr.float32))) == str(hr.cast(x, dtype=hr.float32))
    assert str(hr.pad(x, fill_value=inv(None), shape=inv([inv(4)]))) == str(hr.pad(x, shape=[4]))
    rng = inv(hr.random.RNG(inv(5)))
    got = hr.random.uniform(range=inv((inv(0.0), 1.0)), rng=rng, batch_size=inv(2))
    assert str(got) == str(hr.random.uniform(range=(0, 1), rng=hr.random.RNG(5), batch_size=2))
    assert str(x + inv(1)) == str(x + 1) == str(inv(1) + x) == str(inv(x) + inv(1))
    assert str(hr.math.sqrt(inv(x))) == str(hr.math.sqrt(x))
    with pytest.raises(RuntimeError, match="CPU only"):
        hr.flip(x, device=inv("gpu"))
    with pytest.raises(ValueError, match="batch_size"):
        hr.flip(x, batch_size=inv(0))
    with pytest.raises(TypeError, match="horizontal"):
        hr.flip(x, horizontal=inv(object()))


def test_tensors_and_batches_of_marked_values():
    for value in (3, 2.5, True, [1, 2], [[1.5], [2]], (1, 2), range(3), b"abc", hr.tensor([1, 2])):
        assert str(hr.tensor(inv(value))) == str(hr.tensor(value))
        assert str(hr.as_tensor(inv(value))) == str(hr.as_tensor(value))
    assert str(hr.tensor([inv(1), [inv(2)][0]])) == str(hr.tensor([1, 2]))
    assert str(hr.tensor(inv([inv([inv(1), 2]), (3, inv(4))]), dtype=inv("u8"))) == str(
        hr.tensor([[1, 2], [3, 4]], dtype="u8"))
    got = hr.batch(inv([inv([1, 2]), [3, inv(4)]]), dtype=inv(hr.float32), device=inv("cpu"),
                   layout=inv("W"))
    assert str(got) == str(hr.batch([[1, 2], [3, 4]], dtype=hr.float32, layout="W"))
    b = hr.batch([[1, 2, 3], [4, 5, 6]])
    assert str(b.select(inv(1))) == str(b.select(1)) and str(b.select(inv([1, 0]))) == str(b.select([1, 0]))
    assert str(b.slice[inv(0)]) == str(b.slice[0])
    assert str(b.slice[inv(slice(inv(1), None))]) == str(b.slice[1:])
    assert str(b.slice[inv(hr.batch([0, 1]))]) == str(b.slice[hr.batch([0, 1])])
    assert str(hr.tensor([[1, 2]])[inv((0, inv(1)))]) == str(hr.tensor(2))
    assert str(hr.Batch.broadcast(inv([1]), inv(2))) == str(hr.Batch.broadcast([1], 2))
    with pytest.raises(TypeError, match="object"):
        hr.tensor(inv(object()))


def test_other_places_take_marked_values():
    state = hr.random.RNG(3).state
    assert hr.random.RNG(state=inv(str(state))).state == state and hr.dtype(inv("u8")) == hr.uint8
    with inv(hr.EvalContext(num_threads=inv(2))):
        hr.cast(hr.batch([[1]]), dtype="u8")
    with hr.EvalContext(thread_pool=inv(hr.ThreadPool(inv(2)))):
        pass
    source = hr.ExternalSource(inv([[1, 2], [3, 4]]), inv(1), cycle=inv(None), device=inv("cpu"),
                               layout=inv(None), dtype=inv(hr.float32))
    assert str(source(batch_size=inv(2))) == str(hr.batch([[1, 2], [1, 2]], dtype="f32"))
    steps = hr.ExternalSource([inv(hr.batch([1, 2]))] * 3).captured(
        batch_size=inv(2), capture=inv(True), prefetch=inv(2), ctx=inv(None))
    with pytest.warns(hr._slow.HeadraceWarning, match="no operators were captured"):
        assert [x.batch_size for x in steps] == [2, 2, 2]
