# SPDX-License-Identifier: Apache-2.0
"""Presets with the real tools: Go and Node; and py-spy by a stand-in."""
import json
import pathlib
import shutil
import subprocess
import textwrap

from repository import RULES, Repository, check, free_port, untouched

GO_COSTS = """
//go:noinline
func tax(n int) int {
	s := 0
	for j := 0; j < n; j++ {
		s += (j * 31) % 7
	}
	return s
}

//go:noinline
func ship(n int) int {
	s := 1
	for j := 0; j < n; j++ {
		s += (j * 17) % 5
	}
	return s
}
"""
GO_SHOP = "package shop\n" + GO_COSTS + """
func Price() int {
	return tax(20000) + ship(20000)
}
"""
GO_TEST = """
package shop

import "testing"

var sink int

func BenchmarkPrice(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = Price()
	}
}
"""


def go_repository(gate, folder, preset="preset: go-bench"):
    repository = Repository(gate, folder)
    cache = subprocess.run(["go", "env", "GOCACHE"], check=True, capture_output=True, text=True).stdout.strip()
    repository.environment["GOCACHE"] = cache  # which would lie in the cache of the test, and be cold
    repository.write("go.mod", "module example.test/shop\n\ngo 1.20\n")
    repository.write("shop.go", GO_SHOP)
    repository.write("shop_test.go", GO_TEST)
    repository.write(".pprofgate.yml", RULES + "  - {name: cost, measure: total_cost, limit: +200%}\n"
                     f"try: {{{preset}, seconds: 1.5, rounds: 3}}\n")
    repository.commit("good")
    return repository


def test_a_go_benchmark_is_tried(gate, folder):
    repository = go_repository(gate, folder)
    before = repository.state()
    out, err = repository.run("try", "HEAD", expect=(0, 3))
    check("FAIL" not in out and "per iteration" in out, (out, err))
    untouched(repository, before, "benchmarks")
    repository.write("shop.go", GO_SHOP.replace("tax(20000)", "tax(200000)"))
    before = repository.state()
    out, err = repository.run("try", "HEAD", "-o", str(pathlib.Path(folder) / "kept"), expect=1)
    check("shop.tax" in out.split("Top movers")[0], (out, err))
    untouched(repository, before, "benchmarks of a regression")
    manifest = json.loads((pathlib.Path(folder) / "kept/manifest.json").read_text())
    check(all(run["kind"] == "BenchmarkPrice" and run["work"] > 0 for run in manifest["runs"]), manifest)
    repository.run("check", str(pathlib.Path(folder) / "kept"), expect=1)


def test_several_go_benchmarks_are_tried(gate, folder):
    repository = go_repository(gate, folder, "preset: go-bench, package: ./inner")
    for name in ("go.mod", ".pprofgate.yml"):
        check((repository.folder / name).exists(), name)
    for name in ("shop.go", "shop_test.go"):
        (repository.folder / "inner").mkdir(exist_ok=True)
        shutil.move(repository.folder / name, repository.folder / "inner" / name)
    more = """
func BenchmarkParts(b *testing.B) {
	if data, err := os.ReadFile("testdata/here"); err != nil || len(data) == 0 {
		b.Fatal("not run where its package is")
	}
	for _, name := range []string{"tax", "ship"} {
		b.Run(name, func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				if name == "tax" { sink = tax(2000) } else { sink = ship(2000) }
			}
		})
	}
}

func BenchmarkSkipped(b *testing.B) { b.Skip() }
"""
    repository.write("inner/shop_test.go", GO_TEST.replace('import "testing"', 'import (\n\t"os"\n\t"testing"\n)') + more)
    repository.write("inner/testdata/here", "yes\n")
    repository.commit("moved")
    repository.write("inner/new_test.go", GO_TEST.replace("BenchmarkPrice", "BenchmarkNew").replace("var sink int", ""))
    kept = pathlib.Path(folder) / "kept"
    _, err = repository.run("try", "HEAD", "--rounds", "1", "-o", str(kept), expect=(0, 3))
    check("BenchmarkNew is in the canary alone" in err, err)
    manifest = json.loads((kept / "manifest.json").read_text())
    kinds = {run["kind"] for run in manifest["runs"]}
    check(kinds == {"BenchmarkPrice", "BenchmarkParts"}, kinds)
    shutil.rmtree(kept)
    # a row more in a table of sub-benchmarks, in which everything costs more, is no change of the others
    test = repository.folder / "inner/shop_test.go"
    text = test.read_text()
    test.write_text(text.replace('{"tax", "ship"}', '{"tax", "ship", "huge (x)"}').replace(
        "sink = ship(2000)", 'if name == "ship" { sink = ship(2000) } else { sink = ship(2000000) }'))
    _, err = repository.run("try", "HEAD", "--bench", "Parts", "--rounds", "1", "-o", str(kept), expect=(0, 3))
    check("BenchmarkParts/huge_(x)" in err and "is in the canary alone, and is left out" in err, err)
    sources = {run["source"] for run in json.loads((kept / "manifest.json").read_text())["runs"]}
    check(all("'^BenchmarkParts$/^(tax" in source and "huge" not in source for source in sources), sources)
    test.write_text(text.replace('"tax", "ship"', '"other"'))
    _, err = repository.run("try", "HEAD", "--bench", "Parts", expect=2)
    check("no benchmark that matches 'Parts' runs on both sides" in err, err)
    test.write_text(text)
    _, err = repository.run("try", "HEAD", "--bench", "Nothing", expect=2)
    check("no benchmark that matches 'Nothing'" in err, err)
    shutil.rmtree(kept)
    repository.run("try", "HEAD", "--bench", "Parts/tax", "--rounds", "1", "-o", str(kept), expect=(0, 3))
    sources = {run["source"] for run in json.loads((kept / "manifest.json").read_text())["runs"]}
    check(all("'^BenchmarkParts$/tax'" in source for source in sources), sources)


