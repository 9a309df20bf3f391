# SPDX-License-Identifier: Apache-2.0
"""What the programs of all engines share: list profiles, summarize a partition, check a service, print the rows.

The profiles are FOLDER/SERVICE/VERSION/HOUR/NAME.pb.gz. A partition is those of one service, version and hour.
"""
import os
import pathlib
import sys
from dataclasses import dataclass

import pprofgate

BASELINE, CANARY = "v1", "v2"
OUTCOMES = ("fail", "error", "inconclusive", "pass")
DAMAGED = (pprofgate.ProfileError, pprofgate.FileError, pprofgate.LimitError)


@dataclass(frozen=True)
class Partition:
    service: str
    version: str
    hour: str
    paths: tuple


@dataclass(frozen=True)
class Part:
    """The summary of a partition. It is all that an engine moves between machines."""

    service: str
    version: str
    hour: str
    content: bytes
    runs: int
    stored: int  # bytes of the profiles
    damaged: tuple  # messages, one per profile that cannot be read


@dataclass(frozen=True)
class Row:
    """The result for a service."""

    service: str
    outcome: str  # "pass", "fail", "inconclusive", or "error": nothing could be compared
    text: str
    runs: int
    stored: int
    summarized: int
    damaged: tuple


def partitions(folder):
    """The partitions of a folder, sorted. For a bucket, list its objects here."""
    found = {}
    for path in pathlib.Path(folder).glob("*/*/*/*.pb.gz"):
        found.setdefault(path.parts[-4:-1], []).append(str(path))
    return [Partition(*key, tuple(sorted(paths))) for key, paths in sorted(found.items())]


def why_damaged(path):
    """The message if a profile cannot be read, else None."""
    try:
        pprofgate.summarize(path)
    except DAMAGED as error:
        return str(error)
    return None


def summarize(partition):
    """The summary of a partition. A damaged profile is left out and named."""
    paths, damaged = partition.paths, ()
    try:
        content = summary_of(paths, partition.hour)
    except DAMAGED:
        reasons = {path: why_damaged(path) for path in paths}
        damaged = tuple(reason for reason in reasons.values() if reason is not None)
        if not damaged:
            raise  # the profiles together are the problem
        paths = [path for path in paths if reasons[path] is None]
        content = summary_of(paths, partition.hour)
    return Part(partition.service, partition.version, partition.hour, content, len(paths),
                sum(map(os.path.getsize, paths)), damaged)


def summary_of(paths, hour):
    names = [f"{hour}-{os.path.basename(path)}" for path in paths]
    return pprofgate.summarize(paths, names=names) if paths else b""


def check(service, parts, rules):
    """Check a service: all summaries of a version, put together, are a side."""
    parts = sorted(parts, key=lambda part: (part.version, part.hour))  # the same result in whatever order they come
    baseline, canary = (b"".join(part.content for part in parts if part.version == version)
                        for version in (BASELINE, CANARY))
    runs = [sum(part.runs for part in parts if part.version == version) for version in (BASELINE, CANARY)]
    if not all(runs):
        outcome, text = "error", f"no profile of {BASELINE if not runs[0] else CANARY} can be read"
    else:
        outcome, text = verdict_of(baseline, canary, rules)
    return Row(service, outcome, text or f"{runs[0]} and {runs[1]} runs", sum(runs), sum(p.stored for p in parts),
               sum(len(p.content) for p in parts), tuple(reason for p in parts for reason in p.damaged))


def verdict_of(baseline, canary, rules):
    """The outcome, and the first cause with its growth."""
    try:
        verdict = pprofgate.check(baseline, canary, rules=rules)
    except DAMAGED as error:
        return "error", str(error)
    if not verdict.causes:
        return verdict.outcome, ""
    cause = verdict.causes[0]
    interval = "" if cause.ci95_pp is None else " 95% CI [{:+.2f}, {:+.2f}]".format(*cause.ci95_pp)
    return verdict.outcome, f"{cause.function} {cause.delta_pp:+.2f} pp{interval}"


def report(rows):
    """Print a line per service, per damaged profile, and the sums. Returns an exit status as of `pprofgate check`."""
    rows = sorted(rows, key=lambda row: row.service)
    for row in rows:
        print(f"{row.service:<16} {row.outcome:<13} {row.text}")
    for row in rows:
        for reason in row.damaged:
            print(f"damaged: {reason}")
    counts = {outcome: sum(row.outcome == outcome for row in rows) for outcome in OUTCOMES}
    runs, stored, summarized = (sum(getattr(row, name) for row in rows) for name in ("runs", "stored", "summarized"))
    print(f"{len(rows)} services: " + ", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    print(f"{runs} profiles, {sum(len(row.damaged) for row in rows)} damaged; "
          f"{stored / 1e6:.1f} MB of profiles, {summarized / 1e6:.1f} MB of summaries")
    return next((status for status, outcome in enumerate(OUTCOMES[:3], 1) if counts[outcome]), 0)


def main(run):
    """The command line of each program. `run` takes the folder and the rules, and returns the rows."""
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} FOLDER [RULES]")
    rules = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).with_name("rules.yml"))
    sys.exit(report(run(sys.argv[1], rules.read_bytes())))
