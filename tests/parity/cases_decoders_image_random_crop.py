"""Cases of decoders.image_random_crop: the window is exact, the pixels as decoders.image."""
from parity.case import case, device_cases, dice, dt, picture, pictures, ty, wrong
from parity.window_cases import B, HINTS, JPEG, PNG, jpeg, kind

OP = "decoders.image_random_crop"

CASES = [jpeg("seed-%d" % s, B, seed=s) for s in range(8)]
CASES += [case("png-seed-%d" % s, pictures(PNG, kind(PNG, mode="L")), seed=s) for s in range(4)]
CASES += [jpeg("type-" + t, B, seed=120, output_type=ty(t))
          for t in ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")]
CASES += [jpeg("to-" + d, B, seed=121, dtype=dt(d))
          for d in ("uint8", "uint16", "int16", "float32", "float16")]
CASES += [jpeg("area-%s-%s-ratio-%s-%s" % (a, b, c, d), B, seed=122, random_area=[a, b],
               random_aspect_ratio=[c, d])
          for a, b, c, d in [(0.5, 0.6, 0.9, 1.1), (1.0, 1.0, 1.0, 1.0), (0.01, 0.05, 0.5, 2.0),
                             (0.9, 1.0, 3.0, 4.0)]]
CASES += [jpeg("attempts-%d" % n, B, seed=123, num_attempts=n) for n in (1, 3)]
CASES += [jpeg("orientation-%d-%d" % (o, a), pictures(kind(JPEG, orientation=o)), seed=124,
               adjust_orientation=bool(a)) for o in (1, 2, 3, 5, 6, 8) for a in (0, 1)]
CASES += [jpeg("hint-" + k, B, seed=1, like="seed-1", **{k: v}) for k, v in sorted(HINTS.items())]
CASES += [jpeg("progressive-%d" % s, pictures(kind(JPEG, save={"quality": 80, "progressive": True,
                                                           "subsampling": 2})), seed=s)
          for s in (0, 1)]
CASES += [
    jpeg("fast-idct", B, seed=125, use_fast_idct=True),
    jpeg("tensor", picture(JPEG), seed=126),
    jpeg("tensor-broadcast", picture(JPEG), seed=126, batch_size=3),
    jpeg("large", pictures(kind(JPEG, size=[150, 211])), seed=127),
    jpeg("none", B, seed=1, adjust_orientation=None, dtype=None, output_type=None,
         num_attempts=None, random_area=None, random_aspect_ratio=None, use_fast_idct=None),
    wrong("area-reversed", B, seed=1, random_area=[0.8, 0.5]),
    wrong("ratio-reversed", B, seed=1, random_aspect_ratio=[2.0, 1.0]),
    wrong("area-negative", B, seed=1, random_area=[-0.5, 0.5]),
    wrong("html", pictures({"raw": "PGh0bWw+"}), seed=1),
    wrong("output-type-text", B, seed=1, output_type="RGB"),
    wrong("rng", B, rng=5),
    wrong("no-input", seed=1),
]
def sweep(i):
    r = dice(i)
    save = {"quality": 30 + r(70), "subsampling": r(3), "progressive": bool(r(2))}
    spec = {"format": "JPEG", "size": [8 + r(90), 8 + r(90)], "seed": i, "noise": 1 + r(120),
            "save": save}
    if r(3) == 0:
        spec["orientation"] = 1 + r(8)
    return jpeg("sweep/%d" % i, pictures(spec), seed=i, output_type=ty(("RGB", "GRAY")[r(2)]))


CASES += [sweep(i) for i in range(150)]
CASES += device_cases(picture(JPEG), seed=3)

# Measured: the peer refuses these.
PEER_REFUSES = set("""
to-float16
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/area-negative
""".split())
