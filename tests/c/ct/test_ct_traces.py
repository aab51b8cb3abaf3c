# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Executed program counters and data addresses do not depend on secrets, on any emulated core."""

from __future__ import annotations

import pytest

from . import rig
from .rig import CORES, Build, Kind

QUICK = [
    Build(CORES["m4"], "gcc", "O2"),
    Build(CORES["m4"], "gcc", "Os"),
    Build(CORES["m4"], "gcc", "Os", "-DWYRM_ASM=0"),  # the smallest code
    Build(CORES["m3"], "gcc", "O2"),
    Build(CORES["m0"], "gcc", "Os"),
    Build(CORES["m0"], "clang", "Os"),  # Clang turns masks into branches where GCC does not
    Build(CORES["rv32imc"], "gcc", "O2"),
    Build(CORES["rv32imc"], "clang", "O2"),
    Build(CORES["lx106"], "gcc", "O2"),
    Build(CORES["esp32"], "clang", "O2"),
]
WHOLE = rig.every_build()
FEW, MANY, HANDSHAKES = 16, 256, 16


def check(build: Build, kind: Kind, count: int) -> None:
    chosen = rig.secrets(count)
    # One subject of the slowest core and level takes minutes with this many secrets.
    found = rig.traced(build, kind, chosen, timeout_s=3000)
    assert found
    leaks = {name: traced.leak() for name, traced in found.items() if traced.leak()}
    places = "".join(
        f"\n{name}: {leak}; {rig.where_it_leaks(build, kind, name, chosen)}"
        for name, leak in leaks.items()
    )
    assert not leaks, places


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_a_few_secrets_give_the_same_trace(build: Build) -> None:
    check(build, Kind.PRIMITIVE, FEW // 4 if build.core.slow else FEW)


def test_a_few_handshakes_give_the_same_trace() -> None:
    check(QUICK[0], Kind.HANDSHAKE, 4)


@pytest.mark.all
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("build", WHOLE, ids=str)
def test_many_secrets_give_the_same_trace(build: Build) -> None:
    check(build, Kind.PRIMITIVE, MANY)
    check(build, Kind.HANDSHAKE, HANDSHAKES)


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_planted_leaks_are_found(build: Build) -> None:
    found = rig.traced(build, Kind.LEAK, rig.secrets(FEW))
    by_branch, by_address = found["leak_early_exit"], found["leak_table"]
    assert len({run.pcs for run in by_branch.runs}) > 1
    assert len({run.pcs for run in by_address.runs}) == 1
    assert len({run.accesses for run in by_address.runs}) > 1
    where = rig.where_it_leaks(build, Kind.LEAK, "leak_table", rig.secrets(FEW))
    assert "in leak_table+" in where
