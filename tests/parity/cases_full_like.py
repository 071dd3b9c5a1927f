"""Cases of full_like."""
from parity.case import DTYPES, batch, case, device_cases, per_sample, scalar, tensor, wrong

OP = "full_like"
B = batch([2, 3, 4], [1, 3, 4], layout="HWC")

CASES = [case("%s-%s" % (d, v), batch([2, 3], dtype=d), v)
         for d in DTYPES for v in (7, 7.5, -1.5, 300)]
CASES += [
    case("batch", B, per_sample(1, 2, dtype="int32")),
    case("row", B, tensor(4, dtype="int16", range=[0, 200])),
    case("column", B, tensor(3, 1, dtype="int16", range=[0, 200])),
    case("whole", tensor(2, 3, 4), tensor(2, 3, 4, seed=2)),
    case("leading-one", tensor(3, 4), tensor(1, 3, 4, seed=2)),
    case("tensor-and-batch", tensor(2, 3), per_sample(1, 2, dtype="int32")),
    case("scalars", 3, 7.5),
    case("typed-scalar", B, scalar(3, "float64")),
    case("zero-extent", tensor(0, 3), 3),
    wrong("shapes", B, tensor(3)),
    wrong("no-value", B),
]
CASES += device_cases(B, 7)
