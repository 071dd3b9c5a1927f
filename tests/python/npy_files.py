"""Bytes of .npy files for the tests, by hand where NumPy does not write the kind."""
import io
import struct

import numpy as np


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version, allow_pickle=True)
    return np.frombuffer(out.getvalue(), np.uint8)


def by_hand(header, data=b"", version=1, length=None):
    header = header.encode("utf-8" if version == 3 else "latin-1") + b"\n"
    length = len(header) if length is None else length
    size = struct.pack("<H" if version == 1 else "<I", length)
    return np.frombuffer(b"\x93NUMPY" + bytes([version, 0]) + size + header + data, np.uint8)
