# SPDX-License-Identifier: Apache-2.0
"""The exceptions of pprofgate: one class per kind of error, with the library's message."""
from __future__ import annotations


class Error(Exception):
    """Nothing was decided. The message names the input, what was expected and found, and what to do next."""

    kind = ""


class UsageError(Error, ValueError):
    """An argument of the call is wrong."""

    kind = "usage"


class RulesError(Error, ValueError):
    """The rules cannot be used. The message begins with their name, line and column where they are known."""

    kind = "rules"


class FileError(Error, OSError):
    """A file or a file object cannot be read."""

    kind = "file"


class ProfileError(Error, ValueError):
    """A profile is damaged, is of a format that is not read, or cannot be compared with the others."""

    kind = "profile"


class LimitError(Error):
    """The call needs more memory or work than the limits allow."""

    kind = "limit"


class BackendError(Error, RuntimeError):
    """There is neither the library nor the program, or it ended without an answer."""

    kind = "backend"


_CLASSES = {cls.kind: cls for cls in (UsageError, RulesError, FileError, ProfileError, LimitError)}


def error_of(kind: str, message: str) -> Error:
    """The exception for an error of the library or the program."""
    return _CLASSES.get(kind, BackendError)(message)
