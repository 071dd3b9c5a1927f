"""Writes the manual page of a public header, or the overview, from the headers' own comments.

    python tools/make_man.py VERSION include/headrace/codec.h OUT     headrace_codec(3)
    python tools/make_man.py VERSION include/headrace/headrace.h OUT  headrace(3): lists the others

The build runs it, so that a page says what the header says. Needs nothing but Python.
"""
import pathlib
import re
import sys

DATE = "2026-12-01"  # of the release: pages are the same whenever they are built
TOKEN = re.compile(r"/\*.*?\*/|^[ \t]*#(?:[^\n\\]|\\\n|\\.)*|\{|\}|;|[^/{};#\n]+|.|\n", re.S | re.M)
SECTION = re.compile(r"^-{3,} *(.*?) *-{3,}$", re.S)


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("`", "\\(ga").replace("~", "\\(ti")
    text = text.replace("…", "...")
    return re.sub(r"(?m)^([.\\]\(aq|\.)", r"\\&\1", text)


def words(comment):
    """A comment's text without the stars at its edges, in one line a paragraph."""
    lines = [re.sub(r"^\s*\* ?", "", line) for line in comment.strip()[2:-2].split("\n")]
    return "\n".join(line.rstrip() for line in lines).strip()


def pieces(source):
    """(kind, text, comment) of each section title, type or macro, and function, in order."""
    comment, code, depth, last = "", "", 0, None
    for token in TOKEN.findall(source):
        bare = token.strip()
        if bare.startswith("/*") and depth == 0 and not code.strip():
            if last and "\n" not in code:  # on the line of the declaration before
                last[2] = (last[2] + "\n" + words(bare)).strip()
                continue
            section = SECTION.match(words(bare).split("\n")[0])
            if section:
                if last:
                    yield last
                last = None
                yield "section", section[1], ""
                comment = "\n".join(words(bare).split("\n")[1:])
            else:
                comment = words(bare)
            continue
        if bare.startswith("#") and depth == 0 and not code.strip():
            if re.match(r"#\s*define\s+HR_\w+_H\b", bare) or not re.match(r"#\s*define", bare):
                comment = comment if bare.startswith("#if") else ""
                continue
            if not re.match(r"#\s*define HR_(API|CHECKED|PRINTF)\b", bare):
                if last:
                    yield last
                last = ["type", bare, comment]
            comment = ""
            continue
        code += token
        depth += (token == "{") - (token == "}")
        if depth < 0 or code.strip() == 'extern "C" {':
            code, depth = "", 0
        elif depth == 0 and (token == ";" or (token == "}" and "inline" in code)):
            is_function = "HR_API" in code or ("inline" in code and "(" in code)
            text = re.sub(r"\b(HR_API|HR_CHECKED)\s+", "", code.strip())
            if is_function:
                text = re.sub(r"\s*HR_PRINTF\(.*\)", "", text)
                text = re.sub(r"\s*\{.*\}$", ";", text, flags=re.S)
            if last:
                yield last
            last = ["function" if is_function else "type", text, comment]
            comment, code = "", ""
    if last:
        yield last


def paragraphs(text):
    """Indented lines stay as they are; others are filled."""
    out, plain = [], True
    for line in text.split("\n"):
        indented = line.startswith(" ") and line.strip() != ""
        if indented == plain:
            out.append(".nf" if indented else ".fi")
            plain = not indented
        out.append(escape(line) if line.strip() else ".PP" if plain else ".sp")
    return out + ([] if plain else [".fi"])


def entry(text, comment):
    lines = [escape(line).replace('"', "\\(dq") for line in text.split("\n")]
    out = [".PP", ".nf", *(f'.B "{line}"' if line.strip() else ".sp" for line in lines), ".fi"]
    return out + ([".RS 4", *paragraphs(comment), ".RE"] if comment else [])


def first_sentence(text):
    line = text.replace("\n", " ").partition(". ")[0].rstrip(".:")
    return line.partition(": ")[0] if len(line) > 90 else line


def about(source):
    """The header's first comment."""
    return words(re.match(r"/\*.*?\*/", source, re.S)[0])


def title(name, version):
    return [f'.TH {name.upper()} 3 {DATE} "Headrace {version}" "C library"']


def page(header, version):
    source = header.read_text(encoding="utf-8")
    text = about(source)
    name = "headrace_" + header.stem
    out = title(name, version)
    out += [".SH NAME", f"{name} \\- {escape(first_sentence(text))}", ".SH SYNOPSIS",
            f".B #include <headrace/{header.name}>", ".SH DESCRIPTION", *paragraphs(text)]
    body, latest = [], None
    for kind, code, comment in pieces(source[source.index("*/") + 2:]):
        if kind == "section":
            latest = [".SS " + escape(code[:1].upper() + code[1:])]
            continue
        body += latest or []
        latest = None
        body += entry(code, comment)
    return out + [".SH DECLARATIONS"] + body + [".SH SEE ALSO", ".BR headrace (3)"]


def overview(header, version):
    out = title("headrace", version)
    out += [".SH NAME", "headrace \\- feeds models on CPU machines", ".SH SYNOPSIS",
            ".B #include <headrace/headrace.h>", ".PP",
            ".nf", ".B cc program.c $(pkg\\-config \\-\\-cflags \\-\\-libs headrace)", ".fi", ".SH DESCRIPTION",
            "Headrace reads, decodes and transforms batches of pictures and arrays on all cores.",
            "Each concept has a header and a page; all are usable from C11 and C++17.",
            "Every function that can fail returns an", ".B hr_status",
            "and fills the caller's", ".BR hr_error ,", "which may be NULL.",
            "The library neither prints nor ends the program."]
    others = sorted(h for h in header.parent.glob("*.h") if h.stem != "headrace")
    for each in others:
        text = first_sentence(about(each.read_text(encoding="utf-8")))
        out += [".TP", f".BR headrace_{each.stem} (3)", escape(text)]
    out += [".SH ENVIRONMENT", "See", ".BR headrace (1).", ".SH SEE ALSO", ".BR headrace (1)"]
    for each in others:
        out[-1] += " ,"
        out.append(f".BR headrace_{each.stem} (3)")
    return out


def main():
    version, header, target = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    lines = overview(header, version) if header.stem == "headrace" else page(header, version)
    with open(target, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
