# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The simulator, in a version short enough for every test run; a failure prints its seed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.setup.build import TEST_PRESETS

PLAIN, SANITIZED = TEST_PRESETS


def run(preset: str, program: str, *args: str) -> subprocess.CompletedProcess[str]:
    path: Path = paths.BUILD / preset / "tests" / "c" / "sim" / program
    assert path.exists(), "not built: ./wyrm build tests"
    return subprocess.run([path, *args], capture_output=True, text=True, timeout=1000)


def simulate(preset: str, *args: str, program: str = "wyrm_sim") -> str:
    done = run(preset, program, *args)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_thirty_simulated_hostile_days_of_two_devices() -> None:
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


def test_a_core_that_accepts_forgeries_fails_and_the_seed_reproduces_it() -> None:
    first = run(PLAIN, "wyrm_sim_credulous", "--seed", "11", "--nodes", "3")
    assert first.returncode == 1
    broken, again = first.stdout.splitlines()
    assert re.fullmatch(r"broken at \d+ ms, node \d: [a-z ]+", broken)
    arguments = again.removeprefix("to see it again: wyrm_sim ").split()
    assert arguments == ["--seed", "11", "--days", "1", "--nodes", "3", "--verbose"]
    second = run(PLAIN, "wyrm_sim_credulous", *arguments)
    assert second.returncode == 1
    assert second.stdout.endswith(first.stdout)


SIEGES = ("wyrm_siege", "wyrm_siege_client")


@pytest.mark.parametrize("program", SIEGES)
@pytest.mark.parametrize("job_ms", (10, 30, 600))
@pytest.mark.parametrize("rate", (50, 500, 5000))
def test_forged_responses_lock_no_honest_peer_out(rate: int, job_ms: int, program: str) -> None:
    """No pair is silent for longer than 30 s plus two jobs, from the start on."""
    seconds = "600" if rate < 5000 else "200"
    simulate(
        PLAIN, "--rate", str(rate), "--job", str(job_ms), "--seconds", seconds, program=program
    )


@pytest.mark.parametrize("attacker", ("observer", "caller", "stranger"))
def test_other_attackers_lock_no_honest_peer_out(attacker: str) -> None:
    """50 messages a second by an observer of handshakes, a malicious peer, or an unknown sender."""
    simulate(PLAIN, "--rate", "50", "--job", "600", "--from", attacker, program="wyrm_siege")


@pytest.mark.parametrize("seed", range(1, 21))
def test_a_siege_locks_no_honest_peer_out(seed: int) -> None:
    simulate(PLAIN, "--seed", str(seed), "--seconds", "300", program="wyrm_siege")


@pytest.mark.parametrize("seed", range(1, 7))
def test_a_siege_locks_no_client_out(seed: int) -> None:
    simulate(PLAIN, "--seed", str(seed), "--seconds", "300", program="wyrm_siege_client")


def test_a_siege_under_the_sanitizers() -> None:
    simulate(SANITIZED, "--seed", "2", "--seconds", "60", program="wyrm_siege")


def test_a_core_that_prefers_responses_fails_the_second_siege() -> None:
    """It counts only initiations as load, and lets responses fill every slot."""
    first = run(PLAIN, "wyrm_siege_unfair", "--seed", "1", "--seconds", "300")
    assert first.returncode == 0, first.stdout
    second = run(PLAIN, "wyrm_siege_unfair", "--seed", "2", "--seconds", "300")
    assert second.returncode == 1
    assert "longest silence: 300000 ms" in second.stdout
    assert "broken: an honest peer is heard within 30600 ms" in second.stdout


def test_a_wrong_argument_gets_an_explanation() -> None:
    done = run(PLAIN, "wyrm_sim", "--nodes", "1")
    assert done.returncode == 2
    assert "usage: wyrm_sim" in done.stderr
