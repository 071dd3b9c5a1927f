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


def one_epoch(loop: Any, rng: Any) -> Iterable[tuple[Any, ...]]:
    """The main job: yields (encoded, crops, normalized batch) of each step, without broken photos."""
    import headrace as hr

    mean = (0.485 * 255, 0.456 * 255, 0.406 * 255)  # in a function: constants can be proven
    std = (0.229 * 255, 0.224 * 255, 0.225 * 255)
    for encoded, _labels in loop:
        images = hr.decoders.image(encoded, on_error="blank")
        crops = hr.random_resized_crop(images, size=(224, 224), rng=rng)
        mirror = hr.random.coin_flip(batch_size=encoded.batch_size, rng=rng)
        crops = hr.flip(crops, horizontal=mirror)
        batch = hr.crop_mirror_normalize(crops, dtype=hr.float32, output_layout="CHW", mean=mean, std=std)
        batch.evaluate()  # here a model would look at it
        if images.failures:
            _, encoded, crops, batch = hr.drop_failed(images, encoded, crops, batch)
        if batch.batch_size:
            yield encoded, crops, batch


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
    shown: list[tuple[Any, ...]] = []
    images = batches = 0
    begin = time.perf_counter()
    for epoch in _progress(args.epochs):
        loop = reader.next_epoch(batch_size=args.batch_size, capture=True)
        for encoded, crops, batch in one_epoch(loop, rng):
            images += batch.batch_size
            batches += 1
            if epoch == 0:
                shown.append((encoded, crops))
        if epoch == 0:
            first_images, first_end = images, time.perf_counter()
    end = time.perf_counter()
    if images == 0:
        raise SystemExit("headrace demo: none of the files could be decoded")
    steady = args.epochs > 1  # the first epoch warms up
    per_second = ((images - first_images) / (end - first_end) if steady
                  else images / (end - begin))
    explained, stats = loop.explain(), loop.stats()
    return {
        "files": len(paths), "bytes": sum(p.stat().st_size for p in paths), "images": images,
        "batches": batches, "failed": args.epochs * len(paths) - images,
        "images_per_second": per_second, "threads": hr.get_num_threads(),
        "ms_per_image": _per_image(stats, images / batches), "explain": explained.to_dict(),
        "stats": stats.to_dict(), "shown": shown, "reports": (explained, stats),
    }


def _per_image(stats: Any, images_a_step: float) -> dict[str, float]:
    """Milliseconds an image of reading and of each operator, from the pipeline's own clocks."""
    all_ = {"read": stats.source_ms, **{row["operator"]: row["ms"] for row in stats.rows}}
    return {name: ms / images_a_step for name, ms in all_.items()}


def table(figures: dict[str, Any]) -> str:
    """The figures as text, aligned."""
    rows = [("files", f"{figures['files']}"), ("bytes", f"{figures['bytes']:,}"),
            ("images done", f"{figures['images']} in {figures['batches']} batches"),
            ("files that failed", f"{figures['failed']}"),
            ("threads", f"{figures['threads']}"),
            ("images/s", f"{figures['images_per_second']:.0f}"), ("", "")]
    total = sum(figures["ms_per_image"].values()) or 1.0
    rows.append(("operator", "ms an image   share"))
    for name, ms in figures["ms_per_image"].items():
        rows.append((name, f"{ms:11.3f}  {ms / total:5.0%}"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}".rstrip() for name, value in rows)


def run_demo(args: Any) -> int:
    for name in ("batch_size", "epochs"):
        if getattr(args, name) is not None and getattr(args, name) < 1:
            print(f"headrace demo: --{name.replace('_', '-')} is {getattr(args, name)}, it must be "
                  "at least 1", file=sys.stderr)
            return 2
    paths = folder_photos(args.folder) if args.folder else shipped_photos()
    if not paths:
        where = args.folder or "scikit-image and scikit-learn (pip install them, or name a folder)"
        print(f"headrace demo: no JPEG or PNG photos in {where}", file=sys.stderr)
        return 1
    if args.batch_size is None:
        args.batch_size = max(1, min(16, len(paths) // 3))
    print(f"{len(paths)} photos, {args.epochs} epochs of batches of {args.batch_size}",
          file=sys.stderr)
    figures = measure(paths, args)
    from ._demo_page import write_page

    explained, stats = figures.pop("reports")
    page = write_page(Path(args.out), figures.pop("shown"), table(figures), (explained, stats))
    if args.json:
        print(json.dumps({**figures, "page": str(page)}, indent=1))
    else:
        print(table(figures))
        print(f"\n{explained}\n\n{stats}\n\npage of results: {page}")
    return 0
