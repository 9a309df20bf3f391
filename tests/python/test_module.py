#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module pprofgate: results equal those of the program's --json, through the library and through the program.

usage: test_module.py PPROFGATE LIBRARY ROOT NAME      runs test_NAME
"""
import gzip
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

PROGRAM, LIBRARY, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
sys.path[:0] = [str(ROOT / "packaging/python"), str(ROOT / "tests/hostile")]
for variable in [name for name in os.environ if name.startswith(("GITHUB_", "GITLAB_", "CI_", "PPROFGATE_"))]:
    del os.environ[variable]

import made  # noqa: E402
import pprofgate  # noqa: E402
from pprofgate import _library, _program  # noqa: E402

FIXTURES = ROOT / "fixtures"
SERVICE = FIXTURES / "go-service"
BASE, GROWN = SERVICE / "cpu/baseline-1.pb.gz", SERVICE / "cpu/regression-1.pb.gz"
BASES, CANARIES = sorted(SERVICE.glob("cpu/baseline-*")), sorted(SERVICE.glob("cpu/regression-*"))
BACKENDS = (_library.Library(str(LIBRARY)), _program.Program([str(PROGRAM)]))


def through(backend, call, *arguments, **options):
    """A call of the module by one of the two backends."""
    pprofgate._found = backend
    return getattr(pprofgate, call)(*arguments, **options)


def program(*words, cwd):
    return subprocess.run([str(PROGRAM), *map(str, words)], cwd=cwd, capture_output=True, stdin=subprocess.DEVNULL, check=False)


def comparable(report):
    """A report without what is of one binary or one command line."""
    return {key: value for key, value in report.items() if key not in ("command", "generator_build")}


def raised(expected, call, *arguments, **options):
    """The message of the exception, which is the same by both backends."""
    messages = []
    for backend in BACKENDS:
        try:
            found = through(backend, call, *arguments, **options)
        except pprofgate.Error as error:
            assert type(error) is expected, f"{backend}: expected {expected.__name__}, found {error!r}"
            messages.append(str(error))
        else:
            raise AssertionError(f"{backend}: expected {expected.__name__}, found {found!r}")
    assert messages[0] == messages[1] and messages[0], messages
    return messages[0]


def agree(folder, baseline, canary, words=(), **options):
    """The verdict, after it was compared with the program's report."""
    done = program("check", "--json", "-", *words, "--baseline", *baseline, "--canary", *canary, cwd=folder)
    assert done.returncode in (0, 1, 3), done
    wanted = comparable(json.loads(done.stdout))
    for backend in BACKENDS:
        verdict = through(backend, "check", baseline, canary, **options)
        found = comparable(verdict.json)
        assert found == wanted, (str(backend), [key for key in wanted if wanted[key] != found.get(key)])
        assert {"pass": 0, "fail": 1, "inconclusive": 3}[verdict.outcome] == done.returncode
    return verdict


# ---- check -------------------------------------------------------------------------------------------------------------

def test_check_agrees_with_the_program(folder):
    rules = folder / "rules.yml"
    (folder / "base.yml").write_text("version: 1\nextends: recommended\n")
    rules.write_text("version: 1\nextends: base.yml\nbudgets: [{name: mine, measure: charged, limit: {share_increase: +1pp}}]\n")
    assert agree(folder, [BASE], [GROWN]).failed
    agree(folder, [BASE], [SERVICE / "cpu/benign-1.pb.gz"])
    agree(folder, BASES, CANARIES)
    agree(folder, [BASE], [GROWN], ("--rules", "strict"), rules="strict")
    assert any(finding.budget == "mine" for finding in agree(folder, [BASE], [GROWN], ("--rules", rules), rules=rules).findings)
    agree(folder, [BASE], [GROWN], ("--work", "baseline=100.5", "--work", "canary=120"), work=(100.5, 120))
    agree(folder, BASES, CANARIES, ("--work", "baseline=1,2,3", "--work", "canary=3,2,1"), work=([1, 2, 3], [3, 2, 1]))
    agree(folder, [BASE], [GROWN], ("--equal", "time"), equal="time")
    agree(folder, [BASE], [GROWN], ("--equal", "run"), equal="run")
    for kind, changed in (("heap", "alloc"), ("mutex", "lock"), ("block", "lock")):
        agree(folder, [SERVICE / kind / "baseline-1.pb.gz"], [SERVICE / kind / f"{changed}-1.pb.gz"])
    agree(folder, [BASE], [BASE])


