# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The primitives on the cores they are written for: assembly against its twins in C, and the unit
tests of the primitives, in images of bench/micro."""

from __future__ import annotations

import pytest
from wyrmlab import build, packages
from wyrmlab.bench import images
from wyrmlab.bench.cores import CORES, Core, core

QUICK = ("m4", "m3", "m0")
# Nothing counts its instructions, so it is none of the cores that are measured.
AARCH64 = Core(
    "aarch64", "64-bit Arm", "aarch64-linux-gnu", "aarch64-linux-gnu-gcc", ("qemu-aarch64",)
)


def check(one: Core, variant: str, *options: str) -> None:
    if not all(packages.which(program) for program in one.programs):
        pytest.skip(one.lacks())
    folder = images.configure(one, variant, options)
    what = f"checking {one.name}, {variant}"
    build.follow(["cmake", "--build", str(folder), "-t", "check"], what)


@pytest.mark.parametrize("name", QUICK)
def test_leaves_equal_their_twins_and_primitives_pass_their_tests(name: str) -> None:
    check(core(name), "speed", "-DWYRM_BENCH_PROFILE=speed")


@pytest.mark.all
@pytest.mark.parametrize("profile", ["speed", "small", "c"])
@pytest.mark.parametrize("one", [*CORES, AARCH64], ids=lambda one: one.name)
def test_leaves_and_primitives_on_every_core_and_profile(one: Core, profile: str) -> None:
    check(one, profile, f"-DWYRM_BENCH_PROFILE={profile}")


@pytest.mark.all
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("one", [*CORES, AARCH64], ids=lambda one: one.name)
def test_leaves_equal_their_twins_a_million_times(one: Core) -> None:
    check(one, "million", "-DWYRM_CHECK_ROUNDS=1000000")
