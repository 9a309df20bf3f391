#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measure how often verdicts are wrong on captures that nobody tuned a rule to.

usage: heldout.py capture FOLDER [--languages go,node,python,jvm] [--seconds S] [--runs N] [--seed SEED]
       heldout.py judge PROGRAM FOLDER [--draws N] [--json FILE]

`capture` runs the parcel services of examples/firsthour (Go, Node, Python, the JVM) with a traffic mix that is new in each
run, makes one handler cost more, and writes profiles and MANIFEST.csv to FOLDER. FOLDER must be outside of the checkout:
captures that are kept become captures that rules are tuned to. Needs go, node, python3, a JDK, and a package index for
py-spy. Takes 5 to 8 minutes per language with the defaults. Runs on loopback; every process ends by itself.

`judge` compares the captures with `pprofgate check` without a rules file, and prints one row per language and kind:

  good       two sets of runs of one build: fail is false
  slow       a handler runs several times per request, so that requests cost 1.4 times as much: pass is missed; "named" are
             fails whose first cause is that handler, or a function that it calls
  faster     the same with the sides exchanged: fail is false
  less load  the canary has half the requests; more load: 1.5 times: fail is false
  busy       both sides are always busy (a closed loop), the canary's handler is slow: pass is missed
  busy good  both sides are always busy: fail is false
  at once    both sides run at the same time and have equal traffic, judged with --equal time (Python: --equal run, since
             py-spy's text has no duration): good and slow

Each row counts the verdicts of random draws with 1, 3 or 5 runs per side; no run is on both sides. "true cost" is the
smallest and the largest CPU time per request of the canary, over that of the baseline, by the operating system.
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SERVICES = os.path.join(ROOT, "examples", "firsthour")
LANGUAGES = ("go", "node", "python", "jvm")
SUFFIX = {"go": "cpu.pb.gz", "node": "cpuprofile.gz", "python": "collapsed.gz", "jvm": "jfr"}
RATE = {"go": 1400, "node": 450, "python": 600, "jvm": 400}  # requests per second that about half of a processor serves
HANDLERS = ("find", "board", "manifest")
CAUSES = {"go": "main.(*depot).{}", "node": "{}", "python": "{} (handlers.py)", "jvm": "Depot.{}"}
GROWTH = 0.4  # what is planted adds about so much to the cost of a request
PILOT_FACTOR, PILOT_SECONDS = 11.0, 4.0
WORKERS = 4
WARM_UP = {"go": 1.0, "node": 3.0, "python": 1.0, "jvm": 8.0}  # seconds
FIELDS = ("file", "language", "kind", "round", "handler", "factor", "requests", "cpu_seconds")


# ---- services ----------------------------------------------------------------------------------------------------


def run(*words, **options):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, **options)


