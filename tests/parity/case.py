"""The words in which case tables are written. Everything a word makes is plain data (JSON)."""

INTS = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"]
FLOATS = ["float16", "float32", "float64"]
NUMBERS = INTS + FLOATS
DTYPES = NUMBERS + ["bool"]


def case(name, /, *inputs, rule="exact", seed=None, fails=False, like=None, alone=False,
         **args):
    """One call. rule: how results are compared (compare.py). seed: of the generator passed as
    rng=. fails: the peer raises. like: name of a case whose result this one must repeat (hints).
    alone: the peer reads or writes outside of its buffers here, so the case runs in a process of
    its own, and what comes out is not recorded."""
    out = {"name": name, "inputs": list(inputs), "args": args, "rule": rule}
    for key, value in (("seed", seed), ("fails", fails), ("like", like), ("alone", alone)):
        if value is not None and value is not False:
            out[key] = value
    return out


def wrong(name, /, *inputs, **args):
    """A call that the peer refuses."""
    return case("wrong/" + name, *inputs, fails=True, **args)


def code(name, text, fails=False, rule="exact"):
    """An expression over `m` (the package), `types`, `np`; for what is not an operator."""
    out = {"name": name, "code": text, "rule": rule, "inputs": [], "args": {}}
    if fails:
        out["fails"] = True
    return out


def batch(*shapes, **spec):
    return dict(spec, kind="batch", shapes=[list(s) for s in shapes])


def tensor(*shape, **spec):
    return dict(spec, kind="tensor", shape=list(shape))


def array(*shape, **spec):
    return dict(spec, kind="array", shape=list(shape))


def per_sample(*values, dtype="float32"):
    """An argument with one value a sample."""
    return {"kind": "batch", "values": list(values), "dtype": dtype}


def tensor_of(value, dtype="float32", layout=None):
    return {"kind": "tensor", "value": value, "dtype": dtype, "layout": layout}


def array_of(value, dtype="float32"):
    return {"kind": "array", "value": value, "dtype": dtype}


def scalar(value, dtype):
    return {"kind": "scalar", "value": value, "dtype": dtype}


def dt(name):
    return {"kind": "dtype", "name": name}


def ty(name):
    return {"kind": "type", "name": name}


def pictures(*specs):
    """Encoded images; made by pictures.py before a case is run."""
    return {"kind": "batch", "pictures": list(specs)}


def picture(spec):
    return {"kind": "tensor", "pictures": [spec]}


def dice(seed):
    """A small generator of our own (a multiplicative congruence), for sweeps over many calls:
    dice(seed)(n) is below n."""
    state = [(2 * seed + 1) * 1181783497276652981 % 2**64]

    def below(n):
        state[0] = state[0] * 2862933555777941757 % 2**64
        return (state[0] >> 33) % n

    return below


def device_cases(*inputs, **args):
    """The two common arguments that are no operator's own, right and wrong."""
    first = inputs[0] if inputs and isinstance(inputs[0], dict) else {}
    size = len(first["shapes"]) if "shapes" in first else 3
    return [
        case("device-cpu", *inputs, device="cpu", **args),
        case("batch-size-%d" % size, *inputs, batch_size=size, **args),
        wrong("device-gpu", *inputs, device="gpu", **args),
        wrong("device-unknown", *inputs, device="tpu", **args),
        wrong("device-type", *inputs, device=5, **args),
        wrong("batch-size-negative", *inputs, batch_size=-2, **args),
        wrong("batch-size-text", *inputs, batch_size="a", **args),
        wrong("batch-size-fraction", *inputs, batch_size=1.5, **args),
        wrong("unknown-argument", *inputs, no_such_argument=1, **args),
    ]
