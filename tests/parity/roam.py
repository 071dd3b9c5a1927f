"""Random calls, both sides:  python -m parity.roam [--peer PYTHON] [--seed N] [--count N] [OP...]

The tables of cases_*.py hold what somebody thought of. This makes calls that nobody thought of: random
shapes, dtypes, layouts and arguments, right ones and ones that contradict each other, and prints each
call whose answer is not the peer's. A find becomes a row of a table. Run from the folder `tests`.
"""
import argparse
import os
import sys

from parity import drive, outcome
from parity.case import DTYPES, FLOATS, INTS, NUMBERS, batch, case, dt, per_sample, tensor, tensor_of, ty

LAYOUTS = {1: ["", "X"], 2: ["", "HW"], 3: ["", "HWC", "CHW", "DHW"], 4: ["", "FHWC", "DHWC", "FCHW"],
           5: ["", "FDHWC"]}


class Dice:
    def __init__(self, seed):
        import random
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


def roam_slice(d):
    b, rank, layout = some_batch(d)
    args, n = {}, size_of(b)
    chosen = axes_args(d, args, rank, layout, 0.9)
    k = len(chosen)
    ints = lambda low, high: [low + d.below(high - low) for _ in range(k)]  # noqa: E731
    how = d.below(4)
    if how == 0:
        args["start"] = each(d, n, lambda: ints(-1, 3), "int32")
        args[d.among("end", "shape")] = each(d, n, lambda: ints(1, 6), "int32")
    elif how == 1:
        args["rel_start"] = each(d, n, lambda: [d.real(-0.1, 0.6) for _ in range(k)])
        args[d.among("rel_end", "rel_shape")] = each(d, n, lambda: [d.real(0.2, 1.2) for _ in range(k)])
    elif how == 2:
        args[d.among("start", "end", "shape")] = each(d, n, lambda: ints(0, 4), "int32")
    else:
        positional = [tensor_of([d.real(0, 0.6) for _ in range(k)]), tensor_of([d.real(0.1, 0.9) for _ in range(k)])]
        maybe(d, args, "normalized_anchor", lambda: d.chance(0.5))
        maybe(d, args, "normalized_shape", lambda: d.chance(0.5))
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("error", "pad", "trim_to_shape"), 0.7)
    maybe(d, args, "fill_values", lambda: d.among(7, [3], [1, 2, 3], 2.5))
    out_type(d, args)
    return case("x", b, *(positional if how == 3 else []), **args)


def roam_crop(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "DHWC", "FCHW"))
    args = {}
    if d.chance(0.7):
        args["crop"] = each(d, n, lambda: [1.0 * (1 + d.below(8)) for _ in range(3 if "D" in layout else 2)])
    else:
        args["crop_h"], args["crop_w"] = 1.0 + d.below(6), 1.0 + d.below(6)
        if "D" in layout:
            args["crop_d"] = 1.0 + d.below(3)
    for name in ("crop_pos_x", "crop_pos_y", "crop_pos_z"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)), 0.4)
    maybe(d, args, "rounding", lambda: d.among("round", "truncate"))
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("error", "pad", "trim_to_shape"), 0.8)
    maybe(d, args, "fill_values", lambda: d.among(7.0, [1.0, 2.0, 3.0]))
    out_type(d, args)
    return case("x", b, **args)


def roam_crop_mirror_normalize(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "FCHW"))
    args = {}
    maybe(d, args, "crop", lambda: [1.0 + d.below(8), 1.0 + d.below(8)], 0.6)
    maybe(d, args, "mirror", lambda: each(d, n, lambda: d.below(2), "int32"), 0.5)
    many = b["shapes"][0][layout.index("C")]
    numbers = lambda low, high: d.among(d.real(low, high), [d.real(low, high) for _ in range(many)])  # noqa: E731
    maybe(d, args, "mean", lambda: numbers(0, 200), 0.6)
    maybe(d, args, "std", lambda: numbers(1, 90), 0.6)
    maybe(d, args, "scale", lambda: d.real(0.1, 3), 0.3)
    maybe(d, args, "shift", lambda: d.real(-3, 30), 0.3)
    for name in ("crop_pos_x", "crop_pos_y"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)), 0.4)
    maybe(d, args, "pad_output", lambda: d.chance(0.6), 0.3)
    maybe(d, args, "output_layout", lambda: d.among("CHW", "HWC", "FCHW", "FHWC"), 0.4)
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("error", "pad", "trim_to_shape"), 0.7)
    maybe(d, args, "fill_values", lambda: d.among([7.0], [1.0, 2.0, 3.0]), 0.2)
    out_type(d, args, ("uint8", "int8", "float32", "float16"), 0.4)
    return case("x", b, rule="float", **args)


