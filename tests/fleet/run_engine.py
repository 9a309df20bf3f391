#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program of examples/fleet, and kills one worker if that is wanted.

    run_engine.py ENGINE FOLDER [MARKER]

With MARKER, the worker that first makes a summary kills itself. MARKER is a new file that records that. ENGINE is
`none`, `dask` or `spark`; `none` runs everything in this process.
"""
import os
import pathlib
import signal
import sys

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/fleet"
sys.path.insert(0, str(EXAMPLE))

import fleet  # noqa: E402


def killing(marker):
    def summarize(partition):
        try:
            os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return fleet.summarize(partition)
        os.kill(os.getpid(), signal.SIGKILL)
    return summarize


def run_here(folder, rules, summarize=fleet.summarize):
    by_service = {}
    for partition in fleet.partitions(folder):
        by_service.setdefault(partition.service, []).append(summarize(partition))
    return [fleet.check(service, reversed(parts), rules) for service, parts in by_service.items()]


def engine(name):
    if name == "none":
        return run_here
    return __import__(f"with_{name}").run


def main():
    words = [killing(sys.argv[3])] if len(sys.argv) == 4 else []
    rows = engine(sys.argv[1])(sys.argv[2], (EXAMPLE / "rules.yml").read_bytes(), *words)
    sys.exit(fleet.report(rows))


if __name__ == "__main__":
    main()
