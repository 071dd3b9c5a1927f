"""Ten files that hold their number, and which of them a reader's loop gives."""


def numbered(tmp_path):
    """Ten files that hold their number."""
    out = []
    for i in range(10):
        path = tmp_path / f"{i}.bin"
        path.write_bytes(b"%d" % i)
        out.append(str(path))
    return out


def labels(batch):
    return [t.item() for t in batch.tensors]


def epoch(loop):
    return [labels(label) for _, label in loop]
