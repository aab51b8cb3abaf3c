# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""examples/superloop, which has no operating system, on this machine against wireguard-go."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from wyrmlab.base import paths, proc
from wyrmlab.network.host import HERE
from wyrmlab.peers.wireguard import KeyPair, WireGuard, make_keys, make_psk
from wyrmlab.setup import third_party

BUILD = paths.BUILD / "superloop"

GATEWAY = "10.9.0.1"
PEER_INNER, DEVICE_INNER = "10.77.0.1", "10.77.0.2"
ECHO_PORT = 7


@pytest.fixture(scope="module")
def program() -> Path:
    proc.run(
        *("cmake", "-G", "Ninja", "-S", Path(__file__).parent / "program", "-B", BUILD),
        f"-DWYRM_THIRD_PARTY={third_party.folder()}",
        timeout_s=120,
    )
    proc.run("ninja", "-C", BUILD, timeout_s=600)
    return BUILD / "superloop"


@dataclass
class Running:
    service: proc.Service
    peer: WireGuard
    device: KeyPair
    own: KeyPair
    psk: str

    def start_peer(self) -> None:
        self.peer.start()
        self.peer.set_key(self.own)
        self.peer.configure(
            f"[Interface]\nPrivateKey = {self.own.private}\nListenPort = 51820\n"
            f"[Peer]\nPublicKey = {self.device.public}\nPresharedKey = {self.psk}\n"
            f"AllowedIPs = {DEVICE_INNER}/32\n"
        )
        self.peer.up(f"{PEER_INNER}/24")

    def restart_peer(self) -> None:
        self.peer.stop()
        self.peer.wait_gone()
        self.start_peer()

    def restart_device(self) -> None:
        self.service.stop()
        self.service.start()


@pytest.fixture
def running(program: Path, tap_board: dict[str, str], tmp_path: Path) -> Iterator[Running]:
    device, own, psk = make_keys(), make_keys(), make_psk()
    conf = tmp_path / "wg.conf"
    conf.write_text(
        f"[Interface]\nPrivateKey = {device.private}\nAddress = {DEVICE_INNER}/24\n"
        f"[Peer]\nPublicKey = {own.public}\nPresharedKey = {psk}\n"
        f"Endpoint = {GATEWAY}:51820\nAllowedIPs = 10.77.0.0/24\n"
    )
    board = tap_board | {"BOARD_CONF": str(conf), "BOARD_FLASH": str(tmp_path / "flash")}
    peer = WireGuard(HERE, "wg0", "wireguard-go", tmp_path / "peer.log")
    service = HERE.service("superloop", program, log=tmp_path / "superloop.log", env=board)
    made = Running(service, peer, device, own, psk)
    made.start_peer()
    with service:
        yield made
    peer.stop()


@pytest.mark.netns
def test_superloop_connects_and_carries_pings_and_datagrams(running: Running) -> None:
    running.peer.wait_handshake()
    assert HERE.ping(DEVICE_INNER, count=10).received == 10
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as application:
        application.settimeout(10)
        application.connect((DEVICE_INNER, ECHO_PORT))
        for size in (1, 100, 1392):  # 1392: the MTU of the tunnel, less the headers of IPv4 and UDP
            sent = bytes(i & 0xFF for i in range(size))
            application.send(sent)
            assert application.recv(2048) == sent
    assert "tunnel: a peer has a session" in running.service.output()


@pytest.mark.netns
def test_superloop_connects_again_after_the_peer_has_restarted(running: Running) -> None:
    """The peer has forgotten session and endpoint, so only the device can begin."""
    running.peer.wait_handshake()
    running.restart_peer()
    running.peer.wait_handshake(timeout_s=90)
    assert HERE.ping(DEVICE_INNER, count=3).received == 3


@pytest.mark.netns
def test_superloop_connects_again_after_its_own_restart_without_a_clock(running: Running) -> None:
    """The peer refuses timestamps that are not later than the last one."""
    running.peer.wait_handshake()
    running.restart_device()
    proc.wait_until(
        lambda: HERE.pings(DEVICE_INNER, wait_s=1) == 1,
        timeout_s=60,
        what="a ping through the new session",
    )
    assert HERE.ping(DEVICE_INNER, count=3).received == 3
