#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store of baselines as jobs use it: accepting, checking, which revision is the baseline, noise, what stays.

usage: test_store.py PPROFGATE ROOT NAME|all
"""
import hashlib
import html
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

from jobs import (CAPTURES, DAY, GATE, ROOT, accept, check, commit, cpu, environment, expect, gate, git, intact, main,
                  objects, records, refuse, repository, same, warnings)

# ---- accepting -------------------------------------------------------------------------------------------------------


def test_accepted_runs_are_listed_and_shown():
    told = accept(cpu("baseline-1"), cpu("baseline-2"), "--environment", "ci", "--fact", "go=1.26", "--fact", "cpus=64",
                  "--work", "100,200")
    expect(told.stdout, "accepted 2 runs (cpu) of shop in ci, revision r1")
    listed = gate("baseline", "list", "--store", "store").stdout
    expect(listed, "service environment revision runs kinds accepted check", "shop ci r1 2 cpu", "unchecked")
    shown = gate("baseline", "show", "--store", "store").stdout
    expect(shown, "run baseline-1.pb.gz", "work 100", "go: 1.26", "cpus: 64", "language Go", "period 10000000 cpu/nanoseconds",
           "build 0f9cbc0db0aeb84a5eeda88532136835bfc11b5d", "measured 2346 records in 30 s", "by pprofgate")
    record = json.loads(gate("baseline", "show", "--store", "store", "--json", "r1").stdout)
    same(record["schema"], "pprofgate-baseline/1")
    same([run["work"] for run in record["runs"]], [100, 200])
    accept(cpu("baseline-1"), cpu("baseline-2"), "--work", "300", service="together")
    together = json.loads(gate("baseline", "show", "--store", "store", "--service", "together", "--json").stdout)
    same([run["work"] for run in together["runs"]], [150, 150])
    same(record["runs"][0]["object"], hashlib.sha256(cpu("baseline-1").read_bytes()).hexdigest())
    facts = {fact["key"]: fact["value"] for fact in record["facts"]}
    same((facts["go"], facts["cpus"]), ("1.26", "64"))
    if "kernel" not in facts or "arch" not in facts:
        sys.exit(f"the machine is not told: {facts}")
    same(len(objects()), 2)
    intact()


SHOWN = """{id}
  service       shop
  environment   ci
  revision      r1
  accepted      2100-01-02 03:04 UTC by pprofgate {version}
  check         unchecked
  reason        it is meant
  facts         go: 1.26
                cpus: 64
  run baseline-1.pb.gz
    kind          cpu
    types         samples/count cpu/nanoseconds
    measured      2346 records in 30 s, period 10000000 cpu/nanoseconds
    taken         2026-11-20 10:37
    work          100
    language      Go
    build         0f9cbc0db0aeb84a5eeda88532136835bfc11b5d
    sha256        f9600d737227976d318c24429c0b7e0bf48c325aa10ec47f95e570eeae24a9ec
