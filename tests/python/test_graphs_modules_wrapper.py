"""The wrapper, on plain callables and NumPy: states, settings, strategies, names, records."""
import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
from recorded_calls import Model, scale, zeros

from headrace import graphs


@pytest.fixture(autouse=True)
def fresh():
    graphs.reset()  # modules of other tests may still be alive
    yield
    graphs.reset()


def test_states_and_what_they_refuse():
    module = graphs.Module(scale, "a/b")
    assert (module.name, module.state.value, graphs.registered_modules()) == ("a_b", "init", ["a_b"])
    for action in (lambda: module.graph_specs, module.tune):
        with pytest.raises(ValueError):
            action()
    with pytest.raises(RuntimeError):
        module.state_dict()
    module(zeros(2))
    assert module.state.value == "recording" and isinstance(module.module, graphs.RecordingModule)
    module.enable_passthrough()
    module(zeros(2, 2))
    assert module.state.value == "passthrough" and len(module.graph_specs) == 1
    with pytest.raises(ValueError, match="passthrough"):
        module.tune()
    module.enable_recording()
    module(zeros(2, 2))
    module.tune()
    assert module.state.value == "tuned" and len(module.module.backends) == 2
    for action in (module.enable_recording, module.enable_passthrough):
        with pytest.raises(RuntimeError, match="force"):
            action()
    module.deactivate()
    with pytest.raises(RuntimeError, match="inactive"):
        module(zeros(2))
    module.activate()
    assert module(np.ones(2)).tolist() == [2, 2]
    module.enable_recording(force=True)
    assert module.graph_specs == []


def test_settings_are_refused_early():
    for options in ({"strategy": 1, "strategies": [1]}, {"strategies": 3}, {"unknown": "maybe"}):
        with pytest.raises(ValueError):
            graphs.Module(scale, "f", **options)
    for options in ({"dynamic_shapes": 3}, {"dynamic_shapes": {"x": [1]}}):
        with pytest.raises(graphs.UserInputError):
            graphs.Module(scale, "f", **options)
    with pytest.raises(ValueError, match="nothing_such"):
        graphs.Module(scale, "f", free=["nothing_such"])
    with pytest.raises(graphs.UserInputError):
        graphs.Module(3)
    with pytest.raises(graphs.UserInputError, match="wrapped"):
        graphs.Module(graphs.Module(scale))
    with pytest.raises(AttributeError, match="max_graphs"):
        graphs.Config().max_graphs = 3
    with pytest.raises(ValueError):
        graphs.Config().min_num_samples = 0


def test_wrappers_are_collected_and_forgotten():
    module = graphs.Module(lambda x: x, "short-lived")
    module(zeros(1))
    module.tune()
    module(zeros(1))
    alive = weakref.ref(module)
    del module
    gc.collect()
    assert alive() is None and graphs.registered_modules() == []


def test_names_stay_apart():
    first, second = graphs.Module(scale, "m"), graphs.Module(scale, "m")
    assert graphs.registered_modules() == ["m", "m_2"] and (first.name, second.name) == ("m", "m_2")


class Labelled:
    """A strategy whose backends return a label."""

    def __init__(self, label):
        self.label, self.dry = label, []

    def tune(self, module, name, graph_spec, data, device, cache_dir):
        if self.label == "bad":
            raise OSError("no")
        backend = graphs.Backend()
        backend.infer = lambda *args, **kwargs: f"{self.label}{graph_spec.name}"
        return backend

    def tune_dry_run(self, module, name, graph_spec, data, device, cache_dir):
        self.dry.append((name, graph_spec.name, len(data), device))


def flat_and_deep(**options):
    module = graphs.Module(scale, "f", **options)
    module(zeros(2))
    module(zeros(2, 2))
    return module


def test_strategies_by_list_and_by_graph():
    module = flat_and_deep(strategies=[Labelled("a"), Labelled("b"), Labelled("not used")])
    module.tune()
    assert (module(zeros(3)), module(zeros(1, 1))) == ("a0", "b1")
    deep = graphs.SampleMetadata.from_inputs({"x": zeros(1, 1)}, strict=True)
    flat = graphs.SampleMetadata.from_inputs({"x": zeros(1)}, strict=True)
    module = flat_and_deep(strategies={deep: Labelled("deep"), flat: Labelled("flat")})
    module.tune()
    assert (module(zeros(3)), module(zeros(1, 1))) == ("flat0", "deep1")
    for strategies in ([Labelled("a")], {deep: Labelled("deep")}):
        with pytest.raises(RuntimeError):
            flat_and_deep(strategies=strategies).tune()


