#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the lines and branches of each room of gate/ that a coverage build has executed, and holds them to a floor.

coverage.py BUILD FLOORS            FLOORS: a room, its lines and its branches in percent a line
coverage.py --only BUILD FLOORS     of the rooms that FLOORS names
coverage.py --missing BUILD ROOM    the lines of a room (or "room/file.c") that were not executed

The branches of a GATE_ASSERT are not counted: one of them ends the program as a bug of ours, and no test may take it.
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def asserted(name):
    """The lines of a file below gate/ that a GATE_ASSERT takes."""
    lines, depth = set(), 0
    for number, text in enumerate((ROOT / "gate" / name).read_text(encoding="utf-8").splitlines(), 1):
        at = text.find("GATE_ASSERT(")
        if depth == 0 and (at < 0 or text.lstrip().startswith("#")):
            continue
        rest = text[at:] if depth == 0 else text
        depth += rest.count("(") - rest.count(")")
        lines.add(number)
    return lines


def counted(build):
    """Of each source file below gate/: {line: executed}, and {(line, i): taken} of its branches."""
    lines, branches = collections.defaultdict(dict), collections.defaultdict(dict)
    notes = sorted(path for path in build.rglob("*.gcno") if "/gate.dir/" in str(path))
    for at in range(0, len(notes), 50):
        told = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *notes[at:at + 50]],
                              cwd=build, capture_output=True, text=True, check=True).stdout
        for document in told.splitlines():
            for file in json.loads(document)["files"]:
                name = file["file"].rsplit("/gate/", 1)[-1] if "/gate/" in file["file"] else file["file"]
                if name.endswith(".c") and (ROOT / "gate" / name).exists():
                    add(file, lines[name], branches[name], asserted(name))
    return lines, branches


def add(file, lines, branches, left_out):
    for line in file["lines"]:
        number = line["line_number"]
        lines[number] = lines.get(number, 0) + line["count"]
        for i, branch in enumerate(() if number in left_out else line["branches"]):
            branches[number, i] = branches.get((number, i), 0) + branch["count"]


def share(counts):
    return 100 * sum(count > 0 for count in counts) / len(counts) if counts else 100.0


def floors_of(path):
    floors = {}
    for row in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
        if row and not row.startswith("#"):
            room, of_lines, of_branches = row.split()
            floors[room] = float(of_lines), float(of_branches)
    return floors


def ranges(numbers):
    """5-7 9"""
    groups = []
    for number in sorted(numbers):
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in groups)


def show_missing(build, place):
    lines, branches = counted(build)
    for name in sorted(name for name in lines if name == place or name.startswith(place + "/")):
        missed = [number for number, count in lines[name].items() if count == 0]
        of_branches = {number for (number, _), count in branches[name].items() if count == 0} - set(missed)
        print(f"gate/{name}: {len(missed)} of {len(lines[name])} lines: {ranges(missed)}; "
              f"branches of {ranges(of_branches)}")


def show_rooms(build, floors, only):
    lines, branches = counted(build)
    rooms = sorted({name.split("/")[0] for name in lines if not only or name.split("/")[0] in floors})
    low = []
    print(f"{'room':10} {'lines':>7} {'branches':>9}")
    for room in rooms:
        inside = [name for name in lines if name.startswith(room + "/")]
        of_lines = share([count for name in inside for count in lines[name].values()])
        of_branches = share([count for name in inside for count in branches[name].values()])
        print(f"{room:10} {of_lines:6.1f}% {of_branches:8.1f}%")
        floor = floors.get(room, (0, 0))
        if of_lines < floor[0] or of_branches < floor[1]:
            low.append(f"{room}: expected at least {floor[0]} % of lines and {floor[1]} % of branches")
    if not rooms or low:
        sys.exit("\n".join(low) or "nothing was counted: run the tests of a coverage build first")


def main():
    words = sys.argv[1:]
    mode = words.pop(0) if words and words[0] in ("--only", "--missing") else None
    if len(words) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(words[0]).resolve()
    if mode == "--missing":
        show_missing(build, words[1])
    else:
        show_rooms(build, floors_of(words[1]), mode == "--only")


if __name__ == "__main__":
    main()
