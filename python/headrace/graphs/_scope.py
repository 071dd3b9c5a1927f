"""The batch size of the calls of this thread and task."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator

from .. import _core


@contextmanager
def batch_size_scope(batch_size: int | None) -> Iterator[None]:
    """Calls that are described inside have this batch size; None: they have none."""
    token = _core.graph_batch_size.set(batch_size)
    try:
        yield
    finally:
        _core.graph_batch_size.reset(token)
