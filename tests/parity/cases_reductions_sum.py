"""Cases of reductions.sum."""
from parity.case import batch, case, dt, tensor, tensor_of
from parity.reduction_cases import A, table

OP = "reductions.sum"
CASES = table(
    "resample",  # the peer adds floats in float32
    case("dtype-uint64", A, dtype=dt("uint64")),
    case("dtype-same", batch([9], dtype="int32", range=[-90, 99]), dtype=dt("int32")),
    case("wraps", tensor_of([200, 200], "uint8"), dtype=dt("uint8")),
    case("wraps-int64", tensor_of([2**63 - 1, 5], "int64")),
    case("wraps-uint64", tensor_of([2**64 - 1, 5], "uint64")),
    case("beyond-int32", tensor_of([2**31 - 1, 5], "int32")),
    case("negative", tensor_of([-5, 3], "int8")),
    case("float-tenths", tensor(1000, dtype="float32", fill=0.1), rule="resample"))

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
