# SPDX-License-Identifier: Apache-2.0
"""What hostile inputs may cost, and what may never come out of them: test_hostile.py PROGRAM TEST

Memory and processor time of each run are limited by the system, generously: a run that needs more ends without the
message that is asked for."""
import gzip
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import made
import readers

PROGRAM = sys.argv[1]
SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
MIB = 1 << 20
UNSET = ("GITHUB_ACTIONS", "GITLAB_CI", "GITHUB_STEP_SUMMARY", "SOURCE_DATE_EPOCH")
REPORTS = [*"--html page.html --json r.json --junit j.xml --markdown m.md --svg f.svg --folded f.txt".split(),
           *"--gitlab-codequality q.json --sarif c.sarif --openmetrics o.txt --speedscope s.json --pprof-diff d.pb.gz".split()]


def limits(memory, seconds):
    def apply():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return apply


def run(*words, memory=1024 * MIB, seconds=60, status=None, text=None):
    environment = {key: value for key, value in os.environ.items() if key not in UNSET}
    sanitized = "ASAN_OPTIONS" in environment or b"__asan_init" in pathlib.Path(PROGRAM).read_bytes()
    done = subprocess.run([PROGRAM, *words], capture_output=True, env=environment,
                          preexec_fn=None if sanitized else limits(memory, seconds))
    said = done.stderr.decode(errors="replace")
    assert done.returncode >= 0, f"{words}: ended by signal {-done.returncode}: {said}"
    assert status is None or done.returncode in status, f"{words}: {done.returncode}: {said}"
    assert text is None or text in said, f"{words}: {said}"
    return done


def write(name, data):
    pathlib.Path(name).write_bytes(data)
    return name


def pair(make, *arguments):
    """Two files of the same content but for a byte of their names: one capture on both sides compares nothing."""
    data = make(*arguments)
    return write("base.pb.gz", data), write("canary.pb.gz", data + made.zeros(0))


# ---- cost ------------------------------------------------------------------------------------------------------------

def test_json_is_refused_over_max_memory():
    file = write("x.cpuprofile.gz", made.empty_objects(4000000))
    run("inspect", file, memory=768 * MIB, status=[2], text="--max-memory")
    run("inspect", "--max-memory", "64M", file, memory=256 * MIB, status=[2], text="--max-memory")


def test_input_that_is_not_a_profile_is_not_inflated():
    run("inspect", write("zeros.gz", made.zeros(200 * MIB)), memory=128 * MIB, status=[2], text="malformed protobuf")


def test_a_profile_without_end_is_refused():
    run("inspect", write("x.gz", made.zeros_behind_a_head(100 * MIB)), "--max-memory", "64M",
        memory=256 * MIB, status=[2], text="--max-memory")


def test_many_deep_stacks_end_with_a_verdict_or_an_error():
    for stacks in (20, 60):
        base, canary = pair(made.deep, stacks, 16000)
        done = run("check", base, canary, *REPORTS)
        assert done.returncode in (0, 1, 3) or b"--max-memory" in done.stderr, done.stderr


def test_inlined_stacks_take_what_the_option_says():
    base, canary = pair(made.inlined, 200, 60, 250)
    run("check", base, canary, "--folded", "f.txt", "--max-memory", "64M", status=[2], text="--max-memory")
    assert not pathlib.Path("f.txt").exists()


def test_one_location_of_thousands_of_calls_exceeds_max_steps():
    """Four ids of it are a stack of 16 000 frames: 200 kB say so 100 000 times."""
    base, canary = pair(made.inlined_again, 100000, 4, 4000)
    for words in (["check", base, canary, *REPORTS], ["diff", base, canary], ["inspect", base], ["init", "-o", "-", base],
                  ["explain", "recommended", base, canary], ["prove", base],
                  ["calibrate", "-o", "-", base, canary], ["merge", "-o", "m.pb.gz", base]):
        run(*words, seconds=8, memory=512 * MIB, status=[2], text="--max-steps")
    run("inspect", "--max-steps", "1M", write("x.pb.gz", made.inlined_again(100, 4, 4000)), status=[2], text="--max-steps")
    run("inspect", "--max-steps", "17M", "x.pb.gz", status=[0])


