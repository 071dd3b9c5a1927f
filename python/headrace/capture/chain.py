"""The frames that led to a call, and where each of them stands in its source."""

from __future__ import annotations

import ast
import opcode
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .names import COMPREHENSIONS, FUNCTIONS, runs_in
from .reasons import Unproven
from .sources import Block, source_of

TABLES_KEPT = 64
OPTIMIZED, GENERATORS = 0x1, 0x20 | 0x80 | 0x200  # flags of code objects
CALLS = {number for name, number in opcode.opmap.items()
         if name.startswith(("CALL", "PRECALL")) and not name.startswith("CALL_INTRINSIC")}
STATEMENTS = (b"@", b"class ", b"def ", b"async ", b"with ")  # these call without a written call
COMPREHENSION_CODES = {ast.ListComp: "<listcomp>", ast.SetComp: "<setcomp>",
                       ast.DictComp: "<dictcomp>", ast.GeneratorExp: "<genexpr>"}


class Place(NamedTuple):
    """A call in the source: the path ends in it; path[scope] is the code that runs."""

    block: Block
    path: tuple[ast.AST, ...]
    scope: int

    @property
    def call(self) -> Any:
        return self.path[-1]


class _Table(NamedTuple):
    code: CodeType
    opcodes: bytes
    positions: list[Any] | None


_tables: dict[int, _Table] = {}


def forget() -> None:
    """Drops what is kept of code objects: call it when a loop has been traced."""
    _tables.clear()


def _table(code: CodeType) -> _Table:
    table = _tables.get(id(code))
    if table is None:
        while len(_tables) >= TABLES_KEPT:
            _tables.pop(next(iter(_tables)), None)
        positions = None
        if sys.version_info >= (3, 11):  # a statement, which type checkers understand
            positions = list(code.co_positions())
        table = _tables[id(code)] = _Table(code, code.co_code, positions)
    return table


def is_calling(frame: FrameType) -> bool:
    """Whether the frame's instruction is a call as one writes it, not an iteration or operator."""
    table, at = _table(frame.f_code), frame.f_lasti
    while at > 0 and table.opcodes[at] == 0:  # inline caches lie behind their instruction
        at -= 2
    return at >= 0 and table.opcodes[at] in CALLS


class Chain:
    """Frames from the direct caller outwards. `frames` may be cut short: f_back goes on."""

    def __init__(self, frames: list[FrameType]) -> None:
        self._frames = list(frames)
        self._places: dict[int, Place] = {}

    def frame(self, index: int) -> FrameType | None:
        while index >= len(self._frames):
            back = self._frames[-1].f_back
            if back is None:
                return None
            self._frames.append(back)
        return self._frames[index]

    def place(self, index: int) -> Place:
        """Where frame `index` stands; Unproven where the source does not tell."""
        place = self._places.get(index)
        if place is None:
            place = self._places[index] = next(self.places(index))
        return place

    def places(self, index: int) -> Iterator[Place]:
        """The same place in wider and wider blocks."""
        frame = self._frames[index]
        code, line = frame.f_code, frame.f_lineno
        position = None
        table = _table(code)
        if table.positions is not None and 0 <= frame.f_lasti // 2 < len(table.positions):
            first, last, _, column = table.positions[frame.f_lasti // 2]
            line = first or line
            position = None if last is None or column is None else (last, column)
        source = source_of(code, frame.f_globals)
        if source is None:
            raise unread(frame, line)
        head = None if code.co_name.startswith("<") else code.co_firstlineno
        found = False
        for block in source.blocks(line, head):
            place = _place_in(block, code, line, position)
            if place is not None:
                found = True
                yield place
        if not found and source.line(line).lstrip().startswith(STATEMENTS):
            raise Unproven("INDIRECT_CALL", code.co_name, code.co_filename, line)
        if not found and code.co_filename == "<string>":
            # 3.13 keeps the text of `python -c` under this name, which exec'd code has as well.
            raise unread(frame, line)
        if not found:
            raise Unproven("STALE_SOURCE", code.co_name, code.co_filename, line,
                           f"no such call on line {line}")

    def owner(self, index: int, name: str, value: Any, read: Any) -> int | None:
        """The running frame whose variable `name` is the one that frame `index` closes over."""
        code, at = self._frames[index].f_code, index
        while True:
            at += 1
            frame = self.frame(at)
            if frame is None:
                return None
            if (name in frame.f_code.co_cellvars and _contains(frame.f_code, code)
                    and read(at, name) is value):
                return at


def unread(frame: FrameType, line: int) -> Unproven:
    name = frame.f_code.co_filename
    return Unproven("NO_SOURCE", frame.f_code.co_name, name, line, f" (file {name})")


def _contains(outer: CodeType, inner: CodeType) -> bool:
    return any(c is inner or _contains(c, inner)
               for c in outer.co_consts if type(c) is CodeType)


def _place_in(block: Block, code: CodeType, line: int, position: Any) -> Place | None:
    if position is not None:
        path = block.path_to_end(*position)
    else:
        paths = block.paths_on_line(line)
        if len(paths) > 1:
            raise Unproven("SAME_LINE_310", code.co_name, code.co_filename, line, str(line))
        path = paths[0] if paths else None
    if path is None:
        return None
    scope = _scope_in(path, code)
    return None if scope is None else Place(block, tuple(path), scope)


def _scope_in(path: list[ast.AST], code: CodeType) -> int | None:
    """Which node of the path is the code that runs; None where that does not fit the code."""
    for at in range(len(path) - 2, -1, -1):
        node: Any = path[at]
        if isinstance(node, COMPREHENSIONS):
            # Inlined into the function from 3.12 on: then the code has the function's name.
            if COMPREHENSION_CODES[type(node)] == code.co_name and runs_in(node, path[at + 1]):
                return at
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)) and runs_in(node, path[at + 1]):
            return at if _fits(node, code) else None
    return 0 if not code.co_flags & OPTIMIZED else None


def _fits(node: Any, code: CodeType) -> bool:
    if isinstance(node, ast.ClassDef):
        return bool(node.name == code.co_name)
    args = node.args
    return (getattr(node, "name", "<lambda>") == code.co_name
            and len(args.posonlyargs) + len(args.args) == code.co_argcount
            and len(args.kwonlyargs) == code.co_kwonlyargcount)
