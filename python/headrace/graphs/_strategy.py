"""Strategies: which backend serves a graph. Here is the simplest; the tuner brings those that search."""
from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Sequence

from ._backend import Backend
from ._correctness import (
    Sample, check_dynamic_shape_boundary_inference, check_inference_output_correctness,
)
from ._graph import GraphSpec
from ._torch import kept_buffers

if TYPE_CHECKING:
    from pathlib import Path


class OneBackendStrategy:
    """Serves every graph with one backend, a copy of it for each.

    What is built must pass the checks of correctness on the stored samples: finite values, places,
    sizes and dtypes of the module's output, values close to the module's, and no failure at the
    smallest and largest sizes. The exception of a failure leaves `tune()`.
    """

    def __init__(self, backend: Backend) -> None:
        if not isinstance(backend, Backend):
            raise ValueError(f"OneBackendStrategy: {backend!r} is no Backend")
        self.backend = backend
        self.backend_results: list[dict[str, Any]] = []
        self._checks = True

    def enable_correctness_check(self, enabled: bool = True) -> "OneBackendStrategy":
        """Whether outputs are checked (they are); returns the strategy."""
        self._checks = bool(enabled)
        return self

    def enable_performance_validation(self, enabled: bool = True) -> "OneBackendStrategy":
        """Whether the backend must beat the module: not yet, so False only. Returns the strategy."""
        return self._without("enable_performance_validation", enabled)

    def enable_find_max_batch_size(self, enabled: bool = True) -> "OneBackendStrategy":
        """Whether the largest useful batch size is sought: not yet, so False only. Returns the strategy."""
        return self._without("enable_find_max_batch_size", enabled)

    def _without(self, name: str, enabled: bool) -> "OneBackendStrategy":
        if enabled:
            raise NotImplementedError(f"OneBackendStrategy: backends are not measured yet; {name}(False) "
                                      "is what it does")
        return self

    def tune(self, module: Any, name: str, graph_spec: GraphSpec, data: Sequence[Sample], device: Any,
             cache_dir: "Path") -> Backend:
        """An active backend for the graph of `module`."""
        self.backend_results = []
        backend = copy.deepcopy(self.backend)
        what = f"{name}, graph {graph_spec.name}, {backend.describe()}"
        try:
            backend.build(module, graph_spec, data, device, cache_dir / backend.key())
            if self._checks:
                with kept_buffers(module):
                    self._check(module, graph_spec, data, backend, what)
        except Exception:
            self.backend_results.append({"backend": self.backend.describe(), "success": False})
            raise
        self.backend_results.append({"backend": self.backend.describe(), "success": True})
        return backend

    def _check(self, module: Any, graph_spec: GraphSpec, data: Sequence[Sample], backend: Backend,
               what: str) -> None:
        check_inference_output_correctness(data, graph_spec.output_spec, backend.infer, what, module)
        symbolic = graph_spec.input_spec.detected_dynamic_axis() or any(
            not isinstance(size, int) for shape in graph_spec.dynamic_shapes.values() for size in shape
        )
        if data and symbolic:
            check_dynamic_shape_boundary_inference(data[0], graph_spec, backend.infer, what, module)

    def tune_dry_run(self, module: Any, name: str, graph_spec: GraphSpec, data: Sequence[Sample],
                     device: Any, cache_dir: "Path") -> str:
        """What tune() would do, in words."""
        return f"{name}: graph {graph_spec.name} gets {self.backend.describe()}"

    def clone(self) -> "OneBackendStrategy":
        """A deep copy."""
        return copy.deepcopy(self)

    def to_json_dict(self) -> dict[str, Any]:
        """``{"backend": …}``."""
        return {"backend": self.backend.describe()}
