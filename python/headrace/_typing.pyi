"""Types that signatures are written with. There is no such module at run time."""

import os as _os
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, Protocol, TypeAlias

from ._core import Batch, DType, Tensor
from ._device import Device
from .types import DALIDataType


class _SupportsDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class _SupportsArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class _SupportsArrayInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...


class _ForeignDType(Protocol):
    """numpy.dtype, torch.dtype"""

    @property
    def itemsize(self) -> int: ...


class _ForeignDevice(Protocol):
    """torch.device"""

    @property
    def type(self) -> str: ...


Path: TypeAlias = str | _os.PathLike[str]
ArrayLike: TypeAlias = (
    float | memoryview | Sequence[Any]
    | _SupportsDLPack | _SupportsArray | _SupportsArrayInterface
)
TensorLike: TypeAlias = Tensor | ArrayLike
DTypeLike: TypeAlias = DType | DALIDataType | int | str | type[Any] | _ForeignDType
DeviceLike: TypeAlias = str | Device | _ForeignDevice
Selection: TypeAlias = slice | Sequence[int] | EllipsisType
