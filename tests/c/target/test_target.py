# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The primitives on the cores they are written for: assembly against its twins in C, the unit tests
of the primitives, and published vectors, in images of bench/micro."""

from __future__ import annotations

from pathlib import Path

import pytest
from wyrmlab.base import packages, paths
from wyrmlab.base.errors import WyrmError
from wyrmlab.measure import images
from wyrmlab.measure.cores import CORES, PROFILES, Core, core
from wyrmlab.setup import build
from wyrmlab.vectors import command, forms, runner
from wyrmlab.vectors.case import Context
from wyrmlab.vectors.recording import Recording

QUICK = ("m4", "m3", "m0")
# Nothing counts its instructions, so it is none of the cores that are measured.
AARCH64 = Core(
    "aarch64", "64-bit Arm", "aarch64-linux-gnu", "aarch64-linux-gnu-gcc", ("qemu-aarch64",)
)


def configured(one: Core, variant: str, *options: str) -> Path:
    if not all(packages.which(program) for program in one.programs):
        pytest.skip(one.lacks())
    return images.configure(one, variant, options)


def make(folder: Path, target: str) -> None:
    what = f"making {target} in {folder.name}"
    build.follow(["cmake", "--build", str(folder), "-t", target], what)


def check(one: Core, variant: str, *options: str) -> None:
    make(configured(one, variant, *options), "check")


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


# ---- Vectors


@pytest.fixture(scope="module")
def recorded() -> bytes:
    """What all vectors make of the primitives on this machine, which agrees with each of them."""
    data = paths.C_TESTS / "vectors" / "data"
    files = [forms.read(file) for file in runner.find([data])]
    host = next(backend for backend in command.backends() if backend.name == "host")
    recording = Recording(host)
    context = Context(recording, transcripts=runner.Transcripts(files).near(data))
    for file in files:
        assert runner.run_file(file, [context]).failures == {}
    assert len(recording) > 10_000
    return recording.blob()


def repeat(one: Core, profile: str, recorded: bytes) -> None:
    folder = configured(one, profile, f"-DWYRM_BENCH_PROFILE={profile}")
    file = folder / "vectors.bin"
    if not file.exists() or file.read_bytes() != recorded:
        file.write_bytes(recorded)
    make(folder, "vectors")


@pytest.mark.parametrize("name", QUICK)
def test_vectors_give_the_same_on_the_core(name: str, recorded: bytes) -> None:
    repeat(core(name), "speed", recorded)


@pytest.mark.all
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("one", [*CORES, AARCH64], ids=lambda one: one.name)
def test_vectors_give_the_same_on_every_core_and_profile(
    one: Core, profile: str, recorded: bytes
) -> None:
    repeat(one, profile, recorded)


def test_a_wrong_result_of_a_vector_fails(recorded: bytes) -> None:
    wrong = recorded[:-1] + bytes([recorded[-1] ^ 1])
    with pytest.raises(WyrmError) as failure:
        repeat(core("m4"), "speed", wrong)
    assert "has another result" in failure.value.detail
