"""Listing a folder of many files: time beside os.scandir recursion, and bytes of memory a file.

    python bench/bench_list.py [--files 1000000] [--folders 1000] [--at /dev/shm] [--rounds 3]

Makes the files (empty, names as in ImageNet) in a folder of its own under --at and removes them again.
"""
from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import tempfile
import time

import headrace as hr
from headrace import _core


def make(root: str, files: int, folders: int) -> None:
    for i in range(folders):
        folder = os.path.join(root, f"n{i:08d}")
        os.mkdir(folder)
        at = os.open(folder, os.O_RDONLY)
        for j in range(files * i // folders, files * (i + 1) // folders):
            os.close(os.open(f"ILSVRC2012_val_{j:08d}.JPEG", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        os.close(at)


def scan(path: str) -> list[str]:
    """os.scandir recursion, as one writes it."""
    out = []
    with os.scandir(path) as entries:
        for e in entries:
            if e.is_dir():
                out += scan(e.path)
            else:
                out.append(e.path)
    return out


def timed(call: object) -> tuple[float, object]:
    gc.collect()
    start = time.process_time()
    result = call()  # type: ignore[operator]
    return time.process_time() - start, result


def resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * 4096


def measure(root: str, rounds: int) -> dict[str, float]:
    ours, theirs = [], []
    before, rss = _core.alloc_stats()["live_bytes"], resident()
    seconds, reader = timed(lambda: hr.readers.File(file_root=root))
    n = reader.get_metadata()["epoch_size"]  # type: ignore[attr-defined]
    bytes_ = (_core.alloc_stats()["live_bytes"] - before) / n
    grown = (resident() - rss) / n
    del reader
    for _ in range(rounds):  # one after the other, so that both meet the same machine
        ours.append(timed(lambda: hr.readers.File(file_root=root))[0])
        seconds, names = timed(lambda: scan(root))
        theirs.append(seconds)
        assert len(names) == n  # type: ignore[arg-type]
        del names
    return {"files": n, "bytes_a_file": round(bytes_, 1), "rss_bytes_a_file": round(grown, 1),
            "seconds": round(min(ours), 3), "scandir_seconds": round(min(theirs), 3),
            "times_as_fast": round(min(theirs) / min(ours), 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--folders", type=int, default=1000)
    parser.add_argument("--at", default=tempfile.gettempdir())
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    root = tempfile.mkdtemp(dir=args.at)
    try:
        make(root, args.files, args.folders)
        out = measure(root, args.rounds)
    finally:
        shutil.rmtree(root)
    print(json.dumps(out) if args.json else "\n".join(f"{k:<18}{v}" for k, v in out.items()))


if __name__ == "__main__":
    main()
