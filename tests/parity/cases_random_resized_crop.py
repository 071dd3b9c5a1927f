"""Cases of random_resized_crop: the window is exact, the pixels agree as those of resize."""
from parity.case import (NUMBERS, array, batch, case, device_cases, dice, dt, per_sample, tensor, ty,
                         wrong)

OP = "random_resized_crop"
B = batch([29, 33, 3], [32, 17, 3], layout="HWC")
FILTERS = ("NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN")


def near(name, *inputs, **args):
    return case(name, *inputs, rule="resample", **args)


def interp(name):
    return ty("INTERP_" + name)


CASES = [near("dtype-" + d, batch([12, 15, 3], dtype=d, layout="HWC"), seed=110, size=[8, 9])
         for d in NUMBERS]
CASES += [near("seed-%d" % s, B, seed=s, size=[7, 8]) for s in range(6)]
CASES += [near("filter-%s-aa%d" % (f.lower(), aa), B, seed=111, size=[9, 7],
               interp_type=interp(f), antialias=bool(aa)) for f in FILTERS for aa in (0, 1)]
CASES += [near("area-%s-%s-ratio-%s-%s" % (a, b, c, d), B, seed=112, size=[6, 6],
               random_area=[a, b], random_aspect_ratio=[c, d])
          for a, b, c, d in [(0.5, 0.6, 0.9, 1.1), (1.0, 1.0, 1.0, 1.0), (0.01, 0.05, 0.5, 2.0),
                             (0.9, 1.0, 3.0, 4.0)]]
CASES += [near("attempts-%d" % n, B, seed=113, size=[6, 6], num_attempts=n) for n in (1, 3)]
CASES += [near("layout-" + lay, batch(s, layout=lay), seed=114, size=[6, 5])
          for lay, s in [("CHW", [3, 12, 14]), ("FHWC", [2, 12, 14, 3]), ("HW", [12, 14]),
                         ("FCHW", [2, 3, 12, 14])]]
CASES += [
    near("default", B, seed=1, size=[5, 5]),
    near("to-float", B, seed=1, size=[5, 5], dtype=dt("float32")),
    near("min-filter", B, seed=1, size=[5, 5], min_filter=interp("NN")),
    near("mag-filter", B, seed=1, size=[50, 50], mag_filter=interp("NN")),
    near("min-mag", B, seed=1, size=[12, 50], min_filter=interp("CUBIC"),
         mag_filter=interp("LINEAR")),
    near("interp-per-sample", B, seed=1, size=[5, 5],
         interp_type=per_sample(0, 2, dtype="int32")),
    near("min-per-sample", B, seed=1, size=[5, 5], min_filter=per_sample(0, 2, dtype="int32")),
    near("mag-per-sample", B, seed=1, size=[50, 50], mag_filter=per_sample(0, 2, dtype="int32")),
    near("size-number", B, seed=1, size=6),
    near("minibatch-size", B, seed=1, size=[5, 5], minibatch_size=1, like="default"),
    near("temp-buffer-hint", B, seed=1, size=[5, 5], temp_buffer_hint=100, like="default"),
    near("tensor", tensor(12, 14, 3, layout="HWC"), seed=2, size=[5, 5]),
    near("tensor-broadcast", tensor(12, 14, 3, layout="HWC"), seed=2, size=[5, 5], batch_size=3),
    near("numpy", array(12, 14, 3), seed=2, size=[5, 5]),
    near("one-pixel", batch([1, 1, 3], layout="HWC"), seed=2, size=[3, 3]),
    near("large", batch([120, 160, 3], layout="HWC"), seed=3, size=[56, 48]),
    near("none", B, seed=1, size=[5, 5], antialias=None, dtype=None, interp_type=None,
         mag_filter=None, min_filter=None, num_attempts=None, random_area=None,
         random_aspect_ratio=None),
    wrong("no-size", B, seed=1),
    wrong("none-size", B, seed=1, size=None),
    wrong("size-three", B, seed=1, size=[5, 5, 5]),
    wrong("size-zero", B, seed=1, size=[0, 5]),
    wrong("size-negative", B, seed=1, size=[-4, 5]),
    wrong("size-text", B, seed=1, size="ab"),
    wrong("area-reversed", B, seed=1, size=[5, 5], random_area=[0.8, 0.5]),
    wrong("ratio-reversed", B, seed=1, size=[5, 5], random_aspect_ratio=[2.0, 1.0]),
    wrong("area-negative", B, seed=1, size=[5, 5], random_area=[-1.0, 0.5]),
    wrong("interp", B, seed=1, size=[5, 5], interp_type=77),
    wrong("dtype-bool", batch([6, 8, 3], dtype="bool", layout="HWC"), seed=1, size=[4, 4]),
    wrong("rank-1", batch([5]), seed=1, size=[2, 2]),
    wrong("no-input", seed=1, size=[2, 2]),
    wrong("rng", B, size=[2, 2], rng=5),
]
def sweep(i):
    r = dice(i)
    return near("sweep/%d" % i,
                batch([1 + r(50), 1 + r(50), 3], [9 + r(50), 9 + r(50), 3],
                      dtype=("uint8", "float32")[r(2)], layout="HWC", range=[0, 256], seed=i + 1),
                seed=i, size=[1 + r(40), 1 + r(40)], interp_type=interp(FILTERS[r(6)]),
                antialias=bool(r(2)))


CASES += [sweep(i) for i in range(100)]
CASES += device_cases(B, seed=3, size=[4, 4])

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-int8 dtype-uint32 dtype-int32 dtype-uint64 dtype-int64 dtype-float16 dtype-float64
layout-HW
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/size-zero wrong/area-negative
""".split())
