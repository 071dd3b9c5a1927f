"""Cases of normalize."""
from parity.case import batch, case, device_cases, dt, tensor, tensor_of, wrong

OP = "normalize"
F = "resample"  # x - mean cancels: differences are measured by the largest value
A = batch([4, 5, 3], [3, 6, 3], layout="HWC")
G = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0], layout="HW")
N = batch([4, 5], [3, 6], dtype="float32", range=[-20.0, 90.0])
S = batch([4, 5], [4, 5], dtype="float32", range=[-20.0, 90.0], seed=3)
ROW = tensor_of([[1, 20, 3, 40, 5]], "float32")
COLUMN = tensor_of([[1], [20], [3], [40]], "float32")
T = tensor(4, 5, dtype="float32", range=[-20.0, 90.0])


def rows(*v):
    return {"kind": "batch", "values": [[list(r)] for r in v], "dtype": "float32"}


CASES = [case("from-" + d, batch([4, 5, 3], dtype=d, range=[0, 100] if d[0] != "f" else [0.0, 9.0]),
              rule=F) for d in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32")]
CASES += [case("dtype-" + d, G, dtype=dt(d), scale=40, shift=100, rule=F)
          for d in ("uint8", "int8", "uint16", "int16", "int32", "uint32", "float32")]
CASES += [case("axes-%s" % "".join(map(str, a)), A, axes=a, rule=F)
          for a in ([0], [1], [2], [0, 1], [1, 0], [0, 2], [1, 2], [0, 1, 2])]
CASES += [
    case("default", A, rule=F),
    case("axes-number", G, axes=0, rule=F),
    case("names", G, axis_names="H", rule=F),
    case("names-two", A, axis_names="HW", rule=F),
    case("names-none", G, axis_names="", rule=F),
    case("ddof", G, ddof=1, rule=F),
    case("ddof-all", T, ddof=20, rule=F),
    case("ddof-more", T, ddof=21, rule=F),
    case("ddof-negative", G, ddof=-1, rule=F),
    case("epsilon", G, epsilon=50.5, rule=F),
    case("scale-shift", G, scale=2, shift=3, rule=F),
    case("scale-0", G, scale=0, shift=2, rule=F),
    case("mean-row", T, mean=ROW, rule=F),
    case("mean-row-axes", T, mean=ROW, axes=[0], rule=F),
    case("mean-column", T, mean=COLUMN, rule=F),
    case("mean-column-axes", T, mean=COLUMN, axes=[1], rule=F),
    case("mean-nested", T, mean=[[1, 20, 3, 40, 5]], rule=F),
    case("mean-ints", T, mean=tensor_of([[1, 20, 3, 40, 5]], "int32"), axes=[0], rule=F),
    case("mean-ddof", T, mean=ROW, ddof=1, rule=F),
    case("mean-epsilon", T, mean=ROW, epsilon=10, rule=F),
    case("mean-per-sample", S, mean=rows([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]), rule=F),
    case("stddev-row", T, stddev=ROW, rule=F),
    case("stddev-epsilon", T, stddev=ROW, epsilon=1, rule=F),
    case("stddev-negative", T, mean=ROW, stddev=tensor_of([[1, -2, 3, 4, 5]], "float32"), rule=F),
    case("stddev-zero", T, mean=ROW, stddev=tensor_of([[1, 0, 3, 4, 5]], "float32"), shift=1,
         rule=F),
    case("stddev-per-sample", S, stddev=rows([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]), rule=F),
    case("both", T, mean=ROW, stddev=ROW, rule=F),
    case("both-axes", T, mean=ROW, stddev=ROW, axes=[0], rule=F),
    case("both-ddof", T, mean=ROW, stddev=ROW, ddof=1, rule=F),
    case("both-epsilon", T, mean=ROW, stddev=ROW, epsilon=1, rule=F),
    case("number-mean", T, mean=2, rule=F),
    case("number-both", T, mean=2, stddev=3, rule=F),
    case("number-and-row", T, mean=2, stddev=ROW, rule=F),
    case("batch", G, batch=True, rule=F),
    case("batch-axes", S, batch=True, axes=[0], rule=F),
    case("batch-axes-1", S, batch=True, axes=[1], rule=F),
    case("batch-ddof", S, batch=True, axes=[1], ddof=1, rule=F),
    case("batch-names", batch([4, 5], [4, 3], layout="HW"), batch=True, axis_names="W", rule=F),
    case("batch-tensor", T, batch=True, rule=F),
    case("batch-unequal", batch([2, 3], [1, 3], dtype="float32"), batch=True, axes=[0], rule=F),
    case("constant", batch([3, 3], dtype="float32", fill=2.0), shift=4, rule=F),
    case("one-element", tensor_of([5], "float32"), rule=F),
    case("nan", tensor_of([float("nan"), 2, 3], "float32"), rule=F),
    case("infinite", tensor_of([float("inf"), 2, 3], "float32"), rule=F),
    case("zero-extent", tensor(0, 3, dtype="float32"), axes=[0], rule=F),
    case("zero-extent-kept", tensor(0, 3, dtype="float32"), axes=[1], rule=F),
    case("none", G, axes=None, mean=None, dtype=None, rule=F),
    wrong("axes-empty", G, axes=[]),
    wrong("axes-out", G, axes=[2]),
    wrong("axes-negative-out", G, axes=[-3]),
    wrong("axes-negative", G, axes=[-1]),
    wrong("axes-twice", G, axes=[0, 0]),
    wrong("names-twice", G, axis_names="HH"),
    wrong("names-unknown", G, axis_names="Q"),
    wrong("names-no-layout", N, axis_names="H"),
    wrong("axes-and-names", G, axes=[0], axis_names="H"),
    wrong("mean-list", T, mean=[1, 2, 3]),
    wrong("mean-axes", T, mean=ROW, axes=[1]),
    wrong("mean-extent", T, mean=tensor_of([[1, 2]], "float32"), axes=[0]),
    wrong("shapes-differ", T, mean=ROW, stddev=COLUMN),
    wrong("batch-mean", S, batch=True, mean=ROW),
    wrong("batch-shapes", G, batch=True, axes=[1]),
    wrong("bool", True),
    wrong("mean-text", T, mean="a"),
    wrong("from-int64", batch([4], dtype="int64", range=[0, 9])),
    wrong("from-float64", batch([4], dtype="float64")),
    wrong("from-float16", batch([4], dtype="float16")),
    wrong("to-float16", G, dtype=dt("float16")),
    wrong("to-float64", G, dtype=dt("float64")),
    wrong("to-int64", G, dtype=dt("int64")),
]
CASES += device_cases(G, rule=F)

PEER_REFUSES = set("""
number-mean number-both number-and-row
""".split())
PEER_ACCEPTS = set("""
wrong/batch-size-negative wrong/axes-twice wrong/names-twice
""".split())
