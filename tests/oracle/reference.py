#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/stats.csv, student.csv, spending.csv and trend.csv: what test_stats, test_student, test_error_spending
and test_trend compare with.

    tests/oracle/reference.py           write the files anew (two minutes)
    tests/oracle/reference.py --check   exit with 1 where they differ from what is there

The formulas are those of docs/statistics.md, computed in another way than gate/compare does: 60 decimal digits from
Python's standard library, the restricted estimates by halving where the derivative of the log-likelihood changes its
sign, bounds by halving, the normal tail by its series, Student's tail by quadrature of the density. Boundaries of looks
are found in doubles, from the density of those that no look before has stopped, by Simpson's rule and halving.
"""

import itertools
import math
import sys
from decimal import Decimal as D
from decimal import getcontext, localcontext
from fractions import Fraction
from pathlib import Path

DIGITS = 60
getcontext().prec = DIGITS
TINY = D(10) ** -40
Z90 = None  # z of .05, found below

# k1, n1, k2, n2: usual, rare, new, gone, everything, fractional effective counts, sides of unlike size, huge.
CASES = [
    (40, 800, 90, 800), (12, 640, 31, 655), (7, 150, 19, 149), (0, 900, 15, 1000), (18, 1200, 0, 1100),
    (0, 500, 0, 700), (3, 5000, 11, 5200), (260, 1000, 290, 1000), (990, 1000, 997, 1000), (600, 600, 580, 600),
    (D("30.5"), D("610.25"), D("61.75"), D("655.5")), (D("4.125"), D("333.3"), D("9.875"), D("77.7")),
    (55, 110, 700, 9000), (900, 30000, 14, 60), (5000, 100000, 5400, 100000), (21, 2000000, 64, 1900000),
    (250000, 1000000, 255000, 1000000), (1, 20, 19, 20), (333, 999, 111, 333), (20, 400, 20, 400),
    (150, 500, 60, 500), (2, 40, 9, 45), (D("0.75"), 90, D("21.5"), 95),
    (12000, D("1e8"), 15500, D("1.1e8")), (0, 900, 200, 1000), (5, 90, D("0.75"), 95),
]
POINTS = [D("0"), D("0.01"), D("0.05"), D("-0.02")]
RATIOS = [D("1"), D("1.5"), D("2"), D("0.8")]
SHARES = [D("0.02"), D("0.3")]
DETECTABLE = [D("0.01"), D("0.05")]
Z_MARGIN, POWER = D("1.6448536269514722"), None


def halved(is_left, low, high, width=None):
    """Where is_left stops to hold, between low and high."""
    width = width or TINY
    while high - low > width:
        middle = (low + high) / 2
        if is_left(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def clipped(value, low, high):
    """A bound that halving came so near to is the bound."""
    near = TINY * 1000
    return low if value - low < near else high if high - value < near else value


def restricted_points(c, b):
    """p1 of the largest likelihood under p2 = p1 + b."""
    k1, n1, k2, n2 = c
    low, high = max(D(0), -b), min(D(1), 1 - b)

    def rising(p):
        q = p + b
        return k1 / p - (n1 - k1) / (1 - p) + k2 / q - (n2 - k2) / (1 - q) > 0
    return clipped(halved(rising, low, high), low, high)


def restricted_ratio(c, r):
    """p1 of the largest likelihood under p2 = r p1."""
    k1, n1, k2, n2 = c
    high = min(D(1), 1 / r)

    def rising(p):
        return (k1 + k2) / p - (n1 - k1) / (1 - p) - r * (n2 - k2) / (1 - r * p) > 0
    return clipped(halved(rising, D(0), high), D(0), high)


def skewed(s, a):
    """z of s = z + a (z^2 - 1); s itself where there is none."""
    radicand = 1 + 4 * a * (s + a)
    return s if abs(a) < D("1e-12") or radicand <= 0 else (radicand.sqrt() - 1) / (2 * a)


def score(c, p1, p2, r, difference):
    """(plain, corrected) z of a difference whose baseline counts r times."""
    _, n1, _, n2 = c
    v1, v2 = p1 * (1 - p1), p2 * (1 - p2)
    variance = (v2 / n2 + r * r * v1 / n1) * (n1 + n2) / (n1 + n2 - 1)
    if variance <= 0:
        return D(0), D(0)
    s = difference / variance.sqrt()
    third = v2 * (1 - 2 * p2) / n2 ** 2 - r ** 3 * v1 * (1 - 2 * p1) / n1 ** 2
    return s, skewed(s, third / (6 * variance * variance.sqrt()))


def points_z(c, b):
    p1 = restricted_points(c, b)
    return score(c, p1, p1 + b, D(1), c[2] / c[3] - c[0] / c[1] - b)


def ratio_z(c, r):
    p1 = restricted_ratio(c, r)
    return score(c, p1, r * p1, r, c[2] / c[3] - r * c[0] / c[1])


def one_sample_z(k, n, p0):
    deviation = (p0 * (1 - p0) / n).sqrt()
    return skewed((k / n - p0) / deviation, (1 - 2 * p0) / (6 * n * deviation))


def detectable(c, b):
    """The growth found four times in five, by halving what is left of the equation of docs/statistics.md."""
    k1, n1, _, n2 = c
    p1 = k1 / n1

    def too_small(effect):
        p2 = min(D(1), p1 + effect)
        v1, v2 = p1 * (1 - p1) / n1, p2 * (1 - p2) / n2
        short = POWER / (v1 + v2).sqrt()
        seen = (n1 * min(D(1), p1 + short * v1), n1, n2 * max(D(0), p2 - short * v2), n2)
        return points_z(seen, b)[1] < Z_MARGIN
    return halved(too_small, b, 1 - p1, D("1e-25"))


def normal_tail(z):
    """P(Z > z) for z >= 0, by a series of positive terms; the digits that cancel are added."""
    with localcontext() as context:
        context.prec = DIGITS + int(z * z / 4) + 20
        two_pi = 2 * pi(context.prec)
        term = total = z
        n = 1
        while term > total * D(10) ** -context.prec:
            term = term * z * z / (2 * n + 1)
            total += term
            n += 1
        return D("0.5") - total * (-z * z / 2).exp() / two_pi.sqrt()


def pi(digits):
    """Machin's formula."""
    with localcontext() as context:
        context.prec = digits + 10

        def arctan_of_inverse(x):
            term = total = D(1) / x
            n = 1
            while abs(term) > D(10) ** -context.prec:
                term /= -x * x
                n += 2
                total += term / n
            return total
        return 4 * (4 * arctan_of_inverse(D(5)) - arctan_of_inverse(D(239)))


