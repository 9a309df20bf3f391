#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an author of a change can do so that a regression is not seen, planted in captured profiles of a real service:
23 % of the canary is the regression, and none of it may pass in silence, of one run a side or of three.

usage: test_evade.py PPROFGATE ROOT NAME|all
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import pprof

PART = 0.23  # of the canary
ROUNDS = {1: ((1,), (4,)), 3: ((1, 2, 3), (4, 5, 6))}
UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "SOURCE_DATE_EPOCH",
         "PPROFGATE_WORK_CANARY", "PPROFGATE_WORK_BASELINE")
GATE = ROOT = None


def captured(number):
    return pprof.Profile(ROOT / "fixtures/captures" / f"mix-{number}.cpu.pb.gz")


def total(profile):
    return sum(sample.values[0] for sample in profile.samples)


def own(profile):
    """Samples that run code of the program's own, each with where its innermost frame of it stands."""
    found = []
    for sample in profile.samples:
        at = next((i for i, location in enumerate(sample.locations)
                   if any(name.startswith("main.") for name in profile.names_of(location))), None)
        if at is not None:
            found.append((sample, at))
    return found


def added(profile, part=PART):
    """How many samples make `part` of what then is the whole."""
    return round(total(profile) * part / (1 - part))


def add(profile, sample, locations, labels=None):
    per = sample.values[1] // sample.values[0]
    profile.samples.append(pprof.Sample(locations, [1, per], sample.labels if labels is None else labels))


def grow(profile, location_of, rng, part=PART, deep=True):
    """More samples like those there are, of own code, with a new leaf: location_of(i) is what runs there."""
    there = own(profile)
    for i in range(added(profile, part)):
        sample, at = rng.choice(there)
        location = location_of(i)
        add(profile, sample, [location] * (location is not None) + sample.locations[at if deep else at + 1:])


# ---- changes of an author who hides a regression ---------------------------------------------------------------------

def plain(profile, rng):
    """The regression as it is, not hidden at all."""
    hot = profile.function("main.hot")
    grow(profile, lambda i: hot, rng)


def empty_stacks(profile, rng):
    for _ in range(added(profile)):
        add(profile, rng.choice(profile.samples), [], [])


def name_each(profile, rng):
    grow(profile, lambda i: profile.function(f"main.step{rng.randrange(1 << 60):x}"), rng)


def name_each_library(profile, rng):
    """The cost is on stacks without own code, such as those of a library's thread."""
    root = profile.function("github.com/fast/pool.run")
    for _ in range(added(profile)):
        leaf = profile.function(f"github.com/fast/pool.step{rng.randrange(1 << 60):x}")
        add(profile, rng.choice(profile.samples), [leaf, root], [])


def roots_each(profile, rng):
    """The same with no root in common either."""
    for _ in range(added(profile)):
        leaf = profile.function(f"github.com/fast/pool.step{rng.randrange(1 << 60):x}")
        add(profile, rng.choice(profile.samples), [leaf], [])


def split(profile, rng, count):
    parts = [profile.function(f"main.step{i}") for i in range(count)]
    grow(profile, lambda i: parts[i % count], rng)


def split_20(profile, rng):
    split(profile, rng, 20)


def split_60(profile, rng):
    split(profile, rng, 60)


def split_300(profile, rng):
    split(profile, rng, 300)


def drop_frames(profile, rng):
    hot = profile.function("main.hot")
    grow(profile, lambda i: hot, rng)
    profile.drop_frames = r"main\.hot"


def lost_label(profile, rng):
    """The regression is in /checkout, and its samples say so no more."""
    hot = profile.function("main.hot")
    there = [(sample, at) for sample, at in own(profile) if profile.label(sample, "endpoint") == "/checkout"]
    for _ in range(added(profile)):
        sample, at = rng.choice(there)
        add(profile, sample, [hot] + sample.locations[at:], [])