"""


def test_list_holds_few_folders_open():
    for number in range(8):
        accept(cpu("baseline-1"), service=f"shop{number}")
    few = subprocess.run([GATE, "baseline", "list", "--store", "store"], capture_output=True, text=True, check=False,
                         env=environment(), preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16)))
    expect(few.stdout + few.stderr, *(f"shop{number} default" for number in range(8)))


def test_show_prints_every_field():
    """The whole text of a record, to the letter."""
    accept(cpu("baseline-1"), "--environment", "ci", "--fact", "go=1.26", "--fact", "cpus=64", "--work", "100",
           "--elsewhere", "--reason", "it is meant", SOURCE_DATE_EPOCH="4102542240")
    version = gate("version").stdout.split()[1]
    (record,) = records()
    same(gate("baseline", "show", "--store", "store").stdout, SHOWN.format(id=record.stem, version=version))


def test_runs_accepted_elsewhere_lack_facts_of_this_machine():
    accept(cpu("baseline-1"), "--elsewhere", "--fact", "cpu_model=M9")
    record = json.loads(gate("baseline", "show", "--store", "store", "--json").stdout)
    same(record["facts"], [{"key": "cpu_model", "value": "M9"}])


def test_accept_refuses_invalid_runs():
    expect(accept(cpu("baseline-1"), cpu("baseline-1"), status=2).stderr, "the same profile as baseline-1.pb.gz")
    expect(accept(status=2).stderr, "expected PROFILE files to accept")
    expect(accept(cpu("baseline-1"), "--work", "1,2", status=2).stderr, "expected the work of 1 runs, found 2 numbers")
    expect(accept(cpu("baseline-1"), revision="-x", status=2).stderr, "expected a revision")
    expect(accept(cpu("baseline-1"), service="a\nb", status=2).stderr, "expected a service")
    expect(accept("-", status=2).stderr, "standard input and cannot be used with a store")
    expect(accept(ROOT / "README.md", status=2).stderr, "README.md: ")
    expect(gate("baseline", "accept", "--store", "store", "--service", "shop", cpu("baseline-1"), status=2).stderr,
           "no revision is known: git does not know 'HEAD' here" if shutil.which("git") else "git cannot be run",
           "add --revision REV")
    expect(gate("baseline", "accept", "--service", "shop", cpu("baseline-1"), status=2).stderr, "add --store DIR")
    expect(gate("baseline", "accept", "--store", "store", cpu("baseline-1"), status=2).stderr, "add --service NAME")
    same(records(), [])
    pathlib.Path("other").mkdir()
    pathlib.Path("other/thing.txt").write_text("mine")
    expect(accept(cpu("baseline-1"), store="other", status=2).stderr, "expected a store of baselines", "'thing.txt'")
    expect(gate("baseline", "list", "--store", "other", status=2).stderr, "expected a store of baselines")
    expect(gate("baseline", "prune", "--store", "nowhere", status=2).stderr, "there is no store")
    expect(gate("baseline", "list", "--store", "nowhere").stdout, "nothing was accepted yet")
    expect(gate("baseline", "show", "--store", "nowhere", status=2).stderr, "nothing was accepted yet")


def test_accepted_names_come_back_unchanged():
    """Names that no file may have come back as they were. A message names eight services."""
    names = ("a/b", "..", "späte Läden", "100%", ".hidden", "b", "c", "d", "e")
    for number, service in enumerate(names):
        accept(cpu("baseline-1"), service=service, revision=f"r{number}", store="store")
    same({json.loads(path.read_text())["service"] for path in records()}, set(names))
    for number, service in enumerate(names):
        expect(gate("baseline", "list", "--store", "store", "--service", service).stdout, f"{service} default r{number}")
    told = " ".join(gate("check", "--store", "store", "--service", "shp", cpu("baseline-1"), status=3).stdout.split())
    same(sum(f"'{name}'" in told for name in names), 8)
    same([path.name for path in pathlib.Path(".").iterdir()], ["store"])
    intact()


def test_accept_failed_only_with_a_reason():
    accept(*(cpu(f"baseline-{i}") for i in (1, 2, 3)))
    check(cpu("regression-1"), "--json", "report.json", status=1)
    verdict = ("--verdict", "report.json")
    expect(accept(cpu("regression-1"), *verdict, revision="r2", status=2).stderr, "the check of this canary failed",
           "--reason")
    expect(accept(cpu("regression-2"), *verdict, "--reason", "x", revision="r2", status=2).stderr,
           "regression-2.pb.gz: the report of --verdict is about other canaries")
    accept(cpu("regression-1"), *verdict, "--reason", "the law wants\x1b[31m it", revision="r2")
    same(len(records()), 2)
    shown = gate("baseline", "show", "--store", "store", "r2").stdout
    expect(shown, "check fail, accepted with a reason", "reason the law wants")
    refuse(shown, "\x1b")
    noted = check(cpu("regression-2"), status=0)
    expect(noted.stderr, "accepted for a reason: the law wants")
    check(cpu("benign-1"), "--json", "good.json")
    accept(cpu("benign-1"), "--verdict", "good.json", revision="r3")
    expect(gate("baseline", "list", "--store", "store").stdout, "pass")
    pathlib.Path("bad.json").write_text('{"verdict": "maybe"}')
    expect(accept(cpu("benign-2"), "--verdict", "bad.json", status=2).stderr, "bad.json: expected the JSON report")


def test_accepted_verdict_is_kept_with_its_reason():
    """Who accepted a fail, and why, is the new baseline's reason, without --reason."""
    commit_id = "1" * 40
    accept(cpu("baseline-1"))
    check(cpu("regression-1"), "--head", commit_id, "--accepted", f"{commit_id} by alice: new pricing", "--json",
          "report.json", status=0)
    accept(cpu("regression-1"), "--verdict", "report.json", revision="r2")
    expect(gate("baseline", "show", "--store", "store", "r2").stdout, "accepted by alice: new pricing")


def manifest(folder, names, side, work=0, by=None):
    pathlib.Path(folder).mkdir(exist_ok=True)
    runs = []
    for number, (name, path) in enumerate(names):
        shutil.copy(path, pathlib.Path(folder, name))
        kind = "heap" if ".heap." in path.name else "cpu"
        runs.append({"round": number + 1, "side": side, "kind": kind, "file": name, "source": f"http://shop/{name}",
                     "instance": f"pod-{number}", "start_ms": 1000, "end_ms": 2000, "work": work + number,
                     "revision": "build-7", "digest": hashlib.sha256(path.read_bytes()).hexdigest()})
        if by:
            runs[-1]["work_by"] = [{"label": "endpoint", "value": v, "work": n + number} for v, n in by.items()]
    text = {"schema": "pprofgate-manifest/1", "interleaved": False, "runs": runs,
            "host": {"cpus": 12, "cpu_model": "M3", "kernel": "Linux 9"}}
    pathlib.Path(folder, "manifest.json").write_text(json.dumps(text))


