# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The soak outside namespaces: simulated networks by the hundred, and the fuzzers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.commands import fuzz as fuzzing
from wyrmlab.setup.build import TEST_PRESETS

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]
PLAIN, SANITIZED = TEST_PRESETS
FUZZ_S = 180


def simulate(preset: str, program: str, runs: Iterable[tuple[str, ...]]) -> None:
    """Two at a time; a failed run prints its seed."""
    path: Path = paths.BUILD / preset / "tests" / "c" / "sim" / program

    def one(arguments: tuple[str, ...]) -> str:
        done = subprocess.run([path, *arguments], capture_output=True, text=True, timeout=900)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    with ThreadPoolExecutor(2) as threads:
        failures = [said for said in threads.map(one, runs) if said]
    assert not failures, "\n".join(failures)


def test_soak_of_four_hundred_networks_of_every_size() -> None:
    seeds = range(1000, 1400)
    simulate(
        PLAIN,
        "wyrm_sim",
        (("--seed", str(n), "--nodes", str(2 + n % 7), "--days", "2") for n in seeds),
    )


def test_soak_of_a_year_of_two_devices() -> None:
    simulate(PLAIN, "wyrm_sim", [("--seed", str(n), "--days", "365") for n in (1, 2)])


def test_soak_of_a_hundred_networks_under_the_sanitizers() -> None:
    simulate(
        SANITIZED,
        "wyrm_sim",
        (("--seed", str(n), "--nodes", str(2 + n % 4)) for n in range(2000, 2100)),
    )


def test_soak_of_networks_with_real_curves() -> None:
    simulate(PLAIN, "wyrm_sim_x25519", (("--seed", str(n)) for n in range(3000, 3020)))


@pytest.mark.parametrize("target", fuzzing.targets())
def test_soak_of_the_fuzzers_finds_nothing(target: str) -> None:
    assert fuzzing.fuzz(target, FUZZ_S) > 1000
