# SPDX-License-Identifier: Apache-2.0
"""Scenarios of capture_test.py about `pprofgate gate`, and about what the folder shows of how it was taken."""
import json
import shutil


def has_run(side, kind="cpu", number=1):
    return "%s-%s-%d" % (kind, side, number)


BOTH = [has_run("baseline"), has_run("canary")]


def unfailing(bench):
    """Rules with which a gate takes a second round."""
    rules = bench.place / "rules.yml"
    rules.write_text('version: 1\nguards: {one_pair: error}\nbudgets:\n'
                     '  - {name: wide, measure: self, limit: {share_increase: "+90pp"}}\n')
    return rules


def gate_of_a_heap_by(b, text):
    """A gate of heaps by a file's rules; the number of rounds that it took."""
    rules = b.place / "rules.yml"
    rules.write_text("version: 1\n" + text)
    b.run("gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "heap", "--seconds", 1,
          "--max-time", "10s", "-r", rules, "-o", b.dir)
    rounds = len(b.manifest()["runs"]) // 2
    shutil.rmtree(b.dir)
    return rounds


def gate_of(b, kinds, baseline, canary, *args):
    b.run("gate", "--baseline", b.url(baseline), "--canary", b.url(canary), "--kind", kinds, "--seconds", 1,
          "--max-time", "10s", "-r", "recommended", "-o", b.dir, *args)


def gate_repeats_a_round_that_lacks_a_kind(b):
    """A gate that was killed before it took the second kind of a round must not decide by the first kind alone."""
    gate = ["gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "cpu,heap", "--seconds", 1,
            "--max-time", "20s", "-r", "recommended", "-o", b.dir]
    b.run(*gate)
    b.expect(1, "main.priceRound")
    manifest = b.manifest()
    manifest["runs"] = [r for r in manifest["runs"] if r["round"] == 1 and r["kind"] == "cpu"]
    manifest["looks"] |= {"round": 0, "fractions": []}
    (b.dir / "manifest.json").write_text(json.dumps(manifest))
    asked = len(b.state.seen)
    b.run(*gate, "--force")
    assert b.last.returncode in (1, 3), b.last.stdout + b.last.stderr
    assert any(path.endswith("/heap?gc=1") for _, path, _ in b.state.seen[asked:]), b.state.seen[asked:]
    assert "was looked at before" not in b.last.stderr, "it judged a round that lacks a kind"
    assert sorted({r["kind"] for r in b.manifest()["runs"]}) == ["cpu", "heap"], b.manifest()


def gate_names_the_guard_that_is_raised(b):
    """If only a guard prevents a pass, the note about the look names the guard."""
    rules = unfailing(b)
    b.run("gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "cpu", "--seconds", 1,
          "--max-time", "20s", "-r", rules, "-o", b.dir)
    b.expect(0, "round 1 of at most 6: undecided, guard 'one_pair' is raised")


def gate_judges_kinds_that_a_file_has_no_budgets_for(b):
    """Each look adds the presets of other kinds to the file's rules, and the next one begins with the file's again."""
    rules = b.place / "rules.yml"
    rules.write_text("version: 1\nextends: recommended\nguards: {one_pair: error}\n")
    b.run("gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "cpu,heap", "--seconds", 1,
          "--max-time", "20s", "-r", rules, "-o", b.dir)
    b.expect(1, "round 1 of at most", "main.priceRound")


def gate_goes_on_until_something_waits(b):
    """A side in which nothing waits yet may have waits in the next round."""
    b.run("gate", "--baseline", b.url("waitslater"), "--canary", b.url("canary"), "--kind", "mutex", "--seconds", 1,
          "--max-time", "10s", "-o", b.dir)
    assert len(b.manifest()["runs"]) > 2, b.last.stdout + b.last.stderr
    b.expect(b.last.returncode, "round 1 of at most 3: undecided, 'no waiting doubles'")
    assert "profiler is off" not in b.last.stdout, b.last.stdout
    shutil.rmtree(b.dir)
    b.run("gate", "--baseline", b.url("nothingwaits"), "--canary", b.url("canary"), "--kind", "mutex", "--seconds", 1,
          "--max-time", "7s", "-o", b.dir)
    b.expect(3, "the baseline has no samples: nothing waited there, or its profiler is off")
    assert len(b.manifest()["runs"]) == 4, b.manifest()


