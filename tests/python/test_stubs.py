"""Stubs: fresh, equal to inspect.signature, and accepted by a strict type checker."""
import ast
import inspect
import pathlib
import subprocess
import sys

import pytest

import headrace as hr
from headrace import _core

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "headrace"
sys.path.insert(0, str(ROOT / "tools"))

import make_stubs  # noqa: E402

FRESH = make_stubs.stubs()


@pytest.mark.parametrize("name", sorted(FRESH))
def test_a_committed_stub_equals_a_fresh_one(name):
    assert (PACKAGE / name).read_text() == FRESH[name], "run tools/make_stubs.py"


def test_there_are_no_other_stubs():
    assert {str(p.relative_to(PACKAGE)) for p in PACKAGE.rglob("*.pyi")} == set(FRESH)


def test_the_package_says_that_it_is_typed():
    assert (pathlib.Path(hr.__file__).parent / "py.typed").exists()
    for name in FRESH:
        assert (pathlib.Path(hr.__file__).parent / name).exists()


def definitions(name):
    """Functions of a stub by qualified name: the last, most general overload."""
    out = {}
    for node in ast.parse(FRESH[name]).body:
        if isinstance(node, ast.FunctionDef):
            out[node.name] = node
        if isinstance(node, ast.ClassDef):
            out.update((f"{node.name}.{f.name}", f) for f in node.body
                       if isinstance(f, ast.FunctionDef))
    return out


