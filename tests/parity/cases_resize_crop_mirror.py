"""Cases of resize_crop_mirror. Results agree within one level for integers, 1e-4 for floats; with
nearest neighbour exactly. Sizes and filters themselves are in cases_resize.py."""
from parity.case import (NUMBERS, array, batch, case, device_cases, dice, dt, per_sample, tensor, ty,
                         wrong)

OP = "resize_crop_mirror"
B = batch([19, 33, 3], [32, 17, 3], layout="HWC")
VOLUME = batch([5, 6, 7, 2], layout="DHWC")
BASE = {"size": [20, 25], "crop": [9, 12]}
FILTERS = ("NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN")


def near(name, *inputs, **args):
    return case(name, *inputs, rule="resample", **args)


def interp(name):
    return ty("INTERP_" + name)


CASES = [near("dtype-" + d, batch([16, 18, 3], dtype=d, layout="HWC"), **BASE) for d in NUMBERS]
CASES += [near("to-%s-%s" % (a, b), batch([16, 18, 3], dtype=a, layout="HWC"), dtype=dt(b), **BASE)
          for a, b in [("uint8", "float32"), ("int16", "float32"), ("float32", "uint8"),
                       ("uint8", "uint16")]]
CASES += [near("%s-mirror%d-%s" % (f.lower(), m, d), batch([29, 24, 3], dtype=d, layout="HWC"),
               interp_type=interp(f), mirror=m, **BASE)
          for f in FILTERS for m in (0, 1) for d in ("uint8", "float32")]
CASES += [near("pos-%s-%s-%s" % (p, r, m), B, crop_pos_x=p, crop_pos_y=1 - p, rounding=r, mirror=m,
               **BASE)
          for p in (0.0, 0.25, 0.5, 0.9, 1.0) for r in ("round", "truncate") for m in (0, 1)]
CASES += [near("crop-%s" % "x".join(map(str, c)), B, size=[20, 25], crop=c)
          for c in ([5, 6], [20, 25], [1, 1], [5.7, 6.2], [0, 6], [-3, 6], [30, 12], [12, 40],
                    [33, 41], [1, 3, 4])]
CASES += [near("mirror-%d" % m, B, mirror=m, **BASE) for m in (1, 2, 3, 4, 5, -1)]
CASES += [near("mirror-volume-%d" % m, VOLUME, mirror=m, size=[8, 9, 9], crop=[3, 4, 5])
          for m in range(1, 9)]
CASES += [near("layout-%s-%d" % (lay, m), batch(s, layout=lay), resize_shorter=9, crop=c, mirror=m)
          for m in (0, 1)
          for lay, s, c in [("HWC", [16, 17, 2], [4, 5]), ("CHW", [2, 16, 17], [4, 5]),
                            ("HW", [16, 17], [4, 5]), ("FHWC", [2, 16, 17, 2], [4, 5]),
                            ("FCHW", [2, 2, 16, 17], [4, 5]), ("CFHW", [2, 2, 16, 17], [4, 5]),
                            ("DHWC", [5, 6, 7, 2], [3, 4, 5]), ("CDHW", [2, 5, 6, 7], [3, 4, 5]),
                            ("FDHWC", [2, 5, 6, 7, 1], [3, 4, 5]),
                            ("FCDHW", [2, 1, 5, 6, 7], [3, 4, 5]),
                            ("CFDHW", [1, 2, 5, 6, 7], [4, 5])]]
CASES += [near("size-%s" % k, B, crop=[5, 6], **{k: v})
          for k, v in [("resize_shorter", 13), ("resize_longer", 23), ("resize_x", 17),
                       ("resize_y", 17), ("resize_x", 17)][:4]]
CASES += [near("mode-%s" % m, B, size=[20, 20], mode=m, crop=[7, 8])
          for m in ("default", "stretch", "not_larger", "not_smaller")]
CASES += [near("roi-%d-%d" % (i, m), B, size=[20, 25], crop=[9, 12], mirror=m, roi_start=a,
               roi_end=b)
          for m in (0, 1)
          for i, (a, b) in enumerate([([2, 3], [15, 16]), ([15, 3], [2, 16]), ([2.5, 3.3], [9, 15])])]


def sweep(n, draw=dice(9)):
    for i in range(n):
        shape = [1 + draw(40), 1 + draw(40), 1]
        size = [1 + draw(50), 1 + draw(50)]
        yield case("nn-sweep-%d" % i, batch(shape, dtype="int16", layout="HWC"), size=size,
                   crop=[1 + draw(size[0]), 1 + draw(size[1])], mirror=draw(2),
                   interp_type=interp("NN"), crop_pos_x=draw(101) / 100.0,
                   crop_pos_y=draw(101) / 100.0)


