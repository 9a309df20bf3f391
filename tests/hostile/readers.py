# SPDX-License-Identifier: Apache-2.0
"""Hostile files of each input format. FORMATS has a function per format and plant: f(n, value) returns bytes that grow
with `n`; `value` is the cost of a sample, so that two files of one plant differ."""
import gzip
import json
import pathlib
import struct
import sys

import made

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import jfr_seeds  # noqa: E402

FORMATS = {}
MAPS = "00400000-00410000 r-xp 00000000 08:01 99   /bin/app\n"


class Tree:
    """Calls: names[i] is called by node parents[i] (-1: none), and is sampled if is_sampled[i]."""

    def __init__(self):
        self.names, self.parents, self.is_sampled = [], [], []

    def add(self, name, parent, is_sampled=True):
        self.names.append(name)
        self.parents.append(parent)
        self.is_sampled.append(is_sampled)
        return len(self.names) - 1

    def children(self):
        below = [[] for _ in self.names]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                below[parent].append(node)
        return below

    def stack(self, node):
        """Names from the root."""
        found = []
        while node >= 0:
            found.append(self.names[node])
            node = self.parents[node]
        return found[::-1]

    def stacks(self):
        return (self.stack(node) for node, is_sampled in enumerate(self.is_sampled) if is_sampled)


# ---- parts that every format can have many of ------------------------------------------------------------------------

def chain(n):
    """A chain of calls with a sample at each."""
    tree = Tree()
    for i in range(n):
        tree.add(f"f{i}", i - 1)
    return tree


def chain_of_one(n):
    tree = Tree()
    for i in range(n):
        tree.add("f", i - 1)
    return tree


def comb(n):
    """A chain of 250 calls, and leaves at its end."""
    tree = Tree()
    for i in range(250):
        tree.add(f"f{i}", i - 1, False)
    for i in range(n):
        tree.add(f"{i:x}", 249)
    return tree


def wide(n):
    """Very many tiny functions."""
    tree = Tree()
    tree.add("m", -1)
    for i in range(n):
        tree.add(f"{i:x}", 0)
    return tree


def same(n):
    """The same call again and again."""
    tree = Tree()
    tree.add("m", -1)
    for _ in range(n):
        tree.add("f", 0)
    return tree


def long_names(n):
    """Names of 20 kB that begin alike."""
    tree = Tree()
    tree.add("m", -1)
    for i in range(max(n, 2)):
        tree.add("f" + "<a::b, " * 1400 + ">" * 1400 + f"{i:x}", 0)
    return tree


def one_long_name(n):
    tree = Tree()
    tree.add("m", -1)
    tree.add("a.b/c$" * n, 0)
    return tree


TREES = (chain, chain_of_one, comb, wide, same, long_names, one_long_name)


def format_of(name, has_names=True):
    """A format that is an encoder of trees: one plant per kind of tree. A format of addresses has no names."""
    def add(encode):
        for tree in TREES if has_names else TREES[:5]:
            FORMATS.setdefault(name, {})[tree.__name__] = lambda n, value, tree=tree: encode(tree(n), value)
        return encode
    return add


def plant(name):
    """A plant of one format alone."""
    def add(function):
        FORMATS.setdefault(name, {})[function.__name__] = function
        return function
    return add


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


# ---- pprof and OTLP --------------------------------------------------------------------------------------------------

@format_of("pprof")
def pprof(tree, value):
    profile = made.Profile(period=1000000)
    known = {}
    for name in tree.names:
        if name not in known:
            known[name] = len(known) + 1
            profile.function(known[name], name)
            profile.location(known[name], [known[name]])
    for stack in tree.stacks():
        profile.sample([known[name] for name in reversed(stack)], value)
    return profile.bytes()


@plant("pprof")
def inlined(n, value):
    return made.inlined_again(n, 1, 100 + value % 2)


@plant("pprof")
def labels(n, value):
    profile = made.Profile(period=1000000)
    profile.function(1, "f")
    profile.location(1, [1])
    for i in range(n):
        profile.sample([1], value, 1, [(f"k{j}", f"{i:x}") for j in range(20)])
    return profile.bytes()


