"""Cases of cast: every pair of types, with the values where rounding and clamping show."""
from parity.case import (DTYPES, NUMBERS, array, batch, case, device_cases, dt, tensor, ty, wrong)

OP = "cast"
B = batch([2, 3], [4, 1], dtype="float32", fill="edges")

CASES = [case("%s-to-%s" % (a, b), batch([5, 6], dtype=a, fill="edges"), dtype=dt(b))
         for a in DTYPES for b in DTYPES]
CASES += [case("random-%s-to-%s" % (a, b), batch([7, 5], dtype=a, range=[-300.0, 70000.0]),
               dtype=dt(b)) for a in ("float32", "float64") for b in NUMBERS]
CASES += [case("long-%s-to-%s" % (a, b), batch([1000], [77], dtype=a, range=r), dtype=dt(b))
          for a, b, r in [("float32", "uint8", [-50.0, 300.0]), ("uint8", "float32", [0, 256]),
                          ("float32", "float16", [-7e4, 7e4]), ("int16", "uint8", [-300, 600]),
                          ("uint8", "float16", [0, 256]), ("int32", "int8", [-300, 300])]]
CASES += [
    case("nan-to-%s" % b, {"kind": "batch", "dtype": "float32",
                           "values": [[float("nan"), float("inf"), -float("inf")]]}, dtype=dt(b))
    for b in DTYPES]
CASES += [
    case("layout-kept", batch([2, 3, 1], layout="HWC"), dtype=dt("float32")),
    case("tensor", tensor(2, 3), dtype=dt("int64")),
    case("scalar", 3.7, dtype=dt("int32")),
    case("scalar-int", 300, dtype=dt("uint8")),
    case("numpy", array(2, 3, dtype="float64"), dtype=dt("float32")),
    case("enum", B, dtype=ty("INT16")),
    case("number", B, dtype=5),
    case("numpy-dtype", B, dtype={"kind": "np_dtype", "name": "float64"}),
    case("empty", batch([0, 3], [2, 3]), dtype=dt("float32")),
    case("rank-6", batch([1, 2, 1, 2, 1, 2]), dtype=dt("float32")),
    case("empty-batch", {"kind": "batch", "values": [], "dtype": "uint8"}, dtype=dt("float32")),
    wrong("no-dtype", B),
    wrong("none-dtype", B, dtype=None),
    wrong("name", B, dtype="foo"),
    wrong("short-name", B, dtype="f32"),
    wrong("python-type", B, dtype={"kind": "dtype", "name": "Tensor"}),
    wrong("number-unknown", B, dtype=77),
    wrong("to-enum", B, dtype=dt("InterpType")),
    wrong("to-string", B, dtype=ty("STRING")),
    case("to-bfloat16", B, dtype=dt("bfloat16")),
]
CASES += device_cases(B, dtype=dt("uint8"))

# Measured: the peer refuses these.
PEER_REFUSES = set("""
numpy-dtype to-bfloat16
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