def roam_flip(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC", "DHWC", "DCHW", "FCHW"))
    args = {}
    for name in ("horizontal", "vertical", "depthwise"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.below(2), "int32"), 0.5)
    return case("x", b, **args)


def roam_pad(d):
    b, rank, layout = some_batch(d)
    args, n = {}, size_of(b)
    k = len(axes_args(d, args, rank, layout))
    maybe(d, args, "fill_value", lambda: d.among(0, 5, -1, 2.5), 0.5)
    maybe(d, args, "align", lambda: d.among([1 + d.below(4)], [1 + d.below(4) for _ in range(k)]), 0.4)
    maybe(d, args, "shape", lambda: each(d, n, lambda: [d.among(-1, 5 + d.below(6)) for _ in range(k)], "int32"), 0.5)
    return case("x", b, **args)


def roam_transpose(d):
    b, rank, layout = some_batch(d, dtypes=DTYPES)
    perm = list(range(rank))
    d.r.shuffle(perm)
    args = {"perm": perm}
    maybe(d, args, "transpose_layout", lambda: d.chance(0.5))
    maybe(d, args, "output_layout", lambda: "".join(d.r.sample("ABCDE", rank)), 0.3)
    return case("x", b, **args)


def roam_reshape(d):
    b, rank, layout = some_batch(d, dtypes=DTYPES)
    args, n = {}, size_of(b)
    how = d.below(4)
    if how == 0:
        args["shape"] = each(d, n, lambda: d.among([-1], [1, -1], [-1, 1, 1]), "int32") if d.chance(0.8) else [4]
    elif how == 1:
        args["rel_shape"] = d.among([1], [-1, 0.5], [0.5, 2], [1] * rank, [-1] + [1] * (rank - 1), [2, 0.5])
        maybe(d, args, "src_dims", lambda: [d.below(rank) for _ in args["rel_shape"]], 0.6)
    elif how == 2:
        args["src_dims"] = d.r.sample(range(rank), rank)
        if d.chance(0.4):
            args["src_dims"].insert(d.below(rank + 1), -1)
    else:
        args["layout"] = "".join(d.r.sample("XYZWK", rank))
    maybe(d, args, "layout", lambda: "".join(d.r.sample("XYZWK", d.among(1, 2, 3))), 0.3)
    return case("x", b, **args)


def roam_reinterpret(d):
    b, rank, layout = some_batch(d, dtypes=("uint8", "int16", "int32", "float32"))
    args = {"dtype": dt(d.among("uint8", "int16", "int32", "float32", "int64"))}
    maybe(d, args, "shape", lambda: d.among([-1], [1, -1]), 0.3)
    maybe(d, args, "rel_shape", lambda: [1.0] * rank, 0.2)
    return case("x", b, **args)


def roam_squeeze(d):
    rank = d.among(2, 3, 4)
    shape = [d.among(1, 1, 2 + d.below(3)) for _ in range(rank)]
    layout = d.among(*LAYOUTS[rank])
    spec = dict(dtype="uint8", seed=1)
    if layout:
        spec["layout"] = layout
    args = {}
    axes_args(d, args, rank, layout, 1)
    return case("x", batch(shape, shape, **spec), **args)


def roam_expand_dims(d):
    b, rank, layout = some_batch(d, rank=d.among(1, 2, 3))
    args = {"axes": [d.below(rank + 2) for _ in range(d.among(1, 1, 2))]}
    maybe(d, args, "new_axis_names", lambda: "".join(d.r.sample("PQRS", len(args["axes"]))), 0.4)
    return case("x", b, **args)


