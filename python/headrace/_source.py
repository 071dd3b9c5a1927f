"""ExternalSource: batches from a Python iterable or callable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _core
from ._describe import proposing
from ._device import check_device

_CYCLES: dict[Any, int] = {None: 0, False: 0, "no": 0, True: 1, "quiet": 1, "raise": 2}


class _Generators:
    """A generator function as an iterable: each pass calls it anew."""

    def __init__(self, function: Callable[[], Iterable[Any]]) -> None:
        self._function = function

    def __iter__(self) -> Any:
        return iter(self._function())


def _per_output(value: Any, n: int, what: str, kinds: tuple[type, ...]) -> tuple[Any, ...]:
    """One value for all outputs, or a sequence of one an output."""
    if value is None or isinstance(value, kinds) or not isinstance(value, Sequence):
        return (value,) * n
    if len(value) != n:
        raise ValueError(f"ExternalSource: {what} has {len(value)} entries, there are {n} outputs")
    return tuple(value)


def _cycle_code(cycle: Any) -> int:
    if (cycle is None or isinstance(cycle, (str, bool))) and cycle in _CYCLES:
        return _CYCLES[cycle]
    raise ValueError(f"ExternalSource: cycle is {cycle!r}, it must be one of None, False, 'no' (stop "
                     "at the end), True, 'quiet' (start over), 'raise' (stop, then start over)")


class ExternalSource(_core.Source):
    """Pulls batches or samples from `source`: an iterable, or a callable without parameters.

    Called, it gives the next item: a ``Batch`` stays one, anything else is one sample, a
    ``Tensor``, repeated `batch_size` times when that is given. With `num_outputs` above 1 an item is a
    sequence and the result a tuple. The end is ``StopIteration``; `cycle` says what comes after it:
    ``None``, ``False`` or ``"no"``: nothing; ``True`` or ``"quiet"``: the source anew, without an end;
    ``"raise"``: the source anew with the next call. `layout` and `dtype` are for all outputs, or lists
    of one an output.
    """

    @proposing
    def __init__(self, source: Any, num_outputs: int = 1, *, cycle: str | bool | None = None,
                 device: Any = "cpu", layout: str | Sequence[str | None] | None = None,
                 dtype: Any = None) -> None:
        num_outputs, cycle, device, layout, dtype = _core.plain(
            (num_outputs, cycle, device, layout, dtype))
        if not isinstance(num_outputs, int):
            raise TypeError(f"ExternalSource: num_outputs must be an int, got {num_outputs!r}")
        if num_outputs <= 0:
            raise ValueError(f"ExternalSource: num_outputs is {num_outputs}, it must be at least 1")
        check_device(device)
        import inspect  # slow to load, and only sources need it

        code = _cycle_code(cycle)
        is_callable = False
        if inspect.isgeneratorfunction(source):
            source = _Generators(source)
        elif not isinstance(source, Iterable) and callable(source):
            is_callable = True
            if _parameters(source):
                raise ValueError("ExternalSource: a callable source must have no parameters")
            if cycle is not None:
                raise ValueError(f"ExternalSource: cycle={cycle!r} needs an iterable source")
        elif not isinstance(source, Iterable) and not hasattr(source, "__getitem__"):
            raise TypeError(f"ExternalSource: the source must be iterable or callable, got "
                            f"{type(source).__name__}")
        if code and inspect.isgenerator(source):
            raise TypeError("ExternalSource: a generator cannot start over; give the generator function "
                            "itself, so that each pass calls it anew")
        layouts = _per_output(layout, num_outputs, "layout", (str,))
        for each in layouts:
            if each is not None and not isinstance(each, str):
                raise TypeError(f"ExternalSource: a layout is a str, got {each!r}")
        dtypes = _per_output(dtype, num_outputs, "dtype", (str,))
        self._capture: Any = None  # what the captured loops over this source share
        super().__init__(source, is_callable, code, num_outputs, layouts,
                         tuple(d if d is None else _core.dtype(d) for d in dtypes))

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("an ExternalSource cannot be pickled or copied: it stands in the middle of its "
                        "source; send what it was made of")

    @proposing
    def captured(self, batch_size: int, ctx: Any = None, *, capture: bool | str = True,
                 prefetch: int = 2) -> Any:
        """A captured loop over this source: its first step is traced, later ones computed ahead, at most
        `prefetch` (1 to 64) at a time."""
        batch_size, ctx, capture, prefetch = _core.plain((batch_size, ctx, capture, prefetch))
        if batch_size is not None and not hasattr(batch_size, "__index__"):
            raise TypeError(f"captured(): batch_size is {batch_size!r}, it must be an integer")
        if batch_size is None or batch_size < 1:
            raise ValueError(f"captured(): batch_size is {batch_size!r}, it must be at least 1")
        loop, self._capture = _core.captured_loop(self, False, batch_size, ctx, prefetch,
                                                  self._capture, capture)
        return loop


def _parameters(function: Any) -> bool:
    import inspect

    try:
        return bool(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # a builtin without a signature
        return False
