# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Scenarios of other implementations' test suites that no other file here covers."""

from __future__ import annotations

import base64
import random
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab.base import paths
from wyrmlab.base.proc import eventually
from wyrmlab.network.host import Host, namespace
from wyrmlab.network.links import cable
from wyrmlab.peers import wireguard
from wyrmlab.peers.iperf import transfer
from wyrmlab.peers.pair import Pair, pair
from wyrmlab.peers.wireguard import WireGuard
from wyrmlab.setup.build import TEST_PRESETS

from .at_once import at_once
from .uapi_model import configure_at_random

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]


# --- Tunnels and routes ----------------------------------------------------------------------


def test_a_peer_behind_a_peer_of_the_same_interface_is_reached(
    connect: Connect, wyrmd: Path, tmp_path: Path
) -> None:
    """The packet passes the interface twice, encrypted for one peer inside a packet for the
    other."""
    pair = connect()
    west = pair.west
    west.host.ip("address add 10.99.0.1/24 dev wga")
    with WireGuard(pair.east.host, "wgc", wyrmd, tmp_path / "c.log") as core:
        core.set_key(core.keys)
        core.set(f"listen-port 51821 peer {west.keys.public} allowed-ips 10.99.0.1/32")
        core.up("10.99.0.2/24", mtu=1340)
        west.set(
            f"peer {core.keys.public} allowed-ips 10.99.0.2/32 endpoint {pair.EAST}:51821",
        )
        assert west.host.pings("10.99.0.2", count=3) == 3
        assert core.show("endpoints")[west.keys.public] == f"{pair.WEST}:51820"


def test_a_peer_whose_endpoint_is_its_own_allowed_ip_costs_little(
    connect: Connect,
) -> None:
    pair = connect()
    west, third = pair.west, wireguard.make_keys().public
    west.host.ip("address add 10.99.0.1/24 dev wga")
    west.set(f"peer {third} allowed-ips 10.99.0.2/32 endpoint 10.99.0.2:51820")
    before = west.cpu_seconds()
    assert west.host.pings("10.99.0.2", count=3, wait_s=0.5) == 0
    assert west.transfer(third)[1] < 10_000
    assert west.cpu_seconds() - before < 0.4  # a loop without end would use all bandwidth
    assert west.host.pings(pair.EAST) == 1


def test_policy_routing_survives_a_flood_of_pings(connect: Connect) -> None:
    """All that has not the daemon's mark goes into the tunnel, as wg-quick sets it up."""
    pair = connect()
    west, east = pair.west, pair.east
    west.host.ip("address add fc00::9/96 dev va nodad")
    west.host.ip("-6 route add default via fc00::1")
    east.host.ip("address add 192.0.2.7/32 dev wgb")
    east.host.ip("address add abab::1111/128 dev wgb nodad")
    west.set(
        f"fwmark 51820 peer {east.keys.public} allowed-ips 192.0.2.7/32,abab::1111/128,{pair.EAST}"
    )
    west.host.sysctl("net.ipv4.conf.va.rp_filter", 0)
    for family in ("-4", "-6"):
        west.host.ip(f"{family} route add default dev wga table 51820")
        west.host.ip(f"{family} rule add not fwmark 51820 table 51820")
        west.host.ip(f"{family} rule add table main suppress_prefixlength 0")
    for address in ("192.0.2.7", "abab::1111"):
        # Without a session a lost handshake message would outlast the flood.
        assert west.host.pings(address) == 1

        def all_pass(to: str = address) -> bool:
            said = west.host.run("ping", "-n", "-q", "-f", "-c", "100", "-W", "8", to, check=False)
            return " 100 received" in said

        # A busy machine may lose one in queues of other programs; a tunnel would always.
        assert any(all_pass() for _ in range(4))


def test_icmp_errors_return_through_a_nat(connect: Connect) -> None:
    """A packet that a NAT routes into the tunnel causes an error if no peer has the address."""
    pair = connect(introduced=False)
    east = pair.east.host
    with namespace("left") as left:
        cable(left, east, ("vl", "vr"), (("10.50.0.1/24",), ("10.50.0.100/24",)))
        left.ip(f"route add {pair.WEST}/32 via 10.50.0.100")
        east.sysctl("net.ipv4.ip_forward", 1)
        east.nft(
            "table ip nat { chain post { type nat hook postrouting priority 100;"
            f" ip saddr 10.50.0.0/24 ip daddr 10.88.0.0/24 snat to {pair.EAST}; }} }}"
        )
        started = time.monotonic()
        said = left.run("ping", "-c", "1", "-W", "30", pair.WEST, check=False)
        assert "Destination Host Unreachable" in said
        assert time.monotonic() - started < 20


def test_marking_every_packet_reroutes_them_safely(connect: Connect) -> None:
    pair = connect()
    west = pair.west.host
    assert west.pings(pair.EAST, "-I", "wga") == 1
    west.nft(
        "table ip t { chain out { type route hook output priority -150; meta mark set 0x1; } }"
    )
    for options in ((), ("-I", "wga")):
        assert west.pings(pair.EAST, *options) == 1


