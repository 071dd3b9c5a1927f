"""Cases of reductions.rms."""
from parity.case import case, dt, tensor_of
from parity.reduction_cases import table

OP = "reductions.rms"
CASES = table(
    "float",
    case("dtype-uint8", tensor_of([3, 4], "uint8"), dtype=dt("uint8")),
    case("over-uint8", tensor_of([200, 200], "uint8"), dtype=dt("uint8")),
    case("over-int64", tensor_of([2**40, 2**40], "int64"), rule="float"))

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
