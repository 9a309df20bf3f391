# SPDX-License-Identifier: Apache-2.0
"""Runs the program pprofgate where the library is not there, such as its WebAssembly build. The results are the same.

Each call has a folder of its own, in which the program runs, so that no rules file of the caller's folder counts. The
inputs are written there under names that nothing else has. In the results they have the caller's names again.
"""
from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import Any, Dict, List, Optional, Tuple

from ._errors import BackendError, FileError, error_of
from ._inputs import SUMMARY, RulesIn, Run

_DECIDED = (0, 1, 3)  # exit statuses with a report: pass, fail, inconclusive
# Their names win over files, as in the program.
PRESETS = ("contention", "goroutine", "heap", "jvm", "node", "python", "recommended", "strict", "trend", "wall")
_OF_OTHERS = ("GITHUB_", "GITLAB_", "CI_", "PPROFGATE_")  # variables that change what the program writes and compares


def _environment() -> Dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(_OF_OTHERS) and name != "CI"}


class _Place:
    """The folder of one call, and the caller's names of what is in it."""

    def __init__(self, folder: str) -> None:
        self.folder, self.mark = folder, secrets.token_hex(16)
        self.names: Dict[str, str] = {}

    def write(self, content: bytes, name: str) -> str:
        """The name of a new file with `content`."""
        taken = f"input-{self.mark}-{len(self.names)}-" + (SUMMARY if name.endswith(SUMMARY) else "")
        with open(os.path.join(self.folder, taken), "wb") as file:
            file.write(content)
        self.names[taken] = name
        return taken

    def run(self, run: Run) -> str:
        """The argument for a run. The program does not get the path: it would take folders and patterns apart."""
        if run.content is not None:
            return self.write(run.content, run.name)
        try:
            with open(run.name, "rb") as file:
                return self.write(file.read(), run.name)
        except IsADirectoryError as error:
            raise FileError(f"{run.name}: a directory: name the profile in it") from error
        except OSError as error:
            raise FileError(f"{run.name}: cannot be opened: {error.strerror}") from error

    def file(self, run: Run) -> str:
        """The argument for a run whose file name counts: a file of that name in a folder of its own."""
        taken = self.run(run)
        folder = f"folder-{taken}"
        os.mkdir(os.path.join(self.folder, folder))
        inner = os.path.join(folder, os.path.basename(run.name) or "profile")
        os.rename(os.path.join(self.folder, taken), os.path.join(self.folder, inner))
        self.names = {inner if key == taken else key: name for key, name in self.names.items()}
        return inner

    def path(self, path: str) -> str:
        """The argument for a file that the program reads where it is."""
        whole = os.path.abspath(path) if path else path
        if whole != path:
            self.names[whole] = path
        return whole

    def rules(self, rules: RulesIn) -> List[str]:
        """The options for the rules."""
        if rules.text is not None:
            return ["--rules", self.write(rules.text, rules.name)]
        if rules.path is None:
            return []
        if rules.path in PRESETS or not (os.path.exists(rules.path) or os.sep in rules.path):
            return ["--rules", rules.path]
        return ["--rules", self.path(rules.path)]

    def named(self, value: Any) -> Any:
        """A JSON value with the caller's names."""
        if isinstance(value, str):
            if self.mark in value or value in self.names or value.startswith(tuple(self.names)):
                for taken, name in self.names.items():
                    value = value.replace(taken, name)
            return value
        if isinstance(value, list):
            return [self.named(item) for item in value]
        if isinstance(value, dict):
            return {key: self.named(item) for key, item in value.items()}
        return value


