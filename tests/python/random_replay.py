"""Random calls and their recorded answers (tests/data/random_vectors.json): making and replaying.

    python tests/python/random_replay.py MODULE [FILE]

runs the calls that FILE lists with MODULE (headrace, or the peer's dynamic package) and writes
the answers back to FILE.

A file holds `draws` (words of a seeded generator), `skips` (states before and after) and `calls`.
A call's outputs are kept as [type, shapes, bits]. Bits are the little-endian bytes of all samples
in base64, or `sha256:` and their digest where there are many.
"""
import base64
import hashlib
import importlib
import json
import os
import sys

import numpy as np

FILE = os.path.join(os.path.dirname(__file__), "..", "data", "random_vectors.json")
N_DRAWS = 12
LONGEST = 4000  # bytes kept as they are


def load(path=FILE):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def draws(module, seed):
    """The first words of a generator, and its state after them."""
    rng = module.random.RNG(seed=int(seed))
    return [rng() for _ in range(N_DRAWS)], str(rng.state)


def skip(module, state, n):
    """The state after skipping n words, the next word, and the state after that."""
    rng = module.random.RNG(state=state)
    rng.advance(int(n))
    after = str(rng.state)
    return after, rng(), str(rng.state)


def bits(samples):
    raw = b"".join(s.astype(s.dtype.newbyteorder("<")).tobytes() for s in samples)
    if len(raw) > LONGEST:
        return "sha256:" + hashlib.sha256(raw).hexdigest()
    return base64.b64encode(raw).decode("ascii")


def describe(output):
    single = not hasattr(output, "batch_size")
    samples = ([np.asarray(output)] if single
               else [np.asarray(output.select(i)) for i in range(output.batch_size)])
    shapes = [list(s.shape) for s in samples]
    if len(shapes) > 1 and all(s == shapes[0] for s in shapes):
        shapes = {"n": len(shapes), "each": shapes[0]}
    return [str(samples[0].dtype), shapes, bits(samples)]


def call(module, entry):
    """Outputs of a call, and the generator's state after it."""
    fn = module
    for part in entry["op"].split("."):
        fn = getattr(fn, part)
    rng = module.random.RNG(seed=entry["seed"])
    rng.advance(entry.get("pre", 0))
    args = {k: getattr(module, v) if k == "dtype" else v for k, v in entry["args"].items()}
    inputs = []
    if "input" in entry:
        spec = entry["input"]
        inputs = [module.as_batch([np.array(x, spec["dtype"]) for x in spec["samples"]],
                                  layout=spec.get("layout"))]
    if "batch" in entry:
        args["batch_size"] = entry["batch"]
    out = fn(*inputs, rng=rng, **args)
    outs = out if isinstance(out, tuple) else (out,)
    return [describe(o) for o in outs], str(rng.state)


def record(module, doc):
    for d in doc["draws"]:
        d["words"], d["after"] = draws(module, d["seed"])
    for s in doc["skips"]:
        s["state"], s["next"], s["after"] = skip(module, s["before"], s["n"])
    for entry in doc["calls"]:
        entry["outputs"], entry["after"] = call(module, entry)


def save(doc, path):
    with open(path, "w", encoding="utf-8") as f:
        f.write("{\n")
        for i, (key, rows) in enumerate(doc.items()):
            lines = ",\n".join("  " + json.dumps(r, separators=(",", ":")) for r in rows)
            f.write(' "%s": [\n%s\n ]%s\n' % (key, lines, "," if i + 1 < len(doc) else ""))
        f.write("}\n")


def main():
    path = sys.argv[2] if len(sys.argv) > 2 else FILE
    doc = load(path)
    record(importlib.import_module(sys.argv[1]), doc)
    save(doc, path)


if __name__ == "__main__":
    main()
