"""Cases of reductions.min: those of reductions.max, with the other infinity."""
from parity.case import case, tensor_of
from parity.cases_reductions_max import CASES as OF_MAX
from parity.cases_reductions_max import PEER_ACCEPTS

__all__ = ["CASES", "OP", "PEER_ACCEPTS"]

OP = "reductions.min"
CASES = [case("infinite", tensor_of([float("inf")] * 2, "float32")) if c["name"] == "infinite" else c
         for c in OF_MAX]
