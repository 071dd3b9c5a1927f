"""What the extension's objects cannot say of themselves: the types in their signatures.

tools/make_stubs.py lists every public member of every type; what is not named here is typed Any.
"""

TYPING = '''"""Types that signatures are written with. There is no such module at run time."""

import os as _os
from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from ._core import Batch, DType, Tensor
from ._device import Device
from .types import DALIDataType


class _SupportsDLPack(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class _SupportsArray(Protocol):
    def __array__(self, *args: Any, **kwargs: Any) -> Any: ...


class _SupportsArrayInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...


class _ForeignDType(Protocol):
    """numpy.dtype, torch.dtype"""

    @property
    def itemsize(self) -> int: ...


class _ForeignDevice(Protocol):
    """torch.device"""

    @property
    def type(self) -> str: ...


Path: TypeAlias = str | _os.PathLike[str]
ArrayLike: TypeAlias = (
    float | memoryview | Sequence[Any]
    | _SupportsDLPack | _SupportsArray | _SupportsArrayInterface
)
TensorLike: TypeAlias = Tensor | ArrayLike
DTypeLike: TypeAlias = DType | DALIDataType | int | str | type[Any] | _ForeignDType
DeviceLike: TypeAlias = str | Device | _ForeignDevice
Selection: TypeAlias = slice | Sequence[int] | _Ellipsis
'''
TYPING = TYPING.replace("Selection: TypeAlias = slice | Sequence[int] | _Ellipsis\n",
                        "Selection: TypeAlias = slice | Sequence[int] | EllipsisType\n")
TYPING = TYPING.replace("from collections.abc import Sequence\n",
                        "from collections.abc import Sequence\nfrom types import EllipsisType\n")

_BOTH = {
    "dtype": "DType",
    "layout": "str | None",
    "ndim": "int",
    "device": "Device",
    "evaluate": "(self) -> {Self}",
    "cpu": "(self) -> {Self}",
    "gpu": "(self, index: int | None = None) -> {Self}",
    "to_device": "(self, device: DeviceLike | None, force_copy: _builtins.bool = False) -> {Self}",
    "__copy__": "(self) -> {Self}",
    "__deepcopy__": "(self, memo: Any, /) -> {Self}",
    "__reduce_ex__": "(self, protocol: SupportsIndex, /) -> tuple[Any, ...]",
}

