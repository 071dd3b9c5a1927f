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
def gaussian(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def gaussian(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def gaussian(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    mean: float | Tensor | ArrayLike | None = 0.0,
    stddev: float | Tensor | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def gaussian(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    mean: float | Tensor | Batch | ArrayLike | None = 0.0,
    stddev: float | Tensor | Batch | ArrayLike | None = 1.0,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def salt_and_pepper(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    pepper_val: float | Tensor | Batch | ArrayLike | None = None,
    per_channel: _builtins.bool | None = False,
    prob: float | Tensor | Batch | ArrayLike | None = 0.05,
    salt_val: float | Tensor | Batch | ArrayLike | None = None,
    salt_vs_pepper: float | Tensor | Batch | ArrayLike | None = 0.5,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def salt_and_pepper(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    pepper_val: float | Tensor | Batch | ArrayLike | None = None,
    per_channel: _builtins.bool | None = False,
    prob: float | Tensor | Batch | ArrayLike | None = 0.05,
    salt_val: float | Tensor | Batch | ArrayLike | None = None,
    salt_vs_pepper: float | Tensor | Batch | ArrayLike | None = 0.5,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def salt_and_pepper(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    pepper_val: float | Tensor | ArrayLike | None = None,
    per_channel: _builtins.bool | None = False,
    prob: float | Tensor | ArrayLike | None = 0.05,
    salt_val: float | Tensor | ArrayLike | None = None,
    salt_vs_pepper: float | Tensor | ArrayLike | None = 0.5,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def salt_and_pepper(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    pepper_val: float | Tensor | Batch | ArrayLike | None = None,
    per_channel: _builtins.bool | None = False,
    prob: float | Tensor | Batch | ArrayLike | None = 0.05,
    salt_val: float | Tensor | Batch | ArrayLike | None = None,
    salt_vs_pepper: float | Tensor | Batch | ArrayLike | None = 0.5,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def shot(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    factor: float | Tensor | Batch | ArrayLike | None = 12.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def shot(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    factor: float | Tensor | Batch | ArrayLike | None = 12.0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def shot(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    factor: float | Tensor | ArrayLike | None = 12.0,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def shot(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    factor: float | Tensor | Batch | ArrayLike | None = 12.0,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
