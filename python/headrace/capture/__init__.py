"""Captured loops: trace once, run ahead, tell why."""

from .._core import invariant

__all__ = ["invariant"]
