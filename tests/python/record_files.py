"""TFRecord files made by hand: framing with CRC-32C, and tf.train.Example messages."""

from __future__ import annotations

import struct
from typing import Any

_TABLE = []
for _i in range(256):
    for _ in range(8):
        _i = _i >> 1 ^ (0x82F63B78 if _i & 1 else 0)
    _TABLE.append(_i)


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> int:
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data: bytes) -> bytes:
    head = struct.pack("<Q", len(data))
    return head + struct.pack("<I", masked(head)) + data + struct.pack("<I", masked(data))


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def field(number: int, data: bytes) -> bytes:
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(values: Any, packed: bool = True) -> bytes:
    """A list of bytes, ints or floats; an empty list needs its kind: ("int64", [])."""
    kind, values = values if isinstance(values, tuple) else (None, values)
    first = values[0] if values else None
    if kind == "bytes" or isinstance(first, (bytes, str)):
        return field(1, b"".join(field(1, v.encode() if isinstance(v, str) else v) for v in values))
    if kind == "float" or isinstance(first, float):
        if packed:
            return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
        return field(2, b"".join(b"\x0d" + struct.pack("<f", v) for v in values))
    if packed:
        return field(3, field(1, b"".join(map(varint, values))))
    return field(3, b"".join(b"\x08" + varint(v) for v in values))


def example(features: dict[str, Any], packed: bool = True) -> bytes:
    entries = b"".join(field(1, field(1, name.encode()) + field(2, feature(v, packed)))
                       for name, v in features.items())
    return field(1, entries)


def write(path: Any, records: list[bytes]) -> list[tuple[int, int]]:
    """Writes the records; offsets and sizes for an index."""
    index, at = [], 0
    with open(path, "wb") as f:
        for data in records:
            whole = record(data)
            f.write(whole)
            index.append((at, len(whole)))
            at += len(whole)
    return index


def write_index(path: Any, index: list[tuple[int, int]]) -> None:
    with open(path, "w", encoding="ascii") as f:
        f.writelines(f"{at} {size}\n" for at, size in index)
