#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The recipes of ci/recipes: parsed, and their commands run with pprofgate as the system in question runs them, for a
change that passes, one that fails, one that cannot be decided, and an error.

usage: test_recipes.py PPROFGATE ROOT NAME|all      (exit status 77, "skipped", where git is not installed)
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

from scratch import environment, expect, git, played, profiles, refuse, repository, same, yaml

GATE = ROOT = None
VERDICTS = {"pass": 0, "fail": 1, "inconclusive": 3, "error": 2}


class Checkout:
    """A change that ends as `verdict`: checked against the accepted baseline of its ancestor."""

    def __init__(self, work, verdict):
        self.folder, self.verdict = pathlib.Path(work) / verdict, verdict
        repository(ROOT, self.folder)
        git(self.folder, "checkout", "--quiet", "main")
        script = self.folder / "profile.sh"
        script.write_text("#!/bin/sh\nmkdir -p \"$1\" && cp taken/*.pb.gz \"$1\"\n", encoding="utf-8")
        script.chmod(0o755)
        if verdict != "inconclusive":  # of which nothing was accepted yet
            accepted = profiles(ROOT, self.folder / "taken", "baseline")
            self.shell(f"pprofgate baseline accept --store .baselines --service shop {accepted}")
        git(self.folder, "checkout", "--quiet", "change")
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
        same((self.folder / "pprofgate-report/junit.xml").exists(), self.verdict != "error")


def each(work):
    for verdict in VERDICTS:
        yield Checkout(work, verdict)


def recipe(name):
    return yaml.safe_load((ROOT / "ci/recipes" / name).read_text(encoding="utf-8"))


def test_buildkite(work):
    step = recipe("buildkite.yml")["steps"][0]
    soft = {rule["exit_status"] for rule in step["soft_fail"]}
    same(soft, {3})
    for change in each(work):
        status, log = change.shell(step["command"].replace("$$", "$"), "bash", "-e")
        same(status, VERDICTS[change.verdict], log)
        same(status in soft, change.verdict == "inconclusive")
        change.reported()


def test_circleci(work):
    config = recipe("circleci.yml")
    for job in config["workflows"]["profiles"]["jobs"]:
        same(set(job) <= set(config["jobs"]), True)
    commands = {name: [step["run"]["command"] for step in job["steps"] if isinstance(step, dict) and "run" in step]
                for name, job in config["jobs"].items()}
    for change in each(work):
        statuses = [change.shell(text)[0] for text in commands["profile-gate"]]
        same(statuses, [0, VERDICTS[change.verdict]])
        change.reported()
        if change.verdict == "inconclusive":
            same([change.shell(text)[0] for text in commands["accept-baseline"]], [0, 0])
            same(change.shell(commands["profile-gate"][1])[0], 3)  # the same profiles: not comparable


def commands_of(log, prefix):
    return re.findall(rf"^##{prefix}(.*)$", log, re.M)


def test_azure(work):
    steps = recipe("azure-pipelines.yml")["steps"]
    gate = next(step for step in steps if step.get("displayName") == "profile gate")["bash"]
    for change in each(work):
        change.profile()
        status, log = change.shell(gate, "bash", "--noprofile", "--norc")
        same(status, {"pass": 0, "fail": 1, "inconclusive": 0, "error": 2}[change.verdict], log)
        told = commands_of(log, r"vso\[")
        same("task.complete result=SucceededWithIssues;]inconclusive" in told, change.verdict == "inconclusive", log)
        same([line.split("]")[0] for line in told if line.startswith("task.logissue")],
             {"fail": ["task.logissue type=error"], "inconclusive": ["task.logissue type=warning"]}.get(change.verdict, []))
        same(any(line.startswith("task.uploadsummary]/") for line in told), change.verdict != "error", log)
        change.reported()


def test_teamcity(work):
    for change in each(work):
        status, log = change.shell(f"exec sh '{ROOT}/ci/recipes/teamcity.sh'")
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


def test_tekton(work):
    task = recipe("tekton-task.yaml")
    step, names = task["spec"]["steps"][0], {param["name"] for param in task["spec"]["params"]}
    refuse(step["script"], "$(")  # what a parameter holds is never part of the script
    used = set(re.findall(r"\$\(params\.([\w-]+)\)", str(task["spec"]["steps"])))
    same(used, names)
    for change in each(work):
        change.profile()
        for undecided in ("stop", "continue"):
            result = pathlib.Path(work) / "result"
            known = {"workspaces.store.path": ".baselines", "results.verdict.path": str(result), "params.service": "shop",
                     "params.on-undecided": undecided}
            env = {item["name"]: re.sub(r"\$\(([\w.-]+)\)", lambda found, known=known: known[found[1]], item["value"])
                   for item in step["env"]}
            status, log = change.shell(step["script"], "sh", **env)
            expected = 0 if (change.verdict, undecided) == ("inconclusive", "continue") else VERDICTS[change.verdict]
            same((status, result.read_text(encoding="utf-8")), (expected, change.verdict), log)
            change.reported()


def test_argo_workflow(work):
    """The commands of its containers, and which step each exit code leads to."""
    spec = recipe("argo-workflow.yaml")["spec"]
    templates = {template["name"]: template for template in spec["templates"]}
    (first,), then = templates[spec["entrypoint"]]["steps"]
    same(first["continueOn"], {"failed": True})
    values = {f"workflow.parameters.{item['name']}": item["value"] for item in spec["arguments"]["parameters"]}

    def words(name):
        container = templates[name]["container"]
        return [re.sub(r"\{\{([\w.-]+)\}\}", lambda found: values[found[1]], word)
                for word in [*container["command"], *container.get("args", [])]]
    for change in each(work):
        change.profile()
        if (change.folder / ".baselines").exists():
            (change.folder / ".baselines").rename(change.folder / "baselines")
        status, log = change.shell(shlex.join(words(first["template"])))
        same(status, VERDICTS[change.verdict], log)
        chosen = []
        for step in then:
            text = step["when"].replace("{{steps.check.exitCode}}", str(status)).replace("&&", "and")
            if re.fullmatch(r"[0-9 !=and]+", text) is None:
                sys.exit(f"not understood: {text}")
            if eval(text):  # numbers, comparisons and "and" alone
                chosen.append(step["template"])
        same(chosen, {"pass": [], "inconclusive": ["wait"]}.get(change.verdict, ["stop"]), log)
    expect(str(templates["wait"]), "suspend")
    same(change.shell(shlex.join(words("stop")))[0], 2)


if __name__ == "__main__":
    played(globals(), str)
