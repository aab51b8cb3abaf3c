# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The tables and the chart of the demo's results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wyrmlab.boards import readings
from wyrmlab.measure import footprint
from wyrmlab.network import packets
from wyrmlab.records.record import Chart, Table, Value

DIRECTIONS = {"rx": "towards the device", "tx": "from the device"}


def times(results: Mapping[str, Value]) -> Table:
    rows = [
        ["boot", f"{results['boot_ms']:.3f}", "device clock"],
        ["handshake, both ways", f"{results['handshake_ms']:.3f}", "device clock"],
    ]
    for name, title in (
        ("plain", "ping without the tunnel"),
        ("tunnel", "ping through it"),
        ("tunnel6", "ping through it, IPv6"),
    ):
        if f"ping_{name}_avg_ms" in results:
            rows.append([title, f"{results[f'ping_{name}_avg_ms']:.3f}", "host clock, mean"])
    return Table(title="Times", columns=["what", "ms", "clock"], rows=rows)


def throughput(results: Mapping[str, Value], note: str) -> tuple[Table, Chart]:
    """Plain and through the tunnel, both directions."""
    rows = []
    series: dict[str, list[float]] = {"plain": [], "through the tunnel": []}
    for direction, title in DIRECTIONS.items():
        without = float(results[f"tcp_{direction}_plain_mbit_s"])
        within = float(results[f"tcp_{direction}_tunnel_mbit_s"])
        rows.append([title, f"{without:.1f}", f"{within:.1f}", f"{within / without:.2f}"])
        series["plain"].append(without)
        series["through the tunnel"].append(within)
    table = Table(
        title="TCP",
        columns=["direction", "plain", "through the tunnel", "ratio"],
        rows=rows,
        note=note,
    )
    chart = Chart(
        title="TCP throughput",
        kind="bars",
        unit="Mbit/s",
        labels=list(DIRECTIONS.values()),
        series=series,
        note=note,
    )
    return table, chart


def sizes(measured: footprint.Footprint) -> Table:
    groups = {**measured.groups(), "all": measured.total()}
    return Table(
        title="Flash and RAM",
        columns=["part", "code (B)", "constants (B)", "RAM (B)"],
        rows=[
            [name, f"{size.flash_code:,}", f"{size.flash_data:,}", f"{size.ram:,}"]
            for name, size in groups.items()
        ],
        note="The release build; ./wyrm build --size shows it object by object.",
    )


def stacks(tasks: Sequence[readings.Task]) -> Table:
    return Table(
        title="Stacks",
        columns=["task", "used at most (B)", "size (B)"],
        rows=[[task.name, f"{task.stack_used:,}", f"{task.stack_size:,}"] for task in tasks],
    )


def heaps(pools: Sequence[readings.Memory]) -> Table:
    return Table(
        title="Heaps",
        columns=["memory", "used at most (B)", "size (B)", "failed"],
        rows=[
            [pool.name, f"{pool.most:,}", f"{pool.total:,}", f"{pool.failed:,}"] for pool in pools
        ],
    )


def messages(seen: packets.Outside) -> Table:
    rows = [[kind, str(number)] for kind, number in sorted(seen.messages.items())]
    rows += [[kind, str(number)] for kind, number in sorted(seen.housekeeping.items())]
    rows += [[f"FOREIGN: {what}", "1"] for what in seen.strangers[:10]]
    return Table(
        title="Packets outside the tunnel during the pings", columns=["message", "seen"], rows=rows
    )
