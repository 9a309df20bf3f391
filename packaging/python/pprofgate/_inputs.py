# SPDX-License-Identifier: Apache-2.0
"""The arguments of check, merge, summarize and inspect, brought into one form for the library and the program."""
from __future__ import annotations

import io
import math
import os
import zlib
from dataclasses import dataclass
from typing import Any, BinaryIO, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import FileError, UsageError

Source = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]", BinaryIO]
Side = Union[Source, Iterable[Source]]
Rules = Union[None, bytes, str, "os.PathLike[str]", BinaryIO]
Amount = Union[int, float, Sequence[Union[int, float]]]
Work = Union[None, Tuple[Amount, Amount], Mapping[str, Amount]]

SUMMARY = ".pgsum"  # how the names of summaries end
_MARK = b"\x72\x17pprofgate run summaries"  # how their content begins (docs/summary.proto)

EQUALS = ("work", "time", "run", "share")


@dataclass(frozen=True)
class Run:
    """One profile: a file, or bytes with the name that messages and reports give them."""

    name: str
    content: Optional[bytes]  # None: the file `name`


@dataclass(frozen=True)
class RulesIn:
    """Rules as text with a name, or the path of a file or name of a preset. Both None: by the type of the profiles."""

    text: Optional[bytes] = None
    name: str = "rules"
    path: Optional[str] = None


def _is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def _path_of(value: Any, what: str) -> str:
    path = os.fsdecode(value)
    if "\0" in path:
        raise UsageError(f"{what}: the path has a NUL character")
    return path


def _name_of(stream: Any, otherwise: str) -> str:
    """The name of a file object. Some have a number, or words in angle brackets."""
    name = getattr(stream, "name", None)
    return name if isinstance(name, str) and name and "\0" not in name else otherwise


def _read(stream: Any, name: str) -> bytes:
    try:
        content = stream.read()
    except (OSError, ValueError) as error:  # ValueError: the file is closed
        raise FileError(f"{name}: cannot be read: {error}") from error
    if isinstance(content, (bytes, bytearray, memoryview)):
        return bytes(content)
    raise UsageError(f"{name}: expected a file object that was opened in binary mode, found one that returns "
                     f"{type(content).__name__}")


def _is_summary(content: bytes) -> bool:
    """Whether bytes, compressed with gzip or not at all, are a summary."""
    if content[:2] == b"\x1f\x8b":
        try:
            content = zlib.decompressobj(31).decompress(content[:4096], len(_MARK))
        except zlib.error:
            return False
    return content.startswith(_MARK)


def _run_of_bytes(name: str, content: bytes) -> Run:
    """A run that is no file. The library and the program recognise a summary by its name."""
    is_summary = not name.endswith(SUMMARY) and _is_summary(content)
    return Run(name + SUMMARY if is_summary else name, content)


