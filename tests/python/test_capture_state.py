"""Places of captured loops: length, state_dict, load_state_dict, checkpoints; sample-exact."""
import itertools
import json
import pickle
import re

import numpy as np
import pytest
from record_files import example, write

import headrace as hr
from headrace.checkpoint import Checkpoint
from headrace.tfrecord import FixedLenFeature, float32, int64

SIZE = 2


def item(k):
    return hr.as_batch([np.full((3,), 10 * k + s, np.int32) for s in range(SIZE)])


@pytest.fixture
def folder(tmp_path):
    for k in range(9):
        np.save(tmp_path / f"{k}.npy", np.full((3,), 10 * k, np.int32))
    return str(tmp_path)


def values(*batches):
    return [[t.tolist() for t in b.tensors] for b in batches]


class Reading:
    """One run over a reader with a generator: what each step saw, its states after each step."""

    def __init__(self, folder, capture, seed=7, **reader):
        self.reader = hr.readers.Numpy(file_root=folder, random_shuffle=True, seed=3, **reader)
        self.rng, self.capture, self.seen = hr.random.RNG(seed=seed), capture, []
        self.saved = Checkpoint()
        self.saved.register(self.reader, "reader")
        self.saved.register(self.rng, "rng")

    def epoch(self, stop=None):
        self.loop = self.reader.next_epoch(batch_size=SIZE, capture=self.capture)
        for (x,) in self.loop:
            noise = hr.random.uniform(batch_size=x.batch_size, shape=[2], rng=self.rng)
            y = hr.cat(x, x)
            self.seen.append(values(x, y, noise))
            if len(self.seen) == stop:
                break
        self.loop.close()  # it would be active in this thread as long as it is there

    def state(self):
        return json.loads(json.dumps(self.loop.state_dict())), str(self.rng.state)


POLICIES = ["wrap", "partial", "drop", "pad"]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("stop", range(1, 12))
def test_a_state_taken_in_a_captured_loop_is_that_of_an_eager_one(folder, policy, stop):
    runs = [Reading(folder, capture, last_batch=policy) for capture in (True, False)]
    for run in runs:
        loop = run.reader.next_epoch(batch_size=SIZE, capture=run.capture)
        run.states = []
        for (x,) in itertools.chain(loop, loop, loop):
            hr.random.uniform(batch_size=x.batch_size, rng=run.rng)
            run.states.append([loop.state_dict(), run.reader.state_dict(), str(run.reader.get_state()),
                               str(run.rng.state)])
            if len(run.states) == stop:
                break
    assert runs[0].states == runs[1].states


