"""Checkpoints as text and as files: formats, numbers in names, what fails half way."""
import json
import os
import threading

import pytest
from checkpoints import RNG, Own, collected, state, text

from headrace.checkpoint import Checkpoint

# ---- text -------------------------------------------------------------------------------------------------


def test_text_is_json_with_a_format_number():
    c, rng = collected()
    assert json.loads(c.serialize()) == {
        "version": 2, "states": {"gen": {"state": rng.state, "type": "RNG"}}}


def test_nothing_to_serialize():
    c = Checkpoint()
    with pytest.raises(RuntimeError, match="collect"):
        c.serialize()
    c.register(RNG(seed=1))
    with pytest.raises(RuntimeError, match="collect"):
        c.serialize()


@pytest.mark.parametrize("bad", [
    "", "x", "{}", "[]", "5", "null", '{"version": 2}', '{"states": {}}', '{"version": 1, "states": {}}',
    '{"version": "2", "states": {}}', '{"version": true, "states": {}}', '{"version": 2, "states": []}',
    '{"version": 2, "states": {"a": 5}}', '{"version": 2, "states": {"a": {"type": "RNG"}}}',
    '{"version": 2, "states": {"a": {"state": 5, "type": "RNG"}}}',
    '{"version": 2, "states": {"a": {"state": "x", "type": 5}}}',
    '{"version": 2, "states": {"": {"state": "x", "type": "RNG"}}}',
    "[" * 100000, b"\xff\xfe"])
def test_bad_text_changes_nothing(bad):
    c, _ = collected()
    before = c.serialize()
    with pytest.raises(ValueError):
        c.deserialize(bad)
    assert c.serialize() == before and c.is_complete


@pytest.mark.parametrize("bad", [None, 5, []])
def test_no_text(bad):
    with pytest.raises(TypeError):
        Checkpoint().deserialize(bad)


def test_own_objects():
    c, own = Checkpoint(), Own()
    own.value = 7
    c.register(own, "own")
    c.collect()
    d, other = Checkpoint(), Own()
    d.deserialize(c.serialize())
    d.register(other, "own")
    assert other.value == 7


# ---- files ------------------------------------------------------------------------------------------------


def save_names(c, pattern, n=2):
    return [os.path.basename(c.save(pattern)) for _ in range(n)]


def test_numbers(tmp_path):
    c, _ = collected()
    assert save_names(c, str(tmp_path / "a_{seq}.json"), 3) == ["a_0.json", "a_1.json", "a_2.json"]
    other, _ = collected(6)
    assert save_names(other, tmp_path / "a_{seq}.json") == ["a_3.json", "a_4.json"]
    assert sorted(os.listdir(tmp_path)) == ["a_%d.json" % i for i in range(5)]


def test_formats(tmp_path):
    c, _ = collected()
    assert save_names(c, str(tmp_path / "m_{seq:03d}.json")) == ["m_000.json", "m_001.json"]
    for stranger in ("m_7.json", "m_0008.json", "m_abc.json", "m_-09.json", "m_010.jsonx"):
        (tmp_path / stranger).write_text("x")
    assert save_names(c, str(tmp_path / "m_{seq:03d}.json"), 1) == ["m_002.json"]
    loader = Checkpoint()
    assert loader.load(str(tmp_path / "m_{seq:03d}.json")).endswith("m_002.json")
    fresh, _ = collected()
    assert save_names(fresh, str(tmp_path / "x{seq:x}"), 11)[-1] == "xa"
    assert Checkpoint().load(str(tmp_path / "x{seq:x}")).endswith("xa")


def test_numbers_sort_as_numbers(tmp_path):
    c, _ = collected()
    for i in (2, 10, 9):
        (tmp_path / ("a%d" % i)).write_text(text(gen=i))
    d = Checkpoint()
    assert d.load(tmp_path / "a{seq}") == str(tmp_path / "a10")
    assert d.get_state("gen") == state(10)
    assert save_names(c, tmp_path / "a{seq}", 1) == ["a11"]


