#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of ci/recipes and the GitLab component: parsed, and their commands run with pprofgate as the system in
question runs them, for a change that passes, one that fails, one that cannot be decided, an error, and one that fails and
loosens the rules so that it would pass by them.

usage: test_recipes.py PPROFGATE ROOT NAME|all
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

from fake_api import TOKEN, FakeGitLab
from scratch import LOOSE, environment, expect, git, played, profiles, refuse, repository, same, yaml

GATE = ROOT = None
VERDICTS = {"pass": 0, "fail": 1, "inconclusive": 3, "error": 2}


class Checkout:
    """A change that ends as `verdict`: checked against the accepted baseline of its ancestor. The store is in `outside`,
    as `baselines`, unless the system can only keep what is in the checkout. The remote has main, and no branch of it is
    here but the change's, as after a checkout of that branch alone. With `loosens` the change edits the rules."""

    def __init__(self, work, verdict, loosens=False, store=None):
        name = f"{verdict}-loosened" if loosens else verdict
        self.folder, self.verdict, self.loosens = pathlib.Path(work) / name, verdict, loosens
        self.outside = pathlib.Path(work) / f"{name}-outside"
        self.outside.mkdir()
        self.store = self.folder / store if store else self.outside / "baselines"
        self.base, _, _ = repository(ROOT, self.folder)
        git(self.folder, "checkout", "--quiet", "main")
        script = self.folder / "profile.sh"
        script.write_text("#!/bin/sh\nmkdir -p \"$1\" && cp taken/*.pb.gz \"$1\"\n", encoding="utf-8")
        script.chmod(0o755)
        if verdict != "inconclusive":  # for which nothing was accepted yet
            accepted = profiles(ROOT, self.folder / "taken", "baseline")
            self.shell(f"pprofgate baseline accept --store '{self.store}' --service shop {accepted}")
        git(self.folder, "clone", "--quiet", "--bare", "--branch", "main", ".", str(self.outside / "origin"))
        git(self.folder, "remote", "add", "origin", str(self.outside / "origin"))
        git(self.folder, "checkout", "--quiet", "change")
        git(self.folder, "branch", "--quiet", "--delete", "--force", "main")
        if loosens:
            (self.folder / ".pprofgate.yml").write_text(LOOSE, encoding="utf-8")
            git(self.folder, "commit", "--quiet", "--all", "--message", "the rules are in the way")
        profiles(ROOT, self.folder / "taken", "regression" if verdict == "fail" else "speedup")
        if verdict == "error":
            (self.folder / "taken/damaged.pb.gz").write_bytes(b"no profile")

    def shell(self, text, *options, **env):
        """Status and output of a script, with pprofgate on the path."""
        path = f"{os.path.dirname(GATE)}:{os.environ['PATH']}"
        result = subprocess.run([*(options or ("bash", "-eo", "pipefail")), "-c", text], cwd=self.folder, text=True,
                                capture_output=True, check=False, timeout=120, env=environment(PATH=path, **env))
        return result.returncode, result.stdout + result.stderr

    def profile(self):
        same(self.shell("./profile.sh profiles")[0], 0)

    def reported(self):
        report = self.folder / "pprofgate-report/junit.xml"
        same(report.exists(), self.verdict != "error")
        same(report.exists() and "the change edits the rules" in report.read_text(encoding="utf-8"), self.loosens)


def each(work, **more):
    for verdict in VERDICTS:
        yield Checkout(work, verdict, **more)
    yield Checkout(work, "fail", loosens=True, **more)


def recipe(name):
    return yaml.safe_load((ROOT / "ci/recipes" / name).read_text(encoding="utf-8"))


def uploaded(text):
    """What `buildkite-agent pipeline upload` makes of a command: variables are those of the upload, which has none of the
    script's, and $$ is a dollar."""
    return re.sub(r"\$\$|\$\{?[A-Za-z_]\w*\}?", lambda found: "$" if found[0] == "$$" else "", text)


