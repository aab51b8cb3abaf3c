# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Compares userspace WireGuard daemons for Linux in one run.

Each daemon runs at both ends of a veth pair between two network namespaces. Throughput includes the
load of both ends and of the traffic generator on one machine; CPU seconds per gigabyte are the
daemon's own, averaged over both ends, and the fairer figure. Handshakes come four at a time. Under
a flood of initiations with valid first MACs, `share` is the goodput of a stream relative to that
during the same flood to another port; then a new peer's handshake is timed.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from wyrmlab.base.errors import WyrmError
from wyrmlab.experiments import daemons, flooded
from wyrmlab.experiments.bench import Bench, Experiment, Parameters
from wyrmlab.experiments.daemons import Daemon
from wyrmlab.experiments.initiations import HANDSHAKES, answered_initiations
from wyrmlab.peers.iperf import transfer, transfers
from wyrmlab.peers.pair import Pair, pair
from wyrmlab.records.record import Table
from wyrmlab.setup import build, host_setup

_NOT_MEASURED = "Not measured"


class Implementations(Parameters):
    seconds: int = Field(ge=1, le=600)
    rounds: int = Field(ge=1, le=100)
    floods: bool


def prepare() -> None:
    """Fetches everything while the network is available."""
    host_setup.ensure("build", "net", "check")
    daemons.fetch()
    build.flood()


def tell(bench: Bench, parameters: Implementations) -> None:
    known = {one.name: one for one in daemons.all_daemons()}
    for name in bench.cells(known):
        daemon = known[name]
        bench.run.record.tools[name] = daemon.version
        if daemon.program is None:
            _say_why(bench, name, daemon.missing)
            continue
        folder = bench.run.folder / name.replace(" ", "-")
        folder.mkdir(exist_ok=True)
        try:
            _measure(bench, daemon, daemon.program, folder, parameters)
        except WyrmError as error:
            _say_why(bench, name, str(error))


def _say_why(bench: Bench, name: str, reason: str) -> None:
    tables = bench.run.record.tables
    if not tables:
        tables.append(Table(title=_NOT_MEASURED, columns=["implementation", "reason"], rows=[]))
    tables[0].rows.append([name, reason])


def _measure(
    bench: Bench, daemon: Daemon, program: Path, folder: Path, parameters: Implementations
) -> None:
    with pair(folder, program, program) as both:
        if both.west.host.pings(both.EAST, count=3) == 0:
            raise WyrmError("No packet passes.")
        for number in range(1, parameters.rounds + 1):
            _measure_tcp(bench, daemon, both, folder, parameters.seconds, number)
            _measure_udp(bench, daemon, both, folder, parameters.seconds, number)
        memory = both.west.resident_kib() / 1024
        bench.sample("resident_mib", memory, "MiB", path=daemon.name)
    answers = answered_initiations(program, folder)
    bench.sample("handshakes_per_s", answers.per_second, "1/s", path=daemon.name)
    bench.sample(
        *("handshakes_per_cpu_s", answers.count / answers.cpu_seconds, "1/s"), path=daemon.name
    )
    if answers.count < HANDSHAKES:
        _say_why(bench, daemon.name, f"answered {answers.count} of {HANDSHAKES} handshakes")
    if parameters.floods:
        _measure_floods(bench, daemon, program, folder)


def _measure_floods(bench: Bench, daemon: Daemon, program: Path, folder: Path) -> None:
    for flood in flooded.measure(program, folder):
        asked = f"{flood.rate:,} initiations/s"
        bench.sample(
            "flood_goodput_mbit_s", flood.goodput_mbit_s, "Mbit/s", path=daemon.name, x=asked
        )
        bench.sample("flood_share_percent", 100 * flood.share, "%", path=daemon.name, x=asked)
        if flood.session_s is None:
            _say_why(bench, daemon.name, f"no session within {flooded.PATIENCE_S} s at {asked}")
        else:
            bench.sample("flood_session_s", flood.session_s, "s", path=daemon.name, x=asked)


class _Cpu:
    """CPU seconds of both daemons since its creation."""

    def __init__(self, both: Pair) -> None:
        self._both = both
        self._before = self._now()

    def _now(self) -> float:
        return self._both.west.cpu_seconds() + self._both.east.cpu_seconds()

    def per_gb(self, received: int) -> float:
        """The average of both ends."""
        return (self._now() - self._before) / 2 / (received / 1e9)


def _measure_tcp(
    bench: Bench, daemon: Daemon, both: Pair, folder: Path, seconds: int, number: int
) -> None:
    cpu, received = _Cpu(both), 0
    west, east = both.west.host, both.east.host
    for port, server, client, address in (
        (5101, east, west, both.EAST),
        (5102, west, east, both.WEST),
    ):
        log = folder / f"tcp{port}-{number}"
        received += transfer(server, client, address, log, "-t", str(seconds), port=port)
    rate = received * 8 / 1e6 / (2 * seconds)
    bench.sample("tcp_mbit_s", rate, "Mbit/s", path=daemon.name, round_=number)
    bench.sample("tcp_cpu_s_per_gb", cpu.per_gb(received), "s/GB", path=daemon.name, round_=number)


def _measure_udp(
    bench: Bench, daemon: Daemon, both: Pair, folder: Path, seconds: int, number: int
) -> None:
    """Full-size packets at the sender's maximum rate; received packets count."""
    cpu, log = _Cpu(both), folder / f"udp-{number}"
    transfer(
        *(both.east.host, both.west.host, both.EAST, log),
        *("-u", "-b", "2g", "-l", "1372", "-t", str(seconds)),
        port=5103,
    )
    if received := sum(transfers(log.read_text())[-1:]):
        rate = received * 8 / 1e6 / seconds
        bench.sample("udp_mbit_s", rate, "Mbit/s", path=daemon.name, round_=number)
        bench.sample(
            *("udp_cpu_s_per_gb", cpu.per_gb(received), "s/GB"), path=daemon.name, round_=number
        )


EXPERIMENT = Experiment(
    name="implementations",
    answers="How does wyrmd compare with other daemons for Linux, at rest and under attack?",
    clock="host",
    quick_minutes=3,
    minutes=12,
    parameters=Implementations,
    tell=tell,
    setup=("west|daemon, iperf", "veth", "east|the same daemon, iperf"),
    prepare=prepare,
)
