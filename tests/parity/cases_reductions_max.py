"""Cases of reductions.max."""
from parity.case import DTYPES, INTS, batch, case, device_cases, dt, tensor, tensor_of, wrong

OP = "reductions.max"
F = "float"
A = batch([4, 5, 3], [3, 6, 3], layout="HWC")
R = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0], layout="HW")
N = batch([4, 5], [3, 6], dtype="float32", range=[1.0, 90.0])

CASES = [case("from-" + d, batch([4, 5], dtype=d, range=[0, 100]))
         for d in INTS]
CASES += [
    case("from-float32", R),
]
CASES += [case("axes-%s" % "".join(map(str, a)), A, axes=a)
          for a in ([0], [1], [2], [0, 1], [1, 0], [0, 2], [1, 2], [0, 1, 2])]
CASES += [
    case("default", A),
    case("axes-negative", A, axes=[-1]),
    case("axes-negative-two", A, axes=[-1, 0]),
    case("axes-empty", R, axes=[]),
    case("axes-number", R, axes=0),
    case("names", A, axis_names="H"),
    case("names-two", A, axis_names="WH"),
    case("names-empty", R, axis_names=""),
    case("keep", A, keep_dims=True),
    case("keep-axes", A, axes=[0], keep_dims=True),
    case("keep-no-layout", N, axes=[0], keep_dims=True),
    case("scalar", 3),
    case("scalar-keep", 3, keep_dims=True),
    case("one-pixel", tensor(1, 1, 3, layout="HWC"), axes=[0, 1]),
    case("zero-kept", tensor(0, 3, dtype="float32"), axes=[1]),
    case("rank-5", tensor(2, 3, 2, 2, 3, dtype="float32"), axes=[0, 2, 4]),
    case("long", tensor(3000, dtype="uint8")),
    case("long-channels", tensor(40, 50, 3), axes=[0, 1]),
    case("none", R, axes=None, axis_names=None),
    case("nan", tensor_of([1, float("nan"), 2], "float32")),
    case("nan-first", tensor_of([float("nan"), 1, 2], "float32")),
    case("nan-columns", tensor_of([[2, 1], [float("nan"), 3]], "float32"), axes=[0]),
    case("negative", batch([9], dtype="int32", range=[-100, -3])),
    case("empty-uint8", tensor(0, 3), axes=[0]),
    case("empty-int8", tensor(0, 3, dtype="int8"), axes=[0]),
    case("empty-float", tensor(0, 3, dtype="float32"), axes=[0]),
    case("infinite", tensor_of([float("-inf")] * 2, "float32")),
    case("edges", tensor(60, dtype="int64", fill="edges")),
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
CASES += device_cases(A)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
