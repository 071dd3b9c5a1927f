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
def read(
    filepaths: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dont_use_mmap: _builtins.bool | None = False,
    use_o_direct: _builtins.bool | None = False,
) -> Batch: ...
@overload
def read(
    filepaths: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dont_use_mmap: _builtins.bool | None = False,
    use_o_direct: _builtins.bool | None = False,
) -> Batch: ...
@overload
def read(
    filepaths: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dont_use_mmap: _builtins.bool | None = False,
    use_o_direct: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def read(
    filepaths: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dont_use_mmap: _builtins.bool | None = False,
    use_o_direct: _builtins.bool | None = False,
) -> Tensor | Batch: ...
