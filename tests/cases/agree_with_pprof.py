#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our numbers are the ones that `go tool pprof` shows, for every pprof fixture and each of its sample types.

usage: agree_with_pprof.py PPROFGATE FIXTURES    (exit status 77, "skipped", where Go is not installed)
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
# "   3.62s 14.20% 14.20%      3.62s 14.20%  crypto/sha256.block (inline)"
ROW = re.compile(r"^\s*(-?\d+)\w*\s+\S+%\s+\S+%\s+(-?\d+)\w*\s+\S+%\s+(.*)$")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {result.returncode}:\n{result.stderr}")
    return result.stdout


def by_pprof(path, index, unit):
    """{name: (flat, cumulative)}, equal names summed as our frame table joins them."""
    text = run(["go", "tool", "pprof", "-symbolize=none", "-top", "-nodecount=0", "-trim=false",
                f"-sample_index={index}", f"-unit={unit}", path])
    values = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            name = re.sub(r" \((partial-)?inline\)$", "", match[3].strip())
            values[name][0] += int(match[1])
            values[name][1] += int(match[2])
    return {name: tuple(value) for name, value in values.items() if any(value)}


def by_us(program, path, index):
    report = json.loads(run([program, "diff", "--names", "exact", "--frames", "all", "--sample-type", str(index),
                             "--json", "-", path, path]))
    values = {}
    for frame in report["frames"]:
        pair = tuple(frame[measure]["canary"]["value"] for measure in ("self", "cumulative"))
        if any(pair):
            values[frame["function"]] = pair
    return values


def profiles(fixtures):
    for folder in ("go-service", "producers/node-pprof", "producers/pprof-rs", "producers/async-profiler"):
        for place, _, names in sorted(os.walk(os.path.join(fixtures, folder))):
            for name in sorted(names):
                if name.endswith((".pb.gz", ".pb")):
                    yield os.path.join(place, name)


def main():
    program, fixtures = sys.argv[1:]
    if shutil.which("go") is None:
        print("Go is not installed: skipped")
        return SKIPPED
    compared = different = 0
    for path in profiles(fixtures):
        types = json.loads(run([program, "inspect", "--json", path]))[0]["sample_types"]
        for index, sample_type in enumerate(types):
            if sample_type["total"] == 0:
                continue
            unit = {"nanoseconds": "ns", "bytes": "B"}.get(sample_type["unit"], "count")
            theirs = by_pprof(path, index, unit)
            ours = by_us(program, path, index)
            compared += 1
            if ours == theirs:
                continue
            different += 1
            for name in sorted(set(ours) | set(theirs)):
                if ours.get(name) != theirs.get(name):
                    print(f"{path}, {sample_type['type']}, {name}: {ours.get(name)}, pprof has {theirs.get(name)}")
    print(f"{compared - different} passed, {different} failed")
    return 1 if different or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
