"""The surface by name: arguments that may be named are, names that are misspelt come with the right one,
and objects can be held weakly."""
import gc
import inspect
import weakref

import numpy as np
import pytest

import headrace as hr
from headrace import checkpoint, random, tfrecord

rng = random.RNG(seed=1)
context = hr.EvalContext()
pair = hr.batch([[1, 2], [3]])


@pytest.fixture
def reader(tmp_path):
    for i in range(3):
        np.save(tmp_path / f"{i}.npy", np.full(2, i))
    return hr.readers.Numpy(file_root=str(tmp_path))


# ---- by name ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, name, value", [
    (rng.advance, "n", 3), (rng.set_state, "value", rng.get_state()), (random.set_seed, "seed", 5),
    (context.cached_results, "invocation", 1), (pair.select, "sample_range", 0),
    (hr.DType.parse, "name", "u8"), (hr.DType.from_type_id, "type_id", hr.type_id(hr.int8)),
    (hr.DType.from_fw_type, "numpy_type", np.int16), (hr.DType.from_numpy, "numpy_type", np.dtype("f4")),
    (hr.set_num_threads, "n", None)])
def test_the_only_argument_by_place_and_by_name(call, name, value):
    assert str(call(value)) == str(call(**{name: value}))
    assert list(inspect.signature(call).parameters) == [name]
    for args, kw in (((), {}), ((value, value), {}), ((value,), {name: value})):
        with pytest.raises(TypeError):
            call(*args, **kw)
    with pytest.raises(TypeError, match=f"has no argument `{name}x`.*did you mean `{name}`" if len(name) > 1
                       else f"has no argument `{name}x`"):
        call(**{name + "x": value})


def test_what_is_named_does_what_is_placed():
    a, b = random.RNG(seed=2), random.RNG(seed=2)
    a.advance(5)
    b.advance(n=5)
    assert a() == b()
    b.set_state(value=a.get_state())
    assert a() == b()
    random.set_seed(seed=9)
    assert random.get_default_rng()() == random.RNG(seed=9)()
    assert pair.select(sample_range=[1]).shape == [(1,)]
    hr.set_num_threads(n=2)
    assert hr.get_num_threads() == 2
    hr.set_num_threads(n=None)


# ---- misspelt ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, near", [
    (lambda: hr.ExternalSource([1], num_output=2), "num_outputs"),
    (lambda: hr.ExternalSource([1], cycel=True), "cycle"),
    (lambda: hr.ExternalSource([1]).captured(batchsize=2), "batch_size"),
    (lambda: hr.Device("cpu", device_idx=None), "device_id"),
    (lambda: hr.device("cpu", idx=None), "id"),
    (lambda: hr.Device.default_device_id(device_typ="cpu"), "device_type"),
    (lambda: hr.Stream(steam=None), "stream"), (lambda: hr.stream(steam=None), "stream"),
    (lambda: checkpoint.Checkpoint().register(rng, nam="a"), "name"),
    (lambda: checkpoint.Checkpoint().set_state("a", valu=1), "value"),
    (lambda: checkpoint.Checkpoint().save(file_name="a"), "filename"),
    (lambda: tfrecord.FixedLenFeature([], tfrecord.int64, default=0), "default_value"),
    (lambda: hr.Tensor([1], layot="A"), "layout"), (lambda: hr.Batch([1], dtyp="u8"), "dtype"),
    (lambda: hr.tensor([1], padd=True), "pad"), (lambda: random.RNG(sead=1), "seed"),
    (lambda: hr.EvalContext(num_thread=1), "num_threads"), (lambda: hr.ThreadPool(num_thread=1), "num_threads"),
    (lambda: hr.imread("x", output_typ=hr.types.GRAY), "output_type"),
    (lambda: pair.torch(cpy=True), "copy"), (lambda: pair.select(0).torch(cpy=True), "copy"),
    (lambda: pair.gpu(indx=0), "index"), (lambda: pair.to_device("cpu", forcecopy=True), "force_copy")])
def test_a_misspelt_name_comes_with_the_right_one(call, near):
    with pytest.raises(TypeError, match="has no argument `") as e:
        call()
    assert f"did you mean `{near}`" in str(e.value)


def test_what_checks_names_hides_nothing():
    assert list(inspect.signature(hr.ExternalSource).parameters) == [
        "source", "num_outputs", "cycle", "device", "layout", "dtype"]
    assert list(inspect.signature(hr.Device).parameters) == ["name", "device_id"]
    assert hr.device.__doc__ and hr.device.__name__ == "device" and hr.device.__module__ == "headrace._device"
    assert list(inspect.signature(hr.ExternalSource.captured).parameters)[:3] == ["self", "batch_size", "ctx"]


# ---- results, references ----------------------------------------------------------------------------------


def test_a_call_of_one_output_gives_it_alone_and_epochs_give_tuples(reader, tmp_path):
    assert isinstance(reader(), hr.Tensor)
    others = hr.readers.Numpy(file_root=str(tmp_path), max_batch_size=2)
    got = others(batch_size=2)
    assert isinstance(got, hr.Batch) and [t.tolist() for t in got.tensors] == [[0, 0], [1, 1]]
    for batch_size in (None, 2):
        fresh = hr.readers.Numpy(file_root=str(tmp_path))
        assert [type(x) for x in fresh.next_epoch(batch_size=batch_size)] == [tuple] * (2 if batch_size else 3)
    two = hr.readers.File(files=[str(tmp_path / "0.npy")], labels=[7])
    assert isinstance(two(), tuple) and len(two()) == 2


