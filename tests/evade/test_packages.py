#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A package or module of Go with another name is the same: it passes at the same cost, and a regression in it fails by
its function's name, or is not a pass where the names do not tell which package it is.

The profiles are captures of a real service whose functions are all of its main package. The test puts some of them into
two packages, which the canary has by other names.

usage: test_packages.py PPROFGATE ROOT NAME|all
"""
import pathlib
import random
import sys
import tempfile

import test_evade

PASS, FAIL, INCONCLUSIVE = 0, 1, 3
SEARCH, PACK = "example.com/shop/search.", "example.com/shop/pack."
PLACES = {"searchProducts": SEARCH, "rankProducts": SEARCH, "findProduct": SEARCH, "affinity": SEARCH,
          "digestPayload": PACK, "compressPart": PACK, "countWords": PACK, "priceRound": PACK}
SLOWER = "compressPart"


def packaged(name):
    """The name in its package: closures, too."""
    function, *rest = name.removeprefix("main.").split(".")
    place = PLACES.get(function) if name.startswith("main.") else None
    return name if place is None else place + ".".join([function, *rest])


def package(name):
    return name.replace(PACK, "example.com/shop/archive.")


def elsewhere(name):
    return name.replace(PACK, "example.com/shop/internal/zip/v2.")


def module(name):
    return name.replace("example.com/shop/", "example.org/store/")


def both_packages(name):
    return name.replace(PACK, "example.com/shop/archive.").replace(SEARCH, "example.com/shop/find.")


def split(name):
    for function, place in (("compressPart", "zip."), ("countWords", "zip."), ("digestPayload", "sums."),
                            ("priceRound", "sums.")):
        name = name.replace(PACK + function, "example.com/shop/" + place + function)
    return name


def slower_renamed(name):
    return package(name).replace("compressPart", "shrinkPart")


def all_renamed(name):
    return name.replace(PACK, "example.com/shop/archive.do_") if name.startswith(PACK) else name


JOINED = "its functions are taken for the same"


def check(change, runs, part, *options):
    """Judge a canary of which `part` is what the function costs more."""
    rng = random.Random(f"{change.__name__} {runs} {part}")
    with tempfile.TemporaryDirectory() as place:
        sides = []
        for number in test_evade.ROUNDS[runs][0] + test_evade.ROUNDS[runs][1]:
            profile = test_evade.captured(number)
            is_canary = number in test_evade.ROUNDS[runs][1]
            if is_canary and part > 0:
                test_evade.swell(profile, "main." + SLOWER, rng, part)
            profile.rename(lambda name: change(packaged(name)) if is_canary else packaged(name))
            sides.append(pathlib.Path(place, f"{number}.pb.gz"))
            profile.write(sides[-1])
        return test_evade.check(pathlib.Path(place), sides[:runs], sides[runs:], *options)


def expect(is_so, what, said):
    if not is_so:
        sys.exit(f"{what}:\n{said}")


def warnings_of(report):
    return " ".join(warning["message"] for warning in report["warnings"])


def is_found(change, runs):
    what, now = f"{change.__name__}, {runs} a side", change(PACK + SLOWER).replace("/v2", "")
    status, report, said = check(change, runs, 0)
    expect(status == PASS, f"{what}: the same cost passes", said)
    expect(JOINED in warnings_of(report), f"{what}: a warning lists it", said)
    expect("replaced" not in report, f"{what}: nothing is replaced", said)
    status, report, said = check(change, runs, 0.14)
    expect(status in ((FAIL,) if runs > 1 else (FAIL, INCONCLUSIVE)), f"{what}: a regression is found", said)
    expect(report["causes"][0]["function"] == now, f"{what}: the cause is {now}", said)
    _, report, said = check(change, runs, 0.14, "--names", "exact")
    expect(JOINED not in warnings_of(report), f"{what}: exact names are not joined", said)


def is_not_hidden(change, runs):
    what = f"{change.__name__}, {runs} a side"
    status, _, said = check(change, runs, test_evade.PART)
    expect(status != PASS, f"{what}: a regression does not pass", said)


def test_moved_packages_are_found():
    """Packages whose functions have their names are the same, by one run per side and by three; so are those of a
    package that was split."""
    for change in (package, elsewhere, module, both_packages, split):
        for runs in test_evade.ROUNDS:
            is_found(change, runs)


def test_regressions_in_other_packages_are_not_hidden():
    """If functions of a moved package have other names, a regression in them does not pass."""
    for change in (slower_renamed, all_renamed):
        for runs in test_evade.ROUNDS:
            is_not_hidden(change, runs)


if __name__ == "__main__":
    test_evade.GATE, test_evade.ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
    tests = ("moved_packages_are_found", "regressions_in_other_packages_are_not_hidden")
    for wanted in tests if sys.argv[3] == "all" else sys.argv[3:]:
        globals()[f"test_{wanted}"]()
