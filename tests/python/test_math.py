"""The float functions of hr.math: error in units of the last place against long double, what they give
for values without a finite answer (as NumPy), and the same bits at every CPU level."""
import numpy as np
import pytest
from test_contract import LEVELS

import headrace as hr
from headrace import _core

FUNCTIONS = {"exp": "exp", "log": "log", "log2": "log2", "log10": "log10", "sin": "sin", "cos": "cos", "tan": "tan",
             "asin": "arcsin", "acos": "arccos", "atan": "arctan", "sinh": "sinh", "cosh": "cosh",
             "tanh": "tanh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "cbrt": "cbrt",
             "sqrt": "sqrt"}
PAIRS = {"pow": "power", "fpow": "power", "atan2": "arctan2"}
DTYPES = ["float32", "float64"]
LIMIT = {"float32": 1.0, "float64": 2.0}  # units of the last place
LONG = np.longdouble
needs_long = pytest.mark.skipif(np.finfo(LONG).nmant < 63, reason="long double is double here")


def specials(dtype):
    f = np.finfo(dtype)
    some = [0.0, 1.0, 2.0, 3.0, 0.5, np.inf, f.tiny, f.smallest_subnormal, f.max, f.eps, 1 + f.eps, 1 - f.eps / 2,
            89.0, 104.0, 710.0, 746.0, 2.0**20, 2.0**40, 2.0**51, 2.0**52 + 1, 1e30]
    return np.array(some + [-x for x in some] + [np.nan], dtype)


def spread(dtype, seed, n=20000):
    """Values of every size: bit patterns, and where functions bend."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 256, n * np.dtype(dtype).itemsize, np.uint8).view(dtype)
    near = [rng.normal(0, 1, n), rng.uniform(-1, 1, n), rng.uniform(0.9, 1.1, n), rng.uniform(-800, 800, n),
            rng.normal(0, 1e5, n), 10 ** rng.uniform(-12, 3, n), np.pi * np.arange(-3000, 3000) / 4,
            np.arange(-2000, 2000) / 8]
    return np.concatenate([bits[~np.isnan(bits)], *(x.astype(dtype) for x in near), specials(dtype)])


def twos(dtype, seed):
    rng = np.random.default_rng(seed)
    every = specials(dtype)
    x, y = (g.ravel() for g in np.meshgrid(every, every))
    n = 20000
    more = [(rng.uniform(0, 10, n), rng.normal(0, 10, n)), (10 ** rng.uniform(-30, 30, n), rng.normal(0, 2, n)),
            (rng.normal(0, 3, n), rng.integers(-9, 9, n)), (rng.uniform(0.9, 1.1, n), rng.normal(0, 1e3, n)),
            (spread(dtype, 5)[:n], spread(dtype, 6)[:n])]
    return [np.concatenate([first, *(m[i].astype(dtype) for m in more)]) for i, first in enumerate((x, y))]


def ours(name, *arrays):
    return np.asarray(getattr(hr.math, name)(*(hr.as_tensor(a) for a in arrays)))


def errors(got, want, dtype):
    """Units of the last place, where the answer is finite in the type."""
    with np.errstate(all="ignore"):
        there = np.isfinite(want.astype(dtype)) & np.isfinite(got)
        unit = np.maximum(np.spacing(np.abs(want[there].astype(dtype))), np.finfo(dtype).smallest_subnormal)
        return np.abs(got[there].astype(LONG) - want[there]) / unit.astype(LONG)


def check(name, theirs, dtype, arrays):
    got = ours(name, *arrays)
    with np.errstate(all="ignore"):
        want = getattr(np, theirs)(*(a.astype(LONG) for a in arrays))
        narrow = want.astype(dtype)
    assert got.dtype == dtype
    assert errors(got, want, dtype).max() <= LIMIT[dtype]
    np.testing.assert_array_equal(np.isnan(got), np.isnan(narrow))
    # at the type's end an infinity and the largest number are neighbours
    differ = np.isinf(got) != np.isinf(narrow)
    assert (np.abs(want[differ]) >= np.finfo(dtype).max * (1 - np.finfo(dtype).eps)).all()
    both = np.isinf(got) & np.isinf(narrow) | (got == 0) & (narrow == 0)
    np.testing.assert_array_equal(np.signbit(got[both]), np.signbit(narrow[both]))


@needs_long
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_within_units_of_the_last_place(name, dtype):
    check(name, FUNCTIONS[name], dtype, [spread(dtype, 1)])


@needs_long
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PAIRS)
def test_two_arguments_within_units_of_the_last_place(name, dtype):
    check(name, PAIRS[name], dtype, twos(dtype, 2))


def same_bits(results):
    for r in results[1:]:
        np.testing.assert_array_equal(np.isnan(r), np.isnan(results[0]))
        there = ~np.isnan(r)
        assert r[there].tobytes() == results[0][there].tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", [*FUNCTIONS, *PAIRS])
def test_the_same_bits_at_every_cpu_level(name, dtype):
    arrays = twos(dtype, 3) if name in PAIRS else [spread(dtype, 4)]
    before = _core.cpu_level()
    results = []
    try:
        for level in LEVELS:
            _core.set_cpu_level(level)
            results.append(ours(name, *arrays))
    finally:
        _core.set_cpu_level(before)
    same_bits(results)


@pytest.mark.parametrize("name", [*FUNCTIONS, *PAIRS])
def test_an_element_does_not_depend_on_its_place(name):
    """The elements at the end of a run, and alone, go through other instructions."""
    arrays = [a[-61:] for a in (twos("float32", 3) if name in PAIRS else [spread("float32", 4)])]
    whole = ours(name, *arrays)
    same_bits([whole, np.concatenate([ours(name, *(a[i:i + 1] for a in arrays)) for i in range(61)])])


def test_negative_bases():
    minus = hr.as_tensor(np.float32([-2, -2, -2, -0.0, -0.0, -1]))
    y = hr.as_tensor(np.float32([3, 4, 0.5, 3, -2.5, np.inf]))
    got = np.asarray(hr.math.pow(minus, y))
    np.testing.assert_array_equal(got, np.float32([-8, 16, np.nan, -0.0, np.inf, 1]))
    assert np.signbit(got[3])
