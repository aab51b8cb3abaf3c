# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The measured cores: the toolchain and the emulator of each."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from wyrmlab.base import packages, paths
from wyrmlab.base.errors import UsageError

USUAL_PROFILES = ("speed", "small", "c")
PROFILES = (*USUAL_PROFILES, "smallest")
SOURCE = paths.ROOT / "bench" / "micro"


@dataclass(frozen=True)
class Core:
    """`toolchain` is a file in cmake/; no emulator: this machine, counted by valgrind."""

    name: str
    title: str
    toolchain: str
    compiler: str
    emulator: tuple[str, ...] = ()
    compiles_only: str = ""  # why it does not run
    linker: str = ""  # if the compiler has none
    note: str = ""  # how it runs, where that is not plain

    @property
    def programs(self) -> tuple[str, ...]:
        return tuple(filter(None, (self.compiler, self.linker, self.runner)))

    @property
    def runner(self) -> str:
        if self.compiles_only:
            return ""
        return self.emulator[0] if self.emulator else "valgrind"

    def lacks(self) -> str:
        """One sentence with the command that installs what is missing, or an empty text."""
        absent = [name for name in self.programs if not packages.which(name)]
        if not absent:
            return ""
        wanted = [packages.package_for_command(name) or name for name in absent]
        return f"{self.title} needs {' and '.join(absent)}: {packages.install_command(wanted)}"

    def tools(self) -> str:
        """The tools that the counts depend on."""
        found = [
            exact_version(name)
            if name in (self.compiler, self.linker)
            else f"{name} {version(name)}"
            for name in self.programs
        ]
        return ", ".join([*found, _processor()] if not self.emulator else found)

    def folder(self, profile: str) -> Path:
        return paths.BUILD / "bench" / f"{self.name}-{profile}"


def _arm(machine: str) -> tuple[str, ...]:
    return (
        *("qemu-system-arm", "-M", machine, "-display", "none", "-monitor", "none"),
        *("-serial", "none", "-icount", "shift=6,sleep=off"),
        *("-semihosting-config", "enable=on,target=native", "-kernel"),
    )


_RISCV = (
    *("qemu-system-riscv32", "-M", "virt", "-bios", "none", "-display", "none"),
    *("-monitor", "none", "-serial", "stdio", "-icount", "shift=0", "-kernel"),
)


def _xtensa(cpu: str) -> tuple[str, ...]:
    return (
        *("qemu-system-xtensa", "-M", "sim", "-cpu", cpu, "-display", "none", "-monitor", "none"),
        *("-serial", "none", "-semihosting-config", "enable=on,target=native"),
        *("-icount", "shift=7", "-kernel"),
    )


_ARM_GCC = ("arm-none-eabi", "arm-none-eabi-gcc")
_RISCV_GCC = ("riscv64-unknown-elf", "riscv64-unknown-elf-gcc")
_XTENSA_GCC = ("xtensa-lx106-elf", "xtensa-lx106-elf-gcc")

CORES = (
    Core("m7", "Cortex-M7", *_ARM_GCC, _arm("mps2-an500")),
    Core("m4", "Cortex-M4", *_ARM_GCC, _arm("mps2-an386")),
    Core("m3", "Cortex-M3", *_ARM_GCC, _arm("mps2-an385")),
    Core("m33", "Cortex-M33", *_ARM_GCC, _arm("mps2-an505")),
    Core("m0", "Cortex-M0", *_ARM_GCC, _arm("mps2-an385")),
    Core("rv32imc", "RV32IMC", *_RISCV_GCC, _RISCV),
    Core("rv32imc_zbb", "RV32IMC with Zbb", *_RISCV_GCC, _RISCV),
    Core("lx106", "Xtensa LX106", *_XTENSA_GCC, _xtensa("lx106")),
    Core(
        "esp32",
        "Xtensa LX6 (ESP32)",
        "xtensa-esp32-elf",
        "clang-22",
        _xtensa("de212"),
        linker="xtensa-lx106-elf-gcc",
        note=(
            "Compiled for an ESP32, run by QEMU on the core DE212, which has its register windows"
            " but neither MULUH nor MULSH: the image emulates the two, and each counts as one."
        ),
    ),
    Core("host", "This machine", "", "gcc"),
)


def core(name: str) -> Core:
    for one in CORES:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in CORES)
    raise UsageError(f"There is no core `{name}`.", remedy=f"Known are: {known}.")


def version(program: str) -> str:
    """The first version number in the output of the program's --version."""
    found = re.search(r"\b(\d+\.\d+(?:\.\d+)?)\b", re.sub(r"\([^)]*\)", "", _first_line(program)))
    return found[1] if found else "of unknown version"


@cache
def exact_version(compiler: str) -> str:
    """Name, version and build: two builds of one version of Clang generate different code.

    The build is the package's revision, as the compiler itself says, and for Clang also a digest of
    the LLVM that it loads.
    """
    build = re.findall(r"\(([^)]*)\)", _first_line(compiler))
    if compiler.startswith("clang"):
        build.append(f"LLVM {_digest_of_llvm(compiler)}")
    return f"{compiler} {version(compiler)}" + (f" ({' '.join(build)})" if build else "")


def _first_line(program: str) -> str:
    path = shutil.which(program) or program
    said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout
    return said.split("\n")[0]


def _digest_of_llvm(compiler: str) -> str:
    """Of the library, or of the compiler where it is linked statically."""
    path = shutil.which(compiler) or compiler
    loaded = subprocess.run(["ldd", path], capture_output=True, text=True, timeout=60).stdout
    found = re.search(r"libLLVM\S* => (\S+)", loaded)
    digest = hashlib.sha256()
    with Path(found[1] if found else path).open("rb") as file:
        while part := file.read(1 << 20):
            digest.update(part)
    return digest.hexdigest()[:12]


def _processor() -> str:
    """The C library picks its copying loops by processor."""
    info = Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*: (.+)$", info, re.MULTILINE)
    return found[1] if found else "processor of unknown name"
