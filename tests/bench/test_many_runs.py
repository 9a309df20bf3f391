#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many simulated runs, decided by the gate: what is found is what the formula says, and good runs hold.

usage: test_many_runs.py MANY_RUNS     (the seed is fixed, so the numbers are the same every time)
"""
import subprocess
import sys


def cells_of(*options):
    done = subprocess.run([sys.argv[1], *map(str, options)], capture_output=True, text=True, check=True)
    return [cell.strip() for cell in done.stdout.strip().strip("|").split("|")]


def row(*options):
    return [float(cell.split()[0].rstrip("%")) for cell in cells_of(*options)]


def outcomes(*options):
    """How many per cent fail and pass. Where something grew it has to be beyond doubt: p below 1e-10."""
    cells = cells_of(*options)
    if float(cells[2].split()[0]) > 0 and not int(cells[4].removeprefix("1e-")) > 10:
        sys.exit(f"{cells[2]} in {cells[0]} runs of {cells[1]}: p is {cells[4]}")
    return float(cells[5].rstrip("%")), float(cells[6].rstrip("%"))


def main():
    problems = []
    for runs, samples, draws in ((10, 2000, 400), (30, 200, 200), (100, 2000, 200), (1000, 2000, 50)):
        _, _, formula, found, power, innocent, falsely = row("--rho", 0.003, "--runs", runs, "--samples", samples,
                                                             "--draws", draws)
        if not 0.88 <= found / formula <= 1.12:
            problems.append(f"{runs} runs of {samples}: {found} pp are found in {power}%, the formula has {formula} pp")
        if max(innocent, falsely) > 3:
            problems.append(f"{runs} runs of {samples}: innocent functions fail in {innocent}% and {falsely}%")
    for runs in (10, 100):
        falsely, _ = outcomes("--rho", 0.003, "--runs", runs, "--spread", 1, "--draws", 400, "--at", 0)
        if falsely > 4:
            problems.append(f"{runs} runs of different size: {falsely}% of good comparisons fail")
    for points, fails, passes in ((0.2, 0, 100), (0.8, 0, 100), (1.2, 100, 0)):
        found = outcomes("--rho", 0.0003, "--runs", 1000, "--samples", 20000, "--limit", 1, "--draws", 20,
                         "--at", points)
        if found != (fails, passes):
            problems.append(f"+{points} pp at a limit of +1 pp: {found[0]}% fail and {found[1]}% pass")
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
