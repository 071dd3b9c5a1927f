"""resize: a direct evaluation of docs/resize.md in float64, sizes, regions, errors."""
import numpy as np
import pytest

import headrace as hr

NN, LINEAR, CUBIC, LANCZOS3, TRIANGULAR, GAUSSIAN = range(6)
FILTERS = [NN, LINEAR, CUBIC, LANCZOS3, TRIANGULAR, GAUSSIAN]


def cubic(x):
    x = np.abs(x)
    near, far = ((1.5 * x - 2.5) * x * x + 1), (((-0.5 * x + 2.5) * x - 4) * x + 2)
    return np.where(x < 1, near, np.where(x < 2, far, 0))


def lanczos(x):
    return np.where(np.abs(x) < 3, np.sinc(x) * np.sinc(x / 3), 0)


# filter: function, support, samples of its table
SHAPES = {
    LINEAR: (lambda x: np.maximum(0, 1 - np.abs(x)), 1, 3),
    TRIANGULAR: (lambda x: np.maximum(0, 1 - np.abs(x)), 1, 3),
    CUBIC: (cubic, 2, 129),
    LANCZOS3: (lanczos, 3, 193),
    GAUSSIAN: (lambda x: np.exp(-4 * x * x), 1, 65),
}


def gaussian_start(row, lo, scale, wide):
    """docs/resize.md, "Position arithmetic": each operation rounded to float."""
    f = np.float32
    sigma = f(f(wide) * 0.70710678118654752 / 2)
    radius = f(32) / (f(64) / (sigma * f(4 * 1.41421356237309505)))
    first = f(lo) + (f(0.5) * f(scale) - f(0.5) - radius)
    return int(np.ceil(first + f(row) * f(scale)))


def weights(n, m, kind, antialias, lo=0.0, hi=None):
    """Matrix (m, n) of one axis, from the formula."""
    hi = n if hi is None else hi
    scale = (hi - lo) / m
    out = np.zeros((m, n))
    i = np.arange(m)
    if kind == NN:
        out[i, np.clip(np.floor(lo + (i + 0.5) * scale), 0, n - 1).astype(int)] = 1
        return out
    shape, support, samples = SHAPES[kind]
    wide = max(1.0, abs(scale)) if antialias else 1.0
    radius = support * wide
    grid = np.linspace(-support, support, samples)
    table = shape(grid)
    grid, table = np.append(grid, 2 * grid[-1] - grid[-2]), np.append(table, 0)
    for row in i:
        centre = lo + (row + 0.5) * scale - 0.5
        first = int(np.ceil(centre - radius))
        if kind == GAUSSIAN:  # not 0 at its ends: which of two lies in the window is decided in float
            first = gaussian_start(row, lo, scale, wide)
        k = np.arange(first, first + int(np.ceil(2 * radius - 1e-6)))
        w = np.interp((k - centre) / wide, grid, table, left=table[0], right=0)
        np.add.at(out[row], np.clip(k, 0, n - 1), w / w.sum())
    return out


def formula(a, h, w, kind, antialias, region=None):
    y0, y1, x0, x1 = region or (0, a.shape[0], 0, a.shape[1])
    rows = weights(a.shape[0], h, kind, antialias, y0, y1)
    cols = weights(a.shape[1], w, kind, antialias, x0, x1)
    return np.einsum("yh,hwc,xw->yxc", rows, a.astype(np.float64), cols)


def picture():
    y, x = np.mgrid[:24, :40]
    return np.stack([6 * x, 10 * y, x * y % 256], 2).astype(np.uint8)


def checkerboard():
    y, x = np.mgrid[:24, :40]
    return ((x + y) % 2 * 255).astype(np.uint8)[:, :, None]


def resize(a, layout="HWC", **arguments):
    return np.asarray(hr.resize(hr.tensor(a, layout=layout), **arguments))


def check(got, want):
    if got.dtype == np.float32:
        assert np.abs(got - want).max() <= 1e-5 * max(1, np.abs(want).max())
    else:
        limit = np.iinfo(got.dtype)
        want = np.clip(want, limit.min, limit.max)
        assert np.abs(got - want).max() <= 0.6  # rounding, and 0.1 for the fixed point


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("size", [(24, 13), (24, 57), (13, 40), (57, 40), (9, 13), (31, 57),
                                  (1, 1), (7, 90)])
