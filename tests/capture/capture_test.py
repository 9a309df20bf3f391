#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate capture` against a server that misbehaves (server.py): exit status, message, and what is in the folder.

usage: capture_test.py PPROFGATE ROOT SCENARIO|complete

After each scenario all output and every file of the folder is searched for the secrets that were told.
"""
import gzip
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import scenario_main  # noqa: E402
import server  # noqa: E402
from gate_scenarios import *  # noqa: E402,F401,F403
from gate_scenarios import has_run, unfailing  # noqa: E402

SECRETS = (server.TOKEN, server.PASSWORD, "YWRhOnBhNTUtdzByZC1zZWNyZXQ=", server.LONG_TOKEN[:12], "pa55%2D")


class Bench:
    """A server, an empty place, and the program."""

    def __init__(self, program, root):
        self.program = program
        self.root = pathlib.Path(root)
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="capture-"))
        self.dir = self.place / "out"
        self.state = server.State(self.root / "fixtures")
        self.base = server.serve(self.state)
        self.other = server.serve(self.state)
        self.state.other = self.other
        self.said = ""
        self.environment = dict(os.environ, PPROFGATE_BACKOFF_MS="20", SECRET_TOKEN=server.TOKEN,
                                LONG_TOKEN=server.LONG_TOKEN)
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy", "no_proxy",
                     "NO_PROXY"):
            self.environment.pop(name, None)

    def url(self, what, base=None):
        return "%s/%s/debug/pprof" % (base or self.base, what)

    def run(self, *args):
        done = subprocess.run([self.program, *map(str, args)], capture_output=True, text=True, timeout=60,
                              cwd=self.place, env=self.environment, errors="replace")
        self.said += done.stdout + done.stderr
        self.last = done
        return done

    def capture(self, *args, baseline="baseline", canary="canary", runs=1):
        return self.run("capture", "--baseline", self.url(baseline) if "://" not in baseline else baseline,
                        "--canary", self.url(canary) if "://" not in canary else canary, "--seconds", 1, "--runs", runs,
                        "-o", self.dir, *args)

    def manifest(self):
        path = self.dir / "manifest.json"
        return json.loads(path.read_text()) if path.exists() else {"runs": []}

    def files(self):
        return sorted(p.name for p in self.dir.iterdir()) if self.dir.exists() else []

    def expect(self, status, *texts, runs=None):
        shown = "exit %d\n%s%s" % (self.last.returncode, self.last.stdout, self.last.stderr)
        assert self.last.returncode == status, "expected exit %d: %s" % (status, shown)
        for text in texts:
            assert text in re.sub(r"\s+", " ", shown), "expected '%s': %s" % (text, shown)
        if runs is not None:
            found = ["%s-%s-%d" % (r["kind"], r["side"], r["round"]) for r in self.manifest()["runs"]]
            assert found == runs, "expected %s, found %s: %s" % (runs, found, shown)
            assert len(self.files()) == (len(runs) + 1 if runs else 0), self.files()

    def no_secret_anywhere(self):
        places = {"output": self.said.encode()}
        for path in self.place.rglob("*"):
            if path.is_file() and not path.name.startswith("given-"):
                data = path.read_bytes()
                places[str(path)] = data + (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else b"")
        for place, data in places.items():
            for secret in SECRETS:
                assert secret.encode() not in data, "a secret is in %s" % place


# ---- successful captures ---------------------------------------------------------------------------------------------


def rounds_of_both_sides_are_taken(b):
    b.capture(runs=3)
    b.expect(0, "6 runs in 3 complete rounds", runs=[has_run(s, number=n) for n in (1, 2, 3) for s in ("baseline", "canary")])
    same = "baseline and canary are of the same build"  # the two files differed only in their flags
    assert b.last.stderr.count("\n") == 1 and same in b.last.stderr, b.last.stderr
    order = [path.split("/")[1] for _, path, _ in b.state.seen]
    for run in b.manifest()["runs"]:
        assert run["source"].endswith("/debug/pprof/profile?seconds=1"), run
    starts = {r["round"]: {} for r in b.manifest()["runs"]}
    for run in b.manifest()["runs"]:
        starts[run["round"]][run["side"]] = run["start_ms"]
    assert all(abs(s["baseline"] - s["canary"]) < 2000 for s in starts.values()), starts
    assert len(order) == 6
    assert b.manifest()["interleaved"] is True
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "main.priceRound")


def each_address_of_a_side_gives_a_run(b):
    b.run("capture", "--baseline", b.url("baseline"), "--baseline", b.other + "/baseline/debug/pprof", "--canary",
          b.url("canary"), "-s", 1, "-n", 1, "-o", b.dir)
    b.expect(0, "3 runs in 1 complete round")
    assert "cpu-001-baseline-2.pb.gz" in b.files(), b.files()


def all_kinds_of_a_round_are_taken(b):
    b.capture("--kind", "cpu,heap,mutex")
    b.expect(0, runs=[has_run(s, k) for k in ("cpu", "heap", "mutex") for s in ("baseline", "canary")])
    asked = [path for _, path, _ in b.state.seen]
    assert any(p.endswith("/heap?gc=1") for p in asked) and any(p.endswith("/mutex?seconds=1") for p in asked), asked
    b.run("check", b.dir)
    b.expect(1, "(cpu)", "main.priceRound")


def an_interrupted_capture_is_resumed(b):
    b.capture(canary="flaky", runs=3)
    b.expect(2, "HTTP 404, \"gone\"", "5 runs are there and stay, in 2 complete rounds")
    assert len(b.manifest()["runs"]) == 5
    b.capture(canary="flaky", runs=3)
    b.expect(2)
    b.state.asked["flaky"] = 0
    b.capture(canary="flaky", runs=3)
    b.expect(0, "in 3 complete rounds")
    b.capture(canary="flaky", runs=3)
    b.expect(0, "has 3 complete rounds already, and nothing was taken", "for more, raise --runs", "in 3 complete rounds")
    assert [r["round"] for r in b.manifest()["runs"]] == [1, 1, 2, 2, 3, 4, 5, 5], b.manifest()
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "rounds 3, 4 of 5 have no cpu profiles of the canary")


def two_builds_on_one_side_are_an_error(b):
    b.capture(baseline="redeployed", runs=2)
    b.expect(2, "all runs of a side must be of one build; was there a deployment in between? Then name a new folder",
             runs=[*BOTH, has_run("canary", number=2)])
    assert "resumes" not in b.last.stderr, b.last.stderr
    b.state.asked["redeployed"] = 0
    b.run("gate", "--baseline", b.url("redeployed"), "--canary", b.url("canary"), "--seconds", 1, "--max-time", "20s",
          "-r", unfailing(b), "-o", b.place / "gate")
    b.expect(2, "round 1 of at most", "Then name a new folder")
    assert "resumes" not in b.last.stderr, b.last.stderr


def a_folder_of_other_addresses_is_refused(b):
    b.capture()
    b.expect(0)
    b.capture(canary="thrice")
    b.expect(2, "the folder holds a run of the canary from", "name another folder", runs=BOTH)


def a_second_writer_of_a_folder_is_refused(b):
    """The second process gets an error. A folder whose writer was killed can be written again."""
    first = subprocess.Popen([b.program, "capture", "--baseline", b.url("hang"), "--canary", b.url("canary"), "-s", "1",
                              "-n", "1", "-o", b.dir], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             cwd=b.place, env=b.environment)
    try:
        until = time.monotonic() + 30
        while not b.state.seen and time.monotonic() < until:
            time.sleep(0.02)
        b.capture()
        b.expect(2, "another capture, gate or try writes to this folder; wait until it is done")
    finally:
        first.kill()
        first.wait()
    b.capture()
    b.expect(0, runs=BOTH)


def a_folder_judged_by_gate_is_refused(b):
    """The rounds of a gate are judged by its plan, and further runs would change their number."""
    b.capture()
    b.expect(0, runs=BOTH)
    manifest = b.manifest()
    manifest["looks"] = {"rules": "a", "planned": 4, "round": 1, "fractions": [0.25]}
    (b.dir / "manifest.json").write_text(json.dumps(manifest))
    b.capture()
    b.expect(2, "the folder was judged while it was taken", "give another folder", runs=BOTH)
    assert b.manifest()["looks"] == manifest["looks"]


def asked_of(b, side):
    return [path.rsplit("/", 1)[1] for _, path, _ in b.state.seen if path.startswith(f"/{side}/")]


def collector_runs_at_both_ends_of_a_window(b):
    """A collection is requested before a window of allocations and at its end; not for a snapshot, nor if an address has gc=0."""
    b.capture("--kind", "allocs,heap", "--seconds", 1, baseline="collects", canary="collectstoo", runs=1)
    b.expect(0)
    for side in ("collects", "collectstoo"):
        assert asked_of(b, side) == ["heap?gc=1", "allocs?seconds=1", "heap?gc=1", "heap?gc=1"], b.state.seen
    times = [when for when, path, _ in b.state.seen if path.startswith("/collects/")]
    assert 0.3 < times[2] - times[1] < 1, times  # half of the window, because the window is short
    del b.state.seen[:]
    b.run("capture", "--baseline", b.base + "/collects/debug/pprof/allocs?gc=0", "--canary",
          b.base + "/collectstoo/debug/pprof/allocs", "--kind", "allocs", "-s", 1, "-n", 1, "-o", b.dir / "gc0")
    b.expect(0)
    assert not [path for _, path, _ in b.state.seen if "heap" in path], b.state.seen


def no_collector_runs_if_one_program_refuses(b):
    """Both sides are counted in the same way, and a note says so once."""
    b.capture("--kind", "allocs", "--seconds", 1, baseline="collects", canary="allocsonly", runs=2)
    b.expect(0, "/allocsonly/debug/pprof/heap?gc=1: HTTP 404")
    assert b.last.stderr.count("allocations are counted up to each program's own collections") == 1, b.last.stderr
    for side in ("collects", "allocsonly"):
        assert asked_of(b, side) == ["heap?gc=1", "allocs?seconds=1", "allocs?seconds=1"], b.state.seen


def collection_is_not_repeated_at_the_end(b):
    """A collection at the end of a window that fails is not requested again, because the window is over."""
    b.capture("--kind", "allocs", "--seconds", 1, baseline="collectsonce", canary="collects", runs=1)
    b.expect(0)
    assert asked_of(b, "collectsonce") == ["heap?gc=1", "allocs?seconds=1", "heap?gc=1"], b.state.seen
    assert "retry" not in b.last.stderr, b.last.stderr


def capture_of_no_allocations_is_an_error(b):
    b.capture("--kind", "allocs", canary="uncollectedfirst", runs=2)
    b.expect(2, "the allocs profile has no samples: Go counts", runs=[has_run("baseline", "allocs")])
    assert "left out" not in b.last.stderr, b.last.stderr


def a_complete_address_is_requested_unchanged(b):
    b.run("capture", "--baseline", b.base + "/baseline/debug/pprof/profile?seconds={seconds}", "--canary",
          b.base + "/canary/take/profile", "-s", 1, "-n", 1, "-o", b.dir)
    b.expect(0, runs=BOTH)
    assert any(path == "/canary/take/profile" for _, path, _ in b.state.seen)


def a_unix_socket_is_followed_on_redirect(b):
    """The address that the first answer redirects to is one of the same socket."""
    path = str(b.place / "s")
    address = server.serve(b.state, path=path)
    b.run("capture", "--baseline", address + ":/moved/debug/pprof", "--canary", address + ":/canary/debug/pprof",
          "-s", 1, "-n", 1, "-o", b.dir)
    b.expect(0, runs=BOTH)
    assert b.manifest()["runs"][0]["instance"] == path


def warm_up_delays_the_first_round(b):
    begun = time.monotonic()
    b.capture("--warm-up", "0.7")
    b.expect(0, runs=BOTH)
    assert time.monotonic() - begun > 0.7


# ---- retries ---------------------------------------------------------------------------------------------------------


def errors_500_are_retried(b):
    b.capture(baseline="thrice")
    b.expect(0, "HTTP 500, \"overloaded\"; retry in", runs=BOTH)


def retries_end_at_their_limit(b):
    b.capture("--retries", 2, baseline="always500")
    b.expect(2, "HTTP 500, \"no way\"; 3 attempts", runs=[has_run("canary")])


def a_busy_profiler_is_retried(b):
    b.capture(baseline="busy")
    b.expect(0, "takes another CPU profile, and can take only one at a time", runs=BOTH)


def a_profiler_that_stays_busy_is_an_error(b):
    b.environment["PPROFGATE_BACKOFF_MS"] = "1"
    b.capture("--retries", 1, baseline="alwaysbusy")
    b.expect(2, "takes another CPU profile", "6 attempts", runs=[has_run("canary")])


def a_cut_answer_is_retried(b):
    b.capture(baseline="chunked", canary="reset")
    b.expect(0, "the answer was cut", runs=BOTH)


def an_answer_that_stays_cut_is_an_error(b):
    b.capture("--retries", 1, baseline="short")
    b.expect(2, "the answer was cut", "2 attempts", runs=[has_run("canary")])


def retry_after_is_obeyed(b):
    b.capture(baseline="later")
    b.expect(0, "HTTP 429", "retry in 1.0s", runs=BOTH)


def a_retry_after_of_hours_is_an_error(b):
    b.capture(baseline="muchlater")
    b.expect(2, "HTTP 503", "the server wants a retry after 7200s", runs=[has_run("canary")])


def a_refused_connection_is_retried_then_an_error(b):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    b.capture("--retries", 1, baseline="http://127.0.0.1:%d" % port)
    b.expect(2, "no connection", "is the program up", "2 attempts", runs=[has_run("canary")])


# ---- errors that are not retried -------------------------------------------------------------------------------------


def a_silent_server_ends_at_the_timeout(b):
    b.capture("--timeout", "0.5", baseline="hang")
    b.expect(2, "no whole answer within 1.5 s; --timeout gives it longer", runs=[has_run("canary")])


def progress_is_shown_on_a_terminal(b):
    """A line says how many requests are under way and how long they may take."""
    ours, theirs = pty.openpty()
    command = [b.program, "capture", "--baseline", b.url("hang"), "--canary", b.url("hang", b.other),
               "--seconds", "1", "--timeout", "0.5", "-o", str(b.dir)]
    said = b""
    with subprocess.Popen(command, cwd=b.place, env={**b.environment, "TERM": "xterm"}, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=theirs) as process:
        os.close(theirs)
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # the terminal is closed
                break
            said += some
    os.close(ours)
    assert process.returncode == 2 and re.search(rb"round 1 of cpu: 2 under way, [0-2] s left", said), said


def a_trickling_answer_ends_at_the_timeout(b):
    b.capture("--timeout", "0.5", baseline="trickle")
    b.expect(2, "no whole answer within 1.5 s", runs=[has_run("canary")])


def a_web_page_is_not_a_profile(b):
    b.capture(baseline="page")
    b.expect(2, "/page/debug/pprof/profile?seconds=1: the answer is a web page and not a profile",
             runs=[has_run("canary")])


def an_empty_answer_is_an_error(b):
    b.capture(baseline="empty")
    b.expect(2, "the answer is empty", runs=[has_run("canary")])


def a_truncated_gzip_is_an_error(b):
    b.capture(baseline="cutgzip")
    b.expect(2, "/cutgzip/", runs=[has_run("canary")])


def a_missing_endpoint_is_not_retried(b):
    b.capture(baseline="missing")
    b.expect(2, "HTTP 404", "import net/http/pprof", runs=[has_run("canary")])
    assert b.state.asked[("profile", "canary", "profile")] == 1
    assert len([p for _, p, _ in b.state.seen if "missing" in p]) == 1


def a_missing_wall_profile_names_fgprof(b):
    b.capture("--kind", "wall", baseline="missing")
    b.expect(2, "HTTP 404", "net/http/pprof has no wall profile: the program has to serve fgprof.Handler() at /debug/fgprof")


def without_libcurl_only_requests_fail(b):
    """libcurl is loaded when it is needed. A capture looks for it before it begins, and commands on files do without it."""
    name = re.search(rb"libcurl[-a-z]*[.]so[.][0-9]+", pathlib.Path(b.program).read_bytes())
    libraries = b.place / "libraries"
    libraries.mkdir()
    (libraries / name[0].decode()).write_bytes(b"no library\n")
    b.environment["LD_LIBRARY_PATH"] = str(libraries)
    assert b.run("--version").returncode == 0
    b.capture()
    b.expect(2, "HTTP requests need libcurl, which cannot be loaded", name[0].decode(),
             "install the package libcurl4 on Debian and Ubuntu", runs=[])
    assert not b.state.seen
    cpu = b.root / "fixtures/go-service/cpu"
    b.environment["DEBUGINFOD_URLS"] = b.base
    b.run("inspect", "--debuginfod", cpu / "baseline-1.pb.gz")
    b.expect(2, "option '--debuginfod': HTTP requests need libcurl")
    b.run("check", "-r", "recommended", cpu / "baseline-1.pb.gz", cpu / "regression-1.pb.gz")
    b.expect(1, "main.priceRound")


def an_interrupt_names_the_kept_profiles(b):
    """After Ctrl-C, a message lists the profiles that are kept, and the process ends with the signal."""
    for signal, canary in ((2, "canary"), (15, "canary"), (2, "hang")):
        shutil.rmtree(b.dir, ignore_errors=True)
        process = subprocess.Popen([b.program, "capture", "--baseline", b.url("hang" if canary == "hang" else "baseline"),
                                    "--canary", b.url(canary, b.other), "-s", "1", "-n", "500", "-o", b.dir],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=b.place, env=b.environment)
        until = time.monotonic() + 60
        while time.monotonic() < until:  # requests of the capture before this one may still arrive
            is_asked = any(path.startswith("/hang/") for _, path, _ in b.state.seen)
            if list(b.dir.glob("cpu-001-*.pb.gz")) or (canary == "hang" and is_asked):
                break
            time.sleep(0.02)
        process.send_signal(signal)
        said = process.communicate(timeout=60)[1]
        b.said += said
        assert process.returncode == -signal, (process.returncode, said)
        if canary == "hang":
            assert said.endswith("pprofgate: interrupted; no profile had come yet\n"), said
        else:
            assert re.search(r"interrupted; [0-9]+ profiles? in \S+ stays?: the same command resumes with", said), said
            b.manifest()


def an_ignored_sighup_does_not_interrupt(b):
    """A signal that is ignored from the start, as nohup does with SIGHUP, interrupts nothing."""
    process = subprocess.Popen(
        [b.program, "capture", "--baseline", b.url("baseline"), "--canary", b.url("canary", b.other),
         "-s", "1", "-n", "2", "-o", b.dir],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=b.place, env=b.environment,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    until = time.monotonic() + 60
    while time.monotonic() < until and not list(b.dir.glob("cpu-001-*.pb.gz")):
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    said = process.communicate(timeout=60)[1]
    b.said += said
    assert process.returncode == 0 and "interrupted" not in said, (process.returncode, said)


def the_servers_message_is_in_the_error(b):
    b.capture(baseline="writetimeout")
    b.expect(2, "HTTP 400, \"profile duration exceeds server's WriteTimeout\"", runs=[has_run("canary")])


def an_answer_over_max_bytes_is_an_error(b):
    b.capture("--max-bytes", "4M", baseline="large", canary="endless")
    b.expect(2, "the answer is larger than 4194304 bytes; raise --max-bytes", runs=[])


def an_answer_that_expands_over_the_limit_is_an_error(b):
    """An answer of 50 kB whose stacks take more memory than a run that reads it may."""
    sys.path.insert(0, str(b.root / "tests/hostile"))
    import made
    b.state.expands = made.stackprof_again(2000000, 1000)
    b.capture(canary="expands")
    b.expect(2, "bytes of memory would be needed")
    assert int(re.search(r"more than (\d+) bytes of memory", b.last.stderr)[1]) < 240000000, b.last.stderr


def a_profile_of_another_kind_is_an_error(b):
    b.capture(baseline="otherkind")
    b.expect(2, "of the kind 'heap' (it counts 'inuse_space'), expected 'cpu'", runs=[has_run("canary")])


def a_profile_without_samples_is_an_error(b):
    b.capture(baseline="nosamples")
    b.expect(2, "the cpu profile has no samples: was the program idle?", runs=[has_run("canary")])


def an_empty_block_profile_is_noted_once(b):
    b.capture("--kind", "block", baseline="nothingwaits", runs=2)
    b.expect(0, "4 runs in 2 complete rounds")
    note = "the first block profile of the baseline has no samples: nothing waited, or its profiler is off"
    assert b.last.stderr.count(note) == 1, b.last.stderr


def a_heap_with_seconds_is_refused(b):
    b.capture("--kind", "heap", baseline=b.base + "/baseline/debug/pprof/heap?seconds=1")
    b.expect(2, "a heap with 'seconds' is a difference, which may be negative", "kind 'allocs'", runs=[])
    assert not b.state.seen


def an_address_of_another_kind_is_refused(b):
    b.capture(baseline=b.base + "/baseline/debug/pprof/heap")
    b.expect(2, "this is the address of the kind 'heap', but the kind to capture is 'cpu'; add --kind heap", runs=[])


def an_address_given_twice_is_refused(b):
    b.capture(canary="baseline")
    b.expect(2, "this address is named twice", runs=[])


def a_folder_with_other_files_is_refused(b):
    b.dir.mkdir()
    (b.dir / "notes.txt").write_text("mine")
    b.capture()
    b.expect(2, "the folder has files and no manifest.json")
    assert b.files() == ["notes.txt"]


# ---- redirects and certificates ---------------------------------------------------------------------------------------


def a_redirect_to_another_server_is_refused(b):
    b.capture("--token-env", "SECRET_TOKEN", baseline="elsewhere")
    b.expect(2, "it redirects to %s/baseline/debug/pprof/profile?token=***, which is another server" % b.other,
             "--follow-redirects any", runs=[has_run("canary")])


def an_allowed_redirect_carries_no_credentials(b):
    b.capture("--token-env", "SECRET_TOKEN", "--follow-redirects", "any", baseline="elsewhere")
    b.expect(0, runs=BOTH)
    told = [who for _, path, who in b.state.seen if path.startswith("/baseline/")]
    assert told == [None], "credentials went to another server"
    assert [who for _, path, who in b.state.seen if path.startswith("/elsewhere/")] == ["Bearer " + server.TOKEN]


def a_redirect_to_the_same_server_is_followed(b):
    b.capture("--token-env", "SECRET_TOKEN", baseline="moved")
    b.expect(0, runs=BOTH)
    assert {who for _, _, who in b.state.seen} == {"Bearer " + server.TOKEN}


def a_redirect_loop_is_an_error(b):
    b.capture(baseline="round")
    b.expect(2, "it redirects more than 5 times", runs=[has_run("canary")])


def made_certificate(b, names="IP:127.0.0.1"):
    """A certificate of its own authority, and its key."""
    files = [str(b.place / "given-cert.pem"), str(b.place / "given-key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test",
                    "-addext", "subjectAltName=" + names, "-out", files[0], "-keyout", files[1]],
                   check=True, capture_output=True)
    return files


def certificates_are_verified(b):
    files = made_certificate(b)
    safe = server.serve(b.state, certificate=files)
    b.capture("--token-env", "SECRET_TOKEN", baseline=safe + "/baseline/debug/pprof")
    b.expect(2, "the connection is not safe", "--ca-file FILE", runs=[has_run("canary")])
    assert not [p for _, p, _ in b.state.seen if p.startswith("/baseline")], "it asked a server that it does not know"
    shutil.rmtree(b.dir)
    b.capture("--ca-file", files[0], baseline=safe + "/baseline/debug/pprof")
    b.expect(0, runs=BOTH)
    shutil.rmtree(b.dir)
    b.capture("--insecure", baseline=safe + "/baseline/debug/pprof")
    b.expect(0, "--insecure: no certificate is checked", runs=BOTH)


# ---- proxies ----------------------------------------------------------------------------------------------------------

AWAY = "http://%s.invalid/%s/debug/pprof"  # no resolver knows these names: only the proxy can connect to them


def proxy_is_used(b):
    """http_proxy leads to both sides. The proxy gets its own credentials, and the server gets none of them."""
    proxy = server.Proxy(b.base)
    b.environment["http_proxy"] = "http://ada:%s@%s" % (server.PASSWORD, proxy.host)
    b.capture("--token-env", "SECRET_TOKEN", baseline=AWAY % ("one", "baseline"), canary=AWAY % ("two", "canary"))
    b.expect(0, runs=BOTH)
    assert sorted(path for _, path, _ in proxy.seen) == [AWAY % ("one", "baseline") + "/profile?seconds=1",
                                                         AWAY % ("two", "canary") + "/profile?seconds=1"], proxy.seen
    for _, _, headers in proxy.seen:
        assert headers["Proxy-Authorization"] == "Basic YWRhOnBhNTUtdzByZC1zZWNyZXQ=", headers
    assert {who for _, _, who in b.state.seen} == {"Bearer " + server.TOKEN}, b.state.seen
    assert all(proxy.host not in run["source"] for run in b.manifest()["runs"]), b.manifest()


def excluded_hosts_and_sockets_use_no_proxy(b):
    """The proxy is not used for hosts of no_proxy, for unix sockets, and if only HTTP_PROXY names it, which a CGI request can set."""
    proxy = server.Proxy(b.other)
    path = str(b.place / "s")
    server.serve(b.state, path=path)
    for environment, side in (({"http_proxy": "http://" + proxy.host, "no_proxy": "localhost,127.0.0.1"}, b.base),
                              ({"HTTP_PROXY": "http://" + proxy.host}, b.base),
                              ({"http_proxy": "http://" + proxy.host, "no_proxy": "127.0.0.1"}, "unix://%s:" % path)):
        b.environment.update(environment)
        b.capture(baseline=side + "/baseline/debug/pprof", canary=b.other + "/canary/debug/pprof")
        b.expect(0, runs=BOTH)
        assert not proxy.seen, proxy.seen
        shutil.rmtree(b.dir)
        for name in environment:
            del b.environment[name]


def a_tls_proxy_sees_only_the_server_name(b):
    """https_proxy gets a name to connect to and nothing else: neither the token nor the path. The server's certificate
    is checked behind it."""
    files = made_certificate(b, "DNS:shop.invalid")
    proxy = server.Proxy(server.serve(b.state, certificate=files))
    for name in ("https_proxy", "HTTPS_PROXY"):
        proxy.seen.clear()
        b.environment[name] = "http://" + proxy.host
        sides = {side: "https://shop.invalid/%s/debug/pprof" % side for side in ("baseline", "canary")}
        b.capture("--ca-file", files[0], "--token-env", "SECRET_TOKEN", **sides)
        b.expect(0, runs=BOTH)
        assert {(command, path) for command, path, _ in proxy.seen} == {("CONNECT", "shop.invalid:443")}, proxy.seen
        assert all(server.TOKEN not in str(headers) for _, _, headers in proxy.seen), proxy.seen
        assert {who for _, _, who in b.state.seen} == {"Bearer " + server.TOKEN}, b.state.seen
        shutil.rmtree(b.dir)
        b.capture("--token-env", "SECRET_TOKEN", **sides)
        b.expect(2, "the connection is not safe", runs=[])
        shutil.rmtree(b.dir, ignore_errors=True)
        del b.environment[name]


def a_refusing_proxy_is_named_in_the_error(b):
    """A proxy that refuses, or answers by itself, gives no profile and is named."""
    proxy = server.Proxy(b.base)
    b.environment.update(http_proxy="http://" + proxy.host, https_proxy="http://" + proxy.host)
    for answer, text in (((407, "who are you?"), "HTTP 407"), ((403, "not from here"), 'HTTP 403, "not from here"'),
                         ((200, "<!DOCTYPE html><title>Login</title>"), "a web page and not a profile")):
        proxy.answer = answer
        b.capture(baseline=AWAY % ("one", "baseline"), canary=AWAY % ("two", "canary"))
        b.expect(2, text, runs=[])
    for status in (407, 403, 502):
        proxy.answer = (status, "no")
        proxy.seen.clear()
        b.capture(baseline="https://one.invalid/debug/pprof", canary="https://two.invalid/debug/pprof")
        b.expect(2, "the proxy does not connect to the server", str(status), "https_proxy and no_proxy", runs=[])
        assert len(proxy.seen) == 2, "retried: %s" % proxy.seen
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        b.environment["http_proxy"] = "http://127.0.0.1:%d" % closed.getsockname()[1]
        b.capture("--retries", "1", baseline=AWAY % ("one", "baseline"), canary=AWAY % ("two", "canary"))
        b.expect(2, "no connection", runs=[])


# ---- credentials -----------------------------------------------------------------------------------------------------


def a_missing_token_names_the_options(b):
    b.capture(baseline="locked")
    b.expect(2, "HTTP 401", "--token-env, --token-file or --user-file", runs=[has_run("canary")])


def a_token_from_a_variable_is_sent(b):
    b.capture("--token-env", "SECRET_TOKEN", baseline="locked")
    b.expect(0, runs=BOTH)


def a_token_from_a_file_is_sent(b):
    (b.place / "given-token").write_text(server.TOKEN + "\n")
    b.capture("--token-file", b.place / "given-token", baseline="locked")
    b.expect(0, runs=BOTH)


def a_wrong_token_is_an_error(b):
    """The server repeats the token that it received."""
    b.capture("--token-env", "SECRET_TOKEN", baseline="lockeduser")
    b.expect(2, "HTTP 401", "is not the right one")
    (b.place / "given-user").write_text("ada:" + server.PASSWORD)
    b.capture("--user-file", b.place / "given-user", baseline="locked")
    b.expect(2, "HTTP 401, \"who are you, 'Basic ***'?\"")


def a_token_that_the_server_repeats_is_hidden(b):
    """A server that is broken repeats the token, and the note of the retry does not."""
    assert len(server.LONG_TOKEN) == 195
    for name in ("SECRET_TOKEN", "LONG_TOKEN"):
        b.state.asked["repeats"] = 0
        b.capture("--token-env", name, baseline="repeats")
        b.expect(0, "HTTP 500, \"*** *** *** Bearer ***\"; retry in")
        b.state.asked["repeats"] = -8
        b.capture("--token-env", name, "--retries", 1, baseline="repeats", runs=2)
        b.expect(2, "HTTP 500, \"*** *** *** Bearer ***\"; 2 attempts")
        shutil.rmtree(b.dir)


def a_token_at_the_cut_of_a_message_is_hidden(b):
    b.capture("--token-env", "LONG_TOKEN", "--retries", 3, baseline="repeatslate")
    b.expect(2, "HTTP 500; 4 attempts", runs=[has_run("canary")])


def a_user_that_the_server_repeats_is_hidden(b):
    with_user = b.base.replace("://", "://ada:%s@" % server.PASSWORD.replace("-", "%2D"))
    b.capture(baseline=with_user + "/repeats/debug/pprof")
    b.expect(0, "HTTP 500, \"*** *** *** Basic ***\"; retry in", runs=BOTH)
    (b.place / "given-user").write_text("ada:" + server.PASSWORD)
    b.state.asked["repeats"] = 0
    b.capture("--user-file", b.place / "given-user", baseline=with_user + "/repeats/debug/pprof", runs=2)
    b.expect(0, "HTTP 500, \"*** *** *** Basic ***\"; retry in")


def a_user_from_a_file_is_sent(b):
    (b.place / "given-user").write_text("ada:" + server.PASSWORD)
    b.capture("--user-file", b.place / "given-user", baseline="lockeduser")
    b.expect(0, runs=BOTH)


def a_user_of_the_address_is_sent(b):
    with_user = b.base.replace("://", "://ada:%s@" % server.PASSWORD.replace("-", "%2D"))
    b.capture(baseline=with_user + "/lockeduser/debug/pprof")
    b.expect(0, runs=BOTH)
    assert "ada" not in json.dumps(b.manifest())


def a_token_in_the_query_is_hidden(b):
    address = b.base + "/tokenquery/debug/pprof?access_token="
    b.capture(baseline=address + server.TOKEN)
    b.expect(0, runs=BOTH)
    assert b.manifest()["runs"][0]["source"].endswith("?access_token=***&seconds=1")
    shutil.rmtree(b.dir)
    b.capture(baseline=address + server.PASSWORD)
    b.expect(2, "HTTP 403", "access_token=***")


def an_unset_token_variable_is_an_error(b):
    b.capture("--token-env", "NOT_SET_ANYWHERE")
    b.expect(2, "the environment variable 'NOT_SET_ANYWHERE' is not set", runs=[])


def an_invalid_address_is_refused_without_its_secrets(b):
    b.capture(baseline="ftp://ada:%s@host/x?token=%s" % (server.PASSWORD, server.TOKEN))
    b.expect(2, "option '--baseline': expected an address that begins with http://", runs=[])


# ---- work -------------------------------------------------------------------------------------------------------------


def with_work(b, what, *args, runs=1):
    b.capture("--work-metric", 'http_requests_total{code="200"}', "--work-url-baseline",
              b.base + "/metrics/%s/baseline" % what, "--work-url-canary", b.base + "/metrics/%s/canary" % what, *args,
              runs=runs)
    return [r.get("work") for r in b.manifest()["runs"]]


def growth_of_the_counter_is_the_work(b):
    assert with_work(b, "grows", runs=2) == [1250, 1250, 1250, 1250]
    b.expect(0)
    assert "work" not in b.last.stderr, b.last.stderr
    b.run("check", "-r", "recommended", "--json", b.place / "report.json", b.dir)
    b.expect(1)
    report = json.loads((b.place / "report.json").read_text())
    assert report["work"]["is_known"] is True, report["work"]


def work_is_divided_by_a_label(b):
    with_work(b, "grows", "--work-by", "endpoint")
    b.expect(0)
    assert b.manifest()["runs"][0]["work_by"] == [{"label": "endpoint", "value": "/a", "work": 250},
                                                  {"label": "endpoint", "value": "/b", "work": 1000}]


def a_counter_that_does_not_grow_is_noted(b):
    assert with_work(b, "stuck") == [None, None]
    b.expect(0, "the work of this run of the baseline is not known: the counter did not move")


def a_counter_that_restarts_is_noted(b):
    assert with_work(b, "restarts") == [None, None]
    b.expect(0, "the counter restarted while the profile was taken")


def work_is_read_from_openmetrics(b):
    b.capture("--work-metric", "http_requests", "--work-url-baseline", b.base + "/metrics/open/1", "--work-url-canary",
              b.base + "/metrics/open/2", "--work-by", "endpoint")
    b.expect(0)
    assert b.manifest()["runs"][0]["work_by"] == [{"label": "endpoint", "value": "/a\"b", "work": 250}]


def a_gauge_is_not_used_as_work(b):
    assert with_work(b, "gauge") == [None, None]
    b.expect(0, "'http_requests_total' is a gauge; work has to be a counter")


def a_missing_metrics_endpoint_is_noted(b):
    assert with_work(b, "gone") == [None, None]
    b.expect(0, "the work of this run of the canary is not known: HTTP 404")


def a_metrics_page_of_html_is_noted(b):
    assert with_work(b, "page") == [None, None]
    b.expect(0, "line 1 is not a metric")


def work_counts_from_the_successful_attempt(b):
    """Work done while the server was busy with another profile does not count for this run."""
    b.capture("--work-metric", "http_requests_total", "--work-url-baseline", b.base + "/metrics/grows/baseline",
              "--work-url-canary", b.base + "/metrics/grows/canary", baseline="busy")
    b.expect(0)
    assert [r.get("work") for r in b.manifest()["runs"]] == [1250, 1250], b.manifest()


def work_is_read_again_after_a_broken_connection(b):
    """A broken request is repeated by us, with a reading of the counter before it, and not by libcurl on its own."""
    b.capture("--work-metric", "http_requests_total", "--work-url-baseline", b.base + "/metrics/grows/baseline",
              "--work-url-canary", b.base + "/metrics/grows/canary", baseline="dropped")
    b.expect(0, "the answer was cut", "retry in")
    asked = [path for _, path, _ in b.state.seen if "/dropped/" in path]
    assert len(asked) == 2, asked
    assert [r.get("work") for r in b.manifest()["runs"]] == [1250, 1250], b.manifest()


def a_late_reading_of_the_counter_is_noted(b):
    b.capture("--work-metric", "http_requests_total", "--work-url-baseline", b.base + "/metrics/late/1",
              "--work-url-canary", b.base + "/metrics/grows/2")
    b.expect(0, "baseline is not known: the counter was read up to")
    assert ["work" in r for r in b.manifest()["runs"]] == [False, True]


def a_misspelt_counter_is_noted_before_the_first_profile(b):
    """The message is printed before the first profile is requested."""
    b.capture("--work-metric", "http_request_total", "--work-url-baseline", b.base + "/metrics/grows/1",
              "--work-url-canary", b.base + "/metrics/grows/2")
    b.expect(0, "before the first profile, the work of the canary is not known: there is no series of "
             "'http_request_total'; is its name right")
    asked = [path for _, path, _ in b.state.seen]
    assert all("/metrics/" in path for path in asked[:4]) and "/debug/pprof" in asked[4], asked


def an_invalid_selector_is_refused(b):
    b.capture("--work-metric", "http_requests_total{code=200}")
    b.expect(2, "option '--work-metric': expected a counter such as", runs=[])


# ---- a real service ---------------------------------------------------------------------------------------------------


def all_kinds_of_a_go_service_are_taken(b):
    """Two builds of the example, of which one is slower, under load: every kind that Go serves, with work."""
    for output, *flags in (("baseline", "."), ("canary", "-ldflags", "-X main.shippedPlant=leaf", "."),
                           ("load", "./load")):
        built = subprocess.run(["go", "build", "-o", b.place / ("given-" + output), *flags],
                               cwd=b.root / "examples/service", capture_output=True, text=True)
        assert built.returncode == 0, built.stderr
    children = []
    try:
        addresses = {}
        for side in ("baseline", "canary"):
            file = b.place / ("given-address-" + side)
            children.append(subprocess.Popen([b.place / ("given-" + side), "-addr", "127.0.0.1:0", "-addr-file", file,
                                              "-lifetime", "120s", "-mutex-fraction", "1", "-mem-rate", "4096"]))
            for _ in range(400):
                if file.exists() and file.read_text().strip():
                    break
                time.sleep(0.05)
            addresses[side] = "http://" + file.read_text().strip()
            children.append(subprocess.Popen([b.place / "given-load", "-url", addresses[side], "-rate", "800",
                                              "-duration", "100s"], stdout=subprocess.DEVNULL,
                                             env=dict(os.environ, GOMAXPROCS="1")))
        b.run("capture", "--baseline", addresses["baseline"], "--canary", addresses["canary"], "-s", 3, "-n", 1,
              "--kind", "cpu,heap,allocs,mutex,goroutine", "--work-metric", "http_requests_total", "--work-by",
              "endpoint", "-o", b.dir)
        b.expect(0, "10 runs in 1 complete round")
        assert all(("work" in r) == (r["kind"] not in ("heap", "goroutine")) for r in b.manifest()["runs"])
        b.run("check", b.dir)
        assert b.last.returncode in (0, 1, 3), b.last.stderr
        b.run("inspect", b.dir / "allocs-001-baseline.pb.gz")
        b.expect(0, "alloc_space")
    finally:
        for child in children:
            child.kill()
            child.wait()


# ---- clocks -----------------------------------------------------------------------------------------------------------


def set_clock(b, call, seconds):
    """The system's clock is set when the program reads it for the `call`-th time (clock.c)."""
    b.environment.update(LD_PRELOAD=os.environ["CLOCK_LIBRARY"], CLOCK_CALL=str(call), CLOCK_STEP=str(seconds),
                         ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")


def a_changed_clock_does_not_change_durations(b):
    """The clock is set forth or back by an hour during a capture: durations stay right, and the work is known."""
    for seconds in (3600, -3600):
        for call in (2, 3, 6, 9, 12):
            set_clock(b, call, seconds)
            assert with_work(b, "grows") == [1250, 1250], (seconds, call, b.last.stderr)
            b.expect(0)
            runs = b.manifest()["runs"]
            assert all(0 <= run["end_ms"] - run["start_ms"] < 60000 for run in runs), (seconds, call, runs)
            shutil.rmtree(b.dir)


def a_clock_set_back_before_a_slice_is_an_error(b):
    """No store is queried for a slice that is not over yet."""
    sys.path.insert(0, str(b.root / "tests/stores"))
    import stand_in
    state = stand_in.State(b.root / "fixtures")
    url = "pyroscope+" + stand_in.serve(state) + '/well?query={service_name="shop",version="%s"}'
    set_clock(b, 3, -3600)
    b.run("gate", "--baseline", url % "1.4", "--canary", url % "1.5", "-o", b.dir, "-r", "recommended", "--seconds", "1",
          "--settle", "0.2", "-t", "30s")
    b.expect(2, "the system's clock was set back while the next slice was waited for", "run the command again")
    assert not state.seen, state.seen


if __name__ == "__main__":
    scenario_main.main(globals(), Bench)
