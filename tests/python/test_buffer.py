"""The buffer protocol: tensors as memory."""
import array
import ctypes
import gc
import io

import numpy as np
import pytest

import headrace as hr

FORMATS = {"uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "int8": "b", "int16": "h",
           "int32": "i", "int64": "q", "float16": "e", "float32": "f", "float64": "d", "bool": "?"}


@pytest.mark.parametrize("name, letter", FORMATS.items())
def test_format_shape_strides(name, letter):
    m = memoryview(hr.tensor(np.zeros((2, 3)), dtype=name))
    size = np.dtype(name).itemsize
    assert (m.format, m.itemsize, m.ndim, m.shape) == (letter, size, 2, (2, 3))
    assert m.strides == (3 * size, size) and m.nbytes == 6 * size and m.c_contiguous


def test_bytes():
    x = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert bytes(hr.as_tensor(x)) == x.tobytes()
    assert bytes(hr.as_tensor(x[:, ::-1])) == x[:, ::-1].tobytes()
    assert bytes(hr.tensor(7, dtype=hr.uint8)) == b"\x07"
    assert bytes(hr.tensor(np.zeros((0, 3)))) == b""


def test_strided_memory():
    x = np.arange(24, dtype=np.int32).reshape(4, 6)
    m = memoryview(hr.as_tensor(x[::-2, ::3]))
    assert m.shape == (2, 2) and m.strides == (-48, 12) and m.tolist() == x[::-2, ::3].tolist()


def test_zero_axes():
    m = memoryview(hr.tensor(2.5))
    assert m.ndim == 0 and m.shape == () and m.tolist() == 2.5


def test_bfloat16_has_no_format():
    with pytest.raises(BufferError, match="DLPack"):
        memoryview(hr.tensor([1], dtype=hr.bfloat16))


def test_read_only_memory_stays_so():
    x = np.arange(3)
    x.flags.writeable = False
    t = hr.as_tensor(x)
    assert memoryview(t).readonly
    with pytest.raises((BufferError, TypeError)):
        (ctypes.c_char * 24).from_buffer(t)
    assert memoryview(hr.as_tensor(b"abc")).readonly


def test_a_view_keeps_the_memory():
    t = hr.tensor(np.arange(1000))
    m = memoryview(t)
    del t
    gc.collect()
    junk = [hr.tensor(np.zeros(1000, np.int64)) for _ in range(10)]
    assert m.tolist() == list(range(1000)) and len(junk) == 10


def test_plain_requests():
    """PyBUF_SIMPLE: bytes in a row; not for strided memory."""
    packed, strided = hr.tensor([1, 2, 3], dtype=hr.int32), hr.as_tensor(np.arange(6)[::2])
    out = io.BytesIO()
    assert out.write(packed) == 12 and out.getvalue() == bytes(packed)
    assert b"".join([packed]) == bytes(packed)
    with pytest.raises((BufferError, TypeError)):
        b"".join([strided])


def test_memory_of_others_comes_in():
    for source, dtype, want in (
            (b"abc", hr.uint8, [97, 98, 99]), (bytearray(b"ab"), hr.uint8, [97, 98]),
            (array.array("d", [1.5, 2]), hr.float64, [1.5, 2]),
            (array.array("h", [-1, 2]), hr.int16, [-1, 2]),
            (memoryview(b"abcd")[::2], hr.uint8, [97, 99]),
            (memoryview(b"\1\0\0\0\2\0\0\0").cast("i"), hr.int32, [1, 2]),
            ((ctypes.c_int * 2)(3, 4), hr.int32, [3, 4]),
            (array.array("l", [5]), hr.int64, [5])):
        t = hr.as_tensor(source)
        assert t.dtype == dtype and t.tolist() == want
        assert hr.cast(source, dtype=hr.float32).tolist() == [float(v) for v in want]


@pytest.mark.parametrize("bad", [
    (ctypes.c_char * 2 * 2)(), array.array("u", "ab"), (ctypes.c_void_p * 2)()])
def test_elements_that_are_no_numbers(bad):
    try:
        hr.as_tensor(bad)
    except TypeError as e:
        assert "tensor" in str(e)


def test_a_locked_bytearray_is_let_go():
    source = bytearray(b"abc")
    t = hr.as_tensor(source)
    with pytest.raises((BufferError, TypeError)):
        source.append(1)
    del t
    source.append(1)
    hr.tensor(source)
    source.append(1)


def test_a_file_can_be_read_into_a_tensor(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"\1\2\3\4")
    t = hr.zeros(shape=[4], dtype=hr.uint8)
    with path.open("rb") as f:
        assert f.readinto(t) == 4
    assert t.tolist() == [1, 2, 3, 4]
