"""GraphSpec: one execution graph of a module, with what is learned of its inputs and outputs."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ._batch import resized
from ._dims import BatchDim, DynamicDim, Shape
from ._locator import Locator
from ._metadata import SampleMetadata
from ._signature import ForwardSignature
from ._spec import InfoLevel, TensorSpec

Bounds = tuple[list[int], list[int], list[int]]


def _places(meta: SampleMetadata) -> dict[Locator, int]:
    return {locator: len(spec.shape) for locator, spec in meta.tensor_data}


def _bounds(size: int | DynamicDim) -> tuple[int, int, int]:
    if isinstance(size, DynamicDim):
        return size.min, size.max if size.opt is None else size.opt, size.max
    return size, size, size


@dataclass
class GraphSpec:
    """One execution graph.

    `input_spec` and `output_spec` are the metadata of its calls, with the learned sizes;
    `dynamic_shapes` has the shapes that the user gave, by semantic path. Equal by all fields.
    """

    name: str
    input_spec: SampleMetadata
    output_spec: SampleMetadata
    forward_signature: ForwardSignature
    dynamic_shapes: dict[Any, Shape] = field(default_factory=dict)

    def update_shapes_seen(self, inputs: SampleMetadata, outputs: SampleMetadata) -> None:
        """Learns from one more call. ValueError, with nothing changed, if tensors or ranks differ."""
        for mine, other, what in ((self.input_spec, inputs, "input"), (self.output_spec, outputs, "output")):
            if _places(mine) != _places(other):
                raise ValueError(
                    f"graph {self.name!r}: its {what} has {mine.describe(InfoLevel.SHORT)}, "
                    f"another call's {other.describe(InfoLevel.SHORT)}, or other ranks"
                )
        self.input_spec.update_shapes_seen(inputs)
        self.output_spec.update_shapes_seen(outputs)

    def make_batch(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], batch_size: int
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The call for another batch size, as normalised (args, kwargs); what is given stays as it is."""
        bound = self.forward_signature.normalize(args, kwargs)
        return self._call(self.input_spec.make_batch(bound.arguments, batch_size))

    def _call(self, arguments: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """A call by parameter as (args, kwargs)."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        by_position = True
        for parameter in self.forward_signature.parameters:
            is_there = parameter.name in arguments
            value: Any = arguments.get(parameter.name)
            if parameter.kind == "VAR_POSITIONAL":
                args += value or ()
            elif parameter.kind == "VAR_KEYWORD":
                kwargs.update(value or {})
            elif parameter.kind == "KEYWORD_ONLY" or not by_position:
                if is_there:
                    kwargs[parameter.name] = value
            elif is_there:
                args.append(value)
            else:
                by_position = False
        return tuple(args), kwargs

    def update_max_batch_size(self, sample: tuple[Any, ...], batch_size: int) -> None:
        """Learns the inputs of `sample`, an (args, kwargs), made to `batch_size`; outputs stay."""
        bound = self.forward_signature.normalize(*sample)
        self.input_spec.update_max_batch_size(bound.arguments, batch_size)

    def get_shape_definition(self, locator: Locator) -> Shape | None:
        """The shape that the user gave for this input, or None."""
        return self.dynamic_shapes.get(locator.path)

    def get_effective_input_shapes(self, locator: Locator, spec: TensorSpec) -> Bounds:
        """(smallest, usual, largest) sizes: as the user gave them, or as learned."""
        shape = self.get_shape_definition(locator)
        if shape is None:
            return list(spec.min_shape), list(spec.max_shape), list(spec.max_shape)
        low, usual, high = zip(*map(_bounds, shape)) if shape else ((), (), ())
        return list(low), list(usual), list(high)

    def _batch_sizes(self, largest: bool, normalized: bool) -> list[float]:
        sizes: list[float] = []
        for locator, spec in self.input_spec.tensor_data:
            shape = self.get_shape_definition(locator)
            if shape is not None:
                sizes += [s.max if largest else s.min for s in shape if isinstance(s, BatchDim)]
                continue
            learned = spec.max_shape if largest else spec.min_shape
            for axis, multiplier in spec.get_batch_axis_multipliers().items():
                sizes.append(learned[axis] // multiplier if normalized and multiplier else learned[axis])
        return sizes

    def get_max_batch_size(self, normalized: bool = False) -> int:
        """The largest batch axis of the inputs; `normalized` divides by its multiplier. 1 without one."""
        return int(max(self._batch_sizes(True, normalized), default=1))

    def get_min_batch_size(self) -> int | None:
        """The smallest batch axis of the inputs; None without one."""
        return int(min(sizes)) if (sizes := self._batch_sizes(False, False)) else None

    def make_bounds(self, args: tuple[Any, ...], kwargs: dict[str, Any], largest: bool) -> Any:
        """The call with all inputs at their smallest, or largest, sizes; as normalised (args, kwargs)."""
        arguments: Any = self.forward_signature.normalize(args, kwargs).arguments
        for locator, spec in self.input_spec.tensor_data:
            low, _, high = self.get_effective_input_shapes(locator, spec)
            tensor = locator.get_value(arguments)
            for axis, size in enumerate(high if largest else low):
                tensor = resized(tensor, axis, size, "first")
            arguments = locator.with_value(arguments, tensor)
        return self._call(arguments)

    def to_dict(self) -> dict[str, Any]:
        """A record: name, input_spec, output_spec, forward_signature, dynamic_shapes, type."""
        return {
            "type": "GraphSpec", "name": self.name, "input_spec": self.input_spec.to_dict(),
            "output_spec": self.output_spec.to_dict(),
            "forward_signature": self.forward_signature.to_dict(),
            "dynamic_shapes": {
                path: tuple(s.to_dict() if isinstance(s, DynamicDim) else s for s in shape)
                for path, shape in self.dynamic_shapes.items()
            },
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "GraphSpec":
        """The graph of such a record. ValueError for another ``type``."""
        if data.get("type") != "GraphSpec":
            raise ValueError(f"GraphSpec.from_dict: a record of type {data.get('type')!r}")
        return cls(
            data["name"], SampleMetadata.from_dict(data["input_spec"]),
            SampleMetadata.from_dict(data["output_spec"]),
            ForwardSignature.from_dict(data["forward_signature"]),
            {path: tuple(map(_dimension, shape)) for path, shape in data["dynamic_shapes"].items()},
        )

    def __str__(self) -> str:
        return f"Name={self.name}\nInput_spec:\n{self.input_spec!r}Output_spec:\n{self.output_spec!r}"

    __repr__ = __str__


def _dimension(entry: Any) -> Any:
    if not isinstance(entry, dict):
        return entry
    kinds = {"DynamicDim": DynamicDim, "BatchDim": BatchDim}
    if entry.get("type") not in kinds:
        raise ValueError(f"a dimension of type {entry.get('type')!r}")
    return kinds[entry["type"]](*(entry[k] for k in ("name", "min", "max", "opt")))
