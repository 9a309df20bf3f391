# SPDX-License-Identifier: Apache-2.0
"""Does an input of twice the size cost more than twice as much? sweep.py [--instructions] PROGRAM [PLANT...]
What does a hostile input below 1 MB cost at most? sweep.py --bounds|--worst PROGRAM [FORMAT...]

tests/hostile/plants.py has the plants, which make inputs. Prints a table: the CPU seconds of the two largest sizes, the
exponent of growth between them, and the largest memory. Ends with 1 if an exponent exceeds LIMIT (1.2 by default), or
twice LIMIT for a plant whose stacks grow quadratically. Where instructions grow by 1.0, seconds grow by up to 1.12: the
larger input no longer fits the processor's caches.

With --instructions valgrind counts instructions, which other load on the machine does not change, and LIMIT is 1.25. It
runs three small sizes and compares what each doubling adds, so that the fixed cost of a run does not count.

With --bounds each plant of each format (tests/hostile/readers.py) is read by each command that reads profiles. Each
file has at most 990,000 bytes, once as it is and once packed by gzip. Prints the worst CPU seconds and memory of each
format and command. Ends with 1 if a run takes more than SECONDS (2) or MIB (256), or ends with another status than it
may. The bounds are those of two files. `calibrate` reads six and `trend` five, and may take as much more. `prove`
plants growth again and again, and may take twice the seconds (docs/performance.md).
$COMMANDS selects commands. Each run above half of a bound is printed to standard error.

--bounds takes hours. With --worst each plant is first read by `check` at a tenth of the size. Only those
that cost most are then made in full size, for every command: per format the one with most CPU seconds, and the one with
most memory. If `check` refuses one, all commands also read the largest part of it that `check` accepts, of a few sizes.
It takes half an hour on two cores."""
import concurrent.futures
import math
import multiprocessing
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "hostile"))
import plants  # noqa: E402
import readers  # noqa: E402

TIMES = int(os.environ.get("TIMES", "3"))
ENOUGH_SECONDS = 0.1  # a shorter run is mostly the start of the program
UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "SOURCE_DATE_EPOCH")
COUNTING = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
# Smallest size of each plant with --instructions. The sizes are small because valgrind takes 50 times as long.
COUNTED = {"functions": 250, "functions-renamed": 125, "prefixes": 125, "name-length": 2000, "labels": 16,
           "stacks": 125, "budgets": 30, "rename-patterns": 16, "depth-recursive": 60, "depth-of-functions": 60,
           "inlined-lines": 16, "cpuprofile-depth": 40, "collapsed-depth": 250, "yaml-keys": 500,
           "merge-functions": 1000}


def started(words, prepare=None):
    environment = {key: value for key, value in os.environ.items() if key not in UNSET}
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment,
                            preexec_fn=prepare)


def seconds_of(words, prepare=None):
    """Return the CPU seconds, peak memory in MiB, exit status and standard error of a run."""
    child = started(words, prepare)
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


# ---- bounds of one input ---------------------------------------------------------------------------------------------

STORED_MOST, RAW_MOST, PART = 990000, 24000000, 10
PARTS = (1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32)
SECONDS_MOST, MIB_MOST = float(os.environ.get("SECONDS", "2")), float(os.environ.get("MIB", "256"))
# The files of a plant differ in the cost of a sample: commands refuse equal ones.
FILES = ("a", "b", "a3", "b4", "a5", "b6")
COMMANDS = {
    "check": ["check", "a", "b", *plants.REPORTS],
    "diff": ["diff", "a", "b", "--html", "d.html", "--json", "d.json"],
    "inspect": ["inspect", "--json", "a"],
    "explain": ["explain", "recommended", "a", "b"],
    "merge": ["merge", "-o", "merged.pb.gz", "a", "b"],
    "calibrate": ["calibrate", "-o", "-", "a", "b", "a3", "b4", "a5", "b6"],
    "prove": ["prove", "a"],
    "trend": ["trend", "a", "b", "a3", "b4", "a5", "--report", "out"],
    "accept": ["baseline", "accept", "--store", "store", "--service", "s", "--revision", "1" * 40, "a", "b"],
    "init": ["init", "-o", "-", "a"],
}


def seconds_capped():
    resource.setrlimit(resource.RLIMIT_CPU, (30, 31))


def run_bounded(words, seconds):
    """Run it, and again if it takes too long: other work on the machine makes CPU seconds longer, and never shorter."""
    found = seconds_of(words, seconds_capped)
    for _ in range(TIMES - 1):
        if found[0] <= seconds:
            break
        found = min(found, seconds_of(words, seconds_capped), key=lambda run: run[0])
    return found


def words_of(command, name):
    """Return the words of a command line. The files have the ending of the format."""
    return [word + readers.ENDINGS.get(name, "") if word in FILES else word for word in COMMANDS[command]]


def commands_wanted():
    return os.environ.get("COMMANDS", " ".join(COMMANDS)).split()


def write_files(folder, name, kind, is_packed, part, files, start):
    """Write the files of a plant, and its `n`. A child process does this, for the reason given at `measure`."""
    raw_most = RAW_MOST if is_packed else STORED_MOST * 20
    *made, n = readers.sized(name, kind, int(STORED_MOST / part), int(raw_most / part), is_packed, len(files), start)
    for file, data in zip(files, made):
        pathlib.Path(folder, file + readers.ENDINGS.get(name, "")).write_bytes(data)
    pathlib.Path(folder, "n").write_text(str(n), encoding="ascii")


