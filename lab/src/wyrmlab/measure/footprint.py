# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Flash and RAM by object, from the linker's map, and sizes of structures, from DWARF."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile

from wyrmlab.base.errors import WyrmError

STRUCTURES = ("wyrm_device", "wyrm_peer", "wyrm_keypair", "wyrm_job")

LTO = "optimised as one"  # the linker cannot tell what came from where

# The first rule that occurs in an object's path decides; ours first, as third-party folders may
# lie anywhere.
_GROUPS = (
    ("src/core/wyrm_sleep", "deep sleep"),
    ("src/core/wyrm_status", "store and text"),
    ("src/core/wyrm_", "core"),
    ("src/crypto/", "crypto"),
    ("src/port/lwip/", "lwIP port"),
    ("src/port/freertos/", "FreeRTOS glue"),
    ("src/port/arduino/", "what the door adds"),
    ("src/port/tunnel/", "what the door adds"),
    ("compat/", "what the door adds"),
    ("src/wyrm_store", "store and text"),
    ("src/wyrm_text", "store and text"),
    ("src/wyrm_conf", "store and text"),
    ("src/wyrm_uapi", "store and text"),
    ("daemon/CMakeFiles/wyrmd.dir/", "daemon"),
    ("/FreeRTOS-Kernel/", "FreeRTOS"),
    ("/lwip/", "lwIP"),
    (".a(", "C library"),
    (".ltrans", LTO),
    ("firmware/", "application"),
    ("examples/", "application"),
    ("start.c", "application"),
)
PADDING = "padding"
ORDER = (*dict.fromkeys(group for _, group in _GROUPS), "other", PADDING)
LIBRARY = ("core", "crypto", "lwIP port", "FreeRTOS glue", LTO)


@dataclass
class Size:
    """Bytes: machine code and constants in flash, variables in RAM.

    An initialised variable counts twice, as it does in the device: its first value in flash, itself
    in RAM.
    """

    flash_code: int = 0
    flash_data: int = 0
    ram: int = 0

    def __iadd__(self, other: Size) -> Size:
        self.flash_code += other.flash_code
        self.flash_data += other.flash_data
        self.ram += other.ram
        return self

    @property
    def flash(self) -> int:
        return self.flash_code + self.flash_data


@dataclass
class Footprint:
    product: Path
    objects: dict[str, Size] = field(default_factory=dict)
    structures: dict[str, int] = field(default_factory=dict)

    def groups(self) -> dict[str, Size]:
        sums: dict[str, Size] = defaultdict(Size)
        for name, size in self.objects.items():
            sums[group_of(name)] += size
        return {group: sums[group] for group in ORDER if group in sums}

    def total(self, groups: Iterable[str] = ORDER) -> Size:
        total = Size()
        by_group = self.groups()
        for group in groups:
            total += by_group.get(group, Size())
        return total


def group_of(name: str) -> str:
    if name == PADDING:
        return PADDING
    return next((group for part, group in _GROUPS if part in name), "other")


def short_name(name: str) -> str:
    """An object's path without the build system's part of it."""
    name = name.replace("__/", "").removesuffix(".obj").removesuffix(".o")
    name = re.sub(r"^.*/CMakeFiles/[^/]+\.dir/", "", name)
    name = re.sub(r"^.*/third_party/[0-9a-f]{16}/", "", name)
    name = re.sub(r"^/usr/.*/", "", name)
    return re.sub(r"^.*/(lib\w+\.a\()", r"\1", name)


def measure(product: Path) -> Footprint:
    """Sizes of a linked program (its map lies beside it) or of an archive's objects."""
    if product.suffix == ".a":
        return _measure_archive(product)
    return _measure_linked(product)


def _measure_linked(elf_file: Path) -> Footprint:
    footprint = Footprint(elf_file)
    map_file = elf_file.with_suffix(".map")
    if not map_file.exists():
        raise WyrmError(f"The linker left no map beside {elf_file.name}.")
    text = map_file.read_text(errors="replace").partition("Linker script and memory map")[2]
    origins = _Origins(elf_file)
    with elf_file.open("rb") as stream:
        elf = ELFFile(stream)
        sections = {section.name: section for section in elf.iter_sections()}
        footprint.structures = _structures([elf])
        for name, content in _output_sections(text):
            section = sections.get(name)
            if section is None or not section["sh_flags"] & _ALLOC:
                continue
            left = section["sh_size"]
            for number, shown in content:
                path = origins(shown)
                footprint.objects.setdefault(path, Size())
                footprint.objects[path] += _as_size(section, number)
                left -= number
            footprint.objects.setdefault(PADDING, Size())
            footprint.objects[PADDING] += _as_size(section, left)
    return footprint


_OUTPUT = re.compile(r"^(\.[\w.]+)(?:\s|$)", re.MULTILINE)
_INPUT = re.compile(r"^ (\S+)\s+0x[0-9a-f]+\s+0x([0-9a-f]+) (\S.*)$", re.MULTILINE)


