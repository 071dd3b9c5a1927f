"""Cases of readers.Numpy: kinds of files, folders and lists, regions."""
import struct

import numpy as np

from parity.npy_regions import REGIONS, WRONG
from parity.reader_cases import BATCH2, common, read, text, wrong

OP = "readers.Numpy"
ONE = [["epoch", {}]]
A = np.arange(60, dtype=np.int16).reshape(3, 4, 5)


def npy(array, version=1, descr=None):
    """By hand: NumPy's writer pads differently from release to release."""
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    head = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (
        descr or repr(array.dtype.str), fortran, array.shape)
    size = 12 if version > 1 else 10
    head += " " * (-(size + len(head) + 1) % 64) + "\n"
    return text(b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<I" if version > 1 else "<H", len(head)) +
                head.encode() + array.tobytes("F" if fortran else "C"))


FIVE = {"%d.npy" % i: npy(np.arange(i + 1, dtype=np.float32)) for i in range(5)}
FILES = ["{root}/%d.npy" % i for i in range(5)]
TREE = {"b.npy": npy(A + 1), "a.npy": npy(np.asfortranarray(A + 2)), "sub/c.npy": npy(A + 3),
        ".h.npy": npy(A + 4), "sub/deep/d.npy": npy(A + 5), "x.txt": "x"}
WHOLE = {"w.npy": npy(A)}
KINDS = {**{k: np.arange(6).reshape(2, 3).astype(k) for k in
            ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", "?")},
         "fortran": np.asfortranarray(A), "scalar": np.array(5, np.int32), "empty": np.zeros((0, 3), "f4"),
         "one-axis": np.arange(3, dtype=np.uint8)}
BIG = {k: np.arange(6).reshape(2, 3).astype(k) for k in (">i4", ">f8", ">u2")}
REFUSED = {"object": npy(np.zeros(2, "i8"), 1, "'|O'"), "complex": npy(np.zeros(2, "c8")),
           "text": npy(np.array(["ab"])), "time": npy(np.zeros(1, "i8"), 1, "'<M8[D]'"),
           "structured": npy(np.zeros(2, "i8"), 1, "[('a', '<i4'), ('b', '<f4')]")}


def region(name, /, rule="exact", **args):
    return read("region-" + name, WHOLE, ONE, rule=rule, file_root="{root}", **args)


CASES = common(FIVE, files=FILES)
CASES += [read("calls-batch", FIVE, [["call", {"batch_size": 2}]] * 4, files=FILES, max_batch_size=2)]
CASES += [read("hint-" + k, FIVE, BATCH2, like="batches", files=FILES, **v) for k, v in {
    "cache_header_information": {"cache_header_information": True},
    "register_buffers": {"register_buffers": False},
    "use_o_direct": {"use_o_direct": True, "dont_use_mmap": True}}.items()]
CASES += [read("kind-" + k, {"k.npy": npy(v)}, ONE, files=["{root}/k.npy"]) for k, v in KINDS.items()]
CASES += [read("version-%d" % v, {"k.npy": npy(A, v)}, ONE, files=["{root}/k.npy"])
          for v in (1, 2, 3)]
CASES += [read("big-endian-" + k[1:], {"k.npy": npy(v)}, ONE, files=["{root}/k.npy"])
          for k, v in BIG.items()]
CASES += [wrong("kind-" + k, {"k.npy": v}, ONE, files=["{root}/k.npy"])
          for k, v in REFUSED.items()]
CASES += [
    read("tree", TREE, ONE, file_root="{root}"),
    read("tree-filter", TREE, ONE, file_root="{root}", file_filter="b*"),
    read("list", dict(FIVE, **{"list.txt": "2.npy\n0.npy\n"}), ONE, file_list="{root}/list.txt",
         file_root="{root}"),
    read("files-relative", FIVE, ONE, file_root="{root}", files=["1.npy", "0.npy"]),
    wrong("nothing", FIVE), wrong("files-empty", FIVE, files=[]),
    wrong("files-missing", FIVE, files=["{root}/none.npy"]),
    wrong("files-and-list", dict(FIVE, **{"list.txt": "2.npy\n"}), files=FILES,
          file_list="{root}/list.txt"),
    wrong("cut", {"k.npy": npy(A)[:-8]}, ONE, files=["{root}/k.npy"]),
    wrong("no-npy", {"k.npy": "hello, world"}, ONE, files=["{root}/k.npy"]),
]
CASES += [region(str(i), **args) for i, args in enumerate(REGIONS)]
CASES += [wrong("region-%d" % i, WHOLE, ONE, file_root="{root}", **args) for i, args in enumerate(WRONG)]

# Measured: the peer refuses these.
PEER_REFUSES = set("""hint-num_inputs version-2 version-3 big-endian-i4 big-endian-f8
big-endian-u2""".split())
