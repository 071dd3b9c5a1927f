#!/usr/bin/env python3
"""Writes src/kernels/math_fit.h: the polynomials of the math kernels, fitted by Remez exchange in 60
digits. Each is the best one of its degree for the error that counts in the kernel's formula, which
the weight expresses; the header says how large that error is.

    python tools/fit_math.py            write the header
    python tools/fit_math.py --check    exit 1 if it is not what this program writes

Needs mpmath.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mpmath import mp, mpf

mp.dps = 60
HEADER = Path(__file__).parents[1] / "src/kernels/math_fit.h"
GRID = 400


def _solve(f, weight, points: list) -> list:
    """The polynomial whose weighted error alternates with one size over the points."""
    n = len(points) - 1
    rows = mp.matrix(n + 1, n + 1)
    right = mp.matrix(n + 1, 1)
    for i, x in enumerate(points):
        for j in range(n):
            rows[i, j] = x ** j
        rows[i, n] = (-1) ** i / weight(x)
        right[i] = f(x)
    return list(mp.lu_solve(rows, right))[:n]


def _extrema(error, low, high) -> list:
    """The largest error of each run of equal signs, over a grid dense near the ends."""
    half, middle = (high - low) / 2, (high + low) / 2
    grid = [middle - half * mp.cos(mp.pi * i / GRID) for i in range(GRID + 1)]
    runs: list = []
    for x in grid:
        e = error(x)
        if runs and (e > 0) == (runs[-1][1] > 0):
            if abs(e) > abs(runs[-1][1]):
                runs[-1] = (x, e)
        else:
            runs.append((x, e))
    return runs


def remez(f, degree: int, low, high, weight) -> tuple[list, object]:
    """The coefficients, lowest power first, and the largest weighted error."""
    low, high = mpf(low), mpf(high)
    half, middle = (high - low) / 2, (high + low) / 2
    points = [middle - half * mp.cos(mp.pi * i / (degree + 1)) for i in range(degree + 2)]
    for _ in range(12):
        c = _solve(f, weight, points)
        runs = _extrema(lambda x: weight(x) * (mp.polyval(c[::-1], x) - f(x)), low, high)
        worst = max(abs(e) for _, e in runs)
        while len(runs) > degree + 2:
            runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
        if len(runs) < degree + 2 or worst < min(abs(e) for _, e in runs) * mpf("1.001"):
            break
        points = [x for x, _ in runs]
    return c, worst


def _near_zero(f, series):
    """f, and its series where the formula cancels."""
    return lambda x: series(x) if abs(x) < mpf("1e-12") else f(x)


def _root(f):
    """A function of z = x^2 by one of x."""
    return lambda z: f(mp.sqrt(z))


LN2 = mp.log(2)
SMALL_S = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2  # of the logarithm's (m - 1) / (m + 1), squared
TAN_8 = (mp.sqrt(2) - 1) ** 2


def _atanh_tail(s):
    return (mp.log((1 + s) / (1 - s)) - 2 * s) / s ** 3


def _pow_tail(s):
    return (mp.log((1 + s) / (1 - s)) * 3 / (2 * s) - 3 - s ** 2) / s ** 4


# name, what it is, function, range, weight, degree for float32 and for float64 (0: none). The weight makes
# the error one that is relative to the kernel's result.
FITS = [
    ("exp", "(e^x - 1 - x) / x^2",
     _near_zero(lambda x: (mp.exp(x) - 1 - x) / x ** 2, lambda x: mpf(1) / 2 + x / 6),
     -LN2 / 2, LN2 / 2, lambda x: x ** 2 + mpf("0.01"), 5, 9),
    ("log", "(ln((1 + s) / (1 - s)) - 2 s) / s^3, of s^2",
     _near_zero(_root(_atanh_tail), lambda z: mpf(2) / 3 + 2 * z / 5),
     0, SMALL_S, lambda z: z + mpf("0.001"), 3, 6),
    ("pow", "(ln((1 + s) / (1 - s)) 3 / (2 s) - 3 - s^2) / s^4, of s^2",
     _near_zero(_root(_pow_tail), lambda z: mpf(3) / 5 + 3 * z / 7),
     0, SMALL_S, lambda z: z ** 2 + mpf("0.00001"), 0, 7),
    ("sin", "(sin x - x) / x^3, of x^2",
     _near_zero(_root(lambda x: (mp.sin(x) - x) / x ** 3), lambda z: -mpf(1) / 6 + z / 120),
     0, (mp.pi / 4) ** 2, lambda z: z + mpf("0.01"), 3, 5),
    ("cos", "(cos x - 1 + x^2 / 2) / x^4, of x^2",
     _near_zero(_root(lambda x: (mp.cos(x) - 1 + x ** 2 / 2) / x ** 4),
                lambda z: mpf(1) / 24 - z / 720),
     0, (mp.pi / 4) ** 2, lambda z: z ** 2 + mpf("0.01"), 2, 5),
    ("asin", "(asin x - x) / x^3, of x^2",
     _near_zero(_root(lambda x: (mp.asin(x) - x) / x ** 3), lambda z: mpf(1) / 6 + 3 * z / 40),
     0, mpf(1) / 4, lambda z: z + mpf("0.01"), 6, 12),
    ("atan", "(atan x - x) / x^3, of x^2",
     _near_zero(_root(lambda x: (mp.atan(x) - x) / x ** 3), lambda z: -mpf(1) / 3 + z / 5),
     0, TAN_8, lambda z: z + mpf("0.01"), 5, 10),
    ("sinh", "(sinh x - x) / x^3, of x^2",
     _near_zero(_root(lambda x: (mp.sinh(x) - x) / x ** 3), lambda z: mpf(1) / 6 + z / 120),
     0, mpf(1), lambda z: z + mpf("0.01"), 3, 6),
    ("tanh", "(tanh x - x) / x^3, of x^2",
     _near_zero(_root(lambda x: (mp.tanh(x) - x) / x ** 3), lambda z: -mpf(1) / 3 + 2 * z / 15),
     0, mpf("0.3025"), lambda z: z + mpf("0.01"), 5, 10),
]

TOP = """/* The polynomials of the math kernels. Written by tools/fit_math.py; edit that. */
#ifndef HR_KERNELS_MATH_FIT_H
#define HR_KERNELS_MATH_FIT_H
"""


def _function(name: str, what: str, coefficients: list, worst) -> str:
    lines = [float(c).hex() for c in coefficients]
    body = lines[-1]
    for c in reversed(lines[:-1]):
        body = f"{c} +\n           x * ({body})"
    body = body.replace("+ -", "- ")
    bits = int(mp.floor(-mp.log(worst, 2)))
    return (f"\n/* {what}; weighted error below 2^-{bits} */\n"
            f"static inline double hr__fit_{name}(double x)\n{{\n    return {body};\n}}\n")


def header() -> str:
    out = TOP
    for name, what, f, low, high, weight, short, full in FITS:
        for suffix, degree in ((name + "_short", short), (name, full)):
            if degree:
                c, worst = remez(f, degree, low, high, weight)
                out += _function(suffix, what, c, worst)
    return out + "\n#endif\n"


def main() -> int:
    text = header()
    if "--check" in sys.argv[1:]:
        return 0 if HEADER.read_text() == text else "src/kernels/math_fit.h is out of date"
    HEADER.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