def gate_passes_early_only_if_it_could_fail(b):
    """With fewer samples than a fail needs, an early pass would mean nothing. The last round may pass."""
    rules = b.place / "rules.yml"
    for least, rounds in ((1000000, 3), (1, 1)):
        rules.write_text("version: 1\ndefaults: {min_samples: %d}\nbudgets:\n  - {name: small, sample_type: delay, "
                         "measure: total_cost, per: second, limit: '+100%%', min_growth: 1h}\n" % least)
        b.run("gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "mutex", "--seconds", 1,
              "--max-time", "10s", "-r", rules, "-o", b.dir)
        b.expect(0, "PASS")
        assert len(b.manifest()["runs"]) == 2 * rounds, b.manifest()
        shutil.rmtree(b.dir)


def gate_awaits_the_allocations_of_a_heap(b):
    """The first round of a heap has no allocations to judge. Rules of a file that judge them do not end the gate."""
    for text in ("extends: heap\n", "budgets:\n  - {name: made, sample_type: alloc_space, measure: charged, "
                                    "limit: {share_increase: '+90pp'}}\n"):
        assert gate_of_a_heap_by(b, text) > 1, b.last.stdout + b.last.stderr
        assert "no such sample type" not in b.last.stdout, b.last.stdout


def gate_of_a_heap_takes_rules_for_half_of_it(b):
    """Later rounds of a heap also have allocations. Rules that judge the memory in use alone are enough, and the reverse."""
    for name, budget in (("inuse", "inuse_space, measure: total_cost, per: run, limit: '+10%'"),
                         ("alloc", "alloc_space, measure: charged, limit: {share_increase: '+1pp'}")):
        assert gate_of_a_heap_by(b, "budgets:\n  - {name: one, sample_type: %s}\n" % budget) > 1, b.last.stderr
        assert b.last.returncode in (0, 1, 3), b.last.stdout + b.last.stderr
        assert name + "_space total" in b.last.stdout and b.last.stdout.count("_space total") == 1, b.last.stdout


def one_process_under_two_addresses_does_not_pass(b):
    """Go takes one CPU profile at a time, so those of one process come one after the other."""
    addresses = ["--baseline", b.url("alone"), "--canary", b.url("alone", b.other), "--seconds", 1]
    b.run("gate", *addresses, "--max-time", "30s", "-r", "recommended", "-o", b.dir)
    b.expect(3, "both sides seem to be one process under two addresses", "in each of 2 rounds", "(one_process)")
    assert [r["retried"] for r in b.manifest()["runs"] if "retried" in r] == ["busy", "busy"], b.manifest()
    b.run("check", "-r", "recommended", b.dir)
    b.expect(3, "both sides seem to be one process under two addresses")
    b.run("capture", *addresses, "--runs", 1, "-o", b.place / "one")
    b.run("check", "-r", "recommended", b.place / "one")
    b.expect(3, "in its only round the program was busy")


def replicas_behind_one_address_are_two_processes(b):
    """Profiles that overlap are of two processes, whatever their addresses and builds."""
    b.run("capture", "--baseline", b.url("replicas"), "--canary", b.url("replicas", b.other), "--seconds", 1, "--runs", 3,
          "-o", b.dir)
    manifest = b.manifest()
    for run in manifest["runs"]:  # the canary was busy with another profiler for a moment
        run["retried"] = "busy" if run["side"] == "canary" else ""
    (b.dir / "manifest.json").write_text(json.dumps(manifest))
    b.run("check", "-r", "recommended", b.dir)
    assert "one process" not in b.last.stdout, b.last.stdout


def a_program_that_broke_off_is_in_the_report(b):
    """The profile is taken again, and the report names the rounds."""
    b.capture(canary="dies", runs=3)
    b.expect(0)
    assert [r.get("retried", "") for r in b.manifest()["runs"] if r["side"] == "canary"] == ["", "cut", ""], b.manifest()
    manifest = b.manifest()
    for run in manifest["runs"]:  # another one that was down
        run["retried"] = "down" if run["round"] != 2 and run["side"] == "canary" else run.get("retried", "")
    host = b.base.split("//")[1]
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "round 2 of 3: the canary (%s) broke off its cpu profile, which was taken again: did it crash or "
             "restart? (retried)" % host)
    (b.dir / "manifest.json").write_text(json.dumps(manifest))
    b.run("check", "-r", "recommended", b.dir)
    b.expect(1, "round 3 of 3: the canary (%s) could not be reached at first, and its cpu profile was taken later: did "
             "it crash or restart? (retried)" % host)


