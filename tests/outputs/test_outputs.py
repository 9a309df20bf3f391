#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No output option destroys a user's file, whatever the command line is worth.

The options come from the program's own completion script. An option that takes a path and is not in the tables below
fails the test, so a new output is tested from its first day.

usage: test_outputs.py PPROFGATE ROOT NAME      runs test_NAME
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

GATE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
FIXTURES = ROOT / "fixtures/bad"
PATIENCE = 120  # seconds that a run may take on a busy machine

# Every option with a path. An input is only read.
INPUTS = {"rules", "baseline", "canary", "work-file", "noise", "history", "symbols", "verdict", "kubeconfig", "token-file",
          "user-file", "ca-file"}
FILES = {"json": ".json", "junit": ".xml", "html": ".html", "svg": ".svg", "markdown": ".md", "gitlab-codequality": ".json",
         "sarif": ".sarif", "openmetrics": ".txt", "folded": ".folded", "speedscope": ".speedscope.json", "pprof-diff": ".pb.gz"}
OUTPUT_FILES = {"merge": ".pb.gz", "summarize": ".pgsum", "init": ".yml", "calibrate": ".yml"}  # of --output
OUTPUT_FOLDERS = {"capture", "gate", "try", "manual"}  # of --output
FOLDERS = {"report", "store", "debuginfod-cache", "cache"}
BOTH = {"ledger"}  # read, then written
FORCED = {"check", "gate", "try", "trend", "prove", "diff", "merge", "summarize", "init", "calibrate", "capture",
          "manual"}

NOBODY = "http://127.0.0.1:9"  # no server: what takes profiles fails after it has checked its command line
# Command lines whose outputs are put in front: valid, invalid, and with an input that cannot be read.
LINES = {
    "check": (["base.pb.gz", "canary.pb.gz"], ["base.pb.gz"], ["base.pb.gz", "missing.pb.gz"]),
    "diff": (["base.pb.gz", "canary.pb.gz"], ["base.pb.gz"], ["base.pb.gz", "missing.pb.gz"]),
    "trend": (["base.pb.gz", "canary.pb.gz"], [], ["missing.pb.gz"]),
    "prove": (["--draws", "1", "base.pb.gz"], [], ["missing.pb.gz"]),
    "merge": (["base.pb.gz", "canary.pb.gz"], [], ["missing.pb.gz"]),
    "summarize": (["base.pb.gz", "canary.pb.gz"], [], ["missing.pb.gz"]),
    "calibrate": (["base.pb.gz", "canary.pb.gz"], [], ["missing.pb.gz"]),
    "init": (["base.pb.gz"], [], ["missing.pb.gz"]),
    "gate": (["--baseline", NOBODY, "--canary", NOBODY + "9", "-o", "taken", "--retries", "1"], [],
             ["--baseline", NOBODY, "--canary", NOBODY + "9", "-o", "taken", "-r", "missing.yml"]),
    "try": (["HEAD"], [], ["no-such-revision"]),
}
SUCCEEDS = {"check", "diff", "trend", "prove", "merge", "summarize", "calibrate"}  # the first line alone, on files
REMOVES = {"check", "trend", "prove"}  # reports of an earlier run, where an input cannot be read

OTHERS = {
    "go": b"package main\n\nfunc main() {}\n",
    "profile": (FIXTURES / "good.pb.gz").read_bytes(),
    "json": b'{\n  "schema_version": 1,\n  "generator": "another program"\n}\n',
    "html": b'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>pprofgate</title>\n',
    "text": b"pprofgate\n",
}