def test_a_manifest_is_accepted():
    manifest("main", [(f"run-{i}.pb.gz", cpu(f"baseline-{i}")) for i in (1, 2, 3)], "baseline", 1000)
    gate("baseline", "accept", "--store", "store", "--service", "shop", "--revision", "r1", "main")
    record = json.loads(gate("baseline", "show", "--store", "store", "--json").stdout)
    same([run["work"] for run in record["runs"]], [1000, 1001, 1002])
    same(record["runs"][1]["source"], "http://shop/run-2.pb.gz")
    lines = [line.split() for line in gate("baseline", "show", "--store", "store").stdout.splitlines()
             if line.startswith("    source ")]
    same(lines, [["source", f"http://shop/run-{i}.pb.gz"] for i in (1, 2, 3)])
    same(record["runs"][1]["instance"], "pod-1")
    same({fact["key"]: fact["value"] for fact in record["facts"]},
         {"cpu_model": "M3", "cpus": "12", "kernel": "Linux 9"})
    manifest("canary", [("run-1.pb.gz", cpu("benign-1"))], "canary", 1100)
    found = check("canary", "--json", "report.json", status=0)
    expect(found.stderr, "the baseline is 3 accepted runs of revision r1")
    report = json.loads(pathlib.Path("report.json").read_text())
    same(report["work"]["is_known"], True)
    same("baseline_machine" in warnings("report.json"), False)
    pathlib.Path("canary/run-1.pb.gz").write_bytes(cpu("benign-2").read_bytes())
    expect(check("canary", status=2).stderr, "canary/run-1.pb.gz: its digest differs from the manifest")


def test_one_side_of_a_manifest_is_accepted():
    manifest("both", [("one.pb.gz", cpu("baseline-1")), ("two.pb.gz", cpu("benign-1"))], "baseline")
    path = pathlib.Path("both/manifest.json")
    taken = json.loads(path.read_text())
    taken["runs"][1]["side"] = "canary"
    path.write_text(json.dumps(taken))
    accept_both = ("baseline", "accept", "--store", "store", "--service", "shop", "both")
    expect(gate(*accept_both, "--revision", "r1").stderr, "those of the canary are accepted; --side baseline takes the others")
    expect(gate("baseline", "show", "--store", "store", "r1").stdout, "run two.pb.gz")
    same(gate(*accept_both, "--revision", "r2", "--side", "baseline").stderr, "")
    expect(gate("baseline", "show", "--store", "store", "r2").stdout, "run one.pb.gz")


def test_each_kind_of_a_manifest_is_a_pair():
    """Each kind is a pair with the work of its own runs, by label if both sides have work by label."""
    for folder, side, number in (("main", "baseline", 1), ("canary", "canary", 2)):
        manifest(folder, [(f"{kind}.pb.gz", CAPTURES / f"quiet-{number}.{kind}.pb.gz") for kind in ("cpu", "heap")], side,
                 28000, {"checkout": 8000, "search": 5000})
    gate("baseline", "accept", "--store", "store", "--service", "shop", "--revision", "r1", "main")
    expect(gate("baseline", "show", "--store", "store").stdout, "work 28000", "work by endpoint=checkout: 8000")
    check("canary", "--json", "report.json", "--on-inconclusive", "pass")
    report = json.loads(pathlib.Path("report.json").read_text())
    same([one["work"]["is_known"] for one in [report, *report["comparisons"]]], [True] * (1 + len(report["comparisons"])))
    pathlib.Path("one").mkdir()
    manifest("one/main", [("cpu.pb.gz", CAPTURES / "quiet-1.cpu.pb.gz")], "baseline", 0, {"checkout": 8000, "search": 5000})
    gate("baseline", "accept", "--store", "store", "--service", "labelled", "--revision", "r1", "one/main")
    check(CAPTURES / "quiet-2.cpu.pb.gz", "--work", "canary=13000", "--json", "report.json", "--on-inconclusive", "pass",
          service="labelled")
    same(json.loads(pathlib.Path("report.json").read_text())["work"]["ratio"], 1)  # without a total, the labels' sum
    manifest("one/canary", [("cpu.pb.gz", CAPTURES / "quiet-3.cpu.pb.gz")], "canary", 28000, {"checkout": 8000})
    pathlib.Path("warn.yml").write_text("version: 1\nextends: recommended\nguards: {missing_kind: warn}\n")
    check("one/canary", "--json", "report.json", "--on-inconclusive", "pass", "--rules", "warn.yml")
    same(json.loads(pathlib.Path("report.json").read_text())["work"]["is_known"], True)


def test_work_by_label_of_a_manifest_is_used():
    """Work by label of a manifest is judged as that of options, and not its total besides. A run may lack a label."""
    folder, words, runs = pathlib.Path("taken"), [], []
    for side, names, search, report in (("baseline", ("mix-1", "mix-2"), 5378, 2217),
                                        ("canary", ("p10-3", "p10-4"), 5993, 2431)):
        manifest(folder, [(f"{side}-{name}.pb.gz", CAPTURES / f"{name}.cpu.pb.gz") for name in names], side, 28000,
                 {"/search": search, "/report": report})
        text = json.loads((folder / "manifest.json").read_text())
        text["runs"][1]["work_by"].pop()
        runs += text["runs"]
        words += ["--work", f"{side}:endpoint=/search:{search},{search + 1}",
                  "--work", f"{side}:endpoint=/report:{report},0"]
    (folder / "manifest.json").write_text(json.dumps({**text, "runs": runs}))
    found = []
    sides = ["--baseline", *sorted(folder.glob("base*")), "--canary", *sorted(folder.glob("canary-*"))]
    for given in (["taken"], [*words, *sides]):
        gate("check", "-r", "recommended", "--by", "endpoint", "--json", "report.json", *given, status=1)
        found.append(json.loads(pathlib.Path("report.json").read_text()))
    same(*({key: report[key] for key in ("work", "budgets")} for report in found))


