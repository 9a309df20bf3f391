# SPDX-License-Identifier: Apache-2.0
"""A page of the book as its tests see it: fenced blocks with the directives before them, headings, links, inline code.

A directive is an HTML comment of its own, right before the block that it is about (preparations: anywhere before); readers of the rendered page do not see it:

  <!-- prepare: COMMANDS -->     run first, in the page's folder; $FIXTURES and $ROOT are set
  <!-- exit: N -->               the exit status of the block (0 where nothing is said)
  <!-- file: NAME -->            the block is a file of that name
  <!-- shows: COMMAND -->        the block is what this prints (and not what the sh block before it does)
  <!-- synopsis -->              the block says how a command is written: its options have to exist
  <!-- not run: REASON -->       the block cannot run here; the reason is one of REASONS in whole.py
  <!-- not rules: WHAT -->       the YAML is not a rules file
  <!-- serve: ADDRESS SIDE -->   a server on loopback stands for this address in all commands (replay.py); SIDE may be "store"
  <!-- needs: TOOL ... -->       without these programs CMake does not register the test of the page
  <!-- site: MARKDOWN -->        a paragraph that only the documentation's site has (packaging/site); about no block
"""
import pathlib
import re
import unicodedata

DIRECTIVE = re.compile(r"^<!-- (prepare|exit|file|shows|synopsis|not run|not rules|serve|needs)(?:: ?(.*?))? ?-->$", re.S)
FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})\s*([\w-]*)(.*)$")

# Indented blocks may be formulas, and never commands.
COMMAND = re.compile(r"^(?: {4,}|\t)(?:pprofgate|cmake|ctest|bash|perf|valgrind|go|node|npm|pip|cargo|git|for|\.?/?[\w-]+/[\w./-]+)"
                     r"(?: |$)")


class Block:
    def __init__(self, line, language, directives):
        self.line, self.language, self.directives, self.lines = line, language, directives, []
        self.last = line

    @property
    def text(self):
        return "".join(f"{line}\n" for line in self.lines)

    def get(self, name):
        """The last one of that name, or None."""
        return next((value for key, value in reversed(self.directives) if key == name), None)


class Page:
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.source = self.path.read_text(encoding="utf-8")
        self.blocks, self.directives, self.prose, self.problems = [], [], [], []
        self._read(self.source.split("\n"))

    def _read(self, lines):
        waiting, at = [], 0
        while at < len(lines):
            line, number = lines[at], at + 1
            fence = FENCE.match(line)
            if fence:
                block = Block(number, fence[3], waiting)
                at += 1
                while at < len(lines) and not lines[at].strip().startswith(fence[2]):
                    block.lines.append(lines[at][len(fence[1]):] if lines[at].startswith(fence[1]) else lines[at])
                    at += 1
                block.last = at + 1
                self.blocks.append(block)
                waiting = []
            elif line.startswith("<!--"):
                comment = line
                while "-->" not in comment and at + 1 < len(lines):
                    at += 1
                    comment += "\n" + lines[at]
                found = DIRECTIVE.match(comment.strip())
                if found:
                    waiting.append((found[1], found[2] or ""))
                    self.directives.append((number, found[1], found[2] or ""))
                elif re.match(r"<!-- *[a-z ]+(:|-->)", comment) and not comment.startswith("<!-- site: "):
                    self.problems.append((number, f"'{comment.splitlines()[0]}' is no directive (tests/docs/page.py)"))
            else:
                if line.strip() and waiting and not self._may_precede(waiting):
                    self.problems.append((number, f"the directive '{waiting[-1][0]}' is not right before its block"))
                    waiting = []
                self.prose.append((number, line))
            at += 1
        for number, line in self.prose:
            if COMMAND.match(line) and self._is_code(number):
                self.problems.append((number, "an indented block of commands: fence it, so that it is run"))

    @staticmethod
    def _may_precede(waiting):
        """What is about the whole page may stand anywhere."""
        return all(name in ("serve", "needs", "prepare") for name, _ in waiting)

    def _is_code(self, number):
        """An indented line is code after an empty line that no list goes before."""
        lines = self.source.split("\n")[:number - 1]
        if not lines or lines[-1].strip():
            return False
        for line in reversed(lines):
            if line.strip() and not line.startswith(" "):
                return not re.match(r"[-*+]|\d+\.", line)
        return True

    def anchors(self):
        found = {}
        for _, line in self.prose:
            heading = re.match(r"#+ +(.*?)#* *$", line)
            if heading:
                anchor = slug(heading[1])
                again = found.get(anchor, 0)
                found[anchor] = again + 1
                if again:
                    found[f"{anchor}-{again}"] = 1
            for name in re.findall(r'<a (?:id|name)="([^"]+)"', line):
                found[name] = 1
        return set(found)

    def links(self):
        """(line, target) of each link and picture."""
        for number, line in self.prose:
            for target in re.findall(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)", re.sub(r"`[^`]*`", "", line)):
                yield number, target
            for target in re.findall(r'(?:src|href)="([^"]+)"', line):
                yield number, target

    def inline_code(self):
        text = "\n".join(line for _, line in self.prose)
        for found in re.finditer(r"(`+)(.+?)\1", text, re.S):
            yield self.prose[text.count("\n", 0, found.start())][0], " ".join(found[2].split())


def slug(heading):
    """The anchor of a heading, as code hosts make it."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    kept = "".join(c for c in text if c in " -_" or unicodedata.category(c)[0] in "LN")
    return kept.replace(" ", "-")