def chain_flamebearer(depth):
    levels = [[0, depth, 0, 0], *([0, depth - at, 1, 1] for at in range(depth - 1))]
    return {"version": 1, "flamebearer": {"names": ["total", "f"], "levels": levels, "numTicks": depth, "maxSelf": 1},
            "metadata": {"format": "single", "units": "samples", "sampleRate": 100}}


def chain_cpuprofile(depth):
    nodes = [{"id": at + 1, "callFrame": {"functionName": "f"}, "children": [at + 2] * (at + 1 < depth)}
             for at in range(depth)]
    return {"nodes": nodes, "startTime": 0, "endTime": depth, "samples": list(range(1, depth + 1)),
            "timeDeltas": [1] * depth}


def chain_speedscope(depth):
    events = [{"type": kind, "frame": 0, "at": at + depth * (kind == "C")} for kind in "OC" for at in range(depth)]
    return {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]},
            "profiles": [{"type": "evented", "name": "a", "unit": "milliseconds", "startValue": 0,
                          "endValue": 2 * depth, "events": events}]}


def chain_gecko(depth):
    thread = {"name": "m", "pid": 1, "tid": 1, "registerTime": 0, "stringTable": ["f"],
              "frameTable": {"schema": {"location": 0}, "data": [[0]]},
              "stackTable": {"schema": {"prefix": 0, "frame": 1},
                             "data": [[at - 1 if at else None, 0] for at in range(depth)]},
              "samples": {"schema": {"stack": 0, "time": 1}, "data": [[at, at] for at in range(depth)]},
              "markers": {"schema": {}, "data": []}}
    return {"meta": {"version": 27, "interval": 1, "startTime": 0, "categories": []}, "libs": [], "threads": [thread]}


def write_chain(make, depth):
    return write("chain.json", json.dumps(make(depth), separators=(",", ":")).encode())


def test_a_chain_with_a_sample_at_each_call_exceeds_max_steps():
    for make in (chain_flamebearer, chain_cpuprofile, chain_speedscope, chain_gecko):
        run("inspect", write_chain(make, 300), memory=256 * MIB, status=[0])
        file = write_chain(make, 2000)
        for words in (["inspect", file], ["check", file, file], ["merge", "-o", "sum.pb.gz", file]):
            run(*words, "--max-steps", "10M", memory=256 * MIB, status=[2], text="steps of work to convert")
    run("inspect", write_chain(chain_flamebearer, 9000), memory=256 * MIB, status=[2], text="--max-steps")


def test_labels_of_converted_samples_are_out_of_proportion():
    """A hundred labels at each of many samples."""
    file = write("a", readers.FORMATS["otlp"]["attributes"](500, 1000))
    run("inspect", "--max-steps", "1M", file, status=[2], text="steps of work to convert")
    run("inspect", "--max-steps", "3M", file, status=[0])


def test_converted_bytes_count_for_the_memory_of_a_run():
    file = write_chain(chain_flamebearer, 6000)
    run("inspect", "--max-steps", "1G", "--max-memory", "8M", file, memory=48 * MIB, status=[2], text="--max-memory")


def test_each_format_is_read_within_its_bounds():
    """Small plants of each format (tests/bench/sweep.py --bounds has large ones)."""
    for name, kinds in readers.FORMATS.items():
        for kind in kinds:
            a, b = (write(file + readers.ENDINGS.get(name, ""), data)
                    for file, data in zip("ab", readers.sized(name, kind, 60000, 600000, False)))
            for words in (["inspect", a], ["check", a, b, "--json", "r.json", "--folded", "f.txt"]):
                run(*words, memory=320 * MIB, seconds=10)


def test_a_baseline_is_accepted_within_the_bounds_of_its_files():
    """Files of 50 kB whose JSON takes much memory, and files whose functions take many steps."""
    store = ("--store", "store", "--service", "s")
    accept = ("baseline", "accept", *store, "--revision", "1" * 40)
    for file, value in (("a", 1000), ("b", 1001)):
        write(file, made.stackprof_again(2000000, value))
        write(f"wide-{file}", readers.FORMATS["stackprof"]["wide"](2000, value))
    for command in (accept, ("check", *store)):
        files = ("a", "b") if command is accept else ("a",)
        run(*command, *files, memory=320 * MIB, seconds=4, status=[2], text="--max-memory")
        run(*command, *(f"wide-{file}" for file in files), "--max-steps", "300k", status=[2], text="--max-steps")
    run(*accept, "wide-a", "wide-b", status=[0])
    large = readers.FORMATS["stackprof"]["wide"](60000, 1000)  # the limit of each file is that of its own size
    run(*accept, write("large", large), "wide-a", status=[0])


