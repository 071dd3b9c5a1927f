"""The house rules hold: order of dependence between rooms, sizes, names, line lengths."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
check_house = pytest.importorskip("check_house")
check_layers = pytest.importorskip("check_layers")


def test_layers():
    found = check_layers.problems(ROOT)
    assert not found, "\n".join(found)


def test_house():
    errors, _ = check_house.problems(ROOT)
    assert not errors, "\n".join(errors)


# ---- the checks see what they are for ---------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return tmp_path

    write("Makefile", "all:\n\techo\n")
    return write


@pytest.mark.parametrize("name, text, words", [
    ("src/image/a.c", '#include "io/reader.h"\n', "image must not include io"),
    ("src/kernels/a.c", '#include "core/core.h"\n', "kernels must not include core"),
    ("src/core/a.c", "#include <Python.h>\n", "the core knows no Python"),
    ("src/core/a.c", '  #  include "nowhere.h"\n', "no file of src"),
    ("src/odd/a.c", "", "room odd is not in the order"),
    ("include/headrace/a.h", '#include "core/core.h"\n', "public headers include"),
    ("include/headrace/a.h", "#include <headrace/none.h>\n", "is no public header"),
    ("python/ext/a.c", '#include "io/reader.h"\n', "the extension uses"),
])
def test_layers_finds(tree, name, text, words):
    for room in ("core/core", "io/reader", "kernels/kernels"):
        tree(f"src/{room}.h", "")
    root = tree(name, text)
    assert any(words in p and name in p for p in check_layers.problems(root))


@pytest.mark.parametrize("name, text, words", [
    ("src/core/a.c", "int a;\n" * 701, "701 lines, at most 700"),
    ("python/headrace/a.py", "a = 1\n" * 401, "401 lines, at most 400"),
    ("src/core/a.c", "int f(void)\n{\n" + "    g();\n" * 68 + "}\n", "f has 71 lines"),
    ("tools/a.py", "def f():\n" + "    g()\n" * 70, "f has 71 lines"),
    ("src/core/a.c", "/* " + "x" * 108 + " */\n", "114 columns"),
    ("src/core/a.c", "int a; \n", "blanks at the end"),
    ("src/core/a.c", "\tint a;\n", "a tab"),
    ("src/core/a.c", "int a;", "the last line has no end"),
    ("docs/a.md", "TO" "DO: write it\n", "a note to oneself"),
    ("docs/a.md", "see /ro" "ot/notes\n", "a path of one machine"),
])
def test_house_finds(tree, name, text, words):
    errors, _ = check_house.problems(tree(name, text))
    assert any(words in e and name in e for e in errors)


def test_house_finds_names_used_twice(tree):
    tree("src/core/a.c", "")
    tree("src/kernels/b.c", "")
    tree("src/image/b.c", "")  # a kernel family bears its operator's name
    assert check_house.problems(tree("docs/a.md", ""))[0] == []
    errors, _ = check_house.problems(tree("src/image/a.c", ""))
    assert len(errors) == 1 and "used again" in errors[0]


def test_an_exception_must_be_needed(tree, monkeypatch):
    monkeypatch.setattr(check_house, "EXCEPTIONS", {("docs/a.md", "tabs"): "shown to the reader"})
    assert check_house.problems(tree("docs/a.md", "a\tb\n"))[0] == []
    errors, _ = check_house.problems(tree("docs/a.md", "a b\n"))
    assert len(errors) == 1 and "not needed any more" in errors[0]


def test_house_counts_long_functions(tree):
    root = tree("src/core/a.c", "int f(int a,\n      int b)\n{\n" + "    g();\n" * 40 + "}\n")
    errors, warnings = check_house.problems(root)
    assert errors == [] and warnings == ["src/core/a.c:1: f has 44 lines"]


def test_programs_exit_with_their_finding(tree):
    root = tree("src/odd/a.c", "int a; \n")
    for program in ("check_layers.py", "check_house.py"):
        done = subprocess.run([sys.executable, ROOT / "tools" / program, root],
                              capture_output=True, text=True)
        assert done.returncode == 1 and "src/odd/a.c:1" in done.stdout