class Service:
    """A running service, and the load on it."""

    def __init__(self, bench, language, plant, number):
        self.bench, self.language = bench, language
        self.address_file = os.path.join(bench.work, f"address-{number}")
        if os.path.exists(self.address_file):
            os.remove(self.address_file)
        lifetime = str(bench.seconds + 40)
        command = {
            "go": ["./depot", "-addr", "127.0.0.1:0", "-addr-file", self.address_file, "-lifetime", lifetime + "s",
                   "-repeat", plant],
            "node": ["node", "depot.js", self.address_file, lifetime, plant],
            "python": ["venv/bin/python", "depot.py", self.address_file, lifetime, plant],
            # Without nodelay each answer waits 40 ms for an acknowledgement, and a closed loop keeps nothing busy.
            "jvm": ["java", "-Dsun.net.httpserver.nodelay=true", "-XX:+UnlockDiagnosticVMOptions",
                    "-XX:+DebugNonSafepoints", "Depot", self.address_file, lifetime, plant],
        }[language]
        self.process = subprocess.Popen(command, cwd=bench.work, stdout=subprocess.DEVNULL)
        self.load = None
        for _ in range(400):
            if os.path.exists(self.address_file):
                break
            time.sleep(0.05)
        with open(self.address_file, encoding="ascii") as file:
            self.url = "http://" + file.read()

    def begin_load(self, rate, workers, seed):
        duration = WARM_UP[self.language] + self.bench.seconds + 2
        self.load = subprocess.Popen(
            ["./load", "-url", self.url, "-rate", str(rate), "-seed", str(seed), "-jitter", "0.15", "-workers",
             str(workers), "-duration", f"{duration}s"],
            cwd=self.bench.work, stdout=subprocess.DEVNULL)

    def fetch(self, path):
        with urllib.request.urlopen(self.url + path, timeout=self.bench.seconds + 30) as answer:
            return answer.read()

    def profile(self, path):
        """Take a profile; return what the service did meanwhile."""
        seconds = self.bench.seconds
        before = json.loads(self.fetch("/stats"))
        if self.language == "go":
            data = self.fetch(f"/debug/pprof/profile?seconds={seconds}")
        elif self.language == "node":
            data = gzip.compress(self.fetch(f"/debug/cpuprofile?seconds={seconds}"), 6, mtime=0)
        elif self.language == "python":
            run("venv/bin/py-spy", "record", "--gil", "--rate", "100", "--duration", str(seconds), "--format", "raw",
                "--output", path + ".txt", "--pid", str(self.process.pid), cwd=self.bench.work, stderr=subprocess.DEVNULL)
            with open(path + ".txt", "rb") as file:
                data = gzip.compress(file.read(), 6, mtime=0)
            os.remove(path + ".txt")
        else:
            pid = str(self.process.pid)
            run("jcmd", pid, "JFR.start", "name=held", "settings=profile")
            time.sleep(seconds)
            run("jcmd", pid, "JFR.stop", "name=held", f"filename={path}")
            with open(path, "rb") as file:
                data = file.read()
        after = json.loads(self.fetch("/stats"))
        with open(path, "wb") as file:
            file.write(data)
        return {key: round(after[key] - before[key], 3) for key in ("requests", "cpu_seconds")}

    def end(self):
        for process in (self.load, self.process):
            if process is not None:
                process.kill()
                process.wait()


class Bench:
    """Services built in a folder of their own, so that profiles contain no path of this machine."""

    def __init__(self, languages, seconds):
        self.seconds = seconds
        self.work = tempfile.mkdtemp(prefix="depot-")
        copy = {"node": ("node",), "python": ("python",)}
        run("go", "build", "-trimpath", "-buildvcs=false", "-o", os.path.join(self.work, "load"), ".",
            cwd=os.path.join(SERVICES, "load"))
        for language in languages:
            for folder in copy.get(language, ()):
                shutil.copytree(os.path.join(SERVICES, folder), self.work, dirs_exist_ok=True)
        if "go" in languages:
            run("go", "build", "-trimpath", "-buildvcs=false", "-o", os.path.join(self.work, "depot"), ".",
                cwd=os.path.join(SERVICES, "go"))
        if "jvm" in languages:
            run("javac", "-d", self.work, os.path.join(SERVICES, "jvm", "Depot.java"))
        if "python" in languages:
            run("python3", "-m", "venv", "venv", cwd=self.work)
            run("venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt", cwd=self.work)

    def end(self):
        shutil.rmtree(self.work)


# ---- capture -----------------------------------------------------------------------------------------------------


def cost_of(bench, language, plant):
    """Return the CPU seconds of a request, of a pilot run that is not kept."""
    service = Service(bench, language, plant, 0)
    try:
        service.begin_load(RATE[language] / 2, 0, 1)
        time.sleep(WARM_UP[language])
        before = json.loads(service.fetch("/stats"))
        time.sleep(PILOT_SECONDS)
        after = json.loads(service.fetch("/stats"))
    finally:
        service.end()
    return (after["cpu_seconds"] - before["cpu_seconds"]) / (after["requests"] - before["requests"])


def factor_of(bench, language, handler):
    """Return how often a handler has to run for requests to cost 1 + GROWTH times as much."""
    cost = cost_of(bench, language, "")
    once = max((cost_of(bench, language, f"{handler}={PILOT_FACTOR:g}") - cost) / (PILOT_FACTOR - 1), 1e-9)
    return min(round(1 + GROWTH * cost / once, 1), 50.0)