def test_runs_of_a_summary_count_for_its_limits():
    """Runs of few bytes whose profiles are large, and very many runs: packed, and not."""
    kinds = readers.FORMATS["summary"]
    for kind, n in (("one_deep_stack", 20000), ("labels_again", 50000), ("text_in_each_run", 20000),
                    ("runs_of_one_name", 60000)):
        raw = kinds[kind](n, 1000)
        for data in (raw, gzip.compress(raw, 6)):
            write("a.pgsum", data)
            for words in (["inspect", "a.pgsum"], ["check", "a.pgsum", "a.pgsum"], ["merge", "-o", "m.pb.gz", "a.pgsum"]):
                run(*words, memory=256 * MIB, seconds=4, status=[2], text="--max-steps")
    write("a.pgsum", kinds["labels_again"](2000, 1000))
    run("inspect", "a.pgsum", "--max-steps", "9M", status=[2], text="--max-steps")
    run("inspect", "a.pgsum", "--max-steps", "20M", status=[0])


def test_a_summary_of_many_empty_parts_takes_little_memory():
    """Runs, stacks and strings without content: 25 kB packed, 24 MB unpacked."""
    run_of_nothing = made.message(5, b"")
    for body in (run_of_nothing * 12000000, made.message(3, b"") * 12000000 + run_of_nothing,
                 made.message(2, made.message(6, b"") * 12000000) + run_of_nothing):
        raw = readers.SUMMARY_MARK + made.message(15, made.number(1, 1) + body)
        run("inspect", write("a.pgsum", gzip.compress(raw, 9)), memory=256 * MIB, seconds=4, status=[2], text="--max-memory")


def test_runs_of_one_name_have_different_paths():
    """`inspect` frees each run before the next: 10,000 of them together would exceed the memory limit."""
    write("a.pgsum", readers.FORMATS["summary"]["runs_of_one_name"](10000, 1000))
    done = run("inspect", "--json", "a.pgsum", memory=256 * MIB, seconds=8, status=[0])
    paths = [profile["path"] for profile in json.loads(done.stdout)]
    assert paths[:3] == ["a.pgsum/r", "a.pgsum/r#2", "a.pgsum/r#3"], paths[:3]
    assert len(set(paths)) == 10000


def test_each_format_has_hostile_files():
    """Plants are of the format that they are named for, and each reader of gate/formats/ has some. A summary is
    read as profiles of pprof."""
    names = set()
    for source in pathlib.Path(SOURCES, "gate/formats").glob("*.c"):
        names |= set(re.findall(r'\.name = "([^"]+)"', source.read_text(encoding="utf-8")))
    found = {}
    for name, kinds in readers.FORMATS.items():
        if name in readers.ENDINGS:
            continue
        for kind in [kind for kind in ("wide", "same", "chain") if kind in kinds]:
            done = run("inspect", "--json", write("x", kinds[kind](3, 1000)), status=[0])
            found[name] = json.loads(done.stdout)[0]["format"]
    assert set(found.values()) == names, (names - set(found.values()), set(found.values()) - names)
    assert len(found) == len(names), found


def test_many_patterns_of_many_names_are_out_of_proportion():
    names = wide_names(3000)
    for key in ("own: {include: [%s]}", "frames: {ignore: [%s]}"):
        write("rules.yml", f"version: 1\nextends: recommended\n{key % ','.join(f'a{i}' for i in range(9000))}\n".encode())
        for words in (["check", "-r", "rules.yml", *names], ["inspect", "-r", "rules.yml", names[0]],
                      ["explain", "rules.yml", *names]):
            run(*words, seconds=8, memory=512 * MIB, status=[2], text="patterns in the rules")


def wide_names(count):
    return [write(name, readers.pprof(readers.wide(count), value)) for name, value in (("a.pb.gz", 1000), ("b.pb.gz", 1001))]


def test_debug_information_that_decompresses_to_much_is_out_of_proportion():
    """A program of 0.6 MB, whose two sections take 300 MB each. Its names are given up, or it is an error."""
    write("app", made.elf_of_zeros(300 * MIB))
    run("inspect", "--symbols", "app", write("app.pb.gz", made.without_names("/bin/app")), memory=320 * MIB, seconds=4,
        status=[0, 2])


