# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The boards firmware is built for, as their folders describe them.

A board is a folder `firmware/boards/FAMILY/NAME` with a `board.toml`; nothing here names one, but
for the default.
"""

from __future__ import annotations

import errno
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError, WyrmError

DEFAULT = "m7"
_FOLDER = paths.ROOT / "firmware" / "boards"


@dataclass(frozen=True)
class Flash:
    """The file that plays the flash chip, and how QEMU is told of it.

    Words in `options` may hold {file} and {size}. A new chip begins with the bytes of `head`, in
    hex; all others are `erased`. `volatile` attaches a chip that forgets, where the board has none
    unless it is told.
    """

    size: int
    options: Sequence[str]
    erased: int = 0
    head: str = ""
    volatile: Sequence[str] = ()

    def command_line(self, file: Path) -> list[str]:
        # QEMU splits at commas; a doubled one stands for itself.
        path = str(file.absolute()).replace(",", ",,")
        return _filled(self.options, {"file": path, "size": str(self.size)})

    def make(self, descriptor: int) -> None:
        """Makes a new chip of an empty file, which stays empty if the disk is full."""
        content = bytes.fromhex(self.head)
        if self.erased:
            content += bytes([self.erased]) * (self.size - len(content))
        if os.write(descriptor, content) < len(content):
            os.ftruncate(descriptor, 0)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.ftruncate(descriptor, self.size)


@dataclass(frozen=True)
class Emulator:
    """QEMU as this board: its program and Debian's package of it, and the options that attach
    firmware, network, arguments.

    Words in `options` may hold {firmware}, {tap} (a network back end: `tap,...`), {mac} and
    {arguments}. The console is the first serial port on every board, and attached by the lab.
    Figures are taken with 2^`icount_shift` ns per instruction; `clock_note` says what such a clock
    does not tell.
    """

    program: str
    package: str
    options: Sequence[str]
    icount_shift: int
    clock_note: str
    flash: Flash | None = None

    def command_line(self, firmware: Path, *, tap: str, mac: str, arguments: str) -> list[str]:
        given = {"firmware": str(firmware), "tap": tap, "mac": mac, "arguments": arguments}
        return [self.program, *_filled(self.options, given)]


@dataclass(frozen=True)
class Board:
    """`packages` are Debian's to compile for it; `emulation` is None where QEMU has no such board.
    How it is compiled says its board.cmake."""

    name: str
    title: str
    packages: Sequence[str]
    emulation: Emulator | None = None

    @property
    def emulator(self) -> Emulator:
        if self.emulation is None:
            emulated = ", ".join(name for name, board in known().items() if board.emulation)
            raise UsageError(
                f"Nothing here emulates the board {self.name}.", remedy=f"Emulated: {emulated}."
            )
        return self.emulation

    @property
    def flash(self) -> Flash:
        if self.emulator.flash is None:
            raise UsageError(f"The emulated board {self.name} has no flash that is kept.")
        return self.emulator.flash

    def firmware(self, variant: str = "") -> Path:
        """Where the firmware is once it is built; variants are those of `setup.build`."""
        return self.build_folder(variant) / "firmware" / f"wyrm-{self.name}.elf"

    def build_folder(self, variant: str = "") -> Path:
        return paths.BUILD / (f"{self.name}-{variant}" if variant else self.name)


@cache
def known(folder: Path = _FOLDER) -> Mapping[str, Board]:
    """All boards by name, the default first."""
    found = [_load(file) for file in sorted(folder.glob("*/*/board.toml"))]
    found.sort(key=lambda board: (board.name != DEFAULT, board.emulation is None))
    return {board.name: board for board in found}


def board(name: str) -> Board:
    if name not in known():
        raise UsageError(f"There is no board `{name}`.", remedy=f"Boards: {', '.join(known())}.")
    return known()[name]


def _load(file: Path) -> Board:
    """Unknown and missing keys are told by Python's own words for arguments."""
    try:
        told = tomllib.loads(file.read_text())
        if emulator := told.pop("emulator", None):
            if flash := emulator.pop("flash", None):
                emulator["flash"] = Flash(**flash)
            told["emulation"] = Emulator(**emulator)
        return Board(name=file.parent.name, **told)
    except (tomllib.TOMLDecodeError, TypeError) as error:
        raise WyrmError(f"{paths.shown(file)} cannot be read: {error}.") from error


def _filled(options: Sequence[str], given: Mapping[str, str]) -> list[str]:
    words = []
    for word in options:
        for name, value in given.items():
            word = word.replace(f"{{{name}}}", value)
        words.append(word)
    return words
