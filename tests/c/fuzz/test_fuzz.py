# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The fuzzers, briefly and with the same inputs in every test run."""

from __future__ import annotations

import pytest
from wyrmlab.commands import fuzz as fuzzing

INPUTS = 30_000


@pytest.mark.parametrize("target", fuzzing.targets())
def test_the_first_inputs_of_a_fuzzer_find_nothing(target: str) -> None:
    assert fuzzing.fuzz(target, 1000, inputs=INPUTS) == INPUTS
