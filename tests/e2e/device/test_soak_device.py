# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The soak of a device: a day of its own clock, and minutes of real time under traffic."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.boards.device import Device
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.network.host import HERE
from wyrmlab.peers import wireguard
from wyrmlab.peers.device_tunnel import DEVICE_INNER, HOST_INNER, DeviceTunnel, boot
from wyrmlab.peers.wireguard import wireguard_go

pytestmark = [pytest.mark.netns, pytest.mark.soak, pytest.mark.timeout(7200)]


def memory(device: Device) -> tuple[int, int]:
    """Bytes of the heap in use, and the number of failed allocations of all pools."""
    lines = device.command("heap", timeout_s=60).splitlines()
    rows = [re.fullmatch(r"(.+?)\s+\d+\s+(\d+)\s+\d+\s+(\d+)\s*", line) for line in lines]
    found = {row[1]: (int(row[2]), int(row[3])) for row in rows if row}
    return found["FreeRTOS heap"][0], sum(failed for _, failed in found.values())


def a_day_of_the_devices_clock(firmware: Path, folder: Path, hours: int = 24) -> object:
    """The device's clock runs fast while it is idle: a day takes half an hour, or an hour on a busy
    machine. A ping every ten seconds keeps the session in use."""
    board = boards.board("m7")
    fast = ("-icount", "shift=3,sleep=off")
    with (
        links.tap("tap0") as tap,
        EmulatedDevice(
            board, firmware, tap=tap, log_dir=folder, flash=folder / "flash", qemu_options=fast
        ) as device,
        wireguard_go("wgd", folder / "wireguard-go.log") as peer,
    ):
        device.wait_ready()
        made = DeviceTunnel(device, peer)
        made.connect()
        answered = 0
        in_use: list[tuple[int, int]] = []
        for _ in range(hours):
            said = device.command(f"ping {HOST_INNER[4]} -c 360 -i 10 -q", timeout_s=900)
            answered += int(re.findall(r"(\d+) received", said)[-1])
            in_use.append(memory(device))
        handshakes = peer.output().count("Received handshake initiation")
        last = device.command(f"ping {HOST_INNER[4]} -c 3 -i 10 -q", timeout_s=60)
        return answered, handshakes, in_use, last


@pytest.mark.story(tells=a_day_of_the_devices_clock, within_s=7000)
def test_soak_of_a_device_for_a_day_of_its_clock(told: object) -> None:
    answered, handshakes, in_use, last = told  # type: ignore[misc]
    assert answered >= 24 * 360 * 0.98  # a busy host may answer after the timeout
    assert 650 <= handshakes <= 730  # with the first ping when a session is 120 s old
    assert in_use[-1] == in_use[0]
    assert "3 received" in last


def test_soak_of_a_device_under_traffic_while_sessions_are_renewed(
    m7_firmware: Path, tmp_path: Path
) -> None:
    with boot(m7_firmware, tmp_path, psk=wireguard.make_psk()) as made:
        made.connect()
        made.device.command("iperf -s")
        before = memory(made.device)
        end = time.monotonic() + 400
        while time.monotonic() < end:
            proc.run("iperf", "-c", DEVICE_INNER[4], "-n", "1M", timeout_s=60)
            assert HERE.ping(DEVICE_INNER[6], count=20, interval_s=0.1).loss_percent == 0
        time.sleep(5)  # connections that are over
        assert "panic" not in made.device.console.transcript
        assert memory(made.device) == before
        handshakes = made.peer.output().count("Received handshake initiation")
        assert 3 <= handshakes <= 5
