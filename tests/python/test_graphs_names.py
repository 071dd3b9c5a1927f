"""The names of headrace.graphs: each comes from its module, at its first use."""
import ast
import pathlib
import subprocess
import sys

import pytest

import headrace as hr
from headrace import graphs


def test_every_name_is_there_and_comes_from_where_type_checkers_think():
    tree = ast.parse(pathlib.Path(graphs.__file__).read_text(encoding="utf-8"))
    checked = {alias.name: node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
               for alias in node.names if node.level == 1 and node.module}
    assert checked == graphs._HOME and sorted(checked) == sorted(graphs.__all__)
    for name in graphs.__all__:
        assert getattr(graphs, name) is getattr(hr.graphs, name)
    assert set(graphs.__all__) <= set(dir(graphs))


def test_an_unknown_name_proposes_a_known_one():
    with pytest.raises(AttributeError, match="has no 'SampleMetaData'.*SampleMetadata"):
        graphs.SampleMetaData


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_import_brings_no_array_library_and_little_else():
    code = ("import sys, headrace; before = set(sys.modules); import headrace.graphs as g; g.SampleMetadata;"
            "print(*sorted(m.partition('.')[0] for m in set(sys.modules) - before))")
    assert set(run(code)) <= {"headrace", "copy", "copyreg", "weakref", "math", "enum", "types"}


def test_leaves_are_found_before_anything_else_is_imported():
    code = "from headrace.graphs import Locator; print(*Locator.find_leaves({'a': [1]}))"
    assert run(code) == ["(a[0],", "1)"]
    code = "from headrace import _core; print(*[len(s.shape) for s in _core.GraphSample.from_inputs({}).tensor_specs])"
    assert run(code) == []
