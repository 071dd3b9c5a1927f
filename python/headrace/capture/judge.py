"""The rules of constants: is this expression, in this frame, the same in every step.

`judge` answers with the number of frames of the chain that the proof needed (0: a mark, no frame),
or raises Unproven. `value` is what the expression gave, where that is known: a literal that gave
something else shows that the source is not what runs.
"""

from __future__ import annotations

import ast
import os
from typing import Any, NamedTuple

from . import lookup
from .chain import GENERATORS, OPTIMIZED, Chain, is_calling
from .lookup import MISSING, hooks
from .names import COMPREHENSIONS, FUNCTIONS, Scope, comprehension_targets, runs_in, scope_of
from .reasons import Unproven, lines_in_words, quote
from .sources import Block

FOLLOWED = (ast.UAdd, ast.USub)
#: Expressions that are never proven.
REFUSED: dict[type, str] = {
    ast.Compare: "COMPARISON", ast.BoolOp: "BOOLEAN", ast.IfExp: "CONDITIONAL",
    ast.Subscript: "SUBSCRIPT", ast.JoinedStr: "F_STRING", ast.Dict: "DISPLAY",
    ast.Set: "DISPLAY", ast.Lambda: "LAMBDA", ast.Await: "AWAIT", ast.Yield: "AWAIT",
    ast.YieldFrom: "AWAIT", **{kind: "COMPREHENSION" for kind in COMPREHENSIONS},
}


class Where(NamedTuple):
    """An expression's surroundings: the path from its block to it, and its frame."""

    block: Block
    path: tuple[ast.AST, ...]
    depth: int  #: of the frame it runs in: 0 is the operator's direct caller


class Use(NamedTuple):
    """A name as it is used in an expression."""

    node: ast.Name
    name: str  #: as the code knows it
    where: Where
    value: Any