def run(folder, *words):
    taken = ("GITHUB_", "GITLAB_", "CI_", "PPROFGATE_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(taken) and k != "CI"}
    env.update(PPROFGATE_BACKOFF_MS="1", XDG_CACHE_HOME=str(folder / "cache-of-user"), LC_ALL="C.UTF-8")
    return subprocess.run([str(GATE), *words], cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL)


def path_options():
    """{command: options that take a path}, from the completion script of bash."""
    script = subprocess.run([str(GATE), "completion", "bash"], capture_output=True, text=True, check=True).stdout
    found, command = {}, None
    for line in script.splitlines():
        named = re.match(r" {4,12}'?((?:[a-z]+ ?)+)'?\)$", line)
        if named:
            command = named[1]
        option = re.match(r" +--([a-z-]+)(?: \| -.)?\) words='[^']*' files=(files|folders) ;;$", line)
        if option:
            found.setdefault(command, {})[option[1]] = option[2]
    return found


def file_outputs():
    """Pairs of a command and an option that writes one file."""
    for command, options in path_options().items():
        for option in options:
            if option in FILES:
                yield command, option, FILES[option]
            elif option == "output" and command in OUTPUT_FILES:
                yield command, option, OUTPUT_FILES[command]


def prepare(folder):
    shutil.copy(FIXTURES / "good.pb.gz", folder / "base.pb.gz")
    shutil.copy(FIXTURES / "good-canary.pb.gz", folder / "canary.pb.gz")
    (folder / "rules.yml").write_text("version: 1\nbudgets: [{name: lax, limit: +60pp}]\n", encoding="utf-8")
    (folder / ".pprofgate.yml").write_text("version: 1\nextends: recommended\ntry: {preset: go-bench}\n", encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "rules.yml"], ["commit", "-q", "-m", "one"]):
        subprocess.run([*git, *words], cwd=folder, check=True, stdin=subprocess.DEVNULL)
    return folder


def contents(folder):
    """Every file below `folder` but git's, links as what they lead to."""
    return {str(path.relative_to(folder)): (os.readlink(path) if path.is_symlink() else "", path.read_bytes())
            for path in sorted(folder.rglob("*")) if path.is_file() and ".git" not in path.parts}


def refused(folder, words, names, before):
    """The command line ends with 2, names the file unless `names` is None, and all files are what they were."""
    done = run(folder, *words)
    assert done.returncode == 2, f"{words} ends with {done.returncode}: {done.stderr}"
    assert names is None or names in done.stderr, f"{words} does not name {names}: {done.stderr}"
    after = contents(folder)
    for name, what in before.items():
        assert after.get(name) == what, f"{words}: {name} is not what it was"
    return done


# ---- the tables ----------------------------------------------------------------------------------------------------------

def test_every_option_with_a_path_is_known(folder):
    options = path_options()
    assert len(options) > 10 and "json" in options["check"] and "store" in options["baseline accept"], options
    for command, taken in options.items():
        for option, kind in taken.items():
            if option == "output":
                assert command in OUTPUT_FILES and kind == "files" or command in OUTPUT_FOLDERS and kind == "folders", command
            else:
                lists = [option in INPUTS, option in FILES, option in FOLDERS, option in BOTH]
                assert sum(lists) == 1, f"{command} --{option}: is it an input or an output? add it to the tables"
    assert {command for command, _, _ in file_outputs()} == set(LINES)


def test_commands_with_outputs_take_force(folder):
    for command in path_options():
        text = subprocess.run([str(GATE), "help", *command.split()], capture_output=True, text=True, check=True).stdout
        assert ("--force" in text) == (command in FORCED), command


# ---- files ---------------------------------------------------------------------------------------------------------------

