# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Builds the programs of this folder for a core, compiler and optimisation level, and runs them."""

from __future__ import annotations

import os
import random
import re
import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntFlag
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from wyrmlab.base import packages, paths

HERE = Path(__file__).parent
SRC = paths.ROOT / "src"
BUILD = paths.BUILD / "ct"
WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wundef -Werror"
LEVELS = ("O1", "O2", "O3", "Os")


class Kind(IntFlag):
    """Which subjects to run: the bits of an order, as in enum subject_kind."""

    PRIMITIVE = 1
    HANDSHAKE = 2
    LEAK = 4
    MISALIGNED = 8


# ---- Cores ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Core:
    name: str
    flags: str
    prefix: str  # of gcc and binutils
    gcc: str = ""  # the flags only gcc needs
    clang: str = ""  # those only clang needs
    assemble: str = ""  # its options for assembly, where their names differ
    link: str = ""
    machine: tuple[str, ...] = ()  # empty: the host
    code_at: int = 0
    data_at: int = 0
    order_at: int = 0
    board: tuple[str, ...] = ("tests/c/ct/boards/cortex_m.c",)
    script: str = "tests/c/ct/boards/board.ld"
    compilers: tuple[str, ...] = ("gcc", "clang")
    disassembler: tuple[str, ...] = ()  # if not that of binutils
    aligned: bool = False  # cannot access misaligned words; the plugin checks this
    slow: bool = False  # in the emulator

    @property
    def xtensa(self) -> bool:
        return self.prefix.startswith("xtensa")

    def tool(self, name: str) -> str:
        return f"{self.prefix}{name}"

    def instructions(self, thing: Path) -> list[str]:
        """The names of those in an object, one after the other."""
        disassembler = self.disassembler or (self.tool("objdump"),)
        listing = run(*disassembler, "-d", "--no-show-raw-insn", str(thing)).stdout
        sections = re.split(r"^Disassembly of section ", listing, flags=re.MULTILINE)
        code = "".join(section for section in sections if not section.startswith(".literal"))
        return re.findall(r"^\s+[0-9a-f]+:\s+([a-z]\S*)", code, re.MULTILINE)


def _cortex_m(
    name: str, arch: str, machine: str, code_at: int = 0, data_at: int = 0x2000_0000
) -> Core:
    target = f"--target={arch}-none-eabi -isystem /usr/lib/arm-none-eabi/include"
    return Core(
        name=name,
        flags=f"-mcpu=cortex-{name} -mthumb -mfloat-abi=soft",
        prefix="arm-none-eabi-",
        clang=target,
        machine=(
            *("qemu-system-arm", "-M", machine, "-display", "none", "-monitor", "none"),
            *("-serial", "none", "-chardev", "stdio,id=said"),
            *("-semihosting-config", "enable=on,target=native,chardev=said"),
        ),
        aligned=name == "m0",
        code_at=code_at,
        data_at=data_at,
        order_at=data_at + 0x10_0000,
    )


_PICOLIBC = "/usr/lib/picolibc/riscv64-unknown-elf"


def _rv32(name: str, extensions: str, cpu: str) -> Core:
    return Core(
        name=name,
        flags=f"-march=rv32imc{extensions} -mabi=ilp32 -isystem {_PICOLIBC}/include",
        prefix="riscv64-unknown-elf-",
        clang="--target=riscv32-unknown-elf",
        # There is a C library for rv32im but none for every set of extensions.
        link=f"-march=rv32imc -mabi=ilp32 -nostdlib -L{_PICOLIBC}/lib/rv32im/ilp32 -lc -lgcc",
        machine=(
            *("qemu-system-riscv32", "-M", "virt", "-cpu", cpu, "-bios", "none"),
            *("-display", "none", "-monitor", "none", "-serial", "stdio"),
        ),
        code_at=0x8000_0000,
        data_at=0x8020_0000,
        order_at=0x8040_0000,
        board=("tests/c/ct/boards/riscv.c",),
        aligned=True,
    )


_LX106 = "/usr/lib/xtensa-lx106-elf"


