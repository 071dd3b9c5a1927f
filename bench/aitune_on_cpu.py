"""Imports the peer of the graph half, AITune, where there is no GPU.

Importing its module of graphs imports its backends, and with them packages that are for GPUs only and do
not install everywhere. What is absent of those is stood in for by empty modules: none of them has a part
in describing or routing calls. A package that is there is used as it is.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import logging
import os
import sys
import tempfile
import types

FOR_GPUS = ("modelopt", "onnx", "onnx_ir", "onnxruntime", "onnxscript", "polygraphy", "tensorrt",
            "torch_tensorrt", "torchao", "triton")


class _AnyClass(type):
    """The class of stand-ins: every attribute is one more of them, and as a decorator it changes nothing."""

    def __getattr__(cls, name: str) -> type:
        return _stand_in(name)

    def __call__(cls, *args: object, **kwargs: object) -> object:
        return args[0] if len(args) == 1 and not kwargs and callable(args[0]) else super().__call__()


def _stand_in(name: str) -> type:
    if name.startswith("__"):
        raise AttributeError(name)
    return _AnyClass(name, (), {})


class _Empty(types.ModuleType):
    __path__: list[str] = []
    __version__ = "99.0"

    def __getattr__(self, name: str) -> type:
        return _stand_in(name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, absent: list[str]) -> None:
        self.absent = absent

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name.split(".")[0] not in self.absent:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        return _Empty(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def import_aitune() -> str:
    """Imports aitune.torch; says its version, and what stands in. ImportError where the peer is absent."""
    from importlib.metadata import version

    if importlib.util.find_spec("aitune") is None:
        raise ImportError("no aitune in this interpreter")
    logging.disable(logging.CRITICAL)
    os.environ.setdefault("AITUNE_CACHE_DIR", tempfile.mkdtemp(prefix="bench_graphs_"))
    absent = [name for name in FOR_GPUS if importlib.util.find_spec(name) is None]
    sys.meta_path.append(_Finder(absent))
    import aitune.torch  # noqa: F401
    import torch

    stood_in = f"; empty modules for {', '.join(absent)}" if absent else ""
    return f"aitune {version('aitune')}, torch {torch.__version__}{stood_in}"
