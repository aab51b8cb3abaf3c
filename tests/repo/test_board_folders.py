# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A board's folder says everything about the board."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from wyrmlab import boards
from wyrmlab.base import paths
from wyrmlab.setup import build

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


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", [one.name for one in boards.known().values() if not one.emulation])
def test_boards_that_nothing_emulates_compile(name: str) -> None:
    assert build.firmware(name).exists()


def _loaded(elf: Path) -> bytes:
    """What goes into flash, without the debugger's part."""
    with elf.open("rb") as stream:
        file = ELFFile(stream)
        return b"".join(one.data() for one in file.iter_segments() if one["p_type"] == "PT_LOAD")


@pytest.mark.timeout(900)
def test_product_build_has_no_iperf() -> None:
    assert b"iperf" in _loaded(build.firmware("m7"))
    assert b"iperf" not in _loaded(build.firmware("m7", "product"))


@pytest.mark.parametrize("board", boards.known().values(), ids=lambda board: board.name)
def test_folder_says_how_the_board_is_built(board: boards.Board) -> None:
    (folder,) = FIRMWARE.glob(f"boards/*/{board.name}")
    said = (folder / "board.cmake").read_text() + "".join(
        shared.read_text() for shared in folder.parent.glob("*.cmake")
    )
    for variable in ("TOOLCHAIN", "SOURCES", "LINKER_SCRIPT"):
        assert f"set(BOARD_{variable} " in said or f"set(BOARD_{variable}\n" in said
    for header in ("board.h", "board_freertos.h", "board_lwip.h"):
        assert (folder / header).exists() or (folder.parent / header).exists()
