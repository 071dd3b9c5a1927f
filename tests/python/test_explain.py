"""loop.explain(): the right line, how often, a reason of the closed list, and what would capture it."""
import functools
import gc
import inspect
import json
import os
import re
import subprocess
import sys
import types
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import headrace as hr
from explain_bodies import FALLS
from headrace.capture import reasons

CODES = set(reasons.TABLE) | set(reasons.CALLS) - {"UNSEEN", "PROOF"}
COLUMNS = sys.version_info >= (3, 11)
STEPS = 4


def batches(n=STEPS, size=3):
    return [hr.as_batch([np.full((4,), 10 * k + s, np.int32) for s in range(size)])
            for k in range(n)]


def explained(body, n=STEPS, **kw):
    """The rows of a captured loop with this body; `body` may take the step's number too."""
    loop = hr.ExternalSource(batches(n)).captured(batch_size=3, **kw)
    takes_step = len(inspect.signature(body).parameters) > 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hr.HeadraceWarning)
        for step, x in enumerate(loop):
            body(x, step) if takes_step else body(x)
    return loop.explain().rows


def marked_line(body, mark="# here"):
    lines, first = inspect.getsourcelines(body)
    return next(first + i for i, line in enumerate(lines) if line.rstrip().endswith(mark))


def row_of(body, rows, mark="# here"):
    found = [r for r in rows if r["line"] == marked_line(body, mark)]
    return found[-1]


@pytest.mark.parametrize("row", FALLS, ids=lambda row: row[0].__name__)
def test_every_body_that_falls_is_explained(row):
    body, codes, argument = row
    told = row_of(body, explained(body))
    assert told["status"] in ("eager", "partly") and told["eager"] == STEPS
    assert told["file"] == inspect.getsourcefile(body)
    if not COLUMNS and told["codes"] == ["SAME_LINE_310"]:
        return
    assert told["codes"] == codes, told
    assert told["reason"] and told["remedy"]
    if argument is not None:
        assert [r["argument"] for r in told["reasons"]] == [argument]