def parameters_of_stub(node):
    """(name, kind, default) of each; the default is text, "..." where the stub gives none."""
    a = node.args
    by_position = a.posonlyargs + a.args
    defaults = [None] * (len(by_position) - len(a.defaults)) + a.defaults
    out = [(p.arg, "positional", d) for p, d in zip(by_position, defaults)]
    if a.vararg:
        out.append((a.vararg.arg, "variadic", None))
    out += [(p.arg, "keyword", d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        out.append((a.kwarg.arg, "variadic", None))
    return [(n, k, None if d is None else ast.unparse(d)) for n, k, d in out]


def parameters_of_object(obj):
    kinds = {inspect.Parameter.VAR_POSITIONAL: "variadic", inspect.Parameter.VAR_KEYWORD: "variadic",
             inspect.Parameter.KEYWORD_ONLY: "keyword"}
    return [(p.name, kinds.get(p.kind, "positional"), p.default)
            for p in inspect.signature(obj).parameters.values()]


def check_same(obj, node, skip_self=False):
    want, got = parameters_of_object(obj), parameters_of_stub(node)
    if skip_self and got and got[0][0] in ("self", "cls"):
        got = got[1:]
    if skip_self and want and want[0][0] in ("self", "cls"):
        want = want[1:]
    assert [p[:2] for p in got] == [p[:2] for p in want]
    for (name, _, text), (_, _, default) in zip(got, want):
        if default is inspect.Parameter.empty:
            assert text is None, f"{name} has no default"
            continue
        assert text is not None, f"{name} has the default {default!r}"
        if text != "...":
            assert ast.literal_eval(text) == default


def test_every_operator_is_where_its_name_says():
    for name, op in _core.ops.items():
        path, _, short = name.rpartition(".")
        assert op.__module__ == ("headrace." + path).rstrip(".")
        assert op.__name__ == op.__qualname__ == short
        if " " not in name and not name.startswith("_"):
            assert getattr(sys.modules[op.__module__], short) is op


OPS = [(op.__module__, op.__name__, op) for name, op in _core.ops.items()
       if getattr(sys.modules.get(op.__module__), op.__name__, None) is op]


@pytest.mark.parametrize("module, name, op", [pytest.param(*o, id=f"{o[0]}.{o[1]}") for o in OPS])
def test_an_operators_signature_equals_its_stub(module, name, op):
    path = module.partition(".")[2].replace(".", "/") or "__init__"
    check_same(op, definitions(f"{path}.pyi")[name])


def test_functions_and_methods_equal_their_stubs():
    known, seen = definitions("_core.pyi"), 0
    for name, obj in vars(_core).items():
        if inspect.isbuiltin(obj) and obj.__text_signature__:
            check_same(obj, known[name])
            seen += 1
        if not inspect.isclass(obj):
            continue
        for key, m in vars(obj).items():
            if not inspect.ismethoddescriptor(m) or key.startswith("_"):
                continue
            if getattr(m, "__text_signature__", None):
                check_same(m, known[f"{obj.__name__}.{key}"], skip_self=True)
                seen += 1
    assert seen > 40


@pytest.mark.parametrize("cls", [hr.Tensor, hr.Batch, hr.EvalContext, hr.ThreadPool, hr.random.RNG])
def test_constructors_equal_their_stubs(cls):
    check_same(cls, definitions("_core.pyi")[f"{cls.__name__}.__init__"], skip_self=True)


def test_readers_equal_their_stubs():
    known = definitions("readers.pyi")
    for info in _core.reader_kinds.values():
        name = info["name"].rpartition(".")[2]
        check_same(getattr(hr.readers, name), known[f"{name}.__init__"], skip_self=True)


def test_every_public_name_is_in_its_stub():
    for name, text in FRESH.items():
        if name in ("_typing.pyi",):
            continue
        path = name[:-4].replace("/", ".")
        module = hr if path == "__init__" else sys.modules[f"headrace.{path}"]
        tree = ast.parse(text)
        known = {n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        known |= {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets}
        known |= {n.target.id for n in tree.body if isinstance(n, ast.AnnAssign)}
        known |= {a.asname for n in tree.body if isinstance(n, ast.ImportFrom) for a in n.names}
        public = {n for n in vars(module) if not n.startswith("_")}
        ignored = {"annotations", "json", "Any", "IntEnum", "annotation", "argument_doc",
                   "default_value", "proposing", "suggestion", "check_device"}
        assert public - known - ignored == set()


USER_CODE = '''
import numpy as np
import headrace as hr

one: hr.Tensor = hr.flip(np.zeros((2, 2, 3)))
many: hr.Batch = hr.flip(hr.batch([one, one]), horizontal=hr.batch([0, 1]))
made: hr.Batch = hr.random.uniform(batch_size=3, shape=[2])
mixed: hr.Tensor | hr.Batch = hr.flip(one, horizontal=hr.batch([0, 1]))
anchor, shape = hr.random_crop_generator([480, 640])
first: hr.Tensor = many.select(0)
rest: hr.Batch = many.select(slice(1, None))
size: int = anchor.size + shape.size
resized, extents = hr.resize(many, size=[2, 2], save_attrs=True)
before: hr.Batch = extents
plain: hr.Batch = hr.resize(many, size=[2, 2])
'''

BAD_CODE = {
    "hr.flop(1)": "attr-defined",
    "hr.flip(1, horizontl=1)": "call-overload",
    "hr.flip(1, horizontal='x')": "call-overload",
    "hr.flip(1).batch_size": "attr-defined",
    "hr.zeros(batch_size=2).tolist()": "attr-defined",
    "hr.noise.gaussian()": "call-overload",
}


def mypy(path):
    """As a user has it: what is wrong inside of an installed package is not shown."""
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file=",
                           "--no-error-summary", "--follow-imports=silent",
                           "--cache-dir=/dev/null", str(path)],
                          capture_output=True, text=True, env={"MYPYPATH": str(ROOT / "python")},
                          timeout=300)


def test_a_strict_checker_accepts_right_code_and_finds_mistakes(tmp_path):
    pytest.importorskip("mypy")
    good = tmp_path / "good.py"
    good.write_text(USER_CODE)
    found = mypy(good)
    assert found.returncode == 0, found.stdout
    bad = tmp_path / "bad.py"
    bad.write_text("import headrace as hr\n" + "\n".join(BAD_CODE) + "\n")
    lines = [line for line in mypy(bad).stdout.splitlines() if ": error:" in line]
    assert [line.rpartition("[")[2].rstrip("]") for line in lines] == list(BAD_CODE.values())


def test_a_strict_checker_accepts_the_examples():
    pytest.importorskip("mypy")
    for path in sorted((ROOT / "examples" / "python").glob("*.py")):
        found = mypy(path)
        assert found.returncode == 0, found.stdout


def test_a_strict_checker_accepts_the_package():
    pytest.importorskip("mypy")
    found = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir=/dev/null"], cwd=ROOT,
                           capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout
