#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate` with profiles from stores (stand_in.py): exit status, message, what was asked, what is in the folder.

usage: store_test.py PPROFGATE ROOT SCENARIO|complete
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "capture")]
import scenario_main  # noqa: E402
import stand_in  # noqa: E402

WINDOW = ("--from", "2026-11-20T10:00:00Z", "--to", "2026-11-20T10:06:00Z")
START = 1795168800000
MINUTE = 60000


class Bench:
    """A store, an empty place, and the program."""

    def __init__(self, program, root):
        self.program, self.root = program, pathlib.Path(root)
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="stores-"))
        self.dir = self.place / "out"
        self.state = stand_in.State(self.root / "fixtures")
        self.base, self.other = stand_in.serve(self.state), stand_in.serve(self.state)
        self.state.other = self.other
        self.said = ""
        self.environment = dict(os.environ, PPROFGATE_BACKOFF_MS="10", SECRET_TOKEN=stand_in.TOKEN, TMPDIR=str(self.place))
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
            self.environment.pop(name, None)

    def url(self, version, what="well", store="pyroscope", more=""):
        return '%s+%s/%s?query={service_name="shop",version="%s"}%s' % (store, self.base, what, version, more)

    def run(self, *args):
        self.last = subprocess.run([self.program, *map(str, args)], capture_output=True, text=True, timeout=60,
                                   cwd=self.place, env=self.environment, errors="replace")
        self.said += self.last.stdout + self.last.stderr
        return self.last

    def capture(self, *args, what="well", store="pyroscope", runs=2, window=WINDOW):
        return self.run("capture", "--baseline", self.url("1.4", what, store), "--canary", self.url("1.5", what, store),
                        "-n", runs, "-o", self.dir, *window, *args)

    def runs(self):
        path = self.dir / "manifest.json"
        return json.loads(path.read_text())["runs"] if path.exists() else []

    def expect(self, status, *texts):
        shown = "exit %d\n%s%s" % (self.last.returncode, self.last.stdout, self.last.stderr)
        assert self.last.returncode == status, "expected exit %d: %s" % (status, shown)
        for text in texts:
            assert text in re.sub(r"\s+", " ", shown), "expected '%s': %s" % (text, shown)

    def no_secret_anywhere(self):
        assert stand_in.TOKEN not in self.said
        for path in self.place.rglob("*"):
            if path.name.startswith("given-"):
                continue
            assert not path.is_file() or stand_in.TOKEN.encode() not in path.read_bytes(), path


# ---- Pyroscope --------------------------------------------------------------------------------------------------------


def each_slice_of_the_window_is_queried_once(b):
    """Six slices of six minutes: the queries cover the window without gaps or overlaps, and check takes the folder."""
    b.capture(runs=6)
    b.expect(0, "12 runs in 6 complete rounds")
    for version, side in (("1.4", "baseline"), ("1.5", "canary")):
        asked = sorted((s["start"], s["end"]) for s in b.state.seen if version in s["selector"])
        assert asked == [(START + i * MINUTE, START + (i + 1) * MINUTE - 1) for i in range(6)], asked
        runs = sorted((r["start_ms"], r["end_ms"], r["round"]) for r in b.runs() if r["side"] == side)
        assert runs == [(START + i * MINUTE, START + (i + 1) * MINUTE, i + 1) for i in range(6)], runs
    assert {s["type"] for s in b.state.seen} == {"process_cpu:cpu:nanoseconds:cpu:nanoseconds"}
    source = b.runs()[0]["source"]
    assert source.endswith('{service_name="shop",version="1.4"}&from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z'), source
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "main.priceRound")


def the_older_method_is_used_if_needed(b):
    b.capture(what="older")
    b.expect(0, "4 runs in 2 complete rounds")
    methods = [s["path"].rsplit("/", 1)[1] for s in b.state.seen]
    assert methods.count("SelectMergeStacktraces") == 2 and methods.count("SelectMergeProfile") == 4, methods


def a_flame_graph_as_answer_leads_to_the_older_method(b):
    b.capture(what="flamegraph")
    b.expect(0, "4 runs in 2 complete rounds")
    b.run("inspect", b.dir / b.runs()[0]["file"])
    b.expect(0, "main.")


def a_server_without_both_methods_is_an_error(b):
    """A server that has neither method is no store."""
    b.capture(what="missing")
    b.expect(2, 'HTTP 404, "no such path"; is the address that of the store itself')


def type_and_max_nodes_of_the_address_are_sent(b):
    kind = "process_cpu:samples:count:cpu:nanoseconds"
    url = 'pyroscope+%s/well?query=%s{version="%s"}&max_nodes=99'
    b.run("capture", "--baseline", url % (b.base, kind, "1.4"), "--canary", url % (b.base, kind, "1.5"), *WINDOW, "-n", 1,
          "-o", b.dir)
    b.expect(0, "2 runs")
    assert all(s["type"] == kind and s["nodes"] == 99 for s in b.state.seen), b.state.seen


