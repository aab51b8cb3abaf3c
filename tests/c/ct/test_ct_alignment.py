# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Buffers may have any alignment: no word is accessed misaligned on cores that fault on it."""

from __future__ import annotations

import pytest

from . import rig
from .rig import CORES, Build, Kind

CAREFUL = [Build(CORES["m0"], "gcc", "Os"), Build(CORES["rv32imc"], "gcc", "O2")]
WHOLE = [build for build in rig.every_build() if build.core.aligned]
# These cores fault in the emulator too, as the first does only on the board of a micro:bit.
FAULTING = [
    Build(CORES["m0"], "gcc", "Os", small_ram=True),
    Build(CORES["lx106"], "gcc", "O2"),
    Build(CORES["esp32"], "clang", "O2"),
]
FAULTING_WHOLE = [build for build in rig.every_build() if build.core.xtensa]
SHIFTS = (0, 1, 2, 3)


def misaligned(build: Build, kinds: Kind, shift: int) -> dict[str, str]:
    """The subjects with a misaligned access, and where the first one is."""
    found = rig.traced(build, kinds, rig.secrets(1), shift=shift)
    program = build.program("trace")
    return {
        name: rig.function_at(program, hex(traced.runs[0].first_misaligned))
        for name, traced in found.items()
        if traced.runs[0].misaligned
    }


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("build", CAREFUL, ids=str)
def test_no_access_is_misaligned(build: Build, shift: int) -> None:
    assert misaligned(build, Kind.PRIMITIVE, shift) == {}


@pytest.mark.all
@pytest.mark.parametrize("build", WHOLE, ids=str)
def test_no_access_is_misaligned_with_any_compiler(build: Build) -> None:
    assert [misaligned(build, Kind.PRIMITIVE | Kind.HANDSHAKE, shift) for shift in SHIFTS] == [
        {} for _ in SHIFTS
    ]


@pytest.mark.parametrize("build", CAREFUL, ids=str)
def test_a_planted_misaligned_access_is_found(build: Build) -> None:
    assert "read_word_anywhere" in misaligned(build, Kind.MISALIGNED, 0)


def run_where_it_faults(build: Build, kinds: Kind, shift: int) -> tuple[int, str]:
    said = rig.emulate(
        build,
        build.program("trace"),
        rig.order(kinds, rig.secrets(1), shift),
        machine=rig.MICROBIT if build.small_ram else (),
        expect=None,
    )
    return said.returncode, said.stdout


@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize("build", FAULTING, ids=str)
def test_nothing_faults_on_cores_without_misaligned_access(build: Build, shift: int) -> None:
    code, said = run_where_it_faults(build, Kind.PRIMITIVE, shift)
    assert code == 0, said


@pytest.mark.parametrize("build", FAULTING, ids=str)
def test_a_planted_misaligned_access_faults(build: Build) -> None:
    code, said = run_where_it_faults(build, Kind.MISALIGNED, 0)
    assert code != 0
    assert said.endswith("fault\n")


@pytest.mark.all
@pytest.mark.parametrize("build", FAULTING_WHOLE, ids=str)
def test_nothing_faults_with_any_compiler(build: Build) -> None:
    kinds = Kind.PRIMITIVE | Kind.HANDSHAKE
    codes = [run_where_it_faults(build, kinds, shift)[0] for shift in SHIFTS]
    assert codes == [0 for _ in SHIFTS]
