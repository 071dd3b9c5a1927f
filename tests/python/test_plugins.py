"""Operators of other packages: a small package is built against the headers that come with Headrace,
laid into a folder as pip would, and found by its entry point."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

import headrace as hr
from scripts import run

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "plugin"
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")


def compile_to(folder, source, name):
    if not COMPILER or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")):
        pytest.skip("no C compiler or no Python.h")
    target = folder / (name + sysconfig.get_config_var("EXT_SUFFIX"))
    done = subprocess.run(
        [*COMPILER.split(), "-shared", "-fPIC", "-std=c11", "-Wall", "-Wextra", "-Wno-unused-parameter",
         "-Werror", "-I", hr.get_include(), "-I", sysconfig.get_path("include"), str(source),
         "-o", str(target)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def register(folder, package, points):
    """The package's dist-info, with entry points."""
    info = folder / f"{package}-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(
        "[headrace.operators]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))


@pytest.fixture(scope="module")
def garden(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    compile_to(folder, EXAMPLE / "garden.c", "headrace_garden")
    name, value = re.search(r'^(\w+) = "(headrace_garden:\w+)"', (EXAMPLE / "pyproject.toml").read_text(),
                            re.M).groups()
    register(folder, "headrace_garden", {name: value})
    return folder


def with_path(code, *folders, **options):
    path = os.pathsep.join([*map(str, folders), *filter(None, sys.path)])
    return run("import headrace as hr\n" + code, env={"PYTHONPATH": path}, **options)


def test_it_is_found_on_first_use_and_not_before(garden):
    done = with_path("""
import sys
hr.flip
assert "headrace_garden" not in sys.modules and "importlib.metadata" not in sys.modules
assert hr.garden.invert(hr.tensor([1, 2], dtype="u8")).tolist() == [254, 253]
assert "headrace_garden" in sys.modules
import headrace.garden
assert headrace.garden.invert is hr.garden.invert and hr.load_operators() == ["garden.invert"]
""", garden)
    assert done.stderr == ""


def test_it_is_an_operator_like_every_other(garden):
    done = with_path("""
import inspect
op = hr.garden.invert
print(inspect.signature(op))
print(op.__doc__.splitlines()[0], op.__module__, op.__name__)
x = hr.batch([hr.tensor([[0, 9]], dtype="u8", layout="HW"), hr.tensor([[7]], dtype="u8", layout="HW")])
y = op(x, top=hr.batch([9, 10]))
print(y.shape, y.layout, [t.tolist() for t in y.tensors])
for bad in ({"tap": 1}, {"top": 256}):
    try:
        op(x, **bad)
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
try:
    op(x, top=8)
except ValueError as e:
    print(e)
source = hr.ExternalSource([x] * 4)
print([[t.tolist() for t in op(b, top=20).tensors] for b in source.captured(2)][3])
""", garden)
    lines = done.stdout.splitlines()
    assert lines[0].endswith("top: 'int | Tensor | Batch | ArrayLike | None' = 255)")
    assert lines[1] == "Makes the negative of pictures: `top` - value. headrace.garden invert"
    assert lines[2] == "[(1, 2), (1, 1)] HW [[[9, 0]], [[3]]]"
    assert "did you mean `top`" in lines[3] and "within 0..255" in lines[4]
    assert lines[5].startswith("garden.invert: sample 0: a value is 9, over `top`, 8")
    assert lines[6] == "[[[20, 11]], [[13]]]"


def test_a_pickled_operator_is_found_in_another_process(garden):
    data = with_path("import pickle, sys; sys.stdout.write(pickle.dumps(hr.garden.invert).hex())",
                     garden).stdout
    done = with_path(f"import pickle; print(pickle.loads(bytes.fromhex({data!r})))", garden)
    assert done.stdout.strip() == "<operator headrace.garden.invert>"


def test_info_counts_it(garden):
    code = "from headrace._info import gather\ni = gather()\nprint(i['operators'], *i['added_operators'])"
    ours, theirs = with_path(code).stdout.split(), with_path(code, garden).stdout.split()
    assert len(ours) == 1 and theirs == [str(int(ours[0]) + 1), "garden.invert"]


BROKEN = {
    "raises": ("def operators(): raise OSError('no garden today')", "OSError: no garden today"),
    "imports": ("import no_such_module_at_all", "no_such_module_at_all"),
    "numbers": ("operators = [1, 2]", "capsule of hr_plugin_operator"),
    "nothing": ("operators = None", "TypeError"),
    "missing": ("", "operators"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_one_is_named_and_the_others_come(garden, tmp_path, kind):
    text, words = BROKEN[kind]
    (tmp_path / f"broken_{kind}.py").write_text(text)
    register(tmp_path, f"broken_{kind}", {"aaa": f"broken_{kind}:operators"})
    done = with_path("""
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    assert hr.garden.invert
    assert not hasattr(hr, "nothing_of_that_name")
assert [w.category for w in seen] == [hr.HeadraceWarning]
print(seen[0].message)
""", tmp_path, garden)
    assert f"'aaa' of the package broken_{kind}" in done.stdout and words in done.stdout


def test_a_name_that_is_taken_and_another_abi(garden, tmp_path):
    (tmp_path / "again.py").write_text("""
import ctypes
import headrace_garden
def operators():
    return headrace_garden.operators() * 2
def old():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return [new(1, b"headrace.operator.0", None)]
""")
    register(tmp_path, "again", {"again": "again:operators", "old": "again:old"})
    done = with_path("""
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    print(hr.load_operators())
    print(*(w.message for w in seen), sep="\\n")
""", tmp_path, garden)
    lines = done.stdout.splitlines()
    assert lines[0] == "['garden.invert']" and len(lines) == 4
    assert sum("garden.invert: there is one of that name" in line for line in lines) == 2
    assert sum('capsule "headrace.operator.0"' in line for line in lines) == 1


def test_looking_for_a_name_that_nobody_has_is_an_error_as_ever(garden):
    done = with_path("""
for module in (hr, hr.random):
    try:
        module.unifrom
    except AttributeError as e:
        print(e)
""", garden)
    assert "did you mean" in done.stdout
