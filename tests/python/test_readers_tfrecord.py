"""readers.TFRecord: framing, checksums, features, what is missing or mistyped."""
import gzip
import struct
import zlib

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from record_files import example, feature, field, masked, record, varint, write, write_index

import headrace as hr
from headrace.tfrecord import FixedLenFeature, VarLenFeature, float32, int64, string

A = {"a": FixedLenFeature([1], int64, -1)}


def read(path, features, **arguments):
    reader = hr.readers.TFRecord(path=[str(path)], features=features, **arguments)
    out = []
    for sample in reader.next_epoch():
        assert isinstance(sample, dict) and list(sample) == list(features)
        out.append({k: np.asarray(v) for k, v in sample.items()})
    return out


def one(tmp_path, message, features, **arguments):
    write(tmp_path / "one", [message])
    (got,) = read(tmp_path / "one", features, **arguments)
    return got


def is_equal(got, dtype, values):
    values = np.asarray(values, dtype)
    assert got.dtype == values.dtype and got.shape == values.shape
    np.testing.assert_array_equal(got, values)


# ---- values -------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [True, False])
def test_values(tmp_path, packed):
    message = example({"a": [5], "b": [1.5, -2.5], "c": [b"xyz"], "m": [1, 2, 3, 4, 5, 6],
                       "n": [-5, 2**40, -2**63, 2**63 - 1], "e": [b""]}, packed)
    got = one(tmp_path, message, {
        "a": FixedLenFeature((), int64, -1), "b": FixedLenFeature([2], float32, 0.0),
        "c": FixedLenFeature((), string, ""), "m": FixedLenFeature([2, 3], int64, 0),
        "n": VarLenFeature(int64, 0), "e": FixedLenFeature([1], string, "x")})
    is_equal(got["a"], "i8", 5)
    is_equal(got["b"], "f4", [1.5, -2.5])
    is_equal(got["c"], "u1", list(b"xyz"))
    is_equal(got["m"], "i8", [[1, 2, 3], [4, 5, 6]])
    is_equal(got["n"], "i8", [-5, 2**40, -2**63, 2**63 - 1])
    is_equal(got["e"], "u1", [])
    got = one(tmp_path, message, {"m": VarLenFeature([3], int64, 0), "b": VarLenFeature(float32, 0.0),
                                  "c": VarLenFeature(string, "")})
    is_equal(got["m"], "i8", [[1, 2, 3], [4, 5, 6]])
    is_equal(got["b"], "f4", [1.5, -2.5])
    is_equal(got["c"], "u1", list(b"xyz"))


def test_what_is_missing(tmp_path):
    message = example({"z": [1], "empty": [5]})
    message += field(1, field(1, field(1, b"bare") + field(2, b"")))  # a feature without a list
    got = one(tmp_path, message, {
        "a": FixedLenFeature([], int64, -1), "b": FixedLenFeature([2, 2], float32, 2.5),
        "c": FixedLenFeature((), string, "dé"), "v": VarLenFeature(int64, -1),
        "w": VarLenFeature([2], float32, 1.0), "bare": FixedLenFeature([1], int64, 7)})
    is_equal(got["a"], "i8", -1)
    is_equal(got["b"], "f4", [[2.5, 2.5], [2.5, 2.5]])
    is_equal(got["c"], "u1", list("dé".encode()))
    is_equal(got["v"], "i8", [-1])
    is_equal(got["w"], "f4", [[1.0, 1.0]])
    is_equal(got["bare"], "i8", [7])
    with pytest.raises(hr.DataError, match='one: record 0 at byte 0: feature "q" is missing'):
        one(tmp_path, message, {"q": FixedLenFeature([1], int64)})


