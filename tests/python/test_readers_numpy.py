"""readers.Numpy: kinds of files, regions of interest, what is refused."""
import struct

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as hr

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "?"]


def read(**arguments):
    """The samples of one epoch, and their sources."""
    reader = hr.readers.Numpy(**arguments)
    return [np.asarray(x) for (x,) in reader.next_epoch()]


def raw(descr, shape, data=b"", version=1, order="False", pad=0):
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    text += b" " * pad + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


# ---- files ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("byte_order", "<>")
@pytest.mark.parametrize("order", "CF")
def test_every_type_and_order(tmp_path, kind, byte_order, order):
    rng = np.random.default_rng(3)
    for shape in ((2, 3, 4), (7,), (), (0, 3), (3, 0), (1, 5), (5, 1), (2, 1, 2, 1, 3, 1, 2, 2)):
        values = rng.integers(0, 2 if kind == "?" else 100, shape).astype(kind)
        stored = np.asarray(values.astype(np.dtype(kind).newbyteorder(byte_order)), order=order)
        np.save(tmp_path / "a.npy", stored)
        for arguments in ({}, {"roi_start": 0} if shape else {}):
            (got,) = read(files=[str(tmp_path / "a.npy")], **arguments)
            assert got.dtype == np.dtype(kind) and got.dtype.isnative and got.shape == shape
            np.testing.assert_array_equal(got, values)


def test_versions(tmp_path):
    data = np.arange(6, dtype="<i4").tobytes()
    files = []
    for version, pad in ((1, 0), (2, 0), (3, 0), (2, 70000), (3, 70001), (1, 13)):
        files.append(tmp_path / f"v{version}_{pad}.npy")
        files[-1].write_bytes(raw("'<i4'", "(2, 3)", data, version, pad=pad))
    for got in read(files=[str(f) for f in files]):
        np.testing.assert_array_equal(got, np.arange(6).reshape(2, 3))


def test_headers_as_others_write_them(tmp_path):
    data = np.arange(6, dtype="<i4").tobytes()
    for text in ('{"shape":(2,3),"descr":"<i4","fortran_order":False}',
                 "{'descr': '<i4', 'fortran_order': False, 'shape': (2L, 3L)}   \n"):
        body = text.encode()
        (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(body)) + body + data)
        (got,) = read(files=[str(tmp_path / "x.npy")])
        np.testing.assert_array_equal(got, np.arange(6).reshape(2, 3))


def test_types_that_are_refused_by_name(tmp_path):
    made = {"object": np.array([{}], object), "complex64": np.array([1j], "c8"),
            "text": np.array(["abc"]), "datetime64": np.array(["2020-01-01"], "M8[s]"),
            "structured": np.zeros(1, [("é", "i4"), ("b", "f4")])}
    for word, value in made.items():
        np.save(tmp_path / "bad.npy", value)
        for arguments in ({}, {"roi_start": [0]}):
            with pytest.raises(NotImplementedError, match=f"bad.npy.*{word}"):
                read(files=[str(tmp_path / "bad.npy")], **arguments)


