"""Cases of brightness_contrast: one float32 product and sum, rounded; results agree exactly."""
from parity.case import NUMBERS, array, batch, case, device_cases, dt, per_sample, tensor, wrong

OP = "brightness_contrast"
B = batch([6, 8, 3], [5, 7, 3], layout="HWC")
TAKEN = ("uint8", "int16", "int32", "float32")
TONE = {"brightness": 1.37, "brightness_shift": -0.13, "contrast": 0.83, "contrast_center": 0.4}

CASES = [case("dtype-" + d, batch([6, 8, 3], dtype=d, layout="HWC"), brightness=1.5, contrast=0.7)
         for d in NUMBERS]
CASES += [case("to-%s-%s" % (a, b), batch([16, 16, 1], dtype=a, layout="HWC"), dtype=dt(b), **TONE)
          for a in TAKEN for b in TAKEN]
CASES += [case("to-uint8-%s" % d, B, dtype=dt(d)) for d in NUMBERS if d not in TAKEN]
CASES += [case("%s-%s" % (name.replace("_", "-"), value), B, **{name: value})
          for name, values in [("brightness", (0.0, 0.5, 1.01, 2.5, -1.0)),
                               ("brightness_shift", (0.1, 0.5, -0.25, 2.0)),
                               ("contrast", (0.0, 0.5, 1.3, -1.0)),
                               ("contrast_center", (0.5, 0.0, 100.0))]
          for value in values]
CASES += [case("center-%s" % c, B, contrast=1.7, contrast_center=c) for c in (0.5, 0, 77.7)]
CASES += [case("all-levels-%d" % i, tensor(16, 16, 1, fill="ramp", layout="HWC"), brightness=b,
               brightness_shift=s, contrast=c, contrast_center=m)
          for i, (b, s, c, m) in enumerate([(0.7, 0.1, 1.3, 100), (1.9, -0.3, 0.2, 13.37),
                                            (0.01, 0.5, 3.0, 255), (1.0, 0.0, 0.5, 128)])]
CASES += [case("layout-" + lay, batch(shape, layout=lay), brightness=1.2)
          for lay, shape in [("HWC", [3, 4, 2]), ("FHWC", [2, 3, 4, 2]), ("DHWC", [2, 3, 4, 2]),
                             ("CHW", [2, 3, 4]), ("HW", [3, 4])]]
CASES += [
    case("edges", batch([4, 4, 1], dtype="float32", fill="edges", layout="HWC"), brightness=0.9,
         dtype=dt("uint8")),
    case("edges-int32", batch([7, 4, 1], dtype="float32", fill="edges", layout="HWC"),
         brightness=0.9, dtype=dt("int32")),
    case("brightness-per-sample", B, brightness=per_sample(0.5, 1.5)),
    case("shift-per-sample", B, brightness_shift=per_sample(0.1, -0.2)),
    case("contrast-per-sample", B, contrast=per_sample(0.5, 1.5)),
    case("center-per-sample", B, contrast=1.5, contrast_center=per_sample(10, 200)),
    case("nan", B, contrast=float("nan")),
    case("huge", B, contrast=1e38, brightness=1e38),
    case("tensor", tensor(4, 5, 3, layout="HWC"), **TONE),
    case("tensor-broadcast", tensor(4, 5, 3, layout="HWC"), batch_size=2, **TONE),
    case("numpy-3d", array(4, 5, 3), **TONE),
    case("numpy-4d", array(2, 4, 5, 3), **TONE),
    case("no-pixels", batch([0, 5, 3], layout="HWC"), **TONE),
    case("none", B, brightness=None, brightness_shift=None, contrast=None, contrast_center=None,
         dtype=None),
    wrong("list", B, brightness=[1.0, 2.0]),
    wrong("text", B, brightness="a"),
    wrong("dtype-text", B, dtype="foo"),
    wrong("rank-2", array(4, 5), brightness=1.5),
    wrong("no-input", brightness=1.5),
    wrong("dtype-bool", batch([6, 8, 3], dtype="bool", layout="HWC"), brightness=1.5),
]
CASES += device_cases(B, brightness=1.5)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint16 dtype-uint32 dtype-uint64 dtype-int64 dtype-float16 dtype-float64
to-uint8-int8 to-uint8-uint16 to-uint8-uint32 to-uint8-uint64 to-uint8-int64 to-uint8-float16
to-uint8-float64 layout-CHW layout-HW
""".split())
