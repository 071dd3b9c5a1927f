"""SampleMetadata: what a callable was given, or returned, and what is learned of its tensors."""
from __future__ import annotations

import copy
from typing import Any

from .. import _core
from . import _locator  # noqa: F401  (the extension makes locators)
from ._batch import batch_tensor
from ._spec import InfoLevel


class SampleMetadata(_core.GraphSample):
    """The leaves of one call's arguments, or of its output, each with its locator.

    Made by `from_inputs` and `from_outputs`. Two are equal if they belong to one execution graph: the
    same places hold tensors of the same ranks and, if they are strict, equal values of equal types.
    Sizes, dtypes, devices and order play no part. `update_shapes_seen` learns from other calls.
    """

    __slots__ = ()

    def detected_dynamic_axis(self) -> bool:
        """Whether the size of some axis of some tensor changes."""
        return any(s.has_dynamic_axis() or s.has_batch_axis() for s in self.tensor_specs)

    def has_batch_axis(self) -> bool:
        """Whether every tensor has a batch axis."""
        return all(s.has_batch_axis() for s in self.tensor_specs)

    # ---- text ---------------------------------------------------------------------------------------

    def describe(self, level: InfoLevel = InfoLevel.FULL) -> str:
        """SHORT: one line of access paths; MEDIUM and FULL: tables. ValueError for another level."""
        level = InfoLevel(level)
        if level is InfoLevel.SHORT:
            text = "Tensors: " + ", ".join(loc.display_path for loc, _ in self.tensor_data)
            others = ", ".join(f"{loc.display_path}={value}" for loc, value in self.other_data)
            return f"{text} Others: {others}" if self.other_data else text
        from ._table import tensor_table, value_table

        text = f"Tensors:\n{tensor_table(self.tensor_data, level)}\n"
        if self.other_data:
            text += f"Other:\n{value_table(self.other_data, level)}\n"
        return text

    def __str__(self) -> str:
        return self.describe(InfoLevel.SHORT)

    def __repr__(self) -> str:
        return self.describe(InfoLevel.FULL)

    def explain(self) -> str:
        """Line by line why each axis is taken for what it is, and where one more sample would tell."""
        lines = []
        for locator, spec in self.tensor_data:
            for axis, name in enumerate(spec.shape):
                where = locator.display_path or "the input"
                lines.append(f"{where} axis {axis} ({name}): {spec.explain(axis)}")
        return "\n".join(lines)

    # ---- samples ------------------------------------------------------------------------------------

    def make_batch(self, inputs: Any, batch_size: int) -> Any:
        """A copy of `inputs` for another batch size; `inputs` stays as it is.

        Each batch axis is cut to multiplier × batch_size rows, or its rows are repeated in turn. Other
        axes and entries are kept; containers keep their types. KeyError, IndexError or AttributeError
        where a tensor is missing.
        """
        made: dict[int, list[Any]] = {}  # by identity of the tensor: (locator, tensor for that place)
        for locator, spec in self.tensor_data:
            tensor = locator.get_value(inputs)
            new = batch_tensor(tensor, spec, batch_size, "cycle")
            made.setdefault(id(tensor), []).append((locator, new, tensor))
        memo, one_by_one = {}, []
        for key, places in made.items():
            shapes = {_core.graph_sizes(new) for _, new, _ in places}
            if len(shapes) > 1:  # one tensor at two places that want it differently
                one_by_one += places
            elif places[0][1] is not places[0][2]:
                memo[key] = places[0][1]
            elif getattr(places[0][2], "grad_fn", None) is not None:
                memo[key] = places[0][2].detach().clone()  # torch copies no results of operations
        result = copy.deepcopy(inputs, memo)
        for locator, new, _ in one_by_one:
            result = locator.with_value(result, new)
        return result

    def update_max_batch_size(self, inputs: Any, batch_size: int) -> None:
        """Learns from `inputs` made to `batch_size`."""
        made = self.make_batch(inputs, batch_size)
        make = type(self).from_outputs if self.is_output else type(self).from_inputs
        self.update_shapes_seen(make(made, strict=self.strict, batch_size=batch_size))

    # ---- records ------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """A record with the learned shapes: tensor_data and other_data are pickled bytes."""
        import pickle

        return {
            "tensor_data": pickle.dumps((self.is_output, self.tensor_data)),
            "other_data": pickle.dumps(self.other_data),
            "strict": self.strict,
            "llm_phase": self.llm_phase,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SampleMetadata":
        """The metadata of such a record, which must come from a source that is trusted: it is unpickled."""
        import pickle

        is_output, tensor_data = pickle.loads(data["tensor_data"])
        return cls(tensor_data, pickle.loads(data["other_data"]), data["strict"], data["llm_phase"],
                   is_output=is_output)

    def __reduce__(self) -> Any:
        return _restored, (type(self), self.tensor_data, self.other_data, self.strict, self.llm_phase,
                           self.is_output)

    def to_json_dict(self) -> dict[str, Any]:
        """What JSON can hold: paths, shapes and values; see the page on execution graphs."""
        from . import _json

        tensors = [
            {
                "access_path": locator.display_path, "semantic_path": _json.path(locator.path),
                "shape": list(spec.shape), "min_shape": list(spec.min_shape),
                "max_shape": list(spec.max_shape), "dtype": str(spec.dtype),
            }
            for locator, spec in self.tensor_data
        ]
        others = [
            {"access_path": locator.display_path, "semantic_path": _json.path(locator.path),
             "value": _json.plain(value)}
            for locator, value in self.other_data
        ]
        return {"tensor_data": tensors, "other_data": others, "strict": self.strict,
                "llm_phase": self.llm_phase or None}


def _restored(cls: type[SampleMetadata], tensor_data: Any, other_data: Any, strict: bool, phase: str,
              is_output: bool) -> SampleMetadata:
    return cls(tensor_data, other_data, strict, phase, is_output=is_output)


class ExactSampleMetadata(SampleMetadata):
    """Metadata that is strict and knows no batch size; equal if the sizes are equal as well."""

    __slots__ = ()

    @classmethod
    def from_inputs(cls, inputs: Any) -> "ExactSampleMetadata":  # type: ignore[override]
        """Describes what a callable is given."""
        return super().from_inputs(inputs, strict=True, batch_size=None)

    def _sizes(self) -> frozenset[Any]:
        return frozenset((loc, tuple(spec.shape)) for loc, spec in self.tensor_data)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactSampleMetadata):
            return False
        return super().__eq__(other) is True and self._sizes() == other._sizes()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((super().__hash__(), self._sizes()))
