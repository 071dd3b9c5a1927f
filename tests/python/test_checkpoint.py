"""Checkpoints: names, states, text, files; readers and generators that go on where they were."""
import gc
import json
import os
import pathlib
import threading
import weakref

import numpy as np
import pytest

import headrace as hr
from headrace.checkpoint import Checkpoint, current

RNG = hr.random.RNG


def state(n):
    return "Philox_%016X_0000000000000000:0000000000000000_0" % n


def text(**states):
    return json.dumps({"version": 2, "states": {
        name: {"state": state(n), "type": "RNG"} for name, n in states.items()}})


def loaded(**states):
    out = Checkpoint()
    out.deserialize(text(**states))
    return out


def collected(n=5, name="gen"):
    out, rng = Checkpoint(), RNG(seed=n)
    out.register(rng, name)
    out.collect()
    return out, rng


class Own:
    def __init__(self):
        self.value = 0

    def get_state(self):
        return str(self.value)

    def set_state(self, value):
        self.value = int(value)


# ---- names ---------------------------------------------------------------------------------------


def test_automatic_names_count_all_registrations():
    c = Checkpoint()
    names = [c.register(RNG(seed=1), "a"), c.register(RNG(seed=2)), c.register(RNG(seed=3), "b"),
             c.register(RNG(seed=4))]
    assert names == ["a", "__op_1", "b", "__op_3"]
    assert c.names == tuple(names) and len(c) == 4
    assert "a" in c and "c" not in c and 5 not in c


@pytest.mark.parametrize("name, error", [("", ValueError), ("__op_0", ValueError),
                                         ("__op_x", ValueError), (5, TypeError), (b"x", TypeError)])
def test_names_refused(name, error):
    c = Checkpoint()
    with pytest.raises(error):
        c.register(RNG(seed=1), name)
    assert len(c) == 0


def test_one_object_has_one_name():
    c, rng = Checkpoint(), RNG(seed=1)
    assert c.register(rng, "a") == c.register(rng) == c.register(rng, "a") == "a"
    with pytest.raises(RuntimeError, match="'a'.*'b'"):
        c.register(rng, "b")


def test_an_object_may_be_replaced_by_one_of_its_type():
    c = Checkpoint()
    c.register(RNG(seed=1), "a")
    second = RNG(seed=2)
    assert c.register(second, "a") == "a" and len(c) == 1
    c.collect()
    assert c.get_state("a") == second.state
    with pytest.raises(TypeError, match="RNG.*Own"):
        c.register(Own(), "a")


@pytest.mark.parametrize("obj", [5, None, "x", np.zeros(2), hr.flip, hr.ExternalSource([1])])
def test_objects_without_states(obj):
    with pytest.raises(TypeError, match="get_state"):
        Checkpoint().register(obj, "x")


def test_no_new_names_after_collect():
    c, rng = collected()
    assert c.register(rng, "gen") == "gen"
    with pytest.raises(RuntimeError, match="clear"):
        c.register(RNG(seed=1), "new")
    c.clear()
    assert c.register(RNG(seed=1), "new") == "new"


# ---- collect, restore -------------------------------------------------------------------------------


def test_flags():
    c = Checkpoint()
    assert (c.is_complete, c.is_loaded, bool(len(c))) == (False, False, False)
    c, _ = collected()
    assert (c.is_complete, c.is_loaded) == (True, False)
    c.deserialize(text(gen=1))
    assert (c.is_complete, c.is_loaded) == (False, True)
    c.collect()
    assert (c.is_complete, c.is_loaded) == (True, False)
    c.clear()
    assert (c.is_complete, c.is_loaded, c.names) == (False, False, ())


def test_collecting_is_no_draw():
    c, rng = collected()
    assert rng() == RNG(seed=5)()


def test_a_loaded_state_is_applied_at_registration_and_once():
    c, rng = loaded(gen=3), RNG(seed=1)
    c.register(rng, "gen")
    assert rng.state == state(3)
    rng()
    after = rng.state
    c.restore()
    c.register(rng)
    assert rng.state == after


def test_loading_over_registered_objects_waits_for_restore():
    c, rng = collected()
    before = rng.state
    c.deserialize(text(gen=7))
    assert rng.state == before
    c.restore()
    assert rng.state == state(7)


def test_names_follow_the_order_of_registration():
    c = loaded(__op_0=3, __op_1=4)
    a, b = RNG(seed=1), RNG(seed=2)
    c.register(a)
    c.register(b)
    assert (a.state, b.state) == (state(3), state(4))
    with pytest.raises(KeyError, match="order"):
        c.register(RNG(seed=1))


def test_unknown_name_in_a_loaded_checkpoint():
    c = loaded(gen=3)
    with pytest.raises(KeyError, match="other.*gen"):
        c.register(RNG(seed=1), "other")
    assert len(c) == 0


