"""Arithmetic, comparison and math: against NumPy and, for integers, against Python's own numbers."""
import inspect
import math
import operator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as hr

INTS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
FLOATS = ["float16", "float32", "float64"]
NUMBERS = INTS + FLOATS
DTYPES = NUMBERS + ["bool"]
SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
         "//": operator.floordiv, "%": operator.mod, "**": operator.pow, "&": operator.and_,
         "|": operator.or_, "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift}
COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le,
           ">": operator.gt, ">=": operator.ge}
BITS = ("&", "|", "^", "<<", ">>")


def tensor(a, layout=None):
    return hr.as_tensor(a, layout=layout)


def array(x):
    return np.asarray(x)


# ---- types ---------------------------------------------------------------------------------------


def common(a, b):
    """The promotion rules, said anew."""
    a, b = np.dtype(a), np.dtype(b)
    if a == b or b.kind == "b":
        return a
    if a.kind == "b":
        return b
    if "f" in a.kind + b.kind:
        floats = [t for t in (a, b) if t.kind == "f"]
        return max(floats, key=lambda t: t.itemsize)
    if a.kind == b.kind:
        return max(a, b, key=lambda t: t.itemsize)
    natural, whole = (a, b) if a.kind == "u" else (b, a)
    size = max(whole.itemsize, min(8, 2 * natural.itemsize))
    return np.dtype("i%d" % size)


def result_type(sign, a, b):
    """None: not for these operands."""
    t = common(a, b)
    if np.dtype(a).kind == np.dtype(b).kind == "b" and sign not in ("&", "|", "^", "*"):
        return None
    if sign in BITS and t.kind == "f":
        return None
    return np.dtype("f4") if sign == "/" and t.kind != "f" else t


def numbers(dtype, seed, n=60):
    """Values of a type with its edges."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "f":
        edges = np.array([0.0, -0.0, 1, -1, 2, 0.5, -2.5, np.inf, -np.inf, np.nan], dtype)
        return np.concatenate([edges, (rng.standard_normal(n - 10) * 50).astype(dtype)])
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    edges = np.array([low, low + 1, high, high - 1, 0, 1, 2, 3, 7, high // 2], dtype)
    whole = rng.integers(low, high, n - 10, dtype, endpoint=True)
    return np.concatenate([edges, whole >> rng.integers(0, 8 * dtype.itemsize, n - 10).astype(dtype)])


def pair(a, b, seed=0):
    """All pairs of some values, both ways round."""
    x, y = numbers(a, seed), numbers(b, seed + 1)
    rng = np.random.default_rng(seed)
    return x[rng.integers(0, len(x), 500)], y[rng.integers(0, len(y), 500)]


def wrap(value, dtype):
    bits = 8 * dtype.itemsize
    value &= 2**bits - 1
    return value - 2**bits if dtype.kind == "i" and value >= 2**(bits - 1) else value


def python_answer(sign, x, y, dtype):
    """An element by Python's integers, wrapped to the type."""
    bits = 8 * dtype.itemsize
    if sign == "<<":
        return wrap(x << y, dtype) if 0 <= y < bits else 0
    if sign == ">>":
        return wrap(x >> y, dtype) if 0 <= y < bits else (-1 if x < 0 else 0)
    if sign == "**":
        return wrap(pow(x, y, 2**bits), dtype)
    return wrap(SIGNS[sign](x, y), dtype)


def integer_answer(sign, a, b, dtype):
    values = [python_answer(sign, int(x), int(y), dtype) for x, y in zip(a, b)]
    return np.array(values, dtype=dtype if values else dtype)


def float_answer(sign, a, b, dtype):
    work = np.dtype("f4") if dtype == np.float16 else dtype
    with np.errstate(all="ignore"):
        return SIGNS[sign](a.astype(work), b.astype(work)).astype(dtype)


def assert_same(got, want, tolerance=0.0):
    assert got.dtype == want.dtype and got.shape == want.shape
    if tolerance:
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=0)
    else:
        np.testing.assert_array_equal(got, want)
        if want.dtype.kind == "f":
            there = ~np.isnan(want)
            np.testing.assert_array_equal(np.signbit(got)[there], np.signbit(want)[there])


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


# ---- shapes --------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, max_side=5, min_side=0),
       types=st.tuples(st.sampled_from(["uint8", "int16", "float32", "float64", "bool"]),
                       st.sampled_from(["uint8", "int16", "float32", "float64"])),
       sign=st.sampled_from(["+", "*", "<"]), flip=st.booleans())
