"""Cases of stack."""
from parity.case import DTYPES, array, batch, case, device_cases, tensor, wrong

OP = "stack"
A = batch([2, 3], [4, 1], dtype="int16", layout="HW")
B = batch([2, 3], [4, 1], dtype="int16", layout="HW", seed=2)
C = batch([2, 3], [4, 1], dtype="int16", seed=3)

CASES = [case("dtype-%s-axis-%d" % (d, a), batch([2, 3], dtype=d), batch([2, 3], dtype=d, seed=2),
              axis=a) for d in DTYPES for a in (0, 2)]
CASES += [case("axis-%d" % a, A, B, axis=a) for a in (0, 1, 2, -1, -2)]
CASES += [
    case("default", A, B),
    case("names", A, B, axis_name="C"),
    case("names-last", A, B, axis=-1, axis_name="C"),
    case("names-same", A, B, axis_name="H"),
    case("names-second-bare", A, C, axis_name="C"),
    case("one-input", A),
    case("five-inputs", A, B, C, A, B, axis=1),
    case("layouts-differ", A, batch([2, 3], [4, 1], dtype="int16", layout="WH")),
    case("bare-first", C, A),
    case("scalars", 1, 2),
    case("scalars-name", 1, 2, axis_name="C"),
    case("tensors", tensor(2, 3), tensor(2, 3)),
    case("tensor-and-batch", tensor(2, 3), batch([2, 3], [2, 3])),
    case("numpy", array(2, 3), array(2, 3)),
    case("empty-extent", batch([2, 0]), batch([2, 0])),
    case("rank-5", batch([1, 2, 1, 2, 2]), batch([1, 2, 1, 2, 2]), axis=2),
    wrong("axis-out", A, B, axis=3),
    wrong("axis-negative-out", A, B, axis=-3),
    wrong("scalar-axis", 1, 2, axis=-1),
    wrong("name-two", A, B, axis_name="CD"),
    wrong("name-empty", A, B, axis_name=""),
    wrong("name-no-layout", C, C, axis_name="C"),
    wrong("shapes", tensor(2, 3), tensor(2, 2)),
    wrong("shapes-empty", tensor(0, 3), tensor(2, 3)),
    wrong("types", tensor(2, 3), tensor(2, 3, dtype="int32")),
    wrong("ranks", tensor(2, 3), tensor(2, 3, 1)),
    wrong("no-input"),
]
CASES += device_cases(A, B)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
