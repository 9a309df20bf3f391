# SPDX-License-Identifier: Apache-2.0
"""Names for profiles without: programs are compiled here, and what is found in them is compared with what binutils, and
Go's runtime, say of the same addresses.

    test_symbols.py PPROFGATE SOURCE TEST
"""
import http.server
import json
import os
import pathlib
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "evade"))
import pprof  # noqa: E402
import programs  # noqa: E402
from bare import BASE, Addresses  # noqa: E402

PROGRAM = pathlib.Path(sys.argv[1])


def gate(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{words}: {done.returncode} for {status}\n{done.stdout}{done.stderr}"
    return done


def named(folder, binary, addresses, *symbols, **how):
    """What --symbols finds, by address."""
    given, out = folder / "given.pb", folder / "named.pb.gz"
    Addresses(given, binary, addresses, **how)
    done = gate("merge", "-o", out, *(word for path in symbols for word in ("--symbols", path)), given)
    profile = pprof.Profile(out)
    base, _, _ = programs.code(binary)
    found = {}
    for raw in profile.locations.values():
        calls = []
        for number, _, value in raw:
            if number != 4:
                continue
            line = {n: v for n, _, v in pprof.fields(value)}
            function = {n: v for n, _, v in profile.functions[line[1]]}
            calls.append((profile.strings[function.get(2, 0)], profile.strings[function.get(3, 0)],
                          profile.strings[function.get(4, 0)], line.get(2, 0)))
        found[next(v for n, _, v in raw if n == 3) - BASE - base % 4096 + base] = calls
    return found, done.stderr


def addresses_of(binary, pattern, step=3):
    return [address for start, size in programs.functions(binary, pattern) for address in range(start, start + size,
                                                                                                step)]


def compare(found, binary, addresses, files=True):
    """With binutils: the same functions, inlined or not, at the same places."""
    inlined = 0
    for address, expected in zip(addresses, programs.addr2line(binary, addresses)):
        calls = [(system, file, line) if files else system for _, system, file, line in found[address]]
        wanted = [(name, file, line) if files else name for name, file, line in expected]
        if files and len(calls) > 1 and calls[0][0] == "mix" and wanted[0][0] == wanted[-1][0]:
            calls[0] = (wanted[0][0], *calls[0][1:])  # binutils name what is local to a file by the function around it
        assert calls == wanted, f"{address:#x}:\n  found    {calls}\n  expected {wanted}"
        inlined += len(calls) > 1
    return inlined


def test_addresses_have_the_names_of_addr2line(folder):  # needs: libdw
    """C++ with inlined calls: functions, files and lines of each address as addr2line has them."""
    binary = programs.cpp(folder)
    addresses = addresses_of(binary, "shop")
    found, told = named(folder, binary, addresses, folder)
    assert told == "", told
    inlined = compare(found, binary, addresses)
    names = {name for calls in found.values() for name, _, _, _ in calls}
    assert {"shop::mix", "shop::order", "shop::Cart<int>::total", "shop::(anonymous namespace)::spell"} <= names, names
    assert inlined > 20, f"only {inlined} of {len(addresses)} addresses have inlined calls"


def test_programs_of_clang_have_the_names_of_addr2line(folder):  # needs: libdw clang++
    """clang writes no table of addresses by unit."""
    binary = programs.cpp(folder, "clang++", "-gdwarf-4")
    addresses = addresses_of(binary, "shop", 5)
    found, _ = named(folder, binary, addresses, binary)
    assert compare(found, binary, addresses) > 20


def test_a_linkage_name_that_only_looks_mangled_is_not_shown(folder):  # needs: libdw
    """A linkage name that looks mangled, and is not: the name in the source is shown."""
    source, binary = folder / "spell.cpp", folder / "spell"
    source.write_text("""
        __attribute__((noinline)) long spell(long number) __asm__("_ZN4shop");
        long spell(long number) { return number * 3; }
        int main(int argc, char **) { return (int)spell(argc); }
    """)
    programs.run("g++", "-O2", "-g", "-Wl,--build-id", "-o", binary, source)
    found, _ = named(folder, binary, addresses_of(binary, "^_ZN4shop$"), binary)
    assert found, "no address"
    for calls in found.values():
        assert [(name, system) for name, system, _, _ in calls] == [("spell", "_ZN4shop")], calls


def test_the_innermost_of_too_many_inlined_calls_are_kept(folder):  # needs: libdw
    """A location has at most 256 lines: of 300 inlined calls, the innermost ones are kept."""
    source, binary = folder / "deep.cpp", folder / "deep"
    inlined = "static inline __attribute__((always_inline)) long"
    source.write_text("\n".join([f"{inlined} at300(long n) {{ volatile long kept = n; return kept * 3; }}",
                                 *(f"{inlined} at{i}(long n) {{ return at{i + 1}(n); }}" for i in reversed(range(300))),
                                 "__attribute__((noinline)) long shop(long n) { return at0(n); }",
                                 "int main(int argc, char **) { return (int)shop(argc); }"]))
    programs.run("g++", "-O2", "-g", "-Wl,--build-id", "-o", binary, source)
    found, _ = named(folder, binary, addresses_of(binary, "shop", 1), binary)
    deep = [[name for name, _, _, _ in calls] for calls in found.values() if len(calls) > 1]
    assert deep, found
    for names in deep:  # the outermost line has the name of the symbol, the function around all of them
        assert names == [*(f"at{i}" for i in range(300, 45, -1)), "shop"], names


def stable_names(folder, binary):
    """The stable names of all addresses of the program's own functions."""
    named(folder, binary, addresses_of(binary, "shop|main", 1), binary)
    profile = folder / "named.pb.gz"
    shown = json.loads(gate("diff", "--json", "-", "--frames", "all", profile, profile).stdout)
    names = {frame["function"] for frame in shown["frames"]}
    return {name for name in names if name.startswith(("shop::", "main", "(anonymous"))}


def test_inlined_lambdas_have_stable_names(folder):  # needs: libdw
    """An inlined lambda, of which debug information has no linkage name, has the stable name of one with a symbol."""
    names = {}
    for local in ("noinline", "always_inline"):
        binary = folder / local
        programs.run("g++", "-O2", "-g", f"-DLOCAL=__attribute__(({local}))", "-Wl,--build-id", "-o", binary,
                     programs.HERE / "lambdas.cpp")
        names[local] = stable_names(folder, binary)
    assert names["noinline"] == names["always_inline"], names["noinline"] ^ names["always_inline"]
    expected = {"main::{lambda#*}::operator()", "shop::price::{lambda#*}::operator()",
                "shop::stock::{lambda#*}::operator()::{lambda#*}::operator()<long>", "shop::Cart::total::Sum::add",
                "shop::(anonymous namespace)::spell::{unnamed type#*}::letter", "shop::label",
                "shop::(anonymous namespace)::spread<unsigned long>"}
    assert expected <= names["noinline"], expected - names["noinline"]


def test_separate_debug_information_is_found(folder):  # needs: libdw xz
    """A stripped binary, whose debug information is elsewhere: by build id, by .gnu_debuglink, alone, or compressed."""
    binary = programs.cpp(folder)
    addresses = addresses_of(binary, "shop|^main$", 7)
    whole, _ = named(folder, binary, addresses, binary)
    stripped, debug = folder / "bin" / "shop", folder / "debug" / "any-name"
    for path in (stripped, debug):
        path.parent.mkdir()
    programs.run("objcopy", "--only-keep-debug", binary, debug)
    programs.run("strip", "-o", stripped, binary)
    bare, _ = named(folder, binary, addresses, stripped)
    assert not any(bare[address] for address in addresses), "nothing names what is stripped"
    by_id, _ = named(folder, binary, addresses, stripped.parent, debug.parent)
    alone, _ = named(folder, binary, addresses, debug)
    assert by_id == whole and alone == whole
    # A link, and no build id that would do without it.
    linked = folder / "linked"
    (linked / ".debug").mkdir(parents=True)
    plain = programs.cpp(linked, "g++", "-Wl,--build-id=none")
    programs.run("objcopy", "--only-keep-debug", plain, linked / ".debug" / "shop.debug")
    programs.run("strip", plain)
    programs.run("objcopy", f"--add-gnu-debuglink={linked / '.debug' / 'shop.debug'}", plain)
    by_link, told = named(folder, plain, addresses_of(linked / ".debug" / "shop.debug", "shop", 7), plain, build_id="")
    assert sum(len(calls) > 1 for calls in by_link.values()) > 5 and "same file name" in told, told
    # The file that the link names, anywhere among the given ones.
    (linked / "given").mkdir()
    (linked / ".debug" / "shop.debug").rename(linked / "given" / "shop.debug")
    by_given, _ = named(folder, plain, addresses_of(linked / "given" / "shop.debug", "shop", 7), plain, linked / "given",
                        build_id="")
    assert by_given == by_link, by_given
    (linked / "given" / "shop.debug").rename(linked / "given" / "other.debug")
    by_content, _ = named(folder, plain, addresses, plain, linked / "given", build_id="")
    assert not any(by_content.values()), "a link names a file, whatever else has its checksum"
    (linked / "given" / "other.debug").rename(linked / ".debug" / "shop.debug")
    # Another file under the link's name is refused by its checksum.
    (linked / ".debug" / "shop.debug").write_bytes(debug.read_bytes() + b"\0")
    refused, _ = named(folder, plain, addresses, plain, build_id="")
    assert not any(refused.values())


def inlined_calls(found):
    return sum(len(calls) > 1 for calls in found.values())


def test_shared_debug_information_of_dwz_is_found(folder):  # needs: libdw dwz
    """`dwz -m` moves what several files share to a file of its own, which is found by its build id anywhere."""
    (folder / "other").mkdir()
    binary, other = programs.cpp(folder), programs.cpp(folder / "other", "g++", "-O1")
    files, bare = folder / "files", folder / "bare"
    files.mkdir()
    bare.mkdir()
    for path, name in ((binary, "shop"), (other, "other")):
        programs.run("objcopy", "--only-keep-debug", path, files / f"{name}.debug")
        programs.run("strip", "-o", bare / name, path)
    programs.run("dwz", "-m", "shared", "shop.debug", "other.debug", cwd=files)
    addresses = addresses_of(binary, "shop", 5)
    whole, _ = named(folder, binary, addresses, binary)
    found, told = named(folder, binary, addresses, bare, files)  # two files of one build id
    assert found == whole and inlined_calls(whole) > 5 and told == "", told
    moved = folder / "moved"
    moved.mkdir()
    (files / "shared").rename(moved / "any-name")
    found, told = named(folder, binary, addresses, bare, files, moved)
    assert found == whole and told == "", told
    found, told = named(folder, binary, addresses, bare, files)
    assert inlined_calls(found) == 0 and "(dwz), which is not in --symbols" in told, told


def test_split_debug_information_is_read_or_noted(folder):  # needs: libdw
    """Units in .dwo files are read if the files exist; else a note names the missing file."""
    binary = folder / "shop"
    programs.run("g++", "-O2", "-g", "-gsplit-dwarf", "-Wl,--build-id", "-o", "shop", programs.HERE / "shop.cpp", cwd=folder)
    addresses = addresses_of(binary, "shop", 5)
    found, told = named(folder, binary, addresses, binary)
    assert inlined_calls(found) > 5 and told == "", told
    for path in folder.glob("*.dwo"):
        path.unlink()
    found, told = named(folder, binary, addresses, binary)
    assert all(found.values()) and inlined_calls(found) == 0 and "units are in .dwo files that are not" in told, told


def test_a_dwp_is_read_or_noted(folder):  # needs: libdw dwp
    """A .dwp has the names, or a note names it, the version of libdw that reads it, and what to do."""
    binary = folder / "shop"
    programs.run("g++", "-O2", "-g", "-gdwarf-4", "-gsplit-dwarf", "-Wl,--build-id", "-o", "shop",
                 programs.HERE / "shop.cpp", cwd=folder)  # binutils' dwp of 2022 ends with a crash on DWARF 5
    addresses = addresses_of(binary, "shop", 5)
    whole, _ = named(folder, binary, addresses, binary)
    programs.run("dwp", "-e", "shop", cwd=folder)
    for path in folder.glob("*.dwo"):
        path.unlink()
    package = folder / "shop.dwp"

    def expect(*symbols):
        found, told = named(folder, binary, addresses, *symbols)
        if found != whole:
            assert all(found.values()) and inlined_calls(found) == 0, found
            assert f"are in '{package}', which this program's libdw (0." in told, told
            assert "keep the .dwo files where they were compiled" in told, told
        return found == whole

    is_read = expect(binary)  # beside the binary
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    package = package.rename(elsewhere / "shop.dwp")
    assert not expect(binary, elsewhere), "libdw looks beside the binary alone"
    package.unlink()
    found, told = named(folder, binary, addresses, binary)
    assert "units are in .dwo files that are not there" in told and found != whole, (is_read, told)


def zstd_sections(path):
    """Compress the debug sections of a 64-bit file, as `objcopy --compress-debug-sections=zstd` of newer binutils."""
    data = bytearray(path.read_bytes())
    start, (count, names) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HH", data, 60)
    rows = [list(struct.unpack_from("<IIQQQQIIQQ", data, start + 64 * i)) for i in range(count)]
    for row in rows:
        at = rows[names][4] + row[0]
        if not data[at:].startswith(b".debug_"):
            continue
        plain = bytes(data[row[4]:row[4] + row[5]])
        packed = subprocess.run(["zstd", "-q", "-c"], input=plain, capture_output=True, check=True).stdout
        body = struct.pack("<IIQQ", 2, 0, len(plain), row[8]) + packed
        row[2], row[4], row[5], row[8] = row[2] | 0x800, len(data), len(body), 8
        data += body + bytes(-len(body) % 8)
    struct.pack_into("<Q", data, 40, len(data))
    for row in rows:
        data += struct.pack("<IIQQQQIIQQ", *row)
    path.write_bytes(data)


def test_zstd_debug_sections_are_read_or_noted(folder):  # needs: libdw zstd
    """Debug sections compressed with zstd are read, or (libelf before 0.190) a note gives the next step."""
    binary = programs.cpp(folder)
    addresses = addresses_of(binary, "shop", 5)
    whole, _ = named(folder, binary, addresses, binary)
    zstd_sections(binary)
    found, told = named(folder, binary, addresses, binary)
    assert all(found.values()), found
    assert found == whole or "compressed with zstd" in told, told


def test_the_compressed_symbol_table_names_functions(folder):  # needs: libdw xz
    """Fedora's way: a compressed symbol table in the stripped binary names functions, without lines."""
    binary = programs.cpp(folder)
    wanted = programs.functions(binary, "shop|^main$")
    small = folder / "small"
    programs.run("objcopy", "--strip-debug", binary, small)
    programs.run("objcopy", "--only-keep-debug", small, small)
    programs.run("xz", "-k", small)
    programs.run("strip", "--strip-all", binary)
    addresses = [start + size // 2 for start, size in wanted]
    bare, _ = named(folder, binary, addresses, binary)
    programs.run("objcopy", "--add-section", f".gnu_debugdata={small}.xz", binary)
    found, _ = named(folder, binary, addresses, binary)
    assert not any(bare.values()), bare
    assert {calls[0][0] for calls in found.values()} >= {"shop::order", "shop::Cart<int>::total", "main"}, found


def test_both_rust_manglings_give_the_same_paths(folder):  # needs: libdw rustc
    """Both of Rust's manglings become the same paths."""
    for binary in programs.rust(folder):
        addresses = addresses_of(binary, "4shop.*(order|total|price)", 5)
        found, _ = named(folder, binary, addresses, binary)
        compare(found, binary, addresses, files=False)
        names = {name for calls in found.values() for name, _, _, _ in calls}
        assert any(name.endswith("::order") for name in names), names
        assert any("cart::total" in name for name in names) and any("::mix" in name for name in names), names
        assert not any(name.startswith(("_R", "_ZN")) or "17h" in name for name in names), names


def unname(source, out):
    """The profile as a profiler has it that knows addresses alone."""
    profile = pprof.Profile(source)
    for identity, raw in profile.locations.items():
        profile.locations[identity] = [row for row in raw if row[0] != 4]
    profile.functions = {}
    profile.write(out)


def test_go_names_are_those_that_go_wrote(folder):  # needs: libdw go
    """Go's runtime wrote a profile with names; without them, its binary gives the same back, line by line."""
    binary, profile = programs.go(folder)
    bare, out = folder / "bare.pb.gz", folder / "named.pb.gz"
    unname(profile, bare)
    gate("merge", "--symbols", binary, "-o", out, bare)
    stacks = []
    for path in (profile, out):
        read = pprof.Profile(path)
        stacks.append(sorted((read.stack(sample), sample.values) for sample in read.samples))
    differ = [(a, b) for a, b in zip(*stacks) if a != b]
    assert not differ and len(stacks[0]) == len(stacks[1]) > 2, (len(stacks[0]), differ[:2])


def test_stripped_go_programs_have_the_names_of_gos_table(folder):  # needs: libdw go
    """Without DWARF and symbols Go's own table names the functions that code is in."""
    for flags in (("-ldflags=-s -w",), ("-ldflags=-s -w", "-buildmode=pie")):
        binary, profile = programs.go(folder, *flags)
        bare, out = folder / "bare.pb.gz", folder / "named.pb.gz"
        unname(profile, bare)
        gate("merge", "--symbols", binary, "-o", out, bare)
        outer = []
        for path in (profile, out):
            read = pprof.Profile(path)
            outer.append(sorted(([read.names_of(location)[-1:] for location in sample.locations], sample.values)
                                for sample in read.samples))
        differ = [(a, b) for a, b in zip(*outer) if a != b]
        assert not differ and len(outer[0]) == len(outer[1]) > 2, (flags, len(outer[0]), differ[:2])


def test_files_of_another_build_are_not_used(folder):  # needs: libdw
    """A file of another build is not used, whatever its name. Without a build id, the name decides, with a note."""
    (folder / "other").mkdir()
    binary, other = programs.cpp(folder), programs.cpp(folder / "other", "g++", "-O1")
    addresses = addresses_of(binary, "shop", 31)
    found, told = named(folder, binary, addresses, other)
    assert not any(found.values()) and "it is another build" in told, told
    found, told = named(folder, binary, addresses, folder, name="/srv/app/shop")
    assert all(found.values()) and told == "", told
    found, told = named(folder, binary, addresses, binary, name="/srv/app/shop", build_id="")
    assert all(found.values()) and "the profile has no build id" in told, told
    found, told = named(folder, binary, addresses, binary, other, name="/srv/app/shop", build_id="")
    assert not any(found.values()) and "several files" in told, told
    found, told = named(folder, binary, addresses, folder, name="/srv/other/shop", build_id="")
    assert "named by" in told and "other/shop" in told, told


def test_a_check_compares_builds_by_the_names_in_their_binaries(folder):  # needs: libdw
    """Two builds of bare addresses are compared by the names in their binaries."""
    (folder / "canary").mkdir()
    sides = []
    for place, flag in ((folder, "-O2"), (folder / "canary", "-O1")):
        binary = programs.cpp(place, "g++", flag)
        hot = programs.functions(binary, "5order|5spell")
        counts = (300, 300) if place == folder else (300, 600)
        path = place / "side.pb"
        Addresses(path, binary, [start + i % size for (start, size), count in zip(hot, counts) for i in range(count)])
        sides.append((path, binary))
    (base, old), (canary, new) = sides
    done = gate("check", "--equal", "run", "--symbols", old, "--symbols", new, base, canary, status=1)
    assert "shop::" in done.stdout, done.stdout
    done = gate("check", base, canary, status=2)
    assert "no function has a name on either side" in done.stderr, done.stderr


def test_damaged_binaries_give_names_or_an_error(folder):  # needs: libdw
    """Damaged binaries: names or an error with the file's name, never a crash."""
    binary = programs.cpp(folder)
    addresses = addresses_of(binary, "shop|^main$", 17)
    given = folder / "given.pb"
    Addresses(given, binary, addresses)
    whole, chance = binary.read_bytes(), random.Random(7)
    damaged = folder / "damaged"
    ends = {0: 0, 2: 0}
    for turn in range(40):
        data = bytearray(whole[:chance.randrange(64, len(whole))] if turn % 8 == 7 else whole)
        for _ in range(chance.choice((1, 20, 400))):
            at = chance.randrange(0x400, len(data)) if len(data) > 0x400 else chance.randrange(len(data))
            data[at] = chance.randrange(256)
        damaged.write_bytes(data)
        done = subprocess.run([PROGRAM, "merge", "-o", folder / "out.pb.gz", "--symbols", damaged, given],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode in ends, f"turn {turn}: {done.returncode} {done.stderr}"
        assert done.returncode == 0 or str(damaged) in done.stderr, done.stderr
        ends[done.returncode] += 1
    assert ends[0] > 0, "nothing was read at all"


def test_a_perf_map_names_compiled_code(folder):  # needs: libdw
    """What a compiler in the process wrote of its code: `perf-PID.map`."""
    binary = programs.cpp(folder)
    given, out, names = folder / "given.pb", folder / "named.pb.gz", folder / "perf-4711.map"
    base, offset, _ = programs.code(binary)
    Addresses(given, binary, [base + 16 * i for i in range(8)], name="//anon", build_id="")
    place = BASE + base % 4096
    names.write_text(f"{place:x} 20 LazyCompile:*old shop.js:1\n{place:x} 20 LazyCompile:*order shop.js:12\n"
                     f"{place + 0x40:x} 10 _ZN4shop5orderEv\nnot a line\n")
    gate("merge", "--symbols", names, "-o", out, given)
    profile = pprof.Profile(out)
    stacks = sorted(" ".join(profile.stack(sample)) for sample in profile.samples)
    assert stacks == ["", "", "", "", "", "LazyCompile:*order shop.js:12", "LazyCompile:*order shop.js:12",
                      "shop::order"], stacks


class Server(http.server.ThreadingHTTPServer):
    """A debuginfod that has `files`, by path."""

    def __init__(self, files):
        self.files, self.asked = files, []
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.files.get(self.path)
        self.server.asked.append(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_):
        pass


def inspect_names(given, *words, status=0, **environment):
    """The leaf's names that `diff` of a profile with itself shows, and what was told."""
    done = subprocess.run([PROGRAM, "inspect", "--json", *map(str, words), given], capture_output=True, text=True,
                          timeout=120, env={**os.environ, **environment})
    assert done.returncode == status, done.stderr
    if status:
        return [], done.stderr
    own = json.loads(done.stdout)[0]["own_code"]
    return [row["function"] for part in ("own", "library") for row in own.get(part, {}).get("frames", [])], done.stderr


def test_debuginfod_is_queried_once_per_build(folder):  # needs: libdw libcurl
    """With --debuginfod, servers are queried once per build id, and downloads are cached."""
    binary = programs.cpp(folder)
    given, debug, cache = folder / "given.pb", folder / "shop.debug", folder / "cache"
    Addresses(given, binary, addresses_of(binary, "shop", 9))
    programs.run("objcopy", "--only-keep-debug", binary, debug)
    place = f"/buildid/{programs.build_id(binary)}/"
    ask = ("--debuginfod", "--debuginfod-cache", cache)
    with Server({place + "debuginfo": b"not what was asked for"}) as bad, Server({}) as empty, \
            Server({place + "debuginfo": debug.read_bytes()}) as good:
        urls = {name: f"http://127.0.0.1:{server.server_address[1]}/" for name, server in
                (("bad", bad), ("empty", empty), ("good", good))}
        names, _ = inspect_names(given, DEBUGINFOD_URLS=urls["good"])
        assert "shop::order" not in names and not good.asked, "nobody asked for servers"
        names, told = inspect_names(given, *ask, DEBUGINFOD_URLS=f"{urls['bad']} {urls['empty']}")
        assert "shop::order" not in names and "debuginfod has nothing" in told, told
        assert bad.asked == empty.asked == [place + "debuginfo", place + "executable"], (bad.asked, empty.asked)
        names, told = inspect_names(given, *ask, DEBUGINFOD_URLS=f"{urls['empty']} {urls['good']}")
        assert "shop::mix" in names and told == "", (names, told)
        names, told = inspect_names(given, *ask, DEBUGINFOD_URLS=urls["good"])
        assert "shop::mix" in names and good.asked == [place + "debuginfo"], good.asked
        for server in (bad, empty, good):
            server.shutdown()
    _, told = inspect_names(given, *ask, status=2, DEBUGINFOD_URLS=" ")
    assert "DEBUGINFOD_URLS" in told, told


def of_builds(path, ids):
    """A profile of bare addresses, in a binary of each of these build ids."""
    field = pprof.field
    strings = ["", "cpu", "nanoseconds", *ids]
    out = bytearray(field(1, field(1, 1) + field(2, 2)))
    for i in range(1, len(ids) + 1):
        out += field(3, field(1, i) + field(2, i << 20) + field(3, (i << 20) + 4096) + field(5, i + 2) + field(6, i + 2))
        out += field(4, field(1, i) + field(2, i) + field(3, (i << 20) + 16))
        out += field(2, field(1, pprof.varint(i)) + field(2, pprof.varint(1000000)))
    for text in strings:
        out += field(6, text.encode())
    path.write_bytes(bytes(out))
    return path


def test_wrong_files_of_debuginfod_are_not_kept(folder):  # needs: libdw libcurl
    """What is not the whole file of the build is not kept, not even where it is in the cache already."""
    binary, other = programs.cpp(folder), folder / "other"
    programs.run("g++", "-g", "-O0", "-Wl,--build-id", "-o", other, programs.HERE / "shop.cpp")
    given, debug, cache = folder / "given.pb", folder / "shop.debug", folder / "cache"
    Addresses(given, binary, addresses_of(binary, "shop", 9))
    programs.run("objcopy", "--only-keep-debug", binary, debug)
    whole, own = debug.read_bytes(), programs.build_id(binary)
    ask, kept = ("--debuginfod", "--debuginfod-cache", cache), cache / own / "debuginfo"
    lies = {"of another build id": other.read_bytes(), "not whole": whole[:len(whole) // 2],
            "not an ELF file": b"<!DOCTYPE html><title>Login</title>", "nothing": b""}
    for text, body in lies.items():
        with Server({f"/buildid/{own}/{what}": body for what in ("debuginfo", "executable")}) as server:
            names, told = inspect_names(given, *ask, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_address[1]}")
            assert "shop::order" not in names and text in told, (text, told)
            assert not [path for path in cache.rglob("*") if path.is_file()], text
            server.shutdown()
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(lies["of another build id"])
    with Server({f"/buildid/{own}/debuginfo": whole}) as server:
        names, told = inspect_names(given, *ask, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_address[1]}")
        assert "shop::mix" in names and kept.read_bytes() == whole, told
        server.shutdown()


def test_debuginfod_queries_are_limited(folder):  # needs: libcurl
    """A server that does not answer is queried once, and a profile causes queries for at most 1000 builds."""
    ids = [f"{i:040x}" for i in range(1, 1101)]
    given = of_builds(folder / "given.pb", ids)
    ask = ("--debuginfod", "--debuginfod-cache", folder / "cache")
    with socket.socket() as closed, Server({}) as server:
        closed.bind(("127.0.0.1", 0))
        urls = f"http://127.0.0.1:{closed.getsockname()[1]}/ http://127.0.0.1:{server.server_address[1]}/"
        _, told = inspect_names(given, *ask, DEBUGINFOD_URLS=urls)
        server.shutdown()
    assert told.count("is not queried again") == 1 and "more than 1000 binaries" in told, told[-2000:]
    assert len(server.asked) == 2000 and len(set(server.asked)) == 2000, len(server.asked)


def test_debuginfod_of_elfutils_is_understood(folder):  # needs: libdw debuginfod
    """elfutils' own server, on this machine."""
    binary = programs.cpp(folder)
    given, served = folder / "given.pb", folder / "served"
    Addresses(given, binary, addresses_of(binary, "shop", 9))
    served.mkdir()
    programs.run("objcopy", "--only-keep-debug", binary, served / "shop.debug")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = (folder / "log").open("w")
    server = subprocess.Popen(["debuginfod", "-F", "-t", "0", "-p", str(port), "-d", folder / "index", served],
                              stdout=log, stderr=log, env={"PATH": os.environ["PATH"]})
    try:
        names = []
        for turn in range(100):  # it looks through its folder first
            names, _ = inspect_names(given, "--debuginfod", "--debuginfod-cache", folder / f"cache{turn}",
                                     DEBUGINFOD_URLS=f"http://127.0.0.1:{port}")
            if "shop::mix" in names:
                break
            time.sleep(0.1)
        assert "shop::mix" in names, names
    finally:
        server.terminate()
        server.wait(timeout=20)


def test_unusable_symbol_files_are_named(folder):
    """Files that --symbols cannot use are named in a message."""
    text = folder / "notes.txt"
    text.write_text("nothing\n")
    given = folder / "given.pb"
    given.write_bytes(b"")
    done = gate("inspect", "--symbols", text, given, status=2)
    assert "'--symbols': '" + str(text) + "' names no functions" in done.stderr, done.stderr
    done = gate("inspect", "--symbols", folder / "absent", given, status=2)
    assert "cannot be opened" in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="gate-symbols-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder))


if __name__ == "__main__":
    main()
