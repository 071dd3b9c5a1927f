"""Cases of peek_image_shape: exact."""
from parity.case import DTYPES, case, device_cases, dt, picture, pictures, ty, wrong

OP = "peek_image_shape"
JPEG = {"format": "JPEG", "size": [37, 42], "save": {"quality": 90, "subsampling": 2}}
PNG = {"format": "PNG", "size": [29, 31]}


def kind(spec, **more):
    return dict(spec, **more)


CASES = [case("type-%s-%s" % (t, k), picture(spec), image_type=ty(t))
         for t in ("RGB", "BGR", "GRAY", "YCbCr", "ANY_DATA")
         for k, spec in [("jpeg", JPEG), ("jpeg-gray", kind(JPEG, mode="L")), ("png", PNG),
                         ("png-gray", kind(PNG, mode="L")), ("png-alpha", kind(PNG, mode="RGBA"))]]
CASES += [case("dtype-" + d, picture(JPEG), dtype=dt(d)) for d in DTYPES]
CASES += [case("orientation-%d-%d" % (o, a), picture(kind(JPEG, orientation=o)),
               adjust_orientation=bool(a)) for o in range(1, 9) for a in (0, 1)]
CASES += [
    case("batch", pictures(JPEG, PNG)),
    case("none", picture(JPEG), adjust_orientation=None, dtype=None, image_type=None),
    case("broadcast", picture(JPEG), batch_size=3),
    wrong("html", picture({"raw": "PGh0bWw+"})),
    wrong("header-only", picture(kind(JPEG, keep=0.2))),
    wrong("type-text", picture(JPEG), image_type="RGB"),
    wrong("no-input"),
]
CASES += device_cases(picture(JPEG))

# Measured: the peer refuses these.
PEER_REFUSES = set("""
dtype-uint8 dtype-int8 dtype-uint16 dtype-int16 dtype-float16 dtype-bool
""".split())
