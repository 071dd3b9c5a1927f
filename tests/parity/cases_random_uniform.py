"""Cases of random.uniform; all are bit for bit (spec: random numbers)."""
from parity.case import (DTYPES, array, batch, case, device_cases, dt, per_sample, scalar, tensor,
                         tensor_of, wrong)

OP = "random.uniform"
RANGES = {"uint8": [0.0, 255.0], "int8": [-100.0, 100.0], "uint16": [0.0, 60000.0],
          "int16": [-300.0, 300.0], "uint32": [0.0, 1000.0], "int32": [-1e6, 1e6],
          "uint64": [0.0, 1e12], "int64": [-7.0, 1e9], "float16": [-1.0, 1.0],
          "float32": [-3.0, 7.5], "float64": [-1.0, 1.0], "bool": [0.0, 1.0]}

CASES = [case("dtype-" + d, seed=10, batch_size=2, shape=[9], dtype=dt(d), range=RANGES[d])
         for d in DTYPES]
CASES += [case("seed-%d" % s, seed=s, batch_size=2, shape=[5])
          for s in (0, 1, 2**32, 2**63 + 5, 2**64 - 1, -1)]
CASES += [case("values-" + d, seed=11, batch_size=2, shape=[7], values=[0.0, 1.0, 2.5, 100.0],
               dtype=dt(d)) for d in ("uint8", "int32", "float32", "float64", "float16")]
CASES += [
    case("default", seed=1),
    case("batch", seed=2, batch_size=4),
    case("shape-2d", seed=3, batch_size=2, shape=[3, 5]),
    case("shape-number", seed=4, shape=3),
    case("shape-empty", seed=4, shape=[]),
    case("shape-zero", seed=4, shape=[0]),
    case("shape-per-sample", seed=5, shape=per_sample([2], [3], dtype="int32")),
    case("shape-tensor", seed=5, shape=tensor_of([2, 3], "int32"), batch_size=2),
    case("shape-large", seed=5, shape=[300, 70]),
    case("shape-like", batch([2, 3], [4, 1]), seed=6),
    case("shape-like-layout", batch([2, 3], [4, 1], layout="HW"), seed=6),
    case("shape-like-tensor", tensor(2, 3, dtype="float64"), seed=6),
    case("shape-like-numpy", array(2, 3), seed=6),
    case("shape-like-list", [1, 2, 3], seed=6),
    case("shape-like-dtype", batch([2], dtype="uint8"), seed=6, dtype=dt("float64")),
    case("range-per-sample", seed=7, shape=[4], range=per_sample([0, 1], [5, 6], [-2, 9])),
    case("range-tensor", seed=7, shape=[4], range=tensor_of([0, 5]), batch_size=2),
    case("range-tiny", seed=8, shape=[8], range=[1.0, 1.0000001]),
    case("range-huge", seed=8, shape=[8], range=[-1e38, 1e38]),
    case("range-int", seed=8, shape=[8], range=[0, 10]),
    case("range-integers-in-float", seed=8, shape=[8], range=[0.4, 9.6], dtype=dt("int32")),
    case("values-one", seed=9, shape=[4], values=[3.0]),
    case("values-number", seed=9, shape=[4], values=3.0),
    case("values-per-sample", seed=9, shape=[4], values=per_sample([1, 2], [5, 6])),
    case("values-and-range", seed=9, shape=[4], range=[0.0, 1.0], values=[1.0, 2.0]),
    case("values-clamped", seed=9, shape=[6], values=[-5.0, 300.0, 1.5], dtype=dt("uint8")),
    case("none", seed=9, range=None, values=None, dtype=None, shape=None),
    case("range-outside-uint8", seed=9, shape=[8], range=[-3.0, 300.0], dtype=dt("uint8")),
    case("values-empty", seed=9, values=[], alone=True),
    case("range-numpy", seed=9, range=[scalar(0.0, "float32"), scalar(2.0, "float64")]),
    wrong("range-one", seed=1, range=[1.0]),
    wrong("range-three", seed=1, range=[1.0, 2.0, 3.0]),
    wrong("range-number", seed=1, range=1.0),
    wrong("range-equal", seed=1, range=[1.0, 1.0]),
    wrong("range-reversed", seed=1, range=[2.0, 1.0]),
    wrong("range-nan", seed=1, range=[float("nan"), 1.0]),
    wrong("range-text", seed=1, range="ab"),
    wrong("shape-negative", seed=1, shape=[-1]),
    wrong("shape-and-like", array(2, 3), seed=1, shape=[2]),
    wrong("shape-batch-size", seed=5, shape=per_sample([2], [3], dtype="int32"), batch_size=3),
    wrong("dtype-text", seed=1, dtype="foo"),
    wrong("rng", rng=5),
    wrong("batch-size-zero", seed=1, batch_size=0),
    wrong("two-inputs", 1, 2, seed=1),
]
CASES += device_cases(shape=[2], seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float16 dtype-bool values-float16
""".split())