def make_plant(folder, name, kind, is_packed, part=1, files=FILES, start=1):
    """Make the files of a plant, at the size divided by `part`, and go to their folder."""
    child = multiprocessing.Process(target=write_files, args=(folder, name, kind, is_packed, part, files, start))
    child.start()
    child.join()
    assert child.exitcode == 0, f"{name} {kind}: no files"
    os.chdir(folder)


def bounds_of(program, name, kind, is_packed, worst, start=1, part=1):
    """Run each command on a plant, and note the worst of each. Returns whether all stayed within the bounds."""
    is_good = True
    with tempfile.TemporaryDirectory(prefix="pprofgate.") as folder:
        make_plant(folder, name, kind, is_packed, part, start=start)
        stored = os.path.getsize("a" + readers.ENDINGS.get(name, ""))
        for command in commands_wanted():
            pairs = max(1, len([word for word in COMMANDS[command] if word in FILES]) / 2)  # bounds are those of a pair
            seconds_most = SECONDS_MOST * (2 if command == "prove" else pairs)
            seconds, mib, status, said = run_bounded([program, *words_of(command, name)], seconds_most)
            is_kept = seconds <= seconds_most and mib <= MIB_MOST * pairs and status in (0, 1, 2, 3)
            is_good = is_good and is_kept
            worst[command] = tuple(map(max, worst.get(command, (0, 0)), (seconds, mib)))
            if not is_kept or seconds > seconds_most / 2 or mib > MIB_MOST * pairs / 2:
                plant = f"{name} {kind}{' gz' if is_packed else ''}"
                print(f"{'' if is_kept else 'PAST '}{command} {plant}: {stored} bytes, {seconds:.2f} s, "
                      f"{mib:.0f} MiB, status {status}: {' '.join(said.split())[:140]}",
                      file=sys.stderr, flush=True)
        os.chdir("/")
    return is_good


def plants_of(name):
    """Return kind and packing of each plant of a format. The plants of pprof are packed already."""
    return [(kind, is_packed) for kind in readers.FORMATS[name] for is_packed in (False, True)
            if not (is_packed and name == "pprof")]


def part_accepted(program, name, kind, is_packed, start):
    """Return the smallest number by which the size of a plant can be divided so that `check` does not refuse it, 1 if
    that is the full size, None if no size of PARTS is accepted."""
    for part in (1, *PARTS):
        with tempfile.TemporaryDirectory(prefix="pprofgate.") as folder:
            make_plant(folder, name, kind, is_packed, part, FILES[:2], max(int(start / part), 1))
            status = seconds_of([program, *words_of("check", name)], seconds_capped)[2]
            os.chdir("/")
        if status != 2:
            return part
    return None


def worst_plants_of(program, name):
    """Return the plants of a format that cost `check` most CPU time and most memory at a tenth of the size, each with
    a guess of its `n` in full size."""
    costs = []
    for kind, is_packed in plants_of(name):
        with tempfile.TemporaryDirectory(prefix="pprofgate.") as folder:
            make_plant(folder, name, kind, is_packed, PART, FILES[:2])
            seconds, mib, _, _ = seconds_of([program, *words_of("check", name)], seconds_capped)
            start = max(int(pathlib.Path("n").read_text(encoding="ascii")) * PART * 9 // 10, 1)
            os.chdir("/")
        costs.append((seconds, mib, kind, is_packed, min(start, readers.COUNT_MOST)))
    return sorted({max(costs)[2:], max(costs, key=lambda cost: cost[1])[2:]})


def row_of(program, name, is_all):
    """Return the row of a format in the table, and whether all runs stayed within the bounds."""
    worst, is_good = {}, True
    chosen = [(*plant, 1) for plant in plants_of(name)] if is_all else worst_plants_of(program, name)
    for kind, is_packed, start in chosen:
        is_good = bounds_of(program, name, kind, is_packed, worst, start) and is_good
        part = None if is_all else part_accepted(program, name, kind, is_packed, start)
        if part not in (None, 1):
            is_good = bounds_of(program, name, kind, is_packed, worst, max(int(start / part), 1), part) and is_good
    cells = " | ".join(f"{worst[c][0]:.2f} s, {worst[c][1]:.0f} MiB" for c in commands_wanted())
    return f"| {name} | {cells} |", is_good


def bounds(program, names, is_all):
    wanted, is_good = commands_wanted(), True
    print("| format | " + " | ".join(wanted) + " |\n| --- |" + " ---: |" * len(wanted), flush=True)
    names = names or list(readers.FORMATS)
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as workers:
        rows = [workers.submit(row_of, program, name, is_all) for name in names]
        for done in concurrent.futures.as_completed(rows):
            row, is_kept = done.result()
            print(row, flush=True)
            is_good = is_good and is_kept
    return 0 if is_good else 1


def main():
    words = sys.argv[1:]
    if words[0] in ("--bounds", "--worst"):
        return bounds(str(pathlib.Path(words[1]).resolve()), words[2:], words[0] == "--bounds")
    is_counted = words[0] == "--instructions"
    words = words[is_counted:]
    program = str(pathlib.Path(words[0]).resolve())
    limit = float(os.environ.get("LIMIT", "1.25" if is_counted else "1.2"))
    sweep = by_instructions if is_counted else by_seconds
    past = [name for name in words[1:] or (COUNTED if is_counted else plants.PLANTS) if sweep(program, name) > limit]
    if past:
        print(f"sweep.py: twice costs more than 2^{limit}: {', '.join(past)}", file=sys.stderr)
    return 1 if past else 0


if __name__ == "__main__":
    sys.exit(main())
