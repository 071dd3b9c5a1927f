"""Cases of squeeze. The peer's dynamic mode does not see `axes` at all ("Missing argument"); its
pipelines take them, and ours follow those."""
from parity.case import DTYPES, batch, case, device_cases, per_sample, tensor, wrong

OP = "squeeze"
S = batch([1, 3, 1], [1, 5, 1], layout="HWC")
N = batch([1, 3, 1])

CASES = [case("dtype-" + d, batch([1, 3, 1], dtype=d, layout="HWC"), axis_names="H")
         for d in DTYPES]
CASES += [
    case("names-two", S, axis_names="HC"),
    case("names-order", S, axis_names="CH"),
    case("names-empty", S, axis_names=""),
    case("to-scalar", tensor(1, 1, layout="HW"), axis_names="HW"),
    case("zero-extent", tensor(1, 0, 1, layout="HWC"), axis_names="H"),
    case("axes", S, axes=[0]),
    case("axes-two", N, axes=[0, 2]),
    case("axes-negative", S, axes=[-1]),
    case("axes-number", S, axes=0),
    case("axes-empty", S, axes=[]),
    case("axes-per-sample", batch([1, 3, 1], [1, 4, 1]), axes=per_sample([0], [2], dtype="int32")),
    wrong("nothing", S),
    wrong("extent", S, axis_names="W"),
    wrong("extent-zero", tensor(1, 0, 1, layout="HWC"), axis_names="W"),
    wrong("unknown", S, axis_names="Q"),
    wrong("no-layout", N, axis_names="H"),
    wrong("both", S, axis_names="H", axes=[0]),
    case("both-per-sample", S, axis_names="H", axes=per_sample([0], [0], dtype="int32")),
    wrong("axes-extent", S, axes=[1]),
    wrong("axes-out", S, axes=[3]),
]
CASES += device_cases(S, axis_names="H")

PEER_REFUSES = set("""
axes axes-two axes-negative axes-number axes-empty axes-per-sample
""".split())
PEER_ACCEPTS = set("""
wrong/batch-size-negative wrong/both
""".split())
