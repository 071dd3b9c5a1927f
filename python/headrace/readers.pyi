"""Made by tools/make_stubs.py: do not edit."""

import os
from collections.abc import Sequence
from typing import Any

from . import _core
from ._typing import DeviceLike


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
        seed: int | None = -1,
        shard_id: int | None = 0,
        shuffle_after_epoch: bool | None = False,
        shuffle_after_epoch_seed: int | None = None,
        skip_cached_images: bool | None = False,
        stick_to_shard: bool | None = False,
        tensor_init_bytes: int | None = 1048576,
    ) -> None: ...
