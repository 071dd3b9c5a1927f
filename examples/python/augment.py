"""Reads a folder of pictures, augments them, hands NumPy arrays on.

    python examples/python/augment.py FOLDER      (one sub-folder a class)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import headrace as hr

MEAN = [123.675, 116.28, 103.53]
STD = [58.395, 57.12, 57.375]


def batches(folder: str, batch_size: int = 32, seed: int = 1) -> Iterator[tuple[hr.Batch, hr.Batch]]:
    """Augmented pictures as one block of float32 CHW, and their labels."""
    rng = hr.random.RNG(seed)
    reader = hr.readers.File(file_root=folder, random_shuffle=True, seed=seed)
    for content, labels in reader.next_epoch(batch_size=batch_size):
        images = hr.decoders.image(content, on_error="blank")
        images, labels = hr.drop_failed(images, labels)
        images = hr.random_resized_crop(images, size=[224, 224], rng=rng)
        mirror = hr.random.coin_flip(batch_size=images.batch_size, rng=rng)
        yield hr.crop_mirror_normalize(images, mirror=mirror, mean=MEAN, std=STD), labels


def main(folder: str) -> None:
    for images, labels in batches(folder):
        whole = hr.as_tensor(images)
        print(whole.shape, whole.dtype, [t.item() for t in labels.tensors])


if __name__ == "__main__":
    main(sys.argv[1])
