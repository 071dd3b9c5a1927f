"""Inputs of parity cases, made from plain descriptions.

The numbers come from a mixer of our own (the finaliser of SplitMix64), not from numpy.random, so
that every numpy version on either side makes the same bytes.
"""
import base64
import importlib

import numpy as np

_MIX = [np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

EDGES = {
    "f": [0.0, -0.0, 0.25, 0.5, -0.5, 1.5, 2.5, -2.5, 127.5, 128.5, 254.5, 255.5, 256.0, -129.0,
          32767.5, 40000.0, -65504.0, 65504.0],
    "wide": [2147483647.0, 2147483648.0, -2147483649.0, 4294967296.0, 1e10, -1e10, 9.3e18, -9.3e18,
             1.9e19, 1e30],
}


def words(n, seed):
    """n 64-bit words that depend on the seed alone."""
    with np.errstate(over="ignore"):
        z = np.arange(1, n + 1, dtype=np.uint64) * _GOLDEN
        z += np.uint64(seed * 0x2545F4914F6CDD1D % 2**64)
        z = (z ^ (z >> np.uint64(30))) * _MIX[0]
        z = (z ^ (z >> np.uint64(27))) * _MIX[1]
    return z ^ (z >> np.uint64(31))


def _edges(dtype):
    if dtype.kind == "b":
        return [False, True]
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [0, 1, 2, 127, 128, 254, 255, 256, 32767, 65535, 2**24 + 1]
        low = [info.min, info.min + 1, -1, -128]
        return [v for v in low + near + [info.max - 1, info.max] if info.min <= v <= info.max]
    if dtype.itemsize == 2:
        return EDGES["f"]
    return EDGES["f"] + EDGES["wide"]


def array(spec, index=0):
    """One numpy array: shape, dtype, and how it is filled."""
    dtype = np.dtype(spec.get("dtype", "uint8"))
    if "value" in spec:
        return np.array(spec["value"], dtype=dtype)
    shape = tuple(spec["shape"])
    n = int(np.prod(shape, dtype=np.int64))
    fill = spec.get("fill", "random")
    if fill == "ramp":
        return (np.arange(n) % 251).astype(dtype).reshape(shape)
    if fill == "edges":
        pool = _edges(dtype)
        return np.array([pool[i % len(pool)] for i in range(n)], dtype=dtype).reshape(shape)
    if isinstance(fill, (int, float)):
        return np.full(shape, fill, dtype=dtype)
    if fill != "random":
        raise ValueError("unknown fill %r" % (fill,))
    w = words(n, spec.get("seed", 1) * 1000 + index)
    if dtype.kind == "f":
        unit = (w >> np.uint64(11)).astype(np.float64) * 2.0**-53
        low, high = spec.get("range", [-1.0, 1.0])
        return (low + unit * (high - low)).astype(dtype).reshape(shape)
    if dtype.kind == "b":
        return (w & np.uint64(1)).astype(bool).reshape(shape)
    if "range" in spec:
        low, high = spec["range"]
        return (low + (w % np.uint64(high - low)).astype(np.int64)).astype(dtype).reshape(shape)
    return w.astype(dtype).reshape(shape)


def strided(a, how):
    """The same values behind strides that are not those of a packed array."""
    if how == "reversed":
        return np.ascontiguousarray(a[::-1])[::-1]
    if how == "transposed":
        return np.ascontiguousarray(a.T).T
    if how == "stepped":
        wide = np.zeros((a.shape[0] * 2,) + a.shape[1:], a.dtype)
        wide[::2] = a
        return wide[::2]
    raise ValueError("unknown stride kind %r" % (how,))


def _samples(spec):
    if "bytes" in spec:
        return [np.frombuffer(base64.b64decode(s), dtype=np.uint8) for s in spec["bytes"]]
    if "values" in spec:
        return [np.array(v, dtype=np.dtype(spec["dtype"])) for v in spec["values"]]
    out = []
    for i, shape in enumerate(spec["shapes"]):
        out.append(array(dict(spec, shape=shape), i))
    return out


def build(module, types, spec):
    """A value of a case: plain data stays, a dict with a `kind` is made."""
    if isinstance(spec, list):
        return [build(module, types, s) for s in spec]
    if not isinstance(spec, dict):
        return spec
    kind = spec["kind"]
    if kind == "dtype":
        return getattr(module, spec["name"])
    if kind == "type":
        return getattr(types, spec["name"])
    if kind == "np_dtype":
        return np.dtype(spec["name"])
    if kind == "features":
        tf = importlib.import_module(
            "nvidia.dali.tfrecord" if module.__name__.startswith("nvidia") else "headrace.tfrecord")
        return {name: getattr(tf, words[0])(*(getattr(tf, w) if w in ("int64", "float32", "string") else w
                                              for w in words[1:]))
                for name, words in spec["items"].items()}
    if kind == "scalar":
        return np.dtype(spec["dtype"]).type(spec["value"])
    if kind == "layoutless_list":
        return [s for s in _samples(spec)]
    if kind == "array":
        a = array(spec)
        return strided(a, spec["stride"]) if "stride" in spec else a
    if kind == "tensor":
        a = _samples(spec)[0] if "bytes" in spec else array(spec)
        return module.tensor(a, layout=spec.get("layout"))
    if kind == "batch":
        samples = _samples(spec)
        if not samples:
            return module.batch([], dtype=getattr(module, spec["dtype"]))
        return module.batch(samples, layout=spec.get("layout"))
    raise ValueError("unknown kind %r" % (kind,))
