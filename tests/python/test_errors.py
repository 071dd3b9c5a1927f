"""Errors: the right class, and a text that says what, where and what else."""
import inspect
import io
import pickle
import traceback

import numpy as np
import pytest

import headrace as hr


def line():
    return inspect.currentframe().f_back.f_lineno


def text_of(call, kind):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


# ---- names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, near", [("flop", "flip"), ("resise", "resize"), ("Tensor_", "Tensor"),
                                        ("set_num_thread", "set_num_threads")])
def test_a_misspelt_name_of_the_package(name, near):
    text = text_of(lambda: getattr(hr, name), AttributeError)
    assert name in text and f"did you mean `{near}`" in text


def test_a_misspelt_name_of_a_module():
    for module, name, near in ((hr.random, "unifrom", "uniform"), (hr.noise, "gausian", "gaussian"),
                               (hr.decoders, "imagee", "image")):
        text = text_of(lambda m=module, n=name: getattr(m, n), AttributeError)
        assert name in text and f"did you mean `{near}`" in text


def test_a_name_like_no_other():
    assert "did you mean" not in text_of(lambda: hr.zzzzzzz, AttributeError)
    assert not hasattr(hr, "zzzzzzz") and getattr(hr, "zzzzzzz", 5) == 5


@pytest.mark.parametrize("call, near", [
    (lambda: hr.flip([[[1]]], horizontl=1), "horizontal"),
    (lambda: hr.resize([[[1]]], sizes=[1, 1]), "size"),
    (lambda: hr.random.normal(standard_dev=1, std_dev=2), "stddev"),
    (lambda: hr.flip([[[1]]], batchsize=1), "batch_size"),
    (lambda: hr.random.normal(rgn=None), "rng")])
def test_a_misspelt_argument(call, near):
    text = text_of(call, TypeError)
    assert "has no argument" in text and (f"did you mean `{near}`" in text or near == "stddev")


def test_an_input_given_by_name():
    assert "by position" in text_of(lambda: hr.flip(input=[[[1]]]), TypeError)


def test_a_misspelt_reader_argument():
    assert "did you mean `file_root`" in text_of(lambda: hr.readers.File(file_rot="x"), TypeError)


# ---- calls --------------------------------------------------------------------------------------------


def test_the_line_of_the_call_is_named():
    text = text_of(lambda: hr.crop(np.zeros((3, 3, 1)), crop=[9, 9]), ValueError)
    here = line() - 1
    assert text.endswith(f"(called at test_errors.py:{here})")
    assert text.startswith("crop: ")


def test_the_traceback_ends_at_the_call():
    try:
        hr.crop(np.zeros((3, 3, 1)), crop=[9, 9])
        here = None
    except ValueError as e:
        here = traceback.extract_tb(e.__traceback__)[-1]
    assert here.filename.endswith("test_errors.py") and "hr.crop" in here.line


def test_the_sample_is_named_in_a_batch_and_not_outside_of_one():
    small, large = np.zeros((3, 3, 1)), np.zeros((9, 9, 1))
    text = text_of(lambda: hr.crop(hr.batch([large, large, small]), crop=[5, 5]), ValueError)
    assert text.startswith("crop: sample 2: ")
    assert "sample" not in text_of(lambda: hr.crop(small, crop=[5, 5]), ValueError)


def test_the_first_bad_sample_is_named_whatever_the_threads_do():
    good, bad = np.zeros((200, 200, 3), np.uint8), np.zeros((2, 2, 3), np.uint8)
    batch = hr.batch([good] * 5 + [bad] + [good] * 5 + [bad])
    for n in (1, 4):
        with hr.EvalContext(num_threads=n):
            for _ in range(5):
                assert "sample 5" in text_of(lambda: hr.crop(batch, crop=[100, 100]), ValueError)


def test_per_sample_arguments_name_their_sample():
    x = hr.batch([np.zeros((4, 4, 1))] * 3)
    text = text_of(lambda: hr.crop(x, crop=[2, 2], crop_pos_x=hr.batch([0.5, 0.5, 7.0])), ValueError)
    assert "crop" in text and "`crop_pos_x`" in text and "7" in text and "2" in text


def test_what_an_input_may_be_is_named():
    assert "is of type int32, which is not supported, only uint8 (" in text_of(
        lambda: hr.decoders.image([1, 2]), TypeError)
    text = text_of(lambda: hr.lookup_table([1.5]), TypeError)
    assert "is of type float32, which is not supported, only uint8, uint16, uint32, uint64, int8, int16" in text
    assert "has 2 axes, it needs 1 (" in text_of(lambda: hr.decoders.image(np.zeros((2, 2), np.uint8)), ValueError)
    assert "has 2 axes, it needs 0 to 1 (" in text_of(
        lambda: hr.slice([1, 2], np.zeros((2, 2)), [1]), ValueError)


