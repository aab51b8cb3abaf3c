# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The boards firmware is built for, and how QEMU emulates each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import paths
from wyrmlab.base.errors import UsageError


@dataclass(frozen=True)
class Board:
    name: str
    title: str
    machine: str
    flash_bytes: int

    def firmware(self, preset: str | None = None) -> Path:
        """Where a preset of this board (by default the one of its name) puts the firmware."""
        return paths.BUILD / (preset or self.name) / "firmware" / f"wyrm-{self.name}.elf"


BOARDS = {
    board.name: board
    for board in (
        # The memory bank that plays the flash is QEMU's main RAM object, 16 MB on these machines.
        Board("m7", "MPS2 AN500, Cortex-M7", "mps2-an500", 16 << 20),
        Board("m4", "MPS2 AN386, Cortex-M4", "mps2-an386", 16 << 20),
        Board("m3", "MPS2 AN385, Cortex-M3", "mps2-an385", 16 << 20),
    )
}
DEFAULT = "m7"


def board(name: str) -> Board:
    if name not in BOARDS:
        raise UsageError(f"There is no board `{name}`.", remedy=f"Boards: {', '.join(BOARDS)}.")
    return BOARDS[name]
