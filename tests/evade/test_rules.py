#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a change can do to the rules that judge it, and what --rules-from makes of it.

usage: test_rules.py PPROFGATE ROOT NAME|all
"""
import ctypes
import json
import os
import pathlib
import platform
import random
import shutil
import struct
import subprocess
import sys
import tempfile

import pprof
import test_evade

GATE = ROOT = BEFORE = None
UNSET = (*test_evade.UNSET, "GIT_DIR", "GIT_WORK_TREE")
BASE = "version: 1\nextends: recommended\n"
OFF = BASE + """budgets:
  - {name: no function takes over, severity: warn}
  - {name: no function doubles, limit: {increase: "+900%"}, select: {not: '^(main.hot|.own code of one side only.)$'}}
  - {name: no new code takes over, severity: warn}
"""


def run(*words, status=0):
    env = {key: value for key, value in os.environ.items() if key not in UNSET}
    env.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_CEILING_DIRECTORIES="/",
               LC_ALL="C.UTF-8")
    for who in ("AUTHOR", "COMMITTER"):
        env.update({f"GIT_{who}_NAME": "t", f"GIT_{who}_EMAIL": "t@t"})
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, env=env,
                            preexec_fn=BEFORE)
    if result.returncode != status:
        sys.exit(f"{' '.join(map(str, words))}\nexpected status {status}, found {result.returncode}\n{result.stdout}"
                 f"{result.stderr}")
    return " ".join((result.stdout + result.stderr).split())


def gate(*words, status=0):
    return run(GATE, *words, status=status)


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"expected '{part}' in:\n{text}")


def refuse(text, *parts):
    for part in parts:
        if part in text:
            sys.exit(f"expected no '{part}' in:\n{text}")


def write(path, text):
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def repository(**files):
    """A checkout whose branch main has these files; two profiles beside it, of which the canary has a regression."""
    os.mkdir("repo")
    os.mkdir("profiles")
    shutil.copy(ROOT / "fixtures/captures/mix-1.cpu.pb.gz", "profiles/base.pb.gz")
    canary = pprof.Profile(ROOT / "fixtures/captures/mix-4.cpu.pb.gz")
    test_evade.plain(canary, random.Random(1))
    canary.write(pathlib.Path("profiles/canary.pb.gz"))
    os.chdir("repo")
    run("git", "init", "-q", "-b", "main")
    for name, text in files.items():
        write({"rules": ".pprofgate.yml"}.get(name, name), text)
    write("README", "a service\n")
    run("git", "add", "-A")
    run("git", "commit", "-q", "-m", "base")
    run("git", "checkout", "-q", "-b", "change")


SIDES = ("../profiles/base.pb.gz", "../profiles/canary.pb.gz")


def test_a_gate_that_is_turned_off_does_not_pass():
    """The change's own rules pass it; the base's do not, and every report names what the change edits."""
    repository(rules=BASE)
    write(".pprofgate.yml", OFF + "guards: {unseen: off}\nown: {exclude: [x]}\n")
    gate("check", *SIDES, status=0)
    report = pathlib.Path("../report")
    said = gate("check", "--rules-from", "main", "--report", report, *SIDES, status=1)
    edits = ("the change edits the rules, and those of 'main' were used",
             "budget 'no function takes over': error → warn",
             "budget 'no function doubles': limit increase +100% → +900%, 'select' changed",
             "guard 'unseen': error → off", "section 'own': changed")
    expect(said, *edits)
    warnings = json.loads((report / "report.json").read_text())["warnings"]
    message = [w["message"] for w in warnings if w["code"] == "rules_edited"][0]
    expect(message, edits[0] + ": " + edits[1] + "; ", *edits)
    for name in ("report.html", "report.md", "junit.xml"):
        expect((report / name).read_text(), "the change edits the rules")
    expect(gate("check", "--quiet", "--rules-from", "main", *SIDES, status=1), "note: " + edits[0])
    expect(gate("check", "--rules-from", "main", "--store", "../store", "--service", "x", SIDES[1], status=3),
           "note: " + edits[0], "NO BASELINE")
    run("git", "commit", "-qam", "off")
    expect(gate("check", "--rules-from", "main", *SIDES, status=1), *edits)


def test_edits_of_comments_and_texts_are_reported_as_harmless():
    repository(rules=BASE)
    refuse(gate("check", "--rules-from", "main", *SIDES, status=1), "edits the rules")
    write(".pprofgate.yml", "# more to read\n" + BASE)
    expect(gate("check", "--rules-from", "main", *SIDES, status=1), "nothing that decides (comments, layout, texts)")


def test_rules_that_the_change_adds_or_removes_are_not_used():
    """Where the base has no rules, the preset judges, and not what the change brings; and the other way round."""
    repository()
    write(".pprofgate.yml", OFF)
    expect(gate("check", "--rules-from", "main", *SIDES, status=1), "'no function takes over': error → warn",
           "the change adds a rules file, which 'main' does not have, and the built-in rules were used",
           "recommended (built in)")
    expect(gate("check", "--verbose", "--rules-from", "main", *SIDES, status=1), "no .pprofgate.yml in main")
    expect(gate("try", "--rules-from", "main", "main", status=2), "'main' has no .pprofgate.yml",
           "merge that file first, or run without '--rules-from'")
    run("git", "add", "-A")
    run("git", "commit", "-qm", "rules")
    os.remove(".pprofgate.yml")
    expect(gate("check", "--rules-from", "change", *SIDES, status=0), "'no function takes over': warn → error")


def test_rules_files_that_are_not_read_are_named():
    """A rules file that is not read is named, so that the preset's verdict is not mistaken for one by the file."""
    unread = "note: the built-in rules apply: {0} is not read, only .pprofgate.yml in the current folder is; give --rules {0}"
    repository(rules=OFF)
    os.makedirs("services/cart")
    os.chdir("services/cart")
    sides = [f"../../{side}" for side in SIDES]
    expect(gate("check", *sides, status=1), unread.format("../../.pprofgate.yml"))
    refuse(gate("check", "--rules", "../../.pprofgate.yml", *sides), "is not read")
    write(".pprofgate.yaml", OFF)
    expect(gate("check", *sides, status=1), unread.format(".pprofgate.yaml"))
    os.chdir("../../..")
    write(".pprofgate.yml", OFF)
    os.chdir("profiles")  # not in a checkout: a file in a parent folder does not belong to it
    refuse(gate("check", "base.pb.gz", "canary.pb.gz", status=1), "is not read")


