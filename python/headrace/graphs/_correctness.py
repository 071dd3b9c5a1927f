"""Checks that a backend must pass before it serves calls."""
from __future__ import annotations

import contextlib
import math
import random
import sys
import types
from typing import Any, Callable, Iterable, Iterator

from ._graph import GraphSpec
from ._locator import Locator
from ._metadata import SampleMetadata

Sample = tuple[tuple[Any, ...], dict[str, Any]]


class CorrectnessError(ValueError):
    """A backend's output is not what the module's is."""


class CorrectnessValueError(CorrectnessError):
    """An output is NaN or infinite, or too far from the module's."""


class CorrectnessTensorShapeError(CorrectnessError):
    """An output has other tensors, ranks or sizes."""


class CorrectnessDtypeError(CorrectnessError):
    """An output has another dtype."""


class CorrectnessDynamicShapeError(CorrectnessError):
    """A backend fails at the smallest or largest sizes of its graph."""


def _array(tensor: Any) -> Any:
    """A tensor's elements as a NumPy array; integers as they are, other numbers as floats."""
    import numpy as np

    if hasattr(tensor, "detach"):  # torch
        tensor = tensor.detach()
        if tensor.layout != sys.modules["torch"].strided:
            tensor = tensor.to_dense()
        tensor = tensor.cpu().resolve_conj().resolve_neg()
        if tensor.is_floating_point() and str(tensor.dtype) not in ("torch.float32", "torch.float64"):
            tensor = tensor.float()
        return tensor.numpy()
    return np.asarray(tensor)


def _is_finite(value: Any) -> bool:
    """Numbers and tensors are; text, None and what is no number has nothing to be infinite."""
    import numpy as np

    if isinstance(value, (bool, int, str, bytes, type(None))):
        return True
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, complex):
        return math.isfinite(value.real) and math.isfinite(value.imag)
    try:
        array = _array(value)
    except (TypeError, ValueError):
        return True
    return array.dtype.kind not in "fc" or bool(np.isfinite(array).all())


def check_values(output: Any, name: str) -> None:
    """CorrectnessValueError where a number or a tensor's element is NaN or infinite."""
    for locator, value in Locator.find_leaves(output, is_output=True):
        if not _is_finite(value):
            raise CorrectnessValueError(f"{name}: {locator} has NaN or infinite values")


def check_shapes(output: Any, expected: SampleMetadata, name: str) -> None:
    """CorrectnessTensorShapeError unless the tensors are those of `expected`; symbols match all sizes."""
    found = SampleMetadata.from_outputs(output)
    wanted = dict(expected.tensor_data)
    if len(found.tensor_data) != len(wanted):
        raise CorrectnessTensorShapeError(
            f"{name}: the output has {len(found.tensor_data)} tensors, not {len(wanted)}"
        )
    for locator, spec in found.tensor_data:
        if locator not in wanted:
            raise CorrectnessTensorShapeError(f"{name}: a tensor at {locator}, the module has none")
        if not wanted[locator].matches(spec):
            raise CorrectnessTensorShapeError(
                f"{name}: {locator} has {spec.shape}, the module's has {wanted[locator].shape}"
            )


def _tolerance(dtype: str) -> float:
    for part, tolerance in (("float64", 1e-7), ("bfloat16", 4e-2), ("float16", 5e-3), ("float8", 0.25)):
        if part in dtype:
            return tolerance
    return 1e-3


def _distance(ours: Any, theirs: Any, dtype: str) -> str | None:
    """How far two outputs of one dtype are apart, in words; None when they are close."""
    import numpy as np

    try:
        a, b = _array(ours), _array(theirs)
    except (TypeError, ValueError):
        return None  # of a registered class that is no array
    if a.shape != b.shape:
        return f"shape {list(a.shape)} where the module's has {list(b.shape)}"
    if a.dtype.kind not in "biufc" or b.dtype.kind not in "biufc":
        return None  # of a registered class that has no numbers to compare
    if a.dtype.kind not in "fc":
        wrong = int((a != b).sum())
        return f"{wrong} of {a.size} elements differ from the module's" if wrong else None
    tolerance = _tolerance(dtype)
    scale = float(np.abs(b).max()) if b.size else 0.0
    off = float(np.abs(a.astype(np.complex128) - b).max()) if b.size else 0.0
    if off <= tolerance * max(scale, 1e-6):
        return None
    return f"values {off:.3g} off, where the module's go up to {scale:.3g}; {tolerance:g} of that is allowed"


