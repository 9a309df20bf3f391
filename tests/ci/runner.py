# SPDX-License-Identifier: Apache-2.0
"""Plays the runner of GitHub Actions for the steps of action.yml and of the workflows in ci/github/workflows.

It knows what those use: `run` steps by bash with the runner's environment files, `uses` steps by Python functions or by
an action.yml of the checkout, and of expressions paths, strings, ==, !=, &&, ||, !, format-free, and status functions.
"""
import pathlib
import re
import subprocess

from scratch import yaml

TOKENS = re.compile(r"\s*(?:(?P<op>==|!=|&&|\|\||[!()])|'(?P<text>(?:[^']|'')*)'|(?P<word>[A-Za-z_][\w.-]*)|(?P<number>\d+))")


class Expression:
    """One expression of the workflow language, over `context`; unknown paths are empty, as they are there."""

    def __init__(self, text, context, failed):
        self.tokens, self.context, self.failed, self.at = [], context, failed, 0
        position = 0
        while position < len(text.rstrip()):
            found = TOKENS.match(text, position)
            if found is None:
                raise ValueError(f"expression not understood: {text[position:]}")
            self.tokens.append((found.lastgroup, found[found.lastgroup]))
            position = found.end()

    def peek(self, *ops):
        return self.at < len(self.tokens) and self.tokens[self.at][0] == "op" and self.tokens[self.at][1] in ops

    def value(self):
        result = self.either()
        if self.at != len(self.tokens):
            raise ValueError(f"expression not understood: {self.tokens[self.at:]}")
        return result

    def either(self):
        result = self.both()
        while self.peek("||"):
            self.at += 1
            other = self.both()
            result = result or other
        return result

    def both(self):
        result = self.compared()
        while self.peek("&&"):
            self.at += 1
            other = self.compared()
            result = result and other
        return result

    def compared(self):
        result = self.single()
        while self.peek("==", "!="):
            op = self.tokens[self.at][1]
            self.at += 1
            same = str(result).lower() == str(self.single()).lower()
            result = same if op == "==" else not same
        return result

    def single(self):
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "op" and text == "!":
            return not self.single()
        if kind == "op" and text == "(":
            result = self.either()
            self.at += 1
            return result
        if kind == "text":
            return text.replace("''", "'")
        if kind == "number":
            return int(text)
        if self.peek("("):
            self.at += 2
            return {"always": True, "success": not self.failed, "failure": self.failed, "cancelled": False}[text]
        return self.path(text)

    def path(self, text):
        value = self.context
        for part in text.split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return value if value is not None else ""


def expand(text, context, failed=False):
    """Return `text` with each ${{ }} replaced by its value."""
    def put(found):
        value = Expression(found[1], context, failed).value()
        return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    return re.sub(r"\$\{\{(.*?)\}\}", put, str(text).lower() if isinstance(text, bool) else str(text), flags=re.S)


def holds(condition, context, failed):
    text = re.sub(r"^\s*\$\{\{(.*)\}\}\s*$", r"\1", str(condition), flags=re.S)
    value = Expression(text, context, failed).value()
    return bool(value) and (failed is False or re.search(r"\b(always|failure|cancelled)\(", text) is not None)


def file_commands(text):
    """NAME=VALUE lines and NAME<<END blocks, as GITHUB_OUTPUT and GITHUB_ENV have them."""
    found, lines = {}, iter(text.split("\n"))
    for line in lines:
        name, sign, value = re.match(r"([^=<]*)(=|<<|$)(.*)", line, re.S).groups()
        if sign == "=":
            found[name] = value
        elif sign == "<<":
            block = []
            for inner in lines:
                if inner == value:
                    break
                block.append(inner)
            found[name] = "\n".join(block)
        elif line:
            raise ValueError(f"not a line of GITHUB_OUTPUT: {line!r}")
    return found