# ---- checking --------------------------------------------------------------------------------------------------------


def test_a_check_without_a_baseline_never_passes():
    pathlib.Path("report.json").write_text('{\n  "schema_version": 1,\n  "generator": "pprofgate 0.0.1"\n}\n')
    found = check(cpu("baseline-1"), "--json", "report.json", status=3)
    expect(found.stdout, "NO BASELINE nothing was compared: no accepted cpu baseline of service 'shop', environment 'default'",
           "--accept-first")
    refuse(found.stdout, "PASS")
    same(json.loads(pathlib.Path("report.json").read_text())["verdict"], "no_baseline")
    same(warnings("report.json")["baseline_missing"]["severity"], "error")
    same(pathlib.Path("store").exists(), False)
    pathlib.Path("out").mkdir()
    pathlib.Path("out/flamegraph.svg").write_text('<?xml version="1.0" encoding="UTF-8"?>\n<!-- pprofgate report -->\n')
    summary = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": os.path.abspath("summary.md")}
    told = check(cpu("baseline-1"), "--report", "out", "--openmetrics", "-", status=3, **summary)
    same({path.name for path in pathlib.Path("out").iterdir()}, {"report.json", "report.md", "junit.xml"})
    expect(pathlib.Path("out/junit.xml").read_text(), '<error type="NoBaseline" message="nothing was compared')
    expect(pathlib.Path("summary.md").read_text(), "## pprofgate: NO BASELINE")
    expect(told.stderr, "NO BASELINE")
    pathlib.Path("warn.yml").write_text("version: 1\nextends: recommended\nguards: {baseline_missing: warn}\n")
    refuse(check(cpu("baseline-1"), "--rules", "warn.yml", "--junit", "junit.xml").stdout, "PASS")
    expect(pathlib.Path("junit.xml").read_text(), "<skipped message=")
    pathlib.Path("fail.yml").write_text("version: 1\nextends: recommended\ndefaults: {on_inconclusive: fail}\n")
    check(cpu("baseline-1"), "--rules", "fail.yml", status=1)
    first = check(cpu("baseline-1"), cpu("baseline-2"), "--accept-first", "--json", "report.json", revision="r0")
    same(json.loads(pathlib.Path("report.json").read_text())["verdict"], "first")
    expect(first.stdout, "FIRST accepted as the first baseline, nothing was compared: 2 runs (cpu)")
    refuse(first.stdout, "PASS")
    typo = gate("check", "--store", "store", "--service", "shp", cpu("baseline-1"), status=3)
    expect(typo.stdout, "baseline of service 'shp', environment 'default'; the store has baselines of 'shop'",
           "next: check --service and --environment; if they are new, accept the profiles of a good build")
    expect(gate("baseline", "list", "--store", "store").stdout, "r0 2 cpu", "first")
    expect(check(cpu("baseline-3"), "--accept-first").stdout, "PASS")
    same(len(records()), 1)


def test_the_first_accepted_runs_keep_their_work():
    """One number is that of all runs; the next check has the work of both sides."""
    check(cpu("baseline-1"), cpu("baseline-2"), "--accept-first", "--work", "canary=3000", revision="r0")
    same(gate("baseline", "show", "--store", "store").stdout.count("work          1500\n"), 2)
    expect(check(cpu("baseline-3"), "--work", "canary=1500").stdout, "per unit of work")


def test_a_missing_kind_does_not_pass():
    """A canary without a kind of profile that the baseline has does not pass, and every report names kind and side."""
    heap = CAPTURES / "quiet-1.heap.pb.gz"
    accept(cpu("baseline-1"), heap)
    missing = "the canary has no inuse_space profiles, while the baseline of revision r1 has some"
    pathlib.Path("warn.yml").write_text("version: 1\nextends: recommended\nguards: {missing_kind: warn}\n")
    pathlib.Path("off.yml").write_text("version: 1\nextends: recommended\nguards: {missing_kind: off}\n")
    run = [cpu("benign-1"), "--on-inconclusive", "pass"]
    expect(check(*run, "--rules", "warn.yml").stdout, "PASS", missing)
    refuse(check(*run, "--rules", "off.yml").stdout, missing)
    expect(check(*run, "--report", "out", "--openmetrics", "out/metrics", status=3).stdout, "INCONCLUSIVE", missing)
    for name in ("report.json", "report.md", "junit.xml", "report.html"):
        expect(html.unescape(pathlib.Path("out", name).read_text()), missing)
    same(warnings("out/report.json")["missing_kind"]["severity"], "error")
    expect(check(CAPTURES / "quiet-2.heap.pb.gz", status=3).stdout, "the canary has no cpu profiles")
    refuse(check(cpu("benign-1"), CAPTURES / "quiet-2.heap.pb.gz", "--on-inconclusive", "pass").stdout, "missing_kind")
    # Accepted by two jobs it is one baseline all the same, and a revision without the kind is another one.
    accept(cpu("baseline-2"), revision="r2")
    accept(heap, revision="r2", service="shop")
    expect(check(*run, status=3).stdout, "the baseline of revision r2 has some")
    accept(cpu("baseline-3"), revision="r3")
    refuse(check(*run).stdout, "missing_kind")


