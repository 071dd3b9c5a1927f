"""Cases of math.*: values, types and names of arguments."""
from parity.case import DTYPES, code

OP = "math_functions"
ONE = ("sqrt rsqrt cbrt exp log log2 log10 abs fabs floor ceil sin cos tan asin acos atan sinh cosh tanh "
       "asinh acosh atanh").split()
TWO = "min max pow fpow atan2".split()
REALS = "[0.5, -0.25, 0.0, 1.0, -1.0, 2.5, 77.7, -1e-3, np.inf, -np.inf, np.nan]"


def t(values, dtype):
    return "m.tensor(np.array(%s).astype('%s'))" % (values, dtype)


CASES = [code("%s-%s" % (f, d), "m.math.%s(%s)" % (f, t("[0, 1, 2, 100]", d)), rule="float",
              fails=d in ("float16", "bool")) for f in ONE for d in DTYPES]
CASES += [code("%s-reals-%s" % (f, d), "m.math.%s(%s)" % (f, t(REALS, d)), rule="float")
          for f in ONE for d in ("float32", "float64")]
CASES += [code("%s-%s-%s" % (f, a, b), "m.math.%s(%s, %s)" % (f, t("[0, 1, 2, 3]", a), t("[1, 3, 0, 2]", b)),
               rule="float" if f in ("fpow", "atan2") or "float" in a + b else "exact",
               fails="float16" in (a, b) or (a == b == "bool"))
          for f in TWO for a in DTYPES for b in DTYPES]
CASES += [code("clamp-%s-%s" % (a, b), "m.math.clamp(%s, %s, %s)" % (t("[0, 50, 99]", a), t("10", b), t("60", a)),
               fails="float16" in (a, b) or a == b == "bool") for a in DTYPES for b in DTYPES]
U8, F32 = t("[1, 2, 250]", "uint8"), t("[1, 2.5, -3]", "float32")
NAN = t("[np.nan, 1]", "float32")
CASES += [code(k, "m.math." + v, rule="float") for k, v in {
    "number": "sqrt(4)", "number-float": "sqrt(2.0)", "list": "sqrt([1, 4])", "array": "sqrt(np.array([1., 4]))",
    "abs-number": "abs(-3)", "numbers": "min(1, 2)", "number-right": "min(%s, 3)" % U8, "float-right":
    "max(%s, 2.5)" % U8, "number-left": "pow(2, %s)" % U8, "named": "sqrt(input=%s)" % U8, "named-two":
    "min(left=%s, right=3)" % U8, "named-right": "max(%s, right=3)" % U8, "named-pow":
    "pow(base=%s, exponent=2)" % U8, "named-fpow": "fpow(exponent=2, base=%s)" % U8, "named-atan2":
    "atan2(x=%s, y=2)" % U8, "clamp": "clamp(%s, 2, 100)" % U8, "clamp-named": "clamp(%s, lo=2, hi=100)" % U8,
    "clamp-all-named": "clamp(value=%s, lo=2, hi=100)" % U8, "clamp-crossed": "clamp(%s, 100, 2)" % U8,
    "clamp-float": "clamp(%s, 2.5, 100)" % U8, "clamp-broadcast": "clamp(m.tensor(5), %s, 10)" % U8,
    "clamp-shapes": "clamp(m.tensor(np.ones((2, 3))), m.tensor(np.ones(3)), m.tensor(np.ones((2, 1))))",
    "clamp-batch": "clamp(m.batch([%s, %s]), m.batch([1, 2]), 9)" % (U8, U8), "nan-min": "min(%s, 0.0)" % NAN,
    "nan-min-right": "min(0.0, %s)" % NAN, "nan-clamp": "clamp(%s, 0.0, 1.0)" % NAN, "layout":
    "sqrt(m.tensor(np.ones((2, 2)), layout='HW'))", "batch": "sqrt(m.batch([[1, 2], [3, 4]]))", "empty":
    "exp(m.tensor(np.zeros((2, 0))))", "pow-large": "pow(m.tensor(np.int64([3])), m.tensor(np.int64([39])))",
    "atan2-signs": "atan2(m.tensor(np.float32([1, 1, -1, -1, 0])), m.tensor(np.float32([1, -1, 1, -1, -1])))",
    "wide-min": "min(m.tensor(np.uint64([1, 2**64 - 1])), 5)"}.items()]
CASES += [code("wrong/" + k, "m.math." + v, fails=True) for k, v in {
    "none": "sqrt()", "one": "min(%s)" % U8, "three": "min(%s, 1, 2)" % U8, "unknown": "sqrt(x=%s)" % U8,
    "text": "sin('a')", "twice": "sqrt(%s, input=%s)" % (U8, U8), "clamp-two": "clamp(%s, 1)" % U8, "shapes":
    "min(%s, m.tensor([1, 2]))" % U8, "null": "sqrt(None)", "layouts":
    "min(m.tensor(np.ones((2, 2)), layout='HW'), m.tensor(np.ones((2, 2)), layout='WH'))", "name": "foo(1)"}.items()]
