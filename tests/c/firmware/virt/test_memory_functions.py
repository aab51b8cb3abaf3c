# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The C library's part that the rv32 board replaces, run on its machine."""

from __future__ import annotations

import subprocess
from pathlib import Path
from shutil import which

import pytest
from wyrmlab.base import paths, proc

COMPILER = "riscv64-unknown-elf-gcc"
OPTIONS = ("-march=rv32imc", "-mabi=ilp32", "-misa-spec=2.2", "--specs=picolibc.specs", "-O1")
HOSTED = ("-fno-builtin", "--crt0=hosted", "--oslib=semihost")
MEMORY = {"flash": 0x80000000, "flash_size": 0x100000, "ram": 0x80100000, "ram_size": 0x100000}


@pytest.mark.skipif(not which(COMPILER), reason=f"{COMPILER} is not installed")
def test_copying_and_filling_by_words_leave_no_byte_wrong(tmp_path: Path) -> None:
    check = Path(__file__).with_name("memory_check.c")
    functions = paths.ROOT / "firmware/boards/virt/memory.S"
    program = tmp_path / "check.elf"
    places = [f"-Wl,--defsym=__{name}={value}" for name, value in MEMORY.items()]
    proc.run(COMPILER, *OPTIONS, *HOSTED, *places, str(check), str(functions), "-o", str(program))
    machine = ["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-semihosting"]
    quiet = ["-display", "none", "-monitor", "none", "-serial", "none"]
    command = [*machine, *quiet, "-kernel", str(program)]
    assert subprocess.run(command, timeout=60).returncode == 0
