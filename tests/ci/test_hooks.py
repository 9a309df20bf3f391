#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci/hooks/pre-push in a repository that is pushed from.

usage: test_hooks.py PPROFGATE ROOT NAME|all      (exit status 77, "skipped", where git is not installed)
"""
import pathlib
import shutil
import subprocess
import sys

from scratch import expect, played, same, skip

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "trial"))
from repository import fake_repository  # noqa: E402  (a repository whose program costs what its file `cost` says)

GATE = ROOT = None


class Pushed:
    """A repository with the hook, and one that it pushes to."""

    def __init__(self, folder, hook=True):
        if shutil.which("git") is None:
            skip("git is not installed")
        self.repository = fake_repository(GATE, folder)
        self.folder = self.repository.folder
        bare = pathlib.Path(folder) / "bare"
        subprocess.run(["git", "init", "-q", "--bare", bare], check=True)
        self.repository.git("remote", "add", "origin", str(bare))
        self.repository.git("push", "-q", "origin", "main")
        self.repository.git("checkout", "-q", "-b", "change")
        if hook:
            target = self.folder / ".git/hooks/pre-push"
            target.parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / "ci/hooks/pre-push", target)

    def push(self, *words, status, **env):
        result = subprocess.run(["git", "push", "-q", "origin", *words], cwd=self.folder, capture_output=True, text=True,
                                env={**self.repository.environment, "PPROFGATE_BIN": GATE, **env}, check=False, timeout=240)
        log = result.stdout + result.stderr
        if (result.returncode == 0) != (status == 0):
            sys.exit(f"the push ended with {result.returncode}\n{log}")
        return log

    def cost(self, text):
        self.repository.write("cost", f"{text}\n")
        return self.repository.commit(f"costs {text}")

    def heads(self):
        return sorted(self.repository.git("ls-remote", "--heads", "origin").split()[1::2])


def test_push(folder):
    """What gets worse is not pushed, what does not is, and each commit is tried once."""
    pushed = Pushed(folder)
    pushed.cost(1500)
    log = pushed.push("change", status=1)
    expect(log, "FAIL", "slow", "breaks a budget; 'git push --no-verify'")
    same(pushed.heads(), ["refs/heads/main"])
    pushed.push("--no-verify", "change", status=0)
    same(pushed.heads(), ["refs/heads/change", "refs/heads/main"])
    pushed.cost(100)
    log = pushed.push("change", "change:again", status=0)
    same(log.count("PASS"), 1, log)
    same(pushed.heads(), ["refs/heads/again", "refs/heads/change", "refs/heads/main"])


def test_nothing_to_try(folder):
    """Tags, branches that are removed, and what the base has already are pushed without a try."""
    pushed = Pushed(folder)
    pushed.repository.git("tag", "v1")
    broken = {"PPROFGATE_BIN": "/bin/false"}
    pushed.push("v1", "main:copy", status=0, **broken)
    pushed.push(":copy", status=0, **broken)
    pushed.cost(110)
    pushed.push("change", status=1, **broken)


def test_not_decided(folder):
    """No base, or a program that does not build: nothing was decided, and that is said."""
    pushed = Pushed(folder)
    pushed.cost(110)
    expect(pushed.push("change", status=1, PPROFGATE_BASE="nowhere"), "'nowhere' is no branch to compare with")
    pushed.repository.write("run.sh", "exit 1\n", executable=True)
    pushed.repository.commit("does not run")
    expect(pushed.push("change", status=1), "nothing was decided")


if __name__ == "__main__":
    played(globals(), str)
