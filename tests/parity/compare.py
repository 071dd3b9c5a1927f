"""Compares what two packages made of one case.

Shapes, dtypes, layouts, devices, integers and generator states must be equal. The rule of a case
says what is allowed for its values:

exact         the same bytes (a NaN is a NaN)
float         floats within 1e-6 relative, plus one unit in the last place of the largest value of
              the sample (subtraction cancels); float16: one unit in the last place; integers
              within one, for values that round at a tie
resample      integers within 1 level; floats within 1e-4 relative, plus 1e-6 of the largest value
              of the sample (sums of signed weights cancel)
jpeg          within 1 level of the 8-bit scale, mean error below 0.05
distribution  equal mean, spread and distribution function, within what chance allows
shape         values are not compared
reader-set    the items of each epoch in any order
"""
import base64
from collections import Counter, namedtuple

import numpy as np

# kind: "" (agree), "values", "meta", "rng", "ours-refuses", "ours-accepts", "error-type", "crash"
# largest: largest absolute difference of values; scaled: the same in units of what is allowed
Verdict = namedtuple("Verdict", "kind detail largest scaled")
AGREE = Verdict("", "", 0.0, 0.0)


def unpack(p):
    a = np.frombuffer(base64.b64decode(p["data"]), dtype=np.dtype(p["np"]))
    return a.reshape(p["shape"])


def _differ(kind, detail, largest=0.0, scaled=0.0):
    return Verdict(kind, detail, largest, scaled)


def verdict(case, peer, ours):
    """How `ours` stands to `peer` for this case."""
    if ours.get("error") == "crash":
        return _differ("crash", "ours: " + ours["message"])
    if "error" in peer and "error" in ours:
        # A subclass of the peer's type is caught by the same handlers.
        if peer["error"] == "crash" or peer["error"] in ours["bases"]:
            return AGREE
        return _differ("error-type", "peer %s (%s), ours %s (%s)" % (
            peer["error"], peer.get("message", ""), ours["error"], ours["message"]))
    if "error" in ours:
        return _differ("ours-refuses", "%s: %s" % (ours["error"], ours["message"]))
    if "error" in peer:
        return _differ("ours-accepts", "peer: %s %s" % (peer["error"], peer.get("message", "")))
    found = values(case["rule"], peer["value"], ours["value"])
    if not found.kind and peer.get("rng") != ours.get("rng"):
        return _differ("rng", "generator after the call: peer %s, ours %s"
                       % (peer.get("rng"), ours.get("rng")))
    return found


def values(rule, peer, ours):
    if rule == "reader-set":
        return _reader_set(peer, ours)
    if peer["kind"] != ours["kind"]:
        return _differ("meta", "kind: peer %s, ours %s" % (peer["kind"], ours["kind"]))
    for key in ("dtype", "layout", "device", "text", "value", "name"):
        if peer.get(key) != ours.get(key):
            return _differ("meta", "%s: peer %s, ours %s" % (key, peer.get(key), ours.get(key)))
    worst = AGREE
    if "items" in peer:
        if len(peer["items"]) != len(ours["items"]):
            return _differ("meta", "length: peer %d, ours %d"
                           % (len(peer["items"]), len(ours["items"])))
        for a, b in zip(peer["items"], ours["items"]):
            if peer["kind"] == "dict":
                if a[0] != b[0]:
                    return _differ("meta", "key: peer %s, ours %s" % (a[0], b[0]))
                a, b = a[1], b[1]
            worst = _worse(worst, values(rule, a, b))
    if "samples" in peer:
        worst = _worse(worst, _samples(rule, peer["samples"], ours["samples"]))
    return worst


def _worse(a, b):
    if a.kind or b.kind:
        return a if a.kind else b
    return a if a.scaled >= b.scaled else b


def _samples(rule, peer, ours):
    shapes = [p["shape"] for p in peer], [o["shape"] for o in ours]
    if shapes[0] != shapes[1]:
        return _differ("meta", "shapes: peer %s, ours %s" % shapes)
    worst = AGREE
    for i, (p, o) in enumerate(zip(peer, ours)):
        if p["np"] != o["np"]:
            return _differ("meta", "numpy type: peer %s, ours %s" % (p["np"], o["np"]))
        if "hash" in p:
            same = p["hash"] == digest(o)
            found = AGREE if same else _differ("values", "other bytes (the record holds a hash)")
        else:
            found = RULES[rule](unpack(p), unpack(o))
        if found.kind:
            return found._replace(detail="sample %d: %s" % (i, found.detail))
        worst = _worse(worst, found)
    return worst


def digest(packed):
    import hashlib

    a = unpack(packed)
    if a.dtype.kind == "f":
        a = np.where(np.isnan(a), np.array(np.nan, a.dtype), a)
    return hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()[:24]


