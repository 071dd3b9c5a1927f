"""Checks the house rules that a program can check.

    python tools/check_house.py [-v] [ROOT]

Errors: a file over its lines (C 700, Python 400, its tests 700), a function over 70 lines, a line
over 110 columns, trailing blanks, tabs, a missing last newline, notes to oneself, paths of one
machine, a file name used twice under src, an exception that is no longer needed. Functions over 40
lines are counted as warnings (-v lists them). Exits with 1 on errors.
"""
import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

COLUMNS, TABLE_COLUMNS = 110, 125  # tests and tools have tables of cases
LINES = {".c": 700, ".h": 700, ".py": 400}
TEST_LINES = 700  # a Python test file
FUNCTION_LINES, FUNCTION_WARNING = 70, 40
# Words in two parts, so that this file does not match itself.
NOTE = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
MACHINE = re.compile(r"(?<![\w./-])/(wo" r"rk|ro" r"ot|ho" r"me/\w+|tm" r"p/pe" r"er)\b")

# (file, rule): why it may. Rules: lines, function NAME, columns, note, machine, tabs.
EXCEPTIONS = {}
TEXT = {".c", ".h", ".py", ".pyi", ".md", ".toml", ".sh", ".build", ".options", ".list", ".in",
        ".txt", ".yml", ".cff", ".html", ".css", ".js", ""}
DATA = ("tests/data/", "fuzz/corpus/")


def files(root):
    """What git knows or would add; everything where there is no git."""
    try:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        out = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
        names = out.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        names = [str(p.relative_to(root)) for p in root.rglob("*")]
    for name in sorted(set(names)):
        path = root / name
        if name and path.is_file() and path.suffix in TEXT and not name.startswith(DATA):
            yield name, path.read_text(encoding="utf-8", errors="replace")


BEFORE = re.compile(r"[}#/]|.*[;}*/]$")  # what stands before a function's head


def c_functions(text):
    """(name, first line, lines) of each function: a body that opens and closes in column one."""
    lines, start = text.split("\n"), None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            head = start - 1
            while head > 0 and lines[head - 1] and not BEFORE.match(lines[head - 1]):
                head -= 1
            name = re.search(r"(\w+)\s*\(", " ".join(lines[head:start]))
            yield name[1] if name else "?", head + 1, i - head + 1
            start = None


def python_functions(text, name):
    for node in ast.walk(ast.parse(text, name)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - node.lineno + 1


def function_lengths(name, text):
    if name.endswith((".c", ".h")):
        return c_functions(text)
    return python_functions(text, name) if name.endswith(".py") else []


def check_lines(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        most = TABLE_COLUMNS if name.startswith(("tests/", "tools/")) else COLUMNS
        if len(line) > most and not name.endswith((".md", ".html")):
            yield "columns", number, f"{len(line)} columns, at most {most}"
        if line != line.rstrip():
            yield "blanks", number, "blanks at the end of the line"
        if "\t" in line and Path(name).name != "Makefile":
            yield "tabs", number, "a tab"
        if NOTE.search(line):
            yield "note", number, f"a note to oneself: {NOTE.search(line)[0]}"
        if MACHINE.search(line):
            yield "machine", number, f"a path of one machine: {MACHINE.search(line)[0]}"


def check_file(name, text):
    """Yields (rule, line, words)."""
    count, limit = text.count("\n"), LINES.get(Path(name).suffix)
    if name.endswith(".py") and name.startswith("tests/"):
        limit = TEST_LINES
    if limit and count > limit:
        yield "lines", 1, f"{count} lines, at most {limit}"
    if text and not text.endswith("\n"):
        yield "newline", count + 1, "the last line has no end"
    yield from check_lines(name, text)
    for function, line, length in function_lengths(name, text):
        if length > FUNCTION_LINES:
            yield f"function {function}", line, f"{function} has {length} lines, at most 70"


def check_names(names):
    seen = defaultdict(list)
    for name in names:
        if name.startswith("src/") and name.endswith((".c", ".h")):
            seen[Path(name).name].append(name)
    for name, places in seen.items():
        if len(places) > 1 and not is_pair_of_levels(places):
            yield f"{places[0]}:1: the name {name} is used again: {', '.join(places[1:])}"


def is_pair_of_levels(places):
    """A kernel family bears the name of the operator that it serves: one of two is in kernels."""
    return len(places) == 2 and sum(p.startswith("src/kernels/") for p in places) == 1


def problems(root):
    """Errors, warnings."""
    errors, warnings, used, names = [], [], set(), []
    for name, text in files(root):
        names.append(name)
        for rule, line, words in check_file(name, text):
            if (name, rule) in EXCEPTIONS:
                used.add((name, rule))
            else:
                errors.append(f"{name}:{line}: {words}")
        for function, line, length in function_lengths(name, text):
            if FUNCTION_WARNING < length <= FUNCTION_LINES:
                warnings.append(f"{name}:{line}: {function} has {length} lines")
    errors += check_names(names)
    errors += [f"{name}:1: the exception for {rule!r} is not needed any more"
               for name, rule in sorted(EXCEPTIONS.keys() - used)]
    return errors, warnings


def main():
    places = [a for a in sys.argv[1:] if a != "-v"]
    errors, warnings = problems(Path(places[0] if places else Path(__file__).parent.parent))
    if "-v" in sys.argv:
        print("\n".join(warnings))
    print("\n".join(errors) if errors else "house: in order")
    if warnings:
        print(f"({len(warnings)} functions over {FUNCTION_WARNING} lines)")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
