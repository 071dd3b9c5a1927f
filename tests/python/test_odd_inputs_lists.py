"""Odd file lists and folders (rows L01 and L03 of the odd inputs), and folders that are empty or go."""
import os
import shutil

import numpy as np
import pytest

import headrace as hr


def fill(root, *names):
    for name in names:
        path = os.path.join(os.fsencode(root), name if isinstance(name, bytes) else name.encode())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(os.path.basename(path))


def read(**arguments):
    """(content, label) of one pass; the content is the file's own name."""
    return [(bytes(memoryview(c)), label.item())
            for c, label in hr.readers.File(**arguments).next_epoch()]


# ---- L01: list files ---------------------------------------------------------------------------

NAMES = ["a b.bin", "c.bin", "d/e f.bin"]
LISTS = {
    "spaces in names": ("a b.bin 7\nc.bin -3\nd/e f.bin 2147483647\n", [7, -3, 2**31 - 1]),
    "tabs": ("a b.bin\t7\nc.bin\t \t-3\nd/e f.bin\t0\n", [7, -3, 0]),
    "blanks at the ends": ("a b.bin 7  \nc.bin -3\t\nd/e f.bin 0 \r\n", [7, -3, 0]),
    "CRLF": ("a b.bin 7\r\nc.bin -3\r\nd/e f.bin 1\r\n", [7, -3, 1]),
    "blank lines": ("\n\na b.bin 7\n  \n\nc.bin -3\n\r\n\t\nd/e f.bin 1\n\n", [7, -3, 1]),
    "no final newline": ("a b.bin 7\nc.bin -3\nd/e f.bin 1", [7, -3, 1]),
    "no final newline, CRLF": ("a b.bin 7\r\nc.bin -3\r\nd/e f.bin 1\r", [7, -3, 1]),
    "byte order mark": ("\ufeffa b.bin 7\nc.bin -3\nd/e f.bin 1\n", [7, -3, 1]),
    "zeros in front": ("a b.bin 007\nc.bin -003\nd/e f.bin 0\n", [7, -3, 0]),
    "no labels": ("a b.bin\nc.bin\nd/e f.bin\n", [0, 1, 2]),
    "no labels, CRLF": ("a b.bin\r\nc.bin\r\nd/e f.bin", [0, 1, 2]),
    "the least label": ("a b.bin -2147483648\nc.bin 1\nd/e f.bin 1\n", [-2**31, 1, 1]),
}


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("root", ["beside the list", "given"])
def test_lists_that_are_read(tmp_path, kind, root):
    text, labels = LISTS[kind]
    files = tmp_path / ("root" if root == "given" else "")
    fill(files, *NAMES)
    (tmp_path / "list.txt").write_bytes(text.encode())
    given = {"file_root": files} if root == "given" else {}
    got = read(file_list=tmp_path / "list.txt", **given)
    assert got == [(os.path.basename(n).encode(), i) for n, i in zip(NAMES, labels)]


