#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""action.yml as the runner of GitHub Actions plays it, on a repository with a change.

usage: test_action.py PPROFGATE ROOT NAME|all
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from fake_api import TOKEN, FakeApi
from runner import Runner
from scratch import LOOSE, commit, environment, expect, git, played, profiles, refuse, repository, same, yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "trial"))
from repository import fake_repository  # noqa: E402  (a repository whose program costs what its file `cost` says)

GATE = ROOT = None
HOSTILE = "$(touch pwned) `touch pwned` ';touch pwned;' \"x\" ${PATH}"


def play(repo, given, base=None, event="pull_request", action=None, pull=None, **github):
    """One step that uses the action: status, outputs, log and summary. `base` is the commit that the event's base has."""
    with tempfile.TemporaryDirectory(prefix="pprofgate-runner.") as work:
        where = {"action_repository": "pprofgate/pprofgate", "action_ref": "main", "server_url": "https://github.invalid",
                 "event_name": event, **github,
                 "event": {"merge_group": {"base_sha": base or ""}} if event == "merge_group" else
                          {"pull_request": {"base": {"sha": base or ""}, **(pull or {})}}}
        runner = Runner(work, repo, where, environment(), {"pprofgate/": action or ROOT})
        steps = [{"id": "gate", "uses": "pprofgate/pprofgate@v0", "with": {"binary": GATE, **given}}]
        status, context = runner.steps(steps, {"github": where})
        found = {**context["steps"]["gate"]["outputs"], "status": status, "log": runner.log,
                 "summary": runner.summary.read_text(encoding="utf-8"), "path": list(runner.path)}
        same([path for path in pathlib.Path(repo).rglob("*") if path.name == "pwned"], [], found["log"])
        return found


def sides(repo, canary, count=3):
    profiles(ROOT, repo / "profiles/baseline", "baseline", count=count)
    profiles(ROOT, repo / "profiles/canary", canary, count=count)
    return {"baseline": "profiles/baseline", "canary": "profiles/canary"}


def undecided(repo):
    folder = repo / "profiles"
    folder.mkdir()
    shutil.copy(ROOT / "fixtures/bad/good.pb.gz", folder / "a.pb.gz")
    shutil.copy(ROOT / "fixtures/bad/good-canary.pb.gz", folder / "b.pb.gz")
    return {"baseline": "profiles/a.pb.gz", "canary": "profiles/b.pb.gz", "rules": "recommended"}


def test_a_comment_of_a_writer_accepts_a_failure(repo):
    """Only the first line of a comment by a user with write access, about this very commit, accepts its failures."""
    base, head, _ = repository(ROOT, repo)
    head = git(repo, "rev-parse", "HEAD").strip()
    given = {**sides(repo, "regression"), "accept-comments": "true", "token": TOKEN}
    text = f"pprofgate-accept {head}: new pricing\n\nas agreed"
    other = f"pprofgate-accept {'1' * 40}: an earlier commit"
    rows = [("alice", "User", text, "pass"), ("mallory", "User", text, "fail"), ("reader", "User", text, "fail"),
            ("alice", "Bot", text, "fail"), ("alice", "User", other, "fail"), ("alice", "User", "> " + text, "fail"),
            ("alice", "User", f"pprofgate-accept {head[:12]}: short", "fail"), ("alice", "User", "looks good", "fail")]
    for login, kind, body, verdict in rows:
        with FakeApi() as api:
            api.permissions = {"alice": "write", "reader": "read"}
            api.comments = [{"id": 1, "issue": 7, "user": {"login": login, "type": kind}, "body": body,
                             "author_association": "MEMBER"}]
            found = play(repo, given, base, pull={"number": 7, "head": {"sha": head}}, api_url=api.url,
                         repository=api.repository)
            same((found["verdict"], found["status"]), (verdict, 0 if verdict == "pass" else 1), found["log"])
            if verdict == "pass":
                report = json.loads((pathlib.Path(found["report"]) / "report.json").read_text(encoding="utf-8"))
                same(report["accepted"], {"commit": head, "by": "alice", "reason": "new pricing"})
    found = play(repo, given, base, pull={"number": 7, "head": {"sha": head}}, api_url="http://127.0.0.1:9",
                 repository="team/shop")
    same((found["verdict"], found["status"]), ("error", 2), found["log"])


