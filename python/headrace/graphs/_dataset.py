"""Batches of samples for recording: stacked by kind, each batch size in turn."""
from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

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


@dataclasses.dataclass
class InputConfig:
    """One input of random samples: shapes from `min_input` to `max_input` (None: only that), values from
    `min_value` to below `max_value`.

    `dtype` is torch's or NumPy's and makes tensors of that kind; None: float32, of torch where the program
    has loaded it. `kwarg_name` makes it a keyword argument.
    """

    min_input: Sequence[int]
    max_input: Sequence[int] | None = None
    dtype: Any = None
    kwarg_name: str | None = None
    min_value: float = 0
    max_value: float = 1

    def __post_init__(self) -> None:
        low = self.min_input = tuple(self.min_input)
        high = self.max_input = low if self.max_input is None else tuple(self.max_input)
        if len(low) != len(high) or any(not 0 <= a <= b for a, b in zip(low, high)):
            raise ValueError(f"InputConfig: sizes cannot go from {low} to {high}")
        if not self.min_value <= self.max_value:
            raise ValueError(f"InputConfig: values cannot go from {self.min_value} to {self.max_value}")

    def make(self, shape: Sequence[int], rng: np.random.Generator) -> Any:
        """A random tensor of one shape."""
        torch, dtype = sys.modules.get("torch"), self.dtype
        if torch is not None and dtype is None:
            dtype = torch.float32
        values = rng.uniform(self.min_value, self.max_value, tuple(shape))
        if torch is not None and isinstance(dtype, torch.dtype):
            return torch.as_tensor(values).to(dtype)
        return values.astype(np.float32 if dtype is None else dtype)


class MinMaxRandomDataset(DynamicShapeDataset):
    """`num_samples` random samples of `input_configs`; the first two have the smallest and the largest
    shapes.

    Each sample is a list of tensors, or a dict where the inputs have names (all or none). The same `seed`
    makes the same samples. ValueError for fewer samples than extremes, no inputs, or some names.
    """

    def __init__(self, num_samples: int, input_configs: Sequence[InputConfig],
                 include_min_max_shapes: bool = True, *, seed: int = 0) -> None:
        configs, rng = list(input_configs), np.random.default_rng(seed)
        named = [c.kwarg_name is not None for c in configs]
        least = 2 if include_min_max_shapes else 1
        if num_samples < least:
            raise ValueError(f"MinMaxRandomDataset: {num_samples} samples, at least {least} are needed")
        if not configs or any(named) != all(named):
            raise ValueError("MinMaxRandomDataset: give inputs, all of them with a kwarg_name or none")
        shapes: list[list[Sequence[int]]] = []
        if include_min_max_shapes:
            shapes = [[c.min_input for c in configs], [c.max_input or () for c in configs]]
        while len(shapes) < num_samples:
            shapes.append([rng.integers(c.min_input, c.max_input or (), endpoint=True).tolist()
                           for c in configs])
        samples = [[c.make(shape, rng) for c, shape in zip(configs, row)] for row in shapes]
        super().__init__([{c.kwarg_name: v for c, v in zip(configs, row)} for row in samples]
                         if all(named) else samples)


class DataLoaderFactory:
    """Makes batches of a dataset on demand, as many samples each as are asked for.

    `collate_fn` makes a batch of a list of items: a tensor or a list of texts (one argument), a tuple
    (arguments) or a mapping (keyword arguments); None stacks them as `samples_generator` tells. `num_workers`
    processes of torch's DataLoader load items (0: none; others need torch). A subclass may define
    `create_dataloader`.
    """

    def __init__(self, dataset: Any, collate_fn: Callable[[list[Any]], Any] | None = None,
                 num_workers: int = 0) -> None:
        if collate_fn is not None and not callable(collate_fn):
            raise TypeError(f"DataLoaderFactory: collate_fn={collate_fn!r} cannot be called")
        if num_workers < 0:
            raise ValueError(f"DataLoaderFactory: {num_workers} workers")
        self.dataset = [dataset] if _is_tensor(dataset) else dataset
        self.collate_fn = collate_fn or _collated
        self.num_workers = num_workers

    def create_dataloader(self, batch_size: int) -> Iterable[Any]:
        """An iterable over the batches of one size. ValueError for an empty dataset."""
        if len(self.dataset) == 0:
            raise ValueError("samples_generator: the dataset is empty")
        numbers = _numbers_of_batches(self.dataset, batch_size)
        if self.num_workers:
            from torch.utils.data import DataLoader

            loader: Iterable[Any] = DataLoader(self.dataset, batch_sampler=list(numbers),
                                               collate_fn=self.collate_fn, num_workers=self.num_workers)
            return loader
        return (self.collate_fn([self.dataset[i] for i in batch]) for batch in numbers)


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


class _Call(NamedTuple):
    """A collated batch, in words that no batch of the user's has."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _collated(items: list[Any]) -> _Call:
    first = items[0]
    if isinstance(first, Mapping):
        return _Call((), _keywords(items))
    if not isinstance(first, (list, tuple)):
        return _Call((_argument(items),), {})
    if _is_call(first):
        args, kwargs = _collated([item[0] for item in items]), _collated([item[1] for item in items])
        return _Call(args.args, kwargs.kwargs)
    return _Call(tuple(_argument([item[i] for item in items]) for i in range(len(first))), {})


def _is_call(item: Sequence[Any]) -> bool:
    """Whether an item is (args, kwargs)."""
    return len(item) == 2 and isinstance(item[0], (list, tuple)) and isinstance(item[1], Mapping)


def _as_call(batch: Any) -> _Call:
    if isinstance(batch, _Call):
        return batch
    if isinstance(batch, Mapping):
        return _Call((), dict(batch))
    if isinstance(batch, tuple) or (isinstance(batch, list) and not all(isinstance(b, str) for b in batch)):
        return _Call(tuple(batch), {})
    return _Call((batch,), {})


def _numbers_of_batches(dataset: Any, size: int) -> Iterator[list[int]]:
    """Whole batches, or one that goes round where there are fewer items."""
    n = len(dataset)
    if isinstance(dataset, DynamicShapeDataset):
        yield from ([i] * size for i in range(n))
    elif n < size:
        yield [i % n for i in range(size)]
    else:
        yield from (list(range(i, i + size)) for i in range(0, n - size + 1, size))


def samples_generator(dataset: Any, batch_sizes: Iterable[int],
                      max_num_batches_per_batch_size: int | None = None) -> Iterator[Call]:
    """Yields ``(batch_size, args, kwargs)``: all batches of each size, or the first so many.

    `dataset` is a tensor (one sample), anything with a length and items by number, or a
    DataLoaderFactory. Items that are tensors or texts are one argument, lists and tuples several,
    mappings keyword arguments, (a list or tuple, a mapping) a whole call: tensors are stacked, texts
    listed, numbers made a tensor, None left out, `label` and `label_ids` called `labels`. Only whole
    batches; fewer items than a batch go round.
    ValueError for other items, an empty dataset, or sizes below 1.
    """
    factory = dataset if isinstance(dataset, DataLoaderFactory) else DataLoaderFactory(dataset)
    for size in batch_sizes:
        if size < 1:
            raise ValueError(f"samples_generator: a batch size of {size}")
        for i, batch in enumerate(factory.create_dataloader(size)):
            if max_num_batches_per_batch_size is not None and i >= max_num_batches_per_batch_size:
                break
            args, kwargs = _as_call(batch)
            yield size, args, kwargs
