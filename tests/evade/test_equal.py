#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shares move when other things move: what the gate makes of a worker that is always busy, of functions that became
cheaper, and of a program that became slower everywhere, with and without the fact that both sides have equal.

usage: test_equal.py PPROFGATE ROOT NAME|all
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

GATE = None
DRAWS = 12
SAMPLES = 3000
PASS, FAIL, OPEN = 0, 1, 3

# Costs of the own functions of a program, and of its runtime, which grows with what they allocate.
FEW = {"main.parse": 40, "main.price": 30, "main.render": 20, "runtime.gcBgMarkWorker": 10}
MANY = {f"main.step{i}": 4 + i for i in range(12)} | {"runtime.gcBgMarkWorker": 8, "runtime.schedule": 5}


def draw(rng, costs, samples):
    """A profile with Poisson counts; functions vary from run to run by 4 % of their cost."""
    whole = sum(costs.values())
    lines = []
    for name, cost in costs.items():
        expected = samples * cost / whole * rng.gauss(1, 0.04)
        count = max(0, round(rng.gauss(expected, math.sqrt(expected))))
        root = "main.main;main.serve;" if name.startswith("main.") else ""
        name = name.replace(">", ";")  # a caller before its callee
        lines.append(f"{root}{name} {count}\n")
    return "".join(lines)


def check(folder, sides, *options):
    """The exit status of `check -r recommended`, and the function of its first cause."""
    words = [GATE, "check", "-q", "-r", "recommended", "--json", folder / "report.json", "--force", *options]
    for side, texts in sides.items():
        for index, text in enumerate(texts):
            path = folder / f"{side}-{index}.collapsed"
            path.write_text(text)
            words += [f"--{side}", path]
    found = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    if found.returncode not in (PASS, FAIL, OPEN):
        sys.exit(found.stderr)
    causes = json.loads((folder / "report.json").read_text())["causes"]
    return found.returncode, causes[0]["function"] if causes else None


def tally(name, baseline, canary, runs, *options, load=1.0):
    """How DRAWS comparisons end, and their first causes. `load`: the canary's samples over the baseline's."""
    ends, causes = {PASS: 0, FAIL: 0, OPEN: 0}, []
    for seed in range(DRAWS):
        rng = random.Random(f"{name} {seed} {runs}")
        sides = {"baseline": [draw(rng, baseline, SAMPLES) for _ in range(runs)],
                 "canary": [draw(rng, canary, SAMPLES * load) for _ in range(runs)]}
        with tempfile.TemporaryDirectory() as folder:
            end, cause = check(pathlib.Path(folder), sides, *options)
        ends[end] += 1
        causes.append(cause)
    return ends, causes


def expect(is_so, what, found):
    if not is_so:
        sys.exit(f"{what}: found {found[0]}, causes {sorted(set(map(str, found[1])))}")


def scaled(costs, **factors):
    return {name: cost * factors.get(name.split(".")[1], 1) for name, cost in costs.items()}


def growth(before, after):
    return sum(after.values()) / sum(before.values())


def test_a_regression_in_a_busy_worker_is_not_hidden():
    """A worker that is always busy: one function costs 6 times as much, and everything else gets less done."""
    for costs, slower in ((FEW, "render"), (FEW, "price"), (MANY, "step5")):
        for runs in (1, 3):
            found = tally("saturated", costs, scaled(costs, **{slower: 6}), runs)
            expect(found[0][PASS] == 0, f"{slower} x 6, {runs} runs, nothing told", found)
            found = tally("saturated", costs, scaled(costs, **{slower: 6}), runs, "--equal", "run")
            expect(found[0][PASS] == 0 and set(found[1]) == {f"main.{slower}"}, f"{slower} x 6, {runs}, equal", found)


def test_a_cheaper_function_does_not_make_others_fail():
    """One function became 5 times cheaper at the same load: whatever the shares of the others do, nothing fails."""
    for costs, cheaper in ((FEW, "parse"), (FEW, "price"), (MANY, "step11")):
        after = scaled(costs, **{cheaper: 0.2})
        for runs in (1, 3):
            for load in (1.0, growth(costs, after)):  # a worker that is always busy; the same requests
                found = tally("cheaper", costs, after, runs, load=load)
                expect(found[0][FAIL] == 0, f"{cheaper} / 5, {runs} runs, samples x {load:.2f}", found)
            found = tally("cheaper", costs, after, runs, "--equal", "run", load=growth(costs, after))
            expect(found[0][FAIL] == 0 and (runs == 1 or found[0][OPEN] <= 2), f"{cheaper} / 5, {runs}, equal", found)


