# SPDX-License-Identifier: Apache-2.0
"""Hostile recordings, and files of profilers of one language or tool, for the table of formats (`trees`)."""
import json
import pathlib
import struct
import sys

from trees import compact, format_of, plant

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import jfr_seeds  # noqa: E402


# ---- recordings ------------------------------------------------------------------------------------------------------

def recording_of(stacks, names, count):
    """A flight recording with a stack trace per stack, and a sample of each. `count` is that of the first stack."""
    chunk = jfr_seeds.Chunk()
    w, known = chunk.write, jfr_seeds.constants(chunk.write)
    known[jfr_seeds.SYMBOL].update({10 + i: w.text(name) for i, name in enumerate(names)})
    known[jfr_seeds.METHOD].update(
        {10 + i: w.integer(1) + w.integer(10 + i) + w.int(1) + b"\0" for i in range(len(names))})
    tail = w.int(1) + w.int(0) + w.integer(1)
    known[jfr_seeds.STACK] = {
        key: b"\0" + w.int(len(stack)) + b"".join(w.integer(10 + i) + tail for i in reversed(stack))
        for key, stack in enumerate(stacks, 1)}
    chunk.checkpoints = [known]
    for key in [1] * (count % 10) + list(range(1, len(stacks) + 1)):
        chunk.add(jfr_seeds.EXECUTION, 1, 1, key, 1)
    jfr_seeds.setting(chunk, jfr_seeds.EXECUTION, "period", "10 ms")
    return chunk


@format_of("jfr")
def jfr(tree, value):
    known = {}
    stacks = [[known.setdefault(name, len(known)) for name in stack] for stack in tree.stacks()]
    return recording_of(stacks, known, value).bytes()


@plant("jfr")
def stack_again(n, value):
    """One stack trace of 2000 frames, to which each sample refers."""
    chunk = recording_of([list(range(2000))], [f"{i:x}" for i in range(2000)], value)
    for _ in range(n):
        chunk.add(jfr_seeds.EXECUTION, 1, 1, 1, 1)
    return chunk.bytes()


@plant("jfr")
def chunks(n, value):
    return recording_of([[0]], ["f"], value).bytes() * n


@plant("jfr")
def constants_again(n, value):
    """A checkpoint of its own for each constant."""
    chunk = recording_of([[0]], ["f"], value)
    chunk.checkpoints += [{jfr_seeds.SYMBOL: {20 + i: chunk.write.text("x")}} for i in range(n)]
    return chunk.bytes()


@plant("jfr")
def threads_of_recording(n, value):
    chunk = recording_of([[0]], ["f"], value)
    w = chunk.write
    chunk.checkpoints[0][jfr_seeds.THREAD] = {i: w.text(f"{i:x}") + w.integer(i) + w.text(f"t{i:x}") + w.integer(i)
                                              for i in range(1, n + 1)}
    for i in range(1, n + 1):
        chunk.add(jfr_seeds.EXECUTION, 1, i, 1, 1)
    return chunk.bytes()


def recording_of_classes(fields, last, value, body):
    chunk = jfr_seeds.Chunk(classes={**jfr_seeds.CLASSES, **fields, jfr_seeds.EXECUTION: [
        *jfr_seeds.CLASSES[jfr_seeds.EXECUTION], *last]})
    chunk.checkpoints = [jfr_seeds.constants(chunk.write)]
    for _ in range(1 + value % 10):
        chunk.add(jfr_seeds.EXECUTION, 1, 1, 1, 1, body)
    return chunk.bytes()


@plant("jfr")
def classes_in_classes(n, value):
    """A value of the last class is as nested as there are classes."""
    classes = {200: [], **{201 + i: [("a", 200 + i)] for i in range(n)}}
    return recording_of_classes(classes, [("x", 200 + n)], value, b"")


