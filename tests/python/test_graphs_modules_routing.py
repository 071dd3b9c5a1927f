"""Routing: policies, guards, memory, and no Python between the call and the backend."""
import collections
import gc
import logging
import os
import re
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

from headrace import graphs


def forward(x, mask=None, mode="a"):
    return x


SIGNATURE = graphs.ForwardSignature.from_callable(forward)


def zeros(*shape, dtype="float32"):
    return np.zeros(shape, dtype)


class Label:
    """A backend that tells its label and what it was given."""

    device, is_jit = "cpu", True

    def __init__(self, label, guards=()):
        self.label, self.guards = label, guards

    def infer(self, *args, **kwargs):
        return self.label, len(args), sorted(kwargs)


def meta(*args, strict=True, **kwargs):
    bound = SIGNATURE.normalize(args, kwargs).arguments
    return graphs.SampleMetadata.from_inputs(bound, strict=strict)


def learned(*shapes, **kwargs):
    first, *others = (meta(zeros(*shape), **kwargs) for shape in shapes)
    for other in others:
        first.update_shapes_seen(other)
    return first


def tuned(*samples, guards=(), **options):
    backends = {sample: Label(i, guards) for i, sample in enumerate(samples)}
    return graphs.TunedModule(backends, "probe", SIGNATURE, **options)


def original(x, mask=None, mode="a"):
    return "original", x.shape, mode


# ---- to the right graph --------------------------------------------------------------------------------


def test_arguments_arrive_normalised():
    route = tuned(meta(zeros(1), "m", "b"))
    for call in (lambda: route(zeros(1), "m", "b"), lambda: route(mode="b", mask="m", x=zeros(3)),
                 lambda: route(zeros(1), mode="b", mask="m")):
        assert call() == (0, 3, [])
    route = tuned(meta(zeros(1), mode="b"))
    assert route(zeros(1), mode="b") == route(mode="b", x=zeros(1)) == (0, 1, ["mode"])
    for bad in (lambda: route(), lambda: route(1, 2, 3, 4), lambda: route(1, x=1), lambda: route(1, q=2)):
        with pytest.raises(TypeError):
            bad()


def test_values_are_told_apart_by_type_and_content():
    values = [True, 1, 1.0, float("nan"), float("inf"), None, "1", b"1", (1, 2), frozenset((1,)), 1j,
              np.float32(1), np.float64(1), range(3)]
    route = tuned(*(meta(zeros(1), value) for value in values))
    for i, value in enumerate(values):
        assert route(zeros(5), value)[0] == i
    assert route(zeros(5), float("nan"))[0] == 3
    assert route(zeros(5), (1, 2))[0] == 8
    with pytest.raises(RuntimeError):
        route(zeros(5), (1, 2.0))


def test_a_thousand_graphs():
    route = tuned(*(meta(zeros(1), i) for i in range(1000)))
    assert [route(zeros(2), i)[0] for i in range(1000)] == list(range(1000))
    assert route.served == (1,) * 1000
    with pytest.raises(RuntimeError, match="no graph"):
        route(zeros(2), 1000)


def test_order_of_keys_plays_no_part_with_guards():
    sample = meta({"a": zeros(2), "b": zeros(5), "c": zeros(2, 2)})
    route = tuned(sample, guards=("range",))
    assert route({"c": zeros(2, 2), "b": zeros(5), "a": zeros(2)})[0] == 0
    with pytest.raises(RuntimeError, match=r'x\["a"\] axis 0 has size 5, not 2'):
        route({"c": zeros(2, 2), "b": zeros(2), "a": zeros(5)})


def test_one_graph_unchecked_takes_everything():
    route = tuned(meta(zeros(1)), check_graph=False)
    assert route("no tensor at all", mask=3) == (0, 2, [])
    with pytest.raises(RuntimeError):
        tuned(meta(zeros(1)), meta(zeros(1, 1)), check_graph=False)("no tensor")


