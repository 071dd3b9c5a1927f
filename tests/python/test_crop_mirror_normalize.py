"""crop_mirror_normalize: against a NumPy formula, in every order of axes and type."""
import itertools

import numpy as np
import pytest

import headrace as hr

LAYOUTS = ["HWC", "CHW", "DHWC", "CDHW", "FHWC", "FCHW", "CFHW", "FDHWC", "FCDHW", "CFDHW"]
EXTENTS = {"H": 5, "W": 37, "C": 3, "D": 2, "F": 2}
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def picture(layout, dtype="uint8", seed=0, **extents):
    rng = np.random.default_rng(seed)
    shape = [{**EXTENTS, **extents}[c] for c in layout]
    return (rng.random(shape) * 256).astype(dtype)


def run(array, layout="HWC", **arguments):
    got = hr.crop_mirror_normalize(hr.as_tensor(array, layout=layout), **arguments)
    return np.asarray(got), got


def formula(a, layout, out, mean=0, std=1, scale=1, shift=0, mirror=0):
    """In double, axes as in `out`."""
    a = np.moveaxis(a.astype(np.float64), layout.index("C"), -1)
    rest = layout.replace("C", "")
    if mirror:
        a = np.flip(a, rest.index("W"))
    a = scale * (a - np.float64(mean)) / np.float64(std) + shift
    return a.transpose([(rest + "C").index(c) for c in out])


def close(got, want, tolerance=1e-6):
    assert got.shape == want.shape
    assert np.allclose(got, want, rtol=tolerance, atol=tolerance * np.abs(want).max())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mirror", [0, 1])
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_every_order_of_axes(layout, mirror, dtype):
    a = picture(layout, dtype)
    orders = ["".join(p) for p in itertools.permutations(layout)]
    for out in orders[:: 1 if len(orders) < 30 else 7]:
        values, got = run(a, layout, output_layout=out, mean=MEAN, std=STD, mirror=mirror)
        assert got.layout == out and values.dtype == np.float32
        close(values, formula(a, layout, out, MEAN, STD, mirror=mirror))


@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 70])
@pytest.mark.parametrize("width", [1, 2, 15, 16, 17, 33, 200])
@pytest.mark.parametrize("mirror", [0, 1])
def test_channels_and_widths(channels, width, mirror):
    a = picture("HWC", C=channels, W=width, H=2)
    for out in ("CHW", "HWC"):
        got, _ = run(a, output_layout=out, mean=np.arange(channels).tolist(), std=2.0,
                     mirror=mirror)
        assert np.array_equal(got, formula(a, "HWC", out, np.arange(channels), 2.0,
                                           mirror=mirror).astype(np.float32))


@pytest.mark.parametrize("source", ["uint8", "int8", "uint16", "int16", "uint32", "int32",
                                    "int64", "uint64", "float16", "float32", "float64", "bool"])
@pytest.mark.parametrize("target", ["float32", "float16", "uint8", "int8", "float64", "int32"])
def test_types(source, target):
    a = picture("HWC", source)
    for out, mirror in itertools.product(("CHW", "HWC", "WCH"), (0, 1)):
        got, _ = run(a, dtype=getattr(hr, target), output_layout=out, mirror=mirror, mean=2.0,
                     std=4.0)
        want = formula(a, "HWC", out, 2, 4, mirror=mirror)
        assert got.dtype == target
        if got.dtype.kind == "f":
            close(got, want, 1e-3 if target == "float16" else 1e-6)
        else:  # halves away from zero, clamped
            info = np.iinfo(target)
            want = np.sign(want) * np.floor(np.abs(want) + 0.5)
            assert np.array_equal(got, np.clip(want, info.min, info.max))


def test_integers_are_rounded_and_clamped():
    a = np.float32([-1.5, 1.5, 2.5, -0.6, 0.5, 300, -300, np.nan]).reshape(1, 8, 1)
    assert run(a, dtype=hr.uint8)[0].ravel().tolist() == [0, 2, 3, 0, 1, 255, 0, 0]
    assert run(a, dtype=hr.int8)[0].ravel().tolist() == [-2, 2, 3, -1, 1, 127, -128, 0]


def test_scale_and_shift():
    a = picture("HWC")
    close(run(a, mean=MEAN, std=STD, scale=1.7, shift=0.3)[0],
          formula(a, "HWC", "CHW", MEAN, STD, 1.7, 0.3), 3e-6)
    got = run(a, scale=0.0, shift=3.5)[0]
    assert (got == 3.5).all()


def test_defaults():
    a = picture("HWC")
    values, got = run(a)
    assert got.layout == "CHW" and values.dtype == np.float32
    assert np.array_equal(values, a.transpose(2, 0, 1))
    assert run(a, output_layout="")[1].layout == "HWC"


def test_window():
    a = picture("HWC")
    got, _ = run(a, crop=[2, 5], crop_pos_x=0.25, crop_pos_y=1.0, mirror=1)
    assert np.array_equal(got, a[3:, 8:13][:, ::-1].transpose(2, 0, 1))
    got, _ = run(a, crop_h=2, crop_w=5, crop_pos_x=0.25, crop_pos_y=1.0, rounding="truncate")
    assert np.array_equal(got, a[3:, 8:13].transpose(2, 0, 1))


