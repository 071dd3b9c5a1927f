"""Tensors: made from anything array-like, their attributes, protocols and copies."""
import copy
import math
import pickle

import numpy as np
import pytest

import headrace as hr

NUMPY_TYPES = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
               "float32", "float64", "bool"]


def address(t):
    return t.__array_interface__["data"][0]


# ---- making -----------------------------------------------------------------------------------


def test_attributes():
    t = hr.tensor(np.zeros((2, 3, 4), np.int16), layout="HWC")
    assert (t.shape, t.ndim, t.dtype, t.layout) == ((2, 3, 4), 3, hr.int16, "HWC")
    assert (t.size, t.nbytes, t.itemsize) == (24, 48, 2)
    assert t.source_info is None and t.failure is None
    assert hr.tensor([1]).layout is None and hr.tensor([1], layout="").layout is None


@pytest.mark.parametrize("name", NUMPY_TYPES)
def test_every_numpy_type_comes_and_goes(name):
    x = np.arange(6).reshape(2, 3).astype(name)
    t = hr.as_tensor(x)
    assert t.dtype == hr.dtype(name)
    back = np.asarray(t)
    assert back.dtype == x.dtype and np.array_equal(back, x)
    assert t.tolist() == x.tolist()


def test_tensor_copies_and_as_tensor_shares():
    x = np.arange(4)
    assert address(hr.tensor(x)) != x.ctypes.data
    assert address(hr.as_tensor(x)) == x.ctypes.data
    t = hr.as_tensor(x)
    assert address(hr.as_tensor(t)) == x.ctypes.data and address(hr.tensor(t)) != x.ctypes.data
    x[0] = 9
    assert t.tolist()[0] == 9 and hr.tensor(x).tolist() == [9, 1, 2, 3]


def test_shared_memory_lives_as_long_as_the_tensor():
    t = hr.as_tensor(np.arange(100000))
    assert t.tolist() == list(range(100000))


@pytest.mark.parametrize("view", [
    lambda a: a[::-1], lambda a: a[:, ::2], lambda a: a.T, lambda a: a[1:1],
    lambda a: np.broadcast_to(a[0], (5, 4)), lambda a: a[1, 2], lambda a: a[::-2, ::-1]])
def test_views_of_all_kinds(view):
    x = view(np.arange(12, dtype=np.int32).reshape(3, 4))
    for t in (hr.tensor(x), hr.as_tensor(x)):
        assert t.shape == np.shape(x) and t.tolist() == np.asarray(x).tolist()
    if isinstance(x, np.ndarray):
        x.flags.writeable = False
        assert hr.as_tensor(x).tolist() == x.tolist()


@pytest.mark.parametrize("kind", [">i4", ">f8", ">u2", ">f2", ">i8"])
def test_big_endian_values_are_right(kind):
    x = np.array([1, 2, 500], kind)
    assert hr.as_tensor(x).tolist() == [1, 2, 500]
    assert hr.as_tensor(x[1]).item() == 2

    class Interface:
        __array_interface__ = x.__array_interface__
        keep = x

    assert hr.as_tensor(Interface()).tolist() == [1, 2, 500]


def test_array_interface_objects():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)[:, ::-1]

    class Interface:
        __array_interface__ = x.__array_interface__
        keep = x

    assert hr.as_tensor(Interface()).tolist() == x.tolist()


def test_array_method_objects():
    class Array:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert hr.as_tensor(Array()).tolist() == [0, 1, 2]


def test_an_error_of_the_objects_own_passes_through():
    class Array:
        def __array__(self, dtype=None, copy=None):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        hr.as_tensor(Array())
    with pytest.raises(KeyError, match="mine"):
        hr.flip(Array())


@pytest.mark.parametrize("bad", [
    {"version": 3}, {"shape": (2,), "typestr": "<c8", "data": (0, True)},
    {"shape": (2,), "typestr": "|O", "data": (0, True)}, {"shape": (2,) * 9, "typestr": "<i4"},
    {"shape": (-1,), "typestr": "<i4"}, {"shape": (2**62, 8), "typestr": "<i8"},
    {"shape": (2,), "typestr": "<i4", "strides": (4, 4)},
    {"shape": (4,), "typestr": "<i4", "data": b"123"}, {"shape": 3, "typestr": "<i4"}, 5])
def test_broken_array_interfaces_are_refused(bad):
    class Interface:
        __array_interface__ = bad

    with pytest.raises((TypeError, ValueError, OverflowError)):
        hr.as_tensor(Interface())


