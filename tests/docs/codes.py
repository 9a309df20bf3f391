# SPDX-License-Identifier: Apache-2.0
"""docs/messages.md against the tables in the sources: each code has a row there, each row a code, each message is one."""
import json
import pathlib
import re
import sys

import page as pages

PAGE = "docs/messages.md"
# Each kind of error, and the section that says what to do about it.
ERRORS = {
    "GATE_ERR_USAGE": "The command line",
    "GATE_ERR_CONFIG": "The rules file",
    "GATE_ERR_IO": "Files, folders and servers",
    "GATE_ERR_FORMAT": "What is not a profile",
    "GATE_ERR_INPUT": "What cannot be compared",
    "GATE_ERR_LIMIT": "Caps",
    "GATE_ERR_OVERFLOW": "Sums and memory",
    "GATE_ERR_MEMORY": "Sums and memory",
}


def table(root, file, start, row):
    """What `row` finds in each line of the table that begins with `start`."""
    text = (root / file).read_text(encoding="utf-8")
    body = text[text.index(start):]
    return re.findall(row, body[:body.index("};")])


def codes(root):
    """Section of the page: the codes it has to have."""
    schema = json.loads((root / "docs/report.schema.json").read_text(encoding="utf-8"))
    exits = table(root, "gate/budget/outcome.h", "enum gate_exit {", r"= (\d+)")
    return {
        "Exit statuses": exits,
        "Verdicts": schema["properties"]["verdict"]["enum"],
        "Outcomes": table(root, "gate/budget/outcome.c", "} outcomes[] = {", r'\{"(\w+)",'),
        "Reasons": table(root, "gate/budget/outcome.c", "reasons[] = {",
                         r'\[GATE_REASON_\w+\] =\s*{(?:\.name = )?"(\w+)"'),
        "Oddities": table(root, "gate/names/inspection.c", "oddity_texts[ODD_COUNT] = {", r'= \{"([\w-]+)",'),
        "Warnings": table(root, "gate/rules/guard_rules.c", "guards[GATE_GUARD_NAMES] = {", r'= \{"(\w+)",'),
    }


def sections(path):
    """Heading of any level: the codes in the first column of its tables."""
    found, here = {}, None
    lines = [line for _, line in pages.Page(path).prose]
    for line, after in zip(lines, lines[1:] + [""]):
        heading = re.match(r"#+ (.*)", line)
        if heading:
            here = found.setdefault(heading[1], [])
        if after.startswith("| -"):
            continue  # meaning of the columns
        row = re.match(r"\| *`?([^|`]*)`? *\|", line)
        if row and here is not None and not re.match(r"-+:?$|:?-+", row[1].strip()):
            here.append(row[1].strip())
    return found


# What a reader of C meets outside of names and numbers: a comment, a character, or strings that are one.
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:[^\'\\\n]|\\.)+\'|"(?:[^"\\\n]|\\.)*"(?:\s*(?:PRI\w+\s*)?"(?:[^"\\\n]|\\.)*")*', re.S)


def strings(root):
    """All text of the sources' strings, one a line."""
    out = []
    for path in sorted((root / "gate").rglob("*.c")):
        for token in TOKEN.findall(path.read_text(encoding="utf-8")):
            if token.startswith('"'):
                joined = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', token))
                out.append(joined.replace('\\"', '"').replace("\\\\", "\\").replace("%%", "%"))
    return "\n".join(out)


def quoted_messages(path):
    """(line, message) of the first column of the tables about errors."""
    here = None
    for number, line in pages.Page(path).prose:
        heading = re.match(r"#+ (.*)", line)
        here = heading[1] if heading else here
        row = re.match(r"\| *(.*?) *(?<!\\)\|", line)
        if row and here in set(ERRORS.values()):
            for message in re.findall(r"`([^`]+)`", row[1]):
                yield number, message


def has_message(everything, message):
    parts = [part for part in re.split(r"…", message) if part.strip()]
    return re.search(r"[^\n]*?".join(map(re.escape, parts)), everything) is not None


def test(root):
    root = pathlib.Path(root)
    path, problems = root / PAGE, []
    found = sections(path)
    for section, wanted in codes(root).items():
        if section not in found:
            problems.append(f"{PAGE} has no section '{section}'")
            continue
        rows = [row for row in found[section] if re.fullmatch(r"[a-z_-]+(?:-\d+)?|\d+", row)]
        if not wanted:
            problems.append(f"no code was found in the sources for '{section}'")
        problems += [f"{PAGE}: '{section}' has no row for '{code}'" for code in wanted if code not in rows]
        problems += [f"{PAGE}: '{code}' in '{section}' is no code any more" for code in rows
                     if code not in wanted]
    kinds = table(root, "gate/base/error.h", "enum gate_error_code {", r"(GATE_ERR_\w+)")
    problems += [f"{PAGE}: no section is named for '{kind}' (codes.py)" for kind in kinds if kind not in ERRORS]
    problems += [f"{PAGE} has no section '{name}'" for name in sorted(set(ERRORS.values())) if name not in found]
    everything, count = strings(root), 0
    for line, message in quoted_messages(path):
        count += 1
        if not has_message(everything, message):
            problems.append(f"{PAGE}:{line}: no message reads '{message}' any more")
    for text in problems:
        print(text, file=sys.stderr)
    print(f"{sum(map(len, codes(root).values()))} codes, {count} messages")
    sys.exit(1 if problems or not count else 0)
