"""cat: against numpy.concatenate, and which inputs fit each other."""
import numpy as np
import pytest

import headrace as hr

A = np.arange(6, dtype=np.int32).reshape(2, 3)


def tensor(a, layout=None):
    return hr.as_tensor(a, layout=layout)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "int64", "bool"])
def test_against_numpy(axis, dtype, rng=np.random.default_rng(0)):
    parts = []
    for extent in (3, 1, 4):
        shape = [2, 3, 5]
        shape[axis] = extent
        parts.append((rng.random(shape) * 9).astype(dtype))
    got = np.asarray(hr.cat(*[tensor(p) for p in parts], axis=axis))
    assert got.dtype == dtype
    assert np.array_equal(got, np.concatenate(parts, axis=axis))


def test_one_input():
    assert np.array_equal(np.asarray(hr.cat(tensor(A))), A)


def test_axis_name():
    got = hr.cat(tensor(A, "HW"), tensor(A, "HW"), axis_name="W")
    assert got.layout == "HW"
    assert np.array_equal(np.asarray(got), np.concatenate([A, A], axis=1))


def test_layout_is_the_first_inputs():
    assert hr.cat(tensor(A, "HW"), tensor(A)).layout == "HW"
    assert hr.cat(tensor(A), tensor(A, "HW")).layout is None


def test_batches_and_tensors():
    got = hr.cat(hr.as_batch([A, A[:1]]), tensor(A))
    assert [t.shape for t in got.tensors] == [(4, 3), (3, 3)]
    assert np.array_equal(np.asarray(got.tensors[1]), np.concatenate([A[:1], A]))


def test_inputs_without_elements_take_no_part():
    nothing = np.zeros((0, 7), np.int32)
    assert np.array_equal(np.asarray(hr.cat(tensor(nothing), tensor(A))), A)
    assert np.array_equal(np.asarray(hr.cat(tensor(A), tensor(np.zeros((5, 0), np.int32)))), A)
    assert hr.cat(tensor(nothing), tensor(np.zeros((0, 3), np.int32)), axis=1).shape == (0, 7)


@pytest.mark.parametrize("axis", [2, -3, 100])
def test_axis_out_of_range(axis):
    with pytest.raises(ValueError, match=r"%d.*-2\.\.1" % axis):
        hr.cat(tensor(A), tensor(A), axis=axis)


def test_no_axes_to_join():
    with pytest.raises(ValueError, match="axis"):
        hr.cat(tensor(np.int32(1)), tensor(np.int32(2)))


def test_unequal_shapes_name_input_and_axis():
    with pytest.raises(ValueError, match="input 1 has extent 2 in axis 1, input 0 has 3"):
        hr.cat(tensor(A), tensor(A[:, :2]))


def test_unequal_ranks():
    with pytest.raises(ValueError, match="input 2 has 1 axes, input 0 has 2"):
        hr.cat(tensor(A), tensor(A), tensor(A[0]))


def test_unequal_types():
    with pytest.raises(TypeError, match="input 1 is of type float32, input 0 of type int32"):
        hr.cat(tensor(A), tensor(A.astype(np.float32)))


def test_unequal_layouts():
    with pytest.raises(ValueError, match='input 1 has layout "WH", an earlier one "HW"'):
        hr.cat(tensor(A, "HW"), tensor(A, "WH"))


@pytest.mark.parametrize("name, words", [("C", "'C'.*\"HW\""), ("HW", "one letter"),
                                         ("", "one letter")])
def test_wrong_axis_name(name, words):
    with pytest.raises(ValueError, match=words):
        hr.cat(tensor(A, "HW"), tensor(A, "HW"), axis_name=name)


def test_axis_and_axis_name_exclude_each_other():
    with pytest.raises(ValueError, match="exclude"):
        hr.cat(tensor(A, "HW"), axis=1, axis_name="W")


def test_no_input():
    with pytest.raises(TypeError):
        hr.cat()
