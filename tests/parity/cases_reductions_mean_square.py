"""Cases of reductions.mean_square."""
from parity.case import DTYPES, INTS, batch, case, device_cases, dt, tensor, tensor_of, wrong

OP = "reductions.mean_square"
F = "float"
A = batch([4, 5, 3], [3, 6, 3], layout="HWC")
R = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0], layout="HW")
N = batch([4, 5], [3, 6], dtype="float32", range=[1.0, 90.0])

CASES = [case("from-" + d, batch([4, 5], dtype=d, range=[0, 100]), rule=F)
         for d in INTS]
CASES += [
    case("from-float32", R, rule=F),
]
CASES += [case("axes-%s" % "".join(map(str, a)), A, axes=a, rule=F)
          for a in ([0], [1], [2], [0, 1], [1, 0], [0, 2], [1, 2], [0, 1, 2])]
CASES += [
    case("default", A, rule=F),
    case("axes-negative", A, axes=[-1], rule=F),
    case("axes-negative-two", A, axes=[-1, 0], rule=F),
    case("axes-empty", R, axes=[], rule=F),
    case("axes-number", R, axes=0, rule=F),
    case("names", A, axis_names="H", rule=F),
    case("names-two", A, axis_names="WH", rule=F),
    case("names-empty", R, axis_names="", rule=F),
    case("keep", A, keep_dims=True, rule=F),
    case("keep-axes", A, axes=[0], keep_dims=True, rule=F),
    case("keep-no-layout", N, axes=[0], keep_dims=True, rule=F),
    case("scalar", 3, rule=F),
    case("scalar-keep", 3, keep_dims=True, rule=F),
    case("one-pixel", tensor(1, 1, 3, layout="HWC"), axes=[0, 1], rule=F),
    case("zero-kept", tensor(0, 3, dtype="float32"), axes=[1], rule=F),
    case("rank-5", tensor(2, 3, 2, 2, 3, dtype="float32"), axes=[0, 2, 4], rule=F),
    case("long", tensor(3000, dtype="uint8"), rule=F),
    case("long-channels", tensor(40, 50, 3), axes=[0, 1], rule=F),
    case("none", R, axes=None, axis_names=None, rule=F),
    case("dtype-uint8-float32", A, dtype=dt("float32"), rule=F),
    case("dtype-int32-float32", batch([9], dtype="int32", range=[-90, 99]), dtype=dt("float32"), rule=F),
    case("dtype-float32", R, dtype=dt("float32"), rule=F),
    case("empty", tensor(0, 3, dtype="float32"), axes=[0], rule=F),
    case("infinite", tensor_of([1, float("inf"), 2], "float32"), rule=F),
    case("both-infinite", tensor_of([1, float("inf"), -float("inf")], "float32"), rule=F),
    wrong("dtype-int8", A, dtype=dt("int8")),
    wrong("dtype-float64", A, dtype=dt("float64")),
    case("dtype-uint64", tensor_of([2, 3], "uint8"), dtype=dt("uint64")),
    case("dtype-int64", tensor_of([-2, 3], "int32"), dtype=dt("int64")),
    case("over-int32", tensor_of([100000, 200000], "int32"), rule=F),
    case("over-int64", tensor_of([2**40, 2**40], "int64"), rule=F),
    wrong("axes-twice", A, axes=[0, 0]),
    wrong("axes-out", A, axes=[3]),
    wrong("axes-negative-out", A, axes=[-4]),
    wrong("scalar-axes", 3, axes=[0]),
    wrong("names-twice", A, axis_names="HH"),
    wrong("names-unknown", A, axis_names="Q"),
    wrong("names-no-layout", N, axis_names="H"),
    wrong("axes-and-names", A, axes=[0], axis_names="H"),
    wrong("from-float64", batch([4], dtype="float64")),
    wrong("from-float16", batch([4], dtype="float16")),
    wrong("from-bool", batch([4], dtype="bool")),
    wrong("axes-text", A, axes="a"),
]
CASES += device_cases(A, rule=F)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
