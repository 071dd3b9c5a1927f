"""What the tables of the reductions share."""
from parity.case import INTS, batch, case, device_cases, dt, tensor, tensor_of, wrong

A = batch([4, 5, 3], [3, 6, 3], layout="HWC")
R = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0], layout="HW")
N = batch([4, 5], [3, 6], dtype="float32", range=[1.0, 90.0])


def ways(rule):
    """Types, axes, names, kept axes, shapes."""
    out = [case("from-" + d, batch([4, 5], dtype=d, range=[0, 100]), rule=rule) for d in INTS]
    out.append(case("from-float32", R, rule=rule))
    out += [case("axes-%s" % "".join(map(str, a)), A, axes=a, rule=rule)
            for a in ([0], [1], [2], [0, 1], [1, 0], [0, 2], [1, 2], [0, 1, 2])]
    out += [
        case("default", A, rule=rule),
        case("axes-negative", A, axes=[-1], rule=rule),
        case("axes-negative-two", A, axes=[-1, 0], rule=rule),
        case("axes-empty", R, axes=[], rule=rule),
        case("axes-number", R, axes=0, rule=rule),
        case("names", A, axis_names="H", rule=rule),
        case("names-two", A, axis_names="WH", rule=rule),
        case("names-empty", R, axis_names="", rule=rule),
        case("keep", A, keep_dims=True, rule=rule),
        case("keep-axes", A, axes=[0], keep_dims=True, rule=rule),
        case("keep-no-layout", N, axes=[0], keep_dims=True, rule=rule),
        case("scalar", 3, rule=rule),
        case("scalar-keep", 3, keep_dims=True, rule=rule),
        case("one-pixel", tensor(1, 1, 3, layout="HWC"), axes=[0, 1], rule=rule),
        case("zero-kept", tensor(0, 3, dtype="float32"), axes=[1], rule=rule),
        case("rank-5", tensor(2, 3, 2, 2, 3, dtype="float32"), axes=[0, 2, 4], rule=rule),
        case("long", tensor(3000, dtype="uint8"), rule=rule),
        case("long-channels", tensor(40, 50, 3), axes=[0, 1], rule=rule),
        case("none", R, axes=None, axis_names=None, rule=rule),
    ]
    return out


def floats(rule):
    """Of those that give reals."""
    return [
        case("dtype-uint8-float32", A, dtype=dt("float32"), rule=rule),
        case("dtype-int32-float32", batch([9], dtype="int32", range=[-90, 99]), dtype=dt("float32"), rule=rule),
        case("dtype-float32", R, dtype=dt("float32"), rule=rule),
        case("empty", tensor(0, 3, dtype="float32"), axes=[0], rule=rule),
        case("infinite", tensor_of([1, float("inf"), 2], "float32"), rule=rule),
        case("both-infinite", tensor_of([1, float("inf"), -float("inf")], "float32"), rule=rule),
        wrong("dtype-int8", A, dtype=dt("int8")),
        wrong("dtype-float64", A, dtype=dt("float64")),
    ]


WRONG = [
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


def table(rule, *own, real=True):
    """The shared cases and a reduction's own."""
    return ways(rule) + (floats(rule) if real else []) + list(own) + WRONG + device_cases(A, rule=rule)
