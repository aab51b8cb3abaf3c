# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The soak of wyrmd: minutes of real time, sessions renewed under traffic, storms of changes."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.network.host import namespace
from wyrmlab.network.links import cable
from wyrmlab.peers.iperf import transfer
from wyrmlab.peers.pair import Pair
from wyrmlab.peers.wireguard import WireGuard
from wyrmlab.setup.build import TEST_PRESETS

from .at_once import at_once
from .uapi_model import configure_at_random

pytestmark = [pytest.mark.netns, pytest.mark.soak, pytest.mark.timeout(1200)]
Connect = Callable[..., Pair]
SANITIZED = paths.BUILD / TEST_PRESETS[1] / "daemon" / "wyrmd-sanitized"
SESSIONS_S = 400  # three renewals


def test_soak_of_sessions_renewed_under_traffic(
    wyrmd: Path, boringtun: Path | None, tmp_path: Path
) -> None:
    """A hub and a spoke of each make, pings all the time and streams again and again, for 400 s:
    sessions are renewed every two minutes, and memory is bounded. Full queues of a busy machine may
    cost a ping; that renewing costs none is shown without streams, by `--all`."""
    programs = [wyrmd, "wireguard-go", *([boringtun] if boringtun else [])]
    with ExitStack() as stack:
        there = stack.enter_context(namespace("hub"))
        hub = stack.enter_context(WireGuard(there, "wgh", wyrmd, tmp_path / "hub.log"))
        hub.set_key(hub.keys)
        hub.set("listen-port 51820")
        hub.up("10.88.0.1/24")
        spokes: list[WireGuard] = []
        for i, program in enumerate(programs, 1):
            where = stack.enter_context(namespace(f"spoke{i}"))
            cable(
                *(there, where, (f"vh{i}", f"vs{i}")),
                ((f"10.77.{i}.1/24",), (f"10.77.{i}.2/24",)),
            )
            spoke = stack.enter_context(
                WireGuard(where, f"wgs{i}", program, tmp_path / f"spoke{i}.log")
            )
            spoke.set_key(spoke.keys)
            spoke.set("listen-port 51820")
            spoke.set(f"peer {hub.keys.public} allowed-ips 10.88.0.0/24 endpoint 10.77.{i}.1:51820")
            hub.set(f"peer {spoke.keys.public} allowed-ips 10.88.0.{i + 1}/32")
            spoke.up(f"10.88.0.{i + 1}/24")
            assert where.pings("10.88.0.1", count=3) == 3
            spokes.append(spoke)
        begun = [hub.handshake(spoke.keys.public) for spoke in spokes]
        end = time.monotonic() + SESSIONS_S
        count = SESSIONS_S * 5

        def ping(spoke: WireGuard) -> None:
            assert spoke.host.pings("10.88.0.1", count=count, interval_s=0.2) >= count * 0.95

        def stream() -> None:
            port = 5000
            while time.monotonic() < end - 20:
                port += 1
                spoke = spokes[port % len(spokes)]
                log = tmp_path / f"stream{port}"
                options = ("-n", "4M") if port % 2 else ("-u", "-b", "20m", "-t", "2")
                assert transfer(there, spoke.host, "10.88.0.1", log, *options, port=port) > 0
                time.sleep(1)

        at_once(*(lambda one=one: ping(one) for one in spokes), stream)
        for spoke, first in zip(spokes, begun, strict=True):
            assert hub.handshake(spoke.keys.public) - first >= 3 * 115
        assert hub.resident_kib() < 8192  # all its buffers, once they have been touched


def test_soak_of_a_storm_of_roaming(connect: Connect) -> None:
    """West changes its port or its address three hundred times; east always finds it again."""
    pair = connect("wyrmd", "wireguard-go")
    west, east = pair.west, pair.east
    chance = random.Random(1)
    address = "10.77.0.1"
    assert west.host.pings(pair.EAST) == 1
    begun = west.handshake(east.keys.public)
    for _ in range(300):
        if chance.random() < 0.5:
            west.set(f"listen-port {chance.randint(20000, 60000)}")
        else:
            west.host.ip(f"address del {address}/24 dev va")
            address = f"10.77.0.{chance.randint(10, 250)}"
            west.host.ip(f"address add {address}/24 dev va")
        assert west.host.pings(pair.EAST) == 1
        assert east.show("endpoints")[west.keys.public].startswith(f"{address}:")
        assert east.host.pings(pair.WEST) == 1
    assert west.handshake(east.keys.public) - begun in range(600)


def test_soak_of_thousands_of_random_requests(wyrmd: Path, tmp_path: Path) -> None:
    configure_at_random(wyrmd, tmp_path / "log", range(100, 120), 1000)
    configure_at_random(SANITIZED, tmp_path / "log", range(120, 124), 1000)
