#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command line at hand: help and its examples, manual pages, completions, outputs of a step, patterns, hints.

usage: test_hand.py PPROFGATE ROOT NAME      runs test_NAME
"""
import gzip
import concurrent.futures
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import textwrap

PATIENCE = 240  # seconds that anything may take on a busy machine
GATE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
CPU = ROOT / "fixtures/go-service/cpu"
SHOULD_PASS = ["--on-inconclusive=pass", str(CPU / "baseline-1.pb.gz"), str(CPU / "benign-1.pb.gz")]
SHOULD_FAIL = [str(CPU / "baseline-1.pb.gz"), str(CPU / "regression-1.pb.gz")]


def environment(**changes):
    """A shell's, with the program on its path, and nothing of the CI that runs this."""
    taken = ("GITHUB_", "GITLAB_", "CI_", "PPROFGATE_")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(taken) and k not in ("CI", "NO_COLOR", "CLICOLOR_FORCE")}
    return {**kept, "PATH": f"{GATE.parent}:{kept['PATH']}", "LC_ALL": "C.UTF-8", **changes}


def run(*words, cwd=None, expect=None, **changes):
    done = subprocess.run(words, cwd=cwd, env=environment(**changes), capture_output=True, text=True, timeout=PATIENCE,
                          stdin=subprocess.DEVNULL)
    if expect is not None:
        assert done.returncode == expect, f"{words} ends with {done.returncode}, not {expect}\n{done.stdout}\n{done.stderr}"
    return done


def gate(*words, **more):
    return run(str(GATE), *words, **more)


def commands(*group):
    """The commands that help lists, those of groups in their place."""
    text = gate("help", *group, expect=0).stdout
    found = []
    for name in re.findall(r"^  ([a-z]+) +[a-z]", text.split("\n  pprofgate help")[0], re.M):
        if name == "pprofgate":
            continue
        words = [*group, name]
        inner = gate("help", *words, expect=0).stdout
        found += commands(*words) if "\nCommands:\n" in inner else [words]
    return found


# ---- help and version --------------------------------------------------------------------------------------------------

def test_each_command_has_help(folder):
    listed = commands()
    assert ["check"] in listed and ["baseline", "accept"] in listed and len(listed) > 15, listed
    for words in listed:
        of_help = gate("help", *words, expect=0).stdout
        assert of_help == gate(*words, "--help", expect=0).stdout, words
        assert "--color WHEN" in of_help, f"{words}: {of_help}"
        head = of_help.split("\n\n")[1]
        assert head.startswith("Examples:\n") and head.count("\n  # ") >= 2, f"{words} begins with two examples: {of_help}"
    groups = re.findall(r"^(\w+):\n  ", gate("help", expect=0).stdout, re.M)
    assert groups == ["Gate", "Profiles", "Baselines", "Rules", "Program"], groups
    assert "--max-steps" not in gate("help", "check", expect=0).stdout
    assert "--max-steps" in gate("help", "check", "--all", expect=0).stdout
    assert "did you mean 'check'" in gate("help", "chekc", expect=2).stderr
    assert "did you mean 'accept'" in gate("baseline", "help", "acept", expect=2).stderr


def test_version_prints_the_version(folder):
    short = gate("--version", expect=0).stdout
    assert re.fullmatch(r"pprofgate \d+\.\d+\.\d+\n", short), short
    long = gate("version", expect=0).stdout
    assert long.startswith(short) and "\ncaptures: " in long and " pprof," in long and " recommended," in long, long
    gate("version", "again", expect=2)


def test_the_build_id_is_that_of_the_file(folder):
    """`version` and every JSON report contain the build id of the file, as readelf shows it."""
    told = re.search(r"^build:    ([0-9a-f]+)$", gate("version", expect=0).stdout, re.M)[1]
    gate("check", "--json", str(folder / "check.json"), *SHOULD_FAIL, expect=1)
    gate("diff", "--json", str(folder / "diff.json"), *SHOULD_FAIL, expect=0)
    for name in ("check", "diff"):
        assert json.loads((folder / f"{name}.json").read_text())["generator_build"] == told, name
    notes = run("readelf", "-n", str(GATE), expect=0).stdout
    assert f"Build ID: {told}\n" in notes, notes


# ---- examples ----------------------------------------------------------------------------------------------------------

def examples():
    for words in commands():
        text = gate("help", *words, expect=0).stdout.split("\nExamples:\n")[1].split("\n\n")[0]
        lines = [line[2:] for line in text.splitlines()]
        for what, line in zip(lines[::2], lines[1::2], strict=True):
            assert what.startswith("# "), f"{words}: {what}"
            yield words, line