def roam_join(op):
    def roam(d):
        rank = d.among(1, 2, 3)
        n, base = d.among(1, 2), [1 + d.below(4) for _ in range(rank)]
        axis = d.below(rank)
        layout = d.among(*LAYOUTS[rank])
        ins = []
        for i in range(d.among(1, 2, 3)):
            rows = []
            for _ in range(n):
                s = list(base)
                if op == "cat" and d.chance(0.5):
                    s[axis] = 1 + d.below(4)
                elif d.chance(0.05):
                    s[d.below(rank)] += 1
                rows.append(s)
            spec = dict(dtype="int16", seed=i)
            if layout and d.chance(0.8):
                spec["layout"] = layout
            ins.append(batch(*rows, **spec))
        args = {}
        maybe(d, args, "axis", lambda: axis - (rank if d.chance(0.3) else 0), 0.9)
        maybe(d, args, "axis_name", lambda: d.among("H", "W", "C", "N"), 0.15)
        return case("x", *ins, **args)
    return roam


def roam_reduction(op):
    def roam(d):
        b, rank, layout = some_batch(d)
        args = {}
        axes_args(d, args, rank, layout, 0.8)
        maybe(d, args, "keep_dims", lambda: d.chance(0.7))
        if op not in ("min", "max"):
            types = ("float32", "float64") if op != "sum" else ("int64", "uint64", "float32", "float64", "int32")
            maybe(d, args, "dtype", lambda: dt(d.among(*types)), 0.3)
        return case("x", b, rule="float", **args)
    return roam


def roam_normalize(d):
    b, rank, layout = some_batch(d, dtypes=("uint8", "int16", "float32"))
    args = {}
    axes_args(d, args, rank, layout, 0.7)
    maybe(d, args, "batch", lambda: d.chance(0.7), 0.3)
    maybe(d, args, "ddof", lambda: d.below(2), 0.3)
    maybe(d, args, "epsilon", lambda: d.real(0, 2), 0.3)
    maybe(d, args, "scale", lambda: d.real(0.5, 60), 0.3)
    maybe(d, args, "shift", lambda: d.real(-5, 128), 0.3)
    maybe(d, args, "mean", lambda: d.real(-5, 128), 0.2)
    maybe(d, args, "stddev", lambda: d.real(1, 128), 0.2)
    out_type(d, args, ("uint8", "int16", "float32", "float16"))
    return case("x", b, rule="resample", **args)


MODES = ("default", "stretch", "not_larger", "not_smaller")
FILTERS = ("INTERP_NN", "INTERP_LINEAR", "INTERP_CUBIC", "INTERP_LANCZOS3", "INTERP_TRIANGULAR")


def resize_args(d, args, n, layout):
    spatial = 3 if "D" in layout else 2
    wanted = lambda: 1.0 + d.below(14)  # noqa: E731
    how = d.below(5)
    if how == 0:
        args["size"] = each(d, n, lambda: [d.among(0.0, wanted(), wanted(), wanted()) for _ in range(spatial)])
    elif how == 1:
        args["resize_x"] = each(d, n, wanted)
    elif how == 2:
        args["resize_x"], args["resize_y"] = each(d, n, wanted), each(d, n, wanted)
    else:
        args[d.among("resize_shorter", "resize_longer")] = each(d, n, wanted)
    maybe(d, args, "mode", lambda: d.among(*MODES), 0.3)
    maybe(d, args, "max_size", lambda: d.among(wanted(), [wanted() for _ in range(spatial)]), 0.2)
    maybe(d, args, "antialias", lambda: d.chance(0.5), 0.3)
    for name in ("interp_type", "min_filter", "mag_filter"):
        maybe(d, args, name, lambda: ty(d.among(*FILTERS)), 0.3)
    maybe(d, args, "subpixel_scale", lambda: d.chance(0.5), 0.2)
    out_type(d, args, ("uint8", "float32"), 0.3)


