# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Nothing that depends on a secret is left on the stack after a function has returned.

The stack is painted, the function runs, and what lies below its caller's frame is compared between
two secrets: any word that differs comes from them, be it a key, a limb or a spilled register. Words
of published results (ciphertext, public keys) are none of it.
"""

from __future__ import annotations

import platform
from itertools import product

import pytest

from . import rig
from .rig import CORES, HOST, Build, Kind

QUICK = [
    Build(HOST),
    Build(CORES["m4"], "gcc", "O2"),
    Build(CORES["m4"], "gcc", "Os"),
    Build(CORES["m4"], "gcc", "Os", "-DWYRM_ASM=0"),  # the smallest code
    Build(CORES["m3"], "gcc", "O2"),
    Build(CORES["m0"], "gcc", "Os"),
    Build(CORES["m0"], "gcc", "Os", "-DWYRM_ASM=0"),
    Build(CORES["rv32imc"], "gcc", "O2"),
    Build(CORES["lx106"], "gcc", "O2"),
]
WHOLE = [
    *(Build(HOST, *variant) for variant in product(("gcc", "clang"), rig.LEVELS)),
    *rig.every_build(),
]
if platform.machine() == "x86_64":
    WHOLE += [
        Build(HOST, compiler, "O3", lanes, daemon=True)
        for compiler, lanes in product(("gcc", "clang"), ("", "-DWYRM_AEAD_AVX2_ONLY"))
    ]


def left_behind(build: Build, kinds: Kind, count: int) -> dict[str, list[str]]:
    """Per subject: bytes below the caller's frame, and the word for either secret."""
    chosen = rig.order(kinds, rig.secrets(min(count, 3) if build.core.slow else count))
    program = build.program("wiped")
    if build.core is HOST:
        said = rig.run(str(program), stdin=chosen)
    else:
        said = rig.emulate(build, program, chosen)
    found: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
        name, below, *words = line.split()
        found.setdefault(name, []).append(f"{int(below, 16)}: {' '.join(words)}")
    return found


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_no_secret_is_left_on_the_stack(build: Build) -> None:
    assert left_behind(build, Kind.PRIMITIVE | Kind.HANDSHAKE, 3) == {}


@pytest.mark.all
@pytest.mark.parametrize("build", WHOLE, ids=str)
def test_no_secret_is_left_on_the_stack_with_any_compiler(build: Build) -> None:
    assert left_behind(build, Kind.PRIMITIVE | Kind.HANDSHAKE, 8) == {}


@pytest.mark.parametrize("build", QUICK, ids=str)
def test_a_planted_secret_on_the_stack_is_found(build: Build) -> None:
    found = left_behind(build, Kind.LEAK, 3)
    assert len(found["leak_on_stack"]) >= 8
