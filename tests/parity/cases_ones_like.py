"""Cases of ones_like."""
from parity.case import DTYPES, array, batch, case, device_cases, dt, tensor, wrong

OP = "ones_like"
B = batch([2, 3, 3], [1, 4, 3], layout="HWC")

CASES = [case("like-" + d, batch([2, 3], [1, 3], dtype=d)) for d in DTYPES]
CASES += [case("dtype-" + d, B, dtype=dt(d)) for d in DTYPES]
CASES += [
    case("tensor", tensor(2, 3, layout="HW")),
    case("scalar", 3),
    case("scalar-float", 3.5),
    case("list", [1.5, 2]),
    case("numpy", array(2, 3, dtype="float64")),
    case("zero-extent", batch([0, 3])),
    case("none", B, dtype=None),
    wrong("no-input"),
    wrong("dtype-unknown", B, dtype="foo"),
]
CASES += device_cases(B)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