def test_a_failing_strategy_leaves_the_module_recording():
    module = flat_and_deep(strategies=[Labelled("a"), Labelled("bad")])
    with pytest.raises(OSError):
        module.tune()
    assert module.state.value == "recording"
    module.tune(strategy=Labelled("c"))
    assert module(zeros(2)) == "c0"


def test_dry_run_asks_and_changes_nothing():
    how = Labelled("a")
    module = flat_and_deep(strategy=how)
    module.tune(dry_run=True)
    assert module.state.value == "recording"
    assert how.dry == [("f", "0", 1, "cpu"), ("f", "1", 1, "cpu")]


@pytest.mark.parametrize("device", ["gpu", "cpu:0", "cuda:999", "tpu:0", "cuda:x", "cuda:1", "meta"])
def test_devices_that_there_are_none_of(device):
    with pytest.raises(ValueError, match="device"):
        flat_and_deep().tune(device)


def test_recursion_is_served_by_the_original():
    module = None

    def halve(x, depth):
        return x if depth == 0 else module(x / 2, depth - 1)

    module = graphs.Module(halve, "halve", free=["depth"])
    assert module(np.ones(1), 3).tolist() == [0.125]
    assert len(module.graph_specs) == 1
    module.tune()
    assert module(np.ones(1), 3).tolist() == [0.125]
    assert module.module.served == (1,)


def test_the_record_of_a_tuned_module_makes_it_again():
    module = flat_and_deep()
    module.tune()
    entry = pickle.loads(pickle.dumps(module.state_dict(prefix="p.")))["p."]
    assert sorted(entry) == ["dynamic_shapes", "name", "tuned_module", "type"]
    graphs.reset()
    again = graphs.Module.from_dict(scale, entry)
    assert again(np.ones(2)).tolist() == [2, 2] and again.module.served == (1, 0)
    assert again.name == "f" and {b.state.value for b in again.module.backends.values()} == {"deployed"}
    with pytest.raises(ValueError):
        again.graph_specs
    entry["tuned_module"]["backends"][0][1]["type"] = "NoSuch"
    with pytest.raises(ValueError, match="NoSuch"):
        graphs.Module.from_dict(scale, entry)


class Bounded(graphs.EagerBackend):
    guards = ("range",)


def test_the_record_keeps_free_arguments_policy_and_given_shapes():
    module = graphs.Module(scale, "f", unknown="error", free="factor",
                           strategy=graphs.OneBackendStrategy(Bounded()),
                           dynamic_shapes={"x": (graphs.BatchDim("b", 1, 8),)})
    module(np.ones(2), factor=3)
    module.tune()
    entry = pickle.loads(pickle.dumps(module.state_dict()))[""]
    graphs.reset()
    for again in (graphs.Module.from_dict(scale, entry),
                  graphs.TunedModule.from_dict(scale, entry["tuned_module"])):
        if type(again) is graphs.TunedModule:
            again.deploy()
        assert again.unknown == "error" and again(np.ones(8), factor=0.5).tolist() == [0.5] * 8
        with pytest.raises(RuntimeError, match="1 to 8"):
            again(np.ones(9))


def test_a_wrapper_shows_what_it_wraps():
    class Callable(Model):
        def __len__(self):
            return 7

        def __getitem__(self, key):
            return key

    model = Callable(3)
    module = graphs.Module(model, "m")
    assert isinstance(module, Callable) and isinstance(module, graphs.Module)
    module.factor = 5
    assert (model.factor, module.factor, len(module), module["k"], bool(module)) == (5, 5, 7, "k", True)
    del module.factor
    assert not hasattr(module, "factor")
    with pytest.raises(AttributeError):
        module.state = 3
    assert isinstance(copy.deepcopy(module), Callable) and type(copy.deepcopy(module)) is Callable
    assert module.unwrap() is model and graphs.registered_modules() == []
