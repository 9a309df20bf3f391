#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures examples/fleet: processor time and memory of all processes of an engine, and wrong verdicts. By hand.

    measure.py ENGINE FOLDER SERVICE...

FOLDER is what make_profiles.py wrote, and each SERVICE is one that grows, such as service07. ENGINE is `none`, `dask` or
`spark`. PPROFGATE_LIBRARY and PYTHONPATH are as for run_engine.py. The printed line has the columns of docs/scale.md.
"""
import ctypes
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
HERE = pathlib.Path(__file__).resolve().parent


def run(words):
    """The output of a command, its seconds, and the processor seconds of all processes that it leaves or ends."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        with open(os.devnull, "wb") as nothing:
            started = subprocess.Popen(words, stdout=output, stderr=nothing)
        while True:
            try:
                os.wait()
            except ChildProcessError:
                break
        started.returncode = 0
        output.seek(0)
        text = output.read()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return text, time.monotonic() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


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
          f"{len(failed - grown)} false fails, {len(undecided)} undecided; {seconds:.0f} s, {processor:.0f} s of processor "
          f"time, {profiles / processor:.0f} profiles a second and core; largest process {most:.0f} MB")


if __name__ == "__main__":
    main()
