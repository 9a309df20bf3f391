#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workflows of ci/github/workflows, as users copy them, from the first build of main to the comment on a change.

usage: test_workflows.py PPROFGATE ROOT NAME|all
"""
import io
import json
import re
import shutil
import textwrap
import zipfile

import yaml

from fake_api import TOKEN, FakeApi
from runner import Runner
from scratch import LOOSE, commit, environment, expect, git, played, profiles, refuse, repository, same

GATE = ROOT = None
WORKFLOWS = "ci/github/workflows"


class Project:
    """A repository on GitHub: its jobs, its cache, what its runs uploaded."""

    def __init__(self, work):
        self.work, self.repo, self.cache, self.runs = work, work / "repo", {}, 0
        self.base, _, self.line = repository(ROOT, self.repo)
        self.build("baseline")
        self.artifacts = {}

    def build(self, variant):
        """Which variant of the service the checkout is: profile.sh takes its profiles."""
        source = ROOT / "fixtures/go-service/cpu"
        script = self.repo / "profile.sh"
        script.write_text(f"#!/bin/sh\nset -eu\nmkdir -p \"$1\"\ncp '{source}'/{variant}-*.pb.gz \"$1\"\n", encoding="utf-8")
        script.chmod(0o755)
        return commit(self.repo, f"as {variant}")

    def merge(self):
        """The change becomes main, and another begins."""
        git(self.repo, "checkout", "--quiet", "-B", "main")
        head = git(self.repo, "rev-parse", "HEAD")
        git(self.repo, "checkout", "--quiet", "-B", "change")
        return head

    def checkout(self, runner, given, env):
        same(given.get("persist-credentials"), "false")
        runner.has_history = given.get("fetch-depth") == "0"

    @staticmethod
    def outside(runner, path):
        """The store's folder, which no file of the checkout can be in."""
        same(path.startswith(f"{runner.temp}/"), True, path)
        return path

    def restore(self, runner, given, env):
        for key in reversed(list(self.cache)):
            if key == given["key"] or key.startswith(given["restore-keys"]):
                shutil.copytree(self.cache[key], self.outside(runner, given["path"]))
                return

    def save(self, runner, given, env):
        kept = self.work / f"cache-{given['key']}"
        shutil.copytree(self.outside(runner, given["path"]), kept)
        self.cache[given["key"]] = kept

    def download(self, runner, given, env):
        """Into a folder that no file of the checkout can be in."""
        with zipfile.ZipFile(io.BytesIO(self.artifacts[given["name"]])) as archive:
            archive.extractall(self.outside(runner, given["path"]))

    def upload(self, runner, given, env):
        folder = runner.workspace / given["path"]
        if not folder.is_dir():
            same(given.get("if-no-files-found"), "ignore")
            return
        archive = runner.work / "artifact.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
            for path in sorted(folder.rglob("*")):
                out.write(path, path.relative_to(folder))
        self.artifacts[given["name"]] = archive.read_bytes()

    def run(self, name, job, event_name, event):
        """A run in a fresh checkout: its status, its log and its summary."""
        self.runs += 1
        workspace, work = self.work / f"workspace-{self.runs}", self.work / f"run-{self.runs}"
        git(self.work, "clone", "--quiet", str(self.repo), str(workspace))
        payload = self.work / f"event-{self.runs}.json"
        payload.write_text(json.dumps(event), encoding="utf-8")
        uses = {"actions/checkout@": self.checkout, "actions/cache/restore@": self.restore,
                "actions/cache/save@": self.save, "actions/upload-artifact@": self.upload,
                "actions/download-artifact@": self.download,
                "pprofgate/pprofgate/ci/github/comment@": ROOT / "ci/github/comment", "pprofgate/pprofgate@": self.gate}
        github = {"run_id": str(100 + self.runs), "event_name": event_name, "event": event, "repository": "team/shop",
                  "action_repository": "pprofgate/pprofgate", "action_ref": "v0", "server_url": "https://github.invalid",
                  "event_path": str(payload), "token": TOKEN, "api_url": event.get("api", "")}
        env = environment(GITHUB_SERVER_URL="https://github.invalid", GITHUB_REPOSITORY="team/shop",
                          GITHUB_RUN_ID=github["run_id"])
        runner = Runner(work, workspace, github, env, uses)
        status = runner.job(ROOT / WORKFLOWS / name, job)
        return status, runner.log, runner.summary.read_text(encoding="utf-8")

    def check(self, event):
        """The jobs of check.yml, each on a machine of its own, as `needs` orders them."""
        self.artifacts.pop("profiles", None)
        status, log, _ = self.run("check.yml", "profiles", "pull_request", event)
        same((status, "profiles" in self.artifacts), (0, True), log)
        return self.run("check.yml", "gate", "pull_request", event)

    @staticmethod
    def gate(runner, given, env):
        """The action of this checkout, with the program that was built here in place of a release."""
        same(runner.has_history, True)
        status, outputs = runner.action(ROOT, {"binary": GATE, **given})
        outputs["status"] = status
        return outputs


