"""Odd calls: one pixel, no pixel, NaN and infinity, division by zero, names misspelt."""
import difflib
import itertools

import numpy as np
import pytest

import headrace as hr
from headrace import _core

# ---- one pixel through every geometric operator --------------------------------------------------

GEOMETRIC = {
    "crop": [{"crop": [1, 1]}, {}, {"crop_h": 1.0, "crop_w": 1.0, "crop_pos_x": 1.0}],
    "crop_mirror_normalize": [{}, {"mirror": 1, "mean": [1.0], "std": [2.0]},
                              {"crop": [1, 1], "output_layout": "HWC", "dtype": "float32"}],
    "flip": [{}, {"horizontal": 1, "vertical": 1}],
    "resize": [{"size": [1, 1]}, {"size": [3, 5]}, {"resize_shorter": 4}, {"resize_longer": 2.5},
               {"resize_x": 7}, {"size": [2, 2], "roi_start": [0, 0], "roi_end": [1, 1]},
               {"size": [2, -3]}, {"size": [4, 4], "max_size": 3, "mode": "not_larger"}],
    "random_resized_crop": [{"size": [1, 1]}, {"size": [4, 3]}],
    "resize_crop_mirror": [{"size": [1, 1]}, {"resize_shorter": 3, "crop": [2, 2], "mirror": 1}],
    "rotate": [{"angle": a} for a in (0, 30, 90, -180, 1e6)] +
              [{"angle": 45.0, "keep_size": True}, {"angle": 10.0, "size": [3, 4]}],
    "pad": [{}, {"axes": [0, 1], "shape": [3, 4], "fill_value": 7}, {"align": 5}],
    "slice": [{"start": [0, 0], "end": [1, 1], "axes": [0, 1]},
              {"rel_start": [0.0, 0.0], "rel_end": [1.0, 1.0], "axes": [0, 1]},
              {"start": [0, 0], "shape": [2, 2], "axes": [0, 1], "out_of_bounds_policy": "pad"}],
    "transpose": [{"perm": [1, 0, 2]}], "stack": [{"axis": 0}], "cat": [{"axis": 0}],
    "expand_dims": [{"axes": [0]}], "squeeze": [{"axes": [0]}], "reshape": [{"shape": [1, -1]}],
    "reinterpret": [{"shape": [1, -1]}], "normalize": [{"mean": 3.0, "stddev": 2.0}, {}],
    "color_space_conversion": [{"image_type": hr.types.RGB, "output_type": hr.types.GRAY}],
    "brightness_contrast": [{"brightness": 2.0, "contrast": 0.5}],
}
RUNS = [pytest.param(name, args, id=f"{name}-{i}")
        for name, each in GEOMETRIC.items() for i, args in enumerate(each)]
FILTERS = [getattr(hr.types, "INTERP_" + n) for n in
           ("NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN")]


def arguments(name, args):
    return {**args, "rng": hr.random.RNG(3)} if name.startswith("random") else args


@pytest.mark.parametrize("name, args", RUNS)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_a_picture_of_one_pixel(name, args, dtype):
    """Whatever the geometry, no other value appears than the pixel's and the fill's."""
    if name == "color_space_conversion" and dtype != "uint8":
        pytest.skip("bytes only")
    pixel = np.array([[[200, 100, 50]]], dtype)
    op = _core.ops[name]
    one = op(hr.tensor(pixel, layout="HWC"), **arguments(name, args))
    both = op(hr.batch([pixel, pixel], layout="HWC"), **arguments(name, args))
    values = np.asarray(one)
    assert values.size > 0 and np.isfinite(values.astype(float)).all()
    if name not in ("random_resized_crop",):
        assert np.asarray(both.tensors[1]).tobytes() == values.tobytes()
    if name in ("crop", "flip", "resize", "random_resized_crop", "resize_crop_mirror"):
        assert np.abs(values.reshape(-1, 3).astype(float) - pixel.ravel()).max() <= 1e-3
    if name in ("rotate", "pad", "slice"):
        assert (values >= 0).all() and (values.astype(float) <= 200).all()