def baseline_ago_shifts_the_window_of_the_baseline(b):
    same = 'pyroscope+%s/well?query={app="shop"}' % b.base
    b.run("capture", "--baseline", same, "--canary", same, *WINDOW, "--baseline-ago", "1w", "-n", 2, "-o", b.dir)
    b.expect(0, "4 runs in 2 complete rounds")
    starts = {r["side"]: r["start_ms"] for r in b.runs() if r["round"] == 1}
    assert starts == {"baseline": START - 7 * 1440 * MINUTE, "canary": START}, starts


def the_window_of_the_address_is_used(b):
    more = "&from=%d&to=%d&runs=3" % (START, START + 3 * MINUTE)
    b.run("capture", "--baseline", b.url("1.4", more=more), "--canary", b.url("1.5", more=more), "-o", b.dir)
    b.expect(0, "6 runs in 3 complete rounds")


def last_minutes_are_divided_into_slices(b):
    b.capture("--window", "last 30m", window=(), runs=3)
    b.expect(0, "6 runs in 3 complete rounds")
    ends = [s["end"] - s["start"] + 1 for s in b.state.seen]
    assert ends == [10 * MINUTE] * 6, ends


def invalid_windows_are_refused(b):
    for args, text in (((), "expected --window 'last 30m', --from TIME"),
                       (("--window", "last 30m", "--from", "-1h"), "cannot be combined with --from and --to"),
                       (("--window", "30 minutes"), "option '--window': expected a window such as"),
                       (("--from", "yesterday"), "option '--from': expected a time such as now"),
                       (("--from", "-1h", "--to", "-2h"), "ends before it begins"),
                       (("--from", "-2s"), "in 3 slices: expected at least a second each"),
                       (("--from", "-1h", "--baseline-ago", "week"), "option '--baseline-ago': expected a length")):
        b.capture(*args, window=(), runs=3)
        b.expect(2, text)
    assert not b.state.seen and not b.dir.exists()


def the_same_profiles_on_both_sides_are_refused(b):
    same = b.url("1.4")
    for more in ((), ("--baseline-ago", "3m")):
        b.run("capture", "--baseline", same, "--canary", same, *WINDOW, *more, "-o", b.dir)
        b.expect(2, "both sides select the same profiles, in windows that overlap")
    assert not b.state.seen


def a_store_and_a_program_cannot_be_compared(b):
    b.run("capture", "--baseline", b.url("1.4"), "--canary", "http://127.0.0.1:9", *WINDOW, "-o", b.dir)
    b.expect(2, "both sides have to be taken in one way")
    b.run("capture", "--baseline", "http://127.0.0.1:9", "--canary", "http://127.0.0.1:8", "--from", "-1h", "-o", b.dir)
    b.expect(2, "option '--from': it is for stores")
    b.capture("--work-metric", "requests_total")
    b.expect(2, "take --work-query PROMQL")
    b.run("gate", "--baseline", b.url("1.4"), "--canary", "http://127.0.0.1:9", "-o", b.dir)
    b.expect(2, "both sides have to be taken in one way")
    assert not b.state.seen


def an_incomplete_window_is_resumed(b):
    """The runs that were taken stay, and the same command takes those that are missing in the window."""
    b.capture(what="flaky", runs=3)
    b.expect(2, '"not now"', "3 runs are there and stay, in 1 complete round",
             "the same window: --from 2026-11-20T10:00:00Z --to 2026-11-20T10:06:00Z")
    first = [(r["round"], r["side"]) for r in b.runs()]
    b.capture(what="flaky", runs=3)
    b.expect(0, "6 runs in 3 complete rounds")
    assert len(b.state.seen) == 7, b.state.seen
    assert [(r["round"], r["side"]) for r in b.runs()][:3] == first
    b.capture(what="flaky", runs=3)
    b.expect(0, "6 runs in 3 complete rounds")
    assert len(b.state.seen) == 7, "nothing was missing"
    for other in ({"runs": 4}, {"window": ("--from", "2026-11-20T10:00:00Z", "--to", "2026-11-20T10:07:00Z")}):
        b.capture(what="flaky", **{"runs": 3, **other})
        b.expect(2, "which is none of the addresses")


def heaps_of_a_store_are_noted_as_sums(b):
    b.capture("--kind", "heap")
    b.expect(2, "a store adds up what it was sent of what is in use", "expected 'inuse_space' as in the query")


def a_query_without_samples_is_an_error(b):
    url = 'pyroscope+%s/well?query={version="%s"}'
    b.run("capture", "--baseline", url % (b.base, "1.4"), "--canary", url % (b.base, "9.9"), *WINDOW, "-o", b.dir)
    b.expect(2, '{version="9.9"}&from=2026-11-20T10:00:00Z', "the store has no samples of this type, with these labels")


# ---- who asks ---------------------------------------------------------------------------------------------------------


def token_and_tenant_are_sent(b):
    b.capture("--token-env", "SECRET_TOKEN", "--tenant", "team-a", what="locked")
    b.expect(0, "4 runs")
    b.capture("--token-env", "SECRET_TOKEN", what="locked", runs=2, window=("--from", "-1h"))
    b.expect(2)


def a_missing_tenant_is_named_in_the_error(b):
    b.capture("--token-env", "SECRET_TOKEN", what="locked")
    b.expect(2, 'HTTP 401, "no org id"', "or --tenant ID is missing")


