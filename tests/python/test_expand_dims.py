"""expand_dims: places and letters of new axes."""
import numpy as np
import pytest

import headrace as hr

A = np.arange(6).reshape(2, 3)


@pytest.mark.parametrize("axes", [[0], [1], [2], [-1], [0, 1], [0, 3], [3, 2], [-1, 0], [0, 2, 4]])
def test_axes(axes):
    out = hr.expand_dims(A, axes=axes)
    assert np.array_equal(np.asarray(out), np.expand_dims(A, tuple(axes)))
    assert out.layout is None


def test_letters_go_with_their_axes():
    t = hr.as_tensor(A, layout="HW")
    assert hr.expand_dims(t, axes=[0, 3], new_axis_names="FC").layout == "FHWC"
    assert hr.expand_dims(t, axes=[3, 0], new_axis_names="CF").layout == "FHWC"
    assert hr.expand_dims(t, axes=[]).layout == "HW"
    assert hr.expand_dims(t, axes=[0]).layout is None
    assert hr.expand_dims(3, axes=[0], new_axis_names="C").layout == "C"


def test_memory_is_shared():
    t = hr.as_tensor(A)
    assert hr.expand_dims(t, axes=0).__array_interface__["data"] == t.__array_interface__["data"]


@pytest.mark.parametrize("named, words", [
    ({"axes": [3]}, "-3..2"),
    ({"axes": [0, 0]}, "twice"),
    ({"axes": [0, -3]}, None),
    ({"axes": [0], "new_axis_names": "FC"}, "1 letters"),
    ({"axes": list(range(7))}, "limit is 8"),
])
def test_refusals(named, words):
    if words is None:  # of an output of four axes, -3 is the second one
        assert hr.expand_dims(A, **named).shape == (1, 1, 2, 3)
        return
    with pytest.raises(ValueError, match=words):
        hr.expand_dims(hr.as_tensor(A, layout="HW"), **named)


def test_letters_need_a_layout():
    with pytest.raises(ValueError, match="has no layout"):
        hr.expand_dims(A, axes=[0], new_axis_names="F")
