"""Cases of rotate: nearest pixels agree exactly, mixed ones within a level or 1e-4."""
from parity.case import (NUMBERS, array, batch, case, device_cases, dice, dt, per_sample, tensor,
                         tensor_of, ty, wrong)

OP = "rotate"
B = batch([9, 13, 3], [12, 7, 3], layout="HWC")
VOLUME = batch([5, 6, 7, 2], layout="DHWC")
TAKEN = ("uint8", "int16", "int32", "float32")


def near(name, *inputs, **args):
    return case(name, *inputs, rule="resample", **args)


def nearest(name, *inputs, **args):
    return case(name, *inputs, interp_type=ty("INTERP_NN"), **args)


CASES = [near("angle-%s" % a, B, angle=a) for a in (0, 10, 45, -30, 90, 180, 270, 360, 400.5, 1e-3)]
CASES += [nearest("nn-angle-%s" % a, B, angle=a)
          for a in (0, 10, 45, -45, 30, 60, 135, -210, 90, 180, 270, 123.456)]
CASES += [near("fill-angle-%s" % a, B, angle=a, fill_value=77) for a in (10, 45, 90, -200)]
CASES += [nearest("nn-fill-angle-%s" % a, B, angle=a, fill_value=77) for a in (10, 45, 90, -200)]
CASES += [near("dtype-" + d, batch([6, 8, 3], dtype=d, layout="HWC"), angle=30) for d in NUMBERS]
CASES += [near("to-%s-%s" % (a, b), batch([6, 8, 3], dtype=a, layout="HWC"), angle=30, dtype=dt(b))
          for a in TAKEN for b in TAKEN + ("uint16", "float16") if a != b]
CASES += [near("fill-%s-%s-%s" % (a, b, v), batch([5, 5, 1], dtype=a, layout="HWC"), angle=45,
               fill_value=v, dtype=dt(b))
          for a, b in [("uint8", "uint8"), ("uint8", "float32"), ("float32", "uint8"),
                       ("float32", "float32"), ("int16", "float32"), ("float32", "int16")]
          for v in (7.6, -50, 300, 0)]
CASES += [near("layout-" + lay, batch(s, layout=lay), angle=30)
          for lay, s in [("HWC", [6, 7, 2]), ("FHWC", [3, 6, 7, 2]), ("CHW", [2, 6, 7]),
                         ("HW", [6, 7])]]
CASES += [near("layout-axis-" + lay, batch(s, layout=lay), angle=30, axis=[1, 2, 3])
          for lay, s in [("HWC", [6, 7, 2]), ("FHWC", [3, 6, 7, 2]), ("DHWC", [4, 6, 7, 2]),
                         ("FDHWC", [2, 4, 5, 6, 3]), ("DHW", [4, 5, 6])]]
CASES += [near("channels-%d" % c, batch([17, 19, c], layout="HWC"), angle=25, fill_value=f)
          for c in (1, 2, 3, 4, 5) for f in (None,)]
CASES += [near("channels-fill-%d" % c, batch([17, 19, c], layout="HWC"), angle=25, fill_value=3)
          for c in (1, 2, 3, 4, 5)]
CASES += [near("volume-%s-%s" % (a, "x".join(map(str, v))), VOLUME, angle=a, axis=v)
          for a in (30, -75, 180) for v in ([0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, -2, 3])]
CASES += [nearest("nn-volume-%s-%s" % (a, "x".join(map(str, v))), VOLUME, angle=a, axis=v,
                  fill_value=f)
          for a, f in ((30, None), (-75, 9), (45, None)) for v in ([0, 0, 1], [1, 1, 1], [0, -2, 3])]
CASES += [near("volume-fill", VOLUME, angle=33, axis=[1, 2, 3], fill_value=9)]
CASES += [near("volume-%s" % d, batch([5, 6, 7, 1], dtype=d, layout="DHWC"), angle=33,
               axis=[1, 2, 3]) for d in ("int16", "int32", "float32")]


def sweep(n, draw=dice(5)):
    for i in range(n):
        shape = [1 + draw(40), 1 + draw(40), 1]
        angle = 15.0 * (draw(49) - 24) if draw(2) else draw(72000) / 100.0 - 360
        yield nearest("sweep-%d" % i, batch(shape, dtype="int32", layout="HWC"), angle=angle)
        volume = [1 + draw(9), 1 + draw(9), 1 + draw(9), 1]
        axis = [draw(200) / 100.0 - 1 for _ in range(3)]
        yield nearest("sweep-volume-%d" % i, batch(volume, dtype="int32", layout="DHWC"),
                      angle=angle, axis=axis)