def a_missing_token_names_the_options(b):
    b.capture("--tenant", "team-a", what="locked")
    b.expect(2, "authentication required: give --token-env, --token-file or --user-file, and --tenant for a store")
    b.capture("--tenant", "a b")
    b.expect(2, "expected a tenant of 1 to")


def a_redirect_to_another_server_is_refused(b):
    b.capture("--token-env", "SECRET_TOKEN", what="elsewhere")
    b.expect(2, "which is another server")
    assert all(s["what"] == "elsewhere" for s in b.state.seen)


def an_allowed_redirect_carries_no_credentials(b):
    """The address that a request is redirected to gets neither the token nor the tenant."""
    b.capture("--token-env", "SECRET_TOKEN", "--tenant", "team-a", "--follow-redirects", "any", what="elsewhere")
    b.expect(0)
    told = {(s["what"], s["authorization"], s["tenant"]) for s in b.state.seen}
    assert told == {("elsewhere", "Bearer " + stand_in.TOKEN, "team-a"), ("well", None, None)}, told


def a_redirect_to_the_same_server_is_followed(b):
    b.capture("--token-env", "SECRET_TOKEN", what="moved")
    b.expect(0)
    assert all(s["authorization"] for s in b.state.seen)


def a_redirect_to_a_login_page_is_an_error(b):
    b.capture(what="login")
    b.expect(2, "it redirects to where nothing can be posted")


# ---- wrong answers ----------------------------------------------------------------------------------------------------


def a_busy_store_is_retried(b):
    b.capture(what="busy", runs=1)
    b.expect(0, "retry in")


def refused_queries_are_an_error(b):
    b.capture("--retries", 0, what="busy", runs=1)
    b.expect(2, 'HTTP 503, "too many queries"')
    b.capture(what="invalid")
    b.expect(2, 'HTTP 400, "parse error: unexpected "}""')


def a_slow_store_ends_at_the_timeout(b):
    b.capture("--timeout", 1, what="slow")
    b.expect(2, "no whole answer within 1 s")


def a_web_page_is_not_an_answer(b):
    b.capture(what="page")
    b.expect(2, "this is not an answer of Pyroscope")


def a_malformed_answer_is_an_error(b):
    b.capture(what="garbage")
    b.expect(2, "this is not an answer of Pyroscope")


def an_answer_over_max_bytes_is_an_error(b):
    for what in ("large", "bomb"):
        b.capture("--max-bytes", "1M", what=what)
        b.expect(2, "the answer is larger than 1048576 bytes")


def answers_that_do_not_match_the_query_are_not_stored(b):
    """An answer that does not belong to the query is neither stored nor compared."""
    sys.path.insert(0, str(b.root / "tests/hostile"))
    import made
    import gzip
    b.state.nested = gzip.decompress(made.inlined_again(2000, 4, 4000))
    more = "&from=%d&to=%d&runs=2" % (START, START + 2 * MINUTE)
    for store, what, text in (("pyroscope", "heap", "counts 'alloc_objects', expected 'cpu' as in the query"),
                              ("parca", "text", "a profile of another format, expected pprof"),
                              ("pyroscope", "nested", "raise --max-steps if the input is trusted")):
        b.capture(what=what, store=store)
        b.expect(2, text)
        assert not b.runs(), b.runs()
        b.run("check", b.url("1.4", what, store, more), b.url("1.5", what, store, more))
        b.expect(2, text)
        b.run("merge", "-o", "m.pb.gz", b.url("1.4", what, store, more))
        b.expect(2, text)
    b.capture("--max-steps", "4G", what="nested", runs=1)  # as the message says
    b.expect(2, "the store sent the same bytes")  # the first was taken
    assert len(b.runs()) == 1, b.runs()
    for option in ("--max-memory", "--max-steps"):
        shutil.rmtree(b.dir, ignore_errors=True)
        b.capture(option, "1k")
        b.expect(2, "raise %s if the input is trusted" % option)
        assert not b.runs(), b.runs()
    b.capture("--max-bytes", "8M", what="endless")
    b.expect(2, "the answer is larger than 8388608 bytes")


def equal_answers_to_different_queries_are_an_error(b):
    """The same bytes for other labels or another window are an error. The runs before it stay, and the folder can be resumed."""
    b.capture(what="same", runs=3)
    b.expect(2, "the store sent the same bytes as for round 1 of the baseline")
    assert len(b.runs()) == 1, b.runs()
    b.run("gate", "--baseline", b.url("1.4", "same"), "--canary", b.url("1.5", "same"), "-o", b.place / "live", "-r",
          "recommended", "--seconds", "1", "--settle", "0.2", "-t", "30s")
    b.expect(2, "does a cache answer, or does the store ignore the labels or the window?")
    more = "&from=%d&to=%d&runs=2" % (START, START + 2 * MINUTE)
    b.run("check", "-r", "recommended", b.url("1.4", "same", more=more), b.url("1.5", "same", more=more))
    b.expect(2, "this is the same capture as")
    one = "&from=%d&to=%d" % (START, START + 2 * MINUTE)
    b.run("check", "-r", "recommended", b.url("1.4", "same", more=one), b.url("1.5", "same", more=one))
    b.expect(3, "both sides are the same capture")


