"""The constant prover: which arguments are proven, and why the others are not."""
import inspect
import linecache
import os
import subprocess
import sys
import textwrap
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.capture import lookup, prove, reasons, sources
import prove_refusals_calls  # noqa: F401  (adds to REFUSED)
from prove_bodies import MARKED, PROVEN, op
from prove_refusals import REFUSED

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


# ---- where the text comes from ------------------------------------------------------------------

def load(text, filename, **names):
    space = {"op": op, "hr": hr, "__name__": "made", **names}
    exec(compile(textwrap.dedent(text), filename, "exec"), space)
    return space


def only_code(proof):
    assert {type(a) for a in proof.arguments} == {reasons.Reason}, proof
    code, = {a.code for a in proof.arguments}
    return code


def test_no_source_in_exec():
    body = load("def body(x):\n    return op(7, size=(1, 2))\n", "<string>")["body"]
    assert only_code(body(None)) == "NO_SOURCE"
    assert "<string>" in body(None).reasons[0].sentence


def test_no_source_of_a_caller():
    call = load("def call(f):\n    return f(7)\n", "<string>")["call"]

    def body(value):
        return op(value)
    assert only_code(call(body)) == "NO_SOURCE"


def test_marks_need_no_source():
    body = load("def body(x):\n    return op(x)\n", "<string>")["body"]
    assert body(MARKED).arguments == [0]


def put_cell(name, text):
    """As notebooks and newer shells do: the text of a cell, known only to linecache."""
    text = textwrap.dedent(text)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def test_a_notebook_cell_run_again_with_other_text():
    name = "<cell of test_prove>"
    first = "def body():\n    size = 7\n    return op(size)\n"
    second = "def body():\n    size = abs(-7)\n    return op(size)\n"
    put_cell(name, first)
    assert load(first, name)["body"]().arguments == [1]
    put_cell(name, second)
    assert only_code(load(second, name)["body"]()) == "CALL_RESULT"
    put_cell(name, first)
    assert load(first, name)["body"]().arguments == [1]


def test_module_level_code():
    """A loop at module level: literals are proven, names are not."""
    text = """\
        size = 7
        for step in (1, 2):
            if step:
                proofs = [op(
                    7, [1, 2],
                    a=hr.int32)]
                fallen = op(size)
            else:
                pass
        """
    name = "<module of test_prove>"
    put_cell(name, text)
    space = load(text, name)
    assert space["proofs"][0].arguments == [1, 1, 1]
    assert only_code(space["fallen"]) == "MODULE_NAME"


@pytest.fixture
def written(tmp_path):
    """Writes a file, loads it, gives its names; again: edits it."""
    path = tmp_path / "written.py"

    def write(text, encoding="utf-8"):
        path.write_bytes(textwrap.dedent(text).encode(encoding))
        os.utime(path, ns=(time.time_ns(), write.at))  # edits within one tick of the clock count
        write.at += 10**9
        write.load = lambda: load_file(path)
        return load_file(path)
    write.at, write.path = 10**18, path
    return write


def load_file(path):
    space = {"op": op, "hr": hr, "__name__": "written"}
    exec(compile(path.read_bytes(), str(path), "exec"), space)
    return space


BODY = "def body():\n    size = 7\n    return op(size)\n"


def test_an_edited_file_is_read_anew(written):
    assert written(BODY)["body"]().arguments == [1]
    edited = written(BODY.replace("7", "abs(-7)"))
    assert only_code(edited["body"]()) == "CALL_RESULT"
    assert written("\n\n" + BODY)["body"]().arguments == [1]


@pytest.mark.parametrize("edit", [
    lambda text: "# one line more\n" + text,
    lambda text: text.replace("size = 7", "size = 8"),
    lambda text: text.replace("op(size)", "op(size, 1)"),
    lambda text: text.replace("op(size)", "size + 1"),
    lambda text: text.replace("body()", "other()"),
    lambda text: text.replace("body()", "body(size)").replace("    size = 7\n", "    a = 7\n"),
    lambda text: text.replace("    size = 7\n", "    pass\n"),
    lambda text: "",
    lambda text: "def (",
])
def test_an_edit_after_loading_proves_nothing(written, edit):
    body = written(BODY)["body"]
    assert body().arguments == [1]
    written.path.write_text(edit(BODY))
    assert only_code(body()) in ("STALE_SOURCE", "INDIRECT_CALL", "NO_SOURCE")


