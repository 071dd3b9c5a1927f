"""Run by each side: files are made in FOLDER, read, and what came out printed as JSON.

    python files_drive.py headrace|nvidia.dali.experimental.dynamic FOLDER
"""
import importlib
import io
import json
import pathlib
import sys
import tarfile

import npy_regions
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "python"))
import picture_files as made  # noqa: E402
import record_files as records  # noqa: E402

SIDE, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
m = importlib.import_module(SIDE)
IS_PEER = SIDE != "headrace"
types = importlib.import_module("nvidia.dali.types" if IS_PEER else "headrace.types")
tf = importlib.import_module("nvidia.dali.tfrecord" if IS_PEER else "headrace.tfrecord")
A = np.arange(60, dtype=np.int16).reshape(3, 4, 5)


def plain(x):
    a = np.asarray(x)
    return [list(a.shape), str(a.dtype), a.ravel().tolist()]


# ---- pictures: kinds in which the peer is right ---------------------------------------------


def pictures():
    p = made.picture()
    gray, index = p[..., 2:], (np.arange(15)[None] + 2 * np.arange(5)[:, None]) % 16
    colours = [(16 * i, 255 - 16 * i, i) for i in range(16)]
    bgr = [row[:, ::-1].tobytes() for row in p]
    words = np.arange(12).reshape(3, 4) * 0x1234567
    for header in (12, 40, 108, 124):
        yield f"bmp24-{header}", made.bmp(bgr, 40, 24, header=header)
        for depth in (1, 4, 8):
            yield f"bmp{depth}-{header}", made.bmp(
                made.pack_bits(index % (1 << depth), depth), 15, depth, header=header,
                palette=colours[:1 << depth])
    yield "bmp-top-down", made.bmp(bgr, 40, 24, top_down=True)
    yield "bmp-rle8", made.bmp([], 15, 8, palette=colours, compression=1, data=made.rle8(index),
                               height=5)
    yield "bmp32", made.bmp(made.bmp_words(words, 4), 4, 32)
    for kind, v in ((2, gray[..., 0]), (5, gray[..., 0]), (3, p), (6, p)):
        yield f"pnm{kind}", made.pnm(kind, v, 255, "# c\n")
    for kind in (1, 4):
        yield f"pnm{kind}", made.pnm(kind, gray[..., 0] % 2)
    for order in "<>":
        yield f"tiff{order}", made.tiff(p, 2, order=order)
        yield f"tiff16{order}", made.tiff(p.astype(int) * 257, 2, bits=16, order=order)
        yield f"tiff-gray{order}", made.tiff(gray, 1, order=order)
        yield f"tiff-tiles{order}", made.tiff(p, 2, order=order, tile=(16, 16))
        yield f"tiff-deflate{order}", made.tiff(p, 2, order=order, compression=8, predictor=2)
    yield "tiff-turned", made.tiff(p, 2, extra={274: (3, [6])})


def decode(data, **options):
    t = m.decoders.image(np.frombuffer(data, np.uint8), device="cpu", **options)
    return plain(t.evaluate())


# ---- readers --------------------------------------------------------------------------------

MORE = [{}, {"cache_header_information": True}, {"register_buffers": False}, {"file_filter": "a*.npy"}]


def archive(name, members):
    with tarfile.open(FOLDER / name, "w", format=tarfile.USTAR_FORMAT) as t:
        for member, data in members:
            info = tarfile.TarInfo(member)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return str(FOLDER / name)


def rows(reader, count=None):
    out = []
    for sample in reader.next_epoch():
        out.append({k: plain(v) for k, v in sample.items()} if isinstance(sample, dict)
                   else [plain(v) for v in sample])
    return out


def attempt(call):
    try:
        return call()
    except Exception:
        return "refused"


