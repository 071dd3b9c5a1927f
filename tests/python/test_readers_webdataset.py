"""readers.Webdataset: archives as others write them, samples, indexes, damage. tarfile is the oracle."""
import gzip
import io
import tarfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.__main__ import main

FORMATS = {"ustar": tarfile.USTAR_FORMAT, "gnu": tarfile.GNU_FORMAT, "pax": tarfile.PAX_FORMAT}
BASE = [("a.jpg", b"A"), ("a.cls", b"1"), ("b.jpg", b"B"), ("b.cls", b"2"), ("c.jpg", b"CC"),
        ("c.cls", b"3")]


def pack(path, members, kind="pax", **options):
    with tarfile.open(path, "w", format=FORMATS[kind], **options) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            if data is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(data)
            t.addfile(info, io.BytesIO(data or b""))
    return str(path)


def read(paths, ext, **arguments):
    reader = hr.readers.Webdataset(paths=paths, ext=ext, **arguments)
    return [tuple(np.asarray(t).tobytes() for t in x) for x in reader.next_epoch()]


def expected(path, ext):
    """What the rules say, from tarfile's members; ("", None) samples keep their place."""
    samples, latest, before = [], {}, None
    with tarfile.open(path) as t:
        for m in t:
            name = m.name
            while name.startswith("./"):
                name = name[2:]
            base = name.rpartition("/")[2]
            if not m.isreg() or "." not in base or base.startswith("."):
                continue
            stem, _, end = base.partition(".")
            key = name[:len(name) - len(base)] + stem
            parts = latest.get(key)
            if parts is None or (parts is not before and end in dict(parts)):
                parts = latest[key] = []
                samples.append(parts)
            parts.append((end, t.extractfile(m).read()))
            before = samples[-1]
    return [tuple(next((d for e, d in parts if e in one.split(";")), b"") for one in ext)
            for parts in samples]


# ---- archives -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FORMATS)
def test_long_and_foreign_names(tmp_path, kind):
    names = ["p" * 90 + "/" + "n" * 50, "é" * 9 + "/ü", "x y/z", "d/" * 40 + "deep"]
    members = [(n + e, (n + e).encode()) for n in names for e in (".jpg", ".cls")]
    path = pack(tmp_path / "a.tar", members, kind)
    assert read(path, ["jpg", "cls"]) == [((n + ".jpg").encode(), (n + ".cls").encode())
                                          for n in names]


def test_every_way_to_write_a_name_gives_the_same(tmp_path):
    name = "p" * 90 + "/" + "é" * 25  # over 100 bytes, with a prefix that fits
    found = [read(pack(tmp_path / f"{k}.tar", [(name + ".jpg", b"x"), (name + ".cls", b"y")], k,
                       **({"pax_headers": {"comment": "hello"}} if k == "pax" else {})),
                  ["jpg", "cls"]) for k in FORMATS]
    assert found == [[(b"x", b"y")]] * 3


def test_pax_words(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, pax_headers={"path": "global.jpg"}) as t:
        for name, headers, data in (("one", {}, b"1"), ("two", {"path": "two.jpg"}, b"22"),
                                    ("three", {"path": "th/ree.jpg", "size": "3", "x": "y"}, b"333")):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.pax_headers = headers
            t.addfile(info, io.BytesIO(data))
    assert read(str(path), "jpg") == [(b"1",), (b"22",), (b"333",)]


