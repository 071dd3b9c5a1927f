"""DLPack, both ways: both capsules, every type and geometry, and the deleter, exactly once."""
import ctypes
import gc
import threading

import numpy as np
import pytest

import headrace as hr
from headrace import _core

# The exchange's structs, version 1 (dmlc/dlpack, dlpack.h), so that the test makes and reads them
# without a second library.


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Plain(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Old(ctypes.Structure):
    pass


class New(ctypes.Structure):
    pass


OldDeleter, NewDeleter = (ctypes.CFUNCTYPE(None, ctypes.POINTER(s)) for s in (Old, New))
Old._fields_ = [("t", Plain), ("ctx", ctypes.c_void_p), ("deleter", OldDeleter)]
New._fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("ctx", ctypes.c_void_p),
                ("deleter", NewDeleter), ("flags", ctypes.c_uint64), ("t", Plain)]

api = ctypes.pythonapi
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def read(capsule):
    """The struct inside of a capsule."""
    name = api.PyCapsule_GetName(capsule)
    kind = {b"dltensor": Old, b"dltensor_versioned": New}[name]
    return ctypes.cast(api.PyCapsule_GetPointer(capsule, name), ctypes.POINTER(kind)).contents


class Producer:
    """Hands out capsules over `values` and counts how often each is deleted."""

    def __init__(self, values, versioned=True, **changes):
        self.data = (ctypes.c_float * max(1, len(values)))(*values)
        self.deleted, self.versioned, self.changes = 0, versioned, changes
        self.keep = []

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if not self.versioned and max_version is not None and self.changes.get("is_old"):
            raise TypeError("max_version")
        kind, deleter = (New, NewDeleter) if self.versioned else (Old, OldDeleter)
        c = self.changes
        shape = c.get("shape", (len(self.data),))
        strides = c.get("strides")
        m = kind()
        m.t.data = None if c.get("no_data") else ctypes.addressof(self.data)
        m.t.device = Device(c.get("device", 1), 0)
        m.t.ndim = c.get("ndim", len(shape))
        m.t.dtype = DataType(*c.get("dtype", (2, 32, 1)))
        m.t.shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        if strides is not None:
            m.t.strides = (ctypes.c_int64 * max(1, len(strides)))(*strides)
        m.t.byte_offset = c.get("byte_offset", 0)
        if self.versioned:
            m.major, m.minor, m.flags = c.get("major", 1), 0, c.get("flags", 0)

        def delete(pointer):
            self.deleted += 1

        m.deleter = deleter() if c.get("no_deleter") else deleter(delete)
        self.keep.append(m)
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        self.name = name
        return api.PyCapsule_New(ctypes.addressof(m), name, None)


both = pytest.mark.parametrize("versioned", [True, False])

# ---- in ---------------------------------------------------------------------------------------------


@both
def test_values_come_without_a_copy(versioned):
    p = Producer([1, 2, 3], versioned)
    t = hr.as_tensor(p)
    assert t.tolist() == [1, 2, 3] and t.dtype == hr.float32
    p.data[1] = 9
    assert t.tolist() == [1, 9, 3]
    assert p.deleted == 0
    del t
    assert p.deleted == 1


@both
def test_the_deleter_runs_once_however_many_hold_the_memory(versioned):
    p = Producer([1, 2, 3, 4], versioned)
    t = hr.as_tensor(p)
    held = [hr.as_batch([t, t]), t[1:], memoryview(t), np.asarray(t), t.__dlpack__(),
            hr.as_tensor(t, layout="X")]
    del t
    while held:
        assert p.deleted == 0
        held.pop()
        gc.collect()
    assert p.deleted == 1


@both
def test_the_deleter_runs_once_when_the_tensor_is_copied(versioned):
    p = Producer([1, 2, 3], versioned)
    assert hr.tensor(p).tolist() == [1, 2, 3]
    assert p.deleted == 1


