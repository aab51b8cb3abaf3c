# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Boards as data: the lab knows a board by its folder with a board.toml."""

from __future__ import annotations

from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import packages
from wyrmlab.base.errors import UsageError, WyrmError
from wyrmlab.boards.chip import Chip
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.setup import build

_MADE_UP = """
title = "A made-up board"
packages = ["gcc-arm-none-eabi"]

[emulator]
program = "qemu-system-riscv32"
package = "qemu-system-misc"
icount_shift = 2
clock_note = "none"
options = ["-kernel", "{firmware}", "-netdev", "{tap},id=net", "-device", "nic,mac={mac}", "-append", "{arguments}"]

[emulator.flash]
size = 65536
erased = 255
head = "0102"
options = ["-drive", "if=pflash,file={file}"]
"""  # noqa: E501


@pytest.fixture
def made_up(tmp_path: Path) -> boards.Board:
    folder = tmp_path / "family" / "made_up"
    folder.mkdir(parents=True)
    (folder / "board.toml").write_text(_MADE_UP)
    return boards.known(tmp_path)["made_up"]


def test_a_board_is_emulated_as_its_folder_says(made_up: boards.Board, tmp_path: Path) -> None:
    device = EmulatedDevice(
        made_up, Path("x.elf"), tap=links.Tap("tap7"), log_dir=tmp_path, flash=tmp_path / "a,b"
    )
    command = " ".join(device.qemu.command_line(9))
    assert command.startswith("qemu-system-riscv32 -kernel x.elf -netdev tap,ifname=tap7,")
    assert "-device nic,mac=52:54:00:12:34:56 -append term=plain panic=exit" in command
    assert command.endswith(f"-drive if=pflash,file={tmp_path}/a,,b")


def test_a_new_chip_is_erased_as_its_board_says(made_up: boards.Board, tmp_path: Path) -> None:
    flash = tmp_path / "flash"
    chip = Chip(flash, made_up.flash)
    chip.take()
    chip.release()
    assert flash.read_bytes() == b"\x01\x02" + b"\xff" * 65534


def test_a_board_file_with_an_unknown_word_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "family" / "typo"
    folder.mkdir(parents=True)
    (folder / "board.toml").write_text(_MADE_UP.replace("icount_shift", "icount_shfit"))
    with pytest.raises(WyrmError, match=r"typo/board\.toml cannot be read: .*icount_shfit"):
        boards.known(tmp_path)


def test_a_board_that_nothing_emulates_says_which_are(tmp_path: Path) -> None:
    folder = tmp_path / "family" / "real"
    folder.mkdir(parents=True)
    (folder / "board.toml").write_text(_MADE_UP.partition("[emulator]")[0])
    real = boards.known(tmp_path)["real"]
    with pytest.raises(UsageError, match=r"Nothing here emulates the board real.*m7"):
        real.emulator  # noqa: B018


@pytest.mark.parametrize("board", boards.known().values(), ids=lambda board: board.name)
def test_what_a_board_names_is_there(board: boards.Board) -> None:
    packages.missing((), board.packages)  # raises if packages.txt does not name one
    if board.emulation:
        packages.missing((), [board.emulation.package])


def test_a_build_is_configured_anew_when_what_it_is_given_changes(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").touch()
    (tmp_path / "CMakeCache.txt").write_text(
        "# comment\nCMAKE_HOME_DIRECTORY:INTERNAL=/home\nWYRM_BOARD:STRING=m7\nWYRM_LTO:BOOL=ON\n"
    )
    given = {"WYRM_BOARD": "m7", "WYRM_LTO": "ON"}
    assert build.configured(tmp_path, given, home=Path("/home"))
    assert not build.configured(tmp_path, {**given, "WYRM_LTO": "OFF"}, home=Path("/home"))
    assert not build.configured(tmp_path, given, home=Path("/elsewhere"))