def numpy_rows():
    (FOLDER / "n" / "sub").mkdir(parents=True)
    for name in ("b", "a", "sub/c", ".h"):
        with open(FOLDER / "n" / f"{name}.npy", "wb") as f:
            np.save(f, np.asfortranarray(A + len(name)) if name == "a" else A + len(name))
    root = str(FOLDER / "n")
    for i, args in enumerate(MORE + npy_regions.REGIONS + npy_regions.WRONG):
        yield f"numpy-{i}", attempt(lambda: rows(m.readers.Numpy(file_root=root, device="cpu", **args)))


def webdataset_rows():
    w = m.readers.Webdataset
    base = archive("a.tar", [("a.jpg", b"A"), ("a.cls", b"1"), ("b.jpg", b"BB"), ("c.jpg", b"CCC"),
                             ("c.cls", b"3")])
    for how in ("empty", "skip", "error", "x"):
        yield f"wds-{how}", attempt(lambda: rows(w(paths=[base], ext=["jpg", "cls"],
                                                   missing_component_behavior=how)))
    names = archive("b.tar", [("d/s.0.jpg", b"A"), ("d/s.1.jpg", b"B"), ("x.y/s.jpg", b"C"),
                              ("e.JPG", b"E"), ("f.png", b"F"), ("f.jpg", b"G"),
                              ("p" * 90 + "/" + "n" * 60 + ".jpg", b"L"), ("é.jpg", b"")])
    for ext in (["jpg"], ["0.jpg", "1.jpg"], ["jpg;png"], ["jpg", "png"]):
        for cased in (True, False):
            yield f"wds-{ext}-{cased}", rows(w(paths=[names, base], ext=ext,
                                               case_sensitive_extensions=cased))
    eight = archive("c.tar", [("a.x", bytes(range(8))), ("a.y", b"1234567")])
    for kind in ("INT32", "FLOAT64", "UINT8", "INT16"):
        yield f"wds-{kind}", rows(w(paths=[eight], ext=["x"], dtypes=[getattr(types, kind)]))
    index = FOLDER / "i"
    index.write_text("v1.2 2\njpg 512 1 a.jpg cls 1536 1 a.cls\njpg 2560 2 b.jpg\n")
    yield "wds-index", rows(w(paths=[base], ext=["jpg", "cls"], index_paths=[str(index)]))
    ours = FOLDER / "ours.idx"  # written by `headrace index`, when the test has done so
    if ours.exists():
        yield "wds-our-index", rows(w(paths=[base], ext=["jpg", "cls"], index_paths=[str(ours)]))


def tfrecord_rows():
    e = records.example
    messages = [e({"a": [5, -6], "b": [1.5], "c": [b"xyz"]}),
                e({"a": [7, 2**40], "b": [-2.5], "c": [b"\0\1"]}, packed=False)]
    records.write_index(FOLDER / "ri", records.write(FOLDER / "r", messages))
    for name, features in (
            ("fixed", {"a": tf.FixedLenFeature([2], tf.int64, -1), "c": tf.FixedLenFeature((), tf.string, "")}),
            ("var", {"a": tf.VarLenFeature(tf.int64, -1), "b": tf.VarLenFeature(tf.float32, 0.0)}),
            ("shape", {"a": tf.FixedLenFeature([1, 2], tf.int64, -1), "b": tf.FixedLenFeature([], tf.float32, 0.0)}),
            ("partial", {"a": tf.VarLenFeature([2], tf.int64, -1)})):
        yield f"tfrecord-{name}", rows(m.readers.TFRecord(path=[str(FOLDER / "r")],
                                                          index_path=[str(FOLDER / "ri")],
                                                          features=features))


def main():
    out = {}
    for name, data in pictures():
        for kind in ("RGB", "GRAY", "BGR"):
            out[f"picture-{name}-{kind}"] = attempt(
                lambda: decode(data, output_type=getattr(types, kind)))
    for part in (numpy_rows, webdataset_rows, tfrecord_rows):
        out.update(part())
    print("RESULT " + json.dumps(out))


main()
