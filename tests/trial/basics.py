# SPDX-License-Identifier: Apache-2.0
"""What is tried, where, what is told of failures, and which commit it was."""
import json
import os
import pathlib
import re
import shutil
import subprocess

from repository import FAKE, RULES, Repository, check, fake_repository, untouched


def test_unchanged_passes(gate, folder):
    repository = fake_repository(gate, folder)
    before = repository.state()
    out, err = repository.run("try", "HEAD", expect=0)
    check(out.startswith("PASS"), out)
    check("both sides are the same commit" in err, err)
    untouched(repository, before, "a try")


def test_uncommitted_change_is_tried(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("cost", "1500\n")
    repository.write("ignored", "not brought over\n")
    before = repository.state()
    out, _ = repository.run("try", "HEAD", "--report", "out", expect=1)
    check(re.search(r"FAIL[^$]*slow", out), out)
    shutil.rmtree(repository.folder / "out")
    untouched(repository, before, "a try of a change")
    repository.git("add", "cost")
    repository.write("cost", "100\n")  # staged bad, on the disk good: the disk counts
    before = repository.state()
    repository.run("try", "HEAD", expect=0)
    untouched(repository, before, "a try beside a staged change")


def test_accepted_fail_passes_and_keeps_its_causes(gate, folder):
    repository = fake_repository(gate, folder)
    base = repository.git("rev-parse", "HEAD").strip()
    repository.write("cost", "1500\n")
    repository.commit("slow")
    head = repository.git("rev-parse", "HEAD").strip()
    text = f"{head} by alice: it is worth it"
    out, _ = repository.run("try", base, "--head", head, "--accepted", text, "--json", "report.json", expect=0)
    report = json.loads((repository.folder / "report.json").read_text())
    check(report["accepted"] == {"commit": head, "by": "alice", "reason": "it is worth it"}, report["accepted"])
    check(out.startswith('PASS, accepted by alice: "it is worth it"') and "slow" in out, out)
    _, err = repository.run("try", base, "--head", base, "--accepted", text, expect=1)
    check("it is for another commit than --head" in err, err)
    _, err = repository.run("try", "--bisect", base, head, "--head", head, "--accepted", text, expect=2)
    check("'--accepted' cannot be combined with '--bisect'" in err, err)


def test_a_change_within_the_second_of_the_commit_is_tried(gate, folder):
    """A file of the same size, written in the second in which it was added: git then looks at its bytes."""
    repository = fake_repository(gate, folder)
    for key, value in (("core.checkStat", "minimal"), ("core.trustctime", "false")):
        repository.git("config", key, value)
    cost, then = repository.folder / "cost", (1_700_000_000, 1_700_000_000)
    cost.write_text("101\n")
    os.utime(cost, then)
    repository.commit("cheap")
    cost.write_text("999\n")
    for path in (cost, repository.folder / ".git/index"):
        os.utime(path, then)
    out, err = repository.run("try", "HEAD", expect=1)
    check(re.search(r"FAIL[^$]*slow", out) and "the same commit" not in err, out + err)


def test_untracked_file_is_tried(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("run.sh", FAKE.replace("$(cat cost)", "$(cat more 2>/dev/null || cat cost)"), executable=True)
    repository.commit("reads a file that is not there yet")
    repository.write("more", "1500\n")
    before = repository.state()
    repository.run("try", "HEAD", expect=1)
    untouched(repository, before, "a try of a new file")
    repository.git("rm", "-q", "cost")
    os.remove(repository.folder / "more")
    _, err = repository.run("try", "HEAD", "--rounds", "1", expect=2)
    check("profile-1-canary" in err, "a file that was removed is not there")


def test_a_checkout_that_a_killed_git_left_is_made_again(gate, folder):
    """Git was killed while it made a checkout: what it noted is locked, or half of it; the next try makes it anew."""
    repository = fake_repository(gate, folder)
    repository.run("try", "HEAD", "--rounds", "1", expect=0)
    cache = next(repository.cache.glob("pprofgate/try/*"))
    for side, common in (("baseline", "../..\n"), ("canary", "")):
        notes = cache / "repository.git/worktrees" / side
        shutil.rmtree(cache / side)
        (notes / "commondir").write_text(common)
        (notes / "locked").write_text("initializing")
        out, _ = repository.run("try", "HEAD", "--rounds", "1", expect=0)
        check(out.startswith("PASS"), out)


def test_kept_profiles_give_the_same_verdict(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("cost", "1500\n")
    repository.run("try", "HEAD", "-o", "kept", "--json", "first.json", expect=1)
    manifest = json.loads((repository.folder / "kept/manifest.json").read_text())
    order = [run["side"] for run in manifest["runs"]]
    check(order[:2] == ["baseline", "canary"] and (len(order) < 4 or order[2:4] == ["canary", "baseline"]), order)
    check(all(run["work"] == 1000 for run in manifest["runs"]), manifest["runs"])
    first = json.loads((repository.folder / "first.json").read_text())
    command = re.search(r"pprofgate check [^\"\\]*", json.dumps(first))
    check(command is not None and "kept" in command[0] and "HEAD" not in command[0], command)
    _, err = repository.run("check", "kept", "--json", "again.json", expect=1)
    check("other rules or options" not in err, err)
    check(manifest["looks"]["equal"] == "run", manifest["looks"])
    again = json.loads((repository.folder / "again.json").read_text())
    for key in ("verdict", "causes", "total_cost"):
        check(first[key] == again[key], f"{key}: {first[key]} {again[key]}")
    _, err = repository.run("try", "HEAD", "-o", "kept", expect=2)
    check("has profiles already" in err, err)


def test_ignored_files_of_a_build_are_kept_for_the_next_try(gate, folder):
    """Files that git ignores, such as those of an incremental build."""
    repository = fake_repository(gate, folder)
    seen = pathlib.Path(folder) / "seen"
    repository.environment.update(SEEN=str(seen))
    repository.write("run.sh", FAKE + 'ls ignored >>"$SEEN" 2>/dev/null\ntouch ignored\n', executable=True)
    repository.commit("builds")
    for wanted in (0, 2):
        repository.run("try", "HEAD", "--rounds", "1", expect=0)
        check(seen.read_text().count("ignored") == wanted, (wanted, seen.read_text()))


def test_undecided_functions_are_noted_after_each_round(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("run.sh", FAKE.replace("main;work;slow $cost", "main;work;slow $cost\nmain;work;late $cost"),
                     executable=True)
    repository.write("cost", "40\n")
    repository.commit("two functions")
    repository.write("cost", "560\n")
    _, err = repository.run("try", "HEAD", expect=0)
    check("note: round 1 of at most 3: undecided, 'late' and 1 more are open\n" in err, err)


def test_an_open_verdict_after_the_last_round_names_the_option_for_more(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("cost", "560\n")
    _, err = repository.run("try", "HEAD", "--rounds", "1", expect=3)
    check("note: round 1 is the last of the plan, and the verdict is open: a larger --rounds takes more rounds\n" in err,
          err)
    repository.write("cost", "4000\n")
    _, err = repository.run("try", "HEAD", "--rounds", "2", expect=1)
    check("last of the plan" not in err, err)


def test_rounds_beyond_max_time_are_noted(gate, folder):
    repository = fake_repository(gate, folder)
    repository.write("cost", "560\n")
    _, err = repository.run("try", "HEAD", "--max-time", "0.001s", expect=3)
    check(re.search(r"note: round 1 of at most 3 is the last: after \d+s, another one of up to \d+s does not fit into "
                    r"--max-time \(1s\)\n", err), err)


def test_commands_have_the_environment_of_the_documentation(gate, folder):
    repository = fake_repository(gate, folder, "  env: {MODE: fast}\n  seconds: 3\n")
    repository.write("run.sh", FAKE + "\nenv | grep -E '^(PPROFGATE_|MODE|GIT_DIR)' >>\"$SEEN\"; pwd >>\"$SEEN\"\n",
                     executable=True)
    repository.commit("says what it sees")
    seen = pathlib.Path(folder) / "seen"
    repository.environment.update(SEEN=str(seen), GIT_DIR=str(repository.folder / ".git"))
    repository.run("try", "HEAD", "--rounds", "1", "--seconds", "2")
    text = seen.read_text()
    for word in ("PPROFGATE_SIDE=baseline", "PPROFGATE_SIDE=canary", "PPROFGATE_ROUND=1", "PPROFGATE_SECONDS=2",
                 "MODE=fast"):
        check(word in text, (word, text))
    check("GIT_DIR=" not in text, text)
    check(len(set(re.findall(r"^/.*", text, re.M))) == 1, f"both sides run at one place: {text}")


def test_a_try_in_a_subdirectory_runs_there(gate, folder):
    repository = Repository(gate, folder)
    repository.write("services/shop/run.sh", FAKE, executable=True)
    repository.write("services/shop/cost", "100\n")
    repository.write("services/shop/.pprofgate.yml", RULES + "try: {run: ./run.sh, rounds: 2}\n")
    repository.commit("good")
    repository.write("services/shop/cost", "1500\n")
    repository.run("try", "HEAD", expect=1, cwd=repository.folder / "services/shop")


def test_a_profile_glob_finds_the_profile(gate, folder):
    repository = fake_repository(gate, folder)
    text = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", text + "  profile: out/cpu-*.txt\n")
    repository.write("run.sh", FAKE.replace('"${PPROFGATE_PROFILE:?}"', "out/cpu-$$.txt").replace(
        "cost=", "mkdir -p out; cost="), executable=True)
    repository.commit("writes where it likes")
    repository.run("try", "HEAD", expect=0)
    repository.write("run.sh", (repository.folder / "run.sh").read_text() + "cp out/cpu-$$.txt out/cpu-more.txt\n")
    _, err = repository.run("try", "HEAD", expect=2)
    check("wrote 2 profiles" in err, err)


def test_a_profile_glob_outside_of_the_checkout_is_refused(gate, folder):
    """A link of the checkout that leads out of it: the user's files there stay."""
    repository = fake_repository(gate, folder, "  profile: prof/*.prof\n")
    outside = pathlib.Path(folder) / "outside"
    outside.mkdir()
    (outside / "a.prof").write_text("the user's\n")
    (repository.folder / "prof").symlink_to(outside)
    repository.commit("a link out")
    _, err = repository.run("try", "HEAD", expect=2)
    check("outside of the checkout" in err, err)
    check((outside / "a.prof").read_text() == "the user's\n", "a file outside of the checkout is removed")


def test_worktrees_shallow_clones_and_sha256_repositories_are_tried(gate, folder):
    """A linked worktree, a shallow clone, one without a commit of its own, and one of SHA-256."""
    repository = fake_repository(gate, folder)
    repository.write("cost", "110\n")
    repository.commit("second")
    first = repository.folder
    places = {"linked": ("worktree", "add", "-q", "--detach", str(first.parent / "linked")),
              "shallow": ("clone", "-q", "--depth", "1", f"file://{first}", str(first.parent / "shallow")),
              "separate": ("clone", "-q", "--separate-git-dir", str(first.parent / "separate.git"), str(first),
                           str(first.parent / "separate"))}
    for name, words in places.items():
        repository.git(*words)
        repository.folder = first.parent / name
        repository.write("cost", "1500\n")
        listed = repository.git("worktree", "list"), repository.git("for-each-ref"), repository.git("status", "-s")
        repository.run("try", "HEAD", expect=1)
        check(listed == (repository.git("worktree", "list"), repository.git("for-each-ref"),
                         repository.git("status", "-s")), f"{name} changed")
        repository.folder = first
    other = pathlib.Path(folder) / "sha256"
    other.mkdir()
    repository.folder = other
    shutil.copytree(first, other, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    repository.git("init", "-q", "--object-format=sha256")
    _, err = repository.run("try", "HEAD", expect=2)
    check("git has no commit 'HEAD'" in err, err)
    repository.git("add", "-A")
    repository.git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "good")
    repository.write("cost", "1500\n")
    repository.run("try", "HEAD", expect=1)


def test_usage_errors_name_the_mistake_and_change_nothing(gate, folder):
    repository = fake_repository(gate, folder)
    before = repository.state()
    _, err = repository.run("try", "no-such-branch", expect=2)
    check("git has no commit 'no-such-branch'" in err, err)
    _, err = repository.run("try", expect=2)
    check("the revision is missing" in err, err)
    _, err = repository.run("try", "HEAD", "--bench", "x", expect=2)
    check("is for the preset 'go-bench'" in err, err)
    _, err = repository.run("try", "HEAD", "-r", "recommended", expect=2)
    check("has no section 'try'" in err, err)
    _, err = repository.run("try", "HEAD", cwd=folder, expect=2)
    check("there is no .pprofgate.yml here" in err and "try: {preset: go-bench}" in err, err)
    shutil.copy(repository.folder / ".pprofgate.yml", pathlib.Path(folder) / ".pprofgate.yml")
    _, err = repository.run("try", "HEAD", cwd=folder, expect=2)
    check("git repository" in err, err)
    untouched(repository, before, "errors")


def test_a_failing_build_is_an_error_with_its_output(gate, folder):
    repository = fake_repository(gate, folder)
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", rules.replace("test -f run.sh", "cat needed; echo built; test -f needed"))
    repository.write("needed", "here\n")
    _, err = repository.run("try", "HEAD", "--json", "old.json", expect=2)
    check("baseline: 'build' ended with status 1" in err and "cat: needed" in err, err)
    repository.commit("has it")
    os.remove(repository.folder / "needed")
    repository.write("old.json", '{\n  "schema_version": 1,\n  "generator": "pprofgate 0.0.1"\n}\n')
    _, err = repository.run("try", "HEAD", "--json", "old.json", expect=2)
    check("canary: 'build' ended with status 1" in err and "cat: needed" in err, err)
    check(not (repository.folder / "old.json").exists(), "a report of an earlier run is removed")


def test_a_failing_run_is_an_error_with_its_output(gate, folder):
    repository = fake_repository(gate, folder)
    good = (repository.folder / "run.sh").read_text()
    for text, told in ((good + "echo it broke >&2; exit 3\n", "canary: 'run' ended with status 3"),
                       ("#!/bin/sh\necho it broke; exit 3\n", "canary: 'run' ended with status 3"),
                       ("#!/bin/sh\nexit 3\n", "canary: 'run' ended with status 3, without output"),
                       ("#!/bin/sh\n", "wrote no profile"), (good.replace("requests", "nothing"), "matches nothing"),
                       (good.replace("1,000", "many").replace("requests: ", "requests: 7, requests: 0"), None)):
        repository.write("run.sh", text)
        _, err = repository.run("try", "HEAD", "--rounds", "1")
        check(told is None or told in err, (told, err))
        check("echo it broke" not in text or "which ends with:\n  it broke\n" in err, err)
    repository.write("run.sh", "#!/bin/sh\nsleep 1000 & sleep 1000\n")
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.write(".pprofgate.yml", rules + "  timeout: 1\n")
    _, err = repository.run("try", "HEAD", expect=2)
    check("took longer than 1 seconds" in err, err)
    check(not repository.processes(), repository.processes())


def test_a_bisection_finds_the_commit(gate, folder):
    repository = fake_repository(gate, folder)
    good = repository.git("rev-parse", "HEAD").strip()
    commits = []
    for i in range(1, 7):
        repository.write("other", f"{i}\n")
        repository.write("cost", f"{1500 if i >= 4 else 100 + i}\n")
        if i == 5:
            repository.write("cost", "1500\n")
        commits.append(repository.commit(f"change {i}"))
    before = repository.state()
    out, err = repository.run("try", "--bisect", good, "HEAD", expect=0)
    check("change 4" in out and "slow" in out and "FAIL" in out, (out, err))
    untouched(repository, before, "a bisection")
    _, err = repository.run("try", "--bisect", good, commits[2], expect=2)
    check("does not fail against GOOD" in err, err)
    _, err = repository.run("try", "--bisect", good, expect=2)
    check("expects two revisions" in err, err)


def test_a_bisection_skips_commits_whose_run_fails(gate, folder):
    repository = fake_repository(gate, folder)
    good = repository.git("rev-parse", "HEAD").strip()
    commits = []
    for i in range(1, 5):
        repository.write("cost", f"{1500 if i >= 3 else 100 + i}\n")
        repository.write("run.sh", "#!/bin/sh\nexit 1\n" if i in (2, 3) else FAKE, executable=True)
        commits.append(repository.commit(f"change {i}"))
    out, err = repository.run("try", "--bisect", good, "HEAD", expect=3)
    check(err.count("skipped") >= 2, (out, err))
    listed = out.partition("one of these:\n\n")[2].splitlines()
    check(sorted(listed) == sorted(f"  {repository.git('rev-parse', commit).strip()}" for commit in commits[1:]), (out, err))


AT_SECOND_CANARY = """|-
    if test $PPROFGATE_SIDE = canary; then
      test ! -e "$SEEN.bad" || touch "$SEEN"
      touch "$SEEN.bad"
    fi"""
RUN_GOOD_FAILS = """|-
    test $PPROFGATE_SIDE = canary || test ! -e "$SEEN" || exit 7
    ./run.sh"""


def test_a_bisection_ends_if_the_good_commit_fails(gate, folder):
    """GOOD ran beside BAD at first and later failed: no commit is to blame, so none is skipped."""
    repository = fake_repository(gate, folder)
    good = repository.git("rev-parse", "HEAD").strip()
    for i in range(1, 6):
        repository.write("cost", f"{1500 + i if i >= 3 else 100 + i}\n")
        repository.commit(f"change {i}")
    seen = pathlib.Path(folder) / "seen"
    rules = (repository.folder / ".pprofgate.yml").read_text()
    repository.environment["SEEN"] = str(seen)
    repository.write(".pprofgate.yml", rules.replace("run: ./run.sh", "run: " + RUN_GOOD_FAILS).replace(
        "build: test -f run.sh", "build: " + AT_SECOND_CANARY))
    out, err = repository.run("try", "--bisect", good, "HEAD", expect=2)
    check(seen.exists() and f"GOOD ({good[:12]}) fails itself" in err and "ended with status 7" in err, err)
    check("skipped" not in err and "one of these" not in out, (out, err))
