#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our numbers are the ones that `go tool pprof` shows, for every pprof fixture and each of its sample types.

Self and cumulative are its flat and cum. What is charged to a frame of the program's own is its flat once all others are
hidden (-show), since flat then goes to the leafmost frame that is shown; that is compared on Go's fixtures. Prints how
many files, frames and values were compared, and how many frames differ.

usage: agree_with_pprof.py PPROFGATE FIXTURES
"""
import collections
import functools
import json
import os
import re
import subprocess
import sys
import tempfile

MEASURES = ("self", "cumulative", "charged")
# Names in the profile, and the names that pprof shows for them.
RULES = "version: 1\nframes: {names: exact}\nbudgets: [{name: any, limit: +5pp}]\n"
# "   3.62s 14.20% 14.20%      3.62s 14.20%  crypto/sha256.block (inline)"
ROW = re.compile(r"^\s*(-?\d+)\w*\s+\S+%\s+\S+%\s+(-?\d+)\w*\s+\S+%\s+(.*)$")


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {result.returncode}:\n{result.stderr}")
    return result.stdout


@functools.cache
def pprof():
    """The program behind `go tool pprof`, which takes a third of a second to find it each time."""
    subprocess.run(["go", "tool", "pprof", "-h"], capture_output=True, check=False)  # builds it, in Go 1.25 and later
    return run(["go", "tool", "-n", "pprof"]).strip()


# Handlers that wait until a profile is complete: pprofgate leaves out their samples of delays (gate/model/location.h).
WAITS = r"^net/http/pprof\.(sleep|handler\.serveDeltaProfile)$"


def by_pprof(path, index, unit, show=None):
    """{name: (flat, cumulative)}, equal names summed as our frame table joins them."""
    waits = [f"-ignore={WAITS}"] if "/block/" in path and unit == "ns" else []
    text = run([pprof(), "-symbolize=none", "-top", "-nodecount=0", "-trim=false",
                f"-sample_index={index}", f"-unit={unit}", *([f"-show={show}"] if show else []), *waits, path])
    values = collections.defaultdict(lambda: [0, 0])
    for line in text.splitlines():
        match = ROW.match(line)
        if match:
            name = re.sub(r" \((partial-)?inline\)$", "", match[3].strip())
            values[name][0] += int(match[1])
            values[name][1] += int(match[2])
    return {name: tuple(value) for name, value in values.items() if any(value)}


def by_us(program, path, index):
    """{name: (self, cumulative, charged)}"""
    report = json.loads(run([program, "diff", "--names", "exact", "--frames", "all", "--sample-type", str(index),
                             "--json", "-", path, path]))
    return {frame["function"]: tuple(frame[measure]["canary"]["value"] for measure in MEASURES)
            for frame in report["frames"]}


def own_frames(program, path, rules):
    """Names of the frames that are the program's own, as `inspect` has them by these rules."""
    parts = json.loads(run([program, "inspect", "--json", "--frames", "all", "-r", rules, path]))[0]["own_code"]
    return {frame["function"] for part in ("own", "third_party") for frame in parts[part]["frames"]}


def differences(ours, theirs):
    return [(name, ours.get(name), theirs.get(name)) for name in sorted(set(ours) | set(theirs))
            if ours.get(name) != theirs.get(name)]


def compare_charged(program, path, index, unit, ours, rules):
    """What differs between what is charged to own frames and what pprof shows of them when it hides the others."""
    own = own_frames(program, path, rules)
    regex = "^(" + "|".join(re.escape(name) for name in sorted(own)) + ")$"
    flat = {name: value[0] for name, value in by_pprof(path, index, unit, regex).items() if value[0]}
    charged = {name: value[2] for name, value in ours.items() if name in own and value[2]}
    return differences(charged, flat) if charged or flat else [("nothing is charged", 0, 0)]


def profiles(fixtures):
    for folder in ("go-service", "producers/node-pprof", "producers/pprof-rs", "producers/async-profiler", "producers/go"):
        for place, _, names in sorted(os.walk(os.path.join(fixtures, folder))):
            for name in sorted(names):
                if name.endswith((".pb.gz", ".pb")):
                    yield os.path.join(place, name)


def columns(program, fixtures):
    """Each profile with each of its sample types that is not all zeros."""
    for path in profiles(fixtures):
        types = json.loads(run([program, "inspect", "--json", path]))[0]["sample_types"]
        for index, sample_type in enumerate(types):
            if sample_type["total"] != 0:
                yield path, index, sample_type


def main():
    program, fixtures = sys.argv[1:]
    files, frames, values, different = set(), 0, 0, 0
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as rules:
        rules.write(RULES)
        rules.flush()
        for path, index, sample_type in columns(program, fixtures):
            unit = {"nanoseconds": "ns", "bytes": "B"}.get(sample_type["unit"], "count")
            ours = by_us(program, path, index)
            theirs = by_pprof(path, index, unit)
            found = differences({name: value[:2] for name, value in ours.items() if any(value[:2])}, theirs)
            # In other languages one name can be in several files, of which only some are the program's own.
            has_charged = "/go-service/" in path
            if has_charged:
                found += compare_charged(program, path, index, unit, ours, rules.name)
            files.add(path)
            frames += len(theirs)
            values += len(theirs) * (len(MEASURES) if has_charged else 2)
            different += len(found)
            for name, we, they in found:
                print(f"{path}, {sample_type['type']}, {name}: {we}, pprof has {they}")
    print(f"{len(files)} files, {frames} frames, {values} values, {different} wrong")
    return 1 if different or not frames else 0


if __name__ == "__main__":
    sys.exit(main())
