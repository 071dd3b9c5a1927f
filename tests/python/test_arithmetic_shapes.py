"""Arithmetic of shapes, batches, and NumPy's arrays: broadcasting, layouts, who answers."""
import numpy as np
import pytest
from arithmetic_answers import COMPARE, SIGNS, array, assert_same, common, tensor
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as hr

# ---- shapes --------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(shapes=hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=5, max_side=5, min_side=0),
       types=st.tuples(st.sampled_from(["uint8", "int16", "float32", "float64", "bool"]),
                       st.sampled_from(["uint8", "int16", "float32", "float64"])),
       sign=st.sampled_from(["+", "*", "<"]), flip=st.booleans())
def test_broadcasting(shapes, types, sign, flip):
    rng = np.random.default_rng(len(str(shapes)))
    x, y = [(rng.random(s) * 100).astype(t) for s, t in zip(shapes.input_shapes, types)]
    if flip:  # operands that are not packed
        x = x.copy(order="F")
        y = y[..., ::-1] if y.ndim else y
    act = {**SIGNS, **COMPARE}[sign]
    got, back = array(act(tensor(x), tensor(y))), array(act(tensor(y), tensor(x)))
    x1, y1 = [np.array(v, common(*types), ndmin=1) for v in (x, y)]  # numbers would warn
    want = act(x1, y1).reshape(shapes.result_shape)
    assert got.shape == back.shape == shapes.result_shape
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(back, act(y1, x1).reshape(back.shape))
    batch = hr.as_batch([x, x]) if x.ndim else hr.as_batch([tensor(x)] * 2)
    for sample in act(batch, tensor(y)).tensors:
        np.testing.assert_array_equal(array(sample), want)


LONG = [((64, 65, 3), (3,)), ((64, 65, 3), (64, 65, 1)), ((64, 65, 3), (64, 1, 1)), ((7, 1500), (1500,)),
        ((64, 65, 3), (65, 3)), ((64, 65, 3), (1, 65, 1)), ((5, 1, 700), (3, 1)), ((2500,), (1,)),
        ((40, 1, 50), (1, 60, 1)), ((1, 2, 1, 900), (3, 1, 2, 1)), ((33, 1), (1, 44)), ((4, 1025), (1025,)),
        ((2, 1, 3000), (2, 2, 1)), ((11, 13, 17), (13, 1)), ((11, 13, 17), (11, 1, 17))]


@pytest.mark.parametrize("types", [("uint8", "float32"), ("float32", "float32"), ("int16", "int64"),
                                   ("float64", "float16"), ("bool", "uint8")])
@pytest.mark.parametrize("shapes", LONG, ids=str)
def test_broadcasting_over_several_blocks(shapes, types):
    rng = np.random.default_rng(2)
    x, y = [(rng.random(s) * 100).astype(t) for s, t in zip(shapes, types)]
    t = common(*types)
    np.testing.assert_array_equal(array(tensor(x) + y), x.astype(t) + y.astype(t))
    np.testing.assert_array_equal(array(y < tensor(x)), y < x)
    top = np.array(40 if types[0] != "bool" else 1, types[0])
    got = array(hr.math.clamp(tensor(x), y, tensor(top)))
    np.testing.assert_array_equal(got, np.minimum(np.maximum(x.astype(t), y.astype(t)), top))


@pytest.mark.parametrize("a, b", [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((2, 1, 3), (4, 2))])
def test_shapes_that_do_not_go_together(a, b):
    with pytest.raises(ValueError, match="extents %d and %d in axis 1 from the right" % (a[-1], b[-1])):
        tensor(np.zeros(a)) + np.zeros(b)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,), (1, 1)])
def test_few_or_no_elements(shape):
    x = np.ones(shape, np.int32)
    got = tensor(x) + 1
    assert isinstance(got, hr.Tensor) and got.shape == shape and got.dtype == hr.int32
    assert (array(got) == 2).all()
    assert (tensor(x) + np.ones((1,) * len(shape))).shape == shape
    assert hr.math.sqrt(tensor(x)).shape == shape


def test_layouts():
    def make(shape, layout):
        return tensor(np.ones(shape, np.uint8), layout)
    hwc, c, plain = make((2, 2, 2), "HWC"), make((2,), "C"), make((2,), None)
    for other in (1, 2.5, c, plain, make((2, 2), "WC"), make((1,), "C"), hwc, tensor(np.uint8(1))):
        assert (hwc + other).layout == (other + hwc).layout == "HWC"
        assert (hwc < other).layout == "HWC"
    assert (make((2, 2), None) + make((2, 2), "HW")).layout == "HW"
    assert (c + make((3, 2), None)).layout is None
    assert hr.math.sqrt(hwc).layout == (-hwc).layout == "HWC"
    assert hr.math.clamp(hwc, c, 3).layout == "HWC"
    for other in (make((2, 2), "HW"), make((1,), "X"), make((2, 2, 2), "CHW")):
        with pytest.raises(ValueError, match='"HWC" and "%s"' % other.layout):
            hwc + other


