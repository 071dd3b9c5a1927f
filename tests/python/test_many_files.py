"""readers.File over many files: little memory each, listing no slower than os.scandir (bench_list.py)."""
import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("numpy")


def test_bytes_a_file():
    bench = pathlib.Path(__file__).parents[2] / "bench" / "bench_list.py"
    done = subprocess.run([sys.executable, str(bench), "--files", "40000", "--folders", "20", "--rounds", "2",
                           "--json"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["files"] == 40000 and found["bytes_a_file"] < 100
    assert found["times_as_fast"] > 0.8  # 1 and more on a quiet machine
