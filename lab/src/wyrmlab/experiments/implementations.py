# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""`bench implementations`: userspace WireGuard daemons for Linux in one table, measured in one run.

Each daemon runs at both ends of a cable between two network namespaces. Throughput says what this
machine does with both ends and the traffic itself on it; CPU seconds per gigabyte are the daemon's
own, and the fairer figure. What is left of a stream during a flood of initiations, and how long a
new peer then waits for its session, stands in a table of its own.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rich.console import Console

from wyrmlab.base.errors import WyrmError
from wyrmlab.experiments import daemons, flooded
from wyrmlab.experiments.daemons import Daemon
from wyrmlab.experiments.flooded import Flooded
from wyrmlab.experiments.initiations import HANDSHAKES, answered_initiations
from wyrmlab.measure import figures
from wyrmlab.network import namespaces
from wyrmlab.peers.iperf import transfer, transfers
from wyrmlab.peers.pair import Pair, pair
from wyrmlab.setup import build, host_setup


@dataclass
class Row:
    """Figures of one implementation; `missing` says why there are none, or not all."""

    implementation: str
    version: str = ""
    tcp_mbit_s: float | None = None
    tcp_cpu_s_per_gb: float | None = None
    udp_mbit_s: float | None = None
    udp_cpu_s_per_gb: float | None = None
    handshakes_per_s: float | None = None
    handshakes_per_cpu_s: float | None = None
    resident_mib: float | None = None
    floods: list[Flooded] = field(default_factory=list)
    missing: str = ""


def run(seconds: int, file: Path | None) -> None:
    figures.check_place(file)
    host_setup.ensure("build", "net", "check")
    if not namespaces.inside() and namespaces.GATE not in os.environ:
        daemons.fetch()  # while there is a network
        build.flood()
    namespaces.enter()
    rows = []
    for one in daemons.all_daemons():
        host_setup.say(f"{one.name} ...")
        rows.append(_measure(one, seconds))
    _show(rows)
    if file is not None:
        file.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")


# --- Measuring -------------------------------------------------------------------------------


def _measure(daemon: Daemon, seconds: int) -> Row:
    row = Row(daemon.name, daemon.version, missing=daemon.missing)
    if daemon.program is None:
        return row
    with tempfile.TemporaryDirectory(prefix="wyrm-bench-") as folder:
        try:
            with pair(Path(folder), daemon.program, daemon.program) as both:
                if both.west.host.pings(both.EAST, count=3) == 0:
                    raise WyrmError("no packet passes")
                _measure_tcp(row, both, Path(folder), seconds)
                _measure_udp(row, both, Path(folder), seconds)
                row.resident_mib = both.west.resident_kib() / 1024
            answers = answered_initiations(daemon.program, Path(folder))
            row.handshakes_per_s = answers.per_second
            row.handshakes_per_cpu_s = answers.count / answers.cpu_seconds
            if answers.count < HANDSHAKES:
                row.missing = f"answered {answers.count} of {HANDSHAKES} handshakes"
            row.floods = flooded.measure(daemon.program, Path(folder))
        except WyrmError as error:
            row.missing = str(error)
    return row


class _Cpu:
    """CPU seconds of both daemons since it was made."""

    def __init__(self, both: Pair) -> None:
        self._both = both
        self._before = self._now()

    def _now(self) -> float:
        return self._both.west.cpu_seconds() + self._both.east.cpu_seconds()

    def per_gb(self, received: int) -> float:
        """Of one end, on average."""
        return (self._now() - self._before) / 2 / (received / 1e9)


def _measure_tcp(row: Row, both: Pair, folder: Path, seconds: int) -> None:
    cpu, received = _Cpu(both), 0
    west, east = both.west.host, both.east.host
    for port, server, client, address in (
        (5101, east, west, both.EAST),
        (5102, west, east, both.WEST),
    ):
        log = folder / f"tcp{port}"
        received += transfer(server, client, address, log, "-t", str(seconds), port=port)
    row.tcp_mbit_s = received * 8 / 1e6 / (2 * seconds)
    row.tcp_cpu_s_per_gb = cpu.per_gb(received)


def _measure_udp(row: Row, both: Pair, folder: Path, seconds: int) -> None:
    """As many packets of full length as the sender can make; what arrives counts."""
    cpu, log = _Cpu(both), folder / "udp"
    transfer(
        *(both.east.host, both.west.host, both.EAST, log),
        *("-u", "-b", "2g", "-l", "1372", "-t", str(seconds)),
        port=5103,
    )
    if received := sum(transfers(log.read_text())[-1:]):
        row.udp_mbit_s = received * 8 / 1e6 / seconds
        row.udp_cpu_s_per_gb = cpu.per_gb(received)


# --- The table -------------------------------------------------------------------------------


def _show(rows: Sequence[Row]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("implementation")
    table.add_column("version")
    for title in (
        "TCP Mbit/s",
        "TCP CPU s/GB",
        "UDP Mbit/s",
        "UDP CPU s/GB",
        "handshakes/s",
        "handshakes/CPU s",
        "RSS MiB",
    ):
        table.add_column(title, justify="right")
    table.add_column("")
    for row in rows:
        table.add_row(
            row.implementation,
            row.version,
            _figure(row.tcp_mbit_s, 0),
            _figure(row.tcp_cpu_s_per_gb, 2),
            _figure(row.udp_mbit_s, 0),
            _figure(row.udp_cpu_s_per_gb, 2),
            _figure(row.handshakes_per_s, 0),
            _figure(row.handshakes_per_cpu_s, 0),
            _figure(row.resident_mib, 1),
            row.missing,
        )
    console = Console(highlight=False, width=max(Console().width, 150))
    console.print(table)
    console.print(
        "CPU seconds are one daemon's own, user and system, averaged over both ends; "
        "both ends share this machine. Handshakes come four at a time."
    )
    _show_floods(console, rows)


def _show_floods(console: Console, rows: Sequence[Row]) -> None:
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("under a flood of initiations")
    for title in ("asked /s", "sent /s", "reference Mbit/s", "TCP Mbit/s", "share", "session s"):
        table.add_column(title, justify="right")
    for row in rows:
        for flood in row.floods:
            session = "none" if flood.session_s is None else f"{flood.session_s:.1f}"
            table.add_row(
                row.implementation,
                f"{flood.rate:,}",
                f"{flood.sent_per_s:,.0f}",
                _figure(flood.reference_mbit_s, 0),
                _figure(flood.goodput_mbit_s, 0),
                f"{flood.share:.0%}",
                session,
            )
    console.print()
    console.print(table)
    console.print(
        "Valid first MACs, from one port. Reference: the same stream while the same flood goes to "
        f"another port of the receiving machine, {flooded.ROUNDS} runs of each in turn; share: how "
        "much the daemon keeps of it. Session: from a new peer's configuration to its handshake, "
        f"beside flood and stream; none: not within {flooded.PATIENCE_S} s (three attempts)."
    )


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
