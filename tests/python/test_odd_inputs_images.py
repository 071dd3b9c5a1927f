"""Odd pictures (rows I01 to I22 of the odd inputs): each row's kind, through readers and decoders.

Kinds that test_decoders.py and test_codecs_more.py have already (every PNG type, 16 EXIF files, inks, TIFF
kinds, foreign formats) are not repeated; here are their relatives, and what becomes of a damaged file among
sound ones.
"""
import io
import struct
import zlib

import numpy as np
import pytest

import headrace as hr
from encoded_pictures import (by_pillow, chunk, exif_block, ink_file, jpeg, picture, png, upright,
                              with_exif)
from scripts import output

Image = pytest.importorskip("PIL.Image")
P = picture()
GRAY = (P.astype(int).sum(-1) // 3).astype(np.uint8)
HAS = hr._core.codecs()


def as_bytes(data):
    return np.frombuffer(data, np.uint8)


def decode(data, **options):
    return np.asarray(hr.decoders.image(as_bytes(data), **options))


def near(a, b, levels=1):
    return a.shape == b.shape and np.abs(a.astype(int) - b.astype(int)).max() <= levels


def segment(marker, body):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(body) + 2) + body


# ---- I01: orientation ----------------------------------------------------------------------------


def long_block(orientation, order, kind=3, before=5, at=8):
    """A TIFF block with other entries before the orientation, further from its start."""
    entries = [struct.pack(order + "HHII", 0x10 + i, 4, 1, i) for i in range(before)]
    value = {3: struct.pack(order + "HH", orientation, 0), 4: struct.pack(order + "I", orientation),
             1: bytes([orientation, 0, 0, 0])}[kind]
    entries.append(struct.pack(order + "HHI", 0x112, kind, 1) + value)
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HI", 42, at)
    return head + bytes(at - 8) + struct.pack(order + "H", len(entries)) + b"".join(entries) + bytes(4)


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_wherever_it_stands(orientation, order):
    """Behind JFIF, XMP and comments; not the first entry; progressive and gray files; in each decoder."""
    block = long_block(orientation, order, at=20)
    exif = segment(0xE1, b"Exif\0\0" + block)
    xmp = segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
    for plain in (jpeg(P), jpeg(P, progressive=True), jpeg(P[..., 0])):
        stored = decode(plain, output_type=hr.types.ANY_DATA)
        for front in (xmp + exif, segment(0xFE, b"words") + exif + xmp):
            data = plain[:2] + front + plain[2:]
            right = upright(stored, orientation)
            assert np.array_equal(decode(data, output_type=hr.types.ANY_DATA), right)
            shape = np.asarray(hr.peek_image_shape(as_bytes(data)))
            assert shape.tolist()[:2] == [*right.shape[:2]]
            cut = hr.decoders.image_slice(as_bytes(data), rel_start=[0.25, 0.5], rel_end=[0.75, 1.0],
                                          axes=[0, 1], output_type=hr.types.ANY_DATA)
            h, w = right.shape[:2]
            whole = hr.slice(hr.tensor(right, layout="HWC"), rel_start=[0.25, 0.5], rel_end=[0.75, 1.0],
                             axes=[0, 1])
            assert np.array_equal(np.asarray(cut), np.asarray(whole)) and h * w == right[..., 0].size


def test_the_first_exif_block_counts_and_others_do_no_harm():
    data = with_exif(with_exif(jpeg(P), exif_block(3, "<")), exif_block(6, ">"))
    assert np.array_equal(decode(data), upright(decode(jpeg(P)), 6))
    for block in (exif_block(6, "<")[:-4], long_block(6, "<", before=0), long_block(6, ">", before=200)):
        assert decode(with_exif(jpeg(P), block)).shape == (40, 24, 3)


