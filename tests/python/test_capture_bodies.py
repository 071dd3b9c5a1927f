"""Random loop bodies: a captured loop and an eager one give the same bits and the same generators."""
import itertools
import linecache
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as hr

SIZE = 2
WIDTH = 3  # elements of a sample: every statement keeps it
N_RNGS = 2
GLOBAL = 1.5  # at module level: never proven

OPERATORS = (
    "hr.cast({a}, dtype=hr.float32)",
    "hr.cast({a}, dtype=hr.int32)",
    "hr.reshape({a}, shape=[3])",
    "hr.reshape({a}, shape=shape)",
    "hr.slice(joined({a}, {b}), 1, 3, axes=[0])",
    "hr.pad({a}, fill_value=2, axes=(0,), shape=(3,))",
    "hr.zeros_like({a})",
    "hr.ones_like({a})",
    "helper({a})",
    "helper(helper({a}))",
    "method({a})",
    "twice({a}, hr.float32)",
    # eager ones
    "hr.pad({a}, fill_value=GLOBAL, axes=(0,), shape=(3,))",
    "hr.reshape({a}, shape=[int(3)])",
    "{a} + 1",
    "hr.math.abs({a})",
    "joined({a}, {b}).slice[0:3]",
    "hr.cast(stale if stale is not None else {a}, dtype=hr.float32)",
)
RANDOM = (
    "hr.random.uniform(batch_size=2, shape=[3], rng={r})",
    "hr.random.uniform(batch_size=x.batch_size, shape=shape, rng={r})",
    "hr.random.normal({a}, rng={r})",
    "hr.random.coin_flip(batch_size=2, shape=[3], rng={r})",
    "hr.noise.gaussian(hr.cast({a}, dtype=hr.float32), stddev=0.5, rng={r})",
    "hr.random.uniform(batch_size=2, range=(0.0, GLOBAL), shape=[3], rng={r})",
    "noise({r})",
)
CONDITIONS = ("step % 2 == 0", "step % 3 == 1", "step > 1", "step == 0", "step == 3")

HEAD = """
import headrace as hr
GLOBAL = 1.5

def helper(y):
    return hr.cast(y, dtype=hr.float32)

def joined(a, b):
    c = hr.cast(a, dtype=hr.float32)
    return hr.cat(c, hr.cast(b, dtype=hr.float32))

def method(y):
    z = hr.reshape(y, shape=(3, 1))
    return hr.reshape(z, shape=(3,))

def twice(y, dtype):
    return hr.cast(hr.cast(y, dtype=hr.int32), dtype=dtype)

def noise(rng):
    return hr.random.uniform(batch_size=2, shape=[3], rng=rng)

def run(loop, stop, rngs, log):
    shape = (3,)
    r0, r1 = rngs
    stale = None
    for step, x in enumerate(loop):
        v0 = x
"""
TAIL = """
        log(VALUES)
        stale = LAST
        if step + 1 == stop:
            break
"""


class Writer:
    """Writes statements of a body; each makes a new variable, or changes one."""

    def __init__(self, draw, changes_draws):
        self.draw, self.changes_draws = draw, changes_draws
        self.lines, self.n = [], 1

    def pick(self, options):
        return self.draw(st.sampled_from(options))

    def variable(self):
        return f"v{self.draw(st.integers(0, self.n - 1))}"

    def call(self, table):
        return self.pick(table).format(a=self.variable(), b=self.variable(),
                                       r=f"r{self.draw(st.integers(0, N_RNGS - 1))}")

    def line(self, indent, text):
        self.lines.append("    " * (2 + indent) + text)

    def assign(self, indent, table):
        call = self.call(table)
        self.line(indent, f"v{self.n} = {call}")

    def statement(self):
        kind = self.pick(["call", "call", "call", "random", "random", "draw", "skip", "either", "repeat",
                          "except", "only looked at"])
        tables = OPERATORS + RANDOM if self.changes_draws else OPERATORS
        if kind == "call":
            self.assign(0, OPERATORS)
        elif kind == "random":
            self.assign(0, RANDOM)
        elif kind == "draw":
            self.line(0, self.pick(["r0()", "r1()", "r0.advance(3)"]))
            return
        elif kind == "skip":
            self.line(0, f"v{self.n} = {self.variable()}")
            self.line(0, f"if {self.pick(CONDITIONS)}:")
            self.assign(1, tables)
        elif kind == "either":
            self.line(0, f"if {self.pick(CONDITIONS)}:")
            self.assign(1, tables)
            self.line(0, "else:")
            self.assign(1, tables)
        elif kind == "repeat":
            before = self.variable()
            self.line(0, f"v{self.n} = {before}")
            self.line(0, f"for _ in range({self.pick(['2', '1 + step % 2' if self.changes_draws else '3'])}):")
            call = self.pick(OPERATORS + RANDOM).format(a=f"v{self.n}", b=before, r="r0")
            self.line(1, f"v{self.n} = {call}")
        elif kind == "except":
            self.line(0, "try:")
            self.assign(1, OPERATORS)
            self.line(1, f"if {self.pick(CONDITIONS)}:")
            self.line(2, "raise KeyError(step)")
            self.line(0, "except KeyError:")
            self.assign(1, tables)
        else:
            self.line(0, self.call(OPERATORS))
            return
        self.n += 1


