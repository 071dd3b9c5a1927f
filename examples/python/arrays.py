"""Arrays in and out: NumPy, the buffer protocol, plain numbers; one value for all or one a sample."""

from __future__ import annotations

import numpy as np

import headrace as hr


def main() -> None:
    picture = hr.tensor(np.arange(24, dtype=np.uint8).reshape(2, 4, 3), layout="HWC")
    mirrored: hr.Tensor = hr.flip(picture)
    print(np.asarray(mirrored)[0, 0], bytes(picture)[:3], picture.tolist()[0][0])

    both: hr.Batch = hr.batch([picture, mirrored])
    flags = hr.batch([0, 1])
    print(hr.flip(both, horizontal=flags).shape, hr.flip(both, vertical=1).shape)

    small: hr.Batch = hr.resize(both, size=[1, 2], interp_type=hr.types.INTERP_NN)
    print(np.asarray(hr.as_tensor(small)).shape)
    print(hr.cast(picture, dtype=np.float32).dtype, hr.cast(picture, dtype="f16").dtype)

    with hr.EvalContext(num_threads=2) as context:
        noise = hr.random.normal(shape=[2, 3], mean=5.0, rng=hr.random.RNG(7))
        print(noise.shape, context.num_threads)


if __name__ == "__main__":
    main()