# ---- I04: inks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"progressive": True}, {"subsampling": 2}, {"restart_marker_rows": 1}])
@pytest.mark.parametrize("transform", [0, 2, None])
def test_inks_in_every_kind_of_file(transform, options):
    data = ink_file(transform, **options)
    right = by_pillow(data)
    assert near(decode(data), right, 2)
    assert near(decode(data, output_type=hr.types.BGR), right[..., ::-1], 2)
    assert np.allclose(decode(data, dtype=hr.float32), right / 255, atol=2.5 / 255)
    assert decode(data, output_type=hr.types.ANY_DATA).shape == (24, 40, 4)
    assert np.array_equal(decode(with_exif(data, exif_block(6, "<"))), upright(decode(data), 6))
    together = hr.decoders.image(hr.batch([as_bytes(data), as_bytes(jpeg(P)), as_bytes(jpeg(GRAY))]))
    assert [t.shape for t in together.tensors] == [(24, 40, 3)] * 3


# ---- I06, I07: damaged files among sound ones ------------------------------------------------------


def damaged_kinds():
    big = np.resize(P, (240, 400, 3))
    out = {"progressive cut at %d %%" % p: cut(jpeg(big, progressive=True), p) for p in (5, 30, 70, 95)}
    out.update({"baseline cut at %d %%" % p: cut(jpeg(big), p) for p in (5, 70, 99)})
    out.update({"header only": jpeg(big)[:200], "nothing": b"", "text": b"<html><body>404</body></html>",
                "PNG cut at 70 %": cut(png(P, 2, 8), 70), "PNG of noise": png(P, 2, 8)[:60] + bytes(500),
                "zeros": bytes(1000), "one byte": b"\xff", "a marker alone": b"\xff\xd8\xff",
                "wrong checksum": png(P, 2, 8)[:29] + b"\0\0\0\0" + png(P, 2, 8)[33:]})
    if "WebP" in HAS:
        saved = io.BytesIO()
        Image.fromarray(P).save(saved, "WEBP")
        out["WebP cut"] = cut(saved.getvalue(), 70)
    bmp = io.BytesIO()
    Image.fromarray(P).save(bmp, "BMP")
    out["BMP cut"] = cut(bmp.getvalue(), 50)
    return out