def check_against(output: Any, reference: Any, name: str) -> None:
    """Compares an output's tensors with the module's: dtypes, then values within the dtype's tolerance.

    CorrectnessDtypeError, CorrectnessValueError, CorrectnessTensorShapeError.
    """
    specs, known = (dict(SampleMetadata.from_outputs(o).tensor_data) for o in (output, reference))
    for locator, spec in specs.items():
        if locator not in known:
            raise CorrectnessTensorShapeError(f"{name}: a tensor at {locator}, the module has none")
        ours, theirs = str(spec.dtype), str(known[locator].dtype)
        if ours != theirs:
            raise CorrectnessDtypeError(f"{name}: {locator} is {ours}, the module's is {theirs}")
        problem = _distance(locator.get_value(output), locator.get_value(reference), theirs)
        if problem:
            raise CorrectnessValueError(f"{name}: {locator} has {problem}")


@contextlib.contextmanager
def _same_chance() -> Iterator[None]:
    """Afterwards all global generators of random numbers stand where they stood: so each run has the same
    numbers, and the program those that it would have had."""
    import numpy as np

    torch = sys.modules.get("torch")
    states = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if torch is not None:
            torch.set_rng_state(states[2])


def _run(function: Callable[..., Any], call: Sample) -> Any:
    """What a copy of the call returns. A coroutine is not run: what it would do is its caller's."""
    args, kwargs = _copy(call)
    with _same_chance():
        output = function(*args, **kwargs)
    if isinstance(output, types.CoroutineType):
        output.close()
    return output


def _is_repeatable(reference: Callable[..., Any], call: Sample, first: Any, name: str) -> bool:
    """Does the module itself give the same twice? Random ones cannot be compared."""
    try:
        check_against(_run(reference, call), first, name)
    except CorrectnessError:
        return False
    return True


def _copy(call: Sample) -> Sample:
    import copy

    return copy.deepcopy(call)


def check_inference_output_correctness(
    data: Iterable[Sample], expected: SampleMetadata, infer: Callable[..., Any], name: str,
    reference: Callable[..., Any] | None = None,
) -> None:
    """Runs stored calls through `infer` and checks what comes back.

    Values must be finite, tensors at the places and of the sizes of `expected` (symbols match all
    sizes). With `reference`, the original module, dtypes must be its and values within a tolerance;
    values are not compared where the module gives something else each time. Subclasses of ValueError.
    """
    for call in data:
        output = _run(infer, call)
        check_values(output, name)
        check_shapes(output, expected, name)
        if reference is None:
            continue
        theirs = _run(reference, call)
        try:
            check_against(output, theirs, name)
        except CorrectnessValueError:
            if _is_repeatable(reference, call, theirs, name):
                raise


def check_dynamic_shape_boundary_inference(
    sample: Sample, graph_spec: GraphSpec, infer: Callable[..., Any], name: str,
    reference: Callable[..., Any] | None = None,
) -> None:
    """Runs `infer` at the smallest and at the largest sizes of the graph.

    Made of copies of `sample` by cutting, or by repeating its first row. CorrectnessDynamicShapeError for
    whatever `infer` raises, unless `reference`, the original module, fails there as well: some inputs
    do not fit together at these sizes, which is logged. Values are not checked.
    """
    for largest in (False, True):
        failure = _failure_at(sample, graph_spec, infer, largest)
        if failure is None:
            continue
        where = f"{'largest' if largest else 'smallest'} sizes of graph {graph_spec.name!r}"
        if reference is None or _failure_at(sample, graph_spec, reference, largest) is None:
            raise CorrectnessDynamicShapeError(
                f"{name}: fails at the {where}: {type(failure).__name__}: {failure}"
            ) from failure
        import logging

        log = logging.getLogger("headrace.graphs")
        log.warning("%s: not checked at the %s, where the module fails as well: %s", name, where, failure)


def _failure_at(sample: Sample, graph_spec: GraphSpec, infer: Callable[..., Any], largest: bool,
                ) -> Exception | None:
    call = graph_spec.make_bounds(*_copy(sample), largest=largest)
    try:
        _run(infer, call)
    except Exception as error:
        return error
    return None
