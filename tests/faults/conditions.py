#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program with too little disk space, memory or descriptors, and interrupts it by signals.

usage: conditions.py PROGRAM ROOT NAME|all [TIMES [SEED]]
       TIMES each signal is sent to each command (default 2), at random moments from SEED

The rule is that of faults.py: the verdict with complete reports, or exit status 2 with a cause and no report.
"""
import contextlib
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import catalogue
import faults
import scenarios

MIB = 1 << 20
PROGRAM = INPUTS = None
TIMES, SEED = 2, faults.SEED


def is_sanitized():
    return b"__asan_init" in PROGRAM.read_bytes()


def limit(which, most):
    return lambda: resource.setrlimit(which, (most, most))


def run(scenario, place, before=None, **streams):
    """Run the scenario in `place` and return how it ended, as faults.py does; `before` runs in the child."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | streams
    with subprocess.Popen([PROGRAM, *scenario.words(INPUTS)], cwd=place, preexec_fn=before, **streams,
                          env=scenarios.environment() | scenario.environment) as child:
        out, err = child.communicate(timeout=faults.TIMEOUT_S)
    files = {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}
    return faults.Ended(child.returncode, out or b"", err or b"", files, {}, 1, -1)


@contextlib.contextmanager
def prepared(scenario, place=None):
    place = pathlib.Path(place or tempfile.mkdtemp(prefix="run-", dir="."))
    scenario.prepare(place, INPUTS)
    yield place
    shutil.rmtree(place, ignore_errors=True)


def expected_of(scenario):
    with prepared(scenario) as place:
        ended = run(scenario, place)
    assert ended.status == scenario.status, ended.err.decode()
    return ended


def judge(scenario, expected, ended, what, plan=faults.Plan("open", "lasting", 1)):
    problems = list(faults.judge(scenario, expected, ended, None, plan))
    assert not problems, f"{scenario.name}, {what}: {problems}\n{ended.err.decode(errors='replace')}"


def every(*names):
    known = {scenario.name: scenario for scenario in catalogue.all_of(INPUTS)}
    return [known[name] for name in names if name in known]


CHECKS = ("check_fail", "check_pass", "check_inconclusive")
WRITERS = ("merge", "calibrate", "init", "diff")

# ---- signals ---------------------------------------------------------------------------------------------------------


# Commands that write files, wait for servers or start programs. The files that they leave are checked.
SIGNALLED = ("check_fail", "trend", "accept", "prune", "gate_fail", "capture_pyroscope", "try_pass")


def signalled(scenario, place, number, after_s):
    """Run the scenario and send it a signal after `after_s` seconds. It may have ended by then."""
    with subprocess.Popen([PROGRAM, *scenario.words(INPUTS)], cwd=place, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=scenarios.environment() | scenario.environment) as child:
        try:
            out, err = child.communicate(timeout=after_s)
        except subprocess.TimeoutExpired:
            child.send_signal(number)
            out, err = child.communicate(timeout=faults.TIMEOUT_S)
    files = {str(p.relative_to(place)): p.read_bytes() for p in sorted(place.rglob("*")) if p.is_file()}
    return faults.Ended(child.returncode, out, err, files, {}, 1, -1)


def test_a_signal_at_any_moment_leaves_complete_or_no_files():
    """Send signals at random moments. faults.py sends them right before a call."""
    draw = random.Random(SEED)
    for scenario in every(*SIGNALLED):
        begun = time.monotonic()
        expected = expected_of(scenario)
        took = time.monotonic() - begun
        for manner, number in list(faults.SIGNALS.items()) * TIMES:
            after_s = draw.uniform(0, took)
            with prepared(scenario) as place:
                ended = signalled(scenario, place, number, after_s)
                what = f"{manner} after {after_s:.4f} s (seed {SEED})"
                judge(scenario, expected, ended, what, faults.Plan("open", manner, 1))
                left = scenario.after(place, INPUTS, ended)
                assert not left, f"{scenario.name}, {what}: {left}"


def test_an_incomplete_cache_repository_is_made_again():
    """State that git leaves if it is killed while it creates the repository of a try's cache."""
    for scenario in every("try_pass"):
        with prepared(scenario) as place:
            assert run(scenario, place).status == scenario.status
            made = next(place.glob("ignored/*/repository.git"))
            for part in ("objects/info", "HEAD", "config"):
                shutil.copytree(made, made.with_suffix(".unfinished"))
                shutil.rmtree(made)
                (made / "refs").mkdir(parents=True)
                if part != "objects/info":
                    (made / part).write_text("")
                ended = run(scenario, place)
                assert ended.status == scenario.status, f"half a repository, {part}: {ended.err.decode()}"


