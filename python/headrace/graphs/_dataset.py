"""Batches of samples for recording: stacked by kind, each batch size in turn."""
from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Iterable, Iterator, Sequence

import numpy as np

from .. import _core

Call = tuple[int, tuple[Any, ...], dict[str, Any]]


class DynamicShapeDataset:
    """Items of different shapes: each batch is one item, as often as the batch is large."""

    def __init__(self, items: Sequence[Any]) -> None:
        self._items = items

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, index: int) -> Any:
        return self._items[index]


class DataLoaderFactory:
    """A dataset that makes its own batches: ``make(batch_size)`` is iterable over them.

    A batch is a tensor or a list of texts (one argument), a tuple (arguments) or a mapping (keyword
    arguments), stacked already.
    """

    def __init__(self, make: Any) -> None:
        if not callable(make):
            raise TypeError(f"DataLoaderFactory: {make!r} cannot be called")
        self.make = make


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    kinds = (np.ndarray, _core.Tensor) if torch is None else (np.ndarray, _core.Tensor, torch.Tensor)
    return isinstance(value, kinds)


def _is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.number, np.bool_))


def _stacked(values: list[Any]) -> Any:
    """Tensors along a new first axis, of their own kind."""
    first = values[0]
    if isinstance(first, np.ndarray):
        return np.stack(values)
    if isinstance(first, _core.Tensor):
        return _core.as_tensor(np.stack([np.asarray(v) for v in values]))
    return sys.modules["torch"].stack(values)


def _numbers(values: list[Any], beside: list[Any]) -> Any:
    """Numbers as a tensor, of the kind of the tensors beside them."""
    torch = sys.modules.get("torch")
    if torch is None or any(isinstance(v, (np.ndarray, _core.Tensor)) for v in beside):
        return np.asarray(values)
    return torch.tensor([v.item() if isinstance(v, (np.number, np.bool_)) else v for v in values])


def _argument(values: list[Any]) -> Any:
    """One positional argument of a batch. ValueError for what is neither tensor nor text."""
    if _is_tensor(values[0]):
        return _stacked(values)
    if isinstance(values[0], str):
        return values
    raise ValueError(f"samples_generator: an item has {values[0]!r}, which is neither a tensor nor a text")


def _keyword(key: Any, values: list[Any], beside: list[Any]) -> Any:
    first = values[0]
    if _is_tensor(first):
        return _stacked(values)
    if isinstance(first, str):
        return values
    if isinstance(first, Mapping):
        return {inner: [value[inner] for value in values] for inner in first}
    if _is_number(first):
        return _numbers(values, beside)
    if isinstance(first, (list, tuple)) and all(map(_is_number, first)):
        return _numbers(values, beside)
    raise RuntimeError(f"samples_generator: {key!r} has {first!r}, of which no batch can be made")


def _keywords(items: list[Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    beside = list(items[0].values())
    for key, value in items[0].items():
        if value is None:
            continue
        name = "labels" if key in ("label", "label_ids") else key
        out[name] = _keyword(key, [item[key] for item in items], beside)
    return out


def _collated(items: list[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """A batch of items as (args, kwargs)."""
    first = items[0]
    if isinstance(first, Mapping):
        return (), _keywords(items)
    if isinstance(first, (list, tuple)):
        return tuple(_argument([item[i] for item in items]) for i in range(len(first))), {}
    return (_argument(items),), {}


def _loaded(batch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(batch, Mapping):
        return (), dict(batch)
    if isinstance(batch, tuple) or (isinstance(batch, list) and not all(isinstance(b, str) for b in batch)):
        return tuple(batch), {}
    return (batch,), {}


def _batches(dataset: Any, size: int) -> Iterator[list[Any]]:
    """Lists of `size` items: whole batches, or one that goes round where there are fewer items."""
    n = len(dataset)
    if isinstance(dataset, DynamicShapeDataset):
        for i in range(n):
            yield [dataset[i]] * size
        return
    if n < size:
        yield [dataset[i % n] for i in range(size)]
    for start in range(0, n - size + 1, size):
        yield [dataset[i] for i in range(start, start + size)]


def samples_generator(dataset: Any, batch_sizes: Iterable[int],
                      max_num_batches_per_batch_size: int | None = None) -> Iterator[Call]:
    """Yields ``(batch_size, args, kwargs)``: all batches of each size, or the first so many.

    `dataset` is a tensor (one sample), anything with a length and items by number, or a
    DataLoaderFactory. Items that are tensors or texts are one argument, lists and tuples several,
    mappings keyword arguments: tensors are stacked, texts listed, numbers made a tensor, None left out,
    `label` and `label_ids` called `labels`. Only whole batches; fewer items than a batch go round.
    ValueError for other items, an empty dataset, or sizes below 1.
    """
    if _is_tensor(dataset):
        dataset = [dataset]
    for size in batch_sizes:
        if size < 1:
            raise ValueError(f"samples_generator: a batch size of {size}")
        if isinstance(dataset, DataLoaderFactory):
            made = (_loaded(batch) for batch in dataset.make(size))
        elif len(dataset) == 0:
            raise ValueError("samples_generator: the dataset is empty")
        else:
            made = (_collated(items) for items in _batches(dataset, size))
        for i, (args, kwargs) in enumerate(made):
            if max_num_batches_per_batch_size is not None and i >= max_num_batches_per_batch_size:
                break
            yield size, args, kwargs