CASES += list(sweep(40))
CASES += [
    near("keep-size", B, angle=30, keep_size=True),
    near("keep-size-volume", VOLUME, angle=30, axis=[1, 2, 3], keep_size=True),
    near("size", B, angle=30, size=[5, 20]),
    near("size-fraction", B, angle=30, size=[5.7, 20.2]),
    near("size-keep-size", B, angle=30, size=[5, 20], keep_size=True),
    near("size-volume", VOLUME, angle=30, axis=[1, 2, 3], size=[3, 9, 4]),
    near("size-per-sample", B, angle=30, size=per_sample([5, 6], [9, 3])),
    near("size-tensor", B, angle=30, size=tensor_of([5, 6])),
    near("size-zero", B, angle=30, size=[0, 4]),
    near("size-empty", B, angle=30, size=[]),
    near("angle-per-sample", B, angle=per_sample(30, -60)),
    near("axis-per-sample", batch([4, 5, 6, 1], [5, 4, 3, 1], layout="DHWC"), angle=40,
         axis=per_sample([1, 0, 0], [0, 1, 1])),
    near("axis-on-picture", B, angle=30, axis=[1, 0, 0]),
    near("output-dtype", B, angle=30, output_dtype=dt("float32")),
    near("fill-nan", B, angle=30, fill_value=float("nan")),
    near("tensor", tensor(6, 7, 3, layout="HWC"), angle=30),
    near("tensor-broadcast", tensor(6, 7, 3, layout="HWC"), angle=30, batch_size=2),
    near("numpy-3d", array(6, 7, 3), angle=30),
    near("numpy-4d", array(2, 6, 7, 3), angle=30),
    near("numpy-5d", array(2, 4, 6, 7, 3), angle=30, axis=[1, 0, 0]),
    near("one-pixel", batch([1, 1, 3], layout="HWC"), angle=30),
    near("one-pixel-fill", batch([1, 1, 3], layout="HWC"), angle=30, fill_value=5),
    near("one-row", batch([1, 40, 3], layout="HWC"), angle=20, fill_value=5),
    near("one-column", batch([40, 1, 3], layout="HWC"), angle=20),
    near("large", batch([211, 307, 3], layout="HWC"), angle=33.3),
    near("large-fill", batch([307, 211, 1], layout="HWC"), angle=-77, fill_value=128),
    near("large-float", batch([107, 311, 3], dtype="float32", layout="HWC"), angle=33.3),
    nearest("large-nn", batch([211, 307, 3], layout="HWC"), angle=45),
    near("none", B, angle=30, axis=None, dtype=None, fill_value=None, interp_type=None,
         keep_size=None),
    wrong("no-angle", B),
    wrong("volume-no-axis", VOLUME, angle=30),
    wrong("axis-two", VOLUME, angle=30, axis=[1, 2]),
    wrong("axis-zero", VOLUME, angle=30, axis=[0, 0, 0]),
    wrong("axis-nan", VOLUME, angle=30, axis=[float("nan"), 0, 1]),
    wrong("angle-nan", B, angle=float("nan")),
    wrong("angle-infinite", B, angle=float("inf")),
    wrong("angle-text", B, angle="a"),
    wrong("interp-cubic", B, angle=30, interp_type=ty("INTERP_CUBIC")),
    wrong("interp-text", B, angle=30, interp_type="nearest"),
    wrong("size-three", B, angle=30, size=[3, 4, 5]),
    wrong("size-one", B, angle=30, size=[3]),
    wrong("size-negative", B, angle=30, size=[-3, 4]),
    wrong("fill-per-sample", B, angle=30, fill_value=per_sample(1, 2)),
    wrong("both-dtypes", B, angle=30, dtype=dt("uint8"), output_dtype=dt("uint8")),
    wrong("rank-2", array(6, 7), angle=30),
    wrong("no-input", angle=30),
]
CASES += device_cases(B, angle=30)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint16 dtype-uint32 dtype-uint64 dtype-int64 dtype-float16 dtype-float64
to-uint8-int16 to-uint8-int32 to-uint8-uint16 to-uint8-float16 to-int16-uint8 to-int16-int32
to-int16-uint16 to-int16-float16 to-int32-uint8 to-int32-int16 to-int32-uint16 to-int32-float16
to-float32-uint16 to-float32-float16 layout-CHW layout-HW layout-axis-DHW size-empty
""".split())
