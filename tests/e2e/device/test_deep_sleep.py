# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Deep sleep: the session continues after the reset, or a handshake takes over."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.boards.device import Device
from wyrmlab.network import capture
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import DeviceTunnel

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]

RESUMED = r"^tunnel: resumed the session after (\d+\.\d+) s asleep\r*\n"


def sleep(device: Device, seconds: float) -> None:
    """Returns when the device says that it will sleep."""
    device.console.skip()
    device.console.send_line(f"sleep {seconds:g}")
    device.console.expect(r"^sleeping for ")


def resumed_after(device: Device, seconds: float) -> float:
    sleep(device, seconds)
    return float(device.console.expect(RESUMED, timeout_s=seconds + 60)[1])


def handshakes(file: Path) -> int:
    return len(capture.tshark(file, "-Y", "wg.type == 1 || wg.type == 2").splitlines())


@pytest.mark.every_board
def test_session_continues_over_several_sleeps_without_a_handshake(
    tunnel: DeviceTunnel, tmp_path: Path
) -> None:
    shaken = tunnel.peer.peers()[0].latest_handshake
    file = tmp_path / "outside.pcapng"
    with capture.Capture("tap0", file, only=f"udp port {PORT}"):
        for _ in range(4):
            begun = time.monotonic()
            slept = resumed_after(tunnel.device, 2)
            assert 2 <= slept <= time.monotonic() - begun + 0.1
            assert tunnel.device_pings(count=1) == 1
        assert tunnel.host_pings()
    assert handshakes(file) == 0
    assert tunnel.peer.peers()[0].latest_handshake == shaken
    assert "sleep     resumed 4" in tunnel.device.command("stats")


def test_reset_after_a_sleep_finds_nothing_to_resume(tunnel: DeviceTunnel) -> None:
    resumed_after(tunnel.device, 0.5)
    shaken = tunnel.peer.peers()[0].latest_handshake
    time.sleep(1.1)  # the peer counts in seconds
    tunnel.device.reboot()
    tunnel.wait_up()
    assert tunnel.peer.peers()[0].latest_handshake > shaken
    after_reboot = tunnel.device.console.transcript.split("rebooting")[1]
    assert "asleep" not in after_reboot
    assert "retained" not in after_reboot


def test_device_that_loses_power_in_its_sleep_boots_as_always(tunnel: DeviceTunnel) -> None:
    sleep(tunnel.device, 3600)
    tunnel.device.stop()
    tunnel.device.start()
    said = tunnel.device.console.transcript
    tunnel.device.wait_ready()
    tunnel.wait_up()
    assert tunnel.device_pings() == 3
    assert "retained" not in tunnel.device.console.transcript[len(said) :]


@contextlib.contextmanager
def stopped(where: Path) -> Iterator[Callable[[str], str]]:
    """Stops the processor as a debugger does; calls send a packet and return the answer."""
    with socket.socket(socket.AF_UNIX) as stub:
        stub.settimeout(20)
        stub.connect(str(where))
        answers = stub.makefile("rb")

        def answer() -> str:
            while answers.read(1) != b"$":
                pass
            said = b""
            while (byte := answers.read(1)) != b"#":
                said += byte
            answers.read(2)
            stub.sendall(b"+")
            return said.decode()

        def ask(packet: str) -> str:
            stub.sendall(f"${packet}#{sum(packet.encode()) % 256:02x}".encode())
            while (said := answer()).startswith("T"):  # that it has stopped
                pass
            return said

        yield ask
        ask("D")


def address_of(symbol: str, firmware: Path) -> int:
    listed = proc.run("nm", str(firmware)).stdout
    found = re.search(rf"^([0-9a-f]+) \w {symbol}$", listed, re.MULTILINE)
    assert found is not None
    return int(found[1], 16)


def test_corrupted_retained_memory_is_refused_and_a_handshake_follows(
    pair: MakePair, firmware: Path, tmp_path: Path
) -> None:
    stub = tmp_path / "stub"
    made = pair(qemu_options=["-gdb", f"unix:{stub},server=on,wait=off"])
    made.connect()
    shaken = made.peer.peers()[0].latest_handshake
    sleep(made.device, 3)
    time.sleep(0.5)
    with stopped(stub) as ask:
        within = address_of("retained_start", firmware) + 1024
        byte = int(ask(f"m{within:x},1"), 16)
        assert ask(f"M{within:x},1:{byte ^ 4:02x}") == "OK"
    made.device.console.expect(
        r"^tunnel: retained state refused: it is corrupted; a handshake follows\r*\n", timeout_s=60
    )
    made.wait_up()
    assert made.host_pings()
    assert made.peer.peers()[0].latest_handshake > shaken
    assert "sleep     resumed 0" in made.device.command("stats")


def test_session_of_another_configuration_is_not_resumed(tunnel: DeviceTunnel) -> None:
    tunnel.device.configure(tunnel.device_conf(peer="PersistentKeepalive = 25"))
    sleep(tunnel.device, 0.5)
    tunnel.device.console.expect(
        r"^tunnel: retained state refused: the tunnel slept with another configuration; "
        r"a handshake follows\r*\n"
    )
    tunnel.wait_up()
    assert "persistent keepalive: every 25 seconds" in tunnel.device.command("wg")


def test_sleep_without_a_tunnel_says_that_there_is_nothing_to_keep(boot: Boot) -> None:
    device = boot()
    device.console.send_line("sleep 0.2")
    device.console.expect(r"^sleeping for 0\.200 s; the tunnel is down, so there is no session")
    device.wait_ready()
    assert "retained" not in device.console.transcript
    for wrong in ("0", "-1", "86401", "soon"):
        assert "error: '" + wrong + "' is not a number" in device.console.command(f"sleep {wrong}")