def test_a_new_kind_is_not_accepted_as_a_first_run():
    """A kind that is new does not make a canary that fails the first, nor one that passes."""
    accept(*(cpu(f"baseline-{i}") for i in (1, 2, 3)))
    heap = CAPTURES / "quiet-1.heap.pb.gz"
    missing = "the baseline of revision r1 has no inuse_space profiles"
    kept = (records(), objects())
    failed = check(cpu("regression-1"), heap, "--accept-first", "--json", "report.json", status=1)
    expect(failed.stdout, "FAIL", missing, "'pprofgate baseline accept'")
    same(warnings("report.json")["baseline_missing"]["severity"], "error")
    check(heap, cpu("regression-1"), "--accept-first", status=1)
    expect(check(heap, cpu("benign-1"), "--accept-first", "--on-inconclusive", "pass", status=3).stdout, missing)
    pathlib.Path("warn.yml").write_text("version: 1\nextends: recommended\nguards: {baseline_missing: warn}\n")
    told = check(cpu("benign-1"), heap, "--accept-first", "--on-inconclusive", "pass", "--rules", "warn.yml").stdout
    expect(told, missing)
    refuse(told, "FIRST")
    alone = check(heap, "--accept-first", status=3)
    expect(alone.stdout, "NO BASELINE nothing was compared: no accepted inuse_space baseline of service 'shop', environment 'default'")
    refuse(alone.stdout, "--accept-first")
    same((records(), objects()), kept)
    expect(check(cpu("benign-1"), heap, "--accept-first", "--environment", "new").stdout, "FIRST")
    same(len(records()), 2)


def test_the_revision_with_most_of_the_kinds_is_compared():
    """No revision has all kinds: as many are compared as one has."""
    accept(cpu("baseline-1"), cpu("baseline-2"))
    accept(CAPTURES / "quiet-1.heap.pb.gz", revision="r2")
    found = check(cpu("regression-1"), CAPTURES / "quiet-2.heap.pb.gz", status=1)
    expect(found.stdout, "the baseline of revision r1 has no inuse_space profiles")
    found = check(CAPTURES / "quiet-2.heap.pb.gz", cpu("regression-1"), "--on-inconclusive", "pass", status=3)
    expect(found.stdout, "the baseline of revision r2 has no cpu profiles")


def test_a_check_uses_the_accepted_baseline():
    accept(*(cpu(f"baseline-{i}") for i in (1, 2, 3)))
    found = check(cpu("regression-1"), "--json", "report.json", status=1)
    expect(found.stdout, "FAIL", "main.priceRound", "shop@r1/baseline-1.pb.gz")
    expect(found.stderr, "the baseline is 3 accepted runs of revision r1")
    report = json.loads(pathlib.Path("report.json").read_text())
    same([run["title"] for run in report["baseline"]["runs"]], [f"shop@r1/baseline-{i}.pb.gz" for i in (1, 2, 3)])
    same(all(pathlib.Path(run["path"]).is_file() for run in report["baseline"]["runs"]), True)
    check("--canary", cpu("benign-1"), "--canary", cpu("benign-2"))
    check(cpu("benign-1"), service="other", status=3)
    check(cpu("benign-1"), "--environment", "other", status=3)
    expect(check("--baseline", cpu("baseline-1"), cpu("benign-1"), status=2).stderr, "'--baseline' cannot be combined")
    expect(check(status=2).stderr, "the canary is missing")
    expect(gate("check", "--accept-first", cpu("baseline-1"), cpu("benign-1"), status=2).stderr, "add --store DIR")


def test_work_of_accepted_runs_is_used():
    accept(cpu("baseline-1"), cpu("baseline-2"), "--work", "1000,1000")
    check(cpu("benign-1"), "--work", "canary=1000", "--json", "report.json")
    same(json.loads(pathlib.Path("report.json").read_text())["work"]["is_known"], True)
    check(cpu("benign-1"), "--json", "report.json", PPROFGATE_WORK_CANARY="1000")
    same(json.loads(pathlib.Path("report.json").read_text())["work"]["is_known"], True)
    check(cpu("benign-1"), "--json", "report.json")
    same(json.loads(pathlib.Path("report.json").read_text())["work"]["is_known"], False)
    accept(cpu("baseline-3"), service="bare")
    expect(check(cpu("benign-1"), "--work", "canary=1000", service="bare", status=2).stderr,
           "the accepted runs of revision 'r1' have none")


def test_a_second_look_pools_the_canaries():
    """A second look pools the canaries, also where the store has a newer baseline by then."""
    for number in (1, 2, 3):
        accept(CAPTURES / f"quiet-{number}.cpu.pb.gz")
    check(CAPTURES / "p5q-1.cpu.pb.gz", "--ledger", "ledger.json", status=3)
    check(CAPTURES / "p5q-2.cpu.pb.gz", "--ledger", "ledger.json", "--json", "report.json", status=1)
    report = json.loads(pathlib.Path("report.json").read_text())
    same((len(report["baseline"]["runs"]), len(report["canary"]["runs"])), (3, 2))
    same([run.get("title", "")[:8] for run in report["baseline"]["runs"]], ["shop@r1/"] * 3)
    check(CAPTURES / "p5q-1.cpu.pb.gz", "--ledger", "other.json", status=3)
    accept(CAPTURES / "quiet-4.cpu.pb.gz", revision="r2")
    check(CAPTURES / "p5q-2.cpu.pb.gz", "--ledger", "other.json", "--json", "report.json", status=1)
    report = json.loads(pathlib.Path("report.json").read_text())
    same((len(report["baseline"]["runs"]), len(report["canary"]["runs"])), (4, 2))


