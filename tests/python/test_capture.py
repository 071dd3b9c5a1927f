"""Captured loops: the first step is traced, later steps come from the pipeline, bits equal eager."""

import sys
import threading
import warnings

import numpy as np
import pytest
from PIL import Image

import headrace as hr


def batches(n=5, size=3):
    return [hr.as_batch([np.full((4,), 10 * k + s, np.int32) for s in range(size)]) for k in range(n)]


def lists(batch):
    return [t.tolist() for t in batch.tensors]


def is_captured(batch):
    return batch._capture_ref is not None


def run(body, n=5, size=3, **kw):
    """Flags and values of the body's results in a captured loop, and the values of an eager one."""
    flags, values = [], []
    for x in hr.ExternalSource(batches(n, size)).captured(batch_size=size, **kw):
        y = body(x)
        flags.append(is_captured(y))
        values.append(lists(y))
    return flags, values, [lists(body(x)) for x in batches(n, size)]


def test_a_chain_is_captured_and_equals_eager():
    def body(x):
        y = hr.cast(x, dtype=hr.float32)
        z = hr.cast(y, dtype=hr.float32)  # a line of its own: on 3.10 constants need that
        return hr.cat(y, z)
    flags, values, eager = run(body)
    assert all(flags) and values == eager


@pytest.mark.parametrize("prefetch", [1, 2, 7])
def test_prefetch_changes_nothing(prefetch):
    flags, values, eager = run(lambda x: hr.cat(x, x), prefetch=prefetch)
    assert all(flags) and values == eager


@pytest.mark.parametrize("options, error, words", [
    ({"prefetch": 0}, ValueError, "prefetch is 0, it must be within 1..64"),
    ({"prefetch": -1}, ValueError, "prefetch is -1"), ({"prefetch": 65}, ValueError, "prefetch is 65"),
    ({"prefetch": 2 ** 80}, ValueError, "prefetch is 12089"),
    ({"prefetch": "2"}, TypeError, "prefetch is '2'"), ({"prefetch": 1.5}, TypeError, "prefetch is 1.5"),
    ({"prefetch": None}, TypeError, "prefetch is None"),
    ({"ctx": 5}, TypeError, "ctx must be an EvalContext, got int"),
    ({"batch_size": "2"}, TypeError, "batch_size is '2'"),
    ({"batch_size": 1.5}, TypeError, "batch_size is 1.5"),
], ids=str)
def test_a_loop_refuses_its_options_when_it_is_made(tmp_path, options, error, words):
    np.save(tmp_path / "a.npy", np.zeros(3))
    reader = hr.readers.Numpy(file_root=str(tmp_path))
    source = hr.ExternalSource(batches(), cycle="raise")
    options = {"batch_size": 3, **options}
    for make in (lambda: reader.next_epoch(capture=True, **options), lambda: source.captured(**options),
                 lambda: reader.next_epoch(**options)):
        with pytest.raises(error) as caught:
            make()
        assert words in str(caught.value)
    assert source() is not None and len(list(reader.next_epoch(batch_size=1))) == 1  # neither is taken


def test_as_many_steps_ahead_as_there_may_be(tmp_path):
    for k in range(80):
        np.save(tmp_path / f"{k:02}.npy", np.full(2, k))
    loop = hr.readers.Numpy(file_root=str(tmp_path)).next_epoch(batch_size=1, capture=True, prefetch=64)
    assert [lists(hr.cat(x, x)) for (x,) in loop] == [[[k] * 4] for k in range(80)]


def test_nothing_of_python_runs_between_the_call_and_its_result():
    entered = []

    def watch(frame, event, arg):
        if event == "call":
            entered.append(frame.f_code.co_name)
    step = 0
    for x in hr.ExternalSource(batches()).captured(batch_size=3):
        step += 1
        if step == 3:
            sys.setprofile(watch)
        y = hr.cast(x, dtype=hr.float32)
        sys.setprofile(None)
    assert is_captured(y) and entered == []


def test_a_module_level_name_is_not_proven_and_runs_eagerly():
    flags, values, eager = run(lambda x: hr.cat(x, x, axis=AXIS))
    assert not any(flags) and values == eager


AXIS = 0


def test_a_result_that_nobody_looks_at_costs_nothing_wrong():
    seen = 0
    for x in hr.ExternalSource(batches()).captured(batch_size=3):
        hr.cat(x, x)
        seen += 1
    assert seen == 5


