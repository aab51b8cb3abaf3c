# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""One emulated device on a TAP: boot, console, reachability, flash, restarts."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.base.errors import TimedOutError, WyrmError
from wyrmlab.boards.device import DEVICE_ADDRESSES, Device
from wyrmlab.network import capture
from wyrmlab.network.host import HERE
from wyrmlab.peers import wireguard
from wyrmlab.peers.wireguard import wireguard_go

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]


@pytest.mark.parametrize("address", DEVICE_ADDRESSES)
def test_device_answers_ping(boot: Boot, address: str) -> None:
    boot()
    pings = HERE.ping(address, count=10, interval_s=0.05)
    assert pings.loss_percent == 0


@pytest.mark.every_board
def test_big_and_fragmented_pings_come_back(boot: Boot) -> None:
    boot()
    for size in (1472, 4000):
        assert HERE.ping("10.9.0.2", size=size).loss_percent == 0


def test_link_local_neighbor_is_pinged_through_the_interface_that_its_zone_names(
    boot: Boot,
) -> None:
    device = boot()
    shown = proc.run("ip", "-6", "-json", "address", "show", "dev", "tap0", "scope", "link").stdout
    found = [address for link in json.loads(shown) for address in link.get("addr_info", [])]
    (neighbor,) = [address["local"] for address in found if "local" in address]
    interface = device.command("ip").split()[1]
    proc.wait_until(
        lambda: "1 received" in device.command(f"ping {neighbor}%{interface} -c 1"),
        timeout_s=20,
        what="a reply from the link-local address",
    )


def test_console_lists_its_commands(boot: Boot) -> None:
    listed = boot().command("help")
    for command in ("version", "ip", "ping", "iperf", "tasks", "heap", "stats", "reboot"):
        assert command in listed


def test_unknown_command_is_an_error_and_changes_nothing(boot: Boot) -> None:
    device = boot()
    with pytest.raises(WyrmError, match="unknown command"):
        device.command("frobnicate")
    assert "version" in device.command("help")


@pytest.mark.every_board
def test_device_comes_back_after_reboot(boot: Boot, tmp_path: Path) -> None:
    device = boot(flash=tmp_path / "flash")
    assert "10.9.0.2" in device.reboot()
    assert HERE.ping("10.9.0.2", count=3).received == 3


# Boards whose driver follows the link of its emulated controller.
LINKED = ("m7", "m4", "m3", "m33", "rv32")


@pytest.mark.every_board
def test_lost_link_is_shown_and_a_new_one_used(
    boot: Boot, board: boards.Board, tmp_path: Path
) -> None:
    if board.name not in LINKED:
        pytest.skip("the driver does not follow the link")
    monitor = tmp_path / "monitor"
    device = boot(qemu_options=["-qmp", f"unix:{monitor},server=on,wait=off"])
    assert "up" in device.command("ip").splitlines()[0]
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(60)
        line.connect(str(monitor))
        requests = line.makefile("rw")
        listed = asked(requests, "info network")
        (controller,) = re.findall(r"^(\S+): index=0,type=nic", listed, re.MULTILINE)
        asked(requests, f"set_link {controller} off")
        proc.wait_until(
            lambda: "no link" in device.command("ip").splitlines()[0],
            timeout_s=60,
            what="the loss of the link",
        )
        asked(requests, f"set_link {controller} on")
    proc.wait_until(
        lambda: "no link" not in device.command("ip").splitlines()[0],
        timeout_s=60,
        what="the new link",
    )
    assert HERE.ping("10.9.0.2", count=3).received == 3


def asked(requests: IO[str], command: str) -> str:
    """What QEMU's monitor says to a command, by its machine protocol."""
    for request in (
        {"execute": "qmp_capabilities"},
        {"execute": "human-monitor-command", "arguments": {"command-line": command}},
    ):
        requests.write(json.dumps(request) + "\n")
        requests.flush()
        while not {"return", "error"} & (answer := json.loads(requests.readline())).keys():
            pass
    return str(answer["return"])


@pytest.mark.every_board
def test_flash_file_outlives_the_emulator(boot: Boot, tmp_path: Path) -> None:
    flash = tmp_path / "flash"
    device = boot(flash=flash)
    assert "flash: was blank" in device.console.transcript
    device.stop()
    assert "flash: was blank" not in boot(flash=flash).console.transcript


def test_addresses_can_be_given_as_arguments(boot: Boot) -> None:
    device = boot(args={"term": "plain", "ip": "10.9.0.77/24"})
    assert "10.9.0.77" in device.command("ip")
    assert HERE.ping("10.9.0.77", count=2).received == 2


@pytest.mark.every_board
def test_counted_instructions_keep_the_device_on_time(boot: Boot) -> None:
    device = boot(icount_shift=3)
    assert HERE.ping("10.9.0.2", count=3).received == 3
    assert device.boot_s is not None


def test_silence_is_detected_within_the_timeout(boot: Boot) -> None:
    device = boot()
    started = time.monotonic()
    with pytest.raises(TimedOutError):
        device.console.expect("never said", timeout_s=0.3)
    assert time.monotonic() - started < 10


def test_a_capture_contains_the_frames_on_the_wire(boot: Boot, tmp_path: Path) -> None:
    boot()
    file = tmp_path / "wire.pcapng"
    with capture.Capture("tap0", file):
        HERE.ping("10.9.0.2", count=3, interval_s=0.05)
    listed = capture.tshark(file, "-Y", "icmp.type == 8")
    assert len(listed.splitlines()) == 3


def test_wireguard_go_starts_is_configured_and_stops(tmp_path: Path) -> None:
    keys, other = wireguard.make_keys(), wireguard.make_keys()
    with wireguard_go("wg0", tmp_path / "wg.log") as daemon:
        daemon.configure(
            f"[Interface]\nPrivateKey = {keys.private}\nListenPort = 51820\n"
            f"[Peer]\nPublicKey = {other.public}\nAllowedIPs = 10.8.0.2/32\n"
        )
        daemon.up("10.8.0.1/24")
        assert [peer.public_key for peer in daemon.peers()] == [other.public]
    assert not HERE.has_interface("wg0")