def test_extended_files_are_those_of_the_revision():
    """What the rules extend is the revision's too."""
    repository(**{"ci/rules.yml": "version: 1\nextends: [recommended, sub/more.yml]\n",
                  "ci/sub/more.yml": "version: 1\nbudgets: [{name: hot, select: '^main.hot', limit: +1pp}]\n"})
    write("ci/sub/more.yml", "version: 1\nbudgets: [{name: cold, select: '^x', limit: +1pp}]\n")
    said = gate("check", "-r", "ci/rules.yml", "--rules-from", "main", *SIDES, status=1)
    expect(said, "budget 'hot': removed", "budget 'cold': new, error")
    os.chdir("ci")  # the same from a subfolder
    sides = [f"../{path}" for path in SIDES]
    expect(gate("check", "-r", "rules.yml", "--rules-from", "main", *sides, status=1), "budget 'hot': removed")
    whole = pathlib.Path.cwd() / "rules.yml"
    expect(gate("check", "-r", whole, "--rules-from", "main", *sides, status=1), "budget 'hot': removed")


def test_a_changed_noise_model_is_reported():
    repository(rules=BASE)
    runs = [ROOT / "fixtures/captures" / f"mix-{number}.cpu.pb.gz" for number in range(5, 15)]
    gate("calibrate", "-o", "noise.yml", *runs)
    run("git", "add", "-A")
    run("git", "commit", "-qm", "noise")
    run("git", "branch", "-f", "main")
    text = pathlib.Path("noise.yml").read_text()
    refuse(gate("check", "--rules-from", "main", "--noise", "noise.yml", *SIDES, status=1), "edits the rules")
    write("noise.yml", text + "\n# quieter\n")
    expect(gate("check", "--rules-from", "main", "--noise", "noise.yml", *SIDES, status=1),
           "noise model 'noise.yml' is changed")
    write(".pprofgate.yml", BASE + "own: {exclude: [x]}\n")  # two edits on one command line
    expect(gate("check", "--rules-from", "main", "--noise", "noise.yml", *SIDES, status=1),
           "section 'own': changed; noise model 'noise.yml' is changed")
    write(".pprofgate.yml", BASE)
    write("other.yml", text)
    expect(gate("check", "--rules-from", "main", "--noise", "other.yml", *SIDES, status=2),
           "revision 'main' has no such file")
    shutil.move("noise.yml", "../noise.yml")
    refuse(gate("check", "--rules-from", "main", "--noise", "../noise.yml", *SIDES, status=1), "edits the rules")


