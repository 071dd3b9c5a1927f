"""Cases of random_crop_generator."""
from parity.case import INTS, array_of, case, device_cases, per_sample, tensor_of, wrong

OP = "random_crop_generator"
SHAPES = per_sample([480, 640], [100, 100], [17, 300], [300, 17], [1, 1], dtype="int32")

CASES = [case("dtype-" + d, per_sample([80, 90], [100, 60], dtype=d), seed=100) for d in INTS]
CASES += [case("seed-%d" % s, SHAPES, seed=s) for s in range(5)]
CASES += [case("area-%s-%s-ratio-%s-%s" % (a, b, c, d), SHAPES, seed=101, random_area=[a, b],
               random_aspect_ratio=[c, d])
          for a, b, c, d in [(0.5, 0.6, 0.9, 1.1), (0.08, 1.0, 1.0, 1.0), (1.0, 1.0, 0.75, 1.333),
                             (0.001, 0.01, 0.1, 10.0), (0.9, 1.0, 3.0, 4.0), (0.5, 0.5, 1.0, 1.0),
                             (0.0, 0.0, 1.0, 1.0)]]
CASES += [case("attempts-%d" % n, SHAPES, seed=102, num_attempts=n) for n in (1, 2, 3, 100)]
CASES += [
    case("with-channels", per_sample([48, 64, 3], [10, 20, 1], dtype="int64"), seed=1),
    case("tensor", tensor_of([48, 64], "int64"), seed=2),
    case("list", [48, 64], seed=2),
    case("numpy", array_of([48, 64], "int32"), seed=2),
    case("broadcast", [48, 64], seed=2, batch_size=3),
    case("large", per_sample([20000, 30000], dtype="int32"), seed=3),
    case("zero-height", [0, 10], seed=4),
    case("zero-width", [10, 0], seed=4),
    case("negative", [-1, 10], seed=4),
    case("attempts-zero", SHAPES, seed=4, num_attempts=0),
    case("attempts-negative", SHAPES, seed=4, num_attempts=-1),
    case("area-over-one", SHAPES, seed=4, random_area=[0.5, 2.0]),
    case("area-one-value", SHAPES, seed=4, random_area=[0.5]),
    case("area-number", SHAPES, seed=4, random_area=0.5),
    case("ratio-zero", SHAPES, seed=4, random_aspect_ratio=[0.0, 1.0]),
    case("none", SHAPES, seed=4, random_area=None, random_aspect_ratio=None, num_attempts=None),
    wrong("area-reversed", SHAPES, seed=4, random_area=[0.8, 0.5]),
    wrong("area-negative", SHAPES, seed=4, random_area=[-0.5, 0.5]),
    wrong("ratio-reversed", SHAPES, seed=4, random_aspect_ratio=[2.0, 1.0]),
    wrong("ratio-negative", SHAPES, seed=4, random_aspect_ratio=[-2.0, -1.0]),
    wrong("area-text", SHAPES, seed=4, random_area="ab"),
    wrong("one-extent", [10], seed=1),
    wrong("four-extents", [10, 10, 3, 1], seed=1),
    wrong("image", {"kind": "batch", "shapes": [[4, 4, 3]]}, seed=1),
    wrong("float", [10.5, 10.0], seed=1),
    wrong("no-input", seed=1),
    wrong("rng", SHAPES, rng=5),
]
CASES += device_cases([10, 10], seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-uint64
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/area-negative wrong/ratio-negative
""".split())