@pytest.mark.parametrize("resume", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("stop", [1, 2, 3, 4, 6])
def test_a_run_goes_on_in_a_new_process_where_it_stood(folder, policy, stop, resume):
    whole = Reading(folder, True, last_batch=policy)
    for _ in range(4):
        whole.epoch()
    first = Reading(folder, True, last_batch=policy)
    while len(first.seen) < stop:
        first.epoch(stop)
    place, rng = first.state()
    second = Reading(folder, resume, seed=1, last_batch=policy)
    second.reader.load_state_dict(place)
    second.rng.state = rng
    while len(second.seen) < len(whole.seen) - stop:
        second.epoch(len(whole.seen) - stop)
    assert first.seen + second.seen == whole.seen


@pytest.mark.parametrize("stop", [1, 2, 3, 5])
def test_a_checkpoint_inside_a_captured_loop(folder, stop):
    whole, first = (Reading(folder, True, last_batch="partial") for _ in range(2))
    for _ in range(3):
        whole.epoch()
    texts = []
    while len(first.seen) < stop:
        loop = first.reader.next_epoch(batch_size=SIZE, capture=True)
        for (x,) in loop:
            noise = hr.random.uniform(batch_size=x.batch_size, shape=[2], rng=first.rng)
            first.seen.append(values(x, hr.cat(x, x), noise))
            first.saved.collect()  # in the body, with steps pulled ahead
            texts.append(first.saved.serialize())
            if len(first.seen) == stop:
                break
    loop.close()
    for k, text in enumerate(texts):
        second = Reading(folder, True, seed=1, last_batch="partial")
        second.saved.deserialize(text)
        second.saved.restore()
        while len(second.seen) < len(whole.seen) - k - 1:
            second.epoch()
        assert second.seen == whole.seen[k + 1:]


def test_restoring_a_tracked_generator_in_a_live_loop_is_an_error(folder):
    run = Reading(folder, True)
    text = str(run.rng.state)
    with pytest.raises(RuntimeError, match="state was set"):
        for (x,) in run.reader.next_epoch(batch_size=SIZE, capture=True):
            hr.random.uniform(batch_size=x.batch_size, rng=run.rng)
            run.rng.set_state(text)


@pytest.mark.parametrize("through", ["loop", "reader"])
@pytest.mark.parametrize("stop", [1, 2, 3])
def test_going_back_to_a_place_between_epochs(folder, through, stop):
    """load_state_dict, and the generator's own state: the same steps once more."""
    run = Reading(folder, True)
    run.epoch()
    loop = run.reader.next_epoch(batch_size=SIZE, capture=True)
    saved = None
    for k, (x,) in enumerate(loop):
        noise = hr.random.uniform(batch_size=x.batch_size, shape=[2], rng=run.rng)
        run.seen.append(values(x, hr.cat(x, x), noise))
        if k == stop:
            saved, length = (loop.state_dict(), str(run.rng.state)), len(run.seen)
    rest = run.seen[length:]
    (loop if through == "loop" else run.reader).load_state_dict(saved[0])
    run.rng.state = saved[1]
    del run.seen[:]
    run.epoch()
    assert run.seen == rest


def test_going_back_inside_the_body():
    source = hr.ExternalSource([item(k) for k in range(6)])
    rng, got, saved = hr.random.RNG(seed=1), [], []
    loop = source.captured(batch_size=SIZE)
    for x in loop:
        noise = hr.random.uniform(batch_size=SIZE, shape=[2], rng=rng)
        got.append(values(hr.cat(x, x), noise))
        if len(got) == 2:
            saved.append((loop.state_dict(), str(rng.state)))
        if len(got) == 4:
            loop.load_state_dict(saved[0][0])
            rng.state = saved[0][1]
    assert got[4:6] == got[2:4] and [g[0][0][0] for g in got[4:]] == [20, 30, 40, 50]


def test_going_back_inside_the_body_of_a_reader(folder):
    reader = hr.readers.Numpy(file_root=folder)
    loop = reader.next_epoch(batch_size=3, capture=True)
    got = []
    for (x,) in loop:
        got.append(values(hr.cat(x, x)))
        if len(got) == 1:
            saved = loop.state_dict()
        if len(got) == 3:
            loop.load_state_dict(saved)
    assert len(got) == 5 and got[3:] == got[1:3]


def test_a_readers_own_load_state_dict_ends_the_loop_that_runs(folder):
    reader = hr.readers.Numpy(file_root=folder)
    saved = reader.state_dict()
    with pytest.raises(RuntimeError, match="its place"):
        for (x,) in reader.next_epoch(batch_size=3, capture=True):
            hr.cat(x, x)
            reader.load_state_dict(saved)
    got = [values(hr.cat(x, x))[0][0][0] for (x,) in reader.next_epoch(batch_size=3, capture=True)]
    assert got == [0, 30, 60]


def test_set_epoch_of_a_captured_reader(folder):
    def read(capture):
        reader = hr.readers.Numpy(file_root=folder, random_shuffle=True, seed=5)
        out = []
        for epoch in (4, 0, 4):
            reader.set_epoch(epoch)
            out.append([values(hr.cat(x, x)) for (x,) in reader.next_epoch(batch_size=SIZE, capture=capture)])
        return out
    captured = read(True)
    assert captured == read(False) and captured[0] == captured[2]


# ---- sources ---------------------------------------------------------------------------------------


def steps_of(loop, rng=None, feeder=None, stop=10 ** 9):
    out = []
    for x in itertools.islice(loop, stop):
        noise = hr.random.uniform(batch_size=x.batch_size, shape=[2], rng=rng) if rng else x
        fed = hr.cat(x, feeder()) if feeder else hr.cat(x, x)
        out.append(values(fed, noise))
    return out


def sources(cycle="raise"):
    def feed():
        k = 0
        while True:
            yield np.full((1,), k, np.int32)
            k += 1
    return (hr.ExternalSource([item(k) for k in range(5)], cycle=cycle), hr.ExternalSource(feed))


@pytest.mark.parametrize("cycle", [None, "raise", "quiet"])
@pytest.mark.parametrize("fed", [False, True])
@pytest.mark.parametrize("stop", [1, 2, 3, 4, 5])
def test_a_loop_over_a_source_goes_on_in_a_new_process(cycle, fed, stop):
    source, feeder = sources(cycle)
    total = 12 if cycle == "quiet" else 5
    whole = steps_of(source.captured(batch_size=SIZE), hr.random.RNG(seed=1), feeder if fed else None, total)
    source, feeder = sources(cycle)
    rng, loop = hr.random.RNG(seed=1), source.captured(batch_size=SIZE)
    first = steps_of(loop, rng, feeder if fed else None, stop)
    saved = pickle.loads(pickle.dumps(loop.state_dict()))
    assert json.loads(json.dumps(saved)) == saved and saved["item"] == stop
    source, feeder = sources(cycle)
    loop = source.captured(batch_size=SIZE)
    loop.load_state_dict(saved)
    again = hr.random.RNG(state=str(rng.state))
    second = steps_of(loop, again, feeder if fed else None, total - stop)
    assert first + second == whole
    if cycle == "raise" and not fed:
        assert stop == 5 or steps_of(loop, again) == []  # it stood behind the last item
        assert len(steps_of(loop, again)) == 5


def test_a_source_that_only_goes_on():
    source = hr.ExternalSource(iter([item(k) for k in range(6)]))
    loop = source.captured(batch_size=SIZE)
    steps_of(loop, stop=3)
    saved = loop.state_dict()
    loop.close()
    fresh = hr.ExternalSource(iter([item(k) for k in range(6)])).captured(batch_size=SIZE)
    fresh.load_state_dict(saved)
    assert [s[0][0][0] for s in steps_of(fresh)] == [30, 40, 50]
    with pytest.raises(ValueError, match="only goes on"):
        fresh.load_state_dict(saved)
    loop = source.captured(batch_size=SIZE)
    loop.load_state_dict(saved)  # it stands there
    assert steps_of(loop, stop=1)[0][0][0][0] == 30


def test_a_place_behind_the_source_is_an_error_when_the_step_is_asked_for():
    loop = hr.ExternalSource([item(k) for k in range(6)]).captured(batch_size=SIZE)
    steps_of(loop, stop=5)
    saved = loop.state_dict()
    loop.close()
    other = hr.ExternalSource([item(k) for k in range(2)]).captured(batch_size=SIZE)
    other.load_state_dict(saved)
    with pytest.raises(ValueError, match="3 items in front of the place"):
        next(other)


@pytest.mark.parametrize("change, error", [
    ({"item": -1}, ValueError), ({"item": "3"}, ValueError), ({"pass": None}, ValueError),
    ({"batch_size": 7}, ValueError), ({"feeders": 3}, ValueError), ({"feeders": [5]}, TypeError)])
def test_states_that_are_none_change_nothing(change, error):
    loop = hr.ExternalSource([item(k) for k in range(6)]).captured(batch_size=SIZE)
    got = steps_of(loop, stop=2)
    with pytest.raises(error):
        loop.load_state_dict({**loop.state_dict(), **change})
    with pytest.raises(TypeError, match="dict"):
        loop.load_state_dict([1])
    got += steps_of(loop)
    assert [s[0][0][0] for s in got] == [0, 10, 20, 30, 40, 50]


def test_a_closed_loop_has_no_state_to_load():
    loop = hr.ExternalSource([item(0)]).captured(batch_size=SIZE)
    saved = loop.state_dict()
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        loop.load_state_dict(saved)


def test_a_captured_loop_cannot_be_pickled():
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(hr.ExternalSource([item(0)]).captured(batch_size=SIZE))


# ---- lengths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("size", [1, 2, 4, 5, 9, 12])
def test_the_length_of_a_reader_loop_is_the_number_of_its_steps(folder, policy, size):
    reader = hr.readers.Numpy(file_root=folder, last_batch=policy)
    loop = reader.next_epoch(batch_size=size, capture=True)
    for _ in range(3):
        promised, steps = len(loop), 0
        for (x,) in loop:
            hr.cat(x, x)
            steps += 1
            assert len(loop) == promised
        assert steps == promised


def test_the_length_of_a_source_loop():
    many = [item(k) for k in range(5)]
    loop = hr.ExternalSource(many, cycle="raise").captured(batch_size=SIZE)
    assert len(loop) == 5
    for x in loop:
        hr.cat(x, x)
        assert len(loop) == 5
    assert len(loop) == 5
    source = hr.ExternalSource(many)
    steps_of(source.captured(batch_size=SIZE), stop=3)
    assert len(source.captured(batch_size=SIZE)) == 2
    steps_of(source.captured(batch_size=SIZE))
    assert len(source.captured(batch_size=SIZE)) == 0
    for source in (hr.ExternalSource(many, cycle="quiet"), hr.ExternalSource(lambda: many[0]),
                   hr.ExternalSource(iter(many)), hr.ExternalSource(m for m in many)):
        with pytest.raises(TypeError, match="length is not known"):
            len(source.captured(batch_size=SIZE))


def test_a_loop_is_true_whatever_its_length():
    for source in (hr.ExternalSource([]), hr.ExternalSource(lambda: item(0))):
        assert source.captured(batch_size=SIZE)
    many = [item(k) for k in range(3)]
    assert len(list(hr.ExternalSource(m for m in many).captured(batch_size=SIZE))) == 3


@pytest.mark.parametrize("policy", POLICIES)
def test_the_samples_that_fill_a_batch_up_are_those_of_the_body(folder, policy):
    def read(capture):
        reader = hr.readers.Numpy(file_root=folder, last_batch=policy)
        loop = reader.next_epoch(batch_size=4, capture=capture)
        return [loop.num_padded for _ in range(3) for (x,) in loop if hr.cat(x, x)]
    assert read(True) == read(False)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("prefetch", [1, 2, 8])
def test_the_length_behind_a_loop_that_still_stands(folder, prefetch, policy):
    def lengths(**options):
        reader = hr.readers.Numpy(file_root=folder, last_batch=policy, num_shards=2)
        kept = [reader.next_epoch(batch_size=1, **options)]
        for steps in (1, 2, 1):
            for _ in range(steps):
                (x,) = next(kept[-1])
                hr.cat(x, x)
            kept.append(reader.next_epoch(batch_size=1, **options))
        return [len(loop) for loop in kept[1:]], len(list(kept[-1]))
    assert lengths(capture=True, prefetch=prefetch) == lengths()


@pytest.mark.parametrize("keep", [False, True])
@pytest.mark.parametrize("prefetch", [1, 2, 8])
@pytest.mark.parametrize("cycle", ["no", "raise"])
def test_the_length_of_a_source_that_was_left(cycle, prefetch, keep):
    source = hr.ExternalSource([item(k) for k in range(6)], cycle=cycle)
    kept, lengths = [], []
    for stop in (2, 3, 1, 1, None):
        loop = source.captured(batch_size=SIZE, prefetch=prefetch)
        kept += [loop] * keep
        lengths.append(len(loop))
        steps = 0
        for x in loop:
            hr.cat(x, x)
            steps += 1
            if steps == stop:
                break
        del loop
    assert lengths == [6, 4, 1] + ([0, 0] if cycle == "no" else [6, 5])
    assert steps == lengths[-1]


def test_attributes_of_a_loop(folder):
    reader = hr.readers.Numpy(file_root=folder, num_shards=3, shard_id=1, last_batch="drop")
    loop = reader.next_epoch(batch_size=2, capture=True, prefetch=5)
    assert (loop.batch_size, loop.prefetch, loop.drop_last, loop.num_shards, loop.shard_id) == (
        2, 5, True, 3, 1)
    loop = hr.ExternalSource([item(0)]).captured(batch_size=SIZE)
    assert (loop.batch_size, loop.prefetch, loop.drop_last, loop.num_shards, loop.shard_id) == (
        2, 2, False, 1, 0)


# ---- readers whose outputs have names ----------------------------------------------------------------


def test_outputs_with_names_are_dicts_in_captured_loops_as_well(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    write(path, [example({"id": [k], "v": [float(k), 2.0]}) for k in range(6)])
    features = {"id": FixedLenFeature([1], int64, 0), "v": FixedLenFeature([2], float32, 0.0)}

    def read(capture):
        reader, out = hr.readers.TFRecord(path=[path], features=features), []
        for _ in range(2):
            for record in reader.next_epoch(batch_size=2, capture=capture):
                assert isinstance(record, dict) and list(record) == ["id", "v"]
                number = hr.cast(record["id"], dtype=hr.float32)
                y = hr.cat(record["v"], number)
                assert (y._capture_ref is not None) == capture
                out.append(values(record["id"], y))
        return out
    assert read(True) == read(False)


@pytest.mark.parametrize("change, words", [
    ({"format": 2}, "`format` 2"), ({"format": None}, "`format` None"), ({"batch_size": 5}, "`batch_size` 5"),
    ({"item": -1}, "`item`"), ({"pass": "0"}, "`pass`"), ({"feeders": None}, "None for the sources")])
def test_states_of_sources_that_do_not_fit(change, words):
    loop = hr.ExternalSource([item(k) for k in range(4)]).captured(batch_size=SIZE)
    with pytest.raises(ValueError, match=re.escape(words)):
        loop.load_state_dict({**loop.state_dict(), **change})
    assert len(loop) == 4


@pytest.mark.parametrize("kind", ["readers.File", None, 1])
def test_states_of_other_readers(folder, kind):
    reader = hr.readers.Numpy(file_root=folder)
    with pytest.raises(ValueError, match=f"readers.Numpy: the state is that of {kind!r}"):
        reader.load_state_dict({**reader.state_dict(), "reader": kind})
