"""Execution graphs: how a model is called, described, learned and told apart.

``SampleMetadata.from_inputs(inputs)`` describes a call; calls whose metadata are equal belong to one
graph; ``update_shapes_seen`` learns which axes are the batch or change. PyTorch is not needed.
"""
from __future__ import annotations

from ._batch import batch_tensor
from ._dims import (
    BatchDim, DynamicDim, dynamic_shapes_to_json, validate_dynamic_shape_definitions,
)
from ._errors import UserInputError
from ._locator import Locator, ObjectType
from ._metadata import ExactSampleMetadata, SampleMetadata
from ._scope import batch_size_scope
from ._signature import BoundCall, ForwardParameter, ForwardSignature, validate_forward_input_path
from ._spec import InfoLevel, TensorSpec

__all__ = [
    "BatchDim", "BoundCall", "DynamicDim", "ExactSampleMetadata", "ForwardParameter",
    "ForwardSignature", "InfoLevel", "Locator", "ObjectType", "SampleMetadata", "TensorSpec",
    "UserInputError", "batch_size_scope", "batch_tensor", "dynamic_shapes_to_json",
    "validate_dynamic_shape_definitions", "validate_forward_input_path",
]