def test_broadcasting(shapes, types, sign, flip):
    rng = np.random.default_rng(len(str(shapes)))
    x, y = [(rng.random(s) * 100).astype(t) for s, t in zip(shapes.input_shapes, types)]
    if flip:  # operands that are not packed
        x = x.copy(order="F")
        y = y[..., ::-1] if y.ndim else y
    act = {**SIGNS, **COMPARE}[sign]
    got, back = array(act(tensor(x), tensor(y))), array(act(tensor(y), tensor(x)))
    x1, y1 = [np.array(v, common(*types), ndmin=1) for v in (x, y)]  # numbers would warn
    want = act(x1, y1).reshape(shapes.result_shape)
    assert got.shape == back.shape == shapes.result_shape
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(back, act(y1, x1).reshape(back.shape))
    batch = hr.as_batch([x, x]) if x.ndim else hr.as_batch([tensor(x)] * 2)
    for sample in act(batch, tensor(y)).tensors:
        np.testing.assert_array_equal(array(sample), want)


LONG = [((64, 65, 3), (3,)), ((64, 65, 3), (64, 65, 1)), ((64, 65, 3), (64, 1, 1)), ((7, 1500), (1500,)),
        ((64, 65, 3), (65, 3)), ((64, 65, 3), (1, 65, 1)), ((5, 1, 700), (3, 1)), ((2500,), (1,)),
        ((40, 1, 50), (1, 60, 1)), ((1, 2, 1, 900), (3, 1, 2, 1)), ((33, 1), (1, 44)), ((4, 1025), (1025,)),
        ((2, 1, 3000), (2, 2, 1)), ((11, 13, 17), (13, 1)), ((11, 13, 17), (11, 1, 17))]


@pytest.mark.parametrize("types", [("uint8", "float32"), ("float32", "float32"), ("int16", "int64"),
                                   ("float64", "float16"), ("bool", "uint8")])
@pytest.mark.parametrize("shapes", LONG, ids=str)
def test_broadcasting_over_several_blocks(shapes, types):
    rng = np.random.default_rng(2)
    x, y = [(rng.random(s) * 100).astype(t) for s, t in zip(shapes, types)]
    t = common(*types)
    np.testing.assert_array_equal(array(tensor(x) + y), x.astype(t) + y.astype(t))
    np.testing.assert_array_equal(array(y < tensor(x)), y < x)
    top = np.array(40 if types[0] != "bool" else 1, types[0])
    got = array(hr.math.clamp(tensor(x), y, tensor(top)))
    np.testing.assert_array_equal(got, np.minimum(np.maximum(x.astype(t), y.astype(t)), top))


@pytest.mark.parametrize("a, b", [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((2, 1, 3), (4, 2))])
def test_shapes_that_do_not_go_together(a, b):
    with pytest.raises(ValueError, match="extents %d and %d in axis 1 from the right" % (a[-1], b[-1])):
        tensor(np.zeros(a)) + np.zeros(b)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (1, 1)])
def test_few_or_no_elements(shape):
    x = np.ones(shape, np.int32)
    got = tensor(x) + 1
    assert isinstance(got, hr.Tensor) and got.shape == shape and got.dtype == hr.int32
    assert (array(got) == 2).all()
    assert (tensor(x) + np.ones((1,) * len(shape))).shape == shape
    assert hr.math.sqrt(tensor(x)).shape == shape


def test_layouts():
    def make(shape, layout):
        return tensor(np.ones(shape, np.uint8), layout)
    hwc, c, plain = make((2, 2, 2), "HWC"), make((2,), "C"), make((2,), None)
    for other in (1, 2.5, c, plain, make((2, 2), "WC"), make((1,), "C"), hwc, tensor(np.uint8(1))):
        assert (hwc + other).layout == (other + hwc).layout == "HWC"
        assert (hwc < other).layout == "HWC"
    assert (make((2, 2), None) + make((2, 2), "HW")).layout == "HW"
    assert (c + make((3, 2), None)).layout is None
    assert hr.math.sqrt(hwc).layout == (-hwc).layout == "HWC"
    assert hr.math.clamp(hwc, c, 3).layout == "HWC"
    for other in (make((2, 2), "HW"), make((1,), "X"), make((2, 2, 2), "CHW")):
        with pytest.raises(ValueError, match='"HWC" and "%s"' % other.layout):
            hwc + other


# ---- batches --------------------------------------------------------------------------------------------


RAGGED = [np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(12, dtype=np.int32).reshape(4, 3)]


def samples(batch):
    return [array(t) for t in batch.tensors]


@pytest.mark.parametrize("sign", [*SIGNS, *COMPARE])
def test_batches_are_their_samples(sign):
    act = {**SIGNS, **COMPARE}[sign]
    b = hr.as_batch(RAGGED) + 1
    per_sample = hr.as_batch([np.int32(3), np.int32(2)])
    for other, each in [(b, samples(b)), (2, [2, 2]), (tensor(np.int32([1, 2, 3])), [np.int32([1, 2, 3])] * 2),
                        (np.int32([3, 2, 1]), [np.int32([3, 2, 1])] * 2), (per_sample, samples(per_sample)),
                        ([1, 2, 3], [np.int32([1, 2, 3])] * 2)]:
        for left in (True, False):
            got = act(b, other) if left else act(other, b)
            assert isinstance(got, hr.Batch)
            for g, x, y in zip(samples(got), samples(b), each):
                want = array(act(tensor(x), y) if left else act(y, tensor(x)))
                assert_same(g, want)


