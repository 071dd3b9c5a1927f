"""Forms in a script's text, which is read and never run: what predict.py asks of them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any

from . import lookup
from .names import FUNCTIONS, Scope

LOOPS = {"captured", "next_epoch"}  # calls whose items are batches


def star_of(call: Any) -> Any:
    """The first `*a` or `**k` of a call, or None."""
    return next((a for a in call.args if isinstance(a, ast.Starred)),
                next((k for k in call.keywords if k.arg is None), None))


def default_of(node: Any, name: str) -> Any:
    """A default counts as constant, but for lists: a stand-in for it."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(positional[len(positional) - len(args.defaults):], args.defaults),
             *zip(args.kwonlyargs, args.kw_defaults)]
    value = next((d for a, d in pairs if a.arg == name), None)
    return value if value is None or list_in(value) else ast.Constant(None)


def list_in(value: Any) -> str:
    if isinstance(value, ast.List):
        return "a list, which can be changed"
    if isinstance(value, ast.Tuple):
        inner = next(filter(None, map(list_in, value.elts)), "")
        return inner and f"a tuple that holds {inner}"
    if isinstance(value, ast.BinOp):
        return list_in(value.left) or list_in(value.right)
    return ""


def is_loop(node: Any, scope: Scope | None) -> bool:
    """`loop.captured(...)`, `reader.next_epoch(...)`, also inside enumerate and the like, and names of
    `scope` that one is assigned to."""
    return node is not None and any(
        isinstance(part, ast.Call) and getattr(part.func, "attr", "") in LOOPS
        or isinstance(part, ast.Name) and scope is not None and any(
            b.kind == "value" and is_loop(b.value, None) for b in scope.bindings.get(part.id, ()))
        for part in ast.walk(node))


def is_generator(function: Any) -> bool:
    if isinstance(function, ast.AsyncFunctionDef):
        return True
    todo = list(function.body) if isinstance(function.body, list) else [function.body]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return False


def function_round(path: tuple[ast.AST, ...]) -> ast.AST | None:
    return next((node for node in reversed(path) if isinstance(node, FUNCTIONS)), None)


def operators() -> set[str]:
    core: Any = sys.modules.get(f"{lookup.LIBRARY}._core")
    return {name for name in getattr(core, "ops", ()) if " " not in name}


def aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(local name, name below the library) of every import of the library or a part of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top, _, below = alias.name.partition(".")
                if top == lookup.LIBRARY:
                    yield alias.asname or top, below if alias.asname else ""
        elif isinstance(node, ast.ImportFrom) and not node.level:
            top, _, below = (node.module or "").partition(".")
            if top == lookup.LIBRARY:
                for alias in node.names:
                    yield (alias.asname or alias.name,
                           f"{below}.{alias.name}" if below else alias.name)
