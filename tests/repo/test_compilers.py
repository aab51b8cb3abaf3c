# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Every file of src/ compiles for every architecture without a warning, and the headers in C++17.

The warnings are those of ESP-IDF, Arduino (all), Zephyr and the Linux world together, as errors.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.setup import third_party

SRC = paths.ROOT / "src"
IDF = paths.TESTS / "arduino" / "esp32"  # headers like ESP-IDF's
WARNINGS = (
    *("-Wall", "-Wextra", "-Werror", "-Wformat=2", "-Wwrite-strings", "-Wpointer-arith"),
    *("-Wstrict-prototypes", "-Wimplicit-fallthrough", "-Wdouble-promotion", "-Wundef"),
    *("-Wexpansion-to-defined", "-Wunused", "-Wcast-align", "-Wvla"),
)
GCC_WARNINGS = ("-Wold-style-declaration", "-Wlogical-op", "-Wduplicated-cond", "-Wunused-macros")


@dataclass(frozen=True)
class Machine:
    name: str
    compiler: str
    flags: tuple[str, ...] = ()
    assembles: bool = True  # its assembler takes what it generates

    @property
    def gcc(self) -> bool:
        return "clang" not in self.compiler


def arm(name: str, *flags: str) -> Machine:
    return Machine(name, "arm-none-eabi-gcc", ("-mthumb", *flags))


def clang_arm(name: str, *flags: str) -> Machine:
    include = "/usr/lib/arm-none-eabi/include"
    return Machine(
        name, "clang", ("--target=arm-none-eabi", "-mthumb", "-isystem", include, *flags)
    )


USUAL = (
    Machine("x86-64", "gcc"),
    Machine("x86-64 with vectors", "gcc", ("-DWYRM_SIMD=1",)),
    Machine("x86-64 by Clang", "clang"),
    arm("Cortex-M0", "-mcpu=cortex-m0"),
    arm("Cortex-M3", "-mcpu=cortex-m3"),
    arm("Cortex-M4", "-mcpu=cortex-m4"),
    arm("Cortex-M33", "-mcpu=cortex-m33"),
    arm("big-endian Arm", "-mcpu=cortex-m3", "-mbig-endian"),
    clang_arm("Cortex-M0 by Clang", "-mcpu=cortex-m0"),
    clang_arm("Cortex-M4 by Clang", "-mcpu=cortex-m4"),
)
PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf/include"
XTENSA_HEADERS = "/usr/lib/xtensa-lx106-elf/include"
LX6_OPTIONS = ("density", "mul32", "mul32high", "nsa", "sext", "minmax", "windowed")
LX6_FLAGS = (
    *("--target=xtensa-unknown-elf", "-DWYRM_XTENSA_WINDOWED=1", "-DWYRM_XTENSA_MULUH=1"),
    *(
        word
        for name in LX6_OPTIONS
        for word in ("-Xclang", "-target-feature", "-Xclang", f"+{name}")
    ),
    *("-isystem", XTENSA_HEADERS),
)
FOREIGN = (
    Machine(
        "RV32IMC",
        "riscv64-unknown-elf-gcc",
        ("-march=rv32imc_zicsr", "-mabi=ilp32", "-isystem", PICOLIBC),
    ),
    Machine("LX106", "xtensa-lx106-elf-gcc", ("-isystem", XTENSA_HEADERS)),
    Machine("AArch64", "aarch64-linux-gnu-gcc"),
    Machine(
        "RV32IMC by Clang",
        "clang",
        ("--target=riscv32-unknown-elf", "-march=rv32imc", "-isystem", PICOLIBC),
    ),
    Machine(
        "LX6 (ESP32) by Clang",
        "clang-22",
        LX6_FLAGS,
        assembles=False,
    ),
)


def run(where: Path, *command: str | Path) -> None:
    done = subprocess.run(
        list(map(str, command)), cwd=where, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr[:4000]


def library() -> list[Path]:
    return [*SRC.glob("*.c"), *SRC.rglob("core/**/*.c"), *crypto("c")]


def crypto(suffix: str) -> list[Path]:
    """Without the backends, whose libraries are not here."""
    files = sorted((SRC / "crypto").rglob(f"*.{suffix}"))
    return [path for path in files if path.parent.name != "external"]


def compile_all(machine: Machine, folder: Path) -> None:
    if not packages.which(machine.compiler):
        package = packages.package_for_command(machine.compiler) or machine.compiler
        pytest.skip(f"{machine.compiler} is missing: {packages.install_command([package])}")
    warnings = [*WARNINGS, *(GCC_WARNINGS if machine.gcc else ())]
    command = [machine.compiler, *machine.flags, "-c" if machine.assembles else "-S"]
    run(folder, *command, "-std=gnu11", "-Os", *warnings, *library())
    if machine.assembles:
        run(folder, *command, "-Wall", "-Werror", *crypto("S"))
    lwip = third_party.folder() / "lwip"
    port = ["-DWYRM_PORT_LWIP=1", "-DWYRM_PORT_FREERTOS=1", "-DESP_PLATFORM", f"-I{SRC}"]
    port += [f"-I{IDF}", "-isystem", str(lwip / "src/include")]
    port += ["-isystem", str(lwip / "contrib/ports/unix/port/include")]
    sources = [
        path
        for path in SRC.rglob("port/**/*.c")
        if path.parent.name in ("lwip", "freertos", "tunnel")
    ]
    run(folder, *command, "-std=gnu17", "-Os", *warnings, *port, *sources)


@pytest.mark.parametrize("machine", USUAL, ids=lambda one: one.name)
def test_the_library_compiles_without_warnings(machine: Machine, tmp_path: Path) -> None:
    compile_all(machine, tmp_path)


@pytest.mark.all
@pytest.mark.parametrize("machine", FOREIGN, ids=lambda one: one.name)
def test_the_library_compiles_without_warnings_on_foreign_machines(
    machine: Machine, tmp_path: Path
) -> None:
    compile_all(machine, tmp_path)


USES = """
WYRM_DEVICE_DEFINE(device, 1, 1);
const void *use();
const void *use() { return device_pools.peers == nullptr ? nullptr : &device; }
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_headers_are_cpp_17(compiler: str, tmp_path: Path) -> None:
    """Each on its own, and with the macros that define storage."""
    if not packages.which(compiler):
        pytest.skip(f"{compiler} is missing: ./wyrm setup")
    lwip = third_party.folder() / "lwip"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]
    flags += [f"-I{SRC}", f"-I{IDF}", f"-I{paths.TESTS / 'esp_idf' / 'include'}", "-DESP_PLATFORM"]
    flags += ["-isystem", str(lwip / "src/include")]
    flags += ["-isystem", str(lwip / "contrib/ports/unix/port/include")]
    for header in sorted(SRC.glob("wyrm*.h")):
        if header.name in ("wyrm_storage.h", "wyrm_kconfig.h", "wyrm_lwip_hooks.h"):
            continue  # part of wyrm.h, of a build with Kconfig, of lwipopts.h
        file = tmp_path / f"{header.stem}.cpp"
        file.write_text(f'#include "{header.name}"\n' + (USES if header.name == "wyrm.h" else ""))
        run(tmp_path, compiler, *flags, file)
