"""hr.math's functions: types, names of arguments, wrong calls. (Their last bits: test_math.py.)"""
import inspect
import math

import numpy as np
import pytest
from arithmetic_answers import DTYPES, array, assert_same, common, numbers, pair, tensor

import headrace as hr

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