# ---- work -------------------------------------------------------------------------------------------------------------


def with_work(b, what, *more, runs=2):
    b.capture("--work-query", 'sum(increase(requests{version="1.4"}[{window}]))', "--work-query-url", b.base + "/" + what,
              *more, runs=runs)
    return [r.get("work") for r in b.runs()]


def each_slice_has_its_work(b):
    assert with_work(b, "well", "--work-query-canary", 'sum(increase(requests{version="1.5"}[{window}]))') == [200] * 4
    asked = sorted((s["time"], s["query"]) for s in b.state.seen if "query" in s)
    assert asked == [(START / 1000 + end, 'sum(increase(requests{version="%s"}[180s]))' % version)
                     for end in (180, 360) for version in ("1.4", "1.5")], asked
    b.expect(0, "4 runs")


def work_is_divided_by_a_label(b):
    assert with_work(b, "well", "--work-by", "endpoint") == [200] * 4
    assert b.runs()[0]["work_by"] == [{"label": "endpoint", "value": "/a", "work": 120.5},
                                      {"label": "endpoint", "value": "/b", "work": 79.5}], b.runs()[0]
    shutil.rmtree(b.dir)
    assert with_work(b, "unlabelled", "--work-by", "endpoint") == [201] * 4
    assert "work_by" not in b.runs()[0]


def a_scalar_is_the_work(b):
    assert with_work(b, "scalar") == [42] * 4


def unusable_results_of_the_work_query_are_noted(b):
    for what, text in (("none", "the query has no series in this window"), ("zero", "nothing was done in this window"),
                       ("negative", "the query gave less than zero"), ("nan", "the query gave what is not a number"),
                       ("matrix", "expected one number"), ("text", "not an answer of Prometheus"),
                       ("page", "not an answer of Prometheus"), ("wrong", 'HTTP 400, "1:5: parse error"')):
        shutil.rmtree(b.dir, ignore_errors=True)
        assert with_work(b, what, runs=1) == [None, None], what
        b.expect(0, "the work of this run of the canary is not known", text)


def invalid_work_options_are_refused(b):
    b.capture("--work-query", "sum(x)", "--work-query-url", b.base)
    b.expect(2, "option '--work-query': expected {window} in the query")
    b.capture("--work-query", "sum(x[{window}])")
    b.expect(2, "expected it with --work-query-url URL")
    b.capture("--work-query", "sum(x[{window}])", "--work-query-url", "prometheus:9090")
    b.expect(2, "option '--work-query-url': expected an address")
    assert not b.state.seen


# ---- Parca ------------------------------------------------------------------------------------------------------------


def parca_is_queried_slice_by_slice(b):
    b.capture(store="parca", runs=3)
    b.expect(0, "6 runs in 3 complete rounds")
    asked = sorted((s["start"], s["end"]) for s in b.state.seen if "1.4" in s["selector"])
    assert asked == [(START + i * 2 * MINUTE, START + (i + 1) * 2 * MINUTE - 1) for i in range(3)], asked
    assert {s["type"] for s in b.state.seen} == {"process_cpu:cpu:nanoseconds:cpu:nanoseconds:delta"}
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "main.priceRound")


def errors_of_parca_are_reported(b):
    for what, text in (("trailererror", "the store refuses (gRPC status 5): \"could not find profile"),
                       ("headerror", "the store refuses (gRPC status 16): \"who are you?\""),
                       ("packed", "this is not an answer of Parca"), ("untrailed", "this is not an answer of Parca"),
                       ("cutframe", "this is not an answer of Parca"), ("twice", "this is not an answer of Parca"),
                       ("unended", "this is not an answer of Parca"), ("more", "this is not an answer of Parca"),
                       ("page", "this is not an answer of Parca"), ("missing", "is the address that of the store")):
        b.capture(store="parca", what=what)
        b.expect(2, text)
    url = 'parca+%s/well?query={version="%s"}'
    b.run("capture", "--baseline", url % (b.base, "1.4"), "--canary", url % (b.base, "9.9"), *WINDOW, "-o", b.dir)
    b.expect(2, "the store has no samples")


def messages_of_parca_are_escaped(b):
    """A store's message is shown without terminal control sequences."""
    b.capture(store="parca", what="escape")
    b.expect(2, "the store refuses (gRPC status 7)")
    assert "\x1b" not in b.last.stderr and "\x07" not in b.last.stderr, repr(b.last.stderr)


def an_unavailable_parca_is_retried(b):
    b.capture(store="parca", what="unavailable", runs=1)
    b.expect(0, "2 runs")
    shutil.rmtree(b.dir)
    b.state.asked.clear()
    b.capture("--retries", 0, store="parca", what="unavailable", runs=1)
    b.expect(2, "(gRPC status 14): \"starting\"")


def parca_gets_token_and_tenant(b):
    b.capture("--token-env", "SECRET_TOKEN", "--tenant", "team-a", store="parca", what="locked")
    b.expect(0, "4 runs")


# ---- a cluster --------------------------------------------------------------------------------------------------------


