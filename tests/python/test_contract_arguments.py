"""What holds for every operator, read from its descriptor alone: arguments."""
import inspect
import itertools
import math
import re
import warnings

import numpy as np
import pytest

import headrace as hr
from contract_inputs import (N, OPS, REFUSALS, Row, bits, describe, example, first_row, places,
                             rows, sample_bits)
from headrace import types

ARGUMENTS = [(name, op, arg) for name, op in OPS.items() for arg in describe(op)["args"]]
for_each_op = pytest.mark.parametrize("op", [pytest.param(op, id=n) for n, op in OPS.items()])


def for_each_argument(chosen):
    found = [pytest.param(op, arg, id=f"{name}-{arg['name']}")
             for name, op, arg in ARGUMENTS if chosen(arg)]
    return pytest.mark.parametrize("op, arg", found)


@pytest.fixture(autouse=True)
def deprecated_ones_are_called_on_purpose():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def refuse(op, arg, value, kinds):
    """The call fails with one of `kinds`, and its text names operator and argument."""
    with pytest.raises(kinds) as caught:
        first_row(op)(**{arg["name"]: value})
    assert caught.type in kinds
    text = str(caught.value)
    assert text.startswith(describe(op)["name"] + ": "), text
    assert f"`{arg['name']}`" in text, text
    return text


# ---- values that are refused -------------------------------------------------------------------

LISTS = ("ints", "floats", "strs")
TEXTS = ("str", "choice", "layout")


def is_bounded(arg):
    return arg["min"] != 0 or arg["max"] != 0


@for_each_argument(is_bounded)
def test_values_just_outside_the_bounds(op, arg):
    whole = arg["kind"] in ("int", "ints")
    outside = [arg["min"] - 1 if whole else np.nextafter(arg["min"], -math.inf)]
    if math.isfinite(arg["max"]) and arg["max"] < 2**62:
        outside.append(arg["max"] + 1 if whole else np.nextafter(arg["max"], math.inf))
    for value in outside + ([] if whole else [math.nan]):
        value = int(value) if whole else float(value)
        if arg["kind"] in LISTS:
            value = [value] * max(1, arg["min_n"])
        refuse(op, arg, value, (ValueError,))


@for_each_argument(lambda a: a["min_n"] or a["max_n"])
def test_lists_of_a_wrong_length(op, arg):
    counts = [arg["min_n"] - 1] if arg["min_n"] else []
    if arg["max_n"]:
        counts.append(arg["max_n"] + 1)
    for n in counts:
        text = refuse(op, arg, [1] * n, (ValueError,))
        assert str(n) in text


@for_each_argument(lambda a: a["kind"] == "choice")
def test_an_unknown_choice_names_the_known_ones(op, arg):
    for value in ("nonsense", ""):
        text = refuse(op, arg, value, (ValueError,))
        assert arg["choices"] in text


WRONG = {
    "bool": [0.5, [1, 2], hr.float32],
    "int": [0.5, [1, 2], hr.float32],
    "float": [[1.0, 2.0], hr.float32],
    "str": [5, 0.5, [1]],
    "choice": [5, 0.5, [1]],
    "layout": [5, 0.5, [1]],
    "dtype": [0.5, ["u8"], object],
    "image_type": [0.5, types.INTERP_NN, [types.RGB, types.RGB]],
    "interp": [0.5, types.RGB, [types.INTERP_NN] * 2],
    "ints": [[0.5], [[1], [2]], [None], hr.float32],
    "floats": [[[1], [2]], [None], hr.float32],
    "strs": [5, [5], [None]],
}


@for_each_argument(lambda a: True)
def test_values_of_a_wrong_type(op, arg):
    for value in WRONG[arg["kind"]] + [object(), {}, 1j, len]:
        refuse(op, arg, value, (TypeError, ValueError))
    if arg["kind"] not in TEXTS + ("strs",):
        refuse(op, arg, "nonsense", (ValueError, TypeError))