def settle(project):
    """Steps that `uses` a function end with what it tells: the gate's own status."""
    plain = Runner.use

    def use(self, step, context, env):
        status, outputs = plain(self, step, context, env)
        return outputs.pop("status", status), outputs
    Runner.use = use
    return project


def test_the_first_week_blocks_a_regression(work):
    """Main is accepted, a regression is blocked and commented on, its mend passes, and the next main is accepted."""
    project = settle(Project(work))
    status, log, summary = project.run("accept.yml", "accept", "push", {})
    same(status, 0, log)
    expect(summary, "FIRST")
    project.build("benign")
    main = project.merge()
    status, log, summary = project.run("accept.yml", "accept", "push", {})
    same(status, 0, log)
    expect(summary, "PASS")
    records = list(next(reversed(project.cache.values())).rglob("records/shop/default/*.json"))
    same(len(records), 2, log)

    project.build("regression")
    change = {"pull_request": {"base": {"sha": main}}}
    status, log, summary = project.check(change)
    same(status, 1, log)
    expect(log, "::error title=pprofgate%3A no function takes over,file=checkout.go,line=", "::main.priceRound")
    expect(summary, "pprofgate: FAIL")
    refuse(log, "baseline_ancestor", "baseline_machine")
    head = git(project.repo, "rev-parse", "HEAD")
    with FakeApi() as api:
        api.pull(5, head)
        api.artifacts = project.artifacts
        run = {"api": api.url, "workflow_run": {"id": 77, "event": "pull_request", "head_sha": head, "head_branch": "change",
                                                "head_repository": {"id": 1, "owner": {"login": "team"}}}}
        status, log, _ = project.run("comment.yml", "comment", "workflow_run", run)
        same((status, len(api.comments)), (0, 1), log)
        expect(api.comments[0]["body"], "pprofgate: FAIL", "main.priceRound")
        project.build("speedup")
        status, log, _ = project.check(change)
        same(status, 0, log)
        head = git(project.repo, "rev-parse", "HEAD")
        api.pulls[0]["head"]["sha"] = run["workflow_run"]["head_sha"] = head
        api.artifacts = project.artifacts
        status, log, _ = project.run("comment.yml", "comment", "workflow_run", run)
        same((status, len(api.comments)), (0, 1), log)
        expect(api.comments[0]["body"], "pprofgate: PASS")
        same(project.run("comment.yml", "comment", "workflow_run",
                         {**run, "workflow_run": {**run["workflow_run"], "event": "push"}})[0], None)


def test_a_bad_main_is_not_accepted(work):
    """What got worse on main is seen there, and is not what the next change is compared with."""
    project = settle(Project(work))
    same(project.run("accept.yml", "accept", "push", {})[0], 0)
    project.build("regression")
    project.merge()
    status, log, _ = project.run("accept.yml", "accept", "push", {})
    same((status, len(project.cache)), (1, 1), log)
    expect(log, "main.priceRound")




