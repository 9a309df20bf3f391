#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the size and shape of gate/: files, lines, functions, and how many external functions have one caller file.

    ci/sizes.py            a table for this tree
    ci/sizes.py --pairs    also which files call most functions of one other file alone
    ci/sizes.py --single   each external function with one caller file: where it is defined, where it is called

Needs universal-ctags. A caller file is a .c file of gate/ that names the function; tests do not count. What a header's
macros and inline functions use, and what include/ declares for other programs, has several. A function that is defined
once for each system counts once.
"""

import argparse
import collections
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLANKED = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
TAG = re.compile(r"\b(?:struct|enum) \w+")
WORD = re.compile(r"\b[A-Za-z_]\w+\b")


def functions(sources):
    """(file, name, first line, last line, is static) of every function that is defined."""
    listed = subprocess.run(["ctags", "-x", "--kinds-C=f", "--fields=+Se", "--_xformat=%F\t%N\t%n\t%{end}\t%{file}",
                             *sources], check=True, capture_output=True, text=True, cwd=ROOT).stdout
    for line in listed.splitlines():
        file, name, first, last, is_static = line.split("\t")
        yield file, name, int(first), int(last or first), is_static not in ("", "-")


def used_through_headers(texts):
    """Names that include/ declares, or that a header has besides the declaration in the header of the same file."""
    names = set()
    for path in ROOT.glob("include/*.h"):
        names |= set(WORD.findall(BLANKED.sub(" ", path.read_text(encoding="utf-8"))))
    declared = set()
    for header in (name for name in texts if name.endswith(".h")):
        words = collections.Counter(WORD.findall(TAG.sub(" ", BLANKED.sub(" ", texts[header]))))
        names |= {word for word, count in words.items() if count > 1 or word in declared}
        declared |= set(words)
    return names


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def main():
    parser = argparse.ArgumentParser(description="prints the size and shape of gate/")
    parser.add_argument("--pairs", action="store_true", help="list the closest pairs of files")
    parser.add_argument("--single", action="store_true", help="list the functions with one caller file")
    options = parser.parse_args()
    paths = sorted(ROOT.glob("gate/*/*.[ch]"))
    texts = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    sources = [name for name in texts if name.endswith(".c")]
    words = {name: set(WORD.findall(BLANKED.sub(" ", texts[name]))) for name in sources}
    found = list(functions(sources))
    if not found:
        sys.exit("ctags found no function: is it universal-ctags?")
    callers = collections.Counter()
    pairs = collections.defaultdict(list)
    external = sorted({(file, name) for file, name, _, _, is_static in found if not is_static and name != "main"})
    through_headers = used_through_headers(texts)
    for file, name in external:
        where = [other for other in sources if other != file and name in words[other]]
        if name in through_headers:
            callers[2] += 1
            continue
        callers[min(len(where), 2)] += 1
        if len(where) == 1:
            pairs[file, where[0]].append(name)
    lengths = [last - first + 1 for _, _, first, last, _ in found]
    lines = {name: text.count("\n") for name, text in texts.items()}
    sizes = [lines[name] for name in sources]
    print(f"files                         {len(texts)}, of which {len(sources)} .c")
    print(f"lines                         {sum(lines.values())}")
    print(f"lines of a .c file            p50 {percentile(sizes, 0.5)}, p90 {percentile(sizes, 0.9)}, "
          f"most {max(sizes)}, below 60: {sum(size < 60 for size in sizes)}")
    print(f"functions                     {len(found)}, lines p50 {percentile(lengths, 0.5)}, "
          f"p90 {percentile(lengths, 0.9)}, most {max(lengths)}")
    print(f"external functions            {len(external)}")
    print(f"  with one caller file        {callers[1]} ({100 * callers[1] / len(external):.0f} %)")
    print(f"  used in their file or tests {callers[0]}")
    if options.pairs:
        for (file, caller), names in sorted(pairs.items(), key=lambda pair: -len(pair[1]))[:40]:
            print(f"{len(names):4} {file} -> {caller}")
    if options.single:
        for (file, caller), names in sorted(pairs.items()):
            print(f"{file} ({lines[file]}) -> {caller} ({lines[caller]}): {' '.join(names)}")


if __name__ == "__main__":
    main()
