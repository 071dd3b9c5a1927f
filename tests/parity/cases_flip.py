"""Cases of flip."""
from parity.case import (DTYPES, array, array_of, batch, case, device_cases, per_sample, scalar,
                         tensor, tensor_of, wrong)

OP = "flip"
B = batch([3, 4, 3], [2, 5, 3], [1, 1, 3], layout="HWC")
SHAPES = {"HWC": [2, 3, 2], "CHW": [2, 3, 4], "FHWC": [2, 3, 4, 1], "FCHW": [2, 3, 2, 4],
          "DHWC": [3, 2, 4, 2], "CDHW": [2, 3, 2, 4], "FDHWC": [2, 3, 2, 4, 1],
          "FCDHW": [2, 1, 3, 2, 4]}

CASES = [case("dtype-" + d, batch([3, 4, 3], [2, 5, 3], dtype=d, layout="HWC")) for d in DTYPES]
CASES += [case("layout-%s-%d%d%d" % (lay, h, v, d), batch(shape, dtype="int16", layout=lay),
               horizontal=h, vertical=v, depthwise=d)
          for lay, shape in SHAPES.items() for h, v, d in
          [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]]
CASES += [case("channels-%d" % c, batch([4, 7, c], [3, 16, c], layout="HWC"), vertical=1)
          for c in (1, 2, 4, 5)]
CASES += [case("wide-%s-%d-%d" % (d, c, w), batch([2, w, c], dtype=d, layout="HWC"))
          for d, c in (("uint8", 1), ("uint8", 3), ("float32", 3), ("float64", 4))
          for w in (15, 16, 17, 67)]
CASES += [
    case("per-sample", B, horizontal=per_sample(0, 1, 1, dtype="int32"),
         vertical=per_sample(1, 0, 1, dtype="int32")),
    case("per-sample-float", B, horizontal=per_sample(0.0, 1.0, 0.5)),
    case("per-sample-depthwise", batch([2, 3, 2, 1], [3, 2, 2, 1], layout="DHWC"),
         depthwise=per_sample(1, 0, dtype="int32")),
    case("per-sample-int64", B, horizontal=per_sample(1, 0, 1, dtype="int64")),
    case("per-sample-uint8", B, horizontal=per_sample(1, 0, 1, dtype="uint8")),
    case("per-sample-bool", B, horizontal=per_sample(True, False, True, dtype="bool")),
    case("per-sample-one-element", B, horizontal=per_sample([1], [0], [1], dtype="int32")),
    case("tensor-with-batch-argument", tensor(2, 3, 3, layout="HWC"),
         horizontal=per_sample(1, 0, dtype="int32")),
    case("argument-tensor", B, horizontal=tensor_of(1, "int32")),
    case("argument-array", B, horizontal=array_of(1, "int32")),
    case("argument-numpy-scalar", B, horizontal=scalar(0, "int64")),
    case("argument-true", B, horizontal=True, vertical=False),
    case("argument-two", B, horizontal=2, vertical=-1),
    case("argument-float", B, horizontal=1.0),
    case("argument-none", B, horizontal=None, vertical=None, depthwise=None),
    case("argument-list-of-one", B, horizontal=[0]),
    case("tensor", tensor(2, 3, 3, layout="HWC")),
    case("tensor-broadcast", tensor(2, 3, 3, layout="HWC"), batch_size=3),
    case("numpy-3d", array(2, 3, 4)),
    case("numpy-4d", array(2, 3, 4, 2)),
    case("numpy-5d", array(2, 3, 4, 2, 2)),
    case("numpy-reversed", array(3, 3, 4, stride="reversed")),
    case("numpy-stepped", array(3, 3, 4, stride="stepped")),
    case("list", [[[1, 2], [3, 4]]]),
    case("list-float", [[[1.5, 2], [3, 4]]]),
    case("empty-width", batch([2, 0, 3], [2, 3, 3], layout="HWC")),
    case("empty-height", batch([0, 4, 3], layout="HWC")),
    wrong("rank-2", array(2, 3)),
    wrong("rank-1", batch([3], [4])),
    wrong("layout-XY", tensor(2, 3, layout="XY")),
    wrong("layout-HW", tensor(2, 3, layout="HW")),
    wrong("layout-XYZ", tensor(2, 3, 4, layout="XYZ")),
    wrong("text", B, horizontal="a"),
    wrong("two-values", B, horizontal=[1, 0]),
    wrong("argument-batch-size", B, horizontal=per_sample(1, 0, dtype="int32")),
    wrong("argument-dict", B, horizontal=[{"kind": "array", "value": [], "dtype": "int32"}]),
    wrong("no-input"),
    wrong("two-inputs", B, B),
    wrong("none-input", None),
    wrong("ragged-list", [[[1, 2], [3]]]),
    wrong("text-input", "abc"),
    wrong("empty-batch", {"kind": "batch", "values": [], "dtype": "uint8"}),
]
CASES += device_cases(B)
CASES.append(case("batch-size-other", B, batch_size=7))

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float16 dtype-bool numpy-reversed numpy-stepped
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
