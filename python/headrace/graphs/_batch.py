"""Samples of another batch size, made of what is there: cut, or repeated row after row."""
from __future__ import annotations

from typing import Any

from .. import _core
from ._spec import TensorSpec


def _take(tensor: Any, axis: int, index: list[int]) -> Any:
    """Rows of an axis, by number."""
    if isinstance(tensor, _core.Batch):
        return _take_samples(tensor, axis, index)
    if isinstance(tensor, _core.Tensor):
        import numpy as np

        return _core.as_tensor(np.take(np.asarray(tensor), index, axis=axis))
    if hasattr(tensor, "index_select"):  # torch
        import torch

        return tensor.index_select(axis, torch.tensor(index, dtype=torch.int64, device=tensor.device))
    if hasattr(tensor, "take"):  # NumPy, JAX
        import numpy as np

        return tensor.take(np.asarray(index, dtype=np.int64), axis=axis)
    rest = (slice(None),) * axis
    return tensor[rest + (index,)]


def _take_samples(batch: Any, axis: int, index: list[int]) -> Any:
    if axis == 0:
        samples = list(batch.tensors)
        return _core.as_batch([samples[i] for i in index], dtype=batch.dtype)
    return _core.as_batch([_take(t, axis - 1, index) for t in batch.tensors], dtype=batch.dtype)


def _is_sliced(tensor: Any) -> bool:
    """Whether an index of slices cuts it, as with arrays; tables have a take() for that."""
    is_array = hasattr(tensor, "__dlpack__") or hasattr(tensor, "__array_interface__")
    return is_array or not hasattr(tensor, "take")


def resized(tensor: Any, axis: int, size: int, rows: str) -> Any:
    """The axis cut to `size`, or rows of it repeated until there are as many.

    ValueError when rows are wanted of an axis that has none.
    """
    now = _core.graph_sizes(tensor)[axis]
    if now == size:
        return tensor
    if size > now == 0:
        raise ValueError(f"axis {axis} has no rows, so there are none to make {size} of")
    if size < now and not isinstance(tensor, (_core.Batch, _core.Tensor)) and _is_sliced(tensor):
        return tensor[(slice(None),) * axis + (slice(0, size),)]
    count = 1 if rows == "first" and size > now else now
    return _take(tensor, axis, [i % count for i in range(size)])


def batch_tensor(tensor: Any, spec: TensorSpec, batch_size: int, rows: str = "first") -> Any:
    """The tensor for another batch size: each batch axis gets multiplier × batch_size rows.

    More rows than there are: the first row again and again, or with `rows` = "cycle" all rows in turn.
    `tensor` itself when nothing is to do. ValueError for a negative size, or rows of an empty axis.
    """
    if rows not in ("first", "cycle"):
        raise ValueError(f"rows: {rows!r} is neither 'first' nor 'cycle'")
    if batch_size < 0:
        raise ValueError(f"batch_size: {batch_size} is negative")
    for axis, multiplier in sorted(spec.get_batch_axis_multipliers().items()):
        tensor = resized(tensor, axis, multiplier * batch_size, rows)
    return tensor
