"""Batches: made from lists and arrays, samples chosen, copies."""
import copy
import pickle

import numpy as np
import pytest

import headrace as hr


def address(t):
    return t.__array_interface__["data"][0]


def values(b):
    return [t.tolist() for t in b.tensors]


# ---- making -------------------------------------------------------------------------------------


def test_attributes():
    b = hr.batch([np.zeros((2, 3), np.uint8), np.zeros((4, 5), np.uint8)], layout="HW")
    assert (b.batch_size, b.shape, b.ndim) == (2, [(2, 3), (4, 5)], 2)
    assert (b.dtype, b.layout) == (hr.uint8, "HW")
    assert b.source_info == [None, None] and b.failures == {}
    assert b.evaluate() is b


def test_a_list_gives_one_sample_an_item():
    assert values(hr.batch([1, 2, 3])) == [1, 2, 3]
    assert values(hr.batch([[1, 2], [3]])) == [[1, 2], [3]]
    assert values(hr.batch((np.ones(2), hr.tensor([0.0])))) == [[1, 1], [0]]


def test_an_array_is_split_along_its_first_axis():
    x = np.arange(6).reshape(3, 2)
    b = hr.as_batch(x)
    assert values(b) == x.tolist()
    assert [address(t) for t in b.tensors] == [x[i].ctypes.data for i in range(3)]
    assert address(hr.batch(x).select(0)) != x.ctypes.data
    t = hr.tensor(np.zeros((2, 4, 3)), layout="NHW")
    assert hr.as_batch(t).layout == "HW" and hr.as_batch(t, layout="XY").layout == "XY"
    with pytest.raises(ValueError, match="first axis"):
        hr.batch(np.float32(1))
    assert values(hr.as_batch(x[::-1])) == x[::-1].tolist()


def test_iterators_and_sets_give_items():
    assert values(hr.batch(np.full(2, i) for i in range(3))) == [[0, 0], [1, 1], [2, 2]]
    assert sorted(values(hr.batch({1, 2}))) == [1, 2]


def test_a_batch_of_a_batch():
    b = hr.batch([[1, 2], [3, 4]], layout="X")
    assert hr.as_batch(b) is b
    c = hr.batch(b)
    assert c is not b and values(c) == values(b) and c.layout == "X"
    assert address(c.select(0)) != address(b.select(0))
    assert hr.as_batch(b, dtype=hr.float32).dtype == hr.float32
    assert hr.as_batch(b, layout="Y").layout == "Y" and b.layout == "X"
    with pytest.raises(TypeError):
        hr.batch([b, b])


def test_batch_copies_and_as_batch_shares():
    x = [np.arange(3), np.arange(3)]
    assert address(hr.as_batch(x).select(0)) == x[0].ctypes.data
    assert address(hr.batch(x).select(0)) != x[0].ctypes.data


def test_uniform_batches_lie_in_one_block():
    b = hr.batch([np.ones((2, 3)), np.zeros((2, 3))])
    first, second = (address(t) for t in b.tensors)
    assert second - first == 48
    assert address(hr.as_tensor(b)) == first


def test_the_first_item_decides_the_type():
    assert hr.batch([np.float32(1), 2]).dtype == hr.float32
    assert hr.batch([1, 2.7]).dtype == hr.int32
    b = hr.batch([1, 2], dtype=hr.uint8)
    assert b.dtype == hr.uint8
    with pytest.raises(OverflowError):
        hr.batch([1, 300], dtype=hr.uint8)


@pytest.mark.parametrize("items", [
    [np.zeros(2), np.zeros((2, 2))], [hr.tensor([1], layout="X"), hr.tensor([1], layout="Y")]])
def test_samples_that_do_not_belong_together(items):
    with pytest.raises(ValueError, match="sample 1"):
        hr.batch(items)


def test_empty_batches():
    for b in (hr.batch([], dtype=hr.uint8), hr.batch(np.zeros((0, 3), np.uint8)),
              hr.batch([[1], [2]], dtype=hr.uint8).select([])):
        assert b.batch_size == len(b.tensors) == 0 and b.shape == [] and b.dtype == hr.uint8
        assert list(b) == []
        with pytest.raises(ValueError):
            b.ndim
    with pytest.raises(ValueError, match="dtype"):
        hr.batch([])
    assert hr.batch([], dtype=hr.uint8, layout="HWC").layout == "HWC"
    whole = hr.as_tensor(hr.batch(np.zeros((0, 3), np.uint8)))
    assert whole.shape[0] == 0 and whole.ndim == 2


@pytest.mark.parametrize("bad", ["abc", 5, None, object(), {"a": 1}])
def test_what_is_no_batch(bad):
    with pytest.raises((TypeError, ValueError)):
        hr.batch(bad)


def test_the_class_makes_batches_too():
    assert values(hr.Batch([1, 2])) == [1, 2]
    with pytest.raises(TypeError):
        hr.Batch()


def test_broadcast():
    b = hr.Batch.broadcast([1, 2], 3)
    assert values(b) == [[1, 2]] * 3
    assert hr.Batch.broadcast(1, 2, dtype=hr.uint8).dtype == hr.uint8
    with pytest.raises((TypeError, ValueError)):
        hr.Batch.broadcast(b, 2)
    for bad in (-1, "x"):
        with pytest.raises((TypeError, ValueError)):
            hr.Batch.broadcast(1, bad)


# ---- choosing -------------------------------------------------------------------------------------


@pytest.fixture
def five():
    return hr.batch([np.full((i + 1, 2), i) for i in range(5)], layout="HW")