def test_a_bisection_skips_commits_whose_benchmark_fails(gate, folder):
    """A commit whose benchmark fails is skipped: the good commit did not fail."""
    repository = go_repository(gate, folder)
    good = repository.git("rev-parse", "HEAD").strip()
    repository.write("shop_test.go", GO_TEST.replace("for i := 0", 'b.Fatal("broken")\n\tfor i := 0'))
    repository.commit("broken")
    repository.write("shop_test.go", GO_TEST)
    repository.write("shop.go", GO_SHOP.replace("tax(20000)", "tax(200000)"))
    repository.commit("slow")
    out, err = repository.run("try", "--bisect", good, "HEAD", expect=3)
    check("one of these" in out and "skipped" in err, (out, err))


def test_go_bench_runs_the_commands_expected_of_go(gate, folder):
    """Go is not asked for: a script of its name gives the script of each side as the test binary."""
    repository = Repository(gate, folder)
    tools = pathlib.Path(folder) / "tools"
    tools.mkdir()
    (tools / "go").write_text(textwrap.dedent("""\
        #!/bin/sh
        case "$1 $2" in
        "test -c") cp bench "$4" ;;
        *) pwd ;;
        esac
        """), encoding="utf-8")
    (tools / "go").chmod(0o755)
    asked = pathlib.Path(folder) / "asked"
    repository.environment.update(PATH=f"{tools}:{repository.environment['PATH']}", ASKED=str(asked))
    bench = """
        #!/bin/sh
        case "$1" in
        -test.list) printf '%s\\n' NAMES ;;
        *) echo "BenchmarkSome 1 50000000 ns/op"; echo "$*" >>"$ASKED" ;;
        esac
        test "$7" != -test.cpuprofile || echo "main;some 1000" >"$8"
    """
    repository.write("bench", bench.replace("NAMES", "BenchmarkBoth BenchmarkOld"), executable=True)
    repository.write(".pprofgate.yml", RULES + "try: {preset: go-bench, rounds: 1}\n")
    repository.commit("good")
    repository.write("bench", bench.replace("NAMES", "BenchmarkNew BenchmarkBoth"), executable=True)
    kept = pathlib.Path(folder) / "kept"
    _, err = repository.run("try", "HEAD", "-o", str(kept), expect=(0, 3))
    check("BenchmarkNew is in the canary alone" in err and "BenchmarkOld is in the baseline alone" in err, err)
    check({run["kind"] for run in json.loads((kept / "manifest.json").read_text())["runs"]} == {"BenchmarkBoth"}, err)
    check("-test.benchtime 4x\n" in asked.read_text(), "0.2 s are 4 times 50 ms")
    # Sub-benchmarks of two levels: no pattern has "a/x" and "b/y" without "a/y", which the canary alone has.
    levels = bench.replace("NAMES", "BenchmarkBoth")
    row = 'echo "BenchmarkSome 1 50000000 ns/op"; echo "$*" >>"$ASKED"'
    both = "printf 'BenchmarkBoth/%s 1 100000000 ns/op\\n' a/x b/y"
    repository.write("bench", levels.replace(row, both), executable=True)
    repository.commit("levels")
    repository.write("bench", levels.replace(row, both + " a/y"), executable=True)
    _, err = repository.run("try", "HEAD", expect=2)
    check("BenchmarkBoth/a/y is in the canary alone, and is left out" in err, err)
    check("BenchmarkBoth has sub-benchmarks of which those of both sides cannot be selected" in err, err)
    repository.write("bench", levels.replace(row, both.replace("a/x b/y", "c/z")), executable=True)
    _, err = repository.run("try", "HEAD", expect=2)
    check("no benchmark that matches '.' runs on both sides" in err, err)


