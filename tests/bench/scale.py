#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/scale.md, from captures and from simulated runs that the gate's own code decides.

usage: scale.py BUILD TABLE...     (BUILD: build/release; TABLE: see below, or all)

Tables: variation growth program shift hosts work sizes large. Build the targets many_runs, variation and pprofgate
first. Every table has a fixed seed, so equal code gives equal tables.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIXED, STEADY = 0.003, 0.0003  # rho between runs as captured: the mix of requests varies, and is the same in each run
BUSY, NEIGHBOUR = 0.0016, 0.0001  # rho between hosts or sides as captured: another load on a busy host; a neighbour
RUNS, SAMPLES = (1, 3, 10, 30, 100, 300, 1000, 5000), (200, 2000, 20000)
WORDS = {0: "pass", 1: "fail", 3: "inconclusive"}


def row(build, *options):
    """The cells of a row of many_runs."""
    words = [str(word) for word in options]
    done = subprocess.run([build / "tests/bench/many_runs", *words], capture_output=True, text=True, check=True)
    return [cell.strip() for cell in done.stdout.strip().strip("|").split("|")]


def rows(build, jobs):
    """The rows of several calls, in order. SCALE_JOBS of them run at once."""
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("SCALE_JOBS", "1"))) as pool:
        return list(pool.map(lambda options: row(build, *options), jobs))


def table(title, head, lines):
    print(f"\n### {title}\n\n| {' | '.join(head)} |\n|{' ---: |' * len(head)}")
    for line in lines:
        print(f"| {' | '.join(line)} |")
    sys.stdout.flush()


def draws_of(runs):
    """Fewer comparisons where each of them takes long."""
    return 400 if runs <= 300 else 200 if runs <= 1000 else 100


def variation(build):
    """How much captured runs differ."""
    sets = [
        ("one mix of requests; the mix varies", "captures/quiet", "captures/mix"),
        ("two sessions on one idle host", "captures/p5:1-10", "captures/p5:11-24"),
        ("idle host; a neighbour on one core", "captures/mix", "captures/noisy"),
        ("idle host, full load; busy host, a third of the load", "captures/mix", "captures-pairs/duet"),
    ]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("go-half", "go-gogc25", "go-go1.25"):
            sets.append((f"confounders: go-base; {name}", confounder(folder, "go-base"), confounder(folder, name)))
        for title, one, two in sets:
            done = subprocess.run([build / "tests/bench/variation", ROOT / "rules/recommended.yml",
                                   ROOT / "fixtures" / one, ROOT / "fixtures" / two],
                                  capture_output=True, text=True, check=True)
            lines.append([title] + [cell.strip() for cell in done.stdout.strip().strip("|").split("|")])
    table("variation", ["sets", "runs", "samples a run", "functions", "rho between runs", "rho between sets",
                        "largest difference"], lines)