def test_locks_that_a_killed_git_left_are_removed():
    """Locks that git leaves if it is killed while it writes an index or a reference of a try's cache."""
    for scenario in every("try_pass"):
        with prepared(scenario) as place:
            assert run(scenario, place).status == scenario.status
            cache = next(place.glob("ignored/*/repository.git")).parent
            for lock in (cache / "index.lock", cache / "repository.git/config.lock", cache / "repository.git/HEAD.lock",
                         *(tree / f"{name}.lock" for tree in cache.glob("repository.git/worktrees/*")
                           for name in ("HEAD", "index"))):
                lock.write_text("")
                ended = run(scenario, place)
                assert ended.status == scenario.status, f"{lock.relative_to(cache)}: {ended.err.decode()}"
            for notes in sorted(cache.glob("repository.git/worktrees/*")):
                for common in ("", "../..\n"):
                    shutil.rmtree(cache / notes.name)
                    (notes / "commondir").write_text(common)
                    (notes / "locked").write_text("initializing")
                    ended = run(scenario, place)
                    assert ended.status == scenario.status, f"{notes.name}, half noted: {ended.err.decode()}"


def test_locks_that_a_killed_bisection_left_are_removed():
    """Locks that git leaves if it is killed while it bisects."""
    for scenario in every("try_bisect"):
        with prepared(scenario) as place:
            assert run(scenario, place).status == scenario.status
            own = next(place.glob("ignored/*/repository.git"))
            for name in ("HEAD", "BISECT_HEAD", "packed-refs", "refs/bisect/bad"):
                (own / name).parent.mkdir(exist_ok=True)
                (own / f"{name}.lock").write_text("")
                ended = run(scenario, place)
                assert ended.status == scenario.status, f"{name}.lock: {ended.err.decode()}"


# ---- disks -----------------------------------------------------------------------------------------------------------


def test_a_full_disk_is_an_error():  # needs: mount
    disk = pathlib.Path("disk")
    disk.mkdir()
    refused = 0
    for scenario in every(*CHECKS, *WRITERS, "accept"):
        expected = expected_of(scenario)
        for kib in (4, 24, 60, 120, 180):
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", disk], check=True)
            try:
                try:
                    scenario.prepare(disk, INPUTS)
                except OSError:
                    continue  # the disk is too small even for the files of an older run
                ended = run(scenario, disk)
                judge(scenario, expected, ended, f"a disk of {kib} KiB")
                refused += ended.status == 2
            finally:
                subprocess.run(["umount", disk], check=True)
    assert refused > 5, refused


def test_output_to_a_full_device_is_an_error():
    for scenario in every(*CHECKS, *WRITERS, "inspect", "explain", "validate", "trend"):
        with prepared(scenario) as place, open("/dev/full", "wb") as full:
            ended = run(scenario, place, stdout=full)
            if expected_of(scenario).out:
                assert ended.status == 2, f"{scenario.name}: {ended.status}"
                assert b"cannot write" in ended.err, f"{scenario.name}: {ended.err}"
            else:
                assert ended.status == scenario.status, f"{scenario.name}: {ended.status} {ended.err}"


def test_output_to_a_non_blocking_pipe_is_complete():
    """Another program, such as a build tool, may make a shared pipe non-blocking. All output reaches a slow reader."""
    for scenario in every("check_stdout", "inspect"):
        expected = expected_of(scenario)
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        with prepared(scenario) as place, subprocess.Popen(
                [PROGRAM, *scenario.words(INPUTS)], cwd=place, stdin=subprocess.DEVNULL, stdout=writer,
                stderr=subprocess.PIPE, env=scenarios.environment() | scenario.environment) as child:
            os.close(writer)
            got = bytearray()
            while piece := os.read(reader, 512):
                got += piece
            os.close(reader)
            err = child.stderr.read()
        assert child.returncode == scenario.status, f"{scenario.name}: {child.returncode} {err}"
        assert bytes(got) == expected.out, f"{scenario.name}: {len(got)} bytes of {len(expected.out)}"


def test_a_closed_standard_output_ends_the_program():
    """Standard output is a pipe without a reader, or is closed."""
    for scenario in every("check_fail", "inspect", "init"):
        reader, writer = os.pipe()
        os.close(reader)
        with prepared(scenario) as place:
            ended = run(scenario, place, stdout=writer)
            os.close(writer)
            assert ended.status in (-signal.SIGPIPE, 2), f"{scenario.name}: {ended.status}"
            assert not any(faults.is_temporary(name) for name in ended.files), list(ended.files)
        with prepared(scenario) as place:
            ended = run(scenario, place, before=lambda: os.close(1))
            assert ended.status == 2 and b"pprofgate: " in ended.err, f"{scenario.name}: {ended.status} {ended.err}"


