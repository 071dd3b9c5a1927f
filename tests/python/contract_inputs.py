"""Inputs and calls for the contract tests, made from an operator's descriptor alone.

A place is a layout, a rank ("3d"), a kind of file or "none"; with a dtype it makes a Row: samples
of unequal extents and the arguments of the descriptor's example.
"""
import ast
import atexit
import functools
import io
import itertools
import os
import shutil
import tempfile

import numpy as np

import headrace as hr
from headrace import _core

OPS = dict(_core.ops)
N = 3  # samples a row
EXTENTS = {"H": (6, 9, 4), "W": (5, 4, 7), "D": (3, 2, 4), "F": (2, 3, 1), "C": (3, 3, 3)}
REFUSALS = (TypeError, ValueError, NotImplementedError, OverflowError, IndexError)


def example(info):
    """The example's positional and named values."""
    call = ast.parse(f"f({info['example']})", mode="eval").body
    named = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    named.pop("batch_size", None)
    return [ast.literal_eval(a) for a in call.args], named


def array(shape, dtype, seed, is_first=True):
    """A Tensor of reproducible values that use the type's range. Those of further inputs are small
    and positive: they may be divisors or exponents."""
    rng = np.random.default_rng(seed)
    info = next(d for d in DTYPES if dtype in (d["name"], d["numpy"]))
    if not is_first:
        data = rng.integers(1, 5, shape).astype(np.int32)
        if info["kind"] == "bool":
            data = data > 0
    elif info["kind"] in ("signed", "unsigned"):
        limits = np.iinfo(info["numpy"])
        data = rng.integers(limits.min, limits.max, shape, info["numpy"], endpoint=True)
    elif info["kind"] == "bool":
        data = rng.integers(0, 2, shape).astype(bool)
    elif info["kind"] == "enum":
        data = rng.integers(0, 4, shape).astype(np.int32)
    else:
        data = (rng.standard_normal(shape) * 50).astype(np.float32)
    return hr.as_tensor(np.asarray(data), dtype=info["dtype"])


def _dtypes():
    out = []
    for name in ("uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 bool "
                 "bfloat16 DataType ImageType InterpType").split():
        dtype = getattr(hr, name)
        out.append({"name": name, "dtype": dtype, "kind": dtype.kind.name,
                    "numpy": name if dtype.kind.name in ("signed", "unsigned") else None})
    return out


DTYPES = _dtypes()


@functools.cache
def files():
    """Encoded samples, by kind: pictures, arrays, and paths of files that are there."""
    return {**pictures(), "npy": arrays(), "path": paths()}


KINDS = {"decoders.numpy": ["npy"], "io.file.read": ["path"]}  # the others take pictures


def arrays():
    def save(array):
        out = io.BytesIO()
        np.save(out, array)
        return hr.as_tensor(np.frombuffer(out.getvalue(), np.uint8))

    return [save(np.arange(n * 3, dtype=np.uint8).reshape(n, 3)[:, :m]) for n, m in
            ((4, 3), (2, 2), (5, 1))]


