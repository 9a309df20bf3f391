#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs made.sh of rooms/ROOM, which makes the files of its cases, then refuse_arena or refuse_calls on the cases.

usage: rooms.py PROGRAM PPROFGATE ROOT ROOM [CASE...]
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# Their thread loads libcurl anew, and the C library ends a program at once that has no memory for its thread-local data.
OF_ARENAS = ["server"]


def main():
    program, gate, root = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    room = pathlib.Path(__file__).resolve().parent / "rooms" / sys.argv[4]
    cases = [room / name for name in sys.argv[5:]] or sorted(path.parent for path in room.glob("*/args"))
    if not sys.argv[5:] and program.name == "refuse_calls":
        cases = [case for case in cases if case.name not in OF_ARENAS]
    with tempfile.TemporaryDirectory(prefix="refusals-") as place:
        told = os.environ | {"REFUSALS_PLACE": place, "PROGRAM": str(gate), "TMPDIR": place,
                             "PYTHON": sys.executable,
                             "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
        made = subprocess.run(["sh", "-eu", room / "made.sh"], cwd=root / "tests", env=told, check=False)
        if made.returncode:
            sys.exit(made.returncode)
        sys.exit(subprocess.run([program, *map(str, cases)], cwd=root / "fixtures", env=told, check=False).returncode)


if __name__ == "__main__":
    main()
