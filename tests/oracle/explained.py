#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics in expected output are those of reference.py. From the counts that `explain` prints of each measure,
this computes anew its z, p and 95% interval, and for each limit of a budget on it p over the limit and the upper bound.

Counts, dispersion and z are printed rounded, so a computed range has to contain what is printed.

With PPROFGATE it runs `explain` with the arguments of each case of `check`, too, and looks at what that prints.

usage: explained.py CASES [PPROFGATE]
"""
import functools
import itertools
import math
import os
import pathlib
import re
import subprocess
import sys
from decimal import Decimal as D
from decimal import getcontext

import reference

# What is compared was printed with four digits, so that fewer of them are computed than for the reference values.
getcontext().prec = 28
reference.TINY = D("1e-15")

# Minimum numbers of recomputed measures and limits. Fewer mean that the patterns no longer match the output.
LEAST = [{"measure": 30, "limit": 24}, {"measure": 350, "limit": 280}]
# Options of `check` that `explain` lacks, or that decide nothing about a frame: with a value of their own, and without.
VALUED = {"--json", "--junit", "--markdown", "--svg", "--html", "--report", "--gitlab-codequality", "--sarif",
          "--speedscope", "--openmetrics", "--folded", "--frames", "--min-share", "--source-url", "--report-url",
          "--junit-flavor", "--github-annotations", "--on-inconclusive", "--history", "--head", "--accepted"}
PLAIN = {"-q", "--quiet"}
LEAST_COUNTS = 20  # fewer on both sides are not tested, docs/statistics.md
COUNTS = r"\S+ of \S+ → \S+ of \S+"
NUMBER = r"[0-9.]+(?:e-?[0-9]+)?"
MEASURE = re.compile(
    r"^  (?P<measure>self|charged|cumulative)  \S+% → \S+%, \S+ pp\s+"
    r"\(95%\s+CI\s+\[(?P<low>\S+),\s+(?P<high>\S+)\]\)\n"
    r"      effective samples: (?P<sampled>" + COUNTS + r")\n"
    r"      with run-to-run variation worth: (?P<worth>" + COUNTS + r")\n"
    r"      run to run: (?P<source>(?:.|\n        )*)\n"
    r"      growth > 0: z = (?P<z>\S+), p = (?P<p>" + NUMBER + r")(?P<untested> \(fewer than .*: not tested\))?$",
    re.M)
LIMIT = re.compile(
    r"^    (?P<kind>share_increase|increase) \+(?P<limit>[0-9.]+)(?:pp|%) \((?:warn|error)\)\n"
    r"(?:      could not break this limit.*\n)?"
    r"      with \d+ hypothes[ei]s in its family, before the correction p = (?P<p>" + NUMBER + r")\n"
    r"      growth, corrected.*\n"
    r"      growth over the limit: p = (?P<over>" + NUMBER + r"), needs.*\n"
    r"      own cost.*\n"
    r"      95% upper bound: (?P<upper>[+-]?[0-9.]+)(?: pp|x(?: \([^)]* pp\))?);", re.M)
BUDGET = re.compile(r'^  budget ".*" \((?:warn|error), (?P<measure>\w+)\)$'
                    r'(?P<together>\n    judges (?:it with all other|all) own functions)?', re.M)


def counts(text):
    return [D(word) for word in re.findall(r"[\d.]+", text.replace(",", ""))]


def unit(text):
    """Half of the last digit that is printed."""
    digits, _, exponent = text.partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def tail(z, df):
    """P(T > z) of Student's distribution, as reference.student_tail in doubles, or of the normal one without `df`."""
    if df is None:
        return reference.tail(z)

    def integral(start):
        steps, total = 64, 0.0
        for i in range(-6 * steps, 4 * steps + 1):
            sinh, cosh = math.sinh(i / steps), math.cosh(i / steps)
            x = math.exp(math.pi / 2 * sinh)
            total += math.exp(-(df + 1) / 2 * math.log1p((start + x) ** 2 / df)) * x * math.pi / 2 * cosh
        return total / steps
    upper = integral(abs(z)) / (2 * integral(0.0))
    return upper if z >= 0 else 1 - upper


@functools.cache
def quantile(part, df):
    return float(reference.halved(lambda z: tail(float(z), df) > part, D(0), D(100), D("1e-9")))


