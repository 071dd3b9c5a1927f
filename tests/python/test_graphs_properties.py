"""Laws that hold for any nested arguments."""
import collections
import copy
import dataclasses
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.graphs import Locator, SampleMetadata, TensorSpec, batch_tensor


@dataclasses.dataclass
class Pair:
    left: object
    right: object = None


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: object


Point = collections.namedtuple("Point", "x y")

tensors = st.builds(lambda shape: np.zeros(shape, "f4"), st.lists(st.integers(0, 3), max_size=3).map(tuple))
values = st.one_of(st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.0, 1.0, 2.5, math.nan]),
                   st.sampled_from(["", "a", "1"]), st.binary(max_size=1),
                   st.frozensets(st.sampled_from([0, 1, True, 1.0, "a"]), max_size=2))
keys = st.one_of(st.sampled_from(["a", "b", "c"]), st.integers(0, 2), st.booleans(), st.none())
trees = st.recursive(
    st.one_of(tensors, values),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(keys, inner, max_size=3),
        st.dictionaries(keys, inner, max_size=3).map(collections.OrderedDict),
        st.dictionaries(keys, inner, max_size=3).map(collections.UserDict),
        st.builds(Pair, inner, inner), st.builds(Frozen, inner), st.builds(Point, inner, inner)),
    max_leaves=12)
fast = settings(deadline=None, max_examples=150)


def model(value):
    """The key by a plain, slow rule: {path with kinds: what stands there}."""
    out = {}

    def typed(v):
        if isinstance(v, (set, frozenset)):
            return (type(v), frozenset(typed(x) for x in v))
        return (type(v), "nan" if isinstance(v, float) and math.isnan(v) else v)

    def walk(path, v):
        if isinstance(v, np.ndarray):
            out[path] = ("tensor", v.ndim)
        elif isinstance(v, (list, tuple)):
            for i, item in enumerate(v):
                walk(path + (("sequence", i),), item)
        elif isinstance(v, (dict, collections.UserDict)):
            for k, item in v.items():
                walk(path + (("mapping", type(k), k),), item)
        elif dataclasses.is_dataclass(v):
            for f in dataclasses.fields(v):
                walk(path + (("record", f.name),), getattr(v, f.name))
        else:
            out[path] = ("value",) + typed(v)

    walk((), value)
    return out


def meta(value, strict=True):
    return SampleMetadata.from_inputs(value, strict=strict)


@fast
@given(trees, trees)
def test_equality_is_that_of_the_slow_rule(a, b):
    same = model(a) == model(b)
    assert (meta(a) == meta(b)) is same
    assert (meta(a) != meta(b)) is not same
    if same:
        assert hash(meta(a)) == hash(meta(b))
    tensors_a = {k: v for k, v in model(a).items() if v[0] == "tensor"}
    tensors_b = {k: v for k, v in model(b).items() if v[0] == "tensor"}
    assert (meta(a, False) == meta(b, False)) is (tensors_a == tensors_b)


@fast
@given(trees, st.randoms())
def test_equality_is_an_equivalence(value, random):
    def shuffled(v):
        if isinstance(v, (list, tuple)) and type(v) in (list, tuple):
            items = [shuffled(x) for x in v]
            return items if random.random() < 0.5 else tuple(items)
        if type(v) is dict:
            items = [(k, shuffled(x)) for k, x in v.items()]
            random.shuffle(items)
            return dict(items)
        return copy.deepcopy(v)

    a, b, c = meta(value), meta(shuffled(value)), meta(shuffled(value))
    assert a == a and a == b and b == a and b == c and a == c
    assert hash(a) == hash(b) == hash(c) and len({a, b, c}) == 1


@fast
@given(trees)
def test_locators_lead_to_their_leaves_and_back(value):
    found = list(Locator.find_leaves(value))
    strict = meta(value)
    assert [loc for loc, _ in found if any(loc == x for x, _ in strict.tensor_data)] == [
        loc for loc, _ in strict.tensor_data]
    assert len(found) == len(strict.tensor_data) + len(strict.other_data)
    for locator, leaf in found:
        assert locator.get_value(value) is leaf
        changed = locator.with_value(value, "new")
        assert locator.get_value(changed) == "new" and locator.get_value(value) is leaf
        assert type(changed) is type(value) or locator.depth == 0
    texts = {(str(loc), loc) for loc, _ in found}
    assert len({loc for _, loc in texts}) == len(found)