# ---- inputs ----------------------------------------------------------------------------------------------------------


def test_a_file_truncated_while_it_is_read_is_an_error():
    """A file is truncated while it is read, so that it ends earlier than its size announced."""
    whole = (INPUTS.root / "fixtures/go-service/cpu/regression-1.pb.gz").read_bytes()
    for at in range(40):
        shrinking = pathlib.Path("shrinking.pb.gz")
        shrinking.write_bytes(whole)
        with subprocess.Popen([PROGRAM, "check", "-r", "recommended", "--json", "r.json", INPUTS.cpu[0], shrinking],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=scenarios.environment()) as child:
            time.sleep(at / 4000)
            os.truncate(shrinking, 100)
            _, err = child.communicate(timeout=faults.TIMEOUT_S)
        assert child.returncode in (1, 2, 3), f"{child.returncode}: {err.decode()}"
        assert child.returncode != 2 or b"shrinking.pb.gz: " in err, err.decode()
        assert pathlib.Path("r.json").exists() == (child.returncode != 2), child.returncode
        pathlib.Path("r.json").unlink(missing_ok=True)


# ---- limits of the system --------------------------------------------------------------------------------------------


def test_too_little_memory_is_an_error():  # needs: no-sanitizer
    refused = ended_well = 0
    for scenario in every("check_fail", "check_inconclusive", "calibrate", "init", "accept"):
        expected = expected_of(scenario)
        for mib in (20, 24, 28, 30, 32, 34, 36, 40, 48, 64, 96, 160):
            with prepared(scenario) as place:
                ended = run(scenario, place, before=limit(resource.RLIMIT_AS, mib * MIB))
                if ended.status == 127 and b"error while loading shared libraries" in ended.err:
                    continue  # the loader failed, not the program
                judge(scenario, expected, ended, f"{mib} MiB of address space", faults.Plan("memory", "lasting", 1))
                refused += ended.status == 2
                ended_well += ended.status == scenario.status
    assert ended_well > 5, ended_well


def test_too_few_file_descriptors_are_an_error():
    refused = 0
    for scenario in every("check_fail", "check_pass", *WRITERS, "accept"):
        expected = expected_of(scenario)
        for most in (3, 4, 5, 6, 8, 12, 24):
            with prepared(scenario) as place:
                ended = run(scenario, place, before=limit(resource.RLIMIT_NOFILE, most))
                if ended.status == 127 and b"error while loading shared libraries" in ended.err:
                    continue
                judge(scenario, expected, ended, f"{most} descriptors")
                refused += ended.status == 2
    assert refused > 0 or is_sanitized()


def test_a_limit_on_file_size_is_an_error():
    """A limit on file size must give an error, not death by SIGXFSZ, and no partial report, not even a printed one."""
    refused = 0
    for scenario in every("check_fail", "check_pass", "merge", "diff"):
        expected = expected_of(scenario)
        for most in (0, 200, 4096, 40000):
            with prepared(scenario) as place:
                with tempfile.TemporaryFile() as out:
                    ended = run(scenario, place, before=limit(resource.RLIMIT_FSIZE, most), stdout=out)
                    out.seek(0)
                    printed = out.read()
                ended = ended._replace(out=printed)
                refused += ended.status == 2 and b": File too large" in ended.err
                assert printed in (b"", expected.out), f"{scenario.name}: half of what is printed is left ({len(printed)} bytes)"
                judge(scenario, expected, ended, f"files of {most} bytes", faults.Plan("write", "lasting", 1))
    assert refused > 8, refused


def main():
    global PROGRAM, INPUTS, TIMES, SEED
    PROGRAM, root, name = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    TIMES, SEED = [*map(int, sys.argv[4:6]), *(TIMES, SEED)[len(sys.argv[4:6]):]]
    tests = {key[5:]: value for key, value in globals().items() if key.startswith("test_")}
    with tempfile.TemporaryDirectory(prefix="faults-") as place:
        os.chdir(place)
        INPUTS = scenarios.Inputs(PROGRAM, root, pathlib.Path("inputs").resolve())
        for each in tests if name == "all" else [name]:
            tests[each]()
        os.chdir("/")


if __name__ == "__main__":
    main()
