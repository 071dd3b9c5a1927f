"""A shortened bench/soak.py: many steps with random shapes, memory stays flat, huge samples go again."""
import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("numpy")

SOAK = pathlib.Path(__file__).parents[2] / "bench" / "soak.py"


def is_sanitized():
    import headrace

    with open("/proc/self/maps", encoding="ascii", errors="replace") as f:
        maps = f.read()
    assert headrace
    return "libasan" in maps or "libtsan" in maps


@pytest.mark.parametrize("mode", [[], ["--captured"]], ids=["eager", "captured"])
def test_memory_stays_flat(mode):
    if is_sanitized():
        pytest.skip("the sanitizer's allocator keeps what is freed")
    done = subprocess.run([sys.executable, str(SOAK), "--steps", "5000", "--json", *mode],
                          capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["steps"] == 5000 and found["fine"] and found["growth_mb"] < 20