def test_a_slower_program_does_not_pass():
    """Regressions and a program that is slower everywhere, of which shares show nothing."""
    after = scaled(MANY, step8=3)
    found = tally("slower", MANY, after, 3, load=growth(MANY, after))
    expect(found[0][FAIL] == DRAWS and set(found[1]) == {"main.step8"}, "step8 x 3, nothing told", found)
    everywhere = {name: cost * 1.6 for name, cost in MANY.items()}
    found = tally("everywhere", MANY, everywhere, 3, "--equal", "run", load=1.6)
    expect(found[0][FAIL] == DRAWS, "x 1.6 everywhere, equal", found)
    collector = scaled(MANY, gcBgMarkWorker=8)
    found = tally("collector", MANY, collector, 3, load=growth(MANY, collector))
    expect(found[0][PASS] == 0, "the collector x 8, nothing told", found)
    found = tally("collector", MANY, collector, 3, "--equal", "run", load=growth(MANY, collector))
    expect(found[0][FAIL] == DRAWS, "the collector x 8, equal", found)


HANDLERS = {f"main.handle{i}": 8 for i in range(9)}


def test_renamed_code_is_judged_in_its_caller():
    """What a function works with was renamed, split and rewritten: its cost is that of the function they work for."""
    before = HANDLERS | {"main.load>main.parse": 20, "main.load>main.lex": 8}
    same = HANDLERS | {"main.load>main.decode": 11, "main.load>main.scan": 9, "main.load>main.token": 8}
    for runs in (1, 3):
        found = tally("renamed", before, same, runs)
        expect(found[0][FAIL] == 0, f"renamed at the same cost, {runs} runs", found)
        found = tally("renamed back", same, before, runs)
        expect(found[0][FAIL] == 0, f"the same turned round, {runs} runs", found)
    for scale in (1.8, 2.5):
        slower = HANDLERS | {name: cost * scale for name, cost in same.items() if ">" in name}
        found = tally("renamed, slower", before, slower, 3, "--equal", "run", load=growth(before, slower))
        expect(found[0][FAIL] >= DRAWS - 1 and found[0][PASS] == 0, f"renamed, x {scale}", found)
        found = tally("renamed, slower", before, slower, 1)
        expect(found[0][PASS] == 0, f"renamed, x {scale}, one run, nothing told", found)


def test_a_new_function_in_every_handler_does_not_pass():
    """A new function that every handler calls is no less new for it."""
    before = HANDLERS | {"main.load": 20}
    after = before | {f"{name}>main.audit": 3 for name in HANDLERS}
    found = tally("spread", before, after, 3, "--equal", "run", load=growth(before, after))
    expect(found[0][FAIL] >= DRAWS - 1 and set(found[1]) == {"main.audit"}, "spread over nine handlers", found)
    found = tally("spread", before, after, 3)
    expect(found[0][PASS] == 0, "spread over nine handlers, nothing told", found)


# small numbers show that the values are counts; some stacks appear in one run only
RARE = {f"main.rare{i}": 0.05 for i in range(9)}


def spread(leaf, callers, is_called_before):
    """Costs before and after: `leaf`, which is new, takes a quarter of the canary, in equal parts under thirty callers.
    """
    before = MANY | RARE | ({caller: 1 for caller in callers} if is_called_before else {})
    return before, before | {f"{caller}>{leaf}": sum(before.values()) / 90 for caller in callers}


def test_new_code_without_own_callers_does_not_pass():
    """A new function without own callers, or without a package, under thirty callers that each grow little."""
    for leaf in ("runtime.spin", "spin"):
        for caller in ("runtime.worker{}", "worker{}"):
            callers = [caller.format(i) for i in range(30)]
            for is_called_before in (True, False):
                before, after = spread(leaf, callers, is_called_before)
                grown = growth(before, after)
                for runs, load in ((1, grown), (3, grown), (3, 1.0), (5, grown)):
                    age = "old" if is_called_before else "new"
                    what = f"{leaf} under {caller}, {age}, {runs} runs, load {load:.2f}"
                    found = tally(what, before, after, runs, "--period", "1", load=load)
                    expect(found[0][PASS] == 0, what, found)
                    expect(runs == 1 or found[0][FAIL] == DRAWS and set(found[1]) == {leaf}, what, found)


def test_new_code_under_thirty_functions_does_not_pass():
    """The same under thirty own functions, each of which stays within its budget: never a pass, and a fail from three
    runs per side on. If another function did before what the new one does, it is a pass."""
    callers = [f"main.handle{i}" for i in range(30)]
    for leaf in ("runtime.spin", "spin"):
        before, after = spread(leaf, callers, True)
        for runs in (1, 3, 5):
            found = tally(f"own {leaf}", before, after, runs, "--period", "1", load=growth(before, after))
            is_so = found[0][OPEN if runs == 1 else FAIL] == DRAWS and set(found[1]) == {leaf}
            expect(is_so, f"{leaf} under own functions, {runs} runs", found)
        was = before | {f"{caller}>runtime.turn": sum(before.values()) / 90 for caller in callers}
        found = tally(f"own {leaf}, replaced", was, after, 3, "--period", "1")
        expect(found[0][PASS] == DRAWS, f"{leaf} in place of runtime.turn", found)
        was = before | {caller: 1 + sum(before.values()) / 90 for caller in callers}
        found = tally(f"own {leaf}, moved", was, after, 3, "--period", "1")
        expect(found[0][PASS] == DRAWS, f"{leaf} in place of what the callers did", found)


