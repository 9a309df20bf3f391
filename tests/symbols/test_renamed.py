# SPDX-License-Identifier: Apache-2.0
"""Names that build tools made up: a program is profiled as it is written and as a bundler or an obfuscator made it, and
what --symbols says of the second is compared with the first.

    test_renamed.py PPROFGATE SOURCE TEST
"""
import json
import pathlib
import subprocess
import sys
import tempfile

for place in ("evade", "trial"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / place))
import pprof  # noqa: E402
import repository  # noqa: E402

PROGRAM, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
BUNDLED = SOURCE / "fixtures/producers/bundled"
SHRUNK = SOURCE / "fixtures/producers/shrunk"


def gate(*words, status=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, f"{words}: {done.returncode} for {status}\n{done.stdout}{done.stderr}"
    return done


def functions_of(path):
    """(name, system name, file, line) of each function of a pprof file."""
    profile = pprof.Profile(path)
    found = set()
    for raw in profile.functions.values():
        field = {number: value for number, _, value in raw}
        texts = [profile.strings[field.get(number, 0)] for number in (2, 3, 4)]
        found.add((*texts, field.get(5, 0)))
    return found


def own_functions(path):
    """(name, file's base name, line) of each function of ours that V8 saw in the program as it is written."""
    calls = [node["callFrame"] for node in json.loads(path.read_text())["nodes"]]
    return {(call["functionName"] or "(anonymous)", call["url"].rsplit("/", 1)[1], call["lineNumber"] + 1)
            for call in calls if "/src/" in call["url"]}


def test_bundled_scripts_have_the_names_of_their_sources(folder):
    """Two bundlers, which minify and inline: functions, files and lines are those of the program as it is written."""
    written = own_functions(BUNDLED / "source.cpuprofile")
    loaded = {(name, file, line) for name, file, line in written if (name, file) != ("(anonymous)", "main.js")}
    for bundler in ("esbuild", "webpack"):
        out = folder / f"{bundler}.pb.gz"
        done = gate("merge", "--symbols", BUNDLED / bundler, "-o", out, BUNDLED / f"{bundler}.cpuprofile")
        assert "source maps of the same file name" in done.stderr, done.stderr
        named = {(name, file.rsplit("/", 1)[1], line) for name, _, file, line in functions_of(out) if "/src/" in file}
        assert named <= written, f"{bundler}: {named - written}"
        heavy = {"handleRequest", "roundPrice", "withTax", "describeLine", "findItems", "compareNames", "add", "reply"}
        assert heavy <= {name for name, _, _ in named}, f"{bundler}: {loaded - named}"
        short = {system for name, system, file, _ in functions_of(out) if "/src/" in file and name != system}
        assert len(short) > (1 if bundler == "webpack" else 5), f"{bundler}: {short}"


def test_a_check_of_bundles_names_the_function_in_its_source(folder):
    """A gate on the bundle finds what it finds on the program: the same function, in the same file."""
    found = []
    for baseline, canary, symbols in (("source", "source-canary", ()),
                                      ("esbuild", "esbuild-canary", ("--symbols", BUNDLED / "esbuild"))):
        report = folder / f"{baseline}.json"
        gate("check", "-r", "recommended", *symbols, "--json", report, BUNDLED / f"{baseline}.cpuprofile",
             BUNDLED / f"{canary}.cpuprofile", status=1)
        causes = json.loads(report.read_text())["causes"]
        found.append({(cause["function"], cause["file"].rsplit("/", 1)[1]) for cause in causes
                      if cause["outcome"] == "fail"})
    assert found[0] == found[1] and found[0] == {("roundPrice", "price.js")}, found


def vlq(values):
    """Numbers as a source map has them."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    text = ""
    for value in values:
        rest = abs(value) << 1 | (value < 0)
        while rest > 31:
            text += letters[rest & 31 | 32]
            rest >>= 5
        text += letters[rest]
    return text


def mappings_of(sources, names):
    """The mappings of a bundle in which line n is line n of source sources[n]. names: the lines with a function, whose
    name in the sources is the next one; it begins in column 9, behind `function `."""
    out, last = [], (0, 0)
    for line, source in enumerate(sources):
        text = vlq((0, source - last[0], line - last[1], -9 if line - 1 in names else 0))
        if line in names:
            text += "," + vlq((9, 0, 0, 9, 0 if line == names[0] else 1))
        out.append(text)
        last = (source, line)
    return ";".join(out)


def test_inlined_functions_of_a_bundle_have_the_names_of_their_sources(folder):
    """A function that V8 inlined into one of another source is found in the bundle, and has its own source's name."""
    (folder / "app.js.map").write_text(json.dumps({
        "version": 3, "file": "app.js", "names": ["price", "handle"],
        "sources": ["src/cart.ts", "src/shop.ts"], "mappings": mappings_of([0] * 20 + [1] * 20, (9, 20))}))
    for name, price_ticks in (("called", 0), ("inlined", 180)):
        calls = [("(root)", "", -1, {}), ("h", "file:///srv/app.js", 20, {12: price_ticks, 24: 100}),
                 ("p", "file:///srv/app.js", 9, {12: 200 - price_ticks})]
        nodes = [{"id": i + 1, "children": [i + 2] if i < 2 else [], "positionTicks": [
            {"line": line, "ticks": count} for line, count in ticks.items()], "callFrame": {
                "functionName": function, "url": url, "lineNumber": line, "columnNumber": 9 + len(function)}}
                 for i, (function, url, line, ticks) in enumerate(calls)]
        samples = [i + 1 for i, call in enumerate(calls) for _ in range(sum(call[3].values()))]
        (folder / f"{name}.cpuprofile").write_text(json.dumps({
            "nodes": nodes, "samples": samples, "timeDeltas": [1000] * len(samples), "startTime": 0,
            "endTime": 1000 * len(samples)}))
    report = folder / "report.json"
    gate("check", "--symbols", folder / "app.js.map", "--json", report, folder / "called.cpuprofile",
         folder / "inlined.cpuprofile")
    frames = {row["function"]: row for row in json.loads(report.read_text())["frames"]}
    assert set(frames) == {"price", "handle"}, frames
    for name, file, share in (("price", "cart.ts", 2 / 3), ("handle", "shop.ts", 1 / 3)):
        assert frames[name]["file"].endswith(f"src/{file}"), frames[name]
        for side in ("baseline", "canary"):
            assert abs(frames[name]["self"][side]["share"] - share) < 0.01, frames[name]


def test_source_maps_of_two_builds_or_damaged_ones_are_reported(folder):
    """Maps of two builds name nothing; a damaged one is told with its name, and not read where nothing asks for it."""
    profile = BUNDLED / "esbuild.cpuprofile"
    for build in ("old", "new"):
        (folder / build).mkdir()
        (folder / build / "shop.js.map").write_bytes((BUNDLED / "esbuild/shop.js.map").read_bytes())
    out = folder / "out.pb.gz"
    done = gate("merge", "--symbols", folder, "-o", out, profile)
    assert "several source maps" in done.stderr and not any("price.js" in file for _, _, file, _ in functions_of(out))
    damaged = folder / "shop.js.map"
    for text, why in (('{"version": 2}', "expected a source map"), ('{"version": 3, ', "malformed JSON"),
                      ('{"version":3,"sources":[],"mappings":"AAAA"}', "no such entry"),
                      ('{"version":3,"sources":["a"],"names":["n"],"mappings":"AAAAAAAAAAAA"}',
                        "of one, four or five"),
                      ('{"version":3,"sources":["a"],"mappings":"gggggggggggA"}', "at most seven digits"),
                      ('{"sections":[{"map":{}}]}', "sections[0]: expected 'line' and 'column'")):
        damaged.write_text(text)
        done = gate("inspect", "--symbols", damaged, profile, status=2)
        assert "shop.js.map" in done.stderr and why in done.stderr, done.stderr
    (folder / "other.js.map").write_text('{"version": 2}')
    told = gate("inspect", "--symbols", folder / "other.js.map", profile).stderr
    assert "no source map of --symbols fits a script" in told and "would have 'shop.js.map'" in told, told
    native = SOURCE / "fixtures/go-service/cpu/baseline-1.pb.gz"
    assert gate("inspect", "--symbols", folder / "other.js.map", native).stderr == ""


def acme(path):
    """(function, line) of each call in our classes."""
    profile = pprof.Profile(path)
    found = set()
    for raw in profile.locations.values():
        for number, _, value in raw:
            if number != 4:
                continue
            line = {n: v for n, _, v in pprof.fields(value)}
            name = {n: v for n, _, v in profile.functions[line[1]]}.get(2, 0)
            if "acme" in profile.strings[name]:
                found.add((profile.strings[name], line.get(2, 0)))
    return found


def test_shrunk_classes_have_their_original_names(folder):
    """ProGuard's: methods and lines of the program as it was compiled, by async-profiler's pprof."""
    out, plain = folder / "shrunk.pb.gz", folder / "plain.pb.gz"
    gate("merge", "-o", plain, SHRUNK / "plain.pb")
    gate("merge", "--symbols", SHRUNK / "mapping.txt", "-o", out, SHRUNK / "shrunk.pb")
    written, found = {name for name, _ in acme(plain)}, acme(out)
    named = {name.split("$4")[0] for name, _ in found}  # ProGuard numbers a method whose parameters it took
    assert named == written, f"{named} for {written}"
    source = SOURCE / "examples/producers/shrunk/src/com/acme/shop"
    texts = {name: (source / f"{name}.java").read_text().splitlines() for name in ("Cart", "Main", "PriceList")}
    for name, line in found:
        text = texts[name.rsplit("/", 1)[1].split(".")[0].split("$")[0]]
        assert 0 < line <= len(text), f"{name}: {line}"
    assert {line for name, line in found if name.endswith("roundPrice")} <= {14, 15}, found
    files = {file for name, _, file, _ in functions_of(out) if "acme" in name}
    assert files == {"Cart.java", "Main.java", "PriceList.java"}, files


def test_collapsed_stacks_of_shrunk_classes_have_original_names(folder):
    """Collapsed stacks: with lines all is told; without, a name that three methods got stays, and its class is told."""
    lines, bare = folder / "lines.pb.gz", folder / "bare.pb.gz"
    gate("merge", "--symbols", SHRUNK, "-o", lines, SHRUNK / "shrunk.lines.collapsed")
    names = {name.split("_[")[0] for name, _, _, _ in functions_of(lines) if "acme" in name}
    assert {"com/acme/shop/Cart.describe:23", "com/acme/shop/Cart$Line.spell:49"} <= names, names
    gate("merge", "--symbols", SHRUNK, "-o", bare, SHRUNK / "shrunk.collapsed")
    names = {name.split("_[")[0] for name, _, _, _ in functions_of(bare) if "acme" in name}
    assert {"com/acme/shop/Cart.a", "com/acme/shop/PriceList.roundPrice", "com/acme/shop/PriceList.withTax"} <= names


def test_two_mapping_files_of_the_same_classes_are_an_error(folder):
    """Two mapping files that name the same classes are an error."""
    for build in ("old", "new"):
        (folder / build).mkdir()
        (folder / build / "mapping.txt").write_bytes((SHRUNK / "mapping.txt").read_bytes())
    done = gate("inspect", "--symbols", folder, SHRUNK / "shrunk.pb", status=2)
    assert "both map names of classes" in done.stderr and "merge --symbols" in done.stderr, done.stderr


def test_inspect_reports_names_that_are_missing(folder):
    """`inspect` reports missing names, and reports none after they are found."""
    for given, symbols, place in ((BUNDLED / "esbuild.cpuprofile", BUNDLED / "esbuild", "dist/esbuild/shop.js: "),
                                  (SHRUNK / "shrunk.pb", SHRUNK, "com/acme/shop: ")):
        told = gate("inspect", given).stdout
        assert "names of one or two letters" in told and place in told, told
        rows = json.loads(gate("inspect", "--json", given).stdout)[0]["short_names"]
        assert len(rows) == 1 and 3 <= rows[0]["short"] <= rows[0]["functions"] and rows[0]["share"] > 0, rows
        assert "names of one or two letters" not in gate("inspect", "--symbols", symbols, given).stdout


def test_init_uses_the_names_of_the_source(folder):
    """Rules to start from are about the names of the source."""
    words = ("init", "-o", "-", "--symbols", SHRUNK / "mapping.txt", SHRUNK / "shrunk.pb")
    assert "com/acme/shop/Cart$Line.spell" in gate(*words).stdout
    assert "com/acme/shop/b.a" in gate("init", "-o", "-", SHRUNK / "shrunk.pb").stdout


def test_try_reports_the_names_of_the_source(folder):
    """What a try finds has the names of the source, and the command that it tells names them too."""
    work = repository.Repository(PROGRAM, folder)
    work.write(".pprofgate.yml", repository.RULES + """
try:
  run: >-
    printf 'm;com/acme/shop/a.b %d\\nm;com/acme/shop/c.a %d\\n' $((2000 + PPROFGATE_ROUND)) $(cat cost)
    > "$PPROFGATE_PROFILE"
""")
    work.write("cost", "200\n")
    work.commit("fast")
    work.write("cost", "4000\n")
    report = folder / "report.json"
    out, err = work.run("try", "HEAD", "--rounds", "4", "--symbols", str(SHRUNK), "--json", str(report), expect=1)
    assert "PriceList.roundPrice" in out and "c.a" not in out, out + err
    assert f"--symbols {SHRUNK}" in json.loads(report.read_text())["command"], report.read_text()[:2000]


def main():
    with tempfile.TemporaryDirectory(prefix="gate-renamed-") as folder:
        globals()[f"test_{sys.argv[3]}"](pathlib.Path(folder))


if __name__ == "__main__":
    main()