def confounder(folder, name):
    """Copy three runs of fixtures/confounders to where a manifest lists them."""
    target = pathlib.Path(folder) / name
    if not target.exists():
        target.mkdir()
        lines = ["name,variant,planted"]
        for number, path in enumerate(sorted((ROOT / "fixtures/confounders" / name).iterdir()), 1):
            shutil.copy(path, target / f"run-{number}.cpu.pb.gz")
            lines.append(f"run-{number},run,none")
        (target / "MANIFEST.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return target / "run"


def growth(build):
    """The smallest growth found with 80% power, and the formula's."""
    for rho in (MIXED, STEADY):
        cells = [(runs, samples) for runs in RUNS for samples in SAMPLES]
        found = rows(build, [("--rho", rho, "--runs", runs, "--samples", samples, "--draws", draws_of(runs))
                             for runs, samples in cells])
        table(f"growth, rho {rho}: smallest growth found with 80% power, the formula's in brackets",
              ["runs per side", *(f"{samples:,} samples a run" for samples in SAMPLES)],
              [[f"{runs:,}"] + [f"{cell[3]} ({cell[2]})" for cell in found[3 * i:3 * i + 3]]
               for i, runs in enumerate(RUNS)])
        table(f"the same: innocent functions failed beside it, and any failed where nothing grew",
              ["runs per side", *(f"{samples:,} samples a run" for samples in SAMPLES)],
              [[f"{runs:,}"] + [f"{cell[5]}, {cell[6]}" for cell in found[3 * i:3 * i + 3]]
               for i, runs in enumerate(RUNS)])


RULES = """version: 1
budgets:
  - {name: no function grows, measure: self, limit: {share_increase: "+0pp"}}
"""


def program(build):
    """The same draws, decided by `pprofgate check` on files."""
    lines = []
    for runs, samples, points, draws in ((1, 2000, 0, 100), (1, 2000, 9, 100), (10, 2000, 0, 100), (10, 2000, 2.5, 100),
                                         (30, 2000, 1.4, 100), (100, 2000, 0, 40), (100, 2000, 0.8, 40)):
        with tempfile.TemporaryDirectory() as folder:
            cells = row(build, "--rho", MIXED, "--runs", runs, "--samples", samples, "--at", points, "--draws", draws,
                        "--write", folder)
            rules = pathlib.Path(folder) / "rules.yml"
            rules.write_text(RULES, encoding="utf-8")
            fails = sum(verdict(build, folder, rules, draw, runs) == "fail" for draw in range(draws))
        lines.append([str(runs), str(samples), f"+{points:g} pp", str(draws), cells[5], f"{100 * fails / draws:.1f}%"])
    table("program: draws that fail, by the library's decision and by `pprofgate check` on files",
          ["runs per side", "samples a run", "growth", "draws", "library", "program"], lines)


def verdict(build, folder, rules, draw, runs):
    words = [build / "pprofgate", "check", "-q", "-r", rules, "--period", "1"]
    for side in ("baseline", "canary"):
        for run in range(runs):
            words += [f"--{side}", f"{folder}/{draw}-{side}-{run}.folded"]
    status = subprocess.run(words, stdout=subprocess.DEVNULL, check=False).returncode
    return WORDS[status] if status in WORDS else sys.exit(f"exit status {status}: {' '.join(map(str, words))}")


def shift(build):
    """A shift that all runs of a side have in common. What is found is of interest where few comparisons fail falsely."""
    lines, limits = [], (0, 1, 2, 5)
    for title, rho in (("none", 0), ("a neighbour on one side's host", NEIGHBOUR), ("another load, a busy host", BUSY)):
        for runs in (10, 100, 1000, 5000):
            common = ("--rho", MIXED, "--side-rho", rho, "--runs", runs, "--samples", 2000, "--draws", draws_of(runs))
            falsely = [cells[5] for cells in rows(build, [(*common, "--limit", limit, "--at", 0) for limit in limits])]
            found = [row(build, *common, "--limit", limits[i])[3] if float(falsely[i].strip("%")) <= 5 else "–"
                     for i in (1, 3)]
            lines.append([title, f"{runs:,}", *falsely, *found])
    table("shift: false fails where nothing grew, and the growth found",
          ["shift of a side", "runs per side", *(f"false fails, +{limit} pp" for limit in limits), "found, +1 pp",
           "found, +5 pp"], lines)


def hosts(build):
    """Runs of few hosts are not independent."""
    lines = []
    ways = (("every run has its own host", ("--hosts", 100)),
            ("5 other hosts per side", ("--hosts", 5)),
            ("5 other hosts per side, the runs of a host merged", ("--hosts", 5, "--merge")),
            ("the same 5 hosts on both sides", ("--hosts", 5, "--same-hosts")),
            ("the same 5 hosts, rounds given", ("--hosts", 5, "--same-hosts", "--rounds")),
            ("the same 5 hosts, rounds given, nine tenths of the variation shared",
             ("--hosts", 5, "--same-hosts", "--paired", 0.9)))
    for title, options in ways:
        common = ("--runs", 100, "--samples", 2000, "--rho", MIXED, "--host-rho", BUSY, "--draws", 400, *options)
        found, at_one = row(build, *common), row(build, *common, "--limit", 1, "--at", 0)
        lines.append([title, found[3], found[6], at_one[5]])
    table("hosts: 100 runs per side of 2,000 samples", ["runs", "found, limit +0 pp", "false fails, limit +0 pp",
                                                         "limit +1 pp"], lines)


def work(build):
    """The largest function, a quarter of the profile, became 40% cheaper."""
    lines = []
    for title, options in (("nothing", ()), ("the work of both sides", ("--work",))):
        for runs in (10, 100, 1000):
            common = ("--runs", runs, "--samples", 2000, "--rho", MIXED, "--cheaper", 0.4, "--draws", draws_of(runs),
                      *options)
            found = row(build, *common)
            falsely = rows(build, [(*common, "--limit", limit, "--at", 0) for limit in (0.2, 1)])
            lines.append([title, f"{runs:,}", found[3], found[6], *(cells[5] for cells in falsely)])
    table("work: the largest function became 40% cheaper",
          ["given", "runs per side", "found, +0 pp", "false fails, +0 pp", "+0.2 pp", "+1 pp"], lines)


def sizes(build):
    """Runs that differ in their number of samples."""
    lines = []
    for runs in (3, 10, 100):
        for spread in (0, 0.5, 1):
            cells = row(build, "--rho", MIXED, "--runs", runs, "--spread", spread, "--draws", 1000)
            lines.append([str(runs), f"{spread:g}", cells[3], cells[6]])
    table("sizes", ["runs per side", "sd of ln(samples)", "found", "false fails"], lines)


def large(build):
    """Significant and irrelevant growth."""
    jobs = [("--rho", STEADY, "--runs", runs, "--samples", 20000, "--limit", 1, "--at", points, "--draws", 100)
            for runs in (100, 1000, 5000) for points in (0.2, 0.9, 1.1, 1.3)]
    table("large", ["runs per side", "samples a run", "growth", "limit", "p, geometric mean", "fails", "passes"],
          rows(build, jobs))


TABLES = {"variation": variation, "growth": growth, "program": program, "shift": shift, "hosts": hosts, "work": work,
          "sizes": sizes, "large": large}


def main(build, *names):
    for name in TABLES if names == ("all",) else names:
        TABLES[name](pathlib.Path(build))


if __name__ == "__main__":
    if len(sys.argv) < 3 or any(name not in TABLES and name != "all" for name in sys.argv[2:]):
        sys.exit(__doc__)
    main(*sys.argv[1:])