def test_runs_accepted_twice_count_once():
    """A job that ran twice has accepted one capture twice: it counts once, and never for noise of itself."""
    for _ in range(2):
        accept(cpu("baseline-1"), cpu("baseline-2"), "--work", "1000,1000")
    found = check(cpu("benign-1"), "--work", "canary=1000", "--json", "report.json")
    same(len(json.loads(pathlib.Path("report.json").read_text())["baseline"]["runs"]), 2)
    expect(found.stderr, "the baseline is 2 accepted runs")
    for number in range(1, 7):
        accept(CAPTURES / "quiet-1.cpu.pb.gz", service="again", revision=f"r{number}")
    refuse(check(CAPTURES / "quiet-7.cpu.pb.gz", "--on-inconclusive", "pass", service="again").stderr, "noise model")
    check(cpu("baseline-1"), "--json", "report.json", status=2)  # one of two on both sides


def test_several_kinds_are_pairs_of_one_check():
    """Several kinds of profile are pairs of one check."""
    kinds = [CAPTURES / f"quiet-1.{kind}.pb.gz" for kind in ("cpu", "heap")]
    later = [CAPTURES / f"quiet-2.{kind}.pb.gz" for kind in ("cpu", "heap")]
    accept(*kinds)
    expect(gate("baseline", "list", "--store", "store").stdout, "cpu, inuse_space")
    check(*later, "--json", "report.json", "--on-inconclusive", "pass")
    names = {c["name"] for c in json.loads(pathlib.Path("report.json").read_text())["comparisons"]}
    same(any("inuse_space" in name or "cpu" in name for name in names), True)
    accept(CAPTURES / "quiet-3.cpu.pb.gz", revision="r2")
    found = check(*later, "--on-inconclusive", "pass")
    expect(found.stderr, "2 accepted runs of revision r1")  # r2 has no heap profile
    expect(check(later[0], "--on-inconclusive", "pass").stderr, "1 accepted run of revision r2")


def test_a_budget_has_to_match_in_one_kind_only():
    """A function of the CPU profile need not allocate, so that its budget warns only if it matches in no kind."""
    kinds = [CAPTURES / f"quiet-1.{kind}.pb.gz" for kind in ("cpu", "heap")]
    later = [CAPTURES / f"quiet-2.{kind}.pb.gz" for kind in ("cpu", "heap")]
    accept(*kinds)
    for function, unmatched in (("^runtime[.]futex$", False), ("^nowhere$", True)):
        pathlib.Path("rules.yml").write_text("version: 1\nextends: recommended\nbudgets:\n"
                                             f"  - {{name: one, select: '{function}', limit: +50pp}}\n")
        check(*later, "-r", "rules.yml", "--json", "report.json", "--on-inconclusive", "pass")
        same("no_match" in warnings("report.json"), unmatched)


# ---- which revision --------------------------------------------------------------------------------------------------


def test_the_nearest_ancestor_is_the_baseline():
    at = repository()
    accept(cpu("baseline-1"), revision=at["second"])
    accept(cpu("baseline-2"), revision=at["side"])
    accept(cpu("baseline-3"), revision=at["first"])
    found = gate("check", "--store", "store", "--service", "shop", cpu("benign-1"), "--json", "report.json",
                 "--on-inconclusive", "pass")
    expect(found.stderr, f"revision {at['second'][:12]}, 1 commit before this change")
    same("baseline_ancestor" in warnings("report.json"), False)
    found = check(cpu("benign-1"), "--on-inconclusive", "pass", revision=at["second"])
    expect(found.stderr, f"revision {at['first'][:12]}, 1 commit before this change")  # not itself
    git("checkout", "-q", "-b", "late", at["first"])
    late = commit("late")
    expect(check(cpu("benign-1"), "--on-inconclusive", "pass", revision="HEAD").stderr, at["first"][:12], "1 commit before")
    git("checkout", "-q", "--orphan", "new")
    commit("new")
    found = check(cpu("benign-1"), "--json", "report.json", "--on-inconclusive", "pass", revision="HEAD")
    expect(found.stderr, "not an ancestor of this change")
    expect(warnings("report.json")["baseline_ancestor"]["message"], "is not an ancestor of this change")
    pathlib.Path("strict.yml").write_text("version: 1\nextends: recommended\nguards: {baseline_ancestor: error}\n")
    check(cpu("benign-1"), "--rules", "strict.yml", revision="HEAD", status=3)
    check(cpu("benign-1"), "--rules", "strict.yml", revision=late, status=0)


