"""The Python in README.md and docs/*.md is right for `mypy --strict`, and runs.

A comment `<!-- setup ... -->` in front of a block holds the lines that it needs and that readers would
skip. Blocks run in a folder with `photos/` of two classes.
"""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from encoded_pictures import jpeg
from test_stubs import mypy

ROOT = pathlib.Path(__file__).parents[2]
BLOCK = re.compile(r"(?:<!-- setup\n(.*?)-->\s*)?^```python\n(.*?)^```$", re.S | re.M)


def blocks():
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        for found in BLOCK.finditer(text):
            line = text.count("\n", 0, found.start(2)) + 1
            yield pytest.param((found[1] or "") + found[2], id=f"{path.name}:{line}")


BLOCKS = list(blocks())
NO_TORCH = "import numpy\nfrom_dlpack = numpy.from_dlpack\n"  # where torch is not installed


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("docs")
    rng = np.random.default_rng(0)
    for i in range(24):
        path = out / "photos" / "ab"[i % 2] / f"{i}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(jpeg(rng.integers(0, 255, (40 + i, 50, 3), np.uint8)))
    if not importlib.util.find_spec("torch"):
        (out / "torch.py").write_text(NO_TORCH)
    return out


def test_there_are_some():
    assert any(p.id.startswith("README.md") for p in BLOCKS) and len(BLOCKS) >= 3


@pytest.mark.parametrize("code", BLOCKS)
def test_a_strict_checker_accepts_it(code, tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "block.py"
    path.write_text(code, encoding="utf-8")
    found = mypy(path)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("code", BLOCKS)
def test_it_runs(code, folder):
    script = folder / "block.py"  # captured loops read their source
    script.write_text(code, encoding="utf-8")
    paths = os.pathsep.join(os.path.abspath(p) for p in sys.path if p)
    done = subprocess.run([sys.executable, "-W", "error", "-X", "utf8", str(script)], cwd=folder, timeout=120,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": paths})
    missing = re.search(r"ImportError: .* the package `(\w+)`", done.stderr)
    if missing and not importlib.util.find_spec(missing[1]):
        pytest.skip(f"needs {missing[1]}")
    assert done.returncode == 0, done.stderr
