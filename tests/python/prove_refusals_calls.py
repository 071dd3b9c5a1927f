"""Refused as prove_refusals.py says: star arguments, parameters, closures."""
import functools

from prove_bodies import op, ran
from prove_refusals import refused

SIZE = 64
SHAPE = (4, 4)


# ---- calls and parameters -----------------------------------------------------------------------

@refused("STAR_ARGUMENT", "`*more`", "one by one")
def star_argument():
    more = (7,)
    return op(*more)


@refused("STAR_ARGUMENT", "`**more`")
def double_star_argument():
    more = {"fill": 7}
    return op(**more)


def routine(value, wide=4, *, high=5):
    return op(value)


@refused("STAR_ARGUMENT", "`*pair`")
def star_in_the_caller():
    pair = (7, 8)
    return routine(*pair)  # cause


def variadic(*size):  # cause
    return op(size)


@refused("VARIADIC_PARAMETER", "`size` collects arguments (`*size`)")
def variadic_parameter():
    return variadic(1, 3)


def keywords(**options):
    return op(options["value"])


@refused("SUBSCRIPT", '`options["value"]`')
def keyword_parameter():
    return keywords(value=7)


@refused("BOUND_ARGUMENT", "`fill` is not written in the call")
def partial_of_an_operator():
    bound = functools.partial(op, fill=7)
    return bound()


@refused("INDIRECT_CALL", "does not call the operator itself")
def operator_called_by_map():
    return max(
        map(op, (7,)), key=len)


@refused("INDIRECT_CALL", "in `operator_called_by_an_iteration`")
def operator_called_by_an_iteration():
    for proof in map(op, (7,)):
        return proof


def defaulted(size=[1, 3]):  # noqa: B006
    return op(size)


@refused("MUTABLE_VALUE", "a list")
def default_list():
    return defaulted()


@refused("MUTABLE_VALUE", "`value` is bound to a list")
def parameter_given_a_list():
    return routine([1, 3])


@refused("MODULE_NAME", "`value` is not constant: `SIZE`")
def parameter_given_a_global():
    return routine(SIZE)  # cause


@refused("CALL_RESULT", "`len(SHAPE)`")
def parameter_given_a_call():
    return routine(
        wide=1, value=len(SHAPE))  # cause


def rebinding(value):
    value = value + 1  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "`value` is assigned as a parameter and again, line")
def parameter_rebound():
    return rebinding(6)


@functools.wraps(routine)
def wrapper(*args, **kwargs):
    return routine(*args, **kwargs)  # cause of wrapped_routine


@refused("STAR_ARGUMENT", "`*args`")
def wrapped_routine():
    return wrapper(7)


class Callable:
    def __call__(self, value):
        return op(value)

    def __add__(self, value):
        return op(value)

    def run(self, value):
        return op(value)


@refused("PARAMETER_NOT_PROVEN", "`value` is a parameter", "`augment`, cannot be followed")
def callable_object():
    augment = Callable()
    return augment(7)


@refused("PARAMETER_NOT_PROVEN", "no call in the source leads to `__add__`")
def operator_of_an_object():
    augment = Callable()
    return augment + 7


@refused("INDIRECT_CALL", "does not call the operator itself")
def operator_as_a_decorator():
    @op
    def proof():
        pass
    return proof


@refused("PARAMETER_NOT_PROVEN", "no call in the source leads to `decorate`")
def called_as_a_decorator():
    def decorate(value):
        return op(value)

    @decorate
    def proof():
        pass
    return proof


@refused("PARAMETER_NOT_PROVEN", "no call in the source leads to `__init_subclass__`")
def called_by_a_class_statement():
    class Base:
        def __init_subclass__(cls, value):
            cls.proof = op(value)

    class Derived(Base, value=7):
        pass
    return Derived.proof


@refused("PARAMETER_NOT_PROVEN", "cannot be followed")
def call_of_a_call_result():
    def make():
        return routine
    return (
        make()
    )(
        7)


@refused("PARAMETER_NOT_PROVEN", "`list`, cannot be followed")
def called_by_map():
    return list(
        map(routine, (7,)))[0]


@refused("PARAMETER_NOT_PROVEN", "bound before the call, by position")
def bound_by_position():
    bound = functools.partial(routine, 7)
    return bound()


def generator(value):
    yield op(value)


@refused("PARAMETER_NOT_PROVEN", "`generator` is a generator")
def parameter_of_a_generator():
    return next(generator(7))


class Tricky:
    @property
    def run(self):
        ran()
        return routine


class Trickier:
    run = routine

    def __getattribute__(self, name):
        ran()
        return routine


@refused("PARAMETER_NOT_PROVEN", "`tricky.run`, cannot be followed")
def call_through_a_property():
    tricky = Tricky()
    return tricky.run(7)


@refused("PARAMETER_NOT_PROVEN", "`tricky.run`, cannot be followed")
def call_through_getattribute():
    tricky = Trickier()
    return tricky.run(7)


# ---- closures -----------------------------------------------------------------------------------

@refused("NONLOCAL", "`value` is assigned again by a nested function")
def nonlocal_rebinding():
    def factory():
        value = 6

        def change():
            nonlocal value
            value = 7  # cause

        def body():
            return op(value)
        change()
        return body
    return factory()()


@refused("NONLOCAL", "`value`")
def nonlocal_parameter():
    def factory(value):
        def change():
            nonlocal value
            value += 1  # cause

        def body():
            return op(value)
        change()
        return body
    return factory(6)()


@refused("MUTABLE_VALUE", "a list")
def closure_over_a_list():
    def factory(size):
        def body():
            return op(size)
        return body
    return factory([1, 3])()


@refused("FOR_TARGET", "`value`")
def closure_over_a_loop():
    def factory():
        for value in (6, 7):  # cause
            pass

        def body():
            return op(value)
        return body
    return factory()()


@refused("CALL_RESULT", "`abs(-7)`")
def closure_of_running_code():
    value = abs(-7)  # cause

    def body():
        return op(value)
    return body()


@refused("MODULE_NAME", "`SIZE`")
def closure_over_a_parameter_of_running_code():
    def outer(value):
        def inner():
            return op(value)
        return inner()
    return outer(SIZE)  # cause
