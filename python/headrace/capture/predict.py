"""Static prediction: which arguments of a script's operator calls can be proven constant.

    for call in predict("train.py"):
        call.line, call.operator, [(a.name, a.text, a.verdict, a.reason) for a in call.arguments]

The script is read, never run. The rules are those of judge.py; without frames some things differ:
parameters are judged over all calls of the function's name in the file, a name's value is known by its
assignment only, and names that hold batches are told as such. "depends" is what the text alone does not
tell: parameters that nothing in the file gives, variables of a function round this one (constant once
that has returned), inputs that may be batches. `rng`, `device` and `batch_size` need no proof and are
left out.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

from . import lookup, reasons
from .forms import (
    aliases, default_of, function_round, is_generator, is_loop, list_in, operators, star_of)
from .judge import REFUSED, Where, check_bindings, owner_in
from .lookup import MISSING
from .names import COMPREHENSIONS, FUNCTIONS, Scope, scope_of
from .reasons import Reason, Unproven, quote
from .sources import Source, text_of_file

BATCH_KINDS = {"FOR_TARGET", "COMPREHENSION_TARGET"}
UNMATCHED = {"rng", "device", "batch_size"}  # keywords that are no part of what is recorded
MAY_BE_BATCH = {"ATTRIBUTE", "CALL_RESULT", "CONDITIONAL", "PARAMETER_NOT_PROVEN", "SUBSCRIPT"}
WRAPPED = {"staticmethod", "classmethod"}  # decorators that leave the function what it is
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
    """The text alone does not tell."""


class Circular(Depends):
    """A parameter that is given itself, or what is made of it: the other calls decide."""


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
        self.aliases = dict(aliases(block.tree))
        self._operators = operators()
        self._paths: dict[str, list[tuple[ast.AST, ...]]] = {}  # of calls, by the name called
        self._found: list[tuple[str, tuple[ast.AST, ...]]] = []
        self._places: dict[ast.AST, tuple[ast.AST, ...]] = {}  # of functions: the path to them
        self._active: set[tuple[ast.AST, str]] = set()
        self._walk(block.tree, (block.tree,))

    def calls(self) -> list[Call]:
        found = [self._call(operator, Where(self.block, path, 0)) for operator, path in self._found]
        return sorted(found, key=lambda call: call.line)

    def _walk(self, node: ast.AST, path: tuple[ast.AST, ...]) -> None:
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", None))
            self._paths.setdefault(str(name), []).append(path)
            operator = self.library_name(node.func, Where(self.block, path, 0))
            if operator in self._operators:
                self._found.append((operator, path))
        elif isinstance(node, FUNCTIONS):
            self._places[node] = path
        for child in ast.iter_child_nodes(node):
            self._walk(child, (*path, child) if hasattr(child, "lineno") else path)

    def library_name(self, node: ast.AST, where: Where) -> str:
        """"random.uniform" for `hr.random.uniform`, whatever hr is called; "" for others."""
        return self._below(node, where) or ""

    def _below(self, node: ast.AST, where: Where) -> str | None:
        """The same; "" for the library itself, None for others."""
        links: list[str] = []
        while isinstance(node, ast.Attribute):
            links.append(node.attr)
            node = node.value
        root = self._alias(node.id, where) if isinstance(node, ast.Name) else None
        if root is None:
            return None
        return ".".join([part for part in (root, *reversed(links)) if part])

    def _alias(self, name: str, where: Where) -> str | None:
        """What a name means below the library: by an import, or by `crop = hr.crop`."""
        at = owner_in(where, name)
        owner = where.path[at] if at is not None else self.block.tree
        if isinstance(owner, COMPREHENSIONS):
            return None
        found = scope_of(owner, self.block).bindings.get(name, [])
        if [b.kind for b in found] != ["value"] or not isinstance(found[0].value, (
                ast.Attribute, ast.Name)) or (owner, name) in self._active:
            is_other = any(b.kind != "IMPORT" for b in found) or (at is not None and not found)
            return None if is_other else self.aliases.get(name)
        self._active.add((owner, name))
        try:
            inner = Where(self.block, where.path[:(at or 0) + 1], 0)
            return self._below(found[0].value, inner)
        finally:
            self._active.discard((owner, name))

    def _call(self, operator: str, where: Where) -> Call:
        node: Any = where.path[-1]
        rows = [(str(i), a, a) for i, a in enumerate(node.args)]
        rows += [(k.arg or "**", k.value, k) for k in node.keywords if k.arg not in UNMATCHED]
        star = star_of(node)
        arguments = []
        for name, expression, shown in rows:
            text = self.block.text_of(expression)
            verdict, reason = "constant", None
            try:
                if isinstance(shown, ast.Starred) or name == "**":
                    raise self._unproven("STAR_ARGUMENT", shown, kind=Depends)
                self.judge(expression, where)
                if star is not None:
                    raise self._unproven("STAR_ARGUMENT", star)
            except Unproven as cause:
                if self.is_batch(expression, where):
                    verdict = "batch"
                else:
                    may_be = (name.isdigit() and cause.code in MAY_BE_BATCH
                              and not isinstance(expression, (ast.BinOp, ast.UnaryOp)))
                    verdict = "depends" if isinstance(cause, Depends) or may_be else "refused"
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
            return self.library_name(node.func, where) in self._operators
        if isinstance(node, ast.Starred):
            return False
        if not isinstance(node, ast.Name):
            return False
        at = owner_in(where, node.id)
        owner = where.path[at] if at is not None else self.block.tree
        if isinstance(owner, COMPREHENSIONS):
            outer = scope_of(function_round(where.path[:at]) or self.block.tree, self.block)
            return any(is_loop(clause.iter, outer) for clause in owner.generators)
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
            is_loop(b.value, scope) if b.kind in BATCH_KINDS
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
        elif not self._is_marked(node, where) and not self._is_constant(node, where):
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
            return self.library_name(node.func, where) == MARKER
        if not isinstance(node, ast.Name):
            return False
        at = owner_in(where, node.id)
        owner = where.path[at] if at is not None else self.block.tree
        if isinstance(owner, COMPREHENSIONS):
            return False
        found = scope_of(owner, self.block).bindings.get(node.id, [])
        return bool(found) and found[-1].kind == "value" and (
            isinstance(found[-1].value, ast.Call)
            and self.library_name(found[-1].value.func, where) == MARKER)

    def _is_constant(self, node: Any, where: Where) -> bool:
        """`hr.float32` and the like, looked up in the library."""
        name = self.library_name(node, where) if isinstance(node, ast.Attribute) else ""
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
        is_parameter = scope.parameters is not None and node.id in scope.parameters.names
        if (owner, node.id) in self._active:
            raise self._unproven("CIRCULAR", node, kind=Circular if is_parameter else Unproven)
        self._active.add((owner, node.id))
        try:
            if is_parameter:
                self._parameter(node, scope)
                return
            binding = scope.bindings[node.id][0]
            self._check_kind(node, binding.value)
            self.judge(binding.value, Where(self.block, where.path[:at + 1] + binding.path, 0))
        except Unproven as cause:
            if function_round(where.path) is owner or cause.code == "MUTABLE_VALUE":
                raise
            raise Depends(cause.code, cause.text, cause.file, cause.line, cause.detail,
                          cause.root) from None
        finally:
            self._active.discard((owner, node.id))

    def _check_kind(self, node: ast.Name, value: Any) -> None:
        what = list_in(value)
        if what:
            raise self._unproven("MUTABLE_VALUE", node, what)

    def _parameter(self, node: ast.Name, scope: Scope) -> None:
        function: Any = scope.node
        if is_generator(function):
            raise self._unproven("PARAMETER_NOT_PROVEN", node,
                                 f"`{function.name}` is a generator or a coroutine")
        if {ast.unparse(d) for d in getattr(function, "decorator_list", ())} - WRAPPED:
            raise self._unproven("PARAMETER_NOT_PROVEN", node,
                                 f"`{function.name}` is decorated", kind=Depends)
        found = list(self._given(node.id, scope))
        if not found:
            called = quote(self._name_of(scope.node)) if self._name_of(scope.node) else "the lambda"
            raise self._unproven("PARAMETER_NOT_PROVEN", node,
                                 f"nothing in this file calls {called}", kind=Depends)
        circular: list[Circular] = []
        for expression, where in found:
            if expression is None:
                raise self._unproven("STAR_ARGUMENT", star_of(where.path[-1]))
            self._check_kind(node, expression)
            try:
                self.judge(expression, where)
            except Circular as cause:
                circular.append(cause)
        if len(circular) == len(found):
            raise circular[0]

    def _name_of(self, function: Any) -> str:
        """What calls it: a lambda goes by the name that it is assigned to. "" for none."""
        above: Any = self._places[function][-2]
        if isinstance(function, ast.Lambda) and isinstance(above, ast.Assign) and (
                len(above.targets) == 1):
            return str(getattr(above.targets[0], "id", ""))
        return str(getattr(function, "name", ""))

    def _may_call(self, call: Any, where: Where, function: ast.AST) -> bool:
        """Whether the name called can be this function: a method, or its name in the same scope."""
        outer = self._places[function][:-1]
        at = next((i for i in range(len(outer) - 1, -1, -1)
                   if isinstance(outer[i], (*FUNCTIONS, ast.ClassDef))), None)
        if isinstance(call.func, ast.Attribute):
            return at is not None and isinstance(outer[at], ast.ClassDef)
        owner = owner_in(where, call.func.id)
        return (outer[at] if at is not None else None) is (
            where.path[owner] if owner is not None else None)

    def _given(self, name: str, scope: Scope) -> Iterator[tuple[Any, Where]]:
        """What each call of the function gives, but for a recursion that passes the parameter on.

        None where stars hide it.
        """
        parameters: Any = scope.parameters
        for path in self._paths.get(self._name_of(scope.node), ()):
            call: Any = path[-1]
            where = Where(self.block, path, 0)
            if not self._may_call(call, where, scope.node):
                continue
            args = call.args
            bound = isinstance(call.func, ast.Attribute) and parameters.positional[:1] in (
                ["self"], ["cls"])
            at = parameters.positional.index(name) - bound if name in parameters.positional else -1
            keyword = next((k.value for k in call.keywords if k.arg == name), None)
            if star_of(call) is not None:
                yield None, where
            elif keyword is not None or 0 <= at < len(args):
                value = keyword if keyword is not None else args[at]
                if not (isinstance(value, ast.Name) and value.id == name
                        and any(node is scope.node for node in path)):
                    yield value, where
            else:
                yield from ((d, where) for d in [default_of(scope.node, name)] if d is not None)