def prepare(folder):
    """What the examples name."""
    for name, source in (("baseline", "baseline-1"), ("canary", "regression-1"), ("base-1", "baseline-1"), ("base-2", "baseline-2"),
                         ("canary-1", "regression-1"), ("canary-2", "regression-2")):
        shutil.copy(CPU / f"{source}.pb.gz", folder / f"{name}.pb.gz")
    (folder / "good-runs").mkdir()
    for name in ("baseline-1", "baseline-2", "baseline-3"):
        shutil.copy(CPU / f"{name}.pb.gz", folder / "good-runs")
    shutil.copytree(ROOT / "fixtures/taken/counted", folder / "profiles")
    for profile in sorted((ROOT / "fixtures/trend/leaking").glob("*.pb.gz")):
        shutil.copy(profile, folder / f"leak-{profile.name}")
    (folder / "rules.yml").write_text("version: 1\nextends: recommended\n", encoding="utf-8")
    for command in ("git init -q -b main", "git config user.name t", "git config user.email t@localhost",
                    "git commit -q --allow-empty -m one", "git tag v1.4.0"):
        run(*command.split(), cwd=folder, expect=0, GIT_CONFIG_GLOBAL="/dev/null")
    gate("check", "--report", "out", "baseline.pb.gz", "canary.pb.gz", cwd=folder, expect=1)
    gate("baseline", "accept", "--store", "baselines", "--service", "shop", "baseline.pb.gz", cwd=folder, expect=0)


def prepare_repository(folder):
    """Three commits, of which the last costs more, for `try`: a profile is a few lines of text, no two the same."""
    folder.mkdir()
    (folder / "work.py").write_text(textwrap.dedent("""\
        import os, random, time
        draw = random.Random(time.time_ns())
        shares = {"main;parse": 30, "main;price": 20 if not os.path.exists("slow") else 60, "main;write": 50}
        counts = dict.fromkeys(shares, 0)
        for _ in range(4000):
            counts[draw.choices(list(shares), list(shares.values()))[0]] += 1
        with open(os.environ["PPROFGATE_PROFILE"], "w") as out:
            out.writelines(f"{stack} {count}\\n" for stack, count in counts.items())
        """), encoding="utf-8")
    (folder / ".pprofgate.yml").write_text("version: 1\nextends: recommended\ntry: {run: python3 work.py, rounds: 4}\n",
                                           encoding="utf-8")
    for command in ("git init -q -b main", "git config user.name t", "git config user.email t@localhost", "git add -A",
                    "git commit -qm one", "touch other", "git add -A", "git commit -qm two", "touch slow", "git add -A",
                    "git commit -qm three", "touch more"):
        run(*command.split(), cwd=folder, expect=0, GIT_CONFIG_GLOBAL="/dev/null")


def run_example(line, folder, **changes):
    return run("bash", "-c", line, cwd=folder, XDG_CACHE_HOME=str(folder / "cache"), **changes)


def test_examples_of_the_help_run(folder):
    prepare(folder)
    prepare_repository(folder / "repository")
    ran = 0
    # Runs accepted by other examples must not be the baseline of the example of check.
    for words, line in sorted(examples(), key=lambda example: example[0] != ["check"]):
        is_network = "http" in line
        if words == ["calibrate"] and "-o noise.yml" in line:
            line = f"{line} 2>&1"
        if "| man -l" in line:
            line = line.replace("| man -l -", "| grep -q PPROFGATE")
        ports = iter("12345")  # no server listens on this port
        line = line.replace("--seconds 120", "--seconds 1")  # the command waits for a slice of a store
        line = re.sub(r"https?://[a-z0-9.:]+", lambda m: f"{m[0].split(':')[0]}://127.0.0.1:{next(ports)}", line)
        place = folder / ("repository" if words == ["try"] else f"network-{ran}" if is_network else ".")
        place.mkdir(exist_ok=True)
        done = run_example(line, place, TOKEN="secret", PPROFGATE_BACKOFF_MS="1")
        said = f"{line}\nends with {done.returncode}\n{done.stdout}\n{done.stderr}"
        if is_network:  # everything else was right
            assert done.returncode == 2 and re.search("no connection|built without libcurl", done.stderr), said
        else:
            assert done.returncode in (0, 1, 3), said
        ran += 1
    assert ran > 30, ran


# ---- manual pages ------------------------------------------------------------------------------------------------------

