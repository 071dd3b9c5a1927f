"""Cases of resize. Results agree within one level for integers, 1e-4 relative for floats."""
from parity.case import (NUMBERS, array, batch, case, device_cases, dice, dt, per_sample, tensor,
                         tensor_of, ty, wrong)

OP = "resize"
B = batch([9, 13, 3], [12, 7, 3], layout="HWC")
ONE = batch([10, 14, 3], layout="HWC")
VOLUME = batch([5, 6, 7, 2], layout="DHWC")
FILTERS = ("NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN")


def near(name, *inputs, **args):
    return case(name, *inputs, rule="resample", **args)


def interp(name):
    return ty("INTERP_" + name)


CASES = [near("dtype-" + d, batch([6, 8, 3], dtype=d, layout="HWC"), size=[9, 5])
         for d in NUMBERS]
CASES += [near("to-%s-%s" % (a, b), batch([6, 8, 3], dtype=a, layout="HWC"), size=[9, 5],
               dtype=dt(b), interp_type=interp("CUBIC"))
          for a, b in [("uint8", "float32"), ("float32", "uint8"), ("uint8", "int16"),
                       ("int16", "float32"), ("uint8", "float16"), ("uint16", "uint8"),
                       ("uint8", "int8"), ("uint8", "uint16"), ("uint8", "int32")]]
CASES += [near("%s-aa%d-%dx%d-%s" % (f.lower(), aa, h, w, d), batch([10, 14, 3], dtype=d,
               layout="HWC"), size=[h, w], interp_type=interp(f), antialias=bool(aa))
          for f in FILTERS for aa in (0, 1)
          for h, w in [(4, 5), (23, 31), (10, 14), (5, 28), (1, 1), (21, 3)]
          for d in ("uint8", "float32")]
CASES += [near("mode-%s-%s" % (m, "x".join(map(str, s))), B, size=s, mode=m)
          for m in ("default", "stretch", "not_larger", "not_smaller")
          for s in ([8, 8], [20, 5], [0, 6], [6, 0])]
CASES += [near("mode-%s-x" % m, B, resize_x=5, mode=m)
          for m in ("default", "stretch", "not_larger", "not_smaller")]
CASES += [near("mode-%s-max" % m, B, size=[20, 20], max_size=[17, 12], mode=m)
          for m in ("default", "stretch", "not_larger", "not_smaller")]
CASES += [near("layout-" + lay, batch(s, layout=lay), size=z)
          for lay, s, z in [("HWC", [6, 7, 2], [4, 9]), ("CHW", [2, 6, 7], [4, 9]),
                            ("HW", [6, 7], [4, 9]), ("FHWC", [2, 6, 7, 2], [4, 9]),
                            ("FCHW", [2, 2, 6, 7], [4, 9]), ("DHWC", [5, 6, 7, 2], [3, 4, 9]),
                            ("CDHW", [2, 5, 6, 7], [3, 4, 9]), ("DHW", [5, 6, 7], [3, 4, 9]),
                            ("FDHWC", [2, 5, 6, 7, 1], [3, 4, 9]),
                            ("FCDHW", [2, 1, 5, 6, 7], [3, 4, 9]), ("CFHW", [2, 2, 6, 7], [4, 9]),
                            ("FHW", [2, 6, 7], [4, 9])]]
CASES += [near("channels-%d-%s" % (c, f.lower()), batch([7, 9, c], layout="HWC"), size=[5, 14],
               interp_type=interp(f)) for c in (1, 2, 4, 5, 8) for f in ("LINEAR", "LANCZOS3")]
CASES += [near("roi-%d-%s" % (i, f.lower()), ONE, size=[5, 6], roi_start=a, roi_end=b,
               interp_type=interp(f), alone=i == 4 and f == "NN")
          for i, (a, b) in enumerate([([2, 3], [8, 11]), ([0, 0], [10, 14]), ([8, 3], [2, 11]),
                                      ([2.5, 3.25], [7.5, 9.0]), ([-3, -2], [14, 16]),
                                      ([2, 11], [8, 3])])
          for f in ("NN", "LINEAR", "CUBIC")]
CASES += [near("roi-relative-%s" % aa, ONE, size=[15, 6], roi_start=[0.1, 0.2],
               roi_end=[0.9, 0.7], roi_relative=True, antialias=aa) for aa in (True, False)]
CASES += [near("roi-%s" % m, ONE, size=[6, 6], roi_start=[1, 2], roi_end=[9, 8], mode=m)
          for m in ("not_larger", "not_smaller")]
