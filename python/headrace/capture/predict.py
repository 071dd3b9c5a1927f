"""Static prediction: which arguments of a script's operator calls can be proven constant.

    for call in predict("train.py"):
        call.line, call.operator, [(a.name, a.text, a.verdict, a.reason) for a in call.arguments]

The script is read, never run. The rules are those of judge.py; without frames three things differ:
parameters are judged over all calls of the function's name in the file ("depends" where there are
none), a name's value is known by its assignment only, and names that hold batches are told as such.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import lookup, reasons
from .judge import REFUSED, Where, check_bindings, owner_in
from .lookup import MISSING
from .names import COMPREHENSIONS, FUNCTIONS, Scope, scope_of
from .reasons import Reason, Unproven
from .sources import Source, text_of_file

BATCH_KINDS = {"FOR_TARGET", "COMPREHENSION_TARGET"}
LOOPS = {"captured", "next_epoch"}  # calls whose items are batches
MARKER = "capture.invariant"


class Argument(NamedTuple):
    name: str  #: the keyword, or the position as text
    text: str
    verdict: str  #: "constant", "batch" (captured if its call is), "depends" (on callers), "refused"
    reason: Reason | None  #: for "depends" and "refused"


class Call(NamedTuple):
    file: str
    line: int
    operator: str  #: "resize", "random.uniform"
    arguments: list[Argument]


class Depends(Unproven):
    """A parameter of a function that nothing in the file calls by its name."""


def predict(path: str) -> list[Call]:
    """The operator calls of a script in the order of the text; SyntaxError where it has one."""
    source = Source(path, text_of_file(path), None)
    block = source.whole()
    if block is None:
        compile(source.data, path, "exec")  # says where
        raise SyntaxError(f"{path} cannot be parsed")
    return Reader(block).calls()


class Reader:
    """One file, and what its names mean."""

    def __init__(self, block: Any) -> None:
        self.block = block
        self.aliases = dict(_aliases(block.tree))
        self._operators = _operators()
        self._paths: dict[str, list[tuple[ast.AST, ...]]] = {}  # of calls, by the name called
        self._found: list[tuple[str, tuple[ast.AST, ...]]] = []
        self._active: set[tuple[ast.AST, str]] = set()
        self._walk(block.tree, (block.tree,))

    def calls(self) -> list[Call]:
        found = [self._call(operator, Where(self.block, path, 0)) for operator, path in self._found]
        return sorted(found, key=lambda call: call.line)

    def _walk(self, node: ast.AST, path: tuple[ast.AST, ...]) -> None:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            self._paths.setdefault(str(name), []).append(path)
            operator = self.library_name(node.func)
            if operator in self._operators:
                self._found.append((operator, path))
        for child in ast.iter_child_nodes(node):
            self._walk(child, (*path, child) if hasattr(child, "lineno") else path)

    def library_name(self, node: ast.AST) -> str:
        """"random.uniform" for `hr.random.uniform`, whatever hr is called; "" for others."""
        links: list[str] = []
        while isinstance(node, ast.Attribute):
            links.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return ""
        return ".".join([part for part in (self.aliases[node.id], *reversed(links)) if part])

    def _call(self, operator: str, where: Where) -> Call:
        node: Any = where.path[-1]
        rows = [(str(i), a, a) for i, a in enumerate(node.args)]
        rows += [(k.arg or "**", k.value, k) for k in node.keywords]
        arguments = []
        for name, expression, shown in rows:
            text = self.block.text_of(expression)
            verdict, reason = "constant", None
            try:
                if isinstance(shown, ast.Starred) or name == "**":
                    raise self._unproven("STAR_ARGUMENT", shown)
                self.judge(expression, where)
            except Unproven as cause:
                if self.is_batch(expression, where):
                    verdict = "batch"
                else:
                    verdict = "depends" if isinstance(cause, Depends) else "refused"
                    reason = reasons.explain(cause, text, self.block.source.filename,
                                             self.block.line_of(expression))
            arguments.append(Argument(name, text, verdict, reason))
        return Call(self.block.source.filename, self.block.line_of(node), operator, arguments)

    def _unproven(self, code: str, node: Any, detail: str = "", root: str = "",
                  kind: type[Unproven] = Unproven) -> Unproven:
        return kind(code, self.block.text_of(node), self.block.source.filename,
                    self.block.line_of(node), detail, root)

    # ---- batches ---------------------------------------------------------------------------

    def is_batch(self, node: Any, where: Where) -> bool:
        """The result of an operator, or a name that holds nothing else."""
        if isinstance(node, ast.Call):
            return self.library_name(node.func) in self._operators
        if isinstance(node, ast.Starred):
            return False
        if not isinstance(node, ast.Name):
            return False
        at = owner_in(where, node.id)
        owner = where.path[at] if at is not None else self.block.tree
        if isinstance(owner, COMPREHENSIONS):
            outer = scope_of(_function_round(where.path[:at]) or self.block.tree, self.block)
            return any(_is_loop(clause.iter, outer) for clause in owner.generators)
        scope = scope_of(owner, self.block)
        if (owner, node.id) in self._active:
            return False
        self._active.add((owner, node.id))
        try:
            return self._holds_batches(node.id, scope, Where(
                self.block, where.path[:(at or 0) + 1], 0))
        finally:
            self._active.discard((owner, node.id))

    def _holds_batches(self, name: str, scope: Scope, inner: Where) -> bool:
        """Every binding gives a batch, every caller too where it is a parameter."""
        found = scope.bindings.get(name, [])
        given: list[tuple[Any, Where]] = []
        if scope.parameters is not None and name in scope.parameters.names:
            given = list(self._given(name, scope))
            if not given:
                return False
        return bool(found or given) and all(
            _is_loop(b.value, scope) if b.kind in BATCH_KINDS
            else b.value is not None and self.is_batch(b.value, inner) for b in found
        ) and all(e is not None and self.is_batch(e, w) for e, w in given)

    # ---- the rules -------------------------------------------------------------------------

    def judge(self, node: Any, where: Where) -> None:
        """Raises Unproven unless the expression is constant."""
        if isinstance(node, ast.Constant):
            return
        if isinstance(node, (ast.Tuple, ast.List)):
            for part in node.elts:
                self.judge(part.value if isinstance(part, ast.Starred) else part, where)
        elif isinstance(node, ast.BinOp):
            self.judge(node.left, where)
            self.judge(node.right, where)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
            self.judge(node.operand, where)
        elif isinstance(node, ast.UnaryOp):
            code = "BOOLEAN" if isinstance(node.op, ast.Not) else "OPERATOR"
            raise self._unproven(code, node, "`~`")
        elif isinstance(node, ast.NamedExpr):
            self.judge(node.value, where)
        elif isinstance(node, ast.Name):
            self._name(node, where)
        elif not self._is_marked(node, where) and not self._is_constant(node):
            code = {ast.Call: "CALL_RESULT", ast.Attribute: "ATTRIBUTE"}.get(
                type(node), REFUSED.get(type(node), "EXPRESSION"))
            raise self._unproven(code, node, "your object" if code == "ATTRIBUTE" else "")

    def _is_marked(self, node: Any, where: Where) -> bool:
        """A call of the marker, an attribute of one, or a name that one is assigned to."""
        while isinstance(node, ast.Attribute):
            if node.attr.startswith("__"):
                return False
            node = node.value
        if isinstance(node, ast.Call):
            return self.library_name(node.func) == MARKER
        if not isinstance(node, ast.Name):
            return False
        at = owner_in(where, node.id)
        owner = where.path[at] if at is not None else self.block.tree
        if isinstance(owner, COMPREHENSIONS):
            return False
        found = scope_of(owner, self.block).bindings.get(node.id, [])
        return bool(found) and found[-1].kind == "value" and (
            isinstance(found[-1].value, ast.Call)
            and self.library_name(found[-1].value.func) == MARKER)

    def _is_constant(self, node: Any) -> bool:
        """`hr.float32` and the like, looked up in the library."""
        name = self.library_name(node) if isinstance(node, ast.Attribute) else ""
        held: Any = sys.modules[lookup.LIBRARY] if name else MISSING
        for link in name.split(".") if name else ():
            held = MISSING if held is MISSING else lookup.attribute(held, link)
        return held is not MISSING and lookup.is_library_constant(held)

    def _name(self, node: ast.Name, where: Where) -> None:
        if self._is_marked(node, where):
            return
        at = owner_in(where, node.id)
        if at is None:
            raise self._unproven("MODULE_NAME", node)
        owner = where.path[at]
        if isinstance(owner, COMPREHENSIONS):
            raise self._unproven("COMPREHENSION_TARGET", node)
        scope = scope_of(owner, self.block)
        check_bindings(node.id, scope, self.block)
        if (owner, node.id) in self._active:
            raise self._unproven("CIRCULAR", node)
        self._active.add((owner, node.id))
        try:
            if scope.parameters is not None and node.id in scope.parameters.names:
                self._parameter(node, scope)
                return
            binding = scope.bindings[node.id][0]
            self.judge(binding.value, Where(self.block, where.path[:at + 1] + binding.path, 0))
            self._check_kind(node, binding.value)
        finally:
            self._active.discard((owner, node.id))

    def _check_kind(self, node: ast.Name, value: Any) -> None:
        what = _list_in(value)
        if what:
            raise self._unproven("MUTABLE_VALUE", node, what)

    def _parameter(self, node: ast.Name, scope: Scope) -> None:
        found = list(self._given(node.id, scope))
        if not found:
            raise self._unproven("PARAMETER_NOT_PROVEN", node, "nothing in this file calls "
                                 f"`{getattr(scope.node, 'name', 'the lambda')}`", kind=Depends)
        for expression, where in found:
            if expression is None:
                raise self._unproven("STAR_ARGUMENT", where.path[-1])
            self.judge(expression, where)
            self._check_kind(node, expression)

    def _given(self, name: str, scope: Scope) -> Iterator[tuple[Any, Where]]:
        """What each call of the function gives, but for a recursion that passes the parameter on.

        None where stars hide it.
        """
        parameters: Any = scope.parameters
        for path in self._paths.get(getattr(scope.node, "name", ""), ()):
            call: Any = path[-1]
            where = Where(self.block, path, 0)
            args = call.args
            bound = isinstance(call.func, ast.Attribute) and parameters.positional[:1] in (
                ["self"], ["cls"])
            at = parameters.positional.index(name) - bound if name in parameters.positional else -1
            keyword = next((k.value for k in call.keywords if k.arg == name), None)
            if any(isinstance(a, ast.Starred) for a in args) or any(
                    k.arg is None for k in call.keywords):
                yield None, where
            elif keyword is not None or 0 <= at < len(args):
                value = keyword if keyword is not None else args[at]
                if not (isinstance(value, ast.Name) and value.id == name
                        and any(node is scope.node for node in path)):
                    yield value, where
            else:
                yield from ((d, where) for d in [_default(scope.node, name)] if d is not None)


def _default(node: Any, name: str) -> Any:
    """A default counts as constant, but for lists: a stand-in for it."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    pairs = [*zip(positional[len(positional) - len(args.defaults):], args.defaults),
             *zip(args.kwonlyargs, args.kw_defaults)]
    value = next((d for a, d in pairs if a.arg == name), None)
    return value if value is None or _list_in(value) else ast.Constant(None)


