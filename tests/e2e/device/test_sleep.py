# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""How often an idle device wakes up, and that it is on time and whole whenever it does."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.boards import Board
from wyrmlab.boards.device import Device
from wyrmlab.network import capture
from wyrmlab.peers.device_tunnel import DeviceTunnel

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]

HOURS = 5
TICKLESS = {"m7", "m4", "m3"}
DEVICE_PER_HOUR, TUNNEL_PER_KEEPALIVE = 1000, 2


@dataclass(frozen=True)
class Wakeups:
    device: int
    lwip: int
    uptime_s: int


def wakeups(device: Device) -> Wakeups:
    said = device.command("stats")
    found = re.search(r"^wakeups +device (\d+) +lwip (\d+) +uptime-s (\d+)$", said, re.MULTILINE)
    assert found is not None
    return Wakeups(*map(int, found.groups()))


def test_idle_device_wakes_less_than_a_thousand_times_an_hour(board: Board, boot: Boot) -> None:
    """Its clock runs ahead of time, as fast as the emulator can make it."""
    if board.name not in TICKLESS:
        pytest.skip(f"{board.name} ticks while it is idle: it has no portSUPPRESS_TICKS_AND_SLEEP")
    device = boot(qemu_options=["-icount", "shift=3,sleep=off"])
    before = wakeups(device)
    proc.wait_until(
        lambda: wakeups(device).uptime_s >= before.uptime_s + HOURS * 3600,
        timeout_s=120,
        what=f"{HOURS} hours of the device",
    )
    after = wakeups(device)
    hours = (after.uptime_s - before.uptime_s) / 3600
    assert (after.device - before.device) / hours <= DEVICE_PER_HOUR
    assert (after.lwip - before.lwip) / hours <= 2 * 60


def test_tunnel_wakes_twice_at_most_for_a_keepalive(pair: MakePair) -> None:
    """At 25 s between keepalives that is 288 times an hour."""

    def fired() -> int:
        found = re.search(r"timer (\d+)$", made.device.command("stats"), re.MULTILINE)
        assert found is not None
        return int(found[1])

    made = pair()
    made.bring_up_peer()
    made.device.configure(made.device_conf(peer="PersistentKeepalive = 1\n"))
    made.device.command("wg up")
    made.wait_up()
    time.sleep(11)  # the passive keepalive after the last ping's reply is past
    before, began = fired(), time.monotonic()
    time.sleep(15)
    keepalives = time.monotonic() - began
    assert keepalives / 2 <= fired() - before <= TUNNEL_PER_KEEPALIVE * keepalives + 2


def test_tasks_that_wait_are_woken_on_time(boot: Boot) -> None:
    """The emulator is late when the machine is busy, but not every time."""
    device = boot(icount_shift=3)
    said = "".join(device.command("load 0.7") + "\n" for _ in range(8))
    waits = [float(seconds) for seconds in re.findall(r"busy over (\d\.\d+) s", said)]
    assert len(waits) == 8
    assert 0.7 <= min(waits) < 0.71


def test_neighbors_without_an_answer_are_asked_again(boot: Boot, tmp_path: Path) -> None:
    """Although nothing but lwIP's timers makes the device send."""
    device = boot()
    file = tmp_path / "wire.pcapng"
    with capture.Capture("tap0", file):
        for absent in ("10.9.0.99", "fd09::99"):
            device.command(f"ping {absent} -c 1")
        time.sleep(6)
    asked = [
        len(capture.tshark(file, "-Y", of).splitlines())
        for of in ("arp.dst.proto_ipv4 == 10.9.0.99", "icmpv6.nd.ns.target_address == fd09::99")
    ]
    assert asked[0] >= 4
    assert asked[1] >= 3
