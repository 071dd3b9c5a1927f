"""Odd arrays (rows N01 to N08 of the odd inputs): as tensors, as operators' inputs, as arguments, in files.

The kinds of .npy files are in test_numpy_decoder.py and test_readers_numpy.py, single conversions in
test_tensor.py; here each kind goes every way in.
"""
import decimal
import fractions

import numpy as np
import pytest

import headrace as hr
from npy_files import npy

WAYS = {
    "tensor": lambda a: hr.tensor(a),
    "as_tensor": lambda a: hr.as_tensor(a),
    "batch": lambda a: hr.batch([a, a]).tensors[1],
    "as_batch": lambda a: hr.as_batch([a]).select(0),
    "an operator": lambda a: hr.copy(a),
    "a sign": lambda a: hr.tensor(0, dtype=np.asarray(a).dtype.newbyteorder("=")) + a,
    "a source": lambda a: hr.ExternalSource(lambda: a)(),
    "a file": lambda a: hr.decoders.numpy(npy(np.asarray(a))),
}
BASE = np.arange(24).reshape(2, 3, 4)
VIEWS = {
    "column-major": np.asfortranarray(BASE), "reversed": BASE[::-1], "stepped": BASE[:, ::2],
    "transposed": BASE.T, "all reversed": BASE[::-1, ::-1, ::-1], "negative steps": BASE[:, :, ::-3],
    "broadcast": np.broadcast_to(BASE[:, :1, :1], (2, 3, 4)), "no elements": BASE[:, 0:0],
    "no axes": np.array(7), "one element": BASE[:1, :1, :1], "a new axis": BASE[:, None, 1],
    "a field": np.array([(1, 2.0), (3, 4.0)], "i4,f8")["f1"], "diagonal": np.einsum("iji->ij", BASE[:, :, :2]),
    "windows": np.lib.stride_tricks.sliding_window_view(np.arange(6), 3),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("view", VIEWS)
def test_views_keep_their_values(view, way):
    array = VIEWS[view]
    got = np.asarray(WAYS[way](array))
    assert got.shape == array.shape and got.dtype == array.dtype and np.array_equal(got, array)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [">i2", ">u2", ">i4", ">u4", ">i8", ">u8", ">f2", ">f4", ">f8"])
def test_big_endian_values_are_right_every_way(kind, way):
    array = np.array([[1, 2, 300], [0, 77, 1000]], kind)
    for each in (array, array[:, ::-1], array[1:2]):
        got = np.asarray(WAYS[way](each))
        assert got.dtype.isnative and got.tolist() == each.tolist()


@pytest.mark.parametrize("scalar", [np.array(5, ">i4")[()], np.dtype(">f8").type(2.5), np.array(5, ">u2"),
                                    np.float32(1.5), np.bool_(True), np.int64(2**40)])
def test_scalars_of_any_byte_order_as_values_and_arguments(scalar):
    value = np.asarray(scalar).astype(np.asarray(scalar).dtype.newbyteorder("=")).item()
    assert hr.tensor(scalar).item() == value
    assert (hr.tensor([1.0]) * scalar).tolist() == [value]
    assert hr.full(scalar, shape=[2]).tolist() == [value, value]
    if not isinstance(value, bool):
        assert value <= hr.random.uniform(range=[scalar, 2 * value]).item() <= 2 * value
    flips = hr.flip(hr.tensor([[[1], [2]]], dtype="u8", layout="HWC"), horizontal=np.array(1, ">i4"))
    assert flips.tolist() == [[[2], [1]]]
    lists = hr.crop(hr.tensor(np.zeros((9, 9, 1), np.uint8), layout="HWC"), crop=np.array([3, 4], ">f4"))
    assert lists.shape == (3, 4, 1)


@pytest.mark.parametrize("way", WAYS)
def test_read_only_memory_is_never_written(way):
    array = np.arange(12, dtype=np.uint8).reshape(3, 4)
    array.flags.writeable = False
    before = array.tobytes()
    t = WAYS[way](array)
    for out in (t + 1, hr.cast(t, dtype="u8"), hr.reshape(t, shape=[12]), -hr.cast(t, dtype="i16")):
        np.asarray(out)
    assert array.tobytes() == before
    view = np.asarray(t)
    if np.shares_memory(view, array):
        assert not view.flags.writeable
    assert memoryview(b"abc").readonly and bytes(memoryview(hr.as_tensor(b"abc"))) == b"abc"


