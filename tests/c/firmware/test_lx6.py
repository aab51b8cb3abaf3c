# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The code of the board lx6 on the emulated board: tests/c/firmware/lx60/test_board.c."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import packages, proc
from wyrmlab.setup import build

# Some 7,800 instructions between two ticks.
_CLOCK = ("-icount", "shift=7")
_FLASH = ("-drive", "if=pflash,driver=null-co,size=4194304,read-zeroes=on")


@pytest.fixture(scope="module")
def image() -> Path:
    board = boards.board("lx6")
    lacking = packages.missing((), (*board.packages, "qemu-system-misc"))
    if lacking:
        pytest.skip(f"needs {', '.join(package.name for package in lacking)}")
    build.firmware(board.name)
    folder = board.build_folder()
    build.follow(["cmake", "--build", str(folder), "-t", "board_tests"], "making board_tests")
    return folder / "firmware" / "board_tests.elf"


def run(image: Path, arguments: str = "") -> tuple[int, str]:
    done = proc.run(
        *("qemu-system-xtensa", "-M", "lx60-nommu", "-cpu", "de212", "-kernel", str(image)),
        *("-display", "none", "-monitor", "none", "-serial", "stdio", *_CLOCK, *_FLASH),
        "-semihosting-config",
        f"enable=on,target=native,arg=wyrm,arg=panic=exit {arguments}",
        timeout_s=120,
        check=False,
    )
    return done.returncode, done.stdout


def test_port_of_freertos_and_library_functions_pass_their_tests(image: Path) -> None:
    code, said = run(image)
    passed = re.findall(r"^passed: .*: (\d+) checks, 0 wrong", said, re.MULTILINE)
    assert "failed:" not in said
    assert said.rstrip().endswith("0 failed")
    assert code == 0
    assert len(passed) == 13
    assert sum(map(int, passed)) > 300_000


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("null", "load or store error"),
        ("unaligned", "unaligned load or store"),
        ("illegal", "illegal instruction"),
    ],
)
def test_fault_is_reported_with_registers_and_task(image: Path, name: str, reason: str) -> None:
    code, said = run(image, f"fault={name}")
    assert f"panic: {reason}\npanic: task test\n" in said
    assert re.search(r"  pc  6000[0-9a-f]{4}  ps ", said)
    assert code == 70