def _xtensa(
    name: str,
    board: str,
    cpu: str,
    options: str,
    clang: str,
    link: str,
    compilers: tuple[str, ...] = ("gcc", "clang"),
) -> Core:
    """On the boards of bench/micro. Clang names its options differently for C and assembly."""
    in_c = " ".join(f"-Xclang -target-feature -Xclang +{one}" for one in options.split())
    assemble = " ".join(f"-Xclangas -target-feature -Xclangas +{one}" for one in options.split())
    return Core(
        name=name,
        flags=f"-isystem {_LX106}/include",
        gcc="-mlongcalls -mtext-section-literals",
        prefix="xtensa-lx106-elf-",
        clang=f"--target=xtensa-unknown-elf -fomit-frame-pointer {clang} {in_c}",
        assemble=f"--target=xtensa-unknown-elf {assemble}",
        link=link,
        machine=(
            *("qemu-system-xtensa", "-M", "sim", "-cpu", cpu, "-display", "none"),
            *("-monitor", "none", "-serial", "none"),
            *("-semihosting-config", "enable=on,target=native"),
        ),
        order_at=0x6010_0000,
        board=(
            "tests/c/ct/boards/xtensa.c",
            f"bench/micro/boards/{board}/board.c",
            "bench/micro/boards/sim/semihost.c",
        ),
        script=f"bench/micro/boards/{board}/board.ld",
        compilers=compilers,
        disassembler=("llvm-objdump-22", "--mcpu=esp32") if name == "esp32" else (),
        slow=name == "esp32",  # each MULUH is an exception
    )


def _esp32() -> Core:
    toolchain = (paths.ROOT / "cmake" / "xtensa-esp32-elf.cmake").read_text()
    options = re.search(r"foreach\(option\s+([^)]+)\)", toolchain)
    definitions = re.search(r'set\(common "([^"]+)"\)', toolchain)
    assert options and definitions
    # No GCC of Debian's knows register windows.
    link = "-nostdlib -Wl,--no-relax"
    return _xtensa("esp32", "sim_windowed", "de212", options[1], definitions[1], link, ("clang",))


HOST = Core(name="host", flags="", prefix="", board=("tests/c/ct/boards/host.c",))
CORES = {
    core.name: core
    for core in (
        _cortex_m("m0", "thumbv6m", "mps2-an385"),
        _cortex_m("m3", "thumbv7m", "mps2-an385"),
        _cortex_m("m4", "thumbv7em", "mps2-an386"),
        _cortex_m("m7", "thumbv7em", "mps2-an500"),
        _cortex_m("m33", "thumbv8m.main", "mps2-an505", 0x1000_0000, 0x3800_0000),
        _rv32("rv32imc", "", "rv32"),
        _rv32("rv32imc_zbb", "_zbb", "rv32,zbb=true"),
        _xtensa(
            *("lx106", "sim", "lx106", "density exception mul16 mul32 nsa rvector timers1"),
            *("-DWYRM_XTENSA_WINDOWED=0", f"--specs={_LX106}/picolibc.specs"),
        ),
        _esp32(),
        HOST,
    )
}
# The one board that, like silicon, faults where ARMv6-M code reads a word at an odd address. Its
# 16 KiB of RAM end at 0x20004000.
MICROBIT = ("qemu-system-arm", "-M", "microbit", *CORES["m0"].machine[3:])


