"""Where a reader stands: shuffles, set_epoch, states that resume."""
import itertools
import json

import pytest
from numbered_files import epoch, labels, numbered

import headrace as hr


@pytest.fixture
def files(tmp_path):
    return numbered(tmp_path)


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
    with pytest.raises(RuntimeError, match="stream"):
        reader.get_state(cuda_stream=5)
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