def test_python_numbers():
    for value, dtype in ((5, hr.int32), (2.5, hr.float32), (True, hr.bool)):
        t = hr.tensor(value)
        assert (t.shape, t.dtype, t.item()) == ((), dtype, value)
    assert hr.tensor([1, 2.5]).dtype == hr.float32 and hr.tensor([True, 2]).dtype == hr.int32
    assert hr.tensor([[1, 2], [3, 4]]).shape == (2, 2)
    assert hr.tensor(range(3)).tolist() == [0, 1, 2] and hr.tensor((1, 2)).tolist() == [1, 2]
    assert hr.tensor([]).shape == (0,) and hr.tensor([[], []]).shape == (2, 0)


@pytest.mark.parametrize("value, dtype, kind", [
    (2**40, None, OverflowError), (-2**31 - 1, None, OverflowError), (2**80, None, OverflowError),
    (-1, hr.uint8, OverflowError), (256, hr.uint8, OverflowError), (math.nan, hr.int32, ValueError),
    (math.inf, hr.int32, (OverflowError, ValueError)), ([1, -1], hr.uint16, OverflowError)])
def test_numbers_that_do_not_fit(value, dtype, kind):
    with pytest.raises(kind):
        hr.tensor(value, dtype=dtype)


def test_numbers_become_the_wished_type():
    assert hr.tensor(200, dtype=hr.uint8).item() == 200
    assert hr.tensor([1.9, -1.9], dtype=hr.int32).tolist() == [1, -1]
    assert hr.tensor(2**31 - 1, dtype=hr.int64).item() == 2**31 - 1
    assert hr.tensor([0, 1, 2], dtype=hr.bool).tolist() == [False, True, True]


@pytest.mark.parametrize("value, text", [
    ([[1, 2], [3]], "unequal"), ([1, [2]], "depth"), ([[[1]], [2]], "depth")])
def test_unequal_lists_name_the_place(value, text):
    with pytest.raises(ValueError, match=text):
        hr.tensor(value)


@pytest.mark.parametrize("value", [
    "text", {1: 2}, {1, 2}, object(), 1j, None, ["a", "b"], [None], [object()],
    np.array(["a"]), np.array([object()]), np.zeros(2, "c8"), np.zeros(2, "M8[s]"),
    np.zeros(2, [("a", "i4")])])
def test_what_is_no_array(value):
    with pytest.raises(TypeError):
        hr.tensor(value)


def test_deep_and_endless_lists():
    deep = [1]
    for _ in range(20):
        deep = [deep]
    endless = []
    endless.append(endless)
    for value in (deep, endless):
        with pytest.raises(ValueError, match="deeper"):
            hr.tensor(value)


def test_a_list_that_changes_while_it_is_read():
    items = []

    class Number(float):
        pass

    class Sequence(list):
        def __len__(self):
            return 1000

    with pytest.raises((TypeError, ValueError, IndexError)):
        hr.tensor(Sequence([1, 2]))
    assert items == []


@pytest.mark.parametrize("kind", [list, tuple])
def test_sequences_of_any_number_of_arrays(kind):
    for n in (1, 2, 3):
        for each in (np.float32([1, 2]), hr.tensor([1.0, 2.0]), np.float32(5)):
            got = hr.tensor(kind([each] * n))
            assert got.shape == (n, *np.shape(each)) and got.dtype == hr.float32
            assert hr.tensor(kind([kind([each] * n)] * 2)).shape == (2, n, *np.shape(each))


@pytest.mark.parametrize("value, dtype", [
    ([[1, 2], np.int16([3, 4])], "int32"), ([np.int16([3, 4]), [1, 2]], "int32"), ([1, np.uint8(2)], "int32"),
    ([np.int64(2), 1], "int64"), ([1.5, np.float32(2)], "float32"), ([1.5, np.array(2.0)], "float64"),
    ([np.float16(1), 2], "float16"), ([np.float16(1), 2.5], "float32"), ([True, np.bool_(False)], "bool"),
    ([True, np.uint8(2)], "uint8"), ([np.uint32(1), 1], "int64"), ([[hr.tensor([1, 2])], [[3, 4]]], None),
    ([2**40, np.uint8(1)], "int64"), ([1.5, np.float64(2.5)], "float32"), ([(1, 2), hr.tensor([3, 4])], "int32")])
def test_lists_of_numbers_and_arrays(value, dtype):
    """Python's ints count as int32 and floats (NumPy's float64 is one) as float32, beside arrays as well."""
    t = hr.tensor(value)
    assert dtype is None or t.dtype == hr.dtype(dtype)
    assert t.tolist() == np.asarray(value if dtype else [[[1, 2]], [[3, 4]]]).tolist()


def test_lists_of_arrays_of_unequal_shapes_name_the_place():
    for value, words in (([np.zeros(2), np.zeros(3)], r"data\[1\] has the shape \(3,\), data\[0\] has \(2,\)"),
                         ([[np.zeros(2)] * 2, [np.zeros(2), np.zeros((1, 2))]], r"data\[1\]\[1\]"),
                         ([[1, 2], np.zeros(3)], r"data\[1\]")):
        with pytest.raises(ValueError, match="nested lists are unequal: " + words):
            hr.tensor(value)


