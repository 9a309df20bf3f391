# SPDX-License-Identifier: Apache-2.0
"""Scenarios with servers: capture, gate, and stores of profiles."""
import collections
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "stores"))
import stand_in  # noqa: E402
from scenarios import Profiles, Scenario, environment, serve  # noqa: E402

WINDOW = ("--from", "2026-11-20T10:00:00Z", "--to", "2026-11-20T10:06:00Z")
GATE_RULES = {"gate_fail": "  - {name: no function above 5 s, limit: {absolute: 5s}}\n",
              "gate_pass": "  - {name: no function takes over, measure: charged, limit: +90pp, max_mde: 99pp}\n"}
GATE_RULES["gate_work"] = GATE_RULES["gate_pass"]  # its verdict is the same if a run's work is unknown
QUICK = {"PPROFGATE_BACKOFF_MS": "1", "no_proxy": "*"}


def left_over(ended):
    return [name for name in ended.files if re.search(r"\.pprofgate-\w{6}$", name)]


class Taken(Scenario):
    """Capture profiles into the folder `out`. Each file in its manifest must exist and be complete, and the same
    command must be able to resume it. A file is complete if it equals that of a run without a fault."""
    varies = True

    def __init__(self, name, status, *words):
        super().__init__(name, status, *words, **QUICK)
        self.reference = None

    def looks_after(self, name):
        return name.startswith("out/")

    def is_same(self, name, data, expected):
        return name == "report.json" and verdict_of(data) == verdict_of(expected)

    def is_report(self, name):
        return name == "report.json"

    def files_of(self, place):
        """Return {side: bytes of the profiles in the manifest}; None for a missing file."""
        folder = place / "out"
        manifest = json.loads((folder / "manifest.json").read_text()) if (folder / "manifest.json").exists() else {}
        found = {"baseline": [], "canary": []}
        for run in manifest.get("runs", ()):
            path = folder / run["file"]
            found[run["side"]].append(path.read_bytes() if path.exists() else None)
        return found

    def complaint(self, place, inputs, is_complete):
        if self.reference is None:
            with tempfile.TemporaryDirectory() as clean:
                self.again(inputs, pathlib.Path(clean))
                self.reference = self.files_of(pathlib.Path(clean))
            assert all(self.reference.values()), "nothing is taken without a fault"
        for side, found in self.files_of(place).items():
            if not set(found) <= set(self.reference[side]):
                return f"a run of the {side} is in the manifest, and not as it was served in the folder"
            if is_complete and set(found) != set(self.reference[side]):
                return f"the manifest lacks a run of the {side}"
        return None

    def again(self, inputs, place):
        return subprocess.run([inputs.program, *self.words(inputs)], capture_output=True, check=False, cwd=place,
                              env=environment() | self.environment)

    def after(self, place, inputs, ended):
        if ended.status == self.status:
            return self.complaint(place, inputs, True)
        if left_over(ended) and ended.status != -9:
            return f"left over: {left_over(ended)}"
        broken = self.complaint(place, inputs, False)
        if broken:
            return broken
        again = self.again(inputs, place)
        if again.returncode != self.status and not self.is_over(again, place, inputs):
            return f"the folder is of no use any more: {again.returncode}, {again.stderr.decode().strip()}"
        return self.complaint(place, inputs, True)

    def is_over(self, again, place, inputs):
        return False


def verdict_of(report):
    return None if report is None else json.loads(report)["verdict"]


class Gate(Taken):
    """Gate two builds whose profiles are served at once. A verdict is final: `check` of the folder gives the same."""

    def __init__(self, name, status, inputs):
        super().__init__(name, status)
        self.rules = inputs.place / f"{name}.yml"
        self.rules.write_text("version: 1\nbudgets:\n" + GATE_RULES[name], encoding="utf-8")
        self.served = {side: path.read_bytes() for side, path in (("baseline", inputs.base), ("canary", inputs.canary))}
        self.base = None

    def words(self, inputs):
        self.base = self.base or serve(self.served)
        sides = [word for side in self.served for word in (f"--{side}", f"{self.base}/{side}/debug/pprof/profile")]
        return ["gate", *sides, "--seconds", "1", "--max-time", "9s", "--retries", "1", "-r", str(self.rules), "-o",
                "out", "--json", "report.json"]

    def is_over(self, again, place, inputs):
        checked = inputs.gate("check", "out", "-r", self.rules, cwd=place)
        return again.returncode == 2 and b"is decided" in again.stderr and checked.returncode == self.status


