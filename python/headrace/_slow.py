"""What the extension calls rarely: printing, pickling, torch."""

from __future__ import annotations

import enum

from typing import Any

from ._describe import (  # noqa: F401  (called by the extension through this module)
    find_op, op_doc, op_signature, op_text_signature, proposing, unknown_argument, unknown_keyword)
from ._device import Device, check_device  # noqa: F401

CPU = Device.CPU


class Kind(enum.Enum):
    """What an element type is."""

    signed = 1
    unsigned = 2
    float = 3
    bool = 4
    enum = 5

    def __str__(self) -> str:
        return f"Kind.{self.name}"


class HeadraceWarning(UserWarning):
    """The category of all warnings of this package."""


def dtype_kind(name: str) -> Kind:
    return Kind[name]


def new_checkpoint() -> Any:
    from .checkpoint import Checkpoint

    return Checkpoint()


@proposing
def tensor_gpu(self: Any, index: int | None = None) -> Any:
    return check_device(f"gpu:{index or 0}")


# ---- NumPy, torch ------------------------------------------------------------------------------


def tensor_array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    import numpy as np

    if self.dtype.name == "bfloat16":
        view = np.asarray(memoryview(_as_words(self))).view(_numpy_bfloat16())
    else:
        view = np.asarray(memoryview(self))
    if dtype is not None and np.dtype(dtype) != view.dtype:
        if copy is False:
            raise ValueError(f"__array__: copy=False, but {view.dtype} to {np.dtype(dtype)} needs one")
        return view.astype(dtype)
    return view.copy() if copy else view


_SIGNS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//",
    "remainder": "%", "power": "**", "bitwise_and": "&", "bitwise_or": "|", "bitwise_xor": "^",
    "left_shift": "<<", "right_shift": ">>", "equal": "==", "not_equal": "!=", "less": "<",
    "less_equal": "<=", "greater": ">", "greater_equal": ">=",
}