def test_kept_results_keep_their_values():
    kept = []
    for x in hr.ExternalSource(batches()).captured(batch_size=3):
        kept.append(hr.cat(x, x))
    assert [lists(k)[0][0] for k in kept] == [0, 10, 20, 30, 40]


def test_a_stale_batch_makes_the_call_eager():
    previous, flags, values = None, [], []
    for x in hr.ExternalSource(batches()).captured(batch_size=3):
        y = hr.cast(previous if previous is not None else x, dtype=hr.int64)
        flags.append(is_captured(y))
        values.append(lists(y)[0][0])
        previous = x
    assert flags == [True, False, False, False, False] and values == [0, 0, 10, 20, 30]


def test_a_routine_called_from_two_places_is_two_sites():
    def routine(x):
        return hr.cast(x, dtype=hr.float32)
    flags, values, eager = run(lambda x: hr.cat(routine(x), routine(routine(x))))
    assert all(flags) and values == eager


def test_the_same_random_values_and_state_as_an_eager_loop():
    def body(x, rng):
        rng()
        a = hr.random.uniform(batch_size=3, shape=[4], rng=rng)
        b = hr.random.normal(batch_size=3, shape=[4], rng=rng)
        return hr.cat(a, b)
    one, two = hr.random.RNG(seed=3), hr.random.RNG(seed=3)
    source = hr.ExternalSource(batches(), cycle="raise")
    for _ in range(3):
        for x in source.captured(batch_size=3):
            got = body(x, one)
            assert is_captured(got)
            assert lists(got) == lists(body(None, two))
            assert str(one.state) == str(two.state)


@pytest.mark.parametrize("change", ["draw", "advance", "seed", "state", "drop"])
def test_a_changed_draw_pattern_is_an_error(change):
    rng = hr.random.RNG(seed=3)
    with pytest.raises(RuntimeError, match="RNG"):
        for step, _ in enumerate(hr.ExternalSource(batches()).captured(batch_size=3)):
            if step == 2 and change == "draw":
                rng()
            if step == 2 and change == "advance":
                rng.advance(5)
            if step == 2 and change == "seed":
                rng.seed = 3
            if step == 2 and change == "state":
                rng.state = rng.state
            if step != 2 or change != "drop":
                hr.random.uniform(batch_size=3, shape=[2], rng=rng)


def test_break_gives_back_what_was_pulled_ahead():
    items = iter(batches(12))
    source = hr.ExternalSource(items)
    got = []
    for x in source.captured(batch_size=3):
        y = hr.cat(x, x)
        got.append(lists(y)[0][0])
        if len(got) == 3:
            break
    del x, y
    for x in source.captured(batch_size=3):
        got.append(lists(hr.cat(x, x))[0][0])
    assert got == [10 * k for k in range(12)]


def test_an_error_in_a_later_step_is_raised_where_its_result_is_looked_at():
    def shapes(step):
        return [np.zeros((2 if step != 3 or i != 1 else 3,), np.int32) for i in range(3)]
    source = hr.ExternalSource([hr.as_batch(shapes(k)) for k in range(6)])
    done = 0
    with pytest.raises(ValueError, match=r"sample 1.*test_capture\.py"):
        for x in source.captured(batch_size=3):
            y = hr.cat(x, hr.reshape(x, shape=[2]))
            y.evaluate()
            done += 1
    assert done == 3


def test_a_failing_step_that_nobody_looks_at_fails_when_it_is_left():
    source = hr.ExternalSource([hr.as_batch([np.zeros((3 if k == 2 else 2,), np.int32)] * 3)
                                for k in range(5)])
    done = 0
    with pytest.raises(ValueError):
        for x in source.captured(batch_size=3):
            hr.reshape(x, shape=[2])
            done += 1
    assert done == 3


def test_a_short_last_batch_is_allowed_and_only_a_shorter_one():
    source = hr.ExternalSource([*batches(2), *batches(1, 2)])
    sizes = [hr.cat(x, x).batch_size for x in source.captured(batch_size=3)]
    assert sizes == [3, 3, 2]
    with pytest.raises(ValueError, match="batch"):
        for x in hr.ExternalSource([*batches(2), *batches(1, 4)]).captured(batch_size=3):
            hr.cat(x, x)


