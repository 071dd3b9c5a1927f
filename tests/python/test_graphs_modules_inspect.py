"""headrace inspect, as a user runs it."""
import json
import subprocess
import sys

import pytest

SCRIPT = """\
import sys
import numpy as np
from headrace import graphs

class Net:
    def embed(self, ids, scale=1.0):
        return ids * scale

    def __call__(self, x, mode="eval"):
        return x.sum(axis=1)

model = None
model = Net()

def feed():
    for n in (1, 4):
        with graphs.batch_size_scope(n):
            model(np.zeros((n, 3), np.float32))
            net.model.embed(np.zeros((n,), np.int64), scale=n * 0.5)

class Holder:
    pass

if __name__ == "__main__":
    net = Holder()
    net.model = Net()
    net = net
    feed()
    model(x=np.zeros((2, 3), np.float32), mode="train")
    print("arguments", sys.argv[1:])
    if "raise" in sys.argv:
        raise ValueError("the script's own error")
"""


pytest.importorskip("tabulate")


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return path


def inspect(*args):
    return subprocess.run([sys.executable, "-m", "headrace", "inspect", *map(str, args)], capture_output=True,
                          text=True, timeout=120)


def test_it_prints_the_graphs(script):
    done = inspect(f"{script}:model", "--flag", "x")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("arguments ['--flag', 'x']\nmodel: 2 execution graphs\n")
    assert "Graph 0: 2 calls" in done.stdout and "Graph 1: 1 call\n" in done.stdout
    assert "│ x             │ x               │ ['batch0', 3] │ [1, 3]" in done.stdout
    assert "│ mode          │ mode            │ train   │" in done.stdout
    assert "x axis 0 (batch0): " in done.stdout


def test_a_method_of_a_part_and_free_arguments(script):
    target = f"{script}:net.model.embed"
    assert "net.model.embed: 2 execution graphs" in inspect(target).stdout
    done = inspect("--free", "scale", "--json", target)
    entries = json.loads(done.stdout)
    assert [(e["graph"], e["calls"]) for e in entries] == [("0", 2)]
    assert entries[0]["inputs"]["tensor_data"][0]["shape"] == ["batch0"]
    assert "arguments []" in done.stderr


@pytest.mark.parametrize("target, code, text", [
    ("train.py", 2, "is not SCRIPT:NAME"), ("{script}:", 2, "is not SCRIPT:NAME"),
    ("no_such.py:model", 2, "there is no file"), ("{script}:nothing_such", 2, "'nothing_such'"),
    ("{script}:sys", 2, "'sys'"),
])
def test_wrong_usage(script, target, code, text):
    done = inspect(target.format(script=script))
    assert done.returncode == code and text in done.stderr and "Traceback" not in done.stderr


def test_a_script_that_fails_is_reported_all_the_same(script):
    done = inspect(f"{script}:model", "raise")
    assert done.returncode == 1 and "model: 2 execution graphs" in done.stdout
    assert done.stderr.splitlines()[-1] == "ValueError: the script's own error"
    assert "_inspect_command" not in done.stderr


def test_a_model_that_is_not_called(script):
    done = inspect(f"{script}:feed")
    assert done.returncode == 0 and "feed: 1 execution graph\n" in done.stdout
    script.write_text("def model(x): return x\n")
    done = inspect(f"{script}:model")
    assert done.returncode == 1 and "model was not called" in done.stdout


def test_a_part_that_comes_after_its_holder_has_a_name(script):
    script.write_text("class H: pass\nh = H()\nh.inner = lambda x: x\nfor i in range(3): h.inner(i)\n")
    done = inspect("--json", f"{script}:h.inner")
    assert [e["calls"] for e in json.loads(done.stdout)] == [1, 1, 1]


def test_what_hides_a_model_is_told(script):
    script.write_text("def main():\n    global model\n    model = len\nmain()\nraise SystemExit(3)\n")
    done = inspect(f"{script}:model")
    assert done.returncode == 3 and "'model' is set inside a function" in done.stderr
    script.write_text("def model(x: return\n")
    done = inspect(f"{script}:model")
    assert done.returncode == 1 and "SyntaxError" in done.stderr and "_command.py" not in done.stderr
