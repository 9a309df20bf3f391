#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each folder of fixtures/cases has a file `about`: one sentence that says what this case alone shows.

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
    if not (case / "about").is_file():
        return "has no file 'about': write one sentence that says what to look at when its expected output changes"
    text = (case / "about").read_text(encoding="utf-8")
    if text.count("\n") != 1 or not text.endswith(".\n"):
        return "'about': expected one line that ends with a full stop"
    if len(text) - 1 > COLUMNS_MAX:
        return f"'about': expected at most {COLUMNS_MAX} columns, found {len(text) - 1}"
    files = [path for path in case.glob("**/*") if path.is_file() and path.name != "about"]
    here = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    for name in re.findall(r"[a-z0-9]+(?:_[a-z0-9]+)+", text):
        if not (case.parent / name).is_dir() and name not in here:
            return f"'about': '{name}' is no other case, and is in no file of this one"
    return None


def main():
    cases = sorted(path for path in pathlib.Path(sys.argv[1]).iterdir() if path.is_dir())
    if not cases:
        sys.exit(f"{sys.argv[1]}: no case was found")
    wrong = [f"{case.name}: {fault}" for case in cases if (fault := fault_of(case))]
    first = {}
    for case in cases:
        sentence = (case / "about").read_text(encoding="utf-8") if (case / "about").is_file() else case.name
        if first.setdefault(sentence, case.name) != case.name:
            wrong.append(f"{case.name}: 'about' is that of {first[sentence]}: say what differs, or remove one of them")
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(cases)} cases")


main()
