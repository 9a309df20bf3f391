#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ci/hooks/pre-push in a repository that is pushed from.

usage: test_hooks.py PPROFGATE ROOT NAME|all
"""
import pathlib
import shutil
import subprocess
import sys

from scratch import expect, played, refuse, same, yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "trial"))
from repository import fake_repository  # noqa: E402  (a repository whose program costs what its file `cost` says)

GATE = ROOT = None


class Pushed:
    """A repository with the hook, and one that it pushes to."""

    def __init__(self, folder, hook=True):
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


def test_regressions_are_not_pushed(folder):
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


def loosened(pushed):
    """A change that gets worse, and that edits the rules so that it would pass by them."""
    rules = pushed.folder / ".pprofgate.yml"
    text = rules.read_text(encoding="utf-8")
    pushed.repository.write(".pprofgate.yml", text.replace("limit: +20pp", "limit: +90pp"))
    refuse(rules.read_text(encoding="utf-8"), "limit: +20pp")
    pushed.cost(1500)
    return text


def test_loosened_rules_do_not_pass(folder):
    """The rules of the commit where the push left its base decide, unless the working tree's are asked for."""
    pushed = Pushed(folder)
    loosened(pushed)
    expect(pushed.push("change", status=1), "FAIL", "slow", "the change edits the rules", "breaks a budget")
    same(pushed.heads(), ["refs/heads/main"])
    expect(pushed.push("change", status=0, PPROFGATE_RULES_FROM="head"), "PASS")


def test_first_rules_decide_with_a_message(folder):
    """Where the base has no rules yet, those of the working tree decide, and that is said."""
    pushed = Pushed(folder)
    text = (pushed.folder / ".pprofgate.yml").read_text(encoding="utf-8")
    (pushed.folder / ".pprofgate.yml").unlink()
    pushed.repository.commit("no rules")
    pushed.push("change:main", status=0, PPROFGATE_BIN="/bin/true")
    pushed.repository.git("fetch", "-q", "origin")
    pushed.repository.write(".pprofgate.yml", text)
    pushed.cost(1500)
    expect(pushed.push("change", status=1), "'origin/main' has no .pprofgate.yml yet", "FAIL", "slow")


def test_pre_commit_hooks_take_the_rules_of_the_base(folder):
    """The command lines of .pre-commit-hooks.yaml, also with arguments of the user's own."""
    pushed = Pushed(folder, hook=False)
    loosened(pushed)
    for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")):
        for words in (hook["args"], ["origin/main", "--rounds", "4", "--quiet"]):
            command = [GATE, *hook["entry"].split()[1:], *words]
            result = subprocess.run(command, cwd=pushed.folder, capture_output=True, text=True, check=False, timeout=240,
                                    env=pushed.repository.environment)
            same(result.returncode, 1, result.stdout + result.stderr)
            expect(result.stdout + result.stderr, "the change edits the rules", "slow")


def test_pushes_without_new_commits_are_not_tried(folder):
    """Tags, branches that are removed, and what the base has already are pushed without a try."""
    pushed = Pushed(folder)
    pushed.repository.git("tag", "v1")
    broken = {"PPROFGATE_BIN": "/bin/false"}
    pushed.push("v1", "main:copy", status=0, **broken)
    pushed.push(":copy", status=0, **broken)
    pushed.cost(110)
    pushed.push("change", status=1, **broken)


def test_undecided_pushes_are_reported(folder):
    """No base, or a program that does not build: nothing was decided, and that is said."""
    pushed = Pushed(folder)
    pushed.cost(110)
    expect(pushed.push("change", status=1, PPROFGATE_BASE="nowhere"), "'nowhere' is no branch to compare with")
    pushed.repository.write("run.sh", "exit 1\n", executable=True)
    pushed.repository.commit("does not run")
    expect(pushed.push("change", status=1), "nothing was decided")


if __name__ == "__main__":
    played(globals(), str)
