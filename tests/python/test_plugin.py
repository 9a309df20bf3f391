#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The plugin of pytest: each test here runs pytest on a file of tests, and looks at what it reports.

usage: test_plugin.py PPROFGATE LIBRARY ROOT NAME      runs test_NAME
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, LIBRARY, ROOT = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
CPU = ROOT / "fixtures/go-service/cpu"
HEAD = f"import pytest\nCPU = {str(CPU)!r}\n"


def stacks(slow, fast=900):
    """Collapsed stacks in which one function has `slow` samples."""
    return f"main;handle;shop.search {slow}\nmain;handle;shop.render {fast}\n"


def run(folder, text, *options, library=True):
    """The outcomes of a file of tests, such as {"passed": 1}, and what pytest prints."""
    (folder / "test_it.py").write_text(HEAD + text)
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("GITHUB_", "GITLAB_", "CI_", "PPROFGATE_", "PYTEST_"))}
    where = {"PPROFGATE_LIBRARY": str(LIBRARY)} if library else {"PPROFGATE_LIBRARY": "", "PPROFGATE_PROGRAM": str(PROGRAM)}
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-p", "pprofgate.pytest_plugin", "-p", "no:cacheprovider",
                           "-q", "--strict-markers", "--basetemp", str(folder / "tmp"), *options,
                           "test_it.py"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**kept, **where, "PYTHONPATH": str(ROOT / "packaging/python"),
                                            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})
    counts = re.findall(r"(\d+) (passed|failed|errors?|warnings?|skipped)", (done.stdout.splitlines() or [""])[-1])
    return {word.rstrip("s"): int(number) for number, word in counts}, done.stdout + done.stderr


def one(baseline, content, mark=""):
    """A test that gives `content` as its profile."""
    return (f"@pytest.mark.pprofgate(baseline={baseline!r}{mark})\n"
            f"def test_search(pprofgate_profile):\n    pprofgate_profile.path.write_bytes(open({str(content)!r}, 'rb').read())\n")


def test_a_test_whose_profile_grew_fails(folder):
    for library in (True, False):
        counts, out = run(folder, one(str(CPU / "baseline-1.pb.gz"), CPU / "regression-1.pb.gz"), library=library)
        assert counts == {"failed": 1} and "pprofgate: fail" in out and "main.priceRound" in out, out
        assert "pytest_plugin.py" not in out, out  # no traceback of the plugin


def test_a_test_whose_profile_did_not_grow_passes(folder):
    shutil.copy(CPU / "baseline-1.pb.gz", folder / "base.pb.gz")  # a path is relative to the file of the test
    counts, out = run(folder, one("base.pb.gz", CPU / "speedup-1.pb.gz"))
    assert counts.get("passed") == 1 and "failed" not in counts, out


def test_several_runs_are_compared(folder):
    text = ("@pytest.mark.pprofgate([CPU + f'/baseline-{n}.pb.gz' for n in (1, 2, 3)])\n"
            "def test_search(pprofgate_profile):\n"
            "    for n in (1, 2, 3):\n"
            "        pprofgate_profile.add(open(CPU + f'/regression-{n}.pb.gz', 'rb').read())\n")
    counts, out = run(folder, text)
    assert counts == {"failed": 1} and "main.priceRound" in out, out
    counts, out = run(folder, text.replace("regression", "speedup"))
    assert counts.get("passed") == 1, out


def test_an_undecided_comparison_fails_or_warns(folder):
    (folder / "base.txt").write_text(stacks(3, 4))
    (folder / "now.txt").write_text(stacks(5, 4))
    text = one("base.txt", folder / "now.txt")
    counts, out = run(folder, text)
    assert counts.get("failed") == 1 and "pprofgate: inconclusive" in out, out
    assert run(folder, text, "--pprofgate-inconclusive=fail")[0].get("failed") == 1
    counts, out = run(folder, text, "--pprofgate-inconclusive=warn")
    assert counts == {"passed": 1, "warning": 1} and "PprofgateWarning" in out and "inconclusive" in out, out
    assert run(folder, text, "--pprofgate-inconclusive=warn", "-W", "error")[0].get("failed") == 1
    assert "invalid choice" in run(folder, text, "--pprofgate-inconclusive=skip")[1]


