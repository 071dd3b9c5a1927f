"""Errors of the graph half."""
from __future__ import annotations


class UserInputError(Exception):
    """What the user handed over cannot be used; the text says what and why."""