MEMBERS = {
    "Tensor": {
        **{k: v.replace("{Self}", "Tensor") for k, v in _BOTH.items()},
        "__init__": "(self, data: TensorLike | Batch, dtype: DTypeLike | None = None, "
                    "device: DeviceLike | None = None, layout: str | None = None) -> None",
        "shape": "tuple[int, ...]",
        "size": "int", "nbytes": "int", "itemsize": "int",
        "source_info": "str | None", "failure": "str | None",
        "item": "(self) -> Any",
        "tolist": "(self) -> Any",
        "tobytes": "(self) -> bytes",
        "torch": "(self, copy: _builtins.bool = False) -> Any",
        "__array__": "(self, dtype: Any = None, copy: _builtins.bool | None = None) -> Any",
        "__array_interface__": "dict[str, Any]",
        "__cuda_array_interface__": "dict[str, Any]",
        "__dlpack__": "(self, *, stream: Any = None, max_version: tuple[int, int] | None = None, "
                      "dl_device: tuple[int, int] | None = None, "
                      "copy: _builtins.bool | None = None) -> Any",
        "__dlpack_device__": "(self) -> tuple[int, int]",
        "__getitem__": "(self, key: Any, /) -> Tensor",
        "__iter__": "(self) -> Iterator[Tensor]",
        "__contains__": "(self, value: object, /) -> _builtins.bool",
        "__len__": "(self) -> int",
        "__bool__": "(self) -> _builtins.bool",
        "__float__": "(self) -> float",
        "__int__": "(self) -> int",
        "__index__": "(self) -> int",
        "__buffer__": "(self, flags: int, /) -> memoryview",
    },
    "Batch": {
        **{k: v.replace("{Self}", "Batch") for k, v in _BOTH.items()},
        "__init__": "(self, tensors: Iterable[TensorLike] | ArrayLike | Batch, "
                    "dtype: DTypeLike | None = None, device: DeviceLike | None = None, "
                    "layout: str | None = None) -> None",
        "batch_size": "int",
        "shape": "list[tuple[int, ...]]",
        "source_info": "list[str | None]",
        "failures": "dict[int, str]",
        "tensors": "TensorList",
        "slice": "BatchSlicer",
        "broadcast": "(sample: TensorLike, batch_size: int, device: DeviceLike | None = None, "
                     "dtype: DTypeLike | None = None) -> Batch",
        "select": ["(self, sample_range: SupportsIndex) -> Tensor",
                   "(self, sample_range: Selection) -> Batch"],
        "torch": "(self, copy: _builtins.bool | None = None, pad: _builtins.bool = False) -> Any",
        "__getitem__": None,  # there to say what to do instead
        "__iter__": "(self) -> Iterator[Tensor]",
    },
    "BatchSlicer": {"__getitem__": "(self, key: Any, /) -> Batch"},
    "TensorList": {
        "__getitem__": ["(self, key: SupportsIndex, /) -> Tensor",
                        "(self, key: Selection, /) -> TensorList"],
        "__len__": "(self) -> int",
        "__iter__": "(self) -> Iterator[Tensor]",
        "tolist": "(self) -> list[Tensor]",
        "as_batch": "(self, copy: _builtins.bool = False) -> Batch",
    },
    "DType": {
        "__init__": "(self, obj: DTypeLike, /) -> None",
        "Kind": "type[_Kind]", "kind": "_Kind", "name": "str", "type_id": "DALIDataType",
        "bits": "int", "bytes": "int", "exponent_bits": "int | None",
        "significand_bits": "int | None",
        "from_type_id": "(cls, type_id: int) -> DType",
        "from_fw_type": "(cls, numpy_type: DTypeLike) -> DType",
        "from_numpy": "(cls, numpy_type: DTypeLike) -> DType",
        "parse": "(cls, name: str) -> DType",
        "__hash__": "(self) -> int",
        "__eq__": "(self, other: object, /) -> _builtins.bool",
        "__ne__": "(self, other: object, /) -> _builtins.bool",
    },
    "EvalContext": {
        "__init__": "(self, *, num_threads: int | None = None, device_id: int | None = None, "
                    "cuda_stream: Any = None, thread_pool: ThreadPool | None = None) -> None",
        "__enter__": "(self) -> EvalContext",
        "__exit__": "(self, *exc: object) -> None",
        "current": "(cls) -> EvalContext", "default": "(cls) -> EvalContext",
        "evaluate_all": "(self) -> None",
        "cached_results": "(self, invocation: Any) -> None",
        "cache_results": "(self, invocation: Any, results: Any) -> None",
        "checkpoint": "Checkpoint", "num_threads": "int", "thread_pool": "ThreadPool", "device_id": "int | None",
        "cuda_stream": "Any",
    },
    "ThreadPool": {
        "__init__": "(self, num_threads: int | None = None, *, device_id: int | None = None) "
                    "-> None",
        "num_threads": "int", "device_id": "int | None",
    },
    "RNG": {
        "__init__": "(self, seed: int | None = None, state: str | None = None) -> None",
        "__call__": "(self) -> int",
        "advance": "(self, n: int) -> None",
        "clone": "(self) -> RNG",
        "get_state": "(self, *, cuda_stream: Any = None) -> str",
        "set_state": "(self, value: str) -> None",
        "state": "str", "seed": "int",
    },
    "Operator": {
        "__call__": "(self, *inputs: Any, **arguments: Any) -> Any",
        "describe": "(self) -> dict[str, Any]",
        "__name__": "str", "__signature__": "Any", "__text_signature__": "str",
    },
    "Reader": {
        "__init__": "(self, *args: Any, **kwargs: Any) -> None",
        "__call__": "(self, *, batch_size: int | None = None) -> Any",
        "__enter__": "(self) -> Self", "__exit__": "(self, *exc: object) -> None",
        "batch_size": "int | None", "name": "Any", "classes": "list[str] | None",
        "skip_report": "Any", "close": "(self) -> None",
        "set_epoch": "(self, epoch: int, /) -> None",
        "state_dict": "(self) -> dict[str, Any]",
        "load_state_dict": "(self, state: dict[str, Any], /) -> None",
        "get_metadata": "(self, batch_size: int | None = None) -> dict[str, Any]",
        "next_epoch": "(self, batch_size: int | None = None, ctx: EvalContext | None = None, "
                      "capture: _builtins.bool = False, *, prefetch: int = 2) -> Any",
    },
    "EagerLoop": {
        "__enter__": "(self) -> EagerLoop", "__exit__": "(self, *exc: object) -> None",
        "__iter__": "(self) -> EagerLoop", "__next__": "(self) -> Any",
        "__len__": "(self) -> int", "close": "(self) -> None",
        "batch_size": "int | None", "drop_last": "_builtins.bool", "epoch": "int",
        "num_padded": "int", "num_shards": "int", "shard_id": "int", "reader": "Any",
        "set_epoch": "(self, epoch: int, /) -> None",
        "state_dict": "(self) -> dict[str, Any]",
        "load_state_dict": "(self, state: dict[str, Any], /) -> None",
    },
    "GraphSample": {
        "__init__": "(self, tensor_data: Any, other_data: Any, strict: _builtins.bool = False, "
                    "llm_phase: str | None = None, *, is_output: _builtins.bool = False) -> None",
        "from_inputs": "(inputs: Any, strict: _builtins.bool = False, "
                       "batch_size: int | None = None) -> Self",
        "from_outputs": "(output: Any, strict: _builtins.bool = False, "
                        "batch_size: int | None = None) -> Self",
        "from_call": "(signature: GraphSignature, strict: _builtins.bool, batch_size: int | None, "
                     "/, *args: Any, **kwargs: Any) -> Self",
        "update_shapes_seen": "(self, other: GraphSample, /) -> None",
        "tensor_data": "tuple[tuple[Any, Any], ...]", "other_data": "tuple[tuple[Any, Any], ...]",
        "tensor_specs": "list[Any]", "strict": "_builtins.bool", "is_output": "_builtins.bool",
        "llm_phase": "str",
        "__eq__": "(self, other: object, /) -> _builtins.bool", "__hash__": "(self) -> int",
    },
    "GraphSignature": {
        "__init__": "(self, parameters: tuple[tuple[str, int, _builtins.bool], ...], "
                    "free: Iterable[str] = ()) -> None",
        "bind": "(self, args: tuple[Any, ...], kwargs: dict[str, Any], /) "
                "-> tuple[dict[str, Any], tuple[Any, ...], dict[str, Any]]",
    },
    "GraphTensorSpec": {
        "__init__": "(self, shape: Sequence[int | str], min_shape: Sequence[int], "
                    "max_shape: Sequence[int], dtype: Any, _bs_multipliers: Sequence[float]) -> None",
        "from_tensor": "(tensor: Any, batch_size: float | None = None) -> Self",
        "update_shapes_seen": "(self, other: GraphTensorSpec, /) -> None",
        "matches": "(self, other: GraphTensorSpec, /) -> _builtins.bool",
        "explain": "(self, axis: int, /) -> str",
        "shape": "list[int | str]", "min_shape": "list[int]", "max_shape": "list[int]",
        "dtype": "Any", "_bs_multipliers": "list[float]", "axes": "list[tuple[Any, ...]]",
        "_recall": "(self, pairs: list[Any], last_batch: int | None, /) -> None",
        "_last_batch": "int | None",
        "__eq__": "(self, other: object, /) -> _builtins.bool", "__hash__": "(self) -> int",
    },
    "GraphRouter": {
        "__init__": "(self, signature: GraphSignature, sample_class: type[GraphSample], "
                    "strict: _builtins.bool, original: Any, unknown: str, checked: _builtins.bool) -> None",
        "_add": "(self, sample: GraphSample, backend: Any, guards: tuple[Any, ...] = (), /) -> None",
        "served": "tuple[int, ...]", "n_unknown": "int", "n_outside": "int",
        "unknown_graphs": "tuple[GraphSample, ...]", "unknown": "str", "check_graph": "_builtins.bool",
        "__call__": "(self, *args: Any, **kwargs: Any) -> Any",
    },
    "GraphNoGrad": {
        "__init__": "(self, module: Any, is_enabled: Any, set_enabled: Any) -> None",
        "__call__": "(self, *args: Any, **kwargs: Any) -> Any",
    },
    "GraphEntry": {
        "__init__": "(self, original: Any, restore: tuple[Any, ...]) -> None",
        "target": "Any", "owner": "Any", "__wrapped__": "Any",
        "__call__": "(self, *args: Any, **kwargs: Any) -> Any",
    },
    "GraphWrapper": {
        "__init__": "(self, *args: Any, **kwargs: Any) -> None",
        "_hold": "(self, entry: GraphEntry, module: Any, own: tuple[str, ...], "
                 "shared: tuple[dict[Any, Any], ...] | None, /) -> None",
        "__call__": "(self, *args: Any, **kwargs: Any) -> Any",
    },
    "Source": {
        "__init__": "(self, *args: Any, **kwargs: Any) -> None",
        "__call__": "(self, *, batch_size: int | None = None) -> Any",
    },
}

