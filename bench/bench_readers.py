"""Array files and tar archives from the page cache, in batches of 64; microseconds a sample. Beside them
plain reads of the same bytes on two threads: for files open, read to the end, close; for archives read()
calls of 1 MiB. The files are written to a temporary folder first.

    python bench/bench_readers.py [--rounds 7] [--megabytes 64]
"""

import argparse
import io
import os
import tarfile
import tempfile
import threading
from pathlib import Path

from rivals import dynamic, main, rival

SIZES = {"10 KB": 10_000, "100 KB": 100_000, "1 MB": 1_000_000}
BATCH, SHARDS, CHUNK = 64, 4, 1 << 20


def _write(folder: Path, size: int, n: int) -> None:
    import numpy as np

    folder.mkdir()
    data = np.random.default_rng(0).integers(0, 256, size, np.uint8)
    for i in range(n):
        np.save(folder / f"{i:06}.npy", data)
    for k in range(SHARDS):
        with tarfile.open(folder / f"{k}.tar", "w", format=tarfile.USTAR_FORMAT) as tar:
            for i in range(k, n, SHARDS):
                for ext, content in (("jpg", data.tobytes()), ("cls", b"%d" % (i % 1000))):
                    member = tarfile.TarInfo(f"{i:06}.{ext}")
                    member.size = len(content)
                    tar.addfile(member, io.BytesIO(content))


def _data(args) -> dict:
    """{name: (folder, number of samples)}, written by whoever comes first."""
    root, out = Path(args.folder), {}
    for name, size in SIZES.items():
        n = max(2 * BATCH, args.megabytes * 1_000_000 // size)
        folder = root / str(size)
        if not folder.exists():
            _write(folder, size, n)
        out[name] = (folder, n)
    return out


def _epochs(module, reader, n: int):
    def run() -> int:
        for _ in reader.next_epoch(batch_size=BATCH):
            pass
        return n
    return run


@dynamic
def _dynamic(module, args) -> dict:
    cases = {}
    for name, (folder, n) in _data(args).items():
        files = module.readers.Numpy(file_root=str(folder), file_filter="*.npy")
        tars = [str(folder / f"{k}.tar") for k in range(SHARDS)]
        archive = module.readers.Webdataset(paths=tars, ext=["jpg", "cls"])
        cases["npy " + name] = _epochs(module, files, n)
        cases["tar " + name] = _epochs(module, archive, n)
    return cases


def _halves(work, items: list, rooms: list) -> None:
    """`work` on the items, shared out among threads; each has room for a batch."""
    n = len(rooms)
    workers = [threading.Thread(target=work, args=(items[k::n], rooms[k])) for k in range(n)]
    for w in workers:
        w.start()
    for w in workers:
        w.join()


def _read_files(paths: list, room: list) -> None:
    for i, path in enumerate(paths):
        fd = os.open(path, os.O_RDONLY)
        os.readv(fd, [room[i % len(room)]])
        os.close(fd)


def _read_archives(paths: list, room: list) -> None:
    for path in paths:
        fd, i = os.open(path, os.O_RDONLY), 0
        while os.readv(fd, [room[i % len(room)]]):
            i += 1
        os.close(fd)


@rival("read()")
def plain(args):
    def timed(work, pattern: str, folder: Path, n: int, size: int):
        items = sorted(str(p) for p in folder.glob(pattern))
        rooms = [[memoryview(bytearray(size)) for _ in range(max(1, BATCH * n_bytes // size))]
                 for _ in range(args.threads)]

        def run() -> int:
            _halves(work, items, rooms)
            return n
        return run

    cases = {}
    for name, (folder, n) in _data(args).items():
        n_bytes = SIZES[name]
        cases["npy " + name] = timed(_read_files, "*.npy", folder, n, n_bytes + 256)
        cases["tar " + name] = timed(_read_archives, "*.tar", folder, n, CHUNK)
    return cases


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=64, help="of each kind and size")
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    with tempfile.TemporaryDirectory() as made:
        main(parser, "us", 1e6, folder=made)