@plant("pprof")
def mappings(n, value):
    profile = made.Profile(period=1000000)
    for i in range(1, n + 1):
        profile.parts.append(made.message(3, made.number(1, i) + made.number(2, i << 12) + made.number(3, i + 1 << 12) +
                                          made.number(5, profile.text(f"/{i:x}"))))
        profile.parts.append(made.message(4, made.number(1, i) + made.number(2, i) + made.number(3, (i << 12) + 1)))
        profile.sample([i], value)
    return profile.bytes()


@plant("pprof")
def hard_pattern(n, value):
    profile = made.Profile("(a+)+[0-9]+", period=1000000)
    for i in range(1, n + 1):
        profile.function(i, f"a{'a' * 28}{i}!")
        profile.location(i, [i])
        profile.sample([i], value)
    return profile.bytes()


@format_of("otlp")
def otlp(tree, value):
    return otlp_of(tree, value, {})


def otlp_of(tree, value, attributes):
    """One profile. A sample has all `attributes`, which have texts as values."""
    texts = {"": 0, "cpu": 1, "nanoseconds": 2}
    names, stacks, samples = {}, [b""], []

    def text(word):
        return texts.setdefault(word, len(texts))
    for stack in tree.stacks():
        for name in stack:
            names.setdefault(name, len(names) + 1)
        stacks.append(made.packed(1, [names[name] for name in reversed(stack)]))
        samples.append(made.number(1, len(stacks) - 1) + made.packed(2, range(1, len(attributes) + 1)) +
                       made.packed(4, [value]))
    table = [made.message(1, b""), made.message(2, b"")]
    table += [made.message(2, made.message(3, made.number(1, i))) for i in names.values()]
    table += [made.message(3, b"")] + [made.message(3, made.number(1, text(name))) for name in names]
    table += [made.message(6, b"")] + [made.message(6, made.number(1, text(key)) +
                                                    made.message(2, made.message(1, word.encode())))
                                       for key, word in attributes.items()]
    table += [made.message(7, stack) for stack in stacks]
    table += [made.message(5, word.encode()) for word in texts]
    profile = made.message(1, made.number(1, 1) + made.number(2, 2)) + b"".join(made.message(2, s) for s in samples)
    return made.message(1, made.message(2, made.message(2, profile))) + made.message(2, b"".join(table))


@plant("otlp")
def attributes(n, value):
    return otlp_of(wide(n), value, {f"k{i}": "v" * 20 for i in range(100)})


@format_of("otlp-json")
def otlp_json(tree, value):
    texts, names, stacks, samples = {"": 0, "cpu": 1, "nanoseconds": 2}, {}, [{}], []
    for stack in tree.stacks():
        for name in stack:
            names.setdefault(name, len(names) + 1)
        stacks.append({"locationIndices": [names[name] for name in reversed(stack)]})
        samples.append({"stackIndex": len(stacks) - 1, "values": [value]})
    functions = [{"nameStrindex": texts.setdefault(name, len(texts))} for name in names]
    return compact({"resourceProfiles": [{"scopeProfiles": [{"profiles": [
        {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "samples": samples}]}]}],
        "dictionary": {"mappingTable": [{}], "linkTable": [{}], "attributeTable": [{}],
                       "functionTable": [{}, *functions], "stackTable": stacks, "stringTable": list(texts),
                       "locationTable": [{}, *({"lines": [{"functionIndex": i}]} for i in names.values())]}})


@plant("otlp-json")
def empty_messages(n, value):
    return b'{"resourceProfiles":[' + b"{}," * n + b'{"x":%d}]}' % value


# ---- trees in JSON ---------------------------------------------------------------------------------------------------

