"""Cases of reductions.mean."""
from parity.case import case, dt, tensor_of
from parity.reduction_cases import table

OP = "reductions.mean"
CASES = table(
    "float",
    case("dtype-uint8", tensor_of([2, 3], "uint8"), dtype=dt("uint8")),
    case("dtype-int8", tensor_of([-1, -2], "int8"), dtype=dt("int8")),
    case("dtype-int64", tensor_of([2**53 + 1, 2**53 + 1], "int64"), dtype=dt("int64")),
    case("wide", tensor_of([2**62] * 3, "int64"), rule="float"),
    case("over-uint8", tensor_of([200, 201], "uint8"), dtype=dt("uint8")))

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
