"""Cases of crop."""
from parity.case import (DTYPES, array, batch, case, device_cases, dt, per_sample, tensor,
                         tensor_of, ty, wrong)

OP = "crop"
B = batch([7, 9, 3], [8, 6, 3], layout="HWC")
V = batch([4, 5, 6, 2], layout="DHWC")
POLICIES = ("error", "constant", "pad", "trim_to_shape")
LAYOUTS = {"HWC": [6, 7, 2], "CHW": [2, 6, 7], "FHWC": [2, 6, 7, 2], "FCHW": [2, 2, 6, 7],
           "HW": [6, 7], "DHWC": [4, 6, 7, 2], "CDHW": [2, 4, 6, 7], "FDHWC": [2, 4, 6, 7, 1],
           "FCDHW": [1, 2, 4, 6, 7], "DHW": [4, 6, 7], "FHW": [2, 6, 7], "FDHW": [2, 4, 6, 7]}

CASES = [case("dtype-" + d, batch([5, 6, 3], dtype=d, layout="HWC"), crop=[3, 4]) for d in DTYPES]
CASES += [case("to-%s-%s" % (a, b), batch([4, 5, 2], dtype=a, layout="HWC", fill="edges"),
               crop=[3, 4], dtype=dt(b))
          for a, b in [("uint8", "float32"), ("float32", "uint8"), ("float32", "int16"),
                       ("uint8", "float16"), ("int32", "uint8"), ("uint16", "float64"),
                       ("float64", "int32"), ("uint8", "int64"), ("uint8", "bool")]]
CASES += [case("layout-" + lay, batch(s, dtype="int16", layout=lay), crop=[3, 4], crop_pos_x=0.2,
               crop_pos_y=0.9) for lay, s in LAYOUTS.items()]
CASES += [case("position-%s-%s-%s" % (x, y, r), B, crop=[3, 4], crop_pos_x=x, crop_pos_y=y,
               rounding=r)
          for x, y in [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.25, 0.75), (0.3, 0.1), (0.1, 0.7)]
          for r in ("round", "truncate")]
CASES += [case("outside-%s-%s-%s" % (p, x, y), B, crop=[10, 4], crop_pos_x=x, crop_pos_y=y,
               out_of_bounds_policy=p, fill_values=[9.0])
          for p in POLICIES[1:] for x, y in [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.3, 0.8)]]
CASES += [case("volume-%s" % p, V, crop=[3, 4, 2], crop_pos_z=p, crop_pos_x=0.0)
          for p in (0.0, 0.4, 1.0)]
