"""random.RNG: words, state, and the generator that operators draw from."""
import copy
import pickle
import threading

import numpy as np
import pytest

import headrace as hr
from headrace.random import RNG

FIRST = [546353992, 3665621163, 1140953199, 3419031310, 2666454581, 482218876]  # of seed 1234


def test_first_words():
    rng = RNG(1234)
    assert [rng() for _ in FIRST] == FIRST
    assert all(type(RNG(1)()) is int for _ in range(3))


def test_seeds_are_taken_modulo_64_bits():
    assert RNG(5).state == RNG(5 + 2**64).state == RNG(seed=np.int64(5)).state
    assert RNG(-1).state == RNG(2**64 - 1).state
    for bad in ("5", 1.5, [1]):
        with pytest.raises(TypeError):
            RNG(bad)


def test_without_a_seed_it_starts_at_random():
    assert RNG().state != RNG().state


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 1000, 2**34, 2**64 - 1])
def test_advance_skips_draws(n):
    rng = RNG(7)
    rng()
    rng.advance(n)
    if n <= 1000:
        other = RNG(7)
        for _ in range(n + 1):
            other()
        assert rng.state == other.state
    else:
        split = RNG(7)
        split.advance(n)
        split.advance(1)
        assert rng.state == split.state


@pytest.mark.parametrize("bad, kind", [(-1, ValueError), (1.5, TypeError), ("x", TypeError),
                                       (2**64, OverflowError)])
def test_advance_by_nonsense(bad, kind):
    rng = RNG(1)
    before = rng.state
    with pytest.raises(kind):
        rng.advance(bad)
    assert rng.state == before


def test_the_state_is_text_that_restores():
    rng = RNG(9)
    rng.advance(6)
    text = rng.state
    assert len(text) == 59 and text.startswith("Philox_") and text == rng.get_state()
    want = [rng() for _ in range(5)]
    for back in (RNG(state=text), RNG(None, text)):
        assert [back() for _ in range(5)] == want
    rng.set_state(text)
    assert [rng() for _ in range(5)] == want
    rng.state = text.lower().replace("philox", "Philox")
    assert rng.state == text
    assert rng.get_state(cuda_stream=None) == text
    with pytest.raises(RuntimeError, match="cuda_stream"):
        rng.get_state(cuda_stream=object())


@pytest.mark.parametrize("bad, kind", [
    ("", ValueError), ("Philox_", ValueError), (5, TypeError), (b"Philox", TypeError),
    ("Philox_0000000000000001_0000000000000000:0000000000000000_4", ValueError),
    ("philox_0000000000000001_0000000000000000:0000000000000000_0", ValueError),
    ("Philox_000000000000000G_0000000000000000:0000000000000000_0", ValueError),
    ("Philox_0000000000000001_0000000000000000:0000000000000000_0 ", ValueError),
    ("Philox_0000000000000001-0000000000000000:0000000000000000_0", ValueError)])
def test_broken_states(bad, kind):
    rng = RNG(3)
    before = rng.state
    with pytest.raises(kind):
        rng.state = bad
    with pytest.raises(kind):
        rng.set_state(bad)
    with pytest.raises(kind):
        RNG(state=bad)
    assert rng.state == before


def test_seed_is_write_only():
    rng = RNG(3)
    rng()
    rng.seed = 1234
    assert rng() == FIRST[0]
    with pytest.raises(AttributeError, match="write-only"):
        rng.seed
    with pytest.raises(AttributeError):
        del rng.state
    with pytest.raises(TypeError):
        rng.seed = "x"


def test_a_seed_and_a_state_exclude_each_other():
    with pytest.raises(ValueError):
        RNG(1, RNG(2).state)
    with pytest.raises(TypeError):
        RNG(1)(2)
    with pytest.raises(TypeError):
        RNG(nonsense=1)


def test_copies_are_independent():
    rng = RNG(8)
    rng()
    for other in (rng.clone(), copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert type(other) is RNG and other.state == rng.state
        other()
        assert other.state != rng.state
    assert rng.state in repr(rng)


def test_operators_draw_seven_words():
    rng = RNG(4)
    for n in (1, 2, 50):
        want = rng.clone()
        want.advance(7)
        hr.random.uniform(batch_size=n, shape=[10], rng=rng)
        assert rng.state == want.state
    before = rng.state
    with pytest.raises(ValueError):
        hr.random.uniform(range=[1, 0], rng="no generator")
    assert rng.state == before


@pytest.mark.parametrize("bad", [5, "x", np.random.default_rng(1), object(), RNG])
def test_what_is_no_generator(bad):
    with pytest.raises(ValueError, match="RNG"):
        hr.random.uniform(rng=bad)


def test_the_default_generator():
    hr.random.set_seed(5)
    first = hr.random.uniform(shape=[4]).tolist()
    assert first == hr.random.uniform(shape=[4], rng=RNG(5)).tolist()
    assert hr.random.get_default_rng() is hr.random.get_default_rng()
    hr.random.get_default_rng().seed = 5
    assert hr.random.uniform(shape=[4]).tolist() == first
    with pytest.raises(TypeError):
        hr.random.set_seed("x")


def test_each_thread_has_its_own():
    hr.random.set_seed(5)
    before, seen = hr.random.get_default_rng().state, []

    def work():
        hr.random.uniform(shape=[4])
        seen.append(hr.random.get_default_rng())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert hr.random.get_default_rng().state == before
    assert len({id(r) for r in seen} | {id(hr.random.get_default_rng())}) == 3
    assert seen[0].state != seen[1].state


def test_the_number_of_threads_does_not_matter():
    got = []
    for n in (1, 2, 7):
        with hr.EvalContext(num_threads=n):
            got.append(hr.random.normal(batch_size=9, shape=[5000], rng=RNG(1)))
    assert len({bytes(hr.as_tensor(b)) for b in got}) == 1