def test_check_agrees_on_other_formats(folder):
    files = sorted(path for path in (FIXTURES / "producers").rglob("*") if path.is_file())
    tried = 0
    for path in files:
        if program("check", "-q", path, path, cwd=folder).returncode in (0, 1, 3):
            agree(folder, [path], [path])
            tried += 1
        if tried == 25:
            return
    raise AssertionError(f"only {tried} files were compared")


def test_rules_of_the_current_folder_are_not_read(folder):
    (folder / ".pprofgate.yml").write_text("version: 1\nextends: strict\n")
    before = os.getcwd()
    os.chdir(folder)
    try:
        reports = [comparable(through(backend, "check", BASE, GROWN).json) for backend in BACKENDS]
    finally:
        os.chdir(before)
    assert reports[0] == reports[1] and "strict" not in reports[0]["rules"], reports[0]["rules"]


def test_presets_of_the_program_are_known(folder):
    assert set(_program.PRESETS) == {path.stem for path in (ROOT / "rules").glob("*.yml")}
    before = os.getcwd()
    os.chdir(folder)
    try:
        (folder / "strict").write_text("version: 1\n")  # the name of a preset is never a file
        (folder / "mine.yml").write_text("version: 1\nextends: heap\n")
        for name in ("strict", "mine.yml"):
            rules = [through(backend, "check", BASE, GROWN, rules=name).json["rules"] for backend in BACKENDS]
            assert rules[0] == rules[1] and name in rules[0], rules
    finally:
        os.chdir(before)


def test_verdict_has_the_values_of_the_report(folder):
    verdict = through(BACKENDS[0], "check", BASE, GROWN)
    report, cause = verdict.json, verdict.causes[0]
    assert verdict.outcome == "fail" and verdict.failed and not verdict.passed and not verdict.inconclusive
    assert cause.function == "main.priceRound" and cause.outcome == "fail" and cause.is_own and cause.delta_pp > 5
    assert cause.budgets and cause.path and cause.ci95_pp[0] < cause.delta_pp < cause.ci95_pp[1]
    assert len(verdict.findings) == sum(len(budget["findings"]) for budget in report["budgets"])
    assert [notice.message for notice in verdict.warnings] == [item["message"] for item in report["warnings"]]
    totals = verdict.totals
    assert (totals.baseline, totals.canary) == (report["baseline"]["total"], report["canary"]["total"])
    assert (totals.sample_type, totals.unit) == ("cpu", "nanoseconds"), totals
    timed = through(BACKENDS[0], "check", BASE, GROWN, equal="time").totals
    assert timed.equal == "time" and timed.ratio > 0, timed
    assert str(verdict).startswith("fail\n") and "main.priceRound" in str(verdict)
    hash(verdict)


def test_sources_are_bytes_paths_and_file_objects(folder):
    content = GROWN.read_bytes()
    wanted = through(BACKENDS[0], "check", BASE, GROWN)
    with open(GROWN, "rb") as file:
        sources = [content, bytearray(content), memoryview(content), str(GROWN), GROWN, io.BytesIO(content), file, [content],
                   iter([str(GROWN)]), gzip.decompress(content)]
        for source in sources:
            assert through(BACKENDS[0], "check", BASE, source).causes == wanted.causes, source
    for backend in BACKENDS:
        with open(GROWN, "rb") as file:
            verdict = through(backend, "check", [BASE, BASES[1].read_bytes()], (file, io.BytesIO(CANARIES[1].read_bytes())))
        paths = [[run["path"] for run in verdict.json[side]["runs"]] for side in ("baseline", "canary")]
        assert paths == [[str(BASE), "baseline[1]"], [str(GROWN), "canary[1]"]], paths


