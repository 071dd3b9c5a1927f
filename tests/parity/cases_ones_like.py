"""Cases of ones_like: those of zeros_like."""
from parity.cases_zeros_like import CASES, PEER_ACCEPTS

__all__ = ["CASES", "OP", "PEER_ACCEPTS"]

OP = "ones_like"