def test_select_one(five):
    for i in (0, 4, -1, -5, np.int64(2), hr.tensor(1)):
        t = five.select(i)
        assert type(t) is hr.Tensor and t.layout == "HW"
        assert t.tolist()[0][0] == int(i) % 5
    for bad in (5, -6, 2**70):
        with pytest.raises(IndexError):
            five.select(bad)


@pytest.mark.parametrize("chosen", [slice(1, 3), slice(None, None, -1), slice(0, 0), slice(3, 99),
                                    slice(None, None, 2), [3, 0, 3], [-1], [], (1, 2), range(4, 0, -2)])
def test_select_several(five, chosen):
    got = five.select(chosen)
    want = list(range(5))[chosen] if isinstance(chosen, slice) else [i % 5 for i in chosen]
    assert type(got) is hr.Batch and got.batch_size == len(want) and got.layout == "HW"
    assert [t.tolist()[0][0] for t in got.tensors] == want
    assert [address(t) for t in got.tensors] == [address(five.select(i)) for i in want]


def test_select_all(five):
    assert values(five.select(...)) == values(five)


@pytest.mark.parametrize("bad, kind", [
    ("x", TypeError), (1.5, TypeError), (None, TypeError), ([5], IndexError), ([-6], IndexError),
    (["x"], TypeError), ([1.5], TypeError), ([True, False], TypeError),
    (slice(0, 1, 0), ValueError), ([2**70], IndexError)])
def test_select_nonsense(five, bad, kind):
    with pytest.raises(kind):
        five.select(bad)


def test_the_list_of_samples(five):
    ts = five.tensors
    assert len(ts) == 5 and ts[2].tolist()[0][0] == 2 and ts[-1].tolist()[0][0] == 4
    part = ts[1:4]
    assert len(part) == 3 and part[0].tolist()[0][0] == 1
    assert [t.tolist()[0][0] for t in part[[2, 0]]] == [3, 1]
    assert type(ts.tolist()) is list and all(type(t) is hr.Tensor for t in ts.tolist())
    again = part[::-1].as_batch()
    assert type(again) is hr.Batch and [t.tolist()[0][0] for t in again] == [3, 2, 1]
    assert address(again.select(0)) == address(five.select(3))
    assert address(part.as_batch(copy=True).select(0)) != address(part[0])
    with pytest.raises(IndexError):
        ts[5]
    with pytest.raises(TypeError):
        ts["a"]


def test_iteration_ends(five):
    assert len(list(five)) == 5 and len(list(five.tensors)) == 5
    assert [t.shape for t in five] == five.shape


def test_a_batch_itself_is_not_indexed(five):
    with pytest.raises(TypeError, match="select"):
        five[0]
    with pytest.raises(TypeError):
        hash(five)


def test_samples_outlive_their_batch(five):
    t, ts = five.select(3), five.tensors
    want = values(five)
    del five
    junk = [hr.zeros(shape=[50], batch_size=5) for _ in range(10)]
    assert t.tolist() == want[3] and [x.tolist() for x in ts] == want and len(junk) == 10


def test_no_array_of_a_batch(five):
    assert not hasattr(five, "__array__") and not hasattr(five, "__dlpack__")
    with pytest.raises(TypeError):
        memoryview(five)


# ---- copies ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [
    lambda: hr.batch([[1, 2], [3]], layout="X"), lambda: hr.batch(np.ones((3, 2, 2))),
    lambda: hr.batch([], dtype=hr.float16), lambda: hr.batch([1.5, 2.0], dtype=hr.bfloat16),
    lambda: hr.as_batch([np.arange(6)[::-2]] * 2)])
def test_pickle_and_copy(make):
    b = make()
    copies = [copy.copy(b), copy.deepcopy(b)]
    copies += [pickle.loads(pickle.dumps(b, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for c in copies:
        assert (values(c), c.dtype, c.layout) == (values(b), b.dtype, b.layout)


def test_through_a_process():
    import multiprocessing

    b = hr.batch([[1, 2], [3]])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        got = pool.apply(copy.copy, (b,))
    assert values(got) == values(b)


def test_repr(five):
    text = repr(hr.batch([[1, 2], [3]], layout="X"))
    for part in ("[1 2]", "[3]", "dtype=i32", 'layout="X"', "num_samples=2", "shape=[(2,), (1,)]"):
        assert part in text
    repr(hr.batch([], dtype=hr.uint8))
    assert len(repr(hr.batch(np.zeros((2, 100000))))) < 2000


def test_torch():
    torch = pytest.importorskip("torch")
    b = hr.batch([np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)])
    whole = b.torch()
    assert whole.shape == (2, 2, 3) and whole.data_ptr() == address(b.select(0))
    assert b.torch(copy=False).data_ptr() == whole.data_ptr()
    assert b.torch(copy=True).data_ptr() != whole.data_ptr()
    apart = hr.as_batch([np.ones(2), np.zeros(2)])
    assert apart.torch().tolist() == [[1, 1], [0, 0]]
    with pytest.raises(ValueError):
        apart.torch(copy=False)
    uneven = hr.batch([[1, 2], [3]])
    with pytest.raises(ValueError):
        uneven.torch()
    assert uneven.torch(pad=True).tolist() == [[1, 2], [3, 0]]
    assert isinstance(whole, torch.Tensor)
    assert hr.batch([1.5], dtype=hr.bfloat16).torch().dtype == torch.bfloat16
    assert hr.batch(np.zeros((0, 3))).torch().shape[0] == 0
