#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that are gone and new are listed by caller, and the `frames.rename` block beside them, copied as it is,
judges them as one.

usage: test_replaced.py PPROFGATE ROOT NAME|all
"""
import html
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

GATE = None
PASS, FAIL, INCONCLUSIVE = 0, 1, 3

# Stacks of programs in four languages, their costs, and the names that their authors changed.
GO = {"main.main;main.serve;main.(*shop).render": 30, "main.main;main.serve;main.(*shop).price": 25,
      "main.main;main.serve;main.load;cart.Total": 20, "main.main;main.serve;main.load;cart.(*Cart).add": 15,
      "main.main;main.serve;main.load": 10}
PYTHON = {"<module> (/srv/app/shop.py);serve (/srv/app/shop.py);render (/srv/app/shop.py)": 30,
          "<module> (/srv/app/shop.py);serve (/srv/app/shop.py);price (/srv/app/shop.py)": 25,
          "<module> (/srv/app/shop.py);serve (/srv/app/shop.py);total (/srv/app/cart.py)": 20,
          "<module> (/srv/app/shop.py);serve (/srv/app/shop.py);add (/srv/app/cart.py)": 15}
JAVA = {"Shop.main;Shop.serve;Shop.render": 30, "Shop.main;Shop.serve;Shop.price": 25,
        "Shop.main;Shop.serve;shop/Cart.total": 20, "Shop.main;Shop.serve;shop/Cart.add": 15}
MOVES = {  # program, what is replaced in its names, and the function that costs more
    "package": (GO, {"cart.": "main."}, "cart.Total"),
    "file": (PYTHON, {"/srv/app/cart.py": "/srv/lib/basket.py"}, "total (/srv/app/cart.py)"),
    "class": (JAVA, {"shop/Cart": "store/Basket"}, "shop/Cart.total"),
}
PROGRAMS = {  # the same, with other names for the functions, too
    "package": (GO, {"cart.Total": "main.totalOf", "cart.(*Cart).add": "main.addTo"}, "cart.Total"),
    "file": (PYTHON, {"total (/srv/app/cart.py)": "sum_total (/srv/lib/basket.py)",
                      "add (/srv/app/cart.py)": "add_line (/srv/lib/basket.py)"}, "total (/srv/app/cart.py)"),
    "class": (JAVA, {"shop/Cart.total": "store/Basket.sumTotal", "shop/Cart.add": "store/Basket.addLine"},
              "shop/Cart.total"),
    "split": (GO, None, "cart.Total"),
}


def replaced(text, change):
    for before, after in change.items():
        text = text.replace(before, after)
    return text


def renamed(costs, change):
    """The same program with other names: texts are replaced, or cart.Total is split in two."""
    if change is not None:
        return {replaced(stack, change): cost for stack, cost in costs.items()}
    split = dict(costs)
    whole = "main.main;main.serve;main.load;cart.Total"
    cost = split.pop(whole)
    return split | {whole.replace("Total", "sumLines"): cost * .6, whole.replace("Total", "sumTaxes"): cost * .4}


def write(path, costs, rng, samples):
    lines = []
    for stack, cost in costs.items():
        expected = samples * cost / sum(costs.values()) * rng.gauss(1, .03)
        lines.append(f"{stack} {max(1, round(rng.gauss(expected, math.sqrt(expected))))}\n")
    path.write_text("".join(lines))
    return path


def check(folder, sides, *options):
    words = [GATE, "check", "--force", "--verbose", "--json", folder / "report.json", "--markdown", folder / "report.md",
             "--html", folder / "report.html", *options]
    for side, paths in sides.items():
        for path in paths:
            words += [f"--{side}", path]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False)
    return done.returncode, json.loads((folder / "report.json").read_text()), done.stdout


def write_sides(folder, baseline, canary, rng, samples):
    """Three runs of each side, with this many samples each."""
    return {side: [write(folder / f"{side[0]}{i}.txt", costs, rng, samples) for i in range(3)]
            for side, costs in (("baseline", baseline), ("canary", canary))}


def block_of(text):
    """The lines of the `frames.rename` block in a report, as they are."""
    lines = text.splitlines()
    start = lines.index("frames:")
    end = next(i for i in range(start + 2, len(lines)) if not lines[i].startswith("    - "))
    return "\n".join(lines[start:end]) + "\n"


def expect(is_so, what, said):
    if not is_so:
        sys.exit(f"{what}:\n{said}")


def run(name):
    costs, change, blamed = PROGRAMS[name]
    for factor in (1.0, 2.5):
        rng = random.Random(f"{name} {factor}")
        after = renamed(costs, change)
        new = [stack for stack in after if stack not in costs]
        after = {stack: cost * (factor if stack in new[:2 if change is None else 1] else 1)
                 for stack, cost in after.items()}
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            sides = write_sides(folder, costs, after, rng, 4000)
            _, report, said = check(folder, sides)
            listed = {row["function"] for group in report["replaced"] for row in group["new"]}
            expect({stack.split(";")[-1] for stack in new} == listed, f"{name}: the new names are listed", said)
            block = block_of(said)
            for file in ("report.md", "report.html"):
                text = html.unescape((folder / file).read_text())
                expect(block_of(text) == block, f"{name}: the block in {file}", text)
            expect('<pre class="scroll" tabindex="0"' in text, f"{name}: a long name does not widen the page", text)
            rules = folder / "rules.yml"
            rules.write_text("version: 1\nextends: recommended\n" + block)
            status, report, said = check(folder, sides, "-r", rules)
            expect("replaced" not in report, f"{name}: renamed, nothing is replaced", said)
            if factor == 1.0:
                expect(status == PASS and "warn" not in said.split("\n", 1)[0].lower(), f"{name}: same cost passes", said)
            else:
                expect(status == FAIL and report["causes"][0]["function"] == blamed, f"{name}: {factor} x fails", said)


def test_functions_that_moved_need_no_renames():
    """Functions with the same name in another package, file or class are the same: they pass at the same cost, and one
    that costs more fails by its new name."""
    for name, (costs, change, moved) in MOVES.items():
        for factor in (1.0, 2.5):
            rng = random.Random(f"moved {name} {factor}")
            after = {stack: cost * (factor if stack.endswith(moved) else 1)
                     for stack, cost in costs.items()}
            with tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                sides = write_sides(folder, costs, renamed(after, change), rng, 4000)
                status, report, said = check(folder, sides)
                expect("replaced" not in report, f"{name}: nothing is replaced", said)
                if factor == 1.0:
                    expect(status == PASS, f"{name}: same cost passes", said)
                else:
                    cause = report["causes"][0]["function"] if report["causes"] else None
                    expect(status == FAIL and cause == replaced(moved, change), f"{name}: {factor} x fails", said)
                    was = report["causes"][0].get("baseline_function")
                    expect(was == moved, f"{name}: its old name", said)


def test_a_function_that_moved_has_both_names_in_rules_and_explain():
    costs, change, moved = MOVES["package"]
    after = {stack: cost * (2.5 if stack.endswith(moved) else 1) for stack, cost in costs.items()}
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        sides = write_sides(folder, costs, renamed(after, change), random.Random("both names"), 4000)
        rules = folder / "rules.yml"
        for name in (moved, replaced(moved, change)):
            rules.write_text("version: 1\nbudgets: [{name: one, must_match: true, measure: charged, limit: +5pp, "
                             f"select: '^{name}$'}}]\n")
            status, _, said = check(folder, sides, "-r", rules)
            expect(status == FAIL and "selects no" not in said, f"{name}: a budget means it", said)
            done = subprocess.run([GATE, "explain", name, sides["baseline"][0], sides["canary"][0]], capture_output=True,
                                  text=True, check=False)
            expect(done.returncode == 0 and done.stdout.startswith(replaced(moved, change)), f"explain {name}",
                   done.stdout + done.stderr)


def test_renames_to_copy_join_a_package():
    run("package")


def test_renames_to_copy_join_a_file():
    run("file")


def test_renames_to_copy_join_a_class():
    run("class")


def test_a_split_function_is_listed_and_judged():
    run("split")


def test_renamed_functions_are_paired_by_words():
    """Of four functions that were renamed in one caller one costs 2.7 times as much: words show which belong together,
    and where they show nothing there is no block. Their costs would pair each with a cheaper or dearer one."""
    whose = {"auditCart": 6, "parseOrder": 10, "sortLines": 11, "priceTax": 9}
    before = {f"main.main;main.serve;main.{name}": cost for name, cost in whose.items()}
    before |= {f"main.main;main.other{i}": 8 for i in range(8)}
    for word, new in (("as they were", ("checkCart", "readOrder", "keepLines", "quoteTax")),
                      ("others", ("check", "read", "keep", "quote"))):
        names = dict(zip(whose, new))
        after = {stack.replace(stack.split(".")[-1], names.get(stack.split(".")[-1], stack.split(".")[-1])):
                 cost * (2.7 if "auditCart" in stack else 1) for stack, cost in before.items()}
        rng = random.Random(word)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            sides = write_sides(folder, before, after, rng, 4000)
            status, _, said = check(folder, sides)
            expect(status != PASS, f"several, {word}: nothing given", said)
            if word == "others":
                expect("frames:\n" not in said and "The profiles do not show" in said, "several: no words", said)
                continue
            rules = folder / "rules.yml"
            rules.write_text("version: 1\nextends: recommended\n" + block_of(said))
            status, report, said = check(folder, sides, "-r", rules)
            expect(status == FAIL and report["causes"][0]["function"] == "main.auditCart", f"several, {word}", said)


def test_few_samples_do_not_hide_a_renamed_function():
    """The same of few samples, which do not confirm that the caller grew by more than its limit: its four functions, of
    which one costs 2.2 times as much, could not be judged by themselves."""
    whose = {"auditCart": 6, "parseOrder": 10, "sortLines": 11, "priceTax": 9}
    before = {f"main.main;main.serve;main.{name}": cost for name, cost in whose.items()} | {"main.main;main.pack": 64}
    after = {"main.main;main.serve;main.check": 13, "main.main;main.serve;main.read": 10, "main.main;main.pack": 64,
             "main.main;main.serve;main.keep": 11, "main.main;main.serve;main.quote": 9}
    same = after | {"main.main;main.serve;main.check": 6}
    for name, canary, expected in (("grown", after, INCONCLUSIVE), ("same", same, PASS)):
        rng = random.Random(name)
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            sides = write_sides(folder, before, canary, rng, 240)
            status, _, said = check(folder, sides)
            expect(status == expected and (status == PASS or "other names now" in said), f"few samples: {name}", said)


def test_growth_of_a_path_fails_in_spite_of_renames():
    """A path that grew by 11 points through three functions of its own fails, also if what they call was renamed."""
    before = {f"main.main;main.serve;main.load;main.part{i}{end}": cost for i in range(3)
              for end, cost in ((";runtime.mapassign_faststr", 7), ("", 1.5))}
    before |= {f"main.main;main.serve;main.other{i}": 9.5 for i in range(8)}
    for called in ("runtime.mapassign_faststr", "runtime.mapassign"):
        rng = random.Random(called)
        after = {stack.replace("runtime.mapassign_faststr", called): cost * (1.7 if "main.load" in stack else 1)
                 for stack, cost in before.items()}
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            sides = {"baseline": [write(folder / f"b{i}.txt", before, rng, 3000) for i in range(3)],
                     "canary": [write(folder / f"c{i}.txt", after, rng, 3500) for i in range(3)]}
            status, report, said = check(folder, sides)
            expect(status == FAIL and report["causes"][0]["function"] == "main.load", f"beneath: {called}", said)


def test_an_imported_module_counts_for_its_caller():
    """A module that only the canary loads counts for its caller, but how much depends on how soon the profile ended."""
    loads = "main (/srv/app/shop.py);_find_and_load (<frozen importlib._bootstrap>);<module> (/srv/app/plugin.py)"
    before = {f"main (/srv/app/shop.py);serve{i} (/srv/app/shop.py)": 12 for i in range(8)}
    before["main (/srv/app/shop.py)"] = 1
    rng = random.Random("import")
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        sides = {"baseline": [write(folder / f"b{i}.txt", before, rng, 3000) for i in range(3)],
                 "canary": [write(folder / f"c{i}.txt", before | {loads: 9}, rng, 3300) for i in range(3)]}
        status, _, said = check(folder, sides)
        expect(status == INCONCLUSIVE and "at the start of the program" in said, "import: nothing given", said)
        status, _, said = check(folder, sides, "--equal", "run")
        expect(status == FAIL, "import: --equal run", said)


if __name__ == "__main__":
    GATE = pathlib.Path(sys.argv[1])
    tests = {name.removeprefix("test_"): test for name, test in list(globals().items()) if name.startswith("test_")}
    for wanted in tests if sys.argv[3] == "all" else sys.argv[3:]:
        tests[wanted]()
