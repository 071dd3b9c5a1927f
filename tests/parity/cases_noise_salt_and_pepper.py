"""Cases of noise.salt_and_pepper."""
from parity.case import (NUMBERS, array, batch, case, device_cases, per_sample, tensor, tensor_of,
                         wrong)

OP = "noise.salt_and_pepper"
B = batch([3, 4, 3], [2, 5, 3], layout="HWC")

CASES = [case("dtype-%s-%d" % (d, c), batch([3, 4, 3], [2, 5, 3], dtype=d, layout="HWC"),
              seed=80, prob=0.5, per_channel=bool(c))
         for d in NUMBERS if d != "float16" for c in (0, 1)]
CASES += [case("layout-%s-%d" % (lay, c), batch(shape, layout=lay), seed=81, prob=0.5,
               per_channel=bool(c))
          for lay, shape in [("CHW", [3, 4, 5]), ("FHWC", [2, 3, 4, 2]), ("XY", [3, 4]),
                             ("HW", [4, 5]), ("DHWC", [2, 2, 2, 2]), (None, [3, 4, 3]),
                             ("CW", [3, 4]), ("FCHW", [2, 3, 2, 2])]
          for c in (0, 1)]
CASES += [case("prob-%s-split-%s" % (p, s), B, seed=82, prob=p, salt_vs_pepper=s)
          for p in (0.0, 0.05, 1.0) for s in (0.0, 0.3, 1.0)]
CASES += [
    case("default", B, seed=1),
    case("values", B, seed=2, prob=0.6, salt_val=200.0, pepper_val=10.0),
    case("values-rounded", B, seed=2, prob=0.6, salt_val=200.6, pepper_val=300.0),
    case("values-float", batch([4, 4, 1], dtype="float32", layout="HWC"), seed=2, prob=0.6,
         salt_val=0.5, pepper_val=-0.25),
    case("salt-only", B, seed=2, prob=0.6, salt_val=77.0),
    case("pepper-only", B, seed=2, prob=0.6, pepper_val=77.0),
    case("pepper-negative", B, seed=2, prob=0.6, pepper_val=-77.0),
    case("prob-per-sample", B, seed=3, prob=per_sample(0.9, 0.1)),
    case("split-per-sample", B, seed=3, prob=0.9, salt_vs_pepper=per_sample(0.9, 0.1)),
    case("values-per-sample", B, seed=3, prob=0.9, salt_val=per_sample(1, 2),
         pepper_val=per_sample(3, 4)),
    case("prob-tensor", B, seed=3, prob=tensor_of(0.9)),
    case("tensor", tensor(2, 3, layout="HW"), seed=4, prob=0.5),
    case("numpy", array(2, 3, 4), seed=4, prob=0.5),
    case("empty", batch([0, 3, 1], [2, 3, 1], layout="HWC"), seed=4),
    case("large", batch([60, 70, 3], layout="HWC"), seed=5),
    case("none", B, seed=5, prob=None, salt_val=None, pepper_val=None, per_channel=None,
         salt_vs_pepper=None),
    wrong("prob-over", B, seed=1, prob=1.5),
    wrong("prob-under", B, seed=1, prob=-0.5),
    wrong("split-over", B, seed=1, salt_vs_pepper=2.0),
    wrong("split-under", B, seed=1, salt_vs_pepper=-0.1),
    wrong("prob-text", B, seed=1, prob="a"),
    wrong("dtype-bool", batch([2, 2, 1], dtype="bool"), seed=1),
    wrong("no-input", seed=1),
    wrong("rng", B, rng=5),
]
CASES += device_cases(B, seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float64-0 dtype-float64-1 layout-XY-0 layout-HW-0 layout-FCHW-0 tensor
""".split())
