"""Cases of transpose."""
from parity.case import DTYPES, batch, case, device_cases, tensor, tensor_of, wrong

OP = "transpose"
A = batch([2, 3, 4], [1, 5, 2], layout="HWC")
N = batch([2, 3, 4], [1, 5, 2])

CASES = [case("dtype-" + d, batch([3, 4, 5], dtype=d), perm=[2, 0, 1]) for d in DTYPES]
CASES += [case("perm-%d%d%d" % p, N, perm=list(p))
          for p in [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]]
CASES += [case("long-%s-%s-%d%d%d" % ((d, n) + p), batch(s, dtype=d), perm=list(p))
          for d in ("uint8", "float32")
          for n, s in (("hwc", [67, 45, 3]), ("chw", [3, 67, 45]), ("any", [33, 5, 70]))
          for p in [(2, 0, 1), (1, 2, 0), (2, 1, 0)]]
CASES += [
    case("default", A),
    case("default-no-layout", N),
    case("layout-stays", A, perm=[2, 0, 1], transpose_layout=False),
    case("layout-moves", A, perm=[2, 0, 1], transpose_layout=True),
    case("layout-given", A, perm=[2, 0, 1], output_layout="ABC"),
    case("layout-given-stays", A, perm=[2, 0, 1], output_layout="CHW", transpose_layout=False),
    case("layout-alone", A, output_layout="CHW"),
    case("layout-of-bare", N, perm=[2, 0, 1], output_layout="CHW"),
    case("reverse-layout-stays", A, transpose_layout=False),
    case("floats", A, perm=[2.0, 0.0, 1.0]),
    case("scalar", tensor_of(3, "uint8")),
    case("scalar-perm", tensor_of(3, "uint8"), perm=[]),
    case("one-axis", tensor(5)),
    case("zero-extent", tensor(0, 3)),
    case("one-pixel", tensor(1, 1, 3, layout="HWC"), perm=[2, 0, 1]),
    case("rank-6", tensor(1, 2, 3, 2, 1, 2), perm=[3, 5, 1, 0, 2, 4]),
    case("rank-5", tensor(2, 3, 2, 2, 3), perm=[0, 3, 4, 1, 2]),
    wrong("short", A, perm=[2, 0]),
    wrong("twice", A, perm=[2, 0, 0]),
    wrong("out", A, perm=[2, 0, 3]),
    wrong("negative", A, perm=[-1, 0, 1]),
    wrong("empty", A, perm=[]),
    wrong("layout-short", A, perm=[2, 0, 1], output_layout="AB"),
    wrong("layout-empty", A, output_layout=""),
]
CASES += device_cases(A)

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
