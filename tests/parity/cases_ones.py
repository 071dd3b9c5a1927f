"""Cases of ones."""
from parity.case import DTYPES, case, device_cases, dt, per_sample, tensor_of, ty, wrong

OP = "ones"

CASES = [case("dtype-" + d, shape=[2, 3], dtype=dt(d)) for d in DTYPES]
CASES += [
    case("default"),
    case("batch", batch_size=3),
    case("batch-shape", batch_size=2, shape=[4]),
    case("shape-number", shape=3),
    case("shape-fraction", shape=2.7),
    case("shape-empty", shape=[]),
    case("shape-zero", shape=[0, 2]),
    case("shape-per-sample", shape=per_sample([2], [3], dtype="int32")),
    case("shape-per-sample-scalar", shape=per_sample(2, 3, dtype="int32")),
    case("shape-per-sample-float", shape=per_sample([2.0], [3.0])),
    case("shape-tensor", shape=tensor_of([2, 3], "int32")),
    case("shape-tensor-batch", shape=tensor_of([2, 3], "int32"), batch_size=2),
    case("shape-tensor-int64", shape=tensor_of([2, 3], "int64")),
    case("layout", shape=[2, 3], layout="HW"),
    case("layout-empty", shape=[2, 3], layout=""),
    case("dtype-enum", shape=[2], dtype=ty("FLOAT")),
    case("dtype-number", shape=[2], dtype=0),
    case("dtype-bfloat16", shape=[2], dtype=dt("bfloat16")),
    case("none", shape=None, dtype=None, layout=None),
    wrong("layout-length", shape=[2], layout="HW"),
    wrong("layout-number", shape=[2], layout=5),
    wrong("shape-negative", shape=[-1]),
    wrong("shape-text", shape="a"),
    wrong("dtype-text", shape=[2], dtype="foo"),
    wrong("dtype-enum-kind", shape=[2], dtype=dt("InterpType")),
    wrong("input", 3),
    wrong("shape-batch-size", shape=per_sample([2], [3], dtype="int32"), batch_size=3),
    wrong("batch-size-zero", batch_size=0),
]
CASES += device_cases(shape=[2])

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/layout-number wrong/batch-size-zero
""".split())
