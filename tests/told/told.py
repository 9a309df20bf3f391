#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that messages and docs/formats.md tell users, and lets pprofgate read what they write.

TOLD is the one list of them. "complete" compares it with the sources, so that none is told that is not listed; each other
name is a tool, whose commands are run as they are told, but for the words in capitals.

usage: told.py PPROFGATE ROOT complete|TOOL
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGES = ("docs/formats.md",)

# tool: the commands as they are told, each with what prepares its input (below)
TOLD = {
    "perf": {"perf script -i FILE > FILE.txt": "perf_data"},
    "perf_to_profile": {"perf_to_profile -i FILE -o FILE.pb": "perf_data"},
    "jfrconv": {"jfrconv FILE.jfr FILE.pb.gz": "recording"},
    "java": {"java -XX:StartFlightRecording:filename=FILE.jfr,settings=profile -jar PROGRAM": "java_program"},
    "go": {
        "go tool trace -pprof=TYPE FILE > FILE.pb": "go_trace",
        "go tool pprof -proto BINARY FILE > FILE.pb.gz": "go_text",
    },
    "node": {"node --cpu-prof SCRIPT": "script", "node --heap-prof SCRIPT": "holding_script"},
    "py-spy": {"py-spy record --format raw -o FILE.collapsed -- python SCRIPT": "python_script"},
    "python3.15": {
        "python3.15 -m profiling.sampling replay --gecko -o FILE.json FILE": "cpython_samples",
        "python3.15 -m profiling.sampling run --gecko -o FILE.json SCRIPT": "python_script_json",
    },
    "gunzip": {"gunzip FILE": "gzipped_twice"},
    "zstd": {"zstd -d FILE": "zstd_twice"},
    "bunzip2": {"bunzip2 FILE": "bzipped"},
    "unxz": {"unxz FILE": "xzed"},
    "pprofgate": {
        "pprofgate merge -o all.pb.gz a.pb.gz b.pb.gz …": "two_profiles",
        "pprofgate inspect --name-rules": "nothing",
        "pprofgate diff": "two_sides",
        "pprofgate diff --frames all": "two_sides",
        "pprofgate merge": "to_merge",
        "pprofgate merge --symbols": "to_name",
        "pprofgate calibrate": "known_good",
        "pprofgate baseline accept": "to_accept",
        "pprofgate baseline list": "accepted",
        "pprofgate validate": "rules",
        "pprofgate check": "two_to_check",
        "pprofgate check BASELINE CANARY": "two_stored",
        "pprofgate check ADDRESS CANARY": "one_stored",
        "pprofgate trend": "builds",
        "pprofgate version": "nothing",
    },
}

# Commands that are told and not run, since nothing here makes their input, or their tool is in no package here.
NOT_RUN = {
    "dotnet-trace convert --format Speedscope FILE",
    "heaptrack_print -f FILE -F FILE.collapsed",
    "hs-speedscope FILE",
    "lz4 -d FILE",
    "memray transform speedscope -o FILE.json FILE",
    "mojo2austin FILE FILE.austin",
    "rbspy report --format collapsed --input FILE --output FILE.collapsed",
    "pyinstrument --load FILE -r json -o FILE.json",
    "pyinstrument -r json -p processor_options.filter_threshold=0 -o FILE.json SCRIPT",
    "stackprof --json FILE > FILE.json",
    "tar xf FILE",
}

GO_PROGRAM = """
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"time"
)

//go:noinline
func keepSome() [][]byte {
	var kept [][]byte
	for i := 0; i < 64; i++ {
		kept = append(kept, make([]byte, 1<<20))
	}
	return kept
}

func main() {
	events, _ := os.Create(os.Args[1])
	trace.Start(events)
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() { time.Sleep(20 * time.Millisecond); all.Done() }()
	}
	all.Wait()
	trace.Stop()
	kept := keepSome()
	runtime.GC()
	text, _ := os.Create(os.Args[2])
	pprof.Lookup("heap").WriteTo(text, 1)
	runtime.KeepAlive(kept)
}
"""
LOOP = "let s = 0; for (let i = 0; i < 3e8; i++) s += i % 7; console.log(s)"
# Held by the global object: what a module holds may be gone when the profile is written.
HOLD = "globalThis.kept = []; for (let i = 0; i < 1e5; i++) kept.push(new Array(64).fill(i)); console.log(kept.length)"
PYTHON_LOOP = "import time\nend = time.time() + 1.5\nwhile time.time() < end:\n    sum(range(1000))\n"


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def made(command, why):
    """Make the input of a command by another one."""
    result = run(command)
    if result.returncode != 0:
        sys.exit(f"{why}: {result.stderr.strip()[-300:]}")