def other_label(profile, rng):
    hot = profile.function("main.hot")
    there = [(sample, at) for sample, at in own(profile) if profile.label(sample, "endpoint") == "/checkout"]
    for _ in range(added(profile)):
        sample, at = rng.choice(there)
        add(profile, sample, [hot] + sample.locations[at:])
        profile.set_label(profile.samples[-1], "endpoint", "/checkout2")


def nameless(profile, rng):
    hot = profile.function("")
    for _ in range(added(profile)):
        add(profile, rng.choice(profile.samples), [hot], [])


def no_symbols(profile, rng):
    """The build that is slower has no symbols."""
    plain(profile, rng)
    profile.rename(lambda name: "" if name.startswith("main.") else name)


def renamed(profile, rng):
    """Every function of the program's own is called anew in every build, and one is slower."""
    plain(profile, rng)
    profile.rename(lambda name: name.replace("main.", "main.v2_") if name.startswith("main.") else name)


def renamed_and_split(profile, rng):
    split(profile, rng, 60)
    profile.rename(lambda name: name.replace("main.", "main.v2_") if name.startswith("main.") else name)


def moved_to_package(profile, rng):
    """Three functions of own code, one of them slower, are now in a package of their own."""
    hottest = hot_own(profile)
    swell(profile, hottest[0], rng)
    profile.rename(lambda name: name.replace("main.", "shop/moved.") if name in hottest else name)


def made_generic(profile, rng):
    """The function that is slower has a type argument now."""
    hottest = hot_own(profile)[:1]
    swell(profile, hottest[0], rng)
    profile.rename(lambda name: name + "[...]" if name in hottest else name)


def made_closure(profile, rng):
    """The function that is slower is a closure of a function with another name now."""
    hottest = hot_own(profile)[:1]
    swell(profile, hottest[0], rng)
    profile.rename(lambda name: "main.handlers.func1" if name in hottest else name)


def half_renamed(profile, rng):
    """Every second function of own code has a new name, and one of them is slower."""
    hottest = hot_own(profile, None)
    swell(profile, hottest[0], rng)
    half = set(hottest[::2])
    profile.rename(lambda name: name.replace("main.", "main.v2_") if name in half else name)


def hot_own(profile, most=3):
    """The innermost functions of own code with a caller of own code, the costliest first."""
    costs = {}
    for sample, at in own(profile):
        names = [name for location in sample.locations[at:] for name in profile.names_of(location)]
        if sum(name.startswith("main.") for name in names) > 1:
            costs[names[0]] = costs.get(names[0], 0) + sample.values[0]
    return sorted((name for name in costs if name.startswith("main.")), key=lambda n: (-costs[n], n))[:most]


def swell(profile, name, rng, part=PART):
    """More samples of the function `name`, as if it were slower."""
    there = [sample for sample, at in own(profile) if name in profile.names_of(sample.locations[at])]
    for _ in range(added(profile, part)):
        sample = rng.choice(there)
        add(profile, sample, sample.locations)


def diluted(profile, rng):
    """Beside the regression, idle frames that make everything a smaller part."""
    plain(profile, rng)
    idle = next(s for s in profile.samples if profile.stack(s)[-1] == "runtime.mcall")
    for _ in range(added(profile, 0.75)):
        add(profile, idle, idle.locations, [])


def runtime_frames(profile, rng):
    """What is slower is made to look like the runtime's own."""
    idle = next(s for s in profile.samples if profile.stack(s)[-1] == "runtime.mcall")
    for _ in range(added(profile)):
        add(profile, idle, idle.locations, [])


def roots_cut(profile, rng):
    plain(profile, rng)
    for sample in profile.samples:
        sample.locations = sample.locations[:6]


def starved(profile, rng):
    plain(profile, rng)
    profile.samples = rng.sample(profile.samples, 40)


def starved_more(profile, rng):
    """So few that the function has too few to be tested, and the side enough to be judged."""
    hot = profile.function("main.hot")
    grow(profile, lambda i: hot, rng, 0.12)
    profile.samples = rng.sample(profile.samples, 40)


def other_type(profile, rng):
    """The cost is counted in one column, but the compared column is another one."""
    before = len(profile.samples)
    plain(profile, rng)
    for sample in profile.samples[before:]:
        sample.values[1] = 0


