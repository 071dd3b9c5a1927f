"""Cases of contrast: results agree exactly."""
from parity.case import batch, case, device_cases, dt, per_sample, tensor, wrong

OP = "contrast"
B = batch([6, 8, 3], [5, 7, 3], layout="HWC")
TAKEN = ("uint8", "int16", "int32", "float32")

CASES = [case("to-%s-%s" % (a, b), batch([16, 16, 1], dtype=a, layout="HWC"), dtype=dt(b),
              contrast=1.37) for a in TAKEN for b in TAKEN]
CASES += [case("contrast-%s" % v, B, contrast=v) for v in (0.0, 0.3, 1.0, 3.3)]
CASES += [case("center-%s" % v, B, contrast=1.6, contrast_center=v) for v in (0.1, 0.5, 80, -25)]
CASES += [
    case("contrast-per-sample", B, contrast=per_sample(0.5, 1.5)),
    case("center-per-sample", B, contrast=1.5, contrast_center=per_sample(10, 200)),
    case("tensor", tensor(4, 5, 3, layout="HWC"), contrast=0.4),
    case("none", B, contrast=None, contrast_center=None, dtype=None),
    wrong("brightness", B, brightness=1.0),
    wrong("list", B, contrast=[1.0]),
    wrong("no-input", contrast=1.5),
]
CASES += device_cases(B, contrast=1.5)

# Measured: the peer accepts these.
PEER_ACCEPTS = {"wrong/list"}
