"""loop.stats(): steps, times, bytes, and which side limits the other."""
import json
import time

import numpy as np
import pytest

import headrace as hr

STEPS = 12


def batches(n=STEPS, size=3, length=4):
    return [hr.as_batch([np.full((length,), k, np.int32)] * size) for k in range(n)]


def run(body, source=None, **kw):
    loop = hr.ExternalSource(source or batches()).captured(batch_size=3, **kw)
    for x in loop:
        body(x)
    return loop.stats()


def test_counts_and_bytes_are_exact():
    def body(x):
        y = hr.cat(x, x)
        hr.cast(y, dtype=hr.float64)
    told = run(body).to_dict()
    assert (told["traced"], told["steps"], told["eager"]) == (1, STEPS - 1, 0)
    assert told["bytes_in"] == 3 * 4 * 4
    assert [row["bytes"] for row in told["rows"]] == [3 * 8 * 4, 3 * 8 * 8]
    assert told["bytes_out"] == 3 * 8 * (4 + 8) and told["peak_bytes"] >= told["bytes_out"]
    assert [row["operator"] for row in told["rows"]] == ["cat", "cast"]
    assert sum(row["ms"] for row in told["rows"]) == pytest.approx(told["pipeline_ms"])
    assert 1 <= told["ahead"] <= 3 and 0 <= told["ready"] <= told["ahead"]


@pytest.mark.parametrize("prefetch", [1, 5])
def test_steps_ahead_follow_prefetch(prefetch):
    told = run(lambda x: (hr.cat(x, x), time.sleep(0.002)), prefetch=prefetch)
    assert prefetch * 0.5 < told.ahead <= prefetch + 1
    assert told.ready > 0.7  # the body sleeps: what was begun is complete


SECONDS = 0.004


def slow_source():
    for batch in batches():
        time.sleep(SECONDS)
        yield batch


def pictures():
    for _ in range(STEPS):
        yield hr.as_batch(np.zeros((3, 64, 64, 3), np.uint8), layout="HWC")


def sleeps(x):
    hr.cat(x, x)
    time.sleep(SECONDS)


def looks(x):
    y = hr.resize(x, size=(900, 900))
    y.evaluate()


@pytest.mark.parametrize("body, source, limit, slow", [
    (sleeps, None, "body", "body_ms"), (lambda x: hr.cat(x, x), slow_source, "source", "source_ms"),
    (looks, pictures, "pipeline", "wait_ms")], ids=["body", "source", "pipeline"])
def test_who_limits_whom(body, source, limit, slow):
    told = run(body, source)
    assert told.limit == limit and f"{limit} limits" in str(told)
    times = {name: getattr(told, name) for name in ("body_ms", "source_ms", "wait_ms")}
    assert max(times, key=times.get) == slow
    if slow != "wait_ms":
        assert times[slow] >= SECONDS * 1e3  # what slept is counted where it slept


def test_waiting_in_the_body_is_not_the_body():
    told = run(looks, pictures)
    assert told.body_ms < told.wait_ms


def test_epochs_and_early_ends_add_up():
    source = hr.ExternalSource(batches(), cycle="raise")
    for n in range(3):
        loop = source.captured(batch_size=3)
        for step, x in enumerate(loop):
            hr.cat(x, x)
            if n == 2 and step == 3:
                break
    told = loop.stats().to_dict()
    assert (told["traced"], told["steps"]) == (1, 2 * STEPS - 1 + 4)
    assert len(told["rows"]) == 1 and told["bytes_in"] == pytest.approx(3 * 4 * 4)


def test_before_and_after():
    loop = hr.ExternalSource(batches()).captured(batch_size=3)
    assert loop.stats().limit is None and "0 traced" in str(loop.stats())
    for step, x in enumerate(loop):
        hr.cat(x, x)
        if step == 5:
            assert 0 < loop.stats().steps == 5
    told = loop.stats()
    assert json.loads(told.to_json()) == told.to_dict()
    assert max(map(len, str(told).splitlines())) <= 100
    assert "<th>ms a step</th>" in told._repr_html_()


def test_an_eager_loop_has_its_steps_too():
    with pytest.warns(hr.HeadraceWarning):
        told = run(lambda x: x + 1)
    assert (told.traced, told.steps, told.eager) == (1, 0, STEPS - 1)
