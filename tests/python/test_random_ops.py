"""Random operators: distributions against formulas, what depends on what, and wrong arguments.
Bounds are five standard deviations of the compared figure, seeds are fixed."""
import math

import numpy as np
import pytest

import headrace as hr


def rng(seed=42):
    return hr.random.RNG(seed=seed)


def values(out):
    return np.asarray(out).astype(np.float64)


# ---- distributions --------------------------------------------------------------------------


@pytest.mark.parametrize("mean", [12.0, 13.5, 100.0, 4321.0, 1e6])
def test_shot_above_mean_12_is_poisson(mean):
    n = 40000
    counts = values(hr.noise.shot(np.full(n, mean, np.float32), factor=1.0, rng=rng()))
    assert np.all(counts == np.floor(counts))
    assert abs(counts.mean() - mean) < 5 * math.sqrt(mean / n)
    assert abs(counts.var() / mean - 1) < 5 * math.sqrt((2 + 1 / mean) / n)
    skew = np.mean(((counts - mean) / math.sqrt(mean)) ** 3)
    assert abs(skew - 1 / math.sqrt(mean)) < 5 * math.sqrt(24 / n)


def test_shot_matches_the_probabilities():
    n, mean = 100000, 20.0
    counts = values(hr.noise.shot(np.full(n, 100, np.int16), factor=5.0, rng=rng(3))) / 5
    chi2 = cells = 0
    for k in range(5, 40):
        p = math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))
        chi2 += (np.sum(counts == k) - n * p) ** 2 / (n * p)
        cells += 1
    assert chi2 < cells + 5 * math.sqrt(2 * cells)


@pytest.mark.parametrize("alpha,beta", [(1, 1), (2, 3), (0.5, 0.5), (0.1, 0.3), (0.5, 2), (50, 7)])
def test_beta_in_double(alpha, beta):
    n = 40000
    v = values(hr.random.beta(alpha=alpha, beta=beta, shape=[n], dtype=hr.float64, rng=rng()))
    total = alpha + beta
    mean, var = alpha / total, alpha * beta / (total**2 * (total + 1))
    assert v.min() >= 0 and v.max() <= 1
    assert abs(v.mean() - mean) < 5 * math.sqrt(var / n)
    assert abs(v.var() / var - 1) < 0.05
    logs = np.log(v[v > 0])
    digamma = sum(-1 / (alpha + k) + 1 / (total + k) for k in range(200000))
    spread = np.std(logs) / math.sqrt(len(logs))
    assert abs(logs.mean() - digamma) < 5 * spread + abs(beta) / 200000


def test_uniform_stays_in_its_range():
    v = values(hr.random.uniform(range=[-3.0, 7.5], shape=[100000], rng=rng()))
    assert v.min() >= -3 and v.max() < 7.5
    assert abs(v.mean() - 2.25) < 5 * 10.5 / math.sqrt(12 * 100000)


# ---- what depends on what ---------------------------------------------------------------------


def test_one_sample_equals_the_first_of_a_batch():
    one = np.asarray(hr.random.normal(shape=[300], rng=rng()))
    batch = hr.random.normal(shape=[300], batch_size=3, rng=rng())
    assert np.array_equal(one, np.asarray(batch.select(0)))
    assert not np.array_equal(one, np.asarray(batch.select(1)))


@pytest.mark.parametrize("n", [1, 47, 48, 127, 128, 129, 255, 256, 257, 1000])
def test_elements_do_not_depend_on_the_size(n):
    longest = np.asarray(hr.random.uniform(shape=[2000], rng=rng()))
    assert np.array_equal(np.asarray(hr.random.uniform(shape=[n], rng=rng())), longest[:n])


def test_every_call_takes_seven_words():
    ahead = rng()
    ahead.advance(7)
    for call in (lambda r: hr.random.uniform(shape=[5], rng=r),
                 lambda r: hr.random.beta(shape=[5], batch_size=9, rng=r),
                 lambda r: hr.batch_permutation(batch_size=100, rng=r),
                 lambda r: hr.noise.shot(np.ones(3, np.uint8), rng=r)):
        r = rng()
        call(r)
        assert str(r.state) == str(ahead.state)


def test_shape_like_gives_shape_alone():
    like = hr.as_tensor(np.zeros((2, 3, 1), np.uint8), layout="HWC")
    out = hr.random.uniform(like, rng=rng())
    assert tuple(out.shape) == (2, 3, 1) and np.asarray(out).dtype == np.float32
    assert np.array_equal(np.asarray(out), np.asarray(hr.random.uniform(shape=[2, 3, 1], rng=rng())))


def test_noise_keeps_layout_and_type():
    image = hr.as_tensor(np.full((4, 5, 3), 100, np.uint8), layout="HWC")
    for out in (hr.noise.gaussian(image, rng=rng()), hr.noise.shot(image, rng=rng()),
                hr.noise.salt_and_pepper(image, rng=rng())):
        assert out.layout == "HWC" and np.asarray(out).dtype == np.uint8