def test_a_fail_fails_the_step(repo):
    base, _, line = repository(ROOT, repo)
    found = play(repo, sides(repo, "regression"), base)
    same((found["status"], found["verdict"], found["exit-code"]), (1, "fail", "1"), found["log"])
    same(found["report"], str(repo / "pprofgate-report"))
    same(sorted(os.listdir(found["report"])), ["flamegraph.svg", "junit.xml", "report.html", "report.json", "report.md"])
    expect(found["summary"], "pprofgate: FAIL", "main.priceRound")
    expect(found["log"], f"::error title=pprofgate%3A no function takes over,file=checkout.go,line={line}::main.priceRound")


def test_annotation_stays_where_the_function_did_not_change(repo):
    """The canary grew in a function that the change did not edit, next to one that it edited."""
    base, _, line = repository(ROOT, repo)
    git(repo, "checkout", "--quiet", base)
    source = repo / "checkout.go"
    text = source.read_text(encoding="utf-8").replace("\tvar total int64\n", "\tvar total int64 // touched\n", 1)
    source.write_text(text, encoding="utf-8")
    git(repo, "commit", "--quiet", "--all", "--message", "the function below")
    found = play(repo, sides(repo, "regression"), base)
    expect(found["log"], f",file=checkout.go,line={line - 2}::main.priceRound")
    # the base was not fetched, so the function's own line is used
    found = play(repo, {**sides(repo, "regression"), "rules-from": "head"}, "0" * 40)
    expect(found["log"], f",file=checkout.go,line={line - 2}::main.priceRound")


def test_annotation_of_removed_lines(repo):
    base, _, line = repository(ROOT, repo)
    git(repo, "checkout", "--quiet", base)
    source = repo / "checkout.go"
    lines = source.read_text(encoding="utf-8").split("\n")
    del lines[line - 1]
    source.write_text("\n".join(lines), encoding="utf-8")
    git(repo, "commit", "--quiet", "--all", "--message", "a line less")
    found = play(repo, sides(repo, "regression"), base)
    expect(found["log"], f",file=checkout.go,line={line}::main.priceRound")


def test_outputs_have_the_numbers_of_budgets_and_causes(repo):
    """The numbers of budgets and causes in the outputs are those that the program reports."""
    repository(ROOT, repo)
    given = sides(repo, "regression")
    told = repo / "profiles/told"
    subprocess.run([GATE, "check", given["baseline"], given["canary"]], cwd=repo, stdout=subprocess.DEVNULL, check=False,
                   env=environment(GITHUB_OUTPUT=str(told)))
    found = play(repo, given)
    same([found[name] for name in ("failed", "inconclusive", "warned", "causes")], ["2", "0", "2", "1"], found["log"])
    found = play(repo, {**given, "canary": "nowhere"})
    same([found[name] for name in ("failed", "causes", "verdict", "report")], ["0", "0", "error", ""], found["log"])


