"""Static prediction: what a script's text tells of its operator calls' arguments."""
import textwrap

import pytest

from headrace.capture.predict import predict

SCRIPT = '''
import math
import headrace as hr
from headrace import random, resize as scaled
from headrace.random import coin_flip

SIZE = (64, 64)
cfg = hr.capture.invariant(object())
raise SystemExit("this script must not run")


def scale(images, size, angle=30, *rest):
    return hr.resize(images, size=size, mode=angle)


def unused(images, size):
    return hr.resize(images, size=size)


def train(reader, args):
    side = 32
    listed = [64, 64]
    again = 1
    again = 2
    marked = hr.capture.invariant(args.width)
    for step, (jpegs, labels) in enumerate(reader.next_epoch(batch_size=4, capture=True)):
        images = hr.decoders.image(jpegs, output_type=hr.types.RGB)
        images = hr.flip(images, horizontal=coin_flip(batch_size=4, probability=args.p))
        one = scale(images, (side, side * 2))
        two = scaled(one, size=SIZE)
        hr.resize(two, size=listed, mode=again)
        hr.resize(two, size=[cfg.width, marked.height, side])
        hr.pad(labels, fill_value=math.pi, axes=args.axes[0])
        hr.cast(two + 1, dtype=hr.float32)
        hr.pad(*images, fill_value=not side)
        other = random.uniform(batch_size=len(labels), shape=(2,), range=f"{side}")
        print(step, other)
        math.pad(other, 7)
    return [hr.flip(x, vertical=side if side else 0) for (x,) in reader.captured(batch_size=2)]
'''


@pytest.fixture
def calls(tmp_path):
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return predict(str(path))


def shown(calls, text):
    """{argument: verdict or reason's code} of the call on the line that holds the text."""
    line = SCRIPT[:SCRIPT.index(text)].count("\n") + 1
    return [{a.name: a.reason.code if a.reason else a.verdict for a in c.arguments}
            for c in calls if c.line == line]


@pytest.mark.parametrize("text, expected", [
    ("mode=angle)", [{"0": "batch", "size": "constant", "mode": "constant"}]),
    ("hr.resize(images, size=size)\n\n\ndef train",
     [{"0": "PARAMETER_NOT_PROVEN", "size": "PARAMETER_NOT_PROVEN"}]),
    ("hr.decoders", [{"0": "batch", "output_type": "constant"}]),
    ("hr.flip(images", [{"0": "batch", "horizontal": "batch"},
                        {"probability": "ATTRIBUTE"}]),
    ("scaled(one", [{"0": "CALL_RESULT", "size": "MODULE_NAME"}]),
    ("size=listed", [{"0": "batch", "size": "MUTABLE_VALUE", "mode": "ASSIGNED_TWICE"}]),
    ("size=[cfg", [{"0": "batch", "size": "constant"}]),
    ("hr.pad(labels", [{"0": "batch", "fill_value": "ATTRIBUTE", "axes": "SUBSCRIPT"}]),
    ("hr.cast(two", [{"0": "CALL_RESULT", "dtype": "constant"}]),
    ("hr.pad(*", [{"0": "STAR_ARGUMENT", "fill_value": "BOOLEAN"}]),
    ("random.uniform(batch", [{"shape": "constant", "range": "F_STRING"}]),
    ("[hr.flip(x", [{"0": "batch", "vertical": "CONDITIONAL"}]),
])
def test_verdicts(calls, text, expected):
    assert shown(calls, text) == expected


@pytest.mark.parametrize("text, expected", [
    ("loop = s.captured(batch_size=2)\n    for x in loop:\n        hr.flip(x)", "batch"),
    ("loop = s.captured(batch_size=2)\n    for i, x in enumerate(loop):\n        hr.flip(x)", "batch"),
    ("loop = s.captured(batch_size=2)\n    return [hr.flip(x) for x in loop]", "batch"),
    ("loop = s.others(batch_size=2)\n    for x in loop:\n        hr.flip(x)", "refused"),
    ("for x in other:\n        hr.flip(x)", "refused")])
def test_loops_with_a_name(tmp_path, text, expected):
    path = tmp_path / "train.py"
    path.write_text(f"import headrace as hr\n\n\ndef train(s, other):\n    {text}\n")
    assert [a.verdict for a in predict(str(path))[0].arguments] == [expected]


def test_only_operators_are_listed(calls):
    assert len(calls) == 13
    assert {c.operator for c in calls} == {
        "resize", "decoders.image", "flip", "random.coin_flip", "random.uniform", "pad", "cast"}


def test_depends_is_told_apart(calls):
    call = next(c for c in calls if "unused" in str(c.arguments[1].reason))
    assert [a.verdict for a in call.arguments] == ["depends", "depends"]


@pytest.mark.parametrize("given, code", [
    ("[1, 2]", "MUTABLE_VALUE"), ("SIZE", "MODULE_NAME"), ("(1, 2)", None), ("*pair", "STAR_ARGUMENT"),
    ("size=(1, 2)", None), ("", "MUTABLE_VALUE"), ("f(size)", "CALL_RESULT"),
])
def test_parameters_over_all_calls(tmp_path, given, code):
    path = tmp_path / "script.py"
    path.write_text(textwrap.dedent(f"""\
        import headrace.random
        class A:
            def run(self, size=[3, 4]):
                return headrace.resize(1, size=size)
        def main(a, f, pair):
            a.run((5, 6))
            a.run({given})
        """))
    call, = predict(str(path))
    reason = call.arguments[1].reason
    assert (reason and reason.code) == code


