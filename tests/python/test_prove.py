"""The constant prover: which arguments are proven, and why the others are not."""
import inspect
import linecache
import os
import subprocess
import sys
import textwrap

import prove_bodies_frames  # noqa: F401  (adds to PROVEN)
import prove_refusals_calls  # noqa: F401  (adds to REFUSED)
import prove_refusals_expressions  # noqa: F401  (likewise)
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prove_bodies import MARKED, PROVEN, op
from prove_refusals import REFUSED
from prove_texts import load, only_code, put_cell

from headrace.capture import lookup, prove, reasons

COLUMNS = sys.version_info >= (3, 11)
SEVERAL_ON_A_LINE = {"größe_über_alles", "local_in_a_comprehension", "call_result_inline"}


@pytest.fixture(autouse=True)
def marks_of_the_bodies(monkeypatch):
    """The extension knows proxies of its own; the bodies' marked value only has such a name."""
    monkeypatch.setattr(lookup.hooks, "is_marked", lookup._name_says_marked)


def name_of(row):
    return row[0].__name__


def proofs_of(result):
    return [r for r in result if isinstance(r, prove.Proof)] if type(result) is tuple else [result]


@pytest.mark.parametrize("row", PROVEN, ids=name_of)
def test_proven(row):
    body, frames = row
    for proof in proofs_of(body()):
        assert proof.reasons == [], proof.reasons[0]
        assert proof.frames == frames


def cause_line(body, reason):
    """The marked line of the body, or of the routine above it; else the call's own."""
    lines = linecache.getlines(inspect.getsourcefile(body))
    code, n = inspect.getsourcelines(body)
    for at in range(n, n + len(code)):
        if "# cause" in lines[at - 1]:
            return at
    for at, line in enumerate(lines, 1):
        if line.endswith(f"# cause of {body.__name__}\n"):
            return at
    for at in range(reason.line, 0, -1):  # a routine at module level: its own mark
        if "# cause" in lines[at - 1]:
            return at
        if lines[at - 1].startswith("def "):
            break
    return reason.line


@pytest.mark.parametrize("row", REFUSED, ids=name_of)
def test_refused(row):
    body, code, words = row
    proof = body()
    assert len(proof.reasons) == 1, proof
    reason = proof.reasons[0]
    assert reason.code == code, reason
    for word in words:
        assert word in str(reason), reason
    line = linecache.getline(reason.file, reason.line)
    assert reason.argument in line or "op(" in line
    assert reason.cause_line == cause_line(body, reason)
    assert reason.file == reason.cause_file == inspect.getsourcefile(body)


def test_every_reason_has_a_body():
    tested = {code for _, code, _ in REFUSED}
    elsewhere = {"NO_SOURCE", "STALE_SOURCE", "SAME_LINE_310", "EXPRESSION"}
    assert set(reasons.TABLE) == tested | elsewhere


def test_a_call_without_need_of_proof():
    proof = op(None, MARKED, a=None)
    assert proof.arguments == [0, 0, 0] and proof.frames == 0


def test_only_what_is_wanted():
    size = [1]
    proof = prove.prove_call([sys._getframe()], (), [size], wanted=[])
    assert proof.arguments == [0]


def test_reason_in_words():
    size = 12

    def change():
        nonlocal size
        size = 17
    reason, = op(size, MARKED, 7).reasons
    change()
    assert reason.argument == "size" and reason.to_dict()["code"] == "NONLOCAL"
    assert str(reason) == (
        f"`size` is assigned again by a nested function, line {reason.cause_line}: "
        "mark `size` with `hr.capture.invariant`")


# ---- several calls on a line --------------------------------------------------------------------

def two_on_a_line():
    size = 7
    first = op(size); second = op((size, 8))  # noqa: E702
    return first, second


def test_calls_on_one_line():
    for proof in two_on_a_line():
        if COLUMNS:
            assert proof.arguments == [1]
        else:
            assert proof.reasons[0].code == "SAME_LINE_310"
            assert "several calls" in proof.reasons[0].sentence


def test_without_columns(tmp_path):
    """-X no_debug_ranges is as Python 3.10."""
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent("""\
        from prove_bodies import op
        def body():
            size = 7
            one = op(size, 8)
            two = op(size), op(size)
            print(one.arguments, *(p.reasons[0].code for p in two))
        body()
        """))
    options = ["-X", "no_debug_ranges"] if COLUMNS else []
    assert run(script, *options) == "[1, 1] SAME_LINE_310 SAME_LINE_310"


