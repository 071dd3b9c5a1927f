"""Cases of expand_dims."""
from parity.case import DTYPES, batch, case, device_cases, tensor, tensor_of, wrong

OP = "expand_dims"
A = batch([2, 3, 4], [1, 2, 4], layout="HWC")
N = batch([2, 3])

CASES = [case("dtype-" + d, batch([2, 3], dtype=d), axes=[1]) for d in DTYPES]
CASES += [
    case("front", A, axes=[0]),
    case("back", A, axes=[3]),
    case("several", A, axes=[0, 1, 2, 3]),
    case("two-at-the-back", A, axes=[3, 4]),
    case("order", A, axes=[4, 3]),
    case("number", A, axes=0),
    case("none-at-all", A, axes=[]),
    case("names", A, axes=[0], new_axis_names="F"),
    case("names-two", A, axes=[0, 2], new_axis_names="FX"),
    case("names-order", A, axes=[2, 0], new_axis_names="FX"),
    case("names-same", A, axes=[0], new_axis_names="H"),
    case("names-empty", A, axes=[0], new_axis_names=""),
    case("names-none", A, axes=[0], new_axis_names=None),
    case("no-layout", N, axes=[0]),
    case("scalar", tensor_of(3, "uint8"), axes=[0]),
    case("scalar-names", tensor_of(3, "uint8"), axes=[0], new_axis_names="F"),
    case("scalar-two", tensor_of(3, "uint8"), axes=[0, 1]),
    case("zero-extent", tensor(0), axes=[0]),
    case("negative", A, axes=[-1]),
    wrong("out", A, axes=[4]),
    wrong("twice", A, axes=[0, 0]),
    wrong("no-axes", A),
    wrong("names-length", A, axes=[0], new_axis_names="FX"),
    wrong("names-no-layout", N, axes=[0], new_axis_names="F"),
]
CASES += device_cases(A, axes=[0])

PEER_REFUSES = set("""
negative
""".split())
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
