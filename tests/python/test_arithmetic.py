"""Arithmetic and comparison: against NumPy and, for integers, against Python's own numbers."""
import math
from fractions import Fraction

import numpy as np
import pytest
from arithmetic_answers import (
    COMPARE, DTYPES, INTS, NUMBERS, SIGNS, array, assert_same, common, float_answer, integer_answer, pair,
    result_type, tensor)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as hr

# ---- types ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("a", DTYPES)
def test_every_pair_of_types(a, sign):
    for i, b in enumerate(DTYPES):
        x, y = pair(a, b, i)
        want = result_type(sign, a, b)
        if want is None:
            with pytest.raises(TypeError, match="%s.*%s" % (a, b)):
                SIGNS[sign](tensor(x), tensor(y))
            continue
        is_whole = want.kind in "iu"
        if is_whole and sign in ("//", "%"):
            x, y = x[y != 0], y[y != 0]
        if is_whole and sign == "**":
            y = y.astype(b) & np.array(63, np.uint8).astype(b) if b != "bool" else y
        got = array(SIGNS[sign](tensor(x), tensor(y)))
        if want.kind == "b":
            assert_same(got, SIGNS[sign](x, y))
        elif is_whole:
            assert_same(got, integer_answer(sign, x, y, want))
        else:
            # pow is a library function, each with its own last bit
            assert_same(got, float_answer(sign, x, y, want), 2e-3 * (want == np.float16) + 1e-6
                        if sign == "**" else 0.0)


@pytest.mark.parametrize("sign", COMPARE)
@pytest.mark.parametrize("a", DTYPES)
def test_comparison_of_every_pair(a, sign):
    for i, b in enumerate(DTYPES):
        x, y = pair(a, b, i)
        x[:20] = y[:20].astype(a) if np.dtype(b).kind != "f" else x[:20]
        got = array(COMPARE[sign](tensor(x), tensor(y)))
        t = common(a, b)
        if t.kind == "f":  # in that float type, as all arithmetic
            work = np.dtype("f4") if t == np.float16 else t
            want = COMPARE[sign](x.astype(work), y.astype(work))
        else:  # exact, whatever the types
            want = np.array([COMPARE[sign](int(p), int(q)) for p, q in zip(x, y)])
        assert_same(got, want)


def test_uint64_beside_int64_is_compared_by_value():
    big, minus = tensor(np.uint64([2**64 - 1, 2**63, 1])), tensor(np.int64([-1, -2**63, 1]))
    assert array(big == minus).tolist() == [False, False, True]
    assert array(big > minus).tolist() == [True, True, False]
    assert array(minus < big).tolist() == [True, True, False]
    assert array(big > -1).tolist() == [True] * 3


