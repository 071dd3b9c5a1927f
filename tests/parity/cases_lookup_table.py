"""Cases of lookup_table."""
from parity.case import DTYPES, INTS, batch, case, device_cases, dt, tensor_of, ty, wrong

OP = "lookup_table"
B = batch([4, 5], [3, 2], range=[0, 8], layout="HW")

CASES = [case("from-" + d, batch([30], dtype=d, range=[-3 if d[0] == "i" else 0, 12]),
              keys=[1, 3, 9], values=[10.5, 20, -3], default_value=0.25) for d in INTS]
CASES += [case("to-" + d, B, keys=[1, 3, 5, 6], values=[10.5, 300, -2.5, 0.2], default_value=1.5,
               dtype=dt(d)) for d in DTYPES]
CASES += [
    case("default", B),
    case("default-value", B, default_value=3),

    case("twice", B, keys=[1, 1], values=[10, 20]),
    case("one", B, keys=3, values=10),
    case("largest-key", tensor_of([65535, 1, 65536, 65537], "int32"), keys=[65535, 1],
         values=[10, 20], default_value=5),
    case("beyond", tensor_of([70000, -1, 65539], "int32"), keys=[3, 1], values=[10, 20],
         default_value=5),
    case("beyond-uint64", tensor_of([2**63 + 1, 1], "uint64"), keys=[1], values=[10],
         default_value=5),
    case("large-value", B, keys=[3], values=[1e30], dtype=dt("int64")),
    case("old-dtype", B, keys=[3], values=[10], output_dtype=ty("UINT8")),
    case("zero-extent", batch([0, 2]), keys=[3], values=[10]),
    case("scalar", 3, keys=[3], values=[10]),
    wrong("lengths", B, keys=[1, 3], values=[10.5]),
    wrong("key-negative", B, keys=[-1, 1], values=[10, 20]),
    wrong("key-large", B, keys=[65536, 1], values=[10, 20]),
    wrong("floats", batch([3], dtype="float32"), keys=[1], values=[10]),
    wrong("bools", batch([3], dtype="bool"), keys=[1], values=[10]),
    wrong("both-dtypes", B, keys=[1], values=[10], dtype=dt("int16"), output_dtype=ty("UINT8")),
    wrong("values-text", B, keys=[1], values="a"),
]
CASES += device_cases(B, keys=[1], values=[2])

PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
