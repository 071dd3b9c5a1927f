"""Cases of decoders.image. JPEG agrees within one level and 0.05 in the mean, PNG exactly."""
from parity.case import (array, array_of, batch, case, device_cases, dice, dt, picture, pictures, ty,
                         wrong)

OP = "decoders.image"
JPEG = {"format": "JPEG", "size": [17, 22], "save": {"quality": 90, "subsampling": 2}}
FULL = {"format": "JPEG", "size": [24, 40], "save": {"quality": 95, "subsampling": 0}}
PNG = {"format": "PNG", "size": [9, 11]}
TYPES = ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")
HINTS = {"affine": False, "cache_batch_copy": False, "cache_debug": True, "cache_size": 1,
         "cache_threshold": 10, "cache_type": "threshold", "device_memory_padding": 1 << 20,
         "device_memory_padding_jpeg2k": 1, "host_memory_padding": 1 << 20,
         "host_memory_padding_jpeg2k": 1, "hw_decoder_load": 0.1, "hybrid_huffman_threshold": 10,
         "memory_stats": False, "preallocate_height_hint": 100, "preallocate_width_hint": 100,
         "split_stages": True, "use_chunk_allocator": True, "jpeg_fancy_upsampling": True}


def jpeg(name, *inputs, **args):
    return case(name, *inputs, rule="jpeg", **args)


def kind(spec, **more):
    return dict(spec, **more)


B = pictures(JPEG, kind(JPEG, size=[31, 16], seed=2))

CASES = [jpeg("jpeg-%s-%s" % (mode, t), pictures(kind(FULL, mode=mode)), output_type=ty(t),
              alone=mode == "L" and t == "ANY_DATA") for mode in ("RGB", "L") for t in TYPES]
CASES += [jpeg("jpeg-subsampling-%d-%dx%d-%s" % (s, h, w, t),
               pictures(kind(JPEG, size=[h, w], save={"quality": 85, "subsampling": s})),
               output_type=ty(t))
          for s in (0, 1, 2) for h, w in [(1, 1), (8, 8), (17, 15), (33, 50)]
          for t in ("RGB", "GRAY", "YCbCr")]
CASES += [jpeg("jpeg-progressive-%d" % s,
               pictures(kind(JPEG, save={"quality": 80, "subsampling": s, "progressive": True})))
          for s in (0, 2)]
CASES += [jpeg("jpeg-quality-%d" % q, pictures(kind(FULL, save={"quality": q, "subsampling": 0})))
          for q in (5, 50, 100)]
CASES += [jpeg("jpeg-orientation-%d-%d" % (o, a), pictures(kind(JPEG, orientation=o)),
               adjust_orientation=bool(a)) for o in range(1, 9) for a in (0, 1)]