@pytest.mark.parametrize("values, description, words", [
    ([1.5], FixedLenFeature([1], int64, -1), "holds float32 values, int64"),
    ([b"x"], FixedLenFeature([1], int64, -1), "holds string values, int64"),
    ([1], FixedLenFeature([1], float32, 0.0), "holds int64 values, float32"),
    (("int64", []), FixedLenFeature([1], int64, -1), "has 0 values, the shape .1. takes 1"),
    ([1, 2, 3], FixedLenFeature([2], int64, -1), "has 3 values, the shape .2. takes 2"),
    ([1], FixedLenFeature([2, 2], int64, -1), "has 1 values, the shape .2, 2. takes 4"),
    ([1, 2, 3], VarLenFeature([2], int64, -1), "3 values.*a multiple of 2"),
    ([b"x", b"y"], FixedLenFeature((), string, ""), "2 strings, one"),
    (("bytes", []), FixedLenFeature((), string, ""), "0 strings, one"),
])
def test_other_types_and_numbers(tmp_path, values, description, words):
    good = example({"a": [b"ok"] if "string," in repr(description) else
                    [1.0] * 4 if "float32" in repr(description) else [1] * 4})
    write(tmp_path / "r", [good, example({"a": values}), good])
    with pytest.raises(hr.DataError, match=f'r: record 1 at byte .*feature "a".*{words}'):
        read(tmp_path / "r", {"a": description}, shard_id=1, num_shards=3, last_batch="partial")
    is_equal(one(tmp_path, example({"a": ("int64", [])}), {"a": VarLenFeature(int64, -1)})["a"],
             "i8", [])


def test_odd_encodings(tmp_path):
    entry = field(1, b"a") + field(2, feature([1]))
    twice = field(1, field(1, entry) + field(1, field(1, b"a") + field(2, feature([2]))))
    is_equal(one(tmp_path, twice, A)["a"], "i8", [2])  # of two the last one counts
    parts = field(1, field(1, entry)) + field(1, field(1, field(1, b"b") + field(2, feature([3]))))
    got = one(tmp_path, parts, {**A, "b": FixedLenFeature([1], int64, 0)})  # a map in two pieces
    is_equal(got["a"], "i8", [1])
    is_equal(got["b"], "i8", [3])
    split = field(3, b"\x08\x01") + field(3, field(1, varint(2) + varint(3)))
    message = field(1, field(1, field(1, b"a") + field(2, split)))
    is_equal(one(tmp_path, message, {"a": VarLenFeature(int64, 0)})["a"], "i8", [1, 2, 3])
    unknown = b"\x58\x05" + b"\x61" + bytes(8) + b"\x6d" + bytes(4) + field(14, b"zz")
    is_equal(one(tmp_path, unknown + example({"a": [4]}) + unknown, A)["a"], "i8", [4])


@settings(max_examples=150, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=60), cut=st.integers(0, 40))
def test_no_message_is_an_error_or_defaults(tmp_path, data, cut):
    for message in (data, example({"a": [1, 2], "b": [b"x"]})[:cut], data + example({"a": [1]})):
        write(tmp_path / "one", [message])
        try:
            (got,) = read(tmp_path / "one", {"a": VarLenFeature(int64, -1)})
        except hr.DataError as e:
            assert "record 0 at byte 0" in str(e)
        else:
            assert got["a"].dtype == np.int64


@settings(max_examples=80, deadline=None,
          suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ints=st.lists(st.integers(-2**63, 2**63 - 1), max_size=9),
       floats=st.lists(st.floats(width=32, allow_nan=False), max_size=9), text=st.binary(max_size=50),
       packed=st.booleans())
def test_round_trip(tmp_path, ints, floats, text, packed):
    message = example({"i": ("int64", ints), "f": ("float", floats), "s": [text]}, packed)
    got = one(tmp_path, message, {"f": VarLenFeature(float32, 0.0), "i": VarLenFeature(int64, 0),
                                  "s": FixedLenFeature((), string, "")})
    is_equal(got["i"], "i8", ints)
    is_equal(got["f"], "f4", floats)
    assert got["s"].tobytes() == text


# ---- framing ------------------------------------------------------------------------------

THREE = [example({"a": [i]}) for i in range(3)]
SIZE = len(record(THREE[0]))


@pytest.mark.parametrize("with_index", [False, True])
@pytest.mark.parametrize("at, words, may_pass", [
    (SIZE + 13, "checksum of the bytes", False), (2 * SIZE - 1, "checksum of the bytes", True),
    (SIZE, "checksum of the length", False), (SIZE + 9, "checksum of the length", True)])