def _where(peer, ours, bad):
    first = tuple(int(i) for i in np.argwhere(bad)[0]) if bad.ndim else ()
    return "%d of %d differ, first at %s: peer %r, ours %r" % (
        int(bad.sum()), bad.size, first, peer[first].item(), ours[first].item())


def _exact(peer, ours):
    same = peer == ours
    if peer.dtype.kind == "f":
        same = (same & (np.signbit(peer) == np.signbit(ours))) | (np.isnan(peer) & np.isnan(ours))
    if same.all():
        return AGREE
    gap = _gap(peer, ours)
    return _differ("values", _where(peer, ours, ~same), float(gap.max()), float("inf"))


def _gap(peer, ours):
    """|peer - ours| in double (wide integers lose their last bits, which is shown apart);
    equal values, infinities and NaN of both included, have no gap."""
    with np.errstate(all="ignore"):
        gap = np.abs(peer.astype(np.float64) - ours.astype(np.float64))
    both_nan = (peer != peer) & (ours != ours)
    gap = np.where((peer == ours) | both_nan, 0.0, gap)
    return np.where(np.isnan(gap), np.inf, gap)


def _within(peer, ours, allowed):
    if peer.size == 0:
        return AGREE
    gap = _gap(peer, ours)
    scaled = np.where(gap == 0, 0.0, gap / np.maximum(allowed, 1e-300))
    kind = "values" if (scaled > 1.0).any() else ""
    detail = _where(peer, ours, scaled > 1.0) if kind else ""
    return Verdict(kind, detail, float(gap.max()), float(scaled.max()))


def _float(peer, ours):
    size = np.abs(peer.astype(np.float64))
    if peer.dtype.kind != "f":
        return _within(peer, ours, np.ones(peer.shape) if peer.dtype.kind in "iu" else 0 * size)
    if peer.dtype.itemsize == 2:
        return _within(peer, ours, np.maximum(size, 2.0**-14) * 2.0**-10)
    return _within(peer, ours, 1e-6 * size + 2.0**-23 * (size.max() if size.size else 0))


def _resample(peer, ours):
    size = np.abs(peer.astype(np.float64))
    if peer.dtype.kind != "f":
        return _within(peer, ours, np.ones(peer.shape))
    return _within(peer, ours, 1e-4 * size + 1e-6 * (size.max() if size.size else 0))


def _jpeg(peer, ours):
    if peer.dtype.kind == "f":
        level = 1 / 255.0
    else:
        level = max(1.0, np.iinfo(peer.dtype).max / 255.0) if peer.dtype.kind in "iu" else 1.0
    found = _within(peer, ours, np.full(peer.shape, level * 1.0001))
    mean = float(_gap(peer, ours).mean() / level) if peer.size else 0.0
    if not found.kind and mean >= 0.05:
        return found._replace(kind="values", detail="mean error %.3f of a level" % mean)
    return found._replace(largest=found.largest / level)


def _distribution(peer, ours):
    """Kolmogorov-Smirnov at a chance of about 1e-4, and mean and spread within five deviations."""
    a, b = np.sort(peer.ravel().astype(float)), np.sort(ours.ravel().astype(float))
    n = a.size
    both = np.concatenate([a, b])
    ks = np.abs(np.searchsorted(a, both, "right") - np.searchsorted(b, both, "right")).max() / n
    mean = abs(a.mean() - b.mean()) / max(np.hypot(a.std(), b.std()) / n**0.5, 1e-30)
    spread = abs(a.std() - b.std()) / max(a.std(), 1e-30)
    bad = ks > 2.2 * (2.0 / n) ** 0.5 or mean > 5 or spread > 10 * (2.0 / n) ** 0.5
    text = "KS %.4f, mean off by %.2f deviations, spread by %.2f %%" % (ks, mean, 100 * spread)
    return Verdict("values" if bad else "", text if bad else "", 0.0,
                   ks / (2.2 * (2.0 / n) ** 0.5))


def _shape(peer, ours):
    return AGREE


RULES = {"exact": _exact, "float": _float, "resample": _resample, "jpeg": _jpeg,
         "distribution": _distribution, "shape": _shape}


def _flat(step):
    """The items of one reader step, each as text that tells it apart."""
    found = Counter()
    for pair in step["items"]:
        named = pair["kind"] == "dict"
        parts = [(p[1] if named else p)["samples"] for p in pair["items"]]
        for together in zip(*parts):
            found[tuple(t["data"] for t in together)] += 1
    return found


def _reader_set(peer, ours):
    for a, b in zip(peer["items"], ours["items"]):
        if _flat(a) != _flat(b):
            return _differ("values", "other items: peer %s, ours %s" % (_flat(a), _flat(b)))
    return AGREE