def kubeconfig(b, what="cluster", user=None, base=None, cluster=None):
    path = b.place / "given-config"
    user = {"token": stand_in.TOKEN} if user is None else user
    path.write_text(json.dumps({
        "current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "%s/%s/" % (base or b.base, what), **(cluster or {})}}],
        "users": [{"name": "u", "user": user}]}))
    return path


PODS = "k8s://prod/pods:6060?selector=app=shop,version=%s"


def cluster(b, *args, baseline=PODS % "1.4", canary=PODS % "1.5", **config):
    return b.run("capture", "--baseline", baseline, "--canary", canary, "-s", 1, "-n", 1, "-o", b.dir, "--kubeconfig",
                 kubeconfig(b, **config), *args)


def each_running_pod_is_a_run(b):
    """Every running pod, over two pages, with its counter."""
    cluster(b, "--work-metric", "requests_total")
    b.expect(0, "6 runs in 1 complete round")
    sources = sorted(r["source"].split("/pods/")[1] for r in b.runs())
    assert sources == ["shop-1-%d-%d:6060/proxy/debug/pprof/profile?seconds=1" % (v, i) for v in (4, 5)
                       for i in range(3)], sources
    assert [r["work"] for r in b.runs()] == [1000] * 6, b.runs()
    assert {s["authorization"] for s in b.state.seen} == {"Bearer " + stand_in.TOKEN}


def a_kubernetes_service_is_captured(b):
    cluster(b, baseline="k8s://prod/shop-1-4:6060", canary="k8s://prod/shop-1-5:6060/debug/pprof")
    b.expect(0, "2 runs in 1 complete round")
    assert all("/services/shop-1-" in s["path"] for s in b.state.seen), b.state.seen
    shutil.rmtree(b.dir)
    cluster(b, baseline="k8s://prod/shop-1-4:6060", canary="k8s://prod/nothing:6060")
    b.expect(2, "HTTP 404")


def errors_of_a_cluster_are_reported(b):
    cluster(b, user={})
    b.expect(2, 'HTTP 403, "pods is forbidden')
    cluster(b, user={"auth-provider": {"name": "gcp"}})
    b.expect(2, "names the auth-provider 'gcp', which is not known here")
    cluster(b, canary=PODS % "9.9")
    b.expect(2, "no running pod in the namespace 'prod' has the labels 'app=shop,version=9.9'")
    cluster(b, what="escape")
    b.expect(2, "this is not a list of pods")
    cluster(b, what="endless")
    b.expect(2, "the selector means more than 200 pods")
    seen = len(b.state.seen)
    cluster(b, canary="http://127.0.0.1:9")
    b.expect(2, "cannot be combined with others")
    cluster(b, "--work-metric", "x", "--work-url-baseline", b.base, "--work-url-canary", b.base)
    b.expect(2, "cannot be combined with others")
    cluster(b, canary="k8s://prod/shop")
    b.expect(2, "expected k8s://NAMESPACE/SERVICE:PORT")
    b.run("capture", "--baseline", b.base, "--canary", b.other, "--kubeconfig", "x", "-o", b.dir)
    b.expect(2, "they are for addresses that begin with k8s://")
    assert len(b.state.seen) == seen


V1, V1BETA1 = "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"


def helper(b, status, version=V1, script=None, **more):
    """A user whose credentials come from a command that records its input."""
    answer = {"apiVersion": version, "kind": "ExecCredential", "status": status}
    path = b.place / "given-helper"
    path.write_text(script or "#!/bin/sh\nprintf '%%s\\n' \"$@\" \"$REGION\" \"$KUBERNETES_EXEC_INFO\" >given-told\n"
                    "cat <<'END'\n%s\nEND\n" % json.dumps(answer))
    path.chmod(0o755)
    return {"exec": {"apiVersion": version, "command": str(path), "args": ["a b", "$(touch given-shell)"],
                     "env": [{"name": "REGION", "value": "r 1"}], **more}}


def an_exec_plugin_gives_the_credentials(b):
    """The command is run as client-go runs it: without a shell, with the arguments, variables and protocol of the file."""
    for version in (V1, V1BETA1):
        cluster(b, user=helper(b, {"token": stand_in.TOKEN, "expirationTimestamp": "2100-01-01T00:00:00Z"}, version))
        b.expect(0, "6 runs")
        told = (b.place / "given-told").read_text().splitlines()
        assert told[:3] == ["a b", "$(touch given-shell)", "r 1"] and not (b.place / "given-shell").exists(), told
        assert json.loads(told[3]) == {"kind": "ExecCredential", "apiVersion": version, "spec": {"interactive": False}}
        shutil.rmtree(b.dir)
    cluster(b, user=helper(b, {"token": stand_in.TOKEN}, provideClusterInfo=True),
            cluster={"certificate-authority-data": "Y2E=", "insecure-skip-tls-verify": True})
    b.expect(0, "6 runs")
    told = json.loads((b.place / "given-told").read_text().splitlines()[3])
    assert told["spec"]["cluster"] == {"server": b.base + "/cluster", "insecure-skip-tls-verify": True,
                                       "certificate-authority-data": "Y2E="}, told
    shutil.rmtree(b.dir)
    beside = helper(b, {"token": stand_in.TOKEN})
    beside["exec"]["command"] = "./given-helper"
    cluster(b, user=beside)
    b.expect(0, "6 runs")
    (b.place / "given-told").unlink()
    shutil.rmtree(b.dir)
    cluster(b, "--token-env", "SECRET_TOKEN", user=beside)
    b.expect(0, "6 runs")
    assert not (b.place / "given-told").exists()  # who says the token is not asked for it