@pytest.mark.parametrize("make", [picture, checkerboard])
def test_formula(kind, antialias, size, make):
    a = make()
    want = formula(a, *size, kind, antialias)
    check(resize(a, size=size, interp_type=kind, antialias=antialias), want)
    check(resize(a, size=size, interp_type=kind, antialias=antialias, dtype=hr.float32), want)
    check(resize(a.astype(np.float32), size=size, interp_type=kind, antialias=antialias), want)
    for dtype in (np.uint16, np.int16):
        big = (a.astype(np.int64) * 128 - (0 if dtype == np.uint16 else 16384)).astype(dtype)
        want = formula(big, *size, kind, antialias)
        assert np.abs(np.clip(want, np.iinfo(dtype).min, np.iinfo(dtype).max) -
                      resize(big, size=size, interp_type=kind, antialias=antialias)).max() < 0.6


def test_gaussian_tie():
    """At equal size the window has two taps, and one neighbour counts, as the peer has it."""
    a = np.zeros((1, 9, 1), np.float32)
    a[0, 5] = 1
    row = resize(a, resize_x=9, resize_y=1, interp_type=GAUSSIAN)[0, :, 0]
    assert row.max() == pytest.approx(0.982014, abs=1e-5)
    assert row.sum() == pytest.approx(1, abs=1e-5) and (row > 1e-4).sum() == 2


def taps(out, column):
    """First and last source row or column that an output has something of."""
    there = np.nonzero(out[column] > 1e-4)[0]
    return there.min(), there.max()


def test_gaussian_tie_in_the_second_pass():
    """Recorded from the peer: the axis it filters second counts from a cut source, where one unit of
    rounding less is left. A region of 20 columns at column 14 of 20 is filtered second, one of 2 first."""
    a = np.eye(20, dtype=np.float32)[None]
    options = {"interp_type": GAUSSIAN, "antialias": False, "roi_start": [0, 14]}
    second = resize(a, size=[1, 20], roi_end=[1, 34], **options)[0]
    first = resize(a, size=[1, 2], roi_end=[1, 16], **options)[0]
    assert [taps(second, i) for i in range(3)] == [(14, 15), (15, 16), (15, 16)]
    assert [taps(first, i) for i in range(2)] == [(13, 14), (14, 15)]


def test_the_axis_that_decides_keeps_its_extent():
    """Recorded from the peer: 27 asked of 25 is 27, not 27.000002 by way of the scale; row 13 is a tie."""
    a = np.repeat(np.eye(25, dtype=np.float32)[:, None], 13, axis=1)
    out = resize(a, size=[27, 28], mode="not_larger", interp_type=GAUSSIAN, antialias=False)[:, 0]
    assert [taps(out, i) for i in (12, 13, 14)] == [(11, 12), (11, 12), (12, 13)]


@pytest.mark.parametrize("kind", FILTERS)
@pytest.mark.parametrize("region", [(3, 20, 5, 33), (2.25, 19.5, 7.75, 30.125),
                                    (20, 3, 5, 33), (3, 20, 33, 5), (-4, 31, -8.5, 44)])
def test_region(kind, region):
    a = picture().astype(np.float32)
    got = resize(a, size=(11, 17), interp_type=kind, roi_start=[region[0], region[2]],
                 roi_end=[region[1], region[3]])
    check(got, formula(a, 11, 17, kind, True, region))


def test_region_sees_the_pixels_around_it():
    a = picture()
    whole = resize(a, size=(8, 8), roi_start=[6, 10], roi_end=[18, 30])
    cut = resize(np.ascontiguousarray(a[6:18, 10:30]), size=(8, 8))
    assert np.abs(whole.astype(int) - cut).max() > 3


def test_relative_region():
    a = picture()
    got = resize(a, size=(8, 9), roi_start=[0.25, 0.5], roi_end=[0.75, 1.0], roi_relative=True)
    assert np.array_equal(got, resize(a, size=(8, 9), roi_start=[6, 20], roi_end=[18, 40]))


@pytest.mark.parametrize("kind", [LINEAR, CUBIC, LANCZOS3, TRIANGULAR])
@pytest.mark.parametrize("shape", [(1, 1, 3), (1, 9, 1), (9, 1, 4), (2, 2, 2)])
@pytest.mark.parametrize("size", [(1, 1), (5, 4), (1, 7), (2, 2)])
def test_tiny(kind, shape, size):
    a = np.random.default_rng(4).integers(0, 256, shape).astype(np.uint8)
    check(resize(a, size=size, interp_type=kind), formula(a, *size, kind, True))


