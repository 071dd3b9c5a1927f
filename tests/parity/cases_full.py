"""Cases of full."""
from parity.case import (DTYPES, array, batch, case, device_cases, per_sample, scalar, tensor,
                         tensor_of, wrong)

OP = "full"

CASES = [case("dtype-" + d, tensor(2, dtype=d), shape=[3, 2]) for d in DTYPES]
CASES += [
    case("number", 3),
    case("number-float", 3.5, shape=[2, 2]),
    case("bool", True, shape=[2]),
    case("list", [1, 2], shape=[3, 2]),
    case("list-same", [1, 2], shape=[2]),
    case("list-no-shape", [1, 2]),
    case("numpy-scalar", scalar(7, "int16"), shape=[2]),
    case("numpy", array(2, 1, dtype="float64"), shape=[3, 2, 4]),
    case("broadcast-middle", array(2, 1, 3), shape=[2, 4, 3]),
    case("batch", batch([], [], dtype="int32"), shape=[2]),
    case("batch-shape-per-sample", batch([], [], dtype="int32"),
         shape=per_sample([2], [3], dtype="int32")),
    case("batch-no-shape", batch([2, 2, 3], [1, 1, 3])),
    case("shape-per-sample", 5, shape=per_sample([2], [0], [3], dtype="int32")),
    case("shape-tensor", 5, shape=tensor_of([2, 3], "int32")),
    case("shape-empty", 5, shape=[]),
    case("shape-zero", 5, shape=[0]),
    case("batch-size", 1, batch_size=2),
    case("layout", 1, shape=[2, 3], layout="HW"),
    case("layout-of-value", tensor(2, 3, layout="HW"), shape=[2, 3]),
    case("none", 1, shape=None, layout=None),
    wrong("layout-length", 1, shape=[2], layout="HW"),
    wrong("no-broadcast", [1, 2], shape=[3]),
    wrong("rank", array(2, 2), shape=[2]),
    wrong("negative", 1, shape=[-1]),
    wrong("dtype", 1, dtype={"kind": "dtype", "name": "uint8"}),
    wrong("text", "abc"),
    wrong("no-value"),
    wrong("none-value", None),
]
CASES += device_cases(1, shape=[2])

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/rank
""".split())
