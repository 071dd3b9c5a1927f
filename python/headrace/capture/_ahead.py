"""Errors of sources that were pulled ahead: they wait for their step without holding frames."""

from __future__ import annotations

import traceback


class SourceTraceback(Exception):
    """Where a source that was pulled ahead failed, as text: the cause of the error on Python 3.10."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return self.text


def loosen(error: BaseException) -> None:
    """Turns the frames of an error and of those behind it into text that the error carries."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    seen: set[int] = set()
    open_errors: list[BaseException | None] = [error]
    while open_errors:
        each = open_errors.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        open_errors += [each.__cause__, each.__context__]
        each.__traceback__ = None
    text = "the source was asked ahead of its step:\n" + text.rstrip()
    if hasattr(error, "add_note"):
        error.add_note(text)
    elif error.__cause__ is None:
        error.__cause__ = SourceTraceback(text)
