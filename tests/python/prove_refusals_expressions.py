"""Refused as prove_refusals.py says: calls, attributes, items, operators."""
import functools
import math

from prove_bodies import MARKED, op
from prove_refusals import CONFIG, Config, refused


@refused("CALL_RESULT", "`value` is not constant: `abs(-7)` is the result of a call")
def call_result():
    value = abs(-7)  # cause
    return op(value)


@refused("CALL_RESULT", "`functools.reduce(max, (7,))` is the result of a call")
def call_result_inline():
    return op(
        functools.reduce(max, (7,)))  # cause


@refused("ATTRIBUTE", "`self.value` is an attribute of your object", "mark `self.value`")
def own_attribute():
    class Body:
        value = 7

        def run(self):
            return op(self.value)
    return Body().run()


@refused("ATTRIBUTE", "`CONFIG.fill` is an attribute of your object", "mark `CONFIG` with")
def config_attribute():
    return op(CONFIG.fill)


@refused("ATTRIBUTE", "`cfg.computed`", "mark `cfg` with `hr.capture.invariant`")
def config_property():
    cfg = CONFIG
    return op(cfg.computed)


@refused("ATTRIBUTE", "`cfg.inner.fill`", "mark `cfg` with")
def nested_attribute():
    class Outer:
        inner = CONFIG
    cfg = Outer()
    return op(cfg.inner.fill)


@refused("ATTRIBUTE", "the class `Config`")
def class_attribute():
    return op(Config.fill)


@refused("ATTRIBUTE", "the module `math`")
def module_attribute():
    return op(math.pi)


@refused("ATTRIBUTE", "the class `Config`")
def dtype_held_by_a_class():
    return op(Config.kind)


@refused("ATTRIBUTE", "`Config.api.float32`")
def library_through_an_own_class():
    return op(Config.api.float32)


@refused("ATTRIBUTE", "`MARKED.__class__`")
def special_attribute_of_a_mark():
    return op([MARKED.__class__])


@refused("ATTRIBUTE", "`cfg.unknown`")
def attribute_made_by_getattr():
    cfg = CONFIG
    return op(cfg.unknown)


@refused("SUBSCRIPT", "`options[1]` is a subscript")
def subscript():
    options = (6, 7)
    return op(options[1])


@refused("CONDITIONAL", "`7 if True else 8` is a conditional expression")
def conditional():
    return op(7 if True else 8)


@refused("COMPARISON", "`1 < 2` is a comparison")
def comparison():
    return op(1 < 2)


@refused("BOOLEAN", "`0 or 7`")
def boolean():
    return op(0 or 7)


@refused("BOOLEAN", "`not False`")
def negation():
    return op(not False)


@refused("OPERATOR", "`~-8`")
def inversion():
    return op(~-8)


@refused("F_STRING", "a formatted string")
def formatted():
    return op(f"AB")  # noqa: F541


@refused("DISPLAY", "`{1: 2}` is a dictionary or a set")
def dictionary():
    return op({1: 2})


@refused("DISPLAY", "`{1, 2}`")
def a_set():
    return op({1, 2})


@refused("COMPREHENSION", "is a comprehension")
def comprehension():
    return op([i for i in (1, 2)])


@refused("LAMBDA", "is a function")
def function():
    return op(lambda: 7)


@refused("AWAIT", "comes from `await` or `yield`")
def sent_value():
    def body():
        yield op((yield))
    running = body()
    next(running)
    return running.send(7)
