"""Cases of decoders.numpy: exact. Files are written here by hand: NumPy's own writer decides by
itself between versions and pads differently from release to release."""
import base64
import struct

from parity.case import DTYPES, case, device_cases, dt, wrong
from parity.inputs import words

OP = "decoders.numpy"
KINDS = {"uint8": "|u1", "int8": "|i1", "uint16": "<u2", "int16": "<i2", "uint32": "<u4",
         "int32": "<i4", "uint64": "<u8", "int64": "<i8", "float16": "<f2", "float32": "<f4",
         "float64": "<f8", "bool": "|b1"}


def npy(descr, shape, version=1, fortran=False, data=None, cut=0, more=b"", header=None):
    size = int(descr.lstrip("<>|=")[1:] or 1) if isinstance(descr, str) and descr[1] in "uifbc" else 1
    n = size
    for extent in shape:
        n *= extent
    if header is None:
        header = "{'descr': %r, 'fortran_order': %r, 'shape': %r, }" % (descr, fortran, tuple(shape))
    pre = 10 if version == 1 else 12
    header = header.encode()
    header += b" " * (-(len(header) + 1 + pre) % 64) + b"\n"
    head = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header))
    if data is None:
        data = (words(n, 3) & 0xFF).astype("uint8").tobytes()
        if descr == "|b1":
            data = bytes(b & 1 for b in data)
        elif descr[1] == "f":  # small whole numbers: no NaN, and every conversion is exact
            import numpy as np
            data = (words(n // size, 5) % 100).astype(np.dtype(descr)).tobytes()
    out = head + header + data
    return out[: len(out) - cut] + more


def files(*contents):
    return {"kind": "batch", "bytes": [base64.b64encode(c).decode() for c in contents]}


def file(content):
    return {"kind": "tensor", "bytes": [base64.b64encode(content).decode()]}


# The peer's decoder remembers the type and rank of the call before, and refuses others once: where
# no dtype is given, a case runs in a process of its own.
CASES = [case("kind-" + d, file(npy(k, [3, 4])), alone=True) for d, k in KINDS.items()]
CASES += [case("to-%s-%s" % (a, b), file(npy(KINDS[a], [3, 4])), dtype=dt(b))
          for a in ("uint8", "int16", "float32", "float16", "bool") for b in DTYPES]
CASES += [case("rank-%d" % len(s), file(npy("<i4", s)), alone=True)
          for s in ([], [5], [2, 3], [2, 3, 4], [2, 1, 3, 2], [1, 2, 1, 2, 2])]
CASES += [
    case("batch", files(npy("<i4", [2, 3]), npy("<i4", [5, 1])), alone=True),
    case("batch-mixed-to", files(npy("<i4", [2, 3]), npy("|u1", [5, 1])), dtype=dt("int32")),
    case("broadcast", file(npy("<i4", [2, 3])), batch_size=2, alone=True),
    case("none", file(npy("<i4", [2, 3])), dtype=None, alone=True),
    wrong("big-endian", file(npy(">i4", [2, 3]))),
    wrong("version-2", file(npy("<i4", [2, 3], version=2))),
    wrong("version-3", file(npy("<i4", [2, 3], version=3))),
    wrong("version-9", file(npy("<i4", [2, 3], version=9))),
    wrong("fortran", file(npy("<i4", [2, 3], fortran=True)), alone=True),
    wrong("complex", file(npy("<c8", [2, 3]))),
    wrong("text", file(npy("<U3", [2], data=bytes(24)))),
    wrong("bytes", file(npy("|S3", [2], data=bytes(6)))),
    wrong("datetime", file(npy("<M8[s]", [2], data=bytes(16)))),
    wrong("object", file(npy("|O", [1], data=b"\x80\x04N."))),
    wrong("structured", file(npy([("a", "<i4")], [2], data=bytes(8)))),
    wrong("cut", file(npy("<i4", [2, 3], cut=3))),
    wrong("more", file(npy("<i4", [2, 3], more=b"xyz"))),
    wrong("header-cut", file(npy("<i4", [2, 3])[:40])),
    wrong("shape-negative", file(npy("<i4", [2], header="{'descr': '<i4', 'fortran_order': False, "
                                                        "'shape': (-2,), }"))),
    wrong("no-shape", file(npy("<i4", [2], header="{'descr': '<i4', 'fortran_order': False, }"))),
    wrong("html", file(b"<html>")),
    wrong("batch-mixed-rank", files(npy("<i4", [2, 3]), npy("<i4", [5]))),
    wrong("batch-mixed-kind", files(npy("<i4", [2, 3]), npy("<f4", [5, 1]))),
    wrong("no-input"),
]
CASES += device_cases(file(npy("<i4", [2, 3])), dtype=dt("int32"))