def a_failing_exec_plugin_is_an_error(b):
    token = {"token": stand_in.TOKEN}
    for made, text in (
            (lambda: helper(b, {"token": stand_in.TOKEN, "expirationTimestamp": "2020-01-01T00:00:00Z"}),
             "what it answered expired at 2020-01-01T00:00:00Z; log in to the cluster again"),
            (lambda: helper(b, {}), "its answer has neither a token nor a certificate"),
            (lambda: helper(b, {"clientCertificateData": "x"}), "a certificate or a key, and not both"),
            (lambda: helper(b, {"token": "two words\r\nX-Evil: 1"}), "its token holds more than one word"),
            (lambda: helper(b, token, "client.authentication.k8s.io/v1alpha1"), "v1 or v1beta1, found 'client.auth"),
            (lambda: helper(b, token, interactiveMode="Always"), "wants to ask a person"),
            (lambda: helper(b, token, script="#!/bin/sh\necho 'token: " + "x" * 20 + "'\n"), "its answer is not JSON"),
            (lambda: helper(b, token, script="#!/bin/sh\necho '[]'\n"), "is not an ExecCredential of"),
            (lambda: helper(b, token, script="#!/bin/sh\necho >&2 'session over'\nexit 3\n"), "ended with status 3"),
            (lambda: {"exec": {"apiVersion": V1, "command": "no-such-helper", "installHint": "get it at example.com"}},
             "it is not there: get it at example.com"),
            (lambda: {"exec": {"apiVersion": V1}}, "'exec' of the user has no command")):
        cluster(b, user=made())
        b.expect(2, text)
    b.environment["PPROFGATE_EXEC_SECONDS"] = "0.3"
    cluster(b, user=helper(b, token, script="#!/bin/sh\nsleep 60\n"))
    b.expect(2, "it did not end within")
    assert not b.state.seen


def a_token_of_an_option_takes_precedence(b):
    """An option has precedence over the configuration."""
    cluster(b, "--token-env", "SECRET_TOKEN", user={"token": "another"})
    b.expect(0, "6 runs")


def certificates_of_the_kubeconfig_are_used(b):
    """The authority is known from the configuration alone, which also has the client's certificate."""
    pem, key = b.place / "given-cert", b.place / "given-key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                    key, "-out", pem, "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
                   check=True, capture_output=True)
    import base64
    data = {name: base64.b64encode(path.read_bytes()).decode() for name, path in (("pem", pem), ("key", key))}
    base = stand_in.serve(b.state, (pem, key, pem))
    user = {"token": stand_in.TOKEN, "client-certificate-data": data["pem"], "client-key-data": data["key"]}
    cluster(b, base=base, user=user, cluster={"certificate-authority-data": data["pem"]})
    b.expect(0, "6 runs")
    shutil.rmtree(b.dir)
    pair = {"clientCertificateData": pem.read_text(), "clientKeyData": key.read_text(), "token": stand_in.TOKEN}
    cluster(b, base=base, user=helper(b, pair), cluster={"certificate-authority-data": data["pem"]})
    b.expect(0, "6 runs")
    shutil.rmtree(b.dir)
    cluster(b, base=base, user=user)
    b.expect(2, "the connection is not safe")
    cluster(b, "--retries", 0, base=base, user={"token": stand_in.TOKEN}, cluster={"certificate-authority": "given-cert"})
    assert b.last.returncode == 2 and "is not safe" not in b.last.stderr, b.last.stderr  # nobody without a certificate


# ---- as inputs --------------------------------------------------------------------------------------------------------


def check_queries_stores_as_sides(b):
    """The verdict is that of a folder. Slices are named by their addresses, and no file stays on the disk."""
    window = "&from=%d&to=%d&runs=6" % (START, START + 6 * MINUTE)
    b.run("check", "-r", "recommended", "--json", "verdict.json", b.url("1.4", more=window), b.url("1.5", more=window))
    b.expect(1, "main.priceRound")
    report = json.loads((b.place / "verdict.json").read_text())
    text = json.dumps(report)
    assert text.count("from=2026-11-20T10:05:00Z&to=2026-11-20T10:06:00Z") >= 2, text[:3000]
    b.capture(runs=6)
    b.run("check", "-r", "recommended", "--json", "folder.json", b.dir)
    folder = json.loads((b.place / "folder.json").read_text())
    for part in ("verdict", "budgets", "frames", "own_share"):
        assert report[part] == folder[part], part
    assert sorted(p.name for p in b.place.iterdir()) == ["folder.json", "out", "verdict.json"]


