"""Numbered files that are written whole or not at all and never overwritten."""

from __future__ import annotations

import os
import re
import secrets
import string
from typing import Any

_BASES = {"b": 2, "o": 8, "x": 16, "X": 16}


class Pattern:
    """A file name with at most one ``{seq}``, in any part of the path."""

    def __init__(self, filename: Any) -> None:
        text = os.fspath(filename)
        if not isinstance(text, str):
            raise TypeError(f"a checkpoint's file name is a str, got {type(text).__name__}")
        if not text:
            raise ValueError("a checkpoint's file name is empty")
        self._text = text
        self._parts = [""]  # literal text before and after the number
        self._spec = ""
        for literal, field, spec, conversion in string.Formatter().parse(text):
            self._parts[-1] += literal
            if field is None:
                continue
            if field != "seq" or conversion:
                raise ValueError(f"file name {text!r}: {field!r} is unknown; only {{seq}} is filled in")
            if len(self._parts) == 2:
                raise ValueError(f"file name {text!r}: {{seq}} is there more than once")
            self._parts.append("")
            self._spec = spec or ""
            self._check_spec()

    def _check_spec(self) -> None:
        try:
            number = format(7, self._spec)
        except ValueError as e:
            raise ValueError(f"file name {self._text!r}: {e}") from None
        if self._number(number) != 7:
            raise ValueError(f"file name {self._text!r}: the format {self._spec!r} is not one of "
                             "whole numbers")

    @property
    def is_numbered(self) -> bool:
        return len(self._parts) == 2

    def path(self, number: int) -> str:
        if not self.is_numbered:
            return self._parts[0]
        return self._parts[0] + format(number, self._spec) + self._parts[1]

    def _number(self, text: str) -> int:
        """The number that gives this text; -1 if none does."""
        digits = text.strip().replace(",", "").replace("_", "")
        try:
            number = int(digits, _BASES.get(self._spec[-1:], 10))
        except ValueError:
            return -1
        return number if number >= 0 and format(number, self._spec) == text else -1

    def last_number(self) -> int:
        """The highest number that there is a file of; -1 for none."""
        if not self.is_numbered:
            return -1
        before, after = self._parts
        folder, start = os.path.split(before)
        end, slash, deeper = after.partition("/")
        wanted = re.compile(re.escape(start) + "(.+)" + re.escape(end), re.DOTALL)
        try:
            names = os.listdir(folder or ".")
        except FileNotFoundError:
            return -1
        matches = [wanted.fullmatch(name) for name in names]
        numbers = [self._number(m[1]) for m in matches
                   if m and (not slash or os.path.lexists(os.path.join(folder, m[0], deeper)))]
        return max(numbers, default=-1)


def write_new(path: str, text: str) -> None:
    """Writes a file that is not there yet; FileExistsError if it is."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    whole = os.path.join(folder, f".checkpoint-{secrets.token_hex(8)}.tmp")
    try:
        with open(whole, "x", encoding="utf-8") as f:
            f.write(text)
            f.flush()
            os.fsync(f.fileno())
        _rename_new(whole, path)
    finally:
        try:
            os.unlink(whole)
        except FileNotFoundError:
            pass


def _rename_new(whole: str, path: str) -> None:
    """Like os.rename, but never over an existing file."""
    try:
        os.link(whole, path)
        return
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links: claim the name, then replace the claim
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        os.replace(whole, path)
    except OSError:
        os.unlink(path)
        raise
