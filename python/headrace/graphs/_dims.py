"""Dimensions that the user names: their bounds, and definitions of whole shapes."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._errors import UserInputError
from ._signature import validate_forward_input_path


@dataclass(frozen=True)
class DynamicDim:
    """A dimension whose size lies between `min` and `max`; `opt` is the usual one."""

    name: str
    min: int
    max: int
    opt: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise UserInputError(f"a dimension's name is a text that is not empty, not {self.name!r}")
        for field in ("min", "max", "opt"):
            size = getattr(self, field)
            if size is None and field == "opt":
                continue
            if not isinstance(size, int) or isinstance(size, bool):
                raise UserInputError(f"dimension {self.name!r}: {field} is a whole number, not {size!r}")
            if size <= 0:
                raise ValueError(f"dimension {self.name!r}: {field} is at least 1, not {size}")
        if not self.min < self.max:
            raise UserInputError(f"dimension {self.name!r}: min {self.min} is not below max {self.max}")
        if self.opt is not None and not self.min <= self.opt <= self.max:
            raise UserInputError(
                f"dimension {self.name!r}: opt {self.opt} is outside {self.min} to {self.max}"
            )

    def to_dict(self) -> dict[str, Any]:
        """``type``, ``name``, ``min``, ``max``, ``opt``."""
        return {"type": type(self).__name__, "name": self.name, "min": self.min, "max": self.max,
                "opt": self.opt}


@dataclass(frozen=True)
class BatchDim(DynamicDim):
    """A dimension that is the batch."""


Shape = tuple[int | DynamicDim, ...]


def _check_shape(path: Any, shape: Any, known: dict[str, DynamicDim]) -> None:
    if not isinstance(shape, tuple):
        raise UserInputError(f"dynamic_shapes: {path!r} has a {type(shape).__name__}, not a tuple of axes")
    for axis, size in enumerate(shape):
        if isinstance(size, DynamicDim):
            if known.setdefault(size.name, size) != size:
                raise UserInputError(
                    f"dynamic_shapes: {path!r} axis {axis}: dimension {size.name!r} is defined in two ways"
                )
        elif not isinstance(size, int) or isinstance(size, bool):
            raise UserInputError(
                f"dynamic_shapes: {path!r} axis {axis}: {size!r} is neither a size nor a dimension"
            )
        elif size < 0:
            raise ValueError(f"dynamic_shapes: {path!r} axis {axis}: a size of {size}")


def validate_dynamic_shape_definitions(dynamic_shapes: Any) -> None:
    """Checks a dict from paths to tuples of sizes and dimensions; UserInputError or ValueError."""
    if not isinstance(dynamic_shapes, dict):
        raise UserInputError(f"dynamic_shapes is a dict, not a {type(dynamic_shapes).__name__}")
    known: dict[str, DynamicDim] = {}
    for path, shape in dynamic_shapes.items():
        validate_forward_input_path(path)
        _check_shape(path, shape, known)


def dynamic_shapes_to_json(dynamic_shapes: dict[Any, Shape] | None) -> list[dict[str, Any]] | None:
    """A list of ``{"path": …, "shape": [...]}``; None stays None."""
    if dynamic_shapes is None:
        return None
    return [
        {"path": list(path) if isinstance(path, tuple) else path,
         "shape": [s.to_dict() if isinstance(s, DynamicDim) else s for s in shape]}
        for path, shape in dynamic_shapes.items()
    ]
