"""reductions.*: against NumPy in float64, every type and set of axes."""
import itertools

import numpy as np
import pytest

import headrace as hr

R = hr.reductions
INTS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
REALS = ["float16", "float32", "float64"]
SHAPES = [(), (1,), (5,), (300,), (5000,), (30, 41), (20, 30, 3), (3, 20, 30), (2, 700, 3),
          (2, 3, 4, 5), (3, 1, 4), (1, 1, 3), (4, 2000)]


def sample(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTS:
        low = max(np.iinfo(dtype).min, -100)
        return np.asarray(rng.integers(low, 120, shape)).astype(dtype)
    return np.asarray(rng.normal(3, 20, shape)).astype(dtype)


def wide(a):
    return a.astype(np.uint8).astype(np.float64) if a.dtype == bool else a.astype(np.float64)


def subsets(n):
    return itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(n + 1))


def close(got, want, dtype):
    got = np.asarray(got)
    assert got.shape == np.shape(want)
    tolerance = 1e-3 if dtype == "float16" else 1e-6
    assert np.allclose(got.astype(np.float64), want, rtol=tolerance, atol=1e-5)


@pytest.mark.parametrize("dtype", INTS + REALS + ["bool"])
@pytest.mark.parametrize("shape", SHAPES)
def test_against_numpy(dtype, shape):
    a = sample(shape, dtype)
    w = wide(a)
    for axes in subsets(len(shape)):
        for keep in (False, True):
            named = {"axes": list(axes), "keep_dims": keep}
            mean = w.mean(axes, keepdims=keep) if axes else w
            square = (w * w).mean(axes, keepdims=keep) if axes else w * w
            close(R.sum(a, **named), w.sum(axes, keepdims=keep), dtype)
            close(R.mean(a, **named), mean, dtype)
            close(R.mean_square(a, **named), square, dtype)
            close(R.rms(a, **named), np.sqrt(square), dtype)
            assert np.array_equal(np.asarray(R.max(a, **named)), a.max(axes, keepdims=keep))
            assert np.array_equal(np.asarray(R.min(a, **named)), a.min(axes, keepdims=keep))
            variance = w.var(axes, keepdims=keep) if axes else w * 0
            close(R.variance(a, mean, **named), variance, dtype)
            close(R.std_dev(a, mean, **named), np.sqrt(variance), dtype)


@pytest.mark.parametrize("dtype", INTS)
def test_sums_of_integers_are_exact_and_wrap_as_numpy_s(dtype):
    info = np.iinfo(dtype)
    a = np.random.default_rng(1).integers(info.min, info.max, (40, 333), dtype, endpoint=True)
    for axes in ([0], [1], [0, 1]):
        got = np.asarray(R.sum(a, axes=axes))
        want = a.sum(tuple(axes))
        assert got.dtype == want.dtype and np.array_equal(got, want)
        for out in INTS:
            got = np.asarray(R.sum(a, axes=axes, dtype=out))
            assert np.array_equal(got, a.sum(tuple(axes), dtype=out))


def test_result_types():
    for dtype in INTS + REALS + ["bool"]:
        a = sample((4,), dtype)
        is_real = dtype in REALS
        want = ("float64" if dtype == "float64" else "float32") if is_real else \
            "int64" if dtype.startswith("int") else "uint64"
        assert str(np.asarray(R.sum(a)).dtype) == want
        assert np.asarray(R.mean(a)).dtype == ("float64" if dtype == "float64" else "float32")
        assert np.asarray(R.max(a)).dtype == dtype
        assert np.asarray(R.variance(a, 0)).dtype == np.asarray(R.mean(a)).dtype


def test_means_as_integers_are_cut_off():
    assert R.mean(np.uint8([2, 3]), dtype="uint8").item() == 2
    assert R.mean(np.int8([-1, -2]), dtype="int8").item() == -1
    assert R.mean(np.uint8([200, 201]), dtype="uint8").item() == 200
    assert R.mean(np.uint32([70000, 70000]), dtype="uint8").item() == 255
    assert R.mean(np.int64([2**53 + 1] * 2), dtype="int64").item() == 2**53 + 1
    assert R.rms(np.uint8([200, 200]), dtype="uint8").item() == 200
    assert R.mean_square(np.float32([1.5]), dtype="int32").item() == 2


def test_wide_integers_do_not_overflow():
    a = np.array([2**62] * 3)
    assert R.mean(a).item() == 2.0**62
    assert R.rms(np.array([2**40] * 2)).item() == 2.0**40
    assert R.sum(np.array([2**63] * 3, np.uint64), dtype="float64").item() == 3 * 2.0**63


