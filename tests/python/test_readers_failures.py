"""Readers where something fails: broken files, no memory, forks, processes that end."""
import signal
import subprocess
import sys
import threading
import time

import pytest
from numbered_files import labels, numbered

import headrace as hr


@pytest.fixture
def files(tmp_path):
    return numbered(tmp_path)


# ---- failures ------------------------------------------------------------------------------------


def test_errors_name_file_sample_and_line(files):
    reader = hr.readers.File(files=files[:3] + ["/no/such/file"], lazy_init=True)
    loop = reader.next_epoch(batch_size=2)
    next(loop)
    with pytest.raises(FileNotFoundError) as e:
        next(loop)
    text = str(e.value)
    for word in ("readers.File", "sample 1", "item 3", "/no/such/file", "test_readers_failures.py:"):
        assert word in text
    with pytest.raises(FileNotFoundError):  # nothing was given out: the same batch again
        next(loop)


def test_an_empty_file_is_an_error(tmp_path, files):
    (tmp_path / "void").write_bytes(b"")
    reader = hr.readers.File(files=[files[0], str(tmp_path / "void")])
    with pytest.raises(hr.DataError, match="void is empty"):
        list(reader.next_epoch(batch_size=2))


def test_skip(tmp_path):
    kinds = {"0": b"\x89PNG\r\n\x1a\n.", "1": None, "2": b"", "3": b"\xff\xd8\xff.", "4": b"<html>",
             "5": b"GIF89a.", "6": b"RIFF....WAVE"}
    for name, data in kinds.items():
        if data is not None:
            (tmp_path / name).write_bytes(data)
    reader = hr.readers.File(file_root=tmp_path, files=list(kinds), on_error="skip",
                             last_batch="partial")
    loop = reader.next_epoch(batch_size=2)
    got = [(labels(lab), [bytes(memoryview(t)) for t in c.tensors]) for c, lab in loop]
    assert got == [([0, 3], [kinds["0"], kinds["3"]]), ([6], [kinds["6"]])]
    assert reader.skip_report == "missing: 1\nempty: 1\nunknown kind: 2"
    with pytest.raises(ValueError):
        hr.readers.File(files=list(kinds), file_root=tmp_path, on_error="blank")


def test_memory_errors_leave_nothing(files):
    if not hasattr(hr._core, "alloc_fail_at"):
        pytest.skip("no failing allocations in this build")
    failed = 0
    for nth in range(1, 120):
        before = hr._core.alloc_stats()["live_blocks"]
        reader = loop = step = None
        hr._core.alloc_fail_at(nth)
        try:
            reader = hr.readers.File(files=files)
            loop = reader.next_epoch(batch_size=3)
            step = next(loop)
        except MemoryError:
            failed += 1
        finally:
            hr._core.alloc_fail_at(0)
        del reader, loop, step
        assert hr._core.alloc_stats()["live_blocks"] == before
    assert failed > 10


# ---- processes -----------------------------------------------------------------------------------


def run(code, *args, **kw):
    return subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True,
                          timeout=60, **kw)


FORK = """
import os, sys
import headrace as hr
for _ in range(20):
    loop = hr.readers.File(files=sys.argv[1:]).next_epoch(batch_size=2)
    next(loop)
    child = os.fork()
    rest = [[t.item() for t in label.tensors] for _, label in loop]
    if rest != [[2, 3], [4, 5], [6, 7], [8, 9]]:
        os._exit(1)
    if child == 0:
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""


def test_fork_in_the_middle(files):
    # CPython 3.12 and later warn of any fork of a process that has threads.
    quiet = "import warnings; warnings.simplefilter('ignore', DeprecationWarning)\n"
    done = run(quiet + FORK, *files)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("leave, code", [("break", 0), ("raise KeyError", 1), ("sys.exit(3)", 3),
                                         ("os.kill(os.getpid(), 2)", 130)])
def test_leaving_the_process(files, leave, code):
    done = run("import os, sys\nimport headrace as hr\n"
               "reader = hr.readers.File(files=sys.argv[1:])\n"
               "for step in reader.next_epoch(batch_size=2):\n"
               f"    {leave}\n", *files)
    expected = -signal.SIGINT if code == 130 else code
    assert done.returncode in (code, expected)
    if code in (0, 3):
        assert done.stderr == ""


def test_one_thread_at_a_time(files):
    """Many threads share a reader: each batch goes to one of them, or the call says why not."""
    loop = hr.readers.File(files=files * 50, last_batch="partial").next_epoch(batch_size=2)
    iter(loop)
    got, lock = [], threading.Lock()

    def take():
        while True:
            try:
                step = next(loop)
            except StopIteration:
                return
            except RuntimeError as e:
                assert "another thread" in str(e)
                time.sleep(0)
                continue
            with lock:
                got.extend(labels(step[1]))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(got) == list(range(500))


def test_no_python_between_the_loop_and_the_library(files):
    loop = hr.readers.File(files=files).next_epoch(batch_size=2)
    next(loop)
    calls = []
    sys.setprofile(lambda frame, event, arg: calls.append(event))
    try:
        next(loop)
    finally:
        sys.setprofile(None)
    assert calls.count("call") == 0