@for_each_argument(lambda a: a["kind"] in ("int", "bool", "interp", "image_type", "dtype"))
def test_integers_of_more_than_64_bits(op, arg):
    for value in (2**63, -2**63 - 1, 2**200):
        refuse(op, arg, value, (OverflowError, ValueError))


@for_each_argument(lambda a: a["kind"] in ("interp", "image_type", "dtype"))
def test_numbers_that_are_no_member_of_the_enumeration(op, arg):
    for value in (-7, 99, 2**40):
        refuse(op, arg, value, (ValueError,))


@for_each_argument(lambda a: not a["per_sample"] and a["kind"] not in TEXTS + ("strs", "dtype"))
def test_a_batch_for_what_is_one_value(op, arg):
    value = hr.batch([1.0] * N)
    with pytest.raises(TypeError, match=f"`{arg['name']}`"):
        first_row(op).batch(**{arg["name"]: value})


@for_each_argument(lambda a: a["per_sample"])
def test_a_batch_of_a_wrong_size(op, arg):
    r = first_row(op, with_inputs=True) or first_row(op)
    with pytest.raises(ValueError, match=f"`{arg['name']}`"):
        r.batch(**{arg["name"]: hr.batch([1.0] * (N + 2))})


@for_each_op
def test_an_unknown_argument_proposes_the_right_one(op):
    names = [arg["name"] for arg in describe(op)["args"]] + ["batch_size", "device"]
    for name in names:
        wrong = name + "s"
        with pytest.raises(TypeError) as caught:
            first_row(op)(**{wrong: 1})
        assert f"has no argument `{wrong}`; did you mean `{name}`?" in str(caught.value)
    with pytest.raises(TypeError, match="has no argument `qqq`$"):
        first_row(op)(qqq=1)


@for_each_op
def test_a_gpu_is_a_runtime_error(op):
    for device in ("gpu", "gpu:0", "cuda"):
        with pytest.raises(RuntimeError, match="CPU only"):
            first_row(op)(device=device)
    assert bits(first_row(op)(device="cpu")) == bits(first_row(op)(device=hr.device("cpu")))


@for_each_op
def test_missing_and_surplus_inputs(op):
    info, r = describe(op), first_row(op, with_inputs=True) or first_row(op)
    named = r.arguments()
    needed = sum(not each["optional"] for each in info["ins"])
    if needed:
        with pytest.raises(TypeError, match=re.escape(info["name"])):
            op(*r.samples[0][:needed - 1], **named)
        with pytest.raises(TypeError, match=f"`{info['ins'][0]['name']}`"):
            op(None, *r.samples[0][1:], **named)
        with pytest.raises(TypeError, match=f"`{info['ins'][0]['name']}`"):
            op(object(), *r.samples[0][1:], **named)
        first = {info["ins"][0]["name"]: r.samples[0][0]}
        if info["named"]:
            with pytest.raises(TypeError, match="twice"):
                op(*r.samples[0], **first)
        else:
            with pytest.raises(TypeError, match="by position"):
                op(**first)
    if not any(each["variadic"] for each in info["ins"]):
        surplus = [np.zeros(2)] * (len(info["ins"]) + 1)
        with pytest.raises(TypeError, match="takes .*input"):
            op(*surplus, **named)


@for_each_op
def test_inputs_of_unequal_batch_sizes(op):
    r = first_row(op, with_inputs=True)
    if r is None or not r.samples[0]:
        pytest.skip("no inputs")
    inputs = r.inputs(range(N))
    name = re.escape(describe(op)["name"])
    with pytest.raises(ValueError, match=f"{name}: .*batch"):
        r.op(*inputs, **r.arguments(batch_size=N + 1))
    if len(inputs) > 1:
        inputs[-1] = inputs[-1].select([0])
        with pytest.raises(ValueError, match=f"{name}: .*batch"):
            r.op(*inputs, **r.arguments())


@for_each_argument(lambda a: a["required"])
def test_a_missing_required_argument_is_named(op, arg):
    r = first_row(op)
    r.named.pop(arg["name"])
    for more in ({}, {arg["name"]: None}):
        with pytest.raises(TypeError, match=f"`{arg['name']}`"):
            r(**more)