def test_rules_and_work_of_the_mark_are_used(folder):
    (folder / "rules.yml").write_text("version: 1\nbudgets: [{name: mine, measure: charged, limit: {share_increase: +90pp}}]\n")
    base, grown = str(CPU / "baseline-1.pb.gz"), CPU / "regression-1.pb.gz"
    counts, out = run(folder, one(base, grown, ", rules='rules.yml'"))
    assert counts.get("passed") == 1, out
    assert run(folder, one(base, grown, ", rules='strict'"))[0].get("failed") == 1
    counts, out = run(folder, one(base, grown, ", rules='version: 1\\nbudgetz: 1\\n'"))
    assert counts == {"failed": 1} and "pprofgate: rules:2:1: unknown key 'budgetz'" in out, out
    counts, out = run(folder, one(base, grown, ", work=(1, 0)"))
    assert counts == {"failed": 1} and "above zero" in out, out


def test_errors_name_the_missing_profile_or_baseline(folder):
    cases = (("def test_search(pprofgate_profile):\n    pass\n", "base.txt", "the test gave no profile"),
             ("def test_search():\n    pass\n", "base.txt", "does not use the fixture 'pprofgate_profile'"),
             ("def test_search(pprofgate_profile):\n    pprofgate_profile.add(b'a 1')\n", "absent", "--pprofgate-update writes it"),
             ("def test_search(pprofgate_profile):\n    pprofgate_profile.add(b'?')\n", "base.txt", "run-1: "))
    (folder / "base.txt").write_text(stacks(100))
    for body, baseline, expected in cases:
        counts, out = run(folder, f"@pytest.mark.pprofgate(baseline={baseline!r})\n{body}")
        assert counts == {"failed": 1} and expected in out, (body, out)
    for arguments, expected in (("", "needs 'baseline'"), ("baseline='base.txt', limit=3", "found 'limit'"),
                                ("'base.txt', 'rules.yml'", "one argument without a name")):
        counts, out = run(folder, f"@pytest.mark.pprofgate({arguments})\ndef test_search(pprofgate_profile):\n    pass\n")
        assert counts == {"failed": 1} and expected in out, (arguments, out)


def test_a_test_that_fails_is_not_compared(folder):
    counts, out = run(folder, "@pytest.mark.pprofgate('absent')\ndef test_search(pprofgate_profile):\n    assert 1 == 2\n"
                              "def test_plain(pprofgate_profile):\n    assert str(pprofgate_profile.path)\n")
    assert counts == {"failed": 1, "passed": 1} and "assert 1 == 2" in out and "no baseline" not in out, out


def test_update_writes_the_baseline(folder):
    (folder / "now.txt").write_text(stacks(5000))
    text = one("kept/base.txt", folder / "now.txt")
    assert run(folder, text, "--pprofgate-update")[0] == {"passed": 1}
    assert (folder / "kept/base.txt").read_text() == stacks(5000)
    (folder / "now.txt").write_text(stacks(5010))
    counts, out = run(folder, text)
    assert counts.get("passed") == 1, out
    (folder / "now.txt").write_text(stacks(20000))
    counts, out = run(folder, text)
    assert counts == {"failed": 1} and "shop.search" in out, out
    counts, out = run(folder, one(["a", "b"], folder / "now.txt"), "--pprofgate-update")
    assert counts == {"failed": 1} and "names 2 baselines" in out, out


def main():
    with tempfile.TemporaryDirectory(prefix="pprofgate-pytest-") as folder:
        globals()[f"test_{sys.argv[4]}"](pathlib.Path(folder).resolve())


if __name__ == "__main__":
    main()