def test_shot_of_factor_zero_copies():
    x = np.arange(30, dtype=np.int16)
    assert np.array_equal(np.asarray(hr.noise.shot(x, factor=0.0, rng=rng())), x)


def test_shot_of_overflowing_means_ends():
    x = np.array([1.0, 1e9, 3e38, 0.0, -5.0], np.float32)
    out = np.asarray(hr.noise.shot(x, factor=1e-38, rng=rng()))
    assert np.array_equal(out, np.maximum(x, 0))


def test_salt_and_pepper_of_nothing():
    for shape in ((0,), (2, 0, 3), ()):
        out = hr.noise.salt_and_pepper(np.zeros(shape, np.float32), prob=1.0, rng=rng())
        assert tuple(np.asarray(out).shape) == shape


def test_largest_integers_may_end_a_range():
    v = values(hr.random.uniform(range=[0.0, 2147483647.0], dtype=hr.int32, shape=[1000], rng=rng()))
    assert v.min() >= 0 and v.max() > 2**30


# ---- wrong arguments --------------------------------------------------------------------------

WRONG = [
    ("random.uniform", dict(range=[1.0, 1.0]), r"`range` is \[1, 1\), which is empty"),
    ("random.uniform", dict(range=[0.0, float("nan")]), "range.*nan"),
    ("random.uniform", dict(range=[0.0, float("inf")]), "inf"),
    ("random.uniform", dict(range=[-3e38, 3e38]), "wider than float32"),
    ("random.uniform", dict(range=[-3.0, 300.0], dtype="uint8"), "`range` has -3, it must be within uint8's 0..255"),
    ("random.uniform", dict(range=[0.0, 256.0], dtype="uint8"), "256, it must be within uint8's 0..255"),
    ("random.uniform", dict(values=[]), "values"),
    ("random.uniform", dict(range=[0.0, 1.0], values=[1.0]), "exclude"),
    ("random.uniform", dict(dtype="float16"), "float16"),
    ("random.uniform", dict(shape=[-1]), "-1"),
    ("random.normal", dict(dtype="bool"), "bool"),
    ("random.coin_flip", dict(probability=1.5), "1.5"),
    ("random.coin_flip", dict(probability=float("nan")), "nan"),
    ("random.coin_flip", dict(dtype="float32"), "float32"),
    ("random.beta", dict(alpha=0.0), "`alpha` is 0"),
    ("random.beta", dict(beta=float("inf")), "`beta` is inf"),
    ("random.beta", dict(dtype="int32"), "int32"),
    ("random.choice", dict(a=0), "0 elements"),
    ("random.choice", dict(a=-4), "-4"),
    ("random.choice", dict(a=2.5), "float"),
    ("random.choice", dict(a=[1, 2], p=[0.2, 0.2]), "0.4"),
    ("random.choice", dict(a=[1, 2], p=[-1.0, 2.0]), "-1"),
    ("random.choice", dict(a=[1, 2], p=[1.0]), "1 chances for 2"),
    ("random_crop_generator", dict(a=[5]), "1 extents"),
    ("random_crop_generator", dict(a=[-1, 5]), "-1"),
    ("random_crop_generator", dict(a=[5, 5], random_area=[0.5, 0.1]), "empty range"),
    ("random_crop_generator", dict(a=[5, 5], random_aspect_ratio=[0.0, 1.0]), "positive"),
    ("random_crop_generator", dict(a=[5, 5], num_attempts=-1), "-1"),
    ("noise.salt_and_pepper", dict(a=np.zeros((2, 2), np.uint8), salt_val=300.0), "300"),
    ("noise.salt_and_pepper", dict(a=np.zeros((2, 2), np.uint8), prob=-0.5), "-0.5"),
    ("noise.shot", dict(a=np.zeros((2, 2), np.uint8), factor=float("nan")), "nan"),
    ("noise.gaussian", dict(a=np.zeros((2, 2))), "float64"),
]


@pytest.mark.parametrize("op,args,words", WRONG, ids=lambda v: str(v)[:40])
def test_wrong_arguments_are_named(op, args, words):
    fn = hr
    for part in op.split("."):
        fn = getattr(fn, part)
    args = dict(args)
    inputs = [args.pop("a")] if "a" in args else []
    if "dtype" in args:
        args["dtype"] = getattr(hr, args["dtype"])
    with pytest.raises((ValueError, TypeError), match=words):
        fn(*inputs, rng=rng(), **args)


def test_layout_without_channels_at_an_end():
    image = hr.as_tensor(np.zeros((2, 3, 4), np.uint8), layout="HCW")
    with pytest.raises(ValueError, match="HCW"):
        hr.noise.salt_and_pepper(image, rng=rng())
    hr.noise.salt_and_pepper(image, per_channel=True, rng=rng())
