"""Cases of cat."""
from parity.case import DTYPES, array, batch, case, device_cases, tensor, wrong

OP = "cat"
A = batch([2, 3], [1, 2], layout="HW")
B = batch([4, 3], [2, 2], layout="HW", seed=2)
C = batch([2, 1], [1, 5], seed=3)
V = batch([2, 3, 4], [1, 2, 3], layout="HWC", seed=4)

CASES = [case("dtype-" + d, batch([2, 3], [1, 3], dtype=d), batch([1, 3], [4, 3], dtype=d, seed=2))
         for d in DTYPES]
CASES += [case("axis-%d" % a, V, V, axis=a) for a in (0, 1, 2, -1, -2, -3)]
CASES += [
    case("default", A, B),
    case("axis-1-unequal", A, C, axis=1),
    case("axis-name-H", A, B, axis_name="H"),
    case("axis-name-C", V, V, axis_name="C"),
    case("one-input", A),
    case("five-inputs", A, B, A, B, A),
    case("layout-from-second", batch([2, 3], [1, 2]), B),
    case("layout-missing-second", A, batch([2, 3], [1, 2])),
    case("tensors", tensor(2, 3), tensor(1, 3)),
    case("tensor-and-batch", tensor(2, 3), batch([1, 3], [4, 3])),
    case("numpy", array(2, 3), array(2, 3)),
    case("lists", [1, 2], [3]),
    case("empty-extent", batch([0, 3]), batch([2, 3])),
    case("both-empty", batch([0, 3]), batch([0, 3])),
    case("one-dimension", batch([3], [1]), batch([2], [2])),
    case("rank-5", batch([1, 2, 1, 2, 2]), batch([1, 2, 3, 2, 2]), axis=2),
    case("none", A, B, axis=None, axis_name=None),
    wrong("both-axes", A, B, axis=0, axis_name="H"),
    wrong("axis-2", A, B, axis=2),
    wrong("axis--3", A, B, axis=-3),
    wrong("axis-name-unknown", A, B, axis_name="Q"),
    wrong("axis-name-no-layout", C, C, axis_name="H"),
    wrong("axis-name-empty", A, B, axis_name=""),
    wrong("axis-name-two", A, B, axis_name="HW"),
    wrong("axis-text", A, B, axis="a"),
    wrong("layouts-differ", A, batch([2, 3], [1, 2], layout="WH")),
    wrong("shapes", A, C),
    wrong("types", A, batch([4, 3], [2, 2], dtype="float32")),
    wrong("ranks", A, batch([4], [2])),
    wrong("scalars", 1, 2),
    wrong("batch-sizes", A, batch([4, 3])),
    wrong("no-input"),
    wrong("none-input", None),
]
CASES += device_cases(A, B)

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/layouts-differ wrong/batch-size-negative
""".split())