WRONG = {
    "text labels": ("a b.bin dog\nc.bin 1\n", "line 1"),
    "some without": ("a b.bin 1\nc.bin\n", "line 2"),
    "a fraction": ("a b.bin 1.5\nc.bin 1\n", "line 1"),
    "over int32": ("a b.bin 2147483648\nc.bin 1\n", "line 1.*2147483648"),
    "under int32": ("a b.bin 3\nc.bin -2147483649\n", "line 2.*-2147483649"),
    "over int64": ("a b.bin 99999999999999999999\nc.bin 1\n", "line 1"),
    "a label alone": ("a b.bin 1\n7\n", "line 2"),
    "a plus sign": ("a b.bin +7\nc.bin 1\n", "line 1"),
    "nothing": ("", "is empty"),
    "blank lines alone": ("\n \n\r\n", "names no files"),
    "a NUL byte": ("a b.bin 1\nc\0.bin 2\n", "zero bytes"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_lists_that_are_refused_say_the_line(tmp_path, kind):
    text, words = WRONG[kind]
    fill(tmp_path, *NAMES)
    (tmp_path / "list.txt").write_text(text)
    with pytest.raises((ValueError, RuntimeError), match=f"(?s)list.txt.*({words})"):
        read(file_list=tmp_path / "list.txt")


def test_labels_that_are_text_on_every_line_are_said_to_be_no_numbers(tmp_path):
    fill(tmp_path, *NAMES)
    (tmp_path / "list.txt").write_text("a b.bin dog\nc.bin cat\n")
    with pytest.raises(OSError, match="a b.bin dog.*whole-number label"):
        read(file_list=tmp_path / "list.txt")


@pytest.mark.parametrize("how", ["list", "files"])
def test_a_missing_file_is_named_at_the_start(tmp_path, how):
    """Not in step 400: at creation, with its place."""
    names = [f"{i}.bin" for i in range(900)]
    for i in range(900):
        if i != 800:
            (tmp_path / names[i]).write_bytes(b"\xff\xd8\xff")
    (tmp_path / "list.txt").write_text("".join(f"{n} {i}\n" for i, n in enumerate(names)))
    given = {"file_list": tmp_path / "list.txt"} if how == "list" else {"files": names}
    with pytest.raises(FileNotFoundError, match="item 800: .*800.bin"):
        hr.readers.File(file_root=tmp_path, **given)
    reader = hr.readers.File(file_root=tmp_path, on_error="skip", last_batch="partial",
                             **({"file_list": tmp_path / "list.txt"} if how == "list" else
                                {"files": names}))
    got = [label.item() for _, label in reader.next_epoch()]
    assert got == [i for i in range(900) if i != 800] and reader.skip_report == "missing: 1"


# ---- L03: folders --------------------------------------------------------------------------------

TREE = ["cat/2.jpg", "cat/10.jpg", "cat/.hidden.jpg", "cat/UP.JPG", "Bird/b.jpg", "dog/z.jpg",
        "dog/a/b.jpg", "dog/a/B/deep.jpg", "dog/0/last.jpg", "top.jpg", "notes.txt", "cat/readme.md"]


@pytest.fixture
def tree(tmp_path):
    fill(tmp_path, *TREE)
    (tmp_path / "empty").mkdir()
    os.symlink("..", tmp_path / "dog" / "a" / "loop")
    os.symlink(tmp_path / "dog" / "a", tmp_path / "dog" / "a" / "B" / "self")
    return tmp_path


FLAT = [(b"b.jpg", 0), (b".hidden.jpg", 1), (b"10.jpg", 1), (b"2.jpg", 1), (b"UP.JPG", 1),
        (b"z.jpg", 2)]


def test_classes_are_folders_by_the_bytes_of_their_names(tree):
    reader = hr.readers.File(file_root=tree)
    assert reader.classes == ["Bird", "cat", "dog", "empty"]
    assert read(file_root=tree) == FLAT
    assert read(file_root=str(tree) + "/") == FLAT and read(file_root=os.fsencode(tree)) == FLAT


def test_nested_folders_by_option_and_loops_end(tree):
    deep = [(b"last.jpg", 2), (b"b.jpg", 2), (b"deep.jpg", 2)]
    assert read(file_root=tree, recursive=True) == FLAT + deep
    reader = hr.readers.File(file_root=tree, recursive=True)
    assert reader.classes == ["Bird", "cat", "dog", "empty"]
    assert read(file_root=tree, recursive=True, dir_filters="dog") == [
        (n, 0) for n, label in FLAT + deep if label == 2]
    assert read(file_root=tree, recursive=True, file_filters=["*.md"]) == [(b"readme.md", 1)]


def test_a_root_that_links_to_itself(tree):
    os.symlink(tree, tree / "Zoo")
    reader = hr.readers.File(file_root=tree)
    assert reader.classes == ["Bird", "Zoo", "cat", "dog", "empty"]
    got = read(file_root=tree, recursive=True)
    zoo = [name for name, label in got if label == 1]
    assert zoo.count(b"top.jpg") == 1 and len(zoo) == 1 + len(FLAT) + 3


def test_a_folder_linked_twice_is_read_twice(tmp_path):
    fill(tmp_path, "a/x/1.jpg")
    os.symlink("x", tmp_path / "a" / "y")
    assert read(file_root=tmp_path, recursive=True) == [(b"1.jpg", 0), (b"1.jpg", 0)]


def test_deep_folders(tmp_path):
    deep = "a/" + "d/" * 400 + "x.jpg"
    fill(tmp_path, deep, "a/1.jpg")
    assert read(file_root=tmp_path, recursive=True) == [(b"1.jpg", 0), (b"x.jpg", 0)]


def test_links_that_lead_nowhere_and_things_that_are_no_files(tmp_path):
    fill(tmp_path, "a/1.jpg")
    os.symlink("nowhere.jpg", tmp_path / "a" / "2.jpg")
    os.symlink("nowhere", tmp_path / "b")
    os.mkfifo(tmp_path / "a" / "3.jpg")
    (tmp_path / "a" / "4.jpg").mkdir()
    reader = hr.readers.File(file_root=tmp_path)
    assert reader.classes == ["a"] and len(reader.next_epoch()) == 2
    with pytest.raises(FileNotFoundError, match="2.jpg"):
        list(reader.next_epoch())


def test_names_that_are_no_utf8_and_capitals(tmp_path):
    fill(tmp_path, b"\xff/\xe9.jpg", "é/ü.JPEG", "z/ .jpg")
    assert read(file_root=tmp_path) == [(b" .jpg", 0), ("ü.JPEG".encode(), 1), (b"\xe9.jpg", 2)]
    assert read(file_root=tmp_path, case_sensitive_filter=True) == [(b" .jpg", 0), (b"\xe9.jpg", 2)]
    names = hr.readers.File(file_root=tmp_path).classes
    assert [os.fsencode(n) for n in names] == [b"z", "é".encode(), b"\xff"]


def test_arrays_in_nested_folders(tmp_path):
    for i, name in enumerate(["c.npy", "b/2.npy", "b/a/1.npy", "a/0.npy"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        np.save(tmp_path / name, i)
    os.symlink("..", tmp_path / "b" / "loop")

    def values(**options):
        return [int(np.asarray(x[0])) for x in
                hr.readers.Numpy(file_root=tmp_path, **options).next_epoch()]

    assert values() == [0, 3, 1] and values(recursive=True) == [0, 3, 1, 2]


# ---- empty and vanishing folders -------------------------------------------------------------------


def test_empty_folders_are_named(tmp_path):
    for make, words in ((lambda: None, "has no folder"), (lambda: (tmp_path / "a").mkdir(), "none of the 1 folders"),
                        (lambda: fill(tmp_path, "a/x.txt"), "file_filters")):
        make()
        for kind in ({}, {"recursive": True}, {"on_error": "skip"}):
            with pytest.raises(ValueError, match=words):
                hr.readers.File(file_root=tmp_path, **kind)
    with pytest.raises(ValueError, match="no file in .*matches"):
        hr.readers.Numpy(file_root=tmp_path)
    with pytest.raises(FileNotFoundError, match="no such"):
        hr.readers.File(file_root=tmp_path / "no such")
    with pytest.raises(NotADirectoryError, match="x.txt"):
        hr.readers.File(file_root=tmp_path / "a" / "x.txt")


@pytest.mark.parametrize("what", ["the folder", "a class", "a file"])
def test_a_folder_that_goes_while_it_is_read(tmp_path, what):
    """What was read ahead comes; the first item that is gone is named; with "skip" the rest comes."""
    picture = b"\xff\xd8\xff" + bytes(2000)
    root = tmp_path / "photos"
    for label in "ab":
        for i in range(300):
            path = root / label / f"{i:03}.jpg"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture)
    readers = [hr.readers.File(file_root=root, prefetch_queue_depth=1),
               hr.readers.File(file_root=root, on_error="skip", last_batch="partial")]
    loops = [r.next_epoch(batch_size=4) for r in readers]
    for loop in loops:
        next(loop)
    if what == "the folder":
        shutil.rmtree(root)
    elif what == "a class":
        shutil.rmtree(root / "b")
    else:
        (root / "b" / "250.jpg").unlink()
    with pytest.raises(FileNotFoundError, match=r"readers.File: sample \d.*photos/[ab]/\d\d\d.jpg"):
        list(loops[0])
    n = 4 + sum(labels.batch_size for _, labels in loops[1])
    assert n < 600 and readers[1].skip_report == f"missing: {600 - n}"
    assert n == 599 or what != "a file"
    if what == "the folder":
        with pytest.raises(hr.DataError, match="left out all 600 items.*600 missing"):
            list(loops[1])