def test_batches_of_unequal_size():
    with pytest.raises(ValueError, match="3.*2|2.*3"):
        hr.as_batch(RAGGED) + hr.as_batch([np.int32(1)] * 3)


def test_shapes_of_one_sample_that_do_not_fit():
    with pytest.raises(ValueError, match="sample 1.*extents"):
        hr.as_batch([np.ones(2), np.ones(3)]) + np.ones(2)


def test_empty_batch():
    none = hr.batch([], dtype=hr.uint8)
    for got in (none + 1, 1 + none, none + none, none * 2.5, -none):
        assert got.batch_size == 0
    assert (none * 2.5).dtype == hr.float32 and (none == none).dtype == hr.bool


@pytest.mark.parametrize("threads", [1, 4])
def test_many_samples_on_threads(threads):
    rng = np.random.default_rng(0)
    data = [rng.integers(0, 255, (rng.integers(1, 90), 77, 3), np.uint8) for _ in range(20)]
    scale = np.float32([0.5, 0.25, 2])
    with hr.EvalContext(num_threads=threads):
        got = hr.as_batch(data) * scale - np.float32(1)
        for g, x in zip(samples(got), data):
            np.testing.assert_array_equal(g, x * scale - np.float32(1))


# ---- NumPy on the left -------------------------------------------------------------------------------------


def test_numpy_on_the_left_gives_ours():
    t = tensor(np.uint8([1, 2, 3]))
    for got in (np.float32(2) * t, np.arange(3) + t, np.bool_(True) & (t > 1), np.array(5) - t,
                np.arange(3)[::-1] - t, np.int64(1) << t, np.float32(2) < t, np.arange(3) == t):
        assert isinstance(got, hr.Tensor)
    assert array(np.array(5) - t).tolist() == [4, 3, 2]
    b = hr.as_batch([t, t])
    for got in (np.float32(2) * b, np.ones((2, 1)) * b, np.arange(3) == b):
        assert isinstance(got, hr.Batch)
    assert [x.tolist() for x in samples(np.array(5) - b)] == [[4, 3, 2]] * 2


def test_numpys_functions_stay_numpys():
    t = tensor(np.float32([1, 4]))
    for got in (np.sqrt(t), np.add(t, 1), np.add(1, t), np.multiply(t, t), np.maximum(t, np.float32(2)),
                np.where(t > 1, t, 0), np.clip(t, 0, 1)):
        assert isinstance(got, np.ndarray)
    assert np.add.reduce(t) == 5 and np.sum(t) == 5
    assert np.add(t, 1, where=t > 1, out=np.zeros(2, np.float32)).tolist() == [0, 5]
    with pytest.raises(TypeError, match="out"):
        np.add(np.ones(2), t, out=t)
    with pytest.raises(TypeError):
        np.sqrt(hr.as_batch([t]))


def test_arrays_are_changed_in_place():
    x = np.arange(2.0)
    same = x
    x += tensor(np.float32([1, 2]))
    assert x is same and x.tolist() == [1, 3]


def test_tensors_are_not():
    t = tensor(np.float32([1, 2]))
    same = t
    t += 1
    assert t is not same and array(same).tolist() == [1, 2] and array(t).tolist() == [2, 3]


# ---- math ----------------------------------------------------------------------------------------------------


UNARY = {"sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "exp": np.exp, "log": np.log,
         "log2": np.log2, "log10": np.log10, "fabs": np.fabs, "floor": np.floor, "ceil": np.ceil,
         "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos,
         "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh,
         "acosh": np.arccosh, "atanh": np.arctanh}


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions(name, dtype):
    x = numbers(dtype, 5) if dtype != "bool" else np.bool_([0, 1])
    if np.dtype(dtype).kind == "f":
        x = np.concatenate([x, np.linspace(-1.5, 1.5, 50).astype(dtype), np.linspace(0, 90, 50).astype(dtype)])
    work = np.dtype(dtype if dtype in ("float32", "float64") else "float32")
    with np.errstate(all="ignore"):
        want = UNARY[name](x.astype(work).astype("f8"))
        want = want.astype(work).astype(dtype if np.dtype(dtype).kind == "f" else work)
    got = array(getattr(hr.math, name)(tensor(x)))
    assert got.dtype == want.dtype
    # a library function's last bits; the largest integers lose some in their conversion
    np.testing.assert_allclose(got, want, rtol={2: 2e-3, 4: 3e-6, 8: 1e-13}[got.dtype.itemsize],
                               atol={2: 1e-3, 4: 1e-6, 8: 1e-13}[got.dtype.itemsize] * 10)