def test_what_cannot_be_made():
    with pytest.raises(ValueError, match="no backends"):
        tuned()
    with pytest.raises(ValueError, match="'sometimes'"):
        tuned(meta(zeros(1)), unknown="sometimes")
    with pytest.raises(ValueError, match="'colour'"):
        tuned(meta(zeros(1)), guards=("colour",))
    with pytest.raises(TypeError, match="SampleMetadata"):
        graphs.TunedModule({"x": Label(0)}, "probe", SIGNATURE)
    with pytest.raises(ValueError, match="nothing_such"):
        tuned(meta(zeros(1)), free=["nothing_such"])
    with pytest.raises(RuntimeError):
        graphs.TunedModule.__new__(graphs.TunedModule)(zeros(1))
    route = tuned(meta(zeros(1)))
    with pytest.raises(KeyError):
        route._add(meta(zeros(9)), Label(1), ())
    for guards in ((1,), ((5, 1, (1,), (1,)),), ((0, 1, (1, 2, 3), (3, 4, 5)),), ((0, 99, (1,), (1,)),),
                   ((0, 1, (3, 3), (1, 1)),)):
        with pytest.raises((ValueError, TypeError)):
            route._add(meta(zeros(9, 9)), Label(1), guards)
    assert route(zeros(4))[0] == 0 and len(route.served) == 1


# ---- policies ------------------------------------------------------------------------------------------


def test_fallback_calls_the_original_as_the_user_did(caplog):
    route = tuned(meta(zeros(1)), original=original)
    with caplog.at_level(logging.WARNING, "headrace.graphs"):
        for i in range(5):
            assert route(zeros(2, 2), mode="q") == ("original", (2, 2), "q")
        assert route(x=zeros(3, 3), mode="r")[0] == "original"
    assert route.n_unknown == 6 and route.n_outside == 0 and route.served == (0,)
    told = [r.getMessage() for r in caplog.records]
    assert len(told) == 2 and "Tensors: x Others: mode=q" in told[0] and "[2, 2]" in told[0]
    assert [m.other_data[0][1] for m in route.unknown_graphs] == ["q", "r"]


def test_error_names_the_call_each_time():
    route = tuned(meta(zeros(1)), original=original, unknown="error")
    for n in range(3):
        with pytest.raises(RuntimeError, match="no graph for Tensors: x"):
            route(zeros(2, 2))
    assert route.n_unknown == 3


@pytest.mark.parametrize("call, text", [
    (dict(x=zeros(2, 2), mode="a"), "in graph 0 x has 1 axes"),
    (dict(x=zeros(2), mode="c"), r"in graph 0 mode is 'a' \(str\)"),
    (dict(x=zeros(2), mode="a", mask=zeros(2)), "in graph 0 mask is no tensor, or not given"),
    (dict(x=zeros(2), mode=1), r"in graph 0 mode is 'a' \(str\)"),
    (dict(x=zeros(2), mode=True, mask=zeros(1)), r"in graph 2 mode is 1 \(int\)"),
    (dict(x=zeros(2)), "in graph 1 mode is 'b'|in graph 0 mode is 'a'"),
    (dict(x=None, mode="a"), "in graph 0 x is a tensor"),
])
def test_an_unknown_graph_is_told_beside_the_nearest_known_one(call, text):
    route = tuned(meta(zeros(1), mode="a"), meta(zeros(1), mode="b"), meta(zeros(1), mode=1, mask=zeros(1)))
    with pytest.raises(RuntimeError, match=text):
        route(**call)


def test_a_value_that_cannot_be_told_in_words_loses_no_call(caplog):
    class Silent:
        def __repr__(self):
            raise KeyError("never")

    route = tuned(meta(zeros(1), mode="a"), original=lambda x, mode: 5)
    assert route(zeros(1), mode=Silent()) == 5
    assert "cannot be told in words: KeyError" in caplog.text


def test_without_an_original_every_policy_refuses_what_it_cannot_place():
    for unknown in ("fallback", "error", "nearest"):
        with pytest.raises(RuntimeError, match="no graph"):
            tuned(meta(zeros(1)), unknown=unknown)(zeros(1, 1))


def test_nearest_has_the_same_tensors_and_other_values():
    route = tuned(meta(zeros(1, 1), mode="a"), meta(zeros(1), mode="a"), original=original, unknown="nearest")
    assert route(zeros(4), mode="other")[0] == 1
    assert route(zeros(4))[0] == 1
    assert route(zeros(4, 4, 4))[0] == "original"
    assert route(zeros(4), mask=zeros(1))[0] == "original"
    assert route.n_unknown == 4