def roam_resize(d):
    b, n, layout = images(d, ("uint8", "int16", "uint16", "float32"), 14, ("HWC", "HWC", "CHW", "FHWC", "DHWC", "HW"))
    args = {}
    resize_args(d, args, n, layout)
    if d.chance(0.25):
        spatial = 3 if "D" in layout else 2
        maybe(d, args, "roi_relative", lambda: d.chance(0.7), 0.8)
        top = 1.0 if args.get("roi_relative") else 9.0
        args["roi_start"] = [d.real(0, top * 0.6) for _ in range(spatial)]
        args["roi_end"] = [d.real(0, top) for _ in range(spatial)]
    return case("x", b, rule="resample", **args)


def roam_resize_crop_mirror(d):
    b, n, layout = images(d, ("uint8", "float32"), 14, ("HWC", "CHW"))
    args = {}
    resize_args(d, args, n, layout)
    args["crop"] = [1.0 + d.below(8), 1.0 + d.below(8)]
    maybe(d, args, "mirror", lambda: each(d, n, lambda: d.below(2), "int32"))
    for name in ("crop_pos_x", "crop_pos_y"):
        maybe(d, args, name, lambda: each(d, n, lambda: d.real(0, 1)))
    maybe(d, args, "out_of_bounds_policy", lambda: d.among("pad", "trim_to_shape"), 0.6)
    return case("x", b, rule="resample", **args)


def roam_rotate(d):
    b, n, layout = images(d, ("uint8", "int16", "float32"), 12, ("HWC", "HWC", "FHWC", "DHWC"))
    args = {"angle": each(d, n, lambda: d.real(-400, 400))}
    if "D" in layout:
        args["axis"] = [d.real(-1, 1), d.real(-1, 1), d.real(0.1, 1)]
    maybe(d, args, "fill_value", lambda: d.among(0.0, 5.0, 300.0))
    maybe(d, args, "keep_size", lambda: d.chance(0.7))
    maybe(d, args, "interp_type", lambda: ty(d.among("INTERP_NN", "INTERP_LINEAR")))
    maybe(d, args, "size", lambda: [1.0 + d.below(14) for _ in range(3 if "D" in layout else 2)], 0.2)
    out_type(d, args, ("uint8", "float32"), 0.2)
    return case("x", b, rule="resample", **args)


def roam_brightness(*names):
    def roam(d):
        b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "FHWC", "CHW"))
        args = {}
        for name in names:
            low, high = {"brightness": (0, 3), "brightness_shift": (-1, 1), "contrast": (0, 3),
                         "contrast_center": (0, 255)}[name]
            maybe(d, args, name, lambda: each(d, n, lambda: d.real(low, high)), 0.6)
        out_type(d, args, ("uint8", "int16", "int32", "float32", "int8"), 0.4)
        return case("x", b, rule="float", **args)
    return roam


def roam_color_space_conversion(d):
    spaces = ["RGB", "BGR", "GRAY", "YCbCr"]
    a, z = d.among(*spaces), d.among(*spaces)
    layout = d.among("HWC", "FHWC", "CHW")
    shape = {"C": d.among(1, 3) if d.chance(0.1) else (1 if a == "GRAY" else 3), "F": 2, "H": 1 + d.below(5),
             "W": 1 + d.below(5)}
    b = batch([shape[x] for x in layout], dtype=d.among("uint8", "uint8", "float32", "int16"), layout=layout,
              seed=d.below(99))
    args = {"image_type": ty(a), "output_type": ty(z)}
    out_type(d, args, ("uint8", "float32"), 0.3)
    return case("x", b, rule="resample", **args)


def roam_lookup_table(d):
    b, rank, layout = some_batch(d, dtypes=("uint8", "int8", "int16", "uint16", "int32"))
    keys = d.r.sample(range(0, 256), d.among(0, 1, 4))
    args = {"keys": keys, "values": [d.real(-9, 300) for _ in keys]}
    maybe(d, args, "default_value", lambda: d.among(3.5, -2.0, 300.0))
    out_type(d, args, ("uint8", "int16", "float32", "float16", "int64"), 0.6)
    return case("x", b, **args)


