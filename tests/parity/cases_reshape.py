"""Cases of reshape."""
from parity.case import DTYPES, batch, case, device_cases, per_sample, tensor, tensor_of, wrong

OP = "reshape"
A = batch([2, 3, 4], [2, 3, 4], layout="HWC")
N = batch([2, 3, 4], [4, 3, 2])

CASES = [case("dtype-" + d, batch([2, 6], dtype=d), shape=[3, 4]) for d in DTYPES]
CASES += [
    case("shape", A, shape=[4, 6]),
    case("shape-open", A, shape=[4, -1]),
    case("shape-open-other-negative", A, shape=[4, -2]),
    case("shape-same-rank", A, shape=[2, 4, 3]),
    case("shape-longer", A, shape=[1, 2, 3, 4]),
    case("shape-flat", N, shape=[-1]),
    case("shape-floats", A, shape=[4.0, 6.0]),
    case("shape-per-sample", A, shape=per_sample([4, 6], [6, 4], dtype="int32")),
    case("shape-input", A, tensor_of([4, 6], "int32")),
    case("shape-input-int64-open", A, tensor_of([4, -1], "int64")),
    case("shape-input-batch", A, batch([2], [2], dtype="int32", fill=-1, values=[[4, 6], [6, 4]])),
    case("shape-input-layout", A, tensor_of([4, 6], "int32"), layout="HW"),
    case("shape-input-row", tensor(2, 3, 4), tensor_of([[4, 6]], "int32")),
    case("layout", A, layout="XYZ"),
    case("layout-empty", A, layout=""),
    case("shape-layout", A, shape=[4, 6], layout="HW"),
    case("layout-added", N, layout="HWC"),
    case("rel-shape", A, rel_shape=[0.5, 2, 1]),
    case("rel-shape-shorter", A, rel_shape=[1, 4]),
    case("rel-shape-open", A, rel_shape=[1, -1]),
    case("rel-shape-one", A, rel_shape=[-1]),
    case("rel-shape-rounds", A, rel_shape=[1.3, -1]),
    case("rel-shape-rounds-down", A, rel_shape=[0.7, -1]),
    case("rel-shape-per-sample", A, rel_shape=per_sample([2, -1], [1, -1])),
    case("src-dims-rel", A, src_dims=[0, 1], rel_shape=[1, -1]),
    case("src-dims-layout", tensor(3, 3, layout="HW"), src_dims=[1, 0], layout="WH"),
    case("src-dims-per-sample", tensor(3, 3), layout="WH",
         src_dims=per_sample([1, 0], [0, 1], dtype="int32")),
    case("src-dims-shape", A, src_dims=[0, 1], shape=[4, 6]),
    case("src-dims-turned", A, src_dims=[1, 0], rel_shape=[-1, 1]),
    case("src-dims-alone", A, src_dims=[2, 1, 0]),
    case("src-dims-new-axis", A, src_dims=[0, -1, 1, 2]),
    case("scalar-to-2d", tensor_of(3, "uint8"), shape=[1, 1]),
    case("2d-to-scalar", tensor(1, 1), shape=[]),
    case("zero-extents", tensor(0, 3), shape=[3, 0]),
    case("zero-open", tensor(0, 3), shape=[-1, 3]),
    case("number", A, shape=24),
    wrong("nothing", A),
    wrong("size", A, shape=[5, 5]),
    wrong("size-open", A, shape=[5, -1]),
    wrong("zero", A, shape=[0, 5]),
    wrong("empty", A, shape=[]),
    wrong("two-open", A, shape=[-1, -1]),
    wrong("zero-open-undecided", tensor(0, 3), shape=[-1, 0]),
    wrong("layout-length", A, layout="XY"),
    wrong("shape-layout-length", A, shape=[4, 6], layout="HWC"),
    wrong("rel-size", A, rel_shape=[2, 0.5, 1]),
    wrong("rel-longer", A, rel_shape=[1, 1, 1, 1]),
    wrong("shape-and-rel", A, shape=[4, 6], rel_shape=[1, 1]),
    wrong("shape-and-input", A, tensor_of([4, 6], "int32"), shape=[6, 4]),
    wrong("input-reals", A, tensor_of([4.0, 6.0], "float32")),
    wrong("input-number", A, tensor_of(24, "int32")),
    wrong("ranks-differ", A, shape=per_sample([4, 6], [24], dtype="int32")),
    wrong("src-dims-out", A, src_dims=[0, 1, 5], rel_shape=[1, 1, 1]),
    wrong("src-dims-length", A, src_dims=[1, 0], rel_shape=[1, 2, 2]),
    wrong("shape-text", A, shape="ab"),
]
CASES += device_cases(A, shape=[4, 6])

PEER_REFUSES = set("""
src-dims-alone src-dims-new-axis number
""".split())
PEER_ACCEPTS = set("""
wrong/src-dims-out
""".split())