def test_records_of_the_change_do_not_count():
    """A change accepted a slow commit of its own: with --rules-from, what it is compared with is of its base."""
    at = repository()
    accept(cpu("baseline-1"), revision=at["first"])
    accept(cpu("regression-1"), revision=at["second"])
    canary = cpu("regression-2")
    fooled = gate("check", "--store", "store", "--service", "shop", canary, "--on-inconclusive", "pass")
    expect(fooled.stderr, f"revision {at['second'][:12]}, 1 commit before this change")
    found = gate("check", "--store", "store", "--service", "shop", canary, "--rules-from", at["first"], status=1)
    expect(found.stderr, f"revision {at['first'][:12]}, 2 commits before this change")
    expect(found.stdout, "FAIL", "main.priceRound costs about")
    gate("check", "--store", "store", "--service", "shop", canary, "--rules-from", "no-such-revision", status=2)


def test_the_own_revision_is_the_baseline_without_an_ancestor():
    at = repository()
    accept(cpu("baseline-1"), revision=at["third"])
    found = check(cpu("baseline-2"), "--json", "report.json", "--on-inconclusive", "pass", revision="HEAD")
    expect(found.stderr, "of this very revision")
    expect(warnings("report.json")["baseline_ancestor"]["message"], "of this very revision", "what it changed is not seen")


def test_a_shallow_checkout_is_reported():
    at = repository()
    accept(cpu("baseline-1"), revision=at["second"])
    store = pathlib.Path("store").resolve()
    git("clone", "-q", "--depth", "1", f"file://{os.getcwd()}", "shallow")
    os.chdir("shallow")
    found = check(cpu("benign-1"), "--json", "report.json", "--on-inconclusive", "pass", store=store, revision="HEAD")
    expect(found.stderr, "not known to be an ancestor")
    expect(warnings("report.json")["baseline_ancestor"]["message"], "is unknown", "in a checkout with the history of both")


def test_warnings_of_git_are_ignored():
    """What git writes to standard error is no part of its answer."""
    at = repository()
    gate("baseline", "accept", "--store", "store", "--service", "shop", cpu("baseline-1"), GIT_TRACE="1")
    same(json.loads(records()[0].read_text())["revision"], at["third"])


def test_the_accepted_revision_is_the_checked_out_commit():
    at = repository()
    gate("baseline", "accept", "--store", "store", "--service", "shop", cpu("baseline-1"))
    same(json.loads(records()[0].read_text())["revision"], at["third"])
    accept(cpu("baseline-2"), revision=at["first"][:8])
    same(json.loads(records()[1].read_text())["revision"], at["first"])
    git("tag", "v1.0", at["first"])
    expect(gate("baseline", "show", "--store", "store", "v1.0").stdout, "run baseline-2.pb.gz")
    expect(gate("baseline", "show", "--store", "store", "HEAD").stdout, "run baseline-1.pb.gz")
    git("tag", "v0.9", at["second"])
    expect(gate("baseline", "show", "--store", "store", "v0.9", status=2).stderr, "begins with 'v0.9'")


def test_an_old_baseline_warns():
    accept(cpu("baseline-1"), cpu("baseline-2"))
    later = str(int(time.time()) + 31 * DAY)
    check(cpu("benign-1"), "--json", "report.json")
    same("baseline_age" in warnings("report.json"), False)
    check(cpu("benign-1"), "--json", "report.json", SOURCE_DATE_EPOCH=later)
    expect(warnings("report.json")["baseline_age"]["message"], "accepted 31 days ago, more than 30")
    pathlib.Path("age.yml").write_text(
        "version: 1\nextends: recommended\nguards: {baseline_age: {severity: error, limit: 40d}}\n")
    check(cpu("benign-1"), "--rules", "age.yml", SOURCE_DATE_EPOCH=later)
    check(cpu("benign-1"), "--rules", "age.yml", SOURCE_DATE_EPOCH=str(int(time.time()) + 41 * DAY), status=3)


def test_another_machine_warns():
    at = repository()
    accept(cpu("baseline-1"), "--elsewhere", "--fact", "cpu_model=M1", revision=at["first"])
    accept(cpu("baseline-2"), "--elsewhere", "--fact", "cpu_model=M2", revision=at["second"])
    for model, revision in (("M1", at["first"]), ("M2", at["second"]), ("M9", at["second"])):
        found = check(cpu("benign-1"), "--elsewhere", "--fact", f"cpu_model={model}", "--json", "report.json",
                      "--on-inconclusive", "pass", revision="HEAD")
        expect(found.stderr, revision[:12])
        same("baseline_machine" in warnings("report.json"), model == "M9")
    expect(warnings("report.json")["baseline_machine"]["message"], "cpu_model 'M2' there, 'M9' here")


# ---- noise -----------------------------------------------------------------------------------------------------------


def test_accepted_runs_give_a_noise_model():
    for number in range(1, 7):
        accept(CAPTURES / f"quiet-{number}.cpu.pb.gz", revision=f"r{number}")
    found = check(CAPTURES / "quiet-7.cpu.pb.gz", "--json", "report.json", revision="change")
    expect(found.stderr, "the baseline is 1 accepted run of revision r6", "the noise model is of 5 other accepted runs")
    same(json.loads(pathlib.Path("report.json").read_text())["noise_model_runs"], 5)
    check(CAPTURES / "p10q-1.cpu.pb.gz", status=1)