@fast
@given(trees)
def test_parts_make_the_same_metadata(value):
    found = meta(value)
    again = SampleMetadata(found.tensor_data, found.other_data, True)
    assert again == found and hash(again) == hash(found) and repr(again.tensor_data) == repr(found.tensor_data)


sizes = st.integers(0, 5)
evidence = st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 4)), sizes), min_size=1, max_size=6)


def seen(pairs):
    spec = TensorSpec.from_tensor(np.zeros(pairs[0][1]), pairs[0][0])
    for batch, size in pairs[1:]:
        spec.update_shapes_seen(TensorSpec.from_tensor(np.zeros(size), batch))
    return spec


@fast
@given(evidence)
def test_learning_is_that_of_the_definition(pairs):
    spec, last, filled = seen(pairs), None, []
    for batch, size in pairs:
        last = batch if batch is not None else last
        filled.append((last, size))
    all_sizes = [s for _, s in filled]
    known = [(b, s) for b, s in filled if b is not None]
    unknown = {s for b, s in filled if b is None}
    multipliers = [m for m in range(1, 6) if all(s == m * b for b, s in known)]
    fits = len({b for b, _ in known}) > 1 and len(unknown) <= 1 and multipliers and all(
        s % multipliers[0] == 0 for s in unknown)
    if len(set(all_sizes)) == 1:
        want = all_sizes[0]
    else:
        want = "batch0" if fits else "dim0"
    assert spec.shape == [want]
    assert (spec.min_shape, spec.max_shape) == ([min(all_sizes)], [max(all_sizes)])
    assert spec.explain(0)


@fast
@given(evidence, evidence)
def test_merging_is_seeing_one_after_the_other(a, b):
    merged, whole = seen(a), seen(a + b)
    merged.update_shapes_seen(seen(b))
    assert merged.min_shape == whole.min_shape and merged.max_shape == whole.max_shape
    if b[0][0] is not None or all(batch is None for batch, _ in a):  # else an assumption is made
        assert merged.shape == whole.shape


batches = st.lists(st.integers(1, 6), min_size=2, max_size=4, unique=True)


@fast
@given(st.lists(st.lists(st.sampled_from([1, 2, 3, "c"]), min_size=1, max_size=3), min_size=1, max_size=4), batches,
       st.integers(1, 9))
def test_what_make_batch_makes_teaches_nothing_new(shapes, seen_batches, n):
    def sample(b):
        made = [np.arange(math.prod(dims)).reshape(dims)
                for dims in ([5 if f == "c" else f * b for f in shape] for shape in shapes)]
        return {"x": made[0], "rest": (Frozen(made[1:]), Point(1, {"k": made[-1]}))}

    found = SampleMetadata.from_inputs(sample(seen_batches[0]), batch_size=seen_batches[0])
    for b in seen_batches[1:]:
        found.update_shapes_seen(SampleMetadata.from_inputs(sample(b), batch_size=b))
    before = [s.shape for s in found.tensor_specs]
    given_inputs = sample(seen_batches[0])
    made = found.make_batch(given_inputs, n)
    assert repr(given_inputs) == repr(sample(seen_batches[0]))
    assert type(made["rest"][0]) is Frozen and type(made["rest"][1]) is Point
    want = [[5 if f == "c" else f * n for f in shape] for shape in shapes]
    assert [list(a.shape) for _, a in Locator.find_leaves(made, only_tensors=True)] == want + want[-1:]
    found.update_shapes_seen(SampleMetadata.from_inputs(made, batch_size=n))
    assert [s.shape for s in found.tensor_specs] == before


@fast
@given(st.integers(1, 5), st.integers(0, 12))
def test_rows_of_a_made_batch_are_rows_that_were_given(rows, n):
    spec = TensorSpec(["batch0", 3], [1, 3], [9, 3], np.dtype("i8"), [1.0, math.nan])
    given_rows = np.arange(rows * 3).reshape(rows, 3)
    cycled, first = (batch_tensor(given_rows, spec, n, how) for how in ("cycle", "first"))
    assert cycled.tolist() == [given_rows[i % rows].tolist() for i in range(n)]
    assert first.tolist() == [given_rows[i if n <= rows else 0].tolist() for i in range(n)]
