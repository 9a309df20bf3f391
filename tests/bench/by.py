#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often `check --by LABEL` fails good canaries and finds planted regressions, compared with plain `check`.

usage: by.py PPROFGATE FIXTURES/captures [DRAWS]     (DRAWS of good pairs, default 100, and half as many of planted ones)

Each draw picks different runs. The seed is the number of the series, so equal inputs give equal tables. A draw takes
about 40 ms per mode. docs/labels.md has the table.
"""
import collections
import pathlib
import random
import subprocess
import sys

WORDS = {0: "pass", 1: "fail", 3: "inconclusive"}
SERIES = [  # variant of the baseline, variant of the canary, runs per side
    ("mix", "mix", 1), ("mix", "mix", 4), ("quiet", "quiet", 4), ("mix", "p2", 4), ("mix", "p5", 4), ("mix", "p10", 4)]


def verdict(program, baseline, canary, options):
    command = [program, "check", "-r", "recommended", "--quiet", *options]
    for side, paths in (("--baseline", baseline), ("--canary", canary)):
        for path in paths:
            command += [side, str(path)]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    if status not in WORDS:
        raise SystemExit(f"exit status {status}: {' '.join(command)}")
    return WORDS[status]


def draw(rng, baseline, canary, runs):
    if baseline is canary:
        both = rng.sample(baseline, 2 * runs)
        return both[:runs], both[runs:]
    return rng.sample(baseline, runs), rng.sample(canary, runs)


def main(program, folder, draws="100"):
    kinds = {kind: sorted(pathlib.Path(folder).glob(f"{kind}-*.cpu.pb.gz")) for pair in SERIES for kind in pair[:2]}
    for number, (one, two, runs) in enumerate(SERIES):
        rng = random.Random(number)
        tally = collections.defaultdict(collections.Counter)
        for _ in range(int(draws) if one == two else int(draws) // 2):
            sides = draw(rng, kinds[one], kinds[two], runs)
            for mode, options in (("whole", []), ("by", ["--by", "endpoint"])):
                tally[mode][verdict(program, *sides, options)] += 1
        for mode, counts in tally.items():
            words = ", ".join(f"{word} {counts[word]}" for word in WORDS.values())
            print(f"{one:6} against {two:6} {runs} a side  {mode:6} {words}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
