# SPDX-License-Identifier: Apache-2.0
"""The main function of tests whose scenarios are functions of a bench, `b`, each listed in the CMakeLists.txt beside them."""
import inspect
import os
import pathlib
import re
import shutil
import sys


def main(module, bench_of):
    """Play the scenario that the command line names: PROGRAM ROOT SCENARIO; "complete" compares all with the list."""
    program, root, name = os.path.abspath(sys.argv[1]), *sys.argv[2:4]
    found = {name: function for name, function in module.items()
             if inspect.isfunction(function) and list(inspect.signature(function).parameters) == ["b"]}
    if name == "complete":
        text = (pathlib.Path(module["__file__"]).parent / "CMakeLists.txt").read_text()
        listed = set(re.search(r"set\(scenarios\s(.*?)\)", text, re.S).group(1).split())
        assert listed == set(found), "not in CMakeLists.txt, or not in the file: %s" % (listed ^ set(found))
        return
    bench = bench_of(program, root)
    try:
        found[name](bench)
        bench.no_secret_anywhere()
    finally:
        shutil.rmtree(bench.place, ignore_errors=True)