class Measure:
    def __init__(self, found):
        self.found = found
        source = " ".join(found["source"].split())
        k1, m1, k2, m2 = counts(found["sampled"])
        _, n1, _, n2 = counts(found["worth"])
        self.few = k1 + k2 < LEAST_COUNTS
        phi = re.search(r"dispersion ([\d.]+)x", source)
        self.phi = [max(1.0, float(phi[1]) + e) for e in (-unit(phi[1]), unit(phi[1]))] if phi else [1.0]
        df = re.search(r"Student t with (\d+) degrees", source)
        self.df = int(df[1]) if df else None
        # Range of the counts before rounding.
        halves = (D("-0.5"), D("0.5"))
        self.sides = [(*one, *two) for e1, e2 in itertools.product(halves, repeat=2)
                      for one in self.side(k1, m1, n1, e1) for two in self.side(k2, m2, n2, e2)]

    @staticmethod
    def side(k, m, n, error):
        if m == 0:
            return [(D(0), D(1))]
        share = min(max((k + error) / (m - error), D("1e-9")), 1 - D("1e-9"))  # both counts are rounded
        return [(share * (n + e), n + e) for e in (D("-0.5"), D("0.5"))]

    def z(self, compute, growth):
        """The least and the greatest z of growth beyond `growth`."""
        every = [float(compute(c, D(growth))[1]) / math.sqrt(phi) for c in self.sides for phi in self.phi]
        return min(every), max(every)

    def bound_faults(self, name, compute, text, scale, expected):
        """Whether z at a printed bound, times `scale`, is `expected`."""
        near = [self.z(compute, f"{(float(text) + e) * scale:.12f}") for e in (-unit(text), unit(text))]
        least, greatest = min(pair[0] for pair in near), max(pair[1] for pair in near)
        if not least <= expected <= greatest:
            yield f"{name} {text}: its z is {least:.3f} to {greatest:.3f}, expected {expected:.3f}"

    def faults(self):
        z, p = float(self.found["z"]), float(self.found["p"])
        if bool(self.found["untested"]) != self.few:
            yield "is tested with too few counts, or not tested with enough"
        elif self.few:
            if (z, p) != (0, 1):
                yield f"is not tested, but z = {z}, p = {p}"
        else:
            low, high = self.z(reference.points_z, 0)
            if not low - 0.005 <= z <= high + 0.005:
                yield f"z = {z}, expected {low:.3f} to {high:.3f}"
            yield from p_faults("p", self.found["p"], (z - 0.005, z + 0.005), self.df)
        for end, sign in (("low", 1), ("high", -1)):
            yield from self.bound_faults(f"95% interval, {end}", reference.points_z, self.found[end], 0.01,
                                         sign * quantile(0.025, self.df))

    def limit_faults(self, found):
        is_points = found["kind"] == "share_increase"
        compute = reference.points_z if is_points else reference.ratio_z
        limit = float(found["limit"]) / 100 + (0 if is_points else 1)
        name = f"{found['kind']} {found['limit']}: "
        if found["p"] != self.found["p"]:
            yield f"{name}p = {found['p']}, but {self.found['p']} of the measure"
        yield from p_faults(f"{name}over the limit: p", found["over"], self.z(compute, limit), self.df)
        yield from self.bound_faults(f"{name}upper bound", compute, found["upper"], 0.01 if is_points else 1,
                                     -quantile(0.05, self.df))


def p_faults(name, text, z, df):
    """Whether a printed p is one of z between two numbers."""
    least, greatest = tail(z[1], df), tail(z[0], df)
    if not least - unit(text) <= float(text) <= greatest + unit(text):
        yield f"{name} = {text}, expected {least:.3g} to {greatest:.3g}"


def faults_in(text, checked):
    """Measures of a frame are printed before its budgets, and these before their limits."""
    measures, budget = {}, None
    pieces = sorted((found for kind in (MEASURE, BUDGET, LIMIT) for found in kind.finditer(text)), key=re.Match.start)
    for found in pieces:
        if found.re is MEASURE:
            checked["measure"] += 1
            measures[found["measure"]] = Measure(found)
            yield from (f"{found['measure']}: {fault}" for fault in measures[found["measure"]].faults())
        elif found.re is BUDGET:
            budget = None if found["together"] else found["measure"]  # a sum has no measure of its own
        elif budget in measures:
            checked["limit"] += 1
            yield from (f"{budget}: {fault}" for fault in measures[budget].limit_faults(found))


def explained(program, case):
    """What `explain` prints with the arguments of a case of `check`, or nothing."""
    words, kept = (case / "args").read_text(encoding="utf-8").splitlines()[1:], []
    refused = (case / "expect/output").read_bytes().endswith(b"== exit status 2\n")
    if words[:1] != ["check"] or refused or (case / "stdin").exists() or (case / "env").exists():
        return ""
    del words[0]
    while words:
        word = words.pop(0)
        name, equals, _ = word.partition("=")
        if name in VALUED and not equals:
            del words[0]
        elif name not in VALUED | PLAIN:
            kept.append(word)
    done = subprocess.run([program, "explain", *kept], cwd=case.parent.parent, capture_output=True, check=False)
    return done.stdout.decode(errors="replace")


def main():
    cases, programs = pathlib.Path(sys.argv[1]).resolve(), [os.path.abspath(word) for word in sys.argv[2:]]
    least, wrong, seen = LEAST[len(programs)], [], set()
    checked = dict.fromkeys(least, 0)
    for case in sorted(path.parent for path in cases.glob("*/args")):
        texts = {(case / "expect/output").read_text(encoding="utf-8", errors="replace")}
        texts |= {explained(program, case) for program in programs}
        for text in texts - seen:
            wrong += [f"{case.name}: {fault}" for fault in faults_in(text, checked)]
        seen |= texts
    wrong += [f"expected at least {count} of each {kind} in {cases}, found {checked[kind]}"
              for kind, count in least.items() if checked[kind] < count]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{checked['measure']} measures, {checked['limit']} limits")


main()