def test_sarif_marks_what_the_annotation_marks(repo):
    """The file for code scanning marks the function that the annotation marks, and is relative to the working directory."""
    _, _, line = repository(ROOT, repo)
    found = play(repo, {**sides(repo, "regression"), "sarif": "pprofgate.sarif"})
    same(found["status"], 1, found["log"])
    results = json.loads((repo / "pprofgate.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    place = results[0]["locations"][0]["physicalLocation"]
    same((place["artifactLocation"]["uri"], results[0]["level"]), ("checkout.go", "error"))
    expect(found["log"], f",file=checkout.go,line={place['region']['startLine']}::main.priceRound")
    same(place["region"]["startLine"] < line, True)
    found = play(repo, {**sides(repo, "regression"), "sarif": "two\nlines"})
    same((found["status"], found["verdict"]), (2, "error"), found["log"])


def test_the_action_writes_the_comment(repo):
    """With `comment` the action itself leaves the comment, also where the verdict fails the step."""
    base, _, line = repository(ROOT, repo)
    sha = git(repo, "rev-parse", "HEAD").strip()
    payload = repo.parent / "event.json"
    payload.write_text(json.dumps({"pull_request": {"number": 9, "head": {"sha": sha, "repo": {"full_name": "team/shop"}}}}),
                       encoding="utf-8")
    with FakeApi() as api:
        github = {"api_url": api.url, "event_path": str(payload), "repository": api.repository, "run_id": "78", "token": TOKEN}
        given = {**sides(repo, "regression"), "rules-from": "head"}
        same(play(repo, {**given, "comment": "on-failure"}, base, **github)["status"], 1)
        body = api.comments[0]["body"]
        expect(body, "pprofgate: FAIL", "<code>main.priceRound</code>",
               f"](<https://github.invalid/team/shop/blob/{sha}/checkout.go#L")
        same(play(repo, given, base, **github)["status"], 1)
        same(play(repo, {**given, "comment": "on-failure", "report": ""}, base, **github)["status"], 1)
        same(len(api.comments), 1)
        expect(api.comments[0]["body"], "nothing was decided")
        same(line > 0, True)


def test_a_pass_passes_the_step(repo):
    base, _, _ = repository(ROOT, repo)
    found = play(repo, {**sides(repo, "speedup"), "report": "reports"}, base)
    same((found["status"], found["verdict"], found["exit-code"]), (0, "pass", "0"), found["log"])
    same(found["report"], str(repo / "reports"))
    refuse(found["log"], "::error", "::warning")
    expect(found["summary"], "pprofgate: PASS")


def test_an_inconclusive_step_follows_fail_on(repo):
    repository(ROOT, repo)
    given = undecided(repo)
    for fail_on, status in (("inconclusive", 3), ("fail", 0), ("never", 0)):
        found = play(repo, {**given, "fail-on": fail_on})
        same((found["status"], found["verdict"], found["exit-code"]), (status, "inconclusive", "3"), found["log"])
        expect(found["summary"], "INCONCLUSIVE")
        if status == 0:
            expect(found["log"], "::warning title=pprofgate::the samples cannot decide")
    found = play(repo, {**given, "on-inconclusive": "fail"})
    same(found["status"], 1, found["log"])


EDITED = "the change edits the rules, and those of '{}' were used: budget 'no function takes over': error → warn"


def loosened(repo, has_rules=True):
    """A repository whose change loosens the rules, or adds loose ones: the commit of its base."""
    base, _, _ = repository(ROOT, repo)
    git(repo, "checkout", "--quiet", base)
    (repo / ".pprofgate.yml").unlink(missing_ok=True)
    if has_rules:
        (repo / ".pprofgate.yml").write_text("version: 1\nextends: recommended\n", encoding="utf-8")
    base = commit(repo, "rules")
    (repo / ".pprofgate.yml").write_text(LOOSE, encoding="utf-8")
    commit(repo, "a change that loosens the rules")
    return base


def test_loosened_rules_do_not_pass(repo):
    """On a pull request and in a merge queue the base's rules decide, and reports name what the change edits."""
    base = loosened(repo)
    given = sides(repo, "regression")
    for event in ("pull_request", "pull_request_target", "merge_group"):
        found = play(repo, given, base, event)
        same((found["status"], found["verdict"]), (1, "fail"), found["log"])
        expect(found["summary"], EDITED.format(base))
        expect(found["log"], f"rules are taken from the base of the pull request, {base}")
    found = play(repo, {**given, "rules-from": "head"}, base)
    same((found["status"], found["verdict"]), (0, "pass"), found["log"])
    expect(found["log"], "::notice title=pprofgate::the change is judged by its own rules (rules-from: head)")
    found = play(repo, given, event="push")  # a run of main has no base
    same((found["status"], found["verdict"]), (0, "pass"), found["log"])
    refuse(found["log"], "rules are taken from", "::notice")
    found = play(repo, {**given, "rules-from": base}, event="push")
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])


def test_first_rules_do_not_judge_their_own_change(repo):
    base = loosened(repo, has_rules=False)
    found = play(repo, sides(repo, "regression"), base)
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])
    expect(found["summary"], f"the change adds a rules file, which '{base}' does not have, and the built-in rules were used")


