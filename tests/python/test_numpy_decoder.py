"""decoders.numpy: what NumPy wrote comes back; what is not ours is refused by name."""
import pickle

import numpy as np
import pytest

import headrace as hr
from npy_files import by_hand, npy

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?"]
PLAIN = "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }"
TWO = np.array([7, -8], "<i4").tobytes()


def decode(data, **named):
    return np.asarray(hr.decoders.numpy(hr.as_tensor(np.asarray(data)), **named))


def same(a, b):
    return a.dtype == b.dtype.newbyteorder("=") and a.shape == b.shape and np.array_equal(a, b)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", TYPES)
def test_types_and_byte_orders(kind, order):
    a = (np.random.default_rng(0).standard_normal((3, 5)) * 100).astype(order + kind)
    assert same(decode(npy(a)), a)
    assert same(decode(npy(np.asfortranarray(a))), a)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (7,), (2, 3), (0, 3), (3, 0, 2), (2, 3, 4),
                                   (40, 70), (3, 5, 2, 4), (2, 1, 3, 1, 2, 2, 1, 2)])
@pytest.mark.parametrize("kind", ["u1", "i2", "f4", ">f8"])
def test_shapes_and_orders(shape, kind):
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(kind)
    for each in (a, np.array(a, order="F")):
        got = hr.decoders.numpy(npy(each))
        assert same(np.asarray(got), a) and not got.layout


@pytest.mark.filterwarnings("ignore:Stored array in format")
@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_versions(version):
    a = np.arange(6.0).reshape(2, 3)
    assert same(decode(npy(a, version)), a)


def test_long_header_of_version_2():
    header = PLAIN + " " * 70000
    assert decode(by_hand(header, TWO, version=2)).tolist() == [7, -8]


@pytest.mark.parametrize("header", [
    PLAIN, '{"descr":"<i4","fortran_order":False,"shape":(2,)}', PLAIN.replace("2,", "2L,"),
    "{'shape': (2,), 'fortran_order': False, 'descr': '<i4'}", PLAIN.replace("<i4", "i4"),
    PLAIN.replace("<i4", "=i4"), PLAIN.replace("(2,)", "( 2 , )"), PLAIN.replace("(2,)", "(2)"),
    "\n  " + PLAIN + " \t ",
])
def test_spellings_of_the_header(header):
    assert decode(by_hand(header, TWO)).tolist() == [7, -8]


def test_any_alignment():
    for pad in range(9):
        data = by_hand(PLAIN + " " * pad, TWO)
        assert decode(data).tolist() == [7, -8]
        assert decode(np.concatenate([np.zeros(pad, np.uint8), data])[pad:]).tolist() == [7, -8]


def test_bool_bytes_that_are_neither():
    data = by_hand("{'descr': '|b1', 'fortran_order': False, 'shape': (4,)}", b"\x00\x01\x02\xff")
    assert decode(data).tolist() == [False, True, True, True]


def test_bytes_behind_the_last_element():
    assert decode(np.concatenate([npy(np.arange(3)), np.zeros(9, np.uint8)])).tolist() == [0, 1, 2]


@pytest.mark.parametrize("array, words", [
    (np.zeros(2, "c8"), "complex64"), (np.zeros(2, "c16"), "complex128"),
    (np.array(["ab"]), r"text \(str\)"), (np.array([b"ab"]), r"text \(bytes\)"),
    (np.zeros(2, "M8[s]"), "datetime64"), (np.zeros(2, "m8[s]"), "timedelta64"),
    (np.array([{}], object), "object.*never"), (np.zeros(2, [("a", "i4")]), "structured"),
    (np.zeros(2, "V3"), "void"), (np.zeros(2, np.longdouble), "long double"),
])
def test_other_types_are_refused_by_name(array, words):
    with pytest.raises(NotImplementedError, match=words):
        decode(npy(array))