@for_each_op
def test_batch_size_must_be_positive_and_whole(op):
    for value, kind in ((0, ValueError), (-1, ValueError), ("x", TypeError), (1.5, TypeError)):
        with pytest.raises(kind):
            first_row(op)(batch_size=value)


@for_each_op
def test_rng_must_be_one(op):
    kind, text = (ValueError, "rng") if describe(op)["random"] else (TypeError, "`rng`")
    with pytest.raises(kind, match=text):
        op(*first_row(op).samples[0], **first_row(op).named, rng=5)


# ---- values that are equal -----------------------------------------------------------------------


def others_named(op, arg, error):
    """The other arguments that an error's text names."""
    known = {each["name"] for each in describe(op)["args"]} - {arg["name"]}
    return sorted(known & set(re.findall(r"`(\w+)`", str(error))))


@for_each_argument(lambda a: a["initial"] is not None)
def test_a_default_may_be_given(op, arg):
    """Equal to leaving it out; or refused, where it and another argument exclude each other."""
    default = inspect.signature(op).parameters[arg["name"]].default
    r = first_row(op)
    r.named.pop(arg["name"], None)
    want = bits(r())
    assert bits(r(**{arg["name"]: None})) == want
    try:
        got = bits(r(**{arg["name"]: default}))
    except ValueError as e:
        assert others_named(op, arg, e)
    else:
        assert got == want


@for_each_argument(lambda a: a["hint"])
def test_a_hint_changes_no_value(op, arg):
    r = first_row(op)
    values = {"bool": [True, False], "int": [0, 1, 7], "float": [0.0, 0.25], "str": ["", "x"]}
    for value in values[arg["kind"]]:
        assert bits(r(**{arg["name"]: value})) == bits(r())


@for_each_argument(lambda a: a["deprecated"])
def test_a_deprecated_argument_warns(op, arg):
    value = {"image_type": types.RGB, "dtype": hr.uint8}.get(arg["kind"], 0)
    with pytest.warns(DeprecationWarning, match=f"`{arg['name']}`"):
        first_row(op)(**{arg["name"]: value})


def candidates(arg, op):
    """Values of the argument's type, those of the descriptor first."""
    _, named = example(describe(op))
    out = [named[arg["name"]]] if arg["name"] in named else []
    if arg["initial"] is not None:
        out.append(inspect.signature(op).parameters[arg["name"]].default)
    numbers = [0.25, 0.75, 0.5, 2.0, 3.0, 1.0, 0.0]
    plain = {"bool": [True, False], "int": [1, 0, 2, 3], "float": numbers,
             "interp": [types.INTERP_LINEAR, types.INTERP_NN, types.INTERP_CUBIC],
             "image_type": [types.RGB, types.GRAY], "dtype": [hr.uint8, hr.float32]}
    if arg["kind"] in plain:
        return out + plain[arg["kind"]]
    if arg["kind"] not in ("ints", "floats"):
        return []
    items = [2, 3, 1, 0] if arg["kind"] == "ints" else [2.0, 3.0, 0.5, 0.25, 1.0]
    chances = [[1 / n] * n for n in (2, 10)] + [[1.0] + [0.0] * (n - 1) for n in (2, 10)]
    return out + [[v] * n for n in (2, 1, 3, 10) for v in items] + chances


def try_value(op, arg, r, value):
    """The bits of the call on sample 0, or None. Arguments that an error asks for are given too."""
    r.named.pop(arg["name"], None)
    companions = [{}]
    for more in companions:
        try:
            got = bits(r(**{arg["name"]: value}, **more))
        except REFUSALS as e:
            if len(companions) == 1:
                kinds = {a["name"]: a["kind"] for a in describe(op)["args"]}
                same = [o for o in others_named(op, arg, e) if kinds[o] == arg["kind"]]
                companions += [dict.fromkeys(same, v) for v in [value, *candidates(arg, op)]]
            continue
        r.named.update(more)
        return got
    return None


