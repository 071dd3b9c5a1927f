"""Random numbers: the generator, and the operators that draw from it."""

from __future__ import annotations

from ._core import RNG, get_default_rng, set_seed

__all__ = ["RNG", "get_default_rng", "set_seed"]