def test_lists_of_arrays_are_stacked():
    t = hr.tensor([np.zeros((2, 3)), np.ones((2, 3))])
    assert t.shape == (2, 2, 3)


def test_dtype_converts():
    x = np.array([-1.5, 0.5, 300.0])
    assert hr.tensor(x, dtype=hr.uint8).tolist() == [0, 1, 255]
    assert hr.as_tensor(x, dtype=hr.float32).dtype == hr.float32
    assert address(hr.as_tensor(x, dtype=hr.float64)) == x.ctypes.data


def test_layouts():
    assert hr.tensor(np.zeros((2, 2)), layout="HW").layout == "HW"
    t = hr.tensor(np.zeros((2, 2)), layout="HW")
    assert hr.tensor(t).layout == "HW" and hr.as_tensor(t, layout="XY").layout == "XY"
    assert t.layout == "HW"
    for bad in ("H", "HWC"):
        with pytest.raises(ValueError, match="layout"):
            hr.tensor(np.zeros((2, 2)), layout=bad)
    with pytest.raises(ValueError, match="layout"):
        hr.tensor([1], layout=5)


def test_more_axes_than_there_may_be():
    assert hr.tensor(np.zeros((1,) * 8)).ndim == 8
    with pytest.raises(ValueError):
        hr.tensor(np.zeros((1,) * 9))


def test_the_class_makes_tensors_too():
    x = np.arange(3)
    assert address(hr.Tensor(x)) == x.ctypes.data
    assert hr.Tensor([1, 2], dtype=hr.uint8, layout="W").layout == "W"
    with pytest.raises(TypeError):
        hr.Tensor()
    with pytest.raises(TypeError):
        hr.tensor()


def test_a_batch_becomes_one_tensor():
    b = hr.batch([np.ones((2, 3)), np.zeros((2, 3))], layout="HW")
    t = hr.tensor(b)
    assert (t.shape, t.layout) == ((2, 2, 3), "NHW")
    assert address(hr.as_tensor(b)) == address(b.select(0)) != address(t)
    uneven = hr.batch([[1, 2], [3]])
    with pytest.raises(ValueError):
        hr.tensor(uneven)
    assert hr.tensor(uneven, pad=True).tolist() == [[1, 2], [3, 0]]
    assert hr.tensor(b, dtype=hr.uint8).dtype == hr.uint8


def test_a_batch_of_strided_samples_becomes_one_tensor():
    x = np.arange(8).reshape(2, 4)
    assert hr.as_tensor(hr.as_batch([x[0, ::2], x[1, ::-2]])).tolist() == [[0, 2], [7, 5]]


# ---- protocols ----------------------------------------------------------------------------------


def test_numbers_out():
    assert hr.tensor(2.5).item() == 2.5 and float(hr.tensor([2.5])) == 2.5
    assert int(hr.tensor(7)) == 7 and int(hr.tensor(7.9)) == 7
    assert bool(hr.tensor(0)) is False and bool(hr.tensor([[3]])) is True
    assert [10, 20, 30][hr.tensor(1)] == 20 and range(hr.tensor(3))[-1] == 2
    assert type(hr.tensor(True).item()) is bool and type(hr.tensor(1).item()) is int
    assert hr.tensor(2**63, dtype=hr.uint64).item() == 2**63


def test_numbers_that_several_elements_are_not():
    many = hr.tensor([1, 2])
    for use, kind in ((many.item, ValueError), (lambda: float(many), TypeError),
                      (lambda: int(many), TypeError), (lambda: bool(many), ValueError),
                      (lambda: [0][many], TypeError), (lambda: bool(hr.tensor([])), ValueError),
                      (lambda: [0][hr.tensor(0.0)], TypeError)):
        with pytest.raises(kind):
            use()


def test_length_and_iteration():
    t = hr.tensor([[1, 2], [3, 4], [5, 6]], layout="XY")
    assert len(t) == 3
    rows = list(t)
    assert [r.tolist() for r in rows] == [[1, 2], [3, 4], [5, 6]]
    assert all(type(r) is hr.Tensor for r in rows) and rows[0].layout == "Y"
    assert t[-1].tolist() == [5, 6] and t[0][1].item() == 2
    for bad in (3, -4):
        with pytest.raises(IndexError):
            t[bad]
    with pytest.raises(TypeError):
        len(hr.tensor(1))
    with pytest.raises((IndexError, TypeError)):
        list(hr.tensor(1))


def test_membership():
    t = hr.tensor([[1, 2], [3, 4]])
    assert 3 in t and 5 not in t and 2.0 in t
    assert 3 in hr.tensor(3) and 1 not in hr.tensor([])


