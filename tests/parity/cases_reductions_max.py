"""Cases of reductions.max."""
from parity.case import batch, case, tensor, tensor_of
from parity.reduction_cases import table

OP = "reductions.max"
CASES = table(
    "exact",
    case("nan", tensor_of([1, float("nan"), 2], "float32")),
    case("nan-first", tensor_of([float("nan"), 1, 2], "float32")),
    case("nan-columns", tensor_of([[2, 1], [float("nan"), 3]], "float32"), axes=[0]),
    case("negative", batch([9], dtype="int32", range=[-100, -3])),
    case("empty-uint8", tensor(0, 3), axes=[0]),
    case("empty-int8", tensor(0, 3, dtype="int8"), axes=[0]),
    case("empty-float", tensor(0, 3, dtype="float32"), axes=[0]),
    case("infinite", tensor_of([float("-inf")] * 2, "float32")),
    case("edges", tensor(60, dtype="int64", fill="edges")),
    real=False)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
