"""headrace.readers: File and its loops. (The engine itself: tests/c/test_reader*.c.)"""
import inspect
import itertools
import os
import pickle

import pytest
from numbered_files import epoch, labels, numbered

import headrace as hr


@pytest.fixture
def files(tmp_path):
    return numbered(tmp_path)


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
