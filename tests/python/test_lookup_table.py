"""lookup_table: every integer type, keys and rounding."""
import numpy as np
import pytest

import headrace as hr

INTS = ["uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"]


@pytest.mark.parametrize("dtype", INTS)
@pytest.mark.parametrize("out", ["uint8", "int16", "float32", "float64", "bool", "float16"])
def test_types(dtype, out):
    info = np.iinfo(dtype)
    a = np.array([0, 1, 2, 3, 100, info.max, info.min], dtype)
    table = {1: 10.0, 3: 200.0, 100: 7.0}
    want = np.array([table.get(int(v), 5.0) for v in a])
    got = hr.lookup_table(a, keys=list(table), values=list(table.values()), default_value=5,
                          dtype=out)
    assert np.array_equal(np.asarray(got), want.astype(out))


def test_values_are_rounded_and_clamped():
    got = hr.lookup_table(np.arange(4), keys=[0, 1, 2], values=[10.5, 300, -2.5],
                          default_value=0.4, dtype="uint8")
    assert np.asarray(got).tolist() == [11, 255, 0, 0]


def test_of_equal_keys_the_last_counts():
    assert hr.lookup_table(1, keys=[1, 1], values=[10, 20]).item() == 20


def test_no_keys():
    assert np.asarray(hr.lookup_table(np.arange(3), keys=[], values=[], default_value=3)).tolist() \
        == [3, 3, 3]
    assert np.asarray(hr.lookup_table(np.arange(3))).tolist() == [0, 0, 0]


def test_the_largest_key():
    a = np.array([65534, 65535, 65536, -1])
    assert np.asarray(hr.lookup_table(a, keys=[65535], values=[1])).tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("named, words", [
    ({"keys": [1], "values": []}, "`keys` has 1"),
    ({"keys": [65536], "values": [1]}, "65535"),
    ({"keys": [-1], "values": [1]}, "65535"),
])
def test_refusals(named, words):
    with pytest.raises(ValueError, match=words):
        hr.lookup_table(np.arange(3), **named)
    with pytest.raises(TypeError, match="float32"):
        hr.lookup_table(np.float32([1]))
