"""What is known of one tensor: sizes, which of them change and how, dtype."""
from __future__ import annotations

import math
from enum import Enum
from typing import Any

from .. import _core
from .._core import GraphTensorSpec


class InfoLevel(Enum):
    """How much describe() tells."""

    SHORT = 1
    MEDIUM = 2
    FULL = 3


def _list_text(values: list[Any]) -> str:
    return "[" + ", ".join(str(v) for v in values) + "]"


class TensorSpec(GraphTensorSpec):
    """What is known of one tensor.

    ``TensorSpec(shape, min_shape, max_shape, dtype, _bs_multipliers)``. `shape` is a list of sizes, with
    ``"batch<axis>"`` where the size is a whole multiple of the batch size and ``"dim<axis>"`` where it
    changes otherwise. All (batch size, size) pairs are kept: `axes` has them, `explain(axis)` says in
    words what follows from them. Specs are equal if their ranks are.
    """

    __slots__ = ()

    def describe(self, level: InfoLevel = InfoLevel.FULL) -> str:
        """One line: SHORT has the shape, MEDIUM the dtype as well, FULL the range, too."""
        level = InfoLevel(level)
        shape = f"shape={_list_text(self.shape)}"
        if level is InfoLevel.SHORT:
            return shape
        if level is InfoLevel.MEDIUM:
            return f"{shape} dtype={self.dtype}"
        return f"{shape} min_shape={self.min_shape} max_shape={self.max_shape} dtype={self.dtype}"

    def __str__(self) -> str:
        return self.describe(InfoLevel.SHORT)

    def __repr__(self) -> str:
        return self.describe(InfoLevel.MEDIUM)

    def _named(self, start: str) -> list[int]:
        return [i for i, s in enumerate(self.shape) if isinstance(s, str) and s.startswith(start)]

    def get_batch_axis_multipliers(self) -> dict[int, int]:
        """Multiplier of the batch size by batch axis."""
        multipliers = self._bs_multipliers
        return {axis: int(multipliers[axis]) for axis in self._named("batch")}

    def has_batch_axis(self) -> bool:
        """Whether some axis is a multiple of the batch size."""
        return bool(self._named("batch"))

    def has_dynamic_axis(self) -> bool:
        """Whether the size of some axis changes otherwise."""
        return bool(self._named("dim"))

    def get_max_batch_size(self) -> int:
        """The largest size of a batch axis, not divided by its multiplier; 1 without one."""
        return max([1] + [self.max_shape[i] for i in self._named("batch")])

    def get_min_batch_size(self) -> int | None:
        """The smallest size of a batch axis; None without one."""
        return min((self.min_shape[i] for i in self._named("batch")), default=None)

    def open_axes(self) -> list[int]:
        """Axes of one size so far, of samples of one batch size: another sample may change them."""
        return [i for i, axis in enumerate(self.axes) if axis[1]]

    @staticmethod
    def is_int(x: Any) -> bool:
        """Whether a number is whole."""
        return not math.isnan(x) and x == math.floor(x)

    def to_dict(self) -> dict[str, Any]:
        """The five fields and ``type``."""
        return {
            "type": "TensorSpec", "shape": list(self.shape), "min_shape": list(self.min_shape),
            "max_shape": list(self.max_shape), "dtype": self.dtype,
            "_bs_multipliers": list(self._bs_multipliers),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "TensorSpec":
        """The spec of such a dict, which stays as it is. ValueError for another ``type``."""
        if data.get("type") != "TensorSpec":
            raise ValueError(f"TensorSpec.from_dict: a record of type {data.get('type')!r}")
        return cls(**{name: value for name, value in data.items() if name != "type"})

    def __reduce__(self) -> Any:
        fields = (self.shape, self.min_shape, self.max_shape, self.dtype, self._bs_multipliers)
        return _restored, (type(self), fields, [axis[5] for axis in self.axes], self._last_batch)

    def __deepcopy__(self, memo: Any) -> "TensorSpec":
        make, arguments = self.__reduce__()
        return make(*arguments)  # type: ignore[no-any-return]


def _restored(cls: type[TensorSpec], fields: Any, evidence: Any, last: int | None) -> TensorSpec:
    spec = cls(*[list(f) if isinstance(f, list) else f for f in fields])
    spec._recall(evidence, last)
    return spec


_core.graph_set_spec(TensorSpec)
