"""Cases of readers.File: a folder is made for each, a reader read in steps.

A step is ["epoch", {…}], ["call", {…}] or ["metadata", {…}] with that method's arguments. `{root}`
stands for the folder. The peer's shuffled order need not be reproduced: rule "reader-set"."""
from parity.case import case

OP = "readers.File"
TREE = {"b/one.jpg": "AB", "b/two.PNG": "C", "a/x.jpeg": "DEFG", "c/deep/no.jpg": "H",
        "c/z.txt": "I", "c/y.bmp": "JK", "a/.hidden.jpg": "L", "top.jpg": "M"}
FIVE = {"%d.bin" % i: chr(65 + i) * (i + 1) for i in range(5)}
FILES = ["{root}/%d.bin" % i for i in range(5)]
LIST = dict(FIVE, **{"list.txt": "2.bin 7\n0.bin 3\n4.bin 1\n",
                     "absolute.txt": "{root}/1.bin 5\n{root}/3.bin 6\n",
                     "spaces.txt": "two words.bin 4\n1.bin 2\n", "two words.bin": "Z",
                     "crlf.txt": "2.bin 7\r\n0.bin 3\r\n", "noend.txt": "2.bin 7\n0.bin 3",
                     "blank.txt": "2.bin 7\n\n0.bin 3\n", "tab.txt": "2.bin\t7\n0.bin\t3\n",
                     "nolabel.txt": "2.bin\n0.bin\n", "text.txt": "2.bin dog\n",
                     "negative.txt": "2.bin -4\n0.bin 3\n", "missing.txt": "nine.bin 1\n",
                     "empty.txt": "", "comment.txt": "# x 1\n2.bin 7\n"})
BATCH2 = [["epoch", {"batch_size": 2}]]


def read(name, tree, steps, /, rule="exact", fails=False, like=None, **args):
    out = case(name, rule=rule, fails=fails, like=like)
    out.update(files=tree, steps=steps, args=args)
    return out


def five(name, steps=None, /, **args):
    return read(name, FIVE, steps or BATCH2, files=FILES, **args)


def listed(name, which, fails=False, **args):
    out = read(name, LIST, BATCH2, fails=fails)
    out["args"] = dict(args, file_list="{root}/%s.txt" % which, file_root="{root}")
    return out


EPOCHS = [["epoch", {"batch_size": 2}]] * 4
HINTS = {"dont_use_mmap": True, "initial_fill": 3, "lazy_init": True, "prefetch_queue_depth": 3,
         "read_ahead": True, "skip_cached_images": False, "tensor_init_bytes": 10,
         "name": "reader", "device": "cpu", "enable_checkpointing": True, "seed": 7,
         "num_inputs": 0, "shuffle_after_epoch_seed": 3}

CASES = [
    five("batches"),
    five("samples", [["epoch", {}]]),
    five("samples-twice", [["epoch", {}], ["epoch", {}]]),
    five("wrap-epochs", EPOCHS),
    five("batch-of-5", [["epoch", {"batch_size": 5}]] * 2),
    five("batch-of-7", [["epoch", {"batch_size": 7}]] * 2),
    five("batch-of-13", [["epoch", {"batch_size": 13}]] * 2),
    five("pad", EPOCHS, pad_last_batch=True),
    five("pad-batch-of-7", [["epoch", {"batch_size": 7}]] * 2, pad_last_batch=True),
    five("pad-samples", [["epoch", {}]] * 2, pad_last_batch=True),
    five("calls", [["call", {}]] * 7),
    five("max-batch-size", [["epoch", {}], ["metadata", {}]], max_batch_size=3),
    five("max-batch-size-same", [["epoch", {"batch_size": 3}]], max_batch_size=3),
    five("metadata", [["metadata", {}], ["metadata", {"batch_size": 2}]]),
    five("metadata-shards", [["metadata", {}]], num_shards=2, shard_id=1),
    five("metadata-pad", [["metadata", {}]], pad_last_batch=True, stick_to_shard=True,
         num_shards=3),
    five("labels", labels=[10, 11, -12, 13, 2**31 - 1]),
    five("one-file", [["epoch", {}]], rule="exact"),
    five("random-shuffle", [["epoch", {"batch_size": 5}]], rule="reader-set",
         random_shuffle=True),
    five("random-shuffle-seed", [["epoch", {"batch_size": 5}]], rule="reader-set",
         random_shuffle=True, seed=5),
    five("shuffle-after-epoch", [["epoch", {"batch_size": 5}]] * 2, rule="reader-set",
         shuffle_after_epoch=True),
    five("shuffle-after-epoch-seed", [["epoch", {"batch_size": 5}]] * 2, rule="reader-set",
         shuffle_after_epoch=True, shuffle_after_epoch_seed=11),
]
CASES += [five("shards-%d-of-%d-stick-%d-pad-%d" % (i, n, s, p), EPOCHS, num_shards=n, shard_id=i,
               stick_to_shard=bool(s), pad_last_batch=bool(p))
          for n in (2, 3) for i in range(n) for s in (0, 1) for p in (0, 1)]
CASES += [five("shards-%d-of-3-samples" % i, [["epoch", {}]] * 3, num_shards=3, shard_id=i)
          for i in range(3)]