CASES += [
    case("default", B),
    case("width-height", B, crop_w=4, crop_h=5),
    case("width-only", B, crop_w=4),
    case("height-only", B, crop_h=4),
    case("fraction", B, crop=[3.6, 4.4]),
    case("fraction-width", B, crop_w=4.5, crop_h=5.5),
    case("depth", V, crop_d=2, crop_h=3, crop_w=4),
    case("depth-only", V, crop_d=2),
    case("volume-two-values", V, crop=[3, 4]),
    case("crop-per-sample", B, crop=per_sample([3, 4], [5, 2])),
    case("width-per-sample", B, crop_w=per_sample(3, 5), crop_h=per_sample(4, 2)),
    case("depth-per-sample", batch([4, 5, 6, 2], [3, 5, 6, 2], layout="DHWC"),
         crop_d=per_sample(2, 3), crop_h=2, crop_w=2),
    case("position-per-sample", B, crop=[3, 4], crop_pos_x=per_sample(0, 1),
         crop_pos_y=per_sample(1, 0.3)),
    case("position-z-per-sample", batch([4, 5, 6, 2], [3, 5, 6, 2], layout="DHWC"),
         crop=[2, 2, 2], crop_pos_z=per_sample(1, 0)),
    case("crop-tensor", B, crop=tensor_of([3, 4])),
    case("crop-int-tensor", B, crop=tensor_of([3, 4], "int32")),
    case("whole-height", B, crop=[7, 5], out_of_bounds_policy="trim_to_shape"),
    case("fill-channels", B, crop=[10, 12], out_of_bounds_policy="pad",
         fill_values=[1.0, 2.0, 300.0]),
    case("fill-below", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=[-1.0]),
    case("fill-default", B, crop=[10, 12], out_of_bounds_policy="pad"),
    case("fill-number", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=5.6),
    case("fill-cast", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=[-1.5],
         dtype=dt("float32")),
    case("fill-chw", batch([3, 4, 4], layout="CHW"), crop=[6, 6], out_of_bounds_policy="pad",
         fill_values=[1.0, 2.0, 3.0]),
    case("fill-fchw", batch([2, 3, 4, 4], layout="FCHW"), crop=[6, 6],
         out_of_bounds_policy="pad", fill_values=[1.0, 2.0, 3.0]),
    case("trim-away", B, crop=[20, 20], out_of_bounds_policy="trim_to_shape"),
    case("output-dtype", B, crop=[3, 4], output_dtype=dt("float32")),
    case("image-type", B, crop=[3, 4], image_type=ty("GRAY")),
    case("tensor", tensor(5, 6, 3, layout="HWC"), crop=[2, 3]),
    case("tensor-broadcast", tensor(5, 6, 3, layout="HWC"), crop=per_sample([2, 3], [3, 2])),
    case("numpy-2d", array(5, 6), crop=[2, 3]),
    case("numpy-3d", array(5, 6, 3), crop=[2, 3]),
    case("numpy-4d", array(2, 5, 6, 3), crop=[2, 3]),
    case("numpy-5d", array(2, 3, 5, 6, 3), crop=[2, 2, 3]),
    case("numpy-transposed", array(5, 6, 3, stride="transposed"), crop=[2, 3]),
    case("large", batch([60, 70, 3], layout="HWC"), crop=[33, 47]),
    case("large-cast", batch([60, 70, 3], layout="HWC"), crop=[33, 47], dtype=dt("float32")),
    case("zero", B, crop=[0, 0]),
    case("none", B, crop=[3, 4], crop_d=None, crop_h=None, crop_w=None, crop_pos_x=None,
         crop_pos_y=None, crop_pos_z=None, dtype=None, fill_values=None,
         out_of_bounds_policy=None, rounding=None),
    case("depth-without-axis", B, crop=[3, 4], crop_d=0),
    case("position-z-ignored", B, crop=[3, 4], crop_pos_z=0.2),
    wrong("too-large", B, crop=[20, 20]),
    wrong("too-wide", B, crop_w=10, crop_h=3),
    wrong("both-forms", B, crop=[3, 4], crop_w=3),
    wrong("one-value", B, crop=[3]),
    wrong("three-values-image", B, crop=[1, 2, 3]),
    wrong("negative", B, crop=[-1, 4]),
    wrong("position-over", B, crop=[3, 4], crop_pos_x=1.5),
    wrong("position-under", B, crop=[3, 4], crop_pos_y=-0.5),
    wrong("policy-unknown", B, crop=[3, 4], out_of_bounds_policy="foo"),
    wrong("rounding-unknown", B, crop=[3, 4], rounding="foo"),
    wrong("fill-length", B, crop=[10, 12], out_of_bounds_policy="pad", fill_values=[1.0, 2.0]),
    wrong("fill-text", B, crop=[3, 4], fill_values="a"),
    wrong("crop-text", B, crop="ab"),
    wrong("layout-XY", tensor(3, 4, layout="XY"), crop=[2, 2]),
    wrong("rank-1", batch([5]), crop=[2, 2]),
    wrong("dtype-text", B, crop=[3, 4], dtype="foo"),
    wrong("no-input"),
]
CASES += device_cases(B, crop=[3, 4])

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-bool to-float32-int16 to-uint16-float64 to-float64-int32 to-uint8-int64 to-uint8-bool
layout-HW layout-FDHWC layout-FCDHW layout-DHW layout-FHW layout-FDHW width-only height-only
depth-only numpy-2d numpy-5d numpy-transposed depth-without-axis
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/three-values-image wrong/negative
""".split())