def test_a_file_of_the_user_is_kept(folder):
    prepare(folder)
    for command, option, suffix in file_outputs():
        valid, invalid, unreadable = LINES[command]
        for kind, content in OTHERS.items():
            name = f"{kind}{suffix}"
            (folder / name).write_bytes(content)
            for place in (name, "link", "hard link") if kind == "go" else (name,):
                if place == "link":
                    (folder / place).symlink_to(name)
                elif place == "hard link":
                    os.link(folder / name, folder / place)
                before = contents(folder)
                done = refused(folder, [command, f"--{option}", place, *valid], place, before)
                assert "--force" in done.stderr, done.stderr
                refused(folder, [command, f"--{option}={place}", *unreadable], None, before)
                if kind == "go":
                    refused(folder, [command, f"--{option}", place, *invalid], None, before)
                    refused(folder, [command, f"--{option}", place, "--no-such-option", *valid], None, before)
                    refused(folder, [command, "--force", f"--{option}", place, *unreadable], None, before)
                if place != name:
                    (folder / place).unlink()
            (folder / name).unlink()


def test_an_input_given_as_output_by_mistake_is_kept(folder):
    """`--html base.pb.gz canary.pb.gz`: the option takes the baseline for its file."""
    prepare(folder)
    before = contents(folder)
    for command, option, _ in file_outputs():
        for forced in ([], ["--force"]):
            words = [command, *forced, f"--{option}", "base.pb.gz"]
            refused(folder, words, None, before)
            if command in ("check", "diff"):
                done = refused(folder, [*words, "canary.pb.gz"], None, before)
                assert "canary is missing" in done.stderr, done.stderr
    for option in FILES:
        refused(folder, ["check", f"--{option}", "base.pb.gz", "canary.pb.gz"], "base.pb.gz", before)


def test_an_input_is_refused_also_with_force(folder):
    prepare(folder)
    (folder / "link").symlink_to("base.pb.gz")
    os.link(folder / "base.pb.gz", folder / "hard link")
    before = contents(folder)
    for command, option, _ in file_outputs():
        if command in ("gate", "try"):
            line, places = [*LINES[command][0], "-r", "rules.yml"], ["rules.yml"]
        else:
            line, places = LINES[command][0], ["base.pb.gz", "./base.pb.gz", "link", "hard link"]
        for place in places:
            done = refused(folder, [command, "--force", f"--{option}", place, *line], place, before)
            assert "this is an input" in done.stderr, done.stderr
    for words in (["check", "--force", "--json", "rules.yml", "-r", "rules.yml"],
                  ["check", "--force", "--json", "rules.yml", "--symbols", "rules.yml"],
                  ["check", "--force", "--json", "rules.yml", "--token-file", "rules.yml"],
                  ["check", "--force", "--json", "rules.yml", "--work-file", "rules.yml"],
                  ["check", "--force", "--json", "rules.yml", "--noise", "rules.yml"],
                  ["check", "--force", "--json", "rules.yml", "--ledger", "rules.yml"]):
        refused(folder, [*words, "base.pb.gz", "canary.pb.gz"], "rules.yml", before)


def test_own_reports_are_replaced_without_force(folder):
    prepare(folder)
    for command, option, suffix in file_outputs():
        if command not in SUCCEEDS:
            continue
        place = folder / f"own-{command}-{option}{suffix}"
        words = [command, f"--{option}", place.name, *LINES[command][0]]
        first = run(folder, *words)
        assert first.returncode in (0, 1, 3) and place.stat().st_size > 0, f"{words}: {first.stderr}"
        written, number = place.read_bytes(), place.stat().st_ino
        (folder / "other link").unlink(missing_ok=True)
        os.link(place, folder / "other link")  # keeps the inode number from being used again
        again = run(folder, *words)
        assert again.returncode == first.returncode, f"{words}: {again.stderr}"
        assert place.stat().st_ino != number and place.read_bytes() == written, words
        place.write_bytes(b"")  # an empty file may be replaced
        assert run(folder, *words).returncode == first.returncode and place.read_bytes() == written, words
        invalid = run(folder, command, f"--{option}", place.name, *LINES[command][1])
        assert invalid.returncode == 2 and place.read_bytes() == written, words
        failed = run(folder, command, f"--{option}", place.name, *LINES[command][2])
        assert failed.returncode == 2 and place.exists() != (command in REMOVES), words


