"""What holds for every operator, read from its descriptor alone: values.

An operator that is added to src/ops.list is tested here without an edit; its own test file holds
only its meaning. Arguments have their part in test_contract_arguments.py.
"""
import re

import numpy as np
import pytest

import headrace as hr
from contract_inputs import (N, OPS, REFUSALS, Row, bits, describe, dtypes, example, first_row,
                             places, row, rows, sample, sample_bits)
from headrace import _core

PLACES = [pytest.param(op, place, id=f"{name}-{place}")
          for name, op in OPS.items() for place in places(op)]
at_each_place = pytest.mark.parametrize("op, place", PLACES)
for_each_op = pytest.mark.parametrize("op", [pytest.param(op, id=n) for n, op in OPS.items()])


def machine_levels():
    out = []
    before = _core.cpu_level()
    for level in ("base", "avx2", "avx512"):
        try:
            _core.set_cpu_level(level)
            out.append(level)
        except ValueError:
            pass
    _core.set_cpu_level(before)
    return out


LEVELS = machine_levels()


@pytest.fixture
def level():
    """Sets the CPU level; puts it back."""
    before = _core.cpu_level()
    yield _core.set_cpu_level
    _core.set_cpu_level(before)


@for_each_op
def test_some_input_is_accepted_at_each_named_layout(op):
    first = (describe(op)["ins"] or [{"layouts": ""}])[0]
    named = first["layouts"].split()
    assert first_row(op) is not None
    for place in named:
        assert rows(op, place, limit=1), f"layout {place}: no dtype is accepted"


@at_each_place
def test_what_one_sample_is_refused_for_a_batch_is_too(op, place):
    info = describe(op)
    for dtype in dtypes(op, place):
        if place in ("none", "example") or row(op, place, dtype):
            continue
        samples = [sample(info, place, dtype, i, 1) for i in range(N)]
        with pytest.raises(REFUSALS, match=re.escape(info["name"])):
            Row(op, samples, example(info)[1]).batch()


@at_each_place
def test_a_batch_equals_its_samples_one_by_one(op, place):
    info = describe(op)
    for r in rows(op, place):
        whole = r.batch()
        assert sample_bits(r.batch([0]), 0) == bits(r(0))
        if info["batchwise"]:
            continue
        assert sample_bits(whole, 0) == bits(r(0))
        if info["random"]:  # sample i has draws of its own: whatever follows it does not matter
            assert sample_bits(r.batch([0, 1]), 1) == sample_bits(whole, 1)
            continue
        for i in range(1, N):
            assert sample_bits(whole, i) == bits(r(i))


@at_each_place
def test_plain_and_batch_outputs(op, place):
    for r in rows(op, place, limit=1):
        if r.is_always_batch:
            assert isinstance(r.batch(), hr.Batch)
            continue
        for got, kind in ((r(0), hr.Tensor), (r.batch(), hr.Batch)):
            outs = got if isinstance(got, tuple) else (got,)
            left_out = any(a["adds_output"] for a in describe(op)["args"])
            assert len(outs) == describe(op)["n_out"] - left_out
            assert all(type(o) is kind for o in outs)


@at_each_place
def test_threads_change_nothing(op, place):
    which = [i % N for i in range(8)]
    for r in rows(op, place, scale=12, limit=2):
        got = []
        for n in (1, 2, 5):
            with hr.EvalContext(num_threads=n):
                got.append(bits(r.batch(which)))
        assert got[0] == got[1] == got[2]


@at_each_place
def test_every_cpu_level_gives_the_same_bits(op, place, level):
    for r in rows(op, place, scale=3):
        got = {}
        for name in LEVELS:
            level(name)
            got[name] = bits(r.batch())
        for name in LEVELS[1:]:
            assert got[name] == got["base"], f"{name} differs from base"


def strided(tensor, kind):
    """The same values in memory with gaps, backwards, or transposed; read-only."""
    words = np.asarray(_core.tensor_bits(tensor))
    if kind == "gaps":
        wide = np.full([2 * n for n in words.shape], 77, words.dtype)
        wide[tuple(slice(None, None, 2) for _ in words.shape)] = words
        view = wide[tuple(slice(None, None, 2) for _ in words.shape)]
    elif kind == "backwards":
        backwards = tuple(slice(None, None, -1) for _ in words.shape)
        view = words[backwards].copy()[backwards]
    else:
        view = words.T.copy().T
    view.flags.writeable = False
    numpy_kind = tensor.__array_interface__["typestr"]
    return hr.as_tensor(view.view(numpy_kind), layout=tensor.layout)


