"""Cases of random.beta: exact in float, by distribution in double (spec: random numbers, 10)."""
from parity.case import array, batch, case, device_cases, dt, per_sample, tensor_of, wrong

OP = "random.beta"

CASES = [case("a-%s-b-%s" % (a, b), seed=60, batch_size=2, shape=[40], alpha=a, beta=b)
         for a, b in [(1.0, 1.0), (2.0, 3.0), (0.5, 0.25), (0.5, 2.0), (3.0, 0.5), (0.1, 0.1),
                      (1.0, 0.3), (30.0, 50.0), (1e-3, 1e-3), (1e4, 1.0)]]
CASES += [case("double-a-%s-b-%s" % (a, b), seed=61, shape=[20000], alpha=a, beta=b,
               dtype=dt("float64"), rule="distribution")
          for a, b in [(1.0, 1.0), (2.0, 3.0), (0.5, 0.25), (0.5, 2.0)]]
CASES += [
    case("default", seed=1),
    case("batch", seed=2, batch_size=5),
    case("float32", seed=2, shape=[3], dtype=dt("float32")),
    case("alpha-per-sample", seed=3, shape=[6], alpha=per_sample(0.5, 1, 3)),
    case("beta-per-sample", seed=3, shape=[6], beta=per_sample(0.5, 1, 3)),
    case("alpha-tensor", seed=3, shape=[6], alpha=tensor_of(2.0), batch_size=2),
    case("shape-like", batch([2, 3], [4, 1], layout="HW"), seed=4, alpha=2.0),
    case("shape-like-numpy", array(2, 3), seed=4),
    case("shape-per-sample", seed=4, shape=per_sample([2], [3], dtype="int32")),
    case("none", seed=4, alpha=None, beta=None, dtype=None, shape=None),
    wrong("alpha-zero", seed=1, alpha=0.0),
    wrong("beta-zero", seed=1, beta=0.0),
    wrong("alpha-negative", seed=1, alpha=-1.0),
    wrong("alpha-infinite", seed=1, alpha=float("inf")),
    wrong("beta-nan", seed=1, beta=float("nan")),
    wrong("dtype-int", seed=1, dtype=dt("int32")),
    wrong("dtype-half", seed=1, dtype=dt("float16")),
    wrong("alpha-text", seed=1, alpha="a"),
    wrong("shape-and-like", array(2, 3), seed=1, shape=[2]),
    wrong("rng", rng=5),
]
CASES += device_cases(shape=[2], seed=3)
