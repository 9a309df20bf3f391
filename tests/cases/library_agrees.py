#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library decides as the program does: each case of fixtures/cases that a request can express, through both.

usage: library_agrees.py PPROFGATE LIBRARY_REQUEST FIXTURES RULES
"""
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, REQUEST, FIXTURES, PRESETS = (pathlib.Path(word).resolve() for word in sys.argv[1:])
LEAST = 120  # cases that a request can express; fewer means that the rules below leave out too many
# Options of `check` that say how reports are written, not what is decided; with a value or without.
REPORTS = {"--json", "--junit", "--markdown", "--svg", "--html", "--report", "--gitlab-codequality", "--sarif",
           "--speedscope", "--openmetrics", "--folded", "--frames", "--min-share", "--source-url", "--report-url", "--junit-flavor",
           "--github-annotations"}
QUIET = {"-q", "--quiet"}
# A guard that is raised by rules, by work or by files, and not by a profile's content: only one of the two raised it in
# the past.
GUARDS = ["version: 1\nextends: recommended\nguards: {toothless: error}\nframes: {granularity: mapping}\n",
          "version: 1\nextends: heap\nguards: {missing_kind: error}\n",
          "version: 1\nguards: {toothless: error}\nbudgets: [{name: b, measure: self, severity: warn, "
          "limit: {share_increase: +5pp}}]\n"]


class Unexpressed(Exception):
    """What a request has no field for."""


class Asked:
    """A command line of check, as far as a request can express it."""

    def __init__(self):
        self.rules, self.work, self.sides = None, ["0", "0"], ([], [])


def work_of(asked, text):
    """--work baseline=N, --work canary=N."""
    if not (found := re.fullmatch(r"(baseline|canary)=([0-9.]+)", text)):
        raise Unexpressed("work by run, by label or of one number")
    asked.work[found[1] == "canary"] = found[2]


def read(folder):
    words = (folder / "args").read_text().splitlines()[1:]
    if words[:1] != ["check"]:
        raise Unexpressed("another command")
    if (folder / "env").exists():
        raise Unexpressed("an environment")
    asked, plain, side = Asked(), [], None
    del words[0]
    while words:
        word, equals, value = words.pop(0).partition("=")
        if word in REPORTS | {"-r", "--rules", "--work"}:
            side, value = None, value if equals else words.pop(0) if words else ""
            if word == "--work":
                work_of(asked, value)
            elif word not in REPORTS:
                asked.rules = value
        elif word in ("--baseline", "--canary"):
            side = asked.sides[word == "--canary"]
            side += [value] if equals else []
        elif word in QUIET:
            side = None
        elif word.startswith("-"):
            raise Unexpressed(word if len(word) > 1 else "standard input")
        else:
            (plain if side is None else side).append(word + equals + value)
    if plain and (len(plain) != 2 or any(asked.sides)):
        raise Unexpressed("one side, or more than two")
    for name, one in zip(plain, asked.sides):
        one.append(name)
    if not all(asked.sides):
        raise Unexpressed("one side, or more than two")
    if any((FIXTURES / name).is_dir() or "*" in name for one in asked.sides for name in one):
        raise Unexpressed("a folder or a pattern")
    if (asked.work[0] == "0") != (asked.work[1] == "0"):
        raise Unexpressed("the work of one side")
    return asked


def rules_of(asked):
    """The file of the rules and what messages call it."""
    if asked.rules is None:
        return "", "rules"
    preset, file = PRESETS / f"{asked.rules}.yml", FIXTURES / asked.rules
    if preset.exists():
        return str(preset), f"{asked.rules} (built in)"
    if not file.is_file():
        raise Unexpressed("rules that are not there")
    if re.search(r"^extends:.*\.ya?ml", file.read_text(errors="replace"), re.M):
        raise Unexpressed("rules that extend a file")
    return str(file), asked.rules


def answer(words):
    done = subprocess.run(words, cwd=FIXTURES, capture_output=True, timeout=200, stdin=subprocess.DEVNULL)
    report = json.loads(done.stdout) if done.stdout else {}
    for key in ("command", "generator_build"):  # a library has no command line and is another binary
        report.pop(key, None)
    return done.returncode, report, done.stderr.decode()


def differences(asked, of):
    file, name = rules_of(asked)
    words = [PROGRAM, "check", "--json", "-", *(["--rules", asked.rules] if asked.rules else [])]
    for side, runs in zip(("baseline", "canary"), asked.sides):
        words += [f"--{side}", *runs]
    for side, work in zip(("baseline", "canary"), asked.work):
        words += ["--work", f"{side}={work}"] if work != "0" else []
    program = answer(words)
    library = answer([REQUEST, file, name, *asked.work, *asked.sides[0], "--", *asked.sides[1]])
    if program[0] != library[0]:
        return [f"{of}: the program ends with {program[0]}, the library's verdict is {library[0]}\n{program[2]}{library[2]}"]
    if program[0] == 2:
        return [] if f"pprofgate: {library[2]}" == program[2].split("\n")[0] else [f"{of}: {library[2]!r}, not {program[2]!r}"]
    return [f"{of}: {key} is not the same in the JSON of both" for key in sorted({*program[1], *library[1]})
            if program[1].get(key) != library[1].get(key)]


def guards(folder):
    """Rules that raise a guard as an error, on two comparisons; both sides of every pair are inconclusive."""
    for number, text in enumerate(GUARDS):
        path = pathlib.Path(folder, f"guards-{number}.yml")
        path.write_text(text)
        asked = Asked()
        asked.rules = str(path)
        asked.sides = ([str(FIXTURES / "bad/heap-both-types.pb.gz")], [str(FIXTURES / "bad/heap-one-type.pb.gz")])
        yield f"guards {number}", asked


def main():
    left_out, asked = collections.Counter(), []
    for args in sorted(FIXTURES.glob("cases/*/args")):
        try:
            asked.append((args.parent.name, read(args.parent)))
            rules_of(asked[-1][1])
        except Unexpressed as why:
            left_out[str(why)] += 1
            if asked and asked[-1][0] == args.parent.name:
                asked.pop()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        all_of = asked + list(guards(folder))
        found = [line for lines in pool.map(lambda one: differences(one[1], one[0]), all_of) for line in lines]
    print(f"{len(asked)} cases through both; left out: " + ", ".join(f"{n} of {why}" for why, n in left_out.most_common()))
    if found:
        sys.exit("\n".join(found))
    if len(asked) < LEAST:
        sys.exit(f"only {len(asked)} cases, expected {LEAST} at least")


main()