def test_buildkites_step_follows_the_verdict(work):
    step = recipe("buildkite.yml")["steps"][0]
    soft = {rule["exit_status"] for rule in step["soft_fail"]}
    same(soft, {3})
    same(step["env"]["STORE"].startswith("/"), True)
    for change in each(work):
        env = {"STORE": str(change.store), "BUILDKITE_PULL_REQUEST_BASE_BRANCH": "main"}
        status, log = change.shell(uploaded(step["command"]), "bash", "-e", **env)
        same(status, VERDICTS[change.verdict], log)
        same(status in soft, change.verdict == "inconclusive")
        change.reported()
    status, log = change.shell(uploaded(step["command"]), "bash", "-e", STORE=str(change.store))
    same(status, 0, log)  # a build of main has no base


def test_circlecis_job_follows_the_verdict(work):
    config = recipe("circleci.yml")
    for job in config["workflows"]["profiles"]["jobs"]:
        same(set(job) <= set(config["jobs"]), True)
    commands = {name: [step["run"]["command"] for step in job["steps"] if isinstance(step, dict) and "run" in step]
                for name, job in config["jobs"].items()}
    for change in each(work):
        env = {"HOME": str(change.outside)}
        statuses = [change.shell(text, **env)[0] for text in commands["profile-gate"]]
        same(statuses, [0, VERDICTS[change.verdict]])
        change.reported()
        if change.verdict == "inconclusive":
            same([change.shell(text, **env)[0] for text in commands["accept-baseline"]], [0, 0])
            same(change.store.is_dir(), True)
            same(change.shell(commands["profile-gate"][1], **env)[0], 3)  # the same profiles: not comparable


def commands_of(log, prefix):
    return re.findall(rf"^##{prefix}(.*)$", log, re.M)


def test_azures_step_follows_the_verdict(work):
    steps = recipe("azure-pipelines.yml")["steps"]
    gate = next(step for step in steps if step.get("displayName") == "profile gate")["bash"]
    for change in each(work):
        change.profile()
        git(change.folder, "fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*")  # like fetchDepth 0
        env = {"PIPELINE_WORKSPACE": str(change.outside), "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main"}
        status, log = change.shell(gate, "bash", "--noprofile", "--norc", **env)
        same(status, {"pass": 0, "fail": 1, "inconclusive": 0, "error": 2}[change.verdict], log)
        told = commands_of(log, r"vso\[")
        same("task.complete result=SucceededWithIssues;]inconclusive" in told, change.verdict == "inconclusive", log)
        same([line.split("]")[0] for line in told if line.startswith("task.logissue")],
             {"fail": ["task.logissue type=error"], "inconclusive": ["task.logissue type=warning"]}.get(change.verdict, []))
        same(any(line.startswith("task.uploadsummary]/") for line in told), change.verdict != "error", log)
        change.reported()
    same(change.shell(gate, "bash", "--noprofile", "--norc", PIPELINE_WORKSPACE=str(change.outside))[0], 0)  # of main
    env["SYSTEM_PULLREQUEST_TARGETBRANCH"] = "main"  # its name for repositories on GitHub
    same(change.shell(gate, "bash", "--noprofile", "--norc", **env)[0], 1)


def test_teamcitys_script_follows_the_verdict(work):
    for change in each(work):
        status, log = change.shell(f"exec sh '{ROOT}/ci/recipes/teamcity.sh'", STORE=str(change.store))
        same(status, 2 if change.verdict == "error" else 0, log)
        told = commands_of(log, r"teamcity\[")
        for line in told:
            if re.fullmatch(r"\w+( \w+='(?:[^'|\[\]\n]|\|['|\[\]n])*'| '[^'|\[\]\n]*')+\]", line) is None:
                sys.exit(f"not a service message: {line}")
        problems = [line for line in told if line.startswith("buildProblem")]
        same([f"identity='pprofgate-{change.verdict}'" in line for line in problems],
             [True] if change.verdict in ("fail", "inconclusive") else [], log)
        same(any("buildStatus" in line for line in told), change.verdict == "pass", log)
        change.reported()


