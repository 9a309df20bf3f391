#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves profiles, counters, stores and a cluster on loopback, and runs refuse_arena or refuse_calls on live/.

usage: live.py PROGRAM PPROFGATE ROOT [CASE...]

/shop/VERSION/... is a program of that version, and /again/... redirects there. stand_in.py answers all other paths.
Answers come at once, so that a run takes no longer than the program does. Sets {url} and {place} of the files `args`.
"""
import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "stores"))
import stand_in  # noqa: E402

RULES = "version: 1\nbudgets:\n  - {name: no function above 5 s, limit: {absolute: 5s}}\n"
TREND = "version: 1\nbudgets:\n  - {name: nothing creeps up, measure: trend, limit: {share_increase: +5pp}}\n"
V1 = "client.authentication.k8s.io/v1"
HELPER = '#!/bin/sh\necho \'{"kind": "ExecCredential", "apiVersion": "%s", "status": {"token": "%s"}}\'\n'


def another(path, number):
    """Return the profile with one more string, because equal profiles would count as one."""
    text = b"%016d" % number
    return gzip.compress(gzip.decompress(path.read_bytes()) + b"\x32\x10" + text, 1)


class State(stand_in.State):
    def profile(self, selector, start_ms, end_ms=None):
        names = {'version="1.4"': "good.pb.gz", 'version="1.5"': "good-canary.pb.gz"}
        name = next((n for label, n in names.items() if label in selector), None)
        return None if name is None else another(self.fixtures / "bad" / name, start_ms)


class Paths(stand_in.Paths):
    def program(self, version, rest):
        number = 1000 * self.state.count((rest, version))
        if rest == "metrics":
            return self.answer(200, b'requests_total{code="200",endpoint="/a"} %d\n' % number, "text/plain")
        kind, names = ("heap", {"1.4": "baseline", "1.5": "alloc"}) if rest.endswith("/heap") else (
            "cpu", {"1.4": "baseline", "1.5": "regression"})
        path = self.state.fixtures / ("go-service/%s/%s-1.pb.gz" % (kind, names[version]))
        return self.answer(200, another(path, number), "application/octet-stream")

    def do_GET(self):
        path = self.path.split("?")[0]
        found = re.match(r"/shop/([0-9.]+)/(.*)$", path)
        if found:
            return self.program(*found.groups())
        if path.startswith("/again/"):
            return self.answer(307, b"", "text/plain", [("Location", self.path.replace("/again/", "/shop/"))])
        return super().do_GET()


def kubeconfig(path, server, user, cluster):
    path.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": server} | cluster}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": user}]}), encoding="utf-8")


def run(*words, cwd=None):
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, "%s: %s" % (words, done.stderr)


def furnish_store(place, gate):
    """Make a store with six accepted revisions of a service, two runs each, and a ledger and rules of a trend."""
    lines = [line.rsplit(" ", 1) for line in (HERE / "runs/base-0.folded").read_text().splitlines()]
    for i in range(14):
        counts = [int(n) * (100 + (3 * i + 5 * at) % 7) for at, (_, n) in enumerate(lines)]
        text = "".join("%s %d\n" % (stack, count) for (stack, _), count in zip(lines, counts))
        (place / ("run-%02d.folded" % i)).write_text(text, encoding="utf-8")
    for i in range(0, 12, 2):
        run(gate, "baseline", "accept", "--store", place / "stored/s", "--service", "shop", "--revision", "r%d" % i,
            place / ("run-%02d.folded" % i), place / ("run-%02d.folded" % (i + 1)))
    (place / "ledger").mkdir()
    run(gate, "check", "-r", "recommended", "--ledger", "ledger/l.json", "--change", "c1", "--looks", "3", "--work",
        "baseline=100", "--work", "canary=100", "run-00.folded", "run-02.folded", cwd=place)
    (place / "trend.yml").write_text(TREND, encoding="utf-8")


def furnish_folder(place, gate, url):
    """Capture a folder with CPU and heap profiles and the work of each run."""
    sides = []
    for side, version in (("baseline", "1.4"), ("canary", "1.5")):
        shop = "%s/shop/%s/" % (url, version)
        sides += ["--" + side, shop + "debug/pprof", "--work-url-" + side, shop + "metrics"]
    run(gate, "capture", *sides, "--work-metric", "requests_total", "--work-by", "endpoint", "-k", "cpu,heap",
        "-s", 1, "-n", 2, "-o", place / "folder")


def furnish_repository(place, gate):
    """Make a checkout with rules that are changed and not committed."""
    folder = place / "repository"
    folder.mkdir()
    (folder / "rules.yml").write_text(RULES.replace("{absolute: 5s}", "+5pp"), encoding="utf-8")
    good = sorted((place / "folder").glob("cpu-*-baseline.pb.gz"))
    run(gate, "calibrate", "-r", "recommended", "-o", folder / "noise.yml", *good)
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "rules")):
        run("git", "-c", "user.name=test", "-c", "user.email=test@localhost", *words, cwd=folder)
    (folder / "rules.yml").write_text(RULES.replace("{absolute: 5s}", "+50pp"), encoding="utf-8")


def furnish(place, url):
    """Make the files in {place} that the files `args` use."""
    (place / "rules.yml").write_text(RULES, encoding="utf-8")
    (place / "user").write_text("ada:word\n", encoding="utf-8")
    helper = place / "helper"
    helper.write_text(HELPER % (V1, stand_in.TOKEN), encoding="utf-8")
    helper.chmod(0o755)
    command = {"apiVersion": V1, "command": "./helper", "args": ["a b"], "interactiveMode": "Never",
               "env": [{"name": "NAME", "value": "value"}], "provideClusterInfo": True}
    pem = base64.b64encode(b"a certificate").decode()
    kubeconfig(place / "command", url + "/cluster", {"exec": command}, {})
    (place / "token").write_text(stand_in.TOKEN, encoding="utf-8")
    kubeconfig(place / "certificates", url + "/cluster/", {"tokenFile": "token", "client-certificate-data": pem,
                                                           "client-key-data": pem},
               {"certificate-authority": "user", "insecure-skip-tls-verify": True})


def main():
    program, gate, root = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    chosen = sys.argv[4:]
    stand_in.Paths = Paths
    url = stand_in.serve(State(root / "fixtures"))
    cases = [HERE / "live" / name for name in chosen] or sorted((HERE / "live").iterdir())
    with tempfile.TemporaryDirectory(prefix="refusals-") as place:
        furnish(pathlib.Path(place), url)
        furnish_store(pathlib.Path(place), gate)
        furnish_folder(pathlib.Path(place), gate, url)
        furnish_repository(pathlib.Path(place), gate)
        told = {"REFUSALS_URL": url, "REFUSALS_PLACE": place, "TMPDIR": place}
        done = subprocess.run([program, *map(str, cases)], cwd=root / "fixtures", env=os.environ | told, check=False)
        left = [name for name in os.listdir(place) if name.startswith("pprofgate") and program.name == "refuse_arena"]
    if left:  # refuse_arena never refuses their removal
        sys.exit("left over among the temporary files: %s" % left)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
