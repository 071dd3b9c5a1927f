"""Cases of tensor[...] and batch.slice[...]."""
from parity.case import code

OP = "slice_api"
X = "m.tensor(np.arange(24).reshape(2, 3, 4))"
V = "m.tensor(np.arange(5))"
B = "m.batch([np.arange(12).reshape(3, 4), np.arange(20).reshape(5, 4)], layout='HW')"
P = "m.batch([np.%s(%d), np.%s(%d)])"


def pair(a, b, dtype="int32"):
    return P % (dtype, a, dtype, b)


CASES = [code("x[%s]" % i, "%s[%s]" % (X, i)) for i in (
    "0|-1|0, 1|0, 1, 2|...|..., 0|0, ...|0, ..., 1|:, 1|:, 1:2|::2|::-1|:, ::-2|5:|1:0|-9:|:9|:-1|"
    "np.int64(1)|np.array(1)|m.tensor(np.int32(1))|m.tensor(np.int32(1)):|:, m.tensor(np.int64(1))|"
    "m.tensor(np.uint8(0)), 1:|()|..., ::-1|1, ::-1, ::2").split("|")]
CASES += [code("v[%s]" % i, "%s[%s]" % (V, i)) for i in (
    "1:4:2", "4:1:-2", "-2:", "::-1", "3:3", "-1:-4:-1", "10:0:-3", "::7", "::-7", "0", "-5")]
CASES += [code("layout[%s]" % i, "m.tensor(np.zeros((2, 3, 4)), layout='HWC')[%s]" % i) for i in (
    "0", ":, 1", "..., 0", "0, 0", "0, 0, 0", ":, ::2", "..., 1:")]
CASES += [code("b[%s]" % i, "%s.slice[%s]" % (B, i)) for i in (
    "0", "-1", "0:2", "..., 0", "1, 2", ":, ::-1", "::-1", "1:, 1:3", "...", "9:", "-2:, ...",
    pair(1, 2), pair(-1, -5), pair(1, 2, "int64"), pair(1, 2, "uint8"), pair(1, 2) + ":", ":" + pair(1, 2),
    "::" + pair(1, 2), "::" + pair(-1, 1), ":, " + pair(1, 2), pair(1, 2) + ", 1:3", "%s:%s" % (pair(1, 2), pair(2, 4)),
    pair(1, 2) + ":3:" + pair(1, 2), "m.tensor(np.int32(1))", "%s, %s" % (pair(0, 1), pair(2, 3)), pair(9, -9) + ":")]
CASES += [code("wrong/x[%s]" % i, "%s[%s]" % (X, i), fails=True) for i in (
    "2|-3|0, 3|0, 0, 0, 0|::0|[0, 1]|np.array([0, 1])|'a'|10**30|" + pair(0, 1) + "|m.tensor(np.int32([1]))").split("|")]
CASES += [code("wrong/b[%s]" % i, "%s.slice[%s]" % (B, i), fails=True) for i in (
    "3", "-4", "::0", "0, 0, 0", "[1, 2]", "'a'", pair(3, 4), pair(0, 5), "::" + pair(0, 1),
    "m.batch([np.int32([1]), np.int32([2])])", "m.batch([np.int32(1)] * 3)", "np.int32([1, 2])")]
CASES += [code("x[%s]" % i, "%s[%s]" % (X, i)) for i in ("None", "True", "1.0", "..., ...", "m.tensor(np.float32(1))")]
CASES += [code("b[%s]" % i, "%s.slice[%s]" % (B, i)) for i in ("None", "True", "1.5", pair(1, 2, "float32"))]
CASES += [code("wrong/" + k, v, fails=True) for k, v in {
    "batch": B + "[0]", "empty": "m.batch([], dtype=m.uint8).slice[0]", "assign": X + ".__setitem__(0, 1)",
    "huge-slice": X + "[10**30:]"}.items()]
