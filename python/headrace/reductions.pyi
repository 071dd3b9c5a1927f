"""Made by tools/make_stubs.py: do not edit."""

import builtins as _builtins
import os
from collections.abc import Sequence
from typing import Any, Literal, overload

from headrace._core import Batch
from headrace._core import DType
from headrace._core import RNG
from headrace._core import Tensor
from headrace._typing import ArrayLike
from headrace._typing import DeviceLike
from headrace._typing import DTypeLike
from headrace._typing import TensorLike
from headrace.types import DALIDataType
from headrace.types import DALIImageType
from headrace.types import DALIInterpType

@overload
def max(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def max(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def max(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def max(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def mean(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def mean(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def mean(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def mean(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def mean_square(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def mean_square(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def mean_square(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def mean_square(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def min(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def min(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def min(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def min(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def rms(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def rms(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def rms(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def rms(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def std_dev(
    data: Batch,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def std_dev(
    data: TensorLike,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def std_dev(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def std_dev(
    data: TensorLike | Batch,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def sum(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def sum(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def sum(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def sum(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    dtype: DTypeLike | None = None,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
@overload
def variance(
    data: Batch,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def variance(
    data: TensorLike,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Batch: ...
@overload
def variance(
    data: TensorLike,
    mean: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def variance(
    data: TensorLike | Batch,
    mean: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    ddof: int | None = 0,
    keep_dims: _builtins.bool | None = False,
) -> Tensor | Batch: ...