class Program:
    """The program, as the words that start it."""

    def __init__(self, words: List[str]) -> None:
        self.words = words

    def __str__(self) -> str:
        return "program " + " ".join(self.words)

    def _run(self, place: _Place, words: List[str]) -> "subprocess.CompletedProcess[bytes]":
        try:
            done = subprocess.run([*self.words, *words, "--error-format", "json", "--color", "never"],
                                  cwd=place.folder, env=_environment(), stdin=subprocess.DEVNULL, capture_output=True,
                                  check=False)
        except OSError as error:
            raise BackendError(f"'{self.words[0]}' cannot be run: {error}") from error
        if done.returncode not in _DECIDED:
            raise self._error(place, done)
        return done

    def _error(self, place: _Place, done: "subprocess.CompletedProcess[bytes]") -> Exception:
        text = done.stderr.decode("utf-8", "replace")
        for line in text.splitlines():
            if line.startswith('{"error":'):
                error = json.loads(line)["error"]
                message = place.named(error["message"])
                return error_of(error["kind"], "".join("?" if c < " " or c == "\x7f" else c for c in message))
        return BackendError(f"'{self.words[0]}' ended with status {done.returncode}: {text.strip()}")

    def version(self) -> str:
        try:
            done = subprocess.run([*self.words, "--version"], capture_output=True, check=True, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as error:
            raise BackendError(f"'{self.words[0]}' cannot be run: {error}") from error
        return done.stdout.decode().split()[-1]

    def check(self, sides: Tuple[List[Run], List[Run]], rules: RulesIn,
              work: Optional[Tuple[List[float], List[float]]], equal: Optional[str], max_memory: int) -> Dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="pprofgate-") as folder:
            place = _Place(folder)
            words = ["check", "--json", "-", *place.rules(rules), *_memory(max_memory)]
            for side, runs in zip(("baseline", "canary"), sides):
                words += [f"--{side}", *map(place.run, runs)]
            for side, numbers in zip(("baseline", "canary"), work or ()):
                words += ["--work", f"{side}=" + ",".join(f"{number:.17g}" for number in numbers)]
            words += ["--equal", equal] if equal else []
            report: Dict[str, Any] = place.named(json.loads(self._run(place, words).stdout))
            return report

    def merge(self, runs: List[Run], form: Optional[str], container: Optional[str], max_memory: int) -> bytes:
        form = form or "pprof"
        container = container or ("raw" if form == "otlp" else "gzip")
        with tempfile.TemporaryDirectory(prefix="pprofgate-") as folder:
            place = _Place(folder)
            self._run(place, ["merge", "-o", "merged", "--format", form, "--container", container,
                              *_memory(max_memory), *map(place.run, runs)])
            with open(os.path.join(folder, "merged"), "rb") as file:
                return file.read()

    def summarize(self, runs: List[Run], max_memory: int) -> bytes:
        with tempfile.TemporaryDirectory(prefix="pprofgate-") as folder:
            place = _Place(folder)
            self._run(place, ["summarize", "-o", "runs.pgsum", *_memory(max_memory), *map(place.file, runs)])
            with open(os.path.join(folder, "runs.pgsum"), "rb") as file:
                return file.read()

    def inspect(self, run: Run, rules: RulesIn, max_memory: int) -> List[Dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="pprofgate-") as folder:
            place = _Place(folder)
            words = ["inspect", "--json", *place.rules(rules), *_memory(max_memory), place.run(run)]
            described: List[Dict[str, Any]] = place.named(json.loads(self._run(place, words).stdout))
            return described


def _memory(limit: int) -> List[str]:
    return ["--max-memory", str(limit)] if limit else []


def find() -> Optional[Program]:
    """The WebAssembly build beside this module, else the program that a wheel installs, else the one on PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.path.exists(os.path.join(here, "pprofgate.wasm")):
        return Program([sys.executable, "-m", "pprofgate"])
    name = "pprofgate.exe" if sys.platform == "win32" else "pprofgate"
    for folder in (sysconfig.get_path("scripts"), os.path.dirname(sys.executable)):
        path = os.path.join(folder or "", name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return Program([path])
    found = shutil.which(name)
    return Program([found]) if found else None
