# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The worst stack on a Cortex-M4, from the call graph, of the library and its ports below the
functions that lwIP and FreeRTOS call. Stack of lwIP below our calls, and of an application's
callbacks, is not included."""

from __future__ import annotations

from pathlib import Path

import pytest
from wyrmlab.base import packages
from wyrmlab.base.errors import WyrmError
from wyrmlab.measure import images, sizes
from wyrmlab.measure.cores import core
from wyrmlab.measure.stack import BARE, PACKET_PATH, POINTERS, WORKER, Program

PROGRAMS = tuple(one.name for one in sizes.PROGRAMS if one.stack)


@pytest.fixture(scope="module", params=PROGRAMS)
def name(request: pytest.FixtureRequest) -> str:
    for needed in (sizes.COMPILER, "arm-none-eabi-objdump"):
        if not packages.which(needed):
            pytest.skip(f"{needed} is missing: ./wyrm setup")
    return str(request.param)


@pytest.fixture(scope="module")
def library(name: str) -> Path:
    """In a program without lwIP and FreeRTOS."""
    return sizes.make() / f"{name}.elf"


@pytest.fixture(scope="module")
def program(library: Path) -> Program:
    return Program(library, POINTERS, BARE)


def promised(what: str, name: str) -> int:
    return sizes.load_goals()[what, name]


@pytest.mark.parametrize("entry", PACKET_PATH)
def test_a_packet_takes_no_more_stack_than_promised(
    program: Program, name: str, entry: str
) -> None:
    depth = program.below(entry)
    assert depth.bytes <= promised(sizes.STACK_PACKET, name), str(depth)


def test_the_handshake_worker_takes_no_more_stack_than_promised(
    program: Program, name: str
) -> None:
    depth = program.below(WORKER)
    assert depth.bytes <= promised(sizes.STACK_WORKER, name), str(depth)


def test_the_painted_stack_agrees_with_the_call_graph() -> None:
    """Primitives and handshakes on an emulated Cortex-M4 write nothing below the depth that the
    call graph gives, and most reach it."""
    one = core("m4")
    if not all(packages.which(name) for name in one.programs):
        pytest.skip(one.lacks())
    folder = images.make(one, "speed")
    program = Program(folder / "bench.elf", POINTERS, BARE)
    painted = {count.primitive: count.stack_bytes or 0 for count in images.run(one, folder)}
    computed = {name: program.below(f"bench_{name}").bytes for name in painted}
    assert {name: painted[name] for name in painted if painted[name] > computed[name]} == {}
    assert sum(painted[name] == computed[name] for name in painted) > len(painted) / 2


def test_an_unknown_function_pointer_is_reported(library: Path) -> None:
    with pytest.raises(WyrmError, match="pointer call in wyrm_cookie_reply"):
        Program(library, {}, BARE).below("wyrm_cookie_reply")


def test_a_recursive_function_is_reported(library: Path) -> None:
    again = {**POINTERS, "wyrm_cookie_reply": ("wyrm_input",)}
    with pytest.raises(WyrmError, match="wyrm_cookie_reply calls itself"):
        Program(library, again, BARE).below("wyrm_input")