@pytest.mark.parametrize("interp", FILTERS)
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1)])
@pytest.mark.parametrize("size", [(1, 1), (1, 7), (7, 1), (5, 5)])
@pytest.mark.parametrize("antialias", [True, False])
def test_flat_pictures_of_one_row_or_column_stay_flat(interp, shape, size, antialias):
    flat = hr.tensor(np.full((*shape, 2), 123, np.uint8), layout="HWC")
    out = hr.resize(flat, size=size, interp_type=interp, antialias=antialias)
    assert out.shape == (*size, 2) and (np.asarray(out) == 123).all()


@pytest.mark.parametrize("name", ["crop", "flip", "crop_mirror_normalize", "pad", "slice", "transpose",
                                  "reshape", "brightness_contrast", "cast"])
def test_pictures_without_pixels(name):
    """Extents of 0: as many pixels out as the geometry says, or an error that says why; no crash."""
    args = {"transpose": {"perm": [1, 0, 2]}, "reshape": {"shape": [0, 3]},
            "cast": {"dtype": "float32"}, "slice": {"start": [0], "end": [0], "axes": [2]}}.get(name, {})
    for shape in ((0, 4, 3), (4, 0, 3), (0, 0, 3)):
        empty = hr.tensor(np.zeros(shape, np.uint8), layout="HWC")
        out = _core.ops[name](empty, **args)
        assert out.size == 0


@pytest.mark.parametrize("name, args", [
    ("resize", {"size": [0, 5]}), ("resize", {"size": [5, 0.0]}), ("resize", {"resize_x": 0}),
    ("resize", {"size": 0}), ("resize_crop_mirror", {"size": [0, 0]}),
    ("random_resized_crop", {"size": [0, 5]}), ("random_resized_crop", {"size": [-1, 5]}),
    ("resize", {}), ("rotate", {"angle": float("nan")}),
    ("rotate", {"angle": float("inf")}), ("resize", {"size": [float("nan"), 3]}),
    ("resize", {"size": [1e30, 3]}), ("pad", {"axes": [9]})])
def test_sizes_that_cannot_be_meant_name_the_argument(name, args):
    picture = hr.tensor(np.zeros((4, 6, 3), np.uint8), layout="HWC")
    allowed = {"size": [0, 5]}, {"size": [5, 0.0]}  # 0: not given, the other axis decides
    if name == "resize" and args in allowed:
        assert min(hr.resize(picture, **args).shape) > 0
        return
    words = {"resize": "size|resize_x", "rotate": "angle"}.get(name, next(iter(args), "size"))
    with pytest.raises((ValueError, OverflowError, IndexError), match=words):
        _core.ops[name](picture, **arguments(name, args))


# ---- NaN and infinity through every cast ----------------------------------------------------------

REALS = ["float16", "float32", "float64", "bfloat16"]
WHOLE = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
ODD = [np.nan, -np.nan, np.inf, -np.inf, -0.0, 1e300, -1e300, 5e-324, 65504.0, 3.4e38]


def odd(source):
    """A tensor of the odd values, and the same as float64."""
    with np.errstate(all="ignore"):
        narrow = np.array(ODD).astype({"bfloat16": "float32"}.get(source, source))
    t = hr.cast(hr.tensor(narrow), dtype=source) if source == "bfloat16" else hr.tensor(narrow)
    return t, np.asarray(hr.cast(t, dtype="float64"))


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("target", WHOLE)
@pytest.mark.parametrize("how", ["cast", "cast_like", "tensor", "batch"])
def test_to_integers_they_are_clamped_and_nan_is_zero(source, target, how):
    t, values = odd(source)
    limits = np.iinfo(target)
    expected = [0 if np.isnan(v) else limits.max if v >= limits.max else limits.min
                if v <= limits.min else int(v) for v in values]
    if how == "cast":
        got = hr.cast(t, dtype=target)
    elif how == "cast_like":
        got = hr.cast_like(t, hr.tensor([1], dtype=target))
    elif how == "tensor":
        got = hr.tensor(t, dtype=target)
    else:
        got = hr.cast(hr.batch([t, t]), dtype=target).tensors[1]
    assert got.tolist() == expected