def roam_one_hot(d):
    b, rank, layout = some_batch(d, dtypes=INTS)
    b["range"] = [0, 5]
    args = {}
    maybe(d, args, "num_classes", lambda: d.among(3, 5, 7), 0.7)
    maybe(d, args, "axis", lambda: d.below(rank + 2) - 1, 0.6)
    maybe(d, args, "axis_name", lambda: d.among("P", "Q"), 0.4)
    maybe(d, args, "on_value", lambda: d.among(2, 7.5))
    maybe(d, args, "off_value", lambda: d.among(-1, 0.5))
    out_type(d, args, ("uint8", "int8", "float32"), 0.5)
    return case("x", b, **args)


def roam_cast(d):
    b, rank, layout = some_batch(d, dtypes=DTYPES)
    b["fill"] = "edges"
    return case("x", b, dtype=dt(d.among(*DTYPES)))


def roam_random(op):
    def roam(d):
        args, inputs = {}, []
        if d.chance(0.7):
            args["batch_size"] = 1 + d.below(4)
        n = args.get("batch_size", 1)
        if op != "random.choice" and d.chance(0.2):
            inputs = [batch(*[[2, 3]] * n, seed=1)]
        else:
            maybe(d, args, "shape", lambda: d.among(3, [2, 2], [], [0], [5]), 0.7)
        if op == "random.uniform":
            if d.chance(0.3):
                args["values"] = [d.real(-9, 9) for _ in range(1 + d.below(4))]
            else:
                maybe(d, args, "range", lambda: [d.real(-9, 0), d.real(0, 300)], 0.6)
            out_type(d, args, NUMBERS, 0.5)
        elif op == "random.normal":
            maybe(d, args, "mean", lambda: each(d, n, lambda: d.real(-9, 200)), 0.5)
            maybe(d, args, "stddev", lambda: each(d, n, lambda: d.real(0, 50)), 0.5)
            out_type(d, args, NUMBERS, 0.5)
        elif op == "random.coin_flip":
            maybe(d, args, "probability", lambda: each(d, n, lambda: d.real(0, 1)), 0.7)
            out_type(d, args, NUMBERS + ["bool"], 0.5)
        elif op == "random.choice":
            inputs = [d.among(5, array_pool(d))]
            k = 5 if inputs == [5] else inputs[0]["shape"][0]
            maybe(d, args, "p", lambda: [1 / k] * k if d.chance(0.5) else [1.0] + [0.0] * (k - 1), 0.4)
            maybe(d, args, "replace", lambda: d.chance(0.8), 0.3)
        return case("x", *inputs, seed=d.below(10000), **args)
    return roam


def array_pool(d):
    return tensor(1 + d.below(6), dtype=d.among("int32", "float32", "uint8"), seed=d.below(9))


def roam_noise(op):
    def roam(d):
        b, n, layout = images(d, ("uint8", "int16", "float32"), layouts=("HWC", "CHW", "FHWC"))
        args = {}
        if op == "noise.gaussian":
            maybe(d, args, "mean", lambda: each(d, n, lambda: d.real(-9, 9)))
            maybe(d, args, "stddev", lambda: each(d, n, lambda: d.real(0, 30)), 0.7)
        elif op == "noise.salt_and_pepper":
            maybe(d, args, "prob", lambda: each(d, n, lambda: d.real(0, 1)), 0.7)
            maybe(d, args, "salt_vs_pepper", lambda: each(d, n, lambda: d.real(0, 1)))
            maybe(d, args, "per_channel", lambda: d.chance(0.5))
            maybe(d, args, "salt_val", lambda: d.among(200.0, 9.0))
            maybe(d, args, "pepper_val", lambda: d.among(3.0, 1.0))
        return case("x", b, seed=d.below(9999), rule="float", **args)
    return roam


def roam_batch_permutation(d):
    args = {"batch_size": 1 + d.below(9)}
    maybe(d, args, "allow_repetitions", lambda: d.chance(0.7))
    maybe(d, args, "no_fixed_points", lambda: d.chance(0.7))
    return case("x", seed=d.below(9999), **args)


