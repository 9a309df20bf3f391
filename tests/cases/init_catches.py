#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the rules of `init` say that they would catch, they catch.

Of real captures: `init` on some runs; then, for each function that it writes a budget for, the other runs with all that
is charged to it scaled, so that it grows by as many points as the budget's comment says; then `check` under the written
rules. Growth of that size is to fail four times in five.

    init_catches.py PPROFGATE FIXTURES
"""
import gzip
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST = 0.8
SETS = [  # runs that init reads, runs that are scaled
    (["go-service/cpu/baseline-1"], ["go-service/cpu/baseline-2"]),
    (["go-service/cpu/baseline-1", "go-service/cpu/baseline-2"], ["go-service/cpu/baseline-3", "go-service/cpu/baseline-2"]),
    (["captures/mix-1.cpu"], ["captures/mix-2.cpu"]),
    (["captures/mix-1.cpu", "captures/mix-2.cpu", "captures/mix-3.cpu"],
     ["captures/mix-4.cpu", "captures/mix-5.cpu", "captures/mix-6.cpu"]),
]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def written(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(data):
    """(number, value) of a message: an int, or the bytes of what has a length. Captures have no other wire types."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def field(number, value):
    if isinstance(value, int):
        return written(number << 3) + written(value)
    return written(number << 3 | 2) + written(len(value)) + value


def numbers(message, number):
    out = []
    for found, value in fields(message):
        at = 0
        if found == number and isinstance(value, int):
            out.append(value)
        while found == number and not isinstance(value, int) and at < len(value):
            one, at = varint(value, at)
            out.append(one)
    return out


class Capture:
    """A CPU profile of the Go service, whose own code is package main."""

    def __init__(self, path):
        self.raw = gzip.open(path).read()
        strings = [value.decode() for number, value in fields(self.raw) if number == 6]
        functions = {}
        self.names = {}
        for number, value in fields(self.raw):
            if number == 5:
                function = dict(fields(value))
                functions[function[1]] = strings[function.get(2, 0)]
        for number, value in fields(self.raw):
            if number == 4:
                lines = [dict(fields(line))[1] for key, line in fields(value) if key == 4]
                self.names[dict(fields(value))[1]] = [functions[line] for line in lines]

    def owner(self, sample):
        for location in numbers(sample, 1):
            for name in self.names[location]:
                if name.startswith("main."):
                    return name
        return None

    def share(self, name):
        own = total = 0
        for number, sample in fields(self.raw):
            if number == 2:
                value = numbers(sample, 2)[1]
                total += value
                own += value if self.owner(sample) == name else 0
        return own / total

    def scaled(self, name, factor):
        out = bytearray()
        rest = 0.0  # so that the sum is right, though each sample is a whole number
        for number, value in fields(self.raw):
            if number == 2 and self.owner(value) == name:
                count, time = numbers(value, 2)
                rest += count * factor
                now = round(rest)
                rest -= now
                if now <= 0:
                    continue
                values = field(2, written(now) + written(now * (time // count)))
                value = b"".join(field(key, part) for key, part in fields(value) if key != 2) + values
            out += field(number, value)
        return bytes(out)


def outcome(program, folder, rules, base, canary, name):
    command = [program, "check", "-r", rules, "--json", "-"]
    for path in base:
        command += ["--baseline", path]
    for i, data in enumerate(canary):
        path = folder / f"canary-{i}.pb"
        path.write_bytes(data)
        command += ["--canary", path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    budgets = json.loads(done.stdout)["budgets"]
    return next(budget["outcome"] for budget in budgets if budget["name"] == f"{name} stays where it is")


def main():
    program, fixtures = sys.argv[1], Path(sys.argv[2])
    said = caught = 0
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for base, canary in SETS:
            base, canary = ([fixtures / f"{name}.pb.gz" for name in names] for names in (base, canary))
            rules = folder / "rules.yml"
            subprocess.run([program, "init", "--force", "-o", rules, *base], check=True, capture_output=True)
            for points, name in re.findall(r"Growth of (\d+) points.*\n  - name: '(\S+) stays", rules.read_text()):
                before = sum(Capture(path).share(name) for path in base) / len(base)
                wanted = before + int(points) / 100
                runs = [Capture(path) for path in canary]
                grown = [run.scaled(name, wanted * (1 - run.share(name)) / (run.share(name) * (1 - wanted))) for run in runs]
                found = outcome(program, folder, rules, base, grown, name)
                said += 1
                caught += found == "fail"
                if found != "fail":
                    print(f"{base[0].name} and {len(base) - 1} more: {name} by {points} points is {found}")
    print(f"{caught} of {said} caught")
    return 0 if said >= 3 * len(SETS) and caught >= LEAST * said else 1


if __name__ == "__main__":
    sys.exit(main())
