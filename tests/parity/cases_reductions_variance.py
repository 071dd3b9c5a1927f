"""Cases of reductions.variance."""
from parity.case import INTS, batch, case, device_cases, tensor, tensor_of, wrong

OP = "reductions.variance"
F = "float"
A = batch([4, 5, 3], [3, 6, 3], layout="HWC")
R = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0], layout="HW")
N = batch([4, 5], [3, 6], dtype="float32", range=[1.0, 90.0])
M = tensor_of(30.5, "float32")
T = tensor(4, 5, 3, layout="HWC", range=[0, 100])


def means(axes):
    """Of the shape that is left of (4, 5, 3)."""
    shape = [n for k, n in enumerate((4, 5, 3)) if k not in axes]
    return tensor(*shape, dtype="float32", range=[20.0, 60.0], seed=9)


CASES = [case("from-" + d, batch([4, 5], dtype=d, range=[0, 100]), M, rule=F)
         for d in INTS]
CASES += [
    case("from-float32", R, M, rule=F),
]
CASES += [case("axes-%s" % "".join(map(str, a)), T, means(a), axes=a, rule=F)
          for a in ([0], [1], [2], [0, 1], [1, 0], [0, 2], [1, 2], [0, 1, 2])]
CASES += [
    case("default", A, M, rule=F),
    case("axes-negative", T, means([2]), axes=[-1], rule=F),
    case("axes-negative-two", T, means([2, 0]), axes=[-1, 0], rule=F),
    case("axes-empty", T, means([]), axes=[], rule=F),
    case("axes-number", T, means([0]), axes=0, rule=F),
    case("names", T, means([0]), axis_names="H", rule=F),
    case("names-two", T, means([0, 1]), axis_names="WH", rule=F),
    case("names-empty", T, means([]), axis_names="", rule=F),
    case("keep", A, M, keep_dims=True, rule=F),
    case("keep-axes", T, means([0]), axes=[0], keep_dims=True, rule=F),
    case("keep-no-layout", T, means([0]), axes=[0], keep_dims=True, rule=F),
    case("scalar", 3, M, rule=F),
    case("scalar-keep", 3, M, keep_dims=True, rule=F),
    case("one-pixel", tensor(1, 1, 3, layout="HWC"), means([0, 1]), axes=[0, 1], rule=F),
    case("zero-kept", tensor(0, 3, dtype="float32"), M, axes=[1], rule=F),
    case("rank-5", tensor(2, 3, 2, 2, 3, dtype="float32"), tensor(3, 2, dtype="float32"),
         axes=[0, 2, 4], rule=F),
    case("long", tensor(3000, dtype="uint8"), M, rule=F),
    case("long-channels", tensor(40, 50, 3), means([0, 1]), axes=[0, 1], rule=F),
    case("none", R, M, axes=None, axis_names=None, rule=F),
    case("ddof", R, M, ddof=1, rule=F),
    case("ddof-all", tensor(2, 3, dtype="float32"), M, ddof=6, rule=F),
    case("ddof-more", tensor(2, 3, dtype="float32"), M, ddof=7, rule=F),
    case("ddof-negative", R, M, ddof=-1, rule=F),
    case("mean-dropped", tensor(4, 3, dtype="float32"), tensor(3, dtype="float32"), axes=[0],
         rule=F),
    case("mean-kept", tensor(4, 3, dtype="float32"), tensor(1, 3, dtype="float32"), axes=[0],
         rule=F),
    case("mean-dropped-keep", tensor(4, 3, dtype="float32"), tensor(3, dtype="float32"), axes=[0],
         keep_dims=True, rule=F),
    case("mean-column", tensor(4, 3, dtype="float32"), tensor(4, dtype="float32"), axes=[1],
         rule=F),
    case("mean-middle", tensor(2, 3, 4, dtype="float32"), tensor(3, dtype="float32"), axes=[0, 2],
         rule=F),
    case("mean-two", tensor(2, 3, 4, dtype="float32"), tensor(2, 4, dtype="float32"), axes=[1],
         rule=F),
    case("mean-one-element", tensor(1, 3, dtype="float32"), tensor(1, 1, 1, dtype="float32"),
         axes=[1], rule=F),
    wrong("mean-length", tensor(4, 3, dtype="float32"), tensor(2, dtype="float32"), axes=[0]),
    case("mean-batch", R, batch([], [], dtype="float32", fill=3.5), rule=F),
    case("mean-exact", tensor_of([1, 1, 1], "float32"), tensor_of(1, "float32"), rule=F),
    wrong("mean-int", R, tensor_of(2, "int32")),
    wrong("no-mean", R),
    wrong("axes-twice", A, M, axes=[0, 0]),
    wrong("axes-out", A, M, axes=[3]),
    wrong("axes-negative-out", A, M, axes=[-4]),
    wrong("scalar-axes", 3, M, axes=[0]),
    wrong("names-twice", A, M, axis_names="HH"),
    wrong("names-unknown", A, M, axis_names="Q"),
    wrong("names-no-layout", N, M, axis_names="H"),
    wrong("axes-and-names", A, M, axes=[0], axis_names="H"),
    wrong("from-float64", batch([4], dtype="float64"), M),
    wrong("from-float16", batch([4], dtype="float16"), M),
    wrong("from-bool", batch([4], dtype="bool"), M),
    wrong("axes-text", A, M, axes="a"),
]
CASES += device_cases(A, M, rule=F)

PEER_ACCEPTS = set("""
wrong/mean-length
""".split())
