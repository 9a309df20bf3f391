#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes each call of the program fail that can fail, one per run, and judges how each run ends.

usage: faults.py [--all] [--jobs N] [--only SCENARIO] [--call CALL] [--many N] [--seed N] PROGRAM LIBRARY ROOT
       faults.py --one SCENARIO CALL MANNER N PROGRAM LIBRARY ROOT     print and keep what one run leaves

A run may leave exactly the files of a run without a fault, or end with exit status 2 and a cause on standard error.
After exit status 2 there is no report, neither of this run nor of an earlier one. Anything else is a bug in the
program: another verdict, a crash, a hang, a partial file, a leftover temporary file. After a signal all files are
complete.
"""
import argparse
import collections
import concurrent.futures
import itertools
import mmap
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import catalogue
import scenarios

SEED = 18
TIMEOUT_S = 60
SAMPLE_RUNS, SANITIZED_RUNS = 300, 120  # runs of a sample, in the ordinary tests

MANY = 200  # with more calls of one kind in a run, only some are made to fail

# As in faults.h.
CALLS = ("malloc", "calloc", "realloc", "memory", "mmap", "open", "read", "write", "fsync", "rename", "close", "thread",
         "stat", "unlink", "mkdir", "lock", "look", "clock", "random", "fork", "pipe", "wait", "connect", "send",
         "recv", "poll", "sleep", "unmap")
MANNERS = ("never", "once", "lasting", "short", "interrupt", "again", "signal")
SIGNALS = {"term": signal.SIGTERM, "kill": signal.SIGKILL, "int": signal.SIGINT, "hup": signal.SIGHUP,
           "pipe": signal.SIGPIPE}
HARMLESS = ("short", "interrupt", "again")  # a correct program is not affected
SHEET = struct.Struct(f"{len(CALLS)}QQq")

# Every call fails once. Some calls also fail in other manners. Signals are sent only at calls that change the disk or
# deal with other programs.
PLANS = [(call, "once") for call in CALLS if call != "memory"]
PLANS += [(call, "lasting") for call in ("memory", "open", "read", "write", "close", "thread", "unlink", "stat", "look",
                                         "fork", "pipe", "connect", "send", "recv", "random", "mkdir", "unmap")]
PLANS += [(call, "short") for call in ("read", "write", "send", "recv", "random")]
PLANS += [(call, "interrupt") for call in ("read", "write", "poll", "wait", "lock", "random")]
PLANS += [(call, "again") for call in ("send", "recv", "lock")]
PLANS += [(call, how) for call in ("open", "write", "fsync", "rename", "close", "unlink", "mkdir", "lock", "fork",
                                   "wait", "send", "recv") for how in ("term", "kill")]
PLANS += [(call, how) for call in ("write", "rename", "fork") for how in ("int", "hup")]

# Plans that found bugs. They are part of every sample.
FOUND = (("gate_pass", "rename", "once"), ("gate_pass", "rename", "term"),  # only one side of the first round was left
         ("check_json", "read", "interrupt"), ("check_symbols", "read", "interrupt"), ("show", "write", "interrupt"),
         ("check_symbols", "calloc", "once"))  # names were missing without a message

# The C library ends the program with this message if it cannot allocate thread-local data of a library that libcurl
# needs. pprofgate allocates and frees that memory in advance (unit.test_libcurl), but the next allocation may fail.
MEMORY_FAILS = (("memory", "lasting"), ("malloc", "once"))
THREAD_DATA = b"cannot allocate memory for thread-local data"
Plan = collections.namedtuple("Plan", "call manner number")
NO_PLAN = Plan("malloc", "never", 0)


class Sheet:
    """The counts of the preloaded library, in a file that it maps."""

    def __init__(self, path):
        self.path = path
        path.write_bytes(bytes(SHEET.size))

    def read(self):
        *counts, touched, descriptor = SHEET.unpack(self.path.read_bytes())
        return dict(zip(CALLS, counts)), touched, descriptor


Ended = collections.namedtuple("Ended", "status out err files counts touched descriptor")


def planned_environment(library, sheet, plan, scenario):
    signal_number = SIGNALS.get(plan.manner, 0)
    manner = MANNERS.index("signal" if signal_number else plan.manner)
    words = f"{CALLS.index(plan.call)} {manner} {plan.number} {int(signal_number)}"
    preloaded = scenarios.environment() | scenario.environment
    preloaded |= {"LD_PRELOAD": str(library), "GATE_FAULTS_SHEET": str(sheet), "GATE_FAULTS_PLAN": words,
                  "TMPDIR": str(sheet.with_suffix(".tmp"))}
    # With a sanitizer, the preloaded library comes before it, and failed allocations must not be reported as errors.
    preloaded["ASAN_OPTIONS"] = "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0:exitcode=99"
    return preloaded


class Bench:
    def __init__(self, program, library, root):
        self.program, self.library = pathlib.Path(program).resolve(), pathlib.Path(library).resolve()
        self.host = self.library.parent / "faults_host"
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
        self.inputs = scenarios.Inputs(self.program, pathlib.Path(root).resolve(), self.place / "inputs")
        self.inputs.host = self.host if self.host.exists() else None
        self.numbers = itertools.count()

    def run(self, scenario, plan, keep=False):
        with scenario.alone:
            return self.run_here(scenario, plan, keep)

    def run_here(self, scenario, plan, keep):
        place = self.place / f"run-{next(self.numbers)}"
        place.mkdir()
        sheet = Sheet(place.with_suffix(".sheet"))
        temporary = sheet.path.with_suffix(".tmp")
        temporary.mkdir()
        scenario.prepare(place, self.inputs)
        try:
            done = subprocess.run(
                [scenario.program or self.program, *scenario.words(self.inputs)], cwd=place, timeout=TIMEOUT_S,
                check=False, capture_output=True, stdin=subprocess.DEVNULL,
                env=planned_environment(self.library, sheet.path, plan, scenario))
            status, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            status, out, err = "hang", late.stdout or b"", late.stderr or b""
        counts, touched, descriptor = sheet.read()
        files = {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}
        ended = Ended(status, out, err, files, counts, touched, descriptor)
        after = scenario.after(place, self.inputs, ended) if touched else None
        if os.listdir(temporary) and plan.manner != "kill" and plan.call != "unlink":
            after = after or f"left over among the temporary files: {os.listdir(temporary)}"
        shutil.rmtree(temporary)
        if not keep:
            shutil.rmtree(place)
        sheet.path.unlink()
        return ended, after, place


# ---- judging ---------------------------------------------------------------------------------------------------------


def is_temporary(name):
    return re.search(r"\.pprofgate-[A-Za-z0-9]{6}$|[A-Za-z0-9]{6}\.tmp$", name) is not None


def judge_files(scenario, expected, ended, whole_only):
    """Each file must be as before the run, or as the run without a fault leaves it."""
    for name, data in ended.files.items():
        if scenario.looks_after(name):
            continue
        if is_temporary(name):
            if not whole_only:
                yield f"{name} is left over"
        elif data != scenario.before(name) and not scenario.is_same(name, data, expected.files.get(name)):
            yield f"{name} is neither the old one nor the new one ({len(data)} bytes)"


def judge_refused(scenario, expected, ended, plan):
    lost_words = plan.call == "write" and (plan.manner == "lasting" or ended.descriptor == 2)
    if b"pprofgate: " not in ended.err and not lost_words and not scenario.says_cause(ended.out):
        yield "exit 2 without a cause"
    reports = {name for name in expected.files if scenario.is_report(name)}
    present = {name for name in reports if name in ended.files}
    whole = all(ended.files[name] == expected.files[name] for name in present)
    stays = plan.call in ("unlink", "stat", "look", "open", "read") and b"cannot be removed" in ended.err
    if present and not (whole and present == reports) and not stays:
        yield f"exit 2, and of the reports are there: {' '.join(sorted(present))}"
    told = re.search(rb"^verdict=(\w+)", ended.files.get("github.out", b""), re.M)
    if told and told[1] != b"error" and plan.call not in ("write", "close"):
        yield f"exit 2, and the steps behind are told {told[1].decode()}"


def judge_as_ever(scenario, expected, ended):
    for name in sorted(set(expected.files) | set(ended.files)):
        data = ended.files.get(name)
        if not scenario.looks_after(name) and not scenario.is_same(name, data, expected.files.get(name)):
            yield f"{name}: {'missing' if data is None else 'not as without the fault'}"
    if ended.out != expected.out and not scenario.varies:
        yield "standard output is not as without the fault"


def judge(scenario, expected, ended, after, plan):
    signalled = plan.manner in SIGNALS
    is_harmless = plan.manner in HARMLESS and plan.call != "lock"  # as if another process held the lock
    if signalled and ended.status == -SIGNALS[plan.manner]:
        yield from judge_files(scenario, expected, ended, whole_only=plan.manner == "kill")
    elif ended.status == expected.status and any(word in ended.out for word in scenario.told):
        pass
    elif ended.status == expected.status:
        yield from judge_as_ever(scenario, expected, ended)
    elif scenario.is_told(ended):
        pass
    elif ended.status == 127 and plan[:2] in MEMORY_FAILS and THREAD_DATA in ended.err:
        yield from judge_files(scenario, expected, ended, whole_only=True)
    elif ended.status == 2 and not is_harmless:
        yield from judge_files(scenario, expected, ended, whole_only=plan.call == "unlink")
        yield from judge_refused(scenario, expected, ended, plan)
    else:
        yield f"status {ended.status}, expected {expected.status}" + ("" if is_harmless else " or 2")
    if after:
        yield after


# ---- sweeping --------------------------------------------------------------------------------------------------------


def numbers(count, many, draw):
    """Return 1 to `count`; if there are more than `many`, the first ones, the last ones and a random sample."""
    if count <= many:
        return range(1, count + 1)
    ends = {*range(1, many // 4), *range(count - many // 4, count + 1)}
    return sorted(ends | set(draw.sample(range(1, count + 1), many // 2)))


class Sweep:
    def __init__(self, bench, chosen, told):
        self.bench, self.jobs, self.many = bench, told.jobs, told.many
        self.calls = told.call or CALLS
        self.draw = random.Random(told.seed)
        self.expected = {}
        self.totals = collections.Counter()
        self.endings = collections.Counter()
        self.failures = []
        for scenario in chosen:
            ended, _, _ = bench.run(scenario, NO_PLAN)
            if not any(ended.counts.values()):
                sys.exit("the preloaded library is not called: the program is linked to a C library of its own")
            assert ended.status == scenario.status, f"{scenario.name}: {ended.status}\n{ended.err.decode()}"
            self.expected[scenario] = ended

    def plans(self, scenario):
        for call, manner in PLANS:
            count = self.expected[scenario].counts[call]
            if call in self.calls and call not in scenario.spared:
                yield from (Plan(call, manner, n) for n in numbers(count, self.many, self.draw))

    def try_one(self, scenario, plan):
        ended, after, _ = self.bench.run(scenario, plan)
        if not ended.touched:
            return False
        if b"AddressSanitizer: CHECK failed: sanitizer_" in ended.err:
            return True  # the sanitizer itself needs this call
        self.totals[scenario.name, plan.call, plan.manner] += 1
        self.endings[scenario.name, ended.status] += 1
        for problem in judge(scenario, self.expected[scenario], ended, after, plan):
            self.failures.append((scenario.name, plan, problem))
            said = ended.err.decode(errors="replace").strip().splitlines()
            print(f"{scenario.name} {plan.call} {plan.manner} {plan.number}: {problem}"
                  f"{' | ' + said[-1] if said else ''}", flush=True)
        return True

    def try_all(self, scenario):
        """Try every number, and higher ones until no call is affected: threads make the number of calls vary."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda plan: self.try_one(scenario, plan), self.plans(scenario)))
        for call, manner in PLANS:
            number = self.expected[scenario].counts[call]
            if call in self.calls and call not in scenario.spared and number:
                while self.try_one(scenario, Plan(call, manner, number + 1)):
                    number += 1

    def try_sample(self, chosen, runs):
        """Try the plans of FOUND, and of the others one per scenario, call and manner: up to `runs` in all, but at
        least a quarter of `runs` of the others. The choice is random, but the same in every run of the tests."""
        found, groups = [], collections.defaultdict(list)
        for scenario in chosen:
            for plan in self.plans(scenario):
                group = groups[scenario, plan.call, plan.manner]
                (found if (scenario.name, plan.call, plan.manner) in FOUND else group).append((scenario, plan))
        picked = [self.draw.choice(group) for group in groups.values() if group]
        self.draw.shuffle(picked)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda pick: self.try_one(*pick), found + picked[:max(runs // 4, runs - len(found))]))

    def print_scenario(self, name):
        by_call = collections.Counter()
        for (scenario, call, manner), count in self.totals.items():
            by_call[call if manner == "once" else f"{call} {manner}"] += count if scenario == name else 0
        ends = ", ".join(f"{count} with {status}" for (scenario, status), count in sorted(
            self.endings.items(), key=str) if scenario == name)
        print(f"{name}: {by_call.total()} runs ({ends}): "
              + ", ".join(f"{call} {count}" for call, count in by_call.items() if count), flush=True)

    def print_totals(self):
        print(f"{sum(self.totals.values())} runs touched by a fault, {len(self.failures)} ended as none may")


def show_one(bench, scenario, plan):
    ended, after, place = bench.run(scenario, plan, keep=True)
    sys.stdout.buffer.write(ended.out + ended.err)
    print(f"status {ended.status}, touched {ended.touched} (descriptor {ended.descriptor}), counts {ended.counts}")
    print(f"{place}: {' '.join(ended.files)}\n{after or ''}")
    for problem in judge(scenario, bench.run(scenario, NO_PLAN)[0], ended, after, plan):
        print("->", problem)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", action="append")
    parser.add_argument("--many", type=int, default=MANY, help="calls of one kind in a run, above which some are drawn")
    parser.add_argument("--seed", type=int, default=SEED, help="of what is drawn")
    parser.add_argument("--call", action="append", choices=CALLS)
    parser.add_argument("--one", nargs=4)
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("root")
    return parser.parse_args()


def main():
    told = arguments()
    bench = Bench(told.program, told.library, told.root)
    try:
        every = {scenario.name: scenario for scenario in catalogue.all_of(bench.inputs)}
        if told.one:
            name, call, manner, number = told.one
            return show_one(bench, every[name], Plan(call, manner, int(number)))
        chosen = [s for s in every.values() if (s.name in told.only if told.only else told.all or s.is_quick)]
        sweep = Sweep(bench, chosen, told)
        if told.all:
            for scenario in chosen:
                sweep.try_all(scenario)
                sweep.print_scenario(scenario.name)
        else:
            is_sanitized = b"__asan_init" in bench.program.read_bytes()
            sweep.try_sample(chosen, SANITIZED_RUNS if is_sanitized else SAMPLE_RUNS)
            for name in dict.fromkeys(name for name, _, _ in sweep.totals):
                sweep.print_scenario(name)
        sweep.print_totals()
        return 1 if sweep.failures or not sweep.totals else 0
    finally:
        if not told.one:
            shutil.rmtree(bench.place)


if __name__ == "__main__":
    sys.exit(main())