def roam_random_crop_generator(d):
    n = d.among(1, 2, 3)
    b = per_sample(*[[1 + d.below(600), 1 + d.below(600)] for _ in range(n)], dtype="int64")
    args = {}
    maybe(d, args, "random_area", lambda: [d.real(0.01, 0.5), d.real(0.5, 1)])
    maybe(d, args, "random_aspect_ratio", lambda: [d.real(0.1, 1), d.real(1, 4)])
    maybe(d, args, "num_attempts", lambda: d.among(1, 3))
    return case("x", b, seed=d.below(9999), **args)


def roam_random_resized_crop(d):
    b, n, layout = images(d, ("uint8", "float32"), 20, ("HWC", "CHW", "FHWC"))
    args = {"size": d.among([5.0, 7.0], [8], [3, 3])}
    maybe(d, args, "random_area", lambda: [d.real(0.01, 0.5), d.real(0.5, 1)])
    maybe(d, args, "random_aspect_ratio", lambda: [d.real(0.1, 1), d.real(1, 4)])
    maybe(d, args, "antialias", lambda: d.chance(0.5))
    for name in ("interp_type", "min_filter", "mag_filter"):
        maybe(d, args, name, lambda: ty(d.among(*FILTERS)), 0.3)
    out_type(d, args, ("uint8", "float32"), 0.2)
    return case("x", b, seed=d.below(9999), rule="resample", **args)


ROAMS = {
    "slice": roam_slice, "crop": roam_crop, "crop_mirror_normalize": roam_crop_mirror_normalize,
    "flip": roam_flip, "pad": roam_pad, "transpose": roam_transpose, "reshape": roam_reshape,
    "reinterpret": roam_reinterpret, "squeeze": roam_squeeze, "expand_dims": roam_expand_dims,
    "cat": roam_join("cat"), "stack": roam_join("stack"), "normalize": roam_normalize,
    "resize": roam_resize, "resize_crop_mirror": roam_resize_crop_mirror, "rotate": roam_rotate,
    "brightness": roam_brightness("brightness", "brightness_shift"),
    "contrast": roam_brightness("contrast", "contrast_center"),
    "brightness_contrast": roam_brightness("brightness", "brightness_shift", "contrast", "contrast_center"),
    "color_space_conversion": roam_color_space_conversion, "lookup_table": roam_lookup_table,
    "one_hot": roam_one_hot, "cast": roam_cast, "batch_permutation": roam_batch_permutation,
    "random_crop_generator": roam_random_crop_generator, "random_resized_crop": roam_random_resized_crop,
}
ROAMS.update({"reductions." + op: roam_reduction(op)
              for op in ("sum", "mean", "mean_square", "rms", "min", "max")})
ROAMS.update({op: roam_random(op) for op in ("random.uniform", "random.normal", "random.coin_flip", "random.choice")})
ROAMS.update({op: roam_noise(op) for op in ("noise.gaussian", "noise.salt_and_pepper")})


def make(ops, seed, count):
    out = []
    for op in ops:
        for i in range(count):
            d = Dice("%s %d %d" % (op, seed, i))
            out.append(dict(ROAMS[op](d), op=op, name="%s/roam-%d-%d" % (op, seed, i)))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--peer", default=os.environ.get("HEADRACE_PEER_PYTHON"))
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=50)
    p.add_argument("ops", nargs="*")
    a = p.parse_args()
    cases = drive.resolved(make(a.ops or list(ROAMS), a.seed, a.count))
    peer = drive.run(a.peer, drive.PEER, cases)
    rows = outcome.verdicts(cases, peer, outcome.ours(cases))
    refused = sum("error" in r[3] for r in rows)
    bad = [r for r in rows if r[1].kind and r[2] is None]
    for c, v, _, _, _ in bad:
        print("%s: %s: %s\n    %s %s" % (c["name"], v.kind, v.detail, c["inputs"], c["args"]))
    print("%d calls, %d refused by the peer, %d answers differ" % (len(rows), refused, len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
