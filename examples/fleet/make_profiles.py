#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes profiles of a made-up fleet: SERVICE/VERSION/HOUR/NUMBER.pb.gz, CPU profiles as Go's runtime writes them.

    make_profiles.py FOLDER [--services 50] [--runs 1000] [--samples 2000] [--functions 40] [--grown 3:0.01 ...]
                     [--damaged 2] [--seed 1]

Each service has two versions, v1 and v2. Version v2 costs as much as v1, except in services that --grown names: there
one function's share of the CPU time grows by the given part (0.01 is one percentage point). Hosts differ: in each run,
the shares of all functions are shifted at random.
"""
import argparse
import gzip
import itertools
import multiprocessing
import pathlib
import random
import zlib

PERIOD_NS = 10_000_000
FRAMES = 8  # most own functions of a stack
HOST_SD = 0.03  # standard deviation of a function's share from run to run, relative
START_NS = 1_790_000_000_000_000_000


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value) if value else b""


def message(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


class Service:
    """A program: its functions, its stacks with their weights, and the part of a profile that all its runs have."""

    def __init__(self, name, functions):
        rng = random.Random(zlib.crc32(name.encode()))
        self.name = name
        self.functions = functions
        self.strings = ["", "samples", "count", "cpu", "nanoseconds"]
        self.names = [f"main.{name}{i:02d}" for i in range(functions)]
        self.names += ["runtime.main", "main.main", "encoding/json.Marshal", "runtime.mallocgc", "runtime.memmove"]
        tables = b"".join(
            message(5, number(1, i + 1) + number(2, self.string(n)) + number(3, self.string(n)) +
                    number(4, self.string(f"/src/{name}/f{i:02d}.go"))) for i, n in enumerate(self.names))
        tables += b"".join(message(4, number(1, i + 1) + message(4, number(1, i + 1) + number(2, 10 + i)))
                           for i in range(len(self.names)))
        self.stacks, self.weights, self.leaves = [], [], []
        for _ in range(10 * functions):
            own = rng.sample(range(functions), rng.randint(1, FRAMES))
            library = rng.choice([[], [], [2], [2, 3], [3], [4]])
            ids = [functions + 1 + n for n in reversed(library)] + [o + 1 for o in own] + [functions + 2, functions + 1]
            self.stacks.append(message(1, b"".join(map(varint, ids))))
            self.leaves.append(own[0])  # the own function nearest to the leaf is charged
            self.weights.append(rng.paretovariate(1.2))
        self.tables = tables

    def string(self, text):
        self.strings.append(text)
        return len(self.strings) - 1

    def grown_weights(self, growth):
        """Weights with `growth` of the total added to the function that is charged with the most."""
        if not growth:
            return self.weights
        charged = [0.0] * self.functions
        for leaf, weight in zip(self.leaves, self.weights):
            charged[leaf] += weight
        most = max(range(self.functions), key=charged.__getitem__)
        share = charged[most] / sum(charged)
        factor = (share + growth) / (1 - share - growth) * (1 - share) / share
        return [w * factor if leaf == most else w for leaf, w in zip(self.leaves, self.weights)]

    def profile(self, rng, weights, samples, hour):
        """One run: `samples` samples drawn from the stacks, on a host where functions cost a bit more or less."""
        host = [rng.gauss(1.0, HOST_SD) for _ in range(self.functions)]
        cumulated = list(itertools.accumulate(w * host[leaf] for w, leaf in zip(weights, self.leaves)))
        counts = {}
        for stack in rng.choices(range(len(self.stacks)), cum_weights=cumulated, k=samples):
            counts[stack] = counts.get(stack, 0) + 1
        out = [message(1, number(1, 1) + number(2, 2)), message(1, number(1, 3) + number(2, 4))]
        for stack, count in counts.items():
            out.append(message(2, self.stacks[stack] + message(2, varint(count) + varint(count * PERIOD_NS))))
        out.append(self.tables)
        out += [message(6, text.encode()) for text in self.strings]
        out.append(number(9, START_NS + hour * 3600 * 10**9 + rng.randrange(3600 * 10**9)))
        out.append(number(10, samples * PERIOD_NS))
        out.append(message(11, number(1, 3) + number(2, 4)))
        out.append(number(12, PERIOD_NS))
        return gzip.compress(b"".join(out), 1, mtime=0)


def write_service(folder, index, runs, samples, growth, damaged, seed, functions):
    """Write all runs of one service; `damaged` of them are cut."""
    service = Service(f"service{index:02d}", functions)
    for version, weights in (("v1", service.weights), ("v2", service.grown_weights(growth))):
        for run in range(runs):
            hour = run * 24 // runs
            rng = random.Random(f"{seed} {service.name} {version} {run}")
            content = service.profile(rng, weights, samples, hour)
            path = folder / service.name / version / f"{hour:02d}" / f"{run:05d}.pb.gz"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content[:len(content) // 2] if version == "v2" and run < damaged else content)


def main():
    parser = argparse.ArgumentParser(description="Write profiles of a made-up fleet.")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--services", type=int, default=50)
    parser.add_argument("--runs", type=int, default=1000, help="per service and version")
    parser.add_argument("--samples", type=int, default=2000, help="per run")
    parser.add_argument("--functions", type=int, default=40, help="of each service")
    parser.add_argument("--grown", nargs="*", default=[], metavar="SERVICE:PART", help="such as 3:0.01")
    parser.add_argument("--damaged", type=int, default=0, help="profiles to cut, in the first service")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    grown = {int(s): float(part) for s, part in (word.split(":") for word in options.grown)}
    with multiprocessing.Pool() as pool:
        pool.starmap(write_service, [
            (options.folder, index, options.runs, options.samples, grown.get(index, 0.0),
             options.damaged if index == 0 else 0, options.seed, options.functions) for index in range(options.services)
        ], chunksize=1)


if __name__ == "__main__":
    main()
