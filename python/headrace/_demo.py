"""headrace demo: real photos through the main job, with a table and a page of results."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

MEAN = (0.485 * 255, 0.456 * 255, 0.406 * 255)
STD = (0.229 * 255, 0.224 * 255, 0.225 * 255)
STEPS = ("read", "decode", "random_resized_crop", "coin_flip", "flip", "crop_mirror_normalize")
# Photos among the data files of the two packages; the rest are drawings, masks and textures.
PHOTOS = {
    "skimage": ("data", ("astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg", "retina.jpg",
                         "motorcycle_left.png", "motorcycle_right.png", "hubble_deep_field.jpg")),
    "sklearn": ("datasets/images", ("china.jpg", "flower.jpg")),
}
ENDINGS = (".jpg", ".jpeg", ".png")


def shipped_photos() -> list[Path]:
    """The photos of scikit-image and scikit-learn, found without importing them."""
    found = []
    for package, (folder, names) in PHOTOS.items():
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        found += [p for p in (Path(spec.origin).parent / folder / n for n in names) if p.exists()]
    return found


def folder_photos(folder: str) -> list[Path]:
    """All JPEG and PNG files below a folder, in order of their paths."""
    if not os.path.isdir(folder):
        raise SystemExit(f"headrace demo: {folder} is no folder")
    return sorted(p for p in Path(folder).rglob("*")
                  if p.suffix.lower() in ENDINGS and p.is_file())


class Clock:
    """Adds up the time between laps, by name."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(STEPS, 0.0)
        self._last = time.perf_counter()

    def start(self) -> None:
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name] += now - self._last
        self._last = now


def one_epoch(reader: Any, batch_size: int, rng: Any, clock: Clock) -> Iterable[tuple[Any, ...]]:
    """The main job: yields (encoded, crops, normalized batch, labels) for each step."""
    import headrace as hr

    clock.start()
    for encoded, labels in reader.next_epoch(batch_size=batch_size):
        clock.lap("read")
        images = hr.decoders.image(encoded, on_error="blank")
        images, labels, encoded = hr.drop_failed(images, labels, encoded)
        clock.lap("decode")
        if images.batch_size == 0:
            continue
        crops = hr.random_resized_crop(images, size=[224, 224], rng=rng)
        clock.lap("random_resized_crop")
        mirror = hr.random.coin_flip(batch_size=images.batch_size, rng=rng)
        clock.lap("coin_flip")
        crops = hr.flip(crops, horizontal=mirror)
        clock.lap("flip")
        batch = hr.crop_mirror_normalize(crops, dtype=hr.float32, output_layout="CHW", mean=MEAN,
                                         std=STD)
        clock.lap("crop_mirror_normalize")
        yield encoded, crops, batch, labels
        clock.start()


def _progress(epochs: int) -> Any:
    """A bar on stderr where tqdm is installed and someone looks; else silence."""
    wanted = os.environ.get("HEADRACE_PROGRESS", "1") != "0" and sys.stderr.isatty()
    if wanted and importlib.util.find_spec("tqdm"):
        from tqdm import tqdm

        return tqdm(range(epochs), desc="epochs", file=sys.stderr)
    return range(epochs)


def measure(paths: list[Path], args: Any) -> dict[str, Any]:
    """Runs the epochs; figures, and the last step of the first epoch for the page."""
    import headrace as hr

    reader = hr.readers.File(files=[str(p) for p in paths], labels=list(range(len(paths))),
                             random_shuffle=True, seed=args.seed, last_batch="partial")
    rng = hr.random.RNG(seed=args.seed)
    clock = Clock()
    shown: list[tuple[Any, ...]] = []
    images = batches = 0
    begin = time.perf_counter()
    for epoch in _progress(args.epochs):
        for step in one_epoch(reader, args.batch_size, rng, clock):
            images += step[2].batch_size
            batches += 1
            if epoch == 0:
                shown.append(step[:2])
        if epoch == 0:
            first_images, first_end = images, time.perf_counter()
    end = time.perf_counter()
    if images == 0:
        raise SystemExit("headrace demo: none of the files could be decoded")
    steady = args.epochs > 1  # the first epoch warms up
    per_second = ((images - first_images) / (end - first_end) if steady
                  else images / (end - begin))
    return {
        "files": len(paths), "bytes": sum(p.stat().st_size for p in paths), "images": images,
        "batches": batches, "failed": args.epochs * len(paths) - images,
        "images_per_second": per_second, "threads": hr.get_num_threads(),
        "ms_per_image": {k: v / images * 1e3 for k, v in clock.seconds.items()}, "shown": shown,
    }


def table(figures: dict[str, Any]) -> str:
    """The figures as text, aligned."""
    rows = [("files", f"{figures['files']}"), ("bytes", f"{figures['bytes']:,}"),
            ("images done", f"{figures['images']} in {figures['batches']} batches"),
            ("files that failed", f"{figures['failed']}"),
            ("threads", f"{figures['threads']}"),
            ("images/s", f"{figures['images_per_second']:.0f}"), ("", "")]
    total = sum(figures["ms_per_image"].values())
    rows.append(("operator", "ms an image   share"))
    for name, ms in figures["ms_per_image"].items():
        rows.append((name, f"{ms:11.3f}  {ms / total:5.0%}"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows)


def run_demo(args: Any) -> int:
    for name in ("batch_size", "epochs"):
        if getattr(args, name) < 1:
            print(f"headrace demo: --{name.replace('_', '-')} is {getattr(args, name)}, it must be "
                  "at least 1", file=sys.stderr)
            return 2
    paths = folder_photos(args.folder) if args.folder else shipped_photos()
    if not paths:
        where = args.folder or "scikit-image and scikit-learn (pip install them, or name a folder)"
        print(f"headrace demo: no JPEG or PNG photos in {where}", file=sys.stderr)
        return 1
    print(f"{len(paths)} photos, {args.epochs} epochs of batches of {args.batch_size}",
          file=sys.stderr)
    figures = measure(paths, args)
    from ._demo_page import write_page

    page = write_page(Path(args.out), figures.pop("shown"), table(figures))
    if args.json:
        print(json.dumps({**figures, "page": str(page)}, indent=1))
    else:
        print(table(figures))
        print(f"\npage of results: {page}")
    return 0
