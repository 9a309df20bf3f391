#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A look of `gate` before the last: nothing passes while the CPU time per second, or the load, is open. The folders are
those of a gate that was interrupted after 3 of 8 rounds; `check` judges them as that look did.

usage: test_looks.py PPROFGATE ROOT NAME|all
"""
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import pprof

GATE = None
PASS, OPEN = 0, 3
ROUNDS, PLANNED, SECONDS = 3, 8, 3
START_NS = 1_790_000_000_000_000_000
DRAWS = 6

OWN = {f"main.step{i}": 4 + i for i in range(12)} | {"runtime.gcBgMarkWorker": 8, "runtime.schedule": 5}


def scaled(factor):
    return {name: cost * factor for name, cost in OWN.items()}


def profile(rng, costs, samples, round_, late_s):
    """A CPU profile of Go at 100 Hz with Poisson counts. It ends `late_s` seconds late."""
    strings, tables = ["", "cpu", "nanoseconds", "samples", "count"], {}
    out = bytearray()
    for kind, unit in ((3, 4), (1, 2)):
        out += pprof.field(1, pprof.field(1, kind) + pprof.field(2, unit))

    def location(name):
        if name not in tables:
            tables[name] = len(tables) + 1
            strings.append(name)
        return tables[name]

    for name, cost in costs.items():
        expected = samples * cost / sum(OWN.values())
        count = max(1, round(rng.gauss(expected, math.sqrt(expected))))
        stack = [name, "main.serve", "main.main"] if name.startswith("main.") else [name]
        out += pprof.field(2, pprof.field(1, b"".join(pprof.varint(location(frame)) for frame in stack)) +
                           pprof.field(2, pprof.varint(count) + pprof.varint(count * 10_000_000)))
    for name, identity in tables.items():
        index = strings.index(name)
        out += pprof.field(4, pprof.field(1, identity) + pprof.field(4, pprof.field(1, identity) + pprof.field(2, 1)))
        out += pprof.field(5, pprof.field(1, identity) + pprof.field(2, index) + pprof.field(3, index))
    for text in strings:
        out += pprof.field(6, text.encode())
    out += pprof.field(9, START_NS + round_ * 5_000_000_000) + pprof.field(10, int((SECONDS + late_s) * 1e9))
    return bytes(out + pprof.field(11, pprof.field(1, 1) + pprof.field(2, 2)) + pprof.field(12, 10_000_000))


def check(folder, rng, canary, samples, options, late_s):
    """The exit status of `check` of three rounds of eight, the codes of its warnings, and its text."""
    runs = []
    for round_ in range(1, ROUNDS + 1):
        for side, costs in (("baseline", OWN), ("canary", canary)):
            late = late_s if (round_, side) == (ROUNDS, "baseline") else 0
            data = profile(rng, costs, samples, round_, late)
            name = f"cpu-{round_}-{side}.pb"
            (folder / name).write_bytes(data)
            runs.append({"round": round_, "side": side, "kind": "cpu", "file": name, "source": f"http://{side}",
                         "instance": side, "start_ms": START_NS // 1_000_000 + round_ * 5000,
                         "end_ms": START_NS // 1_000_000 + round_ * 5000 + 3010,
                         "digest": hashlib.sha256(data).hexdigest()})
    looks = {"rules": "0" * 64, "planned": PLANNED, "round": ROUNDS,
             "fractions": [i / PLANNED for i in range(1, ROUNDS + 1)]}
    (folder / "manifest.json").write_text(json.dumps(
        {"schema": "pprofgate-manifest/1", "interleaved": True, "looks": looks, "runs": runs}))
    words = [GATE, "check", "-r", "recommended", "--json", folder / "report.json", "--force", *options, folder]
    found = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if found.returncode not in (0, 1, 3):
        sys.exit(found.stderr)
    warnings = json.loads((folder / "report.json").read_text())["warnings"]
    return found.returncode, {warning["code"] for warning in warnings}, " ".join(found.stdout.split())


def tally(name, canary, *options, samples=100, late_s=0.0):
    ends, codes, texts = {0: 0, 1: 0, 3: 0}, [], []
    for seed in range(DRAWS):
        with tempfile.TemporaryDirectory() as folder:
            end, found, text = check(pathlib.Path(folder), random.Random(f"{name} {seed}"), canary, samples, options,
                                     late_s)
        ends[end] += 1
        codes.append(found)
        texts.append(text)
    return ends, codes, texts


def expect(is_so, what, found):
    if not is_so:
        sys.exit(f"{what}: found {found}")


def test_a_slower_program_does_not_pass_at_a_look():
    """The canary uses 1.4 times the CPU time, spread over all functions: too few samples to be sure of 1.2 times."""
    found = tally("slower", scaled(1.4))
    expect(found[0][PASS] == 0 and all("cost_per_second" in codes for codes in found[1]), "x 1.4", found)


def test_a_late_profile_keeps_the_window_of_its_round():
    """As above, but a busy machine ended one profile late: the round still has a single window."""
    found = tally("late", scaled(1.4), late_s=0.4)
    expect(found[0][PASS] == 0 and all("cost_per_second" in codes for codes in found[1]), "x 1.4, one profile late", found)


def test_a_part_of_the_load_does_not_pass():
    """A canary with a ninth of the load and one function x 6, although `equal: time` says that both had the same."""
    slow = {name: cost / 9 * (6 if name == "main.step11" else 1) for name, cost in OWN.items()}
    found = tally("part", slow, "--equal", "time", samples=150)
    expect(found[0][PASS] == 0 and all(codes & {"cost_per_second", "unequal_load"} for codes in found[1]),
           "a ninth of the load", found)


def test_under_unequal_load_costs_are_not_judged():
    """With enough samples unequal_load sees it. Then nothing is said of costs, which need the same load."""
    slow = {name: cost / 9 * (6 if name == "main.step11" else 1) for name, cost in OWN.items()}
    found = tally("not comparable", slow, "--equal", "time", samples=4000)
    expect(all("unequal_load" in codes for codes in found[1]), "a ninth of the load", found[:2])
    for text in found[2]:
        expect("got cheaper" not in text and "because others shrank" not in text, "costs", text)


def test_runs_of_one_build_pass_early():
    """Runs of one build pass as early as before."""
    for options in ((), ("--equal", "time")):
        found = tally("good", OWN, *options, samples=300)
        expect(found[0][PASS] >= DRAWS - 1, f"good {options}", found)
        expect(sum("cost_per_second" in codes for codes in found[1]) <= 1, f"good {options}", found)


if __name__ == "__main__":
    GATE = pathlib.Path(sys.argv[1])
    tests = {name.removeprefix("test_"): test for name, test in list(globals().items()) if name.startswith("test_")}
    for wanted in tests if sys.argv[3] == "all" else sys.argv[3:]:
        tests[wanted]()