def normal_p(z):
    return normal_tail(z) if z >= 0 else 1 - normal_tail(-z)


def student_tail(t, df):
    """P(T > t) for t >= 0: both integrals of the density by the double exponential rule, x = from + e^(pi/2 sinh u)."""
    half_pi = pi(DIGITS) / 2

    def density(x):
        return (-(df + 1) / 2 * (1 + x * x / df).ln()).exp()

    def integral(start):
        total, steps = D(0), 64
        for i in range(-6 * steps, 6 * steps + 1):
            up = (D(i) / steps).exp()
            sinh, cosh = (up - 1 / up) / 2, (up + 1 / up) / 2
            x = (half_pi * sinh).exp()
            total += density(start + x) * x * half_pi * cosh
        return total / steps

    with localcontext() as context:
        context.prec = 40
        return integral(t) / (2 * integral(D(0)))


LOOKS = [(0.5, 1.0), (0.2, 0.4, 0.6, 0.8, 1.0), (0.1, 0.35, 0.4, 0.9), (0.25, 0.5, 0.75), (0.3, 0.31),
         tuple((i + 1) / 12 for i in range(12))]
TOTALS = [0.25, 0.05, 0.025, 0.01, 1e-4, 1e-10]


def tail(z):
    return 0.5 * math.erfc(z / math.sqrt(2))