@pytest.mark.parametrize("text, verdicts", [
    ("def f(x, n):\n    f(x, n)\n    return hr.flip(x, a=n)\n", ["depends", "depends"]),
    ("def f(x, n):\n    f(x, n)\n    return hr.flip(x, a=n)\nf(hr.flip(1), 7)\n",
     ["batch", "constant"]),
    ("def f(x, n):\n    g(x, n)\n    return hr.flip(x, a=n)\ndef g(y, m):\n    f(y, m)\n",
     ["depends", "depends"]),
    ("def f(x, n):\n    if n > 9:\n        return hr.flip(x, a=n)\n    return f(x, n + 1)\n"
     "f(hr.flip(1), 7)\n", ["batch", "constant"]),
    ("def f(x, n):\n    if n > 9:\n        return hr.flip(x, a=n)\n    return f(x, n + 1)\n"
     "f(hr.flip(1), SIZE)\n", ["batch", "refused"]),
])
def test_recursion_ends(tmp_path, text, verdicts):
    path = tmp_path / "script.py"
    path.write_text("import headrace as hr\n" + text)
    assert [a.verdict for a in predict(str(path))[0].arguments] == verdicts


def test_files_that_cannot_be_read(tmp_path):
    path = tmp_path / "script.py"
    with pytest.raises(FileNotFoundError):
        predict(str(path))
    path.write_text("def f(:\n")
    with pytest.raises(SyntaxError, match=r"script\.py, line 1"):
        predict(str(path))
    path.write_bytes(b"# coding: latin-1\nimport headrace as hr\nhr.flip('\xe4')\n")
    assert predict(str(path))[0].arguments[0].text == "'ä'"
    path.write_text("")
    assert predict(str(path)) == []


@pytest.mark.parametrize("body, verdicts", [
    # names of functions are looked up where they are called
    ("def a():\n    def f(n):\n        hr.pad(1, a=n)\n    f(7)\ndef b(*k):\n    f = print\n    f(*k)\n",
     ["constant"]),
    ("def f(n):\n    hr.pad(1, a=n)\ndef b(o):\n    o.f(SIZE)\n    f(7)\n", ["constant"]),
    ("f = lambda n: hr.pad(1, a=n)\ndef b():\n    f(7)\n", ["constant"]),
    ("f = lambda n: hr.pad(1, a=n)\ndef b():\n    f(SIZE)\n", ["refused"]),
    # what calls it may be something else, or gives no arguments that can be followed
    ("def f(n):\n    yield hr.pad(1, a=n)\nf(7)\n", ["refused"]),
    ("async def f(n):\n    hr.pad(1, a=n)\nf(7)\n", ["refused"]),
    ("@wrap\ndef f(n):\n    hr.pad(1, a=n)\nf(7)\n", ["depends"]),
    ("class A:\n    @staticmethod\n    def f(n):\n        hr.pad(1, a=n)\nA.f(7)\n", ["constant"]),
    # variables of a function that may have returned
    ("def f():\n    n = int(7)\n    return lambda: hr.pad(1, a=n)\n", ["depends"]),
    ("def f():\n    n = [7]\n    return lambda: hr.pad(1, a=n)\n", ["refused"]),
    ("def f():\n    n = 7\n    n = 8\n    return lambda: hr.pad(1, a=n)\n", ["refused"]),
    # the library under names of the script
    ("pad = hr.pad\npad(1, a=7)\n", ["constant"]),
    ("def f():\n    lib = hr\n    other = lib.pad\n    other(1, a=lib.int8)\n", ["constant"]),
    # stars hide which argument is which
    ("def f(xs):\n    hr.cat(*xs, a=7)\n", ["refused"]),
    # no proof is needed
    ("def f(o):\n    hr.pad(1, a=7, rng=o.rng, device=o.d, batch_size=len(o))\n", ["constant"]),
])
def test_what_a_name_stands_for(tmp_path, body, verdicts):
    path = tmp_path / "script.py"
    path.write_text("import headrace as hr\n" + body)
    call, = predict(str(path))
    assert [a.verdict for a in call.arguments[1:]] == verdicts


@pytest.mark.parametrize("body", [
    "def f(pad):\n    pad(1)\n", "def f():\n    pad = print\n    pad(1)\n", "def f(hr):\n    hr.pad(1)\n",
    "pad = other = 1\npad(1)\n", "[hr.pad(1) for hr in ()]\n"])
def test_names_that_hide_the_library(tmp_path, body):
    path = tmp_path / "script.py"
    path.write_text("import headrace as hr\nfrom headrace import pad\n" + body)
    assert predict(str(path)) == []


@pytest.mark.parametrize("given, verdict", [
    ("self.images", "depends"), ("load()", "depends"), ("pair[0]", "depends"), ("*pair", "depends"),
    ("a if pair else a", "depends"), ("SIZE", "refused"), ("load() + 1", "refused"), ("-load()", "refused"),
])
def test_inputs_may_be_batches(tmp_path, given, verdict):
    path = tmp_path / "script.py"
    path.write_text(f"import headrace as hr\ndef f(self, pair, a):\n    hr.flip({given})\n")
    call, = predict(str(path))
    assert [a.verdict for a in call.arguments] == [verdict]
