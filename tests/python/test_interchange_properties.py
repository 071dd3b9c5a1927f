"""Interchange by hypothesis: any array, by any protocol in and out, keeps its values; memory is shared
where it can be, and lives as long as anyone holds it."""
import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as hr

TYPES = ["u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "?"]
DTYPES = st.sampled_from(TYPES).flatmap(lambda t: st.sampled_from([t] if t in ("u1", "i1", "?") else
                                                                  ["<" + t, ">" + t])).map(np.dtype)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def views(draw):
    """Arrays of any type and order, some of them views with gaps, backwards, transposed, read-only."""
    array = draw(hnp.arrays(draw(DTYPES), draw(SHAPES)))
    steps = [draw(st.sampled_from([1, 1, 2, -1, -2])) for _ in range(array.ndim)]
    array = array[(..., *(slice(None, None, s) for s in steps))]  # an array, not its only element
    if draw(st.booleans()):
        array = array.transpose(draw(st.permutations(range(array.ndim))))
    if draw(st.booleans()):
        array = array.view()
        array.flags.writeable = False
    return array


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OnlyInterface:
    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class OnlyArray:
    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


def same(got, array):
    got = np.asarray(got)
    native = array.astype(array.dtype.newbyteorder("="))
    return (got.dtype == native.dtype and got.shape == native.shape and got.tobytes() == native.tobytes())


@QUICK
@given(views())
def test_in_by_every_protocol(array):
    forms = [array, OnlyInterface(array), OnlyArray(array)]
    if array.dtype.isnative and array.flags.writeable:
        forms.append(OnlyDLPack(array))
    for form in forms:
        assert same(hr.tensor(form), array)
        assert same(hr.as_tensor(form), array)
        assert same(hr.as_batch([form]).select(0), array)
    if array.ndim:
        batch = hr.as_batch(array)
        assert batch.batch_size == len(array)
        assert all(same(t, array[i]) for i, t in enumerate(batch.tensors))


@QUICK
@given(views())
def test_out_by_every_protocol(array):
    t = hr.tensor(array)
    assert same(np.array(t), array) and same(np.from_dlpack(t), array)
    assert same(np.asarray(OnlyInterface(t)), array)
    view = memoryview(t)
    assert view.shape == array.shape and view.nbytes == array.nbytes
    assert view.tobytes() == bytes(t) == np.ascontiguousarray(np.asarray(t)).tobytes()
    assert t.tolist() == array.tolist() or array.dtype.kind == "f"
    for protocol in range(2, 6):
        assert same(pickle.loads(pickle.dumps(t, protocol)), array)
    buffers = []
    data = pickle.dumps(t, 5, buffer_callback=buffers.append)
    assert same(pickle.loads(data, buffers=buffers), array)
    assert same(copy.copy(t), array) and same(copy.deepcopy(t), array)


@QUICK
@given(views())
def test_memory_is_shared_where_it_can_be(array):
    t = hr.as_tensor(array)
    can = array.dtype.isnative and array.size > 0
    if can and all(s >= 0 for s in array.strides):
        assert np.shares_memory(np.asarray(t), array)
    if array.size:
        assert not np.shares_memory(np.asarray(hr.tensor(array)), array)
        view = np.asarray(t)
        backward = any(s < 0 and n > 1 for s, n in zip(view.strides, view.shape))
        assert np.shares_memory(np.from_dlpack(t), view) == (not backward)
    if not array.flags.writeable and np.shares_memory(np.asarray(t), array):
        assert memoryview(t).readonly


@QUICK
@given(views(), st.lists(st.sampled_from(["array", "dlpack", "view", "tensor"]), min_size=1, max_size=5))
def test_memory_lives_as_long_as_the_last_holder(array, chain):
    right = np.array(array, array.dtype.newbyteorder("="))
    held = hr.as_tensor(np.array(array))
    for step in chain:
        held = {"array": lambda x: np.asarray(x), "dlpack": lambda x: np.from_dlpack(hr.as_tensor(x)),
                "view": lambda x: np.asarray(memoryview(hr.as_tensor(x))), "tensor": hr.as_tensor}[step](held)
    gc.collect()
    junk = [np.full(max(1, array.nbytes), 255, np.uint8) for _ in range(4)]
    assert same(held, right) and junk


@QUICK
@given(views(), st.sampled_from(["u1", "i2", "i4", "i8", "f4", "f8"]))
def test_copy_and_dtype_arguments(array, other):
    t = hr.tensor(array)
    assert same(t.__array__(copy=True), array)
    with np.errstate(all="ignore"):
        assert same(t.__array__(dtype=np.dtype(other)), np.asarray(t).astype(other))
    if np.dtype(other) != np.asarray(t).dtype:
        with pytest.raises(ValueError):
            t.__array__(dtype=np.dtype(other), copy=False)
    a, b = t.__dlpack__(max_version=(1, 0)), t.__dlpack__(copy=True)
    assert "versioned" in repr(a) and "versioned" not in repr(b)  # both dropped unused
