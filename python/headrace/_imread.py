"""imread: paths to pictures, by way of io.file.read and decoders.image."""

from __future__ import annotations

import inspect
import os
from typing import Any

from . import _core
from ._core import Batch, Tensor, as_batch, as_tensor

_OWN = ("input", "batch_size", "device")  # of an operator's parameters, not its arguments


def _path(value: Any, where: str = "") -> Any:
    """The bytes of one path; a Tensor holds them already."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (str, bytes, os.PathLike)):
        return as_tensor(os.fsencode(value))
    raise TypeError(f"imread: {type(value).__name__}{where} is no path: it takes str, bytes, "
                    "path objects, lists of them, or a Tensor or Batch of path bytes")


def _paths(value: Any) -> Tensor | Batch:
    if isinstance(value, Batch):
        return value
    if not isinstance(value, (list, tuple)):
        return _path(value)  # type: ignore[no-any-return]
    if not value:
        raise ValueError("imread: the list has no paths")
    return as_batch([_path(v, f" at place {i}") for i, v in enumerate(value)])


def imread(filepaths: Any, /, *, device: Any = "cpu", **arguments: Any) -> Tensor | Batch:
    """Reads and decodes picture files.

    A path (str, bytes or path object) gives a Tensor; a list or tuple of paths gives a Batch. A
    Tensor or Batch holds the bytes of paths. Further arguments are those of decoders.image.
    """
    for name in arguments:
        if name in _OWN or name not in _PARAMETERS:
            from ._describe import suggestion

            known = [n for n in _PARAMETERS if n not in _OWN] + ["device"]
            raise TypeError(f"imread: no argument {name!r}{suggestion(name, known)}")
    content = _core.ops["io.file.read"](_paths(filepaths), device=device)
    return _core.ops["decoders.image"](  # type: ignore[no-any-return]
        content, device=device, **arguments)


_PARAMETERS = inspect.signature(_core.ops["decoders.image"]).parameters
imread.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [inspect.Parameter("filepaths", inspect.Parameter.POSITIONAL_ONLY),
     inspect.Parameter("device", inspect.Parameter.KEYWORD_ONLY, default="cpu"),
     *(p for n, p in _PARAMETERS.items() if n not in _OWN)])
