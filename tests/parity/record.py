"""Records what the peer makes of the cases, as small files for test_recorded.py.

    HEADRACE_PEER_PYTHON=/venv/bin/python python tests/parity/record.py [OPERATOR...]

Writes tests/data/parity/<operator>.json.gz (cases with their encoded pictures, and results; long
results of exact cases as hashes) and tests/data/parity/peer_arguments.json. Needs numpy and
Pillow here, and the peer at HEADRACE_PEER_PYTHON. Two recordings are the same, byte for byte.
"""
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from parity import compare, drive, pictures  # noqa: E402

KEEP_BYTES = 192       # of an exact sample; longer ones are stored as a hash
SKIP_BYTES = 8 << 10   # results longer than this with a tolerance are left to the live suite


def shorten(rule, value):
    """A described result with the data of long exact samples replaced by hashes."""
    out = dict(value)
    if "items" in value:
        out["items"] = [[i[0], shorten(rule, i[1])] if value["kind"] == "dict"
                        else shorten(rule, i) for i in value["items"]]
    if "samples" in value and rule in ("exact", "shape"):
        out["samples"] = [_hashed(s) for s in value["samples"]]
    return out


def _hashed(sample):
    if len(sample["data"]) * 3 // 4 <= KEEP_BYTES:
        return sample
    return {"np": sample["np"], "shape": sample["shape"], "hash": compare.digest(sample)}


def entry(case, result, base):
    """The recorded form of one case, or None where it is left to the live suite. `base` is the
    peer's result of the case that this one must repeat."""
    if case.get("alone"):
        return None
    if "error" in result:
        # Messages hold folders and addresses; the type is what is compared.
        return {"case": case, "result": {"error": result["error"]}}
    if case["rule"] == "distribution":
        return None
    if base is not None and base == result:
        return {"case": case, "result": {"like": case["like"]}}
    result = dict(result, value=shorten(case["rule"], result["value"]))
    if len(json.dumps(result)) > SKIP_BYTES:
        return None
    return {"case": case, "result": result}


def write(path, rows):
    text = "\n".join(json.dumps(r, sort_keys=True, separators=(",", ":")) for r in rows) + "\n"
    with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(text.encode())


def main():
    python = os.environ.get("HEADRACE_PEER_PYTHON")
    if not python:
        sys.exit("set HEADRACE_PEER_PYTHON to a Python with nvidia-dali-cuda120 2.4.0")
    os.makedirs(drive.DATA, exist_ok=True)
    total = 0
    chosen = sys.argv[1:]
    for op, cases in drive.tables().items():
        if chosen and op not in chosen:
            continue
        # Sweeps are large; they are for the live suite.
        cases = [pictures.resolve(c) for c in cases if "/sweep/" not in c["name"]]
        results = drive.run(python, drive.PEER, cases)
        by_name = {c["name"]: r for c, r in zip(cases, results)}
        rows = [entry(c, r, by_name.get(c.get("like"))) for c, r in zip(cases, results)]
        rows = [r for r in rows if r]
        path = os.path.join(drive.DATA, op + ".json.gz")
        write(path, rows)
        total += os.path.getsize(path)
        print("%-28s %4d of %4d cases, %6d bytes" % (op, len(rows), len(cases),
                                                     os.path.getsize(path)))
    print("total %d bytes" % total)
    write_arguments(python, chosen)


def write_arguments(python, chosen):
    """peer_arguments.json: all of it, or the rows of the chosen operators in the present one."""
    table = os.path.join(drive.DATA, "peer_arguments.json")
    now = table + ".new"
    subprocess.run([python, os.path.join(drive.HERE, "signatures.py"), drive.PEER, now],
                   check=True)
    if chosen:
        with open(table, encoding="utf-8") as f, open(now, encoding="utf-8") as g:
            old, new = json.load(f), json.load(g)
        old["operators"].update({op: new["operators"][op] for op in chosen
                                 if op in new["operators"]})
        with open(now, "w", encoding="utf-8") as f:
            json.dump(old, f, indent=0, sort_keys=True)
            f.write("\n")
    os.replace(now, table)


if __name__ == "__main__":
    main()
