"""Cases of decoders.image_slice: the region is exact, the pixels as decoders.image."""
from parity.case import (array_of, batch, case, device_cases, dice, dt, per_sample, picture, pictures,
                         tensor_of, ty, wrong)
from parity.window_cases import B, HINTS, JPEG, P, PNG, jpeg, kind

OP = "decoders.image_slice"
ANCHOR, SHAPE = tensor_of([0.1, 0.2]), tensor_of([0.5, 0.4])
HERE = {"start": [4, 3], "end": [10, 12]}
ONE = picture(PNG)

CASES = [case("named-%d" % i, P, **args) for i, args in enumerate([
    {"start": [4, 3], "end": [10, 12]}, {"start": [4, 3], "shape": [10, 12]}, {"start": [4, 3]},
    {"end": [4, 3]}, {"shape": [4, 3]}, {"rel_start": [0.1, 0.2], "rel_end": [0.5, 0.6]},
    {"rel_start": [0.1, 0.2], "rel_shape": [0.5, 0.6]}, {"rel_shape": [0.5, 0.6]},
    {"start": [4, 3], "rel_end": [0.5, 0.6]}, {"start": [4, 3], "rel_shape": [0.5, 0.6]},
    {"rel_start": [0.1, 0.2], "shape": [5, 6]}, {"rel_start": [0.125, 0.25]}, {"rel_end": [0.7, 0.9]},
    {"start": [4], "end": [10], "axes": [0]}, {"start": [4], "end": [10], "axes": [-1]},
    {"start": [4, 3], "end": [10, 12], "axes": [0, 1]},
    {"start": [4], "end": [10], "axis_names": "H"}, {"start": [4, 3], "end": [10, 12], "axis_names": "HW"},
    {"start": 4, "end": 10, "axes": [0]}, {"start": [0, 0], "end": [31, 29]}])]


def sweep(n, draw=dice(4)):
    for i in range(n):
        start = [draw(60) / 100.0, draw(60) / 100.0]
        yield case("rel-sweep-%d" % i, ONE, rel_start=start,
                   rel_end=[s + (10 + draw(30)) / 100.0 for s in start])
        yield case("input-sweep-%d" % i, ONE, tensor_of(start),
                   tensor_of([(5 + draw(35)) / 100.0, (5 + draw(35)) / 100.0]))


CASES += list(sweep(20))
CASES += [
    case("inputs", ONE, ANCHOR, SHAPE),
    case("inputs-batch", P, batch([2], [2], dtype="float32", range=[0.1, 0.4]),
         batch([2], [2], dtype="float32", range=[0.1, 0.4])),
    case("inputs-int32", ONE, tensor_of([4, 3], "int32"), tensor_of([10, 12], "int32")),
    case("inputs-int64", ONE, tensor_of([4, 3], "int64"), tensor_of([10, 12], "int64")),
    case("inputs-absolute", ONE, tensor_of([4, 3]), tensor_of([10, 12]), normalized_anchor=False,
         normalized_shape=False),
    case("inputs-absolute-anchor", ONE, tensor_of([4, 3]), SHAPE, normalized_anchor=False),
    case("inputs-absolute-shape", ONE, ANCHOR, tensor_of([10, 12]), normalized_shape=False),
    case("inputs-axes", ONE, tensor_of([0.1]), tensor_of([0.5]), axes=[0]),
    case("inputs-arrays", ONE, array_of([0.1, 0.2]), array_of([0.5, 0.4])),
    case("axes-per-sample", P, start=[4], end=[10], axes=per_sample([0], [1], dtype="int32")),
    case("start-per-sample", P, start=per_sample([4, 3], [0, 1], dtype="int32"),
         end=per_sample([10, 12], [4, 6], dtype="int32")),
    case("shape-per-sample", P, shape=per_sample([4, 3], [9, 1], dtype="int32")),
    case("rel-per-sample", P, rel_start=per_sample([0.1, 0.2], [0, 0]),
         rel_end=per_sample([0.5, 0.4], [0.3, 0.6])),
    case("rel-shape-per-sample", P, rel_shape=per_sample([0.5, 0.4], [0.3, 0.6])),
    jpeg("jpeg", B, **HERE),
    jpeg("fast-idct", B, use_fast_idct=True, **HERE),
    jpeg("tensor-broadcast", picture(JPEG), batch_size=3, **HERE),
    jpeg("none", B, adjust_orientation=None, dtype=None, output_type=None, axes=None,
         axis_names=None, normalized_anchor=None, normalized_shape=None, **HERE),
    jpeg("base", B, **HERE),
]
CASES += [jpeg("hint-" + k, B, like="base", **{k: v}, **HERE) for k, v in sorted(HINTS.items())]
CASES += [jpeg("type-" + t, B, output_type=ty(t), **HERE)
          for t in ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")]
CASES += [jpeg("to-" + d, B, dtype=dt(d), **HERE)
          for d in ("uint8", "uint16", "int16", "float32", "float16")]
CASES += [jpeg("orientation-%d-%d" % (o, a), pictures(kind(JPEG, orientation=o)),
               adjust_orientation=bool(a), start=[3, 8], end=[30, 33])
          for o in range(1, 9) for a in (0, 1)]
CASES += [wrong(name, ONE, **args) for name, args in [
    ("nothing", {}), ("start-twice", {"start": [4, 3], "rel_start": [0.1, 0.1]}),
    ("end-twice", {"end": [4, 3], "shape": [1, 1]}), ("axes-twice", dict(HERE, axes=[0, 1], axis_names="WH")),
    ("axis-C", {"start": [0], "end": [2], "axes": [2]}),
    ("axis-name-C", {"start": [0], "end": [2], "axis_names": "C"}),
    ("axis-low", {"start": [4], "end": [10], "axes": [-3]}), ("over", {"start": [4, 3], "end": [99, 12]}),
    ("below", {"start": [-4, 3], "end": [10, 12]}), ("reversed", {"start": [10, 3], "end": [4, 12]}),
    ("empty", {"start": [4, 3], "end": [4, 12]}), ("shape-zero", {"start": [4, 3], "shape": [0, 5]}),
    ("shape-negative", {"start": [4, 3], "shape": [-1, 5]}),
    ("three-values", {"start": [4, 3, 1], "end": [5, 6, 7]})]]
CASES += [
    wrong("anchor-only", ONE, ANCHOR),
    wrong("inputs-and-start", ONE, ANCHOR, SHAPE, start=[1, 1]),
    wrong("anchor-and-shape", ONE, ANCHOR, shape=[5, 5]),
    wrong("inputs-three", ONE, tensor_of([0.1, 0.2, 0.0]), tensor_of([0.5, 0.2, 1.0])),
    wrong("inputs-over", ONE, tensor_of([0.6, 0.2]), SHAPE),
    wrong("inputs-below", ONE, tensor_of([-0.1, 0.2]), SHAPE),
    wrong("inputs-nan", ONE, tensor_of([float("nan"), 0.2]), SHAPE),
    wrong("inputs-uint8", ONE, tensor_of([1, 2], "uint8"), tensor_of([5, 6], "uint8")),
    wrong("inputs-mixed", ONE, tensor_of([1, 2], "int64"), tensor_of([0.5, 0.6])),
    wrong("html", pictures({"raw": "PGh0bWw+"}), **HERE),
    wrong("no-input", **HERE),
]
CASES += device_cases(picture(PNG), **HERE)

# Measured: the peer refuses these.
PEER_REFUSES = {"to-float16"}