def test_a_reader_loop_equals_the_eager_one(tmp_path):
    files = []
    for i in range(7):
        path = tmp_path / f"{i}.png"
        Image.fromarray(np.full((6, 8, 3), 20 * i, np.uint8)).save(path)
        files.append(str(path))

    def body(encoded, rng):
        images = hr.decoders.image(encoded)
        crops = hr.random_resized_crop(images, size=[5, 4], rng=rng)
        return hr.flip(crops, horizontal=1)

    def read(capture):
        reader = hr.readers.File(files=files, random_shuffle=True, seed=5)
        rng, out = hr.random.RNG(seed=9), []
        for _ in range(3):
            for encoded, labels in reader.next_epoch(batch_size=2, capture=capture):
                y = body(encoded, rng)
                assert is_captured(y) == capture
                out.append((lists(y), lists(labels)))
        return out, str(rng.state)
    assert read(True) == read(False)


def test_two_loops_in_one_thread_are_refused_and_in_two_threads_are_not():
    def work(results):
        results.append(run(lambda x: hr.cat(x, x)))
    results = []
    threads = [threading.Thread(target=work, args=(results,)) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 3 and all(v == e for _, v, e in results)
    inner = hr.ExternalSource(batches()).captured(batch_size=3)
    with pytest.raises(RuntimeError, match="only one captured loop"):
        for x in hr.ExternalSource(batches()).captured(batch_size=3):
            hr.cat(x, x)
            next(inner)


def test_a_loop_that_captures_nothing_warns_once():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for x in hr.ExternalSource(batches()).captured(batch_size=3):
            x + 1
    assert [w.category for w in seen] == [hr.HeadraceWarning]


def test_feeders_are_read_once_a_step():
    def loop(reads):
        feeder = hr.ExternalSource([np.full((4,), k, np.int32) for k in range(9)])
        out = []
        for step, x in enumerate(hr.ExternalSource(batches()).captured(batch_size=3)):
            for _ in range(reads(step)):
                y = hr.cat(x, feeder())
            out.append(lists(y)[0][-1])
        return out
    assert loop(lambda step: 1) == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="exactly once"):
        loop(lambda step: 2 if step == 2 else 1)
    with pytest.raises(RuntimeError, match="exactly once"):
        loop(lambda step: 0 if step == 2 else 1)


def test_memory_is_flat_over_many_steps():
    def pull():
        return item
    item = batches(1)[0]
    before = None
    for step, x in enumerate(hr.ExternalSource(pull).captured(batch_size=3)):
        hr.cat(x, hr.cast(x, dtype=hr.int32)).evaluate()
        if step == 200:
            before = hr._core.alloc_stats()["live_blocks"]
        if step == 3000:
            break
    assert hr._core.alloc_stats()["live_blocks"] <= before + 50


def test_explain_says_why_a_call_is_eager_and_what_would_capture_it():
    loop = hr.ExternalSource(batches()).captured(batch_size=3)
    for x in loop:
        hr.cat(x, x)
        hr.cat(x, x, axis=AXIS)
        hr.cast(x + 1, dtype=hr.float32)
    rows = loop.explain().to_dict()["rows"]
    assert [(r["operator"], r["captured"], r["eager"]) for r in rows] == [
        ("cat", 5, 0), ("cat", 0, 5), ("+", 0, 5), ("cast", 0, 5)]
    assert rows[1]["codes"] == ["MODULE_NAME"] and "`AXIS`" in rows[1]["reason"]
    assert rows[3]["codes"] == ["EAGER_INPUT"] and f"line {rows[2]['line']} (+)" in rows[3]["reason"]
    assert all(r["file"] == __file__ for r in rows)
    text = str(loop.explain())
    assert "test_capture.py" in text and max(map(len, text.splitlines())) <= 100
    assert "<table>" in loop.explain()._repr_html_()


def test_stats_count_steps_and_time():
    loop = hr.ExternalSource(batches(9)).captured(batch_size=3)
    for x in loop:
        hr.cat(x, x)
    stats = loop.stats()
    assert stats.to_dict()["steps"] == 8 and stats.pipeline_ms > 0
    assert "cat" in str(stats)


def test_a_reader_whose_loop_captured_nothing_is_free_again(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    np.save(tmp_path / "b.npy", np.arange(3))
    reader = hr.readers.Numpy(file_root=str(tmp_path))
    with pytest.warns(hr.HeadraceWarning, match="no operators were captured"):
        for (x,) in reader.next_epoch(batch_size=1, capture=True):
            assert is_captured(x)
    assert sum(1 for _ in reader.next_epoch(batch_size=1)) == 2


def test_a_reader_stays_captured(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3))
    reader = hr.readers.Numpy(file_root=str(tmp_path))
    for (x,) in reader.next_epoch(batch_size=1, capture=True):
        hr.cat(x, x)
    with pytest.raises(RuntimeError, match="captured loops and cannot be used eagerly"):
        reader.next_epoch(batch_size=1)