def test_the_base_of_a_shallow_checkout_is_fetched(repo):
    """The base is fetched; where it cannot be, nothing is decided, and the next step is named."""
    base = loosened(repo)
    given = sides(repo, "regression")
    shallow = repo.parent / "shallow"
    git(repo.parent, "clone", "--quiet", "--depth=1", "--branch", "main", f"file://{repo}", str(shallow))
    git(shallow, "fetch", "--quiet", "--depth=1", "origin", git(repo, "rev-parse", "HEAD"))
    git(shallow, "checkout", "--quiet", "FETCH_HEAD")
    shutil.copytree(repo / "profiles", shallow / "profiles")
    found = play(shallow, given, base)
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])
    expect(found["summary"], EDITED.format(base))
    same(git(shallow, "rev-parse", "--is-shallow-repository"), "true")
    for missing in ("0" * 40, "no-such-branch"):
        found = play(shallow, {**given, "rules-from": missing}, base)
        same((found["status"], found["verdict"]), (2, "error"), found["log"])
        expect(found["log"], "::error title=pprofgate::rules are taken from the input 'rules-from'", "lacks that commit",
               "set fetch-depth: 0 for actions/checkout, or rules-from: head")
    shutil.rmtree(shallow / ".git")
    found = play(shallow, given, base)
    same((found["status"], found["verdict"]), (2, "error"), found["log"])
    expect(found["log"], "run actions/checkout first, or set rules-from: head")


def test_fail_on_decides_what_fails_the_step(repo):
    repository(ROOT, repo)
    given = sides(repo, "regression")
    for fail_on, status in (("fail", 1), ("never", 0)):
        found = play(repo, {**given, "fail-on": fail_on})
        same((found["status"], found["verdict"], found["exit-code"]), (status, "fail", "1"), found["log"])
        same("::error " in found["log"], fail_on == "fail", found["log"])
        expect(found["log"], "title=pprofgate%3A no function takes over")


def test_an_error_fails_the_step_without_outputs(repo):
    """Nothing was decided: the step fails whatever fail-on says, and no outputs or reports of it look like a verdict."""
    repository(ROOT, repo)
    found = play(repo, {"baseline": "nowhere", "canary": "nowhere.pb.gz", "fail-on": "never"})
    same((found["status"], found["verdict"], found["exit-code"], found["report"]), (2, "error", "2", ""), found["log"])
    expect(found["log"], "nowhere", "::error title=pprofgate::nothing was decided")
    expect(found["summary"], "nothing was decided")
    for given in ({"fail-on": "sometimes"}, {"command": "chekc"}, {"accept-first": "yes"}, {"report": "a\nb"},
                  {"working-directory": "no/such"}, {"rules": "a\r\nverdict=pass"}):
        found = play(repo, {"baseline": "a", "canary": "b", **given})
        same((found["status"], found["verdict"]), (2, "error"), f"{given} {found['log']}")
        expect(found["log"], f"::error title=pprofgate::the input '{next(iter(given))}'")


def test_inputs_are_not_run_or_expanded(repo):
    """The text of an input is data: it is not run, not expanded, and not read as a command by the runner."""
    repository(ROOT, repo)
    given = sides(repo, "speedup")
    names = ("baseline", "canary", "pairs", "rules", "store", "service", "environment", "revision", "on-inconclusive",
             "report", "args", "working-directory", "command", "fail-on", "accept-first", "rules-from")
    for name in names:
        found = play(repo, {**given, name: HOSTILE})
        if name == "report":
            same(found["report"], str(repo / HOSTILE), found["log"])
            continue
        if name in ("environment", "revision"):  # without a store these inputs have no effect
            same((found["status"], found["verdict"]), (0, "pass"), f"{name}: {found['log']}")
            continue
        same((found["status"], found["verdict"]), (2, "error"), f"{name}: {found['log']}")
    for name in ("version", "sha256", "binary"):
        found = play(repo, {**given, "binary": "", "version": "1.0", name: HOSTILE})
        same(found["verdict"], "", found["log"])
        same(found["status"], 2, found["log"])
    # lines that a runner would obey
    bad = "x\n::set-output name=verdict::pass\n##[command]y"
    for name in ("rules", "report", "working-directory"):
        found = play(repo, {**given, name: bad})
        same((found["status"], found["verdict"]), (2, "error"), found["log"])
        refuse("\n" + found["log"], "\n::set-output", "##[command]")
    found = play(repo, {**given, "args": "--rules\n::set-output name=verdict::pass"})
    refuse("\n" + found["log"], "\n::set-output")