@plant("jfr")
def classes_twice_in_classes(n, value):
    """A value of the last class has 2**20 parts, and no bytes."""
    fields = {200: [], **{201 + i: [("a", 200 + i), ("b", 200 + i)] for i in range(20)}}
    return recording_of_classes(fields, [("x", 220)] * n, value, b"")


@plant("jfr")
def lists_of_nothing(n, value):
    """Lists of 2**31 - 1 elements without bytes."""
    return recording_of_classes({200: []}, [("x", 200, jfr_seeds.ARRAY)] * n, value,
                                jfr_seeds.Writer().int(2 ** 31 - 1) * n)


PERF_ATTR = struct.pack("<IIQQQQQ", 1, 128, 0, 0, 0x127, 0, 1 << 18) + bytes(80)
USER_MARK = 2 ** 64 - 512
CHAIN_MOST = 8000  # a record has less than 64 KiB


def perf_record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def perf_tail(time):
    return struct.pack("<QQ", 0, time)


def perf_map(pid, start, size, name, time):
    text = name.encode()
    return perf_record(1, 2, struct.pack("<IIQQQ", pid, pid, start, size, 0) + text.ljust(len(text) + 8 & ~7, b"\0") +
                       perf_tail(time))


def perf_sample(pid, time, value, chain):
    return perf_record(9, 2, struct.pack("<QIIQQQ", 0x400010, pid, pid, time, value, len(chain) + 1) +
                       struct.pack(f"<{len(chain) + 1}Q", USER_MARK, *chain))


