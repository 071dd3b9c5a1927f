"""Made by tools/make_stubs.py: do not edit."""

import os
from collections.abc import Sequence
from typing import Any

from . import _core
from ._typing import DeviceLike, DTypeLike
from .tfrecord import Feature


class ReaderState:
    def __init__(self, text: str) -> None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...


class _Reader(_core.Reader):
    def get_state(self, *, cuda_stream: Any = None) -> ReaderState: ...
    def set_state(self, state: ReaderState | str) -> None: ...


class File(_Reader):
    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: DeviceLike | None = 'cpu',
        num_inputs: int | None = None,
        *,
        batch_size: int | None = None,
        case_sensitive_filter: bool | None = False,
        dir_filters: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = None,
        dont_use_mmap: bool | None = False,
        enable_checkpointing: bool = False,
        file_filters: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = ...,
        file_list: str | os.PathLike[str] | None = None,
        file_root: str | os.PathLike[str] | None = None,
        files: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = None,
        initial_fill: int | None = 1024,
        labels: Sequence[int] | int | None = None,
        last_batch: str | None = None,
        lazy_init: bool | None = False,
        num_shards: int | None = 1,
        on_error: str | None = 'raise',
        pad_last_batch: bool | None = False,
        prefetch_queue_depth: int | None = 1,
        random_shuffle: bool | None = False,
        read_ahead: bool | None = False,
        recursive: bool | None = False,
        seed: int | None = -1,
        shard_id: int | None = 0,
        shuffle_after_epoch: bool | None = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = False,
        stick_to_shard: bool | None = False,
        tensor_init_bytes: int | None = 1048576,
        verify: str | None = None,
    ) -> None: ...


class Numpy(_Reader):
    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: DeviceLike | None = 'cpu',
        num_inputs: int | None = None,
        *,
        batch_size: int | None = None,
        cache_header_information: bool | None = False,
        dont_use_mmap: bool | None = False,
        enable_checkpointing: bool = False,
        file_filter: str | os.PathLike[str] | None = '*.npy',
        file_list: str | os.PathLike[str] | None = None,
        file_root: str | os.PathLike[str] | None = None,
        files: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = None,
        fill_value: float | None = 0.0,
        initial_fill: int | None = 1024,
        last_batch: str | None = None,
        lazy_init: bool | None = False,
        num_shards: int | None = 1,
        on_error: str | None = 'raise',
        out_of_bounds_policy: str | None = 'error',
        pad_last_batch: bool | None = False,
        prefetch_queue_depth: int | None = 1,
        random_shuffle: bool | None = False,
        read_ahead: bool | None = False,
        recursive: bool | None = False,
        register_buffers: bool | None = True,
        rel_roi_end: Sequence[float] | float | None = None,
        rel_roi_shape: Sequence[float] | float | None = None,
        rel_roi_start: Sequence[float] | float | None = None,
        roi_axes: Sequence[int] | int | None = ...,
        roi_end: Sequence[int] | int | None = None,
        roi_shape: Sequence[int] | int | None = None,
        roi_start: Sequence[int] | int | None = None,
        seed: int | None = -1,
        shard_id: int | None = 0,
        shuffle_after_epoch: bool | None = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = False,
        stick_to_shard: bool | None = False,
        tensor_init_bytes: int | None = 1048576,
        use_o_direct: bool | None = False,
    ) -> None: ...


class TFRecord(_Reader):
    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: DeviceLike | None = 'cpu',
        num_inputs: int | None = None,
        *,
        batch_size: int | None = None,
        dont_use_mmap: bool | None = False,
        enable_checkpointing: bool = False,
        features: dict[str, Feature],
        index_path: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = None,
        initial_fill: int | None = 1024,
        last_batch: str | None = None,
        lazy_init: bool | None = False,
        num_shards: int | None = 1,
        on_error: str | None = 'raise',
        pad_last_batch: bool | None = False,
        path: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
        prefetch_queue_depth: int | None = 1,
        random_shuffle: bool | None = False,
        read_ahead: bool | None = False,
        seed: int | None = -1,
        shard_id: int | None = 0,
        shuffle_after_epoch: bool | None = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = False,
        stick_to_shard: bool | None = False,
        tensor_init_bytes: int | None = 1048576,
        use_o_direct: bool | None = False,
        verify: bool | None = True,
    ) -> None: ...


class Webdataset(_Reader):
    def __init__(
        self,
        max_batch_size: int | None = None,
        name: str | None = None,
        device: DeviceLike | None = 'cpu',
        num_inputs: int | None = None,
        *,
        batch_size: int | None = None,
        case_sensitive_extensions: bool | None = True,
        dont_use_mmap: bool | None = False,
        dtypes: Sequence[DTypeLike] | DTypeLike | None = None,
        enable_checkpointing: bool = False,
        ext: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
        index_paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str] | None = None,
        initial_fill: int | None = 1024,
        last_batch: str | None = None,
        lazy_init: bool | None = False,
        missing_component_behavior: str | None = 'empty',
        num_shards: int | None = 1,
        on_error: str | None = 'raise',
        pad_last_batch: bool | None = False,
        paths: Sequence[str | os.PathLike[str]] | str | os.PathLike[str],
        prefetch_queue_depth: int | None = 1,
        random_shuffle: bool | None = False,
        read_ahead: bool | None = False,
        seed: int | None = -1,
        shard_id: int | None = 0,
        shuffle_after_epoch: bool | None = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = False,
        stick_to_shard: bool | None = False,
        tensor_init_bytes: int | None = 1048576,
        verify: str | None = None,
    ) -> None: ...
