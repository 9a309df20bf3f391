#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check the table of docs/confounders.md: the verdicts on profiles of one source, with another build or setting.

usage: test_confounders.py PPROFGATE ROOT NAME
GATE_UPDATE=1 writes the rows of the language into the table.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

GATE = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(sys.argv[2])
FIXTURES = ROOT / "fixtures/confounders"
PAGE = ROOT / "docs/confounders.md"
LARGEST = 30_000
LARGEST_SUM = 1_500_000

# language: rules, and the rows: folder of the baseline, folder of the canary, words for the table
ROWS = {
    "go": ("recommended", [
        ("go-base", "go-base", "nothing: one run and two more of the same program"),
        ("go-base", "go-noinline", "Go: `-gcflags=-l`, no inlining"),
        ("go-base", "go-pgo", "Go: `-pgo` on"),
        ("go-pgo", "go-base", "Go: `-pgo` off"),
        ("go-go1.25", "go-base", "Go: 1.25 → 1.26"),
        ("go-base", "go-stripped", "Go: `-ldflags=-s -w`, stripped"),
        ("go-base", "go-gomaxprocs2", "Go: `GOMAXPROCS` 1 → 2"),
        ("go-base", "go-gogc25", "Go: `GOGC` 100 → 25"),
        ("go-base", "go-half", "Go: half the requests"),
        ("go-base", "go-twice", "Go: twice the requests"),
    ]),
    "python": ("python", [("python-3.11", "python-3.13", "Python: 3.11 → 3.13")]),
    "node": ("node", [("node-20", "node-22", "Node: 20 → 22")]),
    "jvm": ("jvm", [
        ("jvm-serial", "jvm-parallel", "JVM: serial → parallel collector"),
        ("jvm-serial", "jvm-jdk25", "JVM: JDK 17 → 25"),
    ]),
    "c": ("recommended", [
        ("c-gcc", "c-o3", "C: `-O2` → `-O3`"),
        ("c-gcc", "c-clang", "C: GCC → Clang"),
        ("c-gcc", "c-stripped", "C: `-s`, stripped, no symbols given"),
        ("c-stripped", "c-gcc", "C: no longer stripped"),
    ]),
    "rust": ("recommended", [
        ("rust-o2", "rust-o3", "Rust: `opt-level` 2 → 3"),
        ("rust-o2", "rust-stripped", "Rust: `strip=symbols`, no symbols given"),
    ]),
}


def runs_of(folder, count):
    return sorted((FIXTURES / folder).iterdir())[:count]


def judge(rules, baseline, canary, count):
    """Return the report of `check` on `count` runs per side."""
    sides = [runs_of(baseline, count), runs_of(canary, count)]
    if baseline == canary:
        runs = runs_of(baseline, 3)
        sides = [runs[:1], runs[1:count] if count > 1 else runs[1:2]]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        words = [GATE, "check", "-q", "-r", rules, "--json", report]
        for side, files in zip(("--baseline", "--canary"), sides):
            for file in files:
                words += [side, file]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 3):
            sys.exit(f"{baseline} and {canary}: exit status {done.returncode}\n{done.stderr}")
        return json.loads(report.read_text(encoding="utf-8"))


def named(report):
    """Return what the causes name that decide the verdict."""
    outcome = report["verdict"]
    causes = [cause for cause in report["causes"] if cause["outcome"] == outcome]
    return [f"`{cause['function']}`" for cause in causes[:3]]


def cell(report):
    words = [f"**{report['verdict']}**" if report["verdict"] == "fail" else report["verdict"]]
    return ": ".join(words + ([", ".join(named(report))] if named(report) else []))


def row(rules, baseline, canary, words):
    many, one = (judge(rules, baseline, canary, count) for count in (3, 1))
    codes = list(dict.fromkeys(f"`{warning['code']}`" for warning in many["warnings"]))
    return f"| {words} | {cell(many)} | {', '.join(codes) or 'none'} | {cell(one)} |"


def check_table(language):
    rules, rows = ROWS[language]
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    problems = []
    for baseline, canary, words in rows:
        wanted = row(rules, baseline, canary, words)
        at = [i for i, line in enumerate(lines) if line.startswith(f"| {words} |")]
        if len(at) != 1:
            problems.append(f"expected one row '{words}', found {len(at)}; the row is\n{wanted}")
        elif lines[at[0]] != wanted:
            problems.append(f"expected {wanted}\nfound    {lines[at[0]]}")
            lines[at[0]] = wanted
    if problems and os.environ.get("GATE_UPDATE") == "1" and not os.environ.get("CI"):
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif problems:
        sys.exit(f"{PAGE.name}:\n" + "\n".join(problems))


def test_verdicts_on_go_match_the_table():
    check_table("go")


def test_verdicts_on_python_match_the_table():
    check_table("python")


def test_verdicts_on_node_match_the_table():
    check_table("node")


def test_verdicts_on_the_jvm_match_the_table():
    check_table("jvm")


def test_verdicts_on_c_match_the_table():
    check_table("c")


def test_verdicts_on_rust_match_the_table():
    check_table("rust")


def expect_advice(canary, function, text):
    causes = judge("recommended", "go-base", canary, 3)["causes"]
    found = [cause["advice"] for cause in causes if cause["function"] == function]
    if len(found) != 1 or not found[0].startswith(text):
        sys.exit(f"{canary}: expected the advice on '{function}' to begin with '{text}', found {found}")


def test_advice_names_the_setting_or_version():
    """A cause in the scheduler or the collector names the setting, and renamed runtime functions the version."""
    expect_advice("go-gomaxprocs2", "runtime.mcall", "scheduler: compare GOMAXPROCS and the load of both sides")
    sides = [word for side, name in (("baseline", "go-base"), ("canary", "go-gogc25"))
             for file in runs_of(name, 3) for word in (f"--{side}", file)]
    said = subprocess.run([GATE, "check", "-q", "-r", "recommended", *sides], capture_output=True, text=True, check=False)
    if "part of it is garbage collection: compare GOGC, GOMEMLIMIT" not in " ".join(said.stdout.split()):
        sys.exit(f"go-gogc25: expected the collector to be named, found {said.stdout}")
    warnings = [w["message"] for w in judge("recommended", "go-go1.25", "go-base", 3)["warnings"]]
    if not any("other versions of the compiler, the runtime or a library" in message for message in warnings):
        sys.exit(f"go-go1.25: expected a warning of other versions, found {warnings}")


def test_each_folder_has_a_row_and_three_runs():
    """Each folder is in a row and has three runs, and the files are small."""
    folders = {path.name for path in FIXTURES.iterdir() if path.is_dir()} - {"drivers", "__pycache__"}
    used = {name for _, rows in ROWS.values() for row_ in rows for name in row_[:2]}
    if folders != used:
        sys.exit(f"expected folders {sorted(used)}, found {sorted(folders)}")
    files = [path for name in folders for path in (FIXTURES / name).iterdir()]
    if len(files) != 3 * len(folders):
        sys.exit(f"expected three runs per folder, found {len(files)} files in {len(folders)} folders")
    large = [path.name for path in files if path.stat().st_size > LARGEST]
    whole = sum(path.stat().st_size for path in files)
    if large or whole > LARGEST_SUM:
        sys.exit(f"expected at most {LARGEST} bytes per file and {LARGEST_SUM} in all, found {large}, {whole}")


if __name__ == "__main__":
    globals()[f"test_{sys.argv[3]}"]()
