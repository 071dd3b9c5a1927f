"""Bodies whose operator calls are proven: expressions and local names. Real source on purpose.

`op` stands for an operator: it proves its arguments where it is called.
"""
import sys

import headrace as hr
from headrace.capture.prove import prove_call

SIZE = 64
SHAPE = (4, 4)
PROVEN = []


def op(*args, **kw):
    return op_from(2, *args, **kw)


def op_from(level, *args, **kw):
    proving.append(True)
    try:
        return prove_call([sys._getframe(level)], tuple(kw), [*args, *kw.values()])
    finally:
        proving.pop()


proving = []


def ran():
    """Called by the users' code below: the prover must not run any."""
    assert not proving, "the prover has run the user's code"


class _Invariant_int(int):
    """Stands for the proxy of a marked value."""

    inner = 5

    def __getattr__(self, name):
        ran()
        return self


MARKED = _Invariant_int(3)


def proven(frames=1):
    def add(body):
        PROVEN.append((body, frames))
        return body
    return add


def keeping(argument):
    return lambda function: argument


@keeping([
    lambda: op(7, size=(900, 900)),
])
def kept_by_a_decorator():
    pass


@proven()
def lambda_in_a_decorator():
    return kept_by_a_decorator[0]()


# ---- expressions --------------------------------------------------------------------------------

@proven()
def literals():
    return op(7, -7, +7, --7, 1.5e1, 0x1_0, 2j, True, False, ..., b"ab", "ab", ((7)), a="A" "B")


@proven()
def displays():
    return op([64, 64], (1, (2, [3])), [], (), size=[1, 2])


@proven()
def displays_with_locals():
    wide, tail = 3, (3, 1)
    return op([1, wide], (wide, wide * 2), (*tail,), [1, *tail], [*[1, 2]])


@proven()
def arithmetic():
    half, head = 2, (1,)
    return op(half * 3 + 1, (17 // 2) % 5 + 2 ** 2 + (1 << 3), head + (3,), (4,) * 1, 7 & half, 1 / 4)


@proven()
def size_and_twice_the_size():
    size = 32
    return op(size=(size, size * 2))


@proven()
def constants_of_the_library():
    kind = hr.int16
    return op(hr.float32, kind, hr.types.FLOAT, hr.types.DALIInterpType.INTERP_NN, dtype=hr.int32)


@proven()
def library_under_a_local_name():
    import headrace as local
    return op(local.float32, local.types.UINT8)


@proven()
def walrus_in_the_call():
    return op((value := 7), [other := 8], a=value)  # noqa: F841


@proven(0)
def marked_values():
    cfg = MARKED
    return op(MARKED, cfg, a=MARKED)


@proven()
def marked_parts():
    one, cfg = _Invariant_int(1), MARKED
    return op([one, 3], (cfg.a, 4), [cfg.a.b, cfg.inner], one + 4, MARKED.fill + 1, [[MARKED]])


# ---- local names --------------------------------------------------------------------------------

@proven()
def assigned_once():
    size = (64, 64)
    return op(size=size)


@proven()
def chain_of_names():
    first = 3
    second = first + 1
    third = second * 2
    return op(third, a=(third, first))


@proven()
def kinds_of_assignment():
    a = b = 7  # noqa: F841
    c: int = 7
    d: int
    d = 8
    if (e := 7) > 1:
        return op(a, b, c, d, e)


@proven()
def unpacked_from_displays():
    a, b = 7, 4
    (c, (d, _)), _last = (7, (4, 0)), 1
    [e, f] = [7, 4]
    g, *_rest, h = 7, 0, 0, 4
    *_front, i = 1, 2
    return op(a, b, c, d, e, f, g, h, i)


@proven()
def assigned_in_blocks():
    with open(__file__):
        try:
            a = 7
        finally:
            b = 8
    for _ in (1,):
        c = 9
    while True:
        d = 10
        break
    return op(a, b, c, d)


@proven()
def another_name_bound_in_every_way():
    size = 7
    for other in (1, 2):
        other += 1
    import math as other  # noqa: F811
    with open(__file__) as other:
        pass
    shadows = [size for size in (1, 2)]

    def size_of(size):
        size = size + 1
        return size
    return op(size), shadows, size_of


@proven()
def deleted_later():
    size = 7
    proof = op(size)
    del size
    return proof


@proven()
def shadowed_by_an_inner_nonlocal():
    size = 7

    def inner():
        size = 1

        def deepest():
            nonlocal size
            size = 2
        deepest()
        return size
    inner()
    return op(size)


@proven()
def größe_über_alles():
    größe = 7; proof = op("äöü", größe, a=("日本", größe)); größer = 8  # noqa: E702, F841
    return proof


@proven()
def call_over_several_lines():
    size = 7
    return op(
        size,
        # a comment with a )
        (
            size,
            """)
of several lines""",
        ),
        a=7,
    )


class Holder:
    def op(self, *args, **kw):
        return op_from(2, *args, **kw)

    @property
    def me(self):
        return self


@proven()
def method_over_several_lines():
    größer = Holder()
    return (größer
            .me
            .op(7,
                a=8))
