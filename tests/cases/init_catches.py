#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the rules of `init` say that they would catch, they catch.

Of real captures: `init` on some runs; then, for each function that it writes a budget for, the other runs with all that
is charged to it scaled, so that it grows by as many points as the budget's comment says; then `check` under the written
rules. Growth of that size is to fail four times in five.

    init_catches.py PPROFGATE FIXTURES
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "evade"))
import pprof  # noqa: E402

LEAST = 0.8
SETS = [  # runs that init reads, runs that are scaled
    (["go-service/cpu/baseline-1"], ["go-service/cpu/baseline-2"]),
    (["go-service/cpu/baseline-1", "go-service/cpu/baseline-2"], ["go-service/cpu/baseline-3", "go-service/cpu/baseline-2"]),
    (["captures/mix-1.cpu"], ["captures/mix-2.cpu"]),
    (["captures/mix-1.cpu", "captures/mix-2.cpu", "captures/mix-3.cpu"],
     ["captures/mix-4.cpu", "captures/mix-5.cpu", "captures/mix-6.cpu"]),
]


class Capture:
    """A CPU profile of the Go service, whose own code is package main."""

    def __init__(self, path):
        self.profile = pprof.Profile(path)

    def owner(self, sample):
        return next((name for name in self.profile.stack(sample) if name.startswith("main.")), None)

    def share(self, name):
        samples = self.profile.samples
        return sum(s.values[1] for s in samples if self.owner(s) == name) / sum(s.values[1] for s in samples)

    def scale(self, name, factor):
        rest, kept = 0.0, []  # keeps the sum right, although each sample is a whole number
        for sample in self.profile.samples:
            if self.owner(sample) == name:
                count, time = sample.values
                rest += count * factor
                now = round(rest)
                rest -= now
                sample.values = [now, now * (time // count)]
            kept += [sample] if sample.values[0] > 0 else []
        self.profile.samples = kept


def outcome(program, folder, rules, base, canary, name):
    command = [program, "check", "-r", rules, "--json", "-"]
    for path in base:
        command += ["--baseline", path]
    for i, run in enumerate(canary):
        path = folder / f"canary-{i}.pb.gz"
        run.profile.write(path)
        command += ["--canary", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    budgets = json.loads(done.stdout)["budgets"]
    return next(budget["outcome"] for budget in budgets if budget["name"] == f"{name} stays where it is")


def main():
    program, fixtures = sys.argv[1], Path(sys.argv[2])
    said = caught = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for base, canary in SETS:
            base, canary = ([fixtures / f"{name}.pb.gz" for name in names] for names in (base, canary))
            rules = folder / "rules.yml"
            subprocess.run([program, "init", "--force", "-o", rules, *base], check=True, capture_output=True)
            for points, name in re.findall(r"Growth of (\d+) points.*\n  - name: '(\S+) stays", rules.read_text()):
                before = sum(Capture(path).share(name) for path in base) / len(base)
                wanted = before + int(points) / 100
                runs = [Capture(path) for path in canary]
                for run in runs:
                    run.scale(name, wanted * (1 - run.share(name)) / (run.share(name) * (1 - wanted)))
                found = outcome(program, folder, rules, base, runs, name)
                said += 1
                caught += found == "fail"
                if found != "fail":
                    print(f"{base[0].name} and {len(base) - 1} more: {name} by {points} points is {found}")
    print(f"{caught} of {said} caught")
    return 0 if said >= 3 * len(SETS) and caught >= LEAST * said else 1


if __name__ == "__main__":
    sys.exit(main())