# ---- Building ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Build:
    core: Core
    compiler: str = "gcc"
    level: str = "O2"
    definitions: str = ""
    small_ram: bool = False
    daemon: bool = False  # with the cipher wyrmd has on x86-64

    def __str__(self) -> str:
        extra = re.sub(r"\W+", "_", self.definitions)
        more = "small" if self.small_ram else "daemon" if self.daemon else ""
        return "-".join(filter(None, (self.core.name, self.compiler, self.level, extra, more)))

    @property
    def folder(self) -> Path:
        return BUILD / str(self)

    def program(self, name: str) -> Path:
        """Builds and returns `trace`, `wiped` or `poison`."""
        self._require()
        self._make(name)
        return self.folder / name

    def objects(self, room: str) -> list[Path]:
        """Builds the product and returns the objects of one room: core, crypto; or `planted`."""
        self._require()
        wanted = [HERE / "leaks.c"] if room == "planted" else list(sources(room))
        self._make(*(str(self._object(source)) for source in wanted))
        return [self._object(source) for source in wanted]

    def _require(self) -> None:
        require(self._compile("").split()[0], self.core.tool("gcc"), self.core.tool("nm"), "ninja")
        require(*self.core.disassembler[:1])
        if self.core.name.startswith("rv32") and not Path(_PICOLIBC).exists():
            pytest.skip("picolibc-riscv64-unknown-elf is missing: ./wyrm setup --all")

    def _object(self, source: Path) -> Path:
        return self.folder / (source.relative_to(paths.ROOT).as_posix().replace("/", "_") + ".o")

    def _make(self, *targets: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        recipe = self.folder / "build.ninja"
        text = "\n".join(self._recipe()) + "\n"
        if not recipe.exists() or recipe.read_text() != text:
            recipe.write_text(text)
        run("ninja", "-C", str(self.folder), "-j", str(os.cpu_count() or 1), *targets)

    def _recipe(self) -> Iterator[str]:
        core = self.core
        definitions = self.definitions + (" -DWYRM_SIMD=1" if self.daemon else "")
        # Debian's valgrind does not support version 5 of the line tables.
        flags = f"{core.flags} -{self.level} {definitions} -gdwarf-4 -std=c11 {WARNINGS} -I{SRC}"
        depend = "-MMD -MT $out -MF $out.d"
        yield f"rule cc\n command = {self._compile(f'{flags} $more {depend}')}"
        yield " depfile = $out.d\n deps = gcc"
        yield f"rule as\n command = {self._assemble(f'{flags} {depend}')}"
        yield " depfile = $out.d\n deps = gcc"
        yield f"rule link\n command = {core.tool('gcc')} {core.flags} $in $more -o $out"
        product = [*sources("core"), *sources("crypto"), SRC / "wyrm_text.c"]
        shared = [HERE / "subjects.c", HERE / "leaks.c", *(paths.ROOT / one for one in core.board)]
        programs = {"wiped": ["wiped.c", "residue.c"], "poison": ["poison.c"]}
        if core is not HOST:
            programs = {"wiped": programs["wiped"], "trace": ["image.c", "marks.c"]}
        every = {*product, *shared, *(HERE / name for names in programs.values() for name in names)}
        for source in sorted(every):
            if source.suffix == ".S":
                yield f"build {self._object(source)}: as {source}"
                continue
            more = "-ffunction-sections -fdata-sections"
            if source.is_relative_to(_MICRO) or source.name == "xtensa.c":
                more += f" -I{_MICRO} -fno-builtin"  # some bring the memory functions
            yield f"build {self._object(source)}: cc {source}\n more = {more}"
        for program, names in programs.items():
            inputs = [*(HERE / name for name in names), *shared, *product]
            line = " ".join(str(self._object(source)) for source in inputs)
            implicit = "" if core is HOST else f" | {paths.ROOT / core.script}"
            yield f"build {program}: link {line}{implicit}\n more = {self._link(program)}"

    def _link(self, program: str) -> str:
        core = self.core
        if core is HOST:
            wrap = "-Wl,--wrap=wyrm_ct_equal,--wrap=wyrm_ct_is_zero"
            return wrap if program == "poison" else "-Wl,-z,now"
        order = core.data_at + 0x3000 if self.small_ram else core.order_at
        places = {
            "CODE_AT": core.code_at,
            "DATA_AT": core.data_at,
            "STACK_BYTES": 0x1400 if self.small_ram else 0x8000,
            "target_order_place": order,
        }
        symbols = ",".join(f"--defsym={name}={value:#x}" for name, value in places.items())
        options = "-Wl,--gc-sections,-z,noexecstack,--no-warn-rwx-segments"
        return f"-nostartfiles -T {paths.ROOT / core.script} {options},{symbols} {core.link}"

    def _compile(self, flags: str) -> str:
        if self.compiler == "gcc":
            return f"{self.core.tool('gcc')} {self.core.gcc} {flags} -c $in -o $out"
        if not self.core.xtensa:
            return f"clang {self.core.clang} {flags} -c $in -o $out"
        sort = f"sed -E -i -f {paths.ROOT}/cmake/xtensa-literals.sed -e /cfi_offset/d $out.s"
        compiled = f"clang-22 {self.core.clang} {flags} -S $in -o $out.s"
        return f"{compiled} && {sort} && clang-22 {self.core.assemble} -c $out.s -o $out"

    def _assemble(self, flags: str) -> str:
        """Our assembly takes GNU's assembler, if there is one for the core."""
        core = self.core
        if core.xtensa and "gcc" not in core.compilers:
            return f"clang-22 {core.clang} {core.assemble} {flags} -c $in -o $out"
        if core.xtensa:
            return f"{core.tool('gcc')} {core.gcc} {flags} -c $in -o $out"
        return self._compile(flags)


def every_build() -> list[Build]:
    """All emulated builds: each core, compiler and level, and the smallest code."""
    variants = [*((level, "") for level in LEVELS), ("Os", "-DWYRM_ASM=0")]
    return [
        Build(core, compiler, level, definitions)
        for core in CORES.values()
        if core is not HOST
        for compiler in core.compilers
        for level, definitions in variants
    ]


def sources(room: str) -> list[Path]:
    """The files of a room, as src/wyrm_sources.cmake lists them."""
    text = (SRC / "wyrm_sources.cmake").read_text()
    found = re.findall(rf"\${{WYRM_SRC_DIR}}/({room}/[^\s$]+\.[cS])\b", text)
    assert found, f"no sources of {room}"
    return [SRC / name for name in found]


_MICRO = paths.ROOT / "bench" / "micro"


def require(*programs: str) -> None:
    for program in programs:
        if shutil.which(program) is None:
            package = packages.package_for_command(program) or program
            pytest.skip(f"{package} is missing: ./wyrm setup --all")


def run(
    *command: str, timeout_s: float = 280, stdin: bytes = b"", expect: int | None = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, input=stdin, capture_output=True, timeout=timeout_s)
    said = subprocess.CompletedProcess(
        command,
        done.returncode,
        done.stdout.decode(errors="replace"),
        done.stderr.decode(errors="replace"),
    )
    if expect is not None:
        assert said.returncode == expect, f"{' '.join(command)}\n{said.stdout}{said.stderr}"
    return said


# ---- Secrets -------------------------------------------------------------------------------------

SECRET_LEN, _KEY = 128, 32
_P = 2**255 - 19


def secrets(count: int) -> list[bytes]:
    """Edge cases first, at most half of the list, then pseudo-random secrets; always the same
    list."""
    keys = [0, 2**256 - 1, 1, _P, 2**255 - 1]
    keys += [int.from_bytes(word.to_bytes(4, "little") * 8, "little") for word in _HARD_WORDS]
    keys += [_P - 1, _P + 1, 2 * _P - 1, 2**256 - 2**128, 2**128 - 1]
    keys += [1 << bit for bit in range(0, 256, 5)]
    pick = random.Random(7748)
    special = [_spread(key) for key in keys][: (count + 1) // 2]
    return special + [pick.randbytes(SECRET_LEN) for _ in range(count - len(special))]


# All ones in limbs of 13, 26 and 32 bits or next to them, and bits that alternate.
_HARD_WORDS = (0xFFFF_FFFE, 0x0000_1FFF, 0x03FF_FFFF, 0x8000_0000, 0xAAAA_AAAA, 0x5555_5555)


def _spread(key: int) -> bytes:
    """The same pattern as scalar, point, message and pre-shared key."""
    return key.to_bytes(_KEY, "little") * (SECRET_LEN // _KEY)


def order(kinds: Kind, chosen: list[bytes], shift: int = 0) -> bytes:
    return struct.pack("<III", kinds, shift, len(chosen)) + b"".join(chosen)


# ---- Running -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    pcs: str
    accesses: str
    instructions: int
    misaligned: int
    first_misaligned: int


@dataclass
class Traced:
    """The traces of all runs of one subject."""

    runs: list[Run] = field(default_factory=list)

    def leak(self) -> str:
        """Empty, or a description of the leak."""
        paths_taken = len({run.pcs for run in self.runs})
        addresses = len({run.accesses for run in self.runs})
        if paths_taken == addresses == 1:
            return ""
        return f"{paths_taken} paths and {addresses} address traces from {len(self.runs)} secrets"


def plugin() -> Path:
    """The plugin, compiled for this machine."""
    require("gcc")
    source, product = HERE / "ct_plugin.c", BUILD / "ct_plugin.so"
    if not product.exists() or product.stat().st_mtime < source.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        flags = f"-O2 -std=c11 {WARNINGS} -shared -fPIC".split()
        run("gcc", *flags, "-o", str(product), str(source))
    return product


def symbols(program: Path) -> dict[str, int]:
    """Addresses of symbols, without the Thumb bit of functions."""
    with program.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        return {
            symbol.name: symbol["st_value"] & ~1
            for symbol in table.iter_symbols()
            if symbol.name and not symbol.name.startswith("$")
        }


def emulate(
    build: Build,
    program: Path,
    the_order: bytes,
    *,
    machine: tuple[str, ...] = (),
    extra: Iterable[str] = (),
    expect: int | None = 0,
    timeout_s: float = 280,
) -> subprocess.CompletedProcess[str]:
    command = machine or build.core.machine
    require(command[0])
    where = program.with_suffix(".order")
    where.write_bytes(the_order)
    place = symbols(program)["target_order_place"]
    load = f"loader,file={where},addr={place:#x},force-raw=on"
    return run(
        *(*command, "-kernel", str(program), "-device", load, *extra),
        expect=expect,
        timeout_s=timeout_s,
    )


def traced(
    build: Build, kinds: Kind, chosen: list[bytes], *, shift: int = 0, timeout_s: float = 280
) -> dict[str, Traced]:
    """Runs every subject of these kinds on every secret in one go."""
    program = build.program("trace")
    result = program.with_name(f"trace-{int(kinds)}-{shift}.txt")
    watch = _watch(program, result)
    said = emulate(
        build, program, order(kinds, chosen, shift), extra=("-plugin", watch), timeout_s=timeout_s
    )
    lines = iter(result.read_text().splitlines())
    found: dict[str, Traced] = {}
    for name, count in (line.split() for line in said.stdout.splitlines()):
        found[name] = Traced([_parse(next(lines)) for _ in range(int(count))])
    assert next(lines, None) is None
    return found


def _watch(program: Path, result: Path, **more: object) -> str:
    marks = symbols(program)
    options = {
        "begin": hex(marks["target_begin"]),
        "end": hex(marks["target_end"]),
        "out": result,
        **more,
    }
    return ",".join([str(plugin()), *(f"{name}={value}" for name, value in options.items())])


def _parse(line: str) -> Run:
    pcs, accesses, instructions, _, misaligned, first = line.split()
    return Run(pcs, accesses, int(instructions), int(misaligned), int(first, 16))


def where_it_leaks(build: Build, kind: Kind, name: str, chosen: list[bytes]) -> str:
    """The function in which the traces of a subject first diverge."""
    program = build.program("trace")
    runs = traced(build, kind, chosen)
    at = list(runs).index(name) * len(chosen)
    other = next(i for i, run in enumerate(runs[name].runs) if run != runs[name].runs[0])
    traces = []
    for number in (0, other):
        trace = program.with_name(f"dump-{number}.txt")
        watch = _watch(program, program.with_name("dump.txt"), dump=at + number, trace=trace)
        emulate(build, program, order(kind, chosen), extra=("-plugin", watch))
        traces.append(trace.read_text().splitlines())
    pairs = zip(*traces, strict=False)
    first = next((pair for pair in pairs if pair[0] != pair[1]), (traces[0][-1], traces[1][-1]))
    said = ", then ".join(f"`{line}` in {function_at(program, line.split()[1])}" for line in first)
    return f"secrets 0 and {other} part at {said}"


def function_at(program: Path, address: str) -> str:
    place = int(address, 16)
    below = [(start, name) for name, start in symbols(program).items() if start <= place]
    start, name = max(below, default=(0, "?"))
    return f"{name}+{place - start:#x}"
