# SPDX-License-Identifier: Apache-2.0
"""Scenarios that faults.py breaks: their command lines, the files that they find, and the files that they leave."""
import contextlib
import gzip
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import threading

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "symbols"))
import bare  # noqa: E402
import programs  # noqa: E402

UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "SOURCE_DATE_EPOCH", "LD_PRELOAD",
         "PPROFGATE_WORK_CANARY", "PPROFGATE_WORK_BASELINE")
# The beginning of an older report in each format that identifies pprofgate. Other files are never replaced.
OLD_REPORTS = {
    ".json": b'{\n  "schema_version": 1,\n  "generator": "pprofgate 0.0.1"\n}\n',
    "quality.json": b'[\n  {\n    "engine_name": "pprofgate",\n',
    ".sarif": b'{\n  "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",\n'
              b'  "version": "2.1.0",\n  "runs": [\n    {\n      "tool": {\n        "driver": {\n'
              b'          "name": "pprofgate",\n',
    "both.speedscope.json": b'{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"pprofgate 0.0.1"}\n',
    ".xml": b'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="pprofgate" tests="0">\n',
    ".html": b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
             b'<meta name="generator" content="pprofgate">\n',
    ".svg": b'<?xml version="1.0" encoding="UTF-8"?>\n<!-- pprofgate report -->\n',
    ".md": b"## pprofgate: PASS\n[//]: # (pprofgate report)\n",
    "shares.txt": b"# TYPE pprofgate_verdict stateset\n",
    "folded.txt": b"pprofgate 0 0\n",
    ".gz": gzip.compress(b"\x32\x00\x32\x16# written by pprofgate", mtime=0),
}


def old_reports(places):
    """Return {place: bytes that an older run left there}."""
    return {place: OLD_REPORTS.get(pathlib.Path(place).name) or OLD_REPORTS[pathlib.Path(place).suffix] for place in places}


USUAL = ("report.json", "junit.xml", "report.html", "flamegraph.svg", "report.md")
OTHERS = {"--gitlab-codequality": "quality.json", "--sarif": "code.sarif", "--openmetrics": "shares.txt",
          "--folded": "folded.txt", "--speedscope": "both.speedscope.json", "--pprof-diff": "diff.pb.gz"}
SINGLE = {"--json": "report.json", "--junit": "junit.xml", "--html": "report.html", "--svg": "flamegraph.svg",
          "--markdown": "report.md"}
RULES = """version: 1
work: {unit: order}
budgets:
  - name: the whole stays under a minute
    measure: total
    limit: {absolute: "60s"}
  - name: no function above 5 s
    limit: {absolute: "5s"}
"""


def environment():
    env = {key: value for key, value in os.environ.items() if key not in UNSET}
    return env | {"LC_ALL": "C.UTF-8", "TERM": "dumb", "SOURCE_DATE_EPOCH": "1750000000",
                  "GIT_CEILING_DIRECTORIES": "/"}


def long_names():
    """Names of growing length, so that the buffer of a reader has to grow again and again."""
    return ["".join(chr(97 + i % 26) for i in range(length)) for length in (3, 17, 40, 90, 200, 450)]


def cpuprofile():
    names = long_names()
    nodes = [{"id": i + 1, "hitCount": 1, "children": [i + 2] if i + 1 < len(names) else [],
              "callFrame": {"functionName": name, "scriptId": "1", "url": "file:///shop.js", "lineNumber": i,
                            "columnNumber": 0}} for i, name in enumerate(names)]
    return {"nodes": nodes, "startTime": 0, "endTime": 60000, "samples": [i + 1 for i in range(len(names))],
            "timeDeltas": [10000] * len(names)}


def speedscope():
    names = long_names()
    return {"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "shop",
            "shared": {"frames": [{"name": name, "file": name + ".py", "line": 3} for name in names]},
            "profiles": [{"type": "sampled", "name": "cpu", "unit": "microseconds", "startValue": 0, "endValue": 60000,
                          "samples": [list(range(i + 1)) for i in range(len(names))],
                          "weights": [10000.25] * len(names)}]}


