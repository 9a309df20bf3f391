#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that heldout.py counts verdicts by what was planted, on captures of fixtures/firsthour.

usage: test_judge.py PROGRAM
"""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from unittest import mock

import heldout

PROGRAM = ""
FIRSTHOUR = os.path.join(heldout.ROOT, "fixtures", "firsthour", "go")
KINDS = {"high-base": "base", "high-concat": "slow"}


class Judge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def copy_captures(self):
        """Make a folder of captures of one build and of a slower one. The planted function is not a handler."""
        with open(os.path.join(FIRSTHOUR, "MANIFEST.csv"), encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if "10s" in row["file"] and ".cpu." in row["file"]]
        with open(os.path.join(self.folder, "MANIFEST.csv"), "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, heldout.FIELDS)
            writer.writeheader()
            for row in rows:
                kind = KINDS.get(row["variant"])
                path = os.path.join(FIRSTHOUR, row["file"])
                if kind is None or not os.path.exists(path):
                    continue
                os.symlink(path, os.path.join(self.folder, row["file"]))
                writer.writerow({"file": row["file"], "language": "go", "kind": kind, "round": 0,
                                 "handler": "manifest" if kind == "slow" else "", "factor": "", "requests": row["work"],
                                 "cpu_seconds": row["cpu_seconds"]})

    def judge(self):
        out, records = io.StringIO(), os.path.join(self.folder, "records.json")
        arguments = ["heldout.py", "judge", PROGRAM, self.folder, "--draws", "4", "--json", records]
        with mock.patch.object(sys, "argv", arguments), redirect_stdout(out):
            heldout.main()
        cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in out.getvalue().splitlines()[2:]]
        with open(records, encoding="utf-8") as file:
            return {(row[1], row[2]): row for row in cells}, json.load(file)

    def test_fails_are_right_for_what_was_planted_and_false_for_the_same_build(self):
        self.copy_captures()
        rows, records = self.judge()
        _, kind, runs, judged, fail, inconclusive, refused, passed, wrong, named, cost = rows["slow", "3"]
        self.assertEqual((kind, runs, judged, fail, inconclusive, refused, passed),
                         ("slow", "3", "4", "4", "0", "0", "0"))
        self.assertTrue(wrong.startswith("0.0% "))
        self.assertEqual(named, "4 of 4")  # the cause is a function that the handler calls
        self.assertGreater(float(cost.split()[1]), 1.5)
        self.assertEqual(rows["good", "3"][7], "4")
        self.assertLess(float(rows["faster", "3"][10].split()[3]), 1)
        for record in records:
            old, new = map(set, record["sides"])
            self.assertFalse(old & new)
            self.assertEqual(len(old), len(new))

    def test_captures_never_lie_in_the_checkout(self):
        inside = os.path.join(heldout.ROOT, "build", "captures")
        script = os.path.join(os.path.dirname(heldout.__file__), "heldout.py")
        done = subprocess.run([sys.executable, script, "capture", inside], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is in the checkout; give a folder outside of it", done.stderr)
        self.assertFalse(os.path.exists(inside))

    def test_runs_of_a_round_stay_together(self):
        base = [{"file": f"a{i}", "round": str(i)} for i in range(1, 6)]
        canary = [{"file": f"b{i}", "round": str(i)} for i in (5, 3, 1, 2, 4)]
        draws = heldout.draws_of(base, canary, 3, 100, heldout.random.Random(1))
        self.assertEqual(len(draws), 10)
        for old, new in draws:
            self.assertEqual([row["round"] for row in old], [row["round"] for row in new])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop()
    unittest.main()