@both
def test_the_deleter_runs_once_on_another_thread(versioned):
    p = Producer([1, 2, 3], versioned)
    held = [hr.as_tensor(p)]
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert p.deleted == 1


@both
def test_the_deleter_runs_once_when_an_operator_is_the_last_to_hold(versioned):
    p = Producer([0.0] * 300000, versioned, shape=(100, 1000, 3))
    with hr.EvalContext(num_threads=2):
        assert hr.flip(p, batch_size=4).batch_size == 4
    assert p.deleted == 1


def test_a_missing_deleter_is_fine():
    p = Producer([1.0], no_deleter=True)
    assert hr.as_tensor(p).tolist() == [1]


@both
def test_a_capsule_is_taken_once(versioned):
    p = Producer([1, 2], versioned)
    capsule = p.__dlpack__()

    class Again:
        def __dlpack__(self, **kwargs):
            return capsule

    t = hr.as_tensor(Again())
    assert api.PyCapsule_GetName(capsule) == b"used_" + p.name
    with pytest.raises(BufferError, match="used"):
        hr.as_tensor(Again())
    del t
    assert p.deleted == 1


def test_producers_from_before_version_1():
    p = Producer([1, 2], False, is_old=True)
    assert hr.as_tensor(p).tolist() == [1, 2]


@pytest.mark.parametrize("changes, want", [
    ({"shape": (2, 2)}, [[1, 2], [3, 4]]), ({"shape": (2, 2), "strides": (1, 2)}, [[1, 3], [2, 4]]),
    ({"shape": (4,), "strides": (-1,), "byte_offset": 12}, [4, 3, 2, 1]),
    ({"shape": (2,), "byte_offset": 8}, [3, 4]), ({"shape": (), "strides": ()}, 1),
    ({"shape": (3,), "strides": (0,)}, [1, 1, 1]), ({"shape": (0, 3), "no_data": True}, []),
    ({"shape": (2,), "dtype": (0, 32, 1)}, [0x3F800000, 0x40000000]),
    ({"shape": (4,), "dtype": (6, 8, 1)}, [False, False, True, True]),
    ({"shape": (2,), "dtype": (4, 16, 1)}, [0, 1]), ({"device": 3, "shape": (2,)}, [1, 2])])
def test_geometry_and_types(changes, want):
    assert hr.as_tensor(Producer([1, 2, 3, 4], **changes)).tolist() == want


@pytest.mark.parametrize("changes, kind", [
    ({"dtype": (5, 64, 1)}, TypeError), ({"dtype": (2, 32, 4)}, TypeError),
    ({"dtype": (2, 8, 1)}, TypeError), ({"dtype": (99, 8, 1)}, TypeError),
    ({"device": 2}, RuntimeError), ({"device": 77}, RuntimeError), ({"major": 2}, BufferError),
    ({"shape": (1,) * 9}, ValueError), ({"shape": (-1,)}, ValueError), ({"ndim": -1}, ValueError),
    ({"shape": (2**62, 8)}, OverflowError), ({"no_data": True}, BufferError)])
def test_what_cannot_come(changes, kind):
    p = Producer([1, 2], **changes)
    with pytest.raises(kind):
        hr.as_tensor(p)
    assert p.deleted == 0  # the capsule's owner still has it


def test_what_is_no_capsule():
    class Odd:
        def __dlpack__(self, **kwargs):
            return 5

    with pytest.raises(BufferError):
        hr.as_tensor(Odd())


def test_errors_of_the_producer_pass_through():
    class Odd:
        def __dlpack__(self, **kwargs):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        hr.as_tensor(Odd())


def test_read_only_memory_stays_so():
    t = hr.as_tensor(Producer([1, 2], flags=1))
    assert memoryview(t).readonly
    now = t.__dlpack__(max_version=(1, 0))
    assert read(now).flags & 1
    old = t.__dlpack__()  # the old struct cannot say so: a copy
    assert read(old).t.data != t.__array_interface__["data"][0]
    with pytest.raises(BufferError):
        t.__dlpack__(copy=False)


