# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The file that plays an emulated board's flash chip."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path
from typing import IO

from wyrmlab.base import paths
from wyrmlab.base.errors import MissingError, UsageError
from wyrmlab.boards import Board, Flash


def default_file(board: Board) -> Path:
    return paths.state() / f"{board.name}.flash"


def check_folder(file: Path) -> None:
    """Makes the folder of default flash files; another one must be there."""
    if file.parent == paths.state():
        file.parent.mkdir(parents=True, exist_ok=True)
    elif not file.parent.is_dir():
        raise UsageError(
            f"The flash file {file} cannot be written: there is no folder {file.parent}.",
            remedy="Make it, or give another file with --flash.",
        )


class Chip:
    """Ours alone between `take` and `release`: two devices cannot share one, and as it holds keys
    only its owner may read it."""

    def __init__(self, file: Path, layout: Flash) -> None:
        self.file = file
        self._layout = layout
        self._held: IO[bytes] | None = None

    def command_line(self) -> list[str]:
        return self._layout.command_line(self.file)

    def take(self) -> None:
        """Creates the file as an erased chip, unless it exists."""
        check_folder(self.file)
        try:
            private = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            self._held = os.fdopen(private, "a+b")
            fcntl.flock(self._held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise MissingError(
                f"The flash file {self.file} is in use by another device.",
                remedy="End that device, or give this one another file with --flash.",
            ) from error
        except OSError as error:
            raise UsageError(
                f"The flash file {self.file} cannot be written: {error.strerror}.",
                remedy="Give another one with --flash.",
            ) from error
        size = os.fstat(private).st_size
        if size not in (0, self._layout.size):
            raise UsageError(
                f"{self.file} has {size} bytes, a flash file of this board {self._layout.size}.",
                remedy="Give another one with --flash; nothing was changed.",
            )
        if size == 0:
            self._layout.make(private)
        with contextlib.suppress(PermissionError):  # it is somebody else's, who lets us write
            os.fchmod(private, 0o600)

    def release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None
