"""Cases of random.normal; bit for bit where the C library's log and cos are the same."""
from parity.case import (DTYPES, array, batch, case, device_cases, dt, per_sample, tensor_of,
                         wrong)

OP = "random.normal"

CASES = [case("dtype-" + d, seed=20, batch_size=2, shape=[9], dtype=dt(d), mean=5.0, stddev=100.0)
         for d in DTYPES if d != "bool"]
CASES += [
    case("default", seed=1),
    case("batch", seed=2, batch_size=3, shape=[50]),
    case("large", seed=3, shape=[4000]),
    case("large-float64", seed=3, shape=[2000], dtype=dt("float64")),
    case("mean-per-sample", seed=4, shape=[4], mean=per_sample(1, 2, 3)),
    case("stddev-per-sample", seed=4, shape=[4], stddev=per_sample(1, 2, 3)),
    case("mean-tensor", seed=4, shape=[4], mean=tensor_of(100.0), batch_size=2),
    case("stddev-zero", seed=4, shape=[4], stddev=0.0, mean=1.5),
    case("stddev-negative", seed=4, shape=[4], stddev=-1.0),
    case("shape-like", batch([2, 3], [4, 1], layout="HW"), seed=6),
    case("shape-like-numpy", array(2, 3), seed=6),
    case("shape-per-sample", seed=5, shape=per_sample([2], [3], dtype="int32")),
    case("shape-zero", seed=5, shape=[0, 3]),
    case("integers", seed=7, shape=[30], dtype=dt("int8"), stddev=60.0),
    case("none", seed=7, mean=None, stddev=None, dtype=None, shape=None),
    case("mean-int", seed=7, mean=3, stddev=2),
    case("bool", seed=7, shape=[20], dtype=dt("bool")),
    wrong("mean-text", seed=1, mean="a"),
    wrong("mean-list", seed=1, mean=[1.0, 2.0]),
    wrong("shape-and-like", array(2, 3), seed=1, shape=[2]),
    wrong("dtype", seed=1, dtype=dt("InterpType")),
    wrong("rng", rng="a"),
]
CASES += device_cases(shape=[2], seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float16 bool
""".split())
