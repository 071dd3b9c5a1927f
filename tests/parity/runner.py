"""Runs cases on one module and writes what came out.

    python runner.py MODULE CASES.json RESULTS.jsonl [FIRST]

MODULE is the importable name of a package with the dynamic-mode API. Results are written one line
a case and flushed, so that a crash tells which case it was and the rest can be run afterwards.
Only numpy is needed; the peer and Headrace are never in the same process.
"""
import base64
import enum
import importlib
import json
import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.modules["ml_dtypes"] = None  # so that bfloat16 answers the same with it installed and without
import numpy as np  # noqa: E402

from parity import inputs  # noqa: E402


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def pack(a):
    a = np.asarray(a)
    little = a.astype(a.dtype.newbyteorder("<"), copy=False)
    return {"np": a.dtype.str.lstrip("<>|="), "shape": list(a.shape),
            "data": base64.b64encode(little.tobytes()).decode()}


def describe(m, v):
    """Any result as plain data. Results are evaluated before their layout is read."""
    if isinstance(v, m.Tensor):
        v.evaluate()
        return {"kind": "tensor", "dtype": str(v.dtype), "layout": v.layout,
                "device": str(v.device), "samples": [pack(np.asarray(v))]}
    if isinstance(v, m.Batch):
        v.evaluate()
        samples = [pack(np.asarray(v.tensors[i])) for i in range(v.batch_size)]
        return {"kind": "batch", "dtype": str(v.dtype), "layout": v.layout,
                "device": str(v.device), "samples": samples}
    if isinstance(v, (list, tuple)):
        return {"kind": type(v).__name__ if type(v) in (list, tuple) else "tuple",
                "items": [describe(m, i) for i in v]}
    if isinstance(v, dict):
        return {"kind": "dict", "items": [[str(k), describe(m, i)] for k, i in sorted(v.items())]}
    return _describe_small(m, v)


def _describe_small(m, v):
    if isinstance(v, (m.DType, m.Device)):
        return {"kind": type(v).__name__, "text": repr(v)}
    if isinstance(v, m.random.RNG):
        return {"kind": "RNG", "text": str(v.state)}
    if isinstance(v, np.ndarray):
        return {"kind": "ndarray", "samples": [pack(v)]}
    if isinstance(v, enum.Enum) or hasattr(type(v), "__members__"):
        value = v.value if isinstance(v.value, int) else int(v)
        return {"kind": "enum", "type": type(v).__name__, "name": v.name, "value": value}
    if isinstance(v, type):
        return {"kind": "type", "text": v.__name__}
    if v is None or isinstance(v, (bool, int, str)):
        return {"kind": type(v).__name__, "value": v}
    if isinstance(v, float):
        return {"kind": "float", "value": v.hex()}
    return {"kind": "object", "text": type(v).__name__}


def run_reader(m, types, case):
    """Makes the case's files in a fresh folder, a reader over them, and takes the steps."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in case["files"].items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as f:
                f.write(text.replace("{root}", root).encode("latin-1"))
        args = _rooted(case["args"], root)
        built = {k: inputs.build(m, types, v) for k, v in args.items()}
        reader = find(m, case["op"])(**built)
        return [describe(m, _reader_step(reader, step)) for step in case["steps"]]


def _rooted(value, root):
    if isinstance(value, str):
        return value.replace("{root}", root)
    if isinstance(value, list):
        return [_rooted(v, root) for v in value]
    if isinstance(value, dict) and "kind" not in value:
        return {k: _rooted(v, root) for k, v in value.items()}
    return value


def _step_items(item):
    return item if isinstance(item, dict) else tuple(item)


def _reader_step(reader, step):
    what, args = step[0], step[1]
    if what == "epoch":
        return [_step_items(item) for item in reader.next_epoch(**args)]
    if what == "call":
        return reader(**args)  # a dict, a tuple, or a single output
    if what == "metadata":
        return dict(reader.get_metadata(**args))
    if what == "break":
        return tuple(next(iter(reader.next_epoch(**args))))
    raise ValueError("unknown step %r" % (what,))


def run_call(m, types, case):
    built = [inputs.build(m, types, s) for s in case["inputs"]]
    args = {k: inputs.build(m, types, v) for k, v in case["args"].items()}
    rng = None
    if "seed" in case:
        rng = args["rng"] = m.random.RNG(seed=case["seed"])
    out = describe(m, find(m, case["op"])(*built, **args))
    return out, str(rng.state) if rng is not None else None


def run_case(m, types, case):
    try:
        if "code" in case:
            value = eval(case["code"], {"m": m, "types": types, "np": np})
            out, state = describe(m, value), None
        elif "steps" in case:
            out, state = {"kind": "list", "items": run_reader(m, types, case)}, None
        else:
            out, state = run_call(m, types, case)
    except Exception as e:
        # Packages differ in where an exception type lives; its own name is what users catch.
        text = str(e) if e.__cause__ is None else "%s <- %s" % (e, e.__cause__)
        bases = [t.__name__ for t in type(e).__mro__ if t not in (object, BaseException, Exception)]
        return {"error": type(e).__name__, "bases": bases, "message": text[:400]}
    result = {"value": out}
    if state is not None:
        result["rng"] = state
    return result


def main():
    name, source, target = sys.argv[1:4]
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    warnings.simplefilter("ignore")
    m = importlib.import_module(name)
    types = importlib.import_module("nvidia.dali.types") if name.startswith("nvidia") else m.types
    with open(source, encoding="utf-8") as f:
        cases = json.load(f)
    with open(target, "a", encoding="utf-8") as f:
        for case in cases[first:]:
            f.write(json.dumps(run_case(m, types, case)) + "\n")
            f.flush()


if __name__ == "__main__":
    main()
