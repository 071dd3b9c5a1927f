"""Cases of decoders.image_crop: the window is exact, the pixels as decoders.image."""
from parity.case import case, device_cases, dt, per_sample, picture, pictures, ty, wrong
from parity.window_cases import B, HINTS, JPEG, P, PNG, jpeg, kind

OP = "decoders.image_crop"

CASES = [case("png-%s" % "x".join(map(str, c)), P, crop=c)
         for c in ([10, 12], [10.7, 12.2], [0, 12], [-3, 12], [29, 31], [1, 1], [3, 10, 12])]
CASES += [case("png-pos-%s-%s" % (p, r), P, crop=[9, 13], crop_pos_x=p, crop_pos_y=1 - p, rounding=r)
          for p in (0.0, 0.25, 0.5, 0.9, 1.0) for r in ("round", "truncate")]
CASES += [jpeg("jpeg-pos-%s" % p, B, crop=[9, 13], crop_pos_x=p, crop_pos_y=1 - p)
          for p in (0.0, 0.3, 0.5, 1.0)]
CASES += [jpeg("type-" + t, B, crop=[10, 12], output_type=ty(t))
          for t in ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")]
CASES += [jpeg("to-" + d, B, crop=[10, 12], dtype=dt(d))
          for d in ("uint8", "uint16", "int16", "float32", "float16")]
CASES += [jpeg("orientation-%d-%d" % (o, a), pictures(kind(JPEG, orientation=o)), crop=[12, 20],
               crop_pos_x=0.2, crop_pos_y=0.8, adjust_orientation=bool(a))
          for o in range(1, 9) for a in (0, 1)]
CASES += [jpeg("base", B, crop=[10, 12])]
CASES += [jpeg("hint-" + k, B, crop=[10, 12], like="base", **{k: v}) for k, v in sorted(HINTS.items())]
CASES += [
    jpeg("no-crop", B),
    jpeg("progressive", pictures(kind(JPEG, save={"quality": 80, "progressive": True,
                                                  "subsampling": 2})), crop=[10, 12]),
    jpeg("crop-h-w", B, crop_h=10, crop_w=12),
    jpeg("crop-d-h-w", B, crop_d=3, crop_h=10, crop_w=12, crop_pos_z=0.3),
    jpeg("fast-idct", B, crop=[10, 12], use_fast_idct=True),
    jpeg("crop-per-sample", B, crop=per_sample([10, 12], [20, 5])),
    jpeg("crop-h-w-per-sample", B, crop_h=per_sample(10, 12), crop_w=per_sample(20, 5)),
    jpeg("crop-d-per-sample", B, crop_d=per_sample(1, 2), crop_h=10, crop_w=12,
         crop_pos_z=per_sample(0, 1)),
    jpeg("pos-per-sample", B, crop=[10, 12], crop_pos_x=per_sample(0, 1),
         crop_pos_y=per_sample(0.3, 0.6)),
    jpeg("tensor", picture(JPEG), crop=[10, 12]),
    jpeg("tensor-broadcast", picture(JPEG), crop=[10, 12], batch_size=3),
    jpeg("none", B, crop=[10, 12], adjust_orientation=None, dtype=None, output_type=None,
         crop_pos_x=None, rounding=None, use_fast_idct=None),
    wrong("too-high", B, crop=[50, 12]),
    wrong("too-wide", B, crop=[10, 60]),
    wrong("crop-one", B, crop=[10]),
    wrong("crop-h-only", B, crop_h=10),
    wrong("crop-twice", B, crop=[10, 12], crop_h=3, crop_w=3),
    wrong("pos-over", B, crop=[10, 12], crop_pos_x=1.2),
    wrong("rounding-unknown", B, crop=[10, 12], rounding="up"),
    wrong("html", pictures({"raw": "PGh0bWw+"}), crop=[10, 12]),
    wrong("output-type-text", B, crop=[10, 12], output_type="RGB"),
    wrong("no-input", crop=[10, 12]),
]
CASES += device_cases(picture(PNG), crop=[10, 12])

# Measured: the peer refuses these.
PEER_REFUSES = {"to-float16"}