@pytest.mark.parametrize("make", [lambda: random.RNG(seed=1), hr.EvalContext, lambda: hr.ThreadPool(1),
                                  lambda: hr.tensor(1), lambda: hr.batch([1]), checkpoint.Checkpoint,
                                  lambda: hr.ExternalSource([1])])
def test_weak_references(make):
    thing = make()
    gone = []
    ref = weakref.ref(thing, gone.append)
    assert ref() is thing
    del thing
    gc.collect()
    assert ref() is None and gone == [ref]


def test_numbers_of_threads_of_any_integer_type():
    for n in (np.int64(2), np.array(2), np.uint8(2), hr.tensor(2)):
        assert hr.ThreadPool(n).num_threads == hr.EvalContext(num_threads=n).num_threads == 2
    for bad in (2.0, "2", np.float32(2), np.array([1, 2])):
        with pytest.raises(TypeError, match="must be an int"):
            hr.ThreadPool(bad)


# ---- what cannot become data ------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [
    np.datetime64("2020-01-01"), np.timedelta64(5, "s"), np.array("2020", "M8[s]"), np.zeros(2, "m8[s]"),
    np.str_("ab"), np.complex64(1), np.longdouble(1), np.void(b"abcd"), np.zeros(1, "i4,f4")[0], "ab", None,
    [None], [np.datetime64("2020-01-01")], [np.zeros(2, "M8[s]")]], ids=repr)
@pytest.mark.parametrize("make", [hr.tensor, hr.as_tensor, hr.Tensor, lambda x: hr.batch([x]),
                                  lambda x: hr.tensor(1) + x, hr.flip])
def test_types_that_are_no_numbers(make, bad):
    with pytest.raises(TypeError):
        make(bad)


def test_the_sample_is_named_that_cannot_become_one():
    for items, words in (([1, None], "sample 1: NoneType"), ([1, 2, 2**40], "sample 2: 1099511627776"),
                         ([[1], [[1], [2, 3]]], r"sample 1: nested lists.*data\[1\]"),
                         ([np.zeros(1), pair], "sample 1 is a Batch"),
                         ([np.zeros(1), np.zeros(1, "c8")], "sample 1: .*complex64")):
        with pytest.raises((TypeError, ValueError, OverflowError), match=words):
            hr.batch(items)


def test_the_line_of_imread_is_the_users(tmp_path):
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    for paths, kind in ((str(tmp_path / "a.jpg"), hr.DataError), ([str(tmp_path / "none.jpg")], FileNotFoundError)):
        with pytest.raises(kind, match=r"called at test_surface.py:\d+"):
            hr.imread(paths)
    with pytest.raises(ValueError, match=r"called at test_surface.py:\d+"):
        np.add(np.zeros(3), hr.tensor([1, 2]))


def test_bounds_are_written_in_full(reader, tmp_path):
    with pytest.raises(ValueError, match="is 0, it must be within 1..2147483647"):
        hr.readers.Numpy(file_root=str(tmp_path), initial_fill=0)
    with pytest.raises(ValueError, match="batch_size is 1099511627776, it must be in 1.."):
        reader(batch_size=2**40)
    with pytest.raises(TypeError, match="batch_size is '2', it must be an integer"):
        reader.next_epoch(batch_size="2")
    with pytest.raises(TypeError, match="readers.File: argument `files`"):
        hr.readers.File(files=[3])
    with pytest.raises(OverflowError, match=r"advance\(18446744073709551616\)"):
        rng.advance(2**64)


@pytest.mark.parametrize("call, name", [
    (lambda n: hr.flip(pair.select(0), batch_size=n), "flip: batch_size"),
    (lambda n: hr.zeros(batch_size=n), "zeros: batch_size"),
    (lambda n: hr.ExternalSource([1])(batch_size=n), "ExternalSource: batch_size"),
    (lambda n: hr.ExternalSource([1]).captured(n), "captured.*batch_size"),
    (lambda n: random.RNG(seed=n), "RNG: seed"), (random.set_seed, "RNG: seed"),
    (lambda n: setattr(rng, "seed", n), "RNG: seed"), (lambda n: rng.advance(n), "advance: n"),
    (lambda n: hr.Batch.broadcast([1], n), "broadcast: batch_size"),
    (lambda n: pair.select([n]), "samples: a place"),
    (lambda n: hr._core.set_pixel_limit(n), "set_pixel_limit: n")])
@pytest.mark.parametrize("bad", [1.5, "2", [1], np.float32(2)], ids=repr)
def test_what_is_no_whole_number_is_named(call, name, bad):
    with pytest.raises(TypeError, match=f"{name} is .*it must be an integer"):
        call(bad)


def test_epochs_are_whole_numbers(reader):
    for bad, kind in (("3", TypeError), (1.5, TypeError), (2**80, OverflowError), (-1, ValueError)):
        with pytest.raises(kind, match="set_epoch"):
            reader.set_epoch(bad)
