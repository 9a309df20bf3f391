#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what pprofgate reads of the files of capture.sh with what each profiler's own viewer shows of them.

usage: compare.py PROGRAM FOLDER

stackprof: `stackprof --text`, self and cumulative samples of each frame. DHAT: the totals that valgrind prints, of each
column. pyinstrument: the samples of its session, self time of each function. Scalene: the percentages of each line,
of which its pages are made. austin: austin2pprof, self and cumulative time of each function.
massif: the tree of the peak that ms_print draws, cumulative bytes of each function and self bytes of each leaf.
.cpuprofile of v8-profiler-next: V8's own count of each call ('hitCount'), self and cumulative; a few samples
at the start and end of a profile are only in the count or only in the list.
simpleperf: `simpleperf report-sample`, samples of each address, self and cumulative.
memray: its CSV, bytes and allocations of each line. bpftrace: the number of
all samples. Prints a row a file; exit status 1 if
any value differs."""
import collections
import csv
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "evade"))
import pprof  # noqa: E402


def message(body):
    return {number: value for number, _, value in pprof.fields(body)}


class Profile:
    """The samples of a profile as (stack of (name, file, line), leaf first; values)."""

    def __init__(self, data):
        strings, functions, locations = [], {}, {}
        parts = list(pprof.fields(data))
        strings = [value.decode() for number, _, value in parts if number == 6]
        for number, _, value in parts:
            if number == 5:
                raw = message(value)
                functions[raw[1]] = strings[raw.get(2, 0)], strings[raw.get(4, 0)]
            elif number == 4:
                raw = message(value)
                locations[raw[1]] = message(raw[4]) if 4 in raw else {}
        self.types = [strings[message(value)[1]] for number, _, value in parts if number == 1]
        self.samples = []
        for number, _, value in parts:
            if number == 2:
                ids, values = [], []
                for inner, _, part in pprof.fields(value):
                    numbers = [part] if isinstance(part, int) else pprof.numbers(part)
                    if inner in (1, 2):
                        (ids if inner == 1 else values).extend(numbers)
                stack = [(*functions.get(locations[i].get(1), ("", "")), locations[i].get(2, 0)) for i in ids]
                self.samples.append((stack, values))

    def sums(self, kind, key=lambda frame: frame[0]):
        """Self and cumulative values of each frame. A frame that is twice on a stack counts once."""
        column, sums = self.types.index(kind), collections.defaultdict(lambda: [0, 0])
        for stack, values in self.samples:
            if stack:
                sums[key(stack[0])][0] += values[column]
            for frame in {key(frame) for frame in stack}:
                sums[frame][1] += values[column]
        return {frame: tuple(pair) for frame, pair in sums.items() if pair[1]}

    def total(self, kind):
        return sum(values[self.types.index(kind)] for _, values in self.samples)


def read_bytes(program, path):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "read.pb")
        subprocess.run([program, "merge", "--container", "raw", "-o", out, path], check=True, stdout=subprocess.DEVNULL)
        return out.read_bytes()


def read(program, path):
    return Profile(read_bytes(program, path))


def json_of(path):
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)


# Each returns (expected, got), two maps, and by how much a value may differ.


def stackprof(program, path):
    expected = {}
    for line in path.with_suffix(".txt").read_text().splitlines():
        match = re.match(r"\s*(\d+)\s+\(\S+%\)\s+(\d+)\s+\(\s*\S+%\)\s+(.*)", line)
        if match:
            expected[match[3].strip()] = int(match[2]), int(match[1])
    got = read(program, path).sums("samples")
    if "-flat" in path.name:  # one frame a stack: self values alone
        expected = {name: (pair[0], 0) for name, pair in expected.items() if pair[0]}
        got = {name: (pair[0], 0) for name, pair in got.items()}
    return expected, got, 0


def dhat(program, path):
    text, profile, expected, got = path.with_suffix(".txt").read_text(), read(program, path), {}, {}
    for words, kind in (("Total:", "alloc"), ("At t-gmax:", "peak"), ("At t-end:", "inuse")):
        found = re.search(re.escape(words) + r"\s+([\d,]+) bytes in ([\d,]+) blocks", text)
        expected[kind] = tuple(int(number.replace(",", "")) for number in found.groups())
        got[kind] = profile.total(f"{kind}_space"), profile.total(f"{kind}_objects")
    table = json.loads(path.read_text())
    for site in table["pps"]:  # and each stack's leaf, as the page of valgrind writes it
        name = re.match(r"0x[0-9A-F]+: (.*?)(?: \((?:in )?[^()]*\))?$", table["ftbl"][site["fs"][0]])[1]
        bytes_, blocks = expected.get(("leaf", name), (0, 0))
        expected["leaf", name] = bytes_ + site["tb"], blocks + site["tbk"]
    space, objects = profile.sums("alloc_space"), profile.sums("alloc_objects")
    got.update({("leaf", name): (pair[0], objects[name][0]) for name, pair in space.items() if pair[0]})
    return expected, got, 0


def massif(program, path):
    """ms_print draws each node of the tree of the peak, indented by two columns a level."""
    text, snapshot = path.with_name(path.name + ".txt").read_text(), 0
    plain = path.read_text()
    peak = int(re.search(r"snapshot=(\d+)\n(?:.*\n){5}heap_tree=peak", plain)[1])
    for part in re.split(r"(?m)^-{80}\n  n +time.*\n-{80}\n", text)[1:]:
        rows = re.findall(r"(?m)^ *(\d+) +[\d,]+ +[\d,]+ +([\d,]+) ", part)
        if rows and int(rows[-1][0]) == peak:
            snapshot, drawn = int(rows[-1][1].replace(",", "")), part
            break
    expected, stack, seen = {"all": (snapshot, 0)}, [], collections.defaultdict(lambda: [0, 0])
    nodes = []  # (level, bytes, name); the name is None for nodes below the threshold
    for line in drawn.splitlines():
        match = re.match(r"([ |]*)->[\d.]+% \(([\d,]+)B\) (?:0x[0-9A-F]+: )?(.*)$", line)
        if match:
            is_cut = re.match(r"in \d+\+? places?, (?:all )?below", match[3])
            name = None if is_cut else re.sub(r" \((?:in )?[^()]*\)$", "", match[3])
            nodes.append((len(match[1]) // 2, int(match[2].replace(",", "")), name))
    for i, (level, size, name) in enumerate(nodes):
        stack[level:] = [name]
        if i + 1 < len(nodes) and nodes[i + 1][0] > level:
            continue  # its bytes are those of the nodes below
        names = [name for name in stack if name is not None]
        if names and size:
            seen[names[0]][0] += size
            for name in set(names):
                seen[name][1] += size
    expected.update({name: tuple(pair) for name, pair in seen.items() if name != "???"})
    profile = read(program, path)
    got = {name: pair for name, pair in profile.sums("peak_space").items() if name}
    return expected, {"all": (profile.total("peak_space"), 0), **got}, 0


def pyinstrument(program, path):
    expected = collections.defaultdict(float)
    for line in path.with_suffix(".txt").read_text().splitlines():
        stack, seconds = line.rsplit(" ", 1)
        if "serve" in stack:  # its JSON leaves out code that ran before the program
            expected[stack.rsplit(";", 1)[1]] += float(seconds) * 1e9
    got = {name: (pair[0], 0) for name, pair in read(program, path).sums("wall").items() if pair[0]}
    return {name: (value, 0) for name, value in expected.items()}, got, 1e5  # its JSON rounds to microseconds


def scalene(program, path):
    expected, profile = {}, read(program, path)
    for name, file in json_of(path)["files"].items():
        for line in file["lines"]:
            percent = line["n_cpu_percent_python"] + line["n_cpu_percent_c"] + line["n_sys_percent"]
            if percent > 0:
                expected[name, line["lineno"]] = percent * 1e6, 0
    total = profile.total("wall")
    sums = profile.sums("wall", lambda frame: (frame[1], frame[2]))
    return expected, {place: (pair[0] / total * 1e8, 0) for place, pair in sums.items() if pair[0]}, 1e4


def austin(program, path):
    other = Profile(path.with_name(path.name.removesuffix(".gz") + ".pprof").read_bytes())
    mine = read(program, path)
    kind = "cpu" if "cpu" in mine.types else "wall"
    unit = mine.total(kind) / other.total(other.types[0])  # austin2pprof writes microseconds
    sums = other.sums(other.types[0])
    expected = {frame: tuple(round(value * unit) for value in pair) for frame, pair in sums.items()}
    return expected, mine.sums(kind), 0


def memray(program, path):
    expected, profile = collections.defaultdict(lambda: (0, 0)), read(program, path)
    with open(path.with_suffix(".csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            leaf = row["stack_trace"].split("|")[0].rsplit(";", 2)
            place = tuple(leaf[:2]) + (int(leaf[2]),) if len(leaf) == 3 else leaf[0]
            expected[place] = expected[place][0] + int(row["size"]), expected[place][1] + int(row["num_allocations"])
    space = profile.sums("space", lambda frame: frame)
    objects = profile.sums("objects", lambda frame: frame)
    return expected, {place: (pair[0], objects[place][0]) for place, pair in space.items() if pair[0]}, 0


def cpuprofile(program, path):
    root, sums = json.loads(path.read_text()), collections.defaultdict(lambda: [0, 0])
    nodes, listed, slack = {node["id"]: node for node in root.get("nodes", [])}, collections.Counter(root["samples"]), 0

    def add(node, callers):
        nonlocal slack
        slack += abs(node["hitCount"] - listed[node["id"]])
        name = node.get("callFrame", node)["functionName"] or "(anonymous)"
        if name == "(idle)":
            return 0
        children = [nodes[child] if nodes else child for child in node.get("children", [])]
        total = node["hitCount"] + sum(add(child, callers | {name}) for child in children)
        sums[name][0] += node["hitCount"]
        sums[name][1] += 0 if name in callers else total
        return total
    add(root["head"] if "head" in root else root["nodes"][0], frozenset())
    sums.pop("(root)")
    assert slack <= 6, slack
    # A function without a name is called after its caller.
    got = read(program, path).sums("samples", lambda frame: re.sub(r".*\.(?=\(anonymous\)$)", "", frame[0]))
    expected = {name: tuple(pair) for name, pair in sums.items() if pair[1] or name in got}
    return expected, got, slack


KERNEL = 0xFFFFFFFF81000000  # where Linux on x86-64 is linked to


def simpleperf(program, path):
    """Addresses of files, as a recording has no names. Of a caller simpleperf writes the return address, and what is
    read is an address within the call before it."""
    expected = collections.defaultdict(lambda: [0, 0])
    for sample in re.split(r"(?m)^sample:$", path.with_name(path.name + ".txt").read_text())[1:]:
        places = re.findall(r"vaddr_in_file: (\w+)\n\s+file: (.*)\n", sample)
        stack, is_kernel = [], True
        for address, file in places:
            # the first frame of the program is where it was interrupted
            is_return, is_kernel = stack and is_kernel == file.startswith("["), file.startswith("[")
            stack.append((file.rsplit("/", 1)[-1], int(address, 16) - bool(is_return) - KERNEL * is_kernel))
        expected[stack[0]][0] += 1
        for place in set(stack):
            expected[place][1] += 1
    mappings, locations, got = {}, {}, collections.defaultdict(lambda: [0, 0])
    parts = list(pprof.fields(read_bytes(program, path)))
    strings = [value.decode() for number, _, value in parts if number == 6]
    for number, _, value in parts:
        raw = message(value) if number in (3, 4) else {}
        if number == 3:
            start, offset = raw.get(2, 0), raw.get(4, 0)
            file = strings[raw.get(5, 0)].rsplit("/", 1)[-1]
            mappings[raw[1]] = file, start if file.startswith("[") else start - offset
        elif number == 4:
            file, start = mappings.get(raw.get(2), ("", 0))
            locations[raw[1]] = file, raw.get(3, 0) - start
    for number, _, value in parts:
        if number == 2:
            ids, values = [], []
            for inner, _, part in pprof.fields(value):
                if inner in (1, 2):
                    (ids if inner == 1 else values).extend([part] if isinstance(part, int) else pprof.numbers(part))
            got[locations[ids[0]]][0] += values[0]
            for place in {locations[i] for i in ids}:
                got[place][1] += values[0]
    return {key: tuple(pair) for key, pair in expected.items()}, {key: tuple(pair) for key, pair in got.items()}, 0


def bpftrace(program, path):
    total = int(re.search(r"(?m)^@n: (\d+)$", path.read_text())[1])
    return {"all": (total, 0)}, {"all": (read(program, path).total("samples"), 0)}, 0


KINDS = {"*.stackprof.json": stackprof, "*.dhat.json": dhat, "*.massif": massif, "*.pyinstrument.json": pyinstrument,
         "*.scalene.json*": scalene, "*.austin": austin, "*.austin.gz": austin,
         "*.cpuprofile": cpuprofile, "*.simpleperf.data": simpleperf, "*.memray.json": memray,
         "*.bpftrace.txt": bpftrace}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder, failed = sys.argv[1], pathlib.Path(sys.argv[2]), False
    print(f"{'file':32} {'frames':>7} {'values':>7} {'wrong':>6}")
    for pattern, compare in KINDS.items():
        for path in sorted(folder.glob(pattern)):
            expected, got, slack = compare(program, path)
            wrong = []
            for key in {*expected, *got}:
                pairs = zip(expected.get(key, (0, 0)), got.get(key, (0, 0)))
                if any(abs(one - other) > slack for one, other in pairs):
                    wrong.append((key, expected.get(key), got.get(key)))
            print(f"{path.name:32} {len(expected):7} {2 * len(expected):7} {len(wrong):6}")
            for row in wrong[:4]:
                print("   ", row)
            failed |= bool(wrong) or not expected
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
