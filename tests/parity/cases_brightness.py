"""Cases of brightness: results agree exactly."""
from parity.case import batch, case, device_cases, dt, per_sample, tensor, wrong

OP = "brightness"
B = batch([6, 8, 3], [5, 7, 3], layout="HWC")
TAKEN = ("uint8", "int16", "int32", "float32")

CASES = [case("to-%s-%s" % (a, b), batch([16, 16, 1], dtype=a, layout="HWC"), dtype=dt(b),
              brightness=1.37, brightness_shift=-0.13) for a in TAKEN for b in TAKEN]
CASES += [case("brightness-%s" % v, B, brightness=v) for v in (0.0, 0.3, 1.0, 3.3)]
CASES += [case("shift-%s" % v, B, brightness_shift=v) for v in (0.1, 0.5, -0.25)]
CASES += [
    case("brightness-per-sample", B, brightness=per_sample(0.5, 1.5)),
    case("shift-per-sample", B, brightness_shift=per_sample(0.1, -0.2)),
    case("tensor", tensor(4, 5, 3, layout="HWC"), brightness=0.4),
    case("none", B, brightness=None, brightness_shift=None, dtype=None),
    wrong("contrast", B, contrast=1.0),
    wrong("list", B, brightness=[1.0]),
    wrong("no-input", brightness=1.5),
]
CASES += device_cases(B, brightness=1.5)

# Measured: the peer accepts these.
PEER_ACCEPTS = {"wrong/list"}
