#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`merge` of several profiles has the samples that `go tool pprof -proto` makes of them: every stack with its labels,
and every value, as Go's pprof itself shows both merged profiles.

usage: merge_agrees_with_pprof.py PPROFGATE FIXTURES
"""
import glob
import os
import sys
import tempfile

from agree_with_pprof import pprof, run

# Runs of one service: several types, inlined calls, mappings that were loaded elsewhere, labels.
GROUPS = ("go-service/cpu/*.pb.gz", "captures/mix-?.cpu.pb.gz", "captures/alloc-?.heap.pb.gz",
          "captures/lock-?.mutex.pb.gz", "producers/pprof-rs/*.pb", "producers/node-pprof/*.pb.gz")
RULER = "-----------+"


def types_of(path):
    """"cpu/nanoseconds" and the others: -raw has them in the line behind "Samples:", with a mark on the default."""
    lines = run([pprof(), "-symbolize=none", "-raw", path]).splitlines()
    return [word.replace("[dflt]", "") for word in lines[lines.index("Samples:") + 1].split()]


def traces(path, index, unit):
    """What is between two rulers, one for each sample, in no order; numbers are not rounded in their own unit."""
    text = run([pprof(), "-symbolize=none", "-traces", "-trim=false", f"-sample_index={index}",
                f"-unit={unit}", path])
    blocks, block = [], []
    for line in text.splitlines():
        if line.startswith(RULER):
            blocks.append("\n".join(block))
            block = []
        else:
            block.append(line)
    return sorted(blocks[1:] + ["\n".join(block)])


def compare(program, paths, folder):
    """A sentence on what differs, or None."""
    ours, theirs = os.path.join(folder, "ours.pb.gz"), os.path.join(folder, "theirs.pb.gz")
    run([program, "merge", "-o", ours, *paths])
    run([pprof(), "-symbolize=none", "-proto", "-output", theirs, *paths])
    types = types_of(theirs)
    if types_of(ours) != types:
        return f"the sample types are {types_of(ours)}, Go has {types}"
    for index, name in enumerate(types):
        unit = name.split("/")[1]
        a, b = traces(ours, index, unit), traces(theirs, index, unit)
        if a != b:
            only = sorted(set(a) ^ set(b))[:2]
            return f"type {index}: {len(a)} samples, Go has {len(b)}; the first that differ:\n" + "\n--\n".join(only)
    return None


def main():
    program, fixtures = sys.argv[1:3]
    failed, compared = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for group in GROUPS:
            paths = sorted(glob.glob(os.path.join(fixtures, group)))
            if len(paths) < 2:
                sys.exit(f"{group}: {len(paths)} profiles, which are none to merge")
            what = compare(program, paths, folder)
            compared += len(paths)
            if what is not None:
                failed += 1
                print(f"{group}: {what}")
    print(f"{compared} profiles in {len(GROUPS)} groups, {failed} of which differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
