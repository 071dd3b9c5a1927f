"""Where the constant prover reads a function's text: files, edits, notebooks, modules, exec."""
import os
import sys
import textwrap
import time

import pytest
from prove_bodies import MARKED, op
from prove_texts import load, only_code, put_cell

import headrace as hr
from headrace.capture import lookup, prove, sources


@pytest.fixture(autouse=True)
def marks_of_the_bodies(monkeypatch):
    """The extension knows proxies of its own; the bodies' marked value only has such a name."""
    monkeypatch.setattr(lookup.hooks, "is_marked", lookup._name_says_marked)


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