def cut(data, percent):
    return data[:len(data) * percent // 100]


DAMAGED = damaged_kinds()


@pytest.fixture
def folder(tmp_path):
    """Eight sound files in two classes; make(kind) damages the one at place 5."""
    for i in range(8):
        path = tmp_path / "ab"[i % 2] / f"p{i}.jpg"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(jpeg(np.full((20 + i, 30, 3), 10 * i, np.uint8)))

    def make(data):
        (tmp_path / "b" / "p5.jpg").write_bytes(data)
        files = [str(tmp_path / "ab"[i % 2] / f"p{i}.jpg") for i in range(8)]
        return {"files": files, "labels": list(range(100, 108))}

    return make


@pytest.mark.parametrize("kind", DAMAGED)
def test_exactly_the_damaged_sample_is_named(folder, kind):
    arguments = folder(DAMAGED[kind])
    with pytest.raises(hr.DataError, match=r"(?s)sample 5.*b/p5\.jpg.*[a-z]{3}") as e:
        for encoded, _ in hr.readers.File(**arguments).next_epoch(batch_size=8):
            hr.decoders.image(encoded).evaluate()
    assert "#" not in str(e.value) and "test_odd_inputs_images.py" in str(e.value)


@pytest.mark.parametrize("kind", DAMAGED)
def test_the_seven_others_come_with_their_labels(folder, kind):
    arguments = folder(DAMAGED[kind])
    others = [100, 101, 102, 103, 104, 106, 107]
    reader = hr.readers.File(**arguments, on_error="skip", verify="decode", last_batch="partial")
    ((encoded, labels),) = reader.next_epoch(batch_size=8)
    images = hr.decoders.image(encoded)
    assert [t.item() for t in labels.tensors] == others
    assert [t.shape[0] - 20 for t in images.tensors] == [label - 100 for label in others]
    assert reader.skip_report.endswith(": 1")
    if kind == "nothing":
        return  # an empty file is the reader's to say
    ((encoded, labels),) = hr.readers.File(**arguments).next_epoch(batch_size=8)
    images, labels = hr.drop_failed(hr.decoders.image(encoded, on_error="blank"), labels)
    assert [t.item() for t in labels.tensors] == others
    assert all(np.abs(np.asarray(t).astype(int) - 10 * i).max() <= 3
               for t, i in zip(images.tensors, (0, 1, 2, 3, 4, 6, 7)))


def test_a_blank_stand_in_holds_no_random_memory():
    """Not the file's upper scans, and nothing that lay in memory: zeros, always the same."""
    data = as_bytes(DAMAGED["progressive cut at 70 %"])
    for _ in range(5):
        noise = hr.random.uniform(range=[1, 255], shape=[300, 400, 3], batch_size=2)
        del noise
        out = hr.decoders.image(hr.batch([data, data]), on_error="blank")
        assert out.shape == [(240, 400, 3)] * 2 and not np.asarray(out.tensors[1]).any()


# ---- I10: gray files in a batch -------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_rows": 1}])
def test_gray_files_of_any_kind_of_output(options):
    data = jpeg(GRAY, **options)
    out = hr.decoders.image(hr.batch([as_bytes(data)] * 8), output_type=hr.types.ANY_DATA)
    assert out.shape == [(24, 40, 1)] * 8
    for t in out.tensors:
        assert near(np.asarray(t)[..., 0], np.asarray(Image.open(io.BytesIO(data))))
    for kind, channels in ((hr.types.RGB, 3), (hr.types.BGR, 3), (hr.types.GRAY, 1), (hr.types.YCbCr, 3)):
        assert decode(data, output_type=kind).shape == (24, 40, channels)


# ---- I11, I12: deep and palette PNG in one batch ---------------------------------------------------


def test_depths_and_palettes_side_by_side():
    y, x = np.mgrid[:24, :40]
    deep = (257 * x + y)[..., None] % 65536
    colours = np.array([[250, 1, 2], [3, 240, 4], [5, 6, 230], [9, 9, 9]], np.uint8)
    index = ((x + y) % 4)[..., None]
    head = chunk(b"PLTE", colours.tobytes())
    files = [png(deep, 0, 16), png(index, 3, 2, head),
             png(index, 3, 4, head + chunk(b"tRNS", bytes([255, 128, 0, 64]))), png(P, 2, 8)]
    out = hr.decoders.image(hr.batch([as_bytes(f) for f in files]))
    assert out.shape == [(24, 40, 3)] * 4
    assert np.array_equal(np.asarray(out.tensors[2]), colours[index[..., 0]])
    assert [decode(f, output_type=hr.types.ANY_DATA).shape[-1] for f in files] == [1, 3, 4, 3]
    assert np.array_equal(decode(files[0], dtype=hr.uint16, output_type=hr.types.ANY_DATA), deep)


# ---- I15: names that lie ---------------------------------------------------------------------------


def test_the_content_decides(tmp_path):
    files = {"gif.jpg": b"GIF89a" + bytes(30), "png.jpg": png(P, 2, 8), "none": png(P, 2, 8),
             "UPPER.JPG": jpeg(P), "jpeg.png": jpeg(P), "bmp.webp": None}
    bmp = io.BytesIO()
    Image.fromarray(P).save(bmp, "BMP")
    files["bmp.webp"] = bmp.getvalue()
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    for name in files:
        if name == "gif.jpg":
            with pytest.raises(NotImplementedError, match="gif.jpg.*GIF"):
                hr.imread(tmp_path / name)
            continue
        assert near(np.asarray(hr.imread(tmp_path / name)), P, 0 if b"JFIF" not in files[name][:20] else 60)
    reader = hr.readers.File(file_root=tmp_path, files=list(files), on_error="skip", verify="decode",
                             last_batch="partial")
    assert [label.item() for _, label in reader.next_epoch()] == [1, 2, 3, 4, 5]


# ---- I16: animations ---------------------------------------------------------------------------------


def test_formats_with_several_pictures_give_the_first_and_tell_the_number():
    if "WebP" in HAS:
        frames = [Image.fromarray(np.roll(P, i, 1)) for i in range(3)]
        saved = io.BytesIO()
        frames[0].save(saved, "WEBP", save_all=True, append_images=frames[1:], lossless=True)
        assert np.array_equal(decode(saved.getvalue()), P)
        assert hr._core.image_info(saved.getvalue())["frames"] == 3
    if "TIFF" in HAS:
        saved = io.BytesIO()
        pages = [Image.fromarray(P), Image.fromarray(P[::-1])]
        pages[0].save(saved, "TIFF", save_all=True, append_images=pages[1:])
        assert np.array_equal(decode(saved.getvalue()), P)
        assert hr._core.image_info(saved.getvalue())["frames"] == 2


# ---- I17: formats that are not built in -----------------------------------------------------------

FOREIGN = {"HEIC": b"\0\0\0\x18ftypheix" + b"\0\0\0\0mif1" + bytes(8), "AVIF": b"\0\0\0\x1cftypavis" + bytes(16),
           "JPEG XL": b"\0\0\0\x0cJXL \r\n\x87\n", "JPEG 2000": b"\0\0\0\x0cjP  \r\n\x87\n",
           "SVG": b"<?xml version='1.0'?>\n<svg width='1'/>", "GIF": b"GIF87a" + bytes(20)}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_in_a_folder_is_named_by_its_format(folder, name):
    arguments = folder(FOREIGN[name])
    with pytest.raises(NotImplementedError, match=rf"sample 5 .*p5\.jpg.*{name}.*not supported in this build"):
        for encoded, _ in hr.readers.File(**arguments).next_epoch(batch_size=8):
            hr.decoders.image(encoded).evaluate()


# ---- I18: bombs ------------------------------------------------------------------------------------


def bomb_files():
    head = struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0)
    out = {"png": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(99)))}
    data = bytearray(jpeg(P))
    at = data.index(b"\xff\xc0")
    data[at + 5:at + 9] = struct.pack(">HH", 65535, 65535)
    out["jpeg"] = bytes(data)
    out["pnm"] = b"P6 60000 60000 255\n" + bytes(99)
    out["bmp"] = (b"BM" + struct.pack("<IHHI", 200, 0, 0, 54) +
                  struct.pack("<IiiHHIIiiII", 40, 60000, 60000, 1, 24, 0, 0, 0, 0, 0, 0) + bytes(99))
    out["gif"] = b"GIF89a" + struct.pack("<HH", 65535, 65535) + bytes(20)
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }".ljust(117) + b"\n"
    out["npy"] = b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + bytes(99)
    return out


