#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every source file that a comment, README.md, CONTRIBUTING.md or docs/ names exists.

usage: named_files.py SOURCE

Read are names with an extension (decide.c, budget/decide.h, docs/report.md) and names of modules of gate/ without one
(budget/decide). Not read are strings, code, and names with an upper-case letter, which stand for several files.
"""
import os
import pathlib
import re
import subprocess
import sys

SOURCES = ("*.c", "*.h", "*.proto", "*.py", "*.sh", "*.cmake", "*CMakeLists.txt", "*.md")
C_COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(/\*.*?\*/|//[^\n]*)', re.S)
SCRIPT_COMMENT = re.compile(r"(?:^|\s)(#.*)$", re.M)
FENCE = re.compile(r"^```.*?^```", re.S | re.M)
FOLDERS = "ci|docs|examples|fixtures|gate|include|packaging|rules|tests"
NOT_BEFORE = r"(?<![\w./*<>{}$:-])"
PATH = re.compile(NOT_BEFORE + rf"((?:{FOLDERS})/(?:[a-z][\w.-]*/)*[a-z][a-z0-9_]*\.(?:py|sh|cmake|md|mjs|proto|c|h)|"
                  r"(?:[a-z][a-z0-9_]*/)*[a-z][a-z0-9_]*\.[ch])(?![\w/*(:])")
# Files of others, and x.c for any file.
ELSEWHERE = {"x.c", "x.h", "a/b.c"}


def comments(path, text):
    """(offset, text) of what is written for readers."""
    if path.endswith(".md"):
        yield 0, FENCE.sub(lambda block: re.sub(r"[^\n]", " ", block[0]), text)
    elif path.endswith((".c", ".h", ".proto")):
        yield from ((found.start(1), found[1]) for found in C_COMMENT.finditer(text) if found[1])
    else:
        yield from ((found.start(1), found[1]) for found in SCRIPT_COMMENT.finditer(text))


class Tree:
    def __init__(self, root):
        os.chdir(root)
        self.files = sorted(str(path) for folder in (".", *FOLDERS.split("|")) if os.path.isdir(folder)
                            for path in pathlib.Path(folder).glob("*" if folder == "." else "**/*"))
        self.known = set(self.files) | ELSEWHERE
        self.names = {os.path.basename(path) for path in self.files} | ELSEWHERE
        rooms = "|".join(sorted({path.split("/")[1] for path in self.files if re.match(r"gate/\w+/", path)}))
        self.module = re.compile(NOT_BEFORE + rf"((?:gate/)?(?:{rooms})/[a-z][a-z0-9_]*)(?![\w./*-])")

    def has(self, folder, name):
        if "/" not in name:
            return name in self.names
        return any(os.path.normpath(os.path.join(start, name)) in self.known for start in (folder, "", "gate"))

    def has_module(self, name):
        name = name.removeprefix("gate/")
        return any(f"gate/{name}.{end}" in self.known for end in "ch") or any(
            os.path.isdir(start + name) for start in ("gate/", "tests/", ""))

    def unknown(self, path, text):
        for offset, comment in comments(path, text):
            for found in PATH.finditer(comment):
                if not self.has(os.path.dirname(path), found[1]):
                    yield offset + found.start(), found[1]
            for found in self.module.finditer(comment):
                if not self.has_module(found[1]):
                    yield offset + found.start(), found[1]


def main():
    tree, failed = Tree(sys.argv[1]), 0
    for path in tree.files:
        if "fixtures/" in path or "node_modules/" in path or not os.path.isfile(path) or not any(pathlib.PurePath(path).match(kind) for kind in SOURCES):
            continue
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        for offset, name in tree.unknown(path, text):
            line = text.count("\n", 0, offset) + 1
            print(f"{path}:{line}: '{name}' does not exist")
            failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
