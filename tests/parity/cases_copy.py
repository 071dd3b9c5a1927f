"""Cases of copy."""
from parity.case import DTYPES, array, batch, case, device_cases, tensor, wrong

OP = "copy"
B = batch([2, 3, 3], [1, 4, 3], layout="HWC")

CASES = [case("dtype-" + d, batch([2, 3], [1, 3], dtype=d)) for d in DTYPES]
CASES += [
    case("batch", B),
    case("tensor", tensor(2, 3, layout="HW")),
    case("scalar", 3),
    case("list", [1.5, 2]),
    case("numpy", array(2, 3, dtype="float64")),
    case("reversed", array(4, 3, stride="reversed")),
    case("zero-extent", batch([0, 3])),
    wrong("no-input"),
    wrong("two-inputs", B, B),
]
CASES += device_cases(B)

PEER_REFUSES = set("""
reversed
""".split())
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
