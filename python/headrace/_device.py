"""Devices. This build has the CPU; GPUs are understood and answered with a clear error."""

from __future__ import annotations

import threading

from ._describe import proposing

_TYPES = {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu"}
_DLPACK_TYPES = {1: "cpu", 2: "gpu", 3: "cpu"}


class _Stack(threading.local):
    def __init__(self) -> None:
        self.devices: list[Device] = []


_stack = _Stack()


def _no_gpu(what: object) -> RuntimeError:
    return RuntimeError(f"device {str(what)!r}: this build of Headrace works on the CPU only")


class Device:
    """A place for data: ``Device("cpu")``. As a context manager, the thread's current device.

    ``name`` is a device type, with an index for a GPU ("gpu:1"); ``device_id`` is that index.
    """

    CPU: Device

    __slots__ = ("device_type", "device_id")

    device_type: str
    device_id: int | None

    @proposing
    def __init__(self, name: str, device_id: int | None = None) -> None:
        if isinstance(name, Device):
            name, device_id = name.device_type, name.device_id
        if not isinstance(name, str):
            raise TypeError(f"a device is named by a str, got {type(name).__name__}")
        base, colon, index = name.partition(":")
        if base not in _TYPES:
            raise ValueError(f"device {name!r}: the types are cpu and gpu")
        if colon:
            if device_id is not None:
                raise ValueError(f"device {name!r}: the index is given twice")
            if not index.isdecimal():
                raise ValueError(f"device {name!r}: the index {index!r} is no number")
            device_id = int(index)
        self.device_type = _TYPES[base]
        if self.device_type == "cpu" and device_id is not None:
            raise ValueError(f"device {name!r}: the CPU has no index, got {device_id}")
        if self.device_type != "cpu":
            raise _no_gpu(name if device_id is None else f"{base}:{device_id}")
        self.device_id = device_id

    @staticmethod
    def current() -> Device:
        """The innermost entered device of the thread, else the CPU."""
        return _stack.devices[-1] if _stack.devices else Device.CPU

    @staticmethod
    @proposing
    def default_device_id(device_type: str) -> int | None:
        """None for the CPU."""
        if Device(device_type).device_type == "cpu":
            return None
        raise _no_gpu(device_type)

    @staticmethod
    def type_from_dlpack(code: int) -> str:
        """The device type of a DLPack code."""
        if code in _DLPACK_TYPES:
            return _DLPACK_TYPES[code]
        raise ValueError(f"DLPack device code {code!r} is unknown")

    @staticmethod
    def from_dlpack(obj: object) -> Device:
        """The device of an object with ``__dlpack_device__``, or of its (code, index) pair."""
        pair = obj if isinstance(obj, tuple) else obj.__dlpack_device__()  # type: ignore[attr-defined]
        kind = Device.type_from_dlpack(int(pair[0]))
        return Device(kind, None if kind == "cpu" else int(pair[1]))

    def __enter__(self) -> Device:
        check_device(self)
        _stack.devices.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _stack.devices.pop()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Device):
            return NotImplemented
        return (self.device_type, self.device_id) == (other.device_type, other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))

    def __str__(self) -> str:
        return self.device_type if self.device_id is None else f"{self.device_type}:{self.device_id}"

    def __repr__(self) -> str:
        if self.device_id is None:
            return f"Device(device_type={self.device_type!r})"
        return f"Device(device_type={self.device_type!r}, device_id={self.device_id})"

    def __reduce__(self) -> tuple[object, ...]:
        return Device, (self.device_type, self.device_id)


Device.CPU = Device("cpu")


@proposing
def device(obj: object, id: int | None = None) -> Device | None:
    """A Device from a name, a Device or a torch device; None gives None."""
    if obj is None:
        return None
    if isinstance(obj, str):
        return Device(obj, id)
    kind = getattr(obj, "type", None)  # torch.device
    if id is not None and (isinstance(obj, Device) or isinstance(kind, str)):
        raise ValueError(f"device: {str(obj)!r} is a device already; it takes no index, got {id!r}")
    if isinstance(obj, Device):
        return obj
    if isinstance(kind, str):
        return Device(kind, None if kind == "cpu" else getattr(obj, "index", None))
    raise TypeError(f"{type(obj).__name__} names no device")


def check_device(obj: object) -> Device:
    """The device, if this build has it; else RuntimeError."""
    found = device(obj) or Device.CPU
    if found.device_type != "cpu":
        raise _no_gpu(found)
    return found