def test_one_file_is_never_overwritten(tmp_path):
    c, _ = collected()
    path = tmp_path / "one"
    assert c.save(path) == str(path)
    content = path.read_text()
    d, _ = collected(9)
    with pytest.raises(FileExistsError):
        d.save(path)
    assert path.read_text() == content and os.listdir(tmp_path) == ["one"]
    assert Checkpoint().load(path) == str(path)


def test_round_trip(tmp_path):
    c, rng = collected()
    c.save(tmp_path / "c_{seq}")
    d, other = Checkpoint(), RNG(seed=0)
    d.load(tmp_path / "c_{seq}")
    d.register(other, "gen")
    assert [rng() for _ in range(5)] == [other() for _ in range(5)]


def test_saving_twice_in_many_threads_loses_nothing(tmp_path):
    def save(n):
        c, _ = collected(n)
        for _ in range(10):
            c.save(tmp_path / "t_{seq}")

    threads = [threading.Thread(target=save, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(os.listdir(tmp_path)) == 40
    for name in os.listdir(tmp_path):
        json.loads((tmp_path / name).read_text())


def test_special_characters_and_folders(tmp_path):
    c, _ = collected()
    assert c.save(str(tmp_path) + "/new/[x]*/a?{seq}") == str(tmp_path) + "/new/[x]*/a?0"
    assert c.save(str(tmp_path) + "/new/[x]*/a?{seq}") == str(tmp_path) + "/new/[x]*/a?1"
    assert Checkpoint().load(str(tmp_path) + "/new/[x]*/a?{seq}").endswith("a?1")
    assert c.save(str(tmp_path) + "/b{{seq}}") == str(tmp_path) + "/b{seq}"
    assert c.save(str(tmp_path) + "/run{seq}/x.json").endswith("run2/x.json")
    os.makedirs(tmp_path / "run9")  # without a file
    assert Checkpoint().load(str(tmp_path) + "/run{seq}/x.json").endswith("run2/x.json")


def test_relative_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    c, _ = collected()
    assert c.save("rel_{seq}") == "rel_0"
    assert Checkpoint().load("rel_{seq}") == "rel_0"


@pytest.mark.parametrize("name", ["", "a{seq}{seq}", "a{foo}", "a{}", "a{0}", "a{seq!r}", "a{seq",
                                  "a{seq.real}", "a{seq:zz}", "a{seq:.2f}", "a{seq:c}"])
def test_bad_patterns(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    c, _ = collected()
    for call in (c.save, Checkpoint().load):
        with pytest.raises(ValueError):
            call(name)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", [5, None, b"x{seq}"])
def test_no_file_names(name):
    c, _ = collected()
    for call in (c.save, c.load):
        with pytest.raises(TypeError):
            call(name)


def test_nothing_there(tmp_path):
    for name in ("a{seq}", "a", "no/where/a{seq}"):
        with pytest.raises(FileNotFoundError):
            Checkpoint().load(tmp_path / name)
    with pytest.raises(RuntimeError):
        Checkpoint().save(tmp_path / "a{seq}")
    assert os.listdir(tmp_path) == []


def test_failing_write_leaves_nothing(tmp_path, monkeypatch):
    c, _ = collected()

    def full(fd):
        raise OSError(28, "No space left on device")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        c.save(tmp_path / "a{seq}")
    assert os.listdir(tmp_path) == []


def test_file_systems_without_hard_links(tmp_path, monkeypatch):
    def refuse(*args):
        raise PermissionError(1, "Operation not permitted")
    monkeypatch.setattr(os, "link", refuse)
    c, _ = collected()
    assert save_names(c, tmp_path / "a{seq}") == ["a0", "a1"]
    assert json.loads((tmp_path / "a1").read_text())["version"] == 2
    with pytest.raises(FileExistsError):
        c.save(tmp_path / "a0")
    assert sorted(os.listdir(tmp_path)) == ["a0", "a1"]