# ---- batches --------------------------------------------------------------------------------------------


RAGGED = [np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(12, dtype=np.int32).reshape(4, 3)]


def samples(batch):
    return [array(t) for t in batch.tensors]


@pytest.mark.parametrize("sign", [*SIGNS, *COMPARE])
def test_batches_are_their_samples(sign):
    act = {**SIGNS, **COMPARE}[sign]
    b = hr.as_batch(RAGGED) + 1
    per_sample = hr.as_batch([np.int32(3), np.int32(2)])
    for other, each in [(b, samples(b)), (2, [2, 2]), (tensor(np.int32([1, 2, 3])), [np.int32([1, 2, 3])] * 2),
                        (np.int32([3, 2, 1]), [np.int32([3, 2, 1])] * 2), (per_sample, samples(per_sample)),
                        ([1, 2, 3], [np.int32([1, 2, 3])] * 2)]:
        for left in (True, False):
            got = act(b, other) if left else act(other, b)
            assert isinstance(got, hr.Batch)
            for g, x, y in zip(samples(got), samples(b), each):
                want = array(act(tensor(x), y) if left else act(y, tensor(x)))
                assert_same(g, want)


def test_batches_of_unequal_size():
    with pytest.raises(ValueError, match="3.*2|2.*3"):
        hr.as_batch(RAGGED) + hr.as_batch([np.int32(1)] * 3)


def test_shapes_of_one_sample_that_do_not_fit():
    with pytest.raises(ValueError, match="sample 1.*extents"):
        hr.as_batch([np.ones(2), np.ones(3)]) + np.ones(2)


def test_empty_batch():
    none = hr.batch([], dtype=hr.uint8)
    for got in (none + 1, 1 + none, none + none, none * 2.5, -none):
        assert got.batch_size == 0
    assert (none * 2.5).dtype == hr.float32 and (none == none).dtype == hr.bool


@pytest.mark.parametrize("threads", [1, 4])
def test_many_samples_on_threads(threads):
    rng = np.random.default_rng(0)
    data = [rng.integers(0, 255, (rng.integers(1, 90), 77, 3), np.uint8) for _ in range(20)]
    scale = np.float32([0.5, 0.25, 2])
    with hr.EvalContext(num_threads=threads):
        got = hr.as_batch(data) * scale - np.float32(1)
        for g, x in zip(samples(got), data):
            np.testing.assert_array_equal(g, x * scale - np.float32(1))


# ---- NumPy on the left -------------------------------------------------------------------------------------


def test_numpy_on_the_left_gives_ours():
    t = tensor(np.uint8([1, 2, 3]))
    for got in (np.float32(2) * t, np.arange(3) + t, np.bool_(True) & (t > 1), np.array(5) - t,
                np.arange(3)[::-1] - t, np.int64(1) << t, np.float32(2) < t, np.arange(3) == t):
        assert isinstance(got, hr.Tensor)
    assert array(np.array(5) - t).tolist() == [4, 3, 2]
    b = hr.as_batch([t, t])
    for got in (np.float32(2) * b, np.ones((2, 1)) * b, np.arange(3) == b):
        assert isinstance(got, hr.Batch)
    assert [x.tolist() for x in samples(np.array(5) - b)] == [[4, 3, 2]] * 2


def test_numpys_functions_stay_numpys():
    t = tensor(np.float32([1, 4]))
    for got in (np.sqrt(t), np.add(t, 1), np.add(1, t), np.multiply(t, t), np.maximum(t, np.float32(2)),
                np.where(t > 1, t, 0), np.clip(t, 0, 1)):
        assert isinstance(got, np.ndarray)
    assert np.add.reduce(t) == 5 and np.sum(t) == 5
    assert np.add(t, 1, where=t > 1, out=np.zeros(2, np.float32)).tolist() == [0, 5]
    with pytest.raises(TypeError, match="out"):
        np.add(np.ones(2), t, out=t)
    with pytest.raises(TypeError):
        np.sqrt(hr.as_batch([t]))


def test_arrays_are_changed_in_place():
    x = np.arange(2.0)
    same = x
    x += tensor(np.float32([1, 2]))
    assert x is same and x.tolist() == [1, 3]


def test_tensors_are_not():
    t = tensor(np.float32([1, 2]))
    same = t
    t += 1
    assert t is not same and array(same).tolist() == [1, 2] and array(t).tolist() == [2, 3]
