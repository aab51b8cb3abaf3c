# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The simulator, for as long as every test run can afford; it explains its own failures."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.setup.build import TEST_PRESETS

PLAIN, SANITIZED = TEST_PRESETS


def run(preset: str, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    path: Path = paths.BUILD / preset / "tests" / "sim" / program
    assert path.exists(), "not built: ./wyrm build tests"
    return subprocess.run([path, *args], capture_output=True, text=True, timeout=1000)


def simulate(preset: str, *args: str, program: str = "wyrm_sim") -> str:
    done = run(preset, program, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_thirty_hostile_days_of_two_devices() -> None:
    simulate(PLAIN, "--days", "30")


@pytest.mark.parametrize("seed", range(100, 110))
def test_a_hostile_day_of_a_hub_with_four_spokes(seed: int) -> None:
    simulate(PLAIN, "--nodes", "5", "--seed", str(seed))


@pytest.mark.parametrize("seed", range(200, 204))
def test_a_hostile_day_under_the_sanitizers(seed: int) -> None:
    simulate(SANITIZED, "--nodes", "3", "--seed", str(seed))


@pytest.mark.parametrize("nodes", range(2, 5))
def test_a_hostile_day_with_the_options_that_save_memory(nodes: int) -> None:
    simulate(PLAIN, "--nodes", str(nodes), "--seed", "400", program="wyrm_sim_small")


def test_a_hostile_day_with_real_curves() -> None:
    simulate(PLAIN, "--seed", "300", program="wyrm_sim_x25519")


def test_the_same_seed_gives_the_same_run() -> None:
    first, second = (simulate(PLAIN, "--seed", "7").splitlines()[1:] for _ in range(2))
    assert first == second


def test_a_core_that_believes_forgeries_is_found_out_and_the_seed_shows_it_again() -> None:
    first = run(PLAIN, "wyrm_sim_credulous", "--seed", "11", "--nodes", "3")
    assert first.returncode == 1
    broken, again = first.stdout.splitlines()
    assert re.fullmatch(r"broken at \d+ ms, node \d: [a-z ]+", broken)
    arguments = again.removeprefix("to see it again: wyrm_sim ").split()
    assert arguments == ["--seed", "11", "--days", "1", "--nodes", "3", "--verbose"]
    second = run(PLAIN, "wyrm_sim_credulous", *arguments)
    assert second.returncode == 1
    assert second.stdout.endswith(first.stdout)


def test_a_wrong_argument_is_explained() -> None:
    done = run(PLAIN, "wyrm_sim", "--nodes", "1")
    assert done.returncode == 2
    assert "usage: wyrm_sim" in done.stderr
