# SPDX-License-Identifier: Apache-2.0
"""Recordings of perf, made here: values and names are compared with what `perf script` says of the same file.

    test_perf.py PPROFGATE SOURCE TEST
    test_perf.py PPROFGATE SOURCE all      all tests, and a table: producer, files, frames and values compared, wrong values
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "evade"))
import pprof  # noqa: E402
import programs  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1])
HEAD = re.compile(r"^(?P<comm>.*?)\s+(?P<tid>\d+)\s+(?:\[\d+\]\s+)?(?:\d+\.\d+:\s+)?(?:(?P<period>\d+)\s+)?(?P<event>\S+):"
                  r"(?P<rest>.*)$")
FRAME = re.compile(r"^\s*(?P<address>[0-9a-f]+) (?P<name>.*?)(?P<offset>\+0x[0-9a-f]+)? \((?P<file>.*)\)$")
TABLE = collections.defaultdict(lambda: [0, 0, 0, 0])  # producer: files, frames, values, wrong values
FRAMES = ("-O0", "-g", "-Wl,--build-id")  # each function has a frame pointer


def count(producer, frames, values, wrong):
    TABLE[producer] = [a + b for a, b in zip(TABLE[producer], (1, frames, values, wrong))]


def gate(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{words}: {done.returncode} for {status}\n{done.stdout}{done.stderr}"
    return done


# ---- programs and recordings ----

def c(folder, name="crew", linker=None, *flags):
    out = folder / name
    extra = [f"-fuse-ld={linker}"] if linker else []
    programs.run("gcc", *FRAMES, *extra, *flags, "-pthread", "-o", out, programs.HERE / "crew.c")
    return out


def cpp(folder, compiler="g++", *flags):
    return programs.cpp(folder, compiler, "-fno-omit-frame-pointer", *flags)


def rust(folder, *flags):
    out = folder / "shop-rust"
    programs.run("rustc", "-O", "-g", "-C", "force-frame-pointers=yes", "-C", "link-arg=-Wl,--build-id", *flags, "-o", out,
                 programs.HERE / "shop.rs")
    return out


def record(folder, *words, name="perf.data", options=("-F", "1999", "-g"), event="cpu-clock"):
    out = folder / name
    programs.run("perf", "record", "-q", "-e", event, *options, "-o", out, "--", *words, cwd=folder)
    return out


def script(path, *words):
    """perf's own text: mangled names, no inlined calls."""
    return subprocess.run(["perf", "script", "-i", path, "-F", "+symoff", "--no-inline", "--no-demangle", *words],
                          capture_output=True, text=True, check=True).stdout


# ---- what perf says, and what the gate says ----

def module(path):
    """`[nfs]` of both writings of a module's name."""
    return pathlib.PurePath(path).name


def perf_samples(text):
    """[(comm, event, period, [(name, is exact, file)])] of perf's text."""
    samples = []
    for line in text.splitlines():
        head = HEAD.match(line) if line and not line.startswith("\t") else None
        if head:
            samples.append((head["comm"].strip(), re.sub(r":[ukhGHpPSDIWeb]+$", "", head["event"]),
                            int(head["period"] or 0), []))
            line = head["rest"]
        frame = FRAME.match(line)
        if frame:
            name = "" if frame["name"] == "[unknown]" else frame["name"].removesuffix(".abi0")  # DWARF leaves it out
            samples[-1][3].append((name, frame["offset"] != "+0x0" or not samples[-1][3], frame["file"]))
    return samples


def gate_samples(path):
    """{(comm, stack): [values]} of a profile, where a frame is its outermost linkage name, and its file; and types."""
    profile = pprof.Profile(path)
    types, mappings = [], {}
    for number, value in profile.rest:
        if number == 1:
            types.append(profile.strings[dict((n, v) for n, _, v in pprof.fields(value))[1]])
        if number == 3:
            row = {n: v for n, _, v in pprof.fields(value)}
            mappings[row[1]] = profile.strings[row.get(5, 0)]
    frames = {}
    for identity, raw in profile.locations.items():
        name, file = "", ""
        for number, _, value in raw:
            if number == 2:
                file = mappings[value]
            if number == 4:
                function = {n: v for n, _, v in profile.functions[next(v for n, _, v in pprof.fields(value) if n == 1)]}
                name = profile.strings[function.get(3, 0)]
        frames[identity] = (name, file)
    samples = collections.defaultdict(lambda: [0] * len(types))
    for sample in profile.samples:
        key = (profile.label(sample, "comm"), tuple(frames[location] for location in sample.locations))
        samples[key] = [a + b for a, b in zip(samples[key], sample.values)]
    return samples, types


