# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Runs the command line; maps every outcome to an exit code and hides tracebacks by default."""

from __future__ import annotations

import errno
import os
import sys
from typing import NoReturn

import typer

from wyrmlab.base.errors import FAILED, INTERRUPTED, MISSING, USAGE, WyrmError
from wyrmlab.base.proc import ignore_signals, install_signal_handlers
from wyrmlab.commands.cli import app
from wyrmlab.network import namespaces


def main() -> NoReturn:
    try:
        # In here, because a signal that was kept back until now comes at once.
        install_signal_handlers()
        code = app(prog_name="./wyrm", standalone_mode=False)
        # Typer makes this of a KeyboardInterrupt.
        if code == INTERRUPTED:
            code = _report(KeyboardInterrupt())
        ignore_signals()
    except BaseException as error:
        ignore_signals()
        code = _report(error)
    if not namespaces.inside():
        namespaces.give_back()
    _flush()
    sys.exit(code if isinstance(code, int) else 0)


def _report(error: BaseException) -> int:
    if os.environ.get("WYRM_DEBUG") and not isinstance(error, SystemExit):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else FAILED
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        print("wyrm: interrupted; everything it had started is stopped.", file=sys.stderr)
        return INTERRUPTED
    if isinstance(error, WyrmError):
        if error.detail:
            print(error.detail, file=sys.stderr)
        print(f"wyrm: {error}", file=sys.stderr)
        return error.exit_code
    # Click's own errors: a wrong option or argument. They print themselves.
    if hasattr(error, "exit_code") and hasattr(error, "show"):
        error.show()
        return USAGE
    if isinstance(error, BrokenPipeError):
        return FAILED
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        print(
            "wyrm: the disk is full. Make room (`./wyrm clean` removes build/), and start again;"
            " WYRM_CACHE moves the cache to another disk.",
            file=sys.stderr,
        )
        return FAILED
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EROFS):
        print(f"wyrm: {error.filename} is not writable: {error.strerror}.", file=sys.stderr)
        return MISSING
    print(
        f"wyrm: internal error: {type(error).__name__}: {error}"
        " (WYRM_DEBUG=1 shows the traceback).",
        file=sys.stderr,
    )
    return FAILED


def _flush() -> None:
    """A reader that has gone (`./wyrm ... | head`) is no error at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
