"""Odd loops (rows P01 to P07 of the odd inputs): lengths, forks, leaving, seeds, and many broken files.

Memory (P06) is test_soak.py; forks in the middle of work are test_process.py and test_readers_failures.py.
"""
import collections
import itertools
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import headrace as hr
from encoded_pictures import jpeg, picture
from scripts import output

POLICIES = ["wrap", "pad", "partial", "drop"]


@pytest.fixture(scope="module")
def numbered(tmp_path_factory):
    """Files that hold their number."""
    folder = tmp_path_factory.mktemp("numbered")
    for i in range(1000):
        (folder / f"{i:04}.bin").write_bytes(b"%d" % i)
    return [str(folder / f"{i:04}.bin") for i in range(1000)]


def labels(loop):
    return [[t.item() for t in batch.tensors] for _, batch in loop]


# ---- P01: last batches and lengths ------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("shards", [1, 2, 3, 4])
def test_lengths_and_what_comes(numbered, policy, shards):
    """0 to 20 samples, batches of 1 to 5, two epochs: len is what comes; over all shards each sample comes
    once, but for what a policy leaves out or fills up, which is told."""
    for n in range(1, 21):
        if n < shards:
            with pytest.raises(ValueError, match="shard"):
                hr.readers.File(files=numbered[:n], num_shards=shards)
            continue
        for size in range(1, 6):
            check_shards(numbered[:n], size, shards, policy)