@pytest.mark.parametrize("unknown, answer", [("fallback", "original"), ("nearest", 0), ("error", None)])
def test_guards(unknown, answer, caplog):
    samples = [learned((1, 4), (8, 4))]
    for guard, bad, text in (("range", zeros(9, 4), "x axis 0 has size 9, not 1 to 8"),
                             ("range", zeros(2, 5), "x axis 1 has size 5, not 4"),
                             ("dtype", zeros(2, 4, dtype="int64"), "x has dtype int64, not float32")):
        route = tuned(*samples, guards=(guard,), original=original, unknown=unknown)
        assert route(zeros(1, 4))[0] == route(zeros(5, 4))[0] == route(zeros(8, 4))[0] == 0
        caplog.clear()
        for _ in range(3):
            if answer is None:
                with pytest.raises(RuntimeError, match=text):
                    route(bad)
            else:
                assert route(bad)[0] == answer
        assert route.n_outside == 3 and route.n_unknown == 0
        told = [r.getMessage() for r in caplog.records]
        assert len(told) == (0 if answer is None else 1) and all(re.search(text, t) for t in told)


def test_no_guards_no_checks():
    route = tuned(meta(zeros(2)))
    assert route(zeros(1000, dtype="int8"))[0] == 0 and route.n_outside == 0


def test_explicit_shapes_are_the_range():
    shapes = {"x": (graphs.BatchDim("b", 1, 64), 4)}
    route = tuned(meta(zeros(2, 4)), guards=("range",), dynamic_shapes=shapes)
    assert route(zeros(64, 4))[0] == 0
    with pytest.raises(RuntimeError, match="65"):
        route(zeros(65, 4))


def test_free_arguments():
    route = tuned(meta(zeros(1)), free=["mask", "mode"])
    assert route(zeros(3), 1.5, "anything")[0] == 0
    with pytest.raises(RuntimeError):
        route(zeros(3), zeros(1))


def test_unknown_graphs_are_told_of_up_to_a_bound(caplog):
    route = tuned(meta(zeros(1), -1), original=original)
    for i in range(200):
        route(zeros(1), i)
    assert route.n_unknown == 200 and len(route.unknown_graphs) == 64 == len(caplog.records)


def test_a_failing_comparison_leaves():
    class Odd:
        def __init__(self):
            self.is_asked = False

        def __hash__(self):
            return 1

        def __eq__(self, other):
            raise OSError("not comparable")

    sample = meta(zeros(1), Odd())
    with pytest.raises((OSError, RuntimeError)):
        tuned(sample)(zeros(1), Odd())


# ---- no Python on the way, no memory kept --------------------------------------------------------------


def frames_of(call):
    seen = []

    def note(frame, event, arg):
        if event == "call":
            seen.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen[: seen.index("setprofile")] if "setprofile" in seen else seen


def test_no_python_frame_between_the_call_and_the_backend():
    values = {"a": [zeros(2), zeros(2, 2)], "b": collections.UserDict(c=zeros(1)), "n": 3}

    class Whole:
        device = "cpu"

        def infer(self, x, mask=None, mode="a"):
            return x

    route = graphs.TunedModule({meta(values, mode="b"): Whole()}, "probe", SIGNATURE)
    route(values, mode="b")
    assert frames_of(lambda: route(values, mode="b")) == ["<lambda>", "infer"]

    module = graphs.Module(forward, "forward")
    module(values, mode="b")
    module.tune()
    module(values, mode="b")
    assert frames_of(lambda: module(values, mode="b")) == ["<lambda>", "forward"]


