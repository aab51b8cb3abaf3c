# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The bench images of bench/micro: built for a core and a profile, run, and read."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from wyrmlab.base import paths, proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.measure.cores import SOURCE, Core
from wyrmlab.setup import build, third_party

KNOWN_LOOP, KNOWN_INSTRUCTIONS, SLACK = "board_known_loop", 2_000_000, 8
_RUN_S = 300
_LINE = re.compile(r"^(\w+) (\d+) (\d+)$")


@dataclass(frozen=True)
class Count:
    primitive: str
    instructions: int | None
    stack_bytes: int | None


def make(core: Core, profile: str, library: str = "") -> Path:
    """Builds the images of one core and profile, on our cryptography or that of a library in
    bench/micro/rivals, and returns their folder."""
    options = [f"-DWYRM_BENCH_PROFILE={profile}"]
    if library:
        options += [
            f"-DWYRM_BENCH_LIBRARY={library}",
            f"-DWYRM_BENCH_RIVALS={third_party.RIVALS.target}",
            f"-DWYRM_MBEDTLS={third_party.MBEDTLS.target}",
        ]
    folder = configure(core, library or profile, options)
    what = f"building bench images for {core.name}, {library or profile}"
    with third_party.locked(folder):
        build.follow(["cmake", "--build", str(folder), "-t", "bench", "code"], what)
    return folder


def configure(core: Core, variant: str, options: Sequence[str]) -> Path:
    """Sets a variant's folder up for CMake, once, and returns it."""
    folder = core.folder(variant)
    with third_party.locked(folder):
        if not (folder / "build.ninja").exists():
            command = ["cmake", "-S", str(SOURCE), "-B", str(folder), "-G", "Ninja", *options]
            command.append(f"-DWYRM_BENCH_CORE={core.name}")
            if core.toolchain:
                file = paths.ROOT / "cmake" / f"{core.toolchain}.cmake"
                command.append(f"-DCMAKE_TOOLCHAIN_FILE={file}")
            build.follow(command, f"configuring bench images for {core.name}, {variant}")
    return folder


def run(core: Core, folder: Path) -> list[Count]:
    image = folder / "bench.elf"
    if not core.emulator:
        return _run_here(image)
    done = proc.run(
        *core.emulator,
        image,
        timeout_s=_RUN_S,
        check=False,
        remedy="An image that hangs prints what it measured so far with WYRM_DEBUG=1.",
    )
    text = done.stdout + done.stderr
    if done.returncode != 0:
        raise WyrmError(f"The bench image failed on {core.title}.", detail=text)
    return parse(text)


def parse(text: str) -> list[Count]:
    """Lines of `name instructions stack`; anything else is a failure of the image."""
    counts = []
    for line in filter(None, text.splitlines()):
        match = _LINE.match(line)
        if not match:
            raise WyrmError("The bench image said something that is no measurement.", detail=line)
        counts.append(Count(match[1], int(match[2]), int(match[3])))
    if not counts:
        raise WyrmError("The bench image measured nothing.")
    return counts


# --- This machine ----------------------------------------------------------------------------


def _run_here(image: Path) -> list[Count]:
    """The stack from the image itself, instructions from valgrind."""
    stacks = parse(proc.run(image, timeout_s=_RUN_S).stdout)
    with tempfile.TemporaryDirectory(prefix="wyrm-bench-") as scratch:
        profile = Path(scratch) / "callgrind"
        options = ("--compress-strings=no", "--compress-pos=no", f"--callgrind-out-file={profile}")
        proc.run("valgrind", "--tool=callgrind", *options, image, timeout_s=_RUN_S)
        counted = inclusive(profile.read_text())
    check_known_loop(counted)
    return [
        Count(one.primitive, counted[f"bench_{one.primitive}"], one.stack_bytes) for one in stacks
    ]


def inclusive(callgrind: str) -> dict[str, int]:
    """Instructions per call, with all that is called, of every function somebody calls."""
    calls: dict[str, int] = {}
    costs: dict[str, int] = {}
    lines = iter(callgrind.splitlines())
    callee = ""
    for line in lines:
        if line.startswith("cfn="):
            callee = line.removeprefix("cfn=")
        elif line.startswith("calls="):
            calls[callee] = calls.get(callee, 0) + int(line.removeprefix("calls=").split()[0])
            costs[callee] = costs.get(callee, 0) + int(next(lines).split()[-1])
    return {name: costs[name] // calls[name] for name in calls}


def check_known_loop(counted: dict[str, int]) -> None:
    seen = counted.get(KNOWN_LOOP, 0)
    if not KNOWN_INSTRUCTIONS <= seen <= KNOWN_INSTRUCTIONS + SLACK:
        raise WyrmError(
            f"valgrind counted {seen:,} instructions in a loop of {KNOWN_INSTRUCTIONS:,}."
        )


# --- Code ------------------------------------------------------------------------------------


def code_sizes(folder: Path) -> dict[str, int]:
    """Bytes of code and constants that each primitive brings into an image that calls nothing."""
    sizes = dict(_code_images(folder))
    empty = sizes.pop("nothing")
    return {primitive: size - empty for primitive, size in sizes.items()}


def _code_images(folder: Path) -> Iterator[tuple[str, int]]:
    for file in sorted(folder.glob("code_*.elf")):
        with file.open("rb") as stream:
            yield file.stem.removeprefix("code_"), constant_bytes(ELFFile(stream))


def constant_bytes(elf: ELFFile) -> int:
    """What lies in flash and never changes."""
    write, alloc = 1, 2
    return sum(
        section["sh_size"]
        for section in elf.iter_sections()
        if section["sh_flags"] & (write | alloc) == alloc
    )
