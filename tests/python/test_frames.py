"""Between the user's operator call and C there is no Python frame."""
import gc
import sys

import numpy as np
import pytest

import headrace as hr
from contract_inputs import OPS, describe, first_row


def frames_of(call):
    """Names of the Python functions entered while `call` runs, besides itself."""
    entered = []

    def watch(frame, event, arg):
        if event == "call" and frame.f_code is not call.__code__:
            entered.append(f"{frame.f_code.co_filename}:{frame.f_code.co_name}")

    call()  # what is made once (defaults, the pool, the thread's generator) is made
    gc.disable()  # others' callbacks of the collector are no frames of the call
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return entered


ARRAY = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
TENSOR = hr.tensor(ARRAY, layout="HWC")
BATCH = hr.batch([ARRAY, ARRAY], layout="HWC")
FLAGS = hr.batch([0, 1])
RNG = hr.random.RNG(1)

CALLS = {
    "tensor": lambda: hr.flip(TENSOR),
    "batch": lambda: hr.flip(BATCH),
    "numpy": lambda: hr.flip(ARRAY),
    "list": lambda: hr.cast([[1, 2], [3, 4]], dtype=hr.uint8),
    "number": lambda: hr.cast(5, dtype=hr.uint8),
    "memoryview": lambda: hr.cast(memoryview(b"abc"), dtype=hr.float32),
    "nested module": lambda: hr.random.uniform(shape=[3], batch_size=2),
    "int": lambda: hr.flip(TENSOR, horizontal=1),
    "bool": lambda: hr.resize(TENSOR, size=[2, 2], antialias=False),
    "float": lambda: hr.random.normal(mean=1.5),
    "numpy scalar": lambda: hr.random.normal(mean=np.float32(1.5), stddev=np.float64(2)),
    "ints": lambda: hr.zeros(shape=[2, 3]),
    "tuple of floats": lambda: hr.crop(TENSOR, crop=(2.0, 2.0)),
    "numpy argument": lambda: hr.crop(TENSOR, crop=np.array([2, 2])),
    "tensor argument": lambda: hr.flip(TENSOR, horizontal=hr_one),
    "per sample": lambda: hr.flip(BATCH, horizontal=FLAGS),
    "choice": lambda: hr.crop(TENSOR, crop=[2, 2], rounding="truncate"),
    "layout": lambda: hr.zeros(shape=[2, 3], layout="HW"),
    "dtype": lambda: hr.cast(TENSOR, dtype=hr.uint8),
    "dtype by name": lambda: hr.cast(TENSOR, dtype="u8"),
    "NumPy's dtype": lambda: hr.cast(TENSOR, dtype=np.uint8),
    "dtype by number": lambda: hr.cast(TENSOR, dtype=hr.types.UINT8),
    "interpolation": lambda: hr.resize(TENSOR, size=[2, 2], interp_type=hr.types.INTERP_NN),
    "rng": lambda: hr.random.coin_flip(batch_size=3, rng=RNG),
    "default rng": lambda: hr.random.coin_flip(batch_size=3),
    "batch_size": lambda: hr.flip(TENSOR, batch_size=3),
    "device": lambda: hr.flip(TENSOR, device="cpu"),
    "None": lambda: hr.flip(TENSOR, device=None, horizontal=None),
    "two outputs": lambda: hr.random_crop_generator([480, 640]),
    "variadic": lambda: hr.cat(TENSOR, TENSOR, TENSOR),
}
hr_one = hr.tensor(1)


@pytest.mark.parametrize("name", CALLS)
def test_no_python_frame(name):
    assert frames_of(CALLS[name]) == []


@pytest.mark.parametrize("name", OPS)
def test_no_python_frame_in_any_operator(name):
    op, row = OPS[name], first_row(OPS[name])
    inputs, named = row.samples[0], row.arguments()
    if row.is_always_batch:
        named["batch_size"] = 2
    assert frames_of(lambda: op(*inputs, **named)) == []
    assert describe(op)["name"] == name


def test_the_watch_sees_frames():
    assert len(frames_of(lambda: repr(TENSOR))) > 0


def test_inside_a_context():
    with hr.EvalContext(num_threads=2):
        assert frames_of(lambda: hr.flip(BATCH)) == []
