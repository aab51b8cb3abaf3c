# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device's tasks and memory at one moment, as its `monitor json` prints them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from wyrmlab.base.errors import WyrmError


@dataclass(frozen=True)
class Task:
    name: str
    core: int
    state: str
    priority: int
    stack_free: int
    stack_size: int
    run_us: int
    boot_percent: float
    monitor_percent: float


@dataclass(frozen=True)
class Memory:
    name: str
    unit: str
    total: int
    free: int
    least_free: int


@dataclass(frozen=True)
class Snapshot:
    board: str
    uptime_us: int
    tasks: list[Task]
    memory: list[Memory]


def parse(text: str) -> Snapshot:
    """One line of the device's `monitor json` (docs/console.md)."""
    try:
        said = json.loads(text)
        return Snapshot(
            said["board"],
            said["uptime_us"],
            [Task(**task) for task in said["tasks"]],
            [Memory(**row) for row in said["memory"]],
        )
    except (ValueError, KeyError, TypeError) as error:
        raise WyrmError(f"The device's monitor printed `{text[:80]}`, not a snapshot.") from error