class Inputs:
    """Each method writes an input and returns what the words in capitals stand for, and the files to read then."""

    def __init__(self, gate, root):
        self.gate, self.root = gate, root
        self.good = root / "fixtures/bad/good.pb.gz"

    def perf_data(self):
        made(["perf", "record", "-e", "cpu-clock", "-F", "99", "-g", "-o", "shop", "--", sys.executable, "-c",
              "sum(range(30000000))"], "perf records nothing here")
        return {"FILE": "shop"}, "shop.txt shop.pb"

    def java_program(self):
        shutil.copy(self.root / "examples/producers/jvm/Shop.java", "Shop.java")
        return {"FILE": "shop", "-jar PROGRAM": "Shop.java 4 40"}, "shop.jfr"

    def recording(self):
        self.java_program()
        made(["java", "-XX:StartFlightRecording:filename=shop.jfr,settings=profile", "Shop.java", "4", "40"],
             "no recording was made")
        return {"FILE": "shop"}, "shop.pb.gz"

    def go_files(self):
        pathlib.Path("main.go").write_text(GO_PROGRAM, encoding="utf-8")
        made(["go", "build", "-o", "shop", "main.go"], "Go does not build here")
        made(["./shop", "events", "text"], "the Go program does not run")

    def go_trace(self):
        self.go_files()
        return {"FILE": "events", "TYPE": "sync"}, "events.pb"

    def go_text(self):
        self.go_files()
        return {"FILE": "text", "BINARY": "./shop"}, "text.pb.gz"

    def script(self):
        pathlib.Path("loop.js").write_text(LOOP, encoding="utf-8")
        return {"SCRIPT": "loop.js"}, "*.cpuprofile"

    def holding_script(self):
        pathlib.Path("hold.js").write_text(HOLD, encoding="utf-8")
        return {"SCRIPT": "hold.js"}, "*.heapprofile"

    def python_script(self):
        pathlib.Path("loop.py").write_text(PYTHON_LOOP, encoding="utf-8")
        return {"FILE": "shop", "SCRIPT": "loop.py", "-- python": f"-- {sys.executable}"}, "shop.collapsed"

    def python_script_json(self):
        words, _ = self.python_script()
        return words, "shop.json"

    def cpython_samples(self):
        shutil.copy(self.root / "fixtures/producers/cpython/samples.bin", "shop")
        return {"FILE": "shop"}, "shop.json"

    def packed_again(self, pack, end):
        shutil.copy(self.good, "shop")
        made(pack, f"{pack[0]} does not pack")
        return {"FILE": f"shop{end}"}, "shop"

    def gzipped_twice(self):
        return self.packed_again(["gzip", "shop"], ".gz")

    def zstd_twice(self):
        shutil.copy(self.root / "fixtures/bad/good.pb.zst", "shop")
        made(["zstd", "-q", "--rm", "shop"], "zstd does not pack")
        return {"FILE": "shop.zst"}, "shop"

    def bzipped(self):
        return self.packed_again(["bzip2", "shop"], ".bz2")

    def xzed(self):
        return self.packed_again(["xz", "shop"], ".xz")

    def two_profiles(self):
        for name, source in (("a", "good"), ("b", "good-canary")):
            shutil.copy(self.root / f"fixtures/bad/{source}.pb.gz", f"{name}.pb.gz")
        return {" …": "", "pprofgate": self.gate}, "all.pb.gz"

    def nothing(self):
        return {"pprofgate": self.gate}, ""

    def two_sides(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "diff": "diff a.pb.gz b.pb.gz"}, ""

    def builds(self):
        return {"pprofgate": self.gate, "trend": f"trend --sample-type inuse_space '{self.root}/fixtures/trend/stable'"}, ""

    def two_to_check(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "check": "check --on-inconclusive pass a.pb.gz b.pb.gz"}, ""

    def to_name(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "--symbols": f"--symbols {self.gate} -o all.pb.gz a.pb.gz"}, "all.pb.gz"

    def stored(self, version):
        sys.path.insert(0, str(self.root / "tests/stores"))
        import stand_in  # pylint: disable=import-outside-toplevel
        base = stand_in.serve(stand_in.State(self.root / "fixtures"))
        window = "from=2026-11-20T10:00:00Z&to=2026-11-20T10:02:00Z&runs=2"
        return f"'pyroscope+{base}/well?query={{service_name=\"shop\",version=\"{version}\"}}&{window}'"

    def two_stored(self):
        return {"pprofgate": self.gate, "BASELINE": self.stored("1.5"),
                "CANARY": f"--on-inconclusive pass {self.stored('1.4')}"}, ""

    def one_stored(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "ADDRESS": self.stored("1.4"),
                "CANARY": f"--on-inconclusive pass '{self.root}/fixtures/go-service/cpu/baseline-1.pb.gz'"}, ""

    def to_merge(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "merge": "merge -o all.pb.gz a.pb.gz b.pb.gz"}, "all.pb.gz"

    def to_name(self):
        for name in ("mapping.txt", "shrunk.pb"):
            shutil.copy(self.root / "fixtures/producers/shrunk" / name, name)
        return {"pprofgate": self.gate, "--symbols": "--symbols mapping.txt -o all.pb.gz shrunk.pb"}, "all.pb.gz"

    def known_good(self):
        runs = " ".join(f"'{self.root}/fixtures/go-service/cpu/baseline-{i}.pb.gz'" for i in (1, 2, 3))
        return {"pprofgate": self.gate, "calibrate": f"calibrate -o noise.json {runs}"}, ""

    def to_accept(self):
        self.two_profiles()
        return {"pprofgate": self.gate, "accept": "accept --store store --service shop --revision r1 a.pb.gz"}, ""

    def accepted(self):
        return {"pprofgate": self.gate, "list": "list --store store"}, ""

    def rules(self):
        pathlib.Path("pprofgate.yml").write_text("version: 1\nextends: recommended\n", encoding="utf-8")
        return {"pprofgate": self.gate, "validate": "validate pprofgate.yml"}, ""


