#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The GitLab component, run by gitlab-ci-local with its shell executor on a scratch repository: accepted on main, and a
merge request that fails, passes, cannot be decided, and is an error.

usage: gitlab.py PPROFGATE ROOT GITLAB_CI_LOCAL
"""
import functools
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading

from scratch import LOOSE, commit, environment, expect, git, profiles, refuse, repository, same

GATE = ROOT = LOCAL = None
USER = """
include:
  - local: templates/pprofgate.yml
    inputs: %s
stages: [build, test]
take profiles:
  stage: build
  script: cp -R taken profiles
  artifacts: {paths: [profiles/]}
"""


def pipeline(repo, inputs, state="PASS", source="merge_request_event", validated=False):
    """The log of a pipeline whose gate is to end as PASS, FAIL or WARN (a failure that is allowed), or as None: the
    pipeline is refused."""
    given = {"profiles-job": "take profiles", "service": "shop", "binary": GATE, **inputs}
    (repo / ".gitlab-ci.yml").write_text(USER % json.dumps(given), encoding="utf-8")
    shutil.rmtree(repo / "profiles", ignore_errors=True)
    shutil.rmtree(repo / "pprofgate-report", ignore_errors=True)
    commit(repo, "the pipeline")
    words = ["--force-shell-executor", "--no-shell-isolation", "--variable", f"CI_PIPELINE_SOURCE={source}"]
    words += ["--variable", f"CI_MERGE_REQUEST_DIFF_BASE_SHA={git(repo, 'rev-parse', 'main')}"]
    words += [] if validated else ["--no-json-schema-validation"]
    result = subprocess.run([LOCAL, *words], cwd=repo, capture_output=True, text=True, check=False, timeout=120,
                            env=environment(HOME=str(repo.parent), NO_COLOR="1"))
    log = result.stdout + result.stderr
    found = [word for word, job in re.findall(r"^ (PASS|WARN|FAIL)  (\S.*?) *$", log, re.M) if job.startswith("pprofgate")]
    same(found, [] if state is None else [state], log)
    if state is None and result.returncode == 0:
        sys.exit(f"expected a refusal\n{log}")
    return log


def begin(work):
    repo = work / "repo"
    repository(ROOT, repo)
    shutil.copytree(ROOT / "templates", repo / "templates")
    with (repo / ".gitignore").open("a", encoding="utf-8") as stream:
        stream.write(".gitlab-ci-local/\n")
    git(repo, "remote", "add", "origin", "git@gitlab.invalid:team/shop.git")
    git(repo, "checkout", "--quiet", "main")
    return repo


def reports(repo):
    """The files that artifacts:reports names are there, and are what GitLab reads."""
    folder = repo / "pprofgate-report"
    found = json.loads((folder / "codequality.json").read_text(encoding="utf-8"))
    link = json.loads((folder / "annotations.json").read_text(encoding="utf-8"))["pprofgate"][0]["external_link"]
    same(link["label"], "diff flame graph")
    expect(link["url"], "/artifacts/file/pprofgate-report/report.html")
    expect((folder / "metrics.txt").read_text(encoding="utf-8"), "# EOF\n")
    expect((folder / "junit.xml").read_text(encoding="utf-8"), "<testsuite")
    return found


def accept(repo):
    """On main: the first is accepted as first, the next build is checked and accepted."""
    profiles(ROOT, repo / "taken", "baseline")
    log = pipeline(repo, {}, source="push", validated=True)
    expect(log, "FIRST")
    profiles(ROOT, repo / "taken", "benign")
    log = pipeline(repo, {}, source="push")
    expect(log, "PASS", "accepted")
    same(len(list((repo / ".baselines").rglob("records/shop/default/*.json"))), 2)
    profiles(ROOT, repo / "taken", "regression")
    log = pipeline(repo, {}, source="push", state="FAIL")
    expect(log, "main.priceRound")
    same(len(list((repo / ".baselines").rglob("records/shop/default/*.json"))), 2)
    git(repo, "reset", "--quiet", "--hard", "HEAD^")


def change(repo):
    """Of merge requests: fail, pass, inconclusive, and an error, each as GitLab shows it."""
    git(repo, "checkout", "--quiet", "-B", "change")
    profiles(ROOT, repo / "taken", "regression")
    log = pipeline(repo, {}, "FAIL")
    expect(log, "FAIL", "main.priceRound")
    issue = reports(repo)[0]
    same((issue["severity"], issue["location"]), ("critical", {"path": "checkout.go", "lines": {"begin": 121}}))
    rules = (repo / ".pprofgate.yml").read_text(encoding="utf-8")
    (repo / ".pprofgate.yml").write_text(LOOSE, encoding="utf-8")
    expect(pipeline(repo, {}, "FAIL"), "the change edits the rules", "main.priceRound")
    pipeline(repo, {"rules-from": "head"})
    (repo / ".pprofgate.yml").write_text(rules, encoding="utf-8")
    profiles(ROOT, repo / "taken", "speedup")
    expect(pipeline(repo, {}), "PASS")
    same(reports(repo), [])  # nothing warns of an improvement
    undecided(repo)
    log = pipeline(repo, {"baseline": "taken-before"}, "WARN")
    expect(log, "INCONCLUSIVE")
    pipeline(repo, {"baseline": "taken-before", "on-inconclusive": "fail"}, "FAIL")
    log = pipeline(repo, {"baseline": "no-such-folder"}, "FAIL")
    expect(log, "no-such-folder")
    same((repo / "pprofgate-report/annotations.json").exists(), False)


def undecided(repo):
    for name, source in (("taken-before", "good"), ("taken", "good-canary")):
        shutil.rmtree(repo / name, ignore_errors=True)
        (repo / name).mkdir()
        shutil.copy(ROOT / f"fixtures/bad/{source}.pb.gz", repo / name / "1.pb.gz")


def inputs(repo):
    """More arguments and odd values are data; values that an input does not allow are refused."""
    hostile = "$(touch pwned) `touch pwned` ; touch pwned"
    profiles(ROOT, repo / "taken", "speedup")
    log = pipeline(repo, {"rules": hostile}, "FAIL")
    expect(log, "$(touch pwned)")
    pipeline(repo, {"args": "--json\n" + hostile})
    same((repo / hostile).is_file(), True)
    (repo / hostile).unlink()
    same((repo / "pwned").exists(), False)
    for bad in ({"on-inconclusive": "sometimes"}, {"service": ["a"]}):
        pipeline(repo, bad, None)


def released(repo, work):
    """The release by its checksum, and never one that is not what was released."""
    name = f"pprofgate-4.5.6-linux-{os.uname().machine}"
    where = work / "releases/v4.5.6"
    where.mkdir(parents=True)
    with tarfile.open(where / f"{name}.tar.gz", "w:gz") as out:
        out.add(GATE, f"{name}/bin/pprofgate")
    right = hashlib.sha256((where / f"{name}.tar.gz").read_bytes()).hexdigest()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=work / "releases"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    given = {"binary": "", "version": "4.5.6", "releases": f"http://127.0.0.1:{server.server_address[1]}"}
    for digest, state in ((right, "PASS"), ("0" * 64, "FAIL")):
        (where / "SHA256SUMS").write_text(f"{digest}  {name}.tar.gz\n", encoding="utf-8")
        log = pipeline(repo, given, state)
        (expect if state == "PASS" else refuse)(log, "cpu total")
    pipeline(repo, {**given, "sha256": right})
    server.shutdown()
    server.server_close()


def main():
    global GATE, ROOT, LOCAL
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    GATE, ROOT, LOCAL = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve(), os.path.abspath(sys.argv[3])
    with tempfile.TemporaryDirectory(prefix="pprofgate-gitlab.") as folder:
        work = pathlib.Path(os.path.realpath(folder))
        repo = begin(work)
        for part in (accept, change, inputs, functools.partial(released, work=work)):
            part(repo)
            print(f"ok: {getattr(part, '__name__', 'released')}")


if __name__ == "__main__":
    main()
