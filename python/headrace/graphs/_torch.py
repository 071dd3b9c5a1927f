"""What is particular to PyTorch modules. torch is never imported here: who has a module has it."""
from __future__ import annotations

import contextlib
import copy
import sys
from typing import Any, Callable, Iterator

_OWN_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_SHARED_HOOKS = tuple("_global" + name for name in (
    "_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks",
))
_HOOK_OPTIONS = ("_forward_hooks_with_kwargs", "_forward_hooks_always_called",
                 "_forward_pre_hooks_with_kwargs")
_KNOWN = {*_OWN_HOOKS, *_SHARED_HOOKS, *_HOOK_OPTIONS, "_global_forward_hooks_always_called",
          "_global_forward_hooks_with_kwargs", "non_full_backward_hooks", "forward_hooks",
          "backward_pre_hooks", "full_backward_hooks", "_maybe_warn_non_full_backward_hook",
          "_global_is_full_backward_hook", "_is_full_backward_hook", "_get_backward_hooks",
          "_get_backward_pre_hooks"}


def torch_of(module: Any) -> Any:
    """The torch package, which `module` comes from."""
    return sys.modules["torch"]


def is_module(thing: Any) -> bool:
    """Whether it is a torch.nn.Module."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(thing, torch.nn.Module)


def hook_places(module: Any) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    """Where a module's hooks are: names in its __dict__, and dicts of all modules.

    (names, None) when this torch, or the module's own __call__, does something that is not known here.
    """
    torch = torch_of(module)
    names = (*_OWN_HOOKS, "_compiled_call_impl")
    base, owner = torch.nn.Module, sys.modules["torch.nn.modules.module"]
    code = getattr(base._call_impl, "__code__", None)
    used = {n for n in code.co_names if "hook" in n} if code is not None else {"hook"}
    is_usual = type(module).__call__ is base.__call__ and type(module)._call_impl is base._call_impl
    shared = tuple(getattr(owner, name, None) for name in _SHARED_HOOKS)
    if not is_usual or not used <= _KNOWN or any(not isinstance(s, dict) for s in shared):
        return names, None
    return names, shared


def is_scripted(module: Any) -> bool:
    """Whether `forward` of this module cannot be replaced: it is compiled by torch.jit."""
    return isinstance(module, torch_of(module).jit.ScriptModule)


def is_own_forward(module: Any, forward: Any) -> bool:
    """Whether `forward` is the method of the module's class, and not put into the instance."""
    function = getattr(forward, "__func__", None)
    return function is not None and function is getattr(type(module), "forward", None)


def without_hooks(module: Any, forward: Callable[..., Any]) -> Any:
    """The module as a backend gets it: the same weights and attributes; a call is its `forward` alone.

    Hooks run around the wrapped module's call, so they must not run again inside. The two share
    everything; a deep copy shares nothing and is an ordinary module.
    """
    kind = type(module)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return forward(*args, **kwargs)

    def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
        return _copied(module, forward, memo)

    own = {
        "__call__": kind.forward if is_own_forward(module, forward) else call,
        "forward": property(lambda self: forward), "__deepcopy__": deepcopy,
        "__reduce_ex__": lambda self, protocol: module.__reduce_ex__(protocol),
        "__module__": kind.__module__, "__qualname__": kind.__qualname__,
    }
    make: Any = type(kind)
    twin = object.__new__(make(kind.__name__, (kind,), own))
    object.__setattr__(twin, "__dict__", module.__dict__)
    return twin


def _copied(module: Any, forward: Callable[..., Any], memo: dict[int, Any]) -> Any:
    """A deep copy of a wrapped module, without the wrapper and without hooks."""
    kind: Any = type(module)
    new = kind.__new__(kind)
    memo[id(module)] = new
    state = dict(module.__dict__)
    state.pop("forward", None)
    for name in (*_OWN_HOOKS, *_HOOK_OPTIONS):
        if name in state:
            state[name] = type(state[name])() if state[name] is not None else None
    new.__dict__.update(copy.deepcopy(state, memo))
    if not is_own_forward(module, forward):
        new.__dict__["forward"] = copy.deepcopy(forward, memo)
    return new


def restored(forward: Any) -> Any:
    """What copies and pickles of a replaced `forward` are."""
    return forward


@contextlib.contextmanager
def kept_buffers(module: Any) -> Iterator[None]:
    """A torch module's buffers are afterwards what they were: running means count no trial calls."""
    if not is_module(module):
        yield
        return
    parts = list(module.modules())
    kept = [{name: (b, b.detach().clone()) for name, b in part._buffers.items() if b is not None}
            for part in parts]
    try:
        yield
    finally:
        with torch_of(module).no_grad():
            for part, buffers in zip(parts, kept):
                for name, (buffer, values) in buffers.items():
                    part._buffers[name] = buffer
                    buffer.copy_(values)


def move(module: Any, device: Any) -> None:
    """Moves a module's weights, where they are not there already."""
    wanted = torch_of(module).device(device)
    if any(t.device != wanted for t in (*module.parameters(), *module.buffers())):
        module.to(wanted)


def has_accelerator(module: Any) -> bool:
    """Whether tensors and weights can be on different devices here."""
    torch = torch_of(module)
    return bool(torch.cuda.is_available()) or any(p.device.type != "cpu" for p in module.parameters())
