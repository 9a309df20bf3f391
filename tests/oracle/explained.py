#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics in expected output are those of reference.py: z, p and the 95% interval of each measure that `explain`
prints are computed anew from the counts that it prints beside them.

Counts, dispersion and z are printed rounded, so a computed range has to contain what is printed.

usage: explained.py CASES
"""
import functools
import itertools
import math
import pathlib
import re
import sys
from decimal import Decimal as D

import reference

LEAST = 30  # measures that the cases explain; fewer means that the pattern below no longer fits
COUNTS = r"(\S+) of (\S+) → (\S+) of (\S+)\n"
MEASURE = re.compile(
    r"^  (?P<measure>self|charged|cumulative)  \S+% → \S+%, \S+ pp\s+"
    r"\(95%\s+CI\s+\[(?P<low>\S+),\s+(?P<high>\S+)\]\)\n"
    r"      effective samples: (?P<sampled>" + COUNTS + r")"
    r"      with run-to-run variation worth: (?P<worth>" + COUNTS + r")"
    r"      run to run: (?P<source>(?:.|\n        )*)\n"
    r"      growth > 0: z = (?P<z>\S+), p = (?P<p>[0-9.e-]+)(?P<untested> \(fewer than \d+ counts: not tested\))?$", re.M)
LEAST_COUNTS = 20  # fewer on both sides are not tested, docs/statistics.md


def counts(text):
    return [D(word) for word in re.findall(r"[\d.]+", text.replace(",", ""))]


def unit(text):
    """Half of the last digit that is printed."""
    digits, _, exponent = text.partition("e")
    places = len(digits.partition(".")[2])
    return 0.5 * 10.0 ** (int(exponent or 0) - places)


@functools.cache
def tail(z, df):
    if df is None:
        return float(reference.normal_p(z))
    upper = reference.student_tail(abs(z), D(df))
    return float(upper if z >= 0 else 1 - upper)


@functools.cache
def quantile(df):
    """What 2.5% are above: of Student's distribution by its finite sum for P(|T| < t), else of the normal one."""
    def within(t):
        if df is None:
            return math.erf(t / math.sqrt(2))
        angle = math.atan(t / math.sqrt(df))
        term, terms = (math.cos(angle) if df % 2 else 1.0), []
        for i in range(3 if df % 2 else 2, df + 1, 2):
            terms.append(term)
            term *= math.cos(angle) ** 2 * (i - 1) / i
        return 2 / math.pi * (angle + math.sin(angle) * sum(terms)) if df % 2 else math.sin(angle) * sum(terms)
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < 0.95 else (low, middle)
    return low


class Measure:
    def __init__(self, found):
        self.found = found
        source = " ".join(found["source"].split())
        k1, m1, k2, m2 = counts(found["sampled"])
        _, n1, _, n2 = counts(found["worth"])
        self.few = k1 + k2 < LEAST_COUNTS
        phi = re.search(r"dispersion ([\d.]+)x", source)
        self.phi = [max(1.0, float(phi[1]) + e) if phi else 1.0 for e in (-0.005, 0.005)]
        df = re.search(r"Student t with (\d+) degrees", source)
        self.df = int(df[1]) if df else None
        # What the counts may have been before they were rounded: the least and the greatest growth.
        half = D("0.5")
        self.ranges = [(self.side(k1, m1, n1, e1), self.side(k2, m2, n2, e2))
                       for e1, e2 in itertools.product((-half, half), repeat=2)]

    @staticmethod
    def side(k, m, n, error):
        share = min(max(k + error, D("1e-9")), m - D("1e-9")) / m
        return [(share * (n + e), n + e) for e in (D("-0.5"), D("0.5"))]

    def z(self, growth):
        """The least and the greatest z of a growth beyond `growth`, a fraction."""
        every = [float(reference.points_z((*one, *two), D(growth))[1]) / math.sqrt(phi)
                 for first, second in self.ranges for one in first for two in second for phi in self.phi]
        return min(every), max(every)

    def faults(self):
        z, p = float(self.found["z"]), float(self.found["p"])
        if bool(self.found["untested"]) != self.few:
            yield "is tested with too few counts, or not tested with enough"
        elif self.few:
            if (z, p) != (0, 1):
                yield f"is not tested, but z = {z}, p = {p}"
        else:
            low, high = self.z(0)
            if not low - 0.005 <= z <= high + 0.005:
                yield f"z = {z}, expected {low:.3f} to {high:.3f}"
            expected = tail(D(self.found["z"]), self.df)
            if abs(p - expected) > unit(self.found["p"]) + expected * 0.006 * (abs(z) + 1):
                yield f"p = {p}, expected {expected:.3g}"
        for end, sign in (("low", 1), ("high", -1)):
            bound = self.found[end]
            near = [self.z(f"{(float(bound) + e) / 100:.12f}") for e in (-unit(bound), unit(bound))]
            least, greatest = min(pair[0] for pair in near), max(pair[1] for pair in near)
            if not least <= sign * quantile(self.df) <= greatest:
                yield f"95% interval, {end} {bound}: its z is {least:.3f} to {greatest:.3f}, expected " \
                      f"{sign * quantile(self.df):.3f}"


def main():
    checked, wrong = 0, []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*/expect/stdout")):
        text = path.read_text(encoding="utf-8", errors="replace")
        found = list(MEASURE.finditer(text))
        if len(found) != text.count("with run-to-run variation worth:"):
            wrong.append(f"{path}: read {len(found)} of {text.count('with run-to-run variation worth:')} measures")
        for one in found:
            checked += 1
            wrong += [f"{path}: {one['measure']}: {fault}" for fault in Measure(one).faults()]
    if checked < LEAST:
        wrong.append(f"expected at least {LEAST} measures in {sys.argv[1]}, found {checked}")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{checked} measures")


main()