def test_bombs_are_refused_before_memory_is_taken(tmp_path):
    for name, data in bomb_files().items():
        (tmp_path / name).write_bytes(data)
    assert output(f"""
        import numpy as np, resource
        import headrace as hr
        hr.decoders.image(np.frombuffer(b"P6 1 1 255\\nabc", np.uint8)).evaluate()
        base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for name in ("png", "jpeg", "pnm", "bmp", "gif", "npy"):
            data = np.fromfile({str(tmp_path)!r} + "/" + name, np.uint8)
            decoders = [hr.decoders.numpy] if name == "npy" else [hr.decoders.image,
                hr.decoders.image_random_crop, lambda x: hr.decoders.image_crop(x, crop=[2, 2]),
                lambda x: hr.decoders.image_slice(x, start=[0, 0], end=[2, 2], axes=[0, 1])]
            for decoder in decoders:
                try:
                    decoder(data).evaluate()
                except (hr.DataError, NotImplementedError) as e:
                    assert name == "gif" or "limit" in str(e) or "ends" in str(e) or "bytes" in str(e), e
                else:
                    raise SystemExit(name)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base
        assert grown < 50_000, grown
        print("fine")
    """) == "fine"


def test_the_limit_can_be_set():
    data = png(P, 2, 8)
    before = hr.get_pixel_limit()
    try:
        hr.set_pixel_limit(24 * 40 - 1)
        assert hr.get_pixel_limit() == 959
        with pytest.raises(hr.DataError, match="40 x 24 is over the limit of 959 pixels"):
            decode(data)
        hr.set_pixel_limit(24 * 40)
        assert decode(data).shape == (24, 40, 3)
        hr.set_pixel_limit(None)
        assert hr.get_pixel_limit() == 2**28 == before
        for bad in (0, -1):
            with pytest.raises(ValueError, match="at least 1"):
                hr.set_pixel_limit(bad)
        with pytest.raises(TypeError):
            hr.set_pixel_limit("many")
    finally:
        hr.set_pixel_limit(before)


