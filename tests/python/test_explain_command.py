"""HEADRACE_EXPLAIN=1 and `headrace explain`: every captured loop of a program."""
import json
import os
import subprocess
import sys

import pytest

SCRIPT = """\
import os
import sys

import numpy as np

import headrace as hr

AXIS = 0


def train():
    data = [hr.as_batch([np.full(4, k, np.int32)] * 2) for k in range(5)]
    for x in hr.ExternalSource(data).captured(batch_size=2):
        y = hr.cast(x, dtype=hr.float32)
        hr.cat(y, y, axis=AXIS)


def inner(data):
    for x in hr.ExternalSource(data).captured(batch_size=2):
        z = hr.cat(x, x)
        if "inside" in sys.argv:
            sys.exit(4)


if __name__ == "__main__":
    print("arguments", sys.argv[1:])
    train()
    for _ in range(3):
        inner([hr.as_batch([np.zeros(4, np.int32)] * 2)] * 2)
    if "fork" in sys.argv and os.fork() == 0:
        sys.exit(0)
    if "raise" in sys.argv:
        raise ValueError("the script's own error")
    if "exit" in sys.argv:
        sys.exit(3)
"""
CAPTURED = SCRIPT.replace("axis=AXIS", "axis=0")


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def run(*args, **env):
    full = {k: v for k, v in os.environ.items() if k != "HEADRACE_EXPLAIN"}
    return subprocess.run([sys.executable, *map(str, args)], capture_output=True, text=True,
                          timeout=120, env={**full, **env})


def command(*args):
    return run("-m", "headrace", "explain", *args)


def line_of(text):
    return SCRIPT[:SCRIPT.index(text)].count("\n") + 1


def check_table(text):
    assert f"captured loop of train.py:{line_of('for x in hr.External')}, 5 steps" in text
    assert "3 captured loops of train.py:" in text
    assert f"train.py:{line_of('hr.cat(y')}" in text and "`AXIS` is a name at module level" in text
    assert "\033" not in text  # no terminal, no colours


@pytest.mark.parametrize("argument, code", [("plain", 0), ("raise", 1), ("exit", 3), ("fork", 0)])
def test_the_environment_prints_at_exit(script, argument, code):
    done = run(script, argument, HEADRACE_EXPLAIN="1")
    assert done.returncode == code
    assert done.stdout.strip() == f"arguments {[argument]}"
    check_table(done.stderr)
    assert done.stderr.count("`AXIS`") == 2  # told once: the reason and the remedy
    assert ("own error" in done.stderr) == (argument == "raise")


def test_leaving_by_exit_in_the_middle_of_a_step(script):
    done = run(script, "inside", HEADRACE_EXPLAIN="1")
    assert done.returncode == 4
    assert "1 steps; sites: 1 captured, 0 partly, 0 eager" in done.stderr


@pytest.mark.parametrize("value", ["", "0"])
def test_without_it_nothing_is_printed(script, value):
    done = run(script, HEADRACE_EXPLAIN=value)
    assert done.returncode == 0 and done.stderr == ""


def test_another_value_is_named(script):
    done = run(script, HEADRACE_EXPLAIN="yes")
    assert "HEADRACE_EXPLAIN is 'yes'" in done.stderr and "captured loop" not in done.stderr


def test_many_loops_are_bounded(tmp_path):
    path = tmp_path / "many.py"
    path.write_text(SCRIPT.replace("range(3)", "range(400)"))
    done = run(path, HEADRACE_EXPLAIN="1")
    assert "400 captured loops of many.py:" in done.stderr and "800 steps" in done.stderr


# ---- the command --------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments, code", [([], 1), (["--flag", "x"], 1), (["raise"], 1),
                                             (["exit"], 3)])
def test_the_command_runs_the_script_and_reports(script, arguments, code):
    done = command(script, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout.startswith(f"arguments {arguments}\n")
    check_table(done.stdout)
    if arguments == ["raise"]:
        assert "runpy" not in done.stderr and "_explain_command" not in done.stderr
        assert done.stderr.splitlines()[-1] == "ValueError: the script's own error"


def test_a_script_whose_calls_are_all_captured(tmp_path):
    path = tmp_path / "good.py"
    path.write_text(CAPTURED)
    done = command(path)
    assert done.returncode == 0 and "0 partly, 0 eager" in done.stdout


def test_a_child_of_the_script_reports_nothing(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text("import os, sys\nif os.fork() == 0:\n    sys.exit(3)\nprint(os.wait()[1] >> 8)\n")
    done = command(script)
    assert done.stdout.split("\n", 1)[0] == "3" and done.returncode == 0
    assert done.stdout.count("captured loop") == 1, done.stdout


def test_a_script_that_closes_its_output(tmp_path):
    script = tmp_path / "closes.py"
    script.write_text("import sys\nsys.stdout.close()\n")
    done = command(script)
    assert done.returncode == 0 and "captured loop" in done.stderr


def test_json_stands_alone_on_stdout(script):
    done = command("--json", script)
    tables = json.loads(done.stdout)
    assert [t["steps"] for t in tables] == [5, 6]
    assert [(r["operator"], r["codes"]) for r in tables[0]["rows"]] == [
        ("cast", []), ("cat", ["MODULE_NAME"])]
    assert "arguments []" in done.stderr


def test_a_script_without_loops(tmp_path):
    path = tmp_path / "none.py"
    path.write_text("import headrace\n")
    done = command(path)
    assert done.returncode == 0 and "no captured loop ran" in done.stdout


def test_static_reads_and_does_not_run(script):
    done = command("--static", script)
    assert done.returncode == 1 and "arguments []" not in done.stdout
    assert "train.py: 3 calls of operators; arguments: 1 constant, 5 batch, 0 depends, 1 refused" in \
        done.stdout
    assert "`AXIS` is a name at module level" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    told = json.loads(command("--static", "--json", script).stdout)
    axis = next(a for c in told for a in c["arguments"] if a["name"] == "axis")
    assert axis["verdict"] == "refused" and axis["reason"]["code"] == "MODULE_NAME"


def test_static_of_a_good_script(tmp_path):
    path = tmp_path / "good.py"
    path.write_text(CAPTURED)
    assert command("--static", path).returncode == 0


@pytest.mark.parametrize("text, args, words", [
    ("def f(:", ["--static"], "cannot be read"), ("x = 1", ["--static", "more"], "'more'"),
    (None, [], "no file")])
def test_wrong_usage(tmp_path, text, args, words):
    path = tmp_path / "broken.py"
    if text is not None:
        path.write_text(text)
    options = [a for a in args if a.startswith("--")]
    done = command(*options, path, *[a for a in args if a not in options])
    assert done.returncode == 2 and words in done.stderr
