"""Cases of noise.shot: exact below a mean of 12, by distribution above."""
from parity.case import (NUMBERS, array, batch, case, device_cases, per_sample, tensor, tensor_of,
                         wrong)

OP = "noise.shot"
B = batch([3, 4, 3], [2, 5, 3], layout="HWC", range=[0, 100])

CASES = [case("dtype-" + d, batch([3, 4, 3], [2, 5, 3], dtype=d, layout="HWC", range=[0, 100]),
              seed=90, factor=10.0) for d in NUMBERS if d != "float16"]
CASES += [case("layout-" + lay, batch(shape, layout=lay, range=[0, 100]), seed=91)
          for lay, shape in [("CHW", [3, 4, 5]), ("FHWC", [2, 3, 4, 1]), ("XY", [3, 4])]]
CASES += [case("mean-%g" % (x / f), batch([20000], dtype="float32", fill=float(x)), seed=92,
               factor=float(f), rule="distribution") for x, f in [(20, 1), (1000, 5), (255, 0.5)]]
CASES += [
    case("default", B, seed=1),
    case("small-factor", batch([3, 3], range=[0, 6]), seed=2, factor=0.5),
    case("fraction", batch([3, 9], dtype="float32", range=[0.0, 5.0]), seed=2, factor=0.7),
    case("negative-input", batch([3, 9], dtype="float32", range=[-5.0, 5.0]), seed=2, factor=1.0),
    case("negative-int", batch([3, 9], dtype="int16", range=[-50, 50]), seed=2, factor=10.0),
    case("clamped", batch([50], fill=250), seed=2, factor=100.0),
    case("factor-zero", B, seed=3, factor=0.0),
    case("factor-negative", B, seed=3, factor=-1.0),
    case("factor-per-sample", B, seed=3, factor=per_sample(20.0, 50.0)),
    case("factor-tensor", B, seed=3, factor=tensor_of(50.0)),
    case("tensor", tensor(2, 3, range=[0, 100]), seed=4),
    case("numpy", array(2, 3, dtype="float32", range=[0.0, 100.0]), seed=4),
    case("scalar", 5.0, seed=4, factor=1.0),
    case("empty", batch([0, 3], [2, 3], range=[0, 100]), seed=4),
    case("none", B, seed=5, factor=None),
    wrong("dtype-bool", batch([2, 2], dtype="bool"), seed=1),
    wrong("factor-text", B, seed=1, factor="a"),
    wrong("factor-list", B, seed=1, factor=[1.0, 2.0]),
    wrong("no-input", seed=1),
    wrong("rng", B, rng=5),
]
CASES += device_cases(B, seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-float64
""".split())
