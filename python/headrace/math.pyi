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
def abs(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def abs(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def abs(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def abs(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def acos(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def acos(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def acos(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def acos(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def acosh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def acosh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def acosh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def acosh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def asin(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def asin(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def asin(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def asin(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def asinh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def asinh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def asinh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def asinh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def atan(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def atan(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def atan(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def atan(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def atan2(
    x: Batch,
    y: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def atan2(
    x: TensorLike,
    y: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def atan2(
    x: TensorLike,
    y: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def atan2(
    x: TensorLike | Batch,
    y: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def atanh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def atanh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def atanh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def atanh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def cbrt(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def cbrt(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def cbrt(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def cbrt(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def ceil(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def ceil(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def ceil(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def ceil(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def clamp(
    value: Batch,
    lo: TensorLike | Batch,
    hi: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def clamp(
    value: TensorLike,
    lo: TensorLike | Batch,
    hi: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def clamp(
    value: TensorLike,
    lo: TensorLike,
    hi: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def clamp(
    value: TensorLike | Batch,
    lo: TensorLike | Batch,
    hi: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def cos(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def cos(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def cos(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def cos(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def cosh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def cosh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def cosh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def cosh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def exp(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def exp(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def exp(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def exp(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def fabs(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def fabs(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def fabs(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def fabs(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def floor(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def floor(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def floor(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def floor(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def fpow(
    base: Batch,
    exponent: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def fpow(
    base: TensorLike,
    exponent: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def fpow(
    base: TensorLike,
    exponent: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def fpow(
    base: TensorLike | Batch,
    exponent: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def log(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def log(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def log(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def log(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def log10(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def log10(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def log10(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def log10(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def log2(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def log2(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def log2(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def log2(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def max(
    left: Batch,
    right: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def max(
    left: TensorLike,
    right: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def max(
    left: TensorLike,
    right: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def max(
    left: TensorLike | Batch,
    right: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def min(
    left: Batch,
    right: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def min(
    left: TensorLike,
    right: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def min(
    left: TensorLike,
    right: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def min(
    left: TensorLike | Batch,
    right: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def pow(
    base: Batch,
    exponent: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def pow(
    base: TensorLike,
    exponent: TensorLike | Batch,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def pow(
    base: TensorLike,
    exponent: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def pow(
    base: TensorLike | Batch,
    exponent: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def rsqrt(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def rsqrt(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def rsqrt(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def rsqrt(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def sin(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def sin(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def sin(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def sin(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def sinh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def sinh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def sinh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def sinh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def sqrt(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def sqrt(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def sqrt(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def sqrt(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def tan(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def tan(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def tan(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def tan(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def tanh(
    input: Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def tanh(input: TensorLike, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def tanh(
    input: TensorLike,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def tanh(
    input: TensorLike | Batch,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
