"""The wrapper around PyTorch modules; skipped where there is no PyTorch."""
import copy
import io
import pickle
import subprocess
import sys

import pytest

from headrace import graphs

torch = pytest.importorskip("torch")
nn = torch.nn


@pytest.fixture(autouse=True)
def fresh():
    torch.manual_seed(0)
    yield
    graphs.reset()


def wrapped(module=None, name="lin", **options):
    return graphs.Module(nn.Linear(4, 2) if module is None else module, name, **options)


def record(module, *shapes):
    for shape in shapes:
        module(torch.randn(*shape))
    return module


def test_calls_through_module_forward_and_wrapper_are_all_recorded_and_routed():
    linear = nn.Linear(4, 2)
    module = wrapped(linear)
    linear(torch.zeros(1, 4))
    linear.forward(torch.zeros(1, 1, 4))
    module(torch.zeros(4))
    assert len(module.graph_specs) == 3
    module.tune()
    x = torch.randn(3, 4)
    want = nn.functional.linear(x, linear.weight, linear.bias)
    for call in (linear, linear.forward, module):
        assert torch.equal(call(x), want)
    assert module.module.served == (3, 0, 0)
    assert not module(x).requires_grad


def test_it_is_like_the_module():
    linear = nn.Linear(4, 2)
    module = wrapped(linear)
    assert isinstance(module, nn.Module) and isinstance(module, nn.Linear) and module.in_features == 4
    assert dict(module.named_parameters()).keys() == {"weight", "bias"} and str(module.device) == "cpu"
    module.weight = nn.Parameter(torch.ones(2, 4))
    module.eval()
    assert linear.weight.sum() == 8 and linear.training is False
    sequence = wrapped(nn.Sequential(nn.Linear(4, 3), nn.ReLU()), "seq")
    assert len(sequence) == 2 and isinstance(sequence[1], nn.ReLU) and [type(m).__name__ for m in sequence]
    with pytest.raises(AttributeError):
        module.no_such_thing


def test_it_takes_the_place_of_a_child():
    parent = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    parent[0] = wrapped(parent[0])
    want = parent(torch.ones(2, 4))
    assert len(list(parent.parameters())) == 2
    parent.eval().to(torch.float64).to(torch.float32)
    parent[0].tune()
    assert torch.equal(parent(torch.ones(2, 4)), want) and parent[0].module.served == (1,)


def test_hooks_run_once_in_every_state():
    linear, log = nn.Linear(4, 2), []
    module = wrapped(linear)
    handles = [linear.register_forward_pre_hook(lambda m, i: log.append("pre")),
               linear.register_forward_hook(lambda m, i, o: log.append("post")),
               nn.modules.module.register_module_forward_hook(
                   lambda m, i, o: log.append("global") if m is linear else None)]
    try:
        for state in ("recording", "passthrough", "tuned"):
            if state == "passthrough":
                module.enable_passthrough()
            if state == "tuned":
                module.enable_recording()
                module.tune()
            for call in (module, linear):
                log.clear()
                call(torch.zeros(1, 4))
                assert (state, sorted(log)) == (module.state.value, ["global", "post", "pre"])
    finally:
        for handle in handles:
            handle.remove()
    log.clear()
    module(torch.zeros(1, 4))
    assert log == []


def test_hooks_that_change_the_call_do():
    linear = nn.Linear(4, 2)
    module = record(wrapped(linear), (1, 4))
    module.tune()
    linear.register_forward_pre_hook(lambda m, args: (args[0][:1],))
    linear.register_forward_hook(lambda m, args, out: {"out": out})
    assert module(torch.zeros(5, 4))["out"].shape == (1, 2)


def frames_of(call, x):
    """Names of the Python functions that a call runs."""
    seen = []
    sys.setprofile(lambda frame, event, arg: seen.append(frame.f_code.co_name) if event == "call" else None)
    try:
        call(x)
    finally:
        sys.setprofile(None)
    return seen


