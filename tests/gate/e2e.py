#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate gate` end to end: the example service in two builds, behind real HTTP on loopback, under load.

    e2e.py PPROFGATE SOURCE_DIR PART

PART is regressed_is_failed, unchanged_passes or killed_goes_on. Everything that is started here ends by itself.

What is measured here is real, so now and then a run of it is not as it should be: the gate itself promises no more
than its error rates, and the machine has other work. A part fails the test when three tries of it have failed.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

LIFETIME_S = 290  # the load takes no more than five minutes
TRIES = 3
ROUND_S = 2
MAX_TIME = "60s"
RULES = """version: 1
budgets:
  - name: no function takes over
    measure: charged
    limit: {share_increase: "+15pp"}
    max_mde: 40pp
"""


class Unexpected(Exception):
    """A run did not end as it should."""


def build(source, where):
    """The service in two builds, and its load."""
    service = os.path.join(source, "examples", "service")
    for name, more in (("good", []), ("bad", ["-ldflags", "-X main.shippedPlant=leaf"])):
        subprocess.run(["go", "build", "-o", os.path.join(where, name), *more, "."], cwd=service, check=True)
    subprocess.run(["go", "build", "-o", os.path.join(where, "load"), "./load"], cwd=service, check=True)


class Service:
    """One running build, with requests for as long as it runs."""

    def __init__(self, where, build_name, instance, *flags):
        address = os.path.join(where, instance + ".addr")
        self.process = subprocess.Popen(
            [os.path.join(where, build_name), "-addr=127.0.0.1:0", "-addr-file=" + address,
             f"-lifetime={LIFETIME_S}s", *flags])
        while not os.path.exists(address):
            if self.process.poll() is not None:
                sys.exit(f"the service ended with {self.process.returncode}")
            time.sleep(0.02)
        with open(address, encoding="utf-8") as file:
            self.url = "http://" + file.read().strip()
        self.load = subprocess.Popen(
            [os.path.join(where, "load"), "-url=" + self.url, "-rate=500", "-workers=8", f"-duration={LIFETIME_S}s"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self):
        for process in (self.load, self.process):
            process.terminate()
            process.wait()


def gate(program, where, name, baseline, canary, more=()):
    """Run the gate. Return its exit status, its output, and the JSON report."""
    report = os.path.join(where, name + ".json")
    run = subprocess.run(
        [program, "gate", "--baseline", baseline.url, "--canary", canary.url, "--seconds", str(ROUND_S),
         "--max-time", MAX_TIME, "-o", os.path.join(where, name), "--rules", os.path.join(where, "rules.yml"),
         "--work-metric", "http_requests_total", "--work-by", "endpoint",
         "--json", report, "--junit", os.path.join(where, name + ".xml"), *more],
        capture_output=True, text=True, check=False, timeout=LIFETIME_S)
    if not os.path.exists(report):
        raise Unexpected(f"{name}: no report, exit status {run.returncode}\n{run.stdout}{run.stderr}")
    with open(report, encoding="utf-8") as file:
        return run, json.load(file)


def expect(what, found, run):
    if not found:
        raise Unexpected(f"expected {what}\nexit status {run.returncode}\n{run.stdout}\n{run.stderr}")


def check_again(program, where, name, run):
    """What was taken is judged alike by whoever looks at it later, who learns it if the rules are others."""
    command = [program, "check", os.path.join(where, name), "--rules"]
    again = subprocess.run([*command, os.path.join(where, "rules.yml")], capture_output=True, text=True, check=False)
    expect(f"check {name}: exit status {run.returncode}", again.returncode == run.returncode, again)
    expect(f"check {name}: {run.stdout.splitlines()[0]}", again.stdout.splitlines()[0] == run.stdout.splitlines()[0], again)
    expect("no word of other rules", "by other rules" not in again.stderr, again)
    others = subprocess.run([*command, "contention"], capture_output=True, text=True, check=False)
    expect("a word of other rules", "by other rules" in others.stderr, others)


def is_decided(program, where, name, *services):
    """A folder that was decided is of that canary: no other one gets its verdict, nor a second chance in it."""
    taken = sorted(os.listdir(os.path.join(where, name)))
    report = os.path.join(where, name + ".json")
    again = subprocess.run(
        [program, "gate", "--baseline", services[0].url, "--canary", services[1].url, "-o", os.path.join(where, name),
         "--seconds", str(ROUND_S), "--max-time", MAX_TIME, "--rules", os.path.join(where, "rules.yml"), "--equal", "time",
         "--json", report],
        capture_output=True, text=True, check=False)
    expect("a refusal", again.returncode == 2 and "is decided" in again.stderr, again)
    expect("the report kept", os.path.exists(report), again)
    expect("nothing more taken", sorted(os.listdir(os.path.join(where, name))) == taken, again)


def regressed_is_failed(program, where, name, baseline, canary):
    """The build with the regression is failed, named, and not measured to the end."""
    run, report = gate(program, where, name, baseline, canary, more=["--equal", "time"])
    expect("a fail", run.returncode == 1 and report["verdict"] == "fail", run)
    expect("the function by name", "main.priceRound" in run.stdout, run)
    expect("an early end", report["looks"]["count"] < report["looks"]["planned"], run)
    check_again(program, where, name, run)
    is_decided(program, where, name, baseline, canary)


def unchanged_passes(program, where, name, baseline, canary):
    """The unchanged build passes before the time is over."""
    run, report = gate(program, where, name, baseline, canary)
    expect("a pass", run.returncode == 0 and report["verdict"] == "pass", run)
    expect("an early end", report["looks"]["count"] < report["looks"]["planned"], run)
    check_again(program, where, name, run)


def killed_goes_on(program, where, name, baseline, canary):
    """A gate that is killed between two looks resumes with the profiles taken so far and the same plan."""
    folder = os.path.join(where, name)
    manifest = os.path.join(folder, "manifest.json")
    command = [program, "gate", "--baseline", baseline.url, "--canary", canary.url, "--seconds", str(ROUND_S),
               "--max-time", "120s", "-o", folder, "--rules", "strict"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while first.poll() is None:
            time.sleep(0.05)
            if os.path.exists(manifest) and looks_of(manifest).get("fractions"):
                first.kill()
    planned = looks_of(manifest)
    run, report = gate(program, where, name, baseline, canary, more=["--max-time", "60s", "--rules", "strict"])
    expect("a word that it goes on", "resumes by the same plan" in run.stderr, run)
    expect("the plan of the first", report["looks"]["planned"] == planned["planned"], run)
    again = looks_of(manifest)["fractions"]
    expect("more looks", again[:len(planned["fractions"])] == planned["fractions"] and len(again) > len(planned["fractions"]),
           run)


def looks_of(manifest):
    with open(manifest, encoding="utf-8") as file:
        return json.load(file).get("looks", {})


def tried(part, program, where, canary_build, *flags):
    """`part`, until it is as it should be; what was not is printed, and the last of TRIES is an error."""
    for attempt in range(1, TRIES + 1):
        services = []
        try:
            # Both sides at once: the content of request n depends only on n.
            services.append(Service(where, "good", f"{part.__name__}-{attempt}-baseline"))
            services.append(Service(where, canary_build, f"{part.__name__}-{attempt}-canary", *flags))
            part(program, where, f"{part.__name__}-{attempt}", *services)
            return
        except Unexpected as why:
            print(f"{part.__name__}, try {attempt} of {TRIES}: {why}", flush=True)
        finally:
            for service in services:
                service.end()
    sys.exit(f"{part.__name__}: not once as it should be")


CANARIES = {regressed_is_failed: ["bad", "-plant-size=9000"], unchanged_passes: ["good"], killed_goes_on: ["good"]}


def main():
    program, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    part = {part.__name__: part for part in CANARIES}[sys.argv[3]]
    where = tempfile.mkdtemp()
    try:
        build(source, where)
        with open(os.path.join(where, "rules.yml"), "w", encoding="utf-8") as file:
            file.write(RULES)
        tried(part, program, where, *CANARIES[part])
    finally:
        shutil.rmtree(where)


if __name__ == "__main__":
    main()
