"""Looks into a repaired wheel:  python tools/check_wheel.py WHEEL

Its size, the licence, the libraries bundled with it against docs/licences.md, and that nothing lies
in it that does not belong there. Exits with 1 on the first fault.
"""
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_BYTES = 10_000_000
# headrace.libs/libjpeg-8b5ab4f9.so.62.3.0
BUNDLED = re.compile(r"headrace\.libs/(lib[a-z0-9_+]+?)(-[0-9a-f]{8})?\.so[.0-9]*$")
ALLOWED = re.compile(r"headrace/[\w./-]+\.(py|pyi|so|typed|html|css|js)$|headrace/py\.typed$"
                     r"|headrace/include/headrace/\w+\.h$|headrace-[\w.]+\.dist-info/[\w./-]+$")


def documented():
    """Library files that the table of docs/licences.md names in its first column."""
    text = (ROOT / "docs/licences.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(lib\w+)` \|", text, re.M))


def check(wheel):
    size = Path(wheel).stat().st_size
    if size >= MAX_BYTES:
        yield f"{size} bytes, at most {MAX_BYTES}"
    with zipfile.ZipFile(wheel) as z:
        names = [n for n in z.namelist() if not n.endswith("/")]
    bundled = {m[1] for m in map(BUNDLED.match, names) if m}
    for name in names:
        if not BUNDLED.match(name) and not ALLOWED.match(name):
            yield f"{name} does not belong there"
    if not any(n.endswith("licenses/LICENSE") or n.endswith("dist-info/LICENSE") for n in names):
        yield "no LICENSE"
    if not any(n.endswith("headrace/py.typed") for n in names):
        yield "no py.typed"
    if sum(n.endswith(".so") and n.startswith("headrace/") for n in names) != 1:
        yield "not one extension"
    for name in sorted(bundled - documented()):
        yield f"{name} is bundled, but docs/licences.md does not name it"
    for name in sorted(documented() - bundled):
        yield f"docs/licences.md names {name}, which is not bundled"
    print(f"wheel: {size / 1e6:.2f} MB, bundled: {', '.join(sorted(bundled))}")


def main():
    faults = list(check(sys.argv[1]))
    for fault in faults:
        print(f"wheel: FAILED: {fault}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