def test_rules_are_content_too(folder):
    text = "version: 1\nextends: strict\n"
    (folder / "r.yml").write_text(text)
    for backend in BACKENDS:
        with open(folder / "r.yml", "rb") as binary, open(folder / "r.yml", encoding="utf-8") as words:
            found = [through(backend, "check", BASE, GROWN, rules=rules)
                     for rules in (text, text.encode(), binary, words, io.BytesIO(text.encode()), io.StringIO(text))]
        assert len({verdict.causes for verdict in found}) == 1
        assert [verdict.json["rules"] for verdict in found] == ["rules", "rules", *[str(folder / "r.yml")] * 2, "rules", "rules"]


# ---- merge and inspect -------------------------------------------------------------------------------------------------

def test_merge_agrees_with_the_program(folder):
    for options in ({}, {"container": "zstd"}, {"container": "raw"}, {"format": "otlp"}, {"format": "otlp", "container": "gzip"}):
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        out = "all.otlp" if options == {"format": "otlp"} else "all"
        done = program("merge", "--force", "-o", out, *words, *BASES, cwd=folder)
        assert done.returncode == 0, done
        wanted = (folder / out).read_bytes()
        for backend in BACKENDS:
            assert through(backend, "merge", BASES, **options) == wanted, (str(backend), options)
    merged = through(BACKENDS[0], "merge", [path.read_bytes() for path in BASES])
    total = sum(through(BACKENDS[0], "inspect", path)["sample_types"][1]["total"] for path in BASES)
    assert through(BACKENDS[0], "inspect", merged)["sample_types"][1]["total"] == total


def test_inspect_agrees_with_the_program(folder):
    rules = folder / "own.yml"
    rules.write_text("version: 1\nown: {include: ['^encoding/json']}\n")
    files = [BASE, SERVICE / "heap/baseline-1.pb.gz", *sorted((FIXTURES / "producers").glob("*.pb.gz"))]
    for path in files:
        for words, options in (((), {}), (("--rules", rules), {"rules": rules})):
            done = program("inspect", "--json", *words, path, cwd=folder)
            if done.returncode == 0:
                for backend in BACKENDS:
                    assert through(backend, "inspect", path, **options) == json.loads(done.stdout)[0], (str(backend), path)


# ---- summaries ---------------------------------------------------------------------------------------------------------

def outcome_of(verdict):
    """A verdict without the names and digests of the runs."""
    report = json.loads(json.dumps(verdict.json).replace(".pgsum", ""))
    for side in ("baseline", "canary"):
        report[side].pop("runs")
    return {key: value for key, value in comparable(report).items() if key not in ("warnings",)}


def test_summarize_agrees_with_the_program(folder):
    for runs in ([BASE], BASES, CANARIES):
        assert program("summarize", "--force", "-o", "runs.pgsum", *runs, cwd=folder).returncode == 0
        wanted = (folder / "runs.pgsum").read_bytes()
        for backend in BACKENDS:
            assert through(backend, "summarize", runs) == wanted, (str(backend), runs)
            contents = [path.read_bytes() for path in runs]
            assert through(backend, "summarize", contents, names=[path.name for path in runs]) == wanted
    assert len(wanted) < sum(path.stat().st_size for path in CANARIES) / 2
    first, both = (through(BACKENDS[0], "summarize", runs) for runs in (BASES[:1], BASES))
    for backend in BACKENDS:  # summaries of a summary
        assert through(backend, "summarize", [first, *BASES[1:]]) == both


def test_check_takes_summaries(folder):
    base, grown = (through(BACKENDS[0], "summarize", runs) for runs in (BASES, CANARIES))
    (folder / "base.pgsum").write_bytes(base)
    (folder / "grown.pgsum").write_bytes(grown)
    verdict = agree(folder, [folder / "base.pgsum"], [folder / "grown.pgsum"])
    plain = through(BACKENDS[0], "check", BASES, CANARIES)
    assert verdict.causes == plain.causes and verdict.findings == plain.findings and verdict.totals == plain.totals
    unpacked = gzip.decompress(grown)
    with open(folder / "grown.pgsum", "rb") as file:
        sources = [grown, bytearray(grown), unpacked, folder / "grown.pgsum", file, io.BytesIO(grown),
                   [through(BACKENDS[0], "summarize", path) for path in CANARIES],
                   b"".join(through(BACKENDS[0], "summarize", path) for path in CANARIES)]
        for backend in BACKENDS:
            for source in sources:
                if hasattr(source, "seek"):
                    source.seek(0)
                assert through(backend, "check", base, source).causes == verdict.causes, (str(backend), type(source))
    runs = [[run["path"] for run in through(backend, "check", base, [grown]).json["canary"]["runs"]] for backend in BACKENDS]
    assert runs[0] == runs[1] == [f"canary[0].pgsum/{path.name}" for path in CANARIES], runs


