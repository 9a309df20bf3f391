#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the test suite costs: a row per layer with its tests, lines of test code and seconds of processor time.

usage: suite.py [BUILD] [-R REGEX] [-j JOBS] [--slowest N]

BUILD is a built CMake folder (default build/release). A layer is the first word of a test's name: `unit`, `case`, `store`. Each
test runs as ctest would run it, in its own folder and with its own environment. Processor time includes child processes
that were waited for, so other work of the machine hardly changes it. Exits with 1 if a test fails.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = {"case": "cases"}  # layers that are not named as their folder in tests/


def tests_of(build, pattern):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        if "command" in test and re.search(pattern, test["name"]):
            facts = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
            yield test["name"], test["command"], facts


def measured(test, build):
    """Return (name, labels, passed, CPU seconds, seconds)."""
    name, command, facts = test
    environment = dict(os.environ)
    for entry in facts.get("ENVIRONMENT", []):
        key, _, value = entry.partition("=")
        environment[key] = value
    for entry in facts.get("ENVIRONMENT_MODIFICATION", []):  # NAME=set:VALUE or NAME=unset:
        key, _, change = entry.partition("=")
        operation, _, value = change.partition(":")
        environment.pop(key, None)
        if operation == "set":
            environment[key] = value
    began = time.monotonic()
    process = subprocess.Popen(command, cwd=facts.get("WORKING_DIRECTORY", build), env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    passed = process.returncode in (0, facts.get("SKIP_RETURN_CODE", 0))
    return name, facts.get("LABELS", []), passed, used.ru_utime + used.ru_stime, time.monotonic() - began


def lines_of(layer):
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", f"tests/{FOLDERS.get(layer, layer)}"], capture_output=True,
                            text=True, check=True)
    count = 0
    for name in listed.stdout.split():
        if re.search(r"\.(c|h|py|sh|mjs|js|cmake)$", name):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                count += sum(1 for _ in file)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("-R", dest="pattern", default=".")
    parser.add_argument("-j", dest="jobs", type=int, default=2)
    parser.add_argument("--slowest", type=int, default=25)
    options = parser.parse_args()
    tests = list(tests_of(options.build, options.pattern))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda test: measured(test, options.build), tests))
    layers = collections.defaultdict(list)
    for result in results:
        layers[result[0].split(".")[0]].append(result)
    print(f"{'layer':14}{'tests':>7}{'lines':>8}{'CPU s':>9}{'slow: CPU s':>13}")
    for layer, some in sorted(layers.items(), key=lambda entry: -sum(r[3] for r in entry[1])):
        slow = sum(r[3] for r in some if {"slow", "measures"} & set(r[1]))
        print(f"{layer:14}{len(some):7}{lines_of(layer):8}{sum(r[3] for r in some):9.1f}{slow:13.1f}")
    print(f"{'all':14}{len(results):7}{'':8}{sum(r[3] for r in results):9.1f}")
    print("\nslowest:")
    for name, labels, _, cpu, wall in sorted(results, key=lambda r: -r[3])[:options.slowest]:
        print(f"  {cpu:7.1f} s CPU {wall:7.1f} s  {name} {' '.join(labels)}")
    failed = [r[0] for r in results if not r[2]]
    if failed:
        print("\nfailed:", *failed, sep="\n  ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