REFUSED = {
    "object": np.array([1, None], object), "structured": np.zeros(2, "i4,f4"), "complex": np.zeros(2, "c8"),
    "text": np.array(["ab"]), "bytes": np.array([b"ab"]), "time": np.array(["2020-01-01"], "M8[D]"),
    "span": np.array([1], "m8[s]"), "long double": np.zeros(2, np.longdouble),
}


@pytest.mark.parametrize("way", [w for w in WAYS if w != "a sign"])
@pytest.mark.parametrize("kind", REFUSED)
def test_types_outside_the_set_are_refused_by_name(kind, way):
    array = REFUSED[kind]
    words = {"object": "object|O", "structured": "struct|f0|fields", "complex": "complex|c8", "text": "<U2|text|str",
             "bytes": "S2|bytes|text", "time": "M8|datetime", "span": "m8|timedelta",
             "long double": "float128|longdouble|f16|g"}[kind]
    with pytest.raises((TypeError, ValueError, NotImplementedError, RuntimeError), match=words):
        WAYS[way](array)


# ---- N08: Python numbers -----------------------------------------------------------------------------


@pytest.mark.parametrize("value, dtype", [
    (2**31 - 1, hr.int32), (-2**31, hr.int32),
    (True, hr.bool), ([True, False], hr.bool), (1.5, hr.float32), ([1, 1.5], hr.float32), ([True, 2], hr.int32)])
def test_types_of_numbers_as_documented(value, dtype):
    t = hr.tensor(value)
    assert t.dtype == dtype and t.tolist() == value


@pytest.mark.parametrize("value, dtype, kind", [
    (2**40, None, OverflowError), ([1, 2**31], None, OverflowError),
    (-1, "u8", OverflowError), (256, "u8", OverflowError), (2**64, None, OverflowError),
    (float("nan"), "i32", ValueError), (float("inf"), "u8", (ValueError, OverflowError)),
    (-1, "u64", OverflowError), (2**63, "i64", OverflowError), (1e30, "i64", (ValueError, OverflowError)),
    ([1, -1], "u16", OverflowError), ([[1], [2, 3]], None, ValueError), ([[1, 2], 3], None, ValueError),
    ([1, [2]], None, ValueError), ("12", None, TypeError), (None, None, TypeError), ([1, None], None, TypeError),
    ([1, "2"], None, TypeError), (1j, None, TypeError), (decimal.Decimal(1), None, TypeError),
    ({1: 2}, None, TypeError)])
def test_numbers_that_cannot_be_are_refused(value, dtype, kind):
    for make in (hr.tensor, hr.as_tensor, lambda v, dtype: hr.batch([v], dtype=dtype)):
        with pytest.raises(kind):
            make(value, dtype=dtype)


def test_the_place_in_unequal_lists_is_named():
    for value, place in (([[1, 2], [3]], r"data\[1\] has 1 elements, others of its depth have 2"),
                         ([[[1], [2]], [[3], 4]], r"data\[1\]\[1\] is a number at depth 2"),
                         ([1, [2, 3]], r"data\[1\]"), ([[], [1]], r"data\[1\]")):
        with pytest.raises(ValueError, match=place):
            hr.tensor(value)


def test_what_has_index_or_float_counts_as_a_number():
    class Whole:
        def __index__(self):
            return 3

    x = hr.tensor(np.zeros((9, 9, 1), np.uint8), layout="HWC")
    assert hr.crop(x, crop=[Whole(), 2]).shape == (3, 2, 1)
    assert 0.5 <= hr.random.uniform(range=[fractions.Fraction(1, 2), 1]).item() < 1
    assert hr.tensor([]).shape == (0,) and hr.tensor([[], []]).shape == (2, 0)
    assert hr.tensor(()).tolist() == [] and hr.batch([], dtype="u8").batch_size == 0