def test_force_replaces(folder):
    prepare(folder)
    for command, option, suffix in file_outputs():
        if command not in SUCCEEDS | {"init"}:
            continue
        place = folder / f"mine{suffix}"
        for content in OTHERS.values():
            place.write_bytes(content)
            done = run(folder, command, "--force", f"--{option}", place.name, *LINES[command][0])
            assert done.returncode in (0, 1, 3) and place.read_bytes() != content, f"{command} --{option}: {done.stderr}"
        place.unlink()


def test_a_summary_with_another_name_is_refused(folder):
    prepare(folder)
    done = run(folder, "summarize", "-o", "runs.pb.gz", "base.pb.gz")
    assert done.returncode == 2 and not (folder / "runs.pb.gz").exists(), done.stderr
    assert "name it runs.pb.gz.pgsum" in done.stderr, done.stderr
    assert run(folder, "summarize", "-o", "runs.pgsum", "base.pb.gz").stderr == ""


def test_devices_and_standard_output_are_written_to(folder):
    prepare(folder)
    for command, option, _ in file_outputs():
        if command not in SUCCEEDS | {"init"}:
            continue
        for place in ("-", "/dev/stdout", "/dev/null", "/dev/fd/1"):
            done = subprocess.run([str(GATE), command, f"--{option}", place, *LINES[command][0]], cwd=folder,
                                  capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
            assert done.returncode in (0, 1, 3), f"{command} --{option} {place}: {done.stderr}"
            assert done.stdout or place == "/dev/null", f"{command} --{option} {place}"
        (folder / "out").write_bytes(b"mine")
        with open(folder / "out", "ab") as stream:  # the shell's `>>`
            done = subprocess.run([str(GATE), command, f"--{option}", "-", *LINES[command][0]], cwd=folder, stdout=stream,
                                  stderr=subprocess.PIPE, timeout=PATIENCE, stdin=subprocess.DEVNULL)
        assert done.returncode in (0, 1, 3) and (folder / "out").read_bytes().startswith(b"mine"), done.stderr
    os.mkfifo(folder / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=folder, stdout=subprocess.PIPE)
    done = run(folder, "check", "--json", "pipe", "base.pb.gz", "canary.pb.gz")
    read = reader.communicate(timeout=PATIENCE)[0]
    assert done.returncode in (0, 1, 3) and read.startswith(b"{"), done.stderr
    assert run(folder, "check", "--json", "pipe", "base.pb.gz", "missing.pb.gz").returncode == 2
    assert (folder / "pipe").is_fifo()


# ---- folders -------------------------------------------------------------------------------------------------------------

def test_a_report_folder_keeps_files_of_the_user(folder):
    prepare(folder)
    names = {"check": ["report.json", "junit.xml", "report.html", "flamegraph.svg", "report.md"],
             "trend": ["trend.html", "trend.json", "trend.md", "trend-junit.xml"]}
    commands = [command for command, options in path_options().items() if "report" in options]
    assert {"check", "gate", "try", "trend"} == set(commands), commands
    for command in commands:
        valid, invalid, unreadable = LINES[command]
        for name in names.get(command, names["check"]):
            for content in OTHERS.values():
                place = folder / "reports"
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                (place / name).write_bytes(content)
                (place / "notes.txt").write_bytes(b"mine")
                before = contents(folder)
                refused(folder, [command, "--report", "reports", *valid], f"reports/{name}", before)
                refused(folder, [command, "--report", "reports", *invalid], None, before)
                refused(folder, [command, "--report", "reports", *unreadable], None, before)
        (folder / "main.go").write_bytes(OTHERS["go"])
        refused(folder, [command, "--report", "main.go", *valid], "main.go", contents(folder))
    for command in names:
        shutil.rmtree(folder / "reports")
        (folder / "reports").mkdir()
        (folder / "reports/notes.txt").write_bytes(b"mine")
        for _ in range(2):
            assert run(folder, command, "--report", "reports", *LINES[command][0]).returncode in (0, 1, 3)
        assert (folder / "reports" / names[command][0]).exists()
        assert run(folder, command, "--report", "reports", *LINES[command][2]).returncode == 2
        assert os.listdir(folder / "reports") == ["notes.txt"], os.listdir(folder / "reports")
        assert (folder / "reports/notes.txt").read_bytes() == b"mine"


FOLDER_LINES = {
    ("capture", "output"): ["capture", "--baseline", NOBODY, "--canary", NOBODY + "9", "--retries", "1", "-o"],
    ("gate", "output"): ["gate", "--baseline", NOBODY, "--canary", NOBODY + "9", "--retries", "1", "-o"],
    ("try", "output"): ["try", "HEAD", "--canary", "HEAD", "-o"],
    ("try", "cache"): ["try", "no-such-revision", "--cache"],
    ("manual", "output"): ["manual", "-o"],
    ("baseline accept", "store"): ["baseline", "accept", "--service", "s", "base.pb.gz", "--store"],
}
FOLDER_NAMES = ["manifest.json", "pprofgate.1", "store.json", "cpu-001-baseline.pb.gz", "notes/mine.txt"]


def test_a_folder_of_the_user_keeps_its_files(folder):
    """Of every option that writes into a folder: the folder has files of all names that we write, or it is a file."""
    prepare(folder)
    for command, options in path_options().items():
        for option, kind in options.items():
            writes = kind == "folders" and option not in ("report", "store", "debuginfod-cache")
            if not writes and (command, option) not in FOLDER_LINES:
                continue
            words = FOLDER_LINES[command, option]  # a new option needs a row in the table
            for name in FOLDER_NAMES:
                place = folder / "mine"
                shutil.rmtree(place, ignore_errors=True)
                (place / name).parent.mkdir(parents=True)
                (place / name).write_bytes(OTHERS["json"])
                before = contents(folder)
                for forced in ([], ["--force"] if command in FORCED and command != "manual" else []):
                    run(folder, *words[:1], *forced, *words[1:], "mine")
                    after = contents(folder)
                    assert all(after.get(of) == what for of, what in before.items()), f"{words} {forced}: {name}"
            (folder / "main.go").write_bytes(OTHERS["go"])
            refused(folder, [*words, "main.go"], "main.go", contents(folder))
    for command, options in path_options().items():
        if "debuginfod-cache" in options and command in LINES:
            before = contents(folder)
            run(folder, command, "--debuginfod", "--debuginfod-cache", "main.go", *LINES[command][0])
            assert contents(folder)["main.go"] == before["main.go"], command


def test_a_manual_page_is_written_with_all_others_or_not_at_all(folder):
    (folder / "man").mkdir()
    (folder / "man/pprofgate-rules.5").write_bytes(b".TH MINE 5\n")
    refused(folder, ["manual", "-o", "man"], "man/pprofgate-rules.5", contents(folder))
    assert os.listdir(folder / "man") == ["pprofgate-rules.5"]
    for words in (["--force"], []):
        assert run(folder, "manual", "-o", "man", *words).returncode == 0


def test_a_file_that_is_not_a_ledger_is_refused(folder):
    prepare(folder)
    words = ["--change", "a", "base.pb.gz", "canary.pb.gz"]
    commands = [command for command, options in path_options().items() if "ledger" in options]
    for command in commands:
        for content in OTHERS.values():
            (folder / "mine").write_bytes(content)
            refused(folder, [command, "--ledger", "mine", *words], "mine", contents(folder))
            refused(folder, [command, "--force", "--ledger", "mine", *words], "mine", contents(folder))
        for _ in range(2):
            assert run(folder, command, "--ledger", "looks.json", *words).returncode in (0, 1, 3)


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-outputs-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder))


if __name__ == "__main__":
    main()
