#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/fleet: planted growth is found, a damaged profile loses nothing else, and a killed worker changes nothing.

usage: test_fleet.py LIBRARY ROOT NAME      runs test_NAME
"""
import os
import pathlib
import subprocess
import sys
import tempfile

LIBRARY, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
EXAMPLE, HERE = ROOT / "examples/fleet", ROOT / "tests/fleet"
ENVIRONMENT = {**os.environ, "PPROFGATE_LIBRARY": str(LIBRARY), "PYTHONPATH": str(ROOT / "packaging/python"),
               "PYTHONDONTWRITEBYTECODE": "1"}
os.environ.update(ENVIRONMENT)
sys.path[:0] = [str(EXAMPLE), ENVIRONMENT["PYTHONPATH"]]

import fleet  # noqa: E402

RULES = (EXAMPLE / "rules.yml").read_bytes()


def make(folder, *words):
    subprocess.run([sys.executable, "-B", str(EXAMPLE / "make_profiles.py"), str(folder), *words], check=True)
    return folder


def make_small(folder):
    """300 profiles of 3 services. One grows by 5 pp, and one profile is cut."""
    return make(folder / "profiles", "--services", "3", "--runs", "50", "--grown", "1:0.05", "--damaged", "1")


def python_of(engine):
    if engine == "none":
        return sys.executable
    words = ["bash", str(HERE / "engines.sh"), engine]
    return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def run(engine, *words):
    done = subprocess.run([python_of(engine), str(HERE / "run_engine.py"), engine, *map(str, words)], env=ENVIRONMENT,
                          capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, done.stdout


def expect_small(folder, status, output):
    lines = output.splitlines()
    assert status == 1, output
    assert lines[0].split() == ["service00", "pass", "50", "and", "49", "runs"], output
    words = lines[1].split()
    assert words[:2] == ["service01", "fail"] and words[2].startswith("main.service01"), output
    assert 4 < float(words[3]) < 6, output
    assert lines[2].split() == ["service02", "pass", "50", "and", "50", "runs"], output
    assert lines[3].startswith(f"damaged: {folder}/service00/v2/00/00000.pb.gz: "), output
    assert lines[4] == "3 services: 1 fail, 0 error, 0 inconclusive, 2 pass", output
    assert lines[5].startswith("299 profiles, 1 damaged; ") and len(lines) == 6, output


def expect_engine(folder, engine):
    """The engine prints what one process prints, also if one of its workers is killed."""
    profiles, marker = make_small(folder), folder / "killed"
    alone = run("none", profiles)
    expect_small(profiles, *alone)
    assert run(engine, profiles) == alone
    assert run(engine, profiles, marker) == alone
    assert marker.exists()


def test_growth_is_found_without_an_engine(folder):
    profiles = make_small(folder)
    expect_small(profiles, *run("none", profiles))


def test_dask_changes_nothing(folder):  # needs: dask
    expect_engine(folder, "dask")


def test_spark_changes_nothing(folder):  # needs: spark java
    expect_engine(folder, "spark")


def test_a_program_prints_rows_and_ends_with_a_status(folder):  # needs: dask
    profiles = make(folder / "profiles", "--services", "1", "--runs", "30")
    rules = folder / "rules.yml"
    rules.write_text("version: 1\nextends: recommended\n")
    words = [python_of("dask"), str(EXAMPLE / "with_dask.py"), str(profiles), str(rules)]
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("service00        pass"), done


def test_a_service_without_a_readable_version_is_an_error(folder):
    profiles = make(folder / "profiles", "--services", "2", "--runs", "3")
    bad = sorted(profiles.glob("service01/v2/*/*"))
    for number, path in enumerate(bad):
        path.write_bytes([b"", b"no profile", path.read_bytes()[:500]][number])
    parts = [fleet.summarize(partition) for partition in fleet.partitions(profiles)]
    rows = [fleet.check(service, [part for part in parts if part.service == service], RULES)
            for service in ("service00", "service01")]
    assert (rows[1].outcome, rows[1].text) == ("error", "no profile of v2 can be read"), rows
    assert len(rows[1].damaged) == 3 and rows[1].runs == 3 and rows[0].damaged == () and rows[0].runs == 6, rows
    assert all(str(path) in reason for path, reason in zip(bad, rows[1].damaged)), rows
    assert fleet.report(rows) == 2


def test_the_order_of_summaries_does_not_matter(folder):
    profiles = make(folder / "profiles", "--services", "1", "--runs", "10")
    parts = [fleet.summarize(partition) for partition in fleet.partitions(profiles)]
    assert fleet.check("service00", parts, RULES) == fleet.check("service00", parts[::-1], RULES)


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-fleet-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