@st.composite
def bodies(draw, changes_draws=False):
    writer = Writer(draw, changes_draws)
    for _ in range(draw(st.integers(1, 7))):
        writer.statement()
    values = ", ".join(f"v{k}" for k in range(writer.n))
    return HEAD + "\n".join(writer.lines) + TAIL.replace("VALUES", values).replace(
        "LAST", writer.variable())


_names = itertools.count()


def compiled(text):
    """The function `run` of a text that can be read back, as from a file."""
    name = f"<body {next(_names)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    return scope["run"]


def item(k):
    return hr.as_batch([np.arange(WIDTH, dtype=np.int32) + 100 * k + 10 * s for s in range(SIZE)])


def bits(batch):
    return [(t.dtype.name, t.shape, np.asarray(t).tobytes()) for t in batch.tensors]


class Log:
    """Values and states of each step; some values are only looked at when all is over."""

    def __init__(self, rngs, looks):
        self.rngs, self.looks, self.steps = rngs, looks, []

    def __call__(self, *values):
        step = [bits(v) if looked else v for v, looked in zip(values, itertools.cycle(self.looks))]
        self.steps.append((step, [str(r.state) for r in self.rngs]))

    def result(self):
        return [([v if isinstance(v, list) else bits(v) for v in step], states)
                for step, states in self.steps]


class EagerPasses:
    """Passes over a list as the loops of one source make them: the next goes on behind a `break`."""

    def __init__(self, n):
        self.n, self.at, self.ended = n, 0, True

    def loop(self):
        if self.at == self.n:
            self.at = 0
        while self.at < self.n:
            self.at += 1
            yield item(self.at - 1)
        self.at = 0


def run_or_close(run, loop, stop, rngs, log):
    try:
        run(loop, stop, rngs, log)
    except BaseException:  # whoever keeps the traceback keeps the loop
        loop.close()
        raise


def walk(run, capture, n, stops, looks, prefetch):
    rngs = [hr.random.RNG(seed=k) for k in range(N_RNGS)]
    log = Log(rngs, looks)
    source = hr.ExternalSource([item(k) for k in range(n)], cycle="raise")
    eager = EagerPasses(n)
    for stop in stops:
        loop = source.captured(batch_size=SIZE, prefetch=prefetch) if capture else eager.loop()
        run_or_close(run, loop, stop, rngs, log)
    return log.result()


WALKS = {"n": st.integers(1, 6), "stops": st.lists(st.sampled_from([None, None, 1, 2, 3, 5]), min_size=1,
                                                    max_size=4),
         "looks": st.lists(st.booleans(), min_size=1, max_size=5), "prefetch": st.integers(1, 4)}
CHECKS = settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))


@CHECKS
@given(text=bodies(), **WALKS)
def test_a_captured_loop_equals_an_eager_one(text, **walk_options):
    run = compiled(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hr.HeadraceWarning)  # nothing captured, or repeated sites
        captured = walk(run, True, **walk_options)
    assert captured == walk(run, False, **walk_options)


@CHECKS
@given(text=bodies(changes_draws=True), **WALKS)
def test_with_changing_draws_it_equals_the_eager_one_until_it_refuses(text, **walk_options):
    """Random calls behind conditions: an error, or the same bits; never other ones."""
    run = compiled(text)
    rngs = [hr.random.RNG(seed=k) for k in range(N_RNGS)]
    log = Log(rngs, walk_options["looks"])
    source = hr.ExternalSource([item(k) for k in range(walk_options["n"])], cycle="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hr.HeadraceWarning)
        try:
            for stop in walk_options["stops"]:
                loop = source.captured(batch_size=SIZE, prefetch=walk_options["prefetch"])
                run_or_close(run, loop, stop, rngs, log)
        except RuntimeError as error:
            assert "RNG" in str(error)
        loop.close()
    got = log.result()
    assert got == walk(run, False, **walk_options)[:len(got)]


def test_the_bodies_are_captured():
    """What keeps the tests above from comparing eager loops with eager ones."""
    lines = ["v1 = hr.cat(v0, v0)", "v2 = hr.slice(v1, 1, 3, axes=[0])", "v3 = helper(helper(v2))", "v4 = noise(r1)"]
    run = compiled(HEAD + "\n".join("        " + line for line in lines)
                   + TAIL.replace("VALUES", "v0, v1, v2, v3, v4").replace("LAST", "v1"))
    flags = []
    run(hr.ExternalSource([item(k) for k in range(4)]).captured(batch_size=SIZE), None,
        [hr.random.RNG(seed=1), hr.random.RNG(seed=2)],
        lambda *values: flags.append([v._capture_ref is not None for v in values]))
    assert flags == [[True] * 5] * 4


def test_what_is_written_here_can_run():
    """Every call of the tables, alone, eagerly."""
    for k, call in enumerate(OPERATORS + RANDOM):
        line = "        v1 = " + call.format(a="v0", b="v0", r="r0")
        run = compiled(HEAD + line + TAIL.replace("VALUES", "v0, v1").replace("LAST", "v1"))
        try:
            got = walk(run, False, 2, [None], [True], 1)
        except Exception as error:
            pytest.fail(f"{call}: {error}")
        assert all(shape == (WIDTH,) for _, shape, _ in got[-1][0][1]), call
