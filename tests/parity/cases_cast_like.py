"""Cases of cast_like."""
from parity.case import DTYPES, batch, case, device_cases, scalar, tensor, wrong

OP = "cast_like"
B = batch([2, 3, 3], [1, 4, 3], layout="HWC")

CASES = [case("%s-to-%s" % (a, b), batch([5, 6], dtype=a, fill="edges"), tensor(1, dtype=b))
         for a in ("uint8", "int32", "float32", "bool") for b in DTYPES]
CASES += [
    case("batches", B, batch([1], [2], dtype="float32")),
    case("tensor-and-batch", tensor(2, 3), batch([1], [2], dtype="int16")),
    case("scalars", 300, scalar(1, "uint8")),
    case("bool", B, True),
    case("zero-extent", batch([0, 3]), tensor(0, dtype="float32")),
    wrong("batch-sizes", B, batch([1], [2], [3], dtype="float32")),
    wrong("one-input", B),
]
CASES += device_cases(B, tensor(1, dtype="float32"))
