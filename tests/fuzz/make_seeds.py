#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seed inputs of each fuzz target TARGET to FOLDER/TARGET. None of them is a real profile.

usage: make_seeds.py FOLDER
"""
import gzip
import json
import os
import re
import struct
import sys

import jfr_seeds

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(ROOT, "tests", "rules"))
import values  # noqa: E402
sys.path.insert(0, os.path.join(ROOT, "tests", "evade"))
from pprof import field as message, field as number, varint  # noqa: E402


def packed(field, values):
    return message(field, b"".join(varint(v) for v in values))


def strings(extra=()):
    words = ["", "samples", "count", "cpu", "nanoseconds", "main.main", "main.leaf.func1", "a.go", "key", "value", "bytes"]
    return b"".join(message(6, w.encode() if isinstance(w, str) else w) for w in words + list(extra))


def types(*columns):
    return b"".join(message(1, number(1, a) + number(2, b)) for a, b in columns)


def tables():
    lines = [message(4, number(1, 1) + number(2, 10)), message(4, number(1, 2) + number(2, 20))]
    return (message(3, number(1, 1) + number(2, 4096) + number(3, 8192) + number(5, 7))
            + message(4, number(1, 1) + number(2, 1) + number(3, 5000) + lines[0])
            + message(4, number(1, 2) + lines[1] + lines[0])
            + message(5, number(1, 1) + number(2, 5) + number(3, 5) + number(4, 7))
            + message(5, number(1, 2) + number(2, 6)))


def pprof_seeds():
    two = types((1, 2), (3, 4))
    plain = two + message(2, packed(1, [2, 1]) + packed(2, [3, 30])) + tables() + strings()
    labels = message(3, number(1, 8) + number(2, 9)) + message(3, number(1, 8) + number(3, 4096) + number(4, 10))
    yield "plain", plain
    yield "unpacked", two + message(2, number(2, 3) + number(2, 30) + number(1, 2) + number(1, 1)) + tables() + strings()
    yield "labels", two + message(2, packed(1, [1]) + packed(2, [1, 2**64 - 5]) + labels) + tables() + strings()
    yield "headers", (plain + number(7, 5) + number(8, 6) + number(9, 77) + number(10, 99)
                      + message(11, number(1, 3) + number(2, 4)) + number(12, 10) + number(13, 8) + packed(13, [9]) + number(14, 3))
    big = 1 << 60
    yield "large_ids", (two + message(2, packed(1, [big]) + packed(2, [1, 1])) + message(4, number(1, big) + message(4, number(1, big)))
                        + message(5, number(1, big) + number(2, 5)) + strings([b"caf\xe9\0x"]))
    yield "unknown_fields", plain + message(99, b"later") + number(98, 1) + varint(97 << 3 | 1) + b"12345678" + varint(96 << 3 | 5) + b"1234"
    yield "empty_stack", two + message(2, packed(2, [1, 1])) + strings()
    deep = [packed(1, [1 + (i % 450 >> bit & 1) for bit in range(18)]) for i in range(700)]
    samples = [message(2, deep[i] + packed(2, [1, i + 1]) + (labels if i % 9 == 0 else b"")) for i in range(len(deep))]
    yield "repeated_stacks", two + b"".join(samples[:300]) + tables() + b"".join(samples[300:]) + strings()
    yield "heap", types((1, 2), (3, 10)) + message(2, packed(1, [1]) + packed(2, [8, 524288])) + tables() + strings() + message(11, number(2, 10)) + number(12, 524288)


def inflate_seeds():
    a = gzip.compress(b"profile " * 50, mtime=0)
    yield "one", a
    yield "two", a + gzip.compress(b"x", mtime=0)
    yield "garbage", a + b"tail"
    yield "cut", a[:-5]
    yield "zeros", gzip.compress(bytes(200000), mtime=0)
    yield "zstd", bytes.fromhex("28b52ffd04000900006869f2e2a2a9")[:13]
    yield "zstd_raw_block", b"\x28\xb5\x2f\xfd\x20\x03\x19\x00\x00abc"


def gperftools_seeds():
    words = [0, 3, 0, 10000, 0, 2, 2, 0x401000, 0x402001, 1, 1, 0x401010, 0, 1, 0]
    maps = b"00400000-00410000 r-xp 00000000 08:01 99   /bin/app\n00500000-00600000 rw-p 0 08:01 1 x\n"
    for name, layout in (("le64", "<%dQ"), ("be64", ">%dQ"), ("le32", "<%dI"), ("be32", ">%dI")):
        yield name, struct.pack(layout % len(words), *words) + maps
    slots = [0, 4, 0, 10000, 0, 7] + words[5:]
    yield "slots", struct.pack("<%dQ" % len(slots), *slots)


MAPS = b"00400000-00410000 r-xp 00000000 08:01 99   /bin/app\n00500000-00600000 rw-p 0 08:01 1 x\n"


def debug_text_seeds():
    named = b"#\t0x40103f\tmain.run+0x20\t/srv/main.go:7\n\n"
    yield "heap", b"heap profile: 2: 8192 [5: 20480] @ heap/1048576\n2: 8192 [5: 20480] @ 0x401040 0x401080\n" + named
    yield "gperftools", b"heap profile:  1: 9 [  1: 9] @ heapprofile\n  1: 9 [ 1: 9] @ 0x401040\n\nMAPPED_LIBRARIES:\n" + MAPS
    yield "mutex", b"--- mutex:\ncycles/second=2400000000\nsampling period=5\n480000 2 @ 0x401040 0x401080\n" + named
    yield "contentionz", b"--- contentionz 1 ---\nms since reset = 7\n5 2 @ 0x401040\n--- Memory map: ---\n" + MAPS
    yield "goroutine", b"goroutine profile: total 4\n3 @ 0x401040 0x0\n# labels: {\"a\":\"b\"}\n" + named + b"1 @ 0x9\n#\t0x8\n"


def jemalloc_seeds():
    yield "plain", (b"heap_v2/1000\n  t*: 3: 3000 [5: 5500]\n  t0: 3: 3000 [5: 5500]\n@ 0x401011 0x402001\n"
                    b"  t*: 2: 2000 [3: 3000]\n  t0: 2: 2000 [3: 3000]\n\nMAPPED_LIBRARIES:\n" + MAPS)
    yield "no_alloc", b"heap_v2/1\nt*: 1: 7 [0: 0]\n@ 0x9\nt*: 1: 7 [0: 0]\n"


def collapsed_seeds():
    yield "plain", b"main;run;leaf 3\nmain;run 1\n"
    yield "comments", b"# by hand\r\n\r\nmain;a b (x.py:3)\t4\r\nalone 2"
    yield "empty_frames", b";;a;;b 1\n"
    yield "threads", b"thread (7): a;b;f (a.py:1) 1\n[x tid=7];f;g 2\nprocess 1:\"a;b\";thread (0x7f);f 3\n"
    yield "cpython", b"tid:7;shop.py:main:3;<GC> 2\n"
    yield "difffolded", b"a;b 1 2\n"


def cpuprofile_seeds():
    frame = '"callFrame":{"functionName":"%s","url":"a.js","lineNumber":%d}'
    nodes = ['{"id":1,%s,"children":[2,3]}' % (frame % ("(root)", -1)), '{"id":2,%s}' % (frame % ("f", 1)),
             '{"id":3,%s}' % (frame % ("(idle)", -1))]
    yield "plain", ('{"nodes":[%s],"startTime":10,"endTime":99,"samples":[2,3,2],"timeDeltas":[1,20,-5]}' % ",".join(nodes)).encode()
    calls = '{"id":2,"functionName":"f","url":"a.js","lineNumber":3,"hitCount":2,"children":[{"id":3,"functionName":"(idle)"}]}'
    head = '"head":{"id":1,"functionName":"(root)","hitCount":0,"children":[%s]}' % calls
    yield "nested", ('{"typeId":"CPU",%s,"startTime":1,"endTime":1.5,"samples":[2,3,2],"timestamps":[1000001,1000020,1000009]}' % head).encode()
    yield "parents", ('{"nodes":[{"id":1,%s},{"id":2,"parent":1,%s}],"samples":[2],"timeDeltas":[1]}'
                      % (frame % ("(root)", -1), frame % ("", 0))).encode()


def heapprofile_seeds():
    call = '"callFrame":{"functionName":"%s","url":"a.js","lineNumber":%d}'
    leaf = '{%s,"selfSize":300,"id":3,"children":[]}' % (call % ("", 9))
    head = '{"head":{%s,"selfSize":0,"id":1,"children":[{%s,"selfSize":8,"id":2,"children":[%s]}]}' % (call % ("(root)", -1), call % ("f", 1), leaf)
    yield "plain", (head + ',"samples":[{"size":150,"nodeId":3,"ordinal":2},{"size":8,"nodeId":2,"ordinal":5}]}').encode()
    yield "no_samples", (head + "}").encode()


def flamebearer_seeds():
    text = '{"version":1,"flamebearer":{"names":["total","main","leaf"],"levels":[%s],"numTicks":10,"maxSelf":4},"metadata":{"format":"%s","sampleRate":%d,"units":"%s"}}'
    yield "plain", (text % ("[0,10,0,0],[0,6,2,1,0,4,2,2],[1,1,1,2,1,3,3,2]", "single", 100, "samples")).encode()
    yield "nanoseconds", (text % ("[0,5,2,0],[1,3,3,1,0,0,0,2]", "single", 1000000000, "samples")).encode()
    yield "double", (text % ("[0,5,2,0,5,2,0]", "double", 100, "bytes")).encode()


def stackprof_seeds():
    frames = '"7":{"name":"main","file":"a.rb","line":3,"total_samples":5,"samples":1},"9":{"name":"f","total_samples":4,"samples":4}'
    text = '{"version":1.2,"mode":"%s","interval":1000,"samples":5,"frames":{%s}%s}'
    yield "raw", (text % ("cpu", frames, ',"raw":[2,7,9,3,1,7,2]')).encode()
    yield "flat", (text % ("object", frames, "")).encode()


def dhat_seeds():
    site = '{"tb":100,"tbk":4,"gb":30,"gbk":2,"eb":10,"ebk":1,"fs":[1,2,3,4]}'
    table = '"ftbl":["[root]","0x48: malloc (in /lib/v (deleted))","0x49: f(int) (a.c:65)","0x4A: ???","g (m.rs:3:9)"]'
    yield "heap", ('{"dhatFileVersion":2,"mode":"heap","bklt":true,"pps":[%s],%s}' % (site, table)).encode()
    yield "ad_hoc", ('{"dhatFileVersion":2,"mode":"ad-hoc","bklt":false,"pps":[%s],%s}' % (site, table)).encode()


def massif_seeds():
    head = ("desc: %s\ncmd: ./shop 9\ntime_unit: i\n#-----------\nsnapshot=0\n#-----------\ntime=9\nmem_heap_B=60\n"
            "mem_heap_extra_B=8\nmem_stacks_B=0\nheap_tree=peak\n")
    root = "n2: 60 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
    tree = " n1: 50 0x109180: text_new (shop.c:9)\n  n0: 50 0x1092DD: main (shop.c:29)\n"
    cut = " n0: 10 in 3 places, all below massif's threshold (1.00%)\n"
    yield "exact", ((head % "--threshold=0 --peak-inaccuracy=0") + root + tree + " n0: 10 0x10A: ??? (in /bin/shop)\n").encode()
    yield "cut", ((head % "(none)") + root + tree + cut + "#-----------\nsnapshot=1\nheap_tree=empty\n").encode()


def pyinstrument_seeds():
    leaf = '{"function":"%s","file_path":"a.py","line_no":3,"time":%s,"children":[%s]}'
    tree = leaf % ("main", "1.0", ",".join((leaf % ("f", "0.5", leaf % ("[self]", "0.25", "")), leaf % ("g", "0.25", ""))))
    yield "plain", ('{"duration":1.0,"sample_count":10,"root_frame":%s}' % tree).encode()


def scalene_seeds():
    entry = '[["/a.py <module>:12;","/a.py f:3;"],{"count":3,"python_time":0.25,"c_time":0.5,"cpu_samples":1}]'
    yield "plain", ('{"alloc_samples":5,"files":{},"growth_rate":1.0,"stacks":[%s]}' % entry).encode()


def bpftrace_seeds():
    yield "plain", b"Attaching 1 probe...\n\n@[\n    leaf+20\n    0x7fe9\n    main(int)+24\n]: 79\n@[]: 4\n@n: 842\n@h[b]: 3\n"
    yield "keys", b"@s[7, b, \n\t562e leaf+20 (/bin/b)\n\t7f [unknown] (/lib/c)\n]: 9\n@s[\n    schedule+35\n, \n    main+1\n, b]: 1\n"


def dtrace_seeds():
    pad = b" " * 14
    yield "plain", (b"CPU     ID                    FUNCTION:NAME\n  0  88888                       :tick-10s \n\n"
                    + pad + b"libc.so.1`read+0xa\n" + pad + b"shop`main+0x30\n" + pad + b"shop`0x80506d8\n               12\n\n"
                    + pad + b"0x7fe9\n                3\n\n                7\n")
    yield "keys", (b"\n  shop   \n" + pad + b"unix`swtch+0x1\n\n" + pad + b"libc++.1.dylib`operator+(int)+0x3\n" + pad
                   + b"[ a.py:3 (f) ]\n                9\n     1234\n" + pad + b"shop`-[A run]\n                1\n")
    yield "cut", b"\n" + pad + b"a`b+0x1\n  5\n" + pad + b"a`c\n"


def austin_seeds():
    head = "# austin: 3.6.0\n# interval: 1000\n# mode: %s\n\n"
    yield "wall", (head % "wall" + "P7;T0:7;a.py:<module>:12;a.py:f:3 1500\nP7;T0:7 20\nP7;T0:8;:GC: 1\n\n# duration: 9\n").encode()
    yield "full", (head % "full" + "P7;T0:7;a.py:f:3 1500,0,-40\nP7;T0:7;a.py:f:3 70,1,8\n").encode()


def callgrind_seeds():
    head = b"# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npositions: line\nevents: Ir Dr\n\n"
    yield "plain", (head + b"ob=(1) /bin/app\nfl=(1) a.c\nfn=(1) main\n10 100 7\n+3 5\ncob=(2) libc.so\ncfi=(2) m.c\ncfn=(2) malloc\n"
                    b"calls=3 0\n* 900 90\nfi=(3) i.h\n-2 1\nfe=(1)\nob=(2)\nfl=(2)\nfn=(2)\n0 900 90\n\ntotals: 1006 97\n")
    yield "callers", head + b"fl=a.c\nfn=(1) walk'2'walk'main\n1 5\nfn=(2) walk'main\n1 3\nfn=(1)\n2 1\nfn=main\n1 2\n"
    yield "instr", b"# callgrind format\nevents: Ir\npositions: instr line\nfn=f\n0x401000 12 5\n+4 * 6\njcnd=3/4 0x401000 12\n+4 +1\n"


def speedscope_seeds():
    head = '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"f","file":"a","line":1},{"name":"g"}]},'
    sampled = '{"type":"sampled","unit":"microseconds","samples":[[0,1],[]],"weights":[1.5,2]}'
    events = '{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},{"type":"C","frame":1,"at":3}'
    evented = '{"type":"evented","unit":"seconds","startValue":0,"endValue":9,"events":[%s]}' % events
    yield "sampled", (head + '"profiles":[%s]}' % sampled).encode()
    yield "evented", (head + '"profiles":[%s]}' % evented).encode()


def metrics_seeds():
    head = b"# HELP r_total requests\n# TYPE r_total counter\n"
    yield "prometheus", head + b'r_total{e="/a",code="200"} 1027 1395066363000\nr_total{e="b\\"\\\\\\n",} 3e+02\n'
    yield "openmetrics", (b"# TYPE r counter\n# UNIT r x\nr_total{e=\"a\"} 17.0 1.5 # {trace=\"x\"} 0.67 1.2\n"
                          b"r_created{e=\"a\"} 1.7e9\nprocess_start_time_seconds 1.7e9\n# EOF\n")
    yield "quoted", b'?a.b{c="d"}\n{"a.b",c="d"} +Inf\nother NaN\n'
    yield "selector", b'?r_total{code=~"2..",e!="/healthz",x!~"a|b"}\n' + head + b'r_total{code="200",e="/a"} 1\n'
    yield "gauge", b"# TYPE r_total gauge\nr_total 1\n"
    yield "page", b"<!doctype html><html>"


def manifest_seeds():
    run = ('{"round":1,"side":"%s","kind":"cpu","file":"%s","source":"http://h:6060/debug/pprof/profile?seconds=30",'
           '"instance":"h:6060","start_ms":1700000000000,"end_ms":1700000030000,"work":1250,'
           '"work_by":[{"label":"endpoint","value":"/a","work":1250}],"revision":"abc","digest":"%s"}')
    head = '{"schema":"pprofgate-manifest/1","host":{"cpus":2,"cpu_model":"x","kernel":"Linux","load":0.5},"interleaved":true,'
    runs = [run % (side, "cpu-001-%s.pb.gz" % side, "0" * 64) for side in ("baseline", "canary")]
    yield "pair", (head + '"runs":[%s]}' % ",".join(runs)).encode()
    yield "none", (head + '"runs":[]}').encode()
    yield "outside", (head + '"runs":[%s]}' % (run % ("canary", "../x", "0" * 64))).encode()
    yield "other", b'{"schema":"pprofgate-manifest/9","runs":[]}'


def record_seeds():
    head = ('{"schema":"pprofgate-baseline/1","service":"shop","environment":"ci","revision":"%s","verdict":"fail",'
            '"reason":"the law","tool":"pprofgate 0.1.0","accepted_ms":1790000000000,"facts":[{"key":"go","value":"1.26"}],')
    run = ('{"object":"%s","name":"a.pb.gz","kind":"cpu","types":"samples/count cpu/nanoseconds","language":"Go",'
           '"period_type":"cpu/nanoseconds","bytes":7,"period":10000000,"taken_ns":1700000000000000000,"samples":9,'
           '"work":12.5,"work_by":[{"label":"endpoint","value":"/a","work":12.5}]}')
    yield "whole", (head % "abc" + '"runs":[%s]}' % (run % ("0" * 64))).encode()
    yield "bare", (head % "abc" + '"runs":[{"object":"%s","kind":"heap"}]}' % ("f" * 64)).encode()
    yield "option", (head % "--upload-pack=x" + '"runs":[%s]}' % (run % ("0" * 64))).encode()
    yield "escape", (head % "abc" + '"runs":[%s]}' % (run % "../../../etc/passwd")).encode()
    yield "none", (head % "abc" + '"runs":[]}').encode()
    yield "report", b'{"schema_version":1,"verdict":"fail","canary":{"runs":[{"digest":"ff"}]},"comparisons":[]}'


def names_seeds():
    """The example of each rule for stable names."""
    source = open(os.path.join(ROOT, "gate", "names", "stable_rules.c"), encoding="utf-8").read()
    table = source.split("gate_name_stable_rules[] = {")[1].split("{NULL")[0]
    for language, rule, example in re.findall(r'\{"([^"]+)", "([^"]+)",\s*"([^"]+)",', table):
        yield re.sub(r"[^a-z0-9]+", "_", (language + " " + rule).lower()).strip("_"), example.encode()


def check_seeds():
    """A byte of options, then baseline, canary, rules and second runs (fuzz_check.c)."""
    same = "".join(f"main;serve;step{i} {40 + i}\n" for i in range(12))
    grown = same.replace("step3 43", "step3 400")
    runtime = same + "main;serve;step3;runtime.mallocgc 300\n"
    rules = "version: 1\nbudgets:\n  - name: step\n    select: {function: '^step'}\n    measure: charged\n    limit: '+5pp'\n"
    odd = same + "main;<b>x</b>;::error file=x::y 90\nmain;]]>;## 12\n"

    def seed(ways, *parts):
        return bytes([ways]) + "\n%%\n".join(parts).encode()
    yield "pass", seed(0, same, same.replace("step3 43", "step3 44"))
    yield "fail", seed(0, same, grown)
    yield "rules", seed(0, same, grown, rules)
    yield "two_runs", seed(2, same, grown, rules, same.replace("step1", "step2"), grown)
    yield "runtime", seed(16, same, runtime)
    yield "few", seed(0, "a;b 1\n", "a;c 1\n")
    yield "odd", seed(16, same, odd)
    yield "renamed", seed(4, same, grown.replace("step3", "other"))
    plain = dict(pprof_seeds())["plain"]
    yield "pprof", bytes([8]) + plain + b"\n%%\n" + plain
    yield "no_profile", seed(0, "<html>", same)


def otlp_seeds():
    """A message in the layout of each OTLP version: two functions, and a sample with attribute, link and timestamps."""
    texts = [b"", b"cpu", b"nanoseconds", b"main", b"leaf", b"key", b"bytes", b"libc.so.6"]
    value = message(2, number(3, 5))
    tables = {"mapping": [b"", number(1, 4096) + number(2, 8192) + number(4, 7)],
              "location": [b"", number(1, 1) + number(2, 4100) + message(3, number(1, 1) + number(2, 9)), message(3, number(1, 2))],
              "function": [b"", number(1, 3), number(1, 4)],
              "link": [b"", message(1, bytes(range(16))) + message(2, bytes(range(8)))],
              "string": texts, "attribute": [b"", number(1, 5) + value + number(3, 6)],
              "old_attribute": [b"", message(1, b"key") + value], "unit": [number(1, 5) + number(2, 6)],
              "stack": [b"", packed(1, [2, 1])]}
    times = message(5, struct.pack("<QQ", 1000, 2000))
    kind = number(1, 1) + number(2, 2)
    resource = message(1, message(1, message(1, b"service.name") + message(2, message(1, b"shop"))))

    def put(names):
        return b"".join(message(field, entry) for field, name in names for entry in tables[name])

    def whole(profile):
        scope = message(1, message(3, message(1, b"pprof.scope.default_sample_type") + message(2, message(1, b"cpu"))))
        return message(1, resource + message(2, scope + message(2, profile)))

    slices = message(1, kind) + message(2, number(2, 2) + packed(3, [7]) + packed(4, [1]) + number(5, 1) + packed(6, [1000]))
    shared = [(1, "mapping"), (2, "location"), (3, "function"), (4, "link"), (5, "string")]
    new = message(2, put(shared + [(6, "attribute"), (7, "stack")]))
    yield "proto_1_5", whole(slices + packed(5, [2, 1]) + put([(3, "mapping"), (4, "location"), (6, "function"), (7, "old_attribute"),
                                                               (8, "unit"), (9, "link"), (10, "string")]))
    yield "proto_1_7", whole(slices + packed(3, [2, 1])) + message(2, put(shared + [(6, "old_attribute"), (7, "unit")]))
    yield "proto_1_8", whole(message(1, kind) + message(2, number(1, 1) + packed(2, [3, 4]) + packed(3, [1]) + number(4, 1) + times)) + new
    yield "proto_1_11", new + whole(message(1, kind) + message(2, number(1, 1) + packed(2, [1]) + number(3, 1) + times) + number(4, 10)
                                    + message(5, kind) + number(6, 10) + message(7, bytes(range(1, 17))))
    framed = new + whole(message(1, kind) + message(2, number(1, 1) + packed(4, [3])))
    yield "framed", struct.pack(">I", len(framed)) + framed


def otlp_json_seeds():
    """A message with a value of each kind, two messages on two lines, older key names, and refused messages."""
    attributes = [{}, {"keyStrindex": 5, "value": {"bytesValue": "Y2E="}, "unitStrindex": 2},
                  {"keyStrindex": 5, "value": {"arrayValue": {"values": [
                      {"doubleValue": 1.5}, {"boolValue": True}, {"intValue": "-3"}]}}}]
    sample = {"stackIndex": 1, "attributeIndices": [1, 2], "linkIndex": 1, "values": ["7"], "timestampsUnixNano": ["1000"]}
    profile = {"sampleType": {"typeStrindex": 1, "unitStrindex": 2}, "samples": [sample], "timeUnixNano": "5",
               "durationNano": 9, "period": "-1", "profileId": bytes(range(16)).hex()}
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}},
                               {"keyStrindex": 5, "value": {"stringValueStrindex": 4}}]}
    whole = json.dumps({
        "resourceProfiles": [{"resource": resource, "scopeProfiles": [{"scope": {"name": "s"}, "profiles": [profile]}]}],
        "dictionary": {
            "mappingTable": [{}, {"memoryStart": "4096", "memoryLimit": "8192", "filenameStrindex": 5}],
            "locationTable": [{}, {"mappingIndex": 1, "address": "4100", "lines": [{"functionIndex": 1, "line": "9"}]}],
            "functionTable": [{}, {"nameStrindex": 3}],
            "linkTable": [{}, {"traceId": "1".zfill(32), "spanId": "2".zfill(16)}],
            "stringTable": ["", "cpu", "nanoseconds", "main", "leaf", "key"],
            "attributeTable": attributes, "stackTable": [{}, {"locationIndices": [1]}]}}) + "\n"
    deep = '{"arrayValue":{"values":[' * 40 + "{}" + "]}}" * 40
    for name, text in (("whole", whole), ("lines", whole * 2), ("odd", whole.replace('["7"]', "[7.5]")), ("cut", whole[:400]),
                       ("older", whole.replace('"samples":', '"sample":').replace('"lines":', '"line":')),
                       ("deep", '{"resourceProfiles":[{"resource":{"attributes":[{"key":"k","value":%s}]}}]}' % deep)):
        yield name, text.encode()


def perf_script_seeds():
    stack = "\t    10 f(int)+0x1 (/bin/a b (deleted))\n  a.c:12\n\t    12 inner (inlined)\n\t    99 [unknown] ([unknown])\n\n"
    yield "events", (f"# hostname : x\nmy app 12/13 [001]  1.000001:  3 page-faults:u: \n{stack}"
                     f"my app 12/13 [001]  1.5:  700 cycles:P: \n{stack}").encode()
    yield "flat", b"            dd 13768  2100.095570:    5000000 cpu-clock:      7f8b3e452f52 isalnum+0x12 (/usr/lib/c.so)\n"
    yield "tracepoint", f"dd 1 [000]  5.000000: sched:sched_switch: prev_comm=dd ==> next_comm=x\n{stack}".encode()


def perf_data_seeds():
    """A file of either byte order, one event, a mapping, a fork, a name and two samples; and a pipe."""
    def record(order, kind, misc, body):
        return struct.pack(order + "IHH", kind, misc, 8 + len(body)) + body

    for name, order, magic, flags in (("little", "<", b"PERFILE2", 1 << 18), ("big", ">", b"2ELIFREP", 1 << 45)):
        def tail(time):
            return struct.pack(order + "QQ", 0, time)

        attr = struct.pack(order + "IIQQQQQ", 1, 128, 0, 0, 0x127, 0, flags) + bytes(80)
        data = record(order, 1, 2, struct.pack(order + "IIQQQ", 7, 7, 0x400000, 0x3000, 0) + b"/srv/shop".ljust(16, b"\0") + tail(1))
        data += record(order, 10, 1, struct.pack(order + "IIQQQ", 0xffffffff, 0, 1 << 63, 1 << 30, 1 << 63) + bytes(24) +
                       struct.pack(order + "II", 5, 2) + b"[kernel.kallsyms]_text".ljust(24, b"\0") + tail(0))
        data += record(order, 7, 0, struct.pack(order + "IIIIQ", 8, 7, 8, 7, 2) + tail(2))
        data += record(order, 3, 0, struct.pack(order + "II", 8, 8) + b"shop".ljust(8, b"\0") + tail(3))
        for time, chain in ((5, (2**64 - 128, (1 << 63) + 16, 2**64 - 512, 0x400010, 0x400021)), (4, (2**64 - 512, 0x400010))):
            data += record(order, 9, 2, struct.pack(order + "QIIQQQ", 0x400010, 8, 8, time, 100, len(chain)) +
                           struct.pack(f"{order}{len(chain)}Q", *chain))
        names = struct.pack(order + "II", 1, 128) + attr + struct.pack(order + "II", 1, 16) + b"cpu-clock:u".ljust(16, b"\0") + bytes(8)
        ids = record(order, 0, 1 << 15, struct.pack(order + "I", 7) + bytes(range(20)) + b"\x08\0\0\0" + b"/srv/shop".ljust(16, b"\0"))
        place = 104 + 144 + len(data) + 32
        features = struct.pack(order + "QQQQ", place, len(ids), place + len(ids), len(names)) + ids + names
        head = magic + struct.pack(order + "12Q", 104, 144, 104, 144, 248, len(data), 0, 0, 1 << 2 | 1 << 12, 0, 0, 0)
        yield name, head + attr + bytes(16) + data + features
        if name == "little":
            yield "pipe", (magic + struct.pack("<Q", 16) + record("<", 64, 0, attr + struct.pack("<Q", 100)) +
                           record("<", 80, 0, struct.pack("<Q", 12) + names) + data)
            yield "compressed", head + attr + bytes(16) + record("<", 81, 0, bytes(len(data) - 8)) + features


def gecko_seeds():
    meta = '{"meta":{"interval":10,"sampleUnits":{"threadCPUDelta":"ns"}},"libs":[{"start":4096,"end":8192,"offset":16,"path":"/lib/x.so"}],'
    yield "processed", (meta + '"shared":{"stringArray":["main","0x1f","a.py"]},"threads":[{"name":"T","samples":{"stack":[1,0,null],'
                        '"time":[1,2,3],"weight":[1,2,1],"weightType":"samples","threadCPUDelta":[5,null,0]},'
                        '"stackTable":{"frame":[0,1],"prefix":[null,0]},"frameTable":{"func":[0,1],"line":[3,9],"address":[-1,31]},'
                        '"funcTable":{"name":[0,1],"fileName":[2,null],"resource":[-1,0]},"resourceTable":{"lib":[0]}}]}').encode()
    yield "gecko", (meta + '"threads":[{"samples":{"schema":{"stack":0,"time":1,"threadCPUDelta":2},"data":[[1,1,7],[2,2]]},'
                    '"stackTable":{"schema":{"prefix":0,"frame":1},"data":[[null,0],[0,1],[1,2]]},"frameTable":{"schema":{"location":0},'
                    '"data":[[0],[1],[2]]},"stringTable":["(root)","f (http://h/a.js:12:3)[5]","0x1010"]}],"processes":[]}').encode()


def trace_events_seeds():
    chunk = ('{"ph":"P","pid":1,"tid":7,"id":"0x1","name":"ProfileChunk","args":{"data":{"cpuProfile":{"nodes":[{"id":1,"callFrame":'
             '{"functionName":"(root)"}},{"id":2,"callFrame":{"functionName":"f","url":"a.js"},"parent":1}],"samples":[2,1]},"timeDeltas":[10,20]}}}')
    start = '{"ph":"P","pid":1,"tid":7,"id":"0x1","name":"Profile","args":{"data":{"startTime":1000}}}'
    name = '{"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"Main"}}'
    yield "list", f"[{start},{chunk},{name}]".encode()
    yield "object", f'{{"traceEvents":[{chunk}]}}'.encode()


def symbols_seeds():
    """A Go function table with one function, a perf map, an answer of the symbol process, and mangled names."""
    words = lambda size, *values: b"".join(value.to_bytes(size, "little") for value in values)
    table = bytearray(216)
    table[:8] = words(4, 0xFFFFFFF1) + b"\0\0\1\x08"
    table[8:72] = words(8, 1, 1, 0, 72, 80, 88, 96, 112)
    table[72:79], table[88:94] = b"main.a\0", b"/a.go\0"
    table[96:104] = b"\0\2\x10\0\x08\x10\0\0"
    table[112:124] = words(4, 0, 16, 16)
    table[128:168] = words(4, 0, 0, 0, 0, 0, 1, 4, 0, 0, 3)
    yield "go_table", b"\0" + bytes(table)
    yield "perf_map", b"\1" + b"1000 20 py::total:/srv/shop.py\n1000 10 newer\n"
    yield "answers", b"\2" + b"\x0a\x0a\x0a\x08\x0a\x04main\x20\x07\x0a\0\x0a\0\x0a\0"
    yield "cpp", b"\3_ZNK4shop4CartISt6vectorIiSaIiEEE5totalEm"
    yield "rust", b"\3_RINvNtCs1234_4shop4cart5totalNtB2_4LineEB4_"
    yield "gigabytes", b"\3_Z1fI1A1BIS0_S0_E" + b"".join(b"S1_IS%c_S%c_E" % (d, d) for d in b"23456789ABCDEFGHIJKL") + b"Evv"


def source_map_seeds():
    """A map with names and source text, an index of two maps, and a map after a ")]}'" line against inclusion."""
    one = (b'{"version":3,"sourceRoot":"..","sources":["src/a.js",null],"names":["total","price"],"sourcesContent":'
           b'["\\nfunction total(price) {\\n"],"mappings":"AACA,SAASA,EAAMC;AAAA,EAAE;;gBCDA"}')
    yield "one", one
    yield "index", b'{"sections":[' + b",".join(
        b'{"offset":{"line":%d,"column":2},"map":%s}' % (line, one) for line in (0, 4)) + b"]}"
    yield "guarded", b")]}'\n" + one


def class_map_seeds():
    """Names as profilers write them, each followed by a mapping of two classes with inlined calls."""
    text = (b'com.acme.Cart -> a.a:\n# {"id":"sourceFile","fileName":"Cart.java"}\n    int count -> a\n'
            b"    1:3:void add(int):10:12 -> b\n    4:4:int com.acme.Price.round(int):20:20 -> b\n"
            b"    4:4:void add(int):13 -> b\n    void clear() -> c\ncom.acme.Main -> b:\n    void main() -> a\n")
    for at, name in enumerate((b"a.a.b", b"La/a;::c", b"a/a.b:4_[j]", b"b.a(SourceFile:3)", b"a/a$$Lambda$8.0x1.run")):
        yield f"name_{at}", name + b"\n" + text


def load_seeds():
    for maker in (pprof_seeds, gperftools_seeds, collapsed_seeds, cpuprofile_seeds, speedscope_seeds, otlp_seeds, perf_script_seeds, gecko_seeds, trace_events_seeds):
        name, seed = next(maker())
        yield maker.__name__ + "_" + name, seed
        yield maker.__name__ + "_" + name + "_gz", gzip.compress(seed, mtime=0)
    for name in sorted(os.listdir(os.path.join(ROOT, "fixtures", "bad"))):
        path = os.path.join(ROOT, "fixtures", "bad", name)
        if os.path.isfile(path) and os.path.getsize(path) < 4096 and not name.endswith((".md", ".py", ".yml", ".sh")):
            with open(path, "rb") as file:
                yield "bad_" + name.replace("-", "_").replace(".", "_"), file.read()
    with open(os.path.join(ROOT, "fixtures", "bad", "good.pb.zst"), "rb") as file:
        zstd = file.read()
    yield "zstd_cut", zstd[:-9]
    yield "zstd_garbage", zstd + b"tail"
    yield "zstd_damaged", zstd[:40] + bytes([zstd[40] ^ 255]) + zstd[41:]
    yield "gzip_cut", gzip.compress(dict(pprof_seeds())["labels"], mtime=0)[:-3]
    for name, text in (("json", b"{}"), ("list", b"[1]"), ("otlp_json", b'{"resourceProfiles":[]}'), ("blank", b" \n"),
                       ("utf16", b"\xff\xfea\0"), ("binary", bytes(range(1, 60))), ("mark", b"\xef\xbb\xbfa;b 1\n"),
                       ("perf", b"PERFILE2" + bytes(40)), ("elf", b"\x7fELF" + bytes(60)), ("zip", b"PK\3\4" + bytes(30)),
                       ("go_trace", b"go 1.22 trace\0\0\0"), ("words", b"no profile at all"), ("html_head", b"<HEAD>")):
        yield name, text
    for name, seed in (("html", b"<!doctype html>"), ("jfr", b"FLR\0\0\2"), ("text", b"heap profile: 1: 2 [3: 4] @ heap/1\n")):
        yield name, seed


def runs_of(count):
    """Return collapsed stacks of `count` runs, whose steps cost slightly more from run to run."""
    return ["".join(f"main;serve;step{i} {40 * (i + 1) + run}\n" for i in range(12)) for run in range(count)]


def accepted():
    """Yield the name and text of valid rules files: some of tests/rules/accept, and a row of each section of values."""
    folder = os.path.join(ROOT, "tests", "rules", "accept")
    for name in ("whole", "guards-all", "guards-limits", "try-bench", "try-command", "try-server", "extends-list"):
        with open(os.path.join(folder, name + ".yml"), "rb") as file:
            yield name.replace("-", "_"), file.read()
    last = {section: text for section, kind, _, text in values.rows() if kind == "accept"}
    for section, text in last.items():
        yield re.sub(r"\W+", "_", section), text.encode("utf-8")


RULES = """version: 1
frames: {ignore: ['^idle'], rename: [{match: '^step(\\d)$', to: 'step'}]}
own: {include: ['^main'], exclude: ['glob:vendor/**']}
sample_types: {cpu: [cpu/nanoseconds, samples/count]}
guards: {few_samples: off}
budgets:
  - name: a step
    select: {function: '^step'}
    measure: charged
    limit: '+5pp'
  - name: the whole
    measure: total
    limit: {absolute: '60s'}
