"""Cases of noise.gaussian."""
from parity.case import (NUMBERS, array, batch, case, device_cases, per_sample, tensor, tensor_of,
                         wrong)

OP = "noise.gaussian"
B = batch([3, 4, 3], [2, 5, 3], layout="HWC")

CASES = [case("dtype-" + d, batch([3, 4, 3], [2, 5, 3], dtype=d, layout="HWC"), seed=70,
              mean=2.0, stddev=20.0) for d in NUMBERS if d != "float16"]
CASES += [case("layout-" + lay, batch(shape, layout=lay), seed=71, stddev=9.0)
          for lay, shape in [("CHW", [3, 4, 5]), ("FHWC", [2, 3, 4, 1]), ("XY", [3, 4]),
                             ("DHWC", [2, 2, 2, 2])]]
CASES += [
    case("default", batch([3, 4, 3], dtype="float32"), seed=1),
    case("clamped", B, seed=2, stddev=400.0),
    case("mean-per-sample", B, seed=3, mean=per_sample(10.0, -10.0)),
    case("stddev-per-sample", B, seed=3, stddev=per_sample(0.0, 30.0)),
    case("stddev-tensor", B, seed=3, stddev=tensor_of(30.0)),
    case("stddev-zero", B, seed=3, stddev=0.0),
    case("stddev-negative", B, seed=3, stddev=-5.0),
    case("tensor", tensor(2, 3), seed=4, stddev=10.0),
    case("tensor-broadcast", tensor(2, 3), seed=4, stddev=10.0, batch_size=2),
    case("numpy", array(2, 3, dtype="float32"), seed=4),
    case("scalar", 5.0, seed=4),
    case("int-scalar", 5, seed=4, stddev=10.0),
    case("empty", batch([0, 3], [2, 3]), seed=4),
    case("large", batch([60, 70, 3], layout="HWC"), seed=5, stddev=5.0),
    case("none", B, seed=5, mean=None, stddev=None),
    wrong("dtype-bool", batch([2, 2], dtype="bool"), seed=1),
    wrong("dtype-float16", batch([2, 2], dtype="float16"), seed=1),
    wrong("mean-text", B, seed=1, mean="a"),
    wrong("mean-list", B, seed=1, mean=[1.0, 2.0]),
    wrong("no-input", seed=1),
    wrong("rng", B, rng=5),
]
CASES += device_cases(B, seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float64
""".split())
