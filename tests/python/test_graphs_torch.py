"""Tensors of torch as leaves: whatever their memory, dtype, sizes and key are torch's own."""
import random

import pytest

from headrace.graphs import SampleMetadata, TensorSpec

torch = pytest.importorskip("torch")

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.complex64, torch.uint8, torch.int64, torch.bool]


class Own(torch.Tensor):
    pass


def plain(shape, dtype):
    return torch.zeros(shape, dtype=dtype)


def on_meta(shape, dtype):
    return torch.zeros(shape, dtype=dtype, device="meta")


def sparse(shape, dtype):
    return torch.zeros(shape or (1,), dtype=dtype).to_sparse()


def own_class(shape, dtype):
    return torch.zeros(shape, dtype=dtype).as_subclass(Own)


def parameter(shape, dtype):
    return torch.nn.Parameter(torch.zeros(shape, dtype=dtype), requires_grad=False)


def view(shape, dtype):
    return torch.zeros((*shape, 2), dtype=dtype)[..., 0]


@pytest.mark.parametrize("seed", range(4))
def test_tensors_of_all_kinds_side_by_side(seed):
    chance = random.Random(seed)
    makers = [plain, on_meta, sparse, own_class, parameter, view]
    for _ in range(200):
        tensors = [
            chance.choice(makers)([chance.randrange(4) for _ in range(chance.randrange(4))], chance.choice(DTYPES))
            for _ in range(chance.randrange(1, 5))
        ]
        found = SampleMetadata.from_inputs({"x": tensors})
        assert [(s.shape, s.dtype) for s in found.tensor_specs] == [(list(t.shape), t.dtype) for t in tensors]
        one = TensorSpec.from_tensor(tensors[0], 1)
        assert (one.shape, one.dtype) == (list(tensors[0].shape), tensors[0].dtype)


@pytest.mark.parametrize("make", [
    lambda v: torch.tensor([v]), lambda v: torch.nn.Parameter(torch.tensor([float(v)])),
    lambda v: torch.tensor([float(v)]).to_sparse(), lambda v: torch.tensor(v), lambda v: [torch.tensor([v])],
    lambda v: torch.tensor([float(v)], dtype=torch.bfloat16), lambda v: torch.tensor([bool(v)]),
])
def test_phases_by_all_kinds_of_tensors(make):
    assert [SampleMetadata.from_inputs({"cache_position": make(v)}).llm_phase for v in (0, 1)] == ["prefill", "decode"]
    assert SampleMetadata.from_inputs({"cache_position": torch.zeros(2, device="meta")}).llm_phase == ""
