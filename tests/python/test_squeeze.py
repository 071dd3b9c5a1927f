"""squeeze: which axes go."""
import numpy as np
import pytest

import headrace as hr

A = np.arange(3).reshape(1, 3, 1, 1)


@pytest.mark.parametrize("axes", [[], [0], [2], [-1], [0, 2], [3, 0], [0, 2, 3], [-1, -2, 0]])
def test_axes(axes):
    out = hr.squeeze(A, axes=axes)
    assert np.array_equal(np.asarray(out), np.squeeze(A, tuple(axes)))


def test_names_and_layout():
    t = hr.as_tensor(A, layout="FHWC")
    assert hr.squeeze(t, axis_names="WF").layout == "HC"
    assert hr.squeeze(t, axes=[0]).layout == "HWC"
    assert hr.squeeze(t, axis_names="").shape == A.shape
    assert hr.squeeze(hr.as_tensor(A[:, :1], layout="FHWC"), axis_names="FHWC").layout is None


def test_axes_per_sample():
    out = hr.squeeze(hr.as_batch([A, A]), axes=hr.as_batch([np.int32([0]), np.int32([3])]))
    assert out.shape == [(3, 1, 1), (1, 3, 1)]


def test_memory_is_shared():
    t = hr.as_tensor(A)
    assert hr.squeeze(t, axes=0).__array_interface__["data"] == t.__array_interface__["data"]


@pytest.mark.parametrize("named, words", [
    ({}, "must be given"),
    ({"axes": [0], "axis_names": "F"}, "exclude each other"),
    ({"axes": [1]}, "axis 1 has extent 3"),
    ({"axes": [0, 0]}, "twice"),
    ({"axes": [0, -4]}, "twice"),
    ({"axes": [4]}, "-4..3"),
    ({"axis_names": "Q"}, "'Q'"),
])
def test_refusals(named, words):
    with pytest.raises(ValueError, match=words):
        hr.squeeze(hr.as_tensor(A, layout="FHWC"), **named)


def test_an_extent_of_zero_stays():
    with pytest.raises(ValueError, match="extent 0"):
        hr.squeeze(np.zeros((1, 0)), axes=[1])
    assert hr.squeeze(np.zeros((1, 0)), axes=[0]).shape == (0,)
