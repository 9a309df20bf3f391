# SPDX-License-Identifier: Apache-2.0
"""The commands of jobs that use a store, and what tests of it expect. Arguments: PPROFGATE ROOT ..."""
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

if len(sys.argv) < 3:
    sys.exit(f"usage: {sys.argv[0]} PPROFGATE ROOT ...")
GATE, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
CPU, CAPTURES = ROOT / "fixtures/go-service/cpu", ROOT / "fixtures/captures"
UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "SOURCE_DATE_EPOCH", "GIT_DIR", "GIT_WORK_TREE",
         "PPROFGATE_WORK_CANARY", "PPROFGATE_WORK_BASELINE")
DAY = 86400


def environment(**more):
    env = {key: value for key, value in os.environ.items() if key not in UNSET}
    env.update(GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_SYSTEM="/dev/null", GIT_CEILING_DIRECTORIES="/",
               LC_ALL="C.UTF-8")
    env.update(more)
    return env


def gate(*words, status=0, **env):
    result = subprocess.run([GATE, *map(str, words)], capture_output=True, text=True, check=False, env=environment(**env))
    if result.returncode != status:
        sys.exit(f"{' '.join(map(str, words))}\nexpected status {status}, found {result.returncode}\n{result.stdout}"
                 f"{result.stderr}")
    return result


def expect(text, *parts):
    flat = " ".join(text.split())
    for part in parts:
        if part not in flat:
            sys.exit(f"expected '{part}' in:\n{text}")


def refuse(text, *parts):
    for part in parts:
        if part in " ".join(text.split()):
            sys.exit(f"expected no '{part}' in:\n{text}")


def same(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}")


def accept(*words, store="store", service="shop", revision="r1", **options):
    return gate("baseline", "accept", "--store", store, "--service", service, "--revision", revision, *words, **options)


def check(*words, store="store", service="shop", revision="change", **options):
    return gate("check", "--store", store, "--service", service, "--revision", revision, *words, **options)


def records(store="store"):
    return sorted(pathlib.Path(store, "records").rglob("*.json"))


def objects(store="store"):
    return sorted(path for path in pathlib.Path(store, "objects").rglob("*") if path.is_file())


def intact(store="store"):
    """Every record is complete, and every object that it names exists and is unchanged."""
    for path in records(store):
        text = path.read_bytes()
        same(path.stem.split("-")[1], hashlib.sha256(text).hexdigest()[:32])
        for run in json.loads(text)["runs"]:
            held = pathlib.Path(store, "objects", run["object"][:2], run["object"]).read_bytes()
            same(hashlib.sha256(held).hexdigest(), run["object"])
    gate("baseline", "list", "--store", store)


def warnings(report):
    return {warning["code"]: warning for warning in json.loads(pathlib.Path(report).read_text())["warnings"]}


def cpu(name):
    return CPU / f"{name}.pb.gz"


def git(*words, folder="."):
    names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
             for what, value in (("NAME", "t"), ("EMAIL", "t@example.com"))}
    result = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True,
                            env=environment(**names))
    return result.stdout.strip()


def commit(text, folder="."):
    git("commit", "-q", "--allow-empty", "-m", text, folder=folder)
    return git("rev-parse", "HEAD", folder=folder)


def repository():
    """first - second - third on main; side branches off at the first."""
    git("init", "-q", "-b", "main")
    revisions = {name: commit(name) for name in ("first", "second", "third")}
    git("checkout", "-q", "-b", "side", revisions["first"])
    revisions["side"] = commit("side")
    git("checkout", "-q", "main")
    return revisions


def main(tests, usage):
    """Run the test that the command line names, of the functions in `tests`, each in a fresh folder."""
    if len(sys.argv) != 4:
        sys.exit(usage)
    names = [name for name in tests if name.startswith("test_")]
    for name in names if sys.argv[3] == "all" else [f"test_{sys.argv[3]}"]:
        with tempfile.TemporaryDirectory(prefix="pprofgate-store.") as work:
            os.chdir(work)
            tests[name]()
            os.chdir(ROOT)
        print(f"ok: {name}")