def run_of(source: Any, name: str) -> Run:
    """One profile or summary. `name` is that of bytes and of file objects without a name."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _run_of_bytes(name, bytes(source))
    if _is_path(source):
        path = _path_of(source, name)
        if path == "-":
            raise UsageError(f"{name}: '-' is no file; for standard input give sys.stdin.buffer")
        return Run(path, None)
    if hasattr(source, "read"):
        found = _name_of(source, name)
        return _run_of_bytes(found, _read(source, found))
    raise UsageError(f"{name}: expected bytes, a path or a file object, found {type(source).__name__}")


def runs_of(side: Any, name: str) -> List[Run]:
    """The runs of a side: one source, or several."""
    is_one = isinstance(side, (bytes, bytearray, memoryview)) or _is_path(side) or hasattr(side, "read")
    if is_one:
        return [run_of(side, name)]
    if not isinstance(side, Iterable):
        raise UsageError(f"{name}: expected bytes, a path, a file object or several of them, found "
                         f"{type(side).__name__}")
    runs = [run_of(source, f"{name}[{number}]") for number, source in enumerate(side)]
    if not runs:
        raise UsageError(f"{name}: expected at least one profile, found none")
    return runs


def named_runs_of(profiles: Any, names: Any) -> List[Run]:
    """The runs to summarize. `names`, if given, are their names in the summary, one per profile."""
    runs = runs_of(profiles, "profile")
    if names is None:
        return runs
    given = [names] if isinstance(names, str) else list(names) if isinstance(names, Iterable) else []
    if len(given) != len(runs):
        raise UsageError(f"names: expected {len(runs)} names, one per profile, found {len(given)}")
    for name in given:
        is_name = isinstance(name, str) and 0 < len(os.fsencode(name)) < 256 and name not in (".", "..")
        if not is_name or "/" in name or "\0" in name or name.endswith(SUMMARY):
            raise UsageError(f"names: expected names of files, without '/' and not of a summary, found {name!r}")
    return [_named(run, name) for run, name in zip(runs, given)]


def _named(run: Run, name: str) -> Run:
    """A run with another name. That of a file is the path, so its content is read here."""
    if run.name.endswith(SUMMARY):
        raise UsageError(f"names: '{run.name}' is a summary, whose runs have names")
    if run.content is not None:
        return Run(name, run.content)
    try:
        with open(run.name, "rb") as file:
            return Run(name, file.read())
    except OSError as error:
        raise FileError(f"{run.name}: cannot be opened: {error.strerror}") from error


def rules_of(rules: Any) -> RulesIn:
    """The rules: content as bytes, as a text of several lines or from a file object; else a path or a preset."""
    if rules is None:
        return RulesIn()
    if isinstance(rules, str) and "\n" in rules:
        rules = rules.encode("utf-8", "surrogateescape")
    if _is_path(rules):
        path = _path_of(rules, "rules")
        if path == "-":
            raise UsageError("rules: '-' is no file; for standard input give sys.stdin.buffer")
        return RulesIn(path=path)
    name = "rules"
    if hasattr(rules, "read"):
        name = _name_of(rules, name)
        if isinstance(rules, io.TextIOBase):
            rules = rules.buffer if hasattr(rules, "buffer") else io.BytesIO(rules.read().encode())
        rules = _read(rules, name)
    if not isinstance(rules, (bytes, bytearray, memoryview)):
        raise UsageError(f"rules: expected a path, the name of a preset, bytes or a file object, found "
                         f"{type(rules).__name__}")
    text = bytes(rules)
    if b"\0" in text:
        raise UsageError(f"{name}: expected text, found a NUL byte")
    return RulesIn(text, name)


def _numbers(amount: Any, side: str, runs: Sequence[Run]) -> List[float]:
    is_list = isinstance(amount, Sequence) and not isinstance(amount, (str, bytes))
    try:
        numbers = [float(number) for number in (amount if is_list else [amount])]
    except (TypeError, ValueError) as error:
        raise UsageError(f"work of the {side}: expected a number, or one per run, found {amount!r}") from error
    if is_list and any(run.name.endswith(SUMMARY) for run in runs):
        raise UsageError(f"work of the {side}: expected one number, since the side has a summary, found {amount!r}")
    if is_list and len(numbers) != len(runs):
        raise UsageError(f"work of the {side}: expected {len(runs)} numbers, one per run, found {len(numbers)}")
    if not all(math.isfinite(number) and number > 0 for number in numbers):
        raise UsageError(f"work of the {side}: expected numbers above zero, found {amount!r}")
    return numbers


def work_of(work: Any, sides: Tuple[Sequence[Run], Sequence[Run]]) -> Optional[Tuple[List[float], List[float]]]:
    """The work of both sides: one number, or one per run."""
    if work is None:
        return None
    if isinstance(work, Mapping):
        if set(work) != {"baseline", "canary"}:
            raise UsageError(f"work: expected the keys 'baseline' and 'canary', found {sorted(map(str, work))}")
        work = (work["baseline"], work["canary"])
    if not isinstance(work, Sequence) or isinstance(work, (str, bytes)) or len(work) != 2:
        raise UsageError(f"work: expected the work of the baseline and of the canary, found {work!r}")
    return _numbers(work[0], "baseline", sides[0]), _numbers(work[1], "canary", sides[1])


def word_of(word: Any, name: str, words: Sequence[str]) -> Optional[str]:
    """One of `words`, or None."""
    if word is None:
        return None
    if not isinstance(word, str) or word not in words:
        raise UsageError(f"{name}: expected {', '.join(words[:-1])} or {words[-1]}, found {word!r}")
    return word


def memory_of(limit: Any) -> int:
    """The limit of memory in bytes; 0: the default."""
    if limit is None:
        return 0
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 < limit < 2**63:
        raise UsageError(f"max_memory: expected a number of bytes above zero, found {limit!r}")
    return limit
