# SPDX-License-Identifier: Apache-2.0
"""Each format, report, guard, limit kind, measure and option of the program has a row, or a mention, in its page."""
import pathlib
import re
import sys

import codes
import page as pages

FORMATS, REPORTS, RULES = "docs/formats.md", "docs/report.md", "rules/README.md"


def prose(root, page):
    return [line for _, line in pages.Page(root / page).prose]


def first_cells(root, page, heading):
    """First cells of the tables below `heading`, without the header."""
    lines = prose(root, page)
    start = lines.index(heading) + 1 if heading in lines else sys.exit(f"{page} has no heading '{heading}'")
    found = []
    for line, after in zip(lines[start:], lines[start + 1:] + [""]):
        if line.startswith("#"):
            break
        cell = re.match(r"\| *(.*?) *(?<!\\)\|", line)
        if cell and not after.startswith("| -") and not re.fullmatch(r"[-: ]+", cell[1]):
            found.append(cell[1])
    return found


def listed(options, title):
    """The names after `title:` in what `pprofgate version` prints."""
    found = re.search(rf"^{title}: *(.*)$", options.run("pprofgate version")[1], re.M)
    return found[1].split(", ") if found else []


def missing(page, kind, wanted, found):
    """Return one problem for each name without a row, and for each row without a name."""
    if not wanted:
        yield f"the program lists no {kind}: has its table moved (tests/docs/rows.py)?"
    yield from (f"{page}: no row for the {kind} '{name}'" for name in wanted if name not in found)
    yield from (f"{page}: the program has no {kind} '{name}'" for name in found if name not in wanted)


def format_problems(options, root):
    cells = first_cells(root, FORMATS, "## Containers and formats")
    found = [re.match(r"`([^`]*)`|", cell)[1] for cell in cells]
    yield from missing(FORMATS, "input format", listed(options, "reads"), found)


def report_problems(options, root):
    cells = " ".join(first_cells(root, REPORTS, "## The formats"))
    wanted = listed(options, "writes")
    found = re.findall(r"`--([a-z-]+)`", cells)
    yield from missing(REPORTS, "report format", wanted, [name for name in found if name != "github-annotations"])


def rules_problems(root):
    cells = [cell for line in prose(root, RULES) for cell in re.findall(r"^\| *`([^`]*)`", line)]

    def below(prefix):
        return [cell[len(prefix):] for cell in cells if re.fullmatch(re.escape(prefix) + r"\w+", cell)]

    guards = codes.table(root, "gate/rules/guard_rules.c", "guards[GATE_GUARD_NAMES] = {", r'= \{"(\w+)",')
    yield from missing(RULES, "guard", guards, below("guards."))
    limits = codes.table(root, "gate/rules/limit.c", "gate_limit_rows[GATE_LIMIT_KINDS] = {", r'\.key = "(\w+)"')
    yield from missing(RULES, "limit kind", limits, below("budgets[].limit."))
    measures = codes.table(root, "gate/rules/rules.c", "rows[GATE_BUDGET_MEASURES] = {", r'\.word = "(\w+)"')
    row = [line.split("|")[2] for line in prose(root, RULES) if line.startswith("| `budgets[].measure` |")]
    yield from missing(RULES, "measure", measures, re.findall(r"`(\w+)`", row[0] if row else ""))


def option_names(text):
    """Long options that a command's help lists, without those that are `the same as` another."""
    for match in re.finditer(r"^ {2,6}(?:-\w, )?(--[a-z][\w-]*)(.*(?:\n {10,}.*)?)", text, re.M):
        if not re.search(r"\s{2,}the same as --", match[2]):
            yield match[1]


def option_problems(options, root):
    text = "\n".join(path.read_text(encoding="utf-8") for path in [*sorted((root / "docs").glob("*.md")), root / RULES])
    names = options.commands() + [f"baseline {name}" for name in options.baseline_commands()]
    commands = {}
    for name in names:
        for option in option_names(options.run(f"pprofgate help {name} --all")[1]):
            commands.setdefault(option, []).append(name)
    if len(commands) < len(names):
        yield "the help of the commands lists hardly any option: has its layout changed (tests/docs/rows.py)?"
    for option, users in commands.items():
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", text):
            yield f"no page of docs/ mentions '{option}' of {', '.join(users)}"
    exercised = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in exercising(root))
    for option, users in commands.items():
        if not re.search(rf"(?<![\w-]){option}(?![\w-])", exercised):
            yield f"no test and no example in docs/ uses '{option}' of {', '.join(users)}"


def exercising(root):
    """The files that run the program: tests, cases, and pages whose examples are run."""
    for place, pattern in (("tests", "*.py"), ("tests", "*.sh"), ("tests", "*.c"), ("fixtures/cases", "args"), ("docs", "*.md")):
        for path in sorted((root / place).rglob(pattern)):
            if "node_modules" not in path.parts:
                yield path


def test(options, root):
    root = pathlib.Path(root)
    problems = [*format_problems(options, root), *report_problems(options, root), *rules_problems(root),
                *option_problems(options, root)]
    for text in problems:
        print(text, file=sys.stderr)
    sys.exit(1 if problems else 0)
