# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""wyrmd and boringtun, in both roles. Peers of a running boringtun cannot be changed, so what
changes here changes at wyrmd's end or by a restart."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wyrmlab.base.proc import eventually
from wyrmlab.peers import wireguard
from wyrmlab.peers.flood import flood
from wyrmlab.peers.iperf import transfer
from wyrmlab.peers.pair import Pair
from wyrmlab.peers.wireguard import WireGuard

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]

ROLES = pytest.mark.parametrize(
    ("west", "east"), [("wyrmd", "boringtun"), ("boringtun", "wyrmd")], ids=["calls_it", "answers"]
)


def ours(pair: Pair) -> WireGuard:
    return pair.west if pair.west.program.endswith("wyrmd") else pair.east


@ROLES
@pytest.mark.parametrize(
    ("outer", "with_psk"),
    [
        pytest.param(4, True, id="over_ipv4_psk"),
        pytest.param(6, False, id="over_ipv6", marks=pytest.mark.all),
    ],
)
def test_boringtun_pings_and_streams_pass(
    connect: Connect, tmp_path: Path, west: str, east: str, outer: int, with_psk: bool
) -> None:
    pair = connect(west, east, outer=outer, psk=wireguard.make_psk() if with_psk else "")
    before = int(time.time())
    one, other = pair.west.host, pair.east.host
    for machine, addresses in (
        (one, (pair.EAST, pair.EAST6)),
        (other, (pair.WEST, pair.WEST6)),
    ):
        for address in addresses:
            assert machine.pings(address, "-s", "1372", count=2) == 2
    assert transfer(other, one, pair.EAST, tmp_path / "a", "-n", "2M", port=5001) >= 2 << 20
    assert transfer(one, other, pair.WEST6, tmp_path / "b", "-n", "2M", port=5002) >= 2 << 20
    wyrmd = ours(pair)
    peer = (pair.east if wyrmd is pair.west else pair.west).keys.public
    assert before <= wyrmd.handshake(peer) <= time.time()
    received, sent = wyrmd.transfer(peer)
    assert min(received, sent) > 2 << 20


@ROLES
def test_boringtun_is_back_after_a_restart(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east)
    assert pair.west.host.pings(pair.EAST) == 1
    pair.restart(pair.west, endpoint=True)
    assert pair.west.host.pings(pair.EAST, count=2, wait_s=6) == 2
    assert pair.east.host.pings(pair.WEST) == 1


def test_boringtun_follows_wyrmd_to_another_port_and_address(connect: Connect) -> None:
    pair = connect("wyrmd", "boringtun")
    assert pair.west.host.pings(pair.EAST) == 1
    pair.west.set("listen-port 41111")
    assert pair.west.host.pings(pair.EAST) == 1
    assert pair.east.show("endpoints")[pair.west.keys.public] == pair.endpoint(pair.west, 41111)
    pair.west.host.ip("address del 10.77.0.1/24 dev va")
    pair.west.host.ip("address add 10.77.0.9/24 dev va")
    assert pair.west.host.pings(pair.EAST, count=2) == 2
    assert pair.east.show("endpoints")[pair.west.keys.public] == "10.77.0.9:41111"
    assert pair.east.host.pings(pair.WEST) == 1


def test_boringtun_accepts_keepalives_and_keeps_the_session(connect: Connect) -> None:
    pair = connect("wyrmd", "boringtun")
    other = pair.east.keys.public
    pair.west.set(f"peer {other} persistent-keepalive 1")
    eventually(lambda: pair.west.handshake(other) > 0, "the handshake")
    begun, sent = pair.west.handshake(other), pair.west.transfer(other)[1]
    eventually(lambda: pair.west.transfer(other)[1] >= sent + 2 * 32, "keepalives")
    assert pair.east.host.pings(pair.WEST) == 1
    assert pair.west.handshake(other) == begun


@pytest.mark.all
@ROLES
def test_boringtun_and_wyrmd_renew_the_session_and_no_ping_is_lost(
    connect: Connect, west: str, east: str
) -> None:
    pair = connect(west, east)
    wyrmd = ours(pair)
    peer = (pair.east if wyrmd is pair.west else pair.west).keys.public
    assert pair.west.host.pings(pair.EAST) == 1
    first = wyrmd.handshake(peer)
    assert pair.west.host.pings(pair.EAST, count=260, interval_s=0.5) == 260
    assert 118 <= wyrmd.handshake(peer) - first <= 130


@pytest.mark.all
def test_boringtun_connects_while_wyrmd_is_under_load(connect: Connect, tmp_path: Path) -> None:
    pair = connect("boringtun", "wyrmd")
    west, key = pair.west.host, pair.east.keys.public
    with flood(key, "10.77.0.2", tmp_path / "flood", host=west) as running:
        eventually(lambda: west.pings(pair.EAST, wait_s=1) == 1, "an honest peer's ping", 60)
        count = running.end()
    assert 0 < count.cookies <= count.sent
    assert count.responses == 0
