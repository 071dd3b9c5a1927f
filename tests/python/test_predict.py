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
                        {"batch_size": "constant", "probability": "ATTRIBUTE"}]),
    ("scaled(one", [{"0": "CALL_RESULT", "size": "MODULE_NAME"}]),
    ("size=listed", [{"0": "batch", "size": "MUTABLE_VALUE", "mode": "ASSIGNED_TWICE"}]),
    ("size=[cfg", [{"0": "batch", "size": "constant"}]),
    ("hr.pad(labels", [{"0": "batch", "fill_value": "ATTRIBUTE", "axes": "SUBSCRIPT"}]),
    ("hr.cast(two", [{"0": "CALL_RESULT", "dtype": "constant"}]),
    ("hr.pad(*", [{"0": "STAR_ARGUMENT", "fill_value": "BOOLEAN"}]),
    ("random.uniform(batch", [{"batch_size": "CALL_RESULT", "shape": "constant",
                               "range": "F_STRING"}]),
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
     ["refused", "refused"]),
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
