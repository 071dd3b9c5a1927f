"""Who binds a name: every binding of a function's own scope, in one pass over its statements.

A scope is a FunctionDef or a Lambda. Comprehensions belong to the function that holds them, except
for their targets; nested functions count only where they declare a name `nonlocal`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from .sources import Block

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Binding(NamedTuple):
    """One place that gives a name a value."""

    kind: str  #: "value", or the code of the reason why such a binding is never constant
    line: int
    value: Any = None  #: kind "value": the expression; else what it comes from
    path: tuple[ast.AST, ...] = ()  #: from the scope to the expression, where comprehensions lie


class Parameters:
    """A function's parameters, told apart as a call binds them."""

    def __init__(self, args: ast.arguments) -> None:
        self.positional = [a.arg for a in [*args.posonlyargs, *args.args]]
        self.by_keyword = {a.arg for a in [*args.args, *args.kwonlyargs]}
        self.variadic = {a.arg: star + a.arg for star, a in (("*", args.vararg), ("**", args.kwarg))
                         if a is not None}
        self.names = {*self.positional, *self.by_keyword, *self.variadic}


class Scope:
    """The bindings of one function."""

    def __init__(self, node: Any, block: Block) -> None:
        self.node, self._block = node, block
        self._walrus = b":=" in block.text
        self._nested = b"nonlocal" in block.text
        is_function = isinstance(node, FUNCTIONS)
        self.parameters = Parameters(node.args) if is_function else None
        self.bindings: dict[str, list[Binding]] = {}
        self.escaping: dict[str, list[Binding]] = {}  # of names that belong to a scope outside
        self._foreign: set[str] = set()  # declared nonlocal or global
        self._inner: list[Scope] = []
        body = node.body if isinstance(node.body, list) else [node.body]
        for part in body:
            self._visit(part, ())
        self._settle(is_function)

    def owns(self, name: str) -> bool:
        return name in self.bindings or (
            self.parameters is not None and name in self.parameters.names)

    def _settle(self, is_function: bool) -> None:
        for name in self._foreign:
            found = self.bindings.pop(name, None)
            if found:
                self.escaping[name] = found
        for scope in self._inner:
            for name, found in scope.escaping.items():
                if is_function and self.owns(name):
                    self.bindings.setdefault(name, []).extend(
                        Binding("NONLOCAL", b.line) for b in found)
                else:
                    self.escaping.setdefault(name, []).extend(found)

    def _bind(self, name: str, binding: Binding) -> None:
        self.bindings.setdefault(name, []).append(binding)

    def _bind_all(self, target: ast.AST, kind: str, value: Any = None) -> None:
        for name, starred in _names_in(target):
            self._bind(name, Binding("STAR_TARGET" if starred and kind == "UNPACKED" else kind,
                                     self._block.line_of(target), value))

    def _bind_target(self, target: Any, value: ast.expr) -> None:
        """`target = value`, taken apart where both are displays of one shape."""
        if isinstance(target, ast.Name):
            self._bind(target.id, Binding("value", self._block.line_of(target), value))
            return
        if not isinstance(target, (ast.Tuple, ast.List)):
            return
        pairs = _matched(target.elts, value)
        if pairs is None:
            self._bind_all(target, "UNPACKED", value)
            return
        for part, item in pairs:
            if isinstance(part, ast.Starred):
                self._bind_all(part, "UNPACKED", value)
            else:
                self._bind_target(part, item)

    def _visit(self, node: Any, path: tuple[ast.AST, ...]) -> None:
        """A statement, or (where the text has a walrus at all) an expression."""
        handler = HANDLERS.get(type(node))
        if handler is not None and handler(self, node, path):
            return
        for child in ast.iter_child_nodes(node):
            if self._walrus or not isinstance(child, (ast.expr, ast.expr_context)):
                self._visit(child, path)

    # Handlers return True where the children need no visit.

    def _assign(self, node: Any, path: Any) -> bool:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if node.value is not None:  # a bare annotation assigns nothing
            for target in targets:
                self._bind_target(target, node.value)
        return False

    def _named(self, node: Any, path: tuple[ast.AST, ...]) -> bool:
        self._bind(node.target.id, Binding("value", self._block.line_of(node), node.value, path))
        return False

    def _augmented(self, node: Any, path: Any) -> bool:
        self._bind_all(node.target, "AUGMENTED")
        return False

    def _for(self, node: Any, path: Any) -> bool:
        self._bind_all(node.target, "FOR_TARGET", node.iter)
        return False

    def _with_item(self, node: Any, path: Any) -> bool:
        if node.optional_vars is not None:
            self._bind_all(node.optional_vars, "WITH_TARGET")
        return False

    def _named_clause(self, node: Any, path: Any) -> bool:
        kind = "EXCEPT_TARGET" if isinstance(node, ast.ExceptHandler) else "MATCH_TARGET"
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self._bind(name, Binding(kind, self._block.line_of(node)))
        return False

    def _import(self, node: Any, path: Any) -> bool:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            self._bind(name, Binding("IMPORT", self._block.line_of(node)))
        return True

    def _definition(self, node: Any, path: tuple[ast.AST, ...]) -> bool:
        if not isinstance(node, ast.Lambda):
            name = node.name if isinstance(node.name, str) else node.name.id  # type aliases
            self._bind(name, Binding("DEFINITION", self._block.line_of(node)))
        if self._nested and hasattr(node, "body"):
            self._inner.append(Scope(node, self._block))
        if self._walrus:
            for part in _outside_of(node):
                self._visit(part, path)
        return True

    def _comprehension(self, node: Any, path: tuple[ast.AST, ...]) -> bool:
        for child in ast.iter_child_nodes(node):
            self._visit(child, (*path, node, child))
        return True

    def _clause(self, node: Any, path: tuple[ast.AST, ...]) -> bool:
        for child in [node.iter, *node.ifs]:  # its targets are its own
            self._visit(child, path)
        return True

    def _foreign_names(self, node: Any, path: Any) -> bool:
        self._foreign.update(node.names)
        return True