_MAKE_TENSOR = ("(data: TensorLike | Batch, dtype: DTypeLike | None = None, "
                "device: DeviceLike | None = None, layout: str | None = None, "
                "pad: _builtins.bool = False) -> Tensor")
_MAKE_BATCH = ("(tensors: Iterable[TensorLike] | ArrayLike | Batch, dtype: DTypeLike | None = None, "
               "device: DeviceLike | None = None, layout: str | None = None) -> Batch")

FUNCTIONS = {
    "tensor": _MAKE_TENSOR, "as_tensor": _MAKE_TENSOR,
    "batch": _MAKE_BATCH, "as_batch": _MAKE_BATCH,
    "dtype": "(obj: DTypeLike, /) -> DType",
    "drop_failed": ["(batch: Batch, /) -> Batch",
                    "(batch: Batch, second: Batch, /, *more: Batch) -> tuple[Batch, ...]",
                    "(*batches: Batch) -> Batch | tuple[Batch, ...]"],
    "set_num_threads": "(n: int | None) -> None",
    "get_num_threads": "() -> int",
    "set_pixel_limit": "(n: int | None) -> None",
    "get_pixel_limit": "() -> int",
    "add_operator": "(capsule: Any, /) -> Any",
    "get_default_rng": "() -> RNG",
    "set_seed": "(seed: int) -> None",
    "shut_down": "() -> None",
    "alloc_stats": "() -> dict[str, int]",
    "alloc_fail_at": "(nth: int, /) -> int",
    "alloc_trim": "() -> None",
    "cpu_level": "() -> str",
    "set_cpu_level": "(name: str, /) -> None",
    "cpu_count": "() -> int",
    "codecs": "() -> dict[str, str]",
    "version": "() -> str",
    "invariant": "(value: _T) -> _T",
    "is_invariant": "(value: Any, /) -> _builtins.bool",
    "plain": "(value: Any, /) -> Any",
    "tensor_bits": "(tensor: Tensor, /) -> Tensor",
    "tensor_from_bytes": "(data: Any, dtype: str, shape: tuple[int, ...], layout: str, /) "
                         "-> Tensor",
    "graph_find_leaves": "(obj: Any, only_tensors: _builtins.bool, is_output: _builtins.bool, /) "
                         "-> list[tuple[Any, Any]]",
    "graph_sizes": "(tensor: Any, /) -> tuple[int, ...]",
    "graph_set_locator": "(locator: type[Any], *kinds: Any) -> None",
    "graph_set_spec": "(spec: type[Any], /) -> None",
    "graph_set_transformers": "(on: _builtins.bool, /) -> None",
    "graph_register_user_type": "(cls: type[Any], only_tensors: _builtins.bool = ..., /) -> None",
    "graph_unregister_user_type": "(cls: type[Any], /) -> None",
    "graph_ignore_type": "(cls: type[Any], /) -> None",
    "graph_unignore_type": "(cls: type[Any], /) -> None",
    "graph_register_tensor_type": "(cls: type[Any], shape: Any, dtype: Any, /) -> None",
    "type_id": "(dtype: DType | DALIDataType) -> DALIDataType",
}

BASES = {"DataError": "RuntimeError", "Reader": ""}

# Attributes that can be assigned.
SETTABLE = {"RNG": ("state", "seed"), "GraphEntry": ("target", "owner"),
            "GraphTensorSpec": ("shape", "min_shape", "max_shape", "dtype", "_bs_multipliers")}

BINARY = ("add sub mul truediv floordiv mod pow and or xor lshift rshift").split()
COMPARE = "lt le gt ge eq ne".split()
UNARY = "neg pos abs invert".split()