def test_the_job_that_judges_runs_nothing_of_the_change(work):
    """A change whose program writes over everything in its job has no say in the job that judges."""
    text = yaml.safe_load((ROOT / WORKFLOWS / "check.yml").read_text(encoding="utf-8"))
    same(text["jobs"]["gate"]["needs"], "profiles")
    same([step["run"] for step in text["jobs"]["gate"]["steps"] if "run" in step], [])
    project = settle(Project(work))
    same(project.run("accept.yml", "accept", "push", {})[0], 0)
    base = git(project.repo, "rev-parse", "HEAD")
    git(project.repo, "checkout", "--quiet", "-B", "change")
    project.build("regression")
    script = project.repo / "profile.sh"
    script.write_text(script.read_text(encoding="utf-8") + textwrap.dedent("""\
        mkdir -p "$RUNNER_TEMP/bin"
        printf '#!/bin/sh\\nexit 0\\n' >"$RUNNER_TEMP/bin/pprofgate"
        chmod +x "$RUNNER_TEMP/bin/pprofgate"
        echo "$RUNNER_TEMP/bin" >>"$GITHUB_PATH"
        echo "PPROFGATE_WORK_CANARY=1000000" >>"$GITHUB_ENV"
        echo 'version: 1' >.pprofgate.yml
        """), encoding="utf-8")
    commit(project.repo, "takes its job over")
    status, log, summary = project.check({"pull_request": {"base": {"sha": base}}})
    same(status, 1, log)
    expect(summary, "pprofgate: FAIL", "main.priceRound")


def test_loosened_rules_do_not_pass(work):
    """A pull request that loosens the rules is judged by those of main, and its report names the edit."""
    project = settle(Project(work))
    same(project.run("accept.yml", "accept", "push", {})[0], 0)
    base = git(project.repo, "rev-parse", "HEAD")
    git(project.repo, "checkout", "--quiet", "-B", "change")
    (project.repo / ".pprofgate.yml").write_text(LOOSE, encoding="utf-8")
    project.build("regression")
    change = {"pull_request": {"base": {"sha": base}}}
    status, log, summary = project.check(change)
    same(status, 1, log)
    expect(summary, f"the change edits the rules, and those of '{base}' were used")


# The first major version of each action that runs on Node 24; what runs on Node 20 is no longer run.
NODE_24 = {"actions/checkout": 5, "actions/cache": 5, "actions/upload-artifact": 6, "actions/download-artifact": 7,
           "actions/setup-node": 5, "actions/attest-build-provenance": 4}


def test_actions_have_a_version_that_runs_on_node_24(_):
    """Each action of GitHub in a workflow or a page has a major version that runs on Node 24, and the same everywhere."""
    used = {}
    files = [path for folder in ("ci/github", ".github", "docs", "examples", "templates")
             for path in (ROOT / folder).rglob("*") if path.suffix in (".yml", ".yaml", ".md")]
    for path in [ROOT / "action.yml", ROOT / "README.md", *files]:
        for name, version in re.findall(r"uses: (actions/[\w-]+)[\w/-]*@v(\d+)", path.read_text(encoding="utf-8")):
            used.setdefault(name, {}).setdefault(int(version), []).append(path.name)
    for name, versions in used.items():
        same(len(versions), 1, f"{name}: {versions}")
        same(min(versions) >= NODE_24[name], True, f"{name}: {versions}")
    same(len(used) >= 4, True, used)


def test_examples_keep_the_store_outside_of_the_checkout(_):
    """No workflow, recipe or page names a store in the checkout, but for GitLab's cache, which can be nowhere else."""
    files = [ROOT / "README.md", ROOT / ".pre-commit-hooks.yaml"] + [
        path for folder in ("ci/github/workflows", "ci/recipes", "docs") for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".svg"]
    for path in files:
        text = re.sub(r"(?s)### GitLab: the cache.*?(?=\n### )", "", path.read_text(encoding="utf-8"))
        refuse(text, ".baselines")


def test_without_a_store_no_change_passes(work):
    """Nothing was accepted yet: a change is not passed."""
    project = settle(Project(work))
    status, log, summary = project.check({"pull_request": {"base": {"sha": project.base}}})
    same(status, 3, log)
    expect(summary, "NO BASELINE")


if __name__ == "__main__":
    played(globals())