def _list_in(value: Any) -> str:
    if isinstance(value, ast.List):
        return "a list, which can be changed"
    if isinstance(value, ast.Tuple):
        inner = next(filter(None, map(_list_in, value.elts)), "")
        return inner and f"a tuple that holds {inner}"
    if isinstance(value, ast.BinOp):
        return _list_in(value.left) or _list_in(value.right)
    return ""


def _is_loop(node: Any, scope: Scope | None) -> bool:
    """`loop.captured(...)`, `reader.next_epoch(...)`, also inside enumerate and the like, and names of
    `scope` that one is assigned to."""
    return node is not None and any(
        isinstance(part, ast.Call) and getattr(part.func, "attr", "") in LOOPS
        or isinstance(part, ast.Name) and scope is not None and any(
            b.kind == "value" and _is_loop(b.value, None) for b in scope.bindings.get(part.id, ()))
        for part in ast.walk(node))


def _function_round(path: tuple[ast.AST, ...]) -> ast.AST | None:
    return next((node for node in reversed(path) if isinstance(node, FUNCTIONS)), None)


def _operators() -> set[str]:
    core: Any = sys.modules.get(f"{lookup.LIBRARY}._core")
    return {name for name in getattr(core, "ops", ()) if " " not in name}


def _aliases(tree: ast.Module) -> Iterator[tuple[str, str]]:
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
