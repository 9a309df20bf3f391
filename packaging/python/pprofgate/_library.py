# SPDX-License-Identifier: Apache-2.0
"""Calls libpprofgate by ctypes, which releases the interpreter's lock during each call.

The structures are those of include/pprofgate.h. The library keeps no state between calls, so any number of threads may
call at the same time.
"""
from __future__ import annotations

import ctypes
import json
import os
import sys
from types import SimpleNamespace
from typing import Any, Dict, List, Optional, Tuple

from ._errors import error_of
from ._inputs import RulesIn, Run

_ERROR = 2  # PPROFGATE_ERROR


class _Run(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("bytes", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class _Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("baseline", ctypes.POINTER(_Run)), ("baseline_count", ctypes.c_size_t),
                ("canary", ctypes.POINTER(_Run)), ("canary_count", ctypes.c_size_t), ("rules", ctypes.c_char_p),
                ("rules_name", ctypes.c_char_p), ("baseline_work", ctypes.c_double), ("canary_work", ctypes.c_double),
                ("max_memory", ctypes.c_size_t), ("rules_path", ctypes.c_char_p), ("equal", ctypes.c_char_p),
                ("baseline_run_work", ctypes.POINTER(ctypes.c_double)),
                ("canary_run_work", ctypes.POINTER(ctypes.c_double))]


class _MergeRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("runs", ctypes.POINTER(_Run)), ("count", ctypes.c_size_t),
                ("format", ctypes.c_char_p), ("container", ctypes.c_char_p), ("max_memory", ctypes.c_size_t)]


class _SummarizeRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("runs", ctypes.POINTER(_Run)), ("count", ctypes.c_size_t),
                ("max_memory", ctypes.c_size_t)]


class _InspectRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("run", ctypes.POINTER(_Run)), ("rules", ctypes.c_char_p),
                ("rules_name", ctypes.c_char_p), ("rules_path", ctypes.c_char_p), ("max_memory", ctypes.c_size_t)]


def _text(value: Optional[str]) -> Optional[bytes]:
    return None if value is None else os.fsencode(value)


def _runs(runs: List[Run]) -> Any:
    """An array of runs. It keeps the bytes of each alive."""
    return (_Run * len(runs))(*(_Run(_text(run.name), run.content, len(run.content or b"")) for run in runs))


class Library:
    """A loaded libpprofgate."""

    def __init__(self, path: str) -> None:
        self.path = path
        library = ctypes.CDLL(path)
        size = ctypes.POINTER(ctypes.c_size_t)
        self._c = SimpleNamespace()
        for name, result, arguments in (
                ("version", ctypes.c_char_p, []), ("compare", ctypes.c_void_p, [ctypes.POINTER(_Request)]),
                ("merge", ctypes.c_void_p, [ctypes.POINTER(_MergeRequest)]),
                ("summarize", ctypes.c_void_p, [ctypes.POINTER(_SummarizeRequest)]),
                ("inspect", ctypes.c_void_p, [ctypes.POINTER(_InspectRequest)]),
                ("result_verdict", ctypes.c_int, [ctypes.c_void_p]),
                ("result_error", ctypes.c_char_p, [ctypes.c_void_p]),
                ("result_error_kind", ctypes.c_char_p, [ctypes.c_void_p]),
                ("result_json", ctypes.c_void_p, [ctypes.c_void_p, size]),
                ("result_bytes", ctypes.c_void_p, [ctypes.c_void_p, size]),
                ("result_free", None, [ctypes.c_void_p])):
            function = getattr(library, f"pprofgate_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self._c, name, function)

    def __str__(self) -> str:
        return f"library {self.path}"

    def version(self) -> str:
        text: bytes = self._c.version()
        return text.decode()

    def _answer(self, result: Optional[int], get: Any) -> bytes:
        """What `get` returns of a result, which is freed."""
        try:
            if self._c.result_verdict(result) == _ERROR:
                kind, message = self._c.result_error_kind(result), self._c.result_error(result)
                raise error_of(kind.decode(), message.decode("utf-8", "replace"))
            length = ctypes.c_size_t()
            start = get(result, ctypes.byref(length))
            return ctypes.string_at(start, length.value)
        finally:
            self._c.result_free(result)

    def check(self, sides: Tuple[List[Run], List[Run]], rules: RulesIn,
              work: Optional[Tuple[List[float], List[float]]], equal: Optional[str], max_memory: int) -> Dict[str, Any]:
        baseline, canary = map(_runs, sides)
        request = _Request(size=ctypes.sizeof(_Request), baseline=baseline, baseline_count=len(baseline),
                           canary=canary, canary_count=len(canary), rules=rules.text, rules_name=_text(rules.name),
                           rules_path=_text(rules.path), equal=_text(equal), max_memory=max_memory)
        for side, numbers in zip(("baseline", "canary"), work or ()):
            if len(numbers) == 1:
                setattr(request, f"{side}_work", numbers[0])
            else:
                setattr(request, f"{side}_run_work", (ctypes.c_double * len(numbers))(*numbers))
        report: Dict[str, Any] = json.loads(self._answer(self._c.compare(ctypes.byref(request)), self._c.result_json))
        return report

    def merge(self, runs: List[Run], form: Optional[str], container: Optional[str], max_memory: int) -> bytes:
        all_of = _runs(runs)
        request = _MergeRequest(size=ctypes.sizeof(_MergeRequest), runs=all_of, count=len(all_of), format=_text(form),
                                container=_text(container), max_memory=max_memory)
        return self._answer(self._c.merge(ctypes.byref(request)), self._c.result_bytes)

    def summarize(self, runs: List[Run], max_memory: int) -> bytes:
        all_of = _runs(runs)
        request = _SummarizeRequest(size=ctypes.sizeof(_SummarizeRequest), runs=all_of, count=len(all_of),
                                    max_memory=max_memory)
        return self._answer(self._c.summarize(ctypes.byref(request)), self._c.result_bytes)

    def inspect(self, run: Run, rules: RulesIn, max_memory: int) -> List[Dict[str, Any]]:
        one = _runs([run])
        request = _InspectRequest(size=ctypes.sizeof(_InspectRequest), run=one, rules=rules.text,
                                  rules_name=_text(rules.name), rules_path=_text(rules.path), max_memory=max_memory)
        described = json.loads(self._answer(self._c.inspect(ctypes.byref(request)), self._c.result_json))
        return described if isinstance(described, list) else [described]


def beside() -> str:
    """The path of the library that a wheel has beside this module."""
    name = "libpprofgate.dylib" if sys.platform == "darwin" else "libpprofgate.so"
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