CASES += [five("hint-" + k, like="batches", **{k: v}) for k, v in sorted(HINTS.items())]
TREE_STEPS = [["epoch", {"batch_size": 3}], ["metadata", {}]]
CASES += [
    read("tree", TREE, TREE_STEPS, file_root="{root}"),
    read("tree-filters", TREE, TREE_STEPS, file_root="{root}", file_filters=["*.txt", "*.bmp"]),
    read("tree-filter-text", TREE, TREE_STEPS, file_root="{root}", file_filters="*.jp*g"),
    read("tree-case", TREE, TREE_STEPS, file_root="{root}", case_sensitive_filter=True),
    read("tree-case-filters", TREE, TREE_STEPS, file_root="{root}", case_sensitive_filter=True,
         file_filters=["*.PNG"]),
    read("tree-dirs", TREE, TREE_STEPS, file_root="{root}", dir_filters=["a", "c"]),
    read("tree-dirs-glob", TREE, TREE_STEPS, file_root="{root}", dir_filters="[bc]"),
    read("tree-dirs-case", TREE, TREE_STEPS, file_root="{root}", dir_filters=["A"],
         case_sensitive_filter=True, fails=True),
    read("tree-question-mark", TREE, TREE_STEPS, file_root="{root}", file_filters=["?.jpeg"]),
    read("tree-slash", TREE, TREE_STEPS, file_root="{root}/"),
    read("tree-empty-dir", dict(TREE, **{"d/readme.md": "x"}), TREE_STEPS, file_root="{root}"),
    read("files-relative", FIVE, BATCH2, file_root="{root}", files=["1.bin", "0.bin"]),
    read("files-relative-labels", FIVE, BATCH2, file_root="{root}", files=["1.bin", "0.bin"],
         labels=[5, 6]),
    read("files-text", FIVE, [["epoch", {}]], files="{root}/3.bin"),
    read("files-label-number", FIVE, [["epoch", {}]], files="{root}/3.bin", labels=9),
    read("empty-file", {"e.bin": "", "f.bin": "F"}, [["epoch", {}]],
         files=["{root}/f.bin", "{root}/e.bin"]),
    listed("list", "list"), listed("list-absolute", "absolute"), listed("list-noend", "noend"),
    listed("list-spaces", "spaces"), listed("list-crlf", "crlf"), listed("list-blank", "blank"),
    listed("list-tab", "tab"), listed("list-nolabel", "nolabel"), listed("list-text", "text"),
    listed("list-negative", "negative"),
    listed("wrong/list-missing-file", "missing", fails=True),
    listed("wrong/list-empty", "empty", fails=True),
    listed("wrong/list-not-there", "none", fails=True),
    read("wrong/nothing", FIVE, BATCH2, fails=True),
    read("wrong/root-missing", FIVE, BATCH2, fails=True, file_root="{root}/none"),
    read("wrong/root-flat", FIVE, BATCH2, fails=True, file_root="{root}"),
    read("wrong/files-empty", FIVE, BATCH2, fails=True, files=[]),
    read("wrong/files-missing", FIVE, BATCH2, fails=True, files=["{root}/none.jpg"]),
    read("wrong/files-and-list", LIST, BATCH2, fails=True, files=FILES,
         file_list="{root}/list.txt"),
    read("wrong/labels-length", FIVE, BATCH2, fails=True, files=FILES, labels=[1, 2]),
    read("wrong/labels-without-files", TREE, BATCH2, fails=True, file_root="{root}", labels=[1]),
    read("wrong/shards-zero", FIVE, BATCH2, fails=True, files=FILES, num_shards=0),
    read("wrong/shards-over-files", FIVE, BATCH2, fails=True, files=FILES, num_shards=6),
    read("wrong/shard-id", FIVE, BATCH2, fails=True, files=FILES, num_shards=2, shard_id=2),
    read("wrong/shard-id-negative", FIVE, BATCH2, fails=True, files=FILES, num_shards=2,
         shard_id=-1),
    read("wrong/both-shuffles", FIVE, BATCH2, fails=True, files=FILES, shuffle_after_epoch=True,
         random_shuffle=True),
    read("wrong/shuffle-and-stick", FIVE, BATCH2, fails=True, files=FILES,
         shuffle_after_epoch=True, stick_to_shard=True),
    read("wrong/device-gpu", FIVE, BATCH2, fails=True, files=FILES, device="gpu"),
    read("wrong/unknown-argument", FIVE, BATCH2, fails=True, files=FILES, no_such=1),
    read("wrong/o-direct-with-mmap", FIVE, BATCH2, fails=True, files=FILES, use_o_direct=True),
    read("wrong/mixed-use", FIVE, [["epoch", {"batch_size": 2}], ["epoch", {}]], fails=True,
         files=FILES),
    read("wrong/mixed-call", FIVE, [["epoch", {"batch_size": 2}], ["call", {}]], fails=True,
         files=FILES),
    read("wrong/other-batch-size", FIVE, [["epoch", {"batch_size": 2}],
                                          ["epoch", {"batch_size": 3}]], fails=True, files=FILES),
    read("wrong/over-max-batch-size", FIVE, [["epoch", {"batch_size": 4}]], fails=True,
         files=FILES, max_batch_size=2),
    read("wrong/batch-size-negative", FIVE, [["epoch", {"batch_size": -1}]], fails=True,
         files=FILES),
    read("wrong/batch-size-zero", FIVE, [["epoch", {"batch_size": 0}]], fails=True, files=FILES),
    read("wrong/epoch-not-ended", FIVE, [["break", {"batch_size": 2}],
                                         ["epoch", {"batch_size": 2}]], fails=True, files=FILES),
    read("wrong/files-number", FIVE, BATCH2, fails=True, files=5),
]

# Measured: the peer refuses these.
PEER_REFUSES = set("""
hint-num_inputs empty-file list-nolabel list-text list-negative
""".split())

# Measured: the peer accepts these.
PEER_ACCEPTS = set("""
wrong/epoch-not-ended
""".split())
