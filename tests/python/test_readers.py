"""headrace.readers: File and its loops. (The engine itself: tests/c/test_reader*.c.)"""

import inspect
import itertools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import headrace as hr


@pytest.fixture
def files(tmp_path):
    """Ten files that hold their number."""
    out = []
    for i in range(10):
        path = tmp_path / f"{i}.bin"
        path.write_bytes(b"%d" % i)
        out.append(str(path))
    return out


def labels(batch):
    return [t.item() for t in batch.tensors]


def epoch(loop):
    return [labels(label) for _, label in loop]


# ---- what comes out ------------------------------------------------------------------------------


def test_batches(files):
    reader = hr.readers.File(files=files[:5], labels=[7, -1, 0, 2**31 - 1, 4])
    steps = list(reader.next_epoch(batch_size=2))
    assert [type(s) for s in steps] == [tuple] * 3
    content, label = steps[0]
    assert isinstance(content, hr.Batch) and isinstance(label, hr.Batch)
    assert content.dtype == hr.uint8 and label.dtype == hr.int32
    assert content.shape == [(1,), (1,)] and label.shape == [(1,), (1,)]
    assert content.layout is None and label.layout is None
    assert [labels(label) for _, label in steps] == [[7, -1], [0, 2**31 - 1], [4, 7]]
    assert [bytes(memoryview(t)) for t in content.tensors] == [b"0", b"1"]


def test_samples(files):
    reader = hr.readers.File(files=files[:3])
    loop = reader.next_epoch()
    assert loop.batch_size is None and len(loop) == 3
    got = [(bytes(memoryview(content)), label.item()) for content, label in loop]
    assert got == [(b"0", 0), (b"1", 1), (b"2", 2)]
    assert all(isinstance(x, hr.Tensor) for pair in loop for x in pair)


def test_folders(tmp_path):
    for name in ("b/2.jpg", "b/10.jpg", "a/x.PNG", "a/skip.txt", "top.jpg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    reader = hr.readers.File(file_root=tmp_path)
    got = [(bytes(memoryview(c)).decode(), lab.item()) for c, lab in reader.next_epoch()]
    assert got == [("a/x.PNG", 0), ("b/10.jpg", 1), ("b/2.jpg", 1)]
    assert reader.classes == ["a", "b"]
    reader = hr.readers.File(file_root=str(tmp_path), file_filters="*.txt")
    assert len(reader.next_epoch()) == 1


def test_names_that_are_no_utf8(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff \xe9.bin"
    with open(name, "wb") as f:
        f.write(b"x")
    for arg in ([name], [os.fsdecode(name)]):
        ((content, _),) = hr.readers.File(files=arg).next_epoch()
        assert bytes(memoryview(content)) == b"x"


@pytest.mark.parametrize("last, batches", [
    ("wrap", [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 0, 1]]),
    ("pad", [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 9, 9]]),
    ("partial", [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]),
    ("drop", [[0, 1, 2, 3], [4, 5, 6, 7]]),
])
def test_last_batch(files, last, batches):
    reader = hr.readers.File(files=files, last_batch=last)
    loop = reader.next_epoch(batch_size=4)
    assert len(loop) == len(batches)
    assert epoch(loop) == batches
    assert loop.num_padded == (2 if last in ("wrap", "pad") else 0)
    assert loop.drop_last is (last == "drop")


def test_pad_last_batch_is_pad(files):
    reader = hr.readers.File(files=files, pad_last_batch=True)
    assert epoch(reader.next_epoch(batch_size=4))[-1] == [8, 9, 9, 9]
    for last in ("wrap", "partial", "drop"):
        with pytest.raises(ValueError, match="contradicts"):
            hr.readers.File(files=files, pad_last_batch=True, last_batch=last)
    hr.readers.File(files=files, pad_last_batch=True, last_batch="pad")


