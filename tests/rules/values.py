# SPDX-License-Identifier: Apache-2.0
"""Reads tests/rules/values.txt, whose head describes it."""
import pathlib

PATH = pathlib.Path(__file__).with_name("values.txt")


def rows():
    """Yield the section, the kind ("accept", "reject" or "reject: not by the schema"), the row and its rules file."""
    sections = PATH.read_text(encoding="utf-8").split("\n=== ")[1:]
    for section in sections:
        title, body = section.split("\n", 1)
        template, *parts = body.rstrip("\n").split("\n--- ")
        for part in parts:
            kind, *values = part.split("\n")
            for row in values:
                value = row if kind == "accept" else row.rpartition("  # ")[0]
                yield title, kind, row, template.replace("VALUE", "" if value == "(nothing)" else value) + "\n"
