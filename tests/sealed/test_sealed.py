#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each command can still do, tried from inside of it whenever it opens a file or writes.

usage: test_sealed.py PROGRAM LIBRARY ROOT NAME|all

LIBRARY (calls.c) is preloaded. A command line that needs neither network nor programs is denied both from its first file
on; one that needs git is denied programs from the first profile on; one that needs servers may use sockets and starts
nothing. Each of them is denied other processes and other files as well.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "stores"))
import store_test  # noqa: E402

PROGRAM = LIBRARY = CPU = VICTIM = None
DENIED = (errno.EPERM, errno.EACCES, errno.EROFS)  # the last: a root whose /proc is mounted to be read only
CALLS = ("socket", "execve", "io_uring", "signal", "environ", "memory", "append", "make", "program", "chmod", "secret")
Note = collections.namedtuple("Note", ("what", "subject", *CALLS))
FILES, NETWORK, OPEN = "neither", "network alone", "both"


def place():
    """The folder that a run has no business in: it is no output, and no word names it."""
    folder = pathlib.Path(os.environ["GATE_SEALED_PLACE"])
    folder.mkdir(exist_ok=True)
    for name in ("env", "plain", "secret"):
        (folder / name).write_text("as it was\n")
        (folder / name).chmod(0o644)
    return folder


def preloaded():
    """Environment variables for the preloaded library. Notes of an earlier run are removed."""
    notes = pathlib.Path("notes").resolve()
    notes.unlink(missing_ok=True)
    return {"LD_PRELOAD": str(LIBRARY), "GATE_SEALED_NOTES": str(notes), "GATE_SEALED_PLACE": str(place()),
            "GATE_SEALED_REPORT": str(pathlib.Path("out").resolve()), "GATE_SEALED_VICTIM": str(VICTIM.pid)}


def read_notes():
    lines = pathlib.Path("notes").read_text().splitlines() if pathlib.Path("notes").exists() else []
    found = [re.fullmatch(r"(\w+) (.*)" + "".join(rf" {call}:(\d+)" for call in CALLS), line) for line in lines]
    assert all(found), lines
    return [Note(m[1], m[2], *map(int, m.groups()[2:])) for m in found]


def run(*words, status=0, environment=None):
    mine = {"PATH": os.environ["PATH"], "HOME": os.getcwd(), "GIT_CONFIG_GLOBAL": "/dev/null"} | (environment or {})
    done = subprocess.run([PROGRAM, *map(str, words)], env=mine | preloaded(), stdin=subprocess.DEVNULL,
                          capture_output=True, check=False, timeout=60)
    assert done.returncode == status, (words, done.returncode, done.stderr.decode())
    return done.stdout.decode(), read_notes()


def run_with_servers(words_of, status=0):
    """Run a command whose words depend on the stand-in of tests/stores, which serves profiles and a cluster."""
    bench = store_test.Bench(PROGRAM, CPU.parent.parent.parent)
    bench.environment |= preloaded()
    bench.run(*words_of(bench))
    bench.expect(status)
    return read_notes()


def expect_confined(notes, reads_all=False):
    """Other processes, and files that are none of the run's, in each note. If `reads_all`, only writing is denied."""
    kept = "program" if pathlib.Path("out").is_dir() else None  # a folder that is there; else there is no such file
    notes = list(notes)
    assert notes
    for note in notes:
        for call in ("signal", "environ", "memory", "append", "make", "chmod", None if reads_all else "secret", kept):
            assert call is None or getattr(note, call) in DENIED, (call, note)
        assert not reads_all or note.secret == 0, note


def state(note):
    denied = [number == errno.EPERM for number in (note.socket, note.execve)]
    return {(True, True): FILES, (False, True): NETWORK, (False, False): OPEN}[tuple(denied)]


def of_profiles(notes):
    found = [state(note) for note in notes if note.what == "open" and note.subject.endswith(".pb.gz")]
    assert found, notes
    return found


def expect_sandbox():
    said, notes = run("version")
    assert re.search(r"^sandbox: +seccomp .*, Landlock version \d+ \(files", said, re.M), said
    assert notes, "the preloaded library is not called: the program is linked to a C library of its own"


def git(*words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *words], check=True,
                   env=os.environ | {"GIT_CONFIG_GLOBAL": "/dev/null"}, stdout=subprocess.DEVNULL)


