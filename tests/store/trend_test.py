#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pprofgate trend` over a store: a service that leaks, one that does not, several runs a build, damage, kinds.

usage: trend_test.py PPROFGATE ROOT
"""
import json
import os
import pathlib
import tempfile

from jobs import ROOT, expect, gate

HEAPS = ROOT / "fixtures/trend"


def accept(service, revision, *profiles, store="store"):
    gate("baseline", "accept", "--store", store, "--service", service, "--revision", revision, *profiles)


def trend(service, *words, status=0, store="store", **more):
    return gate("trend", "--store", store, "--service", service, *words, status=status, **more)


def fill():
    for i in range(1, 11):
        accept("leaky", f"r{i}", HEAPS / f"leaking/step-{i:02}.pb.gz")
        accept("calm", f"r{i}", HEAPS / f"stable/step-{i:02}.pb.gz")
        if i < 5:
            trend("leaky", status=3)  # too few


def check_leak():
    result = trend("leaky", "--report", "out", status=1)
    expect(result.stdout, "FAIL", "main.(*service).openSession", "looked at 10 builds, service leaky, default")
    found = json.loads(pathlib.Path("out/trend.json").read_text(encoding="utf-8"))
    assert [point["title"] for point in found["points"]] == [f"r{i}" for i in range(1, 11)], found["points"]
    broken = [series["name"] for budget in found["budgets"] for series in budget["series"] if series["outcome"] == "fail"]
    assert broken == ["the whole profile", "main.(*service).openSession"], broken
    expect(pathlib.Path("out/trend.html").read_text(encoding="utf-8"), "<svg class=\"trend-chart grew\"", "r10")
    pathlib.Path("summary.md").write_text("", encoding="utf-8")
    trend("leaky", status=1, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY="summary.md")
    expect(pathlib.Path("summary.md").read_text(encoding="utf-8"), "## Trend: FAIL", "openSession")
    expect(trend("leaky", "--last", "4", status=3).stdout, "4 builds are too few")


def check_calm():
    expect(trend("calm").stdout, "PASS 2 of 2 budgets hold")
    expect(trend("calm", "--environment", "other", status=2).stderr, "nothing was accepted of service 'calm'")


def check_runs():
    """Several runs of a build are one point, whenever they were accepted."""
    for i in range(1, 6):
        accept("pairs", f"r{i}", HEAPS / f"stable/step-{2 * i - 1:02}.pb.gz")
    for i in range(1, 6):
        accept("pairs", f"r{i}", HEAPS / f"stable/step-{2 * i:02}.pb.gz")
    trend("pairs", "--json", "pairs.json", "--on-inconclusive", "pass")
    found = json.loads(pathlib.Path("pairs.json").read_text(encoding="utf-8"))
    assert [(point["title"], point["runs"]) for point in found["points"]] == [(f"r{i}", 2) for i in range(1, 6)]
    total = found["budgets"][0]["series"][0]
    assert all(low < y < high for low, y, high in zip(total["y_low"], total["y"], total["y_high"])), total


def check_kinds():
    accept("calm", "r11", ROOT / "fixtures/captures/mix-1.cpu.pb.gz")
    expect(trend("calm", status=2).stderr, "several kinds of profile were accepted", "--sample-type")
    expect(trend("calm", "--sample-type", "inuse_space").stdout, "looked at 10 builds")
    expect(trend("calm", "--sample-type", "nothing", status=2).stderr, "that has nothing")


def check_damage():
    objects = sorted(pathlib.Path("store/objects").rglob("*"), key=lambda path: path.name)
    digest = json.loads(gate("baseline", "show", "--json", "--store", "store", "--service", "leaky", "r3").stdout)
    name = digest["runs"][0]["object"] if "object" in digest["runs"][0] else digest["runs"][0]["sha256"]
    victim = next(path for path in objects if path.name == name)
    os.chmod(victim, 0o644)
    victim.write_bytes(b"junk")
    result = trend("leaky", "--json", "damaged.json", status=1)
    expect(result.stdout, "looked at 9 builds", "note: left out:")
    found = json.loads(pathlib.Path("damaged.json").read_text(encoding="utf-8"))
    assert "r3" not in [point["title"] for point in found["points"]]
    # A run that decides nothing leaves no verdict of an earlier one.
    trend("nobody", "--json", "damaged.json", status=2)
    assert not pathlib.Path("damaged.json").exists()


with tempfile.TemporaryDirectory(prefix="pprofgate-trend.") as folder:
    os.chdir(folder)
    fill()
    check_leak()
    check_calm()
    check_runs()
    check_kinds()
    check_damage()
    os.chdir(ROOT)
