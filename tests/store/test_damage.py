#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A store of baselines in trouble: damage, links, copies, files that git tracks, several writers, killed writers.

usage: test_damage.py PPROFGATE ROOT NAME|all
"""
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import time

from jobs import (GATE, accept, check, commit, cpu, environment, expect, gate, git, intact, main, objects, records,
                  repository, same, warnings)

# ---- damage ----------------------------------------------------------------------------------------------------------


def flip(path, at=-9):
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_damaged_profile_is_left_out():
    accept(*(cpu(f"baseline-{i}") for i in (1, 2, 3)))
    broken = objects()[0]
    flip(broken)
    shown = gate("baseline", "show", "--store", "store", status=2).stdout
    expect(shown, str(broken), "is damaged")
    same(shown.count(f"\n    damaged       {broken}: "), 1)
    found = hashlib.sha256(broken.read_bytes()).hexdigest()
    expect(shown, f"found {found[:16]}; restore")
    check(cpu("benign-1"), "--json", "report.json")
    expect(warnings("report.json")["baseline_damaged"]["message"], str(broken), "is damaged", "accept again")
    same(len(json.loads(pathlib.Path("report.json").read_text())["baseline"]["runs"]), 2)
    pathlib.Path("strict.yml").write_text("version: 1\nextends: recommended\nguards: {baseline_damaged: error}\n")
    check(cpu("benign-1"), "--rules", "strict.yml", status=3)
    for path in objects()[1:]:
        path.write_bytes(path.read_bytes()[:100])
    expect(check(cpu("benign-1"), "--accept-first", status=2).stderr, "is damaged", "nothing else that was accepted fits")
    same(len(records()), 1)  # and nothing was called the first
    accept(*(cpu(f"baseline-{i}") for i in (1, 2, 3)), revision="r2")  # mends what it stores
    intact()


def test_a_missing_profile_is_left_out():
    accept(cpu("baseline-1"), cpu("baseline-2"))
    objects()[0].unlink()
    check(cpu("benign-1"), "--json", "report.json", "--on-inconclusive", "pass")
    expect(warnings("report.json")["baseline_damaged"]["message"], "this accepted profile cannot be opened")


def test_an_unreadable_profile_ends_the_check():
    """An unreadable file is not damage: the check ends with an error and does not use an older baseline."""
    accept(cpu("baseline-1"), cpu("baseline-2"))
    accept(cpu("baseline-3"), revision="r2")
    for path in objects():
        path.unlink()
        path.mkdir()  # for root, the one file that cannot be read
    told = check(cpu("benign-1"), "--accept-first", status=2).stderr
    expect(told, "this accepted profile is there, but a directory")
    same("damaged" in told, False)


def test_a_damaged_record_is_reported():
    accept(cpu("baseline-1"), cpu("baseline-2"))
    accept(cpu("benign-1"), revision="r2")
    accept(cpu("baseline-1"), service="other")
    broken = next(path for path in records() if json.loads(path.read_text())["revision"] == "r2")
    text = broken.read_bytes()
    for damaged in (text.replace(b"r2", b"r9"), text[:50], b"", b"\0" * 30, text.replace(b'"r2"', b'["r2"]')):
        broken.write_bytes(damaged)
        listed = gate("baseline", "list", "--store", "store", status=2)
        expect(listed.stdout, "shop default r1", "other default r1")
        expect(listed.stderr, str(broken), "this record is damaged")
        check(cpu("baseline-3"), "--json", "report.json")
        expect(warnings("report.json")["baseline_damaged"]["message"], str(broken))
        check(cpu("baseline-3"), "--json", "report.json", "--on-inconclusive", "pass", service="other")
        same("baseline_damaged" in warnings("report.json"), False)
    count = len(objects())
    expect(gate("baseline", "prune", "--store", "store").stdout, "kept all profiles: a record is damaged")
    same(len(objects()), count)
    broken.write_bytes(text)
    intact()


def test_links_in_a_store_are_not_followed():
    """Nothing is written or removed where a link leads to."""
    accept(cpu("baseline-1"))
    outside = pathlib.Path("outside")
    outside.mkdir()
    files = [outside / ("ab" * 32), outside / "1-2.json.pprofgate-Ab12Cd"]
    for path in files:
        path.write_text("not the store's")
    held = lambda: sorted((path.name, path.read_text()) for path in outside.iterdir())
    before = held()
    target = os.path.abspath(outside)

    pathlib.Path("store/records/other").mkdir()
    link = pathlib.Path("store/records/other/default")
    for link, words in ((link, ("baseline", "accept", "--service", "other", "--revision", "r2", cpu("baseline-2"))),
                        (link, ("check", "--service", "other", "--accept-first", "--revision", "r2", cpu("baseline-2"))),
                        (link, ("baseline", "prune", "--keep", "1")),
                        (pathlib.Path("store/objects/ab"), ("baseline", "prune"))):
        link.symlink_to(target)
        expect(gate(*words, "--store", "store", status=2).stderr, f"{link}: expected a file or folder of the store, "
               "found a link")
        same(held(), before)
        link.unlink()
    shutil.rmtree("store/records/other")

    digest = hashlib.sha256(cpu("baseline-2").read_bytes()).hexdigest()
    link = pathlib.Path("store/objects", digest[:2], digest)
    link.parent.mkdir(exist_ok=True)
    for target in (os.path.abspath(files[0]), os.path.abspath(outside / "new")):
        link.symlink_to(target)
        expect(accept(cpu("baseline-2"), revision="r2", status=2).stderr, "found a link")
        same(held(), before)
        link.unlink()

    pathlib.Path("store/lock").unlink()
    pathlib.Path("store/lock").symlink_to(outside / "lock")
    accept(cpu("baseline-2"), revision="r2", status=2)
    same(held(), before)
    pathlib.Path("store/lock").unlink()
    accept(cpu("baseline-2"), revision="r2")
    intact()
    pathlib.Path("way").symlink_to("store")  # who names the store by a link means what it leads to
    accept(cpu("baseline-3"), revision="r3", store="way")
    intact()


def test_an_unknown_layout_is_refused():
    accept(cpu("baseline-1"))
    pathlib.Path("store/store.json").write_text('{"schema": "pprofgate-store/9"}\n')
    expect(check(cpu("benign-1"), "--accept-first", status=2).stderr, "store/store.json: expected the layout")
    expect(accept(cpu("baseline-2"), revision="r2", status=2).stderr, "expected the layout")
    pathlib.Path("store/store.json").unlink()
    expect(check(cpu("benign-1"), "--accept-first", status=2).stderr, "no store.json")


def test_copies_of_a_store_can_be_joined():
    """Two copies of a store are joined by copying one over the other."""
    accept(cpu("baseline-1"))
    shutil.copytree("store", "copy")
    accept(cpu("baseline-2"), revision="r2")
    accept(cpu("baseline-3"), revision="r3", store="copy")
    shutil.copytree("copy", "store", dirs_exist_ok=True)
    same({json.loads(path.read_text())["revision"] for path in records()}, {"r1", "r2", "r3"})
    intact()


def test_a_read_only_copy_can_be_read():
    accept(cpu("baseline-1"), cpu("baseline-2"))
    pathlib.Path("store/lock").unlink()  # as some caches leave it
    check(cpu("benign-1"))
    same(pathlib.Path("store/lock").exists(), False)


def test_two_jobs_can_push_one_branch():
    """Two jobs push to one branch, as docs/baselines.md has it."""
    git("init", "-q", "--bare", "-b", "baselines", "origin")
    for number, job in enumerate(("one", "two")):
        git("clone", "-q", "origin", job)
        accept(cpu(f"baseline-{number + 1}"), store=job, revision=f"r{number}")
        pathlib.Path(job, ".gitignore").write_text("lock\n")
        git("add", "--all", folder=job)
        commit(f"accept r{number}", folder=job)
    git("push", "-q", "origin", "HEAD:baselines", folder="one")
    git("pull", "-q", "--rebase", "origin", "baselines", folder="two")
    git("push", "-q", "origin", "HEAD:baselines", folder="two")
    git("clone", "-q", "origin", "reader")
    intact("reader")
    same(len(records("reader")), 2)
    same(pathlib.Path("reader/lock").exists(), False)
    check(cpu("baseline-3"), "--on-inconclusive", "pass", store="reader")


# ---- a store that git tracks files of ----------------------------------------------------------------------------------


def is_refused(store, file, *options):
    """check and trend name the folder, a file and a way out, and decide nothing."""
    for words in (("check", cpu("benign-1")), ("trend",)):
        told = gate(*words, "--store", store, "--service", "shop", *options, status=2)
        expect(told.stderr, f"git tracks '{file}", f"in the store '{store}'", "move the store out of the checkout",
               "--store-in-checkout")
        same(told.stdout, "")


def is_read(store):
    gate("check", "--store", store, "--service", "shop", "--on-inconclusive", "pass", cpu("benign-1"))


def stored(folder):
    for number in (1, 2, 3):
        accept(cpu(f"baseline-{number}"), store=folder, revision=f"r{number}", SOURCE_DATE_EPOCH=f"2{number}00000000")


def test_tracked_store_is_refused():
    repository()
    stored("store")
    is_read("store")  # it is in the checkout, and not of it
    git("add", "--force", "store/objects")
    is_refused("store", "store/objects/")
    is_refused(pathlib.Path("store").resolve(), "store/objects/")
    gate("check", "--store", "store", "--service", "shop", "--on-inconclusive", "pass", "--store-in-checkout", cpu("benign-1"))
    gate("trend", "--store", "store", "--service", "shop", "--store-in-checkout", status=3)  # too few builds
    gate("baseline", "list", "--store", "store")
    gate("baseline", "show", "--store", "store")
    os.mkdir("below")
    os.chdir("below")
    is_refused("../store", "store/objects/")
    is_refused("..", "store/objects/")


def test_tracked_link_to_a_store_is_refused():
    repository()
    stored("../outside")
    os.mkdir("cache")
    os.symlink("../outside", "s")
    os.symlink("../..", "cache/up")
    is_read("s")
    is_read("cache/up/outside")
    git("add", "s", "cache")
    is_refused("s", "s")
    is_refused("s/", "s")
    is_refused("cache/up/outside", "cache/up")
    is_read("../outside")
    is_read(pathlib.Path("../outside").resolve())


def test_a_clone_is_read_as_store_and_a_submodule_is_refused():
    """A clone of the branch that holds the store is read; as a submodule, whose commit a change chooses, it is not."""
    repository()
    git("init", "-q", "-b", "baselines", "store")
    stored("store")
    git("add", "--all", folder="store")
    commit("accepted", folder="store")
    is_read("store")
    git("add", "store")
    is_refused("store", "store")


def test_tracked_store_without_git_is_read():
    """Without git, or outside of a checkout, nothing is known to be tracked."""
    stored("store")
    is_read("store")
    repository()
    git("add", "--force", "store")
    os.mkdir("empty")
    gate("check", "--store", "store", "--service", "shop", "--on-inconclusive", "pass", cpu("benign-1"),
         PATH=os.path.abspath("empty"))


# ---- several writers, and writers that are killed ----------------------------------------------------------------------


def start(*words):
    return subprocess.Popen([GATE, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())


def test_two_writers_lose_no_record():
    jobs = [start("baseline", "accept", "--store", "store", "--service", "shop", "--revision", f"r{i}", "--keep", "100",
                  cpu(f"baseline-{i % 3 + 1}"), cpu("benign-1")) for i in range(12)]
    jobs += [start("baseline", "prune", "--store", "store") for i in range(3) if pathlib.Path("store/store.json").exists()]
    for job in jobs:
        told = job.communicate(timeout=120)[1]
        same((job.returncode, told), (0, b""))
    same({json.loads(path.read_text())["revision"] for path in records()}, {f"r{i}" for i in range(12)})
    intact()


def test_a_killed_writer_loses_no_record():
    """What a killed job leaves is either accepted or not; nothing that was accepted is lost."""
    rng = random.Random(15)
    accept(cpu("baseline-1"), revision="kept")
    words = ("baseline", "accept", "--store", "store", "--service", "shop", "--keep", "50")
    profiles = [cpu(name) for name in ("baseline-2", "baseline-3", "benign-1", "benign-2", "regexp-1", "speedup-1")]
    began = time.monotonic()
    start(*words, "--revision", "whole", *profiles).wait()
    whole = time.monotonic() - began
    killed = 0
    for turn in range(40):
        if turn % 2 == 0:  # half of the time all of it has to be written
            for path in objects():
                if path.read_bytes() != cpu("baseline-1").read_bytes():
                    path.unlink()
            for path in records()[1:]:
                path.unlink()
        job = start(*words, "--revision", f"turn-{turn}", *profiles)
        began = time.monotonic()
        try:
            job.wait(rng.uniform(0, 1.1 * whole))
            whole = min(whole, time.monotonic() - began)  # the first one was slow
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGKILL)
            killed += job.wait() == -signal.SIGKILL
        job.stderr.close()
        intact()
        expect(gate("baseline", "list", "--store", "store").stdout, "kept")
    same(killed >= 10, True)
    expect(gate("baseline", "prune", "--store", "store").stdout, "unfinished file")
    same([path for path in pathlib.Path("store").rglob("*.??????") if path.suffix not in (".json",)], [])
    accept(cpu("benign-3"), revision="after")
    intact()
    print(f"killed {killed} of 40 writers before they were done")


if __name__ == "__main__":
    main(globals(), __doc__)
