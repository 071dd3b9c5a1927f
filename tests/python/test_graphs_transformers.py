"""What the models of transformers are called with: phases and caches. The classes here look like theirs."""
import collections
import dataclasses
import pickle
import sys
import types

import numpy as np
import pytest

from headrace import graphs
from headrace.graphs import Locator, SampleMetadata


def t(*shape):
    return np.zeros(shape, np.float32)


class Cache:
    def __init__(self, layers=()):
        self.layers = list(layers)
        self.offloading = False


class DynamicCache(Cache):
    pass


class OwnCache(DynamicCache):  # of a user
    pass


class StaticLayer:
    is_compileable = True

    def __init__(self, keys=None, values=None):
        self.keys, self.values = keys, values
        self.max_cache_len = 64

    @property
    def is_initialized(self):
        raise RuntimeError("not to be asked")


class StaticSlidingWindowLayer(StaticLayer):
    pass


class StaticCache(Cache):
    pass


class EncoderDecoderCache(Cache):
    def __init__(self, own, cross):
        self.self_attention_cache, self.cross_attention_cache = own, cross
        self.is_updated = {0: False}


@pytest.fixture(autouse=True)
def cache_utils(monkeypatch):
    module = types.ModuleType("transformers.cache_utils")
    for cls in (Cache, DynamicCache, StaticLayer, StaticSlidingWindowLayer, StaticCache, EncoderDecoderCache):
        setattr(module, cls.__name__, cls)
    monkeypatch.setitem(sys.modules, "transformers.cache_utils", module)
    graphs.config.enable_transformers_integration = True  # nothing is known from the test before
    yield
    graphs.config.enable_transformers_integration = True


def paths(value):
    meta = SampleMetadata.from_inputs({"cache": value}, strict=True)
    return [str(locator) for locator, _ in meta.tensor_data], [str(locator) for locator, _ in meta.other_data]


def test_a_growing_cache_counts_for_nothing():
    for cache in (DynamicCache(), DynamicCache([t(1, 2)]), OwnCache([t(1, 2)]), Cache()):
        assert paths(cache) == ([], [])
    assert SampleMetadata.from_inputs({"x": t(1), "cache": DynamicCache()}, strict=True) == \
        SampleMetadata.from_inputs({"x": t(2), "cache": DynamicCache([t(3)])}, strict=True)
    assert SampleMetadata.from_outputs({"logits": t(1), "cache": DynamicCache()}, strict=True).other_data == ()


def test_a_static_cache_is_its_tensors():
    cache = StaticCache([StaticLayer(t(1, 2, 8, 4), t(1, 2, 8, 4)), StaticSlidingWindowLayer(t(1, 2, 6, 4))])
    assert paths(cache) == (["cache.layers[0].keys", "cache.layers[0].values", "cache.layers[1].keys"], [])
    assert paths(StaticCache([StaticLayer()])) == ([], [])


def test_a_cache_of_two_caches_is_walked():
    cache = EncoderDecoderCache(DynamicCache([t(1)]), StaticCache([StaticLayer(t(1, 2))]))
    assert paths(cache) == (["cache.cross_attention_cache.layers[0].keys"], [])


def test_batches_are_made_of_static_caches_alone():
    seen = SampleMetadata.from_inputs({"cache": StaticCache([StaticLayer(t(1, 8))])}, batch_size=1)
    seen.update_shapes_seen(
        SampleMetadata.from_inputs({"cache": StaticCache([StaticLayer(t(2, 8))])}, batch_size=2))
    given = {"cache": StaticCache([StaticLayer(t(2, 8))]), "old": DynamicCache([t(2)])}
    made = seen.make_batch(given, 3)
    assert made["cache"].layers[0].keys.shape == (3, 8) and type(made["cache"]) is StaticCache
    assert given["cache"].layers[0].keys.shape == (2, 8) and made["old"].layers[0].shape == (2,)


def test_generations_share_their_graphs():
    def decode(ids, cache=None, use_cache=True):
        cache.layers.append(ids)
        return {"logits": ids + 1.0, "cache": cache}

    model = graphs.Module(decode, "decode")
    for batch in (1, 2):
        cache = DynamicCache()
        for length in (5, 1, 1):
            with graphs.batch_size_scope(batch):
                model(t(batch, length), cache=cache)
    assert [spec.input_spec.tensor_specs[0].shape for spec in model.graph_specs] == [["batch0", "dim1"]]
    model.tune()
    assert len(model(t(3, 4), cache=cache)["cache"].layers) == 4
    assert model.module.served == (1,) and model.module.n_unknown == 0


def test_the_user_decides_otherwise():
    Locator.unignore_type(DynamicCache)
    assert paths(DynamicCache()) == ([], ["cache"]) and paths(OwnCache()) == ([], [])
    Locator.ignore_type(DynamicCache)
    assert paths(DynamicCache()) == ([], [])
    Locator.register_user_type(DynamicCache)
    assert paths(DynamicCache([t(1)])) == (["cache.layers[0]"], ["cache.offloading"])
    Locator.unregister_user_type(DynamicCache)
    assert paths(DynamicCache()) == ([], ["cache"])
    Locator.unregister_user_type(StaticCache)
    assert paths(StaticCache([StaticLayer(t(1))])) == ([], ["cache"])
    graphs.config.enable_transformers_integration = False
    assert paths(OwnCache()) == ([], ["cache"])
    graphs.config.enable_transformers_integration = True
    assert paths(OwnCache()) == ([], []) and paths(DynamicCache()) == ([], ["cache"])


def test_phases_of_language_models():
    def key(value):
        return SampleMetadata.from_inputs({"x": t(1), "cache_position": value})

    assert [key(value).llm_phase for value in (
        np.array([0, 1]), np.array([4]), None, np.zeros(0), 0, np.array(7),
    )] == ["prefill", "decode", "", "", "prefill", "decode"]
    assert key(np.array([0, 1])) == key(np.array([0])) != key(np.array([3]))
    assert key(np.array([3])) == key(np.array([9, 9]))
    assert SampleMetadata.from_inputs({"deep": {"cache_position": np.array([0])}}).llm_phase == ""
    back = pickle.loads(pickle.dumps(key(np.array([0]))))
    assert back.llm_phase == "prefill" and back == key(np.array([0]))


@pytest.mark.parametrize("value, phase", [
    ([np.array([0, 1])], "prefill"), ([np.array([4]), np.array([0])], "prefill"), ({"a": np.array([3])}, "decode"),
    ([None, np.array([0])], "prefill"), ([0, 1], "prefill"), ((7, 8), "decode"), ([], ""), ([np.array([0]), None], ""),
    ({"a": 1}, ""), (np.zeros((2, 2)), "prefill"),
])
def test_phases_of_containers(value, phase):
    Args = dataclasses.make_dataclass("Args", ["cache_position"])
    for inputs in ({"cache_position": value}, collections.OrderedDict(cache_position=value),
                   collections.UserDict(cache_position=value), Args(value)):
        assert SampleMetadata.from_inputs(inputs, strict=True).llm_phase == phase
    made = collections.defaultdict(list, x=t(1))
    assert SampleMetadata.from_inputs(made).llm_phase == "" and list(made) == ["x"]
    call = graphs.ForwardSignature.from_callable(lambda cache_position: 0).native()
    assert SampleMetadata.from_call(call, True, None, value).llm_phase == phase


def test_interrupts_are_not_taken_for_phases():
    class Interrupted:
        def __array__(self, dtype=None, copy=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SampleMetadata.from_inputs({"cache_position": Interrupted()})