def test_no_frames_of_ours_or_torchs_between():
    module = record(wrapped(nn.Identity(), "id"), (1, 4))
    module.tune(strategy=Direct())
    assert frames_of(module, torch.zeros(3, 4)) == ["infer"]


def test_no_frames_before_the_module_without_gradients_either():
    class Doubled(nn.Module):
        def forward(self, x):
            return x * 2

    module = record(wrapped(Doubled()), (1, 4))
    module.tune()
    assert frames_of(module, torch.zeros(3, 4)) == ["forward"]


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_the_mode_of_gradients_is_as_before(mode):
    linear = nn.Linear(4, 2)
    module = record(wrapped(linear), (1, 4))
    module.tune()
    with mode():
        before = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        assert not module(torch.zeros(2, 4)).requires_grad
        with pytest.raises(RuntimeError, match="shapes"):
            module(torch.zeros(2, 5))
        assert (torch.is_grad_enabled(), torch.is_inference_mode_enabled()) == before


@pytest.mark.parametrize("state", ["recording", "tuned", "passthrough"])
def test_wrapped_modules_are_compiled_and_exported(state):
    linear, x = nn.Linear(4, 2).eval(), torch.ones(3, 4)
    module = record(wrapped(linear), (1, 4))
    if state == "tuned":
        module.tune()
    elif state == "passthrough":
        module.enable_passthrough()
    wanted = linear(x)
    for compiled in (torch.compile(linear, backend="eager"), torch.compile(module, backend="eager")):
        assert torch.equal(compiled(x), wanted)
    assert torch.equal(torch.export.export(linear, (x,)).module()(x), wanted)
    assert torch.equal(torch.jit.trace(linear, x)(x), wanted)


class Direct:
    def tune(self, module, name, graph_spec, data, device, cache_dir):
        class Backend:
            def infer(self, x):
                return x
        return Backend()


def test_a_module_that_calls_itself():
    class Halve(nn.Module):
        def forward(self, x, depth: int = 0):
            return x if depth == 0 else self(x / 2, depth - 1)

    module = wrapped(Halve(), free=["depth"])
    assert module(torch.ones(1), 3).item() == 0.125 and len(module.graph_specs) == 1
    module.tune()
    assert module(torch.ones(1), 3).item() == 0.125 and module.module.served == (1,)


def test_copies_and_pickles_are_plain_modules():
    linear = nn.Linear(4, 2)
    log = []
    linear.register_forward_hook(lambda m, i, o: log.append(1))
    module = record(wrapped(linear), (1, 4))
    x = torch.randn(2, 4)
    want = module(x)
    for other in (copy.deepcopy(linear), copy.deepcopy(module)):
        assert type(other) is nn.Linear and torch.equal(other(x), want)
        other.weight.data.zero_()
        assert torch.equal(module(x), want) and len(module.graph_specs) == 1
        assert torch.equal(other.forward(x), other.bias.expand(2, 2))
    module.unwrap()
    linear._forward_hooks.clear()
    module = record(wrapped(linear), (1, 4))
    assert torch.equal(pickle.loads(pickle.dumps(linear))(x), want)
    file = io.BytesIO()
    torch.save(module, file)
    file.seek(0)
    assert torch.equal(torch.load(file, weights_only=False)(x), want)


def test_what_a_strategy_gets():
    class Look:
        def tune(self, module, name, graph_spec, data, device, cache_dir):
            self.same = module.weight is linear.weight and isinstance(module, nn.Linear)
            linear.note = 7
            self.live = module.note == 7
            module(data[0][0][0])
            module.forward(data[0][0][0])
            self.copy = copy.deepcopy(module)
            self.runs = len(log)
            return graphs.TorchEagerBackend().build(self.copy, graph_spec, data, device, cache_dir)

    linear, log = nn.Linear(4, 2), []
    linear.register_forward_hook(lambda m, i, o: log.append(1))
    module, look = record(wrapped(linear), (1, 4)), Look()
    module.tune(strategy=look)
    assert (look.same, look.live, look.runs) == (True, True, 1) and type(look.copy) is nn.Linear
    assert look.copy.weight is not linear.weight and len(module.graph_specs) == 1
    with torch.no_grad():
        linear.weight.zero_()
    x = torch.ones(1, 4)
    assert torch.equal(module(x), look.copy(x)) and not torch.equal(module(x), linear.bias.expand(1, 2))