def test_same_size_is_a_copy():
    a = picture()
    for kind in (NN, LINEAR, CUBIC, LANCZOS3, TRIANGULAR):
        assert np.array_equal(resize(a, size=(24, 40), interp_type=kind), a)
        assert np.array_equal(resize(a, size=(-24, 40), interp_type=kind), a[::-1])
        assert np.array_equal(resize(a, size=(24, -40), interp_type=kind), a[:, ::-1])


@pytest.mark.parametrize("kind", [NN, LINEAR, LANCZOS3])
def test_negative_sizes_flip(kind):
    a = picture()
    got = resize(a, size=(-13, -57), interp_type=kind).astype(int)
    # turned about, a position may meet a pixel's edge from the other side
    want = resize(np.ascontiguousarray(a[::-1, ::-1]), size=(13, 57), interp_type=kind)
    assert (np.abs(got - want) > 1).mean() < (0.1 if kind == NN else 1e-9)


@pytest.mark.parametrize("arguments, shape", [
    (dict(size=20), (20, 20)),
    (dict(size=[0, 20]), (12, 20)),
    (dict(size=[10, 0]), (10, 17)),
    (dict(size=[0, 20], mode="stretch"), (24, 20)),
    (dict(size=[10, 10], mode="not_larger"), (6, 10)),
    (dict(size=[10, 10], mode="not_smaller"), (10, 17)),
    (dict(size=[30, 100], mode="not_smaller"), (60, 100)),
    (dict(size=[30, 100], mode="not_larger"), (30, 50)),
    (dict(size=[-10, 20]), (10, 20)),
    (dict(resize_x=20), (12, 20)),
    (dict(resize_y=20), (20, 33)),
    (dict(resize_x=20, mode="stretch"), (24, 20)),
    (dict(resize_x=12.5), (8, 13)),
    (dict(resize_x=0.3), (1, 1)),
    (dict(resize_x=-20), (12, 20)),
    (dict(resize_shorter=11), (11, 18)),
    (dict(resize_shorter=-11), (11, 18)),
    (dict(resize_longer=11), (7, 11)),
    (dict(resize_shorter=100, max_size=120), (72, 120)),
    (dict(resize_shorter=100, max_size=[50, 1000]), (50, 83)),
    (dict(resize_x=100, max_size=50), (50, 50)),
    (dict(resize_x=100, max_size=10.6), (11, 11)),
    (dict(resize_x=100, max_size=-5), (60, 100)),
    (dict(resize_x=5, roi_start=[2, 3], roi_end=[10, 11]), (5, 5)),
    (dict(resize_x=5, roi_start=[2, 3], roi_end=[2, 11]), (1, 5)),
    (dict(resize_longer=5, roi_start=[2, 3], roi_end=[10, 31]), (1, 5)),
])
def test_sizes(arguments, shape):
    a = np.zeros((24, 40, 2), np.uint8)
    assert resize(a, **arguments).shape == shape + (2,)
    assert resize(a, subpixel_scale=False, **arguments).shape == shape + (2,)


def ramp_region(**arguments):
    """Region that a ramp's positions tell, along x."""
    a = np.broadcast_to(np.arange(40, dtype=np.float32)[None, :, None], (24, 40, 1)).copy()
    v = resize(a, antialias=False, **arguments)[0, :, 0].astype(np.float64)
    inside = (v > 1e-3) & (v < 39 - 1e-3)
    step, at = np.polyfit(np.arange(len(v))[inside], v[inside], 1)
    return at + 0.5 - step / 2, at + 0.5 - step / 2 + step * len(v)


def test_rounding_stretches_at_most_tenfold():
    a = np.random.default_rng(8).random((60, 1, 1), np.float32)
    region = dict(roi_start=[29, 0], roi_end=[31, 1], mode="stretch")
    small = [resize(a, size=[v, 1], **region)[0, 0, 0] for v in (0.5, 0.1, 0.02)]
    want = [float(formula(a, 1, 1, LINEAR, True, (30 - r, 30 + r, 0, 1))[0, 0, 0]) for r in (2, 10)]
    assert small == pytest.approx([want[0], want[1], want[1]], rel=1e-4)


