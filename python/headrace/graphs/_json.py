"""Values as JSON can hold them."""
from __future__ import annotations

import collections
import dataclasses
import datetime
import os
from enum import Enum
from typing import Any


def plain(value: Any) -> Any:
    """Numbers, text, None as they are, containers but frozen sets element by element, all else by `str`."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (dict, collections.UserDict)):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return str(value)


def path(semantic: Any) -> Any:
    """A semantic path: one step is a scalar, longer ones a list."""
    return [plain(step) for step in semantic] if isinstance(semantic, tuple) else plain(semantic)
