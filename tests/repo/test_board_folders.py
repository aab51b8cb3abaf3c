# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A board's folder says everything about the board."""

from __future__ import annotations

import re

from wyrmlab.base import paths

FIRMWARE = paths.ROOT / "firmware"


def test_only_board_folders_name_hardware() -> None:
    hardware = re.compile(
        r"\b(?:mps2|lan9118|m[347]|m33|rv32|lx6|nucleo|wfi|nvic|cortex\w*|semihost\w*)\b"
        r"|\.specs\b|\b25000000",
        re.IGNORECASE,
    )
    shared = [FIRMWARE / "CMakeLists.txt", FIRMWARE / "boards/board_api.h"]
    shared += [path for room in ("app", "config") for path in (FIRMWARE / room).rglob("*.[ch]")]
    found = [
        f"{path.relative_to(paths.ROOT)}: {match[0]}"
        for path in shared
        if (match := hardware.search(path.read_text()))
    ]
    assert found == []