def test_surplus_and_missing_states():
    c = loaded(a=1, b=2)
    c.register(RNG(seed=9), "a")
    for call in (c.collect, c.restore):
        with pytest.raises(RuntimeError, match=r"\['b'\]"):
            call()
    c = Checkpoint()
    a, b = RNG(seed=1), RNG(seed=2)
    c.register(a, "a")
    c.register(b, "b")
    c.deserialize(text(a=3))
    with pytest.raises(RuntimeError, match=r"\['b'\]"):
        c.restore()
    assert a.state == RNG(seed=1).state  # nothing half done
    c.collect()
    assert c.is_complete


def test_restore_of_nothing_does_nothing():
    Checkpoint().restore()
    c, rng = Checkpoint(), RNG(seed=1)
    c.register(rng, "a")
    c.restore()
    assert rng.state == RNG(seed=1).state


# ---- single states -------------------------------------------------------------------------------------


def test_get_state():
    c, rng = Checkpoint(), RNG(seed=1)
    c.register(rng, "a")
    assert c.get_state("a") is None
    c.collect()
    assert c.get_state("a") == rng.state
    assert loaded(b=2).get_state("b") == state(2)
    for name in ("zz", 5):
        with pytest.raises(KeyError, match=str(name)):
            c.get_state(name)


def test_set_state():
    c, rng = Checkpoint(), RNG(seed=1)
    c.register(rng, "a")
    c.set_state("a", state(9))
    assert rng.state == RNG(seed=1).state
    c.restore()
    assert rng.state == state(9)


def test_set_state_before_registration():
    c, rng = Checkpoint(), RNG(seed=1)
    c.set_state("a", state(9), op_type=RNG)
    assert c.names == ()
    c.register(rng, "a")
    assert rng.state == state(9)


@pytest.mark.parametrize("kind", ["Foo", Own])
def test_type_is_checked_when_applied(kind):
    c, rng = Checkpoint(), RNG(seed=1)
    c.set_state("a", state(9), op_type=kind)
    with pytest.raises(TypeError, match="RNG"):
        c.register(rng, "a")
    assert len(c) == 0 and rng.state == RNG(seed=1).state


def test_set_state_refuses():
    c, _ = collected()
    with pytest.raises(KeyError, match="zz"):
        c.set_state("zz", state(1))
    with pytest.raises(TypeError, match="op_type"):
        c.set_state("gen", state(1), op_type=5)
    with pytest.raises(TypeError, match="name"):
        c.set_state(5, state(1))
    with pytest.raises(TypeError, match="None"):
        c.set_state("gen", None)


def test_a_state_that_is_none_of_this_type():
    c = Checkpoint()
    c.set_state("a", "nonsense")
    with pytest.raises(ValueError):
        c.register(RNG(seed=1), "a")


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


# ---- contexts, readers ----------------------------------------------------------------------------------------


def test_a_context_has_its_own():
    ctx = hr.EvalContext(num_threads=1)
    assert current() is hr.EvalContext.default().checkpoint
    with ctx:
        assert current() is ctx.checkpoint
    assert current() is not ctx.checkpoint
    with pytest.raises(AttributeError):
        ctx.checkpoint = Checkpoint()


def test_contexts_are_collected_with_what_they_hold():
    class Circle(Own):
        pass

    own, ctx = Circle(), hr.EvalContext(num_threads=1)
    own.ctx = ctx
    ctx.checkpoint.register(own, "x")
    gone = weakref.ref(own)
    del own, ctx
    gc.collect()
    assert gone() is None


@pytest.fixture
def folder(tmp_path):
    for label in "ab":
        os.makedirs(tmp_path / "files" / label)
        for i in range(5):
            (tmp_path / "files" / label / ("%d.jpg" % i)).write_bytes(b"%d" % i)
    return pathlib.Path(tmp_path / "files")


def reader(folder):
    return hr.readers.File(file_root=str(folder), random_shuffle=True, seed=3)


def content(step):
    return [np.asarray(t).tobytes() for t in step[0].tensors]


def test_a_reader_goes_on_where_it_was(folder, tmp_path):
    c, first = Checkpoint(), reader(folder)
    c.register(first, "train")
    loop = iter(first.next_epoch(batch_size=2))
    next(loop)
    next(loop)
    c.collect()
    c.save(tmp_path / "ck_{seq}")
    rest = [content(step) for step in loop]
    second, d = reader(folder), Checkpoint()
    d.load(tmp_path / "ck_{seq}")
    d.register(second, "train")
    assert [content(step) for step in second.next_epoch(batch_size=2)][:len(rest)] == rest
    assert json.loads(d.serialize())["states"]["train"]["type"] == "File"


def test_a_reader_in_use_takes_no_state(folder):
    c, first = Checkpoint(), reader(folder)
    c.register(first, "train")
    c.collect()
    used = reader(folder)
    next(iter(used.next_epoch(batch_size=2)))
    d = Checkpoint()
    d.deserialize(c.serialize())
    with pytest.raises(RuntimeError, match="used"):
        d.register(used, "train")
    d = Checkpoint()
    d.set_state("gen", c.get_state("train"), op_type=hr.readers.File)
    with pytest.raises(TypeError, match="File.*RNG"):
        d.register(RNG(seed=1), "gen")


def test_repr():
    c, _ = collected()
    assert repr(c) == "<Checkpoint of ['gen'], 1 states>"
