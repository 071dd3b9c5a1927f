"""normalize: against the formula in NumPy, float64."""
import itertools

import numpy as np
import pytest

import headrace as hr
from headrace import _core


def formula(a, axes, mean=None, stddev=None, ddof=0, epsilon=0.0, scale=1.0, shift=0.0):
    a = a.astype(np.float64)
    n = np.prod([a.shape[k] for k in axes])
    mean = a.mean(axes, keepdims=True) if mean is None else np.asarray(mean, np.float64)
    if stddev is None:
        square = ((a - mean) ** 2).sum(axes, keepdims=True) / max(n - ddof, 1) * (n > ddof)
    else:
        square = np.asarray(stddev, np.float64) ** 2
    square = square + epsilon
    with np.errstate(all="ignore"):
        return (a - mean) * np.where(square == 0, 0, 1 / np.sqrt(square)) * scale + shift


def close(got, want, tolerance=2e-6):
    got = np.asarray(got)
    assert got.shape == want.shape
    top = np.abs(want[np.isfinite(want)]).max(initial=1)
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance * top, equal_nan=True)


def sample(shape, dtype, seed=0):
    a = np.random.default_rng(seed).normal(80, 30, shape)
    return np.clip(a, 0, 120).astype(dtype)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int32", "uint64", "int64",
                                   "float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(7,), (30, 41), (20, 30, 3), (3, 20, 30), (600, 1, 3),
                                   (5, 300, 2, 3), (2, 3, 4, 5), (1, 1, 3)])
def test_every_set_of_axes(dtype, shape):
    a = sample(shape, dtype)
    for n in range(1, len(shape) + 1):
        for axes in itertools.combinations(range(len(shape)), n):
            close(hr.normalize(a, axes=list(axes)), formula(a, axes))
    close(hr.normalize(a), formula(a, tuple(range(len(shape)))))


@pytest.mark.parametrize("named", [{"ddof": 1}, {"ddof": -2}, {"epsilon": 10.5},
                                   {"scale": 2.5, "shift": -3}, {"scale": 0, "shift": 2}])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_numbers(named, axes):
    a = sample((9, 6), "float32")
    close(hr.normalize(a, axes=list(axes), **named), formula(a, axes, **named))


def test_a_large_mean_does_not_cost_precision():
    a = np.float32(1e6) + np.arange(64, dtype=np.float32)
    close(hr.normalize(a), formula(a, (0,)))
    close(hr.normalize(a, mean=1e6), formula(a, (0,), mean=1e6))


@pytest.mark.parametrize("mean, stddev", [
    ([[1, 2, 3]], None), (None, [[1, 2, 3]]), ([[1, 2, 3]], [[4, 5, 6]]), ([[1, 2, 3]], 2),
    (5, [[4, 5, 6]]), (5, None), (None, 2), (5, 2)])
@pytest.mark.parametrize("more", [{}, {"axes": [0]}, {"epsilon": 3.0}, {"ddof": 1}])
def test_given_statistics(mean, stddev, more):
    a = sample((4, 3), "float32")
    shaped = any(isinstance(v, list) for v in (mean, stddev))
    axes = (0,) if shaped or "axes" in more else (0, 1)
    rest = {k: v for k, v in more.items() if k != "axes"}
    close(hr.normalize(a, mean=mean, stddev=stddev, **more),
          formula(a, axes, mean, stddev, **rest))


def test_given_statistics_per_sample():
    a = [sample((4, 3), "float32", i) for i in range(2)]
    means = [np.float32([[1, 2, 3]]), np.float32([[4, 5, 6]])]
    out = hr.normalize(hr.as_batch(a), mean=hr.as_batch(means))
    for i in range(2):
        close(out.tensors[i], formula(a[i], (0,), means[i]))
    out = hr.normalize(hr.as_batch(a), mean=hr.as_batch([np.float32(1), np.float32(2)]), stddev=3)
    for i in range(2):
        close(out.tensors[i], formula(a[i], (0, 1), i + 1, 3))


@pytest.mark.parametrize("axes", [[0], [1], [0, 1], None])
@pytest.mark.parametrize("ddof", [0, 1])
def test_statistics_of_the_batch(axes, ddof):
    a = [sample((4, 3), "float32", i) for i in range(3)]
    if axes == [0]:
        a[1] = a[1][:2]
    over = tuple(axes or (0, 1))
    join = over[0]
    whole = np.concatenate(a, join)
    n = whole.size // np.prod([whole.shape[k] for k in range(2) if k not in over] or [1])
    mean = whole.astype(float).mean(over, keepdims=True)
    std = np.sqrt(((whole - mean) ** 2).sum(over, keepdims=True) / (n - ddof))
    out = hr.normalize(hr.as_batch(a), batch=True, axes=axes, ddof=ddof)
    for got, one in zip(out.tensors, a):
        close(got, formula(one, over, mean, std))


