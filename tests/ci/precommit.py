#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The hooks of .pre-commit-hooks.yaml, installed by pre-commit from a clone of this repository, as a push runs them.

usage: precommit.py PPROFGATE ROOT PRE_COMMIT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import test_hooks
from scratch import expect, git, same

CONFIG = """
repos:
  - repo: {hooks}
    rev: {revision}
    hooks:
      - id: pprofgate-try-system
        args: [origin/main, --rounds, '4', --on-inconclusive, warn, --quiet]
"""


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    gate, root, tool = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
    test_hooks.GATE, test_hooks.ROOT = gate, root
    with tempfile.TemporaryDirectory(prefix="pprofgate-precommit.") as folder:
        hooks = pathlib.Path(folder, "hooks")
        hooks.mkdir()
        shutil.copy(root / ".pre-commit-hooks.yaml", hooks)
        git(hooks, "init", "--quiet", "--initial-branch", "main")
        git(hooks, "add", "--all")
        git(hooks, "commit", "--quiet", "--message", "hooks")
        pushed = test_hooks.Pushed(folder, hook=False)
        text = CONFIG.format(hooks=hooks, revision=git(hooks, "rev-parse", "HEAD"))
        pushed.repository.write(".pre-commit-config.yaml", text)
        env = {"PATH": f"{os.path.dirname(gate)}:{os.environ['PATH']}", "PRE_COMMIT_HOME": os.path.join(folder, "home")}
        subprocess.run([tool, "install", "--hook-type", "pre-push"], cwd=pushed.folder, check=True, capture_output=True,
                       env={**pushed.repository.environment, **env})
        pushed.cost(1500)
        expect(pushed.push("change", status=1, **env), "FAIL", "slow", "profiles do not get worse")
        same(pushed.heads(), ["refs/heads/main"])
        pushed.cost(100)
        expect(pushed.push("change", status=0, **env), "PASS")
        same(pushed.heads(), ["refs/heads/change", "refs/heads/main"])
    print("ok: pre-commit")


if __name__ == "__main__":
    main()
