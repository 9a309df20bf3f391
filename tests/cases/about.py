#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first line of `args` in each folder of fixtures/cases is a sentence that says what this case alone shows.

A reviewer reads it when the expected output of the case changes. A name with an underscore in it is that of another case,
or is in a file of this one.

usage: about.py CASES
"""
import pathlib
import re
import sys

COLUMNS_MAX = 120


def fault_of(case):
    """What is wrong with a case's folder, or None."""
    if not (case / "args").is_file():
        return "has no file 'args', so it is never run"
    text, _, words = (case / "args").read_text(encoding="utf-8").partition("\n")
    if not text.startswith("# "):
        return "'args': expected in the first line '# ' and a sentence that says what to look at when the output changes"
    if not text.endswith("."):
        return "'args': expected a full stop at the end of the first line"
    if len(text) > COLUMNS_MAX:
        return f"'args': expected at most {COLUMNS_MAX} columns in the first line, found {len(text)}"
    files = [path for path in case.glob("**/*") if path.is_file() and path.name != "args"]
    here = words + "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    for name in re.findall(r"[a-z0-9]+(?:_[a-z0-9]+)+", text):
        if not (case.parent / name).is_dir() and name not in here:
            return f"'args': '{name}' is no other case, and is in no file of this one"
    return None


def main():
    cases = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
    if not cases:
        sys.exit(f"{sys.argv[1]}: no case was found")
    wrong = [f"{case.name}: {fault}" for case in cases if (fault := fault_of(case))]
    first = {}
    for case in cases:
        args = case / "args"
        sentence = args.read_text(encoding="utf-8").partition("\n")[0] if args.is_file() else case.name
        if first.setdefault(sentence, case.name) != case.name:
            wrong.append(f"{case.name}: the sentence in 'args' is that of {first[sentence]}: say what differs, or remove one of them")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(cases)} cases")


main()
