# SPDX-License-Identifier: Apache-2.0
"""Small faults in C source text: which there are in a file, and the text with one of them in it.

A fault changes one line and leaves the number of lines as it is. The rules lean on the house style (spaces around
binary operators, a function's brace at the end of its line and its end in the first column), so no parser is needed.
A fault that does not compile is no fault; run finds out.
"""

import random
import re
from dataclasses import dataclass

PER_LINE = 2  # enough to see whether a line is tested, and one long condition does not outweigh a whole function

NEGATED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
SIDES = {
    "GATE_BASELINE": "GATE_CANARY", "GATE_CANARY": "GATE_BASELINE",
    "GATE_SELF": "GATE_CUMULATIVE", "GATE_CUMULATIVE": "GATE_SELF",
    "k1": "k2", "k2": "k1", "n1": "n2", "n2": "n1", "p1": "p2", "p2": "p1", "v1": "v2", "v2": "v1",
}
TYPES = r"(?:const|static|struct|enum|bool|double|int|unsigned|size_t|u?int\d+_t) "  # a declaration cannot be left out
FUNCTION = re.compile(r"^(?:static )?(?:inline )?([a-z_][\w ]*?[\s*]+)(\w+)\(", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One change of one line, columns counted from 0."""

    file: str
    line: int  # from 1
    function: str  # "" outside of any function
    operator: str
    start: int
    end: int
    text: str
    before: str  # the whole line, stripped

    def applied(self, lines):
        """The lines with this fault in them."""
        line = lines[self.line - 1]
        return lines[: self.line - 1] + [line[: self.start] + self.text + line[self.end:]] + lines[self.line:]

    def changed(self, lines):
        """The changed line, stripped."""
        return self.applied(lines)[self.line - 1].strip()


def masked(source):
    """The source with comments, strings and preprocessor lines blanked, every column where it was."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    source = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, source, flags=re.DOTALL)
    return re.sub(r"^#.*$", blank, source, flags=re.MULTILINE)


def functions(mask):
    """Per line the function that it is in, or ""; and per opening line its return type."""
    owner, opens, name, kind = [], {}, "", ""
    pending = None
    for number, line in enumerate(mask.split("\n"), 1):
        match = FUNCTION.match(line)
        if match and not line.rstrip().endswith(";"):
            pending = match.group(2), match.group(1).strip()
        if pending and not name and line.rstrip().endswith("{"):
            name, kind = pending
            opens[number] = kind
            pending = None
        owner.append(name)
        if line.startswith("}"):
            name, pending = "", None
    return owner, opens


def _constants(literal):
    """What a number becomes: twice, half; zero becomes one."""
    if re.fullmatch(r"\d+", literal):
        value = int(literal)
        return [str(value * 2), str(value // 2)] if value else ["1"]
    value = float(literal)
    return [repr(value * 2), repr(value / 2)] if value else ["1.0"]


def _on_line(line):
    """(operator, start, end, text) of every fault within one masked line."""
    for match in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?= )", line):
        yield "compare", match.start(), match.end(), NEGATED[match.group()]
        if match.group() in SHIFTED:
            yield "boundary", match.start(), match.end(), SHIFTED[match.group()]
    for match in re.finditer(r"&&|\|\|", line):
        yield "logic", match.start(), match.end(), "||" if match.group() == "&&" else "&&"
    for match in re.finditer(r"(?<!\w)!(?!=)", line):
        yield "not", match.start(), match.end(), ""
    for match in re.finditer(r"(?<= )([-+*/]=?)(?= )", line):
        yield "arithmetic", match.start(), match.end(), ARITHMETIC[match.group()]
    for match in re.finditer(r"(?:(?<=[(,=?:] )|(?<=[([])|(?<=return ))-(?=[\w(])", line):
        yield "sign", match.start(), match.end(), ""
    for match in re.finditer(r"(?<![\w.])(\d+\.\d+(?:e[-+]?\d+)?|\d+(?:e[-+]?\d+)?)(?![\w.])", line):
        for text in _constants(match.group()):
            yield "constant", match.start(), match.end(), text
    for match in re.finditer(r"\b(true|false)\b", line):
        yield "constant", match.start(), match.end(), "false" if match.group() == "true" else "true"
    for match in re.finditer(r"\b(" + "|".join(SIDES) + r")\b", line):
        yield "side", match.start(), match.end(), SIDES[match.group()]
    for match in re.finditer(r"\b(fmin|fmax)(?=\()", line):
        yield "extreme", match.start(), match.end(), "fmax" if match.group() == "fmin" else "fmin"
    for match in re.finditer(r"\+\+|--", line):
        yield "step", match.start(), match.end(), "--" if match.group() == "++" else "++"
    match = re.fullmatch(r"(\s+)((?=\S)(?!return|goto|case|default|" + TYPES + r")[^{}()]*(?:\(.*\))?[^{}()]*;)", line)
    if match and (re.search(r" [-+*/|&]?= |\w\(|\+\+|--", line) or match.group(2) in ("break;", "continue;")):
        yield "delete", match.start(2), match.end(2), ";"


def _early(kind):
    if kind == "void":
        return ["return;"]
    if kind == "bool":
        return ["return true;", "return false;"]
    if kind in ("double", "uint32_t", "int", "size_t", "uint64_t", "int64_t") or kind.startswith("enum "):
        return ["return 0;"]
    return []


def _bounded(found, key):
    """At most PER_LINE of a line, of as many operators as there are; always the same ones."""
    order = random.Random(key)
    found = sorted(found, key=lambda f: (f.start, f.operator, f.text))
    order.shuffle(found)
    taken, seen = [], {}
    for fault in found:
        seen.setdefault(fault.operator, []).append(fault)
    while len(taken) < PER_LINE and any(seen.values()):
        for faults in seen.values():
            if faults and len(taken) < PER_LINE:
                taken.append(faults.pop())
    return sorted(taken, key=lambda f: (f.start, f.operator, f.text))


def find(file, source, function=None):
    """Every fault of a source file, or of one of its functions, in the order of lines."""
    lines, mask = source.split("\n"), masked(source)
    owner, opens = functions(mask)
    faults = []
    for number, line in enumerate(mask.split("\n"), 1):
        name = owner[number - 1]
        is_constant = re.match(r"(static const|enum \{.*=)", line)
        if (not name and not is_constant) or (function and name != function):
            continue
        text = lines[number - 1]
        # conditions that callers guarantee do not count as branches, as in ci/coverage.py
        if text.strip().startswith("GATE_ASSERT("):
            continue
        if number in opens:
            end = len(text.rstrip())
            changes = [("early", end, end, " " + early) for early in _early(opens[number])]
        else:
            changes = list(_on_line(line))
        found = [Fault(file, number, name, *change, text.strip()) for change in changes]
        faults += _bounded(found, line.strip())
    return faults
