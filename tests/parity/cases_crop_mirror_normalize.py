"""Cases of crop_mirror_normalize."""
from parity.case import (DTYPES, array, batch, case, device_cases, dice, dt, per_sample, tensor,
                         tensor_of, ty, wrong)

OP = "crop_mirror_normalize"
B = batch([7, 9, 3], [8, 6, 3], layout="HWC")
MEAN, STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]


def near(name, *inputs, **args):
    return case(name, *inputs, rule="float", **args)


CASES = [near("dtype-" + d, batch([4, 5, 3], dtype=d, layout="HWC"), mean=[1.5], std=[2.5])
         for d in DTYPES]
CASES += [near("to-" + d, B, dtype=dt(d), mean=MEAN, std=STD, scale=50.0, shift=10.0)
          for d in DTYPES]
CASES += [near("%s-to-%s-plain" % (a, b), batch([4, 5, 2], dtype=a, layout="HWC", fill="edges"),
               dtype=dt(b)) for a, b in [("uint8", "uint8"), ("float32", "uint8"),
                                         ("uint16", "float32"), ("uint8", "int8"),
                                         ("uint8", "float16"), ("float32", "float16")]]
CASES += [near("from-%s-to-%s-%d" % (a, b, m == MEAN), batch(s, layout=a), output_layout=b, mean=m,
               std=t)
          for a, s in [("HWC", [4, 5, 3]), ("CHW", [3, 4, 5])] for b in ("HWC", "CHW")
          for m, t in [(MEAN, STD), ([0.0], [1.0])]]
CASES += [near("from-%s-to-%s" % (a, b), batch(s, layout=a), output_layout=b, mean=[1.0, 2.0],
               std=[2.0, 3.0])
          for a, s, bs in [("FHWC", [2, 3, 4, 2], ("FHWC", "FCHW")),
                           ("FCHW", [2, 2, 3, 4], ("FHWC", "FCHW")),
                           ("DHWC", [3, 2, 4, 2], ("DHWC", "CDHW")),
                           ("CDHW", [2, 3, 2, 4], ("DHWC", "CDHW")),
                           ("FDHWC", [2, 3, 2, 4, 2], ("FDHWC", "FCDHW"))]
          for b in bs]
CASES += [near("mirror-%s-%d-%s" % (d, w, o), batch([2, w, 3], layout="HWC"), mirror=1,
               dtype=dt(d), output_layout=o, mean=MEAN, std=STD)
          for d in ("float32", "float16", "uint8") for w in (1, 7, 16, 33) for o in ("CHW", "HWC")]
CASES += [near("pad-output-%s-%s" % (d, o), B, pad_output=True, dtype=dt(d), output_layout=o,
               fill_values=[7.0], mean=MEAN, std=STD)
          for d in ("float32", "float16", "uint8") for o in ("CHW", "HWC")]
CASES += [near("outside-%s-%s" % (p, o), B, crop=[10, 5], crop_pos_x=0.3, crop_pos_y=0.7,
               out_of_bounds_policy=p, fill_values=[5.0], mean=MEAN, std=STD, output_layout=o)
          for p in ("constant", "pad", "trim_to_shape") for o in ("CHW", "HWC")]
CASES += [near("channels-%d" % c, batch([4, 5, c], layout="HWC"), mean=[1.0], std=[3.0])
          for c in (1, 2, 4, 5)]
CASES += [near("pad-channels-%d" % c, batch([4, 5, c], layout="HWC"), pad_output=True)
          for c in (1, 2, 4, 5)]
