"""Reference pages: fresh, complete, and their examples run."""
import pathlib
import re
import sys

import pytest

import headrace as hr
from contract_inputs import OPS, describe, first_row
from headrace import _core

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import make_reference  # noqa: E402

FRESH = make_reference.pages()


@pytest.mark.parametrize("name", sorted(FRESH))
def test_a_committed_page_equals_a_fresh_one(name):
    assert (ROOT / "docs" / "reference" / name).read_text() == FRESH[name], \
        "run tools/make_reference.py"


def test_there_are_no_other_pages():
    assert {p.name for p in (ROOT / "docs" / "reference").iterdir()} == set(FRESH)


def test_every_operator_and_argument_has_its_words():
    for name, op in OPS.items():
        if not make_reference.is_public(name, op):
            continue
        text = FRESH[f"{op.__module__}.md"]
        part = text.partition(f"## `headrace.{name}`\n")[2].partition("\n## ")[0]
        assert describe(op)["doc"] in part
        assert describe(op)["doc"].endswith(".")
        for arg in describe(op)["args"]:
            row = re.search(rf"^\| `{arg['name']}` \|.*$", part, re.M)
            assert row and arg["doc"], f"{name}: {arg['name']}"
            assert arg["doc"].endswith((".", ")")), arg["doc"]


def test_readers_have_their_words():
    for name, info in _core.reader_kinds.items():
        part = FRESH["headrace.readers.md"].partition(f"## `headrace.{name}`\n")[2]
        for arg in info["args"]:
            assert f"| `{arg['name']}` |" in part


@pytest.mark.parametrize("name", sorted(n for n, op in OPS.items()
                                        if make_reference.is_public(n, op)))
def test_the_example_of_an_operator_runs(name):
    op = OPS[name]
    call = make_reference._describe.example_call(describe(op))
    row = first_row(op, with_inputs=True) or first_row(op)
    names = [each["name"] for each in describe(op)["ins"] if not each["optional"]]
    given = dict(zip(names, row.samples[0]))
    out = eval(call, {"hr": hr, **given})
    assert isinstance(out, (hr.Tensor, hr.Batch, tuple))
