"""Picture files and readers against the live peer, where it is right. Skipped without it: see
test_live.py."""
import json
import os
import pathlib
import subprocess
import sys

import pytest

PYTHON = os.environ.get("HEADRACE_PEER_PYTHON")
pytestmark = pytest.mark.skipif(not PYTHON, reason="HEADRACE_PEER_PYTHON is not set")
DRIVE = str(pathlib.Path(__file__).with_name("files_drive.py"))


def run(python, side, folder):
    folder.mkdir()
    if side == "headrace":
        paths = [p for p in sys.path if p]
        env = dict(os.environ, PYTHONPATH=os.pathsep.join(paths))
    else:
        env = dict(os.environ)
        env.pop("PYTHONPATH", None)
        (folder / "ours.idx").write_text(
            "v1.2 3\njpg 512 1 a.jpg cls 1536 1 a.cls\njpg 2560 2 b.jpg\n"
            "jpg 3584 3 c.jpg cls 4608 1 c.cls\n")
    done = subprocess.run([python, DRIVE, side, str(folder)], env=env, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert lines, done.stdout + done.stderr
    return json.loads(lines[-1][len("RESULT "):])


def is_near(name, a, b):
    """Equal; gray that the peer's bitmap library makes of colours is rounded another way."""
    if a == b or not name.endswith("GRAY") or "refused" in (a, b):
        return a == b
    return a[:2] == b[:2] and max(abs(x - y) for x, y in zip(a[2], b[2])) <= 1


def test_both_sides_give_the_same(tmp_path):
    pytest.importorskip("numpy")
    peer = run(PYTHON, "nvidia.dali.experimental.dynamic", tmp_path / "peer")
    ours = run(sys.executable, "headrace", tmp_path / "ours")
    assert peer.pop("wds-our-index") == ours["wds-index"] + [ours["wds-empty"][2]]
    assert peer.keys() == ours.keys() and len(ours) > 100
    refused = [name for name in peer if peer[name] == "refused" and name.startswith("picture-")]
    assert len(refused) < 20, refused  # kinds that the peer does not read
    wrong = [name for name in peer if not is_near(name, peer[name], ours[name])
             and name not in refused]
    assert not wrong, {name: (str(peer[name])[:300], str(ours[name])[:300]) for name in wrong}
