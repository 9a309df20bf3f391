#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each command can do of network and programs, tried from inside of it whenever it opens a file or writes.

usage: test_sealed.py PROGRAM LIBRARY ROOT NAME|all

LIBRARY (calls.c) is preloaded. A command line that needs neither is denied both from its first file on; one that asks
git is denied programs from the first profile on; one that asks servers may use sockets and starts nothing.
"""
import collections
import errno
import http.server
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

PROGRAM = LIBRARY = CPU = None
Note = collections.namedtuple("Note", "what subject socket execve io_uring")
FILES, NETWORK, OPEN = "neither", "network alone", "both"


def run(*words, status=0, environment=None, preloaded=True):
    notes = pathlib.Path("notes").resolve()
    notes.unlink(missing_ok=True)
    mine = {"PATH": os.environ["PATH"], "HOME": os.getcwd(), "GIT_CONFIG_GLOBAL": "/dev/null"} | (environment or {})
    if preloaded:
        mine |= {"LD_PRELOAD": str(LIBRARY), "GATE_SEALED_NOTES": str(notes)}
    done = subprocess.run([PROGRAM, *map(str, words)], env=mine, stdin=subprocess.DEVNULL, capture_output=True,
                          check=False, timeout=60)
    assert done.returncode == status, (words, done.returncode, done.stderr.decode())
    lines = notes.read_text().splitlines() if notes.exists() else []
    found = [re.fullmatch(r"(\w+) (.*) socket:(\d+) execve:(\d+) io_uring:(\d+)", line) for line in lines]
    return done.stdout.decode(), [Note(m[1], m[2], *map(int, m.groups()[2:])) for m in found]


def state(note):
    denied = [number == errno.EPERM for number in (note.socket, note.execve)]
    return {(True, True): FILES, (False, True): NETWORK, (False, False): OPEN}[tuple(denied)]


def of_profiles(notes):
    found = [state(note) for note in notes if note.what == "open" and note.subject.endswith(".pb.gz")]
    assert found, notes
    return found


def expect_sandbox():
    said, notes = run("version")
    assert re.search(r"^sandbox: +yes", said, re.M), said
    assert notes, "the preloaded library is not called: the program is linked to a C library of its own"


def git(*words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True,
                   env=os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null"}, stdout=subprocess.DEVNULL)


def checkout():
    git("init", "--quiet", ".")
    pathlib.Path(".pprofgate.yml").write_text("version: 1\nextends: recommended\n")
    git("add", ".pprofgate.yml")
    git("commit", "--quiet", "-m", "rules")


def test_files_alone():
    """Every command that works on files: from the first file or word on, and for all of it."""
    base, canary = CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz"
    lines = [
        (1, "check", "--report", "out", base, canary), (0, "diff", base, canary), (0, "inspect", base),
        (0, "merge", "-o", "sum.pb.gz", base, CPU / "baseline-2.pb.gz"),
        (0, "explain", "recommended", base, canary),
        (0, "calibrate", "-o", "noise.yml", *(CPU / f"baseline-{i}.pb.gz" for i in (1, 2, 3))),
        (0, "prove", "--draws", "2", "--frame", "main.priceRound", base, CPU / "baseline-2.pb.gz"),
        (0, "validate", "recommended"), (0, "version"),
        (0, "completion", "bash"), (0, "manual", "check"),
    ]
    for status, *words in lines:
        _, notes = run(*words, status=status)
        assert notes and {state(note) for note in notes} == {FILES}, (words, notes)
        assert {note.io_uring for note in notes} == {errno.EPERM}, notes


def test_init_and_trend():
    runs = sorted(CPU.glob("baseline-*.pb.gz"))
    for words in (["init", "--force", "-o", "rules.yml", *runs[:3]], ["trend", *runs[:4]]):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, check=False)
        _, notes = run(*words, status=done.returncode)
        assert set(of_profiles(notes)) == {FILES}, (words, notes)


def test_rules_of_a_revision():
    """Git is asked; and from the first profile on nothing can be started."""
    checkout()
    run("check", "--rules-from", "HEAD", CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz", status=1)
    _, notes = run("explain", "--rules-from", "HEAD", ".pprofgate.yml", CPU / "baseline-1.pb.gz",
                   CPU / "regression-1.pb.gz")
    assert set(of_profiles(notes)) == {FILES}, notes
    said, _ = run("validate", "--rules-from", "HEAD", ".pprofgate.yml")
    assert said


def test_a_store_of_baselines():
    checkout()
    words = ("--store", "store", "--service", "shop")
    _, notes = run("baseline", "accept", *words, CPU / "baseline-1.pb.gz")
    assert state(notes[-1]) == FILES, notes
    _, notes = run("check", *words, CPU / "regression-1.pb.gz", status=1)
    assert state(notes[-1]) == FILES, notes
    for command in ("list", "show"):
        _, notes = run("baseline", command, *words)
        assert {state(note) for note in notes} == {FILES}, notes


class Profile(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (CPU / "baseline-1.pb.gz").read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def test_what_asks_servers():  # needs: libcurl
    """A capture uses sockets, and could start nothing."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Profile) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        try:
            _, notes = run("capture", "--baseline", address, "--canary", address.replace("127.0.0.1", "localhost"),
                           "--runs", "1", "--seconds", "1", "-o", "taken")
        finally:
            server.shutdown()
    assert notes and {state(note) for note in notes} == {NETWORK}, notes


def test_names_from_servers():
    """With --debuginfod the network stays, and programs do not."""
    _, notes = run("inspect", "--debuginfod", CPU / "baseline-1.pb.gz",
                   environment={"DEBUGINFOD_URLS": "http://127.0.0.1:1"})
    assert set(of_profiles(notes)) == {NETWORK}, notes


def test_a_command_that_runs_programs():
    """What `try` starts inherits nothing: it may use the network and gain rights, as from a shell."""
    status = pathlib.Path("status").resolve()
    git("init", "--quiet", ".")
    pathlib.Path(".pprofgate.yml").write_text(
        "version: 1\nextends: recommended\ntry:\n"
        f"  run: cat /proc/self/status > {status}; cp {CPU / 'baseline-1.pb.gz'} $PPROFGATE_PROFILE\n")
    git("add", ".pprofgate.yml")
    git("commit", "--quiet", "-m", "rules")
    subprocess.run([PROGRAM, "try", "HEAD", "--rounds", "1"], capture_output=True, check=False, timeout=100)
    of_try, of_shell = ([re.search(rf"^{key}:\s*(\d+)", text, re.M)[1] for key in ("NoNewPrivs", "Seccomp")]
                        for text in (status.read_text(), pathlib.Path("/proc/self/status").read_text()))
    assert of_try == of_shell, (of_try, of_shell)


def main():
    global PROGRAM, LIBRARY, CPU
    PROGRAM, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    CPU = pathlib.Path(sys.argv[3]).resolve() / "fixtures/go-service/cpu"
    wanted = sys.argv[4]
    for name, test in list(globals().items()):
        if name.startswith("test_") and wanted in ("all", name[5:]):
            with tempfile.TemporaryDirectory(prefix="sealed-") as place:
                os.chdir(place)
                expect_sandbox()
                test()
                os.chdir("/")
                print("ok " + name[5:])


if __name__ == "__main__":
    main()
