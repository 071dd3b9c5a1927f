"""Bodies of captured loops in which one call is not captured. Real source on purpose.

The line that is eager carries `# here`; a body gets the loop's batch of int32 and returns a batch.
"""
import contextlib
import functools
import math

import numpy as np

import headrace as hr

FILL = 7
SHAPE = (4, 1)
KIND = hr.float32
FALLS = []


def falls(*codes, argument=None):
    """Codes of the reasons that explain() gives for the line, and the argument's source text."""
    def add(body):
        FALLS.append((body, list(codes), argument))
        return body
    return add


class Config:
    fill = 7
    api = hr

    def __init__(self):
        self.shape = (4, 1)


CONFIG = Config()


def seven():
    return 7


# ---- names ------------------------------------------------------------------------------------

@falls("MODULE_NAME", argument="FILL")
def module_name(x):
    return hr.pad(x, fill_value=FILL)  # here


@falls("MODULE_NAME", argument="SHAPE")
def module_tuple(x):
    return hr.reshape(x, shape=SHAPE)  # here


@falls("MODULE_NAME", argument="-FILL")
def negated_module_name(x):
    return hr.pad(x, fill_value=-FILL)  # here


@falls("MODULE_NAME", argument="KIND")
def module_dtype(x):
    return hr.cast(x, dtype=KIND)  # here


@falls("MUTABLE_VALUE", argument="size")
def local_list(x):
    size = [4, 1]
    return hr.reshape(x, shape=size)  # here


@falls("SUBSCRIPT", argument="size")
def item_of_a_tuple(x):
    parts = ([4, 1],)
    size = parts[0]
    return hr.reshape(x, shape=size)  # here


@falls("ASSIGNED_TWICE", argument="value")
def rebound(x):
    value = 6
    value = 7
    return hr.pad(x, fill_value=value)  # here


@falls("ASSIGNED_TWICE", argument="value")
def rebound_in_a_dead_branch(x):
    value = 7
    if x is None:
        value = 8
    return hr.pad(x, fill_value=value)  # here


@falls("ASSIGNED_TWICE", argument="value")
def augmented(x):
    value = 6
    value += 1
    return hr.pad(x, fill_value=value)  # here


@falls("ASSIGNED_TWICE", argument="value")
def parameter_rebound(x):
    def routine(x, value):
        value = value + 1
        return hr.pad(x, fill_value=value)  # here
    return routine(x, 6)


@falls("CALL_RESULT", argument="value")
def call_result(x):
    value = seven()
    return hr.pad(x, fill_value=value)  # here


@falls("ATTRIBUTE", argument="CONFIG.shape")
def attribute(x):
    return hr.reshape(x, shape=CONFIG.shape)  # here


@falls("ATTRIBUTE", argument="Config.fill")
def class_attribute(x):
    return hr.pad(x, fill_value=Config.fill)  # here


@falls("ATTRIBUTE", argument="math.pi")
def attribute_of_another_module(x):
    return hr.pad(x, fill_value=math.pi)  # here


@falls("ATTRIBUTE", argument="Config.api.float32")
def library_through_an_object(x):
    return hr.cast(x, dtype=Config.api.float32)  # here


@falls("FOR_TARGET", argument="value")
def for_target(x):
    for value in (7,):
        y = hr.pad(x, fill_value=value)  # here
    return y


@falls("WITH_TARGET", argument="value")
def with_target(x):
    with contextlib.nullcontext(7) as value:
        return hr.pad(x, fill_value=value)  # here


@falls("IMPORT", argument="pi")
def imported_name(x):
    from math import pi
    return hr.pad(x, fill_value=pi)  # here


@falls("STAR_TARGET", argument="size")
def star_target(x):
    first, *size = 1, 4, 1
    return hr.reshape(x, shape=size)  # here


@falls("UNPACKED", argument="value")
def unpacked_from_a_name(x):
    pair = (6, 7)
    other, value = pair
    return hr.pad(x, fill_value=value)  # here


@falls("NONLOCAL", argument="value")
def nonlocal_rebinding(x):
    value = 6

    def change():
        nonlocal value
        value = 7
    change()
    return hr.pad(x, fill_value=value)  # here