@pytest.mark.parametrize("source", REALS)
@pytest.mark.parametrize("target", REALS + ["bool"])
def test_to_reals_and_bool_they_stay_what_they_are(source, target):
    t, values = odd(source)
    got = np.asarray(hr.cast(hr.cast(t, dtype=target), dtype="float64"))
    if target == "bool":
        assert got.tolist() == [float(abs(v) >= 0.5 or np.isnan(v)) for v in values]
        return
    assert (np.isnan(got) == np.isnan(values)).all()
    top = {"float16": 65519.0, "bfloat16": 3.395e38, "float32": 3.4028235e38, "float64": 1e301}[target]
    for v, g in zip(values, got):
        if np.isinf(v) or abs(v) > top:
            assert np.isinf(g) and np.signbit(g) == np.signbit(v)
        elif abs(v) > 1:
            assert abs(g - v) <= abs(v) * 2**-7
        elif v == 0:
            assert g == 0 and np.signbit(g) == np.signbit(v)


def test_nan_through_resize():
    picture = np.ones((4, 6, 1), np.float32)
    picture[1, 2] = np.nan
    out = np.asarray(hr.resize(hr.tensor(picture, layout="HWC"), size=[8, 12],
                               interp_type=hr.types.INTERP_NN))
    assert np.isnan(out).sum() == 4 and (out[~np.isnan(out)] == 1).all()


# ---- integer division by zero ----------------------------------------------------------------------


