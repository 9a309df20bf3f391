#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON report of summaries is that of their profiles, and that of runs with shared tables is that of runs without.

    summaries_agree.py PPROFGATE FIXTURES
"""
import glob
import json
import pathlib
import subprocess
import sys
import tempfile

GATE, FIXTURES = sys.argv[1], pathlib.Path(sys.argv[2])
# Names, digests and the command line differ; everything else is compared.
NAMES = {"path", "digest", "sha256", "command", "title", "generator_build"}
SIDES = [  # baseline and canary
    ("go-service/cpu/baseline-?.pb.gz", "go-service/cpu/regression-?.pb.gz"),
    ("captures/mix-?.cpu.pb.gz", "captures/p10-*.cpu.pb.gz"),
    ("captures/mix-?.heap.pb.gz", "captures/alloc-*.heap.pb.gz"),
    ("captures/mix-?.mutex.pb.gz", "captures/alloc-*.mutex.pb.gz"),
    ("releases/npm-qs/old-*", "releases/npm-qs/new-*"),
    ("releases/pypi-pydantic/old-*", "releases/pypi-pydantic/new-*"),
    ("releases/maven-jsoup/old-*", "releases/maven-jsoup/new-*"),
]


def without_names(value):
    if isinstance(value, dict):
        return {key: without_names(item) for key, item in value.items() if key not in NAMES}
    return [without_names(item) for item in value] if isinstance(value, list) else value


def check(baseline, canary, *options):
    done = subprocess.run([GATE, "check", "--json", "-", *options, "--baseline", *baseline, "--canary", *canary],
                          capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.returncode, without_names(json.loads(done.stdout))


def summary(folder, name, profiles):
    path = folder / f"{name}.pgsum"
    subprocess.run([GATE, "summarize", "--force", "-o", str(path), *profiles], check=True)
    return [str(path)]


def main(folder):
    many = 0
    # A perf map of another program names nothing; with any symbols, each run keeps its own tables.
    (folder / "perf-1.map").write_text("1 1 nothing\n", encoding="utf-8")
    for patterns in SIDES:
        sides = [sorted(glob.glob(str(FIXTURES / pattern))) for pattern in patterns]
        assert all(len(side) > 2 for side in sides), patterns
        of_profiles = check(*sides)
        of_summaries = check(*(summary(folder, name, side) for name, side in zip("ab", sides)))
        assert of_profiles == of_summaries, f"{patterns}: summaries differ"
        if min(map(len, sides)) >= 8:
            many += 1
            assert of_profiles == check(*sides, "--symbols", str(folder / "perf-1.map")), f"{patterns}: sharing differs"
    assert many > 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(pathlib.Path(place))
