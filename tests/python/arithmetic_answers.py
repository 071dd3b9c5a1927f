"""What arithmetic is to give: types by the rules, values by NumPy and by Python's own integers."""
import operator

import numpy as np

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
    return np.array(values, dtype=dtype)


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