def _output_sections(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Each output section with its inputs: (bytes, object)."""
    starts = list(_OUTPUT.finditer(text))
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        inputs = _INPUT.finditer(text, start.end(), end)
        yield start[1], [(int(found[2], 16), found[3]) for found in inputs if int(found[2], 16)]


_WRITE, _ALLOC, _EXECUTE = 1, 2, 4


def _as_size(section: Any, number: int) -> Size:
    flags = section["sh_flags"]
    if flags & _WRITE:
        stored = section["sh_type"] != "SHT_NOBITS"
        return Size(flash_data=number if stored else 0, ram=number)
    return Size(flash_code=number) if flags & _EXECUTE else Size(flash_data=number)


def _measure_archive(archive: Path) -> Footprint:
    footprint = Footprint(archive)
    members = dict(_members(archive))
    paths = _object_paths(archive)
    elves = []
    for name, content in members.items():
        elf = ELFFile(BytesIO(content))
        size = Size()
        for section in elf.iter_sections():
            if section["sh_flags"] & _ALLOC:
                size += _as_size(section, section["sh_size"])
        footprint.objects[paths.get(name, name)] = size
        elves.append(elf)
    footprint.structures = _structures(elves)
    return footprint


def _object_paths(archive: Path) -> dict[str, str]:
    """An archive contains only file names; the build folder beside it has the paths."""
    found = archive.parent.glob("CMakeFiles/*.dir/**/*.o")
    return {path.name: str(path) for path in found}


class _Origins:
    """Finds the object behind a map's `lib.a(object)`, if the archive is one that was built beside
    the program."""

    def __init__(self, program: Path) -> None:
        self._folders = (program.parent, *program.parents[1:3])
        self._known: dict[str, dict[str, str]] = {}

    def __call__(self, shown: str) -> str:
        found = re.fullmatch(r"(\S+\.a)\((.+)\)", shown)
        if found is None:
            return shown
        if found[1] not in self._known:
            self._known[found[1]] = self._objects(Path(found[1]))
        return self._known[found[1]].get(found[2], shown)

    def _objects(self, archive: Path) -> dict[str, str]:
        target = archive.stem.removeprefix("lib")
        places = [folder / archive.parent / f"CMakeFiles/{target}.dir" for folder in self._folders]
        place = next((place for place in places if place.is_dir()), None)
        return {path.name: str(path) for path in place.rglob("*.o")} if place else {}


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    """The members of a System V `ar` archive, its tables left out."""
    data = archive.read_bytes()
    if not data.startswith(b"!<arch>\n"):
        raise WyrmError(f"{archive.name} is no archive.")
    long_names = b""
    at = 8
    while at + 60 <= len(data):
        name = data[at : at + 16].decode().rstrip()
        size = int(data[at + 48 : at + 58])
        content = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
        if name == "//":
            long_names = content
        elif name != "/":
            if name.startswith("/"):
                name = long_names[int(name[1:]) :].split(b"\n")[0].decode()
            yield name.rstrip("/"), content


def _structures(elves: Iterable[ELFFile]) -> dict[str, int]:
    """sizeof of the structures that users declare, from the debug information."""
    found: dict[str, int] = {}
    for elf in elves:
        if not elf.has_dwarf_info():
            continue
        for unit in elf.get_dwarf_info().iter_CUs():
            for entry in unit.get_top_DIE().iter_children():
                name = entry.attributes.get("DW_AT_name")
                size = entry.attributes.get("DW_AT_byte_size")
                if entry.tag == "DW_TAG_structure_type" and name and size:
                    text = name.value.decode()
                    if text in STRUCTURES:
                        found[text] = size.value
            if len(found) == len(STRUCTURES):
                return found
    return found


def show(product: Path) -> None:
    """Prints the tables for one product."""
    from rich.console import Console
    from rich.table import Table

    footprint = measure(product)
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("bytes", no_wrap=True)
    for heading in ("flash code", "flash data", "RAM"):
        table.add_column(heading, justify="right")

    def row(name: str, size: Size, style: str = "") -> None:
        cells = (str(size.flash_code), str(size.flash_data), str(size.ram))
        table.add_row(name, *cells, style=style)

    for group, sum_of_group in footprint.groups().items():
        row(group, sum_of_group, "bold")
        inside = [item for item in footprint.objects.items() if group_of(item[0]) == group]
        if group != PADDING:
            for name, size in sorted(inside, key=lambda item: -item[1].flash):
                row(f"  {short_name(name)}", size)
    library = footprint.total(LIBRARY)
    row(" + ".join(group for group in LIBRARY if group in footprint.groups()), library, "bold")
    row("everything", footprint.total(), "bold")
    console = Console(highlight=False)
    console.print(table)
    for name in STRUCTURES:
        if name in footprint.structures:
            console.print(f"sizeof(struct {name}) = {footprint.structures[name]}")
