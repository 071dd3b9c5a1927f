"""Cases of reductions.std_dev: those of reductions.variance."""
from parity.cases_reductions_variance import CASES, PEER_ACCEPTS

__all__ = ["CASES", "OP", "PEER_ACCEPTS"]

OP = "reductions.std_dev"