# ---- expressions ------------------------------------------------------------------------------

@falls("SUBSCRIPT", argument="SHAPE[0]")
def subscript(x):
    return hr.pad(x, fill_value=SHAPE[0])  # here


@falls("CONDITIONAL", argument="7 if True else 8")
def conditional(x):
    return hr.pad(x, fill_value=7 if True else 8)  # here


@falls("COMPARISON", argument="1 < 2")
def comparison(x):
    return hr.flip(x, horizontal=1 < 2) if x is None else hr.pad(x, fill_value=1 < 2)  # here


@falls("BOOLEAN", argument="7 and 7")
def boolean(x):
    return hr.pad(x, fill_value=7 and 7)  # here


@falls("OPERATOR", argument="~-8")
def inversion(x):
    return hr.pad(x, fill_value=~-8)  # here


@falls("COMPREHENSION", argument="[n for n in SHAPE]")
def comprehension(x):
    return hr.reshape(x, shape=[n for n in SHAPE])  # here


# ---- calls ------------------------------------------------------------------------------------

@falls("STAR_ARGUMENT")
def star_keywords(x):
    return hr.pad(x, **{"fill_value": 7})  # here


@falls("VARIADIC_PARAMETER", argument="given")
def variadic_parameter(x):
    def routine(x, *given):
        return hr.reshape(x, shape=given)  # here
    return routine(x, 4, 1)


@falls("BOUND_ARGUMENT")
def partial_of_an_operator(x):
    return functools.partial(hr.pad, fill_value=7)(x)  # here


@falls("MUTABLE_VALUE", argument="size")
def default_list(x):
    def routine(x, size=[4, 1]):  # noqa: B006
        return hr.reshape(x, shape=size)  # here
    return routine(x)


@falls("MODULE_NAME", argument="value")
def parameter_given_a_global(x):
    def routine(x, value):
        return hr.pad(x, fill_value=value)  # here
    return routine(x, FILL)


@falls("STAR_ARGUMENT", argument="value")
def called_through_a_wrapper(x):
    def wrapped(function):
        @functools.wraps(function)
        def inner(*args, **kw):
            return function(*args, **kw)
        return inner

    @wrapped
    def routine(x, value):
        return hr.pad(x, fill_value=value)  # here
    return routine(x, 7)


@falls("CALL_RESULT", argument="value")
def numpy_scalar(x):
    value = np.int32(7)
    return hr.pad(x, fill_value=value)  # here


@falls("PARAMETER_NOT_PROVEN", argument="value")
def called_through_an_object(x):
    class Routine:
        def __call__(self, x, value):
            return hr.pad(x, fill_value=value)  # here
    return Routine()(x, 7)


# ---- batches ----------------------------------------------------------------------------------

@falls("EAGER_INPUT", argument="y")
def dependent_of_an_eager_call(x):
    y = hr.pad(x, fill_value=FILL)
    return hr.cast(y, dtype=hr.float32)  # here


@falls("EAGER_INPUT", argument="y")
def dependent_of_arithmetic(x):
    y = x * 2
    return hr.cast(y, dtype=hr.float32)  # here


@falls("OUTSIDE_INPUT", argument="y")
def made_outside(x):
    y = hr.as_batch([np.zeros(4, np.int32)] * 3)
    return hr.cat(x, y)  # here


@falls("OUTSIDE_INPUT", argument="y")
def a_tensor(x):
    y = hr.tensor(np.zeros(4, np.int32))
    return hr.cat(x, y)  # here


@falls("ARITHMETIC")
def arithmetic(x):
    return x + 1  # here


@falls("ARITHMETIC")
def comparison_of_batches(x):
    return x > 3  # here


@falls("MATH")
def math_function(x):
    return hr.math.sqrt(x)  # here


@falls("SLICE")
def slices(x):
    return x.slice[1:]  # here


@falls("SINGLE_SAMPLE")
def single_sample(x):
    hr.zeros(shape=[3])  # here
    return x


@falls("OTHER_INPUT", argument="part")
def two_batches_on_one_line(x):
    for part in (x, hr.cat(x, x)):
        y = hr.cast(part, dtype=hr.float32)  # here
    return y