class Judge:
    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self._active: set[tuple[int, str]] = set()

    def judge(self, node: Any, where: Where, value: Any = MISSING) -> int:
        if value is not MISSING and hooks.is_marked(value):
            return 0
        rule = RULES.get(type(node))
        if rule is not None:
            return rule(self, node, where, value)  # type: ignore[no-any-return]
        raise self.unproven(REFUSED.get(type(node), "EXPRESSION"), node, where)

    def unproven(self, code: str, node: Any, where: Where, detail: str = "",
                 root: str = "") -> Unproven:
        block = where.block
        return Unproven(code, block.text_of(node), block.source.filename, block.line_of(node),
                        detail, root)

    def read(self, index: int, name: str) -> Any:
        """The value of a name in a frame."""
        frame: Any = self.chain.frame(index)
        code, found = frame.f_code, MISSING
        if name in code.co_varnames or name in code.co_freevars or name in code.co_cellvars:
            found = hooks.read_local(frame, name)
        elif not code.co_flags & OPTIMIZED and type(frame.f_locals) is dict:  # a class body
            found = frame.f_locals.get(name, MISSING)
        if found is MISSING:
            found = dict.get(frame.f_globals, name, MISSING)
        return found if found is not MISSING else dict.get(frame.f_builtins, name, MISSING)

    # ---- expressions -----------------------------------------------------------------------

    def _constant(self, node: Any, where: Where, value: Any) -> int:
        if value is not MISSING and (type(value) is not type(node.value) or value != node.value):
            raise Unproven("STALE_SOURCE", self._code_name(where), where.block.source.filename,
                           where.block.line_of(node),
                           f"line {where.block.line_of(node)} says {node.value!r}, not {value!r}")
        return where.depth + 1

    def _display(self, node: Any, where: Where, value: Any) -> int:
        known = (type(value) in (tuple, list) and len(value) == len(node.elts)
                 and not any(isinstance(e, ast.Starred) for e in node.elts))
        values = value if known else [MISSING] * len(node.elts)
        needs = [self.judge(e.value if isinstance(e, ast.Starred) else e, where, v)
                 for e, v in zip(node.elts, values)]
        return max(needs, default=where.depth + 1)

    def _unary(self, node: Any, where: Where, value: Any) -> int:
        if isinstance(node.op, FOLLOWED):
            return self.judge(node.operand, where)
        if isinstance(node.op, ast.Not):
            raise self.unproven("BOOLEAN", node, where)
        raise self.unproven("OPERATOR", node, where, "`~`")

    def _binary(self, node: Any, where: Where, value: Any) -> int:
        return max(self.judge(node.left, where), self.judge(node.right, where))

    def _walrus(self, node: Any, where: Where, value: Any) -> int:
        return self.judge(node.value, where, value)

    def _call(self, node: Any, where: Where, value: Any) -> int:
        if lookup.is_marker(self.static(node.func, where)):
            return where.depth + 1
        raise self.unproven("CALL_RESULT", node, where)

    def _attribute(self, node: Any, where: Where, value: Any) -> int:
        links: list[Any] = []
        root = node
        while isinstance(root, ast.Attribute):
            links.append(root)
            root = root.value
        links.reverse()
        marked = isinstance(root, ast.Call) and lookup.is_marker(self.static(root.func, where))
        held = self.static(root, where)
        begin = before = held
        for link in links:
            marked = marked or held is not MISSING and hooks.is_marked(held)
            if marked and link.attr.startswith("__") and link.attr.endswith("__"):
                break
            before, held = held, MISSING if held is MISSING else lookup.attribute(held, link.attr)
        else:
            if marked or (begin is not MISSING and lookup.may_begin_chain(begin)
                          and lookup.is_library(before) and lookup.is_library_constant(held)):
                return where.depth + 1
        raise self._of_object(node, root, before, where)

    def _of_object(self, node: Any, root: Any, before: Any, where: Where) -> Unproven:
        owner = where.block.text_of(node.value)
        if before is not MISSING and issubclass(type(before), type):
            detail = f"the class {quote(owner)}"
        elif before is not MISSING and type(before).__name__ == "module":
            detail = f"the module {quote(owner)}"
        elif isinstance(root, ast.Name) and root.id not in ("self", "cls"):
            return self.unproven("ATTRIBUTE", node, where, "your object", root.id)
        else:
            detail = "your object"
        return self.unproven("ATTRIBUTE", node, where, detail)

    def static(self, node: Any, where: Where) -> Any:
        """The value of a name or of attributes of one, where no code runs to get it."""
        if isinstance(node, ast.Name):
            return self.read(where.depth, self._mangled(node.id, where))
        if isinstance(node, ast.Attribute):
            held = self.static(node.value, where)
            return MISSING if held is MISSING else lookup.attribute(held, node.attr)
        return MISSING

    # ---- names -----------------------------------------------------------------------------

    def _name(self, node: Any, where: Where, value: Any) -> int:
        name = self._mangled(node.id, where)
        if value is MISSING:
            value = self.read(where.depth, name)
            if value is not MISSING and hooks.is_marked(value):
                return 0
        frame: Any = self.chain.frame(where.depth)
        code = frame.f_code
        self._check_comprehensions(node, where)
        use = Use(node, name, where, value)
        if name in code.co_freevars:
            needs = self._closure(use)
        elif code.co_flags & OPTIMIZED and (name in code.co_varnames or name in code.co_cellvars):
            needs = self._owned(use, where, where.depth)
        else:
            in_class = not code.co_flags & OPTIMIZED and frame.f_locals is not frame.f_globals
            raise self.unproven("CLASS_NAME" if in_class else "MODULE_NAME", node, where)
        why = "a value that cannot be read" if value is MISSING else lookup.changes(value)
        if why:
            raise self.unproven("MUTABLE_VALUE", node, where, why)
        return max(needs, where.depth + 1)

    def _check_comprehensions(self, node: Any, where: Where) -> None:
        for at in range(len(where.path) - 2, -1, -1):
            outer = where.path[at]
            if isinstance(outer, FUNCTIONS):
                return
            if (isinstance(outer, COMPREHENSIONS) and runs_in(outer, where.path[at + 1])
                    and node.id in comprehension_targets(outer)):
                raise self.unproven("COMPREHENSION_TARGET", node, where)

    def _closure(self, use: Use) -> int:
        depth = use.where.depth
        owner = self.chain.owner(depth, use.name, use.value, self.read)
        if owner_in(use.where, use.node.id) is None:
            for place in self.chain.places(depth):
                wider = Where(place.block, place.path, depth)
                if owner_in(wider, use.node.id) is not None:
                    return self._owned(use, wider, owner)
        return self._owned(use, use.where, owner)

    def _owned(self, use: Use, seen: Where, owner: int | None) -> int:
        """A variable of a function. owner: depth of the frame that runs it, None if none does."""
        node, where = use.node, use.where
        at = owner_in(seen, node.id)
        if at is None:
            raise Unproven("STALE_SOURCE", self._code_name(where), where.block.source.filename,
                           where.block.line_of(node), f"nothing in it assigns `{node.id}`")
        block, path = seen.block, seen.path[:at + 1]
        if isinstance(path[-1], COMPREHENSIONS):
            raise self.unproven("COMPREHENSION_TARGET", node, where)
        scope = scope_of(path[-1], block)
        check_bindings(node.id, scope, block)
        if owner is None:
            return where.depth + 1
        key = (owner, use.name)
        if key in self._active:
            raise self.unproven("CIRCULAR", node, where)
        self._active.add(key)
        try:
            if scope.parameters is not None and node.id in scope.parameters.names:
                return self._parameter(use, scope, owner)
            binding = scope.bindings[node.id][0]
            inner = Where(block, path + binding.path, owner)
            return max(owner + 1, self.judge(binding.value, inner, use.value))
        finally:
            self._active.discard(key)

    # ---- parameters ------------------------------------------------------------------------

    def _parameter(self, use: Use, scope: Scope, owner: int) -> int:
        frame: Any = self.chain.frame(owner)
        code = frame.f_code
        if code.co_flags & GENERATORS:
            raise self._lost(use, f"`{code.co_name}` is a generator or a coroutine")
        caller = self.chain.frame(owner + 1)
        try:
            place = self.chain.place(owner + 1) if caller and is_calling(caller) else None
        except Unproven as cause:
            if cause.code != "INDIRECT_CALL":
                raise
            place = None
        if place is None:
            raise self._lost(use, f"no call in the source leads to `{code.co_name}`")
        there = Where(place.block, place.path, owner + 1)
        held = self.static(place.call.func, there)
        callee = None if held is MISSING else lookup.callee_of(held)
        if callee is None or callee.function.__code__ is not code:
            at = self._line_in_words(place.block, place.block.line_of(place.call), use.where)
            raise self._lost(use, f"the call on {at}, "
                             f"{quote(place.block.text_of(place.call.func))}, cannot be followed "
                             f"to `{code.co_name}` without running code")
        check_stars(self, there)
        return self._argument(use, scope, callee, there)

    def _argument(self, use: Use, scope: Scope, callee: lookup.Callee, there: Where) -> int:
        """The caller's expression for a parameter; else what was bound before, or the default."""
        call: Any = there.path[-1]
        parameters: Any = scope.parameters
        name = use.node.id
        if name in parameters.positional:
            at = parameters.positional.index(name) - callee.given
            if at < 0:
                raise self._lost(use, "it is bound before the call, by position")
            if at < len(call.args):
                return self.judge(call.args[at], there, use.value)
        for keyword in call.keywords:
            if keyword.arg == name and name in parameters.by_keyword:
                return self.judge(keyword.value, there, use.value)
        if lookup.omitted(callee, use.name) is use.value:
            return there.depth + 1
        raise self._lost(use, "the caller gives no such argument")

    def _lost(self, use: Use, detail: str) -> Unproven:
        return self.unproven("PARAMETER_NOT_PROVEN", use.node, use.where, detail)

    def _line_in_words(self, block: Block, line: int, where: Where) -> str:
        name = block.source.filename
        return f"line {line}" if name == where.block.source.filename else f"{os.path.basename(name)}:{line}"

    def _code_name(self, where: Where) -> str:
        frame: Any = self.chain.frame(where.depth)
        return str(frame.f_code.co_name)

    def _mangled(self, name: str, where: Where) -> str:
        """`__x` in a class is `_Class__x` in the code."""
        if not name.startswith("__") or name.endswith("__"):
            return name
        for outer in reversed(where.path):
            if isinstance(outer, ast.ClassDef):
                return f"_{outer.name.lstrip('_')}{name}"
        frame: Any = self.chain.frame(where.depth)
        code = frame.f_code
        known = [*code.co_varnames, *code.co_freevars, *code.co_cellvars, *code.co_names]
        return next((n for n in known if n == name or n.startswith("_") and n.endswith(name)), name)