"""
TREND = "version: 1\nbudgets:\n  - name: leak\n    measure: trend\n    limit: '+1%'\n"
WORK = "baseline: {total: 1000}\ncanary: {total: 900}\n"
WORK_MIX = "baseline: {total: 1000, key: {value: 500}}\ncanary: {total: 900, key: {value: 700}}\n"
NAMES = {
    "rust": ("_ZN4core3fmt5write17h0123456789abcdefE", "_RNvNtCs1234_4core3fmt5write", "core::fmt::write",
             "<shop::Foo as core::fmt::Display>::fmt", "<T as shop::Price>::round", "shop[8f2a]::Cart::add",
             "_ZN52_$LT$shop..Foo$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE", "<&mut [shop::Item]>::sort",
             "_RINvNtCs1234_4shop4cart5totalNtB2_4LineEB4_", "alloc::vec::Vec<T,A>::push"),
    "jvm": ("java/lang/String.length", "java.util.HashMap.get", "com/example/Cart.total(Ljava/lang/Object;)I",
            "[Ljava/lang/String;.clone", "com.example.Cart$$Lambda/0x1.run", "Interpreter", "kotlin.Unit.toString"),
    "python": ("run (shop.py:12)", "<module> (/usr/lib/python3/site-packages/x.py:3)", "loads (json/__init__.py:9)"),
    "node": ("f (/srv/a.js:3:4)", "g (node:internal/fs:1:2)", "h (/srv/node_modules/x/y.js:1)", "(garbage collector)"),
    "go": ("main.run", "runtime.mallocgc", "github.com/a/b.(*C).D", "net/http.(*conn).serve", "vendor/golang.org/x/y.Z"),
    "cpp": ("_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int>::push_back(int&&)", "shop::Cart::total() const",
            "(anonymous namespace)::f", "operator new(unsigned long)", "malloc", "__libc_start_main"),
    "php": ("App\\\\Cart::total", "PDO::query"), "ruby": ("Cart#total", "Array#each"), "dotnet": ("System.String.Concat", "Shop!Cart.Total"),
}


def speedscope_of(names):
    frames = ",".join('{"name":"%s","file":"/srv/%s.rs","line":%d}' % (name.replace("\\", "/"), i, i)
                      for i, name in enumerate(names))
    return ('{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[%s]},"profiles":[{'
            '"type":"sampled","unit":"none","samples":[%s],"weights":[%s]}]}'
            % (frames, ",".join(f"[{i}]" for i in range(len(names))), ",".join("9" for _ in names)))


NOISE = """version: 2
sample_type: "cpu/nanoseconds"
granularity: function
names: stable
runs: ["a", "b"]
mean_events: 776.8
self: {s0: 1, rho: 0}
cumulative: {s0: 1, rho: 0}
charged: {s0: 1, rho: 0}
mix: "endpoint"
total:
  per_work: {apart: 0.05, near: 0.04}
  per_second: {apart: 0.05, near: 0.04}