def test_many_runs_agree_with_the_program(folder):
    """Sides of eight runs and more share their tables."""
    words = [ROOT / "examples/fleet/make_profiles.py", folder, "--services", "1", "--runs", "12", "--grown", "0:0.1"]
    subprocess.run([sys.executable, "-B", *map(str, words)], check=True)
    sides = [sorted(folder.glob(f"service00/{version}/*/*.pb.gz")) for version in ("v1", "v2")]
    assert agree(folder, *sides).failed
    for number, side in enumerate(sides):
        (folder / f"side{number}.pgsum").write_bytes(through(BACKENDS[0], "summarize", side))
    assert agree(folder, [folder / "side0.pgsum"], [folder / "side1.pgsum"]).failed


def test_merge_and_inspect_take_summaries(folder):
    summary = through(BACKENDS[0], "summarize", BASES)
    one = through(BACKENDS[0], "summarize", BASE)
    for backend in BACKENDS:
        merged = [through(backend, "inspect", through(backend, "merge", source)) for source in (summary, BASES)]
        totals = [[kind["total"] for kind in item["sample_types"]] for item in merged]
        assert totals[0] == totals[1] and totals[0][0] > 0, totals
        described = through(backend, "inspect_runs", [summary, BASE])
        assert [item["path"] for item in described] == [*(f"profile[0].pgsum/{path.name}" for path in BASES), str(BASE)]
        assert through(backend, "inspect", one)["path"] == f"profile.pgsum/{BASE.name}"
    assert f"a summary of {len(BASES)} runs" in raised(pprofgate.UsageError, "inspect", summary)


def test_summaries_are_checked(folder):
    summary = through(BACKENDS[0], "summarize", BASES)
    assert "one number" in raised(pprofgate.UsageError, "check", summary, GROWN, work=([1, 2, 3], [1]))
    assert raised(pprofgate.ProfileError, "summarize", [BASE, b"no profile"]).startswith("profile[1]: ")
    bad = raised(pprofgate.ProfileError, "summarize", [b"no profile"], names=["03-00001.pb.gz"])
    assert bad.startswith("03-00001.pb.gz: "), bad
    damaged = gzip.compress(gzip.decompress(summary)[:-1000])
    assert raised(pprofgate.ProfileError, "check", damaged, GROWN).startswith("baseline.pgsum: ")
    assert "found none" in raised(pprofgate.UsageError, "summarize", [])
    assert "expected 2 names" in raised(pprofgate.UsageError, "summarize", BASES[:2], names=["a"])
    for name in ("", "a/b", "..", "a\0b", "x.pgsum", "n" * 300, 7):
        assert "names" in raised(pprofgate.UsageError, "summarize", [BASE], names=[name]), name
    assert "whose runs have names" in raised(pprofgate.UsageError, "summarize", summary, names=["a"])
    assert "cannot be opened" in raised(pprofgate.FileError, "summarize", folder / "absent", names="a")
    assert raised(pprofgate.LimitError, "summarize", BASES, max_memory=100_000)


# ---- errors ------------------------------------------------------------------------------------------------------------

