# SPDX-License-Identifier: Apache-2.0
"""pprofgate compares the profiles of a canary with those of a baseline and decides: pass, fail or inconclusive.

    import pprofgate

    verdict = pprofgate.check("baseline.pb.gz", "canary.pb.gz")
    if verdict.failed:
        print(verdict)

A profile is bytes, a path or a file object that was opened in binary mode, in any format that pprofgate reads. A side
is one profile, or several: each is a run. Of a summary made by `summarize`, each run is read. The calls use the
library libpprofgate of the wheel. Where there is none, they run the program, with the same results. They release the
interpreter's lock, and any number of threads may call.
"""
from __future__ import annotations

import os
import threading
from typing import Any, Dict, Iterable, List, Optional, Union

from . import _inputs, _library, _program
from ._errors import BackendError, Error, FileError, LimitError, ProfileError, RulesError, UsageError
from ._inputs import Amount, Rules, Side, Source, Work
from ._verdict import Cause, Finding, Notice, Totals, Verdict, verdict_of

__all__ = ["Amount", "BackendError", "Cause", "Error", "FileError", "Finding", "LimitError", "Notice", "ProfileError",
           "Rules", "RulesError", "Side", "Source", "Totals", "UsageError", "Verdict", "Work", "backend", "check",
           "inspect", "inspect_runs", "merge", "summarize", "version"]

_lock = threading.Lock()
_found: Optional[Union[_library.Library, _program.Program]] = None


def _find() -> Union[_library.Library, _program.Program]:
    path = os.environ.get("PPROFGATE_LIBRARY")
    if path is None and os.path.exists(_library.beside()):
        path = _library.beside()
        try:
            return _library.Library(path)
        except OSError:  # made for another C library, such as musl: the program runs there
            pass
    elif path:
        try:
            return _library.Library(path)
        except (OSError, AttributeError) as error:
            raise BackendError(f"PPROFGATE_LIBRARY: '{path}' cannot be loaded: {error}") from error
    program = os.environ.get("PPROFGATE_PROGRAM")
    found = _program.Program([program]) if program else _program.find()
    if found is None:
        raise BackendError("neither the library libpprofgate nor the program pprofgate is here: install the wheel for "
                           "this machine, or name one of them by PPROFGATE_LIBRARY or PPROFGATE_PROGRAM")
    return found


def _backend() -> Union[_library.Library, _program.Program]:
    global _found
    with _lock:
        if _found is None:
            _found = _find()
        return _found


def check(baseline: Side, canary: Side, *, rules: Rules = None, work: Work = None, equal: Optional[str] = None,
          max_memory: Optional[int] = None) -> Verdict:
    """Compare a canary with a baseline and decide by the budgets of `rules`.

    rules       path of a rules file, or name of a preset; bytes, a text of several lines or a file object: the content
                of a rules file, which may extend presets. None: the preset for the type of the profiles
    work        work of the baseline and of the canary, such as requests: a number for a side, or one per run
    equal       what both sides have equal, so that costs are compared: "work", "time", "run"; "share": shares only
    max_memory  limit in bytes

    Raises a subclass of Error if nothing can be decided.
    """
    sides = (_inputs.runs_of(baseline, "baseline"), _inputs.runs_of(canary, "canary"))
    report = _backend().check(sides, _inputs.rules_of(rules),
                              _inputs.work_of(work, sides), _inputs.word_of(equal, "equal", _inputs.EQUALS), _inputs.memory_of(max_memory))
    report.pop("command", None)  # a call has no command line
    return verdict_of(report)


def merge(profiles: Side, *, format: Optional[str] = None, container: Optional[str] = None,
          max_memory: Optional[int] = None) -> bytes:
    """Add profiles up, stack by stack, into one profile.

    format     "pprof" (default) or "otlp"
    container  "gzip" (default), "zstd" or "raw" (default of OTLP)
    """
    runs = _inputs.runs_of(profiles, "profile")
    return _backend().merge(runs, _inputs.word_of(format, "format", ("pprof", "otlp")),
                            _inputs.word_of(container, "container", ("gzip", "zstd", "raw")),
                            _inputs.memory_of(max_memory))


def summarize(profiles: Side, *, names: Union[None, str, Iterable[str]] = None,
              max_memory: Optional[int] = None) -> bytes:
    """Put runs into one summary, as `pprofgate summarize` does. Every call takes it in place of the profiles.

    names  names of the runs in the summary, one per profile. Otherwise those of files are their file names

    A run takes a few per cent of its profile. Summaries can be put together with `+`.
    """
    return _backend().summarize(_inputs.named_runs_of(profiles, names), _inputs.memory_of(max_memory))


def inspect(profile: Source, *, rules: Rules = None, max_memory: Optional[int] = None) -> Dict[str, Any]:
    """Describe a profile as `pprofgate inspect --json` does: its format, types of value, labels, own code and oddities.

    rules  as for check; they decide what is own code
    """
    run = _inputs.run_of(profile, "profile")
    described = _backend().inspect(run, _inputs.rules_of(rules), _inputs.memory_of(max_memory))
    if len(described) != 1:
        raise UsageError(f"{run.name}: a summary of {len(described)} runs; call 'inspect_runs'")
    return described[0]


def inspect_runs(profiles: Side, *, rules: Rules = None, max_memory: Optional[int] = None) -> List[Dict[str, Any]]:
    """Describe each run of profiles and summaries, as `inspect` does."""
    runs, own, limit = _inputs.runs_of(profiles, "profile"), _inputs.rules_of(rules), _inputs.memory_of(max_memory)
    return [described for run in runs for described in _backend().inspect(run, own, limit)]


def version() -> str:
    """The version of the library or the program in use, such as "0.1.0"."""
    return _backend().version()


def backend() -> str:
    """What decides: "library PATH" or "program WORDS"."""
    return str(_backend())