def columns(event, types, has_period):
    """Indices of the columns of an event's samples and periods."""
    clock = f"{event}_sample" not in types  # the first clock is plain "samples" and "cpu"
    samples = types.index("samples") if clock else types.index(f"{event}_sample")
    period = types.index("cpu" if clock else f"{event}_event") if has_period else None
    return samples, period


def edged(stack):
    """A stack of which only the length and the leaf can be compared: one with a return address that is the start of a
    function, as of a signal's trampoline (perf names that function, and the gate the one before it, which has the
    call), and one of the dynamic loader."""
    return ("edge", len(stack), stack[0])


def stubbed(stack):
    """A stack through a stub of the linker, of which only the length can be compared: a stub has no symbol, and perf
    makes one, "execl@plt"."""
    return ("stub", len(stack))


def in_loader(stack):
    """The dynamic loader keeps no frame pointers: its callers are chance. With -d, perf finds them in mapped data too."""
    return any("/ld-linux" in file for _, _, file in stack)


def compare(producer, perf_text, out, own, period=None):
    """Values of each stack, and names of the frames of the files `own`, are those of perf."""
    theirs, frames, wrong = collections.Counter(), 0, []
    samples, types = gate_samples(out)
    ours = collections.Counter()
    for (comm, stack), values in samples.items():
        key = (comm, tuple((name if file in own else "", place(file)) for name, file in stack))
        for i, value in enumerate(values):
            ours[key, i] += value
    for comm, event, read, stack in perf_samples(perf_text):
        weight = read or period
        at, periods = columns(event, types, bool(weight))
        key = (comm, tuple((name if file in own else "", place(file)) for name, _, file in stack))
        if any(name.endswith("@plt") and file in own for name, _, file in stack):
            key = (comm, stubbed(key[1]))
        elif any(not is_exact and file in own for _, is_exact, file in stack) or in_loader(stack):
            key = (comm, edged(key[1]))
        theirs[key, at] += 1
        if periods is not None:
            theirs[key, periods] += weight
        frames += len(stack)
    for key in sorted(ours, key=str):
        more = ours[key] - theirs.get(key, 0)  # perf may have some samples of a stack at an edge, and others not
        for kind in (edged, stubbed) if more > 0 else ():
            edge = ((key[0][0], kind(key[0][1])) if key[0][1] else key[0], key[1])
            if edge != key and edge in theirs:
                ours[edge] += more
                ours[key] -= more
                if ours[key] == 0:
                    del ours[key]
                break
    for key in [key for key in theirs if not key[0][1]]:  # perf prints no frame; the sample has its own address
        for other in ours:
            if other[0][0] == key[0][0] and other[1] == key[1] and len(other[0][1]) == 1:
                more = min(ours[other] - theirs[other], theirs[key])
                theirs[other] += more
                theirs[key] -= more
    for key in sorted(set(theirs) | set(ours), key=str):
        if theirs[key] != ours[key]:
            wrong.append(f"{key}: perf {theirs[key]}, gate {ours[key]}")
    count(producer, frames, len(set(theirs) | set(ours)), len(wrong))
    assert not wrong, f"{producer}: {len(wrong)} of {len(theirs)} values differ:\n" + "\n".join(wrong[:6])
    assert frames > 40, f"{producer}: only {frames} frames"
    return ours


def place(file):
    """A file as both write it: perf calls anonymous code by its perf map, and what it does not know [unknown]."""
    if file in ("", "[unknown]") or file.startswith(("//anon", "/tmp/perf-")):
        return ""
    return file


def compare_data(producer, folder, data, binaries, symbols, **how):
    """A perf.data file: frames of `binaries` are named by the files of `symbols`."""
    out = folder / "named.pb.gz"
    done = gate("merge", "-o", out, *(word for path in symbols for word in ("--symbols", path)), data)
    return compare(producer, script(data), out, {str(path) for path in binaries}, **how), done.stderr