def test_names_of_frames_are_not_run_as_commands(repo):
    """Frame names of a profile go to the log, the summary and the outputs, and command nothing."""
    repository(ROOT, repo)
    (repo / "profiles").mkdir()
    bad = "::set-output name=verdict::pass"
    steady = {f"main;step{i}": 1000 for i in range(4)}
    stacks = {"a": {**steady, f"main;{bad}": 1000, "main;##[error]x": 900, "main;<!-- pprofgate --> @team": 900},
              "b": {**steady, f"main;{bad}": 4000, "main;##[error]x": 2900, "main;<!-- pprofgate --> @team": 2900}}
    for name, lines in stacks.items():
        text = "".join(f"{stack} {count}\n" for stack, count in lines.items())
        (repo / f"profiles/{name}.collapsed").write_text(text, encoding="utf-8")
    found = play(repo, {"baseline": "profiles/a.collapsed", "canary": "profiles/b.collapsed", "rules": "recommended"})
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])
    refuse("\n" + found["log"], "\n::set-output", "##[error]")
    refuse(found["summary"], "<!-- pprofgate", "@team")
    same({key for key in found if "set-output" in key}, set())


def test_arguments_are_passed_on_unchanged(repo):
    """Several files, patterns, names with spaces and a leading dash, another folder, more arguments."""
    repository(ROOT, repo)
    sides(repo, "regression")
    (repo / "sub").mkdir()
    shutil.move(repo / "profiles", repo / "sub/profiles")
    shutil.copy(repo / "sub/profiles/baseline/baseline-1.pb.gz", repo / "sub/-dash and space.pb.gz")
    given = {"working-directory": "sub", "report": "",
             "baseline": "-dash and space.pb.gz\r\n\n  profiles/baseline/baseline-[23].pb.gz  ",
             "canary": "profiles/canary/*.pb.gz", "args": "--json\nout file.json\n--openmetrics=m.txt"}
    found = play(repo, given)
    same((found["status"], found["report"]), (1, ""), found["log"])
    expect((repo / "sub/out file.json").read_text(encoding="utf-8"), "-dash and space.pb.gz", "baseline-2", "baseline-3",
           "regression-3")
    expect((repo / "sub/m.txt").read_text(encoding="utf-8"), "# EOF")
    found = play(repo, {"working-directory": "sub", "pairs": "cpu=profiles/baseline,profiles/canary"})
    same((found["status"], found["report"]), (1, str(repo / "sub/pprofgate-report")), found["log"])


def test_a_change_is_checked_against_the_store(repo):
    """Nothing accepted, the first, accepted on main, and a change checked against it."""
    base, _, line = repository(ROOT, repo)
    sides(repo, "regression")
    store = {"store": ".baselines", "service": "shop"}
    found = play(repo, {**store, "canary": "profiles/canary"}, base)
    same((found["status"], found["verdict"]), (3, "inconclusive"), found["log"])
    expect(found["summary"], "NO BASELINE")
    git(repo, "checkout", "--quiet", base)
    found = play(repo, {**store, "command": "accept", "profiles": "profiles/baseline"}, event="push")
    same((found["status"], found["verdict"], found["exit-code"]), (0, "", "0"), found["log"])
    git(repo, "checkout", "--quiet", "change")
    found = play(repo, {**store, "canary": "profiles/canary"}, base)
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])
    expect(found["log"], f"file=checkout.go,line={line}::main.priceRound")
    refuse(found["log"], "baseline_ancestor")
    found = play(repo, {**store, "service": "other", "canary": "profiles/canary", "accept-first": "true"}, base)
    same((found["status"], found["verdict"]), (0, "first"), found["log"])
    expect(found["summary"], "FIRST")
    lenient = "version: 1\nextends: recommended\nguards: {baseline_missing: warn}\n"
    # a file outside of the checkout is not part of the change
    (repo.parent / "lenient.yml").write_text(lenient, encoding="utf-8")
    found = play(repo, {**store, "service": "third", "canary": "profiles/canary", "rules": "../lenient.yml"}, base)
    same((found["status"], found["verdict"]), (0, "no_baseline"), found["log"])
    found = play(repo, {**store, "command": "accept"})
    same(found["status"], 2, found["log"])
    expect(found["log"], "accept needs the input 'profiles'")