@pytest.mark.parametrize("dtype", DTYPES)
def test_abs(dtype):
    x = numbers(dtype, 1)
    with np.errstate(all="ignore"):
        assert_same(array(hr.math.abs(tensor(x))), np.abs(x))
        assert_same(array(abs(tensor(x))), np.abs(x))


@pytest.mark.parametrize("a", DTYPES)
def test_min_max_clamp(a):
    for i, b in enumerate(DTYPES):
        if {a, b} & {"uint64"} and "i" in np.dtype(a).kind + np.dtype(b).kind:
            continue  # test_uint64_beside_signed_numbers
        x, y = pair(a, b, i)
        t = common(a, b)
        for ours, numpys in ((hr.math.min, np.minimum), (hr.math.max, np.maximum)):
            np.testing.assert_array_equal(array(ours(tensor(x), tensor(y))),
                                          numpys(x.astype(t), y.astype(t)), strict=True)
        want = np.minimum(np.maximum(x.astype(t), y.astype(t)), x[::-1].astype(t))
        got = array(hr.math.clamp(tensor(x), tensor(y), tensor(x[::-1])))
        np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize("a, b, dtype", [
    ("uint8", "int8", "float32"), ("int64", "uint64", "float32"), ("float64", "float32", "float64"),
    ("float16", "int32", "float16"), ("bool", "uint8", "float32")])
def test_functions_of_two(a, b, dtype):
    x, y = np.array([1, 2, 3]).astype(a), np.array([2, 1, 2]).astype(b)
    assert_same(array(hr.math.fpow(tensor(x), tensor(y))),
                np.power(x.astype("f8"), y.astype("f8")).astype(dtype))
    np.testing.assert_allclose(array(hr.math.atan2(tensor(x), tensor(y))),
                               np.arctan2(x.astype("f8"), y.astype("f8")), rtol=1e-3)
    assert hr.math.atan2(tensor(x), tensor(y)).dtype == hr.dtype(dtype)


def test_functions_of_numbers_and_lists():
    assert array(hr.math.sqrt(4)).tolist() == 2 and hr.math.sqrt(4).dtype == hr.float32
    assert array(hr.math.sqrt([1, 4])).tolist() == [1, 2]
    assert hr.math.abs(-3).dtype == hr.int32
    assert array(hr.math.min(1, 2)).tolist() == 1
    assert hr.math.clamp(tensor(np.uint8([1])), 0, 5).dtype == hr.int32
    assert hr.math.clamp(tensor(np.uint8([1])), np.uint8(0), np.uint8(5)).dtype == hr.uint8
    assert array(hr.math.clamp(tensor(np.int32([5])), 3, 1)).tolist() == [1]  # as numpy.clip
    assert array(hr.math.clamp(5, tensor(np.int32([1, 7])), 10)).tolist() == [5, 7]


def test_names_of_arguments():
    x = tensor(np.int32([1, 5]))
    for got in (hr.math.clamp(x, lo=2, hi=3), hr.math.clamp(x, 2, hi=3), hr.math.clamp(hi=3, value=x, lo=2),
                hr.math.clamp(x, hi=3, lo=2, device="cpu")):
        assert array(got).tolist() == [2, 3]
    assert array(hr.math.pow(base=2, exponent=x)).tolist() == [2, 32]
    assert array(hr.math.min(x, right=3)).tolist() == [1, 3]
    assert array(hr.math.sqrt(input=4)).tolist() == 2
    assert hr.math.sqrt(input=4, batch_size=3).batch_size == 3
    assert array(hr.math.atan2(x=1, y=0)).tolist() == pytest.approx(math.pi / 2)
    assert str(inspect.signature(hr.math.clamp)).startswith("(value: ")
    for call, words in ((lambda: hr.math.min(right=3), "`left` is missing"),
                        (lambda: hr.math.min(x, 1, right=3), "`right` is given twice"),
                        (lambda: hr.math.min(x, left=3), "`right` is missing"),
                        (lambda: hr.math.min(x, right=3, foo=1), "foo"),
                        (lambda: hr.math.sqrt(x=1), "`input` is missing")):
        with pytest.raises(TypeError, match=words):
            call()


@pytest.mark.parametrize("call", [
    lambda: hr.math.sqrt(), lambda: hr.math.min(1), lambda: hr.math.min(1, 2, 3), lambda: hr.math.sqrt("a"),
    lambda: hr.math.clamp(1, 2), lambda: hr.math.sqrt(1, 2), lambda: hr.math.sqrt(x=1), lambda: hr.math.sqrt(None)])
def test_wrong_calls(call):
    with pytest.raises(TypeError):
        call()


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
