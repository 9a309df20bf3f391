#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what pprofgate reads of flight recordings with `jfr print` of a JDK and with async-profiler's converter.

usage: compare.py PROGRAM FOLDER [JFR [CONVERTER.jar]]
       compare.py --sums JFR FILE     prints what the JDK's reader has of a file: by column, self and cumulative values

Reads each FOLDER/*.jfr and *.jfr.gz, as capture.sh records them. JFR is the JDK's command (default: jfr), of a JDK that
is at least as new as those that recorded. Every stack with its thread, state, number of events and value is compared
with the events as `jfr print` has them, and stack by stack with what the converter writes. Prints a row a recording and
their sums; exit status 1 if any value differs."""
import collections
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

# Native methods of the JDK that wait, in this program's recordings; gate/formats/jfr_chunk.c has all.
WAITS = re.compile(r"^(sun/nio/ch/(EPoll\.wait|Net\.(accept|poll)|SocketDispatcher\.read0)|java/net/.*|"
                   r"java/lang/Process.*)$")
LOCKS = re.compile(r"^java/util/concurrent/(locks/Reentrant(ReadWrite)?Lock|Semaphore)")
COLUMNS = {
    "jdk.ExecutionSample": ("samples", "cpu"), "jdk.NativeMethodSample": ("samples", "cpu"),
    "jdk.CPUTimeSample": ("samples", "cpu"), "profiler.WallClockSample": ("wall_samples", "wall"),
    "jdk.ObjectAllocationInNewTLAB": ("alloc_samples", "alloc_space"),
    "jdk.ObjectAllocationOutsideTLAB": ("alloc_samples", "alloc_space"),
    "jdk.ObjectAllocationSample": ("alloc_samples", "alloc_space"),
    "profiler.LiveObject": ("inuse_samples", "inuse_space"), "profiler.Malloc": ("malloc_samples", "malloc_space"),
    "jdk.JavaMonitorEnter": ("contentions", "delay"), "jdk.ThreadPark": ("contentions", "delay")}
SIZES = {"jdk.ObjectAllocationInNewTLAB": "tlabSize", "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
         "jdk.ObjectAllocationSample": "weight", "profiler.LiveObject": "allocationSize", "profiler.Malloc": "size"}
UNITS = {"": 1, "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


def nanoseconds(text):
    """Of a duration such as PT1M0.0071S."""
    match = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.(\d+))?S)?", text)
    hours, minutes, seconds, fraction = match.groups()
    return ((int(hours or 0) * 60 + int(minutes or 0)) * 60 + int(seconds or 0)) * 10**9 + int((fraction or "").ljust(9, "0"))


def setting_time(text):
    match = re.fullmatch(r"(\d+) ?([a-z]*)", text or "")
    return int(match[1]) * UNITS[match[2]] if match and match[2] in UNITS else 0


def chunks(data):
    """A recording is a sequence of chunks, each with its length behind magic and version."""
    at = 0
    while at < len(data):
        size = int.from_bytes(data[at + 8:at + 16], "big")
        yield data[at:at + size]
        at += size


def stack_of(values):
    """Leaf first: (name, line) of each frame, as the converter spells names."""
    stack = []
    for frame in (values["stackTrace"] or {"frames": []})["frames"]:
        method, line = frame["method"], max(frame["lineNumber"], 0)
        if method is None:
            stack.append(("", 0))
            continue
        name, owner = method["name"], (method["type"] or {"name": ""})["name"]
        is_native = method["descriptor"] in ("()L;", "(Lk;)L;")  # C functions, which async-profiler adds
        stack.append((name if is_native or not owner else f"{owner}.{name}", line))
    return tuple(stack)


class Reference:
    """A recording as the JDK's own reader has it: {(column, stack, thread, state): [events, value]}."""

    def __init__(self, jfr, data, folder):
        self.sums = collections.defaultdict(lambda: [0, 0])
        self.lacks_interval = set()
        self.left_out = collections.Counter()
        self.agent_settings = {}
        for chunk in chunks(data):
            path = pathlib.Path(folder, "chunk.jfr")
            path.write_bytes(chunk)
            self.add(jfr, path)

    def add(self, jfr, path):
        """A chunk has settings of its own, unless it is a later one of async-profiler, which writes them once."""
        text = subprocess.run([jfr, "print", "--json", "--stack-depth", "2048", "--events",
                               ",".join([*COLUMNS, "jdk.ActiveSetting"]), path], check=True, stdout=subprocess.PIPE).stdout
        java = pathlib.Path(jfr).with_name("java") if "/" in jfr else "java"
        types = subprocess.run([java, HERE / "EventTypes.java", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        names = dict(line.split() for line in types.splitlines())
        events = json.loads(text)["recording"]["events"]
        kinds = collections.Counter(event["type"] for event in events)
        settings = {}
        for event in events:
            if event["type"] == "jdk.ActiveSetting":
                values = event["values"]
                settings[names.get(str(values["id"])), values["name"]] = values["value"]
        if not settings and any(name.startswith("profiler.") for name in names.values()):
            settings = self.agent_settings
        elif any(name == "interval" for _, name in settings):
            self.agent_settings = settings
        intervals = self.intervals(settings)
        for event in events:
            if event["type"] != "jdk.ActiveSetting":
                self.event(event["type"], event["values"], kinds, intervals)

    @staticmethod
    def intervals(settings):
        agent = {name: value for (_, name), value in settings.items() if name in ("interval", "wall", "event")}
        if "interval" not in agent:
            return {kind: setting_time(settings.get((kind, "period"))) for kind in COLUMNS}
        interval, is_wall = setting_time(agent["interval"]), agent.get("event") == "wall"
        return {"jdk.ExecutionSample": interval or 10**7, "is wall": is_wall,
                "wall": setting_time(agent.get("wall")) or (is_wall and interval) or 5 * 10**7}

    def event(self, kind, values, kinds, intervals):
        stack, column = stack_of(values), COLUMNS[kind]
        if kind in ("jdk.ExecutionSample", "jdk.NativeMethodSample") and kinds["jdk.CPUTimeSample"] or \
                kind == "jdk.ObjectAllocationSample" and kinds["jdk.ObjectAllocationInNewTLAB"]:
            self.left_out["twice"] += 1
            return
        if kind == "jdk.NativeMethodSample" and stack and WAITS.match(stack[0][0]):
            self.left_out["waiting"] += 1
            return
        if kind == "jdk.ThreadPark" and not LOCKS.match((values["parkedClass"] or {"name": ""})["name"]):
            self.left_out["parked"] += 1
            return
        if values.get("failed"):
            self.left_out["failed"] += 1
            return
        thread = values.get("sampledThread") or values.get("eventThread") or {}
        name = thread.get("javaName") or thread.get("osName") or ""
        state, count, value = values.get("state"), 1, 0
        is_wall = intervals.get("is wall") or state == "STATE_SLEEPING"
        if kind == "profiler.WallClockSample" or kind == "jdk.ExecutionSample" and is_wall:
            column, count = ("wall_samples", "wall"), values.get("samples", 1)
            value = count * intervals["wall"]
        elif column[1] == "cpu":
            value = nanoseconds(values["samplingPeriod"]) if kind == "jdk.CPUTimeSample" else intervals.get(kind, 0)
        elif column[1] == "delay":
            value = nanoseconds(values["duration"])
        else:
            value = values[SIZES[kind]]
        if value == 0 and column[1] in ("cpu", "wall"):
            self.lacks_interval.add(column[1])
        key = column, stack, "" if name.startswith("[tid=") else name, state if column[1] == "wall" else ""
        self.sums[key][0] += count
        self.sums[key][1] += value


def profile_sums(program, path, folder):
    """The same of what pprofgate makes of the recording, by its own writer and a reader that is not its own."""
    out = pathlib.Path(folder, "read.pb")
    subprocess.run([program, "merge", "--container", "raw", "-o", out, path], check=True, stdout=subprocess.DEVNULL)
    types, sums = [], collections.defaultdict(lambda: [0, 0])
    profile = pprof.Profile(out)
    strings, comments, functions, locations = profile.strings, [], {}, {}
    for number, _, value in pprof.fields(out.read_bytes()):
        raw = dict((n, v) for n, _, v in pprof.fields(value)) if number in (1, 4, 5) else {}
        if number == 1:
            types.append(strings[raw[1]])
        elif number == 13:
            comments += [strings[i] for i in pprof.numbers(value)]
        elif number == 5:
            functions[raw[1]] = strings[raw.get(2, 0)]
        elif number == 4:
            lines = [dict((n, v) for n, _, v in pprof.fields(line)) for n, _, line in pprof.fields(value) if n == 4]
            locations[raw[1]] = [(line.get(1), line.get(2, 0)) for line in lines or [{}]]
    for number, _, value in pprof.fields(out.read_bytes()):
        if number == 2:
            sample_add(sums, value, types, strings, functions, locations)
    return types, sums, comments


def sample_add(sums, body, types, strings, functions, locations):
    ids, values, labels = [], [], {}
    for number, _, value in pprof.fields(body):
        if number == 1:
            ids += pprof.numbers(value)
        elif number == 2:
            values += pprof.numbers(value)
        elif number == 3:
            label = dict((n, v) for n, _, v in pprof.fields(value))
            labels[strings[label[1]]] = strings[label[2]]
    stack = tuple((functions.get(function, ""), line) for i in ids for function, line in locations[i])
    for column in set(COLUMNS.values()) | {("wall_samples", "wall")}:
        if column[0] in types and values[types.index(column[0])]:
            key = column, stack, labels.get("thread", ""), labels.get("state", "")
            sums[key][0] += values[types.index(column[0])]
            sums[key][1] += values[types.index(column[1])] if column[1] in types else 0


def differences(reference, sums, types):
    """(frames compared, values compared, wrong values, examples)."""
    frames = values = 0
    wrong = []
    for key in {*reference.sums, *sums}:
        expected, got = reference.sums.get(key, [0, 0]), sums.get(key, [0, 0])
        frames += len(key[1])
        values += 2
        has_value = key[0][1] in types
        if key[0][1] in reference.lacks_interval and not has_value:
            expected = [expected[0], 0]
        slack = expected[0] if key[0][1] == "delay" else 0  # the JDK rounds each event's ticks
        if expected[0] != got[0] or abs(expected[1] - got[1]) > slack:
            wrong.append((key, expected, got))
    return frames, values, wrong


# ---- the converter ---------------------------------------------------------------------------------------------------

# The converter's option, and the column for which it is used. Without an option it writes all samples of time.
CONVERTED = [("--cpu", "samples", "async"), ("--wall", "wall_samples", "async"), (None, "samples", "jdk"),
             ("--alloc", "alloc_samples", ""), ("--live", "inuse_samples", "async"),
             ("--nativemem", "malloc_samples", "async"), ("--lock", "contentions", "async")]


def converted_sums(converter, option, path, folder):
    out = pathlib.Path(folder, "converted.collapsed")
    subprocess.run(["java", "-jar", converter, *([option] if option else []), path, out], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sums = collections.Counter()
    for line in out.read_text().splitlines():
        stack, count = line.rsplit(" ", 1)
        frames = [re.sub(r"_\[[0-9a-zA-Z]\]$", "", frame) for frame in stack.split(";")]
        if option in ("--alloc", "--live", "--lock"):
            frames.pop()  # the class of the object
        if not (option is None and WAITS.match(frames[-1])):
            sums[tuple(frames)] += int(count)
    return sums


def converter_differences(converter, path, sums, folder, is_agent, left_out):
    """It counts an allocation by both of its events, where a recording has both."""
    frames, wrong = 0, []
    for option, column, producer in CONVERTED:
        if option == "--alloc" and left_out["twice"]:
            continue
        if producer not in ("", "async" if is_agent else "jdk"):
            continue
        expected, got = converted_sums(converter, option, path, folder), collections.Counter()
        for (columns, stack, _, _), (count, _) in sums.items():
            if columns[0] == column and stack:  # it leaves out samples without a stack
                got[tuple(name for name, _ in reversed(stack))] += count
        frames += sum(len(stack) for stack in {*expected, *got})
        wrong += [((column, stack), expected[stack], got[stack]) for stack in {*expected, *got}
                  if expected[stack] != got[stack]]
    return frames, wrong


def row(program, path, jfr, converter):
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(jfr, data, folder)
        types, sums, comments = profile_sums(program, path, folder)
        frames, values, wrong = differences(reference, sums, types)
        left_out = sum(int(comment.split()[0]) for comment in comments if "left out" in comment)
        if left_out != sum(reference.left_out.values()):
            wrong.append(("left out", dict(reference.left_out), comments))
        converted, odd = 0, []
        is_mixed = "jdk.CPUTimeSample" in str(comments) or re.search("joined|-sync|-old", path.name)
        if converter and not is_mixed:
            plain = pathlib.Path(folder, "plain.jfr")
            plain.write_bytes(data)
            converted, odd = converter_differences(converter, plain, sums, folder, b"STATE_DEFAULT" in data,
                                                   reference.left_out)
    numbers = [len(list(chunks(data))), len(sums), frames, values, len(wrong), left_out, converted, len(odd)]
    print("|", " | ".join(map(str, [path.name, *numbers])), "|", flush=True)
    for example in [*wrong[:3], *odd[:3]]:
        print("   ", *example, sep="\n      ", file=sys.stderr)
    return numbers


def sums_print(jfr, path):
    data = pathlib.Path(path).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        reference = Reference(jfr, data, folder)
    functions = collections.defaultdict(lambda: [0, 0])
    for (columns, stack, _, _), values in reference.sums.items():
        for column, value in zip(columns, values):
            for i, name in enumerate(dict.fromkeys(name for name, _ in stack)):
                functions[column, name][0] += value if i == 0 else 0
                functions[column, name][1] += value
    for column in sorted({column for column, _ in functions}):
        print(f"# {column}")
        for name in sorted((name for of, name in functions if of == column), key=str.encode):
            print(name, *functions[column, name])


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--sums":
        sums_print(*sys.argv[2:])
        return
    if not 3 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    program, folder, jfr, converter = [*sys.argv[1:], *["jfr", None][len(sys.argv) - 3:]]
    paths = sorted(p for p in pathlib.Path(folder).iterdir() if p.name.endswith((".jfr", ".jfr.gz")))
    if not paths:
        sys.exit(f"no recording in {folder}")
    print("| recording | chunks | stacks | frames | values | wrong | left out | converter: frames | wrong |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    total = [sum(column) for column in zip(*(row(program, path, jfr, converter) for path in paths))]
    print("|", " | ".join(map(str, [f"{len(paths)} recordings", *total])), "|")
    sys.exit(total[4] + total[7] != 0)


if __name__ == "__main__":
    main()