def unnamed(text, binaries):
    """perf's text of binaries that it has no symbols of."""
    lines = []
    for line in text.splitlines():
        frame = FRAME.match(line) if line.startswith("\t") else None
        if frame and frame["file"] in binaries:
            line = f"\t{frame['address']:>16} [unknown] ({frame['file']})"
        lines.append(line)
    return "\n".join(lines) + "\n"


def text_file(folder, data, binaries, change=lambda text: text):
    out = folder / "perf.txt"
    out.write_text(change(unnamed(script(data), {str(path) for path in binaries})))
    return out


def compare_text(producer, folder, data, binaries, symbols, change=lambda text: text):
    """Text of perf without the names of `binaries`: they come from `symbols`."""
    out, text = folder / "text.pb.gz", text_file(folder, data, binaries, change)
    done = gate("merge", "-o", out, *(word for path in symbols for word in ("--symbols", path)), text)
    return compare(producer, script(data), out, {str(path) for path in binaries}), done.stderr


# ---- tests ----

LINKERS = ("bfd", "gold", "lld", "mold")


def test_programs_of_each_linker_have_perfs_names(folder):  # needs: libdw perf-record ld.lld mold gold
    """Each linker places code otherwise, position-independent or not: perf's own names, of perf.data and of its text."""
    for linker in LINKERS:
        for flag in ("-pie", "-no-pie"):
            binary = c(folder, f"{linker}{flag}", linker, flag)
            data = record(folder, binary, "1500")
            compare_data(f"perf.data, C, {linker} {flag}", folder, data, [binary], [binary])
            compare_text(f"perf script text, C, {linker} {flag}", folder, data, [binary], [binary])


def test_cpp_programs_of_clang_have_perfs_names(folder):  # needs: libdw perf-record clang++ ld.lld
    """C++ by clang and LLD."""
    binary = cpp(folder, "clang++", "-fuse-ld=lld")
    data = record(folder, binary, "0.4")
    compare_data("perf.data, C++, clang, lld", folder, data, [binary], [binary])
    compare_text("perf script text, C++, clang, lld", folder, data, [binary], [binary])


def test_rust_programs_have_perfs_names(folder):  # needs: libdw perf-record rustc ld.lld
    """Rust with its default linker, and with LLD."""
    for name, flags in (("default linker", ()), ("lld", ("-C", "link-arg=-fuse-ld=lld"))):
        binary = rust(folder, *flags)
        data = record(folder, binary, "20000")
        compare_data(f"perf.data, Rust, {name}", folder, data, [binary], [binary])
        compare_text(f"perf script text, Rust, {name}", folder, data, [binary], [binary])


def test_go_programs_have_perfs_names(folder):  # needs: libdw perf-record go
    """Go's own linker, at a fixed address and position-independent; and stripped, by Go's own table."""
    for flags in ((), ("-buildmode=pie",)):
        binary, _ = programs.go(folder, *flags)
        data = record(folder, binary, folder / "profile")
        name = " ".join(("Go", *flags))
        compare_data(f"perf.data, {name}", folder, data, [binary], [binary])
        compare_text(f"perf script text, {name}", folder, data, [binary], [binary])
        stripped = folder / "stripped" / "shop"
        stripped.parent.mkdir(exist_ok=True)
        programs.run("strip", "-o", stripped, binary)
        compare_text(f"perf script text, {name}, stripped", folder, data, [binary], [stripped])


