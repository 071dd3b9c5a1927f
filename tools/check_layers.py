"""Checks the order of dependence between the rooms by reading the #include lines.

    python tools/check_layers.py [ROOT]

Prints each include that points upward or sideways; exits with 1 if there is one. A room may
include itself and the rooms that ROOMS lists for it. The rooms of operators (array, image,
random, io) never include one another, and nothing under src includes Python.h.
"""
import re
import sys
from pathlib import Path

ROOMS = {
    "core": {"kernels"},  # the tables that a CPU level picks; kernels know nothing of the core
    "kernels": set(),
    "rng": {"core"},
    "array": {"core", "kernels", "rng"},
    "image": {"core", "kernels", "rng"},
    "random": {"core", "kernels", "rng"},
    "io": {"core", "kernels", "rng"},
    "pipeline": {"core", "kernels", "rng"},
    "graphs": {"core"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
PUBLIC = "headrace/"
GENERATED = {"ops_list.h", "readers_list.h", "codecs_list.h"}


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == "<", match[2]


def target_room(src, path, name):
    """Room that a quoted include lies in; None for a generated list or a file of no room."""
    for base in (src, path.parent):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(src.resolve()).parts[0]
    return None


def check_source(src, path):
    room = path.relative_to(src).parts[0]
    if room not in ROOMS:
        yield 1, f"room {room} is not in the order of dependence"
        return
    for number, is_system, name in includes(path):
        if name.split("/")[-1] == "Python.h":
            yield number, "the core knows no Python"
        elif is_system or name.startswith(PUBLIC) or name in GENERATED:
            continue
        else:
            to = target_room(src, path, name)
            if to is None:
                yield number, f'"{name}" is no file of src'
            elif to != room and to not in ROOMS[room]:
                yield number, f'{room} must not include {to} ("{name}")'


def check_public(include, path):
    for number, is_system, name in includes(path):
        if not is_system:
            yield number, f'public headers include <headrace/...>, not "{name}"'
        elif name.startswith(PUBLIC) and not (include / name).is_file():
            yield number, f"<{name}> is no public header"


def check_extension(root, path):
    for number, is_system, name in includes(path):
        if is_system or (path.parent / name).is_file():
            continue
        if (root / "src" / name).is_file() and not name.startswith(("core/", "pipeline/")):
            yield number, f'the extension uses the public headers, core and pipeline, not "{name}"'


def problems(root):
    found = []
    checks = [("src", lambda p: check_source(root / "src", p)),
              ("include", lambda p: check_public(root / "include", p)),
              ("python/ext", lambda p: check_extension(root, p))]
    for folder, check in checks:
        for path in sorted((root / folder).rglob("*.[ch]")):
            found += [f"{path.relative_to(root)}:{n}: {text}" for n, text in check(path)]
    return found


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent)
    found = problems(root)
    print("\n".join(found) if found else "layers: in order")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