@format_of("cpuprofile")
def cpuprofile(tree, value):
    nodes = [{"id": i + 1, "callFrame": {"functionName": tree.names[i]}, "children": [c + 1 for c in below]}
             for i, below in enumerate(tree.children())]
    sampled = [i + 1 for i, is_sampled in enumerate(tree.is_sampled) if is_sampled]
    return compact({"nodes": nodes, "startTime": 0, "endTime": 1, "samples": sampled,
                    "timeDeltas": [value] * len(sampled)})


@plant("cpuprofile")
def repeated_keys(n, value):
    return (b'{' + b'"nodes":[],"samples":[],' * n + b'"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],'
            b'"samples":[1],"timeDeltas":[%d]}' % value)


@plant("cpuprofile")
def many_keys(n, value):
    return b'{' + b"".join(b'"%x":0,' % i for i in range(n)) + (
        b'"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1],"timeDeltas":[%d]}' % value)


@plant("cpuprofile")
def nesting(n, value):
    return b'{"x":' + b"[" * n + b"]" * n + (
        b',"nodes":[{"id":1,"callFrame":{"functionName":"f"}}],"samples":[1],"timeDeltas":[%d]}' % value)


@plant("cpuprofile")
def children_again(n, value):
    """Every node names the same children."""
    count = max(int(n ** 0.5), 3)
    nodes = [{"id": i, "callFrame": {"functionName": f"f{i}"}, "children": list(range(2, count + 1))}
             for i in range(1, count + 1)]
    return compact({"nodes": nodes, "samples": [1, 2], "timeDeltas": [value] * 2})