@pytest.mark.filterwarnings("ignore:Stored array in format")
def test_field_names_in_utf8():
    with pytest.raises(NotImplementedError, match="structured"):
        decode(npy(np.zeros(2, [("\u00e9\u4e2d", "i4")])))


def test_nothing_is_unpickled():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("unpickled",)

    header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    with pytest.raises(NotImplementedError, match="object"):
        decode(by_hand(header, pickle.dumps(np.array([Trap()], object))))


@pytest.mark.parametrize("data, words", [
    (b"", "no bytes"), (b"<html>", "not an .npy file"), (b"\x93NUMPY", "cut off after 6"),
    (b"\x93NUMPY\x01\x00", "cut off"), (b"\x93NUMPY\x04\x00\x10\x00" + b" " * 16, "version 4"),
    (by_hand(PLAIN, TWO[:-1]), "need"), (by_hand(PLAIN), "need"),
    (by_hand(PLAIN, TWO, length=9999), "cut off"), (by_hand(PLAIN, TWO, length=20), "damaged|end"),
    (by_hand("", TWO), "dictionary"), (by_hand("{'descr': '<i4'}", TWO), "lacks 'shape'"),
    (by_hand(PLAIN.replace("False", "0"), TWO), "True or False"),
    (by_hand(PLAIN.replace("(2,)", "(-2,)"), TWO), "an extent"),
    (by_hand(PLAIN.replace("(2,)", "(2"), TWO), "an extent"),
    (by_hand(PLAIN.replace("(2,)", "(2 3)"), TWO), "shape's end"),
    (by_hand(PLAIN.replace("(2,)", "2"), TWO), "a shape"),
    (by_hand(PLAIN.replace("2,", "99999999999999999999,"), TWO), "2\\^63"),
    (by_hand(PLAIN.replace("'descr'", "'other'"), TWO), "one each"),
    (by_hand(PLAIN.replace("'shape'", "'descr'"), TWO), "one each"),
    (by_hand(PLAIN.replace("'<i4'", "<i4"), TWO), "a string"),
    (by_hand(PLAIN + "x", TWO), "nothing more"),
    (by_hand(PLAIN.replace("'<i4'", "'\\x3ci4'"), TWO), "string"),
])
def test_damaged(data, words):
    data = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
    with pytest.raises(hr.DataError, match=words):
        decode(data)


def test_sizes_that_are_not_there_take_no_memory():
    huge = by_hand(PLAIN.replace("2,", f"{2**40},"), TWO)
    with pytest.raises(hr.DataError, match="need"):
        decode(huge)
    with pytest.raises(OverflowError):
        decode(by_hand(PLAIN.replace("2,", f"{2**40}, {2**40},"), TWO))
    with pytest.raises(NotImplementedError, match="over 8 axes"):
        decode(by_hand(PLAIN.replace("2,", "1," * 9), TWO))


@pytest.mark.parametrize("to", ["uint8", "int16", "float32", "float64", "bool", "float16"])
def test_dtype_converts_as_cast(to):
    a = np.array([-1.5, 0.0, 0.5, 2.5, 300.0], ">f4")
    want = hr.cast(a.astype("f4"), dtype=getattr(hr, to))
    assert np.array_equal(decode(npy(a), dtype=getattr(hr, to)), np.asarray(want))


def test_batches():
    a, b = np.arange(6).reshape(2, 3), np.arange(4).reshape(4, 1)
    got = hr.decoders.numpy(hr.as_batch([npy(a), npy(b)]))
    assert [np.asarray(t).tolist() for t in got.tensors] == [a.tolist(), b.tolist()]
    with pytest.raises(ValueError, match="sample 1"):
        hr.decoders.numpy(hr.as_batch([npy(a), npy(b.astype("f4"))]))
    with pytest.raises(hr.DataError, match="sample 1"):
        hr.decoders.numpy(hr.as_batch([npy(a), npy(b)[:-1]]))
