"""imread: paths to pictures, by way of io.file.read and decoders.image."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._core import Batch, Tensor, as_batch, as_tensor

if TYPE_CHECKING:
    from inspect import Signature


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
    if arguments:
        _check_names(arguments)
    content = _core.ops["io.file.read"](_paths(filepaths), device=device)
    return _core.ops["decoders.image"](  # type: ignore[no-any-return]
        content, device=device, **arguments)


def _check_names(arguments: dict[str, Any]) -> None:
    known = [arg["name"] for arg in _core.ops["decoders.image"].describe()["args"]]
    for name in arguments:
        if name not in known:
            from ._describe import suggestion

            raise TypeError(f"imread: has no argument `{name}`{suggestion(name, [*known, 'device'])}")


class _Described:
    """Stands behind imread for `inspect`, which is slow to load and not always needed."""

    @property
    def __signature__(self) -> Signature:
        from inspect import Parameter, Signature

        own = ("input", "batch_size", "device")  # of an operator's parameters, not its arguments
        decoder = Signature.from_callable(_core.ops["decoders.image"]).parameters
        return Signature([
            Parameter("filepaths", Parameter.POSITIONAL_ONLY),
            Parameter("device", Parameter.KEYWORD_ONLY, default="cpu"),
            *(p for n, p in decoder.items() if n not in own)])

    def __call__(self, filepaths: Any, /, **arguments: Any) -> Tensor | Batch:
        return imread(filepaths, **arguments)


imread.__wrapped__ = _Described()  # type: ignore[attr-defined]
