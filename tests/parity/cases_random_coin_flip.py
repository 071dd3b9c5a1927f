"""Cases of random.coin_flip."""
from parity.case import (DTYPES, array, batch, case, device_cases, dt, per_sample, tensor_of,
                         wrong)

OP = "random.coin_flip"

CASES = [case("dtype-" + d, seed=30, batch_size=2, shape=[19], dtype=dt(d)) for d in DTYPES]
CASES += [case("probability-%s" % p, seed=31, shape=[64], probability=p)
          for p in (0.0, 0.1, 0.5, 0.9, 1.0, 1e-9, 0.99999999)]
CASES += [
    case("default", seed=1),
    case("batch", seed=2, batch_size=8),
    case("probability-per-sample", seed=3, shape=[9], probability=per_sample(0.0, 0.3, 1.0)),
    case("probability-tensor", seed=3, shape=[9], probability=tensor_of(0.3), batch_size=2),
    case("shape-like", batch([2, 3], [4, 1], layout="HW"), seed=6),
    case("shape-like-numpy", array(2, 3), seed=6),
    case("shape-per-sample", seed=5, shape=per_sample([2], [3], dtype="int32")),
    case("none", seed=7, probability=None, dtype=None, shape=None),
    case("probability-over", seed=7, shape=[9], probability=1.5),
    case("probability-under", seed=7, shape=[9], probability=-0.5),
    case("probability-int", seed=7, shape=[9], probability=1),
    wrong("probability-text", seed=1, probability="a"),
    wrong("probability-list", seed=1, probability=[0.5, 0.5]),
    wrong("shape-and-like", array(2, 3), seed=1, shape=[2]),
    wrong("rng", rng=1.5),
]
CASES += device_cases(shape=[2], seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint16 dtype-int16 dtype-uint32 dtype-uint64 dtype-int64 dtype-float16
dtype-float32 dtype-float64
""".split())
