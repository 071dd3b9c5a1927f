"""Devices: names are understood; without a GPU the answer is clear."""
import pickle
import threading

import numpy as np
import pytest

import headrace as hr
from headrace import Device


def test_the_cpu_by_every_name():
    for d in (hr.device("cpu"), Device("cpu"), hr.device(Device.CPU), Device(Device.CPU)):
        assert (d.device_type, d.device_id) == ("cpu", None)
        assert d == Device(str(d)) and hash(d) == hash(Device.CPU)
    assert hr.device(None) is None


@pytest.mark.parametrize("name, index", [("gpu", None), ("gpu:1", None), ("cuda", None), ("cuda:2", None),
                                         ("gpu", 1)])
def test_a_gpu_is_understood_and_refused(name, index):
    for make in (hr.device, Device):
        with pytest.raises(RuntimeError, match="CPU only"):
            make(name, index)


@pytest.mark.parametrize("bad, kind", [
    ("tpu", ValueError), ("", ValueError), ("gpu:x", ValueError), ("gpu:-1", ValueError),
    ("cpu:1", ValueError), (5, TypeError), (object(), TypeError), (["cpu"], TypeError)])
def test_what_is_no_device(bad, kind):
    with pytest.raises(kind):
        hr.device(bad)


def test_an_index_for_a_device():
    for made in (Device("cpu"), hr.device("cpu")):
        assert hr.device(made, None) == made
        with pytest.raises(ValueError, match="'cpu' is a device already.*got 0"):
            hr.device(made, 0)


def test_an_index_given_twice():
    with pytest.raises(ValueError, match="twice"):
        Device("gpu:1", 2)


def test_torch_devices():
    torch = pytest.importorskip("torch")
    assert hr.device(torch.device("cpu")) == Device.CPU
    with pytest.raises(RuntimeError, match="CPU only"):
        hr.device(torch.device("cuda:1"))


def test_without_a_gpu_each_use_is_a_runtime_error():
    t, b = hr.tensor([1]), hr.batch([[1]])
    for use in (lambda d: hr.tensor([1], device=d), lambda d: hr.as_tensor([1], device=d),
                lambda d: hr.batch([[1]], device=d), lambda d: hr.as_batch([[1]], device=d),
                lambda d: t.to_device(d), lambda d: b.to_device(d),
                lambda d: hr.zeros(shape=[1], device=d), lambda d: Device(d).__enter__()):
        for name in ("gpu", "gpu:1", "cuda:0"):
            with pytest.raises(RuntimeError, match="CPU only"):
                use(name)
    for use in (t.gpu, b.gpu, lambda: t.gpu(1), lambda: Device.default_device_id("gpu")):
        with pytest.raises(RuntimeError, match="CPU only"):
            use()


def test_the_cpu_is_where_everything_is():
    t, b = hr.tensor([1]), hr.batch([[1]])
    assert t.device == b.device == Device.CPU == Device("cpu")
    for x in (t, b):
        assert x.cpu() is x and x.to_device("cpu") is x and x.to_device(Device.CPU) is x
        assert x.to_device("cpu", force_copy=True) is not x
    copied = t.to_device("cpu", force_copy=True)
    assert copied.tolist() == [1]
    assert copied.__array_interface__["data"] != t.__array_interface__["data"]


def test_the_current_device_is_a_stack_of_the_thread():
    assert Device.current() == Device.CPU
    seen = []
    with Device("cpu") as outer:
        assert Device.current() is outer
        with Device("cpu") as inner:
            assert Device.current() is inner
        assert Device.current() is outer
        thread = threading.Thread(target=lambda: seen.append(Device.current()))
        thread.start()
        thread.join()
    assert seen == [Device.CPU] and seen[0] is not outer


def test_dlpack_codes():
    assert Device.from_dlpack(np.zeros(1)) == Device.CPU
    assert Device.from_dlpack(hr.tensor(1)) == Device.CPU
    assert Device.type_from_dlpack(1) == "cpu" and Device.type_from_dlpack(2) == "gpu"
    with pytest.raises(ValueError):
        Device.type_from_dlpack(77)
    assert Device.default_device_id("cpu") is None


def test_text_and_pickle():
    assert str(Device.CPU) == "cpu" and pickle.loads(pickle.dumps(Device.CPU)) == Device.CPU
    assert repr(Device.CPU) == "Device(device_type='cpu')"