def test_ends_prefixes_and_dots(tmp_path):
    whole = (tmp_path / "a.tar")
    pack(whole, BASE)
    data = whole.read_bytes()
    used = 1024 * len(BASE)
    cut = tmp_path / "cut.tar"
    for n in (used, used + 512, used + 100, used - 510, used - 100):  # no end blocks, no padding
        cut.write_bytes(data[:n])
        assert read(str(cut), ["jpg", "cls"])[-1] == (b"CC", b"3")
    path = pack(tmp_path / "b.tar", [("./a.jpg", b"A"), ("a.cls", b"1"), ("././b.jpg", b"B"),
                                     ("./b.cls", b"2")])
    assert read(path, ["jpg", "cls"]) == [(b"A", b"1"), (b"B", b"2")]
    path = pack(tmp_path / "c.tar", [("d/s.0.jpg", b"0"), ("d/s.1.jpg", b"1"), ("x.y/s.jpg", b"2")])
    assert read(path, ["0.jpg", "1.jpg", "jpg"]) == [(b"0", b"1", b""), (b"", b"", b"2")]
    path = pack(tmp_path / "d.tar", [("d", None), ("e", None)])
    with pytest.raises(ValueError, match="no samples"):
        read(path, "jpg")
    path = pack(tmp_path / "e.tar", [(".hidden.jpg", b"H"), ("noext", b"N"), ("d/.x.jpg", b"X"),
                                     ("b.jpg", b"B")])
    assert read(path, "jpg") == [(b"B",)]


def test_members_far_apart_and_twice(tmp_path):
    path = pack(tmp_path / "a.tar", [("a.jpg", b"A"), ("b.jpg", b"B"), ("a.cls", b"1"),
                                     ("b.cls", b"2"), ("a.jpg", b"X"), ("a.cls", b"9")])
    assert read(path, ["jpg", "cls"]) == [(b"A", b"1"), (b"B", b"2"), (b"X", b"9")]
    path = pack(tmp_path / "b.tar", [("a.jpg", b"A"), ("a.jpg", b"X"), ("a.cls", b"1")])
    assert read(path, ["jpg", "cls"]) == [(b"A", b"1")]


