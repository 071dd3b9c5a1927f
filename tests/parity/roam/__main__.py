"""See parity/roam/__init__.py."""
import argparse
import os
import sys

from parity import drive, outcome, roam
from parity.roam import arrays, draws, images
from parity.roam.dice import Dice

ROAMS = {**arrays.ROAMS, **images.ROAMS, **draws.ROAMS}


def make(ops, seed, count):
    out = []
    for op in ops:
        for i in range(count):
            d = Dice("%s %d %d" % (op, seed, i))
            out.append(dict(ROAMS[op](d), op=op, name="%s/roam-%d-%d" % (op, seed, i)))
    return out


def main():
    p = argparse.ArgumentParser(description=roam.__doc__)
    p.add_argument("--peer", default=os.environ.get("HEADRACE_PEER_PYTHON"))
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=50)
    p.add_argument("ops", nargs="*")
    a = p.parse_args()
    cases = drive.resolved(make(a.ops or list(ROAMS), a.seed, a.count))
    peer = drive.run(a.peer, drive.PEER, cases)
    rows = outcome.verdicts(cases, peer, outcome.ours(cases))
    refused = sum("error" in r[3] for r in rows)
    bad = [r for r in rows if r[1].kind and r[2] is None]
    for c, v, _, _, _ in bad:
        print("%s: %s: %s\n    %s %s" % (c["name"], v.kind, v.detail, c["inputs"], c["args"]))
    print("%d calls, %d refused by the peer, %d answers differ" % (len(rows), refused, len(bad)))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