def over_now(points, z, now, before):
    """The chance to be over z now and over no boundary before."""
    if points is None:
        return tail(z)
    step = math.sqrt(now - before)
    return math.fsum(w * tail((z * math.sqrt(now) - x) / step) for x, w in points)


def last_bound(looks, total, intervals=1000):
    """z of the last look's boundary, when total t^3 is spent by information t."""
    points, before = None, 0.0
    for now in looks:
        spends = total * (now ** 3 - before ** 3)
        low, high = -1.0, 12.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            if over_now(points, middle, now, before) > spends:
                low = middle
            else:
                high = middle
        start, end = -8 * math.sqrt(now), high * math.sqrt(now)
        width = (end - start) / intervals
        xs = [start + i * width for i in range(intervals + 1)]
        if points is None:
            density = [math.exp(-x * x / 2 / now) / math.sqrt(2 * math.pi * now) for x in xs]
        else:
            step = now - before
            front = 1 / math.sqrt(2 * math.pi * step)
            density = [math.fsum(w * front * math.exp(-(x - y) ** 2 / 2 / step) for y, w in points) for x in xs]
        rule = [width / 3 * (1 if i in (0, intervals) else 4 if i % 2 else 2) for i in range(intervals + 1)]
        points, before = [(x, d * r) for x, d, r in zip(xs, density, rule)], now
    return high


def printed(value):
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return f"{value:.20g}" if value else "0"


def stats_row(number, c):
    row = {"case": str(number), "k1": c[0], "n1": c[1], "k2": c[2], "n2": c[3]}
    for b in POINTS:
        plain, z = points_z(c, b)
        row |= {f"points_p1_{b}": restricted_points(c, b), f"points_plain_{b}": plain, f"points_z_{b}": z,
                f"points_p_{b}": normal_p(z) if abs(z) < 60 else None}
    for r in RATIOS:
        plain, z = ratio_z(c, r)
        row |= {f"ratio_p1_{r}": restricted_ratio(c, r), f"ratio_plain_{r}": plain, f"ratio_z_{r}": z}
    for p0 in SHARES:
        row[f"share_z_{p0}"] = one_sample_z(c[2], c[3], p0)
    width = D("1e-22")
    edge = D("1e-30")
    whole = c[0] + c[2] > 0 and c[0] + c[2] < c[1] + c[3]
    for name, z in (("low", Z90), ("high", -Z90)):
        row[f"points_{name}"] = halved(lambda b: points_z(c, b)[1] > z, -1 + edge, 1 - edge, width) if whole else None
        row[f"share_{name}"] = halved(lambda p: one_sample_z(c[2], c[3], p) > z, edge, 1 - edge, width)
    row["ratio_low"] = ratio_bound(c, Z90) if c[2] > 0 else "0"
    row["ratio_high"] = ratio_bound(c, -Z90) if c[0] > 0 else "inf"
    for b in DETECTABLE:
        row[f"detectable_{b}"] = detectable(c, b) if c[0] / c[1] < D("0.6") and c[0] > 0 else None
    return row


def ratio_bound(c, z):
    """By halving the logarithm."""
    return halved(lambda x: ratio_z(c, x.exp())[1] > z, D(-12), D(12), D("1e-22")).exp()