def test_a_given_noise_model_is_not_replaced():
    for number in range(1, 7):
        accept(CAPTURES / f"quiet-{number}.cpu.pb.gz", revision=f"r{number}")
    gate("calibrate", "-o", "noise.yml", *[CAPTURES / f"quiet-{number}.cpu.pb.gz" for number in range(1, 4)])
    found = check(CAPTURES / "quiet-7.cpu.pb.gz", "--noise", "noise.yml", "--json", "report.json", revision="change")
    refuse(found.stderr, "the noise model is of")
    same(json.loads(pathlib.Path("report.json").read_text())["noise_model_runs"], 3)


def test_compared_runs_do_not_count_for_the_runs_of_noise():
    """At most 20 runs are read for noise. Those of the baseline, accepted before as another revision, do not count."""
    for number in range(27):
        pathlib.Path(f"{number}.txt").write_text(f"main;parse {1000 + number}\nmain 100\n")
    for number in range(6):
        accept(f"{number}.txt", revision=f"r{number}")
    for revision in ("before", "baseline"):
        accept(*[f"{number}.txt" for number in range(6, 26)], revision=revision)
    expect(check("26.txt", "--on-inconclusive", "pass").stderr, "the noise model is of 6 other accepted runs")


def test_few_accepted_runs_give_no_noise_model():
    for number in range(1, 6):
        accept(CAPTURES / f"quiet-{number}.cpu.pb.gz", revision=f"r{number}")
    refuse(check(CAPTURES / "quiet-7.cpu.pb.gz", "--on-inconclusive", "pass").stderr, "the noise model")


def test_noise_leaves_out_the_odd_run():
    accept(CAPTURES / "p10q-1.cpu.pb.gz", revision="bad")
    for number in range(1, 8):
        accept(CAPTURES / f"quiet-{number}.cpu.pb.gz", revision=f"r{number}")
    found = check(CAPTURES / "quiet-8.cpu.pb.gz", "--json", "report.json", "--on-inconclusive", "pass")
    expect(found.stderr, "left out of the noise model, by", "shop@bad/p10q-1.cpu.pb.gz",
           "the noise model is of 6 other accepted runs")


def test_runs_of_another_program_give_no_noise_model():
    for number in range(8):
        stack = "main;parse" if number < 6 else "main;render"
        pathlib.Path(f"{number}.txt").write_text(f"{stack} {1000 + number}\nmain 100\n")
    for number in range(7):
        accept(f"{number}.txt", revision=f"r{number}")
    found = check("7.txt", "--json", "report.json", "--on-inconclusive", "pass")
    expect(found.stderr, "no noise model is made of the accepted runs: they hold too little of this profile")
    same("noise_model_runs" in json.loads(pathlib.Path("report.json").read_text()), False)


# ---- what stays ------------------------------------------------------------------------------------------------------


def test_keep_removes_older_records():
    for number in (1, 2, 3):
        said = accept(cpu(f"baseline-{number}"), "--keep", "2", revision=f"r{number}").stdout
    same(said.splitlines()[1:], ["removed 1 older record"])
    same([json.loads(path.read_text())["revision"] for path in records()], ["r2", "r3"])
    same(len(objects()), 2)
    accept(CAPTURES / "quiet-1.heap.pb.gz", "--keep", "2", revision="h1")  # another kind pushes out nothing
    same(len(records()), 3)
    accept(cpu("baseline-1"), "--keep", "1", revision="o1", service="other")
    same(len(records()), 4)
    intact()


def test_prune_removes_unused_objects():
    for number in (1, 2, 3):
        accept(cpu(f"baseline-{number}"), revision=f"r{number}")
    stray = "ab" * 32
    pathlib.Path("store/objects/ab").mkdir(exist_ok=True)
    pathlib.Path("store/objects/ab", stray).write_text("nobody's")
    pathlib.Path("store/objects/ab", stray + ".pprofgate-Ab12Cd").write_text("unfinished")
    pathlib.Path(records()[0].parent, "1-2.json.pprofgate-Ab12Cd").write_text("unfinished")
    own = [pathlib.Path("store/objects/ab", stray + ".backup"), pathlib.Path(records()[0].parent, "1-2.json.backup")]
    for path in own:
        path.write_text("somebody's own file stays")
    pathlib.Path("store/objects/ab/README").write_text("somebody's own file stays")
    expect(gate("baseline", "prune", "--store", "store").stdout, "removed 0 records, 1 profile, 2 unfinished files")
    expect(gate("baseline", "prune", "--store", "store", "--keep", "1").stdout, "removed 2 records, 2 profiles")
    same(len(records()), 1)
    same(pathlib.Path("store/objects/ab/README").exists(), True)
    same([path.exists() for path in own], [True, True])
    same(len(objects()), 3)
    intact()


def test_prune_reports_what_it_cannot_remove():
    """A folder has the name of an object, or of an unfinished file: it stays, and prune ends with an error that names it."""
    accept(cpu("baseline-1"))
    stray = "ab" * 32
    for path in (f"store/objects/ab/{stray}", f"store/objects/ab/{stray}.pprofgate-Ab12Cd",
                 "store/records/shop/default/1-2.json.pprofgate-Ab12Cd"):
        os.makedirs(path)
        told = gate("baseline", "prune", "--store", "store", status=2)
        expect(told.stderr, path)
        same(told.stdout, "")
        os.rmdir(path)
    expect(gate("baseline", "prune", "--store", "store").stdout, "removed 0 records")


if __name__ == "__main__":
    main(globals(), __doc__)
