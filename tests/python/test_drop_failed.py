"""drop_failed: what one batch lost, all aligned ones lose."""
import io

import numpy as np
import pytest

import headrace as hr

PIL = pytest.importorskip("PIL.Image")


def jpeg(value, size=(6, 4)):
    out = io.BytesIO()
    PIL.new("RGB", size, (value, value, value)).save(out, "JPEG")
    return np.frombuffer(out.getvalue(), np.uint8)


def decoded(broken, n=6):
    """Pictures of which some are blank stand-ins, and their labels."""
    files = [np.frombuffer(b"no picture", np.uint8) if i in broken else jpeg(30 * i)
             for i in range(n)]
    return hr.decoders.image(hr.batch(files), on_error="blank"), hr.batch(list(range(n)))


def test_failed_samples_are_marked():
    images, _ = decoded({1, 4})
    assert sorted(images.failures) == [1, 4]
    for i, t in enumerate(images.tensors):
        assert (t.failure is not None) == (i in (1, 4))
    assert all("image" in reason or "format" in reason or reason for reason in
               images.failures.values())


def test_all_aligned_batches_lose_them():
    images, labels = hr.drop_failed(*decoded({1, 4}))
    assert [t.item() for t in labels.tensors] == [0, 2, 3, 5]
    assert images.batch_size == 4 and images.failures == {}
    assert [int(np.asarray(t).mean().round()) // 30 for t in images.tensors] == [0, 2, 3, 5]
    assert images.layout == "HWC" and images.dtype == hr.uint8


def test_one_batch_gives_a_batch():
    images, _ = decoded({0})
    got = hr.drop_failed(images)
    assert type(got) is hr.Batch and got.batch_size == 5


def test_order_of_the_batches_is_kept_and_any_may_have_failures():
    first, labels = decoded({1})
    second, _ = decoded({3})
    got = hr.drop_failed(labels, first, second)
    assert [b.batch_size for b in got] == [4, 4, 4]
    assert [t.item() for t in got[0].tensors] == [0, 2, 4, 5]


def test_nothing_failed():
    images, labels = decoded(set())
    got = hr.drop_failed(images, labels)
    assert got[0] is images and got[1] is labels


def test_everything_failed():
    images, labels = hr.drop_failed(*decoded(set(range(6))))
    assert images.batch_size == labels.batch_size == 0
    assert images.dtype == hr.uint8 and labels.dtype == hr.int32
    small = hr.random_resized_crop(images, size=[4, 4])
    out = hr.crop_mirror_normalize(small, mean=[0.0], std=[1.0])
    assert (out.batch_size, out.dtype, out.layout) == (0, hr.float32, "CHW")


def test_failures_travel_through_operators():
    images, labels = decoded({2})
    resized = hr.resize(images, size=[3, 3])
    mirrored = hr.flip(resized, horizontal=hr.random.coin_flip(batch_size=6))
    done = hr.crop_mirror_normalize(mirrored, crop=[2, 2])
    for stage in (resized, mirrored, done):
        assert list(stage.failures) == [2]
        assert stage.batch_size == 6 and len(set(stage.shape)) == 1
        assert not np.asarray(stage.select(2)).any()
    kept, kept_labels = hr.drop_failed(done, labels)
    assert kept.batch_size == 5 and [t.item() for t in kept_labels.tensors] == [0, 1, 3, 4, 5]
    assert hr.as_tensor(kept).shape == (5, 3, 2, 2)


def test_samples_keep_their_values():
    images, labels = decoded({2})
    whole, _ = decoded(set())
    kept, _ = hr.drop_failed(images, labels)
    for t, i in zip(kept.tensors, (0, 1, 3, 4, 5)):
        assert np.array_equal(np.asarray(t), np.asarray(whole.select(i)))


def test_nonsense():
    images, labels = decoded(set())
    with pytest.raises(TypeError):
        hr.drop_failed()
    with pytest.raises(TypeError, match="Batch"):
        hr.drop_failed(images, [1, 2])
    with pytest.raises(TypeError, match="Batch"):
        hr.drop_failed(hr.tensor(1))
    with pytest.raises(ValueError, match="samples"):
        hr.drop_failed(images, labels.select([0, 1]))