frames:
  - ["main", 0.1, 0.01, 0.2, 0.02, 0.2, 0.02]
"""


def commands_seeds():
    """A byte for the command, a byte for refusing memory requests, and files (fuzz_commands.c)."""
    def seed(command, refuses, *files):
        files = [file.encode() if isinstance(file, str) else file for file in files]
        return bytes([command, refuses]) + b"\n%%\n".join(files)
    makers = (pprof_seeds, gperftools_seeds, debug_text_seeds, jemalloc_seeds, collapsed_seeds, cpuprofile_seeds,
              heapprofile_seeds, flamebearer_seeds, callgrind_seeds, speedscope_seeds, otlp_seeds, perf_script_seeds,
              gecko_seeds, trace_events_seeds, stackprof_seeds, dhat_seeds, massif_seeds, pyinstrument_seeds, scalene_seeds,
              austin_seeds, bpftrace_seeds, dtrace_seeds)
    for maker in makers:
        for name, file in maker():
            yield f"inspect_{maker.__name__}_{name}", seed(0, 1, file)
    for name in ("every_kind", "agent"):
        yield f"inspect_jfr_seeds_{name}", seed(0, 1, dict(jfr_seeds.seeds())[name])
    pprof = dict(pprof_seeds())
    runs = runs_of(4)
    for command, name in ((3, "merge"), (4, "otlp"), (5, "zstd"), (1, "json"), (6, "init")):
        yield f"{name}_labels", seed(command, 1, pprof["labels"], pprof["labels"])
        yield f"{name}_headers", seed(command, 1, pprof["headers"], pprof["headers"])
        yield f"{name}_runs", seed(command, 1, *runs[:2])
    for language, names in NAMES.items():
        stacks = "".join(f"main;{name};{other} {7 + i}\n" for i, name in enumerate(names) for other in names)
        yield "own_" + language, seed(2, 0, RULES, stacks)
        yield "own_diff_" + language, seed(15, 0, stacks, stacks)
        yield "own_check_" + language, seed(10, 0, RULES, stacks, stacks)
        yield "own_speedscope_" + language, seed(2, 0, RULES, speedscope_of(names))
    deep = ";".join(f"f{i}" for i in range(64))
    yield "cut_stacks", seed(1, 1, f"{deep} 10\nx;{deep[3:]} 5\nf0;f1 3\n")
    for command in (18, 19, 20, 21):
        yield f"type_{command}", seed(command, 1, pprof["heap"], pprof["heap"])
        yield f"type_{command}_cpu", seed(command, 0, pprof["plain"], pprof["plain"])
    yield "work_mix", seed(9, 1, WORK_MIX, pprof["labels"], pprof["labels"])
    yield "work_list", seed(9, 1, "runs: {total: [1, 2]}\n", *runs[:2])
    yield "work_bad", seed(9, 1, "baseline: {total: many}\n", *runs[:2])
    yield "work_json", seed(9, 1, '{"baseline": 10, "canary": 12}', *runs[:2])
    yield "merge_kinds", seed(3, 1, pprof["heap"], pprof["plain"])
    many = "".join(f"main;a{i % 50};b{i} {i + 1}\n" for i in range(300))
    yield "inspect_many", seed(0, 0, many)
    yield "merge_many", seed(3, 0, many, runs[0])
    yield "diff_many", seed(15, 0, many, runs[0])
    yield "diff_many_plain", seed(22, 0, many, many)
    yield "prove_plain", seed(23, 0, *["".join(f"main;step{i} {900 * (i + 1) + run}\n" for i in range(9)) for run in range(3)])
    yield "merge_gz", seed(3, 1, gzip.compress(pprof["labels"], mtime=0))
    yield "inspect_own", seed(2, 1, RULES, runs[0])
    yield "calibrate", seed(7, 1, *runs[:3])
    yield "noise", seed(8, 1, NOISE, *runs[:2])
    for old, new in (("version: 2", "version: 1"), ("function", "exact"), ("stable", "exact"), ("776.8", "many"),
                     ("s0: 1", "s0: -1"), ("[\"a\", \"b\"]", "a"), ("0.2, 0.02]", "0.2]"), ("total:", "wholes:"),
                     ("apart: 0.05", "apart: x"), ("\"endpoint\"", "[]"), ("frames:", "frames: 1\nrows:")):
        yield "noise_" + re.sub(r"\W+", "_", new).strip("_"), seed(8, 0, NOISE.replace(old, new), *runs[:2])
    yield "work", seed(9, 1, WORK, *runs[:2])
    yield "check", seed(10, 0, RULES, *runs[:2])
    yield "validate", seed(11, 1, RULES)
    for name, rules in accepted():
        yield "validate_" + name, seed(11, 1, rules)
    yield "explain", seed(12, 0, RULES, *runs[:2])
    yield "prove", seed(13, 0, RULES, *runs[:2])
    yield "trend", seed(14, 0, TREND, *runs[:3])
    yield "where", seed(15, 1, pprof["labels"], pprof["labels"])
    yield "where_number", seed(16, 1, pprof["labels"], pprof["labels"])
    yield "by", seed(17, 1, pprof["labels"], pprof["labels"])


def rules_seeds():
    """Pairs of rules files to compare: presets, and rules that differ in each section."""
    before = b"version: 1\n"
    for name, rules in accepted():
        yield "change_" + name, b"<" + rules + b"<<<\n" + before
        yield "back_from_" + name, b"<" + before + b"<<<\n" + rules
        before = rules
    for index, (_, _, _, text) in enumerate(values.rows()):
        yield f"value_{index}", text.encode("utf-8")
    preset = {}
    for name in ("recommended", "strict", "trend", "heap"):
        with open(os.path.join(ROOT, "rules", name + ".yml"), "rb") as file:
            preset[name] = file.read()
    yield "change_strict", b"<" + preset["strict"] + b"<<<\n" + preset["recommended"]
    yield "change_recommended", b"<" + preset["recommended"] + b"<<<\n" + preset["strict"]
    milder = preset["recommended"].replace(b"100%", b"400%").replace(b"measure: self\n", b"measure: self\n    reason: x\n")
    yield "change_milder", b"<" + milder + b"<<<\n" + preset["recommended"]
    yield "change_trend", b"<" + preset["trend"] + b"<<<\n" + preset["heap"]
    yield "toothless", (b"version: 1\nframes: {granularity: mapping, ignore: ['.'], rename: [{match: '.*', to: x}]}\n"
                        b"own: {exclude: ['.']}\nwork: {baseline: 1, canary: 100}\n"
                        b"budgets: [{name: a, limit: {share: '100%'}}]\n")


def places(value, path=()):
    """Yield the path of each value inside a JSON value. Of a list, only the first item counts."""
    items = value.items() if isinstance(value, dict) else list(enumerate(value))[:1] if isinstance(value, list) else ()
    for key, inner in items:
        yield path + (key,)
        yield from places(inner, path + (key,))


def changed(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and new is None:
        del copy[path[0]]
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], new)
    return copy


def odd_seeds(maker):
    """The seeds of `maker`, and its first one with each value replaced by an object, -7 or "?", or left out."""
    name, seed = next(maker())
    root = json.loads(seed)
    yield from maker()
    for i, path in enumerate(places(root)):
        for how, new in (("kind", {"x": []}), ("below", -7), ("text", "?"), ("gone", None)):
            yield f"{name}_{how}_{i}", json.dumps(changed(root, path, new), separators=(",", ":")).encode()


def odd_of(maker):
    return lambda: odd_seeds(maker)


def main():
    seeds = {"rules": rules_seeds, "commands": commands_seeds, "record": record_seeds, "metrics": metrics_seeds, "manifest": manifest_seeds, "pprof": pprof_seeds, "sample": pprof_seeds, "inflate": inflate_seeds, "gperftools": gperftools_seeds,
             "collapsed": collapsed_seeds, "cpuprofile": odd_of(cpuprofile_seeds), "heapprofile": odd_of(heapprofile_seeds), "callgrind": callgrind_seeds, "jfr": jfr_seeds.all_seeds, "flamebearer": odd_of(flamebearer_seeds), "stackprof": odd_of(stackprof_seeds), "dhat": odd_of(dhat_seeds), "massif": massif_seeds, "dtrace": dtrace_seeds, "pyinstrument": odd_of(pyinstrument_seeds), "scalene": odd_of(scalene_seeds), "austin": austin_seeds, "bpftrace": bpftrace_seeds, "debug_text": debug_text_seeds, "jemalloc": jemalloc_seeds, "speedscope": odd_of(speedscope_seeds), "otlp": otlp_seeds, "otlp_json": otlp_json_seeds, "trace_events": odd_of(trace_events_seeds), "gecko": odd_of(gecko_seeds), "perf_script": perf_script_seeds, "perf_data": perf_data_seeds, "names": names_seeds,
             "load": load_seeds, "check": check_seeds, "symbols": symbols_seeds, "source_map": source_map_seeds, "class_map": class_map_seeds}
    for source in os.listdir(HERE):
        if not (source.startswith("fuzz_") and source.endswith(".c")):
            continue
        subject = source.removeprefix("fuzz_").removesuffix(".c")
        folder = os.path.join(sys.argv[1], subject)
        os.makedirs(folder, exist_ok=True)  # empty for targets that have inputs in tests/fuzz/corpus alone
        for name, seed in seeds.pop(subject, lambda: ())():
            with open(os.path.join(folder, name), "wb") as out:
                out.write(seed)
    assert not seeds, f"no such target: {sorted(seeds)}"


if __name__ == "__main__":
    main()