def test_both_sides_are_built_and_run(repo):
    """Both sides built and run in the job: of a pull request against its base, or against a revision."""
    repo.mkdir()
    trial = fake_repository(GATE, repo)
    base = trial.git("rev-parse", "HEAD").strip()
    trial.write("cost", "1500\n")
    trial.commit("slow")
    given = {"command": "try", "args": "--cache\n../cache"}
    found = play(trial.folder, given, base)
    same((found["status"], found["verdict"]), (1, "fail"), found["log"])
    same(found["report"], str(trial.folder / "pprofgate-report"))
    expect(found["summary"], "pprofgate: FAIL", "slow")
    head = trial.git("rev-parse", "HEAD").strip()
    with FakeApi() as api:
        api.permissions = {"alice": "write"}
        api.comments = [{"id": 1, "issue": 7, "user": {"login": "alice", "type": "User"},
                         "body": f"pprofgate-accept {head}: it is worth it"}]
        found = play(trial.folder, {**given, "accept-comments": "true", "token": TOKEN}, base, api_url=api.url,
                     pull={"number": 7, "head": {"sha": head}}, repository=api.repository)
    same((found["status"], found["verdict"]), (0, "pass"), found["log"])
    expect(found["log"], "PASS, accepted by alice")
    found = play(trial.folder, {**given, "baseline": "HEAD"}, event="push")
    same((found["status"], found["verdict"]), (0, "pass"), found["log"])
    for bad in ({}, {"baseline": "--help"}):
        found = play(trial.folder, {**given, **bad}, event="push")
        same((found["status"], found["verdict"]), (2, "error"), found["log"])
        expect(found["log"], "try needs the input 'baseline', a revision")


def test_inputs_reach_scripts_only_by_the_environment(_):
    """No script contains an expression; every input is passed in the environment."""
    for folder in ("", "ci/github/comment"):
        action = yaml.safe_load((ROOT / folder / "action.yml").read_text(encoding="utf-8"))
        scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "ci/github").rglob("*.*"))
        handed = set()  # checks all steps, because one step may set a variable of this name to something else
        for step in action["runs"]["steps"]:
            refuse(step["run"], "${{")
            handed.update(step["env"].items())
        for name in action["inputs"]:
            variable = f"INPUT_{name.upper().replace('-', '_')}"
            same((variable, f"${{{{ inputs.{name} }}}}") in handed, True, name)
            if not re.search(rf"{variable}\b|\b(single|lines_of|files_of|option|one_of) {name}\b", scripts):
                sys.exit(f"no script reads the input '{name}'")
        same({text for _, text in handed if "github.event." in text} <=
             {"${{ github.event.pull_request.base.sha || github.event.merge_group.base_sha }}",
              "${{ github.event.pull_request.head.sha }}", "${{ github.event.pull_request.number }}"}, True)
    for path in sorted((ROOT / "ci/github/workflows").glob("*.yml")):
        workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
        same(set(workflow["permissions"].values()) <= {"read", "write"}, True)
        writes = {name for name, right in workflow["permissions"].items() if right == "write"}
        same(writes, {"pull-requests"} if path.name == "comment.yml" else set())
        for job in workflow["jobs"].values():
            refuse("".join(step.get("run", "") for step in job["steps"]), "${{")
            if writes:  # a job with rights uses only our own action
                same([step.get("uses") for step in job["steps"]], ["pprofgate/pprofgate/ci/github/comment@v0"])


if __name__ == "__main__":
    played(globals(), lambda work: work / "repo")