@pytest.mark.parametrize("dtype", WHOLE)
@pytest.mark.parametrize("sign", ["//", "%"])
def test_integer_division_by_zero_is_an_error_that_says_where(dtype, sign):
    a = hr.tensor([6, 7, 8], dtype=dtype)
    zero = hr.tensor([1, 0, 2], dtype=dtype)
    divide = (lambda x, y: x // y) if sign == "//" else (lambda x, y: x % y)
    for x, y in ((a, 0), (a, zero), (5, zero), (a, np.int64(0)), (a, hr.tensor(0, dtype=dtype)),
                 (hr.batch([a, a]), hr.batch([a, zero])), (hr.batch([a, a]), 0)):
        with pytest.raises(ValueError, match="zero"):
            np.asarray(divide(x, y).evaluate() if isinstance(x, hr.Tensor) else divide(x, y).torch())
    assert divide(a, hr.tensor([1, 7, 2], dtype=dtype)).tolist() == (
        [6, 1, 4] if sign == "//" else [0, 0, 0])


def test_the_sample_with_the_zero_is_named():
    whole = hr.batch([[1, 2], [3, 4], [5, 6]])
    with pytest.raises(ValueError, match="sample 1.*zero"):
        (whole // hr.batch([[1, 1], [1, 0], [1, 1]])).evaluate()


def test_real_division_by_zero_is_infinite_as_in_numpy():
    x = hr.tensor([1.0, -1.0, 0.0])
    for got in ((x / 0).tolist(), (x // 0.0).tolist(), (hr.tensor([1, -1, 0]) / 0).tolist()):
        assert got[:2] == [np.inf, -np.inf] and np.isnan(got[2])


# ---- lists of tensors -----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3), (4, 0), (1, 1, 1)])
def test_list_of_a_tensor_ends(shape):
    array = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    items = list(hr.tensor(array))
    assert len(items) == shape[0] and all(isinstance(i, hr.Tensor) for i in items)
    assert [i.tolist() for i in items] == array.tolist()
    assert tuple(hr.tensor(array).tolist()) == tuple(array.tolist())
    assert [i.tolist() for i in reversed(items)] == array[::-1].tolist()
    with pytest.raises(TypeError, match="without axes"):
        list(hr.tensor(5))


def test_unpacking_sorting_zipping():
    a, b, c = hr.tensor([3, 1, 2])
    assert sorted(hr.tensor([3, 1, 2]), key=int)[0].item() == 1 and max(a, b, c).item() == 3
    assert [x.item() + y for x, y in zip(hr.tensor([1, 2]), itertools.count())] == [1, 3]
    assert list(map(float, hr.tensor([1, 2]))) == [1.0, 2.0]
    assert 3 in hr.tensor([3, 1, 2]) and 7 not in hr.tensor([3, 1, 2])


# ---- misspelt names ---------------------------------------------------------------------------------


def misspellings(name):
    if len(name) < 4:
        return
    yield name[:-1]
    yield name[0] + name[2:]
    yield name[1] + name[0] + name[2:]
    yield name + "s"


PUBLIC = [n for n, op in _core.ops.items() if " " not in n and not n.startswith("_")]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_misspelt_operator_is_answered_with_the_right_one(name):
    path, _, short = name.rpartition(".")
    module = hr
    for part in filter(None, path.split(".")):
        module = getattr(module, part)
    names = [n for n in vars(module) if not n.startswith("_")]
    for wrong in misspellings(short):
        if hasattr(module, wrong):
            continue
        nearest = difflib.get_close_matches(wrong, names, n=1)
        with pytest.raises(AttributeError) as e:
            getattr(module, wrong)
        assert wrong in str(e.value)
        if nearest and nearest[0] == short:
            assert f"did you mean `{short}`?" in str(e.value)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_misspelt_argument_is_answered_with_the_right_one(name):
    op = _core.ops[name]
    info = op.describe()
    known = [a["name"] for a in info["args"]] + ["batch_size", "device"]
    inputs = [np.zeros((2, 2, 3), np.uint8)] * sum(not i["optional"] for i in info["ins"])
    if name.startswith("random") and "rng" not in known:
        known.append("rng")
    for right in known:
        for wrong in misspellings(right):
            if wrong in known or wrong in [i["name"] for i in info["ins"]]:
                continue
            with pytest.raises(TypeError) as e:
                op(*inputs, **{wrong: 1})
            text = str(e.value)
            assert f"`{wrong}`" in text and info["name"] in text
            near = difflib.get_close_matches(wrong, known, n=1)
            if near == [right]:
                assert f"did you mean `{right}`?" in text


@pytest.mark.parametrize("kind", _core.reader_kinds)
def test_a_misspelt_argument_of_a_reader(kind):
    cls = getattr(hr.readers, kind.rpartition(".")[2])
    for wrong, right in (("random_shufle", "random_shuffle"), ("num_shard", "num_shards"),
                         ("batchsize", "batch_size"), ("max_batchsize", "max_batch_size"),
                         ("onerror", "on_error")):
        with pytest.raises(TypeError, match=f"`{wrong}`; did you mean `{right}`"):
            cls(**{wrong: 1})
    with pytest.raises(AttributeError, match="did you mean `Numpy`"):
        hr.readers.Nunpy


@pytest.mark.parametrize("call, right", [
    (lambda: hr.imread("x", output_typ=1), "output_type"),
    (lambda: hr.EvalContext(num_thread=2), "num_threads"),
    (lambda: hr.tensor([1], dtyp="u8"), "dtype"),
    (lambda: hr.batch([[1]], layot="X"), "layout"),
    (lambda: hr.readers.File(files=["/dev/null"], on_error="skp"), "skip"),
    (lambda: hr.resize(np.zeros((2, 2, 3), np.uint8), size=1, mode="strech"), "stretch"),
    (lambda: hr.random.RNG(sed=1), "seed"),
    (lambda: hr.Batch.broadcast([1], 2, dtyp="u8"), "dtype"),
    (lambda: hr.tensor([1], dtype="unit8"), "uint8"),
])
def test_misspelt_words_elsewhere_name_what_there_is(call, right):
    with pytest.raises((TypeError, ValueError)) as e:
        call()
    assert right in str(e.value), str(e.value)
