"""Cases of the signs: every pair of types, broadcasting, layouts, what may stand beside a tensor."""
from parity.case import DTYPES, code

OP = "arithmetic"
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "pow": "**",
         "and": "&", "or": "|", "xor": "^", "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=",
         "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
LEFT, RIGHT = "[100, 7, 3, 1, 0, 5]", "[3, 2, 7, 1, 4, 5]"


def operand(values, dtype):
    return "m.tensor(np.array(%s).astype('%s'))" % (values, dtype)


def refused(sign, a, b):
    """What the peer does not take."""
    if "float16" in (a, b) or (a == b == "bool" and sign not in "& | ^ * << >>".split()
                               and sign not in "== != < <= > >=".split()):
        return True
    return sign in "& | ^ << >>".split() and "float" in a + b


CASES = [code("%s-%s-%s" % (name, a, b), "%s %s %s" % (operand(LEFT, a), sign, operand(RIGHT, b)),
              fails=refused(sign, a, b), rule="float" if sign == "/" or "float" in a + b else "exact")
         for name, sign in SIGNS.items() for a in DTYPES for b in DTYPES
         # a truth value as divisor may be 0; float // and % differ, see differences.py
         if not (sign in ("//", "%") and b == "bool")]
T = {"u8": "m.tensor(np.uint8([1, 2, 250]))", "i8": "m.tensor(np.int8([1, -2, 3]))",
     "i32": "m.tensor(np.int32([7, -7, 2**31 - 1]))", "f32": "m.tensor(np.float32([1, 2.5, -3]))",
     "bool": "m.tensor(np.bool_([1, 0, 1]))", "u64": "m.tensor(np.uint64([1, 2, 2**64 - 1]))",
     "i64": "m.tensor(np.int64([1, -2, 3]))", "nan": "m.tensor(np.float32([np.nan, np.inf, 1]))"}
B = "m.batch([np.int32([1, 2]), np.int32([3, 4, 5])])"
CASES += [code("beside-%s-%s" % (t, k), "%s + %s" % (T[t], v)) for t in ("u8", "f32") for k, v in {
    "int": "1", "negative": "-1", "float": "1.5", "true": "True", "np-f64":
    "np.float64(2)", "np-i64": "np.int64(2)", "np-u8": "np.uint8(9)", "np-array":
    "np.array([1, 2, 3], np.int16)", "list": "[1, 2, 3]", "tuple": "(1.5, 2, 3)", "infinite": "1e40"}.items()]
CASES += [code("reflected-%s-%s" % (k, n), "%s %s %s" % (v, s, T["i8"])) for n, s in
          (("sub", "-"), ("lt", "<"), ("and", "&")) for k, v in {"int": "3", "list": "[1, 2, 3]",
                                                                "tensor": T["u8"]}.items()]
CASES += [code("wrong/" + k, v, fails=True) for k, v in {
    "large": T["u8"] + " + 2**31", "text": T["u8"] + " + 'a'", "none": T["u8"] + " + None", "object":
    T["u8"] + " + object()", "zero": T["i32"] + " // 0", "zero-mod": T["i32"] + " % 0", "zero-tensor":
    T["i32"] + " // m.tensor(np.int32([1, 0, 1]))", "modulus": "pow(%s, 2, 3)" % T["u8"], "matmul":
    "%s @ %s" % (T["u8"], T["u8"]), "shape": T["u8"] + " + m.tensor(np.uint8([1, 2]))", "batch-shape":
    "%s + %s" % (B, T["u8"]), "batch-size": B + " + m.batch([np.int32(1)])", "layouts":
    "m.tensor(np.ones((2, 2)), layout='HW') + m.tensor(np.ones((2, 2)), layout='WH')", "layout-end":
    "m.tensor(np.ones((2, 2, 2)), layout='HWC') + m.tensor(np.ones((2, 2)), layout='HW')", "invert":
    "~" + T["f32"], "negative-bool": "-" + T["bool"], "in-place": T["u8"] + ".__iadd__(1)", "divmod":
    "divmod(%s, 2)" % T["u8"], "round": "round(%s)" % T["f32"]}.items()]
CASES += [code("unary-%s-%s" % (k, t), s % T[t]) for k, s in {
    "neg": "-%s", "pos": "+%s", "abs": "abs(%s)", "invert": "~%s"}.items()
    for t in ("u8", "i8", "i32", "u64", "f32", "bool")
    if not (k == "invert" and t == "f32") and not (t == "bool" and k in ("neg", "abs"))]
