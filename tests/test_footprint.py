# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Size tables: nothing is lost and nothing counted twice."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from wyrmlab import footprint, paths


def sections(elf: Path) -> dict[str, int]:
    with elf.open("rb") as stream:
        loaded = (s for s in ELFFile(stream).iter_sections() if s["sh_flags"] & 2)
        return {section.name: section["sh_size"] for section in loaded}


def test_table_adds_up_to_the_sections_of_the_elf(m7_firmware: Path) -> None:
    found = sections(m7_firmware)
    total = footprint.measure(m7_firmware).total()
    variables = {name: size for name, size in found.items() if name.startswith((".bss", ".noinit"))}
    ram = sum(variables.values()) + found[".data"] + found[".stack"]
    assert total.ram == ram
    constant = sum(size for name, size in found.items() if name not in variables)
    assert total.flash == constant - found[".stack"]


def test_every_room_of_the_firmware_has_its_line(m7_firmware: Path) -> None:
    groups = footprint.measure(m7_firmware).groups()
    for group in ("application", "FreeRTOS", "lwIP", "C library"):
        assert groups[group].flash > 0
    assert "other" not in groups or groups["other"].flash < 100


def test_library_is_measured_object_by_object() -> None:
    measured = footprint.measure(paths.BUILD / "host" / "libwyrm.a")
    assert measured.groups()["core"].flash_code > 1000
    assert set(measured.structures) == set(footprint.STRUCTURES)
    assert any(name.endswith("src/core/wyrm_noise.c.o") for name in measured.objects)


def test_object_names_lose_the_build_systems_part() -> None:
    built = "firmware/CMakeFiles/firmware.dir/__/src/core/wyrm_noise.c.obj"
    assert footprint.short_name(built) == "src/core/wyrm_noise.c"
    assert footprint.group_of(built) == "core"