@plant("cpuprofile")
def huge_numbers(n, value):
    return compact({"nodes": [{"id": 1, "callFrame": {"functionName": "f"}}], "samples": [1] * n,
                    "timeDeltas": [9223372036854775807, -9223372036854775807 + value] * (n // 2)})


@format_of("trace-events")
def trace_events(tree, value):
    nodes = [{"id": i + 1, "callFrame": {"functionName": name}, **({"parent": parent + 1} if parent >= 0 else {})}
             for i, (name, parent) in enumerate(zip(tree.names, tree.parents))]
    sampled = [i + 1 for i, is_sampled in enumerate(tree.is_sampled) if is_sampled]
    return compact([{"ph": "P", "pid": 1, "tid": 7, "id": "0x1", "name": "Profile", "args": {"data": {"startTime": 0}}},
                    {"ph": "P", "pid": 1, "tid": 7, "id": "0x1", "name": "ProfileChunk", "args": {"data": {
                        "cpuProfile": {"nodes": nodes, "samples": sampled}, "timeDeltas": [value] * len(sampled)}}}])


@plant("trace-events")
def many_profiles(n, value):
    """A profile of a thread of its own in each event."""
    return compact([{"ph": "P", "pid": i, "tid": 7, "id": f"{i:x}", "name": "ProfileChunk", "args": {"data": {
        "cpuProfile": {"nodes": [{"id": 1, "callFrame": {"functionName": "f"}}], "samples": [1]},
        "timeDeltas": [value]}}} for i in range(n)])


@plant("trace-events")
def many_chunks(n, value):
    """A profile in very many chunks."""
    return compact([{"ph": "P", "pid": 1, "tid": 7, "id": "1", "name": "ProfileChunk", "args": {"data": {
        "cpuProfile": {"nodes": [{"id": i + 1, "callFrame": {"functionName": f"{i:x}"},
                                  **({"parent": 1} if i else {})}], "samples": [i + 1]},
        "timeDeltas": [value]}}} for i in range(n)])


@plant("trace-events")
def other_events(n, value):
    return trace_events(wide(3), value)[:-1] + b',{"ph":"X","pid":1,"tid":2}' * n + b"]"


@format_of("heapprofile")
def heapprofile(tree, value):
    """Written without recursion. Only one root is possible."""
    below, out = tree.children(), []
    roots = [i for i, parent in enumerate(tree.parents) if parent < 0]
    left = [(node, False) for node in reversed(roots)]
    while left:
        node, is_left = left.pop()
        if is_left:
            out.append("]},")
            continue
        out.append('{"callFrame":{"functionName":%s},"selfSize":%d,"id":%d,"children":[' % (
            json.dumps(tree.names[node]), value * tree.is_sampled[node], node + 1))
        left.append((node, True))
        left.extend((child, False) for child in reversed(below[node]))
    text = "".join(out).replace(",]", "]").rstrip(",")
    return ('{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"id":0,"children":[%s]},"samples":[]}'
            % text).encode()


@plant("heapprofile")
def allocations(n, value):
    same_node = b'{"size":8,"nodeId":2,"ordinal":1},' * n
    return heapprofile(wide(3), value).replace(
        b'"samples":[]', b'"samples":[' + same_node + b'{"size":%d,"nodeId":2,"ordinal":9}]' % value)


@format_of("flamebearer")
def flamebearer(tree, value):
    below, names, levels = tree.children(), {"total": 0}, []
    width = [value * is_sampled for is_sampled in tree.is_sampled]
    for node in reversed(range(len(tree.names))):
        if tree.parents[node] >= 0:
            width[tree.parents[node]] += width[node]
    level, start = [(node, 0) for node, parent in enumerate(tree.parents) if parent < 0], 0
    total = sum(width[node] for node, _ in level)
    levels.append([0, total, 0, 0])
    while level:
        row, following, at = [], [], 0
        for node, start in level:
            name = names.setdefault(tree.names[node], len(names))
            row += [start - at, width[node], value * tree.is_sampled[node], name]
            at, inner = start + width[node], start
            for child in below[node]:
                following.append((child, inner))
                inner += width[child]
        levels.append(row)
        level = following
    return compact({"version": 1, "flamebearer": {"names": list(names), "levels": levels, "numTicks": total,
                                                  "maxSelf": value},
                    "metadata": {"format": "single", "units": "samples", "sampleRate": 100}})


@format_of("gecko")
def gecko(tree, value):
    return gecko_of([gecko_thread(tree, value)])


def gecko_of(threads):
    return compact({"meta": {"version": 27, "interval": 1, "startTime": 0, "categories": []}, "libs": [],
                    "threads": threads})


def gecko_thread(tree, value, tid=1):
    names = {}
    for name in tree.names:
        names.setdefault(name, len(names))
    sampled = [node for node, is_sampled in enumerate(tree.is_sampled) if is_sampled]
    return {"name": "m", "pid": 1, "tid": tid, "registerTime": 0, "stringTable": list(names),
            "frameTable": {"schema": {"location": 0}, "data": [[i] for i in range(len(names))]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1},
                           "data": [[parent if parent >= 0 else None, names[name]]
                                    for parent, name in zip(tree.parents, tree.names)]},
            "samples": {"schema": {"stack": 0, "time": 1},
                        "data": [[node, at * value] for at, node in enumerate(sampled)]},
            "markers": {"schema": {}, "data": []}}


@plant("gecko")
def threads(n, value):
    return gecko_of([gecko_thread(same(1), value, i) for i in range(n)])


@format_of("speedscope")
def speedscope(tree, value):
    names, samples = {}, []
    for stack in tree.stacks():
        samples.append([names.setdefault(name, len(names)) for name in stack])
    return speedscope_of(names, [{"type": "sampled", "name": "a", "unit": "microseconds", "startValue": 0,
                                  "endValue": 1, "samples": samples, "weights": [value] * len(samples)}])


def speedscope_of(names, profiles):
    return compact({"$schema": "https://www.speedscope.app/file-format-schema.json",
                    "shared": {"frames": [{"name": name} for name in names]}, "profiles": profiles})


@plant("speedscope")
def evented_chain(n, value):
    events = [{"type": kind, "frame": 0, "at": at + n * value * (kind == "C")} for kind in "OC" for at in range(n)]
    return speedscope_of("f", [{"type": "evented", "name": "a", "unit": "none", "startValue": 0,
                                "endValue": 2 * n * value, "events": events}])


@plant("speedscope")
def evented_comb(n, value):
    """Leaves open and close at the end of a chain."""
    events = [{"type": "O", "frame": 0, "at": 0}] * 400
    for at in range(n):
        events.append({"type": "O", "frame": 1, "at": 2 * at * value})
        events.append({"type": "C", "frame": 1, "at": (2 * at + 1) * value})
    events += [{"type": "C", "frame": 0, "at": 2 * n * value}] * 400
    return speedscope_of("fg", [{"type": "evented", "name": "a", "unit": "none", "startValue": 0,
                                 "endValue": 2 * n * value, "events": events}])


@plant("speedscope")
def profiles(n, value):
    return speedscope_of("f", [{"type": "sampled", "name": f"{i:x}", "unit": "none", "startValue": 0, "endValue": 1,
                                "samples": [[0]], "weights": [value]} for i in range(n)])


# ---- text ------------------------------------------------------------------------------------------------------------

@format_of("collapsed")
def collapsed(tree, value):
    return "".join(f"{';'.join(stack)} {value}\n" for stack in tree.stacks()).encode()


@plant("collapsed")
def tiny_frames(n, value):
    return b"".join(b"a;" * 1000 + b"%d %d\n" % (i, value) for i in range(n))


@format_of("perf-script")
def perf_script(tree, value):
    out = []
    for at, stack in enumerate(tree.stacks()):
        out.append(f"a 1/1 {at}.0: {value} cycles: \n")
        out += [f" 1 {name} (a)\n" for name in reversed(stack)]
        out.append("\n")
    return "".join(out).encode()


@plant("perf-script")
def events(n, value):
    """An event of its own in each sample."""
    return "".join(f"a 1/1 {at}.0: {value} e{at}: \n 1 f (a)\n\n" for at in range(n)).encode()


@plant("perf-script")
def programs(n, value):
    return "".join(f"p{at} {at}/1 {at}.0: {value} cycles: \n {at:x} f{at} (/{at})\n\n" for at in range(n)).encode()


CALLGRIND = "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir\n\n"


@format_of("callgrind")
def callgrind(tree, value):
    return (CALLGRIND + "".join(f"fn={chr(39).join(reversed(stack))}\n1 {value}\n"
                                for stack in tree.stacks())).encode()


@plant("callgrind")
def short_names(n, value):
    """One name of 10 000 callers, referred to by its number."""
    return (CALLGRIND + "fn=(1) " + "'".join("f" for _ in range(10000)) + "\n" + f"fn=(1)\n1 {value}\n" * n).encode()


@plant("callgrind")
def files(n, value):
    return (CALLGRIND + "".join(f"fl=({i}) {i:x}\nfn=({i}) {i:x}\n1 {value}\n" for i in range(1, n))).encode()


def addresses(tree):
    known = {}
    for stack in tree.stacks():
        yield " ".join(hex(0x401000 + known.setdefault(name, len(known)) * 16) for name in reversed(stack))


@format_of("debug-text")
def debug_text(tree, value):
    out = ["heap profile: 1: 1 [1: 1] @ heap/1048576\n"]
    for stack, text in zip(tree.stacks(), addresses(tree)):
        out.append(f"1: {value} [1: {value}] @ {text}\n")
        out += [f"#\t{at}\t{name}+0x1\t/a.go:1\n" for name, at in zip(reversed(stack), text.split(" "))]
        out.append("\n")
    return "".join(out).encode()


@plant("debug-text")
def bare_stacks(n, value):
    return ("heap profile: 1: 1 [1: 1] @ heap/1048576\n" + "".join(
        f"1: {value} [1: {value}] @ {' '.join('0x%x' % (i * j + 9) for j in range(9))}\n" for i in range(n))).encode()


@plant("debug-text")
def label_lines(n, value):
    words = ",".join(f'"k{i}":"v"' for i in range(200))
    stack = f"{value} @ 0x401040\n# labels: {{{words}}}\n#\t0x40103f\tf+0x1\t/a.go:7\n\n"
    return ("goroutine profile: total 4\n" + stack * n).encode()


@plant("debug-text")
def map_lines(n, value):
    maps = "".join(f"{i << 12:x}-{i + 1 << 12:x} r-xp 0 08:01 1 /{i:x}\n" for i in range(n, 0, -1))
    stacks = "".join(f"1: {value} [1: {value}] @ 0x{(i << 12) + 1:x}\n" for i in range(n))
    return (f"heap profile: 1: 1 [1: 1] @ heapprofile\n{stacks}\nMAPPED_LIBRARIES:\n{maps}").encode()


@format_of("jemalloc", has_names=False)
def jemalloc(tree, value):
    stacks = "".join(f"@ {text}\n  t*: 2: {value} [3: {value}]\n" for text in addresses(tree))
    return f"heap_v2/1000\n  t*: 3: 3000 [5: 5500]\n{stacks}\nMAPPED_LIBRARIES:\n{MAPS}".encode()


@plant("jemalloc")
def thread_lines(n, value):
    threads = "".join(f"  t{i}: 2: {value} [3: {value}]\n" for i in range(n))
    return f"heap_v2/1000\n  t*: 3: 3000 [5: 5500]\n{threads}@ 0x401001\n  t*: 2: {value} [3: {value}]\n".encode()


@format_of("gperftools", has_names=False)
def gperftools(tree, value):
    words, known = [0, 3, 0, 10000, 0], {}
    for stack in tree.stacks():
        words += [value, len(stack)]
        words += [0x401001 + known.setdefault(name, len(known)) * 16 for name in reversed(stack)]
    words += [0, 1, 0]
    return struct.pack("<%dI" % len(words), *words) + MAPS.encode()


@plant("gperftools")
def gperftools_maps(n, value):
    maps = "".join(f"{i << 12:x}-{i + 1 << 12:x} r-xp 0 08:01 1 /{i:x}\n" for i in range(n, 0, -1))
    return gperftools(wide(10), value) + maps.encode()


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


# ---- summaries of runs (docs/summary.proto) --------------------------------------------------------------------------

SUMMARY_MARK = made.message(14, b"pprofgate run summaries")


def summary_of(names, stacks, runs, labels=(), texts=("",)):
    """A part. Location N is function N, whose name is names[N - 1]. Stacks are lists of locations, leaf first. `labels`
    are the bytes of sets of labels. `texts` are strings beside the names."""
    strings = ["", "cpu", "nanoseconds", *texts, *names]
    first = len(strings) - len(names)
    tables = [made.message(4, made.number(1, i) + made.message(4, made.number(1, i))) +
              made.message(5, made.number(1, i) + made.number(2, first + i - 1)) for i in range(1, len(names) + 1)]
    tables += [made.message(6, text.encode()) for text in strings]
    return SUMMARY_MARK + made.message(15, b"".join((
        made.number(1, 1), made.message(2, b"".join(tables)), *(made.packed(3, stack) for stack in stacks),
        *(made.message(4, each) for each in labels), *(made.message(5, run) for run in runs))))


def summary_run(stacks, values, name="r", labels=(), types=1, header=b""):
    """A run. `stacks` are indices in increasing order. Several sample types have the same values. Strings from 3 on are
    their names."""
    steps = [stack - before for stack, before in zip(stacks, [0, *stacks])]
    kinds = b"".join(made.message(1, made.number(1, 1 if i == 0 else 2 + i) + made.number(2, 2)) for i in range(types))
    columns = [made.number(1, 1) + made.packed(2, [2 * value for value in values])]
    columns += [made.number(1, 1) + made.number(3, 1)] * (types - 1)
    return b"".join((made.message(1, name.encode()), made.message(2, kinds + header), made.packed(3, steps),
                     made.packed(4, labels) if labels else b"", *(made.message(5, column) for column in columns)))


@format_of("summary")
def summary(tree, value):
    names = {}
    for name in tree.names:
        names.setdefault(name, len(names) + 1)
    stacks = [[names[name] for name in reversed(stack)] for stack in tree.stacks()]
    return summary_of(list(names), stacks, [summary_run(range(len(stacks)), [value] * len(stacks))])


@plant("summary")
def one_deep_stack(n, value):
    """All samples of a run have one stack of 16,000 frames."""
    return summary_of(["f", "g"], [[1, 2] * 8000], [summary_run([0] * n, [value] * n)])


@plant("summary")
def runs_over_a_table(n, value):
    """Many runs of one sample each, over a table with as many functions. Each run has a name of its own."""
    return summary_of([f"{i:x}" for i in range(n)], [[1]],
                      [summary_run([0], [(value << 20) + i], f"{i:x}") for i in range(n)])


@plant("summary")
def runs_of_one_name(n, value):
    return summary_of(["f"], [[1]], [summary_run([0], [(value << 20) + i]) for i in range(n)])


@plant("summary")
def labels_again(n, value):
    """All samples have the same 200 labels."""
    pair = made.message(3, made.number(1, 3) + made.number(2, 4))
    return summary_of(["f"], [[1]], [summary_run([0] * n, [value] * n, labels=[1] * n)], [pair * 200], ["key", "text"])


@plant("summary")
def many_labels(n, value):
    """Each sample has its own set of labels."""
    sets = [made.message(3, made.number(1, 3) + made.number(3, i)) for i in range(1, n + 1)]
    return summary_of(["f"], [[1]], [summary_run([0] * n, [value] * n, labels=range(1, n + 1))], sets, ["key"])


@plant("summary")
def many_columns(n, value):
    """60 sample types that share their values."""
    return summary_of(["f"], [[1]], [summary_run([0] * n, [value] * n, types=60)],
                      texts=[f"t{i}" for i in range(60)])


@plant("summary")
def text_in_each_run(n, value):
    """Each run has the same comment of 20 kB."""
    comment = made.number(13, 3)
    return summary_of(["f"], [[1]], [summary_run([0], [(value << 20) + i], f"{i:x}", header=comment) for i in range(n)],
                      texts=["c" * 20000])


@plant("summary")
def lines_in_each_run(n, value):
    """Each run has a location of 4,000 inlined calls."""
    body = made.number(1, 1) + made.message(4, made.number(1, 1)) * 4000
    tables = made.message(4, body) + made.message(5, made.number(1, 1) + made.number(2, 3))
    tables += b"".join(made.message(6, text) for text in (b"", b"cpu", b"nanoseconds", b"f"))
    runs = b"".join(made.message(5, summary_run([0], [(value << 20) + i], f"{i:x}")) for i in range(n))
    return SUMMARY_MARK + made.message(15, made.number(1, 1) + made.message(2, tables) + made.packed(3, [1]) + runs)


# ---- sizes -----------------------------------------------------------------------------------------------------------

COUNT_MOST = 1 << 20  # input that gzip compresses well reaches no other limit
ENDINGS = {"summary": ".pgsum"}  # formats that are read only from files of this name


def sized(name, kind, most, raw_most, is_packed, count=2, start=1):
    """Return `count` files of a plant that differ, each of at most `most` bytes as stored, `raw_most` before gzip, and
    the plant's `n`. The search begins with `start`."""
    make = FORMATS[name][kind]

    def stored(n, value):
        raw = make(n, value)
        if raw[:2] == b"\x1f\x8b":
            return raw, len(gzip.decompress(raw))
        return (gzip.compress(raw, 6) if is_packed else raw), len(raw)
    n, best = start, None
    while True:
        data, raw = stored(n, 1000)
        if len(data) > most or raw > raw_most:
            break
        best = n
        grow = min(most / len(data), raw_most / raw)
        if grow < 1.1 or n >= COUNT_MOST:
            break
        n = max(n + 1, int(n * min(grow * 0.97, 8)))
    while best is None or n > best + max(best // 8, 1):  # n is too large: try a size between the two
        middle = (n + (best or 0)) // 2
        if middle == 0:
            raise AssertionError(f"{name} {kind}: one of it exceeds {most} bytes")
        data, raw = stored(middle, 1000)
        n, best = (n, middle) if len(data) <= most and raw <= raw_most else (middle, best)
    return *(stored(best, 1000 + i)[0] for i in range(count)), best
