"""Cases of reductions.mean_square."""
from parity.case import case, dt, tensor_of
from parity.reduction_cases import table

OP = "reductions.mean_square"
CASES = table(
    "float",
    case("dtype-uint64", tensor_of([2, 3], "uint8"), dtype=dt("uint64")),
    case("dtype-int64", tensor_of([-2, 3], "int32"), dtype=dt("int64")),
    case("over-int32", tensor_of([100000, 200000], "int32"), rule="float"),
    case("over-int64", tensor_of([2**40, 2**40], "int64"), rule="float"))

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