def test_errors_have_a_class_per_kind(folder):
    bad = folder / "bad.yml"
    bad.write_text("version: 1\nbudgetz: []\n")
    assert raised(pprofgate.RulesError, "check", BASE, GROWN, rules="version: 1\nbudgetz: []\n").startswith("rules:2:1: unknown key")
    assert raised(pprofgate.RulesError, "check", BASE, GROWN, rules=bad).startswith(f"{bad}:2:1: unknown key 'budgetz'")
    assert "strict" in raised(pprofgate.UsageError, "check", BASE, GROWN, rules="strickt")
    assert "cannot be opened" in raised(pprofgate.FileError, "check", BASE, folder / "absent.pb.gz")
    assert "cannot be opened" in raised(pprofgate.FileError, "inspect", SERVICE / "*/baseline-1.pb.gz")
    assert "cannot be opened" in raised(pprofgate.FileError, "merge", "http://127.0.0.1:9/profile")
    assert "cannot be opened" in raised(pprofgate.FileError, "check", BASE, GROWN, rules=folder / "absent.yml")
    assert "directory" in raised(pprofgate.FileError, "inspect", folder)
    assert raised(pprofgate.ProfileError, "check", b"\x1f\x8b??", GROWN).startswith("baseline: ")
    assert raised(pprofgate.ProfileError, "check", BASE, [GROWN, b""]).startswith("canary[1]: ")
    assert raised(pprofgate.ProfileError, "check", BASE, SERVICE / "heap/baseline-1.pb.gz")
    assert "the same capture" in raised(pprofgate.ProfileError, "check", [BASE, BASE], GROWN)
    assert "both sides" in raised(pprofgate.ProfileError, "check", [BASE, BASES[1]], [BASE, GROWN])
    assert raised(pprofgate.ProfileError, "merge", [BASE, b"no profile"]).startswith("profile[1]: ")
    assert raised(pprofgate.LimitError, "check", BASE, GROWN, max_memory=100_000)
    costly = made.inlined_again(900, 4, 4000)  # 900 stacks of 16,000 frames: 10 steps each, 128 million are the most
    assert "--max-steps" in raised(pprofgate.LimitError, "merge", costly)
    for base in (ValueError, OSError):
        assert issubclass(pprofgate.RulesError if base is ValueError else pprofgate.FileError, base)


def test_wrong_arguments_are_refused(folder):
    closed = io.BytesIO(b"")
    closed.close()
    assert "closed file" in raised(pprofgate.FileError, "check", BASE, closed)
    with open(BASE, "rb") as file:
        pass
    assert "closed file" in raised(pprofgate.FileError, "inspect", file)
    assert "binary mode" in raised(pprofgate.UsageError, "check", BASE, io.StringIO("a 1\n"))
    assert "found none" in raised(pprofgate.UsageError, "check", [], GROWN)
    assert "found none" in raised(pprofgate.UsageError, "merge", [])
    assert "found int" in raised(pprofgate.UsageError, "check", 7, GROWN)
    assert "found NoneType" in raised(pprofgate.UsageError, "check", BASE, [None])
    assert "NUL" in raised(pprofgate.UsageError, "check", BASE, "a\0b")
    assert "NUL" in raised(pprofgate.UsageError, "check", BASE, GROWN, rules=b"version: 1\n\0")
    assert "'-'" in raised(pprofgate.UsageError, "check", "-", GROWN)
    assert "'-'" in raised(pprofgate.UsageError, "check", BASE, GROWN, rules="-")
    assert "found int" in raised(pprofgate.UsageError, "check", BASE, GROWN, rules=7)
    for work in (3, (1,), (1, 2, 3), (0, 1), (1, float("nan")), (1, [1, 2]), ("1x", 1), {"baseline": 1}, "12"):
        assert raised(pprofgate.UsageError, "check", BASE, GROWN, work=work).startswith("work"), work
    assert "expected work, time, run or share" in raised(pprofgate.UsageError, "check", BASE, GROWN, equal="load")
    assert "expected pprof or otlp" in raised(pprofgate.UsageError, "merge", BASE, format="svg")
    assert "expected gzip, zstd or raw" in raised(pprofgate.UsageError, "merge", BASE, container="lz4")
    for limit in (0, -1, "1G", True):
        assert "max_memory" in raised(pprofgate.UsageError, "inspect", BASE, max_memory=limit)


def test_control_characters_of_a_name_are_not_in_a_message(folder):
    class Named:
        name = "a\nb\x1b[2J"

        def read(self):
            return b"\x1f\x8b??"
    assert raised(pprofgate.ProfileError, "check", BASE, Named()).startswith("a?b?[2J: ")


def test_damaged_bytes_end_with_a_verdict_or_an_error(folder):
    raw = gzip.decompress(GROWN.read_bytes())
    chance = random.Random(20261125)
    errors = 0
    for number in range(300):
        damaged = bytearray(raw)
        for _ in range(1 + number % 20):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        if number % 3 == 0:
            del damaged[chance.randrange(len(damaged)):]
        try:
            through(BACKENDS[0], "check", BASE, damaged)
        except pprofgate.Error as error:
            errors += 1
            assert str(error) and "\n" not in str(error)
    assert 0 < errors <= 300, errors


