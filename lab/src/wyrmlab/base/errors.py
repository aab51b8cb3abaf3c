# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What can go wrong, as one sentence with its remedy and the exit code that belongs to it."""

from __future__ import annotations

FAILED = 1
USAGE = 2
MISSING = 3
INTERRUPTED = 130


class WyrmError(Exception):
    """A failure the user is told of in one sentence.

    `remedy` says what to do about it; `detail` is shown as it is below (a compiler's words, say).
    """

    exit_code = FAILED

    def __init__(self, message: str, *, remedy: str = "", detail: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.detail = detail.rstrip()

    def __str__(self) -> str:
        return f"{self.message} {self.remedy}".strip()


class UsageError(WyrmError):
    """An argument or a configuration is wrong."""

    exit_code = USAGE


class MissingError(WyrmError):
    """The machine lacks something: a program, a permission, a device node."""

    exit_code = MISSING


class TimedOutError(WyrmError):
    """Something did not happen in time."""
