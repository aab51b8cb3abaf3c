# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Size tables: nothing is lost, nothing counted twice, and nothing has risen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from wyrmlab.base import packages, paths
from wyrmlab.base.errors import UsageError
from wyrmlab.measure import footprint, sizes
from wyrmlab.measure.sizes import Baseline, Row


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


def test_every_firmware_module_is_in_the_layer_table(m7_firmware: Path) -> None:
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


# --- footprint ---


def row(size: int, what: str = sizes.FLASH) -> Row:
    return Row(what=what, configuration="client", core="m4", parts={"core": size}, sum=size)


@pytest.fixture(scope="module")
def programs() -> Path:
    if not packages.which(sizes.COMPILER):
        pytest.skip(f"{sizes.COMPILER} is missing: ./wyrm setup")
    return sizes.make()


def test_no_size_has_risen(programs: Path) -> None:
    rows = sizes.measure(programs)
    found = sizes.compare(sizes.load_baseline(), sizes.tools(), rows)
    assert not found.risen, f"{found.risen}; if it must be: ./wyrm footprint --accept"
    assert not found.new


def test_link_time_optimisation_leaves_nothing_uncounted(programs: Path) -> None:
    for one in sizes.PROGRAMS:
        for name in [one.name, f"{one.name}-lto"] if one.lto else [one.name]:
            assert "other" not in footprint.measure(programs / f"{name}.elf").groups()


def test_the_footprint_in_json_lists_the_parts_of_each_sum() -> None:
    [told] = json.loads(sizes.as_json([row(7)]))
    assert set(told) == {"what", "configuration", "core", "parts", "sum", "target"}
    assert sizes.rows_from_json(sizes.as_json([row(7)])) == [row(7)]


def test_every_size_target_names_a_measured_size(programs: Path) -> None:
    rows = sizes.measure(programs)
    assert {row.key[:2] for row in rows if row.target is not None} == set(sizes.load_goals())


def test_a_size_that_is_its_target_meets_it() -> None:
    assert "met" in sizes.verdict(row(7).model_copy(update={"target": 7}))
    assert "1 over" in sizes.verdict(row(8).model_copy(update={"target": 7}))


def test_one_more_byte_is_a_rise_and_one_less_is_reported() -> None:
    baseline = Baseline(tools="gcc 12.2", rows=[row(100)])
    more = sizes.compare(baseline, "gcc 12.2", [row(101)])
    assert more.risen == ["flash, client: 100 -> 101 B"]
    less = sizes.compare(baseline, "gcc 12.2", [row(99), row(9, sizes.PEER)])
    assert not less.risen and len(less.fallen) == len(less.new) == 1


def test_sizes_of_another_compiler_are_not_compared() -> None:
    found = sizes.compare(Baseline(tools="gcc 12.2", rows=[row(100)]), "gcc 14.2", [row(200)])
    assert not found.risen and len(found.other_tools) == 1


def test_a_damaged_baseline_of_sizes_is_reported_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "footprint.json"
    sizes.save_baseline(Baseline(tools="gcc 12.2", rows=[row(100)]), file)
    assert sizes.load_baseline(file).rows == [row(100)]
    file.write_text('{"rows": 3}')
    with pytest.raises(UsageError, match="--accept"):
        sizes.load_baseline(file)


def test_an_unwritable_output_path_is_reported_before_the_build(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "absent" / "sizes.json"):
        with pytest.raises(UsageError, match="cannot be written"):
            sizes.run(place, accept=False)
