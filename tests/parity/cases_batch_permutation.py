"""Cases of batch_permutation."""
from parity.case import case, wrong

OP = "batch_permutation"

CASES = [case("size-%d-repeat-%d-nofix-%d" % (n, r, f), seed=40 + n, batch_size=n,
              allow_repetitions=bool(r), no_fixed_points=bool(f))
         for n in (1, 2, 3, 4, 5, 8, 13, 100) for r in (0, 1) for f in (0, 1)]
CASES += [
    case("default", seed=1, batch_size=6),
    case("large", seed=2, batch_size=3000),
    case("device-cpu", seed=3, batch_size=4, device="cpu"),
    case("none", seed=3, batch_size=4, allow_repetitions=None, no_fixed_points=None),
    case("truthy", seed=4, batch_size=5, allow_repetitions=2),
    wrong("no-batch-size", seed=5),
    wrong("batch-size-zero", seed=5, batch_size=0),
    wrong("batch-size-negative", seed=5, batch_size=-1),
    wrong("batch-size-text", seed=5, batch_size="a"),
    wrong("device-gpu", seed=5, batch_size=2, device="gpu"),
    wrong("input", 3, batch_size=2),
    wrong("rng", batch_size=2, rng=5),
    wrong("unknown-argument", batch_size=2, seed_=5),
    case("truthy-text", seed=5, batch_size=6, allow_repetitions="a"),
]
