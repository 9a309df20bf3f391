#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the default rules judge one pair of runs, as in a team's first hour, on the regressions of fixtures/firsthour.

usage: firsthour.py PPROFGATE [FOLDER [PAIRS]]

Compares ordered pairs of runs of one build, and pairs of a base run and a planted run of the same load, at most PAIRS
of each (default 150). The rules are those that apply if none are given. Prints a row per setting: pairs, fail,
inconclusive, pass, and how often the planted function was the first cause. Exits with 1 if a goal is missed:

- Planted runs fail, and the planted function is the first cause, in at least 95% of the pairs.
- Runs of one build fail in at most 1% of the pairs, and are inconclusive in at most 20% of the 30-second pairs.
"""
import collections
import csv
import itertools
import json
import os
import random
import subprocess
import sys

PAIRS = 150


def read(folder):
    """Return {(variant, seconds, kind): [(path, planted function)]} of one language."""
    runs = collections.defaultdict(list)
    with open(os.path.join(folder, "MANIFEST.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            path = os.path.join(folder, row["file"])
            kind = "allocs" if ".allocs." in row["file"] else "cpu"
            if os.path.exists(path):
                runs[row["variant"], nominal(row), kind].append((path, row["culprit"]))
    return runs


def nominal(row):
    """Return the planned duration in seconds. The manifest contains the measured one."""
    return 30 if float(row["seconds"]) > 20 else 10


def judge(program, base, canary):
    result = subprocess.run([program, "check", base, canary, "--json", "-"], capture_output=True, text=True, check=False)
    if result.returncode not in (0, 1, 3):
        sys.exit(f"{base} {canary}: {result.stderr}")
    return result.returncode, json.loads(result.stdout)


def is_base(variant):
    return variant.split("-")[-1] == "base" or variant == "base"


def measure(program, pairs, limit):
    random.Random(1).shuffle(pairs)
    counts = collections.Counter()
    for (base, _), (canary, culprit) in pairs[:limit]:
        status, report = judge(program, base, canary)
        counts[status] += 1
        causes = report.get("causes", [])
        if status == 1 and culprit and causes and causes[0]["function"] == culprit:
            counts["first"] += 1
    return min(len(pairs), limit), counts


def main():
    program = sys.argv[1]
    folder = sys.argv[2] if len(sys.argv) > 2 else "fixtures/firsthour"
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else PAIRS
    missed = []
    print(f"{'setting':42} {'pairs':>5} {'fail':>7} {'incon.':>7} {'pass':>7} {'culprit first':>14}")
    for language in sorted(os.listdir(folder)):
        if not os.path.exists(os.path.join(folder, language, "MANIFEST.csv")):
            continue
        runs = read(os.path.join(folder, language))
        for (variant, seconds, kind), canaries in sorted(runs.items()):
            load = variant.rsplit("-", 1)[0] if "-" in variant else ""
            base = f"{load}-base" if load else "base"
            good = runs.get((base, seconds, kind), [])
            pairs = [(a, b) for a, b in itertools.product(good, canaries) if a != b]
            if not pairs:
                continue
            total, counts = measure(program, pairs, limit)
            share = {key: 100.0 * counts[key] / total for key in (0, 1, 3, "first")}
            name = f"{language} {variant} {kind} {seconds} s"
            print(f"{name:42} {total:5} {share[1]:6.1f}% {share[3]:6.1f}% {share[0]:6.1f}% "
                  f"{'' if is_base(variant) else format(share['first'], '12.1f') + ' %':>14}", flush=True)
            if is_base(variant):
                missed += [f"{name}: fails"] if share[1] > 1.0 else []
                missed += [f"{name}: inconclusive"] if seconds == 30 and share[3] > 20.0 else []
            elif share[1] < 95.0 or share["first"] < 95.0:
                missed.append(f"{name}: found or named too seldom")
    for name in missed:
        print("missed:", name)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