def test_links_and_folders_are_no_members(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as t:
        for name, kind in (("a.jpg", tarfile.REGTYPE), ("b.jpg", tarfile.LNKTYPE),
                           ("c.jpg", tarfile.SYMTYPE), ("d.jpg", tarfile.DIRTYPE),
                           ("e.jpg", tarfile.FIFOTYPE), ("f.jpg", tarfile.CONTTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "a.jpg"
            has_data = kind in (tarfile.REGTYPE, tarfile.CONTTYPE)
            info.size = 3 if has_data else 0
            t.addfile(info, io.BytesIO(b"abc"))
    assert read(str(path), "jpg") == [(b"abc",), (b"abc",)]


def test_damage(tmp_path):
    whole = tmp_path / "a.tar"
    pack(whole, BASE)
    data = whole.read_bytes()
    used = 1024 * len(BASE)
    bad = tmp_path / "bad.tar"
    for change, words in ((data[:used - 511 - 1], "c.cls is cut off"),
                          (data[:used - 1000], "header at byte 5120 is cut off"),
                          (data[:4096] + b"x" + data[4097:], "byte 4096 has a wrong checksum")):
        bad.write_bytes(change)
        with pytest.raises(hr.DataError, match=f"bad.tar.*{words}"):
            read(str(bad), ["jpg", "cls"])
        reader = hr.readers.Webdataset(paths=[str(bad)], ext=["jpg", "cls"], on_error="skip",
                                       missing_component_behavior="skip", last_batch="partial")
        got = [tuple(np.asarray(t).tobytes() for t in x) for x in reader.next_epoch()]
        assert got == [(b"A", b"1"), (b"B", b"2")]
        assert reader.skip_report == "damaged: 1"
    for content, words in ((b"<html>" * 200, "no archive begins"), (b"", "is empty"),
                           (gzip.compress(data), "compressed .gzip.")):
        bad.write_bytes(content)
        with pytest.raises(hr.DataError, match=f"bad.tar.*{words}"):
            read([str(whole), str(bad)], "jpg")
        assert len(read([str(bad), str(whole)], "jpg", on_error="skip", last_batch="partial")) == 3
    with pytest.raises(FileNotFoundError, match="nope.tar"):
        read([str(whole), str(tmp_path / "nope.tar")], "jpg")


def test_an_archive_may_change_or_go(tmp_path):
    path = tmp_path / "a.tar"
    pack(path, BASE)
    reader = hr.readers.Webdataset(paths=[str(path)], ext="jpg", lazy_init=True)
    with open(path, "r+b") as f:
        f.truncate(600)
    with pytest.raises(hr.DataError, match="a.tar"):
        list(reader.next_epoch(batch_size=3))


NAMES = st.text("ab./é ", min_size=1, max_size=7).filter(
    lambda s: s.strip("./ ") and "\0" not in s and not s.endswith("/"))


@settings(max_examples=120, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(members=st.lists(st.tuples(NAMES, st.sampled_from(["", ".jpg", ".cls", ".0.jpg", ".JPG"]),
                                  st.integers(0, 1200)), min_size=1, max_size=8),
       kind=st.sampled_from(sorted(FORMATS)), end=st.integers(0, 3))
def test_made_up_archives(tmp_path, members, kind, end):
    rng = np.random.default_rng(len(members))
    path = pack(tmp_path / "h.tar", [(n + e, rng.bytes(size)) for n, e, size in members], kind)
    data = (tmp_path / "h.tar").read_bytes().rstrip(b"\0")
    (tmp_path / "h.tar").write_bytes(data + bytes(-len(data) % 512 + 512 * end))
    ext = ["jpg", "cls;JPG", "0.jpg"]
    want = expected(path, ext)
    if not want:
        with pytest.raises((ValueError, hr.DataError)):
            read(path, ext)
        return
    assert read(path, ext) == want
    index = str(tmp_path / "h.idx")
    made = main(["index", path, index])
    ends = [n.rpartition("/")[2].partition(".")[2] for n, *_ in
            ((n + e,) for n, e, _ in members)]
    if all(e and " " not in e for e in ends):  # the format cannot hold others
        assert made == 0 and read(path, ext, index_paths=index) == want


# ---- arguments ----------------------------------------------------------------------------


def test_missing_components(tmp_path):
    path = pack(tmp_path / "m.tar", [m for m in BASE if m[0] != "b.cls"])
    assert read(path, ["jpg", "cls"])[1] == (b"B", b"")
    assert read(path, ["jpg", "cls"], missing_component_behavior="empty")[1] == (b"B", b"")
    assert read(path, ["jpg", "cls"], missing_component_behavior="skip") == [(b"A", b"1"),
                                                                             (b"CC", b"3")]
    with pytest.raises(hr.DataError, match='m.tar.*"b".*"cls"'):
        read(path, ["jpg", "cls"], missing_component_behavior="error")
    with pytest.raises(ValueError, match="raise"):
        read(path, ["jpg", "cls"], missing_component_behavior="raise")


def test_extensions(tmp_path):
    path = pack(tmp_path / "a.tar", [("a.JPG", b"A"), ("b.jpg", b"B"), ("c.png", b"C"),
                                     ("c.jpg", b"D")])
    assert read(path, ["jpg"]) == [(b"",), (b"B",), (b"D",)]
    assert read(path, ["jpg;png"]) == [(b"",), (b"B",), (b"C",)]
    assert read(path, ["jpg"], case_sensitive_extensions=False)[0] == (b"A",)
    for bad, words in (([], "1 to 64"), ([""], "no extension"), (["x"] * 65, "1 to 64")):
        with pytest.raises(ValueError, match=words):
            read(path, bad)


def test_types(tmp_path):
    values = np.arange(6, dtype=np.int32)
    path = pack(tmp_path / "a.tar", [("a.x", values.tobytes()), ("a.y", b"1234567")])
    for t in (hr.int32, np.int32, "int32", "i4", hr.types.DALIDataType.INT32):
        try:
            ((x, y),) = hr.readers.Webdataset(paths=[path], ext=["x", "y"],
                                              dtypes=[t, hr.uint8]).next_epoch()
        except (TypeError, ValueError):
            assert t == "i4"  # a name that the library does not know
            continue
        np.testing.assert_array_equal(np.asarray(x), values)
        assert np.asarray(x).dtype == np.int32 and np.asarray(y).dtype == np.uint8
    with pytest.raises(hr.DataError, match="a.y has 7 bytes.*int32's 4"):
        read(path, ["y"], dtypes=[hr.int32])
    with pytest.raises(ValueError, match="1 entries for 2"):
        read(path, ["x", "y"], dtypes=[hr.int32])


def test_indexes(tmp_path):
    path = pack(tmp_path / "a.tar", BASE, "ustar")
    index = tmp_path / "i"
    for text in ("v1.2 2\njpg 512 1 a.jpg cls 1536 1 a.cls\njpg 2560 1 b.jpg\n",
                 "v1.1 2\r\njpg 512 1 cls 1536 1\r\njpg 2560 1", "v1.1 2\njpg 512 1 cls 1536 1\njpg 2560 1\n \n\n",
                 "v1.2 2\njpg 512 1 a b 7.jpg cls 1536 1 a b 7.cls\njpg 2560 1 x y.jpg"):
        index.write_bytes(text.encode())
        assert read(path, ["jpg", "cls"], index_paths=[str(index)]) == [(b"A", b"1"), (b"B", b"")]
    for text, words in (("v1.0 1\njpg 512 1\n", "v1.0 is not known"),
                        ("v1.2 3\njpg 512 1 a.jpg\n", "ends before"),
                        ("v1.2 1\njpg 512000 1 a.jpg\n", "line 2.*not inside"),
                        ("v1.2 1\njpg 512 100000 a.jpg\n", "line 2.*not inside"),
                        ("v1.2 1\njpg 513 1 a.jpg\n", "line 2.*no multiple of 512"),
                        ("v1.2 1\njpg 512 1 a.jpg\n\njpg 2560 1 b.jpg\n", "line 4.*goes on behind"),
                        ("v1.2 0\njpg 512 1 a.jpg\n", "line 2.*goes on behind"),
                        ("v1.2 1\njpg x 1 a.jpg\n", "line 2.*offset and size"),
                        ("v1.2 1\n\n", "line 2.*without parts"), ("hello", "line 1"),
                        ("", "is empty")):
        index.write_text(text)
        with pytest.raises((hr.DataError, NotImplementedError), match=words):
            read(path, "jpg", index_paths=[str(index)])
    with pytest.raises(ValueError, match="1 entries for 2"):
        read([path, path], "jpg", index_paths=[str(index)])


def test_engine_comes_with_it(tmp_path):
    paths = [pack(tmp_path / f"{i}.tar", [(f"{i}_{k}.x", bytes([10 * i + k])) for k in range(5)])
             for i in range(3)]
    reader = hr.readers.Webdataset(paths=paths, ext="x", shard_id=1, num_shards=3,
                                   random_shuffle=True, last_batch="partial")
    passes = [[int(v) for (b,) in reader.next_epoch(batch_size=2) for t in b.tensors
               for v in np.asarray(t)] for _ in range(3)]
    assert sorted(passes[0]) == [10, 11, 12, 13, 14] and sorted(passes[1]) == [20, 21, 22, 23, 24]
    again = hr.readers.Webdataset(paths=paths, ext="x", shard_id=1, num_shards=3,
                                  random_shuffle=True, last_batch="partial")
    loop = iter(again.next_epoch(batch_size=2))
    next(loop)
    state = again.state_dict()
    third = hr.readers.Webdataset(paths=paths, ext="x", shard_id=1, num_shards=3,
                                  random_shuffle=True, last_batch="partial")
    third.load_state_dict(state)
    rest = [int(v) for (b,) in third.next_epoch(batch_size=2) for t in b.tensors
            for v in np.asarray(t)]
    assert rest == passes[0][2:]


def test_many_archives(tmp_path):
    paths = [pack(tmp_path / f"{i}.tar", [(f"{i}.x", str(i).encode())]) for i in range(150)]
    assert [int(v) for (v,) in read(paths, "x")] == list(range(150))


# ---- verify="decode" ------------------------------------------------------------------------


def test_verify_decodes(tmp_path):
    Image = pytest.importorskip("PIL.Image")
    out = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 256, (40, 60, 3), np.uint8)
    Image.fromarray(pixels).save(out, "PNG")
    good = out.getvalue()
    bad = {"cut": good[:len(good) // 2], "flip": good[:900] + b"\xff" + good[901:],
           "text": b"not a picture"}
    members = [(f"s{i}.{e}", d) for i in range(8) for e, d in (
        ("png", good), ("cls", str(i).encode()))]
    for what, data in bad.items():
        broken = [(n, data if n == "s5.png" else d) for n, d in members]
        path = pack(tmp_path / f"{what}.tar", broken)
        assert len(read(path, ["png", "cls"])) == 8
        with pytest.raises((hr.DataError, NotImplementedError), match="s5.png"):
            read(path, ["png", "cls"], verify="decode")
        reader = hr.readers.Webdataset(paths=[path], ext=["png", "cls"], verify="decode",
                                       on_error="skip", last_batch="partial")
        got = [int(np.asarray(c).tobytes()) for _, c in reader.next_epoch()]
        assert got == [0, 1, 2, 3, 4, 6, 7] and reader.skip_report == "damaged: 1"
        folder = tmp_path / what / "class"
        folder.mkdir(parents=True)
        for name, d in broken:
            if name.endswith("png"):
                (folder / name).write_bytes(d)
        files = hr.readers.File(file_root=str(tmp_path / what), verify="decode", on_error="skip",
                                last_batch="partial")
        assert len(list(files.next_epoch())) == 7
        with pytest.raises((hr.DataError, NotImplementedError), match="s5.png"):
            list(hr.readers.File(file_root=str(tmp_path / what), verify="decode").next_epoch())


@pytest.mark.parametrize("shuffled", [False, True])
def test_runs_of_small_samples(tmp_path, shuffled):
    """Samples that follow one another are read at once: two archives, members that are missing, of odd
    sizes, far off; three passes, since runs begin once reading was seen to be quick."""
    rng = np.random.default_rng(3)
    paths, want = [], []
    for shard in range(2):
        members = []
        for i in range(300):
            members += [(f"{i}.{ext}", rng.bytes(rng.integers(1, 2000))) for ext in ("a", "b")
                        if rng.random() < 0.9]
            members += [(f"{i}.other", bytes(60000))] * (i % 50 == 0)
        paths.append(pack(tmp_path / f"{shard}.tar", members))
        want += expected(paths[-1], ["a", "b"])
    reader = hr.readers.Webdataset(paths=paths, ext=["a", "b"], random_shuffle=shuffled,
                                   last_batch="partial")
    for _ in range(3):
        got = [pair for a, b in reader.next_epoch(batch_size=8)
               for pair in zip(*([np.asarray(t).tobytes() for t in x.tensors] for x in (a, b)))]
        assert (sorted(got) == sorted(want)) if shuffled else (got == want)


def test_a_run_that_ends_beyond_the_archive(tmp_path):
    """The archive shrinks after it was listed: the items up to its end still come."""
    data = [bytes([i % 256]) * 700 for i in range(400)]
    path = pack(tmp_path / "a.tar", [(f"{i:03}.a", d) for i, d in enumerate(data)])
    reader = hr.readers.Webdataset(paths=[path], ext=["a"], on_error="skip", last_batch="partial")
    with open(path, "r+b") as f:
        f.truncate(1536 * 205 + 512 + 10)  # headers and contents; pax format adds none for such names
    got = [np.asarray(t).tobytes() for (a,) in reader.next_epoch(batch_size=8) for t in a.tensors]
    assert got == data[:205]
