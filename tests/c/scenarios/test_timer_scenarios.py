# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Every scenario of timers.json holds on every set of implementations."""

from __future__ import annotations

from pathlib import Path

import pytest
from wyrmlab.vectors import command
from wyrmlab.vectors.backend import Backend

from . import timers

SCENARIOS = timers.File.model_validate_json(
    Path(__file__).with_name("timers.json").read_text()
).scenarios


@pytest.fixture(scope="module")
def backend() -> Backend:
    return next(one for one in command.backends() if one.name == "host")


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: f"{one.id} {one.title}")
def test_timer_scenario(scenario: timers.Scenario, backend: Backend) -> None:
    world = timers.World(backend, scenario)
    for step in scenario.steps:
        where = f"{scenario.id} at {step.at_ms} ms"
        verdict = world.play(step)
        if step.verdict:
            assert verdict == step.verdict, where
        wanted = {
            kind: tuple(count) if isinstance(count, list) else (count, count)
            for kind, count in step.sent.items()
        }
        counts = world.counts()
        assert set(counts) <= set(wanted), f"{where}: {dict(counts)}"
        for kind, (least, most) in wanted.items():
            assert least <= counts[kind] <= most, f"{where}: {dict(counts)}"
        assert world.told == step.told, where
        if step.first_not_before_ms:
            assert world.sent[0][0] - world.start >= step.first_not_before_ms, where
        if step.keys:
            assert world.keys_are(step.keys), where


def test_every_initiation_has_keys_index_and_time_of_its_own(backend: Backend) -> None:
    scenario = next(one for one in SCENARIOS if one.id == "T06")
    world = timers.World(backend, scenario)
    world.play(scenario.steps[0])
    messages = [data for _, _, data in world.sent]
    world.play(scenario.steps[1])
    messages += [data for _, kind, data in world.sent if kind == "initiation"]
    assert len(messages) > 10
    for first, last in ((4, 8), (8, 40), (88, 116)):  # index, ephemeral, sealed timestamp
        assert len({message[first:last] for message in messages}) == len(messages)
