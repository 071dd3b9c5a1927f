"""Source text of running code, parsed no wider than a question needs.

A Block is a function, a statement at column 0 or a whole file, found by indentation and accepted
only if it parses: a cut through a string or a bracket never does. So the cost follows the function,
not the file. Text is bytes in UTF-8, since columns of code positions count bytes.
"""

from __future__ import annotations

import ast
import bisect
import itertools
import linecache
import os
import re
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Any

FILES_KEPT = 32
ENDS_TRIED = 6  # ends of a block that fall into strings before the next wider one is tried
STEP = 4096
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
HEAD = re.compile(rb"[ \t\f]*(?:async[ \t]+def|def|class)\b")
INSIDE = re.compile(rb"[\s)\]}#\"']|(?:else|elif|except|finally)\b")  # begins no statement
CLOSING = (b")", b"]", b"}")


class Block:
    """A parsed piece of a file. Its line k is the file's line k + shift."""

    __slots__ = ("source", "tree", "text", "shift", "scopes", "_by_line")

    def __init__(self, source: Source, tree: ast.Module, text: bytes, shift: int) -> None:
        self.source, self.tree, self.text, self.shift = source, tree, text, shift
        self.scopes: dict[ast.AST, Any] = {}  # of names.scope_of
        self._by_line: dict[int, list[list[ast.AST]]] | None = None

    def line_of(self, node: ast.AST) -> int:
        return int(getattr(node, "lineno", 1)) + self.shift

    def text_of(self, node: Any) -> str:
        """The node's source text."""
        lines = self.text.split(b"\n", node.end_lineno)[node.lineno - 1:node.end_lineno]
        lines[-1] = lines[-1][:node.end_col_offset]
        lines[0] = lines[0][node.col_offset:]
        return b"\n".join(lines).decode()

    def path_to_end(self, line: int, column: int) -> list[ast.AST] | None:
        """From the module to the call that ends there: no two calls end at one place."""
        point, path = (line - self.shift, column), list[ast.AST]([self.tree])
        node: ast.AST | None = self.tree
        while node is not None:
            if isinstance(node, ast.Call) and (node.end_lineno, node.end_col_offset) == point:
                return path
            node = _child_round(node, point)
            if node is not None:
                path.append(node)
        return None

    def paths_on_line(self, line: int) -> list[list[ast.AST]]:
        """To every call whose instruction has this line (Python 3.10 knows no columns)."""
        if self._by_line is None:
            self._by_line = {}
            _collect_calls(self.tree, [self.tree], self._by_line)
        return self._by_line.get(line - self.shift, [])


def _placed(node: ast.AST) -> Iterator[Any]:
    """Children that have a position; those without are replaced by their own."""
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "end_col_offset"):
            yield child
        else:
            yield from _placed(child)


def _end_of(node: Any) -> tuple[int, int]:
    return (0, 0) if node is None else (node.end_lineno, node.end_col_offset)


def _holds(node: Any, point: tuple[int, int]) -> bool:
    first = next(iter(getattr(node, "decorator_list", ())), None)
    if first is not None and first.lineno < node.lineno:  # decorators stand before a definition's place
        return (first.lineno, first.col_offset) < point <= _end_of(node)
    return (node.lineno, node.col_offset) < point <= (node.end_lineno, node.end_col_offset)


def _child_round(node: ast.AST, point: tuple[int, int]) -> ast.AST | None:
    """The child whose text ends at `point` or goes on there."""
    if isinstance(node, ast.JoinedStr):  # up to 3.11 each part has the whole string's place
        parts = [v.value for v in node.values if isinstance(v, ast.FormattedValue)]
        return next((p for p in parts if _holds(p, point)), None)
    for field in node._fields:
        part: Any = getattr(node, field, None)
        if not isinstance(part, list):
            part = (part,)
        elif len(part) > 8 and all(hasattr(p, "end_col_offset") for p in (part[0], part[-1])):
            at = bisect.bisect_left(part, point, key=_end_of)  # in the order of the text
            part = part[at:at + 1]
        for child in part:
            if hasattr(child, "end_col_offset"):
                if _holds(child, point):
                    return child  # type: ignore[no-any-return]
            elif isinstance(child, ast.AST):
                found = _child_round(child, point)
                if found is not None:
                    return found
    return None


def _collect_calls(node: ast.AST, path: list[ast.AST],
                   by_line: dict[int, list[list[ast.AST]]]) -> None:
    if isinstance(node, ast.Call):
        lines = {node.lineno}
        if isinstance(node.func, ast.Attribute):
            lines.add(node.func.end_lineno or 0)  # of method calls without keywords
        for line in lines:
            by_line.setdefault(line, []).append(path)
    for child in _placed(node):
        _collect_calls(child, [*path, child], by_line)


