"""Chance, and what all roams draw with it: shapes, batches, values one a sample."""
import random

from parity.case import FLOATS, NUMBERS, batch, dt, per_sample

LAYOUTS = {1: ["", "X"], 2: ["", "HW"], 3: ["", "HWC", "CHW", "DHW"], 4: ["", "FHWC", "DHWC", "FCHW"],
           5: ["", "FDHWC"]}


class Dice:
    def __init__(self, seed):
        self.r = random.Random(seed)

    def below(self, n):
        return self.r.randrange(n)

    def among(self, *values):
        return self.r.choice(values)

    def chance(self, p):
        return self.r.random() < p

    def real(self, low, high):
        # Few digits: what is read in a report can be typed.
        return round(self.r.uniform(low, high), 3)


def shapes(d, rank, uniform=None, top=7):
    n = d.among(1, 2, 3)
    first = [1 + d.below(top) for _ in range(rank)]
    if uniform or (uniform is None and d.chance(0.3)):
        return [first] * n
    return [first] + [[1 + d.below(top) for _ in range(rank)] for _ in range(n - 1)]


def some_batch(d, rank=None, dtypes=NUMBERS, layouts=True, **kw):
    rank = rank or d.among(1, 2, 3, 3, 4)
    spec = dict(dtype=d.among(*dtypes), seed=d.below(1000))
    layout = d.among(*LAYOUTS[rank]) if layouts else ""
    if layout:
        spec["layout"] = layout
    spec.update(kw)
    return batch(*shapes(d, rank), **spec), rank, layout


def images(d, dtypes=("uint8",), top=9, layouts=("HWC",)):
    layout = d.among(*layouts)
    n, c = d.among(1, 2, 3), d.among(1, 3, 3)
    out = []
    for _ in range(n):
        extent = {"C": c, "F": 2, "D": 1 + d.below(4)}
        out.append([extent.get(a, 1 + d.below(top)) for a in layout])
    dtype = d.among(*dtypes)
    spec = dict(dtype=dtype, layout=layout, seed=d.below(1000))
    if dtype in FLOATS:
        spec["range"] = [0.0, 255.0]
    return batch(*out, **spec), n, layout


def size_of(b):
    return len(b["shapes"])


def maybe(d, args, name, make, p=0.4):
    if d.chance(p):
        args[name] = make()


def each(d, n, make, dtype="float32"):
    """A value, or one a sample."""
    return per_sample(*[make() for _ in range(n)], dtype=dtype) if d.chance(0.35) else make()


def axes_args(d, args, rank, layout, p=0.7):
    if not d.chance(p):
        return list(range(rank))
    k = 1 + d.below(rank)
    chosen = d.r.sample(range(rank), k)
    if layout and d.chance(0.4):
        args["axis_names"] = "".join(layout[a] for a in chosen)
    else:
        args["axes"] = [a - rank if d.chance(0.2) else a for a in chosen]
    return chosen


def out_type(d, args, types=("uint8", "int16", "int32", "float32", "float16"), p=0.3):
    maybe(d, args, "dtype", lambda: dt(d.among(*types)), p)
