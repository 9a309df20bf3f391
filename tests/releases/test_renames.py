#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Own code with other names (fixtures/renames): no control fails, no regression passes with three runs, and the
`frames.rename` block that a report prints, copied as it is, has a regression fail by its function's name.

A pair of pairs.json may have "open": a dict from the label of a judgement to the verdict that it has today and should
not have. It is compared as well, so that a better verdict is noticed. --table prints the verdicts of all pairs.

usage: test_renames.py PPROFGATE ROOT NAME|all|--table
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile

import judge

GATE = None
RENAMES = os.path.join(judge.ROOT, "fixtures", "renames")
RULES = os.path.join(judge.ROOT, "rules", "recommended.yml")
MACHINE_PATHS = re.compile(rb"/(root|home|work|tmp)/[A-Za-z._]")
LARGEST = 20_000
THREE = "3x3"


def pairs_of(language):
    found = [pair for pair in judge.read_pairs(RENAMES) if pair["language"] == language]
    return found or sys.exit(f"{language}: no pair in fixtures/renames")


def block_of(pair, fact):
    """Return the lines of the `frames.rename` block in the report on three runs, or None."""
    paths = {side: [os.path.join(pair["folder"], run["profile"]) for run in pair["runs"][side]] for side in judge.SIDES}
    done = subprocess.run([GATE, "check", "--verbose", "--rules", RULES, *judge.fact_options(pair, fact, pair["runs"]),
                           "--baseline", *paths["old"], "--canary", *paths["new"]],
                          capture_output=True, text=True, check=False)
    found = re.search(r"^frames:\n  rename:\n(    - .*\n)+", done.stdout, re.M)
    return found[0] if found else None


def judge_runs(pair, fact, name, chosen, rules=RULES):
    result = judge.judge(GATE, rules, pair, fact, name, chosen)
    # A caller of functions with other names is charged with them. With the block they are judged by themselves.
    names = pair["callers" if rules == RULES else "functions"]
    is_named = judge.named({**pair, "callers": names}, result) == "own"
    result["label"] = f"{fact} {name}" + ("" if rules == RULES else " block")
    result["what"] = result["verdict"] + ("" if result["verdict"] != "fail" or is_named else " by another name")
    return result


def three_runs(pair):
    """Return the results of three runs per side, for each fact, with the block of each report behind its own."""
    results = []
    for fact in judge.FACTS:
        results.append(judge_runs(pair, fact, THREE, pair["runs"]))
        block = block_of(pair, fact)
        if block is None:
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as rules:
            rules.write("version: 1\nextends: recommended\n" + block)
            rules.flush()
            results.append(judge_runs(pair, fact, THREE, pair["runs"], rules.name))
    return results


def single_pairs(pair):
    return [judge_runs(pair, fact, name, chosen) for fact in ("none", "work")
            for name, chosen in judge.subsets(pair).items() if name != THREE]


def is_right(pair, result):
    """Return whether a verdict is what it should be. A single pair of a regression has too few samples to decide."""
    if pair["category"] == "control":
        return result["verdict"] != "fail"
    if THREE not in result["label"]:
        return True
    return result["what"] == "fail" or result["what"] == "inconclusive" and "block" not in result["label"]


def compare(pair, results):
    """End the program if a verdict is wrong, or if a verdict that is listed as open differs from the list."""
    is_open = pair.get("open", {})
    labels = {result["label"] for result in results}
    for result in results:
        expected = is_open.get(result["label"])
        if expected is not None and result["what"] != expected:
            sys.exit(f"{pair['name']}, {result['label']}: \"open\" of pairs.json has '{expected}', and the verdict is "
                     f"'{result['what']}': {result['text']}")
        if expected is None and not is_right(pair, result):
            sys.exit(f"{pair['name']}, {result['label']}: {pair['category']}, and the verdict is '{result['what']}' "
                     f"({result['cause']}): {result['text']}")
    return labels


def run(language):
    for pair in pairs_of(language):
        labels = compare(pair, three_runs(pair) + (single_pairs(pair) if pair["category"] == "control" else []))
        if set(pair.get("open", {})) - labels:
            sys.exit(f"{pair['name']}: \"open\" of pairs.json has a judgement that was not made, of {sorted(labels)}")


def test_renamed_go_functions_are_judged_as_listed():
    run("go")


def test_renamed_python_functions_are_judged_as_listed():
    run("py")


def test_renamed_node_functions_are_judged_as_listed():
    run("node")


def test_the_list_of_pairs_agrees_with_the_files():
    """pairs.json and the files agree, and the counters say what the categories do."""
    pairs = judge.read_pairs(RENAMES)
    folders = {entry.name for entry in os.scandir(RENAMES) if entry.is_dir()}
    expected = {pair["name"] for pair in pairs} | {"drivers"}
    assert folders - {"__pycache__"} == expected, folders ^ expected
    with open(os.path.join(RENAMES, "pairs.tsv"), encoding="utf-8") as file:
        rows = {line.split("\t")[0]: line for line in file.read().splitlines()[1:]}
    assert list(rows) == [pair["name"] for pair in pairs], list(rows)
    for pair in pairs:
        profiles = {run["profile"] for side in judge.SIDES for run in pair["runs"][side]}
        assert len(profiles) == 6 and set(os.listdir(pair["folder"])) == profiles | {"runs.json"}, pair["name"]
        for name in profiles:
            path = os.path.join(pair["folder"], name)
            assert os.path.getsize(path) < LARGEST, path
            with gzip.open(path) as file:
                assert not MACHINE_PATHS.search(file.read()), path
        t = pair["truth"]
        assert f"\t{t['ratio']:.3f}\t" in rows[pair["name"]], pair["name"]
        if pair["category"] == "regression":
            assert 1.5 <= t["library_ratio"] <= 2.2 and judge.is_over(pair), (pair["name"], t)
        else:
            assert pair["category"] == "control" and abs(t["ratio"] - 1) <= 0.05, (pair["name"], t)


def print_table():
    """Print a row per pair: true cost, and the verdicts on three runs and on single pairs."""
    for pair in judge.read_pairs(RENAMES):
        results = three_runs(pair)
        single = single_pairs(pair)
        cells = [f"{result['label']}: {result['what']} {result['cause']}" + ("" if is_right(pair, result) else " WRONG")
                 for result in results]
        for fact in ("none", "work"):
            of_fact = [result["what"] for result in single if result["fact"] == fact]
            cells.append(f"{fact} 1x1: " + ", ".join(f"{of_fact.count(what)} {what}" for what in sorted(set(of_fact))))
        print("\t".join([pair["name"], f"{pair['truth']['ratio']:.2f}", *cells]), flush=True)


if __name__ == "__main__":
    GATE = sys.argv[1]
    if sys.argv[3] == "--table":
        print_table()
    for wanted in ("go", "python", "node", "list") if sys.argv[3] == "all" else sys.argv[3:]:
        if wanted != "--table":
            globals()[f"test_{wanted}"]()