@pytest.mark.parametrize("last", ["wrap", "pad", "partial", "drop"])
@pytest.mark.parametrize("stick", [False, True])
def test_len_is_the_number_of_batches(files, last, stick):
    for n in range(1, 11):
        for shards in range(1, min(n, 4) + 1):
            for size in (1, 3, 5):
                readers = [hr.readers.File(files=files[:n], last_batch=last, num_shards=shards,
                                           shard_id=i, stick_to_shard=stick)
                           for i in range(shards)]
                loops = [r.next_epoch(batch_size=size) for r in readers]
                for _ in range(2):
                    promised = [len(loop) for loop in loops]
                    got = [epoch(loop) for loop in loops]
                    assert promised == [len(g) for g in got]
                    if last == "partial":
                        assert sorted(sum(sum(got, []), [])) == list(range(n))


# ---- loops ---------------------------------------------------------------------------------------


def test_a_loop_is_iterated_again(files):
    loop = hr.readers.File(files=files, last_batch="partial").next_epoch(batch_size=4)
    assert iter(loop) is loop
    first = epoch(loop)
    assert first == epoch(loop) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    with pytest.raises(StopIteration):
        next(loop)
    assert loop.num_shards == 1 and loop.shard_id == 0 and loop.batch_size == 4


def test_next_without_iter(files):
    loop = hr.readers.File(files=files).next_epoch(batch_size=4)
    assert labels(next(loop)[1]) == [0, 1, 2, 3]
    assert epoch(loop) == [[4, 5, 6, 7], [8, 9, 0, 1]]


@pytest.mark.parametrize("last", ["wrap", "pad", "partial", "drop"])
def test_break_loses_nothing(files, last):
    loop = hr.readers.File(files=files, last_batch=last).next_epoch(batch_size=4)
    for _ in loop:
        break
    assert len(loop) == (2 if last == "drop" else 3)
    assert epoch(loop)[0] == [4, 5, 6, 7]
    assert [labels(x[1]) for x in itertools.islice(loop, 1)] == [
        [2, 3, 4, 5] if last == "wrap" else [0, 1, 2, 3]]
    assert epoch(loop)[0] == ([6, 7, 8, 9] if last == "wrap" else [4, 5, 6, 7])


def test_a_new_loop_after_a_break(files):
    """With wrap, the peer's rule: a whole epoch's number of batches from there. The other policies
    end the epoch first."""
    for last, rest in (("wrap", [[4, 5, 6, 7], [8, 9, 0, 1], [2, 3, 4, 5]]),
                       ("partial", [[4, 5, 6, 7], [8, 9]])):
        reader = hr.readers.File(files=files, last_batch=last)
        for _ in reader.next_epoch(batch_size=4):
            break
        loop = reader.next_epoch(batch_size=4)
        assert len(loop) == len(rest)
        assert epoch(loop) == rest


def test_an_exception_in_the_body_loses_nothing(files):
    reader = hr.readers.File(files=files)
    with pytest.raises(KeyError):
        for _ in reader.next_epoch(batch_size=2):
            raise KeyError
    assert labels(next(reader.next_epoch(batch_size=2))[1]) == [2, 3]


def test_two_loops_do_not_mix(files):
    reader = hr.readers.File(files=files)
    one, two = reader.next_epoch(batch_size=2), reader.next_epoch(batch_size=2)
    assert labels(next(one)[1]) == [0, 1]
    assert labels(next(two)[1]) == [2, 3]
    with pytest.raises(RuntimeError, match="another pass"):
        next(one)
    assert labels(next(two)[1]) == [4, 5]


def test_close_and_with(files):
    reader = hr.readers.File(files=files)
    with reader.next_epoch(batch_size=2) as loop:
        next(loop)
    loop.close()
    assert next(loop, None) is None
    with pytest.raises(RuntimeError, match="closed"):
        iter(loop)
    assert labels(next(reader.next_epoch(batch_size=2))[1]) == [2, 3]
    with reader:
        pass
    reader.close()
    with pytest.raises(RuntimeError, match="closed"):
        reader.next_epoch(batch_size=2)
    with pytest.raises(RuntimeError, match="closed"):
        len(loop)


