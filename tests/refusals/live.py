#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves profiles, counters, stores and a cluster on loopback, and runs refuse_arena or refuse_calls on live/ against it.

usage: live.py PROGRAM ROOT [CASE...]

/shop/VERSION/... is a program of that version, /again/... one that leads there first; all else is stand_in.py's. An
answer comes at once, so that a run takes no longer than the program does. {url} and {place} of `args` are told here.
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
V1 = "client.authentication.k8s.io/v1"
HELPER = '#!/bin/sh\necho \'{"kind": "ExecCredential", "apiVersion": "%s", "status": {"token": "%s"}}\'\n'


class State(stand_in.State):
    def profile(self, selector, start_ms, end_ms=None):
        names = {'version="1.4"': "good.pb.gz", 'version="1.5"': "good-canary.pb.gz"}
        name = next((n for label, n in names.items() if label in selector), None)
        if name is None:
            return None
        moment, field = start_ms * 1000000, b"\x48"  # time_nanos: another profile of each moment
        while moment > 127:
            field, moment = field + bytes([moment & 127 | 128]), moment >> 7
        return gzip.compress(gzip.decompress((self.fixtures / "bad" / name).read_bytes()) + field + bytes([moment]), 1)


class Paths(stand_in.Paths):
    def program(self, version, rest):
        if rest == "metrics":
            number = 1000 * self.state.count(("metrics", version))
            return self.answer(200, b'requests_total{code="200",endpoint="/a"} %d\n' % number, "text/plain")
        if rest.endswith("/heap"):
            name = {"1.4": "baseline", "1.5": "alloc"}[version]
            heap = self.state.fixtures / ("go-service/heap/%s-1.pb.gz" % name)
            return self.answer(200, heap.read_bytes(), "application/octet-stream")
        number = 1000 * self.state.count(("profile", version))
        return self.answer(200, self.state.profile('version="%s"' % version, number), "application/octet-stream")

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


def furnish(place, url):
    """What `args` name in {place}."""
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
    program, root, *chosen = sys.argv[1:]
    program, root = pathlib.Path(program).resolve(), pathlib.Path(root).resolve()
    stand_in.Paths = Paths
    url = stand_in.serve(State(root / "fixtures"))
    cases = [HERE / "live" / name for name in chosen] or sorted((HERE / "live").iterdir())
    with tempfile.TemporaryDirectory(prefix="refusals-") as place:
        furnish(pathlib.Path(place), url)
        told = {"REFUSALS_URL": url, "REFUSALS_PLACE": place, "TMPDIR": place}
        done = subprocess.run([program, *map(str, cases)], cwd=root / "fixtures", env=os.environ | told, check=False)
        left = [name for name in os.listdir(place) if name.startswith("pprofgate")]
    if left:
        sys.exit("left over among the temporary files: %s" % left)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
