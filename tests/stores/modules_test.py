#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate capture` against servers built from the stubs of Pyroscope's and Parca's own modules (go/main.go).

usage: modules_test.py PPROFGATE ROOT SERVER    (SERVER is go/ built; ci/night.d/stores.sh does both)
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from store_test import Bench, WINDOW
import stand_in


def start(server, root, place):
    file = place / "address"
    child = subprocess.Popen([server, pathlib.Path(root) / "fixtures", file, "120"],
                             env=dict(os.environ, STORE_TOKEN=stand_in.TOKEN))
    for _ in range(400):
        if file.exists() and file.read_text():
            return child, file.read_text()
        time.sleep(0.05)
    child.kill()
    raise AssertionError("the server did not begin")


def take(b, base, scheme, what="", *more, canary="1.5", runs=3):
    shutil.rmtree(b.dir, ignore_errors=True)
    url = scheme + "+" + base + what + '?query={service_name="shop",version="%s"}'
    b.run("capture", "--baseline", url % "1.4", "--canary", url % canary, *WINDOW, "-n", runs, "-o", b.dir, *more)


def same_as_fixtures(b):
    """The samples that came are those that the server has."""
    for run in b.runs():
        minute = run["start_ms"] // 60000
        found = sorted((b.root / "fixtures/captures").glob({"baseline": "mix", "canary": "p10"}[run["side"]] + "-*.cpu.pb.gz"))
        totals = []
        for path in (b.dir / run["file"], found[minute % len(found)]):
            b.run("inspect", path)
            b.expect(0)
            totals.append([line for line in b.last.stdout.splitlines() if "/count  total" in line or "records" in line])
        assert len(totals[0]) == 2 and totals[0] == totals[1], totals


def main(program, root, server):
    b = Bench(program, root)
    child, base = start(server, root, b.place)
    try:
        for what in ("/new", "/old"):
            take(b, base, "pyroscope", what, "--tenant", "team-a")
            b.expect(0, "6 runs in 3 complete rounds")
            same_as_fixtures(b)
            b.run("check", "-r", "recommended", b.dir)
            b.expect(1, "main.priceRound")
        take(b, base, "pyroscope", "/new")
        b.expect(2, 'HTTP 401, "no org id"')
        take(b, base, "pyroscope", "/new", "--tenant", "team-a", "--kind", "heap")
        b.expect(2, "HTTP 400, \"", "memory:inuse_space")
        for what in ("/new", "/old"):
            take(b, base, "pyroscope", what, "--tenant", "team-a", canary="9.9")
            b.expect(2, "the store has no samples")
        take(b, base, "pyroscope", "/nowhere")
        b.expect(2, "HTTP 404")
        take(b, base, "parca", "", "--token-env", "SECRET_TOKEN")
        b.expect(0, "6 runs in 3 complete rounds")
        same_as_fixtures(b)
        take(b, base, "parca")
        b.expect(2, "(gRPC status 16): \"who are you?\"")
        take(b, base, "parca", "", "--token-env", "SECRET_TOKEN", canary="9.9")
        b.expect(2, "(gRPC status 5): \"could not find profile")
        take(b, base, "parca", "", "--token-env", "SECRET_TOKEN", "--kind", "heap")
        b.expect(2, "(gRPC status 3): \"unknown type\"")
        b.no_secret_anywhere()
        print("the servers of Pyroscope's and Parca's modules are understood")
    finally:
        child.kill()
        child.wait()
        shutil.rmtree(b.place, ignore_errors=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2], os.path.abspath(sys.argv[3]))