class GateWork(Gate):
    """Each build has a counter. The work of a run is the growth of the counter, or unknown."""
    WORK = 1250

    def __init__(self, name, status, inputs):
        super().__init__(name, status, inputs)
        self.numbers, self.mine = itertools.count(), threading.local()  # one counter per run

    def prepare(self, place, inputs):
        super().prepare(place, inputs)
        self.mine.number = next(self.numbers)

    def words(self, inputs):
        self.base = self.base or serve_counted(self.served, self.WORK)
        base = f"{self.base}/{self.mine.number}"
        sides = [word for side in self.served for word in (
            f"--{side}", f"{base}/{side}/debug/pprof/profile", f"--work-url-{side}", f"{base}/{side}/metrics")]
        return ["gate", *sides, "--work-metric", "orders_total", "--seconds", "1", "--max-time", "9s", "--retries",
                "1", "-r", str(self.rules), "-o", "out", "--json", "report.json"]

    def complaint(self, place, inputs, is_complete):
        manifest = place / "out/manifest.json"
        runs = json.loads(manifest.read_text())["runs"] if manifest.exists() else []
        works = [run.get("work") for run in runs]
        if not set(works) <= {None, self.WORK}:
            return f"the work is {works}"
        return super().complaint(place, inputs, is_complete)


class Counted(Profiles):
    """Paths are /RUN/SIDE/...; each profile served increases the counter of that run and side."""

    def do_GET(self):
        run, side, what = self.path.split("/")[1:4]
        with self.server.lock:
            self.server.counts[run, side] += self.server.work if what == "debug" else 0
            count = self.server.counts[run, side]
        if what == "metrics":
            return self.answer(b"# TYPE orders_total counter\norders_total %d\n" % (1234567 + count))
        return self.answer(self.server.profiles[side])


def serve_counted(profiles, work):
    counts = collections.defaultdict(int)
    return serve(profiles, Counted, lock=threading.Lock(), counts=counts, work=work)


class Capture(Taken):
    """Capture the heap profiles of both builds."""

    def __init__(self, name, inputs):
        super().__init__(name, 0)
        heaps = inputs.root / "fixtures/go-service/heap"
        self.served = {side: (heaps / f"{file}-1.pb.gz").read_bytes()
                       for side, file in (("baseline", "baseline"), ("canary", "alloc"))}
        self.base = None

    def words(self, inputs):
        self.base = self.base or serve(self.served)
        sides = [word for side in self.served for word in (f"--{side}", f"{self.base}/{side}/debug/pprof/heap")]
        return ["capture", *sides, "--kind", "heap", "--runs", "1", "--seconds", "1", "--retries", "1", "-o", "out"]


class FromStore(Taken):
    """Capture from a stand-in on loopback for a store of profiles and for Prometheus."""

    def __init__(self, name, protocol, inputs, *more):
        super().__init__(name, 0)
        self.protocol, self.more, self.fixtures, self.base = protocol, more, inputs.root / "fixtures", None

    def address(self, version):
        self.base = self.base or stand_in.serve(stand_in.State(self.fixtures))
        return f'{self.protocol}+{self.base}/well?query={{service_name="shop",version="{version}"}}'

    def words(self, inputs):
        first, other = self.address("1.4"), self.address("1.5")
        work = [word.replace("BASE", self.base) for word in self.more]
        return ["capture", "--baseline", first, "--canary", other, *WINDOW, "-n", "2", "--retries", "1", *work, "-o",
                "out"]


class CheckStore(Scenario):
    """A check that reads its profiles from a store of profiles."""

    def __init__(self, name, inputs):
        super().__init__(name, 3, reports=("report.json",), **QUICK)
        self.store = FromStore("", "pyroscope", inputs)

    def words(self, inputs):
        window = "&from=2026-11-20T10:00:00Z&to=2026-11-20T10:06:00Z"
        sides = (self.store.address(version) + window for version in ("1.4", "1.5"))
        return ["check", *sides, "-r", "strict", "--retries", "1", "--json", "report.json"]


def all_of(inputs):
    work = ("--work-query", 'sum by (endpoint) (increase(r{version="1.4"}[{window}]))', "--work-by", "endpoint",
            "--work-query-url", "BASE/well")
    return [
        Capture("capture", inputs),
        Gate("gate_fail", 1, inputs),
        Gate("gate_pass", 0, inputs),
        GateWork("gate_work", 0, inputs),
        FromStore("capture_pyroscope", "pyroscope", inputs, *work),
        FromStore("capture_parca", "parca", inputs),
        CheckStore("check_pyroscope", inputs),
    ]
