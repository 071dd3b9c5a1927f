"""Cases of one_hot."""
from parity.case import INTS, batch, case, device_cases, dt, tensor, tensor_of, wrong

OP = "one_hot"
B = batch([2, 3], [4, 1], dtype="int32", range=[-1, 5], layout="HW")
N = batch([2, 3], [4, 1], dtype="int32", range=[-1, 5])

CASES = [case("from-" + d, batch([9], dtype=d, range=[0, 6]), num_classes=4)
         for d in INTS + ["float32", "float64", "float16"]]
CASES += [case("to-" + d, N, num_classes=4, dtype=dt(d), on_value=7.6, off_value=2.5)
          for d in INTS + ["float32", "float64", "float16", "bool"]]
CASES += [case("axis-%d" % a, B, num_classes=4, axis=a) for a in (0, 1, 2, -1)]
CASES += [
    case("default", N),
    case("values", N, num_classes=5, on_value=3, off_value=-2),
    case("value-negative-fraction", N, num_classes=3, dtype=dt("int8"), on_value=7.6,
         off_value=-3.5),
    case("value-over", N, num_classes=3, dtype=dt("uint8"), on_value=300),
    case("fill-below", N, num_classes=3, dtype=dt("uint16"), off_value=-1),
    case("name", B, num_classes=4, axis_name="C"),
    case("name-axis", B, num_classes=4, axis_name="C", axis=0),
    case("name-same", B, num_classes=4, axis_name="H", axis=0),
    case("scalar", 1, num_classes=3),
    case("scalar-name", tensor_of(1, "int32"), num_classes=3, axis_name="C"),
    case("scalar-name-axis", tensor_of(1, "int32"), num_classes=3, axis_name="C", axis=0),
    case("one-element", tensor_of([[1]], "int32"), num_classes=3),
    case("one-element-axis", tensor_of([[1]], "int32"), num_classes=3, axis=0),
    case("one-element-last", tensor_of([[1]], "int32"), num_classes=3, axis=-1),
    case("one-element-name", tensor_of([[1]], "int32", "HW"), num_classes=3, axis_name="C"),
    case("one-element-batch", batch([1], [1], dtype="int32", range=[0, 3]), num_classes=3),
    case("one-element-some", batch([1], [2], dtype="int32", range=[0, 3]), num_classes=3),
    case("fraction", tensor_of([1.7, -0.5, 0.99], "float32"), num_classes=3),
    case("special", tensor_of([float("nan"), float("inf"), -float("inf"), 1e10, -1e10], "float32"),
         num_classes=3),
    case("wide", tensor_of([1, 2**32 + 1], "int64"), num_classes=3),
    case("zero-extent", tensor(0, dtype="int32"), num_classes=3),
    case("no-classes", N, num_classes=0),
    case("bool", True, num_classes=3),
    wrong("classes-negative", N, num_classes=-2),
    wrong("axis-out", tensor(2, dtype="int32"), num_classes=3, axis=2),
    wrong("axis-negative", tensor(2, dtype="int32"), num_classes=3, axis=-2),
    wrong("name-two", B, num_classes=3, axis_name="CD"),
    wrong("name-empty", B, num_classes=3, axis_name=""),
    wrong("name-no-layout", N, num_classes=3, axis_name="C"),
    wrong("text", N, num_classes="a"),
]
CASES += device_cases(N, num_classes=3)

PEER_REFUSES = set("""
from-float16 to-float16 to-bool bool
""".split())
PEER_ACCEPTS = set("""
wrong/batch-size-negative
""".split())
