"""Errors of work that was pending: the real message first, the line of the call, and a cause that leads
there."""
import inspect
import pathlib
import traceback

import numpy as np
import pytest

import headrace as hr

HERE = pathlib.Path(__file__).name


def file_of(n):
    return np.frombuffer(b"P6 2 2 255\n" + bytes(n), np.uint8)


def source(bad_step, steps=12):
    for i in range(steps):
        yield hr.batch([file_of(12), file_of(12), file_of(5 if i == bad_step else 12)])


def decode_line():
    lines, start = inspect.getsourcelines(run)
    return start + next(i for i, line in enumerate(lines) if "decoders.image" in line)


def run(bad_step, look):
    for step, encoded in enumerate(hr.ExternalSource(source(bad_step)).captured(3)):
        images = hr.decoders.image(encoded)
        floats = hr.cast(images, dtype="f32")
        sums = hr.reductions.sum(floats)
        look(step, images, floats, sums)


@pytest.mark.parametrize("which", [0, 1, 2, None])
def test_the_message_and_the_line_are_those_of_the_call_that_failed(which):
    """Whichever result is looked at, or none: it was the decoder's call that failed."""
    def look(step, *results):
        if which is not None and step == 7:
            np.asarray(results[which].tensors[2])

    with pytest.raises(hr.DataError) as caught:
        run(7, look)
    e = caught.value
    assert str(e) == (f"decoders.image: sample 2: PNM: the data ends in row 0 of 2 "
                      f"(called at {HERE}:{decode_line()})")
    assert type(e.__cause__) is hr.DataError and str(e.__cause__) == str(e)
    last = traceback.extract_tb(e.__cause__.__traceback__)[-1]
    assert (pathlib.Path(last.filename).name, last.lineno, last.name) == (HERE, decode_line(), "run")
    assert "hr.decoders.image(encoded)" in last.line
    text = "".join(traceback.format_exception(e))
    assert text.rstrip().endswith(str(e)) and "asynchronous" not in text


def test_a_later_look_says_the_same_and_the_next_loop_works():
    kept, errors = [], []

    def look(step, images, floats, sums):
        if step == 7:
            kept.append(sums)
        if step == 9:
            np.asarray(kept[0].tensors[0])

    with pytest.raises(hr.DataError) as caught:
        run(7, look)
    errors.append(str(caught.value))
    with pytest.raises(hr.DataError) as caught:
        np.asarray(kept[0].tensors[0])
    assert "decoders.image: sample 2" in errors[0] and "decoders.image: sample 2" in str(caught.value)
    run(99, lambda step, *results: np.asarray(results[2].tensors[0]))


def test_an_eager_error_is_raised_by_the_call_itself():
    with pytest.raises(hr.DataError, match=rf"^decoders.image: PNM.*called at {HERE}") as caught:
        hr.decoders.image(file_of(5))
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "hr.decoders.image(file_of(5))"