def test_many_floats_keep_their_sum():
    a = np.full(10**6 + 1, 0.1, np.float32)
    want = float(np.float32(0.1)) * len(a)
    assert abs(R.sum(a, dtype="float64").item() - want) <= 1e-9 * want
    for shape in ((-1, 1), (-1, 3), (3, -1)):
        b = a[:999999].reshape(shape)
        got = np.asarray(R.sum(b, axes=[0], dtype="float64")).sum()
        assert abs(got - float(np.float32(0.1)) * b.size) <= 1e-9 * want


def test_nan_and_infinity():
    a = np.float32([[1, np.nan, 3], [np.nan, np.nan, np.nan], [np.inf, -np.inf, 0]])
    assert np.asarray(R.max(a, axes=[1])).tolist() == [3, -np.inf, np.inf]
    assert np.asarray(R.min(a, axes=[1])).tolist() == [1, np.inf, -np.inf]
    assert np.isnan(np.asarray(R.sum(a, axes=[1]))).tolist() == [True, True, True]
    long = np.full(500, -3, np.float32)
    long[::7] = np.nan
    assert R.max(long).item() == -3


def test_nothing_to_reduce():
    a = np.zeros((0, 3), np.float32)
    assert np.asarray(R.sum(a, axes=[0])).tolist() == [0, 0, 0]
    assert np.isnan(np.asarray(R.mean(a, axes=[0]))).all()
    assert R.sum(a, axes=[1]).shape == (0,)
    assert R.sum(np.zeros((2, 0, 3)), axes=[1]).shape == (2, 3)
    assert np.asarray(R.max(a.astype("int8"), axes=[0])).tolist() == [-128] * 3
    assert np.asarray(R.min(a.astype("uint16"), axes=[0])).tolist() == [65535] * 3
    assert R.mean(a.astype("int32"), dtype="int32").item() == 0


@pytest.mark.parametrize("ddof", [-3, 0, 1, 5, 6, 9])
def test_ddof(ddof):
    a = sample((6,), "float32")
    with np.errstate(all="ignore"):
        want = ((a - 1.0) ** 2).sum() / max(6 - ddof, 0)
    assert np.isclose(R.variance(a, 1.0, ddof=ddof).item(), want)
    assert np.isclose(R.std_dev(a, 1.0, ddof=ddof).item(), np.sqrt(want))
    assert np.isnan(R.variance(np.float32([1]), 1.0, ddof=1).item())


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1, 1), (4, 3), (4, 1, 3), (1, 4, 3)])
def test_shapes_of_the_mean(shape):
    a = sample((4, 5, 3), "float32")
    mean = sample(shape, "float32", 3)
    full = mean.reshape(-1)[0] if mean.size == 1 else mean.reshape(4, 1, 3)
    close(R.variance(a, mean, axes=[1]), ((a - full).astype(float) ** 2).mean(1), "float32")


def test_layouts_and_names():
    t = hr.as_tensor(sample((4, 5, 3), "uint8"), layout="HWC")
    assert R.sum(t, axis_names="WH").layout == "C"
    assert R.sum(t, axes=[1]).layout == "HC"
    assert R.sum(t, axes=[1], keep_dims=True).layout == "HWC"
    assert R.sum(t).layout is None
    assert np.array_equal(np.asarray(R.max(t, axis_names="HW")), np.asarray(t).max((0, 1)))


def test_batches():
    a = [sample((4, 3), "int16", i) for i in range(3)]
    out = R.sum(hr.as_batch(a), axes=[0])
    assert all(np.array_equal(np.asarray(t), s.sum(0)) for t, s in zip(out.tensors, a))
    out = R.variance(hr.as_batch(a), hr.as_batch([s.mean() for s in a]))
    assert all(np.isclose(t.item(), s.var()) for t, s in zip(out.tensors, a))


@pytest.mark.parametrize("named, kind, words", [
    ({"axes": [0, 0]}, ValueError, "twice"),
    ({"axes": [1, -1]}, ValueError, "twice"),
    ({"axes": [2]}, IndexError, "-2..1"),
    ({"axes": [-3]}, IndexError, "-2..1"),
    ({"axis_names": "H"}, ValueError, "not in the layout"),
    ({"axes": [0], "axis_names": "H"}, ValueError, "exclude"),
])
def test_refusals(named, kind, words):
    for op in (R.max, R.min, R.sum, R.mean, R.mean_square, R.rms):
        with pytest.raises(kind, match=words):
            op(np.zeros((2, 3)), **named)
    with pytest.raises(kind, match=words):
        R.variance(np.zeros((2, 3)), 0, **named)


@pytest.mark.parametrize("mean", [np.zeros(2), np.zeros((2, 3)), np.zeros((3, 1, 2)), np.zeros(0)])
def test_a_mean_that_does_not_fit(mean):
    with pytest.raises(ValueError, match="mean"):
        R.variance(np.zeros((2, 3)), mean, axes=[0])