# --- Keys and configuration ------------------------------------------------------------------


def test_a_key_is_shown_as_it_is_used(connect: Connect) -> None:
    """A private key is clamped when it is set; setting its clamped form changes nothing."""
    pair = connect()
    west = pair.west
    given = bytearray(base64.b64decode(west.keys.private))
    given[0] |= 7
    given[31] |= 128
    given[31] &= ~64
    text = base64.b64encode(given).decode()
    assert west.host.pings(pair.EAST) == 1
    sent = west.transfer(pair.east.keys.public)[1]
    west.set("private-key /dev/stdin", stdin=text + "\n")
    assert west.wg("show", "wga", "private-key").strip() == west.keys.private
    assert west.wg("show", "wga", "public-key").strip() == west.keys.public
    assert west.host.pings(pair.EAST) == 1
    assert west.transfer(pair.east.keys.public)[1] - sent == 128  # the session went on


def test_a_preshared_key_is_cleared_by_zeros(connect: Connect) -> None:
    pair = connect(psk=wireguard.make_psk())
    for side, other in ((pair.west, pair.east), (pair.east, pair.west)):
        side.set(f"peer {other.keys.public} preshared-key /dev/null")
        assert side.show("preshared-keys") == {other.keys.public: "(none)"}
    assert pair.west.host.pings(pair.EAST, count=2) == 2


@pytest.mark.parametrize(
    "steps",
    [
        ("0.0.0.0/0", "10.0.0.0/8,100.0.0.0/10,172.16.0.0/12,192.168.0.0/16", "0.0.0.0/0"),
        ("10.0.0.0/8,10.0.0.0/16,10.0.0.0/24,10.0.0.0/32", "10.0.0.0/24", "10.0.0.0/8"),
        ("::/0", "::/0,1700::/111,5000::/4,e000::/37,9000::/75", "::/0"),
    ],
    ids=["ipv4", "nested", "ipv6"],
)
def test_overlapping_allowed_ips_grow_and_shrink(
    wyrmd: Path, tmp_path: Path, steps: Sequence[str]
) -> None:
    peer = wireguard.make_keys().public
    with namespace("west") as west, WireGuard(west, "wga", wyrmd, tmp_path / "log") as alone:
        for step in (*steps, *reversed(steps)):
            alone.set(f"peer {peer} allowed-ips {step}")
            assert sorted(alone.show("allowed-ips")[peer].split()) == sorted(step.split(","))
        alone.set(f"peer {peer} remove")
        assert alone.show("allowed-ips") == {}


# --- Much at once ----------------------------------------------------------------------------


@pytest.mark.parametrize("inner", [4, 6], ids=["ipv4", "ipv6"])
def test_parallel_streams_and_floods_of_datagrams(
    connect: Connect, tmp_path: Path, inner: int
) -> None:
    pair = connect("wyrmd", "wireguard-go")
    one, other = pair.west.host, pair.east.host
    east, west = (pair.EAST, pair.WEST) if inner == 4 else (pair.EAST6, pair.WEST6)

    def stream(server: Host, client: Host, address: str, port: int) -> None:
        log = tmp_path / f"tcp{port}"
        sent = transfer(server, client, address, log, "-n", "1M", "-P", "4", port=port)
        assert sent >= 4_000_000

    def datagrams(server: Host, client: Host, address: str, port: int) -> None:
        options = ("-u", "-b", "2m", "-t", "1", "-l", "1200", "-P", "4")
        assert transfer(server, client, address, tmp_path / f"udp{port}", *options, port=port)

    at_once(
        lambda: stream(other, one, east, 5001),
        lambda: stream(one, other, west, 5002),
        lambda: datagrams(other, one, east, 5003),
        lambda: datagrams(one, other, west, 5004),
    )
    assert pair.west.host.pings(east, count=3) == 3


def test_clients_of_every_kind_at_once(wyrmd: Path, boringtun: Path | None, tmp_path: Path) -> None:
    """One daemon serves all of them: each initiates, pings and sends a stream at the same time."""
    programs = [wyrmd, "wireguard-go", wyrmd, *([boringtun] if boringtun else [])]
    with ExitStack() as stack:
        hub_machine = stack.enter_context(namespace("hub"))
        hub = stack.enter_context(WireGuard(hub_machine, "wgh", wyrmd, tmp_path / "hub.log"))
        hub.set_key(hub.keys)
        hub.set("listen-port 51820")
        clients = []
        for i, program in enumerate(programs, 1):
            where = stack.enter_context(namespace(f"spoke{i}"))
            cable(
                *(hub_machine, where, (f"vh{i}", f"vs{i}")),
                ((f"10.77.{i}.1/24",), (f"10.77.{i}.2/24",)),
            )
            spoke = WireGuard(where, f"wgs{i}", program, tmp_path / f"spoke{i}.log")
            stack.enter_context(spoke)
            spoke.set_key(spoke.keys)
            spoke.set(f"peer {hub.keys.public} allowed-ips 10.88.0.0/24 endpoint 10.77.{i}.1:51820")
            hub.set(f"peer {spoke.keys.public} allowed-ips 10.88.0.{i + 1}/32")
            spoke.up(f"10.88.0.{i + 1}/24")
            clients.append(spoke)
        hub.up("10.88.0.1/24")

        def work(i: int, spoke: WireGuard) -> None:
            # Full queues beside streams of others may cost a ping.
            assert spoke.host.pings("10.88.0.1", count=10) >= 8
            options = ("-n", "1M")
            log = tmp_path / f"stream{i}"
            assert (
                transfer(hub_machine, spoke.host, "10.88.0.1", log, *options, port=5000 + i)
                >= 1_000_000
            )

        at_once(*(lambda i=i, one=one: work(i, one) for i, one in enumerate(clients)))
        for i in range(len(clients)):
            assert hub_machine.pings(f"10.88.0.{i + 2}") == 1