def a_little_of_each(profile, rng):
    """Two ways at once, each of which hides less than the guard's limit of 5 %."""
    for _ in range(added(profile, 0.03)):
        add(profile, rng.choice(profile.samples), [], [])
    hot, before = profile.function("main.hot"), len(profile.samples)
    grow(profile, lambda i: hot, rng, 0.03)
    for sample in profile.samples[before:]:
        sample.values[1] = 0


# Expected words of the verdict or its warnings for each, in addition to a status that is not 0.
PLANTS = {
    plain: "main.hot",
    empty_stacks: "no stack",
    name_each: "own code of one side only",
    name_each_library: "own code of one side only",
    roots_each: "own code of one side only",
    split_20: "own code of one side only",
    split_60: "own code of one side only",
    split_300: "own code of one side only",
    drop_frames: "drop_frames",
    lost_label: "label",
    other_label: "label",
    nameless: "no function name",
    no_symbols: "no function name",
    renamed: "frames.rename",
    renamed_and_split: "only one side has",
    moved_to_package: "",
    made_generic: "",
    made_closure: "",
    half_renamed: "",
    diluted: "share only",
    runtime_frames: "runtime",
    roots_cut: "main.hot",
    starved: "",
    starved_more: "",
    other_type: "no value",
    a_little_of_each: "no stack",
}
OPTIONS = {lost_label: ("--where", "endpoint=/checkout"), other_label: ("--where", "endpoint=/checkout")}


def check(folder, baseline, canary, *options):
    report = folder / "report.json"
    words = [GATE, "check", "--json", report, *options]
    for side, paths in (("--baseline", baseline), ("--canary", canary)):
        for path in paths:
            words += [side, path]
    env = {key: value for key, value in os.environ.items() if key not in UNSET}
    result = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, env=env)
    if result.returncode not in (0, 1, 3):
        sys.exit(f"status {result.returncode}: {result.stderr}")
    return result.returncode, json.loads(report.read_text()), result.stdout


def verdict_on(folder, plant, runs):
    rng = random.Random(f"{plant.__name__} {runs}")
    baseline = [ROOT / "fixtures/captures" / f"mix-{number}.cpu.pb.gz" for number in ROUNDS[runs][0]]
    canary = [folder / f"{number}.pb.gz" for number in ROUNDS[runs][1]]
    for path, number in zip(canary, ROUNDS[runs][1]):
        profile = captured(number)
        plant(profile, rng)
        profile.write(path)
    return check(folder, baseline, canary, *OPTIONS.get(plant, ()))


def test(plant):
    for runs in ROUNDS:
        with tempfile.TemporaryDirectory() as folder:
            status, report, said = verdict_on(pathlib.Path(folder), plant, runs)
        if status == 0:
            sys.exit(f"{plant.__name__}, {runs} a side: passed\n{said}")
        if PLANTS[plant] not in " ".join(said.split()):
            sys.exit(f"{plant.__name__}, {runs} a side: expected '{PLANTS[plant]}' in\n{said}")


def test_profiles_without_growth_pass():
    """Nothing planted, and the profiles read and written again: passes."""
    for runs in ROUNDS:
        with tempfile.TemporaryDirectory() as folder:
            status, _, said = verdict_on(pathlib.Path(folder), lambda profile, rng: None, runs)
        if status != 0:
            sys.exit(f"nothing planted, {runs} a side: {said}")


