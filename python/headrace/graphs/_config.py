"""Settings of recording, tuning and routing."""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .. import _core

if TYPE_CHECKING:
    from pathlib import Path

_transformers = {"on": True}


def _cache_dir() -> str:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "headrace")


def _count(name: str, value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name}: {value!r} is no whole number")
    if value < least:
        raise ValueError(f"{name}: {value} is less than {least}")
    return value


_PLAIN = ("strict_mode", "device_after_tuning", "enable_transformers_integration", "cache_dir", "_cache_dir")


class Config:
    """Settings; ``headrace.graphs.config`` holds those of the process, which all modules use that get none.

    strict_mode
        values that are no tensors make graphs as well (True)
    max_num_samples_stored
        samples kept of each graph while recording (1)
    min_num_samples
        stored samples of each graph from which `is_ready_for_optimization` holds (100)
    max_num_graphs
        graphs recorded of one module; calls of further ones run unrecorded, with a warning (64)
    device_after_tuning
        where a module's weights go once nothing needs them any more ("meta")
    cache_dir
        the folder below which backends write what they build
    enable_transformers_integration
        an argument `cache_position` tells the phases of language models, and transformers' caches are no
        values (True); one switch for the process
    """

    def __init__(self) -> None:
        self.strict_mode = True
        self.max_num_samples_stored = 1
        self.min_num_samples = 100
        self.max_num_graphs = 64
        self.device_after_tuning = "meta"
        self._cache_dir = _cache_dir()

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("max_num_samples_stored", "min_num_samples", "max_num_graphs"):
            value = _count(name, value, 0 if name == "max_num_samples_stored" else 1)
        elif name not in _PLAIN:
            raise AttributeError(f"Config has no setting {name!r}")
        super().__setattr__(name, value)

    @property
    def cache_dir(self) -> "Path":
        """The folder below which backends write what they build."""
        from pathlib import Path  # takes long, and who only routes never asks

        return Path(self._cache_dir)

    @cache_dir.setter
    def cache_dir(self, value: Any) -> None:
        self._cache_dir = os.fspath(value)

    @property
    def enable_transformers_integration(self) -> bool:
        """Whether phases and caches of language models are known; of the whole process."""
        return _transformers["on"]

    @enable_transformers_integration.setter
    def enable_transformers_integration(self, value: bool) -> None:
        _transformers["on"] = bool(value)
        _core.graph_set_transformers(bool(value))

    def __repr__(self) -> str:
        return f"Config({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


config = Config()
