"""io.file.read and imread: paths to bytes and pictures."""
import io
import os

import numpy as np
import pytest

import headrace as hr
from headrace import types


def path_bytes(path):
    return np.frombuffer(os.fsencode(path), np.uint8)


def read(path, **named):
    return np.asarray(hr.io.file.read(hr.as_tensor(path_bytes(path)), **named)).tobytes()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some file \u00e9"
    path.write_bytes(bytes(range(256)) * 50)
    return path


def test_content(file):
    assert read(file) == file.read_bytes()
    assert read(f"file://{file}") == file.read_bytes()
    for hint in ("dont_use_mmap", "use_o_direct"):
        assert read(file, **{hint: True}) == file.read_bytes()
    got = hr.io.file.read(path_bytes(file))
    assert (got.dtype, got.ndim) == (hr.uint8, 1)


def test_empty_file(tmp_path):
    (tmp_path / "empty").touch()
    assert read(tmp_path / "empty") == b""


def test_relative_paths(file, monkeypatch):
    monkeypatch.chdir(file.parent)
    assert read(file.name) == file.read_bytes()


def test_zeros_behind_the_path(file):
    padded = np.concatenate([path_bytes(file), np.zeros(9, np.uint8)])
    assert np.asarray(hr.io.file.read(padded)).tobytes() == file.read_bytes()
    as_int8 = hr.as_tensor(path_bytes(file).view(np.int8))
    assert np.asarray(hr.io.file.read(as_int8)).tobytes() == file.read_bytes()


def test_batch(file, tmp_path):
    other = tmp_path / "b"
    other.write_bytes(b"xyz")
    got = hr.io.file.read(hr.as_batch([path_bytes(file), path_bytes(other)]))
    assert [np.asarray(t).tobytes() for t in got.tensors] == [file.read_bytes(), b"xyz"]


@pytest.mark.parametrize("make, error, words", [
    (lambda p: p / "missing", FileNotFoundError, "missing"), (lambda p: p, IsADirectoryError, "cannot read"),
    (lambda p: "", ValueError, "empty"), (lambda p: f"{p}\0x", ValueError, "zero byte"),
    (lambda p: "/dev/null", OSError, "no regular file"),
    (lambda p: "x" * 5000, OSError, "x" * 50),
])
def test_wrong_paths(tmp_path, make, error, words):
    with pytest.raises(error, match=words):
        read(make(tmp_path))


def test_the_sample_is_named(file, tmp_path):
    batch = hr.as_batch([path_bytes(file), path_bytes(tmp_path / "gone")])
    with pytest.raises(FileNotFoundError, match="sample 1.*gone"):
        hr.io.file.read(batch)


def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        read(tmp_path / "pipe")


# ---- imread ----------------------------------------------------------------------------------


def picture(path, size=(8, 6), seed=0):
    from PIL import Image

    pixels = np.random.default_rng(seed).integers(0, 256, size[::-1] + (3,), np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    path.write_bytes(out.getvalue())
    return pixels


def test_imread_one(tmp_path):
    want = picture(tmp_path / "a.png")
    for path in (tmp_path / "a.png", str(tmp_path / "a.png"), os.fsencode(tmp_path / "a.png")):
        got = hr.imread(path)
        assert type(got) is hr.Tensor and got.layout == "HWC"
        assert np.array_equal(np.asarray(got), want)


def test_imread_many(tmp_path):
    want = [picture(tmp_path / f"{i}.png", (4 + i, 5), i) for i in range(3)]
    names = [tmp_path / f"{i}.png" for i in range(3)]
    for paths in (names, tuple(map(str, names)), hr.as_batch([path_bytes(n) for n in names])):
        got = hr.imread(paths)
        assert type(got) is hr.Batch and got.layout == "HWC"
        assert all(np.array_equal(np.asarray(t), w) for t, w in zip(got.tensors, want))


def test_imread_takes_path_bytes(tmp_path):
    want = picture(tmp_path / "a.png")
    got = hr.imread(hr.as_tensor(path_bytes(tmp_path / "a.png")))
    assert type(got) is hr.Tensor and np.array_equal(np.asarray(got), want)


def test_imread_passes_arguments_on(tmp_path):
    want = picture(tmp_path / "a.png")
    got = hr.imread(tmp_path / "a.png", output_type=types.BGR, dtype=hr.float32, device="cpu")
    assert np.allclose(np.asarray(got), want[..., ::-1] / 255, atol=1e-6)


def test_imread_errors_name_the_file(tmp_path):
    picture(tmp_path / "a.png")
    (tmp_path / "bad.png").write_bytes(b"<html>")
    with pytest.raises(hr.DataError, match="bad.png"):
        hr.imread([tmp_path / "a.png", tmp_path / "bad.png"])
    with pytest.raises(FileNotFoundError, match="gone"):
        hr.imread(tmp_path / "gone")
    with pytest.raises(TypeError, match="imread"):
        hr.imread(5)
    with pytest.raises(TypeError, match="imread.*place 1"):
        hr.imread([str(tmp_path / "a.png"), 5])
    with pytest.raises(ValueError, match="no paths"):
        hr.imread([])
    with pytest.raises(RuntimeError, match="CPU only"):
        hr.imread(tmp_path / "a.png", device="gpu")
