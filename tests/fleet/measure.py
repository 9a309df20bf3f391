#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures examples/fleet: processor time and memory of all processes of an engine, and wrong verdicts. By hand.

    measure.py ENGINE FOLDER SERVICE...

FOLDER is what make_profiles.py wrote, and each SERVICE is one that grows, such as service07. ENGINE is `none`, `dask`
or `spark`. PPROFGATE_LIBRARY and PYTHONPATH are as for run_engine.py. The printed line has the columns of docs/scale.md.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 0.1  # between two looks. What a process uses behind the last look before its end is not counted


class Usage:
    """Processor time and memory of the descendants of this process. Spark's workers are nobody's to wait for."""

    def __init__(self):
        self.ticks, self.most = {}, 0.0

    def look(self):
        parents, found = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                memory = re.search(r"^VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(), re.M)
            except OSError:  # it has ended
                continue
            parents[int(pid)] = int(words[1])
            found[int(pid)] = ((pid, words[19]), int(words[11]) + int(words[12]), int(memory[1]) if memory else 0)
        for pid, (key, ticks, memory) in found.items():
            above = pid
            while above in parents and above != os.getpid():
                above = parents[above]
            if above == os.getpid() != pid:
                self.ticks[key] = max(self.ticks.get(key, 0), ticks)
                self.most = max(self.most, memory / 1024)

    def seconds(self):
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK")


def run(words):
    """The output of a command, its seconds, and what all its processes use."""
    began, usage = time.monotonic(), Usage()
    with tempfile.TemporaryFile("w+") as output:
        started = subprocess.Popen(words, stdout=output, stderr=subprocess.DEVNULL)
        while started.poll() is None:
            usage.look()
            time.sleep(SECONDS)
        output.seek(0)
        return output.read(), time.monotonic() - began, usage.seconds(), usage.most


def main():
    engine, folder, grown = sys.argv[1], sys.argv[2], set(sys.argv[3:])
    python = sys.executable
    if engine != "none":
        words = ["bash", str(HERE / "engines.sh"), engine]
        python = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    text, seconds, processor, most = run([python, str(HERE / "run_engine.py"), engine, folder])
    print(text)
    rows = re.findall(r"^(\S+) +(fail|error|inconclusive|pass) ", text, re.M)
    profiles = int(re.search(r"^(\d+) profiles, ", text, re.M)[1])
    failed = {service for service, outcome in rows if outcome == "fail"}
    undecided = [service for service, outcome in rows if outcome not in ("fail", "pass")]
    missed = {service for service, outcome in rows if outcome == "pass"} & grown
    print(f"{engine}: {profiles} profiles; found {len(failed & grown)} of {len(grown)}, passed {len(missed)}; "
          f"{len(failed - grown)} false fails, {len(undecided)} undecided; {seconds:.0f} s, "
          f"{processor:.0f} s of processor time, {profiles / processor:.0f} profiles a second and core; "
          f"largest process {most:.0f} MB")


if __name__ == "__main__":
    main()