class Runner:
    """One job. `uses` maps the beginning of an action's name to a function of (runner, with, env) -> outputs."""

    def __init__(self, work, workspace, github, env, uses=None):
        self.work, self.workspace = pathlib.Path(work), pathlib.Path(workspace)
        self.github, self.env, self.uses = dict(github), dict(env), uses or {}
        self.path, self.log, self.failed, self.count = [], "", False, 0
        self.temp = self.work / "temp"
        self.temp.mkdir(parents=True, exist_ok=True)
        self.summary = self.work / "summary.md"
        self.summary.touch()

    def run(self, step, context, env):
        self.count += 1
        names = {"GITHUB_OUTPUT": "output", "GITHUB_ENV": "env", "GITHUB_PATH": "path"}
        files = {name: self.work / f"{what}-{self.count}" for name, what in names.items()}
        for path in files.values():
            path.touch()
        script = self.work / f"step-{self.count}.sh"
        script.write_text(expand(step["run"], context, self.failed), encoding="utf-8")
        whole = {**self.env, **env, **{name: str(path) for name, path in files.items()},
                 "GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_WORKSPACE": str(self.workspace),
                 "GITHUB_ACTIONS": "true", "CI": "true", "RUNNER_TEMP": str(self.temp)}
        whole["PATH"] = ":".join([*reversed(self.path), whole["PATH"]])
        result = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.workspace,
                                env=whole, capture_output=True, text=True, check=False, timeout=300)
        self.log += result.stdout + result.stderr
        self.path += files["GITHUB_PATH"].read_text(encoding="utf-8").splitlines()
        self.env.update(file_commands(files["GITHUB_ENV"].read_text(encoding="utf-8")))
        return result.returncode, file_commands(files["GITHUB_OUTPUT"].read_text(encoding="utf-8"))

    def steps(self, steps, context):
        """The steps in turn; the status of the first that fails, as `github.job` has it."""
        status, context = 0, {**context, "steps": {}}
        for step in steps:
            if not holds(step.get("if", "success()"), context, status != 0):
                continue
            self.failed = status != 0
            env = {name: expand(text, context, self.failed) for name, text in step.get("env", {}).items()}
            if "run" in step:
                ended, outputs = self.run(step, context, env)
            else:
                ended, outputs = self.use(step, context, env)
            context["steps"][step.get("id", f"_{len(context['steps'])}")] = {"outputs": outputs}
            status = status or ended
        return status, context

    def use(self, step, context, env):
        given = {name: expand(text, context, self.failed) for name, text in step.get("with", {}).items()}
        for name, action in self.uses.items():
            if step["uses"].startswith(name):
                if isinstance(action, (str, pathlib.Path)):
                    return self.action(action, given)
                return 0, action(self, given, env) or {}
        raise ValueError(f"no such action: {step['uses']}")

    def action(self, folder, given):
        """A composite action of ours: the status, and its outputs."""
        folder = pathlib.Path(folder)
        action = yaml.safe_load((folder / "action.yml").read_text(encoding="utf-8"))
        unknown = given.keys() - action["inputs"].keys()
        if unknown:
            raise ValueError(f"unknown inputs: {unknown}")
        defaults = {name: expand(what.get("default", ""), {"github": self.github}) for name, what in action["inputs"].items()}
        inputs = {**defaults, **given}
        context = {"inputs": inputs, "github": {**self.github, "action_path": str(folder)},
                   "runner": {"temp": str(self.temp)}}
        status, context = self.steps(action["runs"]["steps"], context)
        return status, {name: expand(what["value"], context) for name, what in action.get("outputs", {}).items()}

    def job(self, workflow, name, needs=None):
        """A job of a workflow file: its status."""
        text = yaml.safe_load(pathlib.Path(workflow).read_text(encoding="utf-8"))
        context = {"github": self.github, "env": text.get("env", {}), "needs": needs or {},
                   "runner": {"temp": str(self.temp)}}
        self.env.update({key: expand(value, context) for key, value in context["env"].items()})
        job = text["jobs"][name]
        if not holds(job.get("if", "success()"), context, False):
            return None
        return self.steps(job["steps"], context)[0]
