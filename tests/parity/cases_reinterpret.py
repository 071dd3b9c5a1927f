"""Cases of reinterpret."""
from parity.case import batch, case, device_cases, dt, per_sample, tensor, tensor_of, wrong

OP = "reinterpret"
A = batch([2, 3, 4], [3, 2, 4], layout="HWC")
E8 = batch([2, 3, 8], [3, 2, 8], layout="HWC")

CASES = [case("from-u8-to-" + d, E8, dtype=dt(d)) for d in
         ("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16",
          "float32", "float64")]
CASES += [case("to-u8-from-" + d, batch([2, 3], dtype=d), dtype=dt("uint8")) for d in
          ("int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32",
           "float64")]
CASES += [
    case("to-bool", batch([2, 3], range=[0, 2]), dtype=dt("bool")),
    case("layout", A, layout="XYZ"),
    case("layout-empty", A, layout=""),
    case("dtype-layout", A, dtype=dt("int16"), layout="ABC"),
    case("shape", A, shape=[4, 6]),
    case("shape-open", A, dtype=dt("int32"), shape=[-1]),
    case("shape-dtype", A, dtype=dt("int32"), shape=[6]),
    case("shape-open-second", A, dtype=dt("int64"), shape=[3, -1]),
    case("shape-per-sample", A, dtype=dt("int32"), shape=per_sample([6, 1], [2, 3], dtype="int32")),
    case("shape-input", A, tensor_of([6], "int32"), dtype=dt("int32")),
    case("rel-shape", A, dtype=dt("int16"), rel_shape=[1, 1, 0.5]),
    case("rel-shape-open", A, dtype=dt("int16"), rel_shape=[1, 1, -1]),
    case("rel-shape-per-sample", A, dtype=dt("int16"),
         rel_shape=per_sample([1, 1, -1], [1, -1, 0.5])),
    case("src-dims-same", A, dtype=dt("int16"), src_dims=[0, 1, 2]),
    case("src-dims-per-sample", A, dtype=dt("int16"),
         src_dims=per_sample([0, 1, 2], [0, 1, 2], dtype="int32")),
    case("scalar-float", tensor_of(3, "int32"), dtype=dt("float32")),
    case("zero-extent", tensor(2, 0, dtype="int32"), dtype=dt("uint8")),
    wrong("nothing", A),
    wrong("innermost", A, dtype=dt("float64")),
    wrong("innermost-3", tensor(3, 3), dtype=dt("int32")),
    wrong("zero-rows", tensor(0, 3), dtype=dt("int32")),
    wrong("size", A, dtype=dt("int32"), shape=[24]),
    wrong("rel-size", A, dtype=dt("int16"), rel_shape=[1, 1, 1]),
    wrong("layout-length", A, dtype=dt("int16"), layout="AB"),
]
CASES += device_cases(A, dtype=dt("int16"))

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
