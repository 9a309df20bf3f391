# SPDX-License-Identifier: Apache-2.0
"""Does an input of twice the size cost more than twice as much? sweep.py [--instructions] PROGRAM [PLANT...]

tests/hostile/plants.py has the plants, which make inputs. Prints a table: the CPU seconds of the two largest sizes, the
exponent of growth between them, and the largest memory. Ends with 1 if an exponent exceeds LIMIT (1.1 by default, or
twice that for a plant whose stacks grow quadratically).

With --instructions valgrind counts instructions, which other load on the machine does not change, and LIMIT is 1.25. It
runs three small sizes and compares what each doubling adds, so that the fixed cost of a run does not count."""
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hostile"))
import plants  # noqa: E402

TIMES = int(os.environ.get("TIMES", "3"))
ENOUGH_SECONDS = 0.1  # a shorter run is mostly the start of the program
UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "SOURCE_DATE_EPOCH")
COUNTING = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
# Smallest size of each plant with --instructions. The sizes are small because valgrind takes 50 times as long.
COUNTED = {"functions": 250, "functions-renamed": 125, "prefixes": 125, "name-length": 2000, "labels": 16,
           "stacks": 125, "budgets": 30, "rename-patterns": 16, "depth-recursive": 60, "depth-of-functions": 60,
           "inlined-lines": 16, "cpuprofile-depth": 40, "collapsed-depth": 250, "yaml-keys": 500, "merge-functions": 1000}


def started(words):
    environment = {key: value for key, value in os.environ.items() if key not in UNSET}
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)


def seconds_of(words):
    """Return the CPU seconds, peak memory in MiB, exit status and standard error of a run."""
    child = started(words)
    said = child.stderr.read().decode(errors="replace")
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode, said


def instructions_of(words):
    child = started([*COUNTING, *words])
    said = child.communicate()[1].decode(errors="replace")
    return int(re.search(r"Collected : (\d+)", said)[1]), 0, child.returncode, said


def make_there(make, size, folder, words):
    os.chdir(folder)
    words.extend(make(size))


def measure(program, plant, size, cost, times):
    """Return the cheapest of `times` runs. A child process makes the files, because the memory of this process would
    count as that of its children."""
    with tempfile.TemporaryDirectory(prefix="pprofgate.") as folder, multiprocessing.Manager() as manager:
        words = manager.list()
        child = multiprocessing.Process(target=make_there, args=(plant.make, size, folder, words))
        child.start()
        child.join()
        os.chdir(folder)
        found = min((cost([program, *words]) for _ in range(times)), key=lambda run: run[0])
        os.chdir("/")
    assert (found[2] == 2) == plant.is_refused, f"{plant.make.__name__} {size}: {found[2]}: {found[3]}"
    return found


def by_seconds(program, name):
    plant = plants.PLANTS[name]
    sizes = [plant.smallest << step for step in range(plant.doublings + 1)]
    runs = [measure(program, plant, size, seconds_of, TIMES) for size in sizes]
    spent = [run[0] for run in runs]
    exponent = math.log2(spent[-1] / spent[-2]) if spent[-1] > ENOUGH_SECONDS else 0.0
    told = f"{exponent:.2f}" if exponent else "-"
    print(f"| {name} | {sizes[-2]} → {sizes[-1]} | {spent[-2]:.3f} → {spent[-1]:.3f} s | {told} "
          f"| {max(run[1] for run in runs):.0f} MiB |", flush=True)
    return exponent / plant.power


def by_instructions(program, name):
    plant = plants.PLANTS[name]
    sizes = [COUNTED[name] << step for step in range(3)]
    counts = [measure(program, plant, size, instructions_of, 1)[0] for size in sizes]
    exponent = math.log2(max(counts[2] - counts[1], 1) / max(counts[1] - counts[0], 1))
    print(f"| {name} | {' → '.join(map(str, sizes))} | {' → '.join(f'{count / 1e6:.1f} M' for count in counts)} "
          f"| {exponent:.2f} |", flush=True)
    return exponent / plant.power


def main():
    words = sys.argv[1:]
    is_counted = words[0] == "--instructions"
    words = words[is_counted:]
    program = str(pathlib.Path(words[0]).resolve())
    limit = float(os.environ.get("LIMIT", "1.25" if is_counted else "1.1"))
    sweep = by_instructions if is_counted else by_seconds
    past = [name for name in words[1:] or (COUNTED if is_counted else plants.PLANTS) if sweep(program, name) > limit]
    if past:
        print(f"sweep.py: twice costs more than 2^{limit}: {', '.join(past)}", file=sys.stderr)
    return 1 if past else 0


if __name__ == "__main__":
    sys.exit(main())
