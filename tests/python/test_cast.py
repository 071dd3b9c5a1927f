"""cast: rounding, clamping, and what has no number."""
import numpy as np
import pytest

import headrace as hr

INTEGERS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


def cast(values, source, target):
    return np.asarray(hr.cast(hr.as_tensor(np.array(values, source)), dtype=getattr(hr, target)))


@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
@pytest.mark.parametrize("target", INTEGERS)
def test_halves_are_rounded_away_from_zero(source, target):
    got = cast([0.5, 1.5, 2.5, 0.25, 100.5], source, target)
    assert got.dtype == target
    assert got.tolist() == [1, 2, 3, 0, 101]


def test_halves_below_zero():
    assert cast([-0.5, -1.5, -2.5, -0.25], "float32", "int32").tolist() == [-1, -2, -3, 0]


def test_the_number_below_a_half_is_not_rounded_up():
    assert cast([np.nextafter(np.float32(0.5), np.float32(0))], "float32", "int32").tolist() == [0]
    assert cast([np.nextafter(0.5, 0)], "float64", "int64").tolist() == [0]


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_reals_are_clamped(source, target):
    info = np.iinfo(target)
    got = cast([1e30, -1e30, np.inf, -np.inf], source, target)
    assert got.tolist() == [info.max, info.min, info.max, info.min]


@pytest.mark.parametrize("target", INTEGERS)
def test_nan_becomes_zero(target):
    assert cast([np.nan, 1, np.nan], "float32", target).tolist() == [0, 1, 0]


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integers_are_clamped(source, target):
    limits = np.iinfo(source)
    values = [limits.min, limits.max, 0, 1, 100]
    bounds = np.iinfo(target)
    want = [max(bounds.min, min(bounds.max, v)) for v in values]
    assert cast(values, source, target).tolist() == want


def test_large_integers_to_reals_are_rounded_once():
    assert cast([2**53 + 1], "int64", "float64").tolist() == [2.0**53]
    assert cast([2**24 + 1, 2**24 + 3], "int32", "float32").tolist() == [2.0**24, 2.0**24 + 4]
    assert cast([2**64 - 1], "uint64", "float32").tolist() == [2.0**64]


def test_float16_takes_halves_away_from_zero():
    assert cast([2049, 2051, -2049], "int32", "float16").tolist() == [2050, 2052, -2050]
    assert cast([65519, 65520, -1e6], "float32", "float16").tolist() == [65504, np.inf, -np.inf]


def test_float16_agrees_with_numpy_besides_ties(rng=np.random.default_rng(3)):
    values = (rng.standard_normal(10000) * 10.0 ** rng.integers(-9, 5, 10000)).astype(np.float32)
    assert np.array_equal(cast(values, "float32", "float16"), values.astype(np.float16))


def test_every_float16_survives_the_way_to_float32_and_back():
    bits = np.arange(65536, dtype=np.uint16)
    halves = bits.view(np.float16)
    wide = np.asarray(hr.cast(hr.as_tensor(halves), dtype=hr.float32))
    assert np.array_equal(wide, halves.astype(np.float32), equal_nan=True)
    back = np.asarray(hr.cast(hr.as_tensor(wide), dtype=hr.float16))
    assert np.array_equal(back, halves, equal_nan=True)


def test_bool():
    assert cast([0, 1, 2, 255], "uint8", "bool").tolist() == [False, True, True, True]
    got = cast([0, 0.4, 0.5, -0.4, -0.5, np.nan, np.inf], "float32", "bool")
    assert got.tolist() == [False, False, True, False, True, True, True]
    assert cast([True, False], "bool", "float32").tolist() == [1.0, 0.0]


def test_shape_and_layout_are_kept():
    got = hr.cast(hr.as_tensor(np.zeros((2, 3, 1), np.uint8), layout="HWC"), dtype=hr.float32)
    assert got.shape == (2, 3, 1) and got.layout == "HWC"
    assert np.asarray(hr.cast(hr.as_tensor(np.float32(2.5)), dtype=hr.int32)).shape == ()
    assert hr.cast(hr.as_tensor(np.zeros((0, 3), np.float32)), dtype=hr.int8).shape == (0, 3)


def test_strided_input():
    a = np.arange(24, dtype=np.int16).reshape(4, 6)[::-1, ::2]
    assert np.array_equal(np.asarray(hr.cast(a, dtype=hr.float64)), a)


def test_batch():
    got = hr.cast(hr.as_batch([np.float32([1.5]), np.float32([2.5, -3.5])]), dtype=hr.int8)
    assert [np.asarray(t).tolist() for t in got.tensors] == [[2], [3, -4]]


def test_wrong_arguments():
    with pytest.raises(TypeError):
        hr.cast(hr.as_tensor(np.zeros(1, np.uint8)))
    with pytest.raises((TypeError, ValueError)):
        hr.cast(hr.as_tensor(np.zeros(1, np.uint8)), dtype="no such type")
