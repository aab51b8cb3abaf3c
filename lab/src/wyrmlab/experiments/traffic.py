# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""iperf between a device and its host, one way at a time, as the device's own clock sees it."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.boards import readings
from wyrmlab.boards.device import Device
from wyrmlab.network.host import HERE
from wyrmlab.peers import iperf
from wyrmlab.peers.device_tunnel import DeviceTunnel

TIMEOUT_S = 120


@dataclass(frozen=True)
class Figures:
    mbit_s: float
    busy_percent: float | None = None


def addresses(ends: DeviceTunnel, path: str) -> tuple[str, str]:
    """The device's and the host's on a path; for that of the tunnel, it is brought up."""
    wiring = ends.wiring
    if path != "tunnel":
        return wiring.device_outer[4], wiring.host_outer[4]
    ends.connect()
    return wiring.device_inner[4], wiring.host_inner[4]


def buffers(device: Device) -> readings.Buffers:
    """Asks for more than any board has; what the board then says of itself."""
    told = readings.buffers(device.command("iperf -s -w 4294967295"))
    device.command("iperf stop")
    return told


def receive(
    device: Device,
    address: str,
    size: int,
    log: Path,
    *,
    load: bool = False,
    options: tuple[str, ...] = (),
) -> Figures:
    """TCP towards the device: its rate and, if the stream takes long enough, its load in a second
    amid the stream. Both ends get the options, which iperf and the device have in common."""
    device.command(" ".join(("iperf -s", *options)))
    mark = len(said(device))
    with iperf.client(HERE, address, log, "-n", str(size), *options) as client:
        busy = None
        if load:
            time.sleep(0.5)  # past the start of the stream
            busy = readings.load_percent(device.command("load 1", timeout_s=60))
        rate = result(device, mark, "rx").mbit_s
        client.wait(TIMEOUT_S)
    device.command("iperf stop")
    return Figures(rate, busy)


def send(
    device: Device, address: str, size: int, log: Path, *, options: tuple[str, ...] = ()
) -> Figures:
    """TCP from the device; both ends get the options."""
    with iperf.server(HERE, log, *options):
        mark = len(said(device))
        words = " ".join(("", *options))
        device.console.send_line(f"iperf -c {address} -p {iperf.PORT} -n {size}{words}")
        rate = result(device, mark, "tx").mbit_s
        device.console.expect("^wyrm> ", timeout_s=10)
    return Figures(rate)


def result(device: Device, mark: int, direction: str) -> readings.Transfer:
    """Waits for iperf's result, which may come in the midst of a command's output."""
    pattern = re.compile(rf"^iperf: {direction} \d+ bytes .*\n", re.MULTILINE)

    def found() -> re.Match[str] | None:
        return pattern.search(said(device), mark)

    proc.wait_until(lambda: found() is not None, timeout_s=TIMEOUT_S, what="the device's iperf")
    line = found()
    assert line is not None
    return readings.transfer(line[0])


def said(device: Device) -> str:
    return device.console.transcript.replace("\r", "")