def usable_rows(op):
    """Rows at one place after the other, with the example's arguments and without."""
    for place in places(op):
        for r in rows(op, place, limit=1):
            yield r
            yield Row(op, r.samples, {k: v for k, v in r.named.items() if required(op, k)})


def required(op, name):
    return any(a["required"] for a in describe(op)["args"] if a["name"] == name)


def accepted(op, arg):
    """A row, and up to two values of the argument that its samples are accepted with."""
    best = None
    for r in usable_rows(op):
        good = []
        for value in candidates(arg, op):
            got = try_value(op, arg, r, value)
            if got is None or any(got == g for _, g in good):
                continue
            if not good or same_kind(got, good[0][1]):
                good.append((value, got))
            if len(good) == 2:
                return r, [v for v, _ in good]
        if best is None or len(good) > len(best[1]):
            best = (r, [v for v, _ in good])
    return best


def same_kind(a, b):
    """May both be samples of one batch? They need the same dtypes, ranks and layouts."""
    a, b = (a if isinstance(a, list) else [a]), (b if isinstance(b, list) else [b])
    return all((x[0], len(x[1]), x[2]) == (y[0], len(y[1]), y[2]) for x, y in zip(a, b))


def per_sample_forms(values, arg):
    """The values as a Batch, and as arrays of the types that hold them."""
    yield hr.batch([np.asarray(v) for v in values])
    if arg["kind"] in ("float", "floats"):
        yield hr.batch([np.asarray(v, np.float32) for v in values])
    if arg["kind"] in ("int", "ints", "bool"):
        yield hr.batch([np.asarray(v, np.int16) for v in values])


@for_each_argument(lambda a: a["per_sample"])
def test_values_per_sample_equal_calls_sample_by_sample(op, arg):
    info, (r, values) = describe(op), accepted(op, arg)
    assert values, "no value is accepted: give the descriptor an example"
    cycle = list(itertools.islice(itertools.cycle(values), N))
    name = arg["name"]
    for form in per_sample_forms([values[0]] * N, arg):
        assert bits(r.batch(**{name: form})) == bits(r.batch(**{name: values[0]}))
    for form in per_sample_forms(cycle, arg):
        got = r.batch(**{name: form})
        if info["batchwise"]:
            continue
        if info["random"]:  # as a call that gives all samples the value of sample i
            want = [sample_bits(r.batch(**{name: v}), i) for i, v in enumerate(cycle)]
        else:
            want = [bits(r(i, **{name: v})) for i, v in enumerate(cycle)]
        assert [sample_bits(got, i) for i in range(N)] == want


@for_each_argument(lambda a: a["per_sample"])
def test_one_tensor_for_all_samples(op, arg):
    r, values = accepted(op, arg)
    name = arg["name"]
    for value in values:
        want = bits(r.batch(**{name: value}))
        assert bits(r.batch(**{name: hr.tensor(np.asarray(value))})) == want
        assert bits(r.batch(**{name: np.asarray(value)})) == want


@for_each_argument(lambda a: a["kind"] in ("int", "float", "bool", "ints", "floats"))
def test_numpy_scalars_count_as_numbers(op, arg):
    r, values = accepted(op, arg)
    for value in values:
        one = [np.float32, np.float64] if arg["kind"] in ("float", "floats") else [np.int32, np.int64]
        if arg["kind"] == "bool":
            one = [np.bool_]
        for make in one:
            same = [make(v) for v in value] if isinstance(value, list) else make(value)
            assert bits(r(**{arg["name"]: same})) == bits(r(**{arg["name"]: value}))


@for_each_op
def test_names_made_at_run_time_are_found(op):
    r = first_row(op)
    for arg in describe(op)["args"]:
        if arg["name"] in r.named:
            name = "".join(list(arg["name"]))
            r.named = {**{k: v for k, v in r.named.items() if k != name}, name: r.named[name]}
    assert bits(r(**{"".join(["dev", "ice"]): "cpu"})) == bits(r())