def has_strides(r):
    """NumPy makes the strided inputs, so its types are those that are tested."""
    odd = ("bfloat16", "DataType", "ImageType", "InterpType")
    return any(t.ndim and t.dtype.name not in odd for t in r.samples[0])


@at_each_place
@pytest.mark.parametrize("kind", ["gaps", "backwards", "transposed"])
def test_strides_and_read_only_memory(op, place, kind):
    for r in rows(op, place):
        if not has_strides(r):
            continue
        want = bits(r.batch())
        plain = r.samples
        r.samples = [[strided(t, kind) for t in s] for s in plain]
        before = [[bits(t) for t in s] for s in r.samples]
        assert bits(r.batch()) == want
        assert [[bits(t) for t in s] for s in r.samples] == before, "an input was written to"


@at_each_place
def test_an_empty_batch_gives_an_empty_batch(op, place):
    for r in rows(op, place):
        if not r.samples[0]:
            continue
        full, got = r.batch(), op(*[empty_like(t) for t in r.samples[0]], **r.arguments())
        pairs = zip(full, got) if isinstance(full, tuple) else [(full, got)]
        for f, g in pairs:
            assert (g.batch_size, g.dtype, g.layout) == (0, f.dtype, f.layout)


def empty_like(tensor):
    return hr.as_batch([tensor]).select([])


@for_each_op
def test_outputs_do_not_share_memory_with_inputs_or_each_other(op):
    r = first_row(op, with_inputs=True)
    if r is None or not r.samples[0] or describe(op).get("view"):
        pytest.skip("no inputs, or a view of them")
    address = [t.__array_interface__["data"][0] for t in r.samples[0]]
    outs = [r(0), r(0)]
    flat = [t for o in outs for t in (o if isinstance(o, tuple) else (o,))]
    address += [_core.tensor_bits(t).__array_interface__["data"][0] for t in flat if t.size]
    assert len(set(address)) == len(address)


random_ops = pytest.mark.parametrize(
    "op", [pytest.param(op, id=n) for n, op in OPS.items() if describe(op)["random"]])


@random_ops
def test_the_seed_decides(op):
    r = first_row(op)
    which = [i % N for i in range(9)]
    assert bits(r.batch(which, rng=hr.random.RNG(5))) == bits(r.batch(which, rng=hr.random.RNG(5)))
    others = [bits(r.batch(which, rng=hr.random.RNG(s))) for s in range(6, 12)]
    assert any(o != others[0] for o in others[1:])


@random_ops
@pytest.mark.parametrize("n", [1, 2, 9])
def test_a_call_draws_seven_words_whatever_its_size(op, n):
    rng = hr.random.RNG(3)
    after = rng.clone()
    after.advance(7)
    first_row(op).batch([0] * n, rng=rng)
    assert rng.state == after.state


@random_ops
def test_the_default_generator_is_used(op):
    hr.random.set_seed(11)
    r = first_row(op)
    assert bits(r(0, rng=None)) == bits(r(0, rng=hr.random.RNG(11)))


# ---- memory that runs out --------------------------------------------------------------------


def fail_each_allocation(call):
    """Lets each allocation of `call` fail in turn; returns how many there were."""
    call()
    call()  # the thread's scratch memory has its final size now
    for nth in range(1, 500):
        before = _core.alloc_stats()["live_blocks"]
        _core.alloc_fail_at(nth)
        try:
            call()
        except MemoryError:
            failed = True
        else:
            failed = False
        finally:
            _core.alloc_fail_at(0)
        after = _core.alloc_stats()["live_blocks"]
        assert after == before, f"allocation {nth}: {after - before} blocks are left over"
        if not failed:
            return nth - 1
    raise AssertionError("the call never succeeds")


@at_each_place
def test_a_failing_allocation_is_a_memory_error_and_leaks_nothing(op, place):
    with hr.EvalContext(num_threads=1):
        for r in rows(op, place, limit=1):
            inputs = r.inputs(range(N)) if r.samples[0] else []
            named = r.arguments() if inputs else r.arguments(batch_size=N)
            assert fail_each_allocation(lambda: op(*inputs, **named)) >= 1
            assert fail_each_allocation(lambda: r(0)) >= 1


@at_each_place
def test_a_failing_allocation_on_strided_inputs(op, place):
    with hr.EvalContext(num_threads=1):
        for r in rows(op, place, limit=1):
            if not has_strides(r):
                continue
            r.samples = [[strided(t, "gaps") for t in s] for s in r.samples]
            inputs = r.inputs(range(N))
            named = r.arguments()
            fail_each_allocation(lambda: op(*inputs, **named))
