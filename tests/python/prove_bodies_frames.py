"""Proven as prove_bodies.py says: arguments that come from callers, closures, lambdas, generators."""
import functools
import sys

from prove_bodies import MARKED, SIZE, op, proven

import headrace as hr

# ---- frames -------------------------------------------------------------------------------------

def routine(value, wide=4, *, kind=hr.int32):
    return op(value, wide, kind=kind)


def only_positional(value, /, other):
    return op(value, other)


@proven(2)
def parameter_by_position():
    return routine(7)


@proven(2)
def parameter_by_keyword():
    return routine(wide=8, value=(1, 2), kind=hr.float32)


@proven(2)
def parameter_positional_only():
    return only_positional(7, other=8)


@proven(2)
def parameter_given_a_local():
    mine = 3 + 4
    return routine(mine)


def low(a):
    doubled = a * 2
    return op(a, doubled)


def middle(b):
    return low(b)


def top(c):
    return middle(b=c)


@proven(4)
def parameter_through_three_levels():
    return top(7)


def recursive(value, depth):
    if depth == 0:
        return op(value)
    return recursive(value, depth - 1)


@proven(5)
def parameter_recursion():
    return recursive(7, 3)


class Augment:
    def run(self, value):
        return op(value)

    @staticmethod
    def static(value):
        return op(value)

    @classmethod
    def of_class(cls, value):
        return op(value)

    def through_self(self, value):
        return self.run(value)


@proven(2)
def parameter_of_methods():
    augment = Augment()
    stored = augment.run
    one = augment.run(7)
    two = Augment.static(7)
    three = Augment.of_class(7)
    four = augment.static(7)
    five = Augment.run(augment, 7)
    six = stored(value=7)
    return one, two, three, four, five, six


@proven(3)
def parameter_through_self():
    augment = Augment()
    return augment.through_self(7)


@proven(2)
def parameter_of_a_partial():
    narrowed = functools.partial(routine, wide=5, kind=hr.uint8)
    return narrowed(value=7)


@proven(2)
def marked_through_a_parameter():
    marked = MARKED
    return only_positional((marked, 1), other=2)


# ---- closures, lambdas, comprehensions ----------------------------------------------------------

def factory(value):
    def body():
        return op(value, (value, 1), local)
    local = abs(-7)
    return body


@proven()
def closure_of_a_finished_factory():
    return factory(SIZE)()


@proven(2)
def closure_of_running_code():
    size = 7

    def inner():
        return op(size, a=(size, size * 2))
    return inner()


def outer(value):
    def inner():
        return op(value)
    return inner()


@proven(3)
def closure_over_a_parameter_of_running_code():
    return outer(7)


@proven()
def literal_in_a_lambda():
    body = lambda: op(7, a=(1, 2))  # noqa: E731
    return body()


@proven(2)
def parameter_of_a_lambda():
    body = lambda value: op(value)  # noqa: E731
    return body(7)


@proven(1 if sys.version_info >= (3, 12) else 2)
def local_in_a_comprehension():
    size = 7
    return [op(size) for _ in (1,)][0]


@proven(2)
def local_in_a_generator_expression():
    size = 7
    return next(
        op(size) for _ in (1,))


def generating():
    size = 7
    yield op(size, a=8)


@proven()
def local_of_a_generator():
    return next(generating())


class Mangled:
    def run(self):
        __size = 7
        return op(__size)


@proven()
def private_name_in_a_class():
    return Mangled().run()