def test_tektons_task_follows_the_verdict(work):
    task = recipe("tekton-task.yaml")
    step, names = task["spec"]["steps"][0], {param["name"] for param in task["spec"]["params"]}
    refuse(step["script"], "$(")  # the value of a parameter is never part of the script
    used = set(re.findall(r"\$\(params\.([\w-]+)\)", str(task["spec"]["steps"])))
    same(used, names)
    rules_from = next(param["default"] for param in task["spec"]["params"] if param["name"] == "rules-from")
    for change in each(work):
        change.profile()
        git(change.folder, "fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main")
        for undecided in ("stop", "continue"):
            result = pathlib.Path(work) / "result"
            known = {"workspaces.store.path": str(change.store), "params.rules-from": rules_from, "results.verdict.path": str(result), "params.service": "shop",
                     "params.on-undecided": undecided}
            env = {item["name"]: re.sub(r"\$\(([\w.-]+)\)", lambda found, known=known: known[found[1]], item["value"])
                   for item in step["env"]}
            status, log = change.shell(step["script"], "sh", **env)
            expected = 0 if (change.verdict, undecided) == ("inconclusive", "continue") else VERDICTS[change.verdict]
            same((status, result.read_text(encoding="utf-8")), (expected, change.verdict), log)
            change.reported()
    env["RULES_FROM"] = "head"
    same(change.shell(step["script"], "sh", **env)[0], 0)


def test_each_exit_code_leads_to_its_step_in_argo(work):
    """The commands of its containers, and which step each exit code leads to."""
    spec = recipe("argo-workflow.yaml")["spec"]
    templates = {template["name"]: template for template in spec["templates"]}
    (first,), then = templates[spec["entrypoint"]]["steps"]
    same(first["continueOn"], {"failed": True})
    values = {f"workflow.parameters.{item['name']}": item.get("value") for item in spec["arguments"]["parameters"]}
    same(templates[first["template"]]["container"]["workingDir"], "/workspace/source")

    def words(name):
        container = templates[name]["container"]
        return [re.sub(r"\{\{([\w.-]+)\}\}", lambda found: values[found[1]], word)
                for word in [*container["command"], *container.get("args", [])]]
    for change in each(work):
        change.profile()
        git(change.folder, "fetch", "--quiet", "origin", "+refs/heads/main:refs/remotes/origin/main")
        status, log = change.shell(shlex.join(words(first["template"])).replace("/workspace/baselines", str(change.store)))
        same(status, VERDICTS[change.verdict], log)
        chosen = []
        for step in then:
            text = step["when"].replace("{{steps.check.exitCode}}", str(status)).replace("&&", "and")
            if re.fullmatch(r"[0-9 !=and]+", text) is None:
                sys.exit(f"not understood: {text}")
            if eval(text):  # only numbers, comparisons and "and"
                chosen.append(step["template"])
        same(chosen, {"pass": [], "inconclusive": ["wait"]}.get(change.verdict, ["stop"]), log)
        change.reported()
    expect(str(templates["wait"]), "suspend")
    same(change.shell(shlex.join(words("stop")))[0], 2)


def test_jenkins_stage_follows_the_verdict(work):
    """The script of the stage; tests/ci/jenkins.py runs the whole file where Groovy is."""
    text = (ROOT / "ci/recipes/Jenkinsfile").read_text(encoding="utf-8")
    script = re.search(r"script: \'\'\'(.*?)\'\'\'", text, re.S)[1]
    for change in each(work):
        change.profile()
        env = {"STORE": str(change.store), "CHANGE_TARGET": "main"}
        status, log = change.shell(script, "sh", "-xe", **env)
        same(status, VERDICTS[change.verdict], log)
        change.reported()
    same(change.shell(script, "sh", "-xe", STORE=str(change.store))[0], 0)  # a build of main has no target


def gitlab_job():
    """The script of the component's job for a merge request, and its variables, with the defaults of all inputs."""
    head, body = yaml.safe_load_all((ROOT / "templates/pprofgate.yml").read_text(encoding="utf-8"))
    given = {name: what.get("default", "") for name, what in head["spec"]["inputs"].items()}
    given |= {"service": "shop", "binary": GATE}

    def filled(text):
        return re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", lambda found: str(given[found[1]]), text)
    jobs = {filled(name): job for name, job in body.items()}
    env = {name: filled(value) for name, value in jobs[".pprofgate-base"]["variables"].items()}
    return "\n".join(jobs["pprofgate"]["script"]), {**env, "CI_JOB_URL": "https://gitlab.invalid/1"}


