#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate capture --work-query` against Prometheus' own server, which is given half an hour of counters.

usage: prometheus_test.py PPROFGATE ROOT    (it needs prometheus and promtool; ci/night.d/stores.sh looks for them)
"""
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from store_test import Bench, START

WINDOW_MS, STEP_MS, RUNS = 30 * 60000, 15000, 3
RATES = {("1.4", "/a"): 10, ("1.4", "/b"): 30, ("1.5", "/a"): 20, ("1.5", "/b"): 20}  # a second


def counters(path):
    """OpenMetrics text for half an hour and some minutes before it."""
    lines = ["# TYPE http_requests counter"]
    for (version, endpoint), rate in RATES.items():
        for at in range(START - 10 * 60000, START + WINDOW_MS + STEP_MS, STEP_MS):
            number = rate * (at - START + 10 * 60000) // 1000
            labels = 'version="%s",endpoint="%s"' % (version, endpoint)
            lines.append("http_requests_total{%s} %d %.3f" % (labels, number, at / 1000))
    path.write_text("\n".join(lines) + "\n# EOF\n")


def start(place):
    """A server on a port that is free now; where another took it meanwhile, the next one."""
    counters(place / "counters.txt")
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", place / "counters.txt", place / "data"],
                   check=True, stdout=subprocess.DEVNULL)
    (place / "prometheus.yml").write_text("scrape_configs: []\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "127.0.0.1:%d" % free.getsockname()[1]
    child = subprocess.Popen(["prometheus", "--config.file=%s" % (place / "prometheus.yml"),
                              "--web.listen-address=" + address, "--storage.tsdb.path=%s" % (place / "data"), "--storage.tsdb.retention.time=100y"],
                             stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            urllib.request.build_opener(urllib.request.ProxyHandler({})).open("http://%s/-/ready" % address).read()
            return child, "http://" + address
        except OSError:
            time.sleep(0.1)
    child.kill()
    raise AssertionError("prometheus did not begin")


def take(b, base, query, *more):
    shutil.rmtree(b.dir, ignore_errors=True)
    b.capture("--work-query-url", base, "--work-query", query, *more, runs=RUNS,
              window=["--from", START, "--to", START + WINDOW_MS])
    b.expect(0, "6 runs in 3 complete rounds")
    return [(r["side"], r.get("work"), {w["value"]: w["work"] for w in r.get("work_by", [])}) for r in b.runs()]


def near(found, expected):
    return found is not None and abs(found - expected) <= 1e-6 * expected


def main(program, root):
    b = Bench(program, root)
    server = b.place / "server"
    server.mkdir()
    child, base = start(server)
    seconds = WINDOW_MS / RUNS / 1000
    try:
        query = 'sum by (endpoint) (increase(http_requests_total{version="%s"}[{window}]))'
        more = ["--work-query-canary", query % "1.5", "--work-by", "endpoint"]
        for side, work, by in take(b, base, query % "1.4", *more):
            version = {"baseline": "1.4", "canary": "1.5"}[side]
            assert near(work, 40 * seconds), (side, work)
            assert all(near(by[e], RATES[version, e] * seconds) for e in ("/a", "/b")) and len(by) == 2, (side, by)
        b.run("check", "-r", "recommended", b.dir)
        b.expect(1, "main.priceRound")
        query = "scalar(sum(rate(http_requests_total[{window}])) / 2) * %d" % seconds
        assert all(near(work, 40 * seconds) for _, work, _ in take(b, base, query)), b.runs()
        for wrong, said in (("increase(nothing[{window}])", "the query has no series in this window"),
                            ("sum(increase(x[{window}])", "parse error")):
            assert [work for _, work, _ in take(b, base, wrong)] == [None] * 6, b.runs()
            b.expect(0, said)
        print("Prometheus is understood")
    finally:
        child.terminate()
        child.wait()
        shutil.rmtree(b.place, ignore_errors=True)


if __name__ == "__main__":
    main(os.path.abspath(sys.argv[1]), sys.argv[2])