def memory_of(call, rounds):
    for _ in range(rounds // 10):
        call()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(rounds):
            call()
        gc.collect()
        return tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()


@pytest.mark.skipif("HEADRACE_SANITIZED" in os.environ, reason="the sanitizer's allocator counts otherwise")
@pytest.mark.parametrize("kind", ["known", "unknown", "outside", "refused"])
def test_calls_keep_nothing(kind):
    route = tuned(learned((1,), (4,)), guards=("range",), original=original,
                  unknown="error" if kind == "refused" else "fallback")
    x = {"known": zeros(3), "unknown": zeros(3, 3), "outside": zeros(9), "refused": zeros(3, 3)}[kind]

    def call():
        try:
            route(x, mask="m" if kind == "unknown" else None) if kind != "known" else route(x)
        except RuntimeError:
            pass

    blocks = sys.getallocatedblocks()
    assert memory_of(call, 5000) < 5000 * 8  # less than a pointer a call
    assert sys.getallocatedblocks() - blocks < 500


def test_a_million_calls_leave_nothing():
    module = graphs.Module(lambda x, key=0: x, "m")
    ring = [zeros(1 + i % 5, 3) for i in range(64)]
    for i in range(8):
        module(ring[i], i)
    module.tune()

    def run(n):
        for i in range(n):
            module(ring[i & 63], i & 7)

    run(8_000)
    gc.collect()
    before = sys.getallocatedblocks()
    run(1_000_000)
    gc.collect()
    assert sys.getallocatedblocks() - before < 200
    assert module.module.served == (126_000,) * 8 and module.module.n_unknown == 0


def test_routers_are_collected():
    class Holder:
        device = "cpu"

    backend = Holder()
    route = tuned(meta(zeros(1)))
    backend.route, backend.infer = route, lambda *a, **k: None
    route._add(meta(zeros(1, 1)), backend, ())
    alive = weakref.ref(route)
    del route, backend
    gc.collect()
    assert alive() is None


# ---- hostile inputs ------------------------------------------------------------------------------------


def nested_list(depth):
    tree = [zeros(1)]
    for _ in range(depth):
        tree = [tree]
    return tree


def test_deep_and_wide_inputs_are_routed():
    wide = {i: zeros(i % 3) for i in range(20_000)}
    route = tuned(meta(nested_list(10_000)), meta(wide), guards=("dtype",))
    assert route(nested_list(10_000))[0] == 0
    assert route(dict(reversed(wide.items())))[0] == 1
    with pytest.raises(RuntimeError, match="no graph"):
        route(nested_list(9_999))


class Lying:
    """Something whose parts raise, or say something else each time."""

    def __init__(self, what):
        self.what = what

    def __eq__(self, other):
        if self.what == "eq":
            raise OSError("eq")
        return "neither true nor false" if self.what == "odd" else NotImplemented

    def __hash__(self):
        if self.what == "hash":
            raise OSError("hash")
        return 3

    def __repr__(self):
        raise OSError("repr")

    def __str__(self):
        return "text"


def cycle():
    loop = {}
    loop["again"] = [loop]
    return loop


@pytest.mark.parametrize("make", [
    lambda: Lying("eq"), lambda: Lying("odd"), lambda: Lying("hash"), lambda: Lying("repr"), cycle,
    lambda: (i for i in range(3)), lambda: {Lying("hash2"): zeros(1)}, lambda: type("T", (), {})(),
    lambda: np.array([object()]), lambda: float("nan"), lambda: memoryview(b"x"), lambda: [None] * 10_000,
])
@pytest.mark.parametrize("policy", ["fallback", "error", "nearest"])
def test_hostile_values_end_in_an_answer_or_an_ordinary_error(make, policy):
    route = tuned(meta(zeros(1)), meta(zeros(1), 1), original=original, unknown=policy)
    for _ in range(3):
        try:
            assert route(zeros(1), make())[0] in ("original", 1, 0)
        except (RuntimeError, ValueError, OSError, TypeError):
            pass
    assert route(zeros(1))[0] == 0 and route(zeros(1), 1)[0] == 1


def test_backends_that_change_the_router_or_raise():
    class Changing:
        device = "cpu"

        def infer(self, x, mask=None, mode="a"):
            if mask is None:
                for i in range(20):
                    route._add(meta(zeros(1), i), Label(i), ())
                return route(zeros(1), 7)
            raise KeyError("backend")

    route = graphs.TunedModule({meta(zeros(1)): Changing(), meta(zeros(1), "raise"): Changing()}, "p", SIGNATURE)
    with pytest.raises(KeyError, match="backend"):
        route(zeros(1), "raise")
    assert route(zeros(1))[0] == 7 and len(route.served) == 22