def threads_of_readers():
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/comm") as f:
                names.append(f.read().strip())
        except FileNotFoundError:
            pass
    return names.count("headrace-io")


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs /proc")
def test_leaving_ends_the_threads(files):
    before = threads_of_readers()
    reader = hr.readers.File(files=files)
    assert threads_of_readers() == before  # none before the first read
    loop = reader.next_epoch(batch_size=2)
    next(loop)
    assert threads_of_readers() > before
    loop.close()
    assert threads_of_readers() == before
    for _ in reader.next_epoch(batch_size=2):
        assert threads_of_readers() > before
        break
    assert threads_of_readers() == before


def test_loops_and_readers_do_not_pickle(files):
    reader = hr.readers.File(files=files)
    for obj in (reader, reader.next_epoch(batch_size=2)):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(obj)


def test_results_outlive_the_reader(files):
    reader = hr.readers.File(files=files)
    kept = [c for c, _ in reader.next_epoch(batch_size=5)]
    reader.close()
    del reader
    assert b"".join(bytes(memoryview(t)) for b in kept for t in b.tensors) == b"0123456789"


# ---- rules of use --------------------------------------------------------------------------------


def test_one_way_of_use(files):
    uses = {"samples": lambda r: list(r.next_epoch()), "calls": lambda r: r(),
            "batches": lambda r: list(r.next_epoch(batch_size=2))}
    for first, second in itertools.permutations(uses, 2):
        reader = hr.readers.File(files=files)
        uses[first](reader)
        with pytest.raises(RuntimeError, match="was used"):
            uses[second](reader)
        uses[first](reader)


def test_the_batch_size_stays(files):
    reader = hr.readers.File(files=files)
    reader.next_epoch(batch_size=3)  # not iterated: nothing is decided
    list(reader.next_epoch(batch_size=2))
    with pytest.raises(ValueError, match="batch_size 3 differs from 2"):
        reader.next_epoch(batch_size=3)
    with pytest.raises(RuntimeError):
        reader.next_epoch()
    assert reader.batch_size == 2


@pytest.mark.parametrize("size, error", [(0, ValueError), (-1, ValueError), (2**40, ValueError),
                                         (2.5, TypeError), ("2", TypeError)])
def test_wrong_batch_sizes(files, size, error):
    reader = hr.readers.File(files=files)
    for call in (reader.next_epoch, reader.get_metadata, reader):
        with pytest.raises(error):
            call(batch_size=size)
    assert len(reader.next_epoch(batch_size=2)) == 5


def test_batch_sizes_of_the_constructor(files):
    assert len(hr.readers.File(files=files, max_batch_size=4).next_epoch()) == 3
    assert len(hr.readers.File(4, files=files).next_epoch(batch_size=2)) == 5
    assert len(hr.readers.File(files=files, batch_size=5).next_epoch()) == 2
    with pytest.raises(ValueError, match="over the max_batch_size 4"):
        hr.readers.File(4, files=files).next_epoch(batch_size=5)
    with pytest.raises(ValueError, match="over max_batch_size"):
        hr.readers.File(4, files=files, batch_size=5)


def test_calls(files):
    reader = hr.readers.File(files=files[:3])
    assert [reader()[1].item() for _ in range(5)] == [0, 1, 2, 0, 1]
    reader = hr.readers.File(files=files[:5], max_batch_size=2)
    assert [labels(reader(batch_size=2)[1]) for _ in range(4)] == [[0, 1], [2, 3], [4, 0], [1, 2]]
    with pytest.raises(TypeError):
        reader(2)
    with pytest.raises(RuntimeError, match="no shard has a whole batch"):
        hr.readers.File(files=files[:3], last_batch="drop")(batch_size=4)


def test_metadata(files):
    reader = hr.readers.File(files=files, num_shards=3, shard_id=1)
    assert reader.get_metadata() == {"epoch_size": 10, "epoch_size_padded": 10,
                                     "number_of_shards": 3, "shard_id": 1, "pad_last_batch": 0,
                                     "stick_to_shard": 0}
    reader = hr.readers.File(files=files, num_shards=3, pad_last_batch=True, stick_to_shard=True)
    meta = reader.get_metadata(batch_size=2)
    assert (meta["epoch_size_padded"], meta["pad_last_batch"], meta["stick_to_shard"]) == (12, 1, 1)