class Inputs:
    """Input files of all scenarios; no run may change them."""

    def __init__(self, program, root, place):
        self.program, self.root, self.place = program, root, place
        self.host = None  # path of faults_host, a program that uses the library
        place.mkdir(parents=True)
        self.base, self.canary = root / "fixtures/bad/good.pb.gz", root / "fixtures/bad/good-canary.pb.gz"
        self.cpu = [root / f"fixtures/go-service/cpu/baseline-{n}.pb.gz" for n in (1, 2)]
        self.rules = place / "rules.yml"
        self.rules.write_text(RULES, encoding="utf-8")
        self.bare = place / "bare"
        self.make_bare()
        self.documents = (place / "node.cpuprofile", place / "names.speedscope.json")
        for path, document in zip(self.documents, (cpuprofile(), speedscope())):
            path.write_text(json.dumps(document), encoding="utf-8")
        self.store = place / "store"
        for revision, profile in (("r1", self.base), ("r2", self.canary)):
            self.accept(self.store, revision, profile)

    def make_bare(self):
        """Make a program and profiles that contain only its addresses."""
        self.bare.mkdir()
        if not programs.has("g++", "readelf", "nm"):
            return
        shop = programs.cpp(self.bare)
        places = [start + at for start, size in programs.functions(shop, "shop") for at in range(0, size, 3)]
        bare.Addresses(self.bare / "base.pb", shop, places * 30)
        bare.Addresses(self.bare / "canary.pb", shop, (places + places[:len(places) // 3] * 6) * 30)

    def gate(self, *words, cwd=None):
        return self.run(self.program, *words, cwd=cwd)

    def run(self, *words, cwd=None):
        return subprocess.run([*map(str, words)], capture_output=True, check=False, cwd=cwd, env=environment())

    def accept(self, store, revision, profile):
        done = self.gate("baseline", "accept", "--store", store, "--service", "shop", "--revision", revision,
                         "--elsewhere", profile)
        assert done.returncode == 0, done.stderr.decode()
        return done


class Scenario:
    """One command line. Subclasses define the files that it finds in its folder and the checks after a fault."""
    is_quick = True
    alone = contextlib.nullcontext()  # lock: one run at a time
    program = None  # program to run, if not pprofgate
    spared = ()  # calls that are never made to fail
    varies = False  # its output is not the same in every run
    told = ()  # messages on standard output that a part was left out; the verdict is about the rest

    def __init__(self, name, status, *words, reports=(), **environment_of):
        self.name, self.status, self.given, self.reports = name, status, words, reports
        self.environment = environment_of
        self.old = {}

    def words(self, inputs):
        return [str(word) for word in self.given]

    def prepare(self, place, inputs):
        for name, data in self.old.items():
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_bytes(data)

    def before(self, name):
        return self.old.get(name)

    def is_report(self, name):
        return name in self.reports

    def is_same(self, name, data, expected):
        return data == expected

    def says_cause(self, out):
        """Whether `out`, the standard output, contains the cause of an error."""
        return False

    def is_told(self, ended):
        """Whether another exit status than without a fault is right, because the cause is reported."""
        return False

    def looks_after(self, name):
        """Whether `after` checks the file `name`, so that it is not compared."""
        return False

    def after(self, place, inputs, ended):
        return None


def place(file):
    return file if file == "-" else f"out/{file}"


class Check(Scenario):
    """A check with all reports, or with those in `only`, in a job of GitHub Actions. Reports of an older run are there
    already."""

    def __init__(self, name, status, *words, only=None):
        places = [place(name) for name in (only.values() if only else (*USUAL, *OTHERS.values())) if name != "-"]
        options = [f"{option}={place(file)}" for option, file in (only or OTHERS).items()]
        options += () if only else ("--report", "out")
        super().__init__(name, status, "check", *options, *words, reports=places,
                         GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY="summary.md", GITHUB_OUTPUT="github.out")
        self.old = old_reports(places) | {"summary.md": b"# Before\n", "github.out": b"of=before\n"}

    def is_same(self, name, data, expected):
        if data is None:
            return expected is None
        if name in ("summary.md", "github.out"):  # earlier steps wrote to it, and this one appends
            return data.startswith(self.old[name])
        if name == "ledger.json":  # it contains the time of the look and the paths of profiles
            varying = re.compile(rb'"time": "[^"]*"|"path": "[^"]*/')
            return expected is not None and varying.sub(b"", data) == varying.sub(b"", expected)
        return data == expected or name == "ledger.json.lock"


class Written(Scenario):
    """A command that writes one file and prints a message about it."""

    def __init__(self, name, status, *words, file):
        super().__init__(name, status, *words, reports=(file,))


class Proof(Scenario):
    """`pprofgate prove` with both of its reports. Reports of an older run are there already."""

    def __init__(self, name, status, *words):
        files = ("prove.json", "prove.md")
        super().__init__(name, status, "prove", "--json", files[0], "--markdown", files[1], *words, reports=files)
        self.old = old_reports(files)


class Profiles(http.server.BaseHTTPRequestHandler):
    """A service that answers every request with the same profile."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.answer(self.server.profiles[self.path.split("/")[1]])

    def answer(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def serve(profiles, handler=Profiles, **known):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads, server.profiles = True, profiles
    vars(server).update(known)
    server.handle_error = lambda *_: None  # a client that is killed hangs up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def all_of(inputs):
    i = inputs
    ledger = ("--ledger", "ledger.json", "--change", "c1")
    formats = {f"check_{option[2:].replace('-', '_')}": Check(f"check_{option[2:].replace('-', '_')}", 3, "-r",
                                                               "recommended", i.base, i.canary, only={option: file})
               for option, file in (SINGLE | OTHERS).items()}
    captures = i.root / "fixtures/captures"
    return [
        Check("check_fail", 1, "-r", i.rules, *ledger, i.base, i.canary),
        Check("check_pass", 0, "-r", "recommended", i.canary, i.base),
        Check("check_inconclusive", 3, "-r", "recommended", i.base, i.canary),
        Check("check_by", 0, "-r", i.rules, "--by", "endpoint", "--by-values", "2", captures / "mix-1.cpu.pb.gz",
              captures / "alloc-1.cpu.pb.gz"),
        *([Check("check_symbols", 1, "-r", i.rules, "--symbols", i.bare / "shop", i.bare / "base.pb",
                 i.bare / "canary.pb")] if (i.bare / "shop").exists() else []),
        *formats.values(),
        Check("check_stdout", 3, "-r", "recommended", i.base, i.canary, only={"--html": "-"}),
        Written("merge", 0, "merge", "-o", "merged.pb.gz", i.base, i.canary, file="merged.pb.gz"),
        Written("merge_otlp", 0, "merge", "-o", "merged.otlp", i.base, i.canary, file="merged.otlp"),
        Written("calibrate", 0, "calibrate", "-r", "recommended", "-o", "noise.yml", i.base, i.canary,
                file="noise.yml"),
        Written("init", 0, "init", "-o", "rules.yml", i.base, file="rules.yml"),
        Written("diff", 0, "diff", "--html", "page.html", i.base, i.canary, file="page.html"),
        Written("diff_json", 0, "diff", "--json", "diff.json", i.base, i.canary, file="diff.json"),
        Written("diff_pprof", 0, "diff", "--pprof-diff", "diff.pb.gz", i.base, i.canary, file="diff.pb.gz"),
        Proof("prove", 0, "-r", "recommended", "--draws", "2", "--frame", "main.priceRound",
              captures / "mix-1.cpu.pb.gz"),
        Scenario("inspect", 0, "inspect", "--json", i.base),
        Scenario("inspect_text", 0, "inspect", i.base, i.root / "fixtures/bad/good.pb.zst"),
        Scenario("documents", 0, "inspect", "--json", "--frames", "all", *i.documents),
        Scenario("explain", 0, "explain", "recommended", i.base, i.canary),
        Scenario("validate", 0, "validate", i.rules),
        Scenario("trend", 3, "trend", "--sample-type", "inuse_space", "--report", "out",
                 i.root / "fixtures/trend/stable/step-01.pb.gz", i.root / "fixtures/trend/stable/step-02.pb.gz",
                 reports=("out/trend.json", "out/trend.html")),
    ]
