"""Cases of ones: those of zeros."""
from parity.cases_zeros import CASES, PEER_ACCEPTS

__all__ = ["CASES", "OP", "PEER_ACCEPTS"]

OP = "ones"