def test_not_hashable():
    with pytest.raises(TypeError):
        hash(hr.tensor(1))


def test_evaluate_is_the_tensor_itself():
    t = hr.tensor(1)
    assert t.evaluate() is t


def test_strides_are_told_only_where_there_are_any():
    """As NumPy does; Pillow takes an array without strides for one that may be read in a row."""
    x = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    for view in (x, x[:1], x[:, ::2], x[::-1], x.transpose(1, 0, 2), x[:0], x[0, 0, 0]):
        t = hr.as_tensor(view)
        assert t.__array_interface__["strides"] == np.asarray(t).__array_interface__["strides"]
        assert t.tobytes() == bytes(t) == view.tobytes()
    Image = pytest.importorskip("PIL.Image")
    for view in (x, x[::-1], x[:, ::2]):
        assert np.array_equal(np.asarray(Image.fromarray(hr.as_tensor(view))), view)


def test_numpy_array_method():
    t = hr.tensor([1, 2], dtype=hr.int16)
    assert np.shares_memory(np.asarray(t), np.asarray(t))
    assert np.array(t).dtype == np.int16
    assert t.__array__(np.float32).dtype == np.float32
    assert not np.shares_memory(t.__array__(copy=True), np.asarray(t))
    assert np.shares_memory(t.__array__(copy=False), np.asarray(t))
    with pytest.raises(ValueError):
        t.__array__(np.float32, copy=False)
    assert np.asarray(t, dtype=np.float64).tolist() == [1.0, 2.0]


def test_arrays_outlive_their_tensor():
    t = hr.tensor(np.arange(1000))
    x = np.asarray(t)
    del t
    junk = [hr.tensor(np.zeros(1000, np.int64)) for _ in range(10)]
    assert x.tolist() == list(range(1000)) and len(junk) == 10


def test_cuda_interface_is_an_attribute_error():
    assert not hasattr(hr.tensor(1), "__cuda_array_interface__")


def test_bfloat16_to_numpy():
    t = hr.tensor([1.5, -2.0], dtype=hr.bfloat16)
    try:
        import ml_dtypes
    except ImportError:
        with pytest.raises(TypeError, match="ml_dtypes"):
            t.__array__()
        return
    x = np.asarray(t)
    assert x.dtype == ml_dtypes.bfloat16 and x.tolist() == [1.5, -2.0]
    back = hr.as_tensor(x)
    assert back.dtype is hr.bfloat16 and back.tolist() == [1.5, -2.0]


# ---- copies ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [
    lambda: hr.tensor(np.arange(6).reshape(2, 3), layout="HW"), lambda: hr.tensor(2.5),
    lambda: hr.tensor([]), lambda: hr.tensor([1.5], dtype=hr.bfloat16),
    lambda: hr.tensor([True, False]), lambda: hr.as_tensor(np.arange(6)[::-2]),
    lambda: hr.tensor([1, 2], dtype=hr.ImageType)])
def test_pickle_and_copy(make):
    t = make()
    copies = [copy.copy(t), copy.deepcopy(t)]
    copies += [pickle.loads(pickle.dumps(t, p)) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for c in copies:
        assert (c.tolist(), c.dtype, c.shape, c.layout) == (t.tolist(), t.dtype, t.shape, t.layout)


def test_pickle_out_of_band():
    t = hr.tensor(np.arange(1000))
    buffers = []
    data = pickle.dumps(t, protocol=5, buffer_callback=buffers.append)
    assert len(buffers) == 1 and len(data) < 500
    back = pickle.loads(data, buffers=buffers)
    assert back.tolist() == t.tolist() and address(back) == address(t)


def test_broken_pickles():
    from headrace._slow import restore_tensor

    for bad in ((b"abc", "u8", (4,), None), (b"abcd", "f32", (2,), None), (b"", "u7", (0,), None),
                (b"a", "u8", (-1,), None), (b"a", "u8", (1,), "HW"), (b"a", "u8", (1,) * 9, None)):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            restore_tensor(*bad)


def test_repr_shows_values_and_what_they_are():
    text = repr(hr.tensor(np.arange(6, dtype=np.uint8).reshape(2, 3), layout="HW"))
    for part in ("[[0 1 2]", "[3 4 5]]", "dtype=u8", 'layout="HW"', 'device="cpu"', "shape=(2, 3)"):
        assert part in text
    assert "layout" not in repr(hr.tensor(1))
    assert len(repr(hr.tensor(np.zeros(100000)))) < 1000
    assert "1.5" in repr(hr.tensor([1.5], dtype=hr.bfloat16))
    repr(hr.tensor([]))


def test_weak_references():
    import weakref

    t = hr.tensor(1)
    r = weakref.ref(t)
    assert r() is t
    del t
    assert r() is None
