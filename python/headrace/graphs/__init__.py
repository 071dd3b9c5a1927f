"""Execution graphs: how a model is called, described, learned, told apart and served.

``SampleMetadata.from_inputs(inputs)`` describes a call; calls whose metadata are equal belong to one
graph; ``update_shapes_seen`` learns which axes are the batch or change. ``Module(model)`` records the
calls of a model, and routes them once it is tuned. PyTorch is not needed.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._backend import Backend, BackendState, EagerBackend, TorchEagerBackend
    from ._batch import batch_tensor
    from ._config import Config, config
    from ._correctness import (
        CorrectnessDtypeError, CorrectnessDynamicShapeError, CorrectnessError,
        CorrectnessTensorShapeError, CorrectnessValueError, check_dynamic_shape_boundary_inference,
        check_inference_output_correctness,
    )
    from ._dataset import (
        DataLoaderFactory, DynamicShapeDataset, InputConfig, MinMaxRandomDataset, samples_generator,
    )
    from ._dims import (
        BatchDim, DynamicDim, dynamic_shapes_to_json, validate_dynamic_shape_definitions,
    )
    from ._errors import UserInputError
    from ._graph import GraphSpec
    from ._locator import Locator, ObjectType
    from ._metadata import ExactSampleMetadata, SampleMetadata
    from ._module import Module, ModuleState, registered_modules, reset
    from ._recording import RecordingModule
    from ._scope import batch_size_scope
    from ._signature import BoundCall, ForwardParameter, ForwardSignature, validate_forward_input_path
    from ._spec import InfoLevel, TensorSpec
    from ._strategy import OneBackendStrategy
    from ._tuned import TunedModule

__all__ = [
    "Backend", "BackendState", "BatchDim", "BoundCall", "Config", "CorrectnessDtypeError",
    "CorrectnessDynamicShapeError", "CorrectnessError", "CorrectnessTensorShapeError",
    "CorrectnessValueError", "DataLoaderFactory", "DynamicDim", "DynamicShapeDataset", "EagerBackend",
    "ExactSampleMetadata", "ForwardParameter", "ForwardSignature", "GraphSpec", "InfoLevel",
    "InputConfig", "Locator", "MinMaxRandomDataset", "Module", "ModuleState", "ObjectType",
    "OneBackendStrategy", "RecordingModule", "SampleMetadata",
    "TensorSpec", "TorchEagerBackend", "TunedModule", "UserInputError", "batch_size_scope",
    "batch_tensor", "check_dynamic_shape_boundary_inference", "check_inference_output_correctness",
    "config", "dynamic_shapes_to_json", "registered_modules", "reset", "samples_generator",
    "validate_dynamic_shape_definitions", "validate_forward_input_path",
]

# Which module has which names: each is imported at its first use.
_MODULES = {
    "_backend": "Backend BackendState EagerBackend TorchEagerBackend",
    "_batch": "batch_tensor",
    "_config": "Config config",
    "_correctness": "CorrectnessDtypeError CorrectnessDynamicShapeError CorrectnessError "
                    "CorrectnessTensorShapeError CorrectnessValueError "
                    "check_dynamic_shape_boundary_inference check_inference_output_correctness",
    "_dataset": "DataLoaderFactory DynamicShapeDataset InputConfig MinMaxRandomDataset "
                "samples_generator",
    "_dims": "BatchDim DynamicDim dynamic_shapes_to_json validate_dynamic_shape_definitions",
    "_errors": "UserInputError",
    "_graph": "GraphSpec",
    "_locator": "Locator ObjectType",
    "_metadata": "ExactSampleMetadata SampleMetadata",
    "_module": "Module ModuleState registered_modules reset",
    "_recording": "RecordingModule",
    "_scope": "batch_size_scope",
    "_signature": "BoundCall ForwardParameter ForwardSignature validate_forward_input_path",
    "_spec": "InfoLevel TensorSpec",
    "_strategy": "OneBackendStrategy",
    "_tuned": "TunedModule",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # a module of the package that is about to be imported
        raise AttributeError(f"headrace.graphs has no {name!r}")
    if name not in _HOME:
        from .._describe import suggestion

        raise AttributeError(f"headrace.graphs has no {name!r}{suggestion(name, list(_HOME))}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(globals()) | set(__all__))
