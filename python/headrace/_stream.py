"""Streams of a GPU. This build has none: a stream can be named, but there is none to work on."""

from __future__ import annotations

from typing import Any

from ._describe import proposing


class _New:
    """The default of `stream`: make one."""

    def __repr__(self) -> str:
        return "<new>"


_NEW = _New()


def _no_gpu(what: str) -> RuntimeError:
    return RuntimeError(f"{what}: this build of Headrace works on the CPU only")


def _handle_of(obj: Any) -> int:
    """The driver's number of a stream: an int, or an object that tells it."""
    protocol = getattr(obj, "__cuda_stream__", None)
    if isinstance(obj, int):
        return obj
    if callable(protocol):
        return int(protocol()[1])
    handle = getattr(obj, "cuda_stream", None)  # torch
    if isinstance(handle, int):
        return handle
    raise TypeError(f"{type(obj).__name__} is no stream: it has no __cuda_stream__()")


class Stream:
    """A stream of a GPU: a new one, or one that exists (a handle, or an object with
    ``__cuda_stream__``). Without a GPU there is none to make or to wrap: RuntimeError."""

    handle: int
    device_id: int

    @proposing
    def __init__(self, *, stream: Any = _NEW, device_id: int | None = None) -> None:
        if stream is _NEW:
            raise _no_gpu("Stream: there is no GPU to make a stream on")
        if stream is None:
            raise ValueError("Stream: the stream is None; leave the argument out for a new one")
        handle = _handle_of(stream)
        raise _no_gpu(f"Stream: there is no GPU with the stream {handle:#x}")

    def synchronize(self) -> None:
        """Waits for the stream's work."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.handle

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stream):
            return NotImplemented
        return (self.handle, self.device_id) == (other.handle, other.device_id)

    def __hash__(self) -> int:
        return hash((self.handle, self.device_id))


@proposing
def stream(*, stream: Any = _NEW, device_id: int | None = None) -> Stream | None:
    """Wraps a stream, or makes one; None stays None."""
    if stream is None or isinstance(stream, Stream):
        return stream
    return Stream(stream=stream, device_id=device_id)


@proposing
def get_default_stream(device_id: int | None = None) -> Stream | None:
    """The process's default stream of a device: None without a GPU."""
    return None


@proposing
def set_default_stream(cuda_stream: Any, /, device_id: int | None = None) -> None:
    """Sets the process's default stream of a device; without a GPU only None can be set."""
    stream(stream=cuda_stream, device_id=device_id)


def get_current_stream() -> Stream | None:
    """The thread's stream: None without a GPU."""
    return None


def set_current_stream(cuda_stream: Any, /) -> None:
    """Sets the thread's stream; without a GPU only None can be set."""
    stream(stream=cuda_stream)
