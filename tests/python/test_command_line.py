"""headrace info and headrace demo, as a user runs them."""

import json
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image


def run(*args, **kw):
    return subprocess.run([sys.executable, "-m", "headrace", *args], capture_output=True, text=True,
                          timeout=120, **kw)


@pytest.fixture
def photos(tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir()
    rng = np.random.default_rng(3)
    for i in range(5):
        pixels = rng.integers(0, 255, (40 + i, 60, 3), np.uint8)
        Image.fromarray(pixels).save(folder / f"p{i}.{'png' if i % 2 else 'jpg'}")
    return folder


def test_info_names_codecs_and_threads():
    done = run("info", "--json")
    assert done.returncode == 0, done.stderr
    info = json.loads(done.stdout)
    assert {"JPEG", "PNG"} <= set(info["codecs"])
    assert info["threads"] >= 1 and info["cpu_level"] in ("base", "avx2", "avx512")


def test_info_respects_the_environment(monkeypatch):
    monkeypatch.setenv("HEADRACE_NUM_THREADS", "3")
    monkeypatch.setenv("HEADRACE_CPU", "base")
    info = json.loads(run("info", "--json").stdout)
    assert info["threads"] == 3 and info["cpu_level"] == "base"


def test_info_as_text_has_a_line_for_each_entry():
    lines = run("info").stdout.splitlines()
    assert any(line.startswith("codecs") and "PNG" in line for line in lines)


def test_demo_writes_a_page_and_a_table(photos, tmp_path):
    out = tmp_path / "out"
    done = run("demo", str(photos), "--out", str(out), "--epochs", "2", "--batch-size", "2")
    assert done.returncode == 0, done.stderr
    for word in ("files", "images/s", "decode", "random_resized_crop", "crop_mirror_normalize"):
        assert word in done.stdout
    page = (out / "index.html").read_text()
    assert page.count('alt="original"') == 5 and page.count('alt="crop"') == 5
    assert "http" not in page.replace("http-equiv", "")  # self-contained
    assert page.count('<td class="captured">captured</td>') == 5 and "eager</td>" not in page
    for text in ("decoders.image", "limits the loop", "ms a step"):
        assert text in page


def test_demo_counts_broken_files_and_goes_on(photos, tmp_path):
    whole = (photos / "p0.jpg").read_bytes()
    (photos / "broken.jpg").write_bytes(whole[: len(whole) // 2])
    done = run("demo", str(photos), "--out", str(tmp_path / "out"), "--epochs", "3", "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["files"] == 6 and figures["failed"] == 3 and figures["images"] == 15
    assert figures["explain"]["counts"] == {"captured": 5, "partly": 0, "eager": 0}
    assert figures["explain"]["steps"] == 9 and figures["stats"]["steps"] == 8  # 3 batches of 2


def test_demo_with_less_than_a_batch_and_one_epoch(photos, tmp_path):
    done = run("demo", str(photos), "--out", str(tmp_path / "out"), "--epochs", "1", "--batch-size", "16",
               "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["images"] == 5 and figures["stats"]["traced"] == 1


@pytest.mark.parametrize("args, code, words", [
    (["demo", "/no/such/folder"], 1, "no folder"),
    (["demo", ".", "--epochs", "0"], 2, "epochs"),
    (["nonsense"], 2, "nonsense"),
    ([], 2, "COMMAND"),
])
def test_wrong_usage_says_what(args, code, words, tmp_path):
    if args and args[-1] == ".":
        args = [*args[:-1], str(tmp_path)]
    done = run(*args)
    assert done.returncode == code and words in done.stderr


def test_demo_of_an_empty_folder_says_so(tmp_path):
    done = run("demo", str(tmp_path))
    assert done.returncode == 1 and "no JPEG or PNG" in done.stderr