def test_flipped_bits(tmp_path, at, words, may_pass, with_index):
    index = write(tmp_path / "r", THREE)
    write_index(tmp_path / "i", index)
    data = bytearray((tmp_path / "r").read_bytes())
    data[at] ^= 4
    (tmp_path / "r").write_bytes(data)
    options = {"index_path": str(tmp_path / "i")} if with_index else {}
    with pytest.raises(hr.DataError, match=f"r: record 1 at byte {SIZE}: the {words} is wrong"):
        read(tmp_path / "r", A, **options)
    if may_pass:
        got = read(tmp_path / "r", A, verify=False, **options)
        assert [int(x["a"][0]) for x in got] == [0, 1, 2]
    reader = hr.readers.TFRecord(path=[str(tmp_path / "r")], features=A, on_error="skip",
                                 last_batch="partial", **options)
    got = [int(np.asarray(x["a"])[0]) for x in reader.next_epoch()]
    lost = "checksum of the length" in words and not with_index  # the rest cannot be found
    assert got == ([0] if lost else [0, 2]) and reader.skip_report == "damaged: 1"


def test_cut_empty_compressed(tmp_path):
    write(tmp_path / "r", THREE)
    data = (tmp_path / "r").read_bytes()
    bad = tmp_path / "bad"
    for n in (SIZE * 2 + 5, SIZE * 2 + 14, SIZE * 3 - 1):
        bad.write_bytes(data[:n])
        with pytest.raises(hr.DataError, match="bad: record 2 at byte .*the file ends inside"):
            read(bad, A)
        assert len(read(bad, A, on_error="skip", last_batch="partial")) == 2
    for content, words in ((b"", "is empty"), (gzip.compress(data), "compressed .gzip"),
                           (zlib.compress(data), "compressed .zlib")):
        bad.write_bytes(content)
        with pytest.raises(hr.DataError, match=f"bad.*{words}"):
            read(bad, A)
    with pytest.raises(FileNotFoundError, match="nope"):
        read(tmp_path / "nope", A)
    head = struct.pack("<Q", 2**62)
    bad.write_bytes(head + struct.pack("<I", masked(head)) + bytes(20))
    with pytest.raises(hr.DataError, match="record 0 at byte 0.*file ends inside"):
        read(bad, A)


def test_long_records(tmp_path):
    big = np.random.default_rng(0).bytes(1 << 20)  # over the size from which tables pay
    levels = ["base", "avx2", "avx512"]
    level = hr._core.cpu_level()
    write_path = tmp_path / "r"
    write(write_path, [example({"s": [big[:n]]}) for n in (17, 20000, len(big))])
    try:
        for each in levels[:levels.index(level) + 1]:
            hr._core.set_cpu_level(each)
            got = read(write_path, {"s": FixedLenFeature((), string, "")})
            assert [x["s"].tobytes() for x in got] == [big[:17], big[:20000], big]
    finally:
        hr._core.set_cpu_level(level)


def test_indexes(tmp_path):
    index = write(tmp_path / "r", THREE)
    place = tmp_path / "i"
    write_index(place, [index[2], index[0]])
    got = read(tmp_path / "r", A, index_path=[str(place)])
    assert [int(x["a"][0]) for x in got] == [2, 0]
    for text, words in ((f"0 {SIZE}\n5000 {SIZE}\n", "line 2.*not inside"), ("0 x\n", "line 1"),
                        ("0 3\n", "line 1"), (f"0 {SIZE - 1}\n", "record says")):
        place.write_text(text)
        with pytest.raises(hr.DataError, match=words):
            read(tmp_path / "r", A, index_path=[str(place)])
    with pytest.raises(ValueError, match="1 entries for 2"):
        hr.readers.TFRecord(path=["a", "b"], index_path=[str(place)], features=A)