def check_bindings(name: str, scope: Scope, block: Block) -> None:
    """Raises unless there is one binding, of a kind that can be constant."""

    def refused(code: str, line: int, detail: str = "") -> Unproven:
        return Unproven(code, name, block.source.filename, line, detail)

    found, parameters = scope.bindings.get(name, []), scope.parameters
    again = [b.line for b in found if b.kind == "NONLOCAL"]
    if again:
        raise refused("NONLOCAL", again[0], f"line {again[0]}")
    if parameters is not None and name in parameters.names:
        if name in parameters.variadic:
            raise refused("VARIADIC_PARAMETER", block.line_of(scope.node),
                          f"`{parameters.variadic[name]}`")
        if found:
            lines = " and ".join(str(b.line) for b in found)
            raise refused("ASSIGNED_TWICE", found[0].line,
                          f"as a parameter and again, line {lines}")
        return
    if len(found) > 1:
        raise refused("ASSIGNED_TWICE", found[-1].line, lines_in_words([b.line for b in found]))
    binding = found[0]
    if binding.kind == "AUGMENTED":
        raise refused("CIRCULAR", binding.line)
    if binding.kind != "value":
        of = "" if binding.value is None else quote(block.text_of(binding.value))
        raise refused(binding.kind, binding.line, of)


def owner_in(where: Where, name: str) -> int | None:
    """Which node of the path binds the name: the innermost function or comprehension round it."""
    path = where.path
    for at in range(len(path) - 1, -1, -1):
        node = path[at]
        inside = at + 1 == len(path) or runs_in(node, path[at + 1])
        if not inside:
            continue
        if isinstance(node, COMPREHENSIONS) and name in comprehension_targets(node):
            return at
        if isinstance(node, FUNCTIONS) and scope_of(node, where.block).owns(name):
            return at
    return None


def check_stars(judge: Judge, where: Where) -> None:
    """Unproven if the call has `*a` or `**k`: then no argument has a place of its own."""
    call: Any = where.path[-1]
    for part in [*call.args, *call.keywords]:
        if isinstance(part, ast.Starred) or isinstance(part, ast.keyword) and part.arg is None:
            raise judge.unproven("STAR_ARGUMENT", part, where)


RULES: dict[type, Any] = {
    ast.Constant: Judge._constant, ast.Tuple: Judge._display, ast.List: Judge._display,
    ast.UnaryOp: Judge._unary, ast.BinOp: Judge._binary, ast.NamedExpr: Judge._walrus,
    ast.Call: Judge._call, ast.Attribute: Judge._attribute, ast.Name: Judge._name,
}
