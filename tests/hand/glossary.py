#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rejects words in help, manual pages, messages, reports and documentation that ask for a second reading.

usage: glossary.py PPROFGATE ROOT

Each row of WORDS is a pattern and what to write instead. Texts are the string literals of gate/ (manual pages too),
what `help` prints, the expected output and reports of fixtures/cases, and PAGES. Numbers are written as gate/base/figures.h
prints them.
"""
import pathlib
import re
import subprocess
import sys

WORDS = {
    r"\btold\b|\btells\b|\btell (it|one|every|that|the|them|--)": "given by, is in, give",
    r"\b(is|are|was|were) had\b": "exists, is available",
    r"\b(verdict|that|which|it) stands\b(?! for)|\bstand(s)? alone\b": "is final, is defined in",
    r"\b(is|are|was|were|be) asked\b|\basked (for|again|\d)|\bit asks\b": "request, retry, expected",
    r"\bsays? (so|what|which|whether|how|who|that|nothing|otherwise)\b|\bsaid\b": "contains, is, without output",
    r"\bdoes not know (the|what|who|which)\b|(?<!you )\bknows? (nothing|no|what|who|which)\b": "unknown, does not support",
    r"\bwho you are\b|\bwho we are\b|\bwhose (code|profiles|baselines)\b": "credentials, own code, service",
    r"\bgo(es)? on (with|by|until)\b|\bgone on with\b|\bthe same command goes on\b": "resume",
    r"\bsealed\b|\bseals\b": "sandbox",
    r"\b(errand|ration|parting|manner|toothless rule)s?\b": "task, limit, signal at exit, mode",
    r"\b(runs?|samples|profiles?) a side\b|\ba run\b (?=on average)": "per side, per run",
    r"\bof all that grew\b": "of the total increase",
    r"\bleaves open\b|\bis left open\b": "undecided:",
    r"\b(cannot|could not) be told( apart)?\b|\btold apart\b": "is unknown, cannot be compared",
    r"\bdid next to nothing\b": "was almost idle",
    r"\btoo few to (tell|confirm|be sure|see)\b": "not enough samples to confirm it",
    r"\bsay why\b": "give a reason",
    r"\d %(?=[\s,;:.)]|$)": "3.6%, without a space",
    r"9[05]% CI [-+0-9]": "95% CI [+10.3, +12.2]",
    r"\b\d+\.\d+ times (the|per|as)\b": "4.7x",
    r"\d\u00a0\d": "7,499",
}
PAGES = ("README.md", "SECURITY.md", "docs/*.md", "rules/*.md", "action.yml", "ci/github/**/action.yml",
         "templates/*.yml")
# Plain English in prose, but not in a message or a report.
IN_PAGES = ("whose code", "whose profiles", "times the", "times as")
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*|\'(?:[^\'\\\n]|\\.)+\'', re.S)


def literals(path):
    """The string literals of a source file, adjacent ones joined, with their line."""
    source, joined, end = path.read_text(), [], 0
    for found in LITERAL.finditer(source):
        if found.group()[0] != '"':
            continue
        if source[source.rfind("\n", 0, found.start()) + 1:found.start()].lstrip().startswith("#"):
            continue
        if joined and not source[end:found.start()].strip():
            joined[-1][1] += found.group()[1:-1]
        else:
            joined.append([source.count("\n", 0, found.start()) + 1, found.group()[1:-1]])
        end = found.end()
    return [(line, re.sub(r"\\x..", "?", text).replace("%%", "%").replace("\\n", "\n"))
            for line, text in joined if " " in text.strip()]


def run(*words):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False).stdout


def texts(gate, root):
    """Pairs of a place and a text that users read."""
    for path in sorted((root / "gate").rglob("*.c")):
        for line, text in literals(path):
            yield f"{path.relative_to(root)}:{line}", text
    listing = run(gate, "help")
    commands = re.findall(r"^  (\w+) {2,}", listing, re.M)
    yield "pprofgate help", listing
    for command in commands + ["baseline accept", "baseline list", "baseline show", "baseline prune"]:
        yield f"pprofgate help {command} --all", run(gate, "help", *command.split(), "--all")
    for case in sorted((root / "fixtures/cases").iterdir()):
        for path in sorted(case.glob("expect/*")):
            if path.name == "output" or path.suffix in (".md", ".html", ".xml", ".svg", ".txt"):
                yield str(path.relative_to(root)), path.read_text(errors="replace")
    for path in sorted(path for place in PAGES for path in root.glob(place)):
        yield str(path.relative_to(root)), re.sub(r"`[^`\n]*`", "`code`", path.read_text())


def main():
    gate, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    found = checked = 0
    for place, text in texts(gate, root):
        checked += 1
        for pattern, better in WORDS.items():
            for hit in re.finditer(pattern, text):
                if place.endswith((".md", ".yml")) and "/expect/" not in place and hit.group().endswith(IN_PAGES):
                    continue
                line = text[text.rfind("\n", 0, hit.start()) + 1:].split("\n", 1)[0]
                found += 1
                print(f"{place}: '{hit.group()}' in: {line.strip()[:120]}\n    better: {better}")
    if checked < 1000:
        sys.exit(f"only {checked} texts were found: what is read here has moved")
    if found:
        sys.exit(f"{found} places")
    print(f"{checked} texts")


if __name__ == "__main__":
    main()