def base64_number(number):
    """A number of 'mappings'."""
    digits, left = "", number << 1
    while True:
        left, digit = left >> 5, left & 31
        digits += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[digit | 32 * (left > 0)]
        if left == 0:
            return digits


def script_of_functions(count):
    places = [{"functionName": f"f{i}", "url": "file:///app.js", "lineNumber": 0, "columnNumber": i} for i in range(count)]
    nodes = [{"id": i + 1, "callFrame": place} for i, place in enumerate(places)]
    return json.dumps({"nodes": nodes, "startTime": 0, "endTime": count, "samples": [node["id"] for node in nodes],
                       "timeDeltas": [1] * count}).encode()


def source_map(**fields):
    return json.dumps({"version": 3, "sources": ["a.ts"], "names": ["x"], "mappings": "AAAAA", **fields}).encode()


def test_a_source_map_with_many_blanks_is_read_in_time():
    """A map of 20 000 functions, each of which begins behind or before 800 000 blanks of the source."""
    script, blanks = write("x.cpuprofile", script_of_functions(20000)), "\n" * 800000
    again = "," + ",".join(["CAAA"] * 19999)
    for text, first in ((blanks + "(", "AA" + base64_number(len(blanks)) + "A"), ("function" + blanks, "AAAA"),
                        ("x" * 800000, "AAAA")):
        write("app.js.map", source_map(sourcesContent=[text], mappings=first + again))
        run("inspect", "--symbols", "app.js.map", script, memory=512 * MIB, seconds=4, status=[0])


def test_a_hostile_source_map_is_refused_or_read():
    script = write("x.cpuprofile", script_of_functions(20))
    whole = json.loads(source_map())
    nested = b'{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":'
    sections = [{"offset": {"line": i, "column": 0}, "map": whole} for i in range(12000)]
    for data, text in ((source_map(mappings="gggggggggggggB"), "at most seven digits in base 64"),
                       (source_map(mappings="D"), "a line or column below 0 or above 31 bits"),
                       (source_map(mappings="ACAA"), "no such entry in 'sources' or 'names'"),
                       (source_map(sourceRoot="r" * 400000, sources=["s"] * 100000), "--max-memory"),
                       (json.dumps({"version": 3, "sections": sections}).encode(), "12000 sections, but at most 10000 are read"),
                       (nested * 15000 + b"{}" + b"}]}" * 15000, "nested too deeply"),
                       (nested * 2 + source_map() + b"}]}" * 2, "sections[0]: expected a source map"),
                       (json.dumps({"version": 3, "sections": [{"offset": {"line": (1 << 31) - 2, "column": 0},
                                    "map": {**whole, "mappings": ";;AAAA"}}]}).encode(), "more lines than 31 bits count")):
        run("inspect", "--symbols", write("app.js.map", data), script, memory=512 * MIB, seconds=4, status=[2], text=text)
    for data in (source_map(mappings="AAAAA," * 150000), source_map(mappings=";" * 900000), source_map(names=["n"] * 200000),
                 source_map(mappings=",".join(["CAAA", "DAAA"] * 90000)), source_map(names=["n" * 900000])):
        run("inspect", "--symbols", write("app.js.map", data), script, memory=512 * MIB, seconds=4, status=[0])
    write("app.js.map", source_map(names=["\x1b[2J</script><b>\n::error::x"]))
    done = run("inspect", "--symbols", "app.js.map", script, status=[0])
    assert b"</script>" in done.stdout and b"\x1b" not in done.stdout and b"\n::error" not in done.stdout, done.stdout


def test_one_long_name_of_many_functions_is_out_of_proportion():
    base, canary = pair(made.one_name, 2000, 100000)
    run("check", base, canary, *REPORTS, seconds=8, status=[2], text="--max-steps")


def many_functions(number, count):
    """A run of so many functions, each of few bytes and of few samples."""
    names = (f"{i:x}" for i in range(count))
    return write(f"run{number}.pb.gz", made.plain(names, value=1000000 + number))


def test_calibrate_compares_fewer_pairs_of_runs_with_many_functions():
    """Each comparison of two of these takes long, so that two hundred would take minutes."""
    runs = [many_functions(i, 20000) for i in range(8)]
    run("calibrate", "-o", "-", *runs, seconds=20, status=[0, 2], text="about 6 pairs of them are compared, not")


