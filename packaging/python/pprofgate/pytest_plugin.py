# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest: a test with the mark `pprofgate` fails if the profile that it takes costs more than its baseline.

    @pytest.mark.pprofgate(baseline="baseline.speedscope.json")
    def test_search(pprofgate_profile):
        ...  # work under a profiler, which writes to pprofgate_profile.path
"""
from __future__ import annotations

import os
import pathlib
import warnings
from typing import Any, Dict, List

import pytest

import pprofgate

_PROFILES: Any = pytest.StashKey()
_ARGUMENTS = {"baseline", "rules", "work", "equal"}
_HOW = ("write the file that a profiler makes to 'pprofgate_profile.path', or give its bytes to "
        "'pprofgate_profile.add'; pyinstrument, py-spy, austin and Scalene write such files, cProfile does not: "
        "it has no stacks")


class PprofgateWarning(UserWarning):
    """A comparison that is undecided, or a warning about one."""


class Profiles:
    """The profiles that a test takes. The value of the fixture `pprofgate_profile`."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._paths: List[pathlib.Path] = []
        self._first = self.new_path()

    @property
    def path(self) -> pathlib.Path:
        """The file for the profile of the first run."""
        return self._first

    def __fspath__(self) -> str:
        return os.fspath(self._first)

    def new_path(self) -> pathlib.Path:
        """A file for the profile of one more run."""
        self._paths.append(self._folder / f"run-{len(self._paths) + 1}")
        return self._paths[-1]

    def add(self, content: bytes) -> None:
        """Add the profile of a run."""
        path = self._first if not self._first.exists() else self.new_path()
        path.write_bytes(content)

    def runs(self) -> List[pathlib.Path]:
        """The files that were written."""
        return [path for path in self._paths if path.exists()]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("pprofgate", "profiles of tests")
    group.addoption("--pprofgate-inconclusive", choices=("fail", "warn"), default="fail",
                    help="what an undecided comparison is: a failed test (default), or a warning")
    group.addoption("--pprofgate-update", action="store_true",
                    help="write the profiles of the tests as their baselines, and compare nothing")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "pprofgate(baseline, rules=None, work=None, equal=None): fail if the profile of the fixture "
                   "pprofgate_profile costs more than the baseline, a path beside the test or a list of them")


@pytest.fixture
def pprofgate_profile(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Profiles:
    """Where a test puts its profile: `path`, `new_path()` of one more run, or `add(bytes)`."""
    folder = tmp_path / "pprofgate"
    folder.mkdir()
    profiles = Profiles(folder)
    request.node.stash[_PROFILES] = profiles
    return profiles


def _beside(item: pytest.Item, path: Any) -> pathlib.Path:
    return pathlib.Path(item.path.parent, os.fspath(path))


def _arguments(item: pytest.Item, mark: pytest.Mark) -> Dict[str, Any]:
    given = dict(mark.kwargs)
    if len(mark.args) == 1 and "baseline" not in given:
        given["baseline"] = mark.args[0]
    elif mark.args:
        pytest.fail("the mark 'pprofgate' takes one argument without a name, the baseline", pytrace=False)
    unknown = sorted(set(given) - _ARGUMENTS)
    if unknown or "baseline" not in given:
        pytest.fail(f"the mark 'pprofgate' needs 'baseline' and takes {', '.join(sorted(_ARGUMENTS - {'baseline'}))}"
                    + (f"; found '{unknown[0]}'" if unknown else ""), pytrace=False)
    paths = given["baseline"] if isinstance(given["baseline"], (list, tuple)) else [given["baseline"]]
    given["baseline"] = [_beside(item, path) for path in paths]
    rules = given.get("rules")
    if isinstance(rules, (str, os.PathLike)) and _beside(item, rules).is_file():
        given["rules"] = _beside(item, rules)
    return given


def _update(baseline: List[pathlib.Path], runs: List[pathlib.Path]) -> None:
    if len(baseline) != len(runs):
        pytest.fail(f"the test took {len(runs)} profiles, but its mark names {len(baseline)} baselines", pytrace=False)
    for to, run in zip(baseline, runs):
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_bytes(run.read_bytes())


def _judge(item: pytest.Item, mark: pytest.Mark) -> None:
    """Fail, or warn, by the verdict on the profiles of a test that passed."""
    given = _arguments(item, mark)
    profiles = item.stash.get(_PROFILES, None)
    runs = profiles.runs() if profiles is not None else []
    if not runs:
        pytest.fail(f"the test gave no profile: {_HOW}" if profiles is not None else
                    f"the test does not use the fixture 'pprofgate_profile': take it, and {_HOW}", pytrace=False)
    if item.config.getoption("--pprofgate-update"):
        _update(given["baseline"], runs)
        return
    absent = [path for path in given["baseline"] if not path.exists()]
    if absent:
        pytest.fail(f"there is no baseline '{absent[0]}'; pytest --pprofgate-update writes it", pytrace=False)
    try:
        verdict = pprofgate.check(given.pop("baseline"), runs, **given)
    except pprofgate.Error as error:
        pytest.fail(f"pprofgate: {error}", pytrace=False)
    item.user_properties.append(("pprofgate", verdict.outcome))
    if verdict.failed:
        pytest.fail(f"pprofgate: {verdict}", pytrace=False)
    if verdict.inconclusive and item.config.getoption("--pprofgate-inconclusive") == "fail":
        pytest.fail(f"pprofgate: {verdict}\n  an undecided comparison fails; --pprofgate-inconclusive=warn warns",
                    pytrace=False)
    if verdict.inconclusive or verdict.warnings:
        warnings.warn_explicit(PprofgateWarning(f"{item.nodeid}: {verdict}"), None, str(item.path), 1)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Any:
    outcome = yield
    mark = pyfuncitem.get_closest_marker("pprofgate")
    if mark is None or outcome.excinfo is not None:
        return
    try:
        _judge(pyfuncitem, mark)
    except BaseException as error:  # also pytest.fail, which is no Exception
        if hasattr(outcome, "force_exception"):
            outcome.force_exception(error)
        else:  # pluggy before 1.1
            outcome._excinfo = (type(error), error, error.__traceback__)
