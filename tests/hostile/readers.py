# SPDX-License-Identifier: Apache-2.0
"""Hostile files of each input format, in FORMATS of `trees`. Those of recordings and of profilers of one language or
tool are in `recordings`."""
import gzip
import json
import struct

import made
import recordings  # noqa: F401 - adds its formats
from trees import FORMATS, MAPS, addresses, compact, format_of, plant, same, wide


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