def test_prove_makes_fewer_draws_of_profiles_with_many_functions():
    """By default fewer draws are made, and finally none. A number of draws that is given is made or refused."""
    names = [f"main.{i:x}" for i in range(5000)] + [f"main.h{i % 30}" for i in range(5000)]
    run("prove", write("base.pb.gz", made.plain(names)), seconds=20, status=[0], text="draws are made of each size, not 30")
    names = [f"main.{i:x}" for i in range(20000)] + [f"main.h{i % 30}" for i in range(20000)]
    run("prove", write("base.pb.gz", made.plain(names)), seconds=2, status=[2], text="name functions with --frame")
    base = many_functions(0, 60000)
    run("prove", base, "--min-share", "0.001%", seconds=12, status=[2], text="raise --max-steps")
    run("prove", base, "--min-share", "0.001%", "--draws", "1000000", seconds=12, status=[2], text="--draws")
    run("prove", many_functions(0, 500), "--frame", "1f", "--max-steps", "2400k", seconds=30, status=[0],
        text="draws are made of each size, not 30")


def test_growth_of_a_long_name_is_out_of_proportion():
    """A file of 6 kB whose function has a name of 4 MB, which each of hundreds of comparisons would copy."""
    write("a.gz", gzip.compress(readers.FORMATS["dtrace"]["one_long_name"](700000, 1000), 6))
    run("prove", "a.gz", seconds=3, memory=256 * MIB, status=[2], text="ask for")


def test_a_name_of_many_parts_is_shortened_in_time():
    base, canary = pair(made.plain, ["a.b::c<d>" * 50000 + str(i) for i in range(3)])
    run("diff", base, canary, seconds=8, status=[0])
    run("check", base, canary, *REPORTS, seconds=12, status=[0, 1, 3])


def test_many_open_functions_are_decided_in_time():
    """Too few samples for anything, and every function has a large share."""
    data = [made.chain(13000, 4, 2000000 + i) for i in range(2)]
    for name, profile in zip(("base.pb.gz", "canary.pb.gz"), data):
        write(name, profile)
    done = run("check", "-r", "strict", "base.pb.gz", "canary.pb.gz", "--json", "r.json", seconds=20)
    assert done.returncode in (0, 3), done.stderr


def test_hard_drop_frames_patterns_are_refused_in_time():
    names = [f"a{'a' * 28}{i}!" for i in range(20000)]
    base, canary = pair(made.plain, names, "(a+)+[0-9]+")
    run("check", base, canary, seconds=30, status=[2], text="drop_frames")


def test_names_that_renames_make_too_long_are_refused():
    rules = "version: 1\nextends: recommended\nframes:\n  rename:\n" + "    - {match: '^(.*)$', to: '" + "$1" * 10
    rules = rules.split("    - ")[0] + ("    - {match: '^(.+)$', to: '" + "$1" * 10 + "'}\n") * 9
    write("rules.yml", rules.encode())
    base, canary = pair(made.plain, [f"f{i}" for i in range(1000)])
    run("check", "-r", "rules.yml", base, canary, seconds=30, status=[2], text="frames.rename")


# ---- commands in logs ------------------------------------------------------------------------------------------------

BLANKS = " \t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def hostile_names():
    for command in ("::stop-commands::x", "::error::y", "##[error]z", "##vso[task.complete]", "##teamcity[x]"):
        for blank in ["", *BLANKS]:
            yield blank + command
            yield f"f {blank}{command}"


def obeyed(text):
    """Lines that a runner takes for a command: .NET trims what Unicode calls white space, we trim more."""
    for line in re.split(r"\r\n|\r|\n", text):
        trimmed = line.strip(BLANKS)
        if trimmed.startswith("::") or re.search(r"##(\[|vso\[|teamcity\[)", line):
            yield line


