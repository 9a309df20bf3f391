# SPDX-License-Identifier: Apache-2.0
"""The runs of the program that faults.py breaks: their command lines, what they find, and what they leave."""
import http.server
import json
import os
import re
import shutil
import subprocess
import threading

UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "SOURCE_DATE_EPOCH", "LD_PRELOAD",
         "PPROFGATE_WORK_CANARY", "PPROFGATE_WORK_BASELINE")
OLD = b"an older report\n"
USUAL = ("report.json", "junit.xml", "report.html", "flamegraph.svg", "report.md")
OTHERS = {"--gitlab-codequality": "quality.json", "--openmetrics": "shares.txt", "--folded": "folded.txt",
          "--speedscope": "both.speedscope.json", "--pprof-diff": "diff.pb.gz"}
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
    """Each longer than all before it, so that what holds a word while it is read has to grow again and again."""
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
    """What all runs read, and none may write."""

    def __init__(self, program, root, place):
        self.program, self.root, self.place = program, root, place
        place.mkdir(parents=True)
        self.base, self.canary = root / "fixtures/bad/good.pb.gz", root / "fixtures/bad/good-canary.pb.gz"
        self.cpu = [root / f"fixtures/go-service/cpu/baseline-{n}.pb.gz" for n in (1, 2)]
        self.rules = place / "rules.yml"
        self.rules.write_text(RULES, encoding="utf-8")
        self.documents = (place / "node.cpuprofile", place / "names.speedscope.json")
        for path, document in zip(self.documents, (cpuprofile(), speedscope())):
            path.write_text(json.dumps(document), encoding="utf-8")
        self.store = place / "store"
        for revision, profile in (("r1", self.base), ("r2", self.canary)):
            self.accept(self.store, revision, profile)

    def gate(self, *words, cwd=None):
        return subprocess.run([self.program, *map(str, words)], capture_output=True, check=False, cwd=cwd,
                              env=environment())

    def accept(self, store, revision, profile):
        done = self.gate("baseline", "accept", "--store", store, "--service", "shop", "--revision", revision,
                         "--elsewhere", profile)
        assert done.returncode == 0, done.stderr.decode()
        return done


class Scenario:
    """One command line. Subclasses say what it finds in its folder, and what must hold of it after a fault."""
    is_quick = True
    varies = False  # what it says is not the same in every run
    told = ()  # words on standard output that say that a part was done without, and what is decided is of the rest

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

    def looks_after(self, name):
        """`after` looks at these files."""
        return False

    def after(self, place, inputs, ended):
        return None


class Check(Scenario):
    """A check with every report there is, all of an older run lying there, in a job of GitHub Actions."""

    def __init__(self, name, status, *words):
        places = [f"out/{name}" for name in (*USUAL, *OTHERS.values())]
        options = [f"{option}=out/{file}" for option, file in OTHERS.items()]
        super().__init__(name, status, "check", "--report", "out", *options, *words, reports=places,
                         GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY="summary.md", GITHUB_OUTPUT="github.out")
        self.old = dict.fromkeys(places, OLD) | {"summary.md": b"# Before\n", "github.out": b"of=before\n"}

    def is_same(self, name, data, expected):
        if data is None:
            return expected is None
        if name in ("summary.md", "github.out"):  # appended to, and by steps before this one
            return data.startswith(self.old[name])
        if name == "ledger.json":  # it says when the look was
            return re.sub(rb'"time": "[^"]*"', b"", data) == re.sub(rb'"time": "[^"]*"', b"", expected)
        return data == expected or name == "ledger.json.lock"


class Written(Scenario):
    """A command that writes one file, and says so."""

    def __init__(self, name, status, *words, file):
        super().__init__(name, status, *words, reports=(file,))


class Store(Scenario):
    """A command on a store of its own, which has to stay one."""

    def prepare(self, place, inputs):
        shutil.copytree(inputs.store, place / "store")

    def before(self, name):
        return None

    def looks_after(self, name):
        return name.startswith("store/")

    def after(self, place, inputs, ended):
        listed = inputs.gate("baseline", "list", "--store", "store", cwd=place)
        if listed.returncode != 0:
            return f"the store is none any more: {listed.stderr.decode().strip()}"
        for revision in ("r1", "r2"):
            if not re.search(rb"\b%s\b" % revision.encode(), listed.stdout):
                return f"revision {revision} is lost"
        if ended.status == 0 and not re.search(rb"\br3\b", listed.stdout) and self.name == "accept":
            return "accepted, and not there"
        again = inputs.gate("check", "--store", "store", "--service", "shop", "--revision", "change", inputs.canary,
                            cwd=place)
        if again.returncode not in (0, 1, 3):
            return f"the store serves no more: {again.stderr.decode().strip()}"
        if self.name == "accept":
            once_more = inputs.gate("baseline", "accept", "--store", "store", "--service", "shop", "--revision", "r3",
                                    "--elsewhere", inputs.base, cwd=place)
            if once_more.returncode != 0:
                return f"it cannot be accepted again: {once_more.stderr.decode().strip()}"
        return None


