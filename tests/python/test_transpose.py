"""transpose: against numpy.transpose, all orders and element sizes."""
import itertools

import numpy as np
import pytest

import headrace as hr


@pytest.mark.parametrize("dtype", ["uint8", "bool", "int16", "float16", "float32", "uint64"])
@pytest.mark.parametrize("shape", [(), (5,), (1, 1), (3, 4), (33, 65), (2, 3, 4), (67, 45, 3),
                                   (3, 31, 64), (40, 4, 33), (2, 1, 3, 5), (0, 3), (5, 2, 3, 2, 3)])
def test_orders(dtype, shape):
    a = np.random.default_rng(1).integers(0, 256, shape).astype(dtype)
    for perm in itertools.islice(itertools.permutations(range(len(shape))), 40):
        out = hr.transpose(a, perm=list(perm))
        assert np.array_equal(np.asarray(out), a.transpose(perm)), perm
    assert np.array_equal(np.asarray(hr.transpose(a)), a.T)


def test_eight_axes():
    a = np.arange(2**8, dtype=np.uint8).reshape([2] * 8)
    for perm in ([7, 6, 5, 4, 3, 2, 1, 0], [1, 0, 3, 2, 5, 4, 7, 6], [4, 5, 6, 7, 0, 1, 2, 3]):
        assert np.array_equal(np.asarray(hr.transpose(a, perm=perm)), a.transpose(perm))


def test_layouts():
    t = hr.as_tensor(np.zeros((2, 3, 4)), layout="HWC")
    assert hr.transpose(t).layout == "CWH"
    assert hr.transpose(t, perm=[2, 0, 1]).layout == "CHW"
    assert hr.transpose(t, perm=[2, 0, 1], transpose_layout=False).layout == "HWC"
    assert hr.transpose(t, perm=[2, 0, 1], output_layout="ABC").layout == "ABC"
    out = hr.transpose(t, output_layout="CHW")  # a name, not an order
    assert (out.layout, out.shape) == ("CHW", (4, 3, 2))


@pytest.mark.parametrize("named, words", [
    ({"perm": [0, 1]}, "2 elements, the input has 3"),
    ({"perm": [0, 1, 1]}, "twice"),
    ({"perm": [0, 1, 3]}, "0..2"),
    ({"perm": [0, 1, -1]}, "0..2"),
    ({"output_layout": ""}, "empty"),
    ({"output_layout": "AB"}, "layout"),
])
def test_refusals(named, words):
    with pytest.raises(ValueError, match=words):
        hr.transpose(np.zeros((2, 3, 4)), **named)