def check(gate, inputs, command, prepare):
    words, outputs = getattr(inputs, prepare)()
    shell = re.sub("|".join(map(re.escape, words)) or r"(?!)", lambda word: str(words[word[0]]), command)
    result = run(["bash", "-c", shell])
    if result.returncode != 0:
        sys.exit(f"'{shell}', told as '{command}', ends with {result.returncode}:\n{result.stdout}{result.stderr}")
    written = [path for pattern in outputs.split() for path in pathlib.Path(".").glob(pattern)]
    if outputs and not written:
        sys.exit(f"'{shell}' wrote none of: {outputs}")
    for path in written:
        read = run([gate, "inspect", str(path)])
        functions = re.search(r"(\d[\d ]*) functions", read.stdout)
        if read.returncode != 0 or functions is None or functions[1].replace(" ", "") == "0":
            sys.exit(f"what '{shell}' wrote is not read, or has no names:\n{read.stdout[:800]}{read.stderr}")
    print(f"ok: {shell}")


def told_by_messages(text):
    """The commands in single quotes, of C strings that may go over several lines."""
    joined = re.sub(r'"\s*\\?\n\s*"', "", text)
    for quoted in re.findall(r"'([a-z][\w.-]* [^'\n]*)'", joined):
        if re.search(r"\b(FILE|SCRIPT)\b", quoted) or quoted.split()[0] in TOLD:
            yield quoted


def told_by_page(text):
    """The first cell of a row is the name of a format, such as `perf script text`."""
    text = re.sub(r"(?m)^\| `[^`]+` \|", "|", text)
    for quoted in re.findall(r"`([^`]+)`", text):
        words = quoted.split()
        if len(words) > 1 and words[0] in TOLD and not words[-1].endswith("pprof"):
            yield " ".join(words)


def complete(root):
    told = {}
    messages = sorted(str(path.relative_to(root)) for path in (root / "gate").rglob("*.c"))
    for name in (*messages, *PAGES):
        text = (root / name).read_text(encoding="utf-8")
        for command in told_by_page(text) if name in PAGES else told_by_messages(text):
            told.setdefault(command, name)
    listed = {command for commands in TOLD.values() for command in commands} | NOT_RUN
    for command in sorted(told.keys() - listed):
        print(f"{told[command]} tells '{command}', which {pathlib.Path(__file__).name} does not run", file=sys.stderr)
    for command in sorted(listed - told.keys()):
        print(f"nothing tells '{command}' any more", file=sys.stderr)
    tests = set(re.findall(r"[\w.-]+", (root / "tests/told/tools.txt").read_text(encoding="utf-8")))
    for tool in sorted(tests ^ TOLD.keys()):
        print(f"'{tool}' is in one of tools.txt and TOLD only", file=sys.stderr)
    sys.exit(1 if told.keys() != listed or tests != TOLD.keys() else 0)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    gate, root, tool = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    if tool == "complete":
        complete(root)
    for command, prepare in TOLD[tool].items():
        with tempfile.TemporaryDirectory(prefix="pprofgate-told.") as work:
            os.chdir(work)
            check(gate, Inputs(gate, root), command, prepare)
            os.chdir(root)


if __name__ == "__main__":
    main()