def test_gitlabs_job_follows_the_verdict(work):
    """The job of a merge request; tests/ci/gitlab.py runs the whole component where gitlab-ci-local is."""
    script, env = gitlab_job()

    def played_by(change, **more):
        return change.shell(script, **{**env, **more})
    for change in each(work, store=env["GATE_STORE"]):
        change.profile()
        status, log = played_by(change, CI_MERGE_REQUEST_DIFF_BASE_SHA=change.base)
        same(status, VERDICTS[change.verdict], log)
        change.reported()
    # a merged results pipeline names the target's commit, which may not have been fetched
    target = git(change.outside / "origin", "commit-tree", "-p", change.base, "-m", "newer", f"{change.base}^{{tree}}")
    status, log = played_by(change, CI_MERGE_REQUEST_DIFF_BASE_SHA="0" * 40, CI_MERGE_REQUEST_TARGET_BRANCH_SHA=target)
    same(status, 1, log)
    same(played_by(change, CI_MERGE_REQUEST_DIFF_BASE_SHA="0" * 40)[0], 2)
    same(played_by(change)[0], 2)
    same(played_by(change, GATE_RULES_FROM="head", CI_MERGE_REQUEST_DIFF_BASE_SHA=change.base)[0], 0)


def test_a_comment_of_a_maintainer_accepts_a_failure(work):
    """Only the first line of a comment by a Maintainer, about this very commit, accepts its failures."""
    script, env = gitlab_job()
    change = Checkout(work, "fail", store=env["GATE_STORE"])
    change.profile()
    head = git(change.folder, "rev-parse", "HEAD").strip()
    env |= {"GATE_ACCEPT_COMMENTS": "true", "CI_MERGE_REQUEST_DIFF_BASE_SHA": change.base, "CI_COMMIT_SHA": head,
            "CI_MERGE_REQUEST_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "7", "PPROFGATE_API_TOKEN": TOKEN}
    text = f"pprofgate-accept {head}: it's \"new\" $(touch pwned) pricing\n\nas agreed"
    members = {1: (40, "active"), 2: (30, "active"), 3: (50, "blocked"), 4: (40, "active")}

    def note(who, body=text, number=1, system=False):
        return {"id": 1, "body": body, "author": {"id": number, "username": who}, "system": system}
    many = [note("alice", "looks good")] * 150
    rows = [([note("alice")], 0), (many + [note("alice")], 0), ([note("bob", number=2), note("alice")], 0),
            ([note("bob", number=2)], 1), ([note("eve", number=3)], 1), ([note("mallory", number=9)], 1),
            ([note("project_5_bot_1a", number=4)], 1), ([note("alice", system=True)], 1), ([note("alice", None)], 1),
            ([note("alice", "> " + text)], 1), ([note("alice", text.replace(head, head[:12]))], 1),
            ([note("alice", text.replace(head, "1" * len(head)))], 1), ([], 1)]
    for notes, expected in rows:
        with FakeGitLab(notes, members) as api:
            status, log = change.shell(script, **{**env, "CI_API_V4_URL": api.url})
        same(status, expected, f"{notes}\n{log}")
        report = json.loads((change.folder / "pprofgate-report/report.json").read_text(encoding="utf-8"))
        same(report.get("accepted"), None if expected else
             {"commit": head, "by": "alice", "reason": "it's \"new\" $(touch pwned) pricing"})
    same((change.folder / "pwned").exists(), False)
    with FakeGitLab([note("alice")], members) as api:  # a merged results pipeline: the comment names the branch's commit
        for commit, expected in ((head, 0), ("2" * 40, 1)):
            merged = {"CI_COMMIT_SHA": "3" * 40, "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": commit, "CI_API_V4_URL": api.url}
            same(change.shell(script, **{**env, **merged})[0], expected)
        same(change.shell(script, **{**env, "CI_API_V4_URL": api.url, "PPROFGATE_API_TOKEN": "another"})[0], 2)
        same(change.shell(script, **{**env, "CI_API_V4_URL": api.url, "GATE_ACCEPT_COMMENTS": "false"})[0], 1)
    status, log = change.shell(script, **{**env, "CI_API_V4_URL": "http://127.0.0.1:9"})
    same(status, 2, log)
    expect(log, "the request to the GitLab API failed")


if __name__ == "__main__":
    played(globals(), str)
