"""Cases of readers.TFRecord: features of all kinds, with an index (the peer needs one)."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python"))

import record_files  # noqa: E402
from parity.reader_cases import BATCH2, common, read, text, wrong  # noqa: E402

OP = "readers.TFRecord"
ONE = [["epoch", {}]]


def fixed(shape, kind, default=None):
    return ["FixedLenFeature", shape, kind, default]


def var(kind, default=None):
    return ["VarLenFeature", kind, default]


def features(**each):
    """Descriptions, made from the side's own tfrecord module."""
    return {"kind": "features", "items": each}


def files(messages, name="r"):
    data, index, at = b"", "", 0
    for message in messages:
        whole = record_files.record(message)
        index += "%d %d\n" % (at, len(whole))
        data, at = data + whole, at + len(whole)
    return {name: text(data), name + ".idx": index}


E = record_files.example
FIVE = files([E({"a": [i, -i], "s": [b"x" * i]}) for i in range(5)])
TWO = files([E({"a": [5, -6], "b": [1.5], "c": [b"xyz"]}),
             E({"a": [7, 2**40], "b": [-2.5], "c": [b"\0\1"]}, packed=False)])
HERE = {"path": ["{root}/r"], "index_path": ["{root}/r.idx"]}
A = features(a=fixed([2], "int64", -1))
BAD = dict(TWO, r=TWO["r"].replace("xyz", "xyy"))

CASES = common(FIVE, features=features(a=fixed([2], "int64", -1), s=fixed([], "string", "")), **HERE)
CASES += [read("hint-use_o_direct", FIVE, BATCH2, like="batches", use_o_direct=True, dont_use_mmap=True,
               features=features(a=fixed([2], "int64", -1), s=fixed([], "string", "")), **HERE)]
CASES += [
    read("fixed", TWO, ONE, features=features(a=fixed([2], "int64", -1), c=fixed([], "string", "")), **HERE),
    read("var", TWO, ONE, features=features(a=var("int64", -1), b=var("float32", 0.0)), **HERE),
    read("shape", TWO, ONE, features=features(a=fixed([1, 2], "int64", -1), b=fixed([], "float32", 0.0)),
         **HERE),
    read("partial-shape", TWO, ONE, features=features(a=["VarLenFeature", [2], "int64", -1]), **HERE),
    read("two-files", dict(TWO, **files([E({"a": [1, 2]})], "q")), ONE, features=A,
         path=["{root}/r", "{root}/q"], index_path=["{root}/r.idx", "{root}/q.idx"]),
    read("missing-default", TWO, ONE, features=features(z=fixed([], "int64", -1)), **HERE),
    read("checksum", BAD, ONE, features=A, **HERE),
    read("text-for-list", TWO, ONE, features=A, path="{root}/r", index_path="{root}/r.idx"),
    wrong("no-index", TWO, ONE, features=A, path=["{root}/r"]),
    wrong("index-length", TWO, ONE, features=A, path=["{root}/r"], index_path=["{root}/r.idx"] * 2),
    wrong("no-file", {}, ONE, features=A, **HERE),
    wrong("no-features", TWO, ONE, **HERE),
    wrong("index-over", dict(TWO, **{"r.idx": "0 9999\n"}), ONE, features=A, **HERE),
    wrong("no-path", TWO, ONE, features=A),
]

# Measured: the peer refuses this.
PEER_REFUSES = {"hint-num_inputs"}
