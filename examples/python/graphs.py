"""Execution graphs of two models: a NumPy callable, and a small PyTorch module where there is PyTorch.

    python examples/python/graphs.py

Each is wrapped, recorded at two batch sizes, tuned, and called again: with sizes never seen before, which
are routed, and with something unknown, which goes to the original.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace import graphs


def scores(features: NDArray[Any], weights: dict[str, NDArray[Any]], mode: str = "mean") -> NDArray[Any]:
    """A model in NumPy: one score for each row of features."""
    hidden: NDArray[Any] = np.tanh(features @ weights["in"])
    pooled: NDArray[Any] = hidden.mean(axis=1) if mode == "mean" else hidden.max(axis=1)
    return pooled


def show(model: graphs.Module) -> None:
    """The graphs of a recorded model, and why their axes are what they are."""
    for graph in model.graph_specs:
        print(graph)
        print(graph.input_spec.explain(), end="\n\n")


def numpy_model() -> None:
    model = graphs.Module(scores, "scores")
    weights = {"in": np.ones((3, 8), np.float32)}
    for n in (1, 4):
        with graphs.batch_size_scope(n):  # so that batch axes are told from others
            model(np.ones((n, 3), np.float32), weights)
            model(np.ones((n, 3), np.float32), weights, mode="max")
    show(model)
    model.tune()
    model(np.ones((100, 3), np.float32), weights)
    model(features=np.ones((7, 3), np.float32), mode="max", weights=weights)
    model(np.ones((7, 3), np.float32), weights, mode="median or whatever")  # unknown: the original
    print(model.module.describe())


def torch_model(torch: Any) -> None:
    class Tagger(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.embed = torch.nn.Embedding(100, 8)
            self.head = torch.nn.Linear(8, 4)

        def forward(self, ids: Any, mask: Any = None) -> dict[str, Any]:
            hidden = self.embed(ids)
            if mask is not None:
                hidden = hidden * mask.unsqueeze(-1)
            return {"logits": self.head(hidden), "pooled": hidden.mean(dim=1)}

    tagger = Tagger()
    model = graphs.Module(tagger, "tagger")
    for n, length in ((1, 10), (2, 15), (4, 20)):
        with graphs.batch_size_scope(n):
            model(torch.zeros(n, length, dtype=torch.int64))
            model(torch.zeros(n, length, dtype=torch.int64), mask=torch.ones(n, length))
    show(model)
    model.tune()
    tagger(torch.zeros(3, 12, dtype=torch.int64))  # calls of the module itself are routed as well
    model(torch.zeros(3, 12, dtype=torch.int64), torch.ones(3, 12))
    print(model.module.describe())


def main() -> None:
    numpy_model()
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        print("There is no PyTorch here: the second model is left out.")
    else:
        torch_model(torch)


if __name__ == "__main__":
    main()
