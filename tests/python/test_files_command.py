"""headrace check and headrace index: exit codes, lines, JSON; the number of frames of a picture."""
import io
import json
import subprocess
import sys
import tarfile

import numpy as np
import pytest
from picture_files import bmp, picture, tiff
from record_files import example, write

import headrace as hr
from headrace.__main__ import main

Image = pytest.importorskip("PIL.Image")


def png():
    out = io.BytesIO()
    Image.fromarray(picture()).save(out, "PNG")
    return out.getvalue()


def pack(path, members):
    with tarfile.open(path, "w") as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))


@pytest.fixture
def files(tmp_path):
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.mkdir()
    bad.mkdir()
    (good / "a.png").write_bytes(png())
    (good / "b.bmp").write_bytes(bmp([r[:, ::-1].tobytes() for r in picture()], 40, 24))
    np.save(good / "c.npy", np.arange(5))
    pack(good / "d.tar", [("x.png", png()), ("x.cls", b"1"), ("y.txt", b"hello")])
    write(good / "e.tfrecord", [example({"a": [1]})] * 3)
    (bad / "a.png").write_bytes(png()[:-30])
    (bad / "b.bmp").write_bytes((good / "b.bmp").read_bytes()[:-9])
    (bad / "c.npy").write_bytes((good / "c.npy").read_bytes()[:-1])
    pack(bad / "d.tar", [("x.png", png()[:-30]), ("x.cls", b"1"), ("y.npy", b"nothing")])
    data = bytearray((good / "e.tfrecord").read_bytes())
    data[-20] ^= 1
    (bad / "e.tfrecord").write_bytes(data)
    (bad / "f.jpg").write_bytes(b"")
    (bad / "g.jpg").write_bytes(b"<html>no</html>")
    (bad / "h").write_bytes(b"what is this")
    return good, bad


def test_sound_files(files, capsys):
    good, _ = files
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["check", "--json", *map(str, sorted(good.iterdir()))]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in report] == ["picture", "picture", "array", "archive", "records"]
    assert [one["parts"] for one in report] == [1, 1, 1, 3, 3]
    assert report[0]["info"]["width"] == 40 and not any(one["findings"] for one in report)


def test_damaged_files(files, capsys):
    good, bad = files
    assert main(["check", str(bad), str(good), str(bad / "nope")]) == 1
    lines = capsys.readouterr().out.splitlines()
    words = ["a.png: PNG", "b.bmp: BMP.*ends in row", "c.npy: ", "d.tar: x.png: PNG", "d.tar: y.npy: ",
             "e.tfrecord: record 2", "f.jpg: is empty", "g.jpg: HTML", "h: no picture format",
             "nope: cannot open: No such file"]
    assert len(lines) == len(words)
    for line, word in zip(lines, words):
        assert __import__("re").search(word, line), (line, word)
        assert line.startswith(str(bad)) and line.count(str(bad)) == 1
    assert main(["check", "--json", str(bad / "d.tar")]) == 1
    (one,) = json.loads(capsys.readouterr().out)
    assert [f["where"] for f in one["findings"]] == ["x.png", "y.npy"]


@pytest.mark.parametrize("name", ["P", "NG", "a", "IDAT", "empty", "is", "x y.jpg", "cannot open", "is: empty"])
def test_the_file_is_named_whatever_its_name(tmp_path, monkeypatch, capsys, name):
    monkeypatch.chdir(tmp_path)
    for data in (png()[:-30], b"", b"what is this"):
        (tmp_path / name).write_bytes(data)
        assert main(["check", name]) == 1
        line = capsys.readouterr().out
        assert line.startswith(name + ": ") and line.count("\n") == 1
    (tmp_path / name).unlink()
    assert main(["check", name]) == 1
    assert capsys.readouterr().out == f"{name}: cannot open: No such file or directory\n"


@pytest.mark.parametrize("arguments", [["info", "--json"], ["check", "--json", "many"]])
def test_a_reader_that_has_seen_enough(tmp_path, arguments):
    (tmp_path / "many").mkdir()
    for i in range(300):
        (tmp_path / "many" / str(i)).write_bytes(b"nothing")
    arguments = [str(tmp_path / a) if a == "many" else a for a in arguments]
    run = subprocess.Popen([sys.executable, "-m", "headrace", *arguments], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE)
    run.stdout.close()
    assert run.stderr.read() == b"" and run.wait() == 1


def test_version(capsys):
    with pytest.raises(SystemExit) as e:
        main(["--version"])
    assert e.value.code == 0 and capsys.readouterr().out == hr.__version__ + "\n"


def test_wrong_usage(capsys):
    with pytest.raises(SystemExit) as e:
        main(["check"])
    assert e.value.code == 2


def test_index(tmp_path, capsys):
    path = tmp_path / "a.tar"
    pack(path, [("a.jpg", b"A"), ("a.cls", b"1"), ("b.jpg", b"BB"), ("c", b"no dot")])
    assert main(["index", str(path)]) == 0
    assert (tmp_path / "a.idx").read_text() == (
        "v1.2 2\njpg 512 1 a.jpg cls 1536 1 a.cls\njpg 2560 2 b.jpg\n")
    assert main(["index", str(path), str(tmp_path / "other"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == 2
    assert (tmp_path / "other").read_bytes() == (tmp_path / "a.idx").read_bytes()
    (tmp_path / "bad.tar").write_bytes(b"no" * 600)
    for wrong in (tmp_path / "bad.tar", tmp_path / "nope.tar"):
        assert main(["index", str(wrong)]) == 1
        assert wrong.name in capsys.readouterr().err


def test_an_index_takes_no_other_files_place(tmp_path, capsys):
    """headrace index *.tar, with two archives."""
    first, second = tmp_path / "a.tar", tmp_path / "b.tar"
    for path in (first, second):
        pack(path, [("a.jpg", path.name.encode())])
    before = second.read_bytes()
    for target in (second, first):
        assert main(["index", str(first), str(target)]) == 1
        assert "is no index: it stays as it is" in capsys.readouterr().err
    assert second.read_bytes() == before
    for target in (tmp_path / "i", tmp_path / "i"):  # an index may be written anew
        assert main(["index", str(first), str(target)]) == 0
    (tmp_path / "empty").write_bytes(b"")
    assert main(["index", str(first), str(tmp_path / "empty")]) == 0
    assert main(["index", str(first), str(tmp_path / "none" / "i")]) == 1
    assert "none" in capsys.readouterr().err


def test_frames():
    assert hr._core.image_info(png())["frames"] == 1
    if "TIFF" in hr._core.codecs():
        out = io.BytesIO()
        Image.fromarray(picture()).save(out, "TIFF", save_all=True,
                                        append_images=[Image.fromarray(picture())] * 2)
        assert hr._core.image_info(out.getvalue())["frames"] == 3
        info = hr._core.image_info(tiff(picture(), 2, extra={274: (3, [6])}))
        assert info == {"format": "TIFF", "width": 40, "height": 24, "channels": 3,
                        "dtype": "uint8", "orientation": 6, "frames": 1}
