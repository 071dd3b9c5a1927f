"""What changes in a captured loop without an error: values, batch sizes, arithmetic."""
import warnings

import numpy as np
import pytest
from capture_items import SIZE, item, items

import headrace as hr


def loop_of(n=6, **options):
    return hr.ExternalSource(items(n)).captured(batch_size=SIZE, **options)


class Settings:
    value = 0


LEVEL = 0


def default(x, value=0):
    return hr.pad(x, fill_value=value, axes=(0,), shape=(6,))


def change_default(value):
    default.__defaults__ = (value,)


def change_global(value):
    globals()["LEVEL"] = value


def closure_pair():
    value = 0

    def change(new):
        nonlocal value
        value = new
    return (lambda x: hr.pad(x, fill_value=value, axes=(0,), shape=(6,))), change


_settings, _listed = Settings(), [0]
_of_closure, _change_closure = closure_pair()
CHANGES = {
    "module global": (lambda x: hr.pad(x, fill_value=LEVEL, axes=(0,), shape=(6,)), change_global),
    "attribute": (lambda x: hr.pad(x, fill_value=_settings.value, axes=(0,), shape=(6,)),
                  lambda value: setattr(_settings, "value", value)),
    "list item": (lambda x: hr.pad(x, fill_value=_listed[0], axes=(0,), shape=(6,)),
                  lambda value: _listed.__setitem__(0, value)),
    "closure cell": (_of_closure, _change_closure),
    "default argument": (lambda x: default(x), change_default),
}


@pytest.mark.parametrize("how", CHANGES)
def test_a_value_that_changes_is_the_new_one_from_its_step_on(how):
    body, change = CHANGES[how]
    change(0)
    got = []
    for k, x in enumerate(loop_of()):
        if k == 3:
            change(7)
        got.append(int(np.asarray(body(x).select(0))[5]))
    change(0)
    assert got == [0, 0, 0, 7, 7, 7]


def test_minus_zero_is_another_constant_than_zero():
    def make(value):
        return lambda x: hr.pad(hr.cast(x, dtype=hr.float32), fill_value=value, axes=(0,), shape=(6,))
    code, signs = None, []
    for k, x in enumerate(loop_of()):
        pad = make(-0.0 if k == 3 else 0.0)
        code = code or pad.__code__
        assert pad.__code__ is code  # one site
        signs.append(bool(np.signbit(np.asarray(pad(x).select(0))[5])))
    assert signs == [False, False, False, True, False, False]


@pytest.mark.parametrize("size", [None, SIZE])
def test_a_batch_size_that_comes_and_goes(size):
    """Without one the call makes a single sample: the batch of the pipeline is not that."""
    got = []
    for k, x in enumerate(loop_of()):
        hr.cat(x, x)
        made = hr.zeros(shape=[2], batch_size=SIZE if k == 0 or k % 2 else size)
        got.append(getattr(made, "batch_size", None))
    assert got == [SIZE if k == 0 or k % 2 else size for k in range(6)]


def test_an_explicit_size_in_a_short_step_is_what_it_says():
    source = hr.ExternalSource([item(0), item(1), item(2, 2)])
    sizes = [(hr.cat(x, x).batch_size, hr.zeros(shape=[2], batch_size=3).batch_size,
              hr.zeros(shape=[2], batch_size=x.batch_size).batch_size)
             for x in source.captured(batch_size=3)]
    assert sizes == [(3, 3, 3), (3, 3, 3), (2, 3, 2)]


ARITHMETIC = {
    "x / 255": lambda x: x / 255, "-x": lambda x: -x, "x * y + 1": lambda x: x * hr.cat(x) + 1,
    "x > 3": lambda x: x > 3, "sqrt": lambda x: hr.math.sqrt(x), "slice": lambda x: x.slice[1:],
}


@pytest.mark.parametrize("how", ARITHMETIC)
def test_arithmetic_is_eager_and_equal(how):
    loop = loop_of()
    for k, x in enumerate(loop):
        hr.cat(x, x)
        y = ARITHMETIC[how](x)
        z = hr.cat(y, y)
        assert y._capture_ref is None and z._capture_ref is None
        want = ARITHMETIC[how](item(k))
        assert [t.tolist() for t in y.tensors] == [t.tolist() for t in want.tensors]
    rows = loop.explain().to_dict()["rows"]
    assert any(row["status"] == "eager" for row in rows)


def test_a_random_site_twice_a_step_warns_once_and_equals_eager():
    def body(rng):
        out = []
        for _ in range(2):
            out += [hr.random.uniform(batch_size=SIZE, shape=[2], rng=rng)]
        return out
    one, two = hr.random.RNG(seed=1), hr.random.RNG(seed=1)
    with pytest.warns(hr.HeadraceWarning, match="more than once per iteration") as seen:
        for x in loop_of():
            got = [[t.tolist() for t in b.tensors] for b in body(one)]
            assert got == [[t.tolist() for t in b.tensors] for b in body(two)]
    assert len(seen) == 1 and str(one.state) == str(two.state)


def test_each_random_site_that_repeats_warns():
    rng = hr.random.RNG(seed=1)
    with pytest.warns(hr.HeadraceWarning, match="more than once per iteration") as seen:
        for _ in loop_of():
            for _ in range(3):
                hr.random.uniform(batch_size=SIZE, shape=[2], rng=rng)
            for _ in range(2):
                hr.random.normal(batch_size=SIZE, shape=[2], rng=rng)
    assert ["uniform" in str(seen[0].message), "normal" in str(seen[1].message), len(seen)] == [True, True, 2]


def test_a_warning_that_calls_operators(monkeypatch):
    rng = hr.random.RNG(seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", lambda *a, **k: [
            hr.cat(x, x), hr.pad(x, fill_value=3), hr.stack(x, x), hr.cast(x, dtype=hr.int64)])
        for x in loop_of():
            for _ in range(2):
                y = hr.random.uniform(x, rng=rng)
            y.evaluate()


def test_guarded_is_reserved():
    with pytest.raises(NotImplementedError, match="guarded"):
        hr.ExternalSource(items(6)).captured(batch_size=SIZE, capture="guarded")