def check_shards(files, size, shards, policy):
    n, counts = len(files), []
    for shard in range(shards):
        reader = hr.readers.File(files=files, num_shards=shards, shard_id=shard, stick_to_shard=True,
                                 last_batch=policy)
        loop = reader.next_epoch(batch_size=size)
        length, padded, seen, batches = len(loop), 0, [], 0
        for _, batch in loop:
            got = [t.item() for t in batch.tensors]
            fill = loop.num_padded
            padded += fill
            batches += 1
            seen += got[:len(got) - fill] if fill else got
            assert len(got) == size or policy == "partial"
        assert batches == length
        whole = list(range(n * shard // shards, n * (shard + 1) // shards))
        keep = len(whole) // size * size if policy == "drop" else len(whole)
        assert seen == whole[:keep], (n, size, shards, shard, policy)
        largest = -(-n // shards)
        assert padded == {"wrap": -len(whole) % size, "pad": -(-largest // size) * size - len(whole),
                          "partial": 0, "drop": 0}[policy]
        counts += seen
    if policy != "drop":
        assert sorted(counts) == list(range(n))


def test_no_samples_at_all(tmp_path):
    with pytest.raises(ValueError, match="empty"):
        hr.readers.File(files=[])
    with pytest.raises(ValueError, match="no folder|none of"):
        hr.readers.File(file_root=tmp_path)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [8, 100])
def test_a_batch_larger_than_the_data_set(numbered, policy, size):
    files = numbered[:5]
    loop = hr.readers.File(files=files, last_batch=policy).next_epoch(batch_size=size)
    right = {"wrap": [[i % 5 for i in range(size)]], "pad": [[0, 1, 2, 3] + [4] * (size - 4)],
             "partial": [[0, 1, 2, 3, 4]], "drop": []}[policy]
    assert len(loop) == len(right) and labels(loop) == right
    if policy == "drop":
        return
    loop = hr.readers.File(files=files, last_batch=policy).next_epoch(batch_size=size, capture=True)
    got = []
    for _, batch in loop:
        got.append([t.item() for t in hr.cast(batch, dtype=hr.int64).tensors])
    assert got == right


# ---- P03: fork after use -------------------------------------------------------------------------------


def test_fork_after_a_reader_and_operators_20_times(numbered):
    assert output(f"""
        import os, sys
        import numpy as np
        import headrace as hr
        files = {numbered[:40]!r}
        big = hr.batch([np.arange(300 * 200 * 3, dtype=np.uint8).reshape(300, 200, 3)] * 4, layout="HWC")
        def work():
            loop = hr.readers.File(files=files, random_shuffle=True, seed=5).next_epoch(batch_size=8)
            got = [[t.item() for t in labels.tensors] for _, labels in loop]
            small = hr.resize(big, size=[50, 40])
            return repr((got, int(np.asarray(small.tensors[3]).astype(int).sum()),
                         np.asarray(hr.random.uniform(rng=hr.random.RNG(3))).item()))
        right = work()
        for i in range(20):
            r, w = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.write(w, work().encode())
                os._exit(0)
            os.close(w)
            mine = work()
            with os.fdopen(r) as f:
                theirs = f.read()
            assert os.waitpid(pid, 0)[1] == 0 and mine == theirs == right, i
        print("fine")
    """, timeout=120) == "fine"


# ---- P04: leaving -----------------------------------------------------------------------------------------

LEAVE = {"break": ("break", 0), "exception": ("raise KeyError('x')", 1), "exit": ("sys.exit(3)", 3),
         "ctrl-c": ("os.kill(os.getpid(), 2); time.sleep(5)", -2), "dropped": ("del loop; break", 0)}
KINDS = {"reader": "reader.next_epoch(batch_size=4)",
         "captured": "reader.next_epoch(batch_size=4, capture=True)",
         "source": "hr.ExternalSource([[hr.tensor(np.zeros(3000, np.uint8))] * 4] * 99).captured(4)"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", LEAVE)
def test_leaving_at_a_random_step(numbered, how, kind):
    statement, code = LEAVE[how]
    step = np.random.default_rng(len(how) + 7 * len(kind)).integers(0, 8)
    program = f"""
import os, sys, time
import numpy as np
import headrace as hr
start = time.monotonic()
def main():
    reader = hr.readers.File(files={numbered[:200]!r}, random_shuffle=True, prefetch_queue_depth=4)
    loop = {KINDS[kind]}
    for i, item in enumerate(loop):
        one = item if isinstance(item, hr.Batch) else item[0]
        x = hr.cast(one, dtype="float32")
        y = hr.random.uniform(batch_size=4)
        if i == {step}:
            print("leaving", flush=True)
            {statement}
main()
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "leaving\n"
    start = time.monotonic()
    _, text = process.communicate(timeout=60)
    assert process.returncode == code
    assert time.monotonic() - start < 10  # a second on a quiet machine; a hang is far more
    if how in ("break", "exit", "dropped"):
        assert text == ""
    else:
        assert text.count("Traceback") == 1 and ("KeyError" in text or "KeyboardInterrupt" in text)


def test_an_interrupt_while_the_reader_waits(tmp_path):
    """A file that never ends: the wait itself is left by Ctrl-C."""
    fifo = tmp_path / "a" / "slow.jpg"
    fifo.parent.mkdir()
    (tmp_path / "a" / "b.jpg").write_bytes(jpeg(picture()))
    os.mkfifo(fifo)
    code = f"""
import headrace as hr
reader = hr.readers.File(files=[{str(fifo)!r}], lazy_init=True)
print("waiting", flush=True)
list(reader.next_epoch())
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "waiting\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=30)
    assert process.returncode != 0 and ("KeyboardInterrupt" in text or "slow.jpg" in text)


# ---- P07: seeds and shuffles ---------------------------------------------------------------------------


def test_the_order_is_that_of_the_seed_on_any_number_of_threads(numbered):
    def order(threads, seed):
        with hr.EvalContext(num_threads=threads):
            reader = hr.readers.File(files=numbered, random_shuffle=True, seed=seed)
            return [sum(labels(reader.next_epoch(batch_size=32)), []) for _ in range(2)]

    first = order(1, 11)
    assert first == order(3, 11) == order(16, 11)
    assert first != order(1, 12) and first[0] != first[1]


def test_every_place_is_as_likely_and_classes_do_not_clump(numbered):
    """200 epochs of 1000 samples: chi-square of place against sample, each in ten parts; runs of a class."""
    reader = hr.readers.File(files=numbered, random_shuffle=True, seed=3, last_batch="partial")
    table, runs, n = np.zeros((10, 10)), collections.Counter(), 200
    for _ in range(n):
        order = np.array(sum(labels(reader.next_epoch(batch_size=250)), []))
        assert sorted(order) == list(range(1000))
        np.add.at(table, (np.arange(1000) // 100, order // 100), 1)
        for _, run in itertools.groupby(order // 100):
            runs[len(list(run))] += 1
    expected = n * 1000 / 100
    # 81 degrees of freedom; drawn without replacement, so that the statistic is smaller by 1000/999.
    chi = ((table - expected) ** 2 / expected).sum() * 999 / 1000
    assert 53.0 < chi < 114.0  # the 1 % and 99 % points are 54.4 and 113.5
    total = sum(runs.values())
    for length in (1, 2, 3):  # a run goes on with probability 99 / 999
        p = (99 / 999) ** (length - 1) * (1 - 99 / 999)
        assert abs(runs[length] / total - p) < 5 * (p * (1 - p) / total) ** 0.5


def test_all_shards_shuffle_alike_and_share_nothing(numbered):
    seen = []
    for shard in range(3):
        reader = hr.readers.File(files=numbered[:100], random_shuffle=True, seed=3, num_shards=3,
                                 shard_id=shard, last_batch="partial")
        seen += sum(labels(reader.next_epoch(batch_size=7)), [])
    assert sorted(seen) == list(range(100))


# ---- a random tenth of the files is broken ------------------------------------------------------------------


def test_a_random_tenth_of_broken_files_is_skipped(tmp_path):
    """The others come, labels aligned with their pictures, and the report counts each reason."""
    rng = np.random.default_rng(5)
    broken = dict(zip(rng.choice(400, 40, replace=False).tolist(),
                      itertools.cycle(["missing", "empty", "unknown kind", "damaged"])))
    files = []
    for i in range(400):
        path = tmp_path / f"{i:03}.jpg"
        files.append(str(path))
        data = jpeg(np.full((8 + i % 7, 8 + i % 5, 3), i % 250, np.uint8))
        reason = broken.get(i)
        if reason == "missing":
            continue
        path.write_bytes({"empty": b"", "unknown kind": b"<html>not found</html>",
                          "damaged": data[:len(data) - 40]}.get(reason, data))
    for order in ({}, {"random_shuffle": True, "seed": 2}):
        for size in (1, 7, 64):
            reader = hr.readers.File(files=files, on_error="skip", verify="decode", last_batch="partial",
                                     **order)
            seen = []
            for encoded, numbers in reader.next_epoch(batch_size=size):
                images = hr.decoders.image(encoded)
                assert images.batch_size == numbers.batch_size <= size
                for image, number in zip(images.tensors, numbers.tensors):
                    i = number.item()
                    assert image.shape == (8 + i % 7, 8 + i % 5, 3)
                    assert abs(int(np.asarray(image)[0, 0, 0]) - i % 250) <= 2
                    seen.append(i)
            assert sorted(seen) == [i for i in range(400) if i not in broken]
            counts = dict(line.split(": ") for line in reader.skip_report.splitlines())
            assert counts == {reason: "10" for reason in ("missing", "empty", "unknown kind", "damaged")}


def test_without_a_trial_decode_the_blank_ones_are_dropped_with_their_labels(tmp_path):
    rng = np.random.default_rng(6)
    broken = set(rng.choice(200, 20, replace=False).tolist())
    for i in range(200):
        data = jpeg(np.full((9, 9, 3), i, np.uint8))
        (tmp_path / f"{i:03}.jpg").write_bytes(data[:len(data) - 40] if i in broken else data)
    files = [str(tmp_path / f"{i:03}.jpg") for i in range(200)]
    seen, failed = [], 0
    for encoded, numbers in hr.readers.File(files=files).next_epoch(batch_size=25):
        images = hr.decoders.image(encoded, on_error="blank")
        failed += sum(t.failure is not None for t in images.tensors)
        images, numbers = hr.drop_failed(images, numbers)
        seen += [t.item() for t in numbers.tensors]
        assert all(abs(int(np.asarray(t)[4, 4, 1]) - n.item()) <= 2
                   for t, n in zip(images.tensors, numbers.tensors))
    assert failed == 20 and seen == [i for i in range(200) if i not in broken]
