"""The examples in Python run."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples" / "python"


def run(name, *arguments):
    done = subprocess.run([sys.executable, str(FOLDER / name), *arguments], capture_output=True,
                          text=True, timeout=120, env={**os.environ, "PYTHONWARNINGS": "error"})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_arrays():
    lines = run("arrays.py")
    assert lines[0].startswith("[ 9 10 11] b'\\x00\\x01\\x02'")
    assert lines[-1] == "(2, 3) 2"


def test_augment(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for label in range(3):
        (tmp_path / f"class{label}").mkdir()
        for i in range(15):
            pixels = np.random.default_rng(i).integers(0, 255, (30, 40, 3), np.uint8)
            path = tmp_path / f"class{label}" / f"{i}.jpg"
            image.fromarray(pixels).save(path)
            if (label, i) == (1, 3):
                path.write_bytes(path.read_bytes()[:200])
    lines = run("augment.py", str(tmp_path))
    shapes = [line.partition(" f32 ")[0] for line in lines]
    assert len(lines) == 2 and all(s.endswith(", 3, 224, 224)") for s in shapes)
    assert "(31, 3, 224, 224)" in shapes  # one picture is broken


def test_graphs():
    pytest.importorskip("tabulate")
    lines = run("graphs.py")
    shapes = next(line for line in lines if line.startswith("│ features"))
    assert [cell.strip() for cell in shapes.split("│")[3:6]] == ["['batch0', 3]", "[1, 3]", "[4, 3]"]
    assert "Unknown graph: 1 calls, outside of guards: 0" in lines
    calls = [line.split()[-1] for line in lines if "EagerBackend()" in line]
    assert set(calls) == {"1"} and len(calls) in (2, 4)  # with PyTorch there are two models


def test_there_is_a_test_of_each():
    assert {p.name for p in FOLDER.glob("*.py")} == {"arrays.py", "augment.py", "graphs.py"}