def test_runs_of_records(tmp_path):
    """Records side by side are read at once, several times over; a damaged one in between is left out."""
    n = 300
    index = write(tmp_path / "r", [example({"a": [i], "s": [b"%d" % i * (i % 7)]}) for i in range(n)])
    features = {**A, "s": FixedLenFeature([], string, "")}

    def numbers(order, **arguments):
        place = tmp_path / "i"
        write_index(place, [index[k] for k in order])
        reader = hr.readers.TFRecord(path=[str(tmp_path / "r")], index_path=[str(place)], features=features,
                                     last_batch="partial", **arguments)
        for _ in range(3):
            got = []
            for batch in reader.next_epoch(batch_size=100):
                for a, s in zip(batch["a"], batch["s"]):
                    got.append(int(np.asarray(a)[0]))
                    assert np.asarray(s).tobytes() == b"%d" % got[-1] * (got[-1] % 7)
            yield got
    backward = list(range(n))[::-1]
    for order in (list(range(n)), backward, [k ^ 1 for k in range(n)]):
        assert list(numbers(order)) == [order] * 3
    offset, size = index[200]
    data = bytearray((tmp_path / "r").read_bytes())
    data[offset + size - 5] ^= 1
    (tmp_path / "r").write_bytes(data)
    sound = [k for k in range(n) if k != 200]
    assert list(numbers(range(n), on_error="skip")) == [sound] * 3


# ---- descriptions, engine -------------------------------------------------------------------


def test_descriptions():
    assert (int64, string, float32) == (0, 1, 2)
    assert VarLenFeature(int64, 0) == VarLenFeature(dtype=int64, default_value=0)
    assert VarLenFeature([2], int64, 0) == VarLenFeature(shape=[2], dtype="int64", default_value=0)
    assert FixedLenFeature([1], hr.int64, 1) == FixedLenFeature((1,), int64, 1)
    for call, kind in ((lambda: FixedLenFeature([1], int64, "x"), TypeError),
                       (lambda: FixedLenFeature([1], int64, 1.5), TypeError),
                       (lambda: FixedLenFeature([1], int64, 2**70), OverflowError),
                       (lambda: FixedLenFeature([2], int64, [1, 2]), TypeError),
                       (lambda: FixedLenFeature([1], int64, float("nan")), TypeError),
                       (lambda: FixedLenFeature([1], int64, float("inf")), TypeError),
                       (lambda: FixedLenFeature([2], float32, [1.5, 2]), TypeError),
                       (lambda: FixedLenFeature([1], string, 3), TypeError),
                       (lambda: FixedLenFeature([-1], int64, 0), ValueError),
                       (lambda: FixedLenFeature(1, int64, 0), TypeError),
                       (lambda: FixedLenFeature([1], 5, 0), ValueError),
                       (lambda: VarLenFeature(), TypeError),
                       (lambda: VarLenFeature(int64, 0, 0), TypeError)):
        with pytest.raises(kind, match="^(tfrecord|VarLenFeature): "):
            call()
    for features, kind in (({}, TypeError), ([1], TypeError), ({"a": int64}, TypeError),
                           ({"a": FixedLenFeature([2], string, "")}, ValueError),
                           ({"a": VarLenFeature([0], int64, 0)}, ValueError),
                           ({str(i): A["a"] for i in range(65)}, ValueError)):
        with pytest.raises(kind):
            hr.readers.TFRecord(path=["x"], features=features)


def test_engine_comes_with_it(tmp_path):
    paths = []
    for k in range(3):
        paths.append(str(tmp_path / f"{k}.tfrecord"))
        write(paths[-1], [example({"a": [10 * k + i]}) for i in range(5)])
    reader = hr.readers.TFRecord(path=paths, features=A, num_shards=3, shard_id=2,
                                 random_shuffle=True, last_batch="partial")
    batches = list(reader.next_epoch(batch_size=2))
    assert [len(b["a"]) if hasattr(b["a"], "__len__") else b["a"].batch_size for b in batches] == [
        2, 2, 1]
    values = sorted(int(np.asarray(t)[0]) for b in batches for t in b["a"].tensors)
    assert values == [20, 21, 22, 23, 24]
    called = hr.readers.TFRecord(path=paths, features=A)(batch_size=3)
    assert isinstance(called, dict) and [int(np.asarray(t)[0]) for t in called["a"].tensors] == [
        0, 1, 2]
