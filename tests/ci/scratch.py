# SPDX-License-Identifier: Apache-2.0
"""What the tests of recipes share: a scratch repository with the example service, its profiles, and expectations."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml  # noqa: F401  (of the package python3-yaml; other files import it from here)

UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_WORKSPACE", "CI_PROJECT_DIR",
         "SOURCE_DATE_EPOCH", "GIT_DIR", "GIT_WORK_TREE", "PPROFGATE_WORK_CANARY", "PPROFGATE_WORK_BASELINE")


# Rules that the regression of fixtures/go-service passes by, since no budget fails.
LOOSE = "version: 1\nextends: recommended\nguards: {toothless: off}\nbudgets:\n" + "".join(
    f"  - {{name: {name}, severity: warn}}\n" for name in ("no function takes over", "no function doubles"))


def environment(**more):
    env = {key: value for key, value in os.environ.items() if key not in UNSET}
    env.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_CEILING_DIRECTORIES="/",
               LC_ALL="C.UTF-8", GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.com", GIT_COMMITTER_NAME="a",
               GIT_COMMITTER_EMAIL="a@example.com", **more)
    return env


def played(tests, place=lambda work: work):
    """What a file of tests does, `tests` being its globals: PPROFGATE ROOT NAME|all set its GATE and ROOT, and the test of
    that name runs in a folder of its own, which `place` makes of the scratch folder."""
    if len(sys.argv) != 4:
        sys.exit(tests["__doc__"])
    tests["GATE"], tests["ROOT"], name = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    for key in [key[5:] for key in tests if key.startswith("test_")] if name == "all" else [name]:
        with tempfile.TemporaryDirectory(prefix="pprofgate-ci.") as work:
            tests[f"test_{key}"](place(pathlib.Path(os.path.realpath(work))))
            print(f"ok: {key}")


def expect(text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"expected {part!r} in:\n{text}")


def refuse(text, *parts):
    for part in parts:
        if part in text:
            sys.exit(f"expected no {part!r} in:\n{text}")


def same(found, expected, where=""):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}\n{where}")


def git(folder, *words):
    result = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=False, env=environment())
    if result.returncode != 0:
        sys.exit(f"git {' '.join(words)}: {result.stderr}")
    return result.stdout.strip()


def commit(folder, message):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def repository(root, folder):
    """The example service as a repository of its own: main, and a change to main.priceRound checked out on top of it.
    Returns the commits of both, and the line that the change is at."""
    folder = pathlib.Path(folder)
    shutil.copytree(root / "examples/service", folder)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    (folder / ".gitignore").write_text("profiles/\npprofgate-report/\n.baselines/\n", encoding="utf-8")
    base = commit(folder, "the service")
    git(folder, "checkout", "--quiet", "-b", "change")
    source = folder / "checkout.go"
    lines = source.read_text(encoding="utf-8").split("\n")
    begin = next(at for at, text in enumerate(lines) if text.startswith("func priceRound("))
    lines.insert(begin + 2, "\t_ = 1 // planted by the change")
    source.write_text("\n".join(lines), encoding="utf-8")
    return base, commit(folder, "a change"), begin + 3


def profiles(root, folder, name, kind="cpu", count=3):
    """The first `count` runs of `name` of the Go service, as profiles/ of the repository."""
    target = pathlib.Path(folder)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for run in range(1, count + 1):
        shutil.copy(root / f"fixtures/go-service/{kind}/{name}-{run}.pb.gz", target)
    return target
