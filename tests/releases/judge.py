#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judge published releases by the recommended preset, and compare with the true cost.

usage: judge.py PROGRAM [--only NAME,...] [--facts FACT,...] [--json FILE] [--jobs N] [--expect VERDICT]
                [--set FOLDER] [--rules FILE]

Each pair is judged with three runs per side and as nine single pairs, once per fact:

  none   nothing is given beside the profiles
  work   --work, the iterations of each run
  equal  --equal run for pairs whose runs do the same iterations, --equal time where both sides are paced as well
         (left out if the program's `check` has no such option)

Prints two tables of tab-separated values, then a line per wrong verdict:

  regression   fail is "found", pass is "missed". "named own" counts finds whose first cause is the driver's own caller
               of the library, "named library" finds whose first cause is a function of the library.
               A regression is "over" if the counters say that it is beyond a limit of the preset, else "under".
  improvement, control   fail is "false", pass is "passed"

--set judges the pairs of another folder than fixtures/releases, with its own pairs.json and capture.py; pairs that were
not captured are left out. --rules judges by another rules file. --only judges these pairs alone. --facts selects facts. --json writes every verdict. Exits with status 1 if --expect is
given and a judgement has another verdict (fail, pass or inconclusive), else with 0.
"""
import argparse
import collections
import concurrent.futures
import importlib.util
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RELEASES = os.path.join(ROOT, "fixtures", "releases")
SIDES = ("old", "new")
VERDICTS = {0: "pass", 1: "fail", 3: "inconclusive"}
FACTS = ("none", "work", "equal")
SHARE_LIMIT = 5  # percentage points: "no function takes over"
DOUBLE_LIMIT = 2  # "no function doubles"
TOTAL_LIMIT = 1.2  # "no request costs much more"


def load_capture(folder):
    """Return the module capture.py of a set, which reads its counters."""
    spec = importlib.util.spec_from_file_location("capture", os.path.join(folder, "capture.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_pairs(folder):
    """Return the pairs of a set with their folders, runs and true costs."""
    capture = load_capture(folder)
    with open(os.path.join(folder, "pairs.json"), encoding="utf-8") as file:
        pairs = json.load(file)
    captured = []
    for pair in pairs:
        pair["folder"] = os.path.join(folder, pair["name"])
        runs = os.path.join(pair["folder"], "runs.json")
        if folder != RELEASES and not os.path.exists(runs):
            continue
        with open(runs, encoding="utf-8") as file:
            pair["runs"] = json.load(file)["runs"]
        pair["truth"] = capture.truth(pair)
        captured.append(pair)
    return captured


def is_over(pair):
    """Return whether the true growth is beyond a limit of the preset."""
    t = pair["truth"]
    return (t["part_new"] - t["part_old"] >= SHARE_LIMIT or t["part_new"] / t["part_old"] >= DOUBLE_LIMIT
            or t["ratio"] >= TOTAL_LIMIT)


def equal_value(pair):
    """Return the value of --equal that holds for the pair, or None."""
    return {"run": "run", "paced": "time"}.get(pair["mode"])


def fact_options(pair, fact, chosen):
    """Return the options for one fact, or None if the fact does not apply to the pair."""
    if fact == "work":
        sides = {side: ",".join(str(run["iterations"]) for run in chosen[side]) for side in SIDES}
        return ["--work", f"baseline={sides['old']}", "--work", f"canary={sides['new']}"]
    if fact == "equal":
        return ["--equal", equal_value(pair)] if equal_value(pair) else None
    return []


def subsets(pair):
    """Return the runs of each judgement by name: all of them, and the nine single pairs."""
    all_runs = pair["runs"]
    chosen = {"3x3": all_runs}
    for i, old in enumerate(all_runs["old"], 1):
        for k, new in enumerate(all_runs["new"], 1):
            chosen[f"{i}-{k}"] = {"old": [old], "new": [new]}
    return chosen


def judge(program, rules, pair, fact, name, chosen):
    options = fact_options(pair, fact, chosen)
    paths = {side: [os.path.join(pair["folder"], run["profile"]) for run in chosen[side]] for side in SIDES}
    command = [program, "check", "--rules", rules, *options, "--json", "-",
               "--baseline", *paths["old"], "--canary", *paths["new"]]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in VERDICTS:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    causes = json.loads(done.stdout).get("causes", [])
    verdict = VERDICTS[done.returncode]
    cause = causes[0] if causes and verdict != "pass" else None
    return {"pair": pair["name"], "fact": fact, "runs": name, "verdict": verdict,
            "cause": cause["function"] if cause else "", "file": cause.get("file", "") if cause else "",
            "text": cause["text"] if cause else ""}


def named(pair, result):
    """Return whose function the first cause is: own (the caller in the driver), library or other."""
    if any(re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", result["cause"]) for name in pair["callers"]):
        return "own"
    if any(part in result["cause"] or part in result["file"] for part in pair["library_frames"]):
        return "library"
    return "other"


def row_of(pair):
    if pair["category"] != "regression":
        return pair["category"]
    return f"regression, {'over' if is_over(pair) else 'under'} a limit"


def is_wrong(pair, result):
    if pair["category"] == "regression":
        return is_over(pair) and (result["verdict"] == "pass"
                                  or result["verdict"] == "fail" and named(pair, result) == "other")
    return result["verdict"] == "fail"


def count(pairs, results):
    """Return counters by (fact, kind of runs, row)."""
    by_name = {pair["name"]: pair for pair in pairs}
    counts = collections.defaultdict(collections.Counter)
    for result in results:
        pair = by_name[result["pair"]]
        kind = "3x3" if result["runs"] == "3x3" else "1x1"
        counter = counts[result["fact"], kind, row_of(pair)]
        counter[result["verdict"]] += 1
        if pair["category"] == "regression" and result["verdict"] == "fail":
            counter[named(pair, result)] += 1
    return counts


def print_tables(counts):
    print("\t".join(["fact", "runs", "category", "judged", "found", "missed", "inconclusive", "named own",
                     "named library", "named other"]))
    for (fact, kind, row), counter in sorted(counts.items()):
        if row.startswith("regression"):
            cells = [counter["fail"], counter["pass"], counter["inconclusive"], *(counter[w] for w in
                                                                                   ("own", "library", "other"))]
            print("\t".join([fact, kind, row, *map(str, [sum(counter[v] for v in VERDICTS.values()), *cells])]))
    print("\n" + "\t".join(["fact", "runs", "category", "judged", "false", "passed", "inconclusive"]))
    for (fact, kind, row), counter in sorted(counts.items()):
        if not row.startswith("regression"):
            cells = [counter["fail"], counter["pass"], counter["inconclusive"]]
            print("\t".join([fact, kind, row, *map(str, [sum(cells), *cells])]))


def print_wrong(pairs, results):
    by_name = {pair["name"]: pair for pair in pairs}
    wrong = collections.defaultdict(list)
    for result in results:
        if is_wrong(by_name[result["pair"]], result):
            wrong[result["fact"], result["pair"], result["verdict"], result["cause"]].append(result["runs"])
    if wrong:
        print("\n" + "\t".join(["wrong: fact", "pair", "category", "true cost", "cost of these runs", "library part %",
                                "verdict", "runs", "first cause"]))
    for (fact, name, verdict, cause), runs in sorted(wrong.items()):
        truth = by_name[name]["truth"]
        which = ("3x3 " if "3x3" in runs else "") + f"{sum(one != '3x3' for one in runs)} of 9"
        print("\t".join([fact, name, by_name[name]["category"], f"{truth['ratio']:.2f}",
                         f"{truth['runs_ratio']:.2f}", f"{truth['part_old']:.0f} -> {truth['part_new']:.0f}",
                         verdict, which, cause or "-"]))


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    parser.add_argument("--facts", default=",".join(FACTS))
    parser.add_argument("--json", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", default=RELEASES)
    parser.add_argument("--rules", default=os.path.join(ROOT, "rules", "recommended.yml"))
    parser.add_argument("--expect", choices=sorted(VERDICTS.values()))
    return parser.parse_args()


def main():
    given = options()
    only = set(filter(None, given.only.split(",")))
    facts = given.facts.split(",")
    if set(facts) - set(FACTS):
        sys.exit(f"--facts: expected some of {', '.join(FACTS)}, found '{given.facts}'")
    pairs = read_pairs(os.path.abspath(given.set))
    if only - {pair["name"] for pair in pairs}:
        sys.exit(f"--only: not in pairs.json: {', '.join(sorted(only - {pair['name'] for pair in pairs}))}")
    pairs = [pair for pair in pairs if not only or pair["name"] in only]
    usage = subprocess.run([given.program, "check", "--help"], capture_output=True, text=True, check=True).stdout
    if "--equal " not in usage:
        facts = [fact for fact in facts if fact != "equal"]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        jobs = [pool.submit(judge, given.program, given.rules, pair, fact, name, chosen) for pair in pairs for fact in facts
                for name, chosen in subsets(pair).items() if fact != "equal" or equal_value(pair)]
        results = [job.result() for job in jobs]
    print_tables(count(pairs, results))
    print_wrong(pairs, results)
    if given.json:
        rows = [{"name": p["name"], "category": p["category"], "is_over": is_over(p), **p["truth"]} for p in pairs]
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump({"pairs": rows, "judgements": results}, file, indent=1)
            file.write("\n")
    if given.expect and any(result["verdict"] != given.expect for result in results):
        sys.exit(1)


if __name__ == "__main__":
    main()