def check_a_file_against_a_store(b):
    file = b.root / "fixtures/captures/mix-1.cpu.pb.gz"
    b.run("check", "-r", "recommended", file, b.url("1.5", more="&from=%d&to=%d" % (START, START + MINUTE)))
    assert b.last.returncode in (0, 1, 3), b.last.stderr
    b.expect(b.last.returncode, "main.priceRound", 'version="1.5"}&from=2026-11-20T10:00:00Z&to=2026-11-20T10:01:00Z')


def check_sends_token_and_tenant(b):
    window = "&from=%d&to=%d" % (START, START + MINUTE)
    urls = [b.url(v, what="locked", more=window) for v in ("1.4", "1.5")]
    b.run("check", "--token-env", "SECRET_TOKEN", "--tenant", "team-a", *urls)
    assert b.last.returncode in (1, 3), b.last.stderr
    b.run("check", "--tenant", "team-a", *urls)
    b.expect(2, "HTTP 401")


def check_refuses_invalid_store_addresses(b):
    b.run("check", b.url("1.4"), b.url("1.5"))
    b.expect(2, "expected &from=TIME in it")
    same = b.url("1.4", more="&from=-1h")
    b.run("check", same, same)
    b.expect(2, "both sides select the same profiles, in windows that overlap")
    b.run("check", b.url("1.4", more="&from=-1h&runs=2"), b.url("1.5", more="&from=-1h&runs=3"))
    b.expect(2, "one has 2 and another 3")
    b.run("check", b.url("1.4", more="&from=-1h"))
    b.expect(2, "the address of a store is a side")
    b.run("inspect", b.url("1.4", more="&from=-1h"))
    b.expect(2, "make it a file first, with `pprofgate merge")
    assert not b.state.seen


def live(b, what="well", time="30s"):
    b.run("gate", "--baseline", b.url("1.4", what), "--canary", b.url("1.5", what), "-o", b.dir, "-r", "recommended",
          "--seconds", "1", "--settle", "0.2", "-t", time)


def gate_waits_for_slices(b):
    """Slices are queried one by one, each once it is over, until the verdict is decided."""
    before = time.time() * 1000
    live(b)
    b.expect(1, "main.priceRound")
    canary = [s for s in b.state.seen if "1.5" in s["selector"]]
    baseline = [s for s in b.state.seen if "1.4" in s["selector"]]
    begin = canary[0]["start"]
    assert before - 1000 <= begin <= before + 5000, (before, begin)
    for side in (canary, baseline):
        assert [s["start"] for s in side] == [begin + 1000 * i for i in range(len(side))], side
        assert all(s["end"] == s["start"] + 999 and s["asked_ms"] >= s["end"] + 200 for s in side), side
    assert 1 <= len(canary) < 29, len(canary)
    live(b)
    b.expect(2, "is decided")


def gate_resumes_at_the_failed_slice(b):
    """After a failed answer the gate resumes with the slices after the moment at which the folder began, not from now."""
    b.state.is_calm = True
    live(b, "flaky", "9s")
    b.expect(2, '"not now"', "the same command resumes")
    time.sleep(2)
    live(b, "flaky", "9s")
    assert b.last.returncode in (0, 1, 3), b.last.stderr
    starts = sorted({s["start"] for s in b.state.seen})
    assert starts == [starts[0] + 1000 * i for i in range(len(starts))] and len(starts) > 1, starts
    assert len({(s["start"], s["selector"]) for s in b.state.seen}) == len(b.state.seen) - 1, "one of them twice"


def gate_waits_for_a_canary_that_comes_up(b):
    """Slices without samples are left out with a note; three in a row are too many."""
    live(b, "rising")
    lacks = r"rounds? 1(, 2| to \d)? of \d+ ha(s|ve) no cpu profiles? of the canary and (is|are) left out"
    b.expect(1, "main.priceRound", "no samples of this type", "the slice is left out")
    assert re.search(lacks, " ".join(b.last.stdout.split())), b.last.stdout
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "main.priceRound")
    assert re.search(lacks, " ".join(b.last.stdout.split())), b.last.stdout
    asked = len(b.state.seen)
    b.run("gate", "--baseline", b.url("1.4"), "--canary", b.url("9.9"), "-o", b.place / "none", "-r", "recommended",
          "--seconds", "1", "--settle", "0.2", "-t", "30s")
    b.expect(2, 'version="9.9"}', "no samples of this type", "(three slices in a row)")
    assert len({s["start"] for s in b.state.seen[asked:]}) == 3, b.state.seen[asked:]


def gate_judges_slices_before_samples_stopped(b):
    """Both sides have no samples from the second of five slices on: the first one is judged."""
    whole = b.state.profile

    def first_slice(selector, start_ms, end_ms=None):
        is_first = start_ms < min([s["start"] for s in b.state.seen] or [start_ms]) + 1000
        return whole(selector, start_ms, end_ms) if is_first else None

    b.state.is_calm = True
    b.state.profile = first_slice
    live(b, time="6s")
    assert b.last.returncode in (0, 3), (b.last.returncode, b.last.stderr)
    b.expect(b.last.returncode, "no samples of this type")
    assert len({s["start"] for s in b.state.seen}) <= 5, b.state.seen


