"""Element types: names, numbers, and every form that means one."""
import copy
import pickle

import numpy as np
import pytest

import headrace as hr
from headrace import types

# short name, NumPy's name, kind, bits, the peer's number
TABLE = [
    ("u8", "uint8", "unsigned", 8, 0), ("u16", "uint16", "unsigned", 16, 1),
    ("u32", "uint32", "unsigned", 32, 2), ("u64", "uint64", "unsigned", 64, 3),
    ("i8", "int8", "signed", 8, 4), ("i16", "int16", "signed", 16, 5),
    ("i32", "int32", "signed", 32, 6), ("i64", "int64", "signed", 64, 7),
    ("f16", "float16", "float", 16, 8), ("f32", "float32", "float", 32, 9),
    ("f64", "float64", "float", 64, 10), ("bool", "bool", "bool", 8, 11),
]


@pytest.mark.parametrize("short, name, kind, bits, number", TABLE)
def test_attributes(short, name, kind, bits, number):
    d = getattr(hr, name)
    assert (str(d), d.name, d.bits, d.bytes) == (short, short, bits, bits // 8)
    assert d.kind is getattr(hr.DType.Kind, kind)
    assert d.type_id == number and isinstance(d.type_id, types.DALIDataType)
    assert hr.type_id(d) is d.type_id
    assert (d.exponent_bits is None) == (kind != "float")


@pytest.mark.parametrize("short, name, kind, bits, number", TABLE)
def test_all_forms_mean_the_same(short, name, kind, bits, number):
    want = getattr(hr, name)
    forms = [want, short, name, number, types.DALIDataType(number), np.dtype(name),
             getattr(np, name) if name != "bool" else np.bool_]
    for form in forms:
        assert hr.dtype(form) is want
        assert hr.DType(form) is want
        assert hr.cast([0, 1], dtype=form).dtype is want
        assert hr.tensor([0, 1], dtype=form).dtype is want


def test_bfloat16():
    d = hr.bfloat16
    assert (d.bits, d.exponent_bits, d.significand_bits) == (16, 8, 7)
    assert d.kind is hr.DType.Kind.float
    assert hr.dtype("bfloat16") is d
    assert hr.tensor([1.5, -2.0, 3.0e38], dtype=d).tolist()[:2] == [1.5, -2.0]


def test_float_fields():
    assert (hr.float32.exponent_bits, hr.float32.significand_bits) == (8, 23)
    assert (hr.float16.exponent_bits, hr.float16.significand_bits) == (5, 10)
    assert (hr.float64.exponent_bits, hr.float64.significand_bits) == (11, 52)


def test_constructors_by_name():
    assert hr.DType.parse("u8") is hr.uint8
    assert hr.DType.from_type_id(types.FLOAT) is hr.float32
    assert hr.DType.from_type_id(9) is hr.float32
    assert hr.DType.from_fw_type(np.dtype("int16")) is hr.int16
    assert hr.DType.from_numpy(np.int16) is hr.int16
    assert hr.dtype(int) is hr.int64 and hr.dtype(float) is hr.float32 and hr.dtype(bool) is hr.bool


def test_big_endian_numpy_types_name_the_number_type():
    assert hr.dtype(np.dtype(">i4")) is hr.int32


@pytest.mark.parametrize("bad, kind", [
    ("uint7", ValueError), ("", ValueError), ("U8", ValueError), (99, ValueError), (-1, ValueError),
    (2**40, ValueError), (2**80, ValueError), (None, TypeError), ([], TypeError), (1.5, TypeError),
    (object(), TypeError), (np.dtype("complex64"), TypeError), (np.dtype("U3"), TypeError),
    (types.DALIDataType.STRING, ValueError), (types.DALIDataType.NO_TYPE, ValueError)])
def test_what_is_no_dtype(bad, kind):
    with pytest.raises(kind, match="dtype"):
        hr.dtype(bad)


def test_comparing_and_hashing():
    assert hr.uint8 == hr.DType("u8") and hr.uint8 != hr.int8
    assert len({hr.uint8, hr.dtype("uint8"), hr.int8}) == 2
    assert hr.uint8 != "u8" and hr.uint8 is not None
    with pytest.raises(TypeError):
        hr.uint8 < hr.int8  # noqa: B015


def test_copies_are_the_same_object():
    for d in (hr.uint8, hr.bfloat16, hr.DataType):
        assert copy.copy(d) == copy.deepcopy(d) == pickle.loads(pickle.dumps(d)) == d


def test_enumeration_kinds():
    for name, number in (("DataType", 21), ("ImageType", 20), ("InterpType", 22)):
        d = getattr(hr, name)
        assert d.kind is hr.DType.Kind.enum and d.bits == 32 and d.type_id == number
        assert str(d) == name


def test_repr_names_the_kind():
    assert repr(hr.uint8) == "DType(kind=Kind.unsigned, bits=8)"
    assert "exponent_bits=8" in repr(hr.float32)


def test_torch_and_ml_dtypes():
    torch = pytest.importorskip("torch")
    assert hr.dtype(torch.uint8) is hr.uint8 and hr.dtype(torch.float32) is hr.float32
    assert hr.dtype(torch.bfloat16) is hr.bfloat16 and hr.dtype(torch.bool) is hr.bool
    with pytest.raises(TypeError):
        hr.dtype(torch.complex64)


def test_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert hr.dtype(ml_dtypes.bfloat16) is hr.bfloat16
    assert hr.dtype(np.dtype(ml_dtypes.bfloat16)) is hr.bfloat16


def test_types_module():
    assert types.RGB is types.DALIImageType.RGB and types.RGB == 0
    assert [int(t) for t in types.DALIInterpType] == [0, 1, 2, 3, 4, 5]
    assert str(types.INTERP_NN) == "DALIInterpType.INTERP_NN"
    assert types.UINT8 == 0 and types.BOOL == 11 and types.STRING == 12