def plan_of(language, runs, handler, rng):
    """Return the captures of a language in random order: (kind, round, handler, rate, workers)."""
    rate = RATE[language]
    plan = []
    for number in range(1, 2 * runs + 1):
        plan.append(("base", 0, "", rate, 0))
    for number in range(1, runs + 1):
        plan += [("slow", 0, handler, rate, 0), ("low", 0, "", rate / 2, 0), ("high", 0, "", 1.5 * rate, 0),
                 ("busy", 0, "", rate, WORKERS), ("busy-slow", 0, handler, rate, WORKERS),
                 ("pair-good", number, "", rate / 2, 0), ("pair-slow", number, handler, rate / 2, 0)]
    plan += [("busy", 0, "", rate, WORKERS)] * runs
    rng.shuffle(plan)
    return plan


def take(bench, folder, language, step, factor, number, rng):
    """Take one capture, or two at once of a pair; return the rows of the manifest."""
    kind, turn, handler, rate, workers = step
    plant = f"{handler}={factor:g}" if handler else ""
    plants = ["", plant] if kind.startswith("pair") else [plant]
    seed = rng.randrange(1 << 30)
    services = []
    rows = []
    try:
        for side, of_side in enumerate(plants):
            services.append(Service(bench, language, of_side, side))
        for service in services:
            service.begin_load(rate, workers, seed)  # of a pair: equal traffic
        time.sleep(WARM_UP[language])
        names = [f"{language}-{number:03}{'ab'[side]}.{SUFFIX[language]}" for side in range(len(services))]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            done = list(pool.map(lambda pair: pair[0].profile(os.path.join(folder, pair[1])), zip(services, names)))
        for side, (name, facts) in enumerate(zip(names, done)):
            of = kind + ("-old" if side == 0 else "-new") if kind.startswith("pair") else kind
            rows.append({"file": name, "language": language, "kind": of, "round": turn, "handler": handler,
                         "factor": factor if handler else "", **facts})
    finally:
        for service in services:
            service.end()
    return rows


