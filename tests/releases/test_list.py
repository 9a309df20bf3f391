#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that fixtures/releases holds what pairs.json lists: no network, no capture.

usage: test_list.py
"""
import csv
import gzip
import json
import os
import re
import unittest

import judge

CATEGORIES = ("regression", "improvement", "control")
MACHINE_PATHS = re.compile(rb"/(root|home|work|tmp)/[A-Za-z._]")
LARGEST = 40_000


def read_tsv():
    with open(os.path.join(judge.RELEASES, "pairs.tsv"), encoding="utf-8") as file:
        return {row["name"]: row for row in csv.DictReader(file, delimiter="\t")}


class Releases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pairs = judge.read_pairs(judge.RELEASES)

    def test_names_are_unique(self):
        names = [pair["name"] for pair in self.pairs]
        self.assertEqual(len(names), len(set(names)))

    def test_each_folder_is_listed_as_a_pair(self):
        folders = {entry.name for entry in os.scandir(judge.RELEASES) if entry.is_dir()}
        self.assertEqual(folders - {"drivers", "__pycache__"}, {pair["name"] for pair in self.pairs})

    def test_folders_contain_the_profiles_of_their_runs_alone(self):
        for pair in self.pairs:
            with self.subTest(pair["name"]):
                wanted = {run["profile"] for side in judge.SIDES for run in pair["runs"][side]}
                self.assertEqual(len(wanted), 6)
                self.assertEqual(set(os.listdir(os.path.join(judge.RELEASES, pair["name"]))), wanted | {"runs.json"})

    def test_profiles_are_small_and_contain_no_path_of_a_machine(self):
        for pair in self.pairs:
            for run in pair["runs"]["old"] + pair["runs"]["new"]:
                with self.subTest(f"{pair['name']}/{run['profile']}"):
                    path = os.path.join(judge.RELEASES, pair["name"], run["profile"])
                    self.assertLess(os.path.getsize(path), LARGEST)
                    with gzip.open(path) as file:
                        self.assertIsNone(MACHINE_PATHS.search(file.read()))

    def test_categories_match_the_counters(self):
        for pair in self.pairs:
            with self.subTest(pair["name"]):
                self.assertIn(pair["category"], CATEGORIES)
                t = pair["truth"]
                if pair["category"] == "regression":
                    self.assertGreaterEqual(t["library_ratio"], 1.25)
                elif pair["category"] == "improvement":
                    self.assertLessEqual(t["library_ratio"], 0.8)
                else:
                    self.assertAlmostEqual(t["ratio"], 1, delta=0.07)
                    self.assertTrue(t["least"] <= 1.05 and t["most"] >= 0.95, (t["least"], t["most"]))

    def test_the_library_is_3_to_50_percent_of_the_old_side(self):
        for pair in self.pairs:
            with self.subTest(pair["name"]):
                self.assertTrue(3 <= pair["truth"]["part_old"] <= 55, pair["truth"]["part_old"])

    def test_the_table_matches_the_runs(self):
        rows = read_tsv()
        self.assertEqual(list(rows), [pair["name"] for pair in self.pairs])
        for pair in self.pairs:
            self.assertEqual(rows[pair["name"]]["cost of an iteration, new/old"], f"{pair['truth']['ratio']:.3f}")

    def test_drivers_exist_and_name_the_callers(self):
        extensions = judge.load_capture(judge.RELEASES).EXTENSIONS
        for pair in self.pairs:
            folder = os.path.join(judge.RELEASES, "drivers", pair["ecosystem"])
            text = ""
            for side in ("", ".old"):
                path = os.path.join(folder, f"{pair['driver']}{side}.{extensions[pair['ecosystem']]}")
                if not side or os.path.exists(path):
                    with open(path, encoding="utf-8") as file:
                        text += file.read()
            for caller in pair["callers"]:
                self.assertIn(caller.removeprefix("main."), text, pair["name"])

    def test_sources_cite_an_issue_or_a_release(self):
        for pair in self.pairs:
            self.assertRegex(pair["source"], r"^[\w.-]+/[\w.-]+(#\d+| release | tag )", json.dumps(pair["name"]))


if __name__ == "__main__":
    unittest.main()
