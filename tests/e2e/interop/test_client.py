# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The client profile, which answers no initiation, against implementations that do everything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from wyrmlab.peers.pair import Pair

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]

SERVERS = pytest.mark.parametrize("east", ["wyrmd", "wireguard-go"])


@SERVERS
def test_a_client_brings_the_tunnel_up(connect: Connect, east: str) -> None:
    pair = connect("wyrmd-client", east)
    assert pair.west.host.pings(pair.EAST, count=3) == 3
    assert pair.east.host.pings(pair.WEST, count=3) == 3


def test_an_initiation_of_the_server_is_dropped_and_the_client_initiates(connect: Connect) -> None:
    """The restarted server initiates in vain; the client does once a packet goes unanswered."""
    pair = connect("wyrmd-client", "wireguard-go")
    assert pair.west.host.pings(pair.EAST) == 1
    pair.restart(pair.east, endpoint=True)
    assert pair.east.host.pings(pair.WEST, count=2, wait_s=0.5) == 0
    assert pair.west.host.pings(pair.EAST, count=45, interval_s=0.5, wait_s=0.5) >= 1
    assert pair.east.host.pings(pair.WEST) == 1


@pytest.mark.all
@SERVERS
def test_the_tunnel_lives_beyond_the_age_of_a_session(connect: Connect, east: str) -> None:
    """Pings every second for longer than a session may live: the client renews it in time."""
    pair = connect("wyrmd-client", east)
    assert pair.west.host.pings(pair.EAST) == 1
    first = pair.west.handshake(pair.east.keys.public)
    assert pair.east.host.pings(pair.WEST, count=200, interval_s=1, wait_s=1) >= 199
    assert pair.west.handshake(pair.east.keys.public) > first