def test_a_forward_that_was_replaced_before_is_the_original():
    linear = nn.Linear(4, 2)
    linear.forward = lambda x: x * 2
    module = record(wrapped(linear), (1, 4))
    module.tune()
    assert torch.equal(linear(torch.ones(1, 4)), torch.full((1, 4), 2.0)) and module.module.served == (1,)
    assert torch.equal(copy.deepcopy(linear)(torch.ones(1, 4)), torch.full((1, 4), 2.0))
    module.unwrap()
    assert torch.equal(linear(torch.ones(1, 4)), torch.full((1, 4), 2.0)) and module.module.served == (1,)


def test_unwrap_puts_forward_back():
    linear = nn.Linear(4, 2)
    module = record(wrapped(linear), (1, 4))
    assert module.unwrap() is linear and "forward" not in vars(linear)
    linear(torch.zeros(1, 1, 4))
    assert len(module.graph_specs) == 1
    graphs.Module(linear)


def test_scripted_modules_are_wrapped_from_outside():
    scripted = torch.jit.script(nn.Linear(4, 2))
    module = record(wrapped(scripted), (1, 4))
    want = scripted(torch.ones(3, 4))
    module.tune()
    assert torch.equal(module(torch.ones(3, 4)), want) and module.module.served == (1,)


def test_unknown_graphs_run_the_original():
    linear = nn.Linear(4, 2)
    module = record(wrapped(linear), (1, 4))
    module.tune()
    assert module(torch.zeros(2, 2, 4)).shape == (2, 2, 2) and module.module.n_unknown == 1
    module = record(wrapped(nn.Linear(4, 2), unknown="error"), (1, 4))
    module.tune()
    with pytest.raises(RuntimeError, match="no graph"):
        module(torch.zeros(2, 2, 4))


class Compiled(graphs.Backend):
    """A backend that does not need the module once it is built."""

    is_jit = False
    guards = ("range", "dtype", "device")

    def _build(self, module, graph_spec, data, cache_dir):
        self._weight = module.weight.detach().clone()

    def _infer(self, x):
        return x @ self._weight.T


@pytest.mark.parametrize("unknown, device", [("error", "meta"), ("fallback", "cpu")])
def test_weights_go_when_nothing_needs_them(unknown, device):
    linear = nn.Linear(4, 2, bias=False)
    module = record(wrapped(linear, unknown=unknown, strategy=graphs.OneBackendStrategy(Compiled())), (1, 4), (3, 4))
    want = linear(torch.ones(2, 4))
    module.tune()
    assert linear.weight.device.type == device
    assert torch.allclose(module(torch.ones(2, 4)), want)
    for bad in (torch.ones(9, 4), torch.ones(2, 4, dtype=torch.float64)):
        if unknown == "error":
            with pytest.raises(RuntimeError, match="does not take"):
                module(bad)
    if unknown == "error":
        with pytest.raises(RuntimeError, match="weights went to 'meta'"):
            module.enable_recording(force=True)
    assert module.module.n_outside == (2 if unknown == "error" else 0)


def test_gradients_stop_samples_with_advice():
    module = wrapped()
    with pytest.raises(RuntimeError, match="no_grad"):
        module(torch.ones(1, 4, requires_grad=True) * 2)
    module(torch.ones(1, 4, requires_grad=True))
    assert len(module.graph_specs) == 1


