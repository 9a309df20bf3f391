# SPDX-License-Identifier: Apache-2.0
"""Repositories that tests of `pprofgate try` are made on, and what must not change in them."""
import os
import pathlib
import socket
import subprocess
import sys
import textwrap
import time

PATIENCE = 240  # seconds that anything may take on a busy machine
RULES = """
version: 1
budgets:
  - {name: no function takes over, measure: charged, limit: +20pp, max_mde: 60pp}
"""


class Repository:
    """A git repository with a cache of its own; `gate` runs pprofgate in it."""

    def __init__(self, gate, folder):
        self.gate, self.folder = gate, pathlib.Path(folder) / "repo with space"
        self.cache = pathlib.Path(folder) / "cache"
        self.folder.mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache), "GIT_CONFIG_GLOBAL": "/dev/null",
                            "GIT_CONFIG_SYSTEM": "/dev/null", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GIT_OPTIONAL_LOCKS": "0"}
        for name in [name for name in self.environment if name.startswith(("GITHUB_", "GITLAB_", "PPROFGATE_"))]:
            del self.environment[name]
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "test")
        self.git("config", "user.email", "test@localhost")

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.folder, env=self.environment, check=True, capture_output=True,
                              text=True).stdout

    def write(self, name, text, executable=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        if executable:
            path.chmod(0o755)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD").strip()

    def start(self, *words, cwd=None):
        return subprocess.Popen([self.gate, *words], cwd=cwd or self.folder, env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self, *words, expect=None, cwd=None):
        process = self.start(*words, cwd=cwd)
        out, err = process.communicate(timeout=PATIENCE)
        if expect is not None and process.returncode not in (expect if isinstance(expect, tuple) else (expect,)):
            sys.exit(f"{' '.join(words)} ends with {process.returncode}, expected {expect}\n{out}\n{err}")
        return out, err

    def state(self):
        """Everything of the user's that must not change."""
        files = {}
        for path in sorted((self.folder / ".git").rglob("*")):
            if path.is_file():
                files[str(path)] = path.read_bytes()
        return [files, *(self.git(*words) for words in (
            ("status", "--porcelain", "--ignored"), ("stash", "list"), ("for-each-ref",), ("worktree", "list"),
            ("config", "--list", "--local"), ("count-objects", "-v"), ("reflog",)))]

    def processes(self):
        """Command lines that speak of this test's folders."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                place = os.readlink(entry / "cwd")
            except OSError:
                continue
            if entry.name != str(os.getpid()) and (str(self.cache) in words or str(self.cache) in place):
                found.append(words)
        return found


def check(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def untouched(repository, before, what):
    after = repository.state()
    for one, other in zip(before, after):
        if one != other:
            changed = one
            if isinstance(one, dict):
                changed = [name for name in {**one, **other} if one.get(name) != other.get(name)]
            sys.exit(f"{what}: changed in the user's repository: {changed}\n{other if isinstance(other, str) else ''}")
    for _ in range(50):
        if not repository.processes():
            return
        time.sleep(0.1)
    sys.exit(f"{what}: these are left: {repository.processes()}")


def wait_for(path, process):
    until = time.monotonic() + PATIENCE
    while not path.exists():
        if process.poll() is not None or time.monotonic() > until:
            sys.exit(f"{path} never came: {process.communicate()}")
        time.sleep(0.02)


# ---- a program that needs no tools --------------------------------------------------------------------------------

FAKE = """
#!/bin/sh
# A profiler's stand-in: collapsed stacks of a program whose cost is written beside it.
cost=$(cat cost)
echo "main;work;busy $((1000 + PPROFGATE_ROUND + ${#PPROFGATE_SIDE}))
main;work;slow $cost
main;idle $((500 - PPROFGATE_ROUND))" >"${PPROFGATE_PROFILE:?}"
echo "requests: 1,000"
"""


def fake_repository(gate, folder, settings=""):
    repository = Repository(gate, folder)
    repository.write("run.sh", FAKE, executable=True)
    repository.write("cost", "100\n")
    repository.write(".gitignore", "ignored\n")
    repository.write(".pprofgate.yml", RULES)
    with open(repository.folder / ".pprofgate.yml", "a", encoding="utf-8") as file:
        file.write("try:\n  build: test -f run.sh\n  run: ./run.sh\n  rounds: 3\n  work: 'requests: ([\\d,]+)'\n" + settings)
    repository.commit("good")
    return repository


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
