"""The shapes that the user gave, checked on a call."""
from __future__ import annotations

from typing import Any

from ._dims import DynamicDim, Shape
from ._errors import UserInputError
from ._metadata import SampleMetadata


def _check_axis(where: str, size: int, wanted: int | DynamicDim, seen: dict[str, tuple[int, str]]) -> None:
    if not isinstance(wanted, DynamicDim):
        if size != wanted:
            raise UserInputError(f"dynamic_shapes: {where} has size {size}, not {wanted}")
        return
    if not wanted.min <= size <= wanted.max:
        raise UserInputError(
            f"dynamic_shapes: {where} has size {size}, dimension {wanted.name!r} is "
            f"{wanted.min} to {wanted.max}"
        )
    first, place = seen.setdefault(wanted.name, (size, where))
    if first != size:
        raise UserInputError(
            f"dynamic_shapes: dimension {wanted.name!r} has size {first} at {place} and {size} at {where}"
        )


def check_call(dynamic_shapes: dict[Any, Shape], call: SampleMetadata) -> dict[Any, Shape]:
    """The definitions that the call's tensors have. UserInputError where a tensor does not fit its own."""
    if not dynamic_shapes:
        return {}
    found: dict[Any, Shape] = {}
    seen: dict[str, tuple[int, str]] = {}
    for locator, spec in call.tensor_data:
        path = locator.path
        if path not in dynamic_shapes:
            continue
        shape = found[path] = dynamic_shapes[path]
        if len(shape) != len(spec.shape):
            raise UserInputError(
                f"dynamic_shapes: {locator} has {len(spec.shape)} axes, its definition {len(shape)}"
            )
        for axis, wanted in enumerate(shape):
            _check_axis(f"{locator} axis {axis}", spec.shape[axis], wanted, seen)
    return found