def test_new_code_under_own_callers_at_the_limit_rarely_fails():
    """Callers that grew together by the limit, or of which some grew and others fell: seldom a fail, never a pass."""
    callers = [f"main.handle{i}" for i in range(30)]
    rest = sum(MANY.values()) + sum(RARE.values())
    before = MANY | RARE | {caller: 2 for caller in callers}
    share = 60 / (rest + 60) + 0.1  # of the callers, in the canary
    each = share / (1 - share) * rest / 30
    after = MANY | RARE | {caller: each - 1.5 for caller in callers} | {f"{c}>runtime.spin": 1.5 for c in callers}
    found = tally("at the limit", before, after, 3, "--period", "1")
    expect(found[0][FAIL] <= 3, "callers that grew by the limit", found)
    fell = {caller: 0.1 for caller in callers[20:]} | {f"{caller}>runtime.spin": 0.6 for caller in callers[20:]}
    after = before | {f"{caller}>runtime.spin": 2 for caller in callers[:20]} | fell
    found = tally("some fell", before, after, 3, "--period", "1")
    expect(found[0][FAIL] == 0 and found[0][OPEN] == DRAWS, "callers of which some fell", found)
    small = {f"{caller}>runtime.spin": 0.3 for caller in callers}
    found = tally("grew", before | small, before | {caller: 2 for caller in small}, 3, "--period", "1")
    expect(found[0][FAIL] == 0, "a function that was there before, under callers that have budgets of their own", found)
    gone = before | {"runtime.turn": 60}
    found = tally("moved from a root", gone, before | {f"{c}>runtime.spin": 2 for c in callers}, 3, "--period", "1")
    expect(found[0][FAIL] == 0, "in place of a root of the runtime", found)


def test_thirty_new_roots_do_not_pass():
    """Thirty new functions of the runtime, each below its budget: never a pass."""
    for name in ("runtime.worker{}", "worker{}"):
        after = MANY | RARE | {name.format(i): sum((MANY | RARE).values()) / 90 for i in range(30)}
        for runs in (1, 3, 5):
            found = tally(name, MANY | RARE, after, runs, "--period", "1", load=growth(MANY | RARE, after))
            expect(found[0][PASS] == 0, f"thirty of {name}, {runs} runs", found)


def test_a_runtime_function_that_grows_everywhere_does_not_pass():
    """A function of the runtime grows from 1% to a quarter, under thirty roots of the runtime that each grow little."""
    roots = [f"runtime.worker{i}>runtime.spin" for i in range(30)]
    before = MANY | RARE | {root: 0.05 for root in roots} | {f"runtime.worker{i}": 1 for i in range(30)}
    after = before | {root: 1.5 for root in roots}
    for equal in ((), ("--equal", "run")):
        for runs in (1, 3, 5):
            found = tally("outside", before, after, runs, "--period", "1", *equal, load=growth(before, after))
            expect(found[0][PASS] == 0, f"spread over thirty roots, {runs} runs {equal}", found)
            expect(runs == 1 or found[0][FAIL] == DRAWS and set(found[1]) == {"runtime.spin"},
                   f"spread over thirty roots, {runs} runs {equal}", found)
    own = MANY | RARE | {f"{name}>runtime.spin": 4 for name in MANY if name.startswith("main.")}
    found = tally("outside, own", MANY | RARE, own, 3)
    expect(found[0][FAIL] == 0, "on stacks of own functions", found)


def test_runs_of_one_build_pass():
    """Runs of one build pass, also at another load, where nothing is told."""
    for costs in (FEW, MANY):
        for load in (1.0, 0.5, 2.0):
            found = tally("good", costs, costs, 3, load=load)
            expect(found[0][FAIL] == 0 and found[0][OPEN] <= 1, f"good, load x {load}", found)
        found = tally("good", costs, costs, 3, "--equal", "run")
        expect(found[0][PASS] == DRAWS, "good, equal", found)


if __name__ == "__main__":
    GATE = pathlib.Path(sys.argv[1])
    tests = {name.removeprefix("test_"): test for name, test in list(globals().items()) if name.startswith("test_")}
    for wanted in tests if sys.argv[3] == "all" else sys.argv[3:]:
        tests[wanted]()