def test_without_batch_samples_stand_alone():
    a = [sample((4, 3), "float32", i) for i in range(3)]
    out = hr.normalize(hr.as_batch(a), axes=[0])
    for i in range(3):
        assert np.array_equal(np.asarray(out.tensors[i]), np.asarray(hr.normalize(a[i], axes=[0])))


def test_integers_are_rounded_and_clamped():
    a = np.float32([-2, -1, 0, 1, 2])
    for dtype, low, high in (("uint8", 0, 255), ("int8", -128, 127), ("int16", -32768, 32767)):
        got = hr.normalize(a, mean=0, stddev=1, scale=250, shift=100.5, dtype=dtype)
        exact = a.astype(float) * 250 + 100.5  # halves go away from zero
        want = np.clip(np.copysign(np.floor(np.abs(exact) + 0.5), exact), low, high)
        assert np.asarray(got).tolist() == want.tolist()
    assert hr.normalize(a, dtype="float16").dtype == hr.float16
    assert hr.normalize(a, dtype="float64").dtype == hr.float64


def test_constant_and_empty():
    assert np.asarray(hr.normalize(np.full((3, 3), 0.1, np.float32), shift=4)).tolist() == [[4] * 3] * 3
    assert hr.normalize(np.zeros((0, 3), np.float32), axes=[1]).shape == (0, 3)
    assert hr.normalize(np.float32(3), shift=1).item() == 1
    assert np.asarray(hr.normalize(np.float32([1, 2]), ddof=2)).tolist() == [0, 0]


def test_nan_and_infinity_stay_in_their_groups():
    a = np.float32([[np.nan, 1, 2], [np.inf, 1, 2], [3, 1, 2]])
    got = np.asarray(hr.normalize(a, axes=[1]))
    assert np.isnan(got[:2]).any(1).all() and np.isfinite(got[2]).all()


def test_layout_and_names():
    t = hr.as_tensor(sample((4, 5, 3), "uint8"), layout="HWC")
    out = hr.normalize(t, axis_names="WH")
    assert out.layout == "HWC"
    assert np.array_equal(np.asarray(out), np.asarray(hr.normalize(t, axes=[0, 1])))
    assert (np.asarray(hr.normalize(t, axis_names="")) == 0).all()


@pytest.mark.parametrize("named, words", [
    ({"axes": []}, "at least one axis"),
    ({"axes": [2]}, "-2..1"),
    ({"axes": [0, -2]}, "twice"),
    ({"axis_names": "H"}, "not in the layout"),
    ({"axes": [0], "axis_names": "H"}, "exclude"),
    ({"mean": [1, 2, 3]}, "1 axes"),
    ({"mean": [[1, 2]]}, "extent 2 in axis 1"),
    ({"mean": [[1, 2, 3]], "axes": [1]}, "must be 4 as that axis is kept"),
    ({"mean": [[1, 2, 3]], "stddev": [[1], [2], [3], [4]]}, "`stddev`"),
    ({"batch": True, "mean": 1}, "`mean` cannot"),
    ({"mean": np.zeros((0, 3))}, "extent 0"),
])
def test_refusals(named, words):
    with pytest.raises(ValueError, match=words):
        hr.normalize(sample((4, 3), "float32"), **named)


def test_batch_statistics_need_equal_kept_extents():
    b = hr.as_batch([np.zeros((2, 3)), np.zeros((1, 3))])
    with pytest.raises(ValueError, match="sample 1"):
        hr.normalize(b, batch=True, axes=[1])


def test_threads_and_levels_change_nothing():
    b = hr.as_batch([sample((200, 150, 3), "uint8", i) for i in range(6)])
    before, got = _core.cpu_level(), set()
    try:
        for level in ("base", before):
            _core.set_cpu_level(level)
            for n in (1, 3):
                with hr.EvalContext(num_threads=n):
                    out = hr.normalize(b, axes=[0, 1], batch=True)
                    got.add(b"".join(np.asarray(t).tobytes() for t in out.tensors))
    finally:
        _core.set_cpu_level(before)
    assert len(got) == 1