def perf_file(data):
    return (b"PERFILE2" + struct.pack("<12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 0, 0, 0, 0) + PERF_ATTR +
            bytes(16) + data)


@format_of("perf-data", has_names=False)
def perf_data(tree, value):
    known, out = {}, [perf_map(7, 0x400000, 1 << 32, "/bin/app", 1)]
    for time, stack in enumerate(tree.stacks(), 2):
        chain = [0x400001 + 16 * known.setdefault(name, len(known)) for name in reversed(stack[-CHAIN_MOST:])]
        out.append(perf_sample(7, time, value, chain))
    return perf_file(b"".join(out))


@plant("perf-data")
def perf_maps(n, value):
    """Mappings that all lie in an earlier one, and a sample of each."""
    out = [perf_map(7, 0x400000, 1 << 40, "/bin/app", 1)]
    for i in range(n):
        out += [perf_map(7, 0x400000 + (i << 13), 4096, f"/{i:x}", 2), perf_sample(7, 3, value, [0x400010 + (i << 13)])]
    return perf_file(b"".join(out))


@plant("perf-data")
def perf_maps_over_all(n, value):
    """Each mapping replaces all before it."""
    return perf_file(b"".join(perf_map(7, 0x400000, 1 << 40, f"/{i:x}", i) for i in range(n)) +
                     perf_sample(7, n, value, [0x400010]))


@plant("perf-data")
def perf_forks(n, value):
    """Processes that each get the mappings of their parent."""
    out = [perf_map(7, 0x400000 + (i << 13), 4096, "/b", 1) for i in range(n)]
    for i in range(n):
        out.append(perf_record(7, 0, struct.pack("<IIIIQ", 8 + i, 7 + i, 8 + i, 7 + i, 2) + perf_tail(2 + i)))
        out.append(perf_sample(8 + i, 2 + i, value, [0x400010]))
    return perf_file(b"".join(out))


@plant("perf-data")
def perf_names(n, value):
    out = [perf_map(7, 0x400000, 1 << 32, "/bin/app", 1)]
    for i in range(n):
        out.append(perf_record(3, 0, struct.pack("<II", 7, 8 + i) + f"{i:x}".encode().ljust(8, b"\0") + perf_tail(2)))
        out.append(perf_record(9, 2, struct.pack("<QIIQQQQQ", 0x400010, 7, 8 + i, 3, value, 2, USER_MARK, 0x400010)))
    return perf_file(b"".join(out))


@plant("perf-data")
def perf_backwards(n, value):
    """Records in the reverse order of time."""
    return perf_file(b"".join(perf_sample(7, n - i, value, [0x400010]) for i in range(n)))


# ---- profilers of languages ------------------------------------------------------------------------------------------

@format_of("stackprof")
def stackprof(tree, value):
    known, raw = {}, []
    for stack in tree.stacks():
        raw += [len(stack), *(known.setdefault(name, len(known) + 1) for name in stack), value]
    frames = {str(i): {"name": name, "total_samples": 1, "samples": 1} for name, i in known.items()}
    return compact({"version": 1.2, "mode": "cpu", "interval": 1000, "samples": 5, "frames": frames, "raw": raw})


@plant("stackprof")
def without_raw(n, value):
    return compact({"version": 1.2, "mode": "cpu", "interval": 1000, "samples": 5, "frames": {
        str(i): {"name": f"{i:x}", "total_samples": value, "samples": value} for i in range(n)}})


@plant("stackprof")
def frames_again(n, value):
    """The same key of 'frames' again and again."""
    return (b'{"version":1.2,"mode":"cpu","interval":1000,"samples":5,"frames":{' +
            b'"1":{"name":"f","total_samples":1,"samples":1},' * n +
            b'"2":{"name":"f","total_samples":1,"samples":%d}}}' % value)


@format_of("dhat")
def dhat(tree, value):
    known, sites = {}, []
    for stack in tree.stacks():
        frames = [known.setdefault(name, len(known) + 1) for name in reversed(stack)]
        sites.append({"tb": value, "tbk": 1, "fs": frames})
    return compact({"dhatFileVersion": 2, "mode": "rust-heap", "bklt": False, "pps": [
        {**site, "gb": 1, "gbk": 1, "eb": 1, "ebk": 1} for site in sites],
        "ftbl": ["[root]", *(f"0x4: {name} (in /a)" for name in known)]})


@plant("dhat")
def parentheses(n, value):
    frames = ["[root]", "f" + "(" * n + ")" * n, ")" * n, "f (" + ":1" * n + ")", "f " + "(a) " * n + "(a.c:3)"]
    return compact({"dhatFileVersion": 2, "mode": "ad-hoc", "pps": [{"tb": value, "tbk": 1, "fs": [1, 2, 3, 4]}],
                    "ftbl": frames})


@format_of("pyinstrument")
def pyinstrument(tree, value):
    """Written without recursion. Only one root is possible."""
    below, time, out = tree.children(), [value / 1000 * is_sampled for is_sampled in tree.is_sampled], []
    for node in reversed(range(len(tree.names))):
        if tree.parents[node] >= 0:
            time[tree.parents[node]] += time[node]
    left = [(0, False)]
    while left:
        node, is_left = left.pop()
        if is_left:
            out.append("]},")
            continue
        out.append('{"function":%s,"time":%.3f,"children":[' % (json.dumps(tree.names[node]), time[node]))
        left.append((node, True))
        left.extend((child, False) for child in reversed(below[node]))
    text = "".join(out).replace(",]", "]").rstrip(",")
    return ('{"duration":1.0,"sample_count":10,"root_frame":%s}' % text).encode()


@plant("pyinstrument")
def own_times(n, value):
    """The entry '[self]' again and again."""
    return (b'{"duration":1.0,"sample_count":10,"root_frame":{"function":"m","time":%d,"children":[' % value +
            b'{"function":"[self]","time":0,"children":[]},' * n + b'{"function":"f","time":1,"children":[]}]}}')


@format_of("scalene")
def scalene(tree, value):
    return compact({"alloc_samples": 5, "files": {}, "growth_rate": 1.0, "stacks": [
        [[f"/a.py {name}:1;" for name in stack], {"count": value, "python_time": 0.1, "c_time": 0.1, "cpu_samples": 1}]
        for stack in tree.stacks()]})


@format_of("austin")
def austin(tree, value):
    return ("# austin: 3.6.0\n# interval: 1000\n# mode: wall\n\n" + "".join(
        f"P7;T0:7;{';'.join(f'a.py:{name}:1' for name in stack)} {value}\n" for stack in tree.stacks())).encode()


@plant("austin")
def header_lines(n, value):
    return b"# austin: 3.6.0\n# mode: cpu\n" + b"# a: b\n" * n + b"P7;T0:7;a.py:f:3 %d\n" % value


@plant("austin")
def tiny_austin_frames(n, value):
    return b"# austin: 3.6.0\n# mode: cpu\n" + b"".join(b"P7;T0:7%s %d\n" % (b";a" * 1000, value + i) for i in range(n))


@format_of("bpftrace")
def bpftrace(tree, value):
    return "".join("@s[\n" + "".join(f"    {name}+1\n" for name in reversed(stack)) + f"]: {value}\n"
                   for stack in tree.stacks()).encode()


@plant("bpftrace")
def bpftrace_keys(n, value):
    return "".join(f"@s[{i:x}, b{i:x}, \n\t{i:x} f+2 (/{i:x})\n]: {value}\n" for i in range(n)).encode()


@plant("bpftrace")
def maps_without_stacks(n, value):
    return b"@s[\n    f+1\n]: %d\n" % value + b"@a[1]: 2\n" * n


MASSIF = ("desc: (none)\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=9\nmem_heap_B=60\n"
          "mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=peak\n")


def massif_of(chains, value):
    """A child of the root for each chain of names, which begins with the leaf. Callers are children."""
    lines = [f"n{len(chains)}: {value * len(chains)} (heap allocation functions) malloc/new/new[], --alloc-fns, etc."]
    for chain_of_names in chains:
        for depth, name in enumerate(chain_of_names, 1):
            children = int(depth < len(chain_of_names))
            lines.append(f"{' ' * depth}n{children}: {value} 0x{4096 + depth:X}: {name} (a.c:1)")
    return (MASSIF + "\n".join(lines) + "\n").encode()


@format_of("massif")
def massif(tree, value):
    return massif_of([stack[::-1] for stack in tree.stacks()], value)


@plant("massif")
def many_snapshots(n, value):
    """A tree in each of many snapshots, of which the last is the largest."""
    tree = massif_of([["f", "main"]], value).split(b"time_unit: i\n")
    return tree[0] + b"time_unit: i\n" + tree[1] * n


@plant("massif")
def places_below_the_threshold(n, value):
    """A caller, and a line that stands for others, at each depth."""
    lines = ["n1: %d (heap allocation functions) malloc/new/new[], --alloc-fns, etc." % (value * (n + 1))]
    for depth in range(1, n + 1):
        lines.append(f"{' ' * depth}n2: {value * (n + 2 - depth)} 0x1000: f (a.c:1)")
    for depth in range(n, 0, -1):
        first = [f"{' ' * (depth + 1)}n0: {value} 0x1000: g (a.c:2)"] if depth == n else []
        lines += first + [f"{' ' * (depth + 1)}n0: {value} in 3 places, all below massif's threshold (1.00%)"]
    return (MASSIF + "\n".join(lines) + "\n").encode()


@format_of("dtrace")
def dtrace(tree, value):
    return "".join("\n" + "".join(f"              a`{name}+0x1\n" for name in reversed(stack)) + f"{value:17}\n"
                   for stack in tree.stacks()).encode()


@plant("dtrace")
def dtrace_keys(n, value):
    """A key of its own before each stack."""
    return "".join(f"\n  k{i:x}\n              a`f+0x1\n{value:17}\n" for i in range(n)).encode()


@plant("dtrace")
def lines_without_stacks(n, value):
    return f"\n              a`f+0x1\n{value:17}\n".encode() + b"\n                7\n" * n