def test_a_truncated_profile_is_an_error():
    """A profile that ends early decides nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "cut.pb.gz")
        whole = (ROOT / "fixtures/captures/mix-4.cpu.pb.gz").read_bytes()
        for size in (len(whole) - 9, len(whole) // 2):
            path.write_bytes(whole[:size])
            words = [GATE, "check", str(ROOT / "fixtures/captures/mix-1.cpu.pb.gz"), str(path)]
            status = subprocess.run(words, capture_output=True, check=False).returncode
            if status != 2:
                sys.exit(f"{size} of {len(whole)} bytes: expected status 2, found {status}")


TIME, DURATION = 9, 10  # fields of a pprof profile, in nanoseconds


def set_window(profile, start_ns, seconds=8):
    profile.rest = [(n, v) for n, v in profile.rest if n not in (TIME, DURATION)]
    profile.rest += [(TIME, start_ns), (DURATION, seconds * 10**9)]


def multiply(profile, factor, rng):
    """Every function costs `factor` times as much, so that all shares stay."""
    profile.samples = [pprof.Sample(s.locations, s.values, s.labels) for s in profile.samples
                       for _ in range(int(factor) + (rng.random() < factor % 1))]


def test_a_canary_that_is_slower_everywhere_does_not_pass():
    """Both sides ran at the same time, and the canary used 2.7 times the CPU time: not a pass, whatever the shares."""
    start_ns, minute_ns = 1_790_000_000 * 10**9, 60 * 10**9
    for runs, shifted, slower, options, expected in (
            (1, False, "canary", (), "x the CPU time of the baseline ("),
            (3, False, "canary", (), "x the CPU time of the baseline ("),
            (3, False, "neither", (), None), (3, False, "baseline", (), None),
            (3, True, "canary", (), None),  # not at the same time, so the load is not known
            (3, False, "canary", ("--work", "baseline=1000", "--work", "canary=2700"), None)):
        with tempfile.TemporaryDirectory() as where:
            folder = pathlib.Path(where)
            rng = random.Random(f"{runs} {slower}")
            sides = {"baseline": [], "canary": []}
            for side, numbers in zip(sides, ROUNDS[runs]):
                for index, number in enumerate(numbers):
                    profile = captured(number)
                    if side == slower:
                        multiply(profile, 2.7, rng)
                    late_ns = minute_ns // 2 if shifted and side == "canary" else 0
                    set_window(profile, start_ns + index * minute_ns + late_ns)
                    sides[side].append(folder / f"{side}-{number}.pb.gz")
                    profile.write(sides[side][-1])
            status, _, said = check(folder, *sides.values(), *options)
        said = " ".join(said.split())
        if (status == 3 and expected in said) if expected else status == 0:
            continue
        sys.exit(f"{runs} a side, {slower} slower, {options}: expected {expected or 'a pass'}, found {status}: {said}")


def test_growth_of_runtime_frames_by_12_points_fails_with_three_runs():
    """Spread over what runs when the program idles: one pair passes with a warning, and three runs per side fail. In one
    function, one pair does not pass."""
    for runs, spread, expected in ((1, True, 0), (3, True, 1), (1, False, 3)):
        rng = random.Random(f"12 {runs}")
        with tempfile.TemporaryDirectory() as where:
            folder = pathlib.Path(where)
            baseline = [ROOT / "fixtures/captures" / f"mix-{number}.cpu.pb.gz" for number in ROUNDS[runs][0]]
            canary = [folder / f"{number}.pb.gz" for number in ROUNDS[runs][1]]
            for path, number in zip(canary, ROUNDS[runs][1]):
                profile = captured(number)
                idle = [s for s in profile.samples if profile.stack(s)[-1:] == ["runtime.mcall"]]
                for _ in range(added(profile, 0.12)):
                    sample = rng.choice(idle if spread else idle[:1])
                    add(profile, sample, sample.locations, [])
                profile.write(path)
            status, _, said = check(folder, baseline, canary)
        if status != expected or "runtime" not in said:
            sys.exit(f"12 points of the runtime, {runs} per side, {spread}: found {status}: {said}")


if __name__ == "__main__":
    GATE, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
    alone = {function.__name__.removeprefix("test_"): function for function in (
        test_profiles_without_growth_pass, test_a_truncated_profile_is_an_error,
        test_a_canary_that_is_slower_everywhere_does_not_pass,
        test_growth_of_runtime_frames_by_12_points_fails_with_three_runs)}
    for name in [*alone, *(plant.__name__ for plant in PLANTS)] if sys.argv[3] == "all" else sys.argv[3:]:
        if name in alone:
            alone[name]()
        else:
            test(next(plant for plant in PLANTS if plant.__name__ == name))
