# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""What a device's console says, as values. docs/console.md promises these forms."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wyrmlab.base.errors import WyrmError


@dataclass(frozen=True)
class Transfer:
    """One iperf stream as the device saw it, on its own clock."""

    direction: str  # rx: towards the device, tx: from it
    size: int
    milliseconds: float
    mbit_s: float


@dataclass(frozen=True)
class Interval:
    """One report of an iperf stream under way; seconds since it began, on the device's clock."""

    direction: str
    start: float
    end: float
    size: int

    @property
    def mbit_s(self) -> float:
        return self.size * 8 / (self.end - self.start) / 1e6


@dataclass(frozen=True)
class Buffers:
    """How far a board's TCP goes ahead of acknowledgements, in bytes."""

    receives: int
    sends: int


@dataclass(frozen=True)
class Task:
    name: str
    stack_size: int
    stack_used: int  # the most there ever was, in bytes
    share_percent: float


@dataclass(frozen=True)
class Memory:
    name: str
    total: int
    used: int
    most: int
    failed: int


def transfer(line: str) -> Transfer:
    found = re.search(
        r"iperf: (rx|tx) (\d+) bytes in ([\d.]+) ms, ([\d.]+) Mbit/s \(device clock\)", line
    )
    if found is None:
        raise WyrmError(f"Unexpected output of the device's iperf: `{line.strip()}`.")
    return Transfer(found[1], int(found[2]), float(found[3]), float(found[4]))


def intervals(text: str) -> list[Interval]:
    """Those of `iperf -i` that are in a console's output, in order."""
    found = re.findall(r"^iperf: (rx|tx) ([\d.]+)-([\d.]+) s: (\d+) bytes", text, re.MULTILINE)
    return [Interval(way, float(start), float(end), int(size)) for way, start, end, size in found]


def buffers(text: str) -> Buffers:
    """The note of an iperf that was asked for a larger window than the board has."""
    found = re.search(r"it receives (\d+) bytes ahead and sends (\d+)", text)
    if found is None:
        raise WyrmError(f"The device's iperf said `{text.strip()}`, not what its buffers are.")
    return Buffers(int(found[1]), int(found[2]))


def load_percent(text: str) -> float:
    found = re.search(r"load: ([\d.]+) % busy", text)
    if found is None:
        raise WyrmError(f"Unexpected output of the device's `load`: `{text.strip()}`.")
    return float(found[1])


def version(text: str) -> str:
    """`version` as one line."""
    return ", ".join(" ".join(line.split()) for line in text.splitlines() if line.strip())


def memory(text: str) -> list[Memory]:
    """`heap`: name (blanks allowed), total, used, most, failed."""
    rows = re.findall(r"^(\S.*?)\s{2,}(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s*$", text, re.MULTILINE)
    return [Memory(name, *(int(number) for number in numbers)) for name, *numbers in rows]


def tasks(text: str) -> list[Task]:
    """`tasks`: name, state, priority, stack used and size, run time, share."""
    rows = re.findall(
        r"^(\S.*?)\s{2,}\w+\s+\d+\s+(\d+)\s+(\d+)\s+\d+\s+([\d.]+) %", text, re.MULTILINE
    )
    return [
        Task(name, stack_size=int(size), stack_used=int(used), share_percent=float(share))
        for name, used, size, share in rows
    ]