GO_SERVER = """
package main

import (
	"fmt"
	"net/http"
	_ "net/http/pprof"
	"os"
	"time"
)

""" + GO_COSTS + """
var sink int

func main() {
	go func() { // a busy host may be done with the profile before the first request comes
		for {
			sink = tax(50000) + ship(50000)
			time.Sleep(time.Millisecond)
		}
	}()
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, tax(500000)+ship(500000))
	})
	if err := http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
"""
LOAD = """
import os, sys, time, urllib.request
until = time.monotonic() + float(os.environ["PPROFGATE_SECONDS"])
done = 0
while time.monotonic() < until:
    urllib.request.urlopen(sys.argv[1]).read()
    done += 1
print("requests:", done)
"""


def test_a_go_server_is_tried(gate, folder):
    repository = go_repository(gate, folder)
    port = free_port()
    (repository.folder / "shop_test.go").unlink()
    repository.write("shop.go", GO_SERVER)
    repository.write("load.py", LOAD)
    repository.write(".pprofgate.yml", RULES + f"""
try:
  preset: go-server
  load: python3 load.py http://127.0.0.1:{port}/
  profile: http://127.0.0.1:{port}/debug/pprof/profile
  env: {{PORT: {port}}}
  work: 'requests: (\\d+)'
  seconds: 2
  rounds: 3
""")
    repository.commit("serves")
    before = repository.state()
    out, err = repository.run("try", "HEAD", "--rounds", "1", expect=(0, 3))
    untouched(repository, before, "a Go server")
    repository.write("shop.go", GO_SERVER.replace("= tax(50000)", "= tax(500000)").replace("tax(500000)+", "tax(5000000)+"))
    out, err = repository.run("try", "HEAD", expect=1)
    check("main.tax" in out.split("Top movers")[0], (out, err))


# ---- Node ---------------------------------------------------------------------------------------------------------

NODE_BENCH = """
function tax(n) { let s = 0; for (let i = 0; i < n; i++) s += (i * 31) % 7; return s; }
function ship(n) { let s = 1; for (let i = 0; i < n; i++) s += (i * 17) % 5; return s; }
let sum = 0, rounds = Number(process.argv[2]);
for (let i = 0; i < rounds; i++) { sum += tax(TAX); sum += ship(3000000); }
console.log("orders:", rounds, sum > 0);
"""


def test_a_node_program_is_tried(gate, folder):
    repository = Repository(gate, folder)
    repository.write("bench.js", NODE_BENCH.replace("TAX", "3000000"))
    repository.write(".pprofgate.yml", RULES + "try: {preset: node, script: bench.js 60, work: 'orders: (\\d+)', rounds: 3}\n")
    repository.commit("good")
    before = repository.state()
    out, err = repository.run("try", "HEAD", expect=(0, 3))
    check("FAIL" not in out, (out, err))
    untouched(repository, before, "node")
    repository.write("bench.js", NODE_BENCH.replace("TAX", "30000000"))
    out, err = repository.run("try", "HEAD", expect=1)
    check("tax" in out.split("Top movers")[0], (out, err))


def test_py_spy_gets_the_expected_options(gate, folder):
    """py-spy is not asked for: a script of its name takes its options and writes what it would."""
    repository = Repository(gate, folder)
    tools = pathlib.Path(folder) / "tools"
    tools.mkdir()
    (tools / "py-spy").write_text(textwrap.dedent("""\
        #!/bin/sh
        case "$1 $2 $3 $4 $6 $7 $8" in "record --format raw -o -- python3 bench.py" | *" -- python3 -m") ;;
        *) echo "asked: $*" >&2; exit 2 ;; esac
        echo "<module> (bench.py:1);work (bench.py:3) 90${#PPROFGATE_SIDE}
        <module> (bench.py:1);slow (bench.py:$PPROFGATE_ROUND) $(cat cost)" >"$5"
        """), encoding="utf-8")
    (tools / "py-spy").chmod(0o755)
    repository.environment["PATH"] = f"{tools}:{repository.environment['PATH']}"
    repository.write("bench.py", "pass\n")
    repository.write("cost", "100\n")
    repository.write(".pprofgate.yml", RULES + "try: {preset: py-spy, script: bench.py, rounds: 2}\n")
    repository.commit("good")
    repository.write("cost", "1500\n")
    out, _ = repository.run("try", "HEAD", expect=1)
    check("slow" in out, out)
    for script, status, said in (("bnech.py", 2, "try.script: there is no file bnech.py"), ("-m bench", 1, "")):
        repository.write(".pprofgate.yml", RULES + f"try: {{preset: py-spy, script: {script}, rounds: 2}}\n")
        _, err = repository.run("try", "HEAD", expect=status)
        check(said in err, err)
