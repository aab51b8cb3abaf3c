# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Changes under a live tunnel: ports, addresses, interfaces, routes, NATs, keys, peers."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from wyrmlab.base.proc import eventually
from wyrmlab.network.host import Host, namespace
from wyrmlab.network.links import cable
from wyrmlab.peers import wireguard
from wyrmlab.peers.pair import Pair
from wyrmlab.peers.wireguard import WireGuard

from ..roles import OUTER, ROLES

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]


def seen_by_east(pair: Pair) -> str:
    return pair.east.show("endpoints")[pair.west.keys.public]


# --- Roaming ---------------------------------------------------------------------------------


@ROLES
@OUTER
def test_roaming_by_port(connect: Connect, west: str, east: str, outer: int) -> None:
    pair = connect(west, east, outer=outer)
    assert pair.west.host.pings(pair.EAST) == 1
    assert seen_by_east(pair) == pair.endpoint(pair.west)
    pair.west.set("listen-port 41111")
    assert pair.west.host.pings(pair.EAST) == 1
    assert seen_by_east(pair) == pair.endpoint(pair.west, 41111)
    assert pair.east.host.pings(pair.WEST) == 1


@OUTER
@pytest.mark.parametrize("east", ["wyrmd", "wireguard-go"])
def test_roaming_by_address_without_a_lost_packet(connect: Connect, east: str, outer: int) -> None:
    """The local address is removed; the next packet is sent from the new one."""
    pair = connect("wyrmd", east, outer=outer)
    assert pair.west.host.pings(pair.EAST) == 1
    old, new = ("10.77.0.1/24", "10.77.0.9") if outer == 4 else ("fd77::1/64", "fd77::9")
    pair.west.host.ip(f"address del {old} dev va")
    pair.west.host.ip(
        f"address add {new}/{old.split('/')[1]} dev va" + (" nodad" if outer == 6 else "")
    )
    assert pair.west.host.pings(pair.EAST, count=2) == 2
    assert new in seen_by_east(pair)