def capture(options):
    folder = os.path.abspath(options.folder)
    if os.path.commonpath([folder, ROOT]) == ROOT:
        sys.exit(f"heldout.py: '{options.folder}' is in the checkout; give a folder outside of it")
    languages = options.languages.split(",")
    for language in languages:
        if language not in LANGUAGES:
            sys.exit(f"heldout.py: unknown language '{language}', expected some of {', '.join(LANGUAGES)}")
    os.makedirs(folder, exist_ok=True)
    rng = random.Random(options.seed)
    bench = Bench(languages, options.seconds)
    manifest = os.path.join(folder, "MANIFEST.csv")
    try:
        is_new = not os.path.exists(manifest)
        with open(manifest, "a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            if is_new:
                writer.writeheader()
            for language in languages:
                handler = rng.choice(HANDLERS)
                factor = factor_of(bench, language, handler)
                print(f"{language}: {handler} runs {factor:g} times", flush=True)
                for number, step in enumerate(plan_of(language, options.runs, handler, rng)):
                    for row in take(bench, folder, language, step, factor, number, rng):
                        writer.writerow(row)
                    file.flush()
                    print(language, number, *step, flush=True)
    finally:
        bench.end()


# ---- judge -------------------------------------------------------------------------------------------------------

# kind: baseline's captures, canary's captures, whether a fail is right, options of `check`
KINDS = {
    "good": ("base", "base", False, ()),
    "slow": ("base", "slow", True, ()),
    "faster": ("slow", "base", False, ()),
    "less load": ("base", "low", False, ()),
    "more load": ("base", "high", False, ()),
    "busy good": ("busy", "busy", False, ()),
    "busy": ("busy", "busy-slow", True, ()),
    "at once, good": ("pair-good-old", "pair-good-new", False, ("--equal",)),
    "at once, slow": ("pair-slow-old", "pair-slow-new", True, ("--equal",)),
}
EQUAL = {"go": "time", "node": "time", "python": "run", "jvm": "time"}


def draws_of(base, canary, runs, most, rng):
    """Return at most `most` draws of `runs` per side. Runs of rounds stay together; no run is on both sides."""
    if base and base[0]["round"] != "0":
        by_round = {row["round"]: row for row in canary}
        pairs = [(row, by_round[row["round"]]) for row in base if row["round"] in by_round]
        chosen = list(itertools.combinations(pairs, runs))
        rng.shuffle(chosen)
        return [([a for a, _ in draw], [b for _, b in draw]) for draw in chosen[:most]]
    draws, tries = {}, 0
    while len(draws) < most and tries < 50 * most:
        tries += 1
        if len(base) < runs:
            break
        old = rng.sample(base, runs)
        left = [row for row in canary if row not in old]
        if len(left) < runs:
            break
        new = rng.sample(left, runs)
        draws[tuple(sorted(r["file"] for r in old)), tuple(sorted(r["file"] for r in new))] = (old, new)
    return list(draws.values())


def check(program, folder, draw, extra, arguments):
    command = [program, "check", "--json", "-", *extra, *arguments]
    for option, side in zip(("--baseline", "--canary"), draw):
        for row in side:
            command += [option, os.path.join(folder, row["file"])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 2 and "add up to zero" in done.stderr:
        return 2, []  # a profile without a sample of the program
    if done.returncode not in (0, 1, 3):
        sys.exit(f"heldout.py: {' '.join(command)}\n{done.stderr}")
    causes = json.loads(done.stdout).get("causes") or [{}]
    return done.returncode, causes[0].get("path", []) or [causes[0].get("function", "")]


def interval(count, total):
    """Return Wilson's 95% interval in per cent (Wilson 1927)."""
    z = 1.96
    p, n = count / total, total
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


def cost(rows):
    return sum(float(row["cpu_seconds"]) for row in rows) / max(1.0, sum(float(row["requests"]) for row in rows))


def judge(options):
    rng = random.Random(1)
    with open(os.path.join(options.folder, "MANIFEST.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if os.path.exists(os.path.join(options.folder, row["file"]))]
    records = []
    print("| language | kind | runs | judged | fail | inconclusive | refused | pass | wrong (95%) | named | true cost |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for language in LANGUAGES:
        for kind, (one, other, is_regression, words) in KINDS.items():
            extra = (*words, EQUAL[language]) if words else ()
            base = [row for row in rows if row["language"] == language and row["kind"] == one]
            canary = [row for row in rows if row["language"] == language and row["kind"] == other]
            for runs in (1, 3, 5):
                draws = draws_of(base, canary, runs, options.draws, rng)
                if not draws:
                    continue
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    verdicts = list(pool.map(
                        lambda draw, extra=extra: check(options.program, options.folder, draw, extra, options.arguments), draws))
                counts = collections.Counter(status for status, _ in verdicts)
                handler = next((row["handler"] for row in canary if row["handler"]), "")
                cause = CAUSES[language].format(handler)
                named = sum(status == 1 and cause in path for status, path in verdicts)
                wrong = counts[0] if is_regression else counts[1]
                low, high = interval(wrong, len(draws))
                true = sorted(cost(new) / cost(old) for old, new in draws)
                print(f"| {language} | {kind} | {runs} | {len(draws)} | {counts[1]} | {counts[3]} | {counts[2]} | {counts[0]} | "
                      f"{100 * wrong / len(draws):.1f}% ({low:.1f}-{high:.1f}) | "
                      f"{f'{named} of {counts[1]}' if is_regression else ''} | "
                      f"x {true[0]:.2f} to {true[-1]:.2f} |", flush=True)
                for draw, (status, path) in zip(draws, verdicts):
                    records.append({"language": language, "kind": kind, "status": status, "path": path,
                                    "sides": [[row["file"] for row in side] for side in draw],
                                    "true_cost": cost(draw[1]) / cost(draw[0])})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(records, file, indent=1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("capture")
    one.add_argument("folder")
    one.add_argument("--languages", default=",".join(LANGUAGES))
    one.add_argument("--seconds", type=int, default=8)
    one.add_argument("--runs", type=int, default=5)
    one.add_argument("--seed", type=int, default=int(time.time()))
    one.set_defaults(do=capture)
    two = commands.add_parser("judge")
    two.add_argument("program")
    two.add_argument("folder")
    two.add_argument("--draws", type=int, default=60)
    two.add_argument("--json")
    two.add_argument("arguments", nargs="*", default=[], help="further options of `check`")
    two.set_defaults(do=judge)
    options = parser.parse_args()
    options.do(options)


if __name__ == "__main__":
    main()