def profiles_without_a_duration_last_as_long_as_their_requests(b):
    """--equal time and budgets per second need durations. py-spy's text has none, and the manifest has when it was taken."""
    b.run("gate", "--baseline", b.url("text"), "--canary", b.url("texttoo"), "--equal", "time", "--seconds", 1,
          "--max-time", "10s", "-r", "recommended", "-o", b.dir)
    b.expect(0)
    b.run("check", "--equal", "time", "-r", "recommended", b.dir)
    assert "needs the duration" not in b.last.stdout and "per run" not in b.last.stdout, b.last.stdout
    assert "per second" in b.last.stdout or "in the same" in b.last.stdout, b.last.stdout


def gate_leaves_out_a_window_without_allocations(b):
    """Go counts allocations up to its last collection, so a window of a busy program may be empty."""
    gate_of(b, "allocs", "baseline", "uncollectedfirst")
    b.expect(0, "the allocs profile has no samples: Go counts allocations when its collector has run",
             "the round is left out, and the next one is taken", "PASS",
             "has no allocs profile of the canary and is left out")
    rounds = [(r["round"], r["side"]) for r in b.manifest()["runs"]]
    assert (1, "baseline") in rounds and (1, "canary") not in rounds, rounds
    assert (2, "baseline") in rounds and (2, "canary") in rounds, rounds


def gate_judges_what_it_has_if_the_last_window_is_empty(b):
    gate_of(b, "allocs", "baseline", "uncollectedlater")
    assert b.last.returncode in (0, 3), b.last.stdout + b.last.stderr
    b.expect(b.last.returncode, "the round is left out, and no further one fits",
             "rounds 2, 3 of 3 have no allocs profiles of the canary and are left out")
    assert b.manifest()["looks"]["fractions"][-1] == 1, b.manifest()["looks"]


def gate_without_allocations_is_an_error(b):
    """Rounds without allocations are neither a pass by the other kind nor taken without end."""
    for kinds, left_out in (("allocs", 2), ("cpu,allocs", 1), ("allocs,cpu", 1)):
        gate_of(b, kinds, "uncollected", "uncollectedtoo")
        b.expect(2, "the allocs profile has no samples: Go counts allocations when its collector has run",
                 "the round is left out, and the next one is taken")
        assert "PASS" not in b.last.stdout, b.last.stdout
        assert b.last.stderr.count("the round is left out") == left_out, b.last.stderr
        rounds = {(r["kind"], r["round"], r["side"]) for r in b.manifest()["runs"]}
        assert rounds == {("cpu", r, s) for r in (1, 2) for s in ("baseline", "canary") if "cpu" in kinds}, rounds
        shutil.rmtree(b.dir)


def gate_of_an_idle_program_is_an_error(b):
    """A program without CPU samples is an error, and the round is not left out."""
    gate_of(b, "cpu", "baseline", "nosamples")
    b.expect(2, "the cpu profile has no samples: was the program idle?", runs=[has_run("baseline")])
    assert "left out" not in b.last.stderr, b.last.stderr


def gate_passes_an_accepted_fail(b):
    head = "1f0c9b7d3a5e8f2461b09c7d5e3fa8b64270d1ce"
    gate = ["gate", "--baseline", b.url("baseline"), "--canary", b.url("canary"), "--kind", "cpu", "--seconds", 1,
            "--max-time", "20s", "-r", "recommended", "-o", b.dir, "--accepted", f"{head} by alice: it is worth it"]
    b.run(*gate)
    b.expect(2, "'--accepted' needs '--head COMMIT'")
    assert not b.dir.exists(), "it took profiles before it read its options"
    b.run(*gate, "--head", head)
    b.expect(0, 'PASS, accepted by alice: "it is worth it"', "main.priceRound")
