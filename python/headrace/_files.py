"""headrace check and headrace index: damage in files, indexes of archives."""

from __future__ import annotations

import errno
import json
import os
import sys
from typing import Any, Iterator

from . import _core


def _files(paths: list[str]) -> Iterator[str]:
    """The files themselves; of a folder, all below it, by the bytes of their names."""
    for path in paths:
        if not os.path.isdir(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders.sort(key=os.fsencode)
            for name in sorted(names, key=os.fsencode):
                yield os.path.join(folder, name)


def _info(path: str) -> dict[str, Any] | None:
    with open(path, "rb") as f:
        try:
            info: dict[str, Any] = _core.image_info(f.read())
        except (_core.DataError, NotImplementedError):
            return None
    return info


def _bare(path: str, reason: str) -> str:
    """The reason without the path, which the library's texts have in front or behind "cannot open"."""
    for name in (path, "".join(c if c.isprintable() else "?" for c in path)):
        for doing in ("cannot open", "cannot read"):
            if reason.startswith(f"{doing} {name}: "):
                return reason.replace(f" {name}: ", ": ", 1)
        if reason.startswith((name + ": ", name + " ")):
            return reason[len(name):].lstrip(": ")
    return reason


def _shown(path: str, where: str, reason: str) -> str:
    """One line: the path, the place within the file, the reason."""
    text = ": ".join(part for part in (path, where, _bare(where, reason) if where else reason) if part)
    return "".join(c if c.isprintable() else "?" for c in text)


def check(paths: list[str], as_json: bool) -> int:
    """1 when there are findings, which are printed a line each, else 0."""
    report, n_bad = [], 0
    for path in _files(paths):
        kind, parts, findings = _core.check_file(path)
        findings = [(where, _bare(path, reason)) for where, reason in findings]
        n_bad += bool(findings)
        if as_json:
            one = {"file": path, "kind": kind, "parts": parts,
                   "findings": [{"where": w, "reason": r} for w, r in findings]}
            if kind == "picture" and not findings:
                one["info"] = _info(path)
            report.append(one)
            continue
        for where, reason in findings:
            print(_shown(path, where, reason))
    if as_json:
        print(json.dumps(report, indent=1))
    return int(n_bad > 0)


def _lines(samples: list[list[tuple[str, int, int, str]]]) -> tuple[list[str], int]:
    """The index's lines, and how many members it cannot hold: their extension is empty, or has
    blanks, which part the words of a line."""
    lines, left_out = [], 0
    for parts in samples:
        words = []
        for ext, offset, size, name in parts:
            if not ext or ext.split() != [ext] or "\n" in name or "\r" in name:
                left_out += 1
            else:
                words.append(f"{ext} {offset} {size} {name}")
        if words:
            lines.append(" ".join(words))
    return lines, left_out


def _check_target(archive: str, target: str) -> None:
    """A file that is there and is no index stays: `headrace index *.tar` names two archives."""
    if not os.path.isfile(target):
        return
    with open(target, "rb") as f:
        head = f.read(2)
    if os.path.getsize(target) and not (head[:1] == b"v" and head[1:].isdigit()):
        raise FileExistsError(errno.EEXIST, f"{target} is there and is no index: it stays as it is")


def index(archive: str, target: str | None, as_json: bool) -> int:
    """Writes the archive's index, as the peer's wds2idx does; beside it, unless `target` is given."""
    target = target or os.path.splitext(archive)[0] + ".idx"
    try:
        _check_target(archive, target)
        samples = _core.webdataset_index(archive)
    except (_core.DataError, OSError) as e:
        print(f"headrace index: {e}", file=sys.stderr)
        return 1
    lines, left_out = _lines(samples)
    if left_out:
        print(f"headrace index: {left_out} members of {archive} are left out: their extensions "
              "are empty or have blanks", file=sys.stderr)
    if not lines:
        print(f"headrace index: {archive} has no samples", file=sys.stderr)
        return 1
    try:
        with open(target, "w", encoding="utf-8", errors="surrogateescape", newline="\n") as f:
            f.write(f"v1.2 {len(lines)}\n" + "".join(line + "\n" for line in lines))
    except OSError as e:
        print(f"headrace index: {e}", file=sys.stderr)
        return 1
    if as_json:
        print(json.dumps({"archive": archive, "index": target, "samples": len(lines),
                          "left_out": left_out}))
    return 0