def test_no_line_of_output_is_a_ci_command():
    names = list(hostile_names())
    write("base.pb.gz", made.plain(names, value=1000000))
    write("canary.pb.gz", made.plain(names + names[::3], value=1100000))
    write("rules.yml", ("version: 1\nextends: recommended\nbudgets:\n"
                        "  - {name: ' ::stop-commands::x', select: '.', measure: self, limit: '+0.01pp'}\n"
                        "  - {name: '##vso[y]', select: '.', measure: self, limit: '+0.02pp', message: '::x'}\n"
                        ).encode())
    write("bad.yml", "version: 1\n\u00a0::error::x: '##[y'\n".encode())
    write("worse.yml", b"version: 1\nbudgets: ##[error]x\n ::error::x\n")
    outputs = []
    for words in (["check", "-r", "rules.yml", "base.pb.gz", "canary.pb.gz", *REPORTS],
                  ["check", "base.pb.gz", "canary.pb.gz"], ["diff", "base.pb.gz", "canary.pb.gz"],
                  ["explain", names[3], "base.pb.gz", "canary.pb.gz"], ["inspect", "base.pb.gz"],
                  ["init", "-o", "-", "base.pb.gz"], ["validate", "bad.yml"], ["validate", "worse.yml"],
                  ["validate", "rules.yml"], ["check", " ::error::x", "##vso[x]"], [" ::x"], ["check", "--\u3000::x"],
                  *(["check", "-r", "rules.yml", "base.pb.gz", "canary.pb.gz", "--github-annotations", "never",
                     f"--{name}", "-"]
                    for name in ("json", "junit", "markdown", "folded", "openmetrics", "speedscope"))):
        done = run(*words)
        assert done.returncode != 2 or words[0] != "check" or "base.pb.gz" not in words, done.stderr.decode()
        outputs += [(words, done.stdout), (words, done.stderr)]
    outputs += [(path.name, path.read_bytes()) for path in pathlib.Path().iterdir()
                if path.suffix in (".html", ".json", ".xml", ".md", ".svg", ".txt")]
    assert len(outputs) > 30
    for what, data in outputs:
        for line in obeyed(data.decode()):
            raise AssertionError(f"{what}: {line!r}")
    assert sum(b"stop-commands" in data for _, data in outputs) > 5, [what for what, data in outputs if data]


def test_names_in_markdown_are_no_links():
    names = ["https://example.org/x", "www.example.org", "x#12", "GH-12", "@somebody", "[x](http://y)"]
    write("base.pb.gz", made.plain(names, value=100000000))
    write("canary.pb.gz", made.plain(names + names[:4] * 3, value=100000000))
    write("rules.yml", ("version: 1\nextends: recommended\nbudgets:\n  - {name: b, select: '.', measure: self, "
                        "limit: '+1pp', message: 'see https://example.org and #12'}\n").encode())
    text = run("check", "-r", "rules.yml", "base.pb.gz", "canary.pb.gz", "--markdown", "-").stdout.decode()
    assert "example.org" in text
    assert not re.search(r"://|www\.|#12|&#35;12|GH-12|@somebody|&#64;somebody", text), text


# ---- models, files ---------------------------------------------------------------------------------------------------

def test_a_written_noise_model_can_be_read():
    for count, statuses in ((80, [0]), (1200, [0, 2])):
        names = ["\ufeffbom", "\ufffe", "\uffff", *(f"{i}" + "\u2028\"" * 80 for i in range(count))]
        for run_number in range(4):
            write(f"run{run_number}.pb.gz", made.plain(names, value=1000000 + run_number))
        runs = [f"run{i}.pb.gz" for i in range(4)]
        pathlib.Path("noise.yml").unlink(missing_ok=True)
        done = run("calibrate", "-o", "noise.yml", *runs, status=statuses)
        assert pathlib.Path("noise.yml").exists() == (done.returncode == 0)
        if done.returncode == 0:
            run("check", "--noise", "noise.yml", runs[0], runs[1], status=[0, 3])


def test_a_signal_leaves_no_unfinished_report():
    base, canary = pair(made.deep, 40, 1000)
    for step in range(12):
        child = subprocess.Popen([PROGRAM, "check", base, canary, *REPORTS], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        time.sleep(0.01 * step)
        child.send_signal(signal.SIGTERM if step % 2 else signal.SIGINT)
        child.wait()
        left = [path.name for path in pathlib.Path().iterdir() if ".pprofgate-" in path.name]
        assert not left, left


def main():
    test = globals()[f"test_{sys.argv[2]}"]
    with tempfile.TemporaryDirectory(prefix="pprofgate.") as folder:
        os.chdir(folder)
        test()
        os.chdir("/")


main()