def test_the_bound_and_the_value_are_named():
    text = text_of(lambda: hr.random.coin_flip(probability=1.5), ValueError)
    assert "`probability`" in text and "1.5" in text and "0..1" in text


# ---- broken pictures ---------------------------------------------------------------------------------------


def picture(broken=False):
    from PIL import Image

    out = io.BytesIO()
    pixels = np.random.default_rng(1).integers(0, 255, (40, 50, 3), np.uint8)
    Image.fromarray(pixels).save(out, "JPEG")
    data = out.getvalue()
    return data[:len(data) // 3] if broken else data


@pytest.fixture
def folder(tmp_path):
    pytest.importorskip("PIL")
    for name in ("cat", "dög"):
        (tmp_path / name).mkdir()
    for i in range(4):
        (tmp_path / "cat" / f"{i}.jpg").write_bytes(picture())
        (tmp_path / "dög" / f"{i} é.jpg").write_bytes(picture(broken=i == 2))
    return tmp_path


def test_a_broken_picture_names_file_sample_operator_and_line(folder):
    reader = hr.readers.File(file_root=str(folder))
    content, _ = next(iter(reader.next_epoch(batch_size=8)))
    with pytest.raises(hr.DataError) as caught:
        hr.decoders.image(content)
    here = line() - 1
    text = str(caught.value)
    assert text.startswith("decoders.image: sample 6 (")
    assert "2 é.jpg" in text and "JPEG" in text
    assert f"test_errors.py:{here}" in text
    assert isinstance(caught.value, RuntimeError)


def test_a_blank_stand_in_keeps_the_reason(folder):
    reader = hr.readers.File(file_root=str(folder))
    content, _ = next(iter(reader.next_epoch(batch_size=8)))
    images = hr.decoders.image(content, on_error="blank")
    assert list(images.failures) == [6] and "JPEG" in images.failures[6]
    assert images.source_info[6].endswith("2 é.jpg")
    assert images.select(6).source_info == images.source_info[6]
    sound = hr.decoders.image(content.select([0]))
    assert sound.source_info[0].endswith("cat/0.jpg")


def test_bytes_of_an_unknown_kind_are_named():
    for data, word in ((b"GIF89a" + bytes(20), "GIF"), (b"<html>", "unknown|format|image"),
                       (b"", "empty|no bytes|bytes")):
        with pytest.raises((hr.DataError, NotImplementedError), match=f"(?i){word}"):
            hr.decoders.image(np.frombuffer(data, np.uint8))


def test_missing_files_are_file_not_found(tmp_path):
    (tmp_path / "list.txt").write_text("nothing.jpg 0\n")
    with pytest.raises(FileNotFoundError) as caught:
        reader = hr.readers.File(file_root=str(tmp_path), file_list=str(tmp_path / "list.txt"))
        next(iter(reader.next_epoch(batch_size=1)))
    assert "nothing.jpg" in str(caught.value) and caught.value.errno == 2


# ---- classes ----------------------------------------------------------------------------------------------


def test_data_errors_are_runtime_errors_and_pickle():
    e = pickle.loads(pickle.dumps(hr.DataError("x")))
    assert type(e) is hr.DataError and issubclass(hr.DataError, RuntimeError)
    assert hr.DataError.__module__ == "headrace"


def test_texts_end_without_a_full_stop():
    for call, kind in ((lambda: hr.flip(1), ValueError), (lambda: hr.flip(), TypeError),
                       (lambda: hr.cast([1]), TypeError), (lambda: hr.cast([1], dtype="x"), ValueError),
                       (lambda: hr.zeros(shape=[-1]), ValueError)):
        text = text_of(call, kind)
        assert not text.endswith(".") and "\n" not in text


def test_huge_requests_are_refused_before_memory_is_taken():
    for shape in ([2**62, 8], [2**31, 2**31], [2**40, 2**30]):
        with pytest.raises((MemoryError, OverflowError, ValueError)):
            hr.zeros(shape=shape)
    with pytest.raises((MemoryError, OverflowError, ValueError)):
        hr.zeros(shape=[2**40], batch_size=1000)
    with pytest.raises((MemoryError, OverflowError, ValueError)):
        hr.zeros(shape=[1], batch_size=2**62)


def test_long_texts_are_cut_not_lost():
    text = text_of(lambda: hr.crop(np.zeros((3, 3, 1)), crop=[2, 2], rounding="x" * 5000), ValueError)
    assert text.startswith("crop: argument `rounding`") and len(text) < 600


def test_text_that_is_no_utf8():
    with pytest.raises((ValueError, TypeError, OSError)):
        hr.crop(np.zeros((3, 3, 1)), crop=[2, 2], rounding="\udcff")
    with pytest.raises((ValueError, TypeError)):
        hr.zeros(shape=[1], layout="\udcff")
    with pytest.raises((ValueError, TypeError)):
        hr.crop(np.zeros((3, 3, 1)), crop=[2, 2], rounding="round\0more")