def test_debug_files_name_stripped_programs(folder):  # needs: libdw perf-record ld.lld
    """A stripped binary and its debug information, by build id from perf.data and by name from its text."""
    for linker in ("bfd", "lld"):
        binary = c(folder, f"crew-{linker}", linker)
        data = record(folder, binary, "1500")
        files = folder / linker
        files.mkdir()
        debug = files / f"crew-{linker}.debug"
        programs.run("objcopy", "--only-keep-debug", binary, debug)
        programs.run("strip", "-o", files / binary.name, binary)
        compare_data(f"perf.data, C, {linker}, debug file alone", folder, data, [binary], [debug])
        compare_data(f"perf.data, C, {linker}, stripped and debug file", folder, data, [binary], [files])
        _, told = compare_text(f"perf script text, C, {linker}, debug file and stripped", folder, data, [binary],
                               [debug, files / binary.name])
        assert "named by" in told, told
        # The debug file alone lacks the binary's offsets: nothing is named, and the note says so.
        out = folder / "none.pb.gz"
        done = gate("merge", "-o", out, "--symbols", debug, text_file(folder, data, [binary]))
        samples, _ = gate_samples(out)
        assert "names none of" in done.stderr and "add the binary" in done.stderr, done.stderr
        assert not any(name for _, stack in samples for name, file in stack if file == str(binary))


def segment(binary):
    address, offset, _ = programs.code(binary)
    return address - offset


def test_process_addresses_of_fixed_programs_are_named(folder):  # needs: libdw perf-record ld.lld
    """Other versions of perf print addresses of the process: those of a fixed program are named, others are not."""
    for flag in ("-no-pie", "-pie"):
        binary = c(folder, f"lld{flag}", "lld", flag)
        data = record(folder, binary, "1500")

        def absolute(text, base=segment(binary) + (0x55e0c0a00000 if flag == "-pie" else 0)):
            lines = []
            for line in text.splitlines():
                frame = FRAME.match(line) if line.startswith("\t") else None
                if frame and frame["file"].startswith("/"):
                    shift = base if frame["file"] == str(binary) else 0x7f0000000000
                    line = line.replace(frame["address"], f"{int(frame['address'], 16) + shift:x}", 1)
                lines.append(line)
            return "\n".join(lines) + "\n"

        if flag == "-no-pie":
            compare_text("perf script text, process addresses", folder, data, [binary], [binary], absolute)
            continue
        out = folder / "none.pb.gz"
        done = gate("merge", "-o", out, "--symbols", binary, text_file(folder, data, [binary], absolute))
        samples, _ = gate_samples(out)
        assert "names none of" in done.stderr and "perf.data" in done.stderr, done.stderr
        assert not any(name for _, stack in samples for name, file in stack if file == str(binary))


def test_ambiguous_addresses_are_decided_by_function_bounds(folder):  # needs: libdw
    """A fixed program whose addresses are offsets in it as well, and nothing to tell by: decided by function bounds."""
    source, binary = folder / "wide.c", folder / "wide"
    functions = [f"int f{i}(int n) {{ return n * {i} + {i % 7}; }}\n" for i in range(40)]
    source.write_text("".join([*functions[:20], '__asm__(".skip 0x30000");\n', *functions[20:],
                               "int _start(void) { return f3(4); }\n"]))
    programs.run("gcc", "-O1", "-nostdlib", "-static", "-no-pie", "-Wl,-Ttext-segment=0x20000", "-Wl,-z,noseparate-code",
                 "-Wl,--build-id=none", "-falign-functions=64", "-fno-toplevel-reorder", "-o", binary, source)
    base, offset, size = programs.code(binary)
    assert base == 0x20000 and offset == 0 and size > 0x30000
    # Read the other way, the addresses below are in the segment as well, but between f19 and f20, in no function.
    given, out = folder / "perf.txt", folder / "out.pb.gz"
    rows = {name: int(address, 16) for address, _, name in
            (line.split() for line in programs.run("nm", binary).stdout.splitlines()) if name.startswith("f")}

    def named(addresses):
        given.write_text("".join(f"wide 7 {i}.000001: 1 cpu-clock:\n\t{address:16x} [unknown] ({binary})\n\n"
                                 for i, address in enumerate(addresses)))
        done = gate("merge", "-o", out, "--symbols", binary, given)
        samples, _ = gate_samples(out)
        return sorted(stack[0][0] for _, stack in samples), done.stderr

    low, high = [f"f{i}" for i in range(9)], [f"f{i}" for i in range(20, 29)]
    found, told = named([rows[name] for name in low])
    assert found == low and "named by" in told, (found, told)
    found, told = named([rows[name] - base for name in high])
    assert found == high and "named by" in told, (found, told)
    found, told = named([rows[low[0]], rows[high[0]] - base])  # both kinds in one text
    assert not any(found) and "offsets in the file or addresses" in told, (found, told)


