"""Writes the signatures of a module's operators and main classes as JSON.

    python signatures.py MODULE OUT.json

For the peer, the defaults that its schemas hold are written as well: its Python signatures say
None for every optional argument.
"""
import enum
import importlib
import inspect
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from parity import drive  # noqa: E402

FUNCTIONS = """tensor as_tensor batch as_batch Batch.broadcast random.RNG random.set_seed
random.get_default_rng EvalContext ThreadPool Device device imread dtype type_id set_num_threads
get_num_threads Tensor.to_device Tensor.torch Tensor.cpu Tensor.gpu Tensor.item Tensor.evaluate
Batch.to_device Batch.torch Batch.cpu Batch.gpu Batch.select Batch.evaluate
random.RNG.advance random.RNG.clone random.RNG.get_state random.RNG.set_state
readers.File.next_epoch readers.File.get_metadata readers.File.get_state readers.File.set_state
EvalContext.evaluate_all EvalContext.current EvalContext.default""".split()
ENUMS = {"DALIDataType": 0, "DALIImageType": 0, "DALIInterpType": 0}


def find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def plain(value):
    """A default as JSON: enumerations and dtypes as their numbers."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    number = getattr(value, "type_id", value)
    if isinstance(number, enum.Enum):
        return number.value
    try:
        return int(number)
    except (TypeError, ValueError):
        return "<%s>" % type(value).__name__


def parameters(function):
    out = []
    for p in inspect.signature(function).parameters.values():
        row = {"name": p.name, "kind": p.kind.name}
        if p.default is not p.empty:
            row["default"] = plain(p.default)
        out.append(row)
    return out


def schema_rows(schema):
    from nvidia.dali import types

    names = {n: int(v) for e in ENUMS for n, v in getattr(types, e).__members__.items()}
    out = {}
    for name in schema.GetArgumentNames():
        row = {"type": str(schema.GetArgumentType(name)).split(".")[-1],
               "per_sample": schema.IsTensorArgument(name),
               "required": not schema.IsArgumentOptional(name),
               "deprecated": schema.IsDeprecatedArg(name)}
        if schema.HasArgumentDefaultValue(name):
            text = schema.GetArgumentDefaultValueString(name)
            scope = dict(names, **{e: getattr(types, e) for e in ENUMS})
            row["default"] = plain(eval(text, {"__builtins__": {}}, scope))
        out[name] = row
    return out


def main():
    name, target = sys.argv[1:3]
    m = importlib.import_module(name)
    out = {"operators": {}, "functions": {}}
    for op in sorted(drive.tables()):
        try:
            f = find(m, op)
        except AttributeError:
            continue
        out["operators"][op] = {"parameters": parameters(f)}
        if name.startswith("nvidia"):
            out["operators"][op]["schema"] = schema_rows(f._schema)
    for each in FUNCTIONS:
        try:
            out["functions"][each] = parameters(find(m, each))
        except (AttributeError, ValueError) as e:
            out["functions"][each] = "%s: %s" % (type(e).__name__, e)
    with open(target, "w", encoding="utf-8") as f:
        json.dump(out, f, indent=0, sort_keys=True)
        f.write("\n")


if __name__ == "__main__":
    main()