def gate_repeats_a_verdict_that_was_not_reported(b):
    """A gate that was ended between a round and its look gives the verdict of that look when it is resumed, once."""
    live(b)
    b.expect(1, "main.priceRound")
    path = b.dir / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["looks"]["fractions"].pop()
    manifest["looks"]["round"] = max(1, manifest["looks"]["round"] - 1) if manifest["looks"]["fractions"] else 0
    path.write_text(json.dumps(manifest))
    asked = len(b.state.seen)
    live(b)
    b.expect(1, "main.priceRound")
    assert len(b.state.seen) == asked, "nothing was missing"
    live(b)
    b.expect(2, "is decided")


def gate_of_a_store_refuses_invalid_options(b):
    live(b, time="1s")
    b.expect(2, "a round takes about 1 s")
    b.run("gate", "--baseline", b.url("1.4"), "--canary", b.url("1.5"), "-o", b.dir, "--warm-up", "3")
    b.expect(2, "begin when they are warm")


def gate_prints_a_check_command_for_stored_profiles(b):
    """The command that `gate` prints for profiles that are already stored works."""
    b.run("gate", "--baseline", b.url("1.4", more="&from=-30m"), "--canary", b.url("1.5"), "-o", b.dir)
    b.expect(2, "slices are taken as they come", "is judged by 'pprofgate check BASELINE CANARY'")
    b.run("check", "-q", b.url("1.4", more="&from=-30m&runs=6"), b.url("1.5", more="&from=-30m&runs=6"))
    assert b.last.returncode in (0, 1, 3), b.last.stderr
    b.expect(b.last.returncode, "main.priceRound")


BASELINES = ["--store", "baselines", "--service", "shop"]


def accept_queries_a_store(b):
    """A version in a store is accepted as a baseline. Its label is the revision, and the record has no machine."""
    window = "&from=%d&to=%d&runs=4" % (START, START + 4 * MINUTE)
    b.run("baseline", "accept", *BASELINES, b.url("1.4", more=window))
    b.expect(0, "accepted 4 runs (cpu) of shop in default, revision 1.4")
    b.run("baseline", "show", *BASELINES, "--json")
    b.expect(0)
    record = json.loads(b.last.stdout)
    record = record[0] if isinstance(record, list) else record
    assert record["revision"] == "1.4" and "cpu_model" not in json.dumps(record), record
    assert {r["version"] for r in record["runs"]} == {"1.4"}, record["runs"]
    assert all(r["source"].startswith("pyroscope+http") for r in record["runs"]), record["runs"]
    b.run("check", *BASELINES, "-r", "recommended", b.url("1.5", more=window))
    b.expect(1, "main.priceRound", "compared: shop@1.4/")
    b.run("check", *BASELINES, "-r", "recommended", "--canary", b.url("1.5", more=window))
    b.expect(1, "main.priceRound")
    b.run("check", *BASELINES, "--baseline", b.url("1.4", more=window), b.url("1.5", more=window))
    b.expect(2, "'--baseline' cannot be combined with '--store'")
    b.run("baseline", "accept", *BASELINES, "--revision", "main", b.url("1.4", more=window + "&max_nodes=9"))
    b.expect(0, "revision main")
    b.run("baseline", "accept", *BASELINES, b.url("1.4"))
    b.expect(2, "expected &from=TIME in it")


def accept_takes_kind_and_revision_of_a_captured_folder(b):
    """A folder that was captured from a store gives `baseline accept` the kind and the revisions."""
    b.capture(runs=4)
    b.run("baseline", "accept", *BASELINES, b.dir)
    b.expect(0, "accepted 4 runs (cpu) of shop in default, revision 1.5")
    b.run("baseline", "accept", *BASELINES, "--side", "baseline", b.dir)
    b.expect(0, "revision 1.4")


def a_store_of_profiles_is_refused_as_store_of_baselines(b):
    for first in ([], ["--accept-first"]):
        b.run("check", "--store", b.url("1.4", more="&from=-1h"), "--service", "shop", *first,
              b.root / "fixtures/captures/mix-1.cpu.pb.gz")
        b.expect(2, "expected the folder of accepted baselines, found the address of a store",
                 "'pprofgate check ADDRESS CANARY'")
    assert not b.state.seen and not list(b.place.iterdir())


def merge_queries_a_store(b):
    window = "&from=%d&to=%d&runs=3" % (START, START + 3 * MINUTE)
    b.run("merge", "-o", "all.pb.gz", b.url("1.4", more=window), b.root / "fixtures/captures/mix-1.cpu.pb.gz")
    b.expect(0)
    assert len(b.state.seen) == 3
    b.run("inspect", "--json", "all.pb.gz")
    b.expect(0)
    found = sorted((b.root / "fixtures/captures").glob("mix-*.cpu.pb.gz"))
    files = [found[(START // MINUTE + i) % len(found)] for i in range(3)] + [b.root / "fixtures/captures/mix-1.cpu.pb.gz"]

    def total(path):
        b.run("inspect", "--json", path)
        return json.loads(b.last.stdout)[0]["sample_types"][0]["total"]
    assert total("all.pb.gz") == sum(map(total, files))


if __name__ == "__main__":
    scenario_main.main(globals(), Bench)