def test_the_cases_beside_the_clone_are_explained():
    root = Path(__file__).parents[2]
    folder = root.parent / "shared" / "cases" / "capture"
    if not folder.exists():
        pytest.skip("no cases beside the clone; the bodies above are ours")
    tool = root / "tools" / "check_explain_cases.py"
    done = subprocess.run([sys.executable, str(tool), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def left_in_the_middle(body, steps, **kw):
    """What is alive of a loop's frame after it has returned, without the garbage collector."""
    class Token:
        pass

    def run():
        token = Token()
        loop = hr.ExternalSource(batches()).captured(batch_size=3, **kw)
        for step, x in enumerate(loop):
            body(x)
            if step == steps:
                return weakref.ref(token)
    gc.collect()
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hr.HeadraceWarning)
            return run()()
    finally:
        gc.enable()


@pytest.mark.parametrize("row", FALLS, ids=lambda row: row[0].__name__)
@pytest.mark.parametrize("steps", [0, 2])
def test_a_failed_proof_keeps_no_frame_of_the_user(row, steps):
    assert left_in_the_middle(row[0], steps) is None
    for x in hr.ExternalSource(batches()).captured(batch_size=3):  # and no loop stays the active one
        hr.cat(x, x)


# ---- later steps ------------------------------------------------------------------------------

def stale(x, step, kept=[]):  # noqa: B006  (on purpose: kept from step to step)
    y = hr.cast(kept[0] if step % 2 else x, dtype=hr.int64)  # here
    kept[:] = [x]
    return y


def unseen(x, step):
    hr.cat(x, x)
    if step:
        return hr.cast(x, dtype=hr.int64)  # here


def other_path(x, step):
    def routine(x, kind):
        return hr.cast(x, dtype=kind)  # here
    routine(x, hr.int64)
    if step:
        routine(x, hr.int64)


def other_arguments(x, step):
    more = (x,) if step else ()
    return hr.cat(x, *more)  # here


def made_constant(value):
    def call(x):
        return hr.pad(x, fill_value=value)  # here of changed_constant
    return call


ONE, TWO = made_constant(1), made_constant(2)


def changed_constant(x, step):
    return (TWO if step else ONE)(x)


def repeated(x, step):
    for _ in range(2):
        y = hr.random.uniform(batch_size=3)  # here
    return y


def absent_mark(x, step):
    value = MARK
    if step:
        value = None
    y = hr.pad(x, fill_value=value)  # here
    z = hr.cat(y, y)
    return hr.cat(z, z)


MARK = hr.capture.invariant(7)


@pytest.mark.parametrize("body, code, counts", [
    (stale, "STALE_INPUT", (2, 2)), (unseen, "NEW_SITE", (0, 3)), (other_path, "NEW_PATH", (4, 3)),
    (other_arguments, "OTHER_ARGUMENTS", (1, 3)), (repeated, "REPEATED_RANDOM", (5, 3)),
    (absent_mark, "OTHER_ARGUMENTS", (1, 3)),
], ids=lambda value: getattr(value, "__name__", None))
def test_later_steps_are_counted_and_explained(body, code, counts):
    told = row_of(body, explained(body))
    assert told["codes"] == [code], told
    assert (told["captured"], told["eager"]) == counts
    assert told["status"] == ("partly" if counts[0] else "eager")
    if counts[0]:
        assert told["reason"].startswith(f"{counts[1]} of {sum(counts)} calls: ")


def test_a_frozen_closure_that_changes():
    told = next(r for r in explained(changed_constant) if r["operator"] == "pad")
    assert told["line"] == marked_line(made_constant, "# here of changed_constant")
    assert told["codes"] == ["CHANGED_CONSTANT"] and (told["captured"], told["eager"]) == (1, 3)
    assert told["reasons"][0]["argument"] == "value"


@pytest.mark.parametrize("text", ["hr.cat(x, x)", "hr.pad(x, fill_value=7)"])
def test_code_that_is_compiled_in_every_step(text):
    rows = explained(lambda x: eval(text, {"hr": hr, "x": x}))
    assert [r["codes"] for r in rows[1:]] == [["COMPILED_ANEW"]] * (STEPS - 1)
    once = compile(text, "<once>", "eval")
    rows = explained(lambda x: eval(once, {"hr": hr, "x": x}))
    assert len(rows) == 1 and rows[0]["codes"] == ([] if "cat" in text else ["NO_SOURCE"])


def test_a_generator_that_ran_ahead():
    rng = hr.random.RNG(seed=1)
    loop = hr.ExternalSource(batches()).captured(batch_size=3)
    with pytest.raises(RuntimeError, match="RNG"):
        for step, x in enumerate(loop):
            if step == 2:
                rng.advance(7)
            hr.random.uniform(batch_size=3, rng=rng)
    assert loop.explain().rows[0]["codes"] == ["RNG_AHEAD"]


@pytest.mark.skipif(not COLUMNS, reason="3.10 knows no columns: copies are rows of their own")
def test_copies_of_a_call_in_the_compiled_code_are_one_row():
    def body(x, step):
        try:
            if step == 2:
                return 0
        finally:
            hr.pad(x, fill_value=FILL)  # compiled once for each way out
    rows = explained(body)
    assert [(r["eager"], r["codes"]) for r in rows] == [(STEPS, ["MODULE_NAME"])]


def test_paths_to_one_line_are_rows_of_their_own():
    def routine(x, value):
        return hr.pad(x, fill_value=value)

    def body(x):
        a = routine(x, 7)
        b = routine(x, FILL)
        return hr.cat(a, b)
    rows = [r for r in explained(body) if r["operator"] == "pad"]
    assert [r["status"] for r in rows] == ["captured", "eager"]
    assert rows[0]["line"] == rows[1]["line"] and rows[0]["from"] != rows[1]["from"]
    assert all(re.fullmatch(r"test_explain\.py:\d+", r["from"]) for r in rows)


FILL = 7


def test_the_loop_goes_on_counting_over_epochs_and_after_a_break():
    source = hr.ExternalSource(batches(), cycle="raise")
    for _ in range(2):
        loop = source.captured(batch_size=3)
        for x in loop:
            hr.cat(x, x)
            hr.pad(x, fill_value=FILL)
    told = loop.explain()
    assert told.steps == 8 and [(r["captured"], r["eager"]) for r in told.rows] == [(8, 0), (0, 8)]
    for x in source.captured(batch_size=3):
        hr.cat(x, x)
        break
    assert [(r["captured"], r["eager"]) for r in loop.explain().rows] == [(8, 0), (0, 8), (0, 1)]
    assert loop.explain().rows[-1]["codes"] == ["NEW_SITE"]


def test_a_loop_that_captured_nothing_still_counts():
    def body(x):
        hr.pad(x, fill_value=FILL)
    rows = explained(body)
    assert [(r["eager"], r["codes"]) for r in rows] == [(STEPS, ["MODULE_NAME"])]


def test_explain_during_the_loop_and_before_it():
    loop = hr.ExternalSource(batches()).captured(batch_size=3)
    assert loop.explain().rows == [] and "no operator was called" in str(loop.explain())
    for step, x in enumerate(loop):
        hr.cat(x, x)
        assert [r["captured"] for r in loop.explain().rows] == [step + 1]


def test_call_sites_without_an_end_are_bounded():
    code = compile("hr.pad(x, fill_value=FILL)", "<made>", "eval")
    loop = hr.ExternalSource(batches(3)).captured(batch_size=3)
    for x in loop:
        hr.cat(x, x)
        for _ in range(800):
            eval(code.replace(co_firstlineno=1), {"hr": hr, "x": x, "FILL": 7})
    told = loop.explain()
    assert len(told.rows) <= 2000 and told.left_out == 3 * 800 + 1 - len(told.rows)
    assert f"{told.left_out} calls of further sites" in told.head()


# ---- words ------------------------------------------------------------------------------------

def test_what_would_capture_it_names_lines():
    def body(x):
        size = (4, 1)
        if x is None:
            size = (1, 4)
        y = hr.reshape(x, shape=size)
        return hr.cast(y, dtype=hr.int64)
    first = body.__code__.co_firstlineno
    one, two = explained(body)
    assert one["reason"] == f"`size` is assigned twice, lines {first + 1} and {first + 3}"
    assert two["reason"] == f"`y` depends on line {first + 4} (reshape), which is eager"
    assert two["remedy"] == f"capture line {first + 4}"


def test_a_line_that_depends_on_itself_is_not_told_to_capture_itself():
    def body(x):
        for _ in range(3):
            x = hr.cat(x, x)  # here
    told = row_of(body, explained(body))
    assert told["codes"] == ["OTHER_INPUT", "EAGER_INPUT", "EAGER_INPUT"]  # the last two: of both inputs
    line = told["line"]
    assert f"`x` depends on line {line} (cat), which is eager" in told["reason"]
    assert told["reasons"][1]["remedy"] == f"capture the calls of line {line} that come before it"


@pytest.mark.skipif(not COLUMNS, reason="that line of functools has several calls")
def test_a_caller_in_another_file_is_named_with_its_file():
    @functools.singledispatch
    def body(x):
        routine(x, 7)

    @functools.singledispatch
    def routine(x, value):
        return hr.pad(x, fill_value=value)  # here
    told = row_of(routine.registry[object], explained(body.registry[object]))
    assert re.search(r"the call on functools\.py:\d+, `dispatch\(", told["reason"])


def test_marking_the_object_is_the_remedy_of_its_attributes():
    from explain_bodies import Config

    cfg = Config()

    def body(x):
        return hr.reshape(x, shape=cfg.shape)
    told = explained(body)[0]
    assert told["reason"] == "`cfg.shape` is an attribute of your object"
    assert told["remedy"] == "mark `cfg` with `hr.capture.invariant`"


def report():
    loop = hr.ExternalSource(batches()).captured(batch_size=3)
    for x in loop:
        hr.cat(x, x)
        hr.pad(x, fill_value=FILL)
    return loop.explain()


def test_forms_of_the_report():
    told = report()
    plain = json.loads(told.to_json())
    assert plain == told.to_dict()
    assert plain["counts"] == {"captured": 1, "partly": 0, "eager": 1} and plain["steps"] == STEPS
    assert plain["file"] == __file__ and plain["line"] == report.__code__.co_firstlineno + 1
    assert max(map(len, str(told).splitlines())) <= 100
    page = told._repr_html_()
    assert '<td class="eager">eager</td>' in page and "`FILL`" in page


def test_rich_is_asked_only_when_it_prints(monkeypatch):
    class Table:
        def __init__(self, title=None):
            self.title, self.columns, self.rows = title, [], []

        def add_column(self, name, **kw):
            self.columns.append(name)

        def add_row(self, *cells):
            self.rows.append(cells)

    told = report()
    monkeypatch.setitem(sys.modules, "rich", types.ModuleType("rich"))
    monkeypatch.setitem(sys.modules, "rich.table", types.SimpleNamespace(Table=Table))
    table = told.__rich__()
    assert table.title == told.head() and table.columns[:3] == ["where", "operator", "status"]
    assert [row[2] for row in table.rows] == ["captured", "eager"]


@pytest.mark.parametrize("terminal, env, expected", [
    (True, {}, True), (False, {}, False), (True, {"NO_COLOR": "1"}, False),
    (True, {"NO_COLOR": ""}, True), (True, {"TERM": "dumb"}, False)])
def test_colours_only_on_a_terminal_that_wants_them(monkeypatch, terminal, env, expected):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert ("\033[31m" in str(report())) == expected


def test_every_code_has_a_paragraph():
    page = Path(__file__).parents[2] / "docs" / "capture.md"
    text = page.read_text()
    told = re.findall(r"^\*\*`([A-Z_0-9]+)`\*\*", text, re.M)
    assert sorted(told) == sorted(CODES)


# ---- strict -----------------------------------------------------------------------------------

@pytest.mark.parametrize("row", FALLS, ids=lambda row: row[0].__name__)
def test_strict_refuses_every_body_that_falls(row):
    body, codes, _ = row
    with pytest.raises(RuntimeError, match='capture="strict"') as caught:
        for x in hr.ExternalSource(batches()).captured(batch_size=3, capture="strict"):
            body(x)
    if codes != ["EAGER_INPUT"]:  # there the call before it is refused
        name = os.path.basename(inspect.getsourcefile(body))
        assert f"{name}:{marked_line(body)}" in str(caught.value)
    assert "To capture it: " in str(caught.value)


@pytest.mark.parametrize("body", [stale, unseen, other_path, other_arguments, changed_constant,
                                  absent_mark, repeated])
def test_strict_refuses_later_steps_too(body):
    done = 0
    with pytest.raises(RuntimeError, match='capture="strict"'), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for step, x in enumerate(hr.ExternalSource(batches()).captured(batch_size=3,
                                                                       capture="strict")):
            body(x, step)
            done += 1
    assert done == 1


def test_strict_lets_captured_bodies_and_foreign_arithmetic_pass():
    mine = hr.as_batch([np.arange(4, dtype=np.int32)] * 3)
    total, steps = hr.tensor(0), 0
    loop = hr.ExternalSource(batches()).captured(batch_size=3, capture="strict")
    for x in loop:
        y = hr.cat(x, x)
        mine = mine + 1
        total = total + 1
        steps += 1
        assert y._capture_ref is not None
    assert steps == STEPS and int(total) == STEPS
    with pytest.raises(RuntimeError, match="arithmetic"):
        for x in hr.ExternalSource(batches()).captured(batch_size=3, capture="strict"):
            hr.cat(x, x)
            mine + x


def test_a_strict_reader_loop(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    reader = hr.readers.Numpy(file_root=str(tmp_path))
    with pytest.raises(RuntimeError, match="MODULE|module level"):
        for (x,) in reader.next_epoch(batch_size=1, capture="strict"):
            hr.pad(x, fill_value=FILL)


@pytest.mark.parametrize("mode, error, words", [
    ("guarded", NotImplementedError, "reserved"), ("lazy", ValueError, "'lazy'"),
    (False, ValueError, "always captures")])
def test_modes_of_captured(mode, error, words):
    with pytest.raises(error, match=words):
        hr.ExternalSource(batches()).captured(batch_size=3, capture=mode)


@pytest.mark.parametrize("mode, error", [("guarded", NotImplementedError), ("lazy", ValueError)])
def test_modes_of_next_epoch(tmp_path, mode, error):
    np.save(tmp_path / "a.npy", np.arange(3))
    reader = hr.readers.Numpy(file_root=str(tmp_path))
    with pytest.raises(error, match=mode):
        reader.next_epoch(batch_size=1, capture=mode)