CASES += list(sweep(60))
CASES += [
    near("no-crop", B, size=[20, 25]),
    near("no-crop-mirror", B, size=[20, 25], mirror=1),
    near("crop-h-w", B, size=[20, 25], crop_h=7, crop_w=8),
    near("crop-d-h-w", VOLUME, size=[9, 9, 9], crop_d=3, crop_h=7, crop_w=8, crop_pos_z=0.1),
    near("crop-d-on-picture", B, size=[20, 25], crop_d=3, crop_h=7, crop_w=8),
    near("size-negative", B, size=[20, -25], crop=[9, 12], crop_pos_x=0.1),
    near("size-negative-mirror", B, size=[-20, -25], crop=[9, 12], crop_pos_x=0.1, mirror=1),
    near("subpixel-false", B, resize_shorter=13.3, crop=[7, 7], subpixel_scale=False),
    near("subpixel-true", B, resize_shorter=13.3, crop=[7, 7], subpixel_scale=True),
    near("antialias-false", B, size=[7, 9], crop=[5, 5], antialias=False),
    near("max-size", B, resize_shorter=40, max_size=50, crop=[20, 21]),
    near("roi-relative", B, size=[20, 25], crop=[9, 12], roi_start=[0.1, 0.2], roi_end=[0.8, 0.7],
         roi_relative=True),
    near("min-filter", B, size=[10, 40], crop=[9, 12], min_filter=interp("CUBIC")),
    near("mag-filter", B, size=[10, 40], crop=[9, 12], mag_filter=interp("CUBIC")),
    near("x-y-z", VOLUME, resize_x=9, resize_y=8, resize_z=7, crop=[3, 4, 5]),
    near("crop-per-sample", B, size=[20, 25], crop=per_sample([5, 6], [7, 3])),
    near("crop-h-per-sample", B, size=[20, 25], crop_h=per_sample(5, 6), crop_w=per_sample(7, 3)),
    near("crop-d-per-sample", batch([5, 6, 7, 1], [4, 6, 5, 1], layout="DHWC"), size=[8, 9, 9],
         crop_d=per_sample(2, 3), crop_h=4, crop_w=4, crop_pos_z=per_sample(0, 1)),
    near("pos-per-sample", B, crop_pos_x=per_sample(0, 1), crop_pos_y=per_sample(0.2, 0.7), **BASE),
    near("mirror-per-sample", B, mirror=per_sample(0, 1, dtype="int32"), **BASE),
    near("size-per-sample", B, size=per_sample([14, 15], [20, 9]), crop=[5, 6]),
    near("x-per-sample", B, resize_x=per_sample(14, 20), crop=[5, 6]),
    near("y-per-sample", B, resize_y=per_sample(14, 20), crop=[5, 6]),
    near("z-per-sample", batch([5, 6, 7, 1], [4, 6, 5, 1], layout="DHWC"),
         resize_z=per_sample(8, 9), crop=[3, 3, 3]),
    near("shorter-per-sample", B, resize_shorter=per_sample(14, 9), crop=[5, 6]),
    near("longer-per-sample", B, resize_longer=per_sample(14, 9), crop=[5, 4]),
    near("interp-per-sample", B, interp_type=per_sample(0, 2, dtype="int32"), **BASE),
    near("min-per-sample", B, size=[9, 10], crop=[5, 6],
         min_filter=per_sample(0, 3, dtype="int32")),
    near("mag-per-sample", B, size=[49, 50], crop=[25, 26],
         mag_filter=per_sample(0, 2, dtype="int32")),
    near("roi-per-sample", B, roi_start=per_sample([1, 1], [0, 2]),
         roi_end=per_sample([18, 19], [19, 16]), **BASE),
    near("hint-base", B, **BASE),
    near("minibatch-size", B, minibatch_size=1, like="hint-base", **BASE),
    near("temp-buffer-hint", B, temp_buffer_hint=100, like="hint-base", **BASE),
    near("tensor", tensor(16, 17, 3, layout="HWC"), **BASE),
    near("tensor-broadcast", tensor(16, 17, 3, layout="HWC"), batch_size=2, **BASE),
    near("numpy-3d", array(16, 17, 3), **BASE),
    near("numpy-5d", array(2, 4, 6, 7, 3), size=[5, 9, 9], crop=[3, 4, 5]),
    near("from-one-pixel", batch([1, 1, 3], layout="HWC"), **BASE),
    near("large", batch([96, 130, 3], layout="HWC"), resize_shorter=64, crop=[56, 56], mirror=1),
    near("large-up", batch([40, 50, 3], layout="HWC"), resize_shorter=100, crop=[56, 97],
         interp_type=interp("LANCZOS3")),
    near("none", B, antialias=None, crop_d=None, crop_h=None, crop_pos_x=None, crop_pos_y=None,
         crop_pos_z=None, crop_w=None, dtype=None, interp_type=None, mag_filter=None, max_size=None,
         min_filter=None, mirror=None, mode=None, roi_end=None, roi_relative=None, roi_start=None,
         rounding=None, subpixel_scale=None, **BASE),
    wrong("no-size", B, crop=[5, 6]),
    wrong("nothing", B),
    wrong("crop-h-only", B, size=[20, 25], crop_h=5),
    wrong("crop-twice", B, size=[20, 25], crop=[5, 5], crop_h=5, crop_w=5),
    wrong("pos-over", B, crop_pos_x=1.5, **BASE),
    wrong("crop-one", B, size=[20, 25], crop=[5]),
    wrong("crop-text", B, size=[20, 25], crop="a"),
    wrong("rounding-unknown", B, rounding="up", **BASE),
    wrong("rounding-number", B, rounding=3, **BASE),
    wrong("size-twice", B, size=[20, 25], resize_shorter=5),
    wrong("mirror-text", B, mirror="a", **BASE),
    wrong("interp-unknown", B, interp_type=77, **BASE),
    wrong("roi-start-only", B, roi_start=[1, 1], **BASE),
    wrong("rank-2", array(16, 17), **BASE),
    wrong("no-input", size=[2, 2]),
]
CASES += device_cases(B, interp_type=interp("NN"), **BASE)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint32 dtype-int32 dtype-uint64 dtype-int64 dtype-float16 dtype-float64
to-float32-uint8 to-uint8-uint16 layout-HW-0 layout-HW-1
""".split())