def test_a_file_that_has_gone(written):
    body = written(BODY)["body"]
    written.path.unlink()
    assert only_code(body()) == "NO_SOURCE"


@pytest.mark.parametrize("text, encoding", [
    ("# coding: latin-1\ndef body():\n    größe = 'ä'; return op('öö', größe)\n", "latin-1"),
    ("\ufeffdef body():\n    größe = 'ä'; return op('öö', größe)\n", "utf-8"),
    ("def body():\r\n    größe = 7\r\n    return op('öö',\r\n   größe)\r\n", "utf-8"),
    ("class A:\n\tdef body():\n\t\tsize = 7\n\t\treturn op(\n7,\n  size)\nbody = A.body\n", "utf-8"),
    ("def body():\n\f    size = 7\n    return op(\n# a comment\nsize\n)\n", "utf-8"),
    ('def body():\n    """Text\nat column 0\n"""\n    size = 7\n    return op(size)\n', "utf-8"),
    ('def body():\n    size = 7\n    return op(size, """\nz\n""", a="""\ny\n""")', "utf-8"),
    ("def keep(f): return f\n@keep\n@keep\ndef body():\n    return op(7)\n", "utf-8"),
    ("def body(): return op(7)\n", "utf-8"),
    ("if True:\n  class A:\n   def f(self):\n    size = 7\n    def g(): return op(size)\n"
     "    return g()\ndef body(): return A().f()", "utf-8"),
    ("def f():\n    size = 7\n    def g():\n        text = '''\nfor\n'''\n        return op(size)\n"
     "    return g\nbody = f()", "utf-8"),
    ("body = lambda: op(\n  7,\n (1, 2))\n", "utf-8"),
    ("body = [\nlambda: op(7),\nlambda: op(8)][0]\n", "utf-8"),
    ("x = '''\ndef body():\n    size = 7\n'''\ndef body():\n    return op('''\ndef f(): '''); '''\n'''\n",
     "utf-8"),
], ids=range(14))
def test_shapes_of_files(written, text, encoding):
    proof = written(text, encoding)["body"]()
    assert proof.arguments and all(type(a) is int for a in proof.arguments), proof


def test_files_kept_are_bounded(tmp_path):
    for i in range(sources.FILES_KEPT + 10):
        path = tmp_path / f"f{i}.py"
        path.write_text(BODY)
        assert load_file(path)["body"]().arguments == [1]
    assert len(sources._kept) <= sources.FILES_KEPT


def test_a_relative_name_after_a_change_of_folder(tmp_path, monkeypatch):
    (tmp_path / "script.py").write_text(BODY)
    monkeypatch.chdir(os.path.dirname(__file__))
    body = load(BODY, "script.py", __file__=str(tmp_path / "script.py"))["body"]
    assert body().arguments == [1]


def test_cost_follows_the_function(tmp_path):
    """A long file costs at most twice what a short one costs; a first proof, all files new."""
    filler = "".join(f"def other_{i}(x):\n    y = x + {i}\n    return [y, x]\n\n\n"
                     for i in range(2000))
    lines = filler.count("\n")
    assert lines == 10_000

    def first_proof(text, name):
        best = 1e9
        for i in range(7):
            path = tmp_path / f"{name}{i}.py"
            path.write_text(text)
            space = {"op": op_timed, "__name__": name}
            shift = text.count("\n") - BODY.count("\n")
            exec(compile("\n" * shift + BODY, str(path), "exec"), space)
            seconds, proof = space["body"]()
            assert proof.arguments == [1]
            best = min(best, seconds)
        return best

    short = first_proof(filler[:filler.index("def other_20(")] + BODY, "short")
    long = first_proof(filler + BODY, "long")
    assert long < 2 * short + 2e-4, (long, short)


def op_timed(*args):
    frame = sys._getframe(1)
    begin = time.perf_counter()
    proof = prove.prove_call([frame], (), args)
    return time.perf_counter() - begin, proof


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
