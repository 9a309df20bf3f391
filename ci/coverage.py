#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the lines and branches of each room of gate/ that a coverage build has executed, and holds them to a floor.

coverage.py BUILD FLOORS    FLOORS: a room, its lines and its branches in percent a line
"""
import collections
import json
import pathlib
import subprocess
import sys


def counted(build):
    """Of each source file below gate/: {line: executed}, and branches as (taken, all)."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    notes = sorted(path for path in build.rglob("*.gcno") if "/gate.dir/" in str(path))
    for at in range(0, len(notes), 50):
        told = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes[at:at + 50]],
                              cwd=build, capture_output=True, text=True, check=True).stdout
        for document in told.splitlines():
            for file in json.loads(document)["files"]:
                name = file["file"].split("/gate/", 1)[-1] if "/gate/" in file["file"] else file["file"]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[name][number] = lines[name].get(number, 0) + line["count"]
                    for i, branch in enumerate(line["branches"]):
                        branches[name][number, i] = branches[name].get((number, i), 0) + branch["count"]
    return lines, branches


def share(counts):
    return 100 * sum(count > 0 for count in counts) / len(counts) if counts else 100.0


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    lines, branches = counted(pathlib.Path(sys.argv[1]).resolve())
    rooms = sorted({name.split("/")[0] for name in lines if name.endswith(".c") and "/" in name})
    floors = {}
    for row in pathlib.Path(sys.argv[2]).read_text().splitlines():
        if row and not row.startswith("#"):
            room, of_lines, of_branches = row.split()
            floors[room] = float(of_lines), float(of_branches)
    low = []
    print(f"{'room':10} {'lines':>7} {'branches':>9}")
    for room in rooms:
        inside = [name for name in lines if name.startswith(room + "/") and name.endswith(".c")]
        of_lines = share([count for name in inside for count in lines[name].values()])
        of_branches = share([count for name in inside for count in branches[name].values()])
        print(f"{room:10} {of_lines:6.1f}% {of_branches:8.1f}%")
        floor = floors.get(room, (0, 0))
        if of_lines < floor[0] or of_branches < floor[1]:
            low.append(f"{room}: expected at least {floor[0]} % of lines and {floor[1]} % of branches")
    if not rooms or low:
        sys.exit("\n".join(low) or "nothing was counted: run the tests of a coverage build first")


if __name__ == "__main__":
    main()