def test_rules_are_found_in_the_revision_by_their_path():
    repository(rules=BASE)
    write("../outside.yml", OFF)
    refuse(gate("check", "-r", "../outside.yml", "--rules-from", "main", *SIDES, status=0), "edits the rules")
    write("new.yml", OFF)
    expect(gate("check", "-r", "new.yml", "--rules-from", "main", *SIDES, status=2),
           "revision 'main' has no such file", "outside of the checkout")
    expect(gate("check", "--rules-from", "nowhere", *SIDES, status=2), "'--rules-from nowhere': git does not know")
    write(".pprofgate.yml", OFF)  # an absolute path through a link to the checkout is a path in it
    os.symlink(pathlib.Path.cwd(), "../way")
    way = pathlib.Path.cwd().parent / "way"
    expect(gate("check", "-r", way / ".pprofgate.yml", "--rules-from", "main", *SIDES, status=1),
           "'no function takes over': error → warn")
    refuse(gate("check", "-r", way.parent / "outside.yml", "--rules-from", "main", *SIDES), "edits the rules")
    write(".pprofgate.yml", "version: 1\nbudgets: [")
    expect(gate("check", "--rules-from", "main", *SIDES, status=1), "its '.pprofgate.yml' cannot be read")
    gate("check", *SIDES, status=2)
    os.remove(".pprofgate.yml")
    os.symlink("../outside.yml", ".pprofgate.yml")  # a link does not lead out of the revision
    expect(gate("check", "--rules-from", "main", *SIDES, status=1), "'no function takes over': error → warn")
    os.chdir("..")
    expect(gate("check", "--rules-from", "main", *(path[3:] for path in SIDES), status=2), "--rules-from main")


def test_committed_work_ledgers_and_canaries_are_refused():
    """Work, a ledger and earlier canaries that are committed are the change's, and are refused; the job's own are read.
    """
    repository(rules=BASE)
    run("git", "branch", "-f", "main")
    write("work.yml", "baseline: 1000\ncanary: 1000\n")
    os.mkdir("history")
    shutil.copy(SIDES[1], "history/1.pb.gz")
    gate("check", "--rules-from", "main", *SIDES, "--work-file", "work.yml", status=1)  # the job wrote it
    run("git", "add", "work.yml", "history")
    refused = "so that the change can edit it, and --rules-from is given"
    expect(gate("check", "--rules-from", "main", *SIDES, "--work-file", "work.yml", status=2), refused, "work.yml")
    expect(gate("check", "--rules-from", "main", *SIDES, "--history", "history", status=2), refused, "history/1.pb.gz")
    gate("check", "--rules-from", "main", *SIDES, "--ledger", "ledger.json", status=1)  # the first of several looks
    run("git", "add", "-f", "ledger.json")
    expect(gate("check", "--rules-from", "main", *SIDES, "--ledger", "ledger.json", status=2), refused, "ledger.json")


def test_committed_symbol_files_are_refused():
    """A committed symbol file could rename functions: refused. One that the job built is read."""
    repository(rules=BASE)
    run("git", "branch", "-f", "main")
    files = {"mapping.txt": "com.example.Shop -> a.a:\n", "dist/main.js.map":
             '{"version":3,"file":"main.js","sources":["a.ts"],"names":[],"mappings":"AAAA"}',
             "perf-1.map": "400000 1000 main.other\n"}
    os.mkdir("dist")
    for name, text in files.items():
        write(name, text)
        gate("check", "--rules-from", "main", *SIDES, "--symbols", name, status=1)
        run("git", "add", name)
        said = gate("check", "--rules-from", "main", *SIDES, "--symbols", name, status=2)
        expect(said, "--symbols", "so that the change can edit it, and --rules-from is given", name)
        gate("check", *SIDES, "--symbols", name, status=1)
    expect(gate("check", "--rules-from", "main", *SIDES, "--symbols", "dist", status=2), "dist/main.js.map")
    os.mkdir("cache")
    write("cache/debuginfo", "")
    run("git", "add", "cache")
    expect(gate("check", "--rules-from", "main", *SIDES, "--debuginfod", "--debuginfod-cache", "cache", status=2),
           "--debuginfod-cache", "cache/debuginfo")