def test_uint64_beside_signed_numbers():
    big = tensor(np.uint64([2**64 - 1, 10]))
    assert array(big % 10).tolist() == [5, 0]
    assert array(big // 10).tolist() == [1844674407370955161, 1]
    assert array(big >> 60).tolist() == [15, 0]
    assert array(hr.math.min(big, 11)).tolist() == [11, 10]
    assert array(hr.math.max(big, 11)).tolist() == [2**63 - 1, 11]  # the nearest that int64 holds
    assert array(hr.math.clamp(big, 0, 5)).tolist() == [5, 5]


@pytest.mark.parametrize("value, dtype", [
    (1, "int32"), (-1, "int32"), (2**31 - 1, "int32"), (-2**31, "int32"), (1.5, "float32"),
    (True, "uint8"), (np.float64(2), "float64"), (np.int64(2), "int64"), (np.int8(1), "int16"),
    (np.uint8(1), "uint8"), (np.float16(1), "float16"), (np.bool_(True), "uint8"),
    ([1, 1], "int32"), ((1.0, 2.0), "float32"), (np.ones(2, np.int16), "int16"),
    (np.array(3, np.uint16), "uint16"), (np.arange(4, dtype=">i8")[::2], "int64"),
    (memoryview(b"ab"), "uint8"), (bytearray(b"ab"), "uint8")])
def test_what_may_stand_beside(value, dtype):
    t = tensor(np.uint8([1, 2]))
    for got in (t + value, value + t, hr.as_batch([t, t]) + value, value + hr.as_batch([t, t])):
        assert got.dtype == hr.dtype(dtype)
    assert array(t + value).tolist() == array(value + t).tolist()


@pytest.mark.parametrize("value", [2**31, -2**31 - 1, 2**40, 2**100])
def test_numbers_over_int32(value):
    t = tensor(np.int64([1, 2]))
    for call in (lambda: t + value, lambda: value - t, lambda: t < value):
        with pytest.raises(OverflowError, match=str(abs(value))):
            call()


@pytest.mark.parametrize("value", ["a", None, {}, object(), 1j, {1}])
@pytest.mark.parametrize("sign", SIGNS)
def test_what_may_not(value, sign):
    t = tensor(np.int32([1, 2]))
    for x in (t, hr.as_batch([t])):
        with pytest.raises(TypeError):
            SIGNS[sign](x, value)
        if sign != "%" or value != "a":  # which is formatting
            with pytest.raises(TypeError):
                SIGNS[sign](value, x)
        with pytest.raises(TypeError):
            assert x < value
        assert (x == value) is False and (x != value) is True


def test_errors_name_operator_types_and_line():
    t, f = tensor(np.bool_([1])), tensor(np.float32([1]))
    with pytest.raises(TypeError, match=r"operator -: .*bool and bool.*test_arithmetic\.py:\d+"):
        t - t
    with pytest.raises(TypeError, match="operator -x: .*bool"):
        -t
    with pytest.raises(TypeError, match="operator ~: .*float32"):
        ~f
    with pytest.raises(TypeError, match="operator <<: .*float32 and int32"):
        f << 1
    with pytest.raises(ValueError, match="operator //: integer division by zero.*line|test_arith"):
        tensor(np.int32([1])) // 0


# ---- zero, negative powers, shifts, NaN ------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("sign", ["//", "%"])
def test_integer_division_by_zero(dtype, sign):
    t = tensor(np.arange(2000).astype(dtype))
    last = np.ones(2000, dtype)
    last[-1] = 0
    for zero in (np.zeros((), dtype), last, 0 if dtype != "uint64" else np.uint64(0)):
        with pytest.raises(ValueError, match="zero"):
            SIGNS[sign](t, zero)
    batch = hr.as_batch([t, t])
    with pytest.raises(ValueError, match="sample 1.*zero"):
        SIGNS[sign](batch, hr.as_batch([np.ones((), dtype), np.zeros((), dtype)]))
    assert array(SIGNS[sign](tensor(np.zeros(0, dtype)), np.zeros(0, dtype))).size == 0


def test_division_by_zero_in_floats():
    f = tensor(np.float32([1, -1, 0]))
    assert array(f / 0).tolist()[:2] == [math.inf, -math.inf]
    assert math.isnan(array(f / 0)[2])
    assert np.isnan(array(f % 0)).all()
    assert array(tensor(np.uint8([3, 0])) / 2).tolist() == [1.5, 0]
    assert array(tensor(np.uint8([3])) / 0).tolist() == [math.inf]


def test_rounding_of_division_is_pythons():
    t = tensor(np.int32([7, -7, 7, -7]))
    d = np.int32([2, 2, -2, -2])
    assert array(t // d).tolist() == [3, -4, -4, 3]
    assert array(t % d).tolist() == [1, 1, -1, -1]
    f = tensor(np.float64([7.5, -7.5]))
    assert array(f // 2).tolist() == [3, -4]
    assert array(f % 2).tolist() == [1.5, 0.5]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_division_in_long_runs(dtype):
    """Blocks with and without values that need care."""
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(5000) * 10.0**rng.integers(-3, 5, 5000)).astype(dtype)
    y = (rng.standard_normal(5000) * 10.0**rng.integers(-2, 3, 5000)).astype(dtype)
    x[1500], x[1501], y[1502], x[1503] = np.inf, np.nan, 0, 1e30
    with np.errstate(all="ignore"):
        assert_same(array(tensor(x) % y), np.mod(x, y))
        got, want = array(tensor(x) // y), np.floor_divide(x, y)
        # NumPy's own quotient is rounded twice
        np.testing.assert_allclose(got, want, rtol=2.5 * np.finfo(dtype).eps)
    for q, p, d in zip(got[:1000], x, y):
        assert q == math.floor(Fraction(float(p)) / Fraction(float(d))) or abs(q) > 2**24


@pytest.mark.parametrize("a, b", [("int32", "int32"), ("uint8", "int8"), ("int64", "int16")])
def test_negative_powers_of_integers(a, b):
    with pytest.raises(ValueError, match="negative"):
        tensor(np.ones(3, a)) ** np.array([1, 2, -1], b)
    assert array(tensor(np.float32([2])) ** -1).tolist() == [0.5]
    assert array(hr.math.fpow(tensor(np.int32([2])), -1)).tolist() == [0.5]


def test_powers():
    x = tensor(np.float32([3, -3, 0.0, -0.0, np.inf, np.nan]))
    assert_same(array(x ** 2), np.float32([9, 9, 0, 0, np.inf, np.nan]))
    assert array(2 ** tensor(np.int32([0, 1, 31, 32]))).tolist() == [1, 2, -2**31, 0]
    assert array(tensor(np.int8([-2])) ** np.int8(7)).tolist() == [-128]


def test_shifts():
    t = tensor(np.int32([7, -7]))
    assert array(t << 32).tolist() == [0, 0]
    assert array(t >> 32).tolist() == [0, -1]
    assert array(t << -1).tolist() == [0, 0]
    assert array(tensor(np.uint8([255])) << np.uint8(7)).tolist() == [128]
    assert array(tensor(np.uint8([255])) << np.uint8(8)).tolist() == [0]


def test_integers_wrap():
    t = tensor(np.uint8([200, 255]))
    assert array(t + np.uint8(100)).tolist() == [44, 99]
    assert array(-t).tolist() == [56, 1]
    assert array(abs(tensor(np.int8([-128])))).tolist() == [-128]
    assert array(tensor(np.int32([-2**31])) // -1).tolist() == [-2**31]
    assert array(tensor(np.int64([-2**63])) % -1).tolist() == [0]
    assert array(tensor(np.uint64([2**64 - 1])) + 1).tolist() == [0]
    assert array(tensor(np.uint64([2**64 - 1])) - 1).tolist() == [-2]


def test_nan_and_infinity():
    x = np.float32([np.nan, np.inf, -np.inf, 1])
    t = tensor(x)
    assert array(t == t).tolist() == [False, True, True, True]
    assert array(t != t).tolist() == [True, False, False, False]
    assert not array(t < np.nan).any() and not array(t >= np.nan).any()
    assert_same(array(hr.math.min(t, 0.5)), np.minimum(x, np.float32(0.5)))
    assert_same(array(hr.math.max(0.5, t)), np.maximum(np.float32(0.5), x))
    assert_same(array(hr.math.clamp(t, -1.0, 2.0)), np.clip(x, -1, 2))
    assert np.isnan(array(hr.math.clamp(1.0, t, 2.0))[0])


def test_bool():
    a, b = tensor(np.bool_([0, 0, 1, 1])), np.bool_([0, 1, 0, 1])
    assert array(a & b).tolist() == [False, False, False, True]
    assert array(a | b).tolist() == [False, True, True, True]
    assert array(a ^ b).tolist() == [False, True, True, False]
    assert array(a * b).tolist() == [False, False, False, True]
    assert array(~a).tolist() == [True, True, False, False]
    assert array(a < b).tolist() == [False, True, False, False]
    assert (a + 1).dtype == hr.int32 and array(a + 1).tolist() == [1, 1, 2, 2]
    assert (a * np.float64(2)).dtype == hr.float64
    assert (abs(a)).dtype == hr.bool and (+a) is a
    assert array(hr.math.max(a, b)).tolist() == [False, True, True, True]


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%"])
def test_float16_is_rounded_once(sign):
    x, y = pair("float16", "float16", 3)
    assert_same(array(SIGNS[sign](tensor(x), tensor(y))), float_answer(sign, x, y, np.dtype("f2")))


def test_bfloat16():
    t = hr.cast(tensor(np.float32([1, 2.5, -3])), dtype=hr.bfloat16)
    assert (t + t).dtype == hr.bfloat16 and (t + 1).dtype == hr.bfloat16
    assert (t + np.float32(1)).dtype == hr.float32 and (t < 1).dtype == hr.bool
    assert (t + np.float16(1)).dtype == hr.float32  # neither holds the other
    assert array(hr.cast(t * 2, dtype=hr.float32)).tolist() == [2, 5, -6]
    assert array(hr.cast(hr.math.sqrt(t * t), dtype=hr.float32)).tolist() == [1, 2.5, 3]


def test_pow_takes_no_modulus():
    t = tensor(np.int32([2]))
    assert array(pow(t, 3)).tolist() == [8]
    with pytest.raises(TypeError, match="modulus"):
        pow(t, 3, 5)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), dtype=st.sampled_from(NUMBERS), sign=st.sampled_from(["+", "-", "*", "//", "%"]))
def test_any_values(data, dtype, sign):
    x = data.draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=3, max_side=6, min_side=0)))
    y = data.draw(hnp.arrays(dtype, x.shape))
    t = np.dtype(dtype)
    if t.kind != "f":
        if sign in ("//", "%"):
            y = np.where(y == 0, 1, y).astype(t)
        want = integer_answer(sign, x.ravel(), y.ravel(), t).reshape(x.shape)
        assert_same(array(SIGNS[sign](tensor(x), tensor(y))), want)
    elif sign not in ("//", "%"):  # huge quotients: NumPy's own are not exact
        assert_same(array(SIGNS[sign](tensor(x), tensor(y))), float_answer(sign, x, y, t))