def test_each_command_has_a_manual_page(folder):  # needs: mandoc
    gate("manual", "-o", "a/man1", cwd=folder, expect=0)
    pages = sorted(path.name for path in (folder / "a/man1").iterdir())
    assert pages == sorted(["pprofgate.1", "pprofgate-rules.5", *("-".join(["pprofgate", *words]) + ".1" for words in commands())]), pages
    assert gate("manual", "baseline", "accept", expect=0).stdout == (folder / "a/man1/pprofgate-baseline-accept.1").read_text()
    assert "pages; name one of them" in gate("manual", "baseline", expect=2).stderr
    gate("manual", "nothing", expect=2)
    for page in (folder / "a/man1").iterdir():
        for line in page.read_text(encoding="utf-8").splitlines():  # no bold or slanted text runs on
            fonts = re.findall(r"\\f([BIR])", line)
            assert fonts.count("B") + fonts.count("I") == fonts.count("R"), (page, line)
        said = run("mandoc", "-T", "lint", "-W", "warning", str(page)).stdout.splitlines()
        said = [line for line in said if "missing date" not in line]  # equal sources make equal pages
        assert not said, said
        text = run("mandoc", "-T", "utf8", str(page), expect=0).stdout
        text = re.sub(".\b", "", text)
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION"):
            assert f"\n{heading}\n" in text, (page, heading)
    text = re.sub(".\b", "", run("mandoc", "-T", "utf8", str(folder / "a/man1/pprofgate.1"), expect=0).stdout)
    assert re.search(r"\n +NO_COLOR\s+no colour, unless --color=always is given\n", text), text
    text = re.sub(".\b", "", run("mandoc", "-T", "utf8", str(folder / "a/man1/pprofgate-check.1"), expect=0).stdout)
    rules = re.sub(".\b", "", run("mandoc", "-T", "utf8", str(folder / "a/man1/pprofgate-rules.5"), expect=0).stdout)
    assert gate("manual", "rules", expect=0).stdout == (folder / "a/man1/pprofgate-rules.5").read_text()
    for key in re.findall(r"^\| `([a-z_.*\[\]]+)` \|", (ROOT / "rules/README.md").read_text(encoding="utf-8"), re.M):
        assert f"\n       {key}" in rules, key
    for wanted in ("COMING FROM ANOTHER TOOL", "version: 1\n", "must_match"):
        assert wanted in rules, (wanted, rules)
    for wanted in ("-r, --rules FILE", "EXIT STATUS", "EXAMPLES", "pprofgate check baseline.pb.gz canary.pb.gz"):
        assert wanted in text, text


def test_groff_accepts_each_manual_page(folder):  # needs: groff
    gate("manual", "-o", ".", cwd=folder, expect=0)
    for page in folder.iterdir():
        done = run("groff", "-man", "-Tutf8", "-ww", "-b", "-z", str(page), expect=0)
        assert done.stderr == "", (page, done.stderr)


# ---- completions -------------------------------------------------------------------------------------------------------

