#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Memory, waiting and goroutines are judged by amounts: what the gate makes of leaks, caches that fill, locks, pools,
and of the same where shares say the opposite.

usage: test_amounts.py PPROFGATE ROOT NAME|all
"""
import hashlib
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from pprof import field, varint  # noqa: E402

GATE = None
MEASURES = set()
DRAWS = 8
PASS, FAIL, OPEN = 0, 1, 3
OBJECT = 524288  # bytes per sampled object
START = 1_700_000_000_000_000_000
NAMED = {FAIL: "fail", OPEN: "inconclusive", PASS: "pass"}


def profile(types, rows, time_ns=START, duration_ns=0, period=0):
    """A pprof profile. types: (type, unit); rows: function -> a value for each type."""
    strings = [""]

    def text(word):
        if word not in strings:
            strings.append(word)
        return strings.index(word)

    out = bytearray()
    for name, unit in types:
        out += field(1, field(1, text(name)) + field(2, text(unit)))
    for number, (function, values) in enumerate(rows.items(), 1):
        out += field(2, field(1, varint(number) + varint(1000)) + field(2, b"".join(map(varint, values))))
        out += field(4, field(1, number) + field(3, 4096 + number) + field(4, field(1, number) + field(2, 1)))
        out += field(5, field(1, number) + field(2, text(function)) + field(3, text(function)) +
                     field(4, text("/src/shop/main.go")))
    out += field(4, field(1, 1000) + field(3, 8192) + field(4, field(1, 1000) + field(2, 1)))
    out += field(5, field(1, 1000) + field(2, text("main.main")) + field(3, text("main.main")) +
                 field(4, text("/src/shop/main.go")))
    out += field(9, time_ns) + field(10, duration_ns)
    if period:
        out += field(11, field(1, text("space")) + field(2, text("bytes"))) + field(12, period)
    for word in strings:
        out += field(6, word.encode())
    return bytes(out)


HEAP = [("alloc_objects", "count"), ("alloc_space", "bytes"), ("inuse_objects", "count"), ("inuse_space", "bytes")]


def poisson(rng, mean):
    return max(0, round(rng.gauss(mean, math.sqrt(mean))))


def heap(rng, held, made, at):
    """A heap profile: MB held and made by each function, `at` seconds after the start."""
    rows = {}
    for function, amount in held.items():
        live = poisson(rng, amount * 2.0)  # two samples a MB
        rows[function] = [made[function] * 2, made[function] * 2 * OBJECT, live, live * OBJECT]
    return profile(HEAP, rows, START + int(at * 1e9), period=OBJECT)


def delays(rng, waits, seconds=0):
    """A mutex profile. waits: function -> (contentions, mean delay in ms)."""
    rows = {}
    for function, (count, mean) in waits.items():
        seen = poisson(rng, count)
        rows[function] = [seen, sum(int(rng.expovariate(1 / (mean * 1e6))) for _ in range(seen))]
    return profile([("contentions", "count"), ("delay", "nanoseconds")], rows, duration_ns=int(seconds * 1e9))


def goroutines(rng, kept):
    return profile([("goroutine", "count")], {function: [poisson(rng, count)] for function, count in kept.items()})


def rounds(folder, kind, sides, looks=None):
    """A folder as `capture` leaves it, or as `gate` does with `looks`."""
    runs = []
    for side, profiles in sides.items():
        for index, content in enumerate(profiles, 1):
            path = folder / f"{kind}-{index}-{side}.pb"
            path.write_bytes(content)
            runs.append({"round": index, "side": side, "kind": kind, "file": path.name,
                         "start_ms": 1_700_000_000_000 + index * 10_000, "end_ms": 1_700_000_000_100 + index * 10_000,
                         "digest": hashlib.sha256(content).hexdigest()})
    runs.sort(key=lambda run: (run["round"], run["side"]))
    manifest = {"schema": "pprofgate-manifest/1", "interleaved": True, "runs": runs}
    if looks is not None:
        manifest["looks"] = looks
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return [folder]


def files(folder, sides):
    words = []
    for side, profiles in sides.items():
        for index, content in enumerate(profiles):
            path = folder / f"{side}-{index}.pb"
            path.write_bytes(content)
            words += [f"--{side}", path]
    return words


def check(folder, words):
    """The exit status, and the functions of the causes that fail."""
    report = folder / "report.json"
    found = subprocess.run([GATE, "check", "-q", "--json", report, *words], capture_output=True, text=True, check=False)
    if found.returncode not in NAMED:
        sys.exit(found.stderr)
    told = json.loads(report.read_text())
    used = {finding["measure"] for cause in told["causes"] for finding in cause["findings"]}
    if not used <= MEASURES:
        sys.exit(f"measures that docs/report.schema.json does not have: {used - MEASURES}")
    return found.returncode, {cause["function"] for cause in told["causes"] if cause["outcome"] == "fail"}


def expect(what, make, outcome, function=None, strays=0):
    """DRAWS runs of `make(rng, folder)` end with `outcome`, but for `strays`; each fail names `function`."""
    ends = []
    for seed in range(DRAWS):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            end, causes = check(folder, make(random.Random(f"{what} {seed}"), folder))
        ends.append(end)
        if end == FAIL and function is not None and function not in causes:
            sys.exit(f"{what}: the fail names {causes}, not {function}")
    others = sum(end != outcome for end in ends)
    if others > strays or (outcome != FAIL and FAIL in ends):
        sys.exit(f"{what}: expected {NAMED[outcome]}, found {[NAMED[end] for end in ends]}")


# ---- memory ----

SESSIONS = {"main.openSession": 20.0, "main.fillCache": 12.0, "main.packPage": 4.0}


def series(rng, changes, count, every=10):
    """`count` snapshots; `changes`: function -> MB that it holds at a time."""
    out = []
    for index in range(count):
        at = 60 + index * every
        held = dict(SESSIONS) | {function: amount(at) for function, amount in changes.items()}
        out.append(heap(rng, held, {function: 40 * at for function in held}, at))
    return out


ONLY_LEAKS = """\
version: 1
extends: heap
budgets:
  - {name: no function holds much more memory, severity: off}
  - {name: memory in use does not grow, severity: off}