def test_tuning_leaves_buffers_and_chance_as_they_were():
    net = nn.Sequential(nn.BatchNorm1d(4), nn.Dropout(0.5)).train()
    module = record(wrapped(net), (2, 4), (5, 4))
    before = {name: value.clone() for name, value in net.state_dict().items()}
    torch.manual_seed(7)
    wanted = torch.rand(3)
    torch.manual_seed(7)
    module.tune()
    assert torch.equal(torch.rand(3), wanted)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())


def test_a_random_module_is_compared_with_itself():
    class Halved(graphs.TorchEagerBackend):
        def _infer(self, x):
            return super()._infer(x) / 2

    module = record(wrapped(nn.Dropout(0.5).train(), strategy=graphs.OneBackendStrategy(Halved())), (8, 4))
    with pytest.raises(graphs.CorrectnessValueError, match="off"):
        module.tune()


def test_a_module_without_parameters():
    module = record(wrapped(nn.Identity()), (1, 4))
    module.tune()
    assert module(torch.ones(2, 4)).shape == (2, 4)
    with pytest.raises(graphs.UserInputError, match="EagerBackend"):
        graphs.TorchEagerBackend().build(len, module.graph_specs[0], [], "cpu", None)


def test_a_tuned_modules_record_is_loaded_again():
    module = record(wrapped(), (1, 4), (1, 1, 4))
    module.tune()
    state, linear = module.state_dict(), module.unwrap()
    x = torch.ones(2, 4)
    again = graphs.Module.from_dict(linear, pickle.loads(pickle.dumps(state))[""])
    assert torch.equal(again(x), module(x)) and again.module.served == (1, 0)
    assert [b.describe() for b in again.module.backends.values()] == ["TorchEagerBackend()"] * 2


def test_inspect_of_a_torch_script(tmp_path):
    path = tmp_path / "train.py"
    path.write_text("""
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 2))
model = model.to("cpu").eval()
for n in (1, 3):
    model(torch.zeros(n, 4))
model[0](torch.zeros(4))
""")
    for name, calls in (("model", 2), ("model.0", 0)):
        done = subprocess.run([sys.executable, "-m", "headrace", "inspect", f"{path}:{name}"],
                              capture_output=True, text=True, timeout=120)
        if calls:
            assert done.returncode == 0 and "model: 1 execution graph\n" in done.stdout, done.stderr
            assert f"Graph 0: {calls} calls" in done.stdout and "['dim0', 4]" in done.stdout
        else:
            assert done.returncode == 2 and "SCRIPT:NAME" in done.stderr


def test_phases_can_be_turned_off():
    def forward(x, cache_position=None):
        return x

    calls = [torch.tensor([0]), torch.tensor([5])]
    try:
        recording = graphs.RecordingModule(forward, "lm")
        for position in calls:
            recording(torch.zeros(1), position)
        assert [g.name for g in recording.graph_specs] == ["0 (LLM phase prefill)", "1 (LLM phase decode)"]
        graphs.config.enable_transformers_integration = False
        recording = graphs.RecordingModule(forward, "lm")
        for position in calls:
            recording(torch.zeros(1), position)
        assert [g.name for g in recording.graph_specs] == ["0"]
    finally:
        graphs.config.enable_transformers_integration = True


def test_loader_processes_and_random_tensors():
    items = [torch.full((2,), i) for i in range(5)]
    loaded = [args[0].tolist() for _, args, _ in graphs.samples_generator(
        graphs.DataLoaderFactory(items, num_workers=1), [2])]
    assert loaded == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    data = graphs.MinMaxRandomDataset(3, [graphs.InputConfig((1, 2), (4, 2)),
                                          graphs.InputConfig((3,), dtype=torch.int64, max_value=9)])
    assert [tuple(s[0].shape) for s in data][:2] == [(1, 2), (4, 2)]
    assert {s[0].dtype for s in data} == {torch.float32} and {s[1].dtype for s in data} == {torch.int64}