CASES += [
    near("default", B),
    near("crop", B, crop=[3, 4]),
    near("crop-mirror", B, crop=[3, 4], mirror=1, mean=MEAN, std=STD),
    near("crop-width-height", B, crop_w=4, crop_h=5),
    near("crop-position", B, crop=[3, 4], crop_pos_x=0.1, crop_pos_y=0.9),
    near("crop-per-sample", B, crop=per_sample([3, 4], [5, 2])),
    near("width-per-sample", B, crop_w=per_sample(3, 5), crop_h=per_sample(4, 2)),
    near("position-per-sample", B, crop=[3, 4], crop_pos_x=per_sample(0, 1),
         crop_pos_y=per_sample(1, 0)),
    near("rounding", B, crop=[4, 4], crop_pos_x=0.5, crop_pos_y=0.5, rounding="truncate"),
    near("volume", batch([4, 5, 6, 2], layout="DHWC"), crop=[2, 3, 4], crop_pos_z=0.7,
         output_layout="CDHW"),
    near("depth", batch([4, 5, 6, 2], layout="DHWC"), crop_d=2, crop_h=3, crop_w=4,
         output_layout="DHWC"),
    near("depth-per-sample", batch([4, 5, 6, 2], [3, 5, 6, 2], layout="DHWC"),
         crop_d=per_sample(2, 3), crop_h=3, crop_w=4, output_layout="DHWC"),
    near("volume-default-layout", batch([4, 5, 6, 2], layout="DHWC")),
    near("frames-default-layout", batch([4, 5, 6, 2], layout="FHWC")),
    near("position-z-per-sample", batch([4, 5, 6, 2], [3, 5, 6, 2], layout="DHWC"),
         crop=[2, 3, 4], crop_pos_z=per_sample(0.9, 0), output_layout="DHWC"),
    near("mirror-per-sample", B, mirror=per_sample(0, 1, dtype="int32")),
    near("mirror-tensor", B, mirror=tensor_of(1, "int32")),
    near("mirror-two", B, mirror=2),
    near("mean-number", B, mean=100.0),
    near("mean-only", B, mean=MEAN),
    near("std-only", B, std=STD),
    near("std-number", B, std=0.5),
    near("mean-per-sample", B, mean=per_sample([1.0], [2.0])),
    near("mean-per-sample-channels", B, mean=per_sample(MEAN, [1, 2, 3]), std=STD),
    near("std-per-sample", B, std=per_sample([1.0], [2.0])),
    near("std-per-sample-channels", B, std=per_sample(STD, [1, 2, 3])),
    near("mean-list-std-number", B, mean=MEAN, std=[2.0]),
    near("scale-shift", B, scale=1 / 255.0, shift=-0.5),
    near("scale-negative", B, scale=-2.0),
    near("std-negative", B, std=[-2.0]),
    case("fill-below", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=[-1.0], dtype=dt("uint8")),
    case("fill-over", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=[300.0], dtype=dt("uint8")),
    near("fill-channels", B, crop=[10, 12], out_of_bounds_policy="pad",
         fill_values=[1.0, 2.0, 3.0], mean=MEAN, std=STD),
    near("fill-pad-channels", B, crop=[10, 12], out_of_bounds_policy="pad", pad_output=True,
         fill_values=[1.0, 2.0, 3.0]),
    near("fill-four", B, pad_output=True, fill_values=[1.0, 2.0, 3.0, 4.0]),
    near("clamp-uint8", B, dtype=dt("uint8"), mean=[100.0], std=[0.25]),
    near("round-half", batch([4, 4, 1], layout="HWC"), dtype=dt("uint8"), std=[2.0]),
    near("round-half-int8", batch([4, 4, 1], layout="HWC"), dtype=dt("int8"), mean=[128.0],
         std=[2.0]),
    near("output-dtype", B, output_dtype=dt("float16")),
    near("image-type", B, image_type=ty("RGB")),
    near("tensor", tensor(5, 6, 3, layout="HWC")),
    near("numpy", array(5, 6, 3)),
    near("numpy-4d", array(2, 5, 6, 3)),
    near("large", batch([64, 71, 3], layout="HWC"), mean=MEAN, std=STD, mirror=1),
    near("large-half", batch([64, 71, 3], layout="HWC"), mean=MEAN, std=STD, dtype=dt("float16"),
         pad_output=True),
    near("none", B, crop=None, crop_d=None, crop_h=None, crop_w=None, crop_pos_x=None,
         crop_pos_y=None, crop_pos_z=None, dtype=None, fill_values=None, mean=None, mirror=None,
         out_of_bounds_policy=None, output_layout=None, pad_output=None, rounding=None,
         scale=None, shift=None, std=None),
    near("gray-HW", batch([4, 5], layout="HW"), output_layout="HW"),
    near("std-zero", B, std=[0.0], mean=[300.0]),
    wrong("mean-length", B, mean=[1.0, 2.0]),
    wrong("std-length", B, std=[1.0, 2.0]),
    wrong("mean-std-lengths", B, mean=[1.0, 2.0, 3.0], std=[1.0, 2.0]),
    wrong("mean-empty", B, alone=True, mean=[]),
    wrong("mean-text", B, mean="abc"),
    wrong("too-large", B, crop=[20, 20]),
    wrong("layout-unknown", B, output_layout="XYZ"),
    wrong("layout-short", B, output_layout="HW"),
    wrong("layout-extra", B, output_layout="FHWC"),
    wrong("layout-number", B, output_layout=5),
    wrong("input-layout", tensor(3, 4, layout="XY")),
    wrong("policy", B, out_of_bounds_policy="foo"),
    wrong("rounding-unknown", B, rounding="foo"),
    wrong("both-forms", B, crop=[3, 4], crop_h=3),
    wrong("position", B, crop=[3, 4], crop_pos_x=2.0),
    wrong("mirror-text", B, mirror="a"),
    wrong("dtype-text", B, dtype="foo"),
    wrong("no-input"),
]
def sweep(i):
    r = dice(i)
    h, w = 1 + r(30), 1 + r(70)
    args = {"mirror": r(2), "dtype": dt(("float32", "float16", "uint8", "int8")[r(4)]),
            "output_layout": ("CHW", "HWC")[r(2)], "pad_output": bool(r(2))}
    if r(2):
        args.update(crop=[1 + r(h), 1 + r(w)], crop_pos_x=r(101) / 100, crop_pos_y=r(101) / 100)
    if r(2):
        args.update(mean=[1.0 * r(200), 1.0 * r(200), 1.0 * r(200)],
                    std=[1 + r(100) / 3, 1 + r(100) / 3, 1 + r(100) / 3])
    if r(2):
        args.update(scale=(1 + r(100)) / 7, shift=r(100) / 3 - 10)
    return near("sweep/%d" % i, batch([h, w, 3], dtype=("uint8", "float32", "int16")[r(3)],
                layout="HWC", range=[0, 256], seed=i + 1), **args)


CASES += [sweep(i) for i in range(150)]
CASES += device_cases(B)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint32 dtype-uint64 dtype-int64 dtype-float64 dtype-bool to-uint16 to-int16
to-uint32 to-int32 to-uint64 to-int64 to-float64 to-bool volume-default-layout
frames-default-layout fill-pad-channels numpy-4d gray-HW
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