def run(script, *options):
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    done = subprocess.run([sys.executable, *options, script], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": path}, check=True)
    return done.stdout.strip()


def test_deep_recursion_ends_in_a_reason():
    def deep(value, n):
        if n == 0:
            return op(value)
        return deep(value, n - 1)
    proof = deep(7, 400)
    assert proof.arguments == [402] or only_code(proof) == "EXPRESSION"


# ---- frames -------------------------------------------------------------------------------------

def test_another_running_function_with_a_variable_of_the_same_name():
    """The peer looks for the owner of a closure by its name only."""
    def factory(value):
        def body():
            return op(value)
        return body
    finished = factory(7)

    def stranger(value):
        def use():
            return value
        value = abs(-8)
        return finished(), use
    assert stranger(1)[0].arguments == [1]


def test_the_owner_of_another_activation():
    def outer(value, inner):
        def body():
            return op(value)
        return outer(abs(-9), body) if inner is None else inner()
    assert outer(7, None).arguments == [4]


def test_marks_by_a_hook(monkeypatch):
    class Token:
        pass
    monkeypatch.setattr(lookup.hooks, "is_marked", lambda v: type(v) is Token, raising=True)
    assert op(Token(), [Token()][0]).arguments == [0, 0]


def test_the_marker_is_known_by_its_identity(monkeypatch):
    def mark(value):
        return value
    monkeypatch.setattr(lookup.hooks, "invariant", mark)
    value = mark([1])
    number = mark(3) + 4
    impostor = abs
    proof = op(mark(7), number, [mark(abs(-7)), 3])
    assert proof.arguments == [1, 1, 1] or not COLUMNS
    assert value and impostor


# ---- properties ---------------------------------------------------------------------------------

LEAVES = st.one_of(st.integers(-99, 99).map(repr), st.booleans().map(repr), st.just("None"),
                   st.floats(0, 1e6).map(repr), st.text("aä\n'\"", max_size=3).map(repr),
                   st.sampled_from(["local", "pair", "hr.float32", "(w := 5)"]))


def grown(inner):
    many = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        many.map(lambda parts: f"({', '.join(parts)},)"),
        many.map(lambda parts: f"[{', '.join(parts)}]"),
        many.map(lambda parts: "[\n" + ",\n".join(parts) + "]"),
        inner.map(lambda part: f"((({part})))"),
        inner.map(lambda part: f"(*[{part}], {part})"),
        inner.map(lambda part: f"[{part}] + [{part}]"),
        inner.map(lambda part: f"({part},) * 2"))


NUMBERS = st.recursive(
    st.one_of(st.integers(0, 9).map(str), st.just("local")),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+ - * & | ^ <<".split()), inner).map(
            lambda t: f"({t[0]} {t[1]} ({t[2]}) % 7)" if t[1] != "<<" else f"({t[0]}) % 9 << 2"),
        inner.map(lambda part: f"-({part})"), inner.map(lambda part: f"+({part})")), max_leaves=6)
EXPRESSIONS = st.recursive(st.one_of(LEAVES, NUMBERS), grown, max_leaves=8)
counter = iter(range(10**9))


@settings(max_examples=150, deadline=None)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_expressions_of_constants_are_proven(expressions):
    keywords = ", ".join(f"a{i}={e}" for i, e in enumerate(expressions))
    text = ("def body():\n    local = 3\n    pair = (1, (2, 'ä'))\n"
            f"    return op(hr, {keywords}), dict({keywords})\n")
    name = f"<property {next(counter)}>"
    put_cell(name, text)
    body = load(text, name, op=lambda module, **kw: (op_here(1, module, kw), kw))["body"]
    (proof, given), plain = body()
    assert given == plain
    if COLUMNS:
        assert [a for a in proof.arguments[1:] if type(a) is not int] == [], text
    del linecache.cache[name]


def op_here(level, module, keywords):
    return prove.prove_call([sys._getframe(level + 1)], tuple(keywords),
                            [module, *keywords.values()])


@settings(max_examples=60, deadline=None)
@given(EXPRESSIONS, st.sampled_from(["GLOBAL", "abs(1)", "OBJECT.x", "pair[0]"]))
def test_one_part_spoils_the_expression(expression, part):
    text = ("def body():\n    local = 3\n    pair = (1, 2)\n    first = local\n"
            f"    return op([{expression},\n {part}])\n")
    name = f"<property {next(counter)}>"
    put_cell(name, text)
    body = load(text, name, GLOBAL=1, OBJECT=type("O", (), {"x": 1})())["body"]
    reason, = body().reasons
    if COLUMNS:
        assert reason.code in ("MODULE_NAME", "CALL_RESULT", "ATTRIBUTE", "SUBSCRIPT")
        assert f"`{part}`" in reason.sentence and reason.line == 5
    del linecache.cache[name]