def paths():
    folder = tempfile.mkdtemp(prefix="headrace-contract-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    out = []
    for i, size in enumerate((10, 1, 3000)):
        path = os.path.join(folder, f"file {i}")
        with open(path, "wb") as f:
            f.write(bytes(range(i, i + 5)) * (size // 5) or b"x")
        out.append(hr.as_tensor(np.frombuffer(os.fsencode(path), np.uint8)))
    return out


@functools.cache
def pictures():
    from PIL import Image

    def save(kind, mode, size, **options):
        w, h = size
        pixels = np.random.default_rng(w).integers(0, 255, (h, w, 3), np.uint8)
        out = io.BytesIO()
        Image.fromarray(pixels).convert(mode).save(out, kind, **options)
        return hr.as_tensor(np.frombuffer(out.getvalue(), np.uint8))

    sizes = [(19, 14), (40, 9), (8, 33)]
    return {
        "jpeg": [save("JPEG", "RGB", s) for s in sizes],
        "jpeg-gray": [save("JPEG", "L", s) for s in sizes],
        "jpeg-progressive": [save("JPEG", "RGB", s, progressive=True) for s in sizes],
        "png": [save("PNG", "RGB", s) for s in sizes],
        "png-alpha": [save("PNG", "RGBA", s) for s in sizes],
        "png-palette": [save("PNG", "P", s) for s in sizes],
    }


class Row:
    """Samples of one dtype at one place, and what to call the operator with."""

    def __init__(self, op, samples, named):
        self.op, self.samples, self.named = op, samples, named

        info = describe(op)
        self.is_always_batch = info["batchwise"] and not info["ins"]

    def arguments(self, **more):
        """The row's arguments with `more`; random operators get a generator of a fixed seed."""
        named = {**self.named, **more}
        if describe(self.op)["random"]:
            named.setdefault("rng", hr.random.RNG(7))
        return named

    def __call__(self, i=0, **more):
        """The operator on sample i alone."""
        if self.is_always_batch:
            return self.op(**self.arguments(**{"batch_size": 1, **more})).select(0)
        return self.op(*self.samples[i], **self.arguments(**more))

    def batch(self, which=range(N), **more):
        """The operator on a batch of the chosen samples."""
        which = list(which)
        if not self.samples[0]:
            more.setdefault("batch_size", len(which))
        return self.op(*self.inputs(which), **self.arguments(**more))

    def inputs(self, which):
        return [hr.as_batch([self.samples[i][j] for i in which])
                for j in range(len(self.samples[0]))]


@functools.cache
def describe(op):
    return op.describe()


def places(op):
    """Where the operator's first input may be, in the descriptor's words."""
    info = describe(op)
    positional, _ = example(info)
    if positional:
        return ["example"]
    if not info["ins"]:
        return ["none"]
    first = info["ins"][0]
    out = ["none"] if first["optional"] else []
    if first["encoded"]:
        return out + KINDS.get(info["name"], list(pictures()))
    if first["layouts"]:
        return out + first["layouts"].split()
    low, high = first["min_ndim"], first["max_ndim"]
    return out + [f"{n}d" for n in (0, 1, 3) if not high or low <= n <= high]


def dtypes(op, place):
    info = describe(op)
    if place == "none" or not info["ins"]:
        return ["none"]
    if place in files():
        return ["uint8"]
    return info["ins"][0]["dtypes"]


def _shape(place, i, scale):
    if place.endswith("d"):
        return tuple((4 + i + axis) * scale if axis else 4 + i for axis in range(int(place[:-1])))
    return tuple(EXTENTS[letter][i] * (scale if letter in "HW" else 1) for letter in place)


def sample(info, place, dtype, i, scale):
    if place == "none":
        return []
    if place == "example":
        values, _ = example(info)
        return [hr.tensor(v, dtype=getattr(hr, dtype)) for v in values]
    if place in files():
        return [files()[place][i]]
    layout = None if place.endswith("d") else place
    needed = 1 + sum(not each["optional"] for each in info["ins"][1:])
    if info["ins"][-1]["variadic"]:
        needed += 1
    return [hr.as_tensor(array(_shape(place, i, scale), dtype, 10 * i + k, k == 0),
                         layout=layout)
            for k in range(needed)]


def argument_variants(info, place):
    """The example's arguments, and its lists in other lengths for other numbers of axes."""
    _, named = example(info)
    if place != "none" and info["ins"] and info["ins"][0]["optional"]:
        yield {}  # the input stands for an argument of the example
    yield named
    for n in (3, 1):
        yield {k: (v * 3)[:n] if isinstance(v, list) else v for k, v in named.items()}


def row(op, place, dtype, scale=1):
    """The Row, or None where the operator refuses this kind of input by a clear error."""
    info = describe(op)
    try:
        samples = [sample(info, place, dtype, i, scale) for i in range(N)]
    except OverflowError:  # the example's values do not fit this type
        return None
    for named in argument_variants(info, place):
        made = Row(op, samples, named)
        try:
            made(0)
        except REFUSALS as e:
            assert info["name"] in str(e), f"{place} {dtype}: {e}"
            continue
        return made
    return None


def rows(op, place, scale=1, limit=None):
    made = (row(op, place, d, scale) for d in dtypes(op, place))
    return list(itertools.islice(filter(None, made), limit))


def first_row(op, with_inputs=False):
    for place in places(op):
        if with_inputs and place == "none":
            continue
        found = rows(op, place, limit=1)
        if found:
            return found[0]
    return None


def bits(value):
    """Types, shapes, layouts and bytes of a Tensor, a Batch or a tuple of them."""
    if isinstance(value, tuple):
        return [bits(v) for v in value]
    if isinstance(value, hr.Batch):
        return [bits(t) for t in value.tensors]
    words = memoryview(_core.tensor_bits(value)).tobytes()
    return (value.dtype.name, value.shape, value.layout, words)


def sample_bits(value, i):
    """Those of sample i of a batch, or of each batch of a tuple."""
    if isinstance(value, tuple):
        return [bits(v.select(i)) for v in value]
    return bits(value.select(i))
