"""The main job on a folder of JPEGs: read, decode the crop, resize to 224, flip, normalize to float32
CHW; milliseconds an image.

    python bench/bench_pipeline.py [FOLDER] [--threads 2] [--rounds 7]

FOLDER has class folders of JPEGs; without one, 256 pictures of 500x375 are made up (2.4 bits a pixel, as
photos have at quality 90). Headrace and the peer decode only the crop; OpenCV and Pillow decode the whole
picture (they cannot do otherwise), Pillow with antialiasing, OpenCV without; turboloader decodes at a scale
that it chooses, from an archive.
"""

import argparse
import glob
import math
import os
import random
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor

from rivals import dynamic, main, rival

MEAN = (123.7, 116.3, 103.5)
STD = (58.4, 57.1, 57.4)
BATCH = 16


def _make_up(folder: str) -> None:
    """Clouds of several sizes, edges and a little grain."""
    import numpy as np
    from PIL import Image

    rng = np.random.default_rng(0)
    for i in range(256):
        picture = np.zeros((375, 500, 3), np.float32)
        for cells, weight in ((3, 90), (9, 50), (30, 30), (110, 26)):
            coarse = rng.integers(0, 256, (cells, cells * 4 // 3, 3), np.uint8)
            picture += weight / 256 * np.asarray(Image.fromarray(coarse).resize((500, 375), Image.BICUBIC))
        y, x = rng.integers(0, 300, 2)
        picture[y:y + 60, x:x + 120] = 255 - picture[y:y + 60, x:x + 120]
        picture += rng.normal(0, 4, picture.shape)
        path = os.path.join(folder, str(i % 4), f"{i:03}.jpg")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Image.fromarray(picture.clip(0, 255).astype(np.uint8)).save(path, quality=90)


def _pack(args) -> str:
    """The same files as an archive beside the folder's temporary data."""
    path = os.path.join(args.scratch, "photos.tar")
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for i, f in enumerate(sorted(glob.glob(os.path.join(args.folder, "*", "*.jpg")))):
            tar.add(f, f"{i:06}.jpg")
    return path


@dynamic
def _dynamic(module, args) -> dict:
    reader = module.readers.File(file_root=args.folder)
    rng = module.random.RNG(seed=7)

    def epoch() -> int:
        done = 0
        for jpegs, _ in reader.next_epoch(batch_size=BATCH):
            x = module.decoders.image_random_crop(jpegs, rng=rng)
            x = module.resize(x, resize_x=224, resize_y=224)
            mirror = module.random.coin_flip(probability=0.5, batch_size=BATCH, rng=rng)
            module.crop_mirror_normalize(x, dtype=module.float32, output_layout="CHW", mean=MEAN,
                                         std=STD, mirror=mirror).evaluate()
            done += BATCH
        return done
    return {"train": epoch}


def _box(w: int, h: int) -> tuple[int, int, int, int]:
    for _ in range(10):
        area = w * h * random.uniform(0.08, 1.0)
        ratio = math.exp(random.uniform(math.log(3 / 4), math.log(4 / 3)))
        cw, ch = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < cw <= w and 0 < ch <= h:
            return random.randint(0, w - cw), random.randint(0, h - ch), cw, ch
    side = min(w, h)
    return (w - side) // 2, (h - side) // 2, side, side


def _per_file(args, one) -> dict:
    import numpy as np

    pool = ThreadPoolExecutor(args.threads)
    files = sorted(glob.glob(os.path.join(args.folder, "*", "*.jpg")))

    def epoch() -> int:
        part = []
        for image in pool.map(one, files):
            part.append(image)
            if len(part) == BATCH:
                np.stack(part)
                part.clear()
        return len(files)
    return {"train": epoch}


def _normalize(image):
    import numpy as np

    if random.random() < 0.5:
        image = image[:, ::-1]
    return np.ascontiguousarray(((image - np.float32(MEAN)) / np.float32(STD)).transpose(2, 0, 1))


@rival("opencv")
def opencv(args):
    import cv2
    import numpy as np

    cv2.setNumThreads(1)

    def one(path: str):
        image = cv2.imdecode(np.fromfile(path, np.uint8), cv2.IMREAD_COLOR_RGB)
        x, y, w, h = _box(image.shape[1], image.shape[0])
        return _normalize(cv2.resize(image[y:y + h, x:x + w], (224, 224)))
    return _per_file(args, one)


@rival("pillow")
def pillow(args):
    import numpy as np
    from PIL import Image

    def one(path: str):
        image = Image.open(path).convert("RGB")
        x, y, w, h = _box(image.width, image.height)
        small = image.resize((224, 224), Image.BILINEAR, (x, y, x + w, y + h))
        return _normalize(np.asarray(small))
    return _per_file(args, one)


@rival("turboloader")
def turboloader(args):
    import turboloader

    loader = turboloader.DataLoader(
        _pack(args), batch_size=BATCH, image_size=224, output_format="numpy_chw", train_aug=True,
        transform=turboloader.ImageNetNormalize(), antialias=True, shuffle=True, num_workers=args.threads)
    epochs = iter(range(1_000_000))

    def epoch() -> int:
        loader.set_epoch(next(epochs))
        return sum(len(batch[0] if isinstance(batch, tuple) else batch) for batch in loader)
    return {"train": epoch}


if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("folder", nargs="?")
    p.add_argument("--scratch", help=argparse.SUPPRESS)
    with tempfile.TemporaryDirectory() as scratch:
        if not any(os.path.isdir(word) for word in sys.argv[1:]):
            _make_up(os.path.join(scratch, "photos"))
            sys.argv.insert(1, os.path.join(scratch, "photos"))
        main(p, "ms", 1e3, scratch=scratch)
