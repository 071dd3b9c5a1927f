"""Bodies whose operator calls are refused, with the reason: names. Real source on purpose.

The line where the proof ends carries `# cause`, if it is not the line of the call itself.
"""
from prove_bodies import MARKED, op, ran

import headrace as hr

SIZE = 64
SHAPE = (4, 4)
KIND = hr.float32
REFUSED = []


def refused(code, *words):
    """The reason's code, and parts of its sentence or remedy."""
    def add(body):
        REFUSED.append((body, code, words))
        return body
    return add


class Config:
    fill = 7
    shape = (4, 4)
    kind = hr.float32
    api = hr

    @property
    def computed(self):
        ran()
        return self.fill

    def __getattr__(self, name):
        ran()
        return name


CONFIG = Config()


# ---- names --------------------------------------------------------------------------------------

@refused("MODULE_NAME", "`SIZE` is a name at module level", "mark `SIZE`")
def module_name():
    return op(SIZE)


@refused("MODULE_NAME", "`SIZE`")
def module_name_in_an_expression():
    return op(-SIZE)


@refused("MODULE_NAME", "`value` is not constant", "`SIZE` is a name")
def module_name_beside_a_mark():
    value = MARKED + SIZE  # cause
    return op(value)


@refused("MODULE_NAME", "`SHAPE`")
def module_tuple():
    return op(shape=SHAPE)


@refused("MODULE_NAME", "`KIND`")
def module_dtype():
    return op(dtype=KIND)


@refused("MODULE_NAME", "`_made_global`")
def global_statement():
    global _made_global
    _made_global = 7
    return op(_made_global)


@refused("MODULE_NAME", "`SIZE`")
def module_name_in_a_list():
    return op([MARKED, SIZE])


@refused("CLASS_NAME", "`size` is a name of a class body")
def name_of_a_class_body():
    class Body:
        size = 7
        proof = op(size)
    return Body.proof


@refused("MUTABLE_VALUE", "`size` is bound to a list, which can be changed", "use a tuple")
def local_list():
    size = [64, 64]
    return op(size=size)


@refused("MUTABLE_VALUE", "a tuple that holds a list")
def local_tuple_of_a_list():
    size = ([1], 2)
    return op(size)


@refused("SUBSCRIPT", "`parts[0]` is a subscript")
def item_of_a_tuple_of_a_list():
    parts = ([1, 3],)
    size = parts[0]  # cause
    return op(size)


@refused("MUTABLE_VALUE", "a list")
def starred_list():
    tail = [1, 2]
    return op((*tail, 3))


@refused("ASSIGNED_TWICE", "`value` is assigned twice, lines", " and ")
def rebound():
    value = 6
    value = 7  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "`value` is assigned twice")
def rebound_in_a_dead_branch():
    value = 7
    if value is None:
        value = 8  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "`value` is assigned 3 times, lines")
def rebound_after_the_call():
    value = 7
    proof = op(value)
    value = 9
    value = 10  # cause
    return proof


@refused("ASSIGNED_TWICE", "assigned twice")
def augmented():
    value = 6
    value += 1  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "assigned twice")
def rebound_in_except_and_else():
    try:
        value = 6
    except ValueError:
        value = 7  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "assigned twice")
def rebound_by_a_walrus():
    value = 6
    print(end="" if (value := 7) else "")  # cause
    return op(value)


@refused("ASSIGNED_TWICE", "assigned twice")
def rebound_by_a_walrus_in_a_comprehension():
    value = 6
    [(value := 7) for _ in (1,)]  # cause
    return op(value)


@refused("COMPREHENSION_TARGET", "`item`")
def walrus_of_a_comprehension_target():
    [(value := item) for item in (7,)]  # cause
    return op(value)


def set_cell(function, value):
    function.__closure__[0].cell_contents = value


@refused("CIRCULAR", "`value` is assigned from itself")
def assigned_from_itself():
    def step():
        return op(value)
    set_cell(step, 7)
    if step is None:
        value = value + 1  # cause
    return step()


@refused("CIRCULAR", "`value` is assigned from itself")
def only_augmented():
    def step():
        return op(value)
    set_cell(step, 7)
    if step is None:
        value += 1  # cause
    return step()


@refused("FOR_TARGET", "`size` is the target of a `for` loop")
def for_target():
    for size in (7,):  # cause
        return op(size)


@refused("COMPREHENSION_TARGET", "`size` is the target of a comprehension's `for`")
def comprehension_target():
    return [op(size) for size in (7,)][0]


@refused("COMPREHENSION_TARGET", "`size`")
def generator_target():
    found = (op((size, other)) for size, other in ((7, 8),))
    return next(found)


@refused("COMPREHENSION_TARGET", "`size`")
def comprehension_target_in_a_lambda():
    makers = [lambda: op(size) for size in (7,)]
    return makers[0]()


class Quiet:
    def __enter__(self):
        return 7

    def __exit__(self, *exc):
        return False


@refused("WITH_TARGET", "`size` is the target of a `with` statement")
def with_target():
    with Quiet() as size:  # cause
        return op(size)


@refused("EXCEPT_TARGET", "`error`")
def except_target():
    try:
        raise KeyError(1)
    except KeyError as error:  # cause
        return op(error)


@refused("MATCH_TARGET", "`size` is captured by a `match` pattern")
def match_target():
    match (7, 8):
        case (size, _):  # cause
            return op(size)


@refused("MATCH_TARGET", "`rest`")
def match_rest():
    match {"a": 7}:
        case {**rest}:  # cause
            return op(rest)


@refused("IMPORT", "`tau` is bound by an import")
def imported_name():
    from math import tau  # cause
    return op(tau)


@refused("DEFINITION", "`size` is bound by a `def` or `class` statement")
def defined_name():
    def size():  # cause
        pass
    return op(size)


@refused("UNPACKED", "`value` is unpacked from `pair`")
def unpacked_from_a_name():
    pair = (7, 4)
    value, width = pair  # cause
    return op((value, width))


@refused("UNPACKED", "`*more, 4`")
def unpacked_where_the_right_side_unpacks():
    more = (7,)
    value, width = *more, 4  # cause
    return op((value, width))


@refused("UNPACKED", "`value`")
def unpacked_with_another_nesting():
    pair = 4, 5
    (value, width), last = pair, 1  # cause
    return op((value, width, last))


@refused("STAR_TARGET", "`size` collects the rest of an unpacking")
def star_target():
    first, *size = 0, 1, 3  # cause
    return op(size, a=first)