BASH = r"""
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_pprofgate
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(script, folder, *words):
    done = run("bash", "--norc", "-c", BASH, "bash", str(script), "pprofgate", *words, cwd=folder, expect=0)
    assert done.stderr == "", done.stderr
    return set(done.stdout.split("\n")) - {""}


def test_bash_completes_words_and_files(folder):
    script = folder / "pprofgate.bash"
    script.write_text(gate("completion", "bash", expect=0).stdout, encoding="utf-8")
    (folder / "some profile.pb.gz").touch()
    (folder / "a-folder").mkdir()
    assert {"check", "baseline", "help"} <= bash(script, folder, "")
    assert bash(script, folder, "che") == {"check"}
    assert bash(script, folder, "help", "che") == {"check"}
    assert bash(script, folder, "baseline", "") == {"accept", "list", "show", "prune"}
    assert "--reason" in bash(script, folder, "baseline", "accept", "--")
    assert bash(script, folder, "check", "--on-inc") == {"--on-inconclusive"}
    assert bash(script, folder, "check", "--on-inconclusive", "") == {"pass", "warn", "fail", "inconclusive"}
    assert bash(script, folder, "check", "--on-inconclusive", "=", "pa") == {"pass"}
    assert bash(script, folder, "check", "--on-inconclusive", "=") == {"pass", "warn", "fail", "inconclusive"}
    assert bash(script, folder, "check", "-r", "str") == {"strict"}
    assert bash(script, folder, "check", "so") == {"some profile.pb.gz"}
    assert bash(script, folder, "check", "--report", "") == {"a-folder"}
    assert "heap" in bash(script, folder, "capture", "-k", "")
    assert bash(script, folder, "completion", "") == {"bash", "zsh", "fish"}
    for words in commands():
        listed = bash(script, folder, *words, "--")
        told = set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", gate("help", *words, "--all", expect=0).stdout, re.M))
        assert listed == told and told, (words, listed ^ told)


def test_shellcheck_accepts_the_bash_completion(folder):  # needs: shellcheck
    script = folder / "pprofgate.bash"
    script.write_text(gate("completion", "bash", expect=0).stdout, encoding="utf-8")
    run("shellcheck", "-s", "bash", str(script), expect=0)


def fish(script, folder, *lines):
    """For each command line the words that are offered, without their descriptions."""
    program = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo =; end"
    done = run("fish", "--no-config", "-c", program, str(script), *lines, cwd=folder, expect=0, HOME=str(folder))
    assert done.stderr == "", done.stderr
    parts = re.split(r"(?m)^=$", done.stdout)[:-1]
    return [{line.split("\t")[0] for line in part.splitlines() if line} for part in parts]


def test_fish_completes_words(folder):  # needs: fish
    script = folder / "pprofgate.fish"
    script.write_text(gate("completion", "fish", expect=0).stdout, encoding="utf-8")
    run("fish", "--no-config", "-n", str(script), expect=0)
    (folder / "some-profile.pb.gz").touch()
    (folder / "some-folder").mkdir()
    lines = ("pprofgate ", "pprofgate baseline ", "pprofgate check --on-inconclusive ", "pprofgate check --on-inc",
             "pprofgate baseline accept --rea", "pprofgate capture -k ", "pprofgate help che", "pprofgate completion ")
    answers = fish(script, folder, *lines)
    assert {"check", "baseline", "help"} <= answers[0], answers[0]
    assert answers[1] == {"accept", "list", "show", "prune"}, answers[1]
    assert answers[2] == {"pass", "warn", "fail", "inconclusive"}, answers[2]
    assert answers[3] == {"--on-inconclusive"}, answers[3]
    assert answers[4] == {"--reason"}, answers[4]
    assert "heap" in answers[5] and answers[6] == {"check"} and answers[7] == {"bash", "zsh", "fish"}, answers[5:]
    answers = fish(script, folder, "pprofgate check --report some", "pprofgate check --json some", "pprofgate check some",
                   "pprofgate version some", "pprofgate validate ", "pprofgate check -r str")
    assert answers[:4] == [{"some-folder/"}, {"some-profile.pb.gz", "some-folder/"},
                           {"some-profile.pb.gz", "some-folder/"}, set()], answers
    assert "recommended" in answers[4] and answers[5] == {"strict"}, answers
    listed = fish(script, folder, *(f"pprofgate {' '.join(words)} --" for words in commands()))
    for words, offered in zip(commands(), listed):
        told = set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", gate("help", *words, "--all", expect=0).stdout, re.M))
        assert offered == told and told, (words, offered ^ told)


# Stand-ins for the completion system's functions print their arguments: the list that is offered for the words.
ZSH = r"""
compdef() { : }
_describe() { local -a all=("${(@P)4}"); print -rl -- "${(@)all%%:*}" }
_arguments() { print -rl -- "$@" }
source "$1"; shift
words=("$@") CURRENT=$#
_pprofgate
"""


def zsh(script, *words):
    done = run("zsh", "-f", "-c", ZSH, "zsh", str(script), "pprofgate", *words, expect=0)
    assert done.stderr == "", done.stderr
    return done.stdout.splitlines()


def test_zsh_completes_words(folder):  # needs: zsh
    script = folder / "_pprofgate"
    script.write_text(gate("completion", "zsh", expect=0).stdout, encoding="utf-8")
    run("zsh", "-n", str(script), expect=0)
    assert r"'check:compare canary and baseline and decide\: pass, fail or inconclusive'" in script.read_text(encoding="utf-8")
    assert {"check", "baseline", "help"} <= set(zsh(script, "")), zsh(script, "")
    assert {"check", "baseline"} <= set(zsh(script, "help", ""))
    assert set(zsh(script, "baseline", "")) == {"accept", "list", "show", "prune"}
    assert "1:shell:(bash zsh fish)" in zsh(script, "completion", "")
    assert any("--on-inconclusive=[" in line and " fail" in line and line.endswith(")") for line in zsh(script, "check", "--on"))
    for words in commands():
        said = "\n".join(zsh(script, *words, "--"))
        listed = set(re.findall(r"^(?:\*|-.\+?\n)?(--[a-z-]+)=?\[", said, re.M)) | set(re.findall(r"^\([^)]*\)(--[a-z-]+)=?\[", said, re.M))
        told = set(re.findall(r"^  (?:-., |    )(--[a-z-]+)", gate("help", *words, "--all", expect=0).stdout, re.M))
        assert listed == told and told, (words, listed ^ told, said)


# ---- outputs of a step -------------------------------------------------------------------------------------------------

def outputs(folder, *words, expect):
    path = folder / "output"
    path.write_text("earlier=1\n", encoding="utf-8")
    gate(*words, cwd=folder, GITHUB_OUTPUT=str(path), expect=expect)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "earlier=1", lines
    return dict(line.split("=", 1) for line in lines[1:])


def test_outputs_of_github_are_written(folder):
    keys = ["verdict", "exit-code", "failed", "inconclusive", "warned", "causes", "report"]
    failed = outputs(folder, "check", "--report", "a/b", *SHOULD_FAIL, expect=1)
    assert list(failed) == keys and failed["verdict"] == "fail" and failed["exit-code"] == "1", failed
    assert failed["failed"] != "0" and failed["causes"] != "0" and failed["report"] == "a/b", failed
    passed = outputs(folder, "check", *SHOULD_PASS, expect=0)
    assert passed["verdict"] == "pass" and passed["failed"] == "0" and passed["report"] == "", passed
    for words in (("check", "--report", "a/b", "nothing", "nothing"), ("check", "--typo"), ("gate",), ("try",)):
        error = outputs(folder, *words, expect=2)
        assert error["verdict"] == "error" and error["exit-code"] == "2" and error["report"] == "", error
    assert outputs(folder, "diff", *SHOULD_FAIL, expect=0) == {}
    assert outputs(folder, "check", "--help", expect=0) == {}
    first = ("check", "--store", "s", "--service", "shop", "--revision", "one")
    assert outputs(folder, *first, SHOULD_FAIL[0], expect=3)["verdict"] == "inconclusive"
    assert outputs(folder, *first, "--accept-first", SHOULD_FAIL[0], expect=0)["verdict"] == "first"
    injected = outputs(folder, "check", "--report", "x\nverdict=pass", *SHOULD_FAIL, expect=1)
    assert injected["verdict"] == "fail" and injected["report"] == "", injected
    done = gate("check", *SHOULD_FAIL, cwd=folder, GITHUB_OUTPUT=str(folder), expect=2)
    assert "GITHUB_OUTPUT" in done.stderr, done.stderr
    before = os.umask(0o022)
    gate("check", *SHOULD_PASS, cwd=folder, GITHUB_OUTPUT=str(folder / "made"), expect=0)
    os.umask(before)
    assert stat.S_IMODE((folder / "made").stat().st_mode) == 0o644, oct((folder / "made").stat().st_mode)


# ---- colour and notes ------------------------------------------------------------------------------------------------

def test_colour_follows_terminal_and_options(folder):
    def is_coloured(*words, **changes):
        return "\x1b[" in gate("check", *SHOULD_FAIL, *words, expect=1, **changes).stdout
    assert not is_coloured()
    assert is_coloured("--color", "always")
    assert is_coloured("--color=always", NO_COLOR="1")
    assert is_coloured(CLICOLOR_FORCE="1")
    assert not is_coloured(CLICOLOR_FORCE="0")
    assert not is_coloured(CLICOLOR_FORCE="1", NO_COLOR="1")
    assert not is_coloured("--color=never", CLICOLOR_FORCE="1")
    assert "auto, always, never" in gate("check", "--color=red", expect=2).stderr

    def on_terminal(**changes):
        ours, theirs = pty.openpty()
        with subprocess.Popen([str(GATE), "check", "-q", *SHOULD_FAIL], stdout=theirs, stderr=subprocess.DEVNULL,
                              env=environment(**changes)) as process:
            os.close(theirs)
            said = b""
            while True:
                try:
                    some = os.read(ours, 65536)
                except OSError:
                    break
                if not some:
                    break
                said += some
        os.close(ours)
        assert process.returncode == 1 and said
        return b"\x1b[" in said
    assert on_terminal(TERM="xterm")
    assert not on_terminal(TERM="dumb")
    assert not on_terminal(TERM="xterm", NO_COLOR="1")


def test_verbose_adds_movers_and_notes(folder):
    quiet = gate("check", "--json", "a/r.json", *SHOULD_FAIL, cwd=folder, expect=1)
    loud = gate("check", "-v", "--json", "a/r.json", *SHOULD_FAIL, cwd=folder, expect=1)
    assert quiet.stderr == "" and loud.stdout.splitlines()[:3] == quiet.stdout.splitlines()[:3]
    assert "Top movers" in loud.stdout and "Top movers" not in quiet.stdout and "more: --verbose" in quiet.stdout
    for wanted in ("rules: a built-in preset", "rules: by the type of these profiles it is recommended",
                   f"read {SHOULD_FAIL[0]}: pprof, ", "writing a/r.json"):
        assert f"pprofgate: {wanted}" in loud.stderr, loud.stderr
    (folder / "my.yml").write_text("version: 1\nextends: strict\n", encoding="utf-8")
    assert "rules: my.yml\n" in gate("check", "-v", "-r", "my.yml", *SHOULD_FAIL, cwd=folder).stderr
    assert "rules: the built-in preset heap\n" in gate("validate", "-v", "heap", expect=0).stderr


def test_output_that_cannot_be_written_is_an_error(folder):
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in (("help",), ("help", "check"), ("version",), ("completion", "bash"), ("manual", "check"), ("check", *SHOULD_FAIL)):
            done = subprocess.run([str(GATE), *words], stdout=full, stderr=subprocess.PIPE, env=environment(), check=False)
            assert done.returncode == 2, (words, done)


# ---- files -------------------------------------------------------------------------------------------------------------

def names(folder, side):
    report = json.loads((folder / "r.json").read_text(encoding="utf-8"))
    return [pathlib.Path(run["path"]).name for run in report[side]["runs"]]


def test_files_of_a_side_are_in_the_order_of_their_numbers(folder):
    for number in (1, 2, 10):
        kind = {1: 1, 2: 2, 10: 3}[number]
        shutil.copy(CPU / f"baseline-{kind}.pb.gz", folder / f"base-{number}.pb.gz")
        shutil.copy(CPU / f"regression-{kind}.pb.gz", folder / f"canary-{number}.pb.gz")
    sides = {"baseline": ["base-1.pb.gz", "base-2.pb.gz", "base-10.pb.gz"],
             "canary": ["canary-1.pb.gz", "canary-2.pb.gz", "canary-10.pb.gz"]}
    for words in (["base-*.pb.gz", "canary-*.pb.gz"], ["--baseline", *sides["baseline"], "--canary", *sides["canary"]],
                  ["--canary", "canary-*.pb.gz", "--baseline", "base-?.pb.gz", "base-10.pb.gz"],
                  ["--baseline=base-1.pb.gz", *sides["baseline"][1:], "--canary", *sides["canary"], "--"]):
        gate("check", "--json", "r.json", *words, cwd=folder, expect=1)
        for side, wanted in sides.items():
            assert names(folder, side) == wanted, (words, names(folder, side))
    done = gate("check", *sides["baseline"], *sides["canary"], cwd=folder, expect=2)
    assert "unexpected 'base-10.pb.gz'" in done.stderr and "--baseline A B" in done.stderr, done.stderr
    done = gate("check", "none-*.pb.gz", "canary-*.pb.gz", cwd=folder, expect=2)
    assert "none-*.pb.gz: no file matches this pattern" in done.stderr, done.stderr
    done = gate("check", "--baseline", "base-1.pb.gz", "-q", "canary-1.pb.gz", cwd=folder, expect=2)
    assert "its side is not clear" in done.stderr, done.stderr
    shutil.copy(folder / "base-1.pb.gz", folder / "odd[1].pb.gz")  # an existing file name is not read as a pattern
    gate("check", "odd[1].pb.gz", "canary-1.pb.gz", cwd=folder, expect=1)
    before = (folder / "base-2.pb.gz").read_bytes()
    done = gate("check", "base-*.pb.gz", "canary-*.pb.gz", "--json", "base-2.pb.gz", cwd=folder, expect=2)
    assert "would be overwritten" in done.stderr and (folder / "base-2.pb.gz").read_bytes() == before, done.stderr


def test_folders_of_outputs_are_created(folder):
    gate("check", "--report", "a/b/c", "--html", "d/e/x.html", *SHOULD_FAIL, cwd=folder, expect=1)
    assert (folder / "a/b/c/report.json").is_file() and (folder / "d/e/x.html").is_file()
    (folder / "file").touch()
    done = gate("check", "--report", "file/c", *SHOULD_FAIL, cwd=folder, expect=2)
    assert "file: cannot make the folder: a file has this name" in done.stderr, done.stderr
    gate("diff", "--html", "f/g.html", *SHOULD_FAIL, cwd=folder, expect=0)
    gate("merge", "-o", "m/n.pb.gz", *SHOULD_FAIL, cwd=folder, expect=0)
    gate("baseline", "accept", "--store", "s/t", "--service", "x", "--revision", "one", SHOULD_FAIL[0], cwd=folder, expect=0)


def test_usage_errors_have_a_hint(folder):
    shutil.copy(SHOULD_FAIL[0], folder / "baseline.pb.gz")
    done = gate("check", "basline.pb.gz", SHOULD_FAIL[1], cwd=folder, expect=2)
    assert "basline.pb.gz: cannot be opened: No such file or directory (did you mean 'baseline.pb.gz'?)" in done.stderr
    done = gate("check", "http://127.0.0.1:1", "http://127.0.0.1:2", cwd=folder, expect=2)
    told = done.stderr.strip().split("take profiles from it with: ")[1]
    assert told == "pprofgate gate --baseline http://127.0.0.1:1 --canary http://127.0.0.1:2 -o profiles", done.stderr
    done = run("bash", "-c", told, cwd=folder, expect=2, PPROFGATE_BACKOFF_MS="1")
    assert re.search("no connection|built without libcurl", done.stderr), done.stderr
    done = gate("check", "http://me:secret@10.0.0.1:6060", "http://10.0.0.2:6060", cwd=folder, expect=2)
    assert "pprofgate gate --baseline URL --canary URL" in done.stderr and "secret" not in done.stderr, done.stderr
    done = gate("inspect", "https://a.example/debug/pprof/profile", cwd=folder)
    assert "this is an address, and profiles are read from files" in done.stdout + done.stderr, done
    done = gate("gate", "--token", "abc", expect=2)
    assert "did you mean '--token-env' or '--token-file'?" in done.stderr and "abc" not in done.stderr, done.stderr
    done = gate("try", "HEAD", cwd=folder, expect=2)
    assert done.stderr.endswith("\nversion: 1\nextends: recommended\ntry: {preset: go-bench}\n"), done.stderr


def test_usage_errors_point_to_the_help_of_the_command(folder):
    for command in ("check", "gate", "try", "capture", "merge", "inspect", "diff", "trend", "init", "explain", "prove",
                    "calibrate", "baseline accept", "baseline list", "baseline show", "baseline prune"):
        done = gate(*command.split(), cwd=folder, expect=2)
        help_of = re.search("^pprofgate: usage and examples: pprofgate (help .*)$", done.stderr, re.M)
        assert help_of and help_of[1] == "help " + command, (command, done.stderr)
        page = gate(*help_of[1].split(), cwd=folder).stdout
        assert f"pprofgate {command} " in page, page
        for line in re.findall("more options: pprofgate (.*)$", page, re.M):
            assert len(gate(*line.split(), cwd=folder).stdout) > len(page), line


def test_options_of_other_tools_get_a_hint_with_ours(folder):
    words = {("compare",): "'check'", ("accept",): "'baseline accept'", ("bisect",): "'try --bisect'",
             ("check", "--fail-on", "x"): "severity", ("check", "--format", "json"): "--json",
             ("check", "--no-color"): "'--color never'", ("check", "-o", "x"): "--report DIR",
             ("check", "--threshold", "5"): 'limit: "+5pp"'}
    for line, expected in words.items():
        done = gate(*line, cwd=folder, expect=2)
        assert expected in done.stderr, (line, done.stderr)


def test_named_pipes_are_read_or_reported(folder):
    """A pipe without a writer ends the run with a message; a pipe with a writer, however slow, is read to its end."""
    (folder / "rules.yml").write_text("version: 1\nextends: ./pipe.yml\n")
    (folder / "store").mkdir()
    for name in ("pipe", "pipe.yml", "fed", "store/store.json"):
        os.mkfifo(folder / name)
    without_writer = ["check {b} pipe", "check pipe {c}", "inspect pipe", "diff {b} pipe", "merge -o m pipe", "prove pipe {b}",
                      "calibrate -o n.yml {b} pipe", "validate pipe", "explain -r pipe {b} {c}", "check -r pipe {b} {c}",
                      "check -r rules.yml {b} {c}", "check --noise pipe {b} {c}", "check --work-file pipe {b} {c}",
                      "check --pair cpu={b},pipe", "check --ledger pipe --change x {b} {c}", "check --history pipe {b} {c}",
                      "check --store store --service x {c}"]
    with_writer = [("{gate} check -q {b} <(cat {c})", 1), ("{gate} check -q <(cat {b}) <(sleep 1; cat {c})", 1),
                   ("{gate} check -q -r <(echo 'version: 1'; echo 'extends: recommended') {b} {c}", 1),
                   ("{gate} check -q {b} <(sleep 12; cat {c})", 1), ("cat {c} | {gate} check -q {b} -", 1),
                   ("cat {c} | {gate} check -q {b} /dev/stdin", 1),
                   ("(sleep 2; cat {c} >fed) & {gate} check -q {b} fed", 1), ("{gate} check -q {b} <(true)", 2)]
    paths = {"gate": shlex.quote(str(GATE)), "b": shlex.quote(SHOULD_FAIL[0]), "c": shlex.quote(SHOULD_FAIL[1])}
    lines = ["{gate} " + line for line in without_writer] + [line for line, _ in with_writer]
    with concurrent.futures.ThreadPoolExecutor(len(lines)) as pool:
        ended = list(pool.map(lambda line: run("bash", "-c", line.format(**paths), cwd=folder), lines))
    for line, done in zip(without_writer, ended):
        assert done.returncode == 2 and "named pipe, and nothing opened it for writing" in done.stdout + done.stderr, (line, done)
    for (line, status), done in zip(with_writer, ended[len(without_writer):]):
        assert done.returncode == status, (line, done)
    gate("inspect", "--symbols", "pipe", SHOULD_FAIL[0], cwd=folder, expect=2)


def test_a_writer_of_a_named_pipe_is_not_cut_off(folder):
    """A writer that waits for a reader is not cut off by a look at the file."""
    os.mkfifo(folder / "fed")
    for _ in range(20):
        with subprocess.Popen(["cp", SHOULD_FAIL[1], folder / "fed"]) as writer:
            gate("check", "-q", SHOULD_FAIL[0], "fed", cwd=folder, expect=1)
        assert writer.returncode == 0, writer.returncode


# ---- the library -------------------------------------------------------------------------------------------------------

def link(prefix, source, program, *options):
    flags = run("pkg-config", "--cflags", "--libs", *options, "pprofgate", expect=0,
                PKG_CONFIG_PATH=str(prefix / "lib/pkgconfig")).stdout.split()
    if "--static" in options:  # our library as an archive, the others as installed
        flags = [str(prefix / "lib/libpprofgate.a") if flag == "-lpprofgate" else flag for flag in flags]
    cache = (GATE.parent / "CMakeCache.txt").read_text(encoding="utf-8")
    compiler = re.search(r"^CMAKE_C_COMPILER:\w+=(.*)", cache, re.M)[1]
    sanitizers = re.findall(r"-fsanitize=\S+|--coverage", re.search(r"^CMAKE_C_FLAGS:.*", cache, re.M)[0])
    run(compiler, "-std=c17", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-pthread", *sanitizers, str(source), *flags,
        "-o", str(program), expect=0)


def test_the_installed_library_can_be_used(folder):  # needs: shared-library
    prefix = folder / "prefix"
    run("cmake", "--install", str(GATE.parent), "--component", "dev", "--prefix", str(prefix), expect=0)
    shared = prefix / "lib/libpprofgate.so"
    symbols = [line.split() for line in run("nm", "-D", "--defined-only", str(shared), expect=0).stdout.splitlines()]
    exported = {words[2].split("@")[0] for words in symbols if words[1] in "TDBRVW"}
    header = set(re.findall(r"^PPROFGATE_API .*?(pprofgate_\w+)\(", (prefix / "include/pprofgate.h").read_text(), re.M))
    assert exported - {"LIBPPROFGATE_0"} == header, exported ^ header
    needed = run("ldd", str(shared)).stdout
    assert "curl" not in needed and "SONAME" in run("readelf", "-d", str(shared)).stdout, needed
    if shutil.which("c++"):
        run("c++", "-x", "c++", "-Wall", "-Werror", "-fsyntax-only", str(prefix / "include/pprofgate.h"), expect=0)
    told = gate("check", "--json", "-", *SHOULD_FAIL, expect=1).stdout
    raw = folder / "raw.pb"
    raw.write_bytes(gzip.decompress(pathlib.Path(SHOULD_FAIL[1]).read_bytes()))
    for options in ((), ("--static",)):
        link(prefix, ROOT / "tests/hand/use_library.c", folder / "use", *options)
        done = run(str(folder / "use"), *SHOULD_FAIL, str(raw), expect=0, LD_LIBRARY_PATH=str(prefix / "lib"),
                   GLIBC_TUNABLES="glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1")
        ours, theirs = json.loads(done.stdout), json.loads(told)
        for report in (ours, theirs):
            report.pop("command", None)
            report.pop("generator_build", None)  # the build id of each file
        assert ours == theirs, [key for key in theirs if ours.get(key) != theirs[key]]
        link(prefix, ROOT / "examples/library/compare.c", folder / "compare", *options)
        done = run(str(folder / "compare"), *SHOULD_FAIL, expect=1, LD_LIBRARY_PATH=str(prefix / "lib"))
        assert "costs about 4.6x (3.9%" in done.stdout and "main.priceRound" in done.stdout, done.stdout
        (folder / "r.yml").write_text("version: 1\nbudgets: 7\n", encoding="utf-8")
        done = run(str(folder / "compare"), *SHOULD_FAIL, str(folder / "r.yml"), expect=2, LD_LIBRARY_PATH=str(prefix / "lib"))
        assert f"{folder / 'r.yml'}:2:" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-hand-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder))


if __name__ == "__main__":
    main()
