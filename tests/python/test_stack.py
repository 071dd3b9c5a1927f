"""stack: against numpy.stack."""
import numpy as np
import pytest

import headrace as hr


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "int64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (2, 3, 4), (0, 3)])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_axes(dtype, shape, n):
    arrays = [np.random.default_rng(i).integers(0, 99, shape).astype(dtype) for i in range(n)]
    for axis in range(-len(shape), len(shape) + 1):
        want = np.stack(arrays, axis)
        assert np.array_equal(np.asarray(hr.stack(*arrays, axis=axis)), want)


def test_layouts():
    t = hr.as_tensor(np.zeros((2, 3), np.uint8), layout="HW")
    assert hr.stack(t, t).layout is None
    assert hr.stack(t, t, axis_name="C").layout == "CHW"
    assert hr.stack(t, t, axis_name="C", axis=-1).layout == "HWC"
    assert hr.stack(1, 2, axis_name="C").layout == "C"


def test_tensors_meet_batches():
    b = hr.as_batch([np.zeros(2, np.uint8), np.ones(2, np.uint8)])
    out = hr.stack(np.full(2, 7, np.uint8), b, axis=1)
    assert [np.asarray(t).tolist() for t in out.tensors] == [[[7, 0], [7, 0]], [[7, 1], [7, 1]]]


@pytest.mark.parametrize("call, words", [
    (lambda a: hr.stack(a, a, axis=3), "-2..2"),
    (lambda a: hr.stack(a, a, axis=-3), "-2..2"),
    (lambda a: hr.stack(1, 2, axis=-1), "0..0"),
    (lambda a: hr.stack(a, a[:1]), "extent 1 in axis 0"),
    (lambda a: hr.stack(a, a.astype("int8")), "of type int8"),
    (lambda a: hr.stack(a, a[0]), "1 axes"),
    (lambda a: hr.stack(a, a, axis_name="C"), "no layout"),
    (lambda a: hr.stack(a, a, axis_name="CC"), "one letter"),
    (lambda a: hr.stack(np.zeros([1] * 8), np.zeros([1] * 8)), "8 axes"),
])
def test_refusals(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call(np.zeros((2, 3), np.uint8))


def test_layouts_that_differ_are_refused_where_they_count():
    a = hr.as_tensor(np.zeros((2, 2)), layout="HW")
    b = hr.as_tensor(np.zeros((2, 2)), layout="WH")
    assert hr.stack(a, b).layout is None
    with pytest.raises(ValueError, match="WH"):
        hr.stack(a, b, axis_name="C")