def test_a_submodule_is_refused():
    """A submodule answers --rules-from by a repository that the change chooses: refused."""
    repository(rules=BASE)
    os.mkdir("../other")
    for words in (("init", "-q", "-b", "main"), ("commit", "-q", "--allow-empty", "-m", "all is allowed")):
        run("git", "-C", "../other", *words)
    other = str(pathlib.Path("../other").resolve())
    run("git", "-c", "protocol.file.allow=always", "submodule", "add", "-q", other, "service")
    run("git", "commit", "-q", "-m", "a submodule")
    os.chdir("service")
    write(".pprofgate.yml", OFF)
    said = gate("check", "--rules-from", "HEAD", *(f"../{path}" for path in SIDES), status=2)
    expect(said, "this is a submodule of", "another repository; run in")


def test_implausible_work_warns():
    """Every report warns of given work by which no function can be over its limit."""
    repository(rules=BASE)
    work = ("--work", "baseline=1000", "--work", "canary=20000")
    expect(gate("check", *SIDES, *work, status=0), "the work given for the sides differs by more than ten times")


def test_gate_takes_the_rules_of_the_base():
    """`gate` reads rules before it takes a profile, and they are those of the revision."""
    repository(rules=BASE)
    write(".pprofgate.yml", "version: 1\nbudgets: [")
    sides = ("--baseline", "http://127.0.0.1:9", "--canary", "http://127.0.0.1:9/two")
    words = ("gate", *sides, "-o", "../taken", "--seconds", "1", "--retries", "0")
    expect(gate(*words, "--rules-from", "nowhere", status=2), "'--rules-from nowhere': git does not know")
    refuse(gate(*words, "--rules-from", "main", status=2), ".pprofgate.yml:3")  # no connection
    expect(gate(*words, status=2), ".pprofgate.yml:3")


def test_try_runs_the_commands_of_the_base():
    """A change that edits the commands of `try` is tried by those of its base."""
    here = pathlib.Path.cwd()
    command = "try: {{rounds: 1, run: 'cp {0}/profiles/base.pb.gz $PPROFGATE_PROFILE; touch {0}/{1}'}}\n"
    repository(rules=BASE + command.format(here, "by-base"))
    write(".pprofgate.yml", BASE + command.format(here, "by-change"))
    os.environ["XDG_CACHE_HOME"] = str(here / "cache")
    gate("try", "--rules-from", "main", "main", status=3)  # both sides are the same capture
    del os.environ["XDG_CACHE_HOME"]
    assert (here / "by-base").exists() and not (here / "by-change").exists(), sorted(here.iterdir())


def deny_sandbox():
    """Let the kernel answer as one that has neither seccomp nor Landlock (numbers of x86-64)."""
    prctl, seccomp, landlock, set_seccomp, no_new_privileges, enosys = 157, 317, 444, 22, 38, 0x50000 | 38
    load, equal, end = 0x20, 0x15, 0x06
    rows = [(load, 0, 0, 0), (equal, 5, 0, landlock), (equal, 4, 0, seccomp), (equal, 0, 2, prctl), (load, 0, 0, 16),
            (equal, 1, 0, set_seccomp), (end, 0, 0, 0x7FFF0000), (end, 0, 0, enosys)]
    data = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *row) for row in rows))
    program = ctypes.create_string_buffer(struct.pack("<HxxxxxxQ", len(rows), ctypes.addressof(data)))
    libc = ctypes.CDLL(None)
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, 2, program, 0, 0) != 0:
        os._exit(99)