class StoreCheck(Store):
    """A check against the store: what of it is damaged is passed over, and said."""
    told = (b"(baseline_damaged)", b"git cannot be asked", b"git does not know 'change' here ()")


class Profiles(http.server.BaseHTTPRequestHandler):
    """A service that has the same heap whenever it is asked."""
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        data = self.server.profiles[self.path.split("/")[1]]
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def serve(profiles):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Profiles)
    server.daemon_threads, server.profiles = True, profiles
    server.handle_error = lambda *_: None  # a client that is killed hangs up
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


class Capture(Scenario):
    """A capture of both sides: what its manifest names is there and whole, and the next capture goes on with it."""
    varies = True

    def __init__(self, name, inputs):
        super().__init__(name, 0, PPROFGATE_BACKOFF_MS="1", no_proxy="*")
        heaps = inputs.root / "fixtures/go-service/heap"
        self.served = {side: (heaps / f"{file}-1.pb.gz").read_bytes()
                       for side, file in (("baseline", "baseline"), ("canary", "alloc"))}
        self.base = None

    def words(self, inputs):
        self.base = self.base or serve(self.served)
        sides = [word for side in self.served for word in (f"--{side}", f"{self.base}/{side}/debug/pprof/heap")]
        return ["capture", *sides, "--kind", "heap", "--runs", "1", "--seconds", "1", "--retries", "1", "-o", "out"]

    def looks_after(self, name):
        return name.startswith("out/")

    def complaint(self, place):
        folder = place / "out"
        manifest = json.loads((folder / "manifest.json").read_text()) if (folder / "manifest.json").exists() else {}
        runs = manifest.get("runs", ())
        for run in runs:
            if not (folder / run["file"]).exists() or (folder / run["file"]).read_bytes() != self.served[run["side"]]:
                return f"{run['file']} is in the manifest, and not as it was served in the folder"
        return None if {run["side"] for run in runs} == set(self.served) else "the manifest lacks a side"

    def after(self, place, inputs, ended):
        if ended.status == 0:
            return self.complaint(place)
        left = [name for name in ended.files if re.search(r"\.pprofgate-\w{6}$", name)]
        if left and ended.status != -9:
            return f"left over: {left}"
        again = inputs.gate(*self.words(inputs), cwd=place)
        if again.returncode != 0:
            return f"the folder is of no use any more: {again.stderr.decode().strip()}"
        return self.complaint(place)


def all_of(inputs):
    i = inputs
    ledger = ("--ledger", "ledger.json", "--change", "c1")
    heaps = i.root / "fixtures/trend/stable"
    return [
        Check("check_fail", 1, "-r", i.rules, *ledger, i.base, i.canary),
        Check("check_pass", 0, "-r", "recommended", i.canary, i.base),
        Check("check_inconclusive", 3, "-r", "recommended", i.base, i.canary),
        Written("merge", 0, "merge", "-o", "merged.pb.gz", i.base, i.canary, file="merged.pb.gz"),
        Written("calibrate", 0, "calibrate", "-r", "recommended", "-o", "noise.yml", i.base, i.canary,
                file="noise.yml"),
        Written("init", 0, "init", "-o", "rules.yml", i.base, file="rules.yml"),
        Written("diff", 0, "diff", "--html", "page.html", i.base, i.canary, file="page.html"),
        Scenario("inspect", 0, "inspect", "--json", i.base),
        Scenario("documents", 0, "inspect", "--json", "--frames", "all", *i.documents),
        Scenario("explain", 0, "explain", "recommended", i.base, i.canary),
        Scenario("validate", 0, "validate", i.rules),
        Store("accept", 0, "baseline", "accept", "--store", "store", "--service", "shop", "--revision", "r3",
              "--elsewhere", i.base),
        StoreCheck("check_store", 3, "check", "--store", "store", "--service", "shop", "--revision", "change",
                   "--elsewhere", "--json", "r.json", i.canary),
        Scenario("trend", 3, "trend", "--sample-type", "inuse_space", "--report", "out", heaps / "step-01.pb.gz",
                 heaps / "step-02.pb.gz", reports=("out/trend.json", "out/trend.html")),
        Capture("capture", i),
    ]