@pytest.mark.parametrize("arguments, error, words", [
    ({}, ValueError, "must be given"),
    ({"file_root": "/no/such/folder"}, FileNotFoundError, "/no/such/folder"),
    ({"files": ["/no/such/file"]}, FileNotFoundError, "/no/such/file"),
    ({"files": []}, ValueError, "empty"),
    ({"files": ["a\0b"]}, ValueError, "zero character"),
    ({"files": 5}, TypeError, "files"),
    ({"file_list": "/no/such/list"}, FileNotFoundError, "/no/such/list"),
    ({"no_such": 1}, TypeError, "no_such"),
    ({"shardid": 1}, TypeError, "did you mean `shard_id`"),
])
def test_wrong_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        hr.readers.File(**arguments)


def test_no_gpu(files):
    with pytest.raises(RuntimeError, match="gpu"):
        hr.readers.File(files=files, device="gpu")
    hr.readers.File(None, "name", "cpu", 0, files=files)


def test_context_and_capture_arguments(files):
    reader = hr.readers.File(files=files)
    with hr.EvalContext(num_threads=1) as ctx:
        assert len(reader.next_epoch(2, ctx)) == 5
    with pytest.raises(TypeError, match="EvalContext"):
        reader.next_epoch(2, "ctx")
    with pytest.raises(ValueError, match="batch_size"):
        reader.next_epoch(capture=True)


def test_hints_change_nothing(files):
    plain = epoch(hr.readers.File(files=files, random_shuffle=True).next_epoch(batch_size=3))
    for hint in ({"initial_fill": 3}, {"prefetch_queue_depth": 4}, {"tensor_init_bytes": 0},
                 {"read_ahead": True}, {"skip_cached_images": True}, {"dont_use_mmap": True},
                 {"lazy_init": True}, {"enable_checkpointing": True}, {"num_inputs": 0}):
        reader = hr.readers.File(files=files, random_shuffle=True, **hint)
        assert epoch(reader.next_epoch(batch_size=3)) == plain


def test_signature_and_document():
    names = inspect.signature(hr.readers.File).parameters
    assert list(names)[:4] == ["max_batch_size", "name", "device", "num_inputs"]
    for each in ("file_root", "last_batch", "shuffle_after_epoch_seed", "on_error"):
        assert names[each].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"    {each}: " in hr.readers.File.__doc__
    assert hr.readers.File.__module__ == "headrace.readers"
    assert list(inspect.signature(hr.readers.File.next_epoch).parameters) == [
        "self", "batch_size", "ctx", "capture", "prefetch"]


# ---- order and place -----------------------------------------------------------------------------


def test_shuffles_are_functions_of_seed_and_epoch(files):
    def orders(**kw):
        loop = hr.readers.File(files=files, random_shuffle=True, **kw).next_epoch(batch_size=10)
        return [epoch(loop)[0] for _ in range(3)]

    first = orders(seed=5)
    assert first == orders(seed=5) != orders(seed=6)
    assert all(sorted(o) == list(range(10)) for o in first)
    assert first[0] != first[1] != first[2]
    assert orders() == orders(seed=-1)


def test_set_epoch(files):
    def reader():
        return hr.readers.File(files=files, random_shuffle=True, seed=3)

    loop = reader().next_epoch(batch_size=5)  # ten are whole batches: no order begins in mid-batch
    long_run = [epoch(loop) for _ in range(4)]
    again = reader()
    for n in (3, 0, 2, 2):
        again.set_epoch(n)
        assert epoch(again.next_epoch(batch_size=5)) == long_run[n]
    for wrong in (-1, 2**62):
        with pytest.raises(ValueError):
            again.set_epoch(wrong)
    with pytest.raises(TypeError):
        again.set_epoch("1")


def test_set_epoch_begins_anew_under_wrap_too(files):
    reader = hr.readers.File(files=files[:5])
    for n in range(3):
        reader.set_epoch(n)
        assert epoch(reader.next_epoch(batch_size=2)) == [[0, 1], [2, 3], [4, 0]]


