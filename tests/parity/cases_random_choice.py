"""Cases of random.choice."""
from parity.case import (DTYPES, INTS, array, array_of, batch, case, device_cases, per_sample,
                         scalar, tensor, tensor_of, wrong)

OP = "random.choice"

CASES = [case("count-" + d, scalar(100, d), seed=40, shape=[20]) for d in INTS]
CASES += [case("pool-" + d, batch([5], [3], dtype=d), seed=41, shape=[11]) for d in DTYPES]
CASES += [
    case("default", 5, seed=1),
    case("one", 1, seed=1, shape=[4]),
    case("counts", per_sample(5, 7, dtype="int32"), seed=42, shape=[12]),
    case("count-large", per_sample(3000000000, 4000000000, dtype="int64"), seed=43, shape=[12]),
    case("list", [3, 1, 4, 1, 5], seed=44, shape=[6]),
    case("rows", array(4, 3), seed=45, shape=[5]),
    case("rows-scalar", array(4, 3), seed=45),
    case("rows-3d", batch([3, 2, 2], [4, 2, 2], dtype="int32"), seed=46, shape=[3]),
    case("rows-2d-shape", array(4, 3), seed=45, shape=[2, 2]),
    case("layout", batch([4, 3], layout="AB"), seed=46, shape=[3]),
    case("pool-scalar-out", array(6), seed=47),
    case("shape-2d", 9, seed=47, shape=[2, 3]),
    case("shape-like", 9, array(2, 3), seed=48),
    case("shape-like-batch", 9, batch([2, 3], [1, 4]), seed=48),
    case("shape-like-layout", 9, batch([2, 3], [1, 4], layout="HW"), seed=48),
    case("shape-per-sample", 9, seed=48, shape=per_sample([2], [3], dtype="int32")),
    case("batch-size", 9, seed=49, shape=[3], batch_size=3),
    case("p", batch([3], [3], dtype="float32"), seed=50, shape=[20], p=[0.1, 0.2, 0.7]),
    case("p-count", per_sample(4, 4, dtype="int32"), seed=51, shape=[12],
         p=[0.25, 0.25, 0.25, 0.25]),
    case("p-per-sample", 2, seed=52, shape=[12], p=per_sample([0.1, 0.9], [1.0, 0.0])),
    case("p-zero-first", 3, seed=53, shape=[30], p=[0.0, 0.5, 0.5]),
    case("p-one", 3, seed=53, shape=[9], p=[0.0, 1.0, 0.0]),
    case("p-tensor", 2, seed=54, shape=[9], p=tensor_of([0.5, 0.5])),
    case("p-array", 2, seed=54, shape=[9], p=array_of([0.5, 0.5])),
    case("p-rows", array(2, 3), seed=55, shape=[9], p=[0.3, 0.7]),
    case("p-near-one", 2, seed=55, shape=[9], p=[0.30004, 0.7]),
    case("none", 5, seed=1, p=None, shape=None),
    case("bool-pool", tensor(4, dtype="bool"), seed=2, shape=[8]),
    wrong("zero", 0, seed=1),
    wrong("negative", -3, seed=1),
    wrong("float", 5.5, seed=1),
    wrong("bool", True, seed=1),
    wrong("empty", [], seed=1),
    wrong("no-pool", seed=1),
    wrong("p-length", 3, seed=1, p=[0.5, 0.5]),
    wrong("p-zeros", 3, seed=1, p=[0.0, 0.0, 0.0]),
    wrong("p-negative", 3, seed=1, p=[-1.0, 1.0, 1.0]),
    wrong("p-sum", 3, seed=1, p=[1.0, 1.0, 1.0]),
    wrong("p-text", 3, seed=1, p="ab"),
    wrong("shape-and-like", 3, array(2), seed=1, shape=[2]),
    wrong("shape-negative", 3, seed=1, shape=[-2]),
    wrong("rng", 3, rng=5),
]
CASES += device_cases(5, seed=3)
