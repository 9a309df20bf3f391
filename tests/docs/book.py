#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what README.md and docs/ tell: every block of commands in a fresh folder, its output compared with what is shown.

usage: book.py PPROFGATE ROOT page PAGE      each fenced block of one page (directives: page.py)
       book.py PPROFGATE ROOT links          links and anchors of all pages; no page that the contents leave out
       book.py PPROFGATE ROOT options        commands and options that are named in the text exist
       book.py PPROFGATE ROOT not-run        what is not run, by reason; an unknown reason fails
       book.py PPROFGATE ROOT messages       docs/messages.md has every code of the tables in the sources (codes.py)
       book.py PPROFGATE ROOT rows           formats, reports, guards, limits, measures and options are in their page (rows.py)

A page goes on from block to block in one folder, as its reader does. In shown output a line of … stands for any number
of lines, and … within a line for any text. GATE_UPDATE=1 writes what came in place of what is shown, without any ….
PPROFGATE_BOOK_CACHE is the folder that keeps what preparations get from elsewhere.
"""
import difflib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import codes  # noqa: E402
import page as pages  # noqa: E402
import replay  # noqa: E402
import rows  # noqa: E402
import whole  # noqa: E402

LONGEST = 300  # maximum seconds for a block, in case it hangs
OTHERS_OPTIONS = {"--cpu-prof", "--format", "--full-filenames", "--gil", "--delete", "--total", "--kernel", "--exclude",
                  "--no-git", "--profile", "--omit", "--user", "--inline", "--gecko", "--collapsed",
                  "--binary", "--jsonl", "--pprofgate-update", "--pprofgate-inconclusive", "--use-virtual-time"}
BASH = ["bash", "-euo", "pipefail", "-c"]


class Reader:
    """Somebody who follows a page from its first line on: a folder, a terminal, servers to ask."""

    def __init__(self, gate, root, page):
        self.root, self.page, self.failed = root, page, []
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="pprofgate-book."))
        self.place = self.top / "shop"
        self.place.mkdir()
        (self.top / "bin").mkdir()
        (self.top / "bin/pprofgate").symlink_to(gate)
        self.said, self.status, self.groups, self.servers, self.addresses = None, 0, [], [], {}
        self.environment = self._environment()

    def _environment(self):
        kept = {key: value for key, value in os.environ.items()
                if not re.match(r"GITHUB_|GITLAB_|CI|BUILD_|PPROFGATE_|RUNNER_|MAKE|CMAKE_|CTEST_|NO_COLOR", key)}
        cache = {}
        if shutil.which("go"):
            cache["GOCACHE"] = subprocess.run(["go", "env", "GOCACHE"], capture_output=True, text=True,
                                              check=False).stdout.strip()
        git = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "Reader"), ("EMAIL", "reader@example.com"))}
        return {**kept, **cache, **git, "PATH": f"{self.top}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
                "no_proxy": "127.0.0.1,localhost",
                "COLUMNS": "80", "GIT_CONFIG_GLOBAL": "/dev/null", "XDG_CACHE_HOME": str(self.top / "cache"),
                "PPROFGATE_BACKOFF_MS": "20", "FIXTURES": str(self.root / "fixtures"), "ROOT": str(self.root),
                "BOOK_ENV": str(self.top / "env"), "BOOK_CACHE": os.environ.get("PPROFGATE_BOOK_CACHE", str(self.top / "kept"))}

    def serve(self, address, side):
        self.addresses[address], end = replay.serve(self.root, side)
        self.servers.append(end)

    def run(self, commands):
        for told, real in self.addresses.items():
            commands = commands.replace(told, real)
        told = f'test ! -f "$BOOK_ENV" || . "$BOOK_ENV"\n{commands}'
        with subprocess.Popen(BASH + [told], cwd=self.place, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
            self.groups.append(process.pid)
            try:
                said = process.communicate(timeout=LONGEST)[0].decode("utf-8", "replace")
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                said = process.communicate()[0].decode("utf-8", "replace") + f"\nnot done within {LONGEST} s\n"
        for told, real in self.addresses.items():
            said = said.replace(real, told)
        return process.returncode, said

    def end(self):
        """What a block left running in its own process group ends with the page."""
        for stop in self.servers:
            stop()
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        for path in self.top.rglob("*"):  # module caches are read-only
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o755)
        shutil.rmtree(self.top, ignore_errors=True)


def as_pattern(shown):
    """Shown output as an expression: … elides."""
    out = []
    for line in shown.rstrip("\n").split("\n"):
        if line.strip() == "…":
            out.append(r"(?:.*\n)*?")
        else:
            out.append(".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n")
    return re.compile("".join(out))


def compare(block, said, problems):
    said = "\n".join(line.rstrip() for line in said.rstrip("\n").split("\n")) + "\n"
    if as_pattern(block.text).fullmatch(said):
        return None
    if os.environ.get("GATE_UPDATE") == "1" and os.environ.get("CI") is None:
        return said.rstrip("\n").split("\n")
    difference = difflib.unified_diff(block.text.splitlines(), said.splitlines(), "shown", "printed", lineterm="")
    problems.append((block.line, "the output is another:\n" + "\n".join(difference)))
    return None


def expected_exit(block):
    return int(block.get("exit") or 0)


def do_commands(reader, block, problems):
    commands = block.text
    status, said = reader.run(commands)
    if status != expected_exit(block):
        problems.append((block.line, f"exit status {status}, and {expected_exit(block)} was expected, of\n{commands}{said}"))
    reader.said = said


def do_output(reader, block, problems):
    command = block.get("shows")
    if command is not None:
        status, said = reader.run(command)
        if status != expected_exit(block):
            problems.append((block.line, f"'{command}' ends with {status}:\n{said}"))
    elif reader.said is None:
        problems.append((block.line, "a block of text after no command: what is it (page.py)?"))
        return None
    else:
        said = reader.said
    return compare(block, said, problems)


def do_rules(reader, block, problems):
    text = block.text
    if not re.search(r"^version:", text, re.M):
        budgets = "" if re.search(r"^(budgets|extends):", text, re.M) else "extends: recommended\n"
        text = f"version: 1\n{budgets}{text}"
    name = block.get("file") or "block.yml"
    if block.get("file"):
        (reader.place / name).write_text(block.text, encoding="utf-8")
    status, said = reader.run(f"pprofgate validate - <<'END_OF_RULES'\n{text}END_OF_RULES\n")
    if status != expected_exit(block):
        problems.append((block.line, f"'validate' ends with {status}:\n{said}"))


def is_parsed(block, problems):
    if block.language == "json":
        import json
        try:
            json.loads(block.text)
        except ValueError as error:
            problems.append((block.line, f"not JSON: {error}"))
    if block.language in ("yaml", "yml"):
        try:
            import yaml
        except ImportError:
            return
        try:
            list(yaml.safe_load_all(block.text))
        except yaml.YAMLError as error:
            problems.append((block.line, f"not YAML: {error}"))


def do_synopsis(reader, block, problems):
    problems += [(block.line, text) for text in unknown_options(reader, block.text)]


def do_file(reader, block):
    path = reader.place / block.get("file")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(block.text, encoding="utf-8")


def do(reader, block, problems):
    """Returns the lines that should be shown, where others are."""
    for key, value in block.directives:
        if key == "prepare":
            status, said = reader.run(value)
            if status != 0:
                problems.append((block.line, f"what prepares the block ends with {status}:\n{value}\n{said}"))
                return None
    is_parsed(block, problems)
    if block.get("not run") is not None:
        return None
    if block.get("synopsis") is not None:
        do_synopsis(reader, block, problems)
    elif block.language == "text":
        return do_output(reader, block, problems)
    elif block.language == "sh":
        do_commands(reader, block, problems)
    elif block.language in ("yaml", "yml") and block.get("not rules") is None:
        do_rules(reader, block, problems)
    elif block.get("file"):
        do_file(reader, block)
    elif block.language not in ("json", "yaml", "yml"):
        problems.append((block.line, f"a block of '{block.language}' that nothing tests: sh, text, file or not run (page.py)"))
    return None


def write_updates(page, updates):
    lines = page.source.split("\n")
    for block, shown in sorted(updates, key=lambda one: -one[0].line):
        lines[block.line:block.last - 1] = shown
    page.path.write_text("\n".join(lines), encoding="utf-8")


def test_page(gate, root, name):
    page = pages.Page(root / name)
    problems, updates, reader = list(page.problems), [], Reader(gate, root, page)
    try:
        for _, key, value in page.directives:
            if key == "serve":
                reader.serve(*value.split())
        for block in page.blocks:
            shown = do(reader, block, problems)
            if shown is not None:
                updates.append((block, shown))
    finally:
        reader.end()
    write_updates(page, updates)
    report(name, problems)
    ran = [block for block in page.blocks if block.language == "sh" and block.get("not run") is None]
    print(f"ok: {len(page.blocks)} blocks, {len(ran)} of commands run")


def report(name, problems):
    for line, text in problems:
        print(f"{name}:{line}: {text}", file=sys.stderr)
    if problems:
        sys.exit(1)


class Options:
    """What each command understands, by its own help."""

    def __init__(self, gate):
        self.gate, self.known = gate, {}

    def run(self, commands):
        done = subprocess.run(BASH + [commands], capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": f"{pathlib.Path(self.gate).parent}:{os.environ['PATH']}"})
        return done.returncode, done.stdout + done.stderr

    def of(self, command):
        if command not in self.known:
            status, said = self.run(f"pprofgate help {command} --all")
            self.known[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", said)) | {"--help"} if status == 0 else None
        return self.known[command]

    def commands(self):
        return re.findall(r"^  ([a-z]+)  ", self.run("pprofgate --help")[1], re.M)

    def baseline_commands(self):
        return re.findall(r"^  ([a-z]+)  ", self.run("pprofgate baseline --help")[1], re.M)


def unknown_options(runner, text):
    """Complaints about `pprofgate COMMAND --option` in the text, each up to its end of line."""
    options = Options.__new__(Options)
    options.known, options.run = {}, runner.run
    joined = re.sub(r"\\\n\s*", "", text)
    for told in re.findall(r"(?<![\w./-])pprofgate +([a-z]+(?: (?:accept|list|show|prune)\b)?)([^\n|;]*)", joined):
        known = options.of(told[0])
        if known is None:
            yield f"'pprofgate {told[0]}' is no command"
            continue
        for option in re.findall(r"(?<![\w=-])--?[a-z][\w-]*", told[1].split("#")[0]):
            if option not in known:
                yield f"'pprofgate {told[0]}' has no option '{option}'"


def test_options(gate, root):
    options, problems = Options(gate), []
    names = options.commands() + [f"baseline {name}" for name in options.baseline_commands()]
    everything = set().union(*(options.of(name) for name in names), OTHERS_OPTIONS, {"--version"})
    for path in whole.tested_pages(root):
        for line, code in pages.Page(path).inline_code():
            where = f"{path.relative_to(root)}:{line}"
            problems += [f"{where}: {text}" for text in unknown_options(options, code) if not code.startswith("PPROF")]
            if re.match(r"--[a-z]", code) and code.split()[0].split("=")[0] not in everything:
                problems.append(f"{where}: no command has the option '{code.split()[0]}'")
    for text in problems:
        print(text, file=sys.stderr)
    sys.exit(1 if problems else 0)


def main():
    if len(sys.argv) < 4 or (sys.argv[3] == "page") != (len(sys.argv) == 5):
        sys.exit(__doc__)
    gate, root, what = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    if what == "page":
        test_page(gate, root, sys.argv[4])
    elif what == "links":
        whole.test_links(root)
    elif what == "options":
        test_options(gate, root)
    elif what == "not-run":
        whole.test_not_run(root)
    elif what == "messages":
        codes.test(root)
    elif what == "rows":
        rows.test(Options(gate), root)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