CASES += [near("subpixel-%s-%s" % (s, a), B, resize_shorter=a, subpixel_scale=s)
          for s in (True, False) for a in (5, 5.3, 11.6)]
CASES += [near("shorter-%s" % v, B, resize_shorter=v) for v in (4, 9, 20)]
CASES += [near("longer-%s" % v, B, resize_longer=v) for v in (4, 13, 20)]
CASES += [near("min-%s-mag-%s" % (a.lower(), b.lower()), ONE, size=[5, 28],
               min_filter=interp(a), mag_filter=interp(b))
          for a, b in [("NN", "LINEAR"), ("LINEAR", "NN"), ("TRIANGULAR", "CUBIC"),
                       ("LANCZOS3", "GAUSSIAN"), ("CUBIC", "CUBIC")]]
CASES += [
    near("x", B, resize_x=5),
    near("y", B, resize_y=5),
    near("x-y", B, resize_x=5, resize_y=20),
    near("x-fraction", B, resize_x=5.5),
    near("x-negative", B, resize_x=-5, resize_y=5),
    near("z", VOLUME, resize_z=3),
    near("x-y-z", VOLUME, resize_x=3, resize_y=4, resize_z=9),
    near("volume-shorter", VOLUME, resize_shorter=4),
    near("volume-longer", VOLUME, resize_longer=4),
    near("size-number", B, size=6),
    near("size-fraction", B, size=[5.5, 6.4]),
    near("size-negative", B, size=[-5, 6]),
    near("size-per-sample", B, size=per_sample([4, 5], [6, 3])),
    near("size-tensor", B, size=tensor_of([4, 5])),
    near("x-per-sample", B, resize_x=per_sample(4, 9)),
    near("y-per-sample", B, resize_y=per_sample(4, 9)),
    near("z-per-sample", batch([5, 6, 7, 2], [4, 3, 2, 2], layout="DHWC"),
         resize_z=per_sample(3, 6)),
    near("shorter-per-sample", B, resize_shorter=per_sample(4, 9)),
    near("longer-per-sample", B, resize_longer=per_sample(4, 9)),
    near("interp-per-sample", B, size=[5, 5], interp_type=per_sample(0, 2, dtype="int32")),
    near("min-per-sample", B, size=[5, 5], min_filter=per_sample(0, 3, dtype="int32")),
    near("mag-per-sample", B, size=[25, 25], mag_filter=per_sample(0, 2, dtype="int32")),
    near("roi-per-sample", B, size=[5, 5], roi_start=per_sample([1, 1], [0, 2]),
         roi_end=per_sample([8, 9], [9, 6])),
    near("max-size", B, resize_shorter=20, max_size=24),
    near("max-size-two", B, resize_shorter=20, max_size=[25, 30]),
    near("max-size-shorter", B, resize_shorter=6, max_size=8),
    near("max-size-longer", B, resize_longer=30, max_size=[20, 25]),
    near("interp-number", B, size=[5, 5], interp_type=2),
    near("interp-default-min", B, size=[5, 20], min_filter=interp("NN")),
    near("interp-default-mag", B, size=[5, 20], mag_filter=interp("NN")),
    near("interp-all", B, size=[5, 20], interp_type=interp("CUBIC"), mag_filter=interp("NN")),
    near("save-attrs", B, size=[5, 6], save_attrs=True),
    near("save-attrs-frames", batch([2, 6, 7, 2], layout="FHWC"), size=[4, 9], save_attrs=True),
    near("image-type", B, size=[5, 6], image_type=ty("RGB")),
    near("minibatch-size", B, size=[5, 6], minibatch_size=1, like="hint-base"),
    near("temp-buffer-hint", B, size=[5, 6], temp_buffer_hint=100, like="hint-base"),
    near("hint-base", B, size=[5, 6]),
    near("tensor", tensor(6, 7, 3, layout="HWC"), size=[4, 9]),
    near("tensor-broadcast", tensor(6, 7, 3, layout="HWC"), size=[4, 9], batch_size=2),
    near("numpy-2d", array(6, 7), size=[4, 9]),
    near("numpy-3d", array(6, 7, 3), size=[4, 9]),
    near("numpy-4d", array(2, 6, 7, 3), size=[4, 9]),
    near("numpy-5d", array(2, 4, 6, 7, 3), size=[3, 4, 9]),
    near("antialias-truthy", B, size=[5, 6], antialias=2),
    near("from-one-pixel", batch([1, 1, 3], layout="HWC"), size=[4, 5]),
    near("one-row", batch([1, 9, 3], layout="HWC"), size=[3, 4]),
    near("large-down", batch([96, 130, 3], layout="HWC"), size=[31, 40]),
    near("large-up", batch([40, 50, 3], layout="HWC"), size=[97, 121]),
    near("large-cubic", batch([96, 130, 3], layout="HWC"), size=[31, 200],
         interp_type=interp("CUBIC")),
    near("large-float", batch([96, 130, 3], dtype="float32", layout="HWC"), size=[31, 200],
         interp_type=interp("LANCZOS3")),
    near("edges", batch([6, 6, 1], dtype="uint8", fill="edges", layout="HWC"), size=[13, 13],
         interp_type=interp("LANCZOS3")),
    near("constant", batch([6, 6, 1], fill=255, layout="HWC"), size=[13, 4],
         interp_type=interp("CUBIC")),
    near("none", B, size=[5, 6], antialias=None, dtype=None, interp_type=None, mag_filter=None,
         max_size=None, min_filter=None, mode=None, resize_longer=None, resize_shorter=None,
         resize_x=None, resize_y=None, resize_z=None, roi_end=None, roi_relative=None,
         roi_start=None, subpixel_scale=None),
    wrong("no-size", B),
    wrong("size-and-x", B, size=[5, 5], resize_x=5),
    wrong("shorter-and-longer", B, resize_shorter=5, resize_longer=5),
    wrong("size-three", B, size=[5, 5, 5]),
    wrong("size-zero-stretch", B, size=[0, 0]),
    wrong("size-text", B, size="abc"),
    wrong("size-nan", B, alone=True, size=[float("nan"), 5.0]),
    wrong("size-infinite", B, size=[float("inf"), 5.0]),
    wrong("mode-unknown", B, size=[5, 5], mode="foo"),
    wrong("mode-number", B, size=[5, 5], mode=5),
    wrong("interp-text", B, size=[5, 5], interp_type="linear"),
    wrong("interp-unknown", B, size=[5, 5], interp_type=77),
    wrong("roi-start-only", B, size=[5, 5], roi_start=[1, 1]),
    wrong("roi-end-only", B, size=[5, 5], roi_end=[1, 1]),
    wrong("roi-length", B, size=[5, 5], roi_start=[1], roi_end=[2]),
    wrong("max-size-length", B, size=[5, 5], max_size=[5, 5, 5]),
    wrong("dtype-bool", batch([6, 8, 3], dtype="bool", layout="HWC"), size=[4, 4]),
    wrong("layout-XY", tensor(3, 4, layout="XY"), size=[2, 2]),
    wrong("rank-1", batch([5]), size=[2]),
    wrong("dtype-text", B, size=[5, 5], dtype="foo"),
    wrong("no-input", size=[2, 2]),
    wrong("x-text", B, resize_x="a"),
    wrong("z-on-image", B, resize_z=5),
    wrong("empty-image", batch([0, 5, 3], layout="HWC"), size=[3, 3]),
]
def sweep(i):
    """A call with everything drawn: sizes, filter, region, type. Run live only."""
    r = dice(i)
    h, w, c = 1 + r(40), 1 + r(40), (1, 3, 4)[r(3)]
    args = {"size": [1 + r(60), 1 + r(60)], "interp_type": interp(FILTERS[r(6)]),
            "antialias": bool(r(2))}
    if r(3) == 0:
        args.update(roi_start=[r(h) + r(4) / 4, r(w) + r(4) / 4], roi_end=[1 + r(h), 1 + r(w)])
        for k in (0, 1):
            if args["roi_start"][k] == args["roi_end"][k]:
                args["roi_end"][k] += 0.5
    if r(4) == 0:
        args["subpixel_scale"] = False
    if r(5) == 0:
        args["mode"] = ("stretch", "not_larger", "not_smaller")[r(3)]
    return near("sweep/%d" % i, batch([h, w, c], dtype=("uint8", "float32", "int16")[r(3)],
                layout="HWC", range=[0, 256], seed=i + 1), **args)


CASES += [sweep(i) for i in range(300)]
CASES += device_cases(B, size=[4, 4])

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint32 dtype-int32 dtype-uint64 dtype-int64 dtype-float16 dtype-float64
to-float32-uint8 to-uint8-int16 to-uint8-float16 to-uint16-uint8 to-uint8-int8 to-uint8-uint16
to-uint8-int32 layout-HW layout-DHW layout-FHW numpy-2d
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/size-zero-stretch wrong/size-infinite wrong/z-on-image wrong/empty-image
""".split())
