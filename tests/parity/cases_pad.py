"""Cases of pad."""
from parity.case import DTYPES, array, batch, case, device_cases, per_sample, tensor, wrong

OP = "pad"
B = batch([3, 4, 3], [2, 5, 3], [1, 1, 3], layout="HWC")
N = batch([3, 4], [2, 5], [1, 1], dtype="int16")

CASES = [case("dtype-" + d, batch([3, 2], [1, 4], dtype=d), fill_value=1.0) for d in DTYPES]
CASES += [case("fill-%s-%s" % (d, v), batch([2], [3], dtype=d), fill_value=v)
          for d in ("uint8", "int8", "float32", "float16", "uint32", "int64", "bool")
          for v in (0.5, 1.5, 2.5, -1.5, 300.0, -300.0, 1e10)]
CASES += [
    case("default", B),
    case("axes", B, axes=[0]),
    case("axes-order", B, axes=[1, 0], shape=[6, 7]),
    case("axes-negative", B, axes=[-2], shape=[9]),
    case("axes-empty", B, axes=[]),
    case("axes-number", N, axes=1),
    case("axes-per-sample", N, axes=per_sample([0, 1], [1, 0], [0, 1], dtype="int32"),
         shape=[6, 7]),
    case("axis-names", B, axis_names="W"),
    case("axis-names-two", B, axis_names="WH", shape=[8, 9]),
    case("shape", N, shape=[5, 6]),
    case("shape-minus-one", N, shape=[-1, 9]),
    case("shape-smaller", N, shape=[2, 2]),
    case("shape-zero", N, shape=[0, 0]),
    case("shape-per-sample", N, shape=per_sample([4, 4], [5, 5], [6, 6], dtype="int32")),
    case("shape-one-axis", B, axes=[0], shape=[7]),
    case("align", N, align=[4, 4]),
    case("align-one", N, align=[1, 8]),
    case("align-and-axes", B, axes=[1], align=[8]),
    case("align-and-shape", N, shape=[5, 6], align=[4, 4]),
    case("align-per-sample", N, align=per_sample([2, 4], [8, 8], [3, 5], dtype="int32")),
    case("align-not-power", N, align=[3, 7]),
    case("fill-per-sample", N, fill_value=per_sample(1.0, 2.0, 3.0)),
    case("tensor", tensor(2, 3), shape=[4, 4]),
    case("tensor-alone", tensor(2, 3)),
    case("numpy", array(2, 3), align=[4, 4]),
    case("rank-1", batch([3], [7], [0])),
    case("rank-5", batch([1, 2, 1, 2, 1], [2, 1, 1, 1, 3])),
    case("scalar", batch([], [])),
    case("none", N, align=None, axes=None, axis_names=None, fill_value=None, shape=None),
    case("axes-and-names", B, axes=[0], axis_names="W"),
    case("axes-twice", B, axes=[0, 0], shape=[4, 5]),
    wrong("axes-out", B, axes=[5]),
    wrong("axes-negative-out", B, axes=[-4]),
    wrong("axis-names-unknown", B, axis_names="Q"),
    wrong("axis-names-no-layout", N, axis_names="H"),
    wrong("shape-length", N, shape=[4]),
    wrong("align-length", N, align=[4]),
    wrong("align-zero", N, align=[0, 0]),
    wrong("align-negative", N, align=[-2, 2]),
    wrong("fill-text", N, fill_value="a"),
    wrong("fill-list", N, fill_value=[1.0, 2.0]),
    wrong("shape-text", N, shape="ab"),
    wrong("axis-names-number", N, axis_names=3),
    wrong("shape-batch-size", N, shape=per_sample([4, 4], [5, 5], dtype="int32")),
    wrong("no-input"),
]
CASES += device_cases(N)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float64 scalar axes-and-names axes-twice
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