DAMAGED = {
    "cut": np.lib.format.magic(1, 0) + b"\x10\0{'descr'",
    "short": raw("'<f8'", "(3,)", bytes(23)),
    "huge": raw("'<f8'", "(1099511627776,)", bytes(23)),
    "over": raw("'<f8'", "(1099511627776, 1099511627776)", bytes(23)),
    "no shape": raw("'<f8'", "3"),
    "text": b"<html>",
    "version 9": raw("'<f8'", "()", bytes(8), 9),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_files_are_named_or_skipped(tmp_path, what):
    for i in range(8):
        np.save(tmp_path / f"{i}.npy", np.array([i]))
    (tmp_path / "4x.npy").write_bytes(DAMAGED[what])
    (tmp_path / "5x.npy").write_bytes(b"")
    for arguments in ({}, {"rel_roi_end": [1.0]}):
        with pytest.raises((hr.DataError, NotImplementedError), match="4x.npy"):
            read(file_root=str(tmp_path), **arguments)
        reader = hr.readers.Numpy(file_root=str(tmp_path), on_error="skip", last_batch="partial",
                                  **arguments)
        got = [int(np.asarray(x)[0]) for (x,) in reader.next_epoch()]
        assert got == list(range(8))
        assert "empty: 1" in reader.skip_report


def test_lists_and_folders(tmp_path):
    names = ["b.npy", "a/z.npy", "a/deep/c.npy", "B/x.npy", "c/a.npy", "d.npy", ".hid.npy",
             "a b/x 7.npy", "e.txt", "c/A.NPY"]
    for i, name in enumerate(names):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        with open(tmp_path / name, "wb") as f:
            np.save(f, np.array(i))
    found = [names[int(v)] for v in read(file_root=str(tmp_path))]
    assert found == [".hid.npy", "b.npy", "d.npy", "B/x.npy", "a/z.npy", "a b/x 7.npy", "c/a.npy"]
    assert [int(v) for v in read(file_root=str(tmp_path), file_filter="*.NPY")] == [9]
    lst = tmp_path / "list"
    for text in ("b.npy\na b/x 7.npy", "\r\nb.npy\r\n\r\na b/x 7.npy\r\n"):
        lst.write_bytes(text.encode())
        assert [int(v) for v in read(file_list=str(lst))] == [0, 7]
    assert [int(v) for v in read(files=["d.npy"], file_root=str(tmp_path))] == [5]
    with pytest.raises(FileNotFoundError, match="item 1.*nope.npy"):
        hr.readers.Numpy(files=["b.npy", "nope.npy"], file_root=str(tmp_path))
    for arguments, words in (({}, "must be given"), ({"files": []}, "empty"),
                             ({"files": ["b"], "file_list": "l"}, "exclude"),
                             ({"file_root": str(tmp_path / "a/deep"), "file_filter": "*.x"},
                              "no file")):
        with pytest.raises(ValueError, match=words):
            hr.readers.Numpy(**arguments)


def test_engine_comes_with_it(tmp_path):
    for i in range(10):
        np.save(tmp_path / f"{i}.npy", np.full((2, i + 1), i, np.float32))
    reader = hr.readers.Numpy(file_root=str(tmp_path), shard_id=1, num_shards=2,
                              last_batch="partial", random_shuffle=True, seed=3)
    epochs = [[int(np.asarray(t)[0, 0]) for (b,) in reader.next_epoch(batch_size=3)
               for t in b.tensors] for _ in range(3)]
    assert sorted(epochs[0]) == [5, 6, 7, 8, 9] and sorted(epochs[1]) == [0, 1, 2, 3, 4]
    reader.set_epoch(0)
    assert epochs[0] == [int(np.asarray(t)[0, 0]) for (b,) in reader.next_epoch(batch_size=3)
                         for t in b.tensors]
    with pytest.raises(ValueError):  # ranks differ inside a batch
        np.save(tmp_path / "0.npy", np.zeros(3, np.float32))
        list(hr.readers.Numpy(file_root=str(tmp_path)).next_epoch(batch_size=4))


# ---- regions ----------------------------------------------------------------------------

SHAPE = (3, 4, 5)
A = np.arange(60, dtype=np.int16).reshape(SHAPE)
# Asked of the peer (release 2.4.0): arguments, then what comes out of A.
ASKED = [
    ({"roi_start": [0, 1, 2], "roi_end": [2, 3, 5]}, A[0:2, 1:3, 2:5]),
    ({"roi_start": [0, 1, 2], "roi_shape": [2, 3, 3]}, A[0:2, 1:4, 2:5]),
    ({"roi_shape": [2, 2, 2]}, A[:2, :2, :2]),
    ({"roi_end": [2, 2, 2]}, A[:2, :2, :2]),
    ({"roi_start": [1, 1, 1]}, A[1:, 1:, 1:]),
    ({"roi_start": [1], "roi_shape": [2], "roi_axes": [1]}, A[:, 1:3]),
    ({"roi_start": [1, 2], "roi_shape": [2, 1], "roi_axes": [2, 0]}, A[2:3, :, 1:3]),
    ({"roi_start": [1], "roi_shape": [2], "roi_axes": [-1]}, A[..., 1:3]),
    ({"rel_roi_start": [0.1, 0.3, 0.5], "rel_roi_end": [0.9, 0.8, 1.0]}, A[0:3, 1:3, 3:5]),
    ({"rel_roi_start": [0.1, 0.3, 0.5], "rel_roi_shape": [0.5, 0.5, 0.5]}, A[0:2, 1:3, 3:5]),
    ({"rel_roi_shape": [0.5, 0.5, 0.5]}, A[:2, :2, :3]),
    ({"roi_start": [1, 1, 1], "rel_roi_shape": [0.5, 0.5, 0.5]}, A[1:3, 1:3, 1:4]),
    ({"rel_roi_start": [0.5, 0.125, 0.1], "rel_roi_end": [1.0, 0.875, 0.3]}, A[2:3, 1:4, 1:2]),
    ({"roi_start": 1, "roi_shape": 1}, A[1:2, 1:2, 1:2]),
    ({"roi_start": [-1, 0, 0], "roi_end": [4, 1, 2], "out_of_bounds_policy": "pad",
      "fill_value": 7.6}, np.pad(A[:, :1, :2], [(1, 1), (0, 0), (0, 0)], constant_values=8)),
    ({"roi_start": [-1, 0, 0], "roi_end": [4, 1, 2], "out_of_bounds_policy": "pad",
      "fill_value": -70000.0},
     np.pad(A[:, :1, :2], [(1, 1), (0, 0), (0, 0)], constant_values=-32768)),
    ({"roi_start": [-1, 0, 0], "roi_end": [9, 1, 2], "out_of_bounds_policy": "trim_to_shape"},
     A[:, :1, :2]),
    ({"roi_start": [5, 0, 0], "roi_end": [9, 1, 2], "out_of_bounds_policy": "trim_to_shape"},
     A[3:, :1, :2]),
]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("byte_order", "<>")
def test_regions_as_asked_of_the_peer(tmp_path, order, byte_order):
    np.save(tmp_path / "a.npy", np.asarray(A.astype(byte_order + "i2"), order=order))
    for arguments, expected in ASKED:
        (got,) = read(files=[str(tmp_path / "a.npy")], **arguments)
        assert got.shape == expected.shape, arguments
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("arguments, words", [
    ({"roi_start": [0, 0, 0], "roi_end": [4, 4, 5]}, "takes 0..4 of axis 0.*0..3"),
    ({"roi_start": [1, 0], "roi_shape": [2, 1], "roi_axes": [1, 1]}, "axis 1 twice"),
    ({"roi_start": [1], "roi_shape": [2], "roi_axes": [3]}, "has 3, the array has"),
    ({"roi_start": [0, 0], "roi_end": [1, 1]}, "2 values.*3 axes"),
    ({"roi_start": [2, 0, 0], "roi_end": [1, 1, 1]}, "ends before"),
    ({"roi_start": [2, 0, 0], "roi_shape": [-1, 1, 1]}, "extent in axis 0 is -1"),
    ({"roi_start": [0] * 3, "rel_roi_start": [0.0] * 3}, "exclude each other"),
    ({"roi_end": [1] * 3, "rel_roi_shape": [0.5] * 3}, "at most one"),
    ({"rel_roi_end": [float("nan")] * 3}, "must be within"),
    ({"roi_axes": [1]}, "needs a region"),
    ({"out_of_bounds_policy": "wrap"}, "wrap"),
])
def test_wrong_regions(tmp_path, arguments, words):
    np.save(tmp_path / "a.npy", A)
    with pytest.raises(ValueError, match=words):
        read(files=[str(tmp_path / "a.npy")], **arguments)


@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_regions_against_numpy(tmp_path, data):
    shape = tuple(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=4)))
    a = np.arange(np.prod(shape), dtype=data.draw(st.sampled_from(["<u1", "<i4", ">i2", ">f8"])))
    a = a.reshape(shape)
    order = data.draw(st.sampled_from("CF"))
    np.save(tmp_path / "h.npy", np.asarray(a, order=order))
    start = [data.draw(st.integers(-3, n + 2)) for n in shape]
    size = [data.draw(st.integers(0, 6)) for _ in shape]
    policy = data.draw(st.sampled_from(["pad", "trim_to_shape"]))
    (got,) = read(files=[str(tmp_path / "h.npy")], roi_start=start, roi_shape=size,
                  out_of_bounds_policy=policy, fill_value=9.0)
    if policy == "trim_to_shape":
        expected = a[tuple(slice(min(max(s, 0), n), min(max(s + k, 0), n))
                           for s, k, n in zip(start, size, shape))]
    else:
        expected = np.full(size, 9, a.dtype)
        inside = [(max(s, 0), min(s + k, n)) for s, k, n in zip(start, size, shape)]
        if all(b > a_ for a_, b in inside):
            expected[tuple(slice(lo - s, hi - s) for (lo, hi), s in zip(inside, start))] = a[
                tuple(slice(lo, hi) for lo, hi in inside)]
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)