# ---- I21: extreme sizes --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (1, 65500), (65500, 1), (2, 3)])
def test_extreme_sizes_in_every_format(shape):
    pixels = np.resize(P, (*shape, 3))
    saved = {"PNG": png(pixels, 2, 8), "JPEG": jpeg(pixels)}
    for name, pillow in (("BMP", "BMP"), ("PNM", "PPM"), ("TIFF", "TIFF")):
        if name in HAS:
            out = io.BytesIO()
            Image.fromarray(pixels).save(out, pillow)
            saved[name] = out.getvalue()
    for name, data in saved.items():
        right = by_pillow(data)
        assert near(decode(data), right, 0 if name != "JPEG" else 1), name
        cut = hr.decoders.image_crop(as_bytes(data), crop=[1, 1])
        assert np.asarray(cut).shape == (1, 1, 3)
        small = np.asarray(hr.resize(hr.decoders.image(as_bytes(data)), size=[1, 1]))
        assert small.shape == (1, 1, 3)


def test_a_crop_larger_than_the_picture_is_padded_or_an_error_as_it_says():
    picture_ = hr.tensor(P, layout="HWC")
    with pytest.raises((ValueError, IndexError), match="crop"):
        hr.crop(picture_, crop=[30, 50])
    padded = np.asarray(hr.crop(picture_, crop=[30, 50], out_of_bounds_policy="pad", fill_values=[7]))
    assert padded.shape == (30, 50, 3) and (padded[0] == 7).all() and np.array_equal(padded[3:27, 5:45], P)
    trimmed = hr.crop(picture_, crop=[30, 50], out_of_bounds_policy="trim_to_shape")
    assert np.array_equal(np.asarray(trimmed), P)
    with pytest.raises((ValueError, IndexError)):
        hr.decoders.image_crop(as_bytes(png(P, 2, 8)), crop=[30, 50]).evaluate()


# ---- I22: resize beside the formula: test_resize.py has the table; here the odd sources --------------------


@pytest.mark.parametrize("size", [(13, 13), (57, 57), (24, 13), (1, 57)])
@pytest.mark.parametrize("interp", ["NN", "LINEAR", "CUBIC", "LANCZOS3", "TRIANGULAR", "GAUSSIAN"])
def test_a_checkerboard_of_one_pixel_keeps_its_range_and_mean(size, interp):
    board = ((np.indices((40, 40)).sum(0) % 2) * 255).astype(np.uint8)[..., None]
    kind = getattr(hr.types, "INTERP_" + interp)
    a = np.asarray(hr.resize(hr.tensor(board, layout="HWC"), size=size, interp_type=kind))
    b = np.asarray(hr.resize(hr.tensor(board.astype(np.float32), layout="HWC"), size=size, interp_type=kind))
    assert np.abs(a - np.clip(np.floor(b + 0.5), 0, 255)).max() <= 1
    if interp != "NN":
        assert abs(b.mean() - 127.5) < 12
