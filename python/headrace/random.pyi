"""Made by tools/make_stubs.py: do not edit."""

import builtins as _builtins
import os
from collections.abc import Sequence
from typing import Any, Literal, overload

from headrace._core import Batch
from headrace._core import DType
from headrace._core import get_default_rng as get_default_rng
from headrace._core import RNG as RNG
from headrace._core import set_seed as set_seed
from headrace._core import Tensor
from headrace._typing import ArrayLike
from headrace._typing import DeviceLike
from headrace._typing import DTypeLike
from headrace._typing import TensorLike
from headrace.types import DALIDataType
from headrace.types import DALIImageType
from headrace.types import DALIInterpType

@overload
def beta(
    shape_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    alpha: float | Tensor | Batch | ArrayLike | None = 1.0,
    beta: float | Tensor | Batch | ArrayLike | None = 1.0,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def beta(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    alpha: float | Tensor | Batch | ArrayLike | None = 1.0,
    beta: float | Tensor | Batch | ArrayLike | None = 1.0,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def beta(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    alpha: float | Tensor | ArrayLike | None = 1.0,
    beta: float | Tensor | ArrayLike | None = 1.0,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def beta(
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    alpha: float | Tensor | Batch | ArrayLike | None = 1.0,
    beta: float | Tensor | Batch | ArrayLike | None = 1.0,
    dtype: DTypeLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def choice(
    a: Batch,
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    p: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def choice(
    a: TensorLike,
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    p: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def choice(
    a: TensorLike,
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    p: Sequence[float] | float | Tensor | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def choice(
    a: TensorLike | Batch,
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    p: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def coin_flip(
    shape_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    probability: float | Tensor | Batch | ArrayLike | None = 0.5,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def coin_flip(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    probability: float | Tensor | Batch | ArrayLike | None = 0.5,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def coin_flip(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    probability: float | Tensor | ArrayLike | None = 0.5,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def coin_flip(
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    probability: float | Tensor | Batch | ArrayLike | None = 0.5,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def normal(
    shape_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def normal(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def normal(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    mean: float | Tensor | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    stddev: float | Tensor | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def normal(
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def uniform(
    shape_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    range: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    values: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def uniform(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    range: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    values: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def uniform(
    shape_like: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    range: Sequence[float] | float | Tensor | ArrayLike | None = ...,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    values: Sequence[float] | float | Tensor | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def uniform(
    shape_like: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    range: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    values: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
