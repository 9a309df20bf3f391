# SPDX-License-Identifier: Apache-2.0
"""What grows in a sweep, and in which command: a function a plant, which writes files for a size and says the command.

Names of base and canary differ by a value of one sample, so that neither is the other's copy."""
import json
import pathlib
import sys

import made

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "fuzz"))
import jfr_seeds  # noqa: E402

PLANTS = {}
REPORTS = [*"--html page.html --json r.json --junit j.xml --markdown m.md --svg f.svg --folded f.txt".split(),
           *"--gitlab-codequality q.json --sarif c.sarif --openmetrics o.txt --speedscope s.json --pprof-diff d.pb.gz".split()]


class Plant:
    def __init__(self, make, smallest, doublings, power, is_refused):
        self.make, self.smallest, self.doublings = make, smallest, doublings
        self.power = power  # the requested amount grows with this power of the size
        self.is_refused = is_refused


def plant(smallest, doublings=3, power=1, is_refused=False):
    """The sizes are `smallest` and its doublings; none is refused, or all of them are."""
    def add(function):
        PLANTS[function.__name__.replace("_", "-")] = Plant(function, smallest, doublings, power, is_refused)
        return function
    return add


def write(name, data):
    pathlib.Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())
    return name


def check(base, canary, *more):
    return ["check", write("base.pb.gz", base), write("canary.pb.gz", canary), *REPORTS, *more]


def wide(names, value=1000000, types=1, labels=()):
    """A sample a name beneath main."""
    profile = made.Profile(types=types, period=1000000)
    profile.function(1, "main")
    profile.location(1, [1])
    for i, name in enumerate(names, 2):
        profile.function(i, name)
        profile.location(i, [i])
        profile.sample([i, 1], value, types, labels)
    return profile


# ---- many things of one kind -----------------------------------------------------------------------------------------

@plant(4000)
def functions(n):
    names = [f"pkg{i % 97}.function{i}" for i in range(n)]
    return check(wide(names).bytes(), wide(names, 1000001).bytes())


@plant(2000)
def functions_renamed(n):
    """No name of one side is on the other."""
    return check(wide(f"pkg{i % 97}.old{i}" for i in range(n)).bytes(),
                 wide(f"pkg{i % 97}.new{i}" for i in range(n)).bytes())


@plant(2000)
def prefixes(n):
    """Names that begin alike, for long, and differ at their ends."""
    head = "com.example.service.handlers." * 4
    return check(wide(f"{head}Old{i:x}.run" for i in range(n)).bytes(),
                 wide(f"{head}New{i:x}.run" for i in range(n)).bytes())


