# SPDX-License-Identifier: Apache-2.0
"""Runs of the program that talk to servers and start programs: capture, gate, stores of profiles, try."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path[1:1] = [str(pathlib.Path(__file__).resolve().parent.parent / room) for room in ("stores", "trial")]
import repository  # noqa: E402
import stand_in  # noqa: E402
from scenarios import Scenario, environment, serve  # noqa: E402

WINDOW = ("--from", "2026-11-20T10:00:00Z", "--to", "2026-11-20T10:06:00Z")
GATE_RULES = {"gate_fail": "  - {name: no function above 5 s, limit: {absolute: 5s}}\n",
              "gate_pass": "  - {name: no function takes over, measure: charged, limit: +90pp, max_mde: 99pp}\n"}
QUICK = {"PPROFGATE_BACKOFF_MS": "1", "no_proxy": "*"}


def left_over(ended):
    return [name for name in ended.files if re.search(r"\.pprofgate-\w{6}$", name)]


class Taken(Scenario):
    """Profiles are taken into the folder out: what its manifest names is there and whole, and the same command goes on
    with it. What is whole is what a run without a fault leaves."""
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
        """{side: the profiles of the manifest}; None is one that is not there."""
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
    """Both builds by their profiles, served at once. What is decided stays so: `check` of the folder says the same."""

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


class Capture(Taken):
    """The heaps of both builds."""

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
    """A store of profiles, and Prometheus, played on loopback."""

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
    """A check that asks a store itself."""

    def __init__(self, name, inputs):
        super().__init__(name, 3, reports=("report.json",), **QUICK)
        self.store = FromStore("", "pyroscope", inputs)

    def words(self, inputs):
        window = "&from=2026-11-20T10:00:00Z&to=2026-11-20T10:06:00Z"
        sides = (self.store.address(version) + window for version in ("1.4", "1.5"))
        return ["check", *sides, "-r", "strict", "--retries", "1", "--json", "report.json"]


class Try(Scenario):
    """A revision against the working tree: nothing of the user's repository changes, nothing runs on, and the next try
    works whatever this one left in its cache."""
    varies = True

    def __init__(self, name, status, cost, *words):
        super().__init__(name, status, "try", "--cache", "ignored", "--json", "report.json", *words, "HEAD",
                         GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_OPTIONAL_LOCKS="0")
        self.cost, self.template, self.whole = cost, None, None

    def make(self, inputs):
        folder = inputs.place / self.name
        folder.mkdir()
        made = repository.fake_repository(inputs.program, folder)
        made.write("cost", self.cost + "\n")
        self.template, self.whole = made.folder, repository_files(made.folder)

    def prepare(self, place, inputs):
        if self.template is None:
            self.make(inputs)
        shutil.copytree(self.template, place, dirs_exist_ok=True, symlinks=True)

    def looks_after(self, name):
        return name != "report.json"

    def is_report(self, name):
        return name == "report.json"

    def is_same(self, name, data, expected):
        return verdict_of(data) == verdict_of(expected)

    def after(self, place, inputs, ended):
        running = runs_on(place)
        if running:
            return f"runs on: {running}"
        if repository_files(place) != self.whole:
            changed = {name for name, _ in set(repository_files(place).items()) ^ set(self.whole.items())}
            return f"changed in the user's repository: {sorted(changed)}"
        if ended.status == self.status:
            return None
        again = subprocess.run([inputs.program, *self.words(inputs)], capture_output=True, check=False, cwd=place,
                               env=environment() | self.environment)
        if again.returncode != self.status:
            return f"no other try works: {again.returncode}, {again.stderr.decode().strip()}"
        return None


def repository_files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()
            and path.relative_to(folder).parts[0] not in ("ignored", "report.json")}


def runs_on(place):
    """What works in this folder still; after a moment, since what is killed ends in its own time."""
    for _ in range(100):
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(entry / "cwd").startswith(str(place)):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
        if not found:
            return []
        time.sleep(0.1)
    return found


def all_of(inputs):
    work = ("--work-query", 'sum by (endpoint) (increase(r{version="1.4"}[{window}]))', "--work-by", "endpoint",
            "--work-query-url", "BASE/well")
    return [
        Capture("capture", inputs),
        Gate("gate_fail", 1, inputs),
        Gate("gate_pass", 0, inputs),
        FromStore("capture_pyroscope", "pyroscope", inputs, *work),
        FromStore("capture_parca", "parca", inputs),
        CheckStore("check_pyroscope", inputs),
        *([Try("try_pass", 0, "120"), Try("try_fail", 1, "4000")] if shutil.which("git") else []),
    ]