def checkout():
    git("init", "--quiet", ".")
    pathlib.Path(".pprofgate.yml").write_text("version: 1\nextends: recommended\n")
    git("add", ".pprofgate.yml")
    git("commit", "--quiet", "-m", "rules")


def test_commands_on_files_are_sealed_from_the_start():
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
        expect_confined(notes)


def test_init_and_trend_are_sealed():
    runs = sorted(CPU.glob("baseline-*.pb.gz"))
    for words in (["init", "--force", "-o", "rules.yml", *runs[:3]], ["trend", *runs[:4]]):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, check=False)
        _, notes = run(*words, status=done.returncode)
        assert set(of_profiles(notes)) == {FILES}, (words, notes)
        expect_confined(notes)


def test_only_outputs_are_written():
    """The report folder can be written, as can the files of the runner that the program appends to. The one beside them,
    which later steps obey, cannot, nor can a program be made in the report folder."""
    runner = place()
    files = {name: runner / name.lower() for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV")}
    files["GITHUB_ENV"] = runner / "env"
    files["GITHUB_STEP_SUMMARY"].write_text("earlier\n")
    _, notes = run("check", "--report", "out", CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz", status=1,
                   environment={name: str(file) for name, file in files.items()} | {"GITHUB_ACTIONS": "true"})
    notes = [note for note in notes if note.what == "write" or not note.subject.startswith(str(runner))]
    expect_confined(notes)
    assert {note.program for note in notes} == {errno.EPERM}, notes
    assert "verdict=fail" in files["GITHUB_OUTPUT"].read_text()
    assert files["GITHUB_STEP_SUMMARY"].read_text().startswith("earlier\n") and len(
        files["GITHUB_STEP_SUMMARY"].read_text()) > 100
    assert (runner / "env").read_text() == "as it was\n"
    assert sorted(os.listdir("out")) == ["flamegraph.svg", "junit.xml", "report.html", "report.json", "report.md"]


def test_a_report_folder_without_reports_is_removed():
    """The folder of an output is made before the sandbox is entered, and removed if nothing came of the run."""
    run("check", "--report", "new/er", CPU / "baseline-1.pb.gz", "nothing.pb.gz", status=2)
    assert not os.path.exists("new")


def test_linked_and_neighbouring_files_are_read():
    """Inputs are reached by links, and files are found beside those that are named."""
    away = pathlib.Path(os.environ["GATE_SEALED_PLACE"]).parent / "away"
    (away / "rules").mkdir(parents=True)
    (away / "rules" / "base.yml").write_text("version: 1\nextends: recommended\n")
    (away / "rules" / "mine.yml").write_text("version: 1\nextends: base.yml\n")
    for name in ("baseline-1.pb.gz", "regression-1.pb.gz"):
        (away / name).write_bytes((CPU / name).read_bytes())
    for side in ("baseline", "regression"):
        os.mkdir(side)
        os.symlink(away / f"{side}-1.pb.gz", f"{side}/run.pb.gz")
    run("check", "-r", away / "rules/mine.yml", "--json", away / "out.json", "baseline", "regression", status=1)
    run("check", "-r", away / "rules/mine.yml", f"--json={away}/out.json", "--pair",
        f"cpu={away}/baseline-1.pb.gz,{away}/regression-1.pb.gz", status=1)
    os.symlink(away / "linked.json", "link.json")
    run("check", "--json", "link.json", away / "baseline-1.pb.gz", away / "regression-1.pb.gz", status=1)
    assert (away / "linked.json").stat().st_size > 1000


def test_git_runs_only_before_profiles_are_read():
    """Git can be run at first; once profiles are read, no program can be started."""
    checkout()
    run("check", "--rules-from", "HEAD", CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz", status=1)
    _, notes = run("explain", "--rules-from", "HEAD", ".pprofgate.yml", CPU / "baseline-1.pb.gz",
                   CPU / "regression-1.pb.gz")
    assert set(of_profiles(notes)) == {FILES}, notes
    expect_confined(note for note in notes if note.subject.endswith(".pb.gz"))
    said, _ = run("validate", "--rules-from", "HEAD", ".pprofgate.yml")
    assert said


def test_a_sealed_command_uses_a_store_of_baselines():
    checkout()
    words = ("--store", "store", "--service", "shop")
    _, notes = run("baseline", "accept", *words, CPU / "baseline-1.pb.gz")
    assert state(notes[-1]) == FILES, notes
    _, notes = run("check", *words, CPU / "regression-1.pb.gz", status=1)
    assert state(notes[-1]) == FILES, notes
    for command in ("list", "show"):
        _, notes = run("baseline", command, *words)
        assert {state(note) for note in notes} == {FILES}, notes
        expect_confined(notes)


class Profile(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = (CPU / "baseline-1.pb.gz").read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def test_a_command_with_a_ledger_may_read_any_file():
    """A ledger may name profiles anywhere, so that only writing is limited."""
    _, notes = run("check", "--ledger", "ledger.json", CPU / "baseline-1.pb.gz", CPU / "regression-1.pb.gz", status=1)
    assert set(of_profiles(notes)) == {FILES}, notes
    expect_confined((note for note in notes if note.subject.endswith(".pb.gz")), reads_all=True)


def test_a_link_out_of_the_store_is_not_read():
    """A profile of a store that is a link to a file that no word names."""
    away = pathlib.Path(os.environ["GATE_SEALED_PLACE"]).parent / "away"
    away.mkdir()
    words = ("--store", "store", "--service", "shop")
    run("baseline", "accept", *words, "--revision", "1" * 40, CPU / "baseline-1.pb.gz")
    kept = next(path for path in pathlib.Path("store").rglob("*") if path.stat().st_size > 10000)
    kept.rename(away / "kept")
    kept.symlink_to(away / "kept")
    done = subprocess.run([PROGRAM, "check", *words, CPU / "regression-1.pb.gz"], capture_output=True, check=False)
    assert done.returncode == 2 and b"Permission denied" in done.stderr, done


def test_the_network_is_blocked_before_profiles_are_read():  # needs: libcurl
    """The network is given up between the answers of a store and the first profile."""
    base = CPU.parent.parent / "captures/mix-1.cpu.pb.gz"
    window = f"&from={store_test.START}&to={store_test.START + store_test.MINUTE}"
    for status, *command in ((3, "check", "-r", "recommended", base), (0, "merge", "-o", "sum.pb.gz", base)):
        notes = run_with_servers(lambda b: (*command, b.url("1.5", more=window)), status)
        assert state(notes[0]) == NETWORK and set(of_profiles(notes)) == {FILES}, notes
        expect_confined(notes)


def test_no_program_runs_after_the_kubeconfigs_command():  # needs: libcurl
    """The command of a kubeconfig is run, and no program after that. Certificates may be anywhere."""
    def words(b):
        user = store_test.helper(b, {"token": store_test.stand_in.TOKEN})
        return ("capture", "--baseline", store_test.PODS % "1.4", "--canary", store_test.PODS % "1.5", "-s", 1, "-n", 1,
                "-o", b.dir, "--kubeconfig", store_test.kubeconfig(b, user=user))
    notes = run_with_servers(words)
    assert state(notes[0]) == OPEN and state(notes[-1]) == NETWORK, notes
    expect_confined(notes[-1:], reads_all=True)


def test_a_capture_uses_sockets_and_starts_nothing():  # needs: libcurl
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
    expect_confined(notes)


def test_debuginfod_allows_the_network_but_no_programs():
    """With --debuginfod the network stays, and programs do not."""
    _, notes = run("inspect", "--debuginfod", CPU / "baseline-1.pb.gz",
                   environment={"DEBUGINFOD_URLS": "http://127.0.0.1:1"})
    assert set(of_profiles(notes)) == {NETWORK}, notes
    expect_confined(notes)


def test_programs_of_try_inherit_no_sandbox():
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
    global PROGRAM, LIBRARY, CPU, VICTIM
    PROGRAM, LIBRARY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    CPU = pathlib.Path(sys.argv[3]).resolve() / "fixtures/go-service/cpu"
    wanted = sys.argv[4]
    for name, test in list(globals().items()):
        if name.startswith("test_") and wanted in ("all", name[5:]):
            with tempfile.TemporaryDirectory(prefix="sealed-") as folder, subprocess.Popen(["sleep", "600"]) as VICTIM:
                os.environ["GATE_SEALED_PLACE"] = folder + "/place"
                os.mkdir(folder + "/work")
                os.chdir(folder + "/work")
                try:
                    expect_sandbox()
                    test()
                finally:
                    VICTIM.kill()
                os.chdir("/")
                print("ok " + name[5:])


if __name__ == "__main__":
    main()
