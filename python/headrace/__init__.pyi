"""Made by tools/make_stubs.py: do not edit."""

import builtins as _builtins
import os
from collections.abc import Sequence
from typing import Any, Literal, overload

from headrace import capture as capture
from headrace import checkpoint as checkpoint
from headrace import decoders as decoders
from headrace import graphs as graphs
from headrace import io as io
from headrace import math as math
from headrace import noise as noise
from headrace import random as random
from headrace import readers as readers
from headrace import reductions as reductions
from headrace import tfrecord as tfrecord
from headrace import types as types
from headrace._core import as_batch as as_batch
from headrace._core import as_tensor as as_tensor
from headrace._core import Batch as Batch
from headrace._core import batch as batch
from headrace._core import bfloat16 as bfloat16
from headrace._core import bool as bool
from headrace._core import DataError as DataError
from headrace._core import DataType as DataType
from headrace._core import drop_failed as drop_failed
from headrace._core import DType as DType
from headrace._core import dtype as dtype
from headrace._core import EvalContext as EvalContext
from headrace._core import float16 as float16
from headrace._core import float32 as float32
from headrace._core import float64 as float64
from headrace._core import get_num_threads as get_num_threads
from headrace._core import get_pixel_limit as get_pixel_limit
from headrace._core import ImageType as ImageType
from headrace._core import int16 as int16
from headrace._core import int32 as int32
from headrace._core import int64 as int64
from headrace._core import int8 as int8
from headrace._core import InterpType as InterpType
from headrace._core import RNG
from headrace._core import set_num_threads as set_num_threads
from headrace._core import set_pixel_limit as set_pixel_limit
from headrace._core import Tensor as Tensor
from headrace._core import tensor as tensor
from headrace._core import ThreadPool as ThreadPool
from headrace._core import uint16 as uint16
from headrace._core import uint32 as uint32
from headrace._core import uint64 as uint64
from headrace._core import uint8 as uint8
from headrace._device import Device as Device
from headrace._device import device as device
from headrace._eval_mode import EvalMode as EvalMode
from headrace._plugins import get_include as get_include
from headrace._plugins import load_operators as load_operators
from headrace._slow import HeadraceWarning as HeadraceWarning
from headrace._source import ExternalSource as ExternalSource
from headrace._stream import get_current_stream as get_current_stream
from headrace._stream import get_default_stream as get_default_stream
from headrace._stream import set_current_stream as set_current_stream
from headrace._stream import set_default_stream as set_default_stream
from headrace._stream import Stream as Stream
from headrace._stream import stream as stream
from headrace._typing import ArrayLike
from headrace._typing import DeviceLike
from headrace._typing import DTypeLike
from headrace._typing import TensorLike
from headrace.types import DALIDataType
from headrace.types import DALIImageType
from headrace.types import DALIInterpType

__version__: str

