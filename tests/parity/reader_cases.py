"""Words for the cases of readers: files that are made in a folder, a reader over them, steps.

A step is ["epoch", {…}], ["call", {…}] or ["metadata", {…}] with that method's arguments. In texts
`{root}` stands for the folder; what a file holds is text of one character a byte. The peer's shuffled order
need not be reproduced: rule "reader-set"."""
import io
import tarfile

from parity.case import case

BATCH2 = [["epoch", {"batch_size": 2}]]
EPOCHS = BATCH2 * 4
HINTS = {"dont_use_mmap": True, "initial_fill": 3, "lazy_init": True, "prefetch_queue_depth": 3,
         "read_ahead": True, "skip_cached_images": False, "tensor_init_bytes": 10,
         "name": "reader", "device": "cpu", "enable_checkpointing": True, "seed": 7,
         "num_inputs": 0, "shuffle_after_epoch_seed": 3}


def read(name, tree, steps, /, rule="exact", fails=False, like=None, **args):
    out = case(name, rule=rule, fails=fails, like=like)
    out.update(files=tree, steps=steps, args=args)
    return out


def wrong(name, tree, /, steps=None, **args):
    return read("wrong/" + name, tree, steps or BATCH2, fails=True, **args)


def text(data):
    """Bytes as the text of a case."""
    return data.decode("latin-1")


def archive(members, format=tarfile.USTAR_FORMAT):
    """A tar archive of (name, bytes)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format, bufsize=512) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return text(out.getvalue().rstrip(b"\0") + bytes(1024 + 512 - len(out.getvalue().rstrip(b"\0")) % 512))


def common(tree, **args):
    """What all readers share: batches, shards, orders, hints. The source has five items."""

    def five(name, steps=None, /, **more):
        return read(name, tree, steps or BATCH2, **args, **more)

    out = [five("batches"), five("samples", [["epoch", {}]]), five("wrap-epochs", EPOCHS),
           five("batch-of-7", [["epoch", {"batch_size": 7}]] * 2),
           five("pad", EPOCHS, pad_last_batch=True), five("calls", [["call", {}]] * 7),
           five("max-batch-size", [["epoch", {}], ["metadata", {}]], max_batch_size=3),
           five("metadata-shards", [["metadata", {}]], num_shards=2, shard_id=1)]
    out += [five("shards-%d-of-%d-stick-%d" % (i, n, s), EPOCHS, num_shards=n, shard_id=i,
                 stick_to_shard=bool(s)) for n in (2, 3) for i in range(n) for s in (0, 1)]
    for name, value in (("random_shuffle", True), ("shuffle_after_epoch", True)):
        out.append(five(name.replace("_", "-"), [["epoch", {"batch_size": 5}]], rule="reader-set",
                        **{name: value}))
    out += [five("hint-" + k, like="batches", **{k: v}) for k, v in sorted(HINTS.items())]
    out += [wrong("shards-zero", tree, num_shards=0, **args),
            wrong("shard-id", tree, num_shards=2, shard_id=2, **args),
            wrong("device-gpu", tree, device="gpu", **args),
            wrong("unknown-argument", tree, no_such=1, **args),
            wrong("mixed-use", tree, [["epoch", {"batch_size": 2}], ["epoch", {}]], **args)]
    return out