def test_rounding_keeps_the_scale_or_the_region():
    lo, hi = ramp_region(resize_x=13.7)
    assert (lo, hi) == pytest.approx((20 - 20 * 14 / 13.7, 20 + 20 * 14 / 13.7), abs=1e-4)
    assert ramp_region(resize_x=13.7, subpixel_scale=False) == pytest.approx((0, 40), abs=1e-4)
    assert ramp_region(resize_x=-20) == pytest.approx((40, 0), abs=1e-4)


@pytest.mark.parametrize("layout, axes", [
    ("HWC", "HWC"), ("CHW", "CHW"), ("FHWC", "FHWC"), ("FCHW", "FCHW"), ("CFHW", "CFHW")])
@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32])
def test_layouts(layout, axes, dtype):
    extents = {"H": 12, "W": 17, "C": 3, "F": 2}
    a = np.random.default_rng(1).integers(0, 256, [extents[x] for x in axes]).astype(dtype)
    got = hr.resize(hr.tensor(a, layout=layout), size=(7, 21))
    assert got.layout == layout
    order = [axes.index(x) for x in "FHWC" if x in axes]
    frames = a.transpose(order).reshape(-1, 12, 17, 3)
    want = np.stack([resize(np.ascontiguousarray(f), size=(7, 21)) for f in frames])
    moved = np.asarray(got).transpose(order)
    assert np.array_equal(moved.reshape(want.shape), want)


@pytest.mark.parametrize("layout", ["DHWC", "CDHW", "FDHWC", "FCDHW", "CFDHW"])
@pytest.mark.parametrize("size", [(3, 9, 6), (11, 5, 6), (7, 20, 21), (-7, 5, 4), (1, 1, 1)])
@pytest.mark.parametrize("kind", [NN, LINEAR, CUBIC])
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_volumes(layout, size, kind, dtype):
    extents = {"D": 7, "H": 10, "W": 12, "C": 2, "F": 2}
    a = np.random.default_rng(2).integers(0, 256, [extents[x] for x in layout]).astype(dtype)
    order = [layout.index(x) for x in "FDHWC" if x in layout]
    got = resize(a, layout, size=size, interp_type=kind).transpose(order)
    volumes = a.transpose(order).reshape(-1, 7, 10, 12, 2).astype(np.float64)
    spans = [(n, 0, n) if m > 0 else (n, n, 0) for n, m in zip((7, 10, 12), size)]
    z, y, x = [weights(n, abs(m), kind, True, lo, hi) for (n, lo, hi), m in zip(spans, size)]
    want = np.einsum("ad,bh,cw,fdhwk->fabck", z, y, x, volumes)
    if kind == NN:  # ties of whole ratios may fall either way by rounding
        assert (got.reshape(want.shape) != want).mean() < 0.2
    else:
        check(got.reshape(want.shape), want)


def test_filters_by_direction():
    a = picture().astype(np.float32)
    both = resize(a, size=(9, 80), min_filter=CUBIC, mag_filter=LANCZOS3)
    rows, cols = weights(24, 9, CUBIC, True), weights(40, 80, LANCZOS3, True)
    check(both, np.einsum("yh,hwc,xw->yxc", rows, a.astype(np.float64), cols))
    one = resize(a, size=(9, 80), interp_type=CUBIC, mag_filter=LANCZOS3)
    assert np.array_equal(both, one)


def test_per_sample():
    a = [picture(), picture()[:20, :30].copy()]
    b = hr.as_batch(a, layout="HWC")
    got = hr.resize(b, size=hr.as_batch([np.float32([5, 6]), np.float32([7, 8])]),
                    interp_type=hr.as_batch([np.int32(LINEAR), np.int32(CUBIC)]))
    assert np.array_equal(np.asarray(got.tensors[0]), resize(a[0], size=[5, 6]))
    assert np.array_equal(np.asarray(got.tensors[1]),
                          resize(a[1], size=[7, 8], interp_type=CUBIC))
    got = hr.resize(b, resize_shorter=hr.as_batch([np.float32(5), np.float32(9)]))
    assert [tuple(t.shape) for t in got.tensors] == [(5, 8, 3), (9, 14, 3)]


def test_hints_change_nothing():
    a = picture()
    assert np.array_equal(resize(a, size=[5, 6]),
                          resize(a, size=[5, 6], minibatch_size=1, temp_buffer_hint=99))


