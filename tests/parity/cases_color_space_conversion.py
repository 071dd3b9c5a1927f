"""Cases of color_space_conversion: results agree exactly."""
from parity.case import NUMBERS, array, batch, case, device_cases, per_sample, tensor, ty, wrong

OP = "color_space_conversion"
MODELS = ("RGB", "BGR", "GRAY", "YCbCr")


def channels(model):
    return 1 if model == "GRAY" else 3


def pair(a, b):
    return {"image_type": ty(a), "output_type": ty(b)}


CASES = [case("%s-%s" % (a, b), batch([9, 31, channels(a)], [40, 40, channels(a)], layout="HWC"),
              **pair(a, b)) for a in MODELS for b in MODELS]
CASES += [case("edges-%s-%s" % (a, b), tensor(33, 11, channels(a), fill="edges", layout="HWC"),
               **pair(a, b)) for a in MODELS for b in MODELS if a != b]
CASES += [case("levels-%s" % b, tensor(16, 17, 1, fill="ramp", layout="HWC"), **pair("GRAY", b))
          for b in MODELS if b != "GRAY"]
CASES += [case("layout-%s-%s" % (lay, b), batch(shape, layout=lay), **pair("RGB", b))
          for lay, shape in [("HWC", [3, 4, 3]), ("FHWC", [2, 3, 4, 3]), ("DHWC", [2, 3, 4, 3]),
                             ("FDHWC", [2, 2, 3, 4, 3]), ("CHW", [3, 3, 4]), ("HW", [3, 4])]
          for b in ("GRAY", "YCbCr")]
CASES += [case("dtype-" + d, batch([3, 4, 3], dtype=d, layout="HWC"), **pair("RGB", "GRAY"))
          for d in NUMBERS]
CASES += [
    case("numbers", tensor(3, 4, 3, layout="HWC"), image_type=0, output_type=1),
    case("numpy-3d", array(3, 4, 3), **pair("RGB", "YCbCr")),
    case("numpy-4d", array(2, 3, 4, 3), **pair("YCbCr", "BGR")),
    case("numpy-5d", array(2, 2, 3, 4, 3), **pair("BGR", "YCbCr")),
    wrong("any-data-in", batch([3, 4, 3], layout="HWC"), **pair("ANY_DATA", "RGB")),
    wrong("any-data-out", batch([3, 4, 3], layout="HWC"), **pair("RGB", "ANY_DATA")),
    wrong("channels-1", batch([3, 4, 1], layout="HWC"), **pair("RGB", "GRAY")),
    wrong("channels-4", batch([3, 4, 4], layout="HWC"), **pair("RGB", "GRAY")),
    wrong("channels-3", batch([3, 4, 3], layout="HWC"), **pair("GRAY", "RGB")),
    wrong("no-output-type", batch([3, 4, 3], layout="HWC"), image_type=ty("RGB")),
    wrong("no-image-type", batch([3, 4, 3], layout="HWC"), output_type=ty("RGB")),
    wrong("per-sample", batch([3, 4, 3], [3, 4, 3], layout="HWC"), output_type=ty("GRAY"),
          image_type=per_sample(0, 1, dtype="int32")),
    wrong("text", batch([3, 4, 3], layout="HWC"), image_type="RGB", output_type="GRAY"),
    wrong("rank-2", array(3, 3), **pair("RGB", "GRAY")),
    wrong("no-pixels", batch([0, 4, 3], layout="HWC"), **pair("RGB", "GRAY")),
    wrong("no-input", **pair("RGB", "GRAY")),
]
CASES += device_cases(batch([3, 4, 3], [2, 5, 3], layout="HWC"), **pair("RGB", "GRAY"))

# Measured: the peer refuses these.
PEER_REFUSES = set("""
RGB-RGB BGR-BGR GRAY-GRAY YCbCr-YCbCr layout-CHW-GRAY layout-CHW-YCbCr layout-HW-GRAY
layout-HW-YCbCr dtype-int8 dtype-uint16 dtype-int16 dtype-uint32 dtype-int32 dtype-uint64
dtype-int64 dtype-float16 dtype-float32 dtype-float64
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = {"wrong/batch-size-negative"}