def test_unauthenticated_packets_do_not_move_the_endpoint(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1
    before = seen_by_east(pair)
    pair.west.host.run(
        "python3",
        "-c",
        "import os, socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for kind in range(6):\n"
        "    for size in (0, 1, 31, 32, 64, 92, 148, 1400):\n"
        "        s.sendto((bytes([kind, 0, 0, 0]) + os.urandom(1400))[:size],"
        " ('10.77.0.2', 51820))\n",
    )
    pair.east.settle()
    assert seen_by_east(pair) == before
    assert pair.west.host.pings(pair.EAST) == 1


# --- The source address ----------------------------------------------------------------------


@OUTER
def test_replies_use_the_address_the_peer_sent_to(connect: Connect, outer: int) -> None:
    pair = connect(outer=outer)
    other, bits = ("10.77.0.5", 24) if outer == 4 else ("fd77::5", 64)
    pair.west.host.ip(f"address add {other}/{bits} dev va" + " nodad" * (outer == 6))
    for address in (other, pair.WEST_OUTER[outer]):
        endpoint = f"{address}:51820" if outer == 4 else f"[{address}]:51820"
        pair.east.set(f"peer {pair.west.keys.public} endpoint {endpoint}")
        assert pair.east.host.pings(pair.WEST) == 1
        assert seen_by_east(pair) == endpoint


@OUTER
def test_replies_may_use_an_address_of_another_interface(connect: Connect, outer: int) -> None:
    pair = connect(outer=outer)
    west = pair.west.host
    west.ip("link add dummy0 type veth peer name dummy1")
    for name in ("dummy0", "dummy1"):
        west.ip(f"link set {name} up")
    if outer == 4:
        west.ip("address add 10.50.0.1/24 dev dummy0")
        pair.east.host.ip("route add 10.50.0.0/24 via 10.77.0.1")
        endpoint = "10.50.0.1:51820"
    else:
        west.ip("address add fd50::1/64 dev dummy0 nodad")
        pair.east.host.ip("-6 route add fd50::/64 via fd77::1")
        endpoint = "[fd50::1]:51820"
    pair.east.set(f"peer {pair.west.keys.public} endpoint {endpoint}")
    # The new interface may swallow the first initiation; the next one comes after 5 s.
    eventually(lambda: pair.east.host.pings(pair.WEST) == 1, "an answer")
    assert pair.east.host.pings(pair.WEST, count=2) == 2
    assert seen_by_east(pair) == endpoint


def test_a_better_route_is_used(connect: Connect) -> None:
    pair = connect()
    west, east = pair.west.host, pair.east.host
    for side, name in ((west, "va"), (east, "vb")):
        side.ip(f"address flush dev {name}")
    cable(west, east, ("va2", "vb2"), (("10.77.0.3/24",), ()))
    west.ip("address add 10.77.0.1/24 dev va")
    east.ip("address add 10.77.0.2/24 dev vb")
    for side, name in ((west, "va"), (west, "va2"), (east, "vb"), (east, "vb2")):
        side.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
    for side in (west, east):
        side.sysctl("net.ipv4.conf.all.rp_filter", 0)
    west.ip("route flush dev va")
    west.ip("route flush dev va2")
    west.ip("route add 10.77.0.0/24 dev va src 10.77.0.1 metric 2")
    assert west.pings(pair.EAST) == 1
    assert seen_by_east(pair) == "10.77.0.1:51820"
    west.ip("route add 10.77.0.0/24 dev va2 src 10.77.0.3 metric 1")
    pair.west.settle()
    west.pings(pair.EAST, wait_s=1)
    assert seen_by_east(pair) == "10.77.0.3:51820"


@OUTER
def test_unrelated_route_changes_keep_the_source_address(connect: Connect, outer: int) -> None:
    """East is reached at a secondary address, and west's firewall lets nothing else in."""
    pair = connect(introduced=False)
    east = pair.east.host
    other, bits, stranger, theirs = {
        4: ("10.77.0.5", 24, "10.123.0.0/16", "10.77.0.1"),
        6: ("fd77::5", 64, "fd12::/16", "fd77::1"),
    }[outer]
    endpoint = f"{other}:51820" if outer == 4 else f"[{other}]:51820"
    east.ip(f"address add {other}/{bits} dev vb" + " nodad" * (outer == 6))
    pair.introduce()
    pair.west.set(f"peer {pair.east.keys.public} endpoint {endpoint}")
    assert pair.west.host.pings(pair.EAST) == 1
    for change in (
        f"-{outer} route add {stranger} dev vb",
        f"-{outer} route del {stranger} dev vb",
        f"-{outer} route add {theirs} dev vb",  # leads to west, by the same interface
        f"-{outer} route del {theirs} dev vb",
        "link add dummy0 type veth peer name dummy1",
        "link del dummy0",
        f"-{outer} rule add to {stranger.split('/')[0]} table 77",
    ):
        east.ip(change)
        assert east.pings(pair.WEST) == 1
        assert pair.west.show("endpoints")[pair.east.keys.public] == endpoint, change


@OUTER
def test_a_changed_rule_is_followed(connect: Connect, outer: int) -> None:
    """It uses another interface, which has another source address."""
    pair = connect(outer=outer)
    west = pair.west.host
    mine, other, theirs, gateway, bits = {
        4: ("10.77.0.1", "10.77.5.1", "10.77.0.2", "10.77.5.2", 24),
        6: ("fd77::1", "fd75::1", "fd77::2", "fd75::2", 64),
    }[outer]
    brackets = "{}:51820" if outer == 4 else "[{}]:51820"
    ends = ((f"{other}/{bits}",), (f"{gateway}/{bits}",))
    cable(west, pair.east.host, ("va2", "vb2"), ends)
    for side, name in ((west, "va2"), (pair.east.host, "vb2")):
        side.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
    pair.east.host.sysctl("net.ipv4.conf.all.rp_filter", 0)
    west.ip(f"-{outer} route add {theirs} via {gateway} dev va2 table 77 src {other}")
    west.ip(f"-{outer} route replace {theirs} dev va src {mine}")
    pair.west.settle()
    assert west.pings(pair.EAST) == 1
    assert seen_by_east(pair) == brackets.format(mine)
    west.ip(f"-{outer} rule add to {theirs} table 77")
    pair.west.settle()

    def comes_from_the_other_address() -> bool:
        west.pings(pair.EAST, wait_s=1)
        return seen_by_east(pair) == brackets.format(other)

    eventually(comes_from_the_other_address, "the new rule to be followed")


def test_an_endpoint_may_be_link_local(connect: Connect) -> None:
    pair = connect(introduced=False)
    address = "fe80::77"
    pair.east.host.ip(f"address add {address}/64 dev vb nodad")
    pair.west.host.ip("address add fe80::76/64 dev va nodad")
    pair.introduce()
    pair.west.set(f"peer {pair.east.keys.public} endpoint [{address}%va]:51820")
    assert pair.west.host.pings(pair.EAST, count=2) == 2
    assert pair.west.show("endpoints")[pair.east.keys.public] == f"[{address}%va]:51820"
    assert "fe80::" in seen_by_east(pair)


# --- NAT -------------------------------------------------------------------------------------


@contextmanager
def behind_nat(folder: Path, program: Path | str, other: Path | str) -> Iterator[tuple[Pair, Host]]:
    """West is behind a router that masquerades and forgets idle mappings after two seconds."""
    with namespace("west") as west, namespace("nat") as router, namespace("east") as east:
        cable(west, router, ("va", "vn"), (("10.77.1.2/24",), ("10.77.1.1/24",)))
        cable(router, east, ("vm", "vb"), (("10.77.2.1/24",), ("10.77.2.2/24",)))
        west.ip("route add default via 10.77.1.1")
        router.sysctl("net.ipv4.ip_forward", 1)
        router.nft(
            "table ip nat { chain post { type nat hook postrouting priority 100;"
            " oifname vm udp sport 51820 masquerade to :40000-59999 random,fully-random; } }"
        )
        router.sysctl("net.netfilter.nf_conntrack_udp_timeout", 2)
        router.sysctl("net.netfilter.nf_conntrack_udp_timeout_stream", 2)
        with (
            WireGuard(west, "wga", program, folder / "west.log") as a,
            WireGuard(east, "wgb", other, folder / "east.log") as b,
        ):
            for side in (a, b):
                side.set_key(side.keys)
                side.set("listen-port 51820")
            pair = Pair(a, b, 4)
            pair.introduce()
            a.set(f"peer {b.keys.public} endpoint 10.77.2.2:51820")
            pair.bring_up()
            yield pair, router


@pytest.mark.parametrize("other", ["wyrmd", "wireguard-go"])
def test_rebinding_of_a_nat_is_followed(wyrmd: Path, tmp_path: Path, other: str) -> None:
    with behind_nat(tmp_path, wyrmd, wyrmd if other == "wyrmd" else other) as (pair, _):
        assert pair.west.host.pings(pair.EAST) == 1
        before = seen_by_east(pair)
        assert before.startswith("10.77.2.1:")
        time.sleep(4)
        assert pair.east.host.pings(pair.WEST, wait_s=0.5) == 0  # the hole has closed
        assert pair.west.host.pings(pair.EAST) == 1
        assert seen_by_east(pair) != before
        assert pair.east.host.pings(pair.WEST) == 1


@pytest.mark.parametrize(
    ("inside", "outside"),
    [
        ("wyrmd", "wyrmd"),
        pytest.param("wyrmd", "wireguard-go", marks=pytest.mark.all),
        pytest.param("wireguard-go", "wyrmd", marks=pytest.mark.all),
    ],
)
def test_persistent_keepalive_keeps_the_nat_mapping_open(
    wyrmd: Path, tmp_path: Path, inside: str, outside: str
) -> None:
    programs = [wyrmd if name == "wyrmd" else name for name in (inside, outside)]
    with behind_nat(tmp_path, *programs) as (pair, router):
        router.sysctl("net.netfilter.nf_conntrack_udp_timeout", 4)
        router.sysctl("net.netfilter.nf_conntrack_udp_timeout_stream", 4)
        pair.west.set(f"peer {pair.east.keys.public} persistent-keepalive 1")
        eventually(lambda: pair.east.handshake(pair.west.keys.public) > 0, "the handshake")
        before = seen_by_east(pair)
        time.sleep(8)
        assert pair.east.host.pings(pair.WEST) == 1
        assert seen_by_east(pair) == before


# --- Keys and peers --------------------------------------------------------------------------


@ROLES
def test_a_peer_that_restarts_is_back_at_once(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east)
    assert pair.west.host.pings(pair.EAST) == 1
    pair.restart(pair.west, endpoint=True)
    assert pair.west.host.pings(pair.EAST, count=2) == 2


@pytest.mark.all
@ROLES
def test_a_new_handshake_follows_when_a_peer_lost_its_sessions(
    connect: Connect, west: str, east: str
) -> None:
    """East has lost its state and sends nothing: west notices within 15 seconds."""
    pair = connect(west, east)
    assert pair.west.host.pings(pair.EAST) == 1
    pair.restart(pair.east)
    assert pair.west.host.pings(pair.EAST, count=40, interval_s=0.5, wait_s=0.5) >= 1


@ROLES
def test_a_new_key_and_a_handshake_at_once(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east)
    assert pair.west.host.pings(pair.EAST) == 1
    for _ in range(3):
        old = pair.west.keys.public
        new = wireguard.make_keys()
        pair.east.set(
            f"peer {old} remove peer {new.public} allowed-ips {pair.WEST}/32,{pair.WEST6}/128"
        )
        pair.west.set_key(new)
        assert pair.west.host.pings(pair.EAST) == 1
        assert pair.west.host.pings(pair.EAST6) == 1
        time.sleep(0.06)  # between two initiations that a peer accepts


def test_the_same_key_and_port_again_change_nothing(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1
    sent = pair.west.transfer(pair.east.keys.public)[1]
    pair.west.set_key(pair.west.keys)
    pair.west.set("listen-port 51820")
    pair.west.set(f"peer {pair.east.keys.public} endpoint 10.77.0.2:51820")
    assert pair.west.host.pings(pair.EAST) == 1
    assert pair.west.transfer(pair.east.keys.public)[1] - sent == 128  # no handshake


def test_a_peer_with_our_own_key_is_removed(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1
    own = pair.west.keys.public
    pair.west.set(f"peer {own} allowed-ips 10.0.0.0/8")  # passed over
    assert pair.west.wg("show", "wga", "peers").split() == [pair.east.keys.public]
    pair.west.set_key(pair.east.keys)  # what was a peer's is ours now
    assert pair.west.wg("show", "wga", "peers").split() == []


def test_without_a_private_key_nothing_is_sent_or_answered(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1
    pair.east.set("private-key /dev/null")
    assert pair.east.wg("show", "wgb", "private-key").strip() == "(none)"
    assert pair.west.host.pings(pair.EAST, wait_s=0.3) == 0
    pair.east.set_key(pair.east.keys)
    assert pair.east.host.pings(pair.WEST) == 1


@ROLES
def test_a_more_specific_prefix_takes_over_an_address(
    connect: Connect, west: str, east: str
) -> None:
    """Cryptokey routing as a filter: what a peer may not send is dropped, though authentic."""
    pair = connect(west, east)
    third = wireguard.make_keys().public
    pair.east.set(f"peer {pair.west.keys.public} allowed-ips 10.88.0.0/24")
    assert pair.west.host.pings(pair.EAST) == 1
    pair.east.set(f"peer {third} allowed-ips {pair.WEST}/32")
    assert pair.west.host.pings(pair.EAST, wait_s=0.3) == 0
    pair.east.set(f"peer {third} remove")
    assert pair.west.host.pings(pair.EAST) == 1


def test_a_removed_peer_is_gone_at_once(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST) == 1
    pair.east.set(f"peer {pair.west.keys.public} remove")
    assert pair.west.host.pings(pair.EAST, wait_s=0.3) == 0
    pair.introduce()
    assert pair.east.host.pings(pair.WEST, wait_s=0.3) == 0  # west's address is unknown
    pair.west.set(f"peer {pair.east.keys.public} remove")
    pair.introduce()
    assert pair.west.host.pings(pair.EAST) == 1


# --- The interface ---------------------------------------------------------------------------


def test_an_interface_is_silent_while_down_and_initiates_when_up(
    connect: Connect,
) -> None:
    pair = connect()
    other = pair.east.keys.public
    assert pair.west.host.pings(pair.EAST) == 1
    pair.west.host.ip("link set wga down")
    pair.west.settle()
    sent = pair.west.transfer(other)[1]
    assert pair.east.host.pings(pair.WEST, wait_s=0.3) == 0
    pair.west.set(f"peer {other} persistent-keepalive 25")
    time.sleep(0.3)
    assert pair.west.transfer(other)[1] == sent
    pair.west.host.ip("link set wga up")
    eventually(
        lambda: pair.west.transfer(other)[1] >= sent + 148, "a new handshake, not a keepalive"
    )


def test_an_interface_may_be_renamed(connect: Connect) -> None:
    """Events under the new name are still handled."""
    pair = connect()
    west, other = pair.west.host, pair.east.keys.public
    assert west.pings(pair.EAST) == 1
    west.ip("link set wga down")
    west.ip("link set wga name renamed")
    received, sent = pair.west.transfer(other)
    assert pair.east.host.pings(pair.WEST, wait_s=0.3) == 0
    pair.west.set(f"peer {other} persistent-keepalive 25")
    time.sleep(0.3)
    assert pair.west.transfer(other)[1] == sent
    west.ip("link set renamed mtu 1300 up")
    eventually(lambda: pair.west.transfer(other)[0] > received, "the handshake")
    assert pair.east.host.pings(pair.WEST) == 1
    assert west.pings(pair.EAST) == 1
    west.ip("link delete renamed")
    eventually(lambda: not pair.west.running, "its end")


@contextmanager
def moved_away(pair: Pair) -> Iterator[Host]:
    """Moves west's interface to another namespace and sets it up again."""
    with namespace("inside") as inside:
        pair.west.host.ip("link set wga netns inside")
        inside.ip(f"address add {pair.WEST}/24 dev wga")
        inside.ip("link set wga up")
        yield inside


def test_a_moved_interface_keeps_its_udp_sockets_in_the_old_namespace(connect: Connect) -> None:
    """After moving to another namespace, it still sends through the one it was created in."""
    pair = connect()
    with moved_away(pair) as inside:
        assert inside.pings(pair.EAST, count=2) == 2
        assert pair.east.host.pings(pair.WEST) == 1


def test_another_interface_with_the_old_name_is_ignored(connect: Connect) -> None:
    """The moved interface keeps working, whatever happens to a new one with its old name."""
    pair = connect()
    with moved_away(pair) as inside:
        pair.west.host.ip("link add wga type veth peer name wgp")
        pair.west.host.ip("link set wgp up")
        pair.west.settle()
        assert inside.pings(pair.EAST, count=2) == 2


def test_a_changed_fwmark_changes_the_route(connect: Connect) -> None:
    pair = connect()
    west = pair.west.host
    assert west.pings(pair.EAST) == 1
    west.ip("rule add fwmark 0x77 blackhole")
    pair.west.set("fwmark 0x77")
    assert west.pings(pair.EAST, wait_s=0.3) == 0
    assert pair.west.wg("show", "wga", "fwmark").strip() == "0x77"
    pair.west.set("fwmark off")
    assert west.pings(pair.EAST) == 1


@pytest.mark.parametrize("family", [4, 6], ids=["ipv4", "ipv6"])
def test_senders_to_unreachable_peers_get_an_icmp_error(connect: Connect, family: int) -> None:
    """No peer has the address, or the peer has no endpoint: an ICMP error, not silence."""
    pair = connect(introduced=False)
    stranger = wireguard.make_keys().public
    address = "10.88.0.77" if family == 4 else "fd88::77"
    for _ in range(2):
        started = time.monotonic()
        said = pair.west.host.run("ping", "-c", "1", "-W", "30", address, check=False)
        assert "nreachable" in said
        assert time.monotonic() - started < 20
        pair.west.set(f"peer {stranger} allowed-ips {address}/{32 if family == 4 else 128}")


def test_icmp_errors_are_rate_limited(connect: Connect) -> None:
    """A hundred in a second, as the second of the clock goes."""
    pair = connect(introduced=False)
    started = time.monotonic()
    options = ("-f", "-q", "-c", "500", "-W", "1")
    said = pair.west.host.run("ping", *options, "10.88.0.77", check=False)
    told = re.search(r"\+(\d+) errors", said)
    assert told is not None
    assert 100 <= int(told[1]) <= 100 * (2 + time.monotonic() - started)