def test_empty_input():
    assert resize(np.zeros((0, 40, 3), np.uint8), size=[5, 6]).shape == (0, 6, 3)
    assert resize(np.zeros((4, 4, 0), np.uint8), size=[5, 6]).shape == (5, 6, 0)


@pytest.mark.parametrize("arguments, words", [
    (dict(), "size"),
    (dict(size=[0, 0]), "`size`"),
    (dict(size=0), "`size`"),
    (dict(resize_x=0), "`resize_x`"),
    (dict(resize_shorter=0), "`resize_shorter`"),
    (dict(resize_longer=0), "`resize_longer`"),
    (dict(size=[1, 2, 3]), "`size`"),
    (dict(size=[float("nan"), 2]), "`size`"),
    (dict(size=[float("inf"), 2]), "`size`"),
    (dict(resize_x=1e30), "`resize_x`"),
    (dict(resize_y=2.0e7), "`resize_y`"),
    (dict(resize_z=5), "`resize_z`"),
    (dict(size=[5, 5], resize_x=5), "size"),
    (dict(resize_shorter=5, resize_longer=5), "resize_shorter"),
    (dict(resize_shorter=5, mode="stretch"), "mode"),
    (dict(size=[5, 5], mode="foo"), "foo"),
    (dict(size=[5, 5], max_size=[1, 2, 3]), "`max_size`"),
    (dict(size=[5, 5], roi_start=[1, 1]), "roi_end"),
    (dict(size=[5, 5], roi_start=[1, 1], roi_end=[2, 2, 2]), "`roi_end`"),
    (dict(size=[5, 5], roi_start=[0, 0], roi_end=[float("nan"), 3]), "`roi_end`"),
    (dict(size=[5, 5], roi_start=[0, 0], roi_end=[1e30, 3]), "region"),
    (dict(resize_shorter=1e7, roi_start=[0, 0], roi_end=[0, 30]), "extent"),
    (dict(size=[5, 5], interp_type=6), "interp_type"),
    (dict(size=[5, 5], dtype=hr.int16), "`dtype`"),
])
def test_wrong_arguments(arguments, words):
    with pytest.raises(ValueError, match=words):
        resize(picture(), **arguments)


@pytest.mark.parametrize("dtype", ["int8", "int32", "float64", "bool"])
def test_other_types_are_refused(dtype):
    with pytest.raises((TypeError, ValueError), match=dtype):
        resize(np.zeros((4, 4, 3), dtype), size=[2, 2])


def test_layout_without_height():
    with pytest.raises(ValueError, match="XY"):
        resize(np.zeros((4, 4), np.uint8), "XY", size=[2, 2])


def test_save_attrs_adds_the_extents_of_the_input():
    x = np.zeros((4, 6, 3), np.uint8)
    out, extents = hr.resize(x, size=[2, 2], save_attrs=True)
    assert out.shape == (2, 2, 3) and extents.dtype == hr.int32 and extents.layout is None
    assert np.asarray(extents).tolist() == [4, 6]
    outs, extents = hr.resize(hr.batch([x, x[:3]], layout="HWC"), size=[2, 2], save_attrs=True)
    assert [np.asarray(t).tolist() for t in extents.tensors] == [[4, 6], [3, 6]]
    volume = hr.tensor(np.zeros((2, 5, 4, 6, 3), np.float32), layout="FDHWC")
    assert np.asarray(hr.resize(volume, size=3, save_attrs=True)[1]).tolist() == [5, 4, 6]
    planes = hr.tensor(np.zeros((3, 4, 6), np.uint8), layout="CHW")
    assert np.asarray(hr.resize(planes, resize_x=3, save_attrs=True)[1]).tolist() == [4, 6]
    for plain in (hr.resize(x, size=[2, 2]), hr.resize(x, size=[2, 2], save_attrs=False)):
        assert isinstance(plain, hr.Tensor)


def test_save_attrs_in_a_captured_loop():
    x = np.zeros((4, 6, 3), np.uint8)
    source = hr.ExternalSource([hr.batch([x, x[:3]], layout="HWC")] * 6)
    seen = []
    for batch in source.captured(2):
        out, extents = hr.resize(batch, size=[2, 2], save_attrs=True)
        plain = hr.resize(batch, size=[2, 2])
        assert np.asarray(out.tensors[1]).tobytes() == np.asarray(plain.tensors[1]).tobytes()
        seen.append([np.asarray(t).tolist() for t in extents.tensors])
    assert seen == [[[4, 6], [3, 6]]] * 6