def test_each_mode_of_recording_is_read_as_by_perf(folder):  # needs: libdw perf-record
    """Periods and frequencies, several events, no stacks, one thread's, a pipe. Other processes are left out: they vary."""
    binary = c(folder)
    modes = (
        ("frequency", ("-F", "1999", "-g"), "cpu-clock", None),
        ("period", ("-c", "500000", "-g"), "cpu-clock", 500000),
        ("no stacks", ("-F", "1999",), "cpu-clock", None),
        ("several events", ("-g", "-F", "1999"), "cpu-clock,task-clock,page-faults", None),
        ("user only", ("-F", "1999", "-g"), "cpu-clock:u", None),
        ("addresses and processors", ("-F", "1999", "-g", "-d", "-T", "--sample-cpu"), "cpu-clock", None),
        ("per thread", ("-F", "1999", "-g", "--per-thread"), "cpu-clock", None),
        ("no build ids", ("-F", "1999", "-g", "-B"), "cpu-clock", None),
        ("build ids in records", ("-F", "1999", "-g", "--buildid-mmap"), "cpu-clock", None),
        ("counter values", ("-F", "1999", "-g", "--running-time"), "cpu-clock", None),
    )
    for name, options, event, period in modes:
        alone = ["again"] if name == "per thread" else []  # perf does not follow new threads then
        data = record(folder, binary, "3000", *alone, options=options, event=event)
        ours, _ = compare_data(f"perf.data, {name}", folder, data, [binary], [binary], period=period)
        if name == "frequency":
            comms = {comm for (comm, _), _ in ours}
            assert {"crew", "baker", "miller"} <= comms, comms
            names = {frame[0] for (_, stack), _ in ours for frame in stack if isinstance(frame, tuple)}
            assert {"mix", "sieve", "turn"} <= names, names


def test_a_recording_to_a_pipe_is_read(folder):  # needs: libdw perf-record
    """What `perf record -o -` writes has its header among the records."""
    binary, pipe = c(folder), folder / "pipe.data"
    quiet = folder / "quiet"
    quiet.write_text(f"#!/bin/sh\nexec {binary} 3000 again > /dev/null\n")
    quiet.chmod(0o755)
    with pipe.open("wb") as out:
        subprocess.run(["perf", "record", "-q", "-e", "cpu-clock,page-faults", "-F", "1999", "-g", "-o", "-", "--", quiet],
                       stdout=out, stderr=subprocess.DEVNULL, check=True)
    compare_data("perf.data, pipe", folder, pipe, [binary], [binary])


def refusal(folder, *options, event="cpu-clock"):
    data = record(folder, folder / "crew", "200", options=options, event=event)
    return gate("inspect", data, status=2).stderr


def test_unreadable_recordings_name_the_converting_command(folder):  # needs: perf-record
    """What only perf can read is refused with the command that converts it."""
    c(folder)
    told = refusal(folder, "-F", "99", "--call-graph", "dwarf")
    assert "--call-graph dwarf" in told and "perf script -i" in told, told
    told = refusal(folder, "-F", "99", "-g", "-z")
    assert "compressed records" in told and "perf script -i" in told, told
    data = record(folder, folder / "crew", "200")
    whole = data.read_bytes()
    for size in (50, 103, len(whole) // 2, len(whole) - 1):
        data.write_bytes(whole[:size])
        told = gate("inspect", data, status=2).stderr
        assert "perf.data" in told, told


def main():
    names = [name for name in globals() if name.startswith("test_")] if sys.argv[3] == "all" else [f"test_{sys.argv[3]}"]
    for name in names:
        with tempfile.TemporaryDirectory(prefix="gate-perf-") as folder:
            globals()[name](pathlib.Path(folder))
    for kind in ("perf.data", "perf script text"):
        rows = {producer: row for producer, row in TABLE.items() if producer.startswith(kind)}
        for producer, row in [*rows.items(), (f"{kind}, all", [sum(column) for column in zip(*rows.values())])]:
            if row:
                print("{:50} {:3} files {:7} frames {:6} values {:3} wrong".format(producer, *row))


if __name__ == "__main__":
    main()
