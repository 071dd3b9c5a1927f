"""Checkpoints: names and states; readers and generators that go on where they were."""
import gc
import json
import os
import pathlib
import weakref

import numpy as np
import pytest
from checkpoints import RNG, Own, collected, loaded, state, text

import headrace as hr
from headrace.checkpoint import Checkpoint, current

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