def tensor_ufunc(ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    """`array + tensor` is a tensor, as `tensor + array` is. Everything else is NumPy's, on arrays:
    `numpy.sqrt(tensor)`, `array += tensor`."""
    import numpy as np

    from . import _core

    sign = _SIGNS.get(ufunc.__name__)
    if sign and method == "__call__" and not kwargs and any(
            isinstance(x, (np.ndarray, np.generic)) for x in inputs):
        return _core.ops["operator " + sign](*inputs)
    if any(isinstance(x, _core.Tensor) for x in kwargs.get("out", ())):
        raise TypeError(f"numpy.{ufunc.__name__}: out must be an array, tensors are not written to")
    arrays = [np.asarray(x) if isinstance(x, _core.Tensor) else x for x in inputs]
    if isinstance(kwargs.get("where"), _core.Tensor):
        kwargs["where"] = np.asarray(kwargs["where"])
    return getattr(ufunc, method)(*arrays, **kwargs)


def _numpy_bfloat16() -> Any:
    try:
        import ml_dtypes  # the only NumPy type for it
    except ImportError:
        raise TypeError("NumPy has no bfloat16: install ml_dtypes, or cast to float32") from None
    return ml_dtypes.bfloat16


def _as_words(self: Any) -> Any:
    from . import _core

    return _core.tensor_bits(self)


def stack(obj: Any) -> Any:
    """Nested lists of arrays as one array; needs NumPy."""
    try:
        import numpy as np
    except ImportError:
        raise TypeError("nested lists of something else than numbers need NumPy") from None
    if _holds_text(obj):
        raise TypeError("text cannot become a tensor")
    try:
        array = np.asarray(obj)
    except ValueError:
        _shape_of(obj, "data")
        raise
    if array.dtype.kind not in "biuf":
        raise TypeError(f"elements of type {array.dtype} cannot become a tensor")
    return _narrowed(array, obj)


def _shape_of(obj: Any, place: str) -> tuple[int, ...]:
    """The shape of nested lists and arrays; ValueError with the place that does not fit."""
    import numpy as np

    if not isinstance(obj, (list, tuple)):
        return np.shape(obj)
    shapes = [_shape_of(item, f"{place}[{i}]") for i, item in enumerate(obj)]
    for i, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise ValueError(f"nested lists are unequal: {place}[{i}] has the shape {shape}, {place}[0] "
                             f"has {shapes[0]}")
    return (len(shapes), *(shapes[0] if shapes else ()))


def _leaf_types(obj: Any) -> set[Any]:
    """The types of the numbers and arrays in nested lists; of Python's numbers, the classes."""
    if isinstance(obj, (list, tuple)):
        return set().union(*map(_leaf_types, obj))
    if type(obj) in (bool, int, float):
        return {type(obj)}
    import numpy as np

    return {np.asarray(obj).dtype}


def _narrowed(array: Any, obj: Any) -> Any:
    """NumPy counts Python's numbers as 64 bits wide; here they are int32 and float32 beside others, too."""
    import numpy as np

    types = _leaf_types(obj)
    if not types & {int, float}:
        return array
    own = {int: np.dtype(np.int32), float: np.dtype(np.float32), bool: np.dtype(np.bool_)}
    kinds = {own.get(t, t) for t in types}
    real = {t for t in kinds if t.kind == "f"}
    wanted = np.result_type(*(real or kinds))
    return array.astype(wanted) if wanted.kind == "f" or (array == array.astype(wanted)).all() else array


def _holds_text(obj: Any) -> bool:
    if isinstance(obj, (list, tuple)):
        return any(map(_holds_text, obj))
    return isinstance(obj, (str, dict, set))


@proposing
def tensor_torch(self: Any, copy: bool = False) -> Any:
    import torch

    out = torch.from_dlpack(self)
    return out.clone() if copy else out


@proposing
def batch_torch(self: Any, copy: bool | None = None, pad: bool = False) -> Any:
    from . import _core

    whole = _core.as_tensor(self, pad=pad)
    if self.batch_size and not _shares(whole, self):
        if copy is False:
            raise ValueError("torch(copy=False): the samples do not lie in one block, a copy is needed")
        return tensor_torch(whole)
    return tensor_torch(whole, bool(copy))


def _shares(whole: Any, batch: Any) -> bool:
    first = batch.select(0)
    return bool(whole.size == 0 or _address(whole) == _address(first))


def _address(tensor: Any) -> Any:
    return _as_words(tensor).__array_interface__["data"][0]


# ---- pickling ----------------------------------------------------------------------------------


def tensor_reduce(self: Any, protocol: int) -> tuple[Any, ...]:
    import pickle

    dtype, layout, shape = self.dtype.name, self.layout, self.shape
    words = _as_words(self) if dtype == "bfloat16" else self
    packed = memoryview(words)
    if not packed.c_contiguous:
        packed = memoryview(packed.tobytes())
    data = pickle.PickleBuffer(packed) if protocol >= 5 else packed.tobytes()
    return restore_tensor, (data, dtype, shape, layout)


def restore_tensor(data: Any, dtype: str, shape: tuple[int, ...], layout: str | None) -> Any:
    from . import _core

    return _core.tensor_from_bytes(data, dtype, shape, layout or "")


def batch_reduce(self: Any, protocol: int) -> tuple[Any, ...]:
    return restore_batch, (self.tensors.tolist(), self.dtype.name, self.layout)


def restore_batch(tensors: list[Any], dtype: str, layout: str | None) -> Any:
    from . import _core

    return _core.batch(tensors, dtype=dtype, layout=layout)


# ---- printing ----------------------------------------------------------------------------------


EDGE, THRESHOLD = 2, 1000  # values shown at each end of an axis, where there are more than that


def _format(value: Any, brief: bool = False) -> str:
    """Values in NumPy's style, by NumPy where it can be had. `brief`: the ends only."""
    if value.dtype.name != "bfloat16":
        try:
            import numpy as np

            with np.printoptions(edgeitems=EDGE, threshold=0 if brief else THRESHOLD,
                                 linewidth=71):  # 75, less the indentation
                return str(np.asarray(memoryview(value)))
        except ImportError:
            pass
    if value.size > THRESHOLD:
        return f"[... {value.size} elements ...]"
    return _format_list(value.tolist())


def _format_list(items: Any) -> str:
    if not isinstance(items, list):
        return f"{items:g}" if isinstance(items, float) else str(items)
    if items and isinstance(items[0], list):
        return "[" + "\n ".join(map(_format_list, items)) + "]"
    return "[" + " ".join(map(_format_list, items)) + "]"


def _indent(text: str, by: str = "    ") -> str:
    return "\n".join(by + line if line else line for line in text.split("\n"))


def tensor_repr(self: Any) -> str:
    lines = [_indent(_format(self)), f"    dtype={self.dtype}"]
    if self.layout is not None:
        lines.append(f'    layout="{self.layout}"')
    lines += [f'    device="{self.device}"', f"    shape={self.shape}"]
    return "Tensor(\n" + ",\n".join(lines) + ")"


def batch_repr(self: Any) -> str:
    n = self.batch_size
    is_long = n > 2 * EDGE and sum(t.size for t in self.tensors) > THRESHOLD
    shown = [*range(EDGE), *range(n - EDGE, n)] if is_long else range(n)
    texts = [_format(self.tensors[i], brief=is_long) for i in shown]
    gap = ", " if not texts or self.ndim == 0 else ",\n" + "\n" * (self.ndim - 1)
    if is_long:
        texts.insert(EDGE, "...")
    lines = [_indent("[" + gap.join(texts) + "]"), f"    dtype={self.dtype}"]
    if self.layout is not None:
        lines.append(f'    layout="{self.layout}"')
    lines += [f'    device="{self.device}"', f"    num_samples={n}",
              f"    shape={_shapes_text(self.shape)}"]
    return "Batch(\n" + ",\n".join(lines) + ")"


def _shapes_text(shapes: list[tuple[int, ...]]) -> str:
    """A list of shapes: on one line, one a line, or its ends only."""
    texts = [str(s) for s in shapes]
    if len(texts) > 16:
        return "[" + ", ".join([*texts[:EDGE], "...", *texts[-EDGE:]]) + "]"
    line = ", ".join(texts)
    return f"[{line if len(line) < 80 else (', ' + chr(10) + ' ' * 11).join(texts)}]"
