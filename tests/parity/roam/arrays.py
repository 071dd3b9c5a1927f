"""Random calls of operators on arrays of any shape."""
from parity.case import DTYPES, INTS, batch, case, dt, tensor_of
from parity.roam.dice import LAYOUTS, axes_args, each, maybe, out_type, size_of, some_batch


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


ROAMS = {
    "slice": roam_slice, "pad": roam_pad, "transpose": roam_transpose, "reshape": roam_reshape,
    "reinterpret": roam_reinterpret, "squeeze": roam_squeeze, "expand_dims": roam_expand_dims,
    "cat": roam_join("cat"), "stack": roam_join("stack"), "normalize": roam_normalize,
    "lookup_table": roam_lookup_table, "one_hot": roam_one_hot, "cast": roam_cast,
}
ROAMS.update({"reductions." + op: roam_reduction(op)
              for op in ("sum", "mean", "mean_square", "rms", "min", "max")})
