# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The flood benchmark measures correctly, tested at a low rate."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from wyrmlab.experiments import flooded
from wyrmlab.setup import build

pytestmark = pytest.mark.netns


def test_goodput_and_connection_time_are_measured_during_a_flood(
    wyrmd: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(flooded, "RATES", (2000,))
    monkeypatch.setattr(flooded, "ROUNDS", 1)
    (figures,) = flooded.measure(wyrmd, tmp_path, 1)
    assert 1500 <= figures.sent_per_s <= 2000
    assert figures.goodput_mbit_s > 1
    assert figures.reference_mbit_s > 1
    assert figures.session_s is not None
    assert 0 < figures.share < 10


def test_the_flood_keeps_to_its_rate_and_its_time() -> None:
    key = "A" * 43 + "="
    done = subprocess.run(
        [build.flood(), key, "127.0.0.1", "9", "30000", "1"],
        capture_output=True,
        text=True,
        timeout=10,
        check=True,
    )
    sent = int(done.stdout.split()[1])
    assert 0 < sent <= 30_000


@pytest.mark.parametrize(
    "argument", ["1000001 1", "1000 121", "0 1", "1000 0", "1000 1 10.0.0.1 0"]
)
def test_a_flood_without_a_limit_is_refused(argument: str) -> None:
    command = [build.flood(), "A" * 43 + "=", "127.0.0.1", "9", *argument.split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10)
    assert done.returncode == 2
    assert done.stderr.startswith("usage:")
