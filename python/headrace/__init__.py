"""Headrace feeds models on CPU machines, and knows how they are called.

Names and meaning follow the dynamic mode of NVIDIA DALI 2.4.0
(``nvidia.dali.experimental.dynamic``): ``import headrace as hr``.
"""

from __future__ import annotations

import atexit as _atexit
import sys as _sys
from typing import Any as _Any

from . import types
from ._device import Device, device
from ._environment import read as _read_environment
from . import _core
from ._core import (
    Batch, DataError, DType, EvalContext, Tensor, ThreadPool, as_batch, as_tensor, batch,
    bfloat16, bool, drop_failed, dtype, float16, float32, float64, get_num_threads,
    get_pixel_limit, int8, int16, int32, int64, set_num_threads, set_pixel_limit, tensor, uint8,
    uint16, uint32, uint64,
)
from ._core import DataType, ImageType, InterpType
from ._eval_mode import EvalMode
from ._imread import imread
from ._slow import HeadraceWarning
from ._modules import install as _install, unknown_name as _unknown_name
from ._plugins import get_include, load_operators
from ._source import ExternalSource
from ._stream import (
    Stream, get_current_stream, get_default_stream, set_current_stream, set_default_stream, stream,
)

__version__ = _core.version()
_atexit.register(_core.shut_down)  # before the interpreter's state goes


def type_id(dtype: _Any) -> types.DALIDataType:
    """The enumeration value of a DType."""
    if isinstance(dtype, types.DALIDataType):
        return dtype
    if not isinstance(dtype, DType):
        raise ValueError(f"type_id: {dtype!r} is neither a DType nor a DALIDataType")
    return dtype.type_id  # type: ignore[no-any-return]


_install(_sys.modules[__name__], _core.ops)

from . import (  # noqa: E402  (they add to the operators' modules)
    capture, checkpoint, random, readers, tfrecord,
)

for _module in (capture, checkpoint, random, readers, tfrecord, types):
    if not hasattr(_module, "__getattr__"):
        setattr(_module, "__getattr__", _unknown_name(_module))


_read_environment()


def __getattr__(name: str) -> _Any:
    if name == "graphs":  # imported at its first use
        from importlib import import_module

        return import_module("headrace.graphs")
    from ._describe import suggestion
    from ._plugins import found

    if found(_sys.modules[__name__], name):
        return globals()[name]
    known = [n for n in globals() if not n.startswith("_") and n != "annotations"]
    raise AttributeError(f"headrace has no {name!r}{suggestion(name, known)}")