HANDLERS: dict[type, Any] = {
    ast.Assign: Scope._assign, ast.AnnAssign: Scope._assign, ast.NamedExpr: Scope._named,
    ast.AugAssign: Scope._augmented, ast.For: Scope._for, ast.AsyncFor: Scope._for,
    ast.withitem: Scope._with_item, ast.ExceptHandler: Scope._named_clause,
    ast.MatchAs: Scope._named_clause, ast.MatchStar: Scope._named_clause,
    ast.MatchMapping: Scope._named_clause, ast.Import: Scope._import,
    ast.ImportFrom: Scope._import, ast.FunctionDef: Scope._definition,
    ast.AsyncFunctionDef: Scope._definition, ast.ClassDef: Scope._definition,
    ast.Lambda: Scope._definition, ast.Nonlocal: Scope._foreign_names,
    ast.Global: Scope._foreign_names, ast.comprehension: Scope._clause,
    **{kind: Scope._comprehension for kind in COMPREHENSIONS},
}
if hasattr(ast, "TypeAlias"):
    HANDLERS[ast.TypeAlias] = Scope._definition


def _outside_of(node: Any) -> list[ast.expr]:
    """What a definition evaluates in the scope round it: decorators, defaults, bases."""
    parts = [*getattr(node, "decorator_list", []), *getattr(node, "bases", []),
             *(k.value for k in getattr(node, "keywords", []))]
    args = getattr(node, "args", None)
    if args is not None:
        parts += [d for d in [*args.defaults, *args.kw_defaults] if d is not None]
    return parts


def _names_in(target: ast.AST, starred: bool = False) -> Iterator[tuple[str, bool]]:
    if isinstance(target, ast.Name):
        yield target.id, starred
    elif isinstance(target, ast.Starred):
        yield from _names_in(target.value, True)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for part in target.elts:
            yield from _names_in(part, False)


def _matched(targets: list[ast.expr], value: ast.expr) -> list[tuple[ast.expr, ast.expr]] | None:
    """Targets beside the items of a display; a starred target beside the display itself."""
    if not isinstance(value, (ast.Tuple, ast.List)):
        return None
    items = value.elts
    if any(isinstance(item, ast.Starred) for item in items):
        return None
    star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if star is None:
        return list(zip(targets, items)) if len(targets) == len(items) else None
    after = len(targets) - star - 1
    if len(items) < star + after:
        return None
    return [*zip(targets[:star], items[:star]), (targets[star], value),
            *zip(targets[star + 1:], items[len(items) - after:])]


def scope_of(node: ast.AST, block: Block) -> Scope:
    """The function's scope, made once a block."""
    scope = block.scopes.get(node)
    if scope is None:
        scope = block.scopes[node] = Scope(node, block)
    return scope


def runs_in(node: Any, part: Any) -> bool:
    """Whether `part`, the next node of a path below `node`, runs in the frame of `node`."""
    if isinstance(node, ast.Lambda):
        return part is node.body
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        begin: Any = node.body[0]  # defaults and annotations stand before it
        return (part.lineno, part.col_offset) >= (begin.lineno, begin.col_offset)
    if isinstance(node, COMPREHENSIONS):
        return part is not node.generators[0].iter
    return False


def comprehension_targets(node: Any) -> set[str]:
    return {name for clause in node.generators for name, _ in _names_in(clause.target)}