@pytest.mark.parametrize("last", ["wrap", "pad", "partial", "drop"])
@pytest.mark.parametrize("taken", range(7))
def test_state_dict_resumes(files, last, taken):
    def reader():
        return hr.readers.File(files=files, random_shuffle=True, seed=1, last_batch=last,
                               num_shards=2)

    def steps(loop, n):
        out = []
        while len(out) < n:
            out += [labels(x[1]) for x in itertools.islice(loop, n - len(out))]
        return out

    loop = reader().next_epoch(batch_size=2)
    steps(loop, taken)
    state = json.loads(json.dumps(loop.state_dict()))
    assert all(isinstance(v, (int, str)) for v in state.values())
    rest = steps(loop, 8)
    for other in (reader(), reader().next_epoch(batch_size=2)):
        other.load_state_dict(state)
        if isinstance(other, hr.readers.File):
            other = other.next_epoch(batch_size=2)
        assert steps(other, 8) == rest


def test_a_state_in_the_middle_gives_the_rest_of_the_epoch(files):
    loop = hr.readers.File(files=files).next_epoch(batch_size=2)
    list(itertools.islice(loop, 3))
    other = hr.readers.File(files=files)
    other.load_state_dict(loop.state_dict())
    resumed = other.next_epoch(batch_size=2)
    assert len(resumed) == 2
    assert epoch(resumed) == [[6, 7], [8, 9]]
    assert len(resumed) == 5


def test_state_carries_a_pending_epoch_and_the_seed(files):
    one = hr.readers.File(files=files, random_shuffle=True, seed=1)
    one.set_epoch(4)
    two = hr.readers.File(files=files, random_shuffle=True, seed=2)
    two.load_state_dict(one.state_dict())
    assert epoch(one.next_epoch(batch_size=5)) == epoch(two.next_epoch(batch_size=5))


def test_get_state_and_set_state(files):
    reader = hr.readers.File(files=files[:7])
    for _ in reader.next_epoch(batch_size=2):
        break
    state = reader.get_state()
    assert str(state) == str(reader.get_state()) and state == reader.get_state()
    for value in (state, str(state)):
        other = hr.readers.File(files=files[:7])
        other.set_state(value)  # the peer's rule: a whole epoch's number of batches from there
        assert epoch(other.next_epoch(batch_size=2)) == [[2, 3], [4, 5], [6, 0], [1, 2]]
        with pytest.raises(RuntimeError, match="used already"):
            other.set_state(value)
    for wrong in ("", "abc", "[1]", "{}"):
        with pytest.raises(ValueError):
            hr.readers.File(files=files).set_state(wrong)
    with pytest.raises(TypeError):
        hr.readers.File(files=files).set_state(5)


@pytest.mark.parametrize("change", [
    {"items": 9}, {"num_shards": 2}, {"format": 2}, {"epoch": -1}, {"step": 99}, {"offset": 10},
    {"order": -1}, {"step": None}, {"epoch": "1"}, {"seed": 2**64}, {"order": 2**63},
    {"batch_size": -5}, {"batch_size": 2**40},
])
def test_wrong_states_are_refused(files, change):
    reader = hr.readers.File(files=files)
    next(reader.next_epoch(batch_size=2))
    state = dict(reader.state_dict(), **change)
    with pytest.raises(ValueError):
        hr.readers.File(files=files).load_state_dict(state)
    with pytest.raises(ValueError):
        hr.readers.File(files=files).load_state_dict({})
    with pytest.raises(TypeError):
        hr.readers.File(files=files).load_state_dict(None)


# ---- failures ------------------------------------------------------------------------------------


def test_errors_name_file_sample_and_line(files):
    reader = hr.readers.File(files=files[:3] + ["/no/such/file"], lazy_init=True)
    loop = reader.next_epoch(batch_size=2)
    next(loop)
    with pytest.raises(FileNotFoundError) as e:
        next(loop)
    text = str(e.value)
    for word in ("readers.File", "sample 1", "item 3", "/no/such/file", "test_readers.py:"):
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