@pytest.mark.parametrize("out", ["HWC", "CHW", "WCH"])
@pytest.mark.parametrize("mirror", [0, 1])
@pytest.mark.parametrize("position", [0.0, 0.5, 1.0])
def test_filled_up(out, mirror, position):
    a = picture("HWC", W=4, H=2)
    want = np.empty((5, 9, 3))
    want[...] = [7, 8, 9]
    y, x = -int(np.floor(3 * position + 0.5)), -int(np.floor(5 * position + 0.5))
    inner = (a.astype(np.float64) - MEAN) / STD
    want[-y:-y + 2, -x:-x + 4] = inner
    want = want[:, ::-1] if mirror else want
    got, _ = run(a, crop=[5, 9], crop_pos_x=position, crop_pos_y=position, mean=MEAN, std=STD,
                 out_of_bounds_policy="pad", fill_values=[7, 8, 9], mirror=mirror,
                 output_layout=out)
    close(got, want.transpose(["HWC".index(c) for c in out]))


def test_trimmed_and_refused():
    a = picture("HWC", W=4)
    got, _ = run(a, crop=[5, 9], out_of_bounds_policy="trim_to_shape", mirror=1)
    assert np.array_equal(got, a[:, ::-1].transpose(2, 0, 1))
    with pytest.raises(ValueError, match="axis W"):
        run(a, crop=[5, 9])


@pytest.mark.parametrize("channels, padded", [(1, 1), (2, 2), (3, 4), (4, 4), (5, 8), (9, 16)])
@pytest.mark.parametrize("out", ["HWC", "CHW", "WCH"])
def test_pad_output(channels, padded, out):
    a = picture("HWC", C=channels, W=6)
    got, _ = run(a, pad_output=True, output_layout=out)
    got = got.transpose([out.index(c) for c in "HWC"])
    assert got.shape == (5, 6, padded)
    assert np.array_equal(got[..., :channels], a) and not got[..., channels:].any()


def test_pad_output_takes_fill_values_under_pad():
    a = picture("HWC", W=6)
    pad = dict(pad_output=True, out_of_bounds_policy="pad", output_layout="HWC")
    assert (run(a, fill_values=5, **pad)[0][..., 3] == 5).all()
    assert (run(a, fill_values=[5, 6, 7, 8], **pad)[0][..., 3] == 8).all()
    assert (run(a, fill_values=[5, 6, 7], **pad)[0][..., 3] == 0).all()
    got, _ = run(a, fill_values=300.7, dtype=hr.uint8, **pad)
    assert (got[..., 3] == 255).all()
    assert (run(a, fill_values=5, pad_output=True, output_layout="HWC")[0][..., 3] == 0).all()


def test_per_sample_arguments():
    samples = [picture("HWC", seed=i) for i in range(3)]
    means = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    got = hr.crop_mirror_normalize(
        hr.as_batch(samples, layout="HWC"), mirror=hr.as_batch([np.int32(m) for m in (1, 0, 2)]),
        mean=hr.as_batch([np.float32(m) for m in means]),
        std=hr.as_batch([np.float32(s) for s in (1, 2, 4)]))
    for i, t in enumerate(got.tensors):
        want = formula(samples[i], "HWC", "CHW", means[i], (1, 2, 4)[i], mirror=i != 1)
        assert np.array_equal(np.asarray(t), want.astype(np.float32))


def test_strided_input():
    a = picture("HWC")[::-1, ::2]
    assert np.array_equal(run(a)[0], a.transpose(2, 0, 1))


def test_one_pixel_and_none():
    a = np.full((1, 1, 3), 5, np.uint8)
    assert run(a, mirror=1)[0].ravel().tolist() == [5, 5, 5]
    assert run(np.zeros((0, 4, 3), np.uint8))[0].shape == (3, 0, 4)
    assert run(np.zeros((2, 4, 0), np.uint8), pad_output=True)[0].shape == (1, 2, 4)


@pytest.mark.parametrize("arguments, words", [
    ({"mean": [1, 2]}, "`mean` has 2 values.*3 channels"),
    ({"std": [1, 2, 3, 4]}, "`std` has 4 values.*3 channels"),
    ({"mean": [1, 2, 3, 4], "std": [1, 2, 3], "pad_output": True}, "`mean` has 4.*`std` 3"),
    ({"mean": []}, "mean"), ({"std": []}, "std"),
    ({"output_layout": "HW"}, '"HW".*"HWC"'), ({"output_layout": "FHWC"}, '"FHWC"'),
    ({"output_layout": "HWW"}, '"HWW"'),
    ({"fill_values": [1, 2], "out_of_bounds_policy": "pad"}, "`fill_values` has 2 values"),
    ({"crop_h": 2}, "crop_w"), ({"crop": [2]}, "crop"),
    ({"crop_pos_x": 2.0}, r"crop_pos_x.*2.*0\.\.1"),
    ({"out_of_bounds_policy": "x"}, '"x"'),
])
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        run(picture("HWC"), **arguments)


def test_the_default_layout_does_not_fit_volumes():
    with pytest.raises(ValueError, match='"CHW".*"DHWC"'):
        run(picture("DHWC"), "DHWC")
