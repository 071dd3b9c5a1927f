"""Cases of io.file.read: exact. Both sides read the same file of the machine they run on."""
import base64

from parity.case import case, device_cases, wrong

OP = "io.file.read"


def paths(*names, dtype="uint8"):
    return {"kind": "batch", "bytes": [base64.b64encode(n).decode() for n in names]}


def path(name):
    return {"kind": "tensor", "bytes": [base64.b64encode(name).decode()]}


# Every Linux system has it, each its own: "sweep/" leaves these cases to the live suite.
HERE = b"/etc/passwd"

CASES = [
    case("sweep/tensor", path(HERE)),
    case("sweep/batch", paths(HERE, HERE)),
    case("sweep/url", path(b"file://" + HERE)),
    case("sweep/zeros-behind", path(HERE + b"\0\0")),
    case("sweep/dont-use-mmap", path(HERE), dont_use_mmap=True, like="sweep/tensor"),
    case("sweep/use-o-direct", path(HERE), use_o_direct=True, like="sweep/tensor"),
    case("sweep/broadcast", path(HERE), batch_size=2),
    case("sweep/none", path(HERE), dont_use_mmap=None, use_o_direct=None),
    wrong("missing", path(b"/no/such/file")),
    wrong("folder", path(b"/etc")),
    wrong("zero-inside", path(HERE + b"\0x")),
    wrong("kind", {"kind": "tensor", "value": [47, 101], "dtype": "int32", "layout": None}),
    wrong("no-input"),
]
CASES += [dict(c, name="sweep/" + c["name"]) if not c.get("fails") else c
          for c in device_cases(path(HERE))]

# Measured: the peer accepts these.
PEER_ACCEPTS = {"wrong/zero-inside"}