"""


def kept_series(rng, count, part=0.75, every=10):
    """`count` snapshots of one load: from one to the next, `part` of the sampled objects stay."""
    live = {function: poisson(rng, 2.0 * amount) for function, amount in SESSIONS.items()}
    out = []
    for index in range(count):
        at = 60 + index * every
        rows = {function: [80 * at, 80 * at * OBJECT, seen, seen * OBJECT] for function, seen in live.items()}
        out.append(profile(HEAP, rows, START + at * 10**9, period=OBJECT))
        live = {function: sum(rng.random() < part for _ in range(seen)) +
                poisson(rng, 2.0 * SESSIONS[function] * (1 - part)) for function, seen in live.items()}
    return out


def leaking(changes, count=8):
    return lambda rng, folder: rounds(folder, "heap", {"baseline": series(rng, {}, count),
                                                        "canary": series(rng, changes, count)})


def test_a_leak_is_found_within_one_rollout():
    """A function that lets go of nothing is found within one rollout, also where all of it is old code."""
    slow = {"main.keepAudit": lambda at: 0.4 * at}
    expect("a leak of 0.4 MB a second", leaking(slow), FAIL, "main.keepAudit")
    old = {"main.fillCache": lambda at: 12 + 0.8 * (at - 60)}
    expect("code that begins to leak", leaking(old), FAIL, "main.fillCache", strays=1)
    expect("a leak on both sides is no growth", lambda rng, folder: rounds(
        folder, "heap", {side: series(rng, slow, 8) for side in ("baseline", "canary")}), PASS, strays=1)


def test_a_leak_in_a_large_heap_is_found():
    """The samples of a large heap do not hide the leak of a function that holds little of it."""
    large = {"main.openSession": lambda at: 80.0, "main.fillCache": lambda at: 80.0}
    small = {"main.packPage": lambda at: 4 + 0.25 * (at - 60)}

    def make(rng, folder):
        (folder / "rules.yml").write_text(ONLY_LEAKS)
        return ["-r", folder / "rules.yml", *rounds(folder, "heap", {
            "baseline": series(rng, large, 10), "canary": series(rng, large | small, 10)})]
    expect("a leak of 0.25 MB a second in a function of 4 of 164 MB", make, FAIL, "main.packPage", strays=2)


def test_early_rounds_do_not_pass():
    """Before the last round, what the last one may find is not passed, nor failed at the level of the last one."""
    class Still(random.Random):
        """Draws what is expected."""

        def gauss(self, mu, sigma):
            return mu

    def make(changes, count, planned, still=None):
        def rounds_of(rng, folder):
            rng = still or rng
            (folder / "rules.yml").write_text(ONLY_LEAKS)
            looks = {"rules": "0" * 64, "planned": planned, "round": count,
                     "fractions": [at / planned for at in range(1, count + 1)]}
            return ["-r", folder / "rules.yml", *rounds(folder, "heap", {
                "baseline": series(rng, {}, count), "canary": series(rng, changes, count)}, looks)]
        return rounds_of
    slow = {"main.packPage": lambda at: 4 + 0.2 * (at - 60)}
    expect("2 MB a round, five rounds of ten", make(slow, 5, 10), OPEN)
    expect("2 MB a round, ten rounds of ten", make(slow, 10, 10), FAIL, "main.packPage", strays=3)
    fast = {"main.packPage": lambda at: 4 + 4.0 * (at - 60)}
    expect("40 MB a round, five rounds of sixty", make(fast, 5, 60), OPEN)
    expect("40 MB a round, eight rounds of ten", make(fast, 8, 10), FAIL, "main.packPage")
    expect("a heap that stays as large, five rounds of ten", make({"main.packPage": lambda at: 4.5}, 5, 10, Still()),
           PASS)


def test_a_pass_states_the_smallest_leak_it_could_detect():
    """A pass says how large a leak has to be to fail, in per cent of the heap: less of a larger one, whose samples tell more."""
    def seen(size):
        with tempfile.TemporaryDirectory() as name:
            folder, rng = pathlib.Path(name), random.Random(size)
            held = {function: (lambda at, mb=mb: mb * size) for function, mb in SESSIONS.items()}
            words = rounds(folder, "heap", {side: series(rng, held, 8) for side in ("baseline", "canary")})
            run = subprocess.run([GATE, "check", "--json", folder / "report.json", *words],
                                 capture_output=True, text=True, check=False)
            if "of what is held, over all rounds" not in " ".join(run.stdout.split()):
                sys.exit(f"no line on leaks: {run.stdout}")
            told = json.loads((folder / "report.json").read_text())
            return next(budget["detectable_pp"] for budget in told["budgets"] if "leaks" in budget["name"])
    for size in (1, 20):
        # Poisson: 2 samples a MB, four heaps; the quantiles of 1% and 80% are 3.17 standard deviations
        least = 100 * 3.17 * math.sqrt(4 * 72 * size) * 0.5 / (36 * size)
        if not 0.85 * least < seen(size) < 4 * least:
            sys.exit(f"a heap of {36 * size} MB: detectable {seen(size)}, and by samples alone {least}")


def test_allocations_before_the_first_round_are_not_judged():
    """Until the first round most allocations are of start-up code, and the first requests: only rounds after it judge."""
    def make(rng, folder):
        held = SESSIONS | {"main.loadTables": 30.0}
        made = [{"main.loadTables": 400, "main.openSession": 10 if served == 40 else 200, "main.fillCache": served,
                 "main.packPage": 40} for served in (40, 80)]
        looks = {"rules": "0" * 64, "planned": 7, "round": 1, "fractions": [1 / 7]}
        return rounds(folder, "heap", dict(zip(("baseline", "canary"), ([heap(rng, held, m, 60)] for m in made))), looks)
    expect("the first of seven rounds, start-up included", make, OPEN)


def test_steady_and_filling_memory_is_no_leak():
    """What is as large from round to round, or fills up, is no leak."""
    expect("eight rounds of one build", leaking({}), PASS, strays=1)
    expect("three rounds of one build", leaking({}, 3), PASS, strays=1)
    fills = {"main.fillCache": lambda at: 12 + 4 * (1 - math.exp(-(at - 60) / 8))}
    expect("a cache that fills to 16 MB", leaking(fills), PASS, strays=DRAWS)  # may also be undecided
    falls = {"main.fillCache": lambda at: 32 - 0.25 * (at - 60)}
    expect("the baseline alone lets go of memory", lambda rng, folder: rounds(
        folder, "heap", {"baseline": series(rng, falls, 8), "canary": series(rng, {}, 8)}), PASS, strays=1)
    expect("sampled objects that live for four rounds", lambda rng, folder: rounds(
        folder, "heap", {side: kept_series(rng, 8) for side in ("baseline", "canary")}), PASS, strays=3)


def test_held_memory_is_judged_as_an_amount():
    """Memory that is held is an amount: 30 % of the heap, in one snapshot a side or several."""
    holds = {"main.keepAudit": 24.0}

    def one(runs, more):
        def make(rng, folder):
            made = {function: 4000 for function in (*SESSIONS, *more)}
            return files(folder, {"baseline": [heap(rng, SESSIONS, made, 60 + i) for i in range(runs)],
                                  "canary": [heap(rng, SESSIONS | more, made, 60 + i) for i in range(runs)]})
        return make
    expect("24 MB more, three files a side", one(3, holds), FAIL, "main.keepAudit")
    expect("the same, three files a side", one(3, {}), PASS, strays=1)


def test_allocations_between_rounds_are_judged():
    """Of rounds, what was allocated between them counts: start-up code of a canary with less traffic is no growth."""
    def make(rng, folder):
        sides = {}
        for side, rate in (("baseline", 40), ("canary", 12)):
            sides[side] = []
            for index in range(4):
                at = 60 + 10 * index
                made = {"main.openSession": rate * at, "main.fillCache": rate * at, "main.packPage": rate * at,
                        "main.loadCatalog": 3000}
                sides[side].append(heap(rng, SESSIONS | {"main.loadCatalog": 2.0}, made, at))
        return rounds(folder, "heap", sides)
    expect("a third of the traffic after the same start", make, PASS, strays=1)


# ---- waiting ----

def waiting(baseline, canary, seconds, runs=3):
    return lambda rng, folder: files(folder, {"baseline": [delays(rng, baseline, seconds) for _ in range(runs)],
                                              "canary": [delays(rng, canary, seconds) for _ in range(runs)]})


def test_delays_are_judged_per_second():
    """Delays count per second: what is small may double, and what is large fails though its share stays at 100 %."""
    small, little_more = {"main.reserve": (200, 0.05)}, {"main.reserve": (240, 0.05)}
    large = {"main.reserve": (900, 11)}
    expect("10 ms in 10 s, then 12", waiting(small, little_more, 10), PASS)
    expect("10 ms in 10 s, then 10 s", waiting(small, large, 10), FAIL, "main.reserve")
    expect("10 ms, then 10 s, over unknown times", waiting(small, large, 0), OPEN)
    expect("10 ms, then 10 s, of one run a side", waiting(small, large, 10, 1), OPEN)


def test_a_fixed_lock_does_not_make_others_fail():
    """Where one lock is mended, the others have larger shares, and wait no longer."""
    before = {"main.reserve": (900, 40), "main.append": (900, 4)}
    after = {"main.reserve": (100, 1), "main.append": (900, 4)}
    expect("a lock mended, of 10 s", waiting(before, after, 10), PASS)
    expect("a lock mended, over unknown times", waiting(before, after, 0), PASS)
    expect("the lock back again", waiting(after, before, 10), FAIL, "main.reserve")


def scaled(waits, traffic, slower):
    """The waits of a side with `traffic` times the requests; functions of `slower` wait that much longer each time."""
    return {function: (count * traffic, mean * slower.get(function, 1)) for function, (count, mean) in waits.items()}


def test_uneven_traffic_is_neither_growth_nor_hides_it():
    """Without a word on the load, waiting per second is no fact where nearly all functions wait more or less often."""
    even = {"main.quote": (900, 5), "main.order": (700, 3), "main.search": (500, 2)}
    expect("four times the traffic", waiting(even, scaled(even, 4, {}), 10), OPEN)
    expect("a quarter of the traffic", waiting(even, scaled(even, 0.25, {"main.quote": 4}), 10), OPEN)
    expect("the same traffic, and slower", waiting(even, scaled(even, 1, {"main.quote": 4}), 10), FAIL, "main.quote")
    expect("one that waits more often", waiting(even, even | {"main.quote": (3600, 5)}, 10), FAIL, "main.quote")

    def make(words, canary):
        files_of = waiting(even, canary, 10)
        return lambda rng, folder: files_of(rng, folder) + words
    work = ["--work", "baseline=1000", "--work", "canary=250"]
    expect("a quarter of the work, and slower", make(work, scaled(even, 0.25, {"main.quote": 4})), FAIL, "main.quote")
    expect("a quarter of the work", make(work, scaled(even, 0.25, {})), PASS, strays=2)
    expect("all wait more often under a load that is equal", make(["--equal", "time"], scaled(even, 4, {})), FAIL)


# ---- goroutines ----

def test_a_growing_pool_is_found_by_number():
    """A pool that grows is found by number; a few more are nothing."""
    pool = {"main.serve": 40, "main.work": 20}

    def make(canary):
        return lambda rng, folder: files(folder, {"baseline": [goroutines(rng, pool) for _ in range(3)],
                                                  "canary": [goroutines(rng, canary) for _ in range(3)]})
    expect("as many goroutines", make(pool), PASS)
    expect("15 times as many workers", make(pool | {"main.work": 300}), FAIL, "main.work")


if __name__ == "__main__":
    GATE = pathlib.Path(sys.argv[1])
    schema = json.loads((pathlib.Path(sys.argv[2]) / "docs/report.schema.json").read_text())
    MEASURES = set(schema["$defs"]["budget_measure"]["enum"])
    tests = {name.removeprefix("test_"): test for name, test in list(globals().items()) if name.startswith("test_")}
    for wanted in tests if sys.argv[3] == "all" else sys.argv[3:]:
        tests[wanted]()