class Source:
    """One file's text at one time, and the blocks parsed from it."""

    def __init__(self, filename: str, data: bytes, stamp: object) -> None:
        self.filename, self.stamp = filename, stamp
        self.data = data if data.endswith(b"\n") else data + b"\n"
        self._blocks: dict[int, tuple[int, Block | None]] = {}  # by offset: end, block
        self._whole: Block | None = None
        counts = (self.data.count(b"\n", at, at + STEP) for at in range(0, len(self.data), STEP))
        self._marks = [0, *itertools.accumulate(counts)]  # lines ended at each multiple of STEP

    def blocks(self, line: int, head: int | None) -> Iterator[Block]:
        """Blocks round a line, from narrow to wide. head: the first line of its function."""
        seen: set[Block] = set()
        at = self._offset(line)
        for first in self._heads(at, None if head is None else self._offset(head)):
            block = self._block_from(first, at)
            if block is not None and block not in seen:
                seen.add(block)
                yield block
        whole = self.whole()
        if whole is not None:
            yield whole

    def line(self, number: int) -> bytes:
        return self._line(self._offset(number))

    def whole(self) -> Block | None:
        """The whole file; None if it does not parse."""
        if self._whole is None:
            self._whole = self._parse(0, len(self.data), 0)
        return self._whole

    def _offset(self, line: int) -> int:
        """Where the line begins; past the end: the end."""
        step = bisect.bisect_left(self._marks, line - 1) - 1
        if line <= 1 or step + 1 == len(self._marks):
            return 0 if line <= 1 else len(self.data)
        at = step * STEP
        for _ in range(line - 1 - self._marks[step]):
            at = self.data.index(b"\n", at) + 1
        return at

    def _line(self, at: int) -> bytes:
        return self.data[at:self.data.find(b"\n", at) + 1]

    def _heads(self, at: int, head: int | None) -> Iterator[int]:
        """Offsets of lines that may begin a block round `at`: functions outwards, statements."""
        limit = _indent(self._line(at))
        if head is not None and head <= at:
            yield head
            at, limit = head, _indent(self._line(head))
        elif HEAD.match(self._line(at)):
            yield at
        begin, statements = at, 0
        while begin >= 0:
            line = self._line(begin)
            if begin < at and HEAD.match(line) and _indent(line) < limit:
                limit = _indent(line)
                yield begin
            if not INSIDE.match(line):
                yield begin
                statements += 1
                if statements == ENDS_TRIED:
                    return
            begin = self.data.rfind(b"\n", 0, max(begin - 1, 0)) + 1 if begin else -1

    def _block_from(self, first: int, inside: int) -> Block | None:
        """The block that begins at `first` and holds `inside`: the first end that parses."""
        end, block = self._blocks.get(first, (0, None))
        if inside < end:
            return block
        depth, end = _indent(self._line(first)), inside
        for _ in range(ENDS_TRIED):
            end = self._next_end(end, depth)
            block = self._parse(first, end, depth)
            if block is not None or end == len(self.data):
                break
        self._blocks[first] = (end, block)
        return block

    def _next_end(self, at: int, depth: int) -> int:
        """The next line after the one at `at` that is indented no deeper than `depth`."""
        while True:
            at = self.data.find(b"\n", at) + 1
            if at == 0 or at >= len(self.data):
                return len(self.data)
            line = self._line(at)
            text = line.strip()
            if text and not text.startswith((b"#", *CLOSING)) and _indent(line) <= depth:
                return at

    def _parse(self, first: int, end: int, depth: int) -> Block | None:
        text = self.data[first:end]
        step = first // STEP
        shift = self._marks[step] + self.data.count(b"\n", step * STEP, first)
        if depth:
            text, shift = b"if 1:\n" + text, shift - 1
        try:
            with warnings.catch_warnings():  # of escapes: Python has said it when it compiled
                warnings.simplefilter("ignore")
                tree = ast.parse(text.decode())
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        return Block(self, tree, text, shift)


def _indent(line: bytes) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


_kept: dict[str, Source] = {}


def _keep(key: str, source: Source) -> Source:
    _kept.pop(key, None)
    _kept[key] = source
    while len(_kept) > FILES_KEPT:
        _kept.pop(next(iter(_kept)), None)
    return source


def source_of(code: CodeType, names: dict[str, Any]) -> Source | None:
    """The present text of the code's file; None where there is none. `names`: its globals."""
    filename = code.co_filename
    of_code = getattr(linecache, "_getlines_from_code", None)  # the REPL of 3.13
    lines = of_code(code) if of_code else None
    if lines:
        return _from_lines(f"{filename}#{id(lines)}", filename, lines)
    if filename in linecache.cache:
        linecache.checkcache(filename)
    if filename not in linecache.cache and not filename.startswith("<"):
        source = _from_disk(filename, names)
        if source is not None:
            return source
    lines = linecache.getlines(filename, names if type(names) is dict else None)
    return _from_lines(filename, filename, lines) if lines else None


def _from_lines(key: str, filename: str, lines: list[str]) -> Source:
    """linecache makes a new list when a text changes; cells of notebooks keep their name."""
    kept = _kept.get(key)
    if kept is not None and kept.stamp is lines:
        return kept
    return _keep(key, Source(filename, "".join(lines).encode("utf-8", "replace"), lines))


def _from_disk(filename: str, names: dict[str, Any]) -> Source | None:
    """Read here, since linecache cuts the whole file into lines."""
    path = filename
    if not os.path.isabs(path):  # a script's name, and the folder may have changed since
        known = names.get("__file__")
        if type(known) is str and os.path.basename(known) == os.path.basename(path):
            path = known
    try:
        at = os.stat(path)
        stamp = (at.st_mtime_ns, at.st_size, at.st_ino)
        kept = _kept.get(filename)
        if kept is not None and kept.stamp == stamp:
            return kept
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError):
        return None
    text = _in_utf8(data)
    return None if text is None else _keep(filename, Source(filename, text, stamp))


def text_of_file(path: str) -> bytes:
    """A file's text in UTF-8 with plain line ends; what open() or the encoding raises."""
    with open(path, "rb") as file:
        text = _in_utf8(file.read())
    if text is None:
        raise SyntaxError(f"{path} is not written in the encoding that it names")
    return text


def _in_utf8(data: bytes) -> bytes | None:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    for line in data[:1000].split(b"\n", 2)[:2]:
        cookie = COOKIE.match(line)
        if cookie and cookie[1].lower().replace(b"_", b"-") not in (b"utf-8", b"utf8"):
            try:
                data = data.decode(cookie[1].decode()).encode()
            except (LookupError, UnicodeError):
                return None
            break
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data