@overload
def batch_permutation(
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    allow_repetitions: _builtins.bool | None = False,
    no_fixed_points: _builtins.bool | None = False,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def batch_permutation(
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    allow_repetitions: _builtins.bool | None = False,
    no_fixed_points: _builtins.bool | None = False,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def brightness(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def brightness(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def brightness(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
) -> Tensor: ...
@overload
def brightness(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
) -> Tensor | Batch: ...
@overload
def brightness_contrast(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def brightness_contrast(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def brightness_contrast(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | ArrayLike | None = 0.0,
    contrast: float | Tensor | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Tensor: ...
@overload
def brightness_contrast(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    brightness: float | Tensor | Batch | ArrayLike | None = 1.0,
    brightness_shift: float | Tensor | Batch | ArrayLike | None = 0.0,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Tensor | Batch: ...
@overload
def cast(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike,
) -> Batch: ...
@overload
def cast(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike,
) -> Batch: ...
@overload
def cast(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike,
) -> Tensor: ...
@overload
def cast(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike,
) -> Tensor | Batch: ...
@overload
def cast_like(
    input_0: Batch,
    input_1: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def cast_like(
    input_0: TensorLike,
    input_1: TensorLike | Batch,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def cast_like(
    input_0: TensorLike,
    input_1: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def cast_like(
    input_0: TensorLike | Batch,
    input_1: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def cat(
    input_0: Batch,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Batch: ...
@overload
def cat(
    input_0: TensorLike,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Batch: ...
@overload
def cat(
    input_0: TensorLike,
    /,
    *inputs: TensorLike,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Tensor: ...
@overload
def cat(
    input_0: TensorLike | Batch,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Tensor | Batch: ...
@overload
def color_space_conversion(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    image_type: DALIImageType | int,
    output_type: DALIImageType | int,
) -> Batch: ...
@overload
def color_space_conversion(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    image_type: DALIImageType | int,
    output_type: DALIImageType | int,
) -> Batch: ...
@overload
def color_space_conversion(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    image_type: DALIImageType | int,
    output_type: DALIImageType | int,
) -> Tensor: ...
@overload
def color_space_conversion(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    image_type: DALIImageType | int,
    output_type: DALIImageType | int,
) -> Tensor | Batch: ...
@overload
def contrast(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def contrast(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def contrast(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    contrast: float | Tensor | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Tensor: ...
@overload
def contrast(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    contrast: float | Tensor | Batch | ArrayLike | None = 1.0,
    contrast_center: float | Tensor | Batch | ArrayLike | None = 0.5,
    dtype: DTypeLike | None = None,
) -> Tensor | Batch: ...
@overload
def copy(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def copy(input: TensorLike, /, *, batch_size: int, device: DeviceLike | None = None) -> Batch: ...
@overload
def copy(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def copy(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def crop(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rounding: str | None = 'round',
) -> Batch: ...
@overload
def crop(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rounding: str | None = 'round',
) -> Batch: ...
@overload
def crop(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | ArrayLike | None = None,
    crop_d: float | Tensor | ArrayLike | None = 0.0,
    crop_h: float | Tensor | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | ArrayLike | None = 0.5,
    crop_w: float | Tensor | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rounding: str | None = 'round',
) -> Tensor: ...
@overload
def crop(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rounding: str | None = 'round',
) -> Tensor | Batch: ...
@overload
def crop_mirror_normalize(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = ...,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    output_layout: str | None = 'CHW',
    pad_output: _builtins.bool | None = False,
    rounding: str | None = 'round',
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    std: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Batch: ...
@overload
def crop_mirror_normalize(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = ...,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    output_layout: str | None = 'CHW',
    pad_output: _builtins.bool | None = False,
    rounding: str | None = 'round',
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    std: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Batch: ...
@overload
def crop_mirror_normalize(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | ArrayLike | None = None,
    crop_d: float | Tensor | ArrayLike | None = 0.0,
    crop_h: float | Tensor | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | ArrayLike | None = 0.5,
    crop_w: float | Tensor | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = ...,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    mean: Sequence[float] | float | Tensor | ArrayLike | None = ...,
    mirror: int | Tensor | ArrayLike | None = 0,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    output_layout: str | None = 'CHW',
    pad_output: _builtins.bool | None = False,
    rounding: str | None = 'round',
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    std: Sequence[float] | float | Tensor | ArrayLike | None = ...,
) -> Tensor: ...
@overload
def crop_mirror_normalize(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = ...,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    output_layout: str | None = 'CHW',
    pad_output: _builtins.bool | None = False,
    rounding: str | None = 'round',
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    std: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Tensor | Batch: ...
@overload
def expand_dims(
    data: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int,
    new_axis_names: str | None = '',
) -> Batch: ...
@overload
def expand_dims(
    data: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int,
    new_axis_names: str | None = '',
) -> Batch: ...
@overload
def expand_dims(
    data: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int,
    new_axis_names: str | None = '',
) -> Tensor: ...
@overload
def expand_dims(
    data: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int,
    new_axis_names: str | None = '',
) -> Tensor | Batch: ...
@overload
def flip(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    depthwise: int | Tensor | Batch | ArrayLike | None = 0,
    horizontal: int | Tensor | Batch | ArrayLike | None = 1,
    vertical: int | Tensor | Batch | ArrayLike | None = 0,
) -> Batch: ...
@overload
def flip(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    depthwise: int | Tensor | Batch | ArrayLike | None = 0,
    horizontal: int | Tensor | Batch | ArrayLike | None = 1,
    vertical: int | Tensor | Batch | ArrayLike | None = 0,
) -> Batch: ...
@overload
def flip(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    depthwise: int | Tensor | ArrayLike | None = 0,
    horizontal: int | Tensor | ArrayLike | None = 1,
    vertical: int | Tensor | ArrayLike | None = 0,
) -> Tensor: ...
@overload
def flip(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    depthwise: int | Tensor | Batch | ArrayLike | None = 0,
    horizontal: int | Tensor | Batch | ArrayLike | None = 1,
    vertical: int | Tensor | Batch | ArrayLike | None = 0,
) -> Tensor | Batch: ...
@overload
def full(
    fill_value: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def full(
    fill_value: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def full(
    fill_value: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def full(
    fill_value: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def full_like(
    data_like: Batch,
    fill_value: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def full_like(
    data_like: TensorLike,
    fill_value: TensorLike | Batch,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
) -> Batch: ...
@overload
def full_like(
    data_like: TensorLike,
    fill_value: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
) -> Tensor: ...
@overload
def full_like(
    data_like: TensorLike | Batch,
    fill_value: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
) -> Tensor | Batch: ...
@overload
def imread(
    filepaths: str | bytes | os.PathLike[str] | Tensor,
    /,
    *,
    device: DeviceLike = 'cpu',
    adjust_orientation: _builtins.bool | None = True,
    affine: _builtins.bool | None = True,
    cache_batch_copy: _builtins.bool | None = True,
    cache_debug: _builtins.bool | None = False,
    cache_size: int | None = 0,
    cache_threshold: int | None = 0,
    cache_type: str | os.PathLike[str] | None = '',
    device_memory_padding: int | None = 16777216,
    device_memory_padding_jpeg2k: int | None = 0,
    dtype: DTypeLike | None = ...,
    host_memory_padding: int | None = 8388608,
    host_memory_padding_jpeg2k: int | None = 0,
    hw_decoder_load: float | None = 0.65,
    hybrid_huffman_threshold: int | None = 1000000,
    jpeg_fancy_upsampling: _builtins.bool | None = False,
    memory_stats: _builtins.bool | None = False,
    on_error: str | None = 'raise',
    output_type: DALIImageType | int | None = ...,
    preallocate_height_hint: int | None = 0,
    preallocate_width_hint: int | None = 0,
    split_stages: _builtins.bool | None = False,
    use_chunk_allocator: _builtins.bool | None = False,
    use_fast_idct: _builtins.bool | None = False,
) -> Tensor: ...
@overload
def imread(
    filepaths: list[Any] | tuple[str | bytes | os.PathLike[str] | Tensor, ...] | Batch,
    /,
    *,
    device: DeviceLike = 'cpu',
    adjust_orientation: _builtins.bool | None = True,
    affine: _builtins.bool | None = True,
    cache_batch_copy: _builtins.bool | None = True,
    cache_debug: _builtins.bool | None = False,
    cache_size: int | None = 0,
    cache_threshold: int | None = 0,
    cache_type: str | os.PathLike[str] | None = '',
    device_memory_padding: int | None = 16777216,
    device_memory_padding_jpeg2k: int | None = 0,
    dtype: DTypeLike | None = ...,
    host_memory_padding: int | None = 8388608,
    host_memory_padding_jpeg2k: int | None = 0,
    hw_decoder_load: float | None = 0.65,
    hybrid_huffman_threshold: int | None = 1000000,
    jpeg_fancy_upsampling: _builtins.bool | None = False,
    memory_stats: _builtins.bool | None = False,
    on_error: str | None = 'raise',
    output_type: DALIImageType | int | None = ...,
    preallocate_height_hint: int | None = 0,
    preallocate_width_hint: int | None = 0,
    split_stages: _builtins.bool | None = False,
    use_chunk_allocator: _builtins.bool | None = False,
    use_fast_idct: _builtins.bool | None = False,
) -> Batch: ...
@overload
def lookup_table(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    default_value: float | None = 0.0,
    dtype: DTypeLike | None = ...,
    keys: Sequence[int] | int | None = ...,
    output_dtype: DTypeLike | None = None,
    values: Sequence[float] | float | None = ...,
) -> Batch: ...
@overload
def lookup_table(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    default_value: float | None = 0.0,
    dtype: DTypeLike | None = ...,
    keys: Sequence[int] | int | None = ...,
    output_dtype: DTypeLike | None = None,
    values: Sequence[float] | float | None = ...,
) -> Batch: ...
@overload
def lookup_table(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    default_value: float | None = 0.0,
    dtype: DTypeLike | None = ...,
    keys: Sequence[int] | int | None = ...,
    output_dtype: DTypeLike | None = None,
    values: Sequence[float] | float | None = ...,
) -> Tensor: ...
@overload
def lookup_table(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    default_value: float | None = 0.0,
    dtype: DTypeLike | None = ...,
    keys: Sequence[int] | int | None = ...,
    output_dtype: DTypeLike | None = None,
    values: Sequence[float] | float | None = ...,
) -> Tensor | Batch: ...
@overload
def normalize(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    batch: _builtins.bool | None = False,
    ddof: int | None = 0,
    dtype: DTypeLike | None = ...,
    epsilon: float | None = 0.0,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    stddev: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def normalize(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    batch: _builtins.bool | None = False,
    ddof: int | None = 0,
    dtype: DTypeLike | None = ...,
    epsilon: float | None = 0.0,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    stddev: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def normalize(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    batch: _builtins.bool | None = False,
    ddof: int | None = 0,
    dtype: DTypeLike | None = ...,
    epsilon: float | None = 0.0,
    mean: Sequence[float] | float | Tensor | ArrayLike | None = None,
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    stddev: Sequence[float] | float | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def normalize(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | None = None,
    axis_names: str | None = None,
    batch: _builtins.bool | None = False,
    ddof: int | None = 0,
    dtype: DTypeLike | None = ...,
    epsilon: float | None = 0.0,
    mean: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    scale: float | None = 1.0,
    shift: float | None = 0.0,
    stddev: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def one_hot(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = -1,
    axis_name: str | os.PathLike[str] | None = None,
    dtype: DTypeLike | None = ...,
    num_classes: int | None = 0,
    off_value: float | None = 0.0,
    on_value: float | None = 1.0,
) -> Batch: ...
@overload
def one_hot(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axis: int | None = -1,
    axis_name: str | os.PathLike[str] | None = None,
    dtype: DTypeLike | None = ...,
    num_classes: int | None = 0,
    off_value: float | None = 0.0,
    on_value: float | None = 1.0,
) -> Batch: ...
@overload
def one_hot(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axis: int | None = -1,
    axis_name: str | os.PathLike[str] | None = None,
    dtype: DTypeLike | None = ...,
    num_classes: int | None = 0,
    off_value: float | None = 0.0,
    on_value: float | None = 1.0,
) -> Tensor: ...
@overload
def one_hot(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = -1,
    axis_name: str | os.PathLike[str] | None = None,
    dtype: DTypeLike | None = ...,
    num_classes: int | None = 0,
    off_value: float | None = 0.0,
    on_value: float | None = 1.0,
) -> Tensor | Batch: ...
@overload
def ones(
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def ones(
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def ones(
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def ones_like(
    data_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def ones_like(
    data_like: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def ones_like(
    data_like: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor: ...
@overload
def ones_like(
    data_like: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor | Batch: ...
@overload
def pad(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    align: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
    fill_value: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def pad(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    align: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
    fill_value: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def pad(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    align: Sequence[int] | int | Tensor | ArrayLike | None = None,
    axes: Sequence[int] | int | Tensor | ArrayLike | None = None,
    axis_names: str | None = None,
    fill_value: float | Tensor | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def pad(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    align: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
    fill_value: float | Tensor | Batch | ArrayLike | None = 0.0,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def peek_image_shape(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    adjust_orientation: _builtins.bool | None = True,
    dtype: DTypeLike | None = ...,
    image_type: DALIImageType | int | None = ...,
) -> Batch: ...
@overload
def peek_image_shape(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    adjust_orientation: _builtins.bool | None = True,
    dtype: DTypeLike | None = ...,
    image_type: DALIImageType | int | None = ...,
) -> Batch: ...
@overload
def peek_image_shape(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    adjust_orientation: _builtins.bool | None = True,
    dtype: DTypeLike | None = ...,
    image_type: DALIImageType | int | None = ...,
) -> Tensor: ...
@overload
def peek_image_shape(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    adjust_orientation: _builtins.bool | None = True,
    dtype: DTypeLike | None = ...,
    image_type: DALIImageType | int | None = ...,
) -> Tensor | Batch: ...
@overload
def random_crop_generator(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    rng: RNG | None = None,
) -> tuple[Batch, Batch]: ...
@overload
def random_crop_generator(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    rng: RNG | None = None,
) -> tuple[Batch, Batch]: ...
@overload
def random_crop_generator(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    rng: RNG | None = None,
) -> tuple[Tensor, Tensor]: ...
@overload
def random_crop_generator(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    rng: RNG | None = None,
) -> tuple[Tensor | Batch, Tensor | Batch]: ...
@overload
def random_resized_crop(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    size: Sequence[int] | int,
    temp_buffer_hint: int | None = 0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def random_resized_crop(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    size: Sequence[int] | int,
    temp_buffer_hint: int | None = 0,
    rng: RNG | None = None,
) -> Batch: ...
@overload
def random_resized_crop(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    min_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    size: Sequence[int] | int,
    temp_buffer_hint: int | None = 0,
    rng: RNG | None = None,
) -> Tensor: ...
@overload
def random_resized_crop(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    num_attempts: int | None = 10,
    random_area: Sequence[float] | float | None = ...,
    random_aspect_ratio: Sequence[float] | float | None = ...,
    size: Sequence[int] | int,
    temp_buffer_hint: int | None = 0,
    rng: RNG | None = None,
) -> Tensor | Batch: ...
@overload
def reinterpret(
    data: Batch,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def reinterpret(
    data: TensorLike,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def reinterpret(
    data: TensorLike,
    shape_input: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def reinterpret(
    data: TensorLike | Batch,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def reshape(
    data: Batch,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def reshape(
    data: TensorLike,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def reshape(
    data: TensorLike,
    shape_input: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def reshape(
    data: TensorLike | Batch,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    layout: str | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    src_dims: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def resize(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[True],
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> tuple[Batch, Batch]: ...
@overload
def resize(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[True],
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> tuple[Batch, Batch]: ...
@overload
def resize(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | ArrayLike | None = 0.0,
    resize_x: float | Tensor | ArrayLike | None = 0.0,
    resize_y: float | Tensor | ArrayLike | None = 0.0,
    resize_z: float | Tensor | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | ArrayLike | None = None,
    save_attrs: Literal[True],
    size: Sequence[float] | float | Tensor | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> tuple[Tensor, Tensor]: ...
@overload
def resize(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[True],
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> tuple[Tensor | Batch, Tensor | Batch]: ...
@overload
def resize(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[False] | None = False,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Batch: ...
@overload
def resize(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[False] | None = False,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Batch: ...
@overload
def resize(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | ArrayLike | None = 0.0,
    resize_x: float | Tensor | ArrayLike | None = 0.0,
    resize_y: float | Tensor | ArrayLike | None = 0.0,
    resize_z: float | Tensor | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | ArrayLike | None = None,
    save_attrs: Literal[False] | None = False,
    size: Sequence[float] | float | Tensor | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Tensor: ...
@overload
def resize(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    dtype: DTypeLike | None = None,
    image_type: DALIImageType | int | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    save_attrs: Literal[False] | None = False,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Tensor | Batch: ...
@overload
def resize_crop_mirror(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rounding: str | None = 'round',
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Batch: ...
@overload
def resize_crop_mirror(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rounding: str | None = 'round',
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Batch: ...
@overload
def resize_crop_mirror(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    crop: Sequence[float] | float | Tensor | ArrayLike | None = None,
    crop_d: float | Tensor | ArrayLike | None = 0.0,
    crop_h: float | Tensor | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | ArrayLike | None = 0.5,
    crop_w: float | Tensor | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mirror: int | Tensor | ArrayLike | None = 0,
    mode: str | None = 'default',
    resize_longer: float | Tensor | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | ArrayLike | None = 0.0,
    resize_x: float | Tensor | ArrayLike | None = 0.0,
    resize_y: float | Tensor | ArrayLike | None = 0.0,
    resize_z: float | Tensor | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | ArrayLike | None = None,
    rounding: str | None = 'round',
    size: Sequence[float] | float | Tensor | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Tensor: ...
@overload
def resize_crop_mirror(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    antialias: _builtins.bool | None = True,
    crop: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    crop_d: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_h: float | Tensor | Batch | ArrayLike | None = 0.0,
    crop_pos_x: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_y: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_pos_z: float | Tensor | Batch | ArrayLike | None = 0.5,
    crop_w: float | Tensor | Batch | ArrayLike | None = 0.0,
    dtype: DTypeLike | None = None,
    interp_type: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    mag_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    max_size: Sequence[float] | float | None = None,
    min_filter: DALIInterpType | int | Tensor | Batch | ArrayLike | None = ...,
    minibatch_size: int | None = 32,
    mirror: int | Tensor | Batch | ArrayLike | None = 0,
    mode: str | None = 'default',
    resize_longer: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_shorter: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_x: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_y: float | Tensor | Batch | ArrayLike | None = 0.0,
    resize_z: float | Tensor | Batch | ArrayLike | None = 0.0,
    roi_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    roi_relative: _builtins.bool | None = False,
    roi_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rounding: str | None = 'round',
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    subpixel_scale: _builtins.bool | None = True,
    temp_buffer_hint: int | None = 0,
) -> Tensor | Batch: ...
@overload
def rotate(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    angle: float | Tensor | Batch | ArrayLike,
    axis: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    fill_value: float | None = None,
    interp_type: DALIInterpType | int | None = ...,
    keep_size: _builtins.bool | None = False,
    output_dtype: DTypeLike | None = None,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Batch: ...
@overload
def rotate(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    angle: float | Tensor | Batch | ArrayLike,
    axis: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    fill_value: float | None = None,
    interp_type: DALIInterpType | int | None = ...,
    keep_size: _builtins.bool | None = False,
    output_dtype: DTypeLike | None = None,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Batch: ...
@overload
def rotate(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    angle: float | Tensor | ArrayLike,
    axis: Sequence[float] | float | Tensor | ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    fill_value: float | None = None,
    interp_type: DALIInterpType | int | None = ...,
    keep_size: _builtins.bool | None = False,
    output_dtype: DTypeLike | None = None,
    size: Sequence[float] | float | Tensor | ArrayLike | None = ...,
) -> Tensor: ...
@overload
def rotate(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    angle: float | Tensor | Batch | ArrayLike,
    axis: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    dtype: DTypeLike | None = None,
    fill_value: float | None = None,
    interp_type: DALIInterpType | int | None = ...,
    keep_size: _builtins.bool | None = False,
    output_dtype: DTypeLike | None = None,
    size: Sequence[float] | float | Tensor | Batch | ArrayLike | None = ...,
) -> Tensor | Batch: ...
@overload
def slice(
    data: Batch,
    anchor: TensorLike | Batch | None = None,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = ...,
    axis_names: str | None = 'WH',
    dtype: DTypeLike | None = None,
    end: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    normalized_anchor: _builtins.bool | None = True,
    normalized_shape: _builtins.bool | None = True,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rel_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    start: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def slice(
    data: TensorLike,
    anchor: TensorLike | Batch | None = None,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = ...,
    axis_names: str | None = 'WH',
    dtype: DTypeLike | None = None,
    end: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    normalized_anchor: _builtins.bool | None = True,
    normalized_shape: _builtins.bool | None = True,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rel_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    start: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def slice(
    data: TensorLike,
    anchor: TensorLike | None = None,
    shape_input: TensorLike | None = None,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | ArrayLike | None = ...,
    axis_names: str | None = 'WH',
    dtype: DTypeLike | None = None,
    end: Sequence[int] | int | Tensor | ArrayLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    normalized_anchor: _builtins.bool | None = True,
    normalized_shape: _builtins.bool | None = True,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rel_end: Sequence[float] | float | Tensor | ArrayLike | None = None,
    rel_shape: Sequence[float] | float | Tensor | ArrayLike | None = None,
    rel_start: Sequence[float] | float | Tensor | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
    start: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def slice(
    data: TensorLike | Batch,
    anchor: TensorLike | Batch | None = None,
    shape_input: TensorLike | Batch | None = None,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = ...,
    axis_names: str | None = 'WH',
    dtype: DTypeLike | None = None,
    end: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    fill_values: Sequence[float] | float | None = ...,
    image_type: DALIImageType | int | None = None,
    normalized_anchor: _builtins.bool | None = True,
    normalized_shape: _builtins.bool | None = True,
    out_of_bounds_policy: str | None = 'error',
    output_dtype: DTypeLike | None = None,
    rel_end: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_shape: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    rel_start: Sequence[float] | float | Tensor | Batch | ArrayLike | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    start: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def squeeze(
    data: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
) -> Batch: ...
@overload
def squeeze(
    data: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
) -> Batch: ...
@overload
def squeeze(
    data: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | ArrayLike | None = None,
    axis_names: str | None = None,
) -> Tensor: ...
@overload
def squeeze(
    data: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axes: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
    axis_names: str | None = None,
) -> Tensor | Batch: ...
@overload
def stack(
    input_0: Batch,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Batch: ...
@overload
def stack(
    input_0: TensorLike,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Batch: ...
@overload
def stack(
    input_0: TensorLike,
    /,
    *inputs: TensorLike,
    batch_size: None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Tensor: ...
@overload
def stack(
    input_0: TensorLike | Batch,
    /,
    *inputs: TensorLike | Batch,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    axis: int | None = 0,
    axis_name: str | os.PathLike[str] | None = None,
) -> Tensor | Batch: ...
@overload
def transpose(
    input: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    output_layout: str | None = None,
    perm: Sequence[int] | int | None = None,
    transpose_layout: _builtins.bool | None = True,
) -> Batch: ...
@overload
def transpose(
    input: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    output_layout: str | None = None,
    perm: Sequence[int] | int | None = None,
    transpose_layout: _builtins.bool | None = True,
) -> Batch: ...
@overload
def transpose(
    input: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    output_layout: str | None = None,
    perm: Sequence[int] | int | None = None,
    transpose_layout: _builtins.bool | None = True,
) -> Tensor: ...
@overload
def transpose(
    input: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    output_layout: str | None = None,
    perm: Sequence[int] | int | None = None,
    transpose_layout: _builtins.bool | None = True,
) -> Tensor | Batch: ...
def type_id(dtype: DType | DALIDataType) -> DALIDataType: ...
@overload
def zeros(
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Batch: ...
@overload
def zeros(
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | ArrayLike | None = None,
) -> Tensor: ...
@overload
def zeros(
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = ...,
    layout: str | None = None,
    shape: Sequence[int] | int | Tensor | Batch | ArrayLike | None = None,
) -> Tensor | Batch: ...
@overload
def zeros_like(
    data_like: Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def zeros_like(
    data_like: TensorLike,
    /,
    *,
    batch_size: int,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Batch: ...
@overload
def zeros_like(
    data_like: TensorLike,
    /,
    *,
    batch_size: None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor: ...
@overload
def zeros_like(
    data_like: TensorLike | Batch,
    /,
    *,
    batch_size: int | None = None,
    device: DeviceLike | None = None,
    dtype: DTypeLike | None = None,
) -> Tensor | Batch: ...