def test_without_a_sandbox_the_same_files_are_refused():  # needs: no-sanitizer
    """A kernel without a sandbox changes nothing of what --rules-from refuses."""
    global BEFORE
    if platform.machine() != "x86_64":
        return
    BEFORE = deny_sandbox
    expect(gate("version"), "no seccomp", "no Landlock")
    there = [ROOT / "fixtures/captures" / f"mix-{number}.cpu.pb.gz" for number in (1, 4)]
    expect(gate("check", "--verbose", *there), "keeps the network and programs that it does not need: seccomp: ",
           "keeps files that it does not need: Landlock: the kernel has none")
    here = pathlib.Path.cwd()
    for test in (test_a_changed_noise_model_is_reported, test_committed_work_ledgers_and_canaries_are_refused,
                 test_committed_symbol_files_are_refused):
        place = here / test.__name__
        place.mkdir()
        os.chdir(place)
        test()


def test_validate_and_explain_report_edited_rules():
    repository(rules=BASE)
    write(".pprofgate.yml", OFF)
    expect(gate("validate", "--rules-from", "main", ".pprofgate.yml"), "warning: the change edits the rules",
           "8 budgets (6 error, 2 warn)")
    expect(gate("explain", "--rules-from", "main", ".pprofgate.yml", *SIDES), "the change edits the rules")
    waiver = "budgets: [{name: no function doubles, severity: off, expires: 2199-01-01, reason: later}]\n"
    write(".pprofgate.yml", BASE + waiver)
    expect(gate("validate", "--rules-from", "main", ".pprofgate.yml"),
           "budget 'no function doubles': error → off, a waiver until 2199-01-01")


def test_extends_outside_of_the_rules_folder_is_refused():
    repository(rules=BASE)
    write("../outside.yml", BASE)
    write("rules/in.yml", BASE)
    for path in ("../outside.yml", "rules/../../outside.yml", str(pathlib.Path("../outside.yml").resolve())):
        write("rules.yml", f"version: 1\nextends: {path}\n")
        expect(gate("validate", "rules.yml", status=2), "outside of the folder of the rules file")
        expect(gate("validate", "./rules.yml", status=2), "outside of the folder of the rules file")
    write("rules.yml", "version: 1\nextends: link.yml\n")
    os.symlink("../outside.yml", "link.yml")
    expect(gate("validate", "rules.yml", status=2), "a link that leads out of the folder")
    os.remove("link.yml")
    os.symlink("rules/in.yml", "link.yml")
    for name in ("rules.yml", "./rules/../rules.yml", pathlib.Path("rules.yml").resolve()):
        gate("validate", name)


def test_rules_that_fail_nothing_are_reported():
    """Rules by which nothing can fail say so, in validate and in every report."""
    repository()
    budgets = ("no function takes over", "no function doubles", "the total does not grow")
    warn = BASE + "budgets: [" + ", ".join(f"{{name: {name}, severity: warn}}" for name in budgets) + "]\n"
    rows = {
        warn: "by these rules no function of yours can fail a run: budgets on them only warn",
        "version: 1\nbudgets: [{name: all, measure: charged, limit: +99.5pp}]\n": "has a limit that a cost could pass",
        BASE + "frames: {rename: [{match: '.*', to: x}]}\n": "'frames.rename' gives every function one name",
        BASE + "frames: {granularity: mapping}\n": "a frame is a whole binary",
        BASE + "own: {exclude: ['.']}\n": "'own.exclude' makes everything a library",
        BASE + "work: {baseline: 1, canary: 1000}\n": "differs by more than ten times",
    }
    for text, said in rows.items():
        write("rules.yml", text)
        expect(gate("validate", "rules.yml"), "warning: by these rules", said)
        words = (GATE, "check", "-r", "rules.yml", *SIDES)
        result = subprocess.run(words, capture_output=True, text=True, check=False)
        expect(" ".join((result.stdout + result.stderr).split()), said)
    write("rules.yml", BASE + "budgets: [{name: no code path grows, severity: error}]\n")
    refuse(gate("validate", "rules.yml"), "warning")


def main():
    global GATE, ROOT
    GATE, ROOT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    test_evade.ROOT = ROOT
    tests = {name[5:]: test for name, test in globals().items() if name.startswith("test_") and callable(test)}
    for name in tests if sys.argv[3] == "all" else sys.argv[3:]:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            tests[name]()
            os.chdir("/")


if __name__ == "__main__":
    main()