# --- Changes at once -------------------------------------------------------------------------

SANITIZED = paths.BUILD / TEST_PRESETS[1] / "daemon" / "wyrmd-sanitized"


@pytest.fixture(params=["wyrmd", "sanitized"])
def any_pair(request: pytest.FixtureRequest, wyrmd: Path, tmp_path: Path) -> Pair:
    """Two daemons, the second time with compiler and library watching their memory."""
    program = wyrmd if request.param == "wyrmd" else SANITIZED
    manager = pair(tmp_path, program, program)
    made = manager.__enter__()
    request.addfinalizer(lambda: manager.__exit__(None, None, None))
    return made


def unharmed(pair: Pair) -> None:
    for side in (pair.west, pair.east):
        assert side.running
        assert "ERROR" not in side.log.read_text()
        assert "runtime error" not in side.log.read_text()


def test_tunnels_recover_after_random_up_and_down_on_both_ends(any_pair: Pair) -> None:
    """Fifty times on each end, at the same time, independently."""

    def ups_and_downs(side: WireGuard, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(50):
            side.host.ip(f"link set {side.interface} {chance.choice(('up', 'down'))}")
            time.sleep(chance.random() * 0.005)
        side.host.ip(f"link set {side.interface} up")

    west, east = any_pair.west, any_pair.east
    at_once(lambda: ups_and_downs(west, 1), lambda: ups_and_downs(east, 2))
    west.set(f"peer {east.keys.public} endpoint {any_pair.endpoint(east)}")
    east.set(f"peer {west.keys.public} endpoint {any_pair.endpoint(west)}")
    eventually(lambda: west.host.pings(any_pair.EAST, wait_s=1) == 1, "an answer")
    assert east.host.pings(any_pair.WEST, count=3) == 3
    unharmed(any_pair)


def test_traffic_survives_changes_of_settings(any_pair: Pair) -> None:
    """Keepalive, port, mark, routes and key change again and again while packets flow."""
    west, east = any_pair.west, any_pair.east
    other = east.keys.public
    assert west.host.pings(any_pair.EAST) == 1
    begun = time.monotonic()
    answered: list[int] = []

    def over() -> bool:
        """Waits two seconds, and until a packet has passed, a minute at most."""
        lasted = time.monotonic() - begun
        return lasted > 60 or (lasted > 2 and sum(answered) > 0)

    def again_and_again(*settings: str) -> None:
        i = 0
        while not over():
            west.set(settings[i % len(settings)])
            i += 1

    def traffic() -> None:
        while not over():
            answered.append(west.host.pings(any_pair.EAST, count=20, interval_s=0.01))

    def keys() -> None:
        right, wrong = west.keys, wireguard.make_keys()
        while not over():
            for key in (right, wrong, right):
                west.set("private-key /dev/stdin", stdin=key.private + "\n")
            time.sleep(0.3)

    at_once(
        traffic,
        keys,
        lambda: again_and_again(
            f"peer {other} persistent-keepalive 1", f"peer {other} persistent-keepalive 0"
        ),
        lambda: again_and_again("listen-port 51820", "listen-port 51821", "fwmark 7", "fwmark 0"),
        lambda: again_and_again(
            f"peer {other} allowed-ips {any_pair.EAST}/32,10.0.0.0/8",
            f"peer {other} allowed-ips {any_pair.EAST}/32",
        ),
    )
    assert sum(answered) > 0
    eventually(lambda: west.host.pings(any_pair.EAST, wait_s=1) == 1, "an answer")
    assert west.host.pings(any_pair.EAST, count=10, interval_s=0.01) == 10
    assert east.host.pings(any_pair.WEST) == 1
    unharmed(any_pair)


# --- The configuration protocol at random ----------------------------------------------------


def test_random_requests_match_a_model_of_the_protocol(wyrmd: Path, tmp_path: Path) -> None:
    configure_at_random(wyrmd, tmp_path / "log", range(3), 300)
    configure_at_random(SANITIZED, tmp_path / "log", range(3, 4), 300)