CASES += [jpeg("jpeg-to-" + d, B, dtype=dt(d))
          for d in ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")]
CASES += [jpeg("jpeg-cmyk-" + t, pictures(kind(FULL, mode="CMYK")), output_type=ty(t))
          for t in TYPES]
CASES += [case("png-%s-%s" % (m, t), pictures(kind(PNG, mode=m)), output_type=ty(t))
          for m in ("RGB", "L", "LA", "RGBA", "P", "1", "I;16") for t in TYPES]
CASES += [case("png16-%d-%s-%s" % (c, t, d), pictures({"format": "PNG16", "size": [5, 6],
               "channels": c}), output_type=ty(t), dtype=dt(d))
          for c in (1, 2, 3, 4) for t in ("RGB", "ANY_DATA", "GRAY")
          for d in ("uint8", "uint16", "float32")]
CASES += [case("png-to-" + d, pictures(PNG), dtype=dt(d))
          for d in ("int8", "uint16", "int16", "uint32", "int32", "float16", "float32")]
CASES += [jpeg("hint-" + k, B, like="hint-base", **{k: v}) for k, v in sorted(HINTS.items())]
CASES += [
    jpeg("hint-base", B),
    jpeg("fast-idct", B, use_fast_idct=True),
    jpeg("fast-idct-full", pictures(FULL), use_fast_idct=True),
    jpeg("fancy-off", pictures(JPEG), jpeg_fancy_upsampling=False),
    jpeg("gray-and-colour", pictures(FULL, kind(FULL, mode="L"))),
    case("jpeg-and-png", pictures(kind(FULL, save={"quality": 100, "subsampling": 0}), PNG),
         rule="jpeg"),
    case("any-gray-batch", pictures(*[kind(FULL, mode="L")] * 8), rule="jpeg",
         alone=True, output_type=ty("ANY_DATA")),
    jpeg("tensor", picture(JPEG)),
    jpeg("tensor-broadcast", picture(JPEG), batch_size=2),
    jpeg("output-number", B, output_type=1),
    jpeg("none", B, adjust_orientation=None, dtype=None, output_type=None, use_fast_idct=None,
         jpeg_fancy_upsampling=None, affine=None),
    case("png-orientation", pictures(kind(PNG, orientation=6))),
    jpeg("large", pictures(kind(JPEG, size=[150, 211]))),
    wrong("gif", pictures({"format": "GIF", "size": [5, 6], "mode": "P"})),
    case("bmp", pictures({"format": "BMP", "size": [5, 6]})),
    case("tiff", pictures({"format": "TIFF", "size": [5, 6]})),
    case("ppm", pictures({"format": "PPM", "size": [5, 6]})),
    case("webp", pictures({"format": "WEBP", "size": [5, 6], "save": {"lossless": True}})),
    wrong("zeros", array_of([0] * 10, "uint8")),
    wrong("empty", array(0)),
    wrong("html", pictures({"raw": "PGh0bWw+"})),
    wrong("two-axes", array(2, 10)),
    wrong("int32", array(10, dtype="int32")),
    wrong("header-only", pictures(kind(JPEG, keep=0.1))),
    wrong("png-cut", pictures(kind(PNG, keep=0.6))),
    wrong("broken-fifth", pictures(*[PNG] * 4, {"raw": "PGh0bWw+"}, *[PNG] * 3)),
    case("jpeg-cut", pictures(kind(FULL, keep=0.7)), rule="shape"),
    wrong("output-type-text", B, output_type="RGB"),
    wrong("output-type-unknown", B, output_type=9),
    case("dtype-float64", pictures(PNG), dtype=dt("float64")),
    case("dtype-int64", pictures(PNG), dtype=dt("int64")),
    case("dtype-bool", pictures(PNG), dtype=dt("bool")),
    wrong("dtype-text", B, dtype="foo"),
    wrong("no-input"),
    wrong("image", batch([4, 5, 3], layout="HWC")),
]
def sweep(i):
    r = dice(i)
    save = {"quality": 30 + r(70), "subsampling": r(3), "progressive": bool(r(2)),
            "optimize": bool(r(2))}
    spec = {"format": "JPEG", "size": [1 + r(70), 1 + r(90)], "seed": i, "noise": 1 + r(120),
            "save": save, "mode": ("RGB", "RGB", "L")[r(3)]}
    return jpeg("sweep/%d" % i, pictures(spec), output_type=ty(TYPES[r(4)]),
                use_fast_idct=r(4) == 0)


CASES += [sweep(i) for i in range(150)]
CASES += device_cases(picture(JPEG))

# Measured: the peer refuses these.
PEER_REFUSES = set("""
jpeg-L-ANY_DATA jpeg-to-float16 jpeg-cmyk-ANY_DATA png-LA-ANY_DATA png16-2-ANY_DATA-uint8
png16-2-ANY_DATA-uint16 png16-2-ANY_DATA-float32 png-to-float16 any-gray-batch jpeg-cut
dtype-float64 dtype-int64 dtype-bool
""".split())