# ---- out ------------------------------------------------------------------------------------------------


def test_the_version_decides_the_capsule():
    t = hr.tensor([1, 2])
    for args, name in (({}, b"dltensor"), ({"max_version": None}, b"dltensor"),
                       ({"max_version": (0, 8)}, b"dltensor"),
                       ({"max_version": (1, 0)}, b"dltensor_versioned"),
                       ({"max_version": (3, 1)}, b"dltensor_versioned")):
        capsule = t.__dlpack__(**args)
        assert api.PyCapsule_GetName(capsule) == name
        m = read(capsule)
        assert m.t.data == t.__array_interface__["data"][0]
        if name == b"dltensor_versioned":
            assert m.major == 1 and m.flags == 0
    assert t.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("name, code, bits", [
    ("uint8", 1, 8), ("uint64", 1, 64), ("int16", 0, 16), ("float16", 2, 16), ("float64", 2, 64),
    ("bool", 6, 8), ("bfloat16", 4, 16), ("ImageType", 0, 32)])
def test_types_out(name, code, bits):
    capsule = hr.tensor([0, 1], dtype=getattr(hr, name)).__dlpack__(max_version=(1, 0))
    m = read(capsule)
    assert (m.t.dtype.code, m.t.dtype.bits, m.t.dtype.lanes) == (code, bits, 1)


def test_geometry_out():
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    for t, shape, strides in ((hr.as_tensor(x[::2, ::3]), [2, 2], [12, 3]), (hr.tensor(5), [], []),
                              (hr.as_tensor(x[:1, ::3][::-1]), [1, 2], [-6, 3]),
                              (hr.tensor(np.zeros((0, 3))), [0, 3], [3, 1])):
        capsule = t.__dlpack__()
        m = read(capsule)
        assert m.t.ndim == len(shape) and m.t.byte_offset == 0
        assert m.t.shape[:m.t.ndim] == shape and m.t.strides[:m.t.ndim] == strides


@pytest.mark.parametrize("at", [np.s_[::-1], np.s_[:, ::-2], np.s_[::-1, 1:3]])
def test_backward_strides_are_copied(at):
    """torch ends the process when it meets them."""
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    for t in (hr.as_tensor(x[at]), hr.as_tensor(x)[at]):
        with pytest.raises(BufferError, match="copy=False"):
            t.__dlpack__(copy=False)
        capsule = t.__dlpack__(max_version=(1, 0))
        m = read(capsule)
        assert m.t.strides[:2] == [m.t.shape[1], 1] and m.flags & 2
        assert np.array_equal(np.from_dlpack(t), x[at]) and np.shares_memory(np.asarray(t), np.asarray(t))


def test_strides_that_are_no_whole_elements_are_copied():
    x = np.zeros(3, [("a", "i2"), ("b", "i4")])
    x["b"] = [1, 2, 3]
    t = hr.as_tensor(x["b"])
    assert t.tolist() == [1, 2, 3]
    with pytest.raises(BufferError):
        t.__dlpack__(copy=False)
    capsule = t.__dlpack__(max_version=(1, 0))
    m = read(capsule)
    assert m.t.strides[0] == 1 and m.flags & 2


def test_copies():
    t = hr.tensor([1, 2])
    shared, copied = t.__dlpack__(max_version=(1, 0), copy=False), t.__dlpack__(
        max_version=(1, 0), copy=True)
    assert read(shared).t.data != read(copied).t.data
    assert read(copied).flags == 2 and read(shared).flags == 0


@pytest.mark.parametrize("args, kind", [
    ({"stream": 1}, BufferError), ({"dl_device": (2, 0)}, BufferError), ({"nonsense": 1}, TypeError),
    ({"max_version": 1}, TypeError), ({"max_version": ("a", 0)}, TypeError),
    ({"max_version": ()}, (TypeError, IndexError)), ({"dl_device": 5}, (TypeError, SystemError))])
