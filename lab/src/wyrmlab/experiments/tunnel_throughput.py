# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""TCP from a host to the device for some seconds, with reports from both ends on the way, as the
thesis measured it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from wyrmlab.base import proc
from wyrmlab.boards import readings
from wyrmlab.experiments import traffic
from wyrmlab.experiments.bench import DEVICE_AND_HOST, Bench, Experiment, Parameters
from wyrmlab.network.host import HERE
from wyrmlab.peers import iperf
from wyrmlab.peers.device_tunnel import DeviceTunnel

METRIC, UNIT = "interval_mbit_s", "Mbit/s"


class TunnelThroughput(Parameters):
    tests: int = Field(ge=1, le=100)
    seconds: int = Field(ge=1, le=3600)
    every_s: int = Field(ge=1, le=600)
    buffer_bytes: int = Field(ge=1, le=4_294_967_295)
    paths: list[Literal["plain", "tunnel"]]


def tell(bench: Bench, parameters: TunnelThroughput) -> None:
    tests = range(1, parameters.tests + 1)
    for cell in bench.cells(f"{path}, test {n}" for n in tests for path in parameters.paths):
        path, _, number = cell.replace(",", "").split()
        with bench.tunnel(cell.replace(",", "")) as ends:
            _tell_test(bench, parameters, ends, path, int(number))


def _tell_test(
    bench: Bench, parameters: TunnelThroughput, ends: DeviceTunnel, path: str, number: int
) -> None:
    device, every = ends.device, parameters.every_s
    address, _ = traffic.addresses(ends, path)
    has = traffic.buffers(device).receives
    asked = parameters.buffer_bytes
    for whose, size in (("asked for, and the host has", asked), ("the board has", min(asked, has))):
        bench.sample("buffer_bytes", size, "B", x=whose, round_=number)
    device.command(f"iperf -s -i {every} -w {asked}")
    mark = len(traffic.said(device))
    log = bench.run.folder / f"{path}-test-{number}" / "iperf.log"
    due = -(-parameters.seconds // every)

    def reports() -> list[readings.Interval]:
        return readings.intervals(traffic.said(device)[mark:])

    # Longer than it takes on any machine: the device's clock ends the test.
    options = ("-t", "86400", "-i", str(every), "-w", str(asked), *iperf.CSV)
    with iperf.client(HERE, address, log, *options) as client:
        proc.wait_until(
            lambda: len(reports()) >= due,
            timeout_s=60 + 20 * parameters.seconds,
            what="the device's reports",
        )
        device.command("iperf stop")
        total = traffic.result(device, mark, "rx")
        client.wait(traffic.TIMEOUT_S)
    counted = sum(one.size for one in reports())
    bench.check("the device's reports add up to its total", counted == total.size)
    timed = reports()[:due]
    rate = sum(one.size for one in timed) * 8 / timed[-1].end / 1e6
    bench.sample("tcp_mbit_s", rate, UNIT, path=path, direction="rx", round_=number)
    for one in timed:
        bench.sample(METRIC, one.mbit_s, UNIT, path=path, direction="rx", x=one.end, round_=number)
    for at, mbit_s in host_reports(log, every):
        other = f"{path}, as the host counts"
        bench.sample(METRIC, mbit_s, UNIT, path=other, direction="rx", x=at, round_=number)


def host_reports(log: Path, every_s: int) -> list[tuple[float, float]]:
    """When the host's reports came, in seconds of its own clock, and the rates in them. Neither the
    last one, which is cut short, nor the total is among them."""
    found: list[tuple[float, float]] = []
    for line in log.read_text().splitlines():
        fields = line.split(",")
        if len(fields) < 9:
            continue
        start, end = (float(part) for part in fields[6].split("-"))
        if round(end - start, 1) == every_s and round(start / every_s, 1) == len(found):
            found.append((round(end, 1), int(fields[7]) * 8 / (end - start) / 1e6))
    return found


EXPERIMENT = Experiment(
    name="tunnel-throughput",
    answers="How evenly does a device receive TCP, with and without the tunnel?",
    clock="device",
    quick_minutes=1.5,
    minutes=6,
    parameters=TunnelThroughput,
    tell=tell,
    setup=DEVICE_AND_HOST,
    items=("A08", "A10", "A19"),
    variants=("",),
    axis="seconds of the clock of the end that counts",
)
