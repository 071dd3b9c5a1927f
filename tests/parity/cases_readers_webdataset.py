"""Cases of readers.Webdataset: samples, extensions, missing components, types, indexes."""
import tarfile

from parity.case import ty
from parity.reader_cases import BATCH2, archive, common, read, wrong

OP = "readers.Webdataset"
ONE = [["epoch", {}]]
PAIR = ["jpg", "cls"]
FIVE = {"f.tar": archive([("%s.%s" % (k, e), (k + e).encode()) for k in "abcde" for e in PAIR])}
GAP = {"a.tar": archive([("a.jpg", b"A"), ("a.cls", b"1"), ("b.jpg", b"BB"), ("c.jpg", b"CCC"),
                         ("c.cls", b"3")])}
NAMES = {"a.tar": archive([("d/s.0.jpg", b"A"), ("d/s.1.jpg", b"B"), ("x.y/s.jpg", b"C"), ("e.JPG", b"E"),
                           ("f.png", b"F"), ("f.jpg", b"G"), ("p" * 90 + "/" + "n" * 60 + ".jpg", b"L"),
                           ("é.jpg", b"")])}
EIGHT = {"a.tar": archive([("a.x", bytes(range(8))), ("a.y", b"1234567")])}
INDEX = {"i.idx": "v1.2 2\njpg 512 1 a.jpg cls 1536 1 a.cls\njpg 2560 2 b.jpg\n"}
ROOT = ["{root}/a.tar"]

CASES = common(FIVE, paths=["{root}/f.tar"], ext=PAIR)
CASES += [read("calls-one", FIVE, [["call", {}]] * 3, paths=["{root}/f.tar"], ext=["jpg"])]
CASES += [read("missing-" + how, GAP, ONE, paths=ROOT, ext=PAIR, missing_component_behavior=how)
          for how in ("empty", "skip", "")]
CASES += [
    read("missing-default", GAP, ONE, paths=ROOT, ext=PAIR),
    wrong("missing-error", GAP, ONE, paths=ROOT, ext=PAIR, missing_component_behavior="error"),
    wrong("missing-other", GAP, ONE, paths=ROOT, ext=PAIR, missing_component_behavior="x"),
]
CASES += [read("ext-%d-cased-%d" % (i, cased), NAMES, ONE, paths=ROOT, ext=ext,
               case_sensitive_extensions=bool(cased))
          for i, ext in enumerate((["jpg"], ["0.jpg", "1.jpg"], ["jpg;png"], ["jpg", "png"]))
          for cased in (0, 1)]
CASES += [read("type-" + kind.lower(), EIGHT, ONE, paths=ROOT, ext=["x"], dtypes=[ty(kind)])
          for kind in ("INT32", "FLOAT", "FLOAT64", "UINT8", "INT16", "INT64", "UINT16", "FLOAT16")]
CASES += [
    read("index", dict(GAP, **INDEX), ONE, paths=ROOT, ext=PAIR, index_paths=["{root}/i.idx"]),
    read("two-archives", dict(FIVE, **GAP), BATCH2, paths=["{root}/f.tar"] + ROOT, ext=PAIR),
    read("gnu", {"a.tar": archive([("n" * 150 + ".jpg", b"A")], tarfile.GNU_FORMAT)}, ONE, paths=ROOT,
         ext=["jpg"]),
    read("pax", {"a.tar": archive([("n" * 150 + ".jpg", b"A")], tarfile.PAX_FORMAT)}, ONE, paths=ROOT,
         ext=["jpg"]),
    read("dot-slash", {"a.tar": archive([("./a.jpg", b"A"), ("./a.cls", b"1")])}, ONE, paths=ROOT,
         ext=PAIR),
    read("apart", {"a.tar": archive([("a.jpg", b"A"), ("b.jpg", b"B"), ("a.cls", b"1"), ("b.cls", b"2")])},
         ONE, paths=ROOT, ext=PAIR),
    wrong("type-odd-size", EIGHT, ONE, paths=ROOT, ext=["y"], dtypes=[ty("INT32")]),
    wrong("types-length", EIGHT, ONE, paths=ROOT, ext=["x"], dtypes=[ty("INT32"), ty("UINT8")]),
    wrong("no-archive", {"a.tar": "x" * 2000}, ONE, paths=ROOT, ext=["x"]),
    wrong("missing-file", {}, ONE, paths=ROOT, ext=["x"]),
    wrong("no-ext", EIGHT, ONE, paths=ROOT),
    wrong("no-paths", EIGHT, ONE, ext=["x"]),
    wrong("index-length", dict(GAP, **INDEX), ONE, paths=ROOT, ext=PAIR,
          index_paths=["{root}/i.idx", "{root}/i.idx"]),
    wrong("cut", {"a.tar": FIVE["f.tar"][:4600]}, ONE, paths=ROOT, ext=PAIR),
]

# Measured: the peer refuses this.
PEER_REFUSES = {"hint-num_inputs"}