@plant(16000)
def name_length(n):
    names = ["f" + "<a::b, " * (n // 14) + ">" * (n // 14) + str(i) for i in range(4)]
    return check(wide(names).bytes(), wide(names, 1000001).bytes())


@plant(32)
def labels(n):
    """Labels of a sample."""
    pairs = [(f"key{i}", f"value{i}") for i in range(n)]
    names = [f"f{i}" for i in range(500)]
    return check(wide(names, labels=pairs).bytes(), wide(names, 1000001, labels=pairs).bytes(), "--max-labels", "1k")


@plant(4000)
def label_values(n):
    """A value of its own in each sample of one function."""
    def side(value):
        profile = wide(["f"], value)
        for i in range(n):
            profile.sample([2, 1], value, 1, [("id", f"{i:x}")])
        return profile.bytes()
    return check(side(1000000), side(1000001))


@plant(8)
def sample_types(n):
    names = [f"f{i}" for i in range(200)]
    return check(wide(names, types=n).bytes(), wide(names, 1000001, types=n).bytes())


@plant(8000)
def stacks(n):
    """Stacks of ten frames out of a thousand functions."""
    def side(seed):
        profile = made.Profile()
        for i in range(1, 1001):
            profile.function(i, f"pkg{i % 13}.f{i}")
            profile.location(i, [i])
        state = seed
        for _ in range(n):
            stack = []
            for _ in range(10):
                state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
                stack.append((state >> 40) % 1000 + 1)
            profile.sample(stack, 1000000)
        return profile.bytes()
    return check(side(1), side(2))


@plant(1000)
def stacks_all_drawn(n):
    return [*stacks(n), "--min-share", "0"]


@plant(250)
def budgets(n):
    names = [f"f{i}" for i in range(500)]
    rules = "version: 1\nbudgets:\n" + "".join(
        f"  - {{name: b{i}, select: 'f{i}', measure: self, limit: '+1pp'}}\n" for i in range(n))
    return check(wide(names).bytes(), wide(names, 1000001).bytes(), "-r", write("rules.yml", rules))


@plant(64)
def ignore_patterns(n):
    names = [f"function{i}" for i in range(1000)]
    rules = "version: 1\nextends: recommended\nframes:\n  ignore:\n" + "".join(
        f"    - '^nothing{i}.*$'\n" for i in range(n))
    return check(wide(names).bytes(), wide(names, 1000001).bytes(), "-r", write("rules.yml", rules))


@plant(64)
def rename_patterns(n):
    names = [f"function{i}" for i in range(1000)]
    rules = "version: 1\nextends: recommended\nframes:\n  rename:\n" + "".join(
        f"    - {{match: '^nothing{i}(.*)$', to: 'x$1'}}\n" for i in range(n))
    return check(wide(names).bytes(), wide(names, 1000001).bytes(), "-r", write("rules.yml", rules))


@plant(4000)
def drop_frames(n):
    def side(value):
        profile = made.Profile("(a|b|c|d)*[xyz]+.*[0-9]z")
        profile.function(1, "main")
        profile.location(1, [1])
        for i in range(2, n + 2):
            profile.function(i, "abcd" * 4 + f"xyz{i}")
            profile.location(i, [i])
            profile.sample([i, 1], value)
        return profile.bytes()
    return check(side(1000000), side(1000001))


# ---- deep nesting ----------------------------------------------------------------------------------------------------

@plant(1000)
def depth_recursive(n):
    return check(made.deep(20, n), made.deep(21, n))


@plant(2000)
def depth_of_functions(n):
    return check(made.chain(n, 20, 1000000), made.chain(n, 20, 1000001))


@plant(2000)
def depth_all_drawn(n):
    return [*depth_of_functions(n), "--min-share", "0"]


@plant(12)
def deep_stacks(n):
    """Stacks of 2 000 frames, whose roots differ."""
    return check(made.deep(n, 2000), made.deep(n + 1, 2000))


@plant(12)
def deep_stacks_diff(n):
    write("base.pb.gz", made.deep(n, 2000))
    write("canary.pb.gz", made.deep(n + 1, 2000))
    return ["diff", "base.pb.gz", "canary.pb.gz", "--html", "page.html", "--json", "r.json", "--folded", "f.txt"]


@plant(100)
def inlined_lines(n):
    return check(made.inlined(50, 4, n), made.inlined(51, 4, n))


# ---- text formats ----------------------------------------------------------------------------------------------------

def cpuprofile(nodes, samples, extra=""):
    text = '{"nodes":[' + ",".join(nodes) + '],"startTime":0,"endTime":%d,"samples":%s,"timeDeltas":%s%s}' % (
        1000 * len(samples), json.dumps(samples), json.dumps([1000] * len(samples)), extra)
    return text


def cpu_node(ident, name, children):
    return '{"id":%d,"callFrame":{"functionName":"%s","url":"a.js","lineNumber":%d},"children":%s}' % (
        ident, name, ident, json.dumps(children))


@plant(400, power=2)
def cpuprofile_depth(n):
    """A chain of calls, a sample at each of its nodes."""
    nodes = [cpu_node(i, f"f{i}", [i + 1] if i < n else []) for i in range(1, n + 1)]
    write("base.cpuprofile", cpuprofile(nodes, list(range(1, n + 1))))
    write("canary.cpuprofile", cpuprofile(nodes, list(range(1, n + 1)) + [1]))
    return ["check", "base.cpuprofile", "canary.cpuprofile", *REPORTS]


@plant(1000, is_refused=True)
def cpuprofile_cycles(n):
    """Nodes in a circle: each is its own ancestor."""
    nodes = [cpu_node(i, f"f{i}", [i % n + 1]) for i in range(1, n + 1)]
    write("base.cpuprofile", cpuprofile(nodes, list(range(1, n + 1))))
    return ["inspect", "base.cpuprofile"]


@plant(200, power=2)
def speedscope_depth(n):
    """Frames that open one in another, then close."""
    def side(extra):
        events = [{"type": "O", "frame": i, "at": i} for i in range(n)]
        events += [{"type": "C", "frame": i, "at": 2 * n - i + extra} for i in reversed(range(n))]
        return json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json",
                           "shared": {"frames": [{"name": f"f{i}"} for i in range(n)]},
                           "profiles": [{"type": "evented", "name": "x", "unit": "milliseconds", "startValue": 0,
                                         "endValue": 2 * n + extra, "events": events}]})
    return ["check", write("base.json", side(0)), write("canary.json", side(1)), *REPORTS]