CASES += [code(k, v, rule="float" if "float" in k or "div-zero" in k else "exact") for k, v in {
    "least-neg": "-m.tensor(np.int8([-128]))", "least-abs": "abs(m.tensor(np.int8([-128])))",
    "unary-abs-bool": "abs(%s)" % T["bool"], "floordiv-negative": T["i32"] + " // 2", "mod-negative":
    T["i32"] + " % 3", "mod-negative-divisor": T["i32"] + " % -3", "floordiv-float": T["f32"] + " // 2",
    "mod-float": T["f32"] + " % 2", "pow-negative": T["i32"] + " ** -1", "pow-wraps":
    "m.tensor(np.int64([3])) ** 41", "pow-float": T["f32"] + " ** 2", "shift-width": T["i32"] + " << 33",
    "shift-right-width": T["i32"] + " >> 33", "shift-negative": T["u8"] + " << -1", "div-zero":
    T["f32"] + " / 0", "div-zero-int": T["u8"] + " / 0", "wrap-mul":
    "m.tensor(np.uint8([200])) * m.tensor(np.uint8([2]))", "wide-add": "%s + %s" % (T["u64"], T["i64"]),
    "wide-sub": T["u64"] + " - 1", "wide-mul": "%s * %s" % (T["u64"], T["i64"]), "wide-and":
    "%s & %s" % (T["u64"], T["i64"]), "wide-lt": "%s < %s" % (T["u64"], T["i64"]), "wide-gt":
    T["u64"] + " > -1", "wide-eq": "%s == %s" % (T["u64"], T["i64"]), "wide-floordiv":
    T["u64"] + " // 2", "wide-mod": T["u64"] + " % 10", "wide-shr": T["u64"] + " >> 1", "nan-eq":
    "%s == %s" % (T["nan"], T["nan"]), "nan-lt": T["nan"] + " < 0.0", "nan-ne":
    "%s != %s" % (T["nan"], T["nan"]), "float-exact": "m.tensor(np.int32([16777217])) == 16777216.0",
    "none-eq": T["u8"] + " == None", "text-eq": T["u8"] + " == 'a'", "np-left": "np.float32(2) * " + T["u8"],
    "np-array-left": "np.arange(3) + " + T["u8"], "np-function": "np.sqrt(%s)" % T["f32"],
    "np-left-batch": "np.float32(2) * " + B, "sum": "sum([%s, %s])" % (T["f32"], T["f32"])}.items()]
CASES += [code("shape-%d" % i, "m.tensor(np.arange(%d).reshape(%s)) + m.tensor(np.arange(%d.0).reshape(%s))"
               % (n, a, k, b)) for i, (n, a, k, b) in enumerate([
                   (6, "(2, 3)", 3, "(3,)"), (6, "(2, 3)", 2, "(2, 1)"), (3, "(3, 1)", 4, "(1, 4)"),
                   (24, "(2, 3, 4)", 8, "(2, 1, 4)"), (24, "(2, 3, 4)", 3, "(3, 1)"), (1, "()", 6, "(2, 3)"),
                   (1, "(1, 1, 1)", 2, "(2,)"), (0, "(2, 0)", 1, "(1, 1)"), (0, "(0,)", 1, "(1,)"),
                   (4000, "(40, 100)", 100, "(100,)"), (4000, "(40, 100)", 40, "(40, 1)"), (1, "()", 1, "()")])]
L = "m.tensor(np.ones(%s, np.uint8), layout=%s)"
CASES += [code("layout-%d" % i, "%s + %s" % (L % a, L % b)) for i, (a, b) in enumerate([
    (("(2, 2, 2)", "'HWC'"), ("2", "'C'")), (("(2, 2, 2)", "'HWC'"), ("(2, 2)", "'WC'")),
    (("2", "'C'"), ("(2, 2, 2)", "'HWC'")), (("(2, 2, 2)", "'HWC'"), ("2", "None")),
    (("(2, 2)", "None"), ("(2, 2)", "'HW'")), (("2", "'C'"), ("(2, 2)", "None"))])]
CASES += [code("batch-" + k, v) for k, v in {
    "int": B + " + 1", "reflected": "1 - " + B, "scalar": B + " * m.tensor(np.int32(3))", "per-sample":
    B + " + m.batch([np.int32(1), np.int32(2)])", "per-sample-left": "m.batch([np.int32(1), np.int32(2)]) - " + B,
    "batch": "%s * %s" % (B, B), "np": B + " * np.float32(2)", "list": B + " - [1]", "compare": B + " > 2",
    "unary": "-" + B, "layout": "m.batch([np.ones((2, 2))], layout='HW') + m.tensor(np.ones(2), layout='W')"}.items()]
CASES += [code("batch-empty", "m.batch([], dtype=m.int32) + 1")]

# Measured: the peer refuses these.
PEER_REFUSES = set("unary-abs-bool none-eq text-eq".split())