def test_there_is_a_message_without_library_and_program(folder):
    code = "import pprofgate\ntry:\n    pprofgate.version()\nexcept pprofgate.BackendError as error:\n    print(error)\n"
    def answer(**changes):
        env = {**os.environ, "PYTHONPATH": str(ROOT / "packaging/python"), "PATH": str(folder), **changes}
        return subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True, check=True).stdout
    assert "cannot be loaded" in answer(PPROFGATE_LIBRARY=str(folder / "absent.so"))
    assert "cannot be loaded" in answer(PPROFGATE_LIBRARY=str(BASE))
    assert "cannot be run" in answer(PPROFGATE_PROGRAM=str(folder / "absent"))
    (folder / "pprofgate").write_text("#!/bin/sh\nexit 70\n")
    (folder / "pprofgate").chmod(0o755)
    assert "cannot be run" in answer(PPROFGATE_PROGRAM=str(folder / "pprofgate"))
    try:
        _program.Program([str(folder / "pprofgate")]).inspect(pprofgate._inputs.Run("x", b""), pprofgate._inputs.RulesIn(), 0)
    except pprofgate.BackendError as error:
        assert "status 70" in str(error), error
    else:
        raise AssertionError("expected a BackendError")


def test_a_library_that_does_not_load_is_replaced_by_the_program(folder):
    """A wheel's library is for one C library. Elsewhere its program runs."""
    package = folder / "pprofgate"
    subprocess.run(["cp", "-r", str(ROOT / "packaging/python/pprofgate"), str(package)], check=True)
    (package / "libpprofgate.so").write_bytes(b"made for another system")
    code = "import sys, pprofgate\nprint(pprofgate.backend(), pprofgate.check(*sys.argv[1:]).outcome)"
    env = {**os.environ, "PYTHONPATH": str(folder), "PPROFGATE_PROGRAM": str(PROGRAM)}
    done = subprocess.run([sys.executable, "-B", "-c", code, BASE, GROWN], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"program {PROGRAM} fail\n", done
    (package / "libpprofgate.so").write_bytes(LIBRARY.read_bytes())
    done = subprocess.run([sys.executable, "-B", "-c", code, BASE, GROWN], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"library {package / 'libpprofgate.so'} fail\n", done


def test_the_package_runs_the_program(folder):
    """`python -m pprofgate` is the program, where the package has no WebAssembly build."""
    env = {**os.environ, "PYTHONPATH": str(ROOT / "packaging/python"), "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}"}
    words = [sys.executable, "-B", "-m", "pprofgate", "check", "-q", str(BASE), str(GROWN)]
    done = subprocess.run(words, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "main.priceRound" in done.stdout, done


# ---- threads -----------------------------------------------------------------------------------------------------------

def test_threads_have_results_of_their_own(folder):
    canaries = [GROWN, SERVICE / "cpu/benign-1.pb.gz", SERVICE / "cpu/speedup-1.pb.gz", SERVICE / "cpu/regexp-1.pb.gz"]
    wanted = [through(BACKENDS[0], "check", BASE, canary) for canary in canaries]
    found = [[] for _ in canaries]

    def work(number):
        for _ in range(8):
            found[number].append(pprofgate.check(BASE, canaries[number]))
            try:
                pprofgate.check(BASE, f"absent-{number}")
            except pprofgate.FileError as error:
                assert str(error).startswith(f"absent-{number}: ")
                found[number].append(wanted[number])
    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(canaries))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[verdict] * 16 for verdict in wanted]


def test_other_threads_run_during_a_call(folder):
    """A call waits for a pipe that this thread writes: with the interpreter's lock held, neither would ever end."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    verdicts = []
    pprofgate._found = BACKENDS[0]
    thread = threading.Thread(target=lambda: verdicts.append(pprofgate.check(BASE, str(pipe))))
    thread.start()
    with open(pipe, "wb") as writer:  # waits until the call has opened it
        writer.write(GROWN.read_bytes())
    thread.join()
    assert verdicts[0].failed


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-python-") as folder:
        globals()[f"test_{sys.argv[4]}"](pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
