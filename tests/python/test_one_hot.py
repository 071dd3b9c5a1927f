"""one_hot: against numpy.eye."""
import numpy as np
import pytest

import headrace as hr


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "uint64", "float32", "float16", "bool"])
@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 1, 3), (0,), (0, 2)])
def test_classes(dtype, shape):
    a = np.random.default_rng(2).integers(0, 6, shape).astype(dtype)
    table = np.vstack([np.eye(4), np.zeros((9, 4))]).astype(np.float32)
    want = table[a.astype(int)]
    assert np.array_equal(np.asarray(hr.one_hot(a, num_classes=4)), want)
    for axis in range(len(shape) + 1):
        assert np.array_equal(np.asarray(hr.one_hot(a, num_classes=4, axis=axis)),
                              np.moveaxis(want, -1, axis))


@pytest.mark.parametrize("value", [-1, 3, 2**40, float("nan"), float("inf"), -float("inf"), 1e30])
def test_numbers_that_are_no_class_mark_nothing(value):
    assert np.asarray(hr.one_hot(np.array([value]), num_classes=3)).sum() == 0
    big = np.array([2**64 - 1, 2**63 + 1], np.uint64)
    assert np.asarray(hr.one_hot(big, num_classes=3)).sum() == 0


def test_fractions_are_cut_off():
    out = hr.one_hot(np.float32([1.9, -0.9]), num_classes=2)
    assert np.asarray(out).tolist() == [[0, 1], [1, 0]]


def test_values_and_types():
    out = hr.one_hot(1, num_classes=3, on_value=7.6, off_value=-3.5, dtype="int8")
    assert np.asarray(out).tolist() == [-3, 7, -3]
    out = hr.one_hot(1, num_classes=3, on_value=300, off_value=-3, dtype="uint8")
    assert np.asarray(out).tolist() == [0, 255, 0]
    assert np.asarray(hr.one_hot(1, num_classes=2, dtype="bool")).tolist() == [False, True]


def test_single_elements_are_scalars_unless_an_axis_is_given():
    for a in (np.int32(1), np.int32([1]), np.int32([[1]])):
        assert hr.one_hot(a, num_classes=3).shape == (3,)
    assert hr.one_hot(np.int32([[1]]), num_classes=3, axis=-1).shape == (1, 1, 3)
    assert hr.one_hot(np.int32([[1]]), num_classes=3, axis=0).shape == (3, 1, 1)
    b = hr.as_batch([np.int32([1]), np.int32([1, 2])])
    assert hr.one_hot(b, num_classes=3).shape == [(1, 3), (2, 3)]


def test_layouts():
    t = hr.as_tensor(np.zeros((2, 3), np.int32), layout="HW")
    assert hr.one_hot(t, num_classes=3).layout is None
    assert hr.one_hot(t, num_classes=3, axis_name="C").layout == "HWC"
    assert hr.one_hot(t, num_classes=3, axis_name="C", axis=0).layout == "CHW"


@pytest.mark.parametrize("named, words", [
    ({"axis": 3}, "-1..2"),
    ({"axis": -2}, "-1"),
    ({"num_classes": -1}, "num_classes"),
    ({"axis_name": "CC"}, "one letter"),
    ({"axis_name": "C"}, "no layout"),
    ({"num_classes": 2**61}, "over|large|memory"),
])
def test_refusals(named, words):
    with pytest.raises((ValueError, OverflowError, MemoryError), match=words):
        hr.one_hot(np.zeros((2, 3), np.int32), **{"num_classes": 3, **named})