def tables():
    """{file name: text}."""
    global Z90, POWER
    Z90 = halved(lambda z: normal_tail(z) > D("0.05"), D(0), D(3))
    POWER = halved(lambda z: normal_tail(z) > D("0.2"), D(0), D(3))
    rows = [stats_row(i + 1, tuple(D(x) for x in c)) for i, c in enumerate(CASES)]
    stats = [",".join(rows[0])] + [",".join(printed(value) for value in row.values()) for row in rows]
    tails = ["t,df,log_p"]
    for z in ("0", "0.1", "0.5", "0.99", "1.01", "2", "5", "10", "19.9", "20.1", "38"):
        tails.append(f"{z},inf,{printed(normal_tail(D(z)).ln())}")
    for df in ("0.5", "1", "2", "2.5", "4", "7.3", "13", "40", "150", "1000.5", "2999", "3001", "20000"):
        for t in ("0.05", "0.6", "1", "1.7", "3", "8", "25"):
            tails.append(f"{t},{df},{printed(student_tail(D(t), D(df)).ln())}")
    bounds = ["looks,total,z"]
    for looks in LOOKS:
        for total in TOTALS:
            bounds.append(f"{' '.join(f'{t:.17g}' for t in looks)},{total:g},{last_bound(looks, total):.6f}")
    files = {"spending.csv": bounds, "stats.csv": stats, "student.csv": tails, "trend.csv": trends()}
    return {name: "\n".join(lines) + "\n" for name, lines in files.items()}


# Series of trends: rising, with ties, with a step, with an outlier, falling, unlike distances.
SERIES = [
    ([0, 1, 2, 3, 4], [1, 2, 3, 4, 5]), ([0, 1, 2, 3, 4, 5], [3, 1, 4, 1, 5, 9]),
    ([0, 1, 2, 3, 4, 5, 6], [2, 2, 2, 5, 2, 2, 7]), ([0, 1, 2, 3, 4, 5, 6], [10, 11, 10, 20, 21, 20, 21]),
    ([0, 1, 2, 3, 4, 5], [1, 2, 30, 4, 5, 6]), ([0, 1, 2, 3, 4], [9, 7, 8, 3, 1]),
    ([0, 1, 3, 7, 8, 20], [1, 1.5, 2.75, 5, 6.5, 11]), ([0, 2, 3, 4, 9, 10, 12], [5, 5, 5, 5, 5, 5, 5]),
]


def kendall(values):
    return sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1:])


def trend(series):
    """S, its chance among all orders, the median slope, and the slopes that the test at 5 % on each side just keeps:
    all by counting."""
    x, y = series
    count = len(y)
    s = kendall(y)
    orders = [kendall(order) for order in itertools.permutations(y)]
    p = Fraction(sum(order >= s for order in orders), len(orders))
    plain = [kendall(order) for order in itertools.permutations(range(count))]
    slopes = sorted(Fraction(str(y[j])) / (x[j] - x[i]) - Fraction(str(y[i])) / (x[j] - x[i])
                    for i in range(count) for j in range(i + 1, count))
    middle = (slopes[(len(slopes) - 1) // 2] + slopes[len(slopes) // 2]) / 2

    def is_kept(slope, side):
        """Whether a slope beside `slope` is not refused."""
        beside = slope + side * Fraction(1, 10**9)
        found = side * kendall([Fraction(str(value)) - beside * at for at, value in zip(x, y)])
        return Fraction(sum(order >= found for order in plain), len(plain)) > Fraction(1, 20)
    low = next((slope for slope in slopes if is_kept(slope, 1)), None)
    high = next((slope for slope in reversed(slopes) if is_kept(slope, -1)), None)
    low = None if low is not None and is_kept(slopes[0] - 1, 1) else low
    high = None if high is not None and is_kept(slopes[-1] + 1, -1) else high
    return s, p, middle, low, high


def trends():
    lines = ["x,y,s,log_p,slope,low,high"]
    for series in SERIES:
        s, p, middle, low, high = trend(series)
        ends = [f"{float(low):.15g}" if low is not None else "-inf", f"{float(high):.15g}" if high is not None else "inf"]
        lines.append(",".join([" ".join(map(str, series[0])), " ".join(map(str, series[1])), str(s),
                               f"{math.log(p):.15g}", f"{float(middle):.15g}", *ends]))
    return lines


def main():
    here = Path(__file__).resolve().parents[1] / "unit"
    differs = False
    for name, text in tables().items():
        if "--check" in sys.argv[1:]:
            if (here / name).read_text() != text:
                print(f"tests/unit/{name} is not what {sys.argv[0]} computes: run it without --check")
                differs = True
        else:
            (here / name).write_text(text)
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