def recording(depth, stacks, more=0):
    """A flight recording: a method a frame, `stacks` stack traces of a part of them each, and a sample of each."""
    chunk = jfr_seeds.Chunk()
    w = chunk.write
    known = jfr_seeds.constants(w)
    known[jfr_seeds.SYMBOL].update({10 + i: w.text(f"method{i}") for i in range(depth)})
    known[jfr_seeds.METHOD].update({10 + i: w.integer(1) + w.integer(10 + i) + w.int(1) + b"\0" for i in range(depth)})
    known[jfr_seeds.STACK] = {}
    for i in range(1, stacks + 1):
        frames = b"".join(w.integer(10 + j) + w.int(j) + w.int(0) + w.integer(1) for j in reversed(range(i * depth // stacks)))
        known[jfr_seeds.STACK][i] = b"\0" + w.int(i * depth // stacks) + frames
    chunk.checkpoints = [known]
    for i in [*range(1, stacks + 1), *[1] * more]:
        chunk.add(jfr_seeds.EXECUTION, 1, 1, i, 1)
    jfr_seeds.setting(chunk, jfr_seeds.EXECUTION, "period", "10 ms")
    return chunk.bytes()


@plant(1000)
def recording_depth(n):
    return ["check", write("base.jfr", recording(n, 20)), write("canary.jfr", recording(n, 20, 1)), *REPORTS]


@plant(4000)
def recording_stacks(n):
    return ["check", write("base.jfr", recording(20, n)), write("canary.jfr", recording(20, n, 1)), *REPORTS]


@plant(50)
def recording_chunks(n):
    return ["inspect", write("base.jfr", recording(5, 5) * n)]


@plant(4000, is_refused=True)
def json_nesting(n):
    write("base.cpuprofile", cpuprofile([cpu_node(1, "f", [])], [1], ',"x":' + "[" * n + "]" * n))
    return ["inspect", "base.cpuprofile"]


@plant(2000)
def collapsed_depth(n):
    def side(value):
        return "".join(";".join(f"f{j}" for j in range(i * n // 20)) + f";leaf {value}\n" for i in range(1, 21))
    return ["check", write("base.txt", side(1000)), write("canary.txt", side(1001)), *REPORTS]


@plant(4000, is_refused=True)
def yaml_nesting(n):
    write("rules.yml", "version: 1\nbudgets: " + "[" * n + "]" * n + "\n")
    return ["validate", "rules.yml"]


@plant(4000, is_refused=True)
def yaml_indents(n):
    write("rules.yml", "version: 1\nbudgets:\n" + "- " * n + "x\n")
    return ["validate", "rules.yml"]


@plant(2000, is_refused=True)
def yaml_keys(n):
    write("rules.yml", "version: 1\n" + "".join(f"unknown{i}: 1\n" for i in range(n)))
    return ["validate", "rules.yml"]


# ---- other commands --------------------------------------------------------------------------------------------------

@plant(4000)
def inspect_functions(n):
    return ["inspect", write("base.pb.gz", wide(f"pkg{i % 97}.f{i}" for i in range(n)).bytes())]


@plant(100)
def inspect_deep(n):
    return ["inspect", write("base.pb.gz", made.deep(n, 2000))]


@plant(4000)
def merge_functions(n):
    for i in range(3):
        write(f"run{i}.pb.gz", wide((f"pkg{i % 97}.f{i}" for i in range(n)), 1000000 + i).bytes())
    return ["merge", "-o", "all.pb.gz", "run0.pb.gz", "run1.pb.gz", "run2.pb.gz"]


@plant(100)
def merge_deep(n):
    for i in range(2):
        write(f"run{i}.pb.gz", made.deep(n + i, 2000))
    return ["merge", "-o", "all.pb.gz", "run0.pb.gz", "run1.pb.gz"]


@plant(20)
def merge_runs(n):
    names = [f"f{i}" for i in range(500)]
    for i in range(n):
        write(f"run{i}.pb.gz", wide(names, 1000000 + i).bytes())
    return ["merge", "-o", "all.pb.gz", *(f"run{i}.pb.gz" for i in range(n))]


@plant(4000)
def init_functions(n):
    write("base.pb.gz", wide(f"pkg{i % 97}.f{i}" for i in range(n)).bytes())
    return ["init", "-o", "-", "base.pb.gz"]


@plant(4000)
def explain_functions(n):
    write("base.pb.gz", wide(f"pkg{i % 97}.f{i}" for i in range(n)).bytes())
    write("canary.pb.gz", wide((f"pkg{i % 97}.f{i}" for i in range(n)), 1000001).bytes())
    return ["explain", "recommended", "base.pb.gz", "canary.pb.gz"]


@plant(250)
def calibrate_functions(n):
    for run in range(10):
        write(f"run{run}.pb.gz", wide((f"pkg{i % 97}.f{i}" for i in range(n)), 1000000 + run).bytes())
    return ["calibrate", "-o", "-", *(f"run{run}.pb.gz" for run in range(10))]


@plant(500)
def prove_functions(n):
    """Twenty that cost enough to plant growth in, and n that do not."""
    profile = wide([f"main.hot{i}" for i in range(20)], 400000000)
    for i in range(30, n + 30):
        profile.function(i, f"pkg{i % 97}.f{i}")
        profile.location(i, [i])
        profile.sample([i, 1], 1000000)
    return ["prove", "--draws", "5", write("base.pb.gz", profile.bytes())]


@plant(1000)
def trend_functions(n):
    for run in range(8):
        write(f"run{run}.pb.gz", wide((f"pkg{i % 97}.f{i}" for i in range(n)), 1000000 + run).bytes())
    return ["trend", *(f"run{run}.pb.gz" for run in range(8)), "--report", "out"]


@plant(50, power=2)
def trend_points(n):
    names = [f"f{i}" for i in range(100)]
    for run in range(n):
        write(f"run{run}.pb.gz", wide(names, 1000000 + run).bytes())
    return ["trend", "--last", "500", *(f"run{run}.pb.gz" for run in range(n)), "--report", "out"]


@plant(10, 2)
def calibrate_runs(n):
    for run in range(n):
        write(f"run{run}.pb.gz", wide((f"f{i}" for i in range(100)), 1000000 + run).bytes())
    return ["calibrate", "-o", "-", *(f"run{run}.pb.gz" for run in range(n))]


@plant(5)
def check_runs(n):
    names = [f"f{i}" for i in range(500)]
    for run in range(2 * n):
        write(f"run{run}.pb.gz", wide(names, 1000000 + run).bytes())
    return ["check", "--baseline", *(f"run{run}.pb.gz" for run in range(n)), "--canary",
            *(f"run{run}.pb.gz" for run in range(n, 2 * n)), *REPORTS]