def test_requests_that_cannot_be_met(args, kind):
    with pytest.raises(kind):
        hr.tensor([1]).__dlpack__(**args)
    assert hr.tensor([1]).__dlpack__(stream=None, dl_device=(1, 0), copy=None) is not None


def live():
    gc.collect()
    return _core.alloc_stats()["live_blocks"]


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_an_export_lives_until_its_deleter_runs(version):
    before = live()
    t = hr.tensor(np.arange(1000))
    capsule = t.__dlpack__(max_version=version)
    del t
    m = read(capsule)
    data = ctypes.cast(m.t.data, ctypes.POINTER(ctypes.c_int64))
    assert data[999] == 999 and live() > before
    del capsule  # dropped unused: the capsule deletes
    assert live() == before


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_consumer_deletes_from_a_thread_without_the_gil(version):
    before = live()
    capsule = hr.tensor(np.arange(1000)).__dlpack__(max_version=version)
    m = read(capsule)
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    used = b"used_dltensor" if version is None else b"used_dltensor_versioned"
    api.PyCapsule_SetName(capsule, used)
    del capsule
    assert live() > before
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ctypes.cast(m.deleter, ctypes.c_void_p).value)
    thread = threading.Thread(target=call, args=(ctypes.addressof(m),))  # ctypes lets the GIL go
    thread.start()
    thread.join()
    assert live() == before


# ---- NumPy, torch -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [
    lambda: np.arange(6).reshape(2, 3), lambda: np.array(2.5), lambda: np.zeros((0, 3), np.int8),
    lambda: np.arange(12)[::-3], lambda: np.array([True, False]), lambda: np.arange(6).reshape(2, 3).T])
def test_numpy_and_back(make):
    x = make()
    t = hr.as_tensor(x)
    back = np.from_dlpack(t)
    assert back.dtype == x.dtype and np.array_equal(back, x)
    assert back.size == 0 or np.shares_memory(back, x) == all(s >= 0 for s in x.strides)

    class OnlyDLPack:
        def __dlpack__(self, **kwargs):
            return x.__dlpack__(**kwargs)

    assert hr.as_tensor(OnlyDLPack()).tolist() == x.tolist()


def test_numpy_read_only():
    x = np.arange(3)
    x.flags.writeable = False
    back = np.from_dlpack(hr.as_tensor(x))
    assert back.tolist() == [0, 1, 2] and not back.flags.writeable


def test_torch_both_ways():
    torch = pytest.importorskip("torch")
    cases = [torch.arange(6).reshape(2, 3), torch.tensor(2.5), torch.zeros(0, 3),
             torch.tensor([True, False]), torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
             torch.arange(12).reshape(3, 4).t(), torch.arange(6).to(torch.uint8)]
    for x in cases:
        t = hr.as_tensor(x)
        assert t.tolist() == x.tolist() and t.shape == tuple(x.shape)
        assert t.dtype == hr.dtype(x.dtype)
        back = torch.from_dlpack(t)
        assert torch.equal(back, x) and back.dtype == x.dtype
        assert x.numel() == 0 or back.data_ptr() == x.data_ptr()
        assert torch.equal(t.torch(), x)
        assert x.numel() == 0 or t.torch(copy=True).data_ptr() != x.data_ptr()


def test_torch_keeps_outputs_alive():
    torch = pytest.importorskip("torch")
    kept = []
    for step in range(50):
        out = hr.flip(np.full((20, 30, 3), step, np.uint8))
        if step % 10 == 0:
            kept.append((step, torch.from_dlpack(out)))
    for step, x in kept:
        assert bool((x == step).all())


def test_outputs_that_are_held_are_never_used_again():
    kept = []
    for step in range(200):
        out = hr.flip(hr.batch([np.full((20, 30, 3), step, np.uint8)] * 3))
        if step % 10 == 0:
            kept.append((step, np.from_dlpack(hr.as_tensor(out))))
    for step, x in kept:
        assert (x == step).all()
