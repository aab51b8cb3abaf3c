# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""wyrmd with itself and with wireguard-go, in both roles: traffic and exact counts."""

from __future__ import annotations

import base64
import json
import os
import signal
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.base.proc import eventually
from wyrmlab.network.host import namespace
from wyrmlab.peers import wireguard
from wyrmlab.peers.flood import flood
from wyrmlab.peers.iperf import transfer
from wyrmlab.peers.pair import Pair, pair
from wyrmlab.peers.wireguard import WireGuard
from wyrmlab.setup import build
from wyrmlab.vectors.command import backends
from wyrmlab.vectors.noise import Handshake, Keys, Protocol
from wyrmlab.vectors.scene import CONSTRUCTION, IDENTIFIER

from ..roles import OUTER, ROLES

pytestmark = pytest.mark.netns
Connect = Callable[..., Pair]


INITIATION, RESPONSE, KEEPALIVE = 148, 92, 32
PING = 84 + 12 + KEEPALIVE  # padded to 96


@ROLES
@OUTER
def test_pings_pass_both_ways_in_both_families(
    connect: Connect, west: str, east: str, outer: int
) -> None:
    pair = connect(west, east, outer=outer)
    for address in (pair.EAST, pair.EAST6):
        assert pair.west.host.pings(address, count=3) == 3
    for address in (pair.WEST, pair.WEST6):
        assert pair.east.host.pings(address, count=3) == 3


@ROLES
@OUTER
def test_ten_pings_are_counted_to_the_byte(
    connect: Connect, west: str, east: str, outer: int
) -> None:
    pair = connect(west, east, outer=outer)
    before = int(time.time())
    # One by one: `ping` sends more of several if answers are late.
    assert [pair.west.host.pings(pair.EAST) for _ in range(10)] == 10 * [1]
    # wireguard-go may confirm the session with a keepalive of its own.
    extra = (0, KEEPALIVE) if west == "wireguard-go" else (0,)
    received, sent = pair.west.transfer(pair.east.keys.public)
    assert received == RESPONSE + 10 * PING == 1372
    assert sent - INITIATION - 10 * PING in extra
    assert pair.east.transfer(pair.west.keys.public) == (sent, received)
    for side, other in ((pair.west, pair.east), (pair.east, pair.west)):
        assert before <= side.handshake(other.keys.public) <= time.time()


@ROLES
@pytest.mark.parametrize("inner", [4, 6], ids=["ipv4", "ipv6"])
def test_streams_arrive_whole(
    connect: Connect, tmp_path: Path, west: str, east: str, inner: int
) -> None:
    pair = connect(west, east)
    east_address, west_address = (pair.EAST, pair.WEST) if inner == 4 else (pair.EAST6, pair.WEST6)
    one, other = pair.west.host, pair.east.host
    size = 8 << 20
    assert transfer(other, one, east_address, tmp_path / "a", "-n", str(size), port=5001) >= size
    assert transfer(one, other, west_address, tmp_path / "b", "-n", str(size), port=5002) >= size
    assert (
        transfer(other, one, east_address, tmp_path / "c", "-n", "2M", "-P", "3", port=5003)
        >= 6_000_000
    )


@ROLES
def test_a_steady_flow_of_udp_loses_nothing(
    connect: Connect, tmp_path: Path, west: str, east: str
) -> None:
    pair = connect(west, east)
    for port, address, options in (
        (5001, pair.EAST, ("-b", "5m", "-l", "1372")),
        (5002, pair.EAST6, ("-b", "5m", "-l", "1200")),
        # On a busy machine, the receiver would drop datagrams at a higher rate.
        (5003, pair.EAST, ("-b", "1m", "-l", "100")),
    ):
        # So does the machine when it is busy, in queues of other programs; a tunnel would always.
        for attempt in range(4):
            log = tmp_path / f"udp{port}-{attempt}"
            sent = transfer(
                *(pair.east.host, pair.west.host, address, log),
                *("-u", "-t", "1", *options),
                port=port,
            )
            lines = [line.split(",") for line in log.read_text().splitlines() if "," in line]
            lost, total = int(lines[-1][10]), int(lines[-1][11])
            assert sent > 50_000  # below the requested rate if the sender gets too little CPU time
            assert total > 0
            if lost == 0:
                break
        assert lost == 0


@ROLES
def test_a_preshared_key_must_be_the_same(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east, psk=wireguard.make_psk())

    def exchange(of_west: str, of_east: str) -> None:
        for side, other, psk in ((pair.east, pair.west, of_east), (pair.west, pair.east, of_west)):
            side.set(f"peer {other.keys.public} preshared-key /dev/stdin", stdin=psk + "\n")

    exchange(wireguard.make_psk(), wireguard.make_psk())
    assert pair.west.host.pings(pair.EAST, wait_s=0.5) == 0
    same = wireguard.make_psk()
    exchange(same, same)
    # The next attempt at a handshake is due 5 s after the last one.
    assert pair.west.host.pings(pair.EAST, wait_s=14) == 1
    # A session that is up stays; another preshared key enters with the next handshake.
    exchange(wireguard.make_psk(), wireguard.make_psk())
    assert pair.west.host.pings(pair.EAST, count=2) == 2


@ROLES
def test_persistent_keepalive_initiates_and_repeats(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east)
    other = pair.east.keys.public
    pair.west.set(f"peer {other} persistent-keepalive 1")
    eventually(lambda: pair.west.handshake(other) > 0, "the handshake")
    sent = pair.west.transfer(other)[1]
    eventually(lambda: pair.west.transfer(other)[1] >= sent + 2 * KEEPALIVE, "keepalives")
    pair.west.set(f"peer {other} persistent-keepalive off")
    # East knows west's endpoint by now.
    assert pair.east.host.pings(pair.WEST) == 1


@ROLES
def test_large_mtu_passes_in_fragments(
    connect: Connect, tmp_path: Path, west: str, east: str
) -> None:
    pair = connect(west, east, mtu=34816 - 80)
    for address in (pair.EAST, pair.EAST6):
        assert pair.west.host.pings(address, "-s", "30000", count=2) == 2
    size = 4 << 20
    sent = transfer(
        *(pair.east.host, pair.west.host, pair.EAST, tmp_path / "a"),
        *("-n", str(size)),
        port=5001,
    )
    assert sent >= size


def test_mtu_of_the_link_is_used_to_the_last_byte(connect: Connect) -> None:
    pair = connect()
    assert pair.west.host.pings(pair.EAST, "-M", "do", "-s", str(1420 - 28)) == 1
    assert pair.west.host.pings(pair.EAST6, "-M", "do", "-s", str(1420 - 48)) == 1


def test_padding_never_exceeds_the_mtu(connect: Connect) -> None:
    pair = connect()
    for side in (pair.west, pair.east):
        side.host.ip(f"link set {side.interface} mtu 1299")
    # 1297 bytes would be padded to 1312; the outer packet may have 1299 + 60 bytes.
    for side in (pair.west, pair.east):
        side.host.nft(
            "table ip t { chain in { type filter hook input priority 0;"
            " udp dport 51820 ip length >= 1360 drop; } }"
        )
    for side in (pair.west, pair.east):
        side.settle()  # it has heard of the MTU
    assert pair.west.host.pings(pair.EAST, "-s", "1269") == 1
    assert pair.east.host.pings(pair.WEST, "-s", "1269") == 1


@pytest.mark.parametrize("ip", ["ip", "ip6"])
def test_congestion_marks_pass_through_the_tunnel(connect: Connect, ip: str) -> None:
    """An outer CE reaches the inner packet if its sender understands ECN; DSCP stays inside."""
    pair = connect(outer=4 if ip == "ip" else 6)
    east, icmp = (pair.EAST, "icmp") if ip == "ip" else (pair.EAST6, "icmpv6")
    assert pair.west.host.pings(east) == 1
    pair.west.host.nft(
        f"table {ip} t {{ chain out {{ type filter hook output priority 0; oifname va"
        f" udp dport 51820 {ip} ecn ect0 {ip} dscp cs0 counter {ip} ecn set ce; }} }}"
    )
    pair.east.host.nft(
        f"table {ip} t {{ chain in {{ type filter hook input priority 0; iifname wgb"
        f" {icmp} type echo-request {ip} ecn ce {ip} dscp af11 counter accept; }} }}"
    )
    assert pair.west.host.pings(east, "-Q", str(0x28 | 2), count=3) == 3
    for side in (pair.west, pair.east):
        assert "counter packets 3" in side.host.run("nft", "list", "ruleset")


@pytest.mark.parametrize("ip", ["ip", "ip6"])
def test_handshakes_are_af41(connect: Connect, ip: str) -> None:
    pair = connect(outer=4 if ip == "ip" else 6)
    rules = (
        f"table {ip} t {{ chain in {{ type filter hook input priority 0;"
        f" udp dport 51820 {ip} dscp af41 counter; }} }}"
    )
    for side in (pair.west, pair.east):
        side.host.nft(rules)
    assert pair.west.host.pings(pair.EAST) == 1
    for side in (pair.west, pair.east):
        assert "counter packets 1" in side.host.run("nft", "list", "ruleset")


def test_a_tunnel_inside_a_tunnel(connect: Connect, wyrmd: Path, tmp_path: Path) -> None:
    pair = connect()
    with (
        WireGuard(pair.west.host, "wgc", wyrmd, tmp_path / "c.log") as west,
        WireGuard(pair.east.host, "wgd", "wireguard-go", tmp_path / "d.log") as east,
    ):
        for side in (west, east):
            side.set_key(side.keys)
            side.set("listen-port 51821")
        east.set(f"peer {west.keys.public} allowed-ips 10.99.0.1/32")
        west.set(f"peer {east.keys.public} allowed-ips 10.99.0.2/32 endpoint {pair.EAST}:51821")
        west.up("10.99.0.1/24", mtu=1340)
        east.up("10.99.0.2/24", mtu=1340)
        assert pair.west.host.pings("10.99.0.2", "-s", "1312", count=3) == 3
        assert transfer(
            *(pair.east.host, pair.west.host, "10.99.0.2", tmp_path / "x", "-n", "2M"),
            port=5001,
        )


def test_a_routing_loop_is_bounded(connect: Connect) -> None:
    """The peer's endpoint is routed into the tunnel itself."""
    pair = connect()
    other = pair.east.keys.public
    assert pair.west.host.pings(pair.EAST) == 1
    pair.west.set(f"peer {other} endpoint {pair.EAST}:51820")
    before, spent = pair.west.transfer(other)[1], pair.west.cpu_seconds()
    assert pair.west.host.pings(pair.EAST, "-s", "1392", count=3, wait_s=0.5) == 0
    assert pair.west.transfer(other)[1] - before < 100_000
    # An endless loop would use half a second of CPU time and more.
    assert pair.west.cpu_seconds() - spent < 0.4


LOW_ORDER = (
    bytes(32),
    b"\x01" + bytes(31),
    bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    bytes.fromhex("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    bytes.fromhex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
)


def test_peers_of_low_order_cause_no_packet(connect: Connect) -> None:
    pair = connect(introduced=False)
    pair.west.host.nft(
        "table inet t { chain out { type filter hook output priority 0;"
        " udp sport 51820 counter; } }"
    )
    for i, point in enumerate(LOW_ORDER):
        key = base64.b64encode(point).decode()
        pair.west.set(
            f"peer {key} allowed-ips 10.88.0.{10 + i}/32 endpoint 10.77.0.2:51820"
            " persistent-keepalive 1"
        )
        assert pair.west.host.pings(f"10.88.0.{10 + i}", wait_s=0.2) == 0
    assert "counter packets 0" in pair.west.host.run("nft", "list", "ruleset")
    assert pair.west.running


def test_a_flood_of_initiations_gets_cookies_and_honest_peers_get_in(
    connect: Connect, tmp_path: Path
) -> None:
    """Valid first MACs, nothing else valid: what everyone who knows the public key can send. An
    honest peer retries every 5 s with the cookie it was sent, and gets in during the flood."""
    pair = connect("wireguard-go", "wyrmd")
    west, key = pair.west.host, pair.east.keys.public
    with flood(key, "10.77.0.2", tmp_path / "flood", host=west) as running:
        eventually(lambda: west.pings(pair.EAST, wait_s=1) == 1, "an honest peer's ping", 60)
        count = running.end()
    assert count.responses == 0
    assert count.other == 0  # nothing longer than what was sent, nothing but cookie replies
    assert 0 < count.cookies <= count.sent


def heavy_flood(pair: Pair, log: Path, seconds: int) -> proc.Service:
    """400,000 initiations a second, from west to east, for so many seconds."""
    to = (pair.EAST_OUTER[pair.outer], "51820", "400000", str(seconds))
    return pair.west.host.service("flood", build.flood(), pair.east.keys.public, *to, log=log)


@OUTER
def test_live_data_passes_during_a_flood_of_initiations(
    connect: Connect, tmp_path: Path, outer: int
) -> None:
    """They have separate buffers, so a flood of them does not affect data."""
    pair = connect(outer=outer)
    assert pair.west.host.pings(pair.EAST) == 1
    with heavy_flood(pair, tmp_path / "flood", seconds=20) as sender:
        sender.wait_for("first answer", timeout_s=60)
        passed = pair.west.host.pings(pair.EAST, count=300, interval_s=0.01)
        assert sender.running
    assert passed >= 285  # with one socket for all 250; a few may be lost on a busy machine


@OUTER
def test_a_new_peer_gets_in_during_a_heavy_flood_of_initiations(
    connect: Connect, tmp_path: Path, outer: int
) -> None:
    """From the same address as the flood. The peer has five attempts and needs two: the first one
    yields the cookie."""
    pair = connect(outer=outer)
    with heavy_flood(pair, tmp_path / "flood", seconds=40) as sender:
        sender.wait_for("first answer", timeout_s=60)
        assert pair.west.host.pings(pair.EAST, wait_s=22) == 1
        assert sender.running


@pytest.mark.parametrize("limited_role", ["initiator", "responder"])
def test_without_sockets_for_initiations_one_serves_all(
    wyrmd: Path, tmp_path: Path, limited_role: str
) -> None:
    """If the system refuses them, here for lack of file descriptors."""
    limited = tmp_path / "wyrmd"
    limited.write_text(f'#!/bin/sh\nexec prlimit --nofile=48 {wyrmd} "$@"\n')
    limited.chmod(0o755)
    programs = [limited, wyrmd] if limited_role == "initiator" else [wyrmd, limited]
    with pair(tmp_path, *programs) as both:
        for side in (both.west, both.east):
            sockets = side.host.run("ss", "-Hlnu", "sport = :51820").splitlines()
            assert (len(sockets) == 2) == (side.program == str(limited))
        assert both.west.host.pings(both.EAST, count=3) == 3
        assert both.east.host.pings(both.WEST, count=3) == 3


def test_timestamps_of_many_handshakes_increase(connect: Connect) -> None:
    """Repeated handshakes: the peer would refuse any timestamp that is not greater."""
    pair = connect("wyrmd", "wireguard-go")
    other = pair.east.keys.public
    for _ in range(6):
        pair.west.set_key(pair.west.keys)  # the same: nothing happens
        pair.west.host.ip("link set wga down")
        pair.west.host.ip("link set wga up")
        pair.west.host.ip("route replace 10.88.0.0/24 dev wga")
        pair.west.settle()
        time.sleep(0.06)  # wireguard-go takes twenty a second
        assert pair.west.host.pings(pair.EAST) == 1
    assert pair.west.handshake(other) > 0


def test_timestamps_are_coarse_wall_clock_time(wyrmd: Path, tmp_path: Path) -> None:
    """TAI64N of the wall clock, 10 s ahead; the lowest 24 bits only count timestamps of one
    moment."""
    backend, private = backends()[0], os.urandom(32)
    public = base64.b64encode(backend.x25519_base(private)).decode()
    listener = (
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "s.bind(('127.0.0.1', 4000)); print('ready', flush=True)\n"
        "print('message', s.recv(2048).hex(), 'end')\n"
    )
    begun = time.time()
    with (
        namespace("west") as west,
        WireGuard(west, "wga", wyrmd, tmp_path / "log") as daemon,
        west.service("listener", "python3", "-c", listener, log=tmp_path / "listener") as heard,
    ):
        heard.wait_for("ready", timeout_s=60)
        daemon.set_key(daemon.keys)
        daemon.set(f"peer {public} endpoint 127.0.0.1:4000 persistent-keepalive 25")
        daemon.up("10.88.0.1/24")
        heard.wait_for("end", timeout_s=60)
    ended = time.time()
    message = bytes.fromhex(heard.output().split("message ")[1].split()[0])
    keys = Keys(s=private, e=os.urandom(32), psks=(bytes(32),))
    protocol = Protocol.parse(CONSTRUCTION)
    side = Handshake(backend, protocol, initiator=False, keys=keys, prologue=IDENTIFIER)
    stamp = side.read(message[8:116])
    seconds, nanoseconds = struct.unpack(">QI", stamp)
    assert begun - 1 < seconds - (1 << 62) - 10 < ended + 1
    assert nanoseconds < 1_000_000_000
    assert nanoseconds & 0xFFFFFF == 0  # it is the first


@pytest.mark.all
@ROLES
def test_the_session_is_renewed_and_no_ping_is_lost(connect: Connect, west: str, east: str) -> None:
    pair = connect(west, east)
    other = pair.east.keys.public
    assert pair.west.host.pings(pair.EAST) == 1
    first = pair.west.handshake(other)
    assert pair.west.host.pings(pair.EAST, count=260, interval_s=0.5) == 260
    assert 118 <= pair.west.handshake(other) - first <= 130


def packets_sent_into(tunnel: WireGuard) -> int:
    """The interface's counter, which counts packets when the daemon has read them."""
    shown = tunnel.host.ip(f"-json -statistics link show dev {tunnel.interface}")
    return int(json.loads(shown)[0]["stats64"]["tx"]["packets"])


@pytest.mark.parametrize("sent", [100, 200])
def test_held_packets_go_out_in_order(connect: Connect, tmp_path: Path, sent: int) -> None:
    """Packets sent before the session exists arrive once it does, in order; of more than 128
    packets per peer the oldest are dropped."""
    pair = connect()
    program = (
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        f"for i in range({sent}): s.sendto(i.to_bytes(4, 'big'), ('{pair.EAST}', 7777))\n"
    )
    kept = range(max(0, sent - 128), sent)
    receiver = (
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(50)\n"
        "s.bind(('', 7777)); print('ready', flush=True)\n"
        f"print([int.from_bytes(s.recv(9), 'big') for _ in {kept}] == list({kept}))\n"
    )
    with pair.east.host.service(
        "receiver", "python3", "-c", receiver, log=tmp_path / "receiver"
    ) as service:
        service.wait_for("ready", timeout_s=60)
        os.kill(pair.east.pid, signal.SIGSTOP)  # no session before all are held
        before = packets_sent_into(pair.west)
        pair.west.host.run("python3", "-c", program)
        eventually(lambda: packets_sent_into(pair.west) >= before + sent, "all to be held")
        os.kill(pair.east.pid, signal.SIGCONT)
        service.wait_for("True", timeout_s=60)


def test_each_peer_receives_its_own_datagrams_of_a_batch(
    connect: Connect, wyrmd: Path, tmp_path: Path
) -> None:
    """Packets of several lengths for two alternating peers, read in one batch: a merged run has one
    destination, and one length except for the last packet."""
    pair = connect()
    west, other = pair.west, "10.99.0.2"
    west.host.ip("address add 10.99.0.1/24 dev wga")
    sender = (
        "import socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for _ in range(20):\n"
        f"    for n in (90, 90, 20, 90, 200): s.sendto(b'1' * n, ('{pair.EAST}', 7777))\n"
        f"    for n in (1, 99): s.sendto(b'2' * n, ('{other}', 7777))\n"
    )
    receiver = (
        "import collections, socket\n"
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(50)\n"
        "s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)\n"
        "s.bind(('', 7777)); print('ready', flush=True)\n"
        "print(sorted(collections.Counter(s.recv(999)[:1] for _ in range(140)).items()))\n"
    )
    with (
        WireGuard(pair.east.host, "wgc", wyrmd, tmp_path / "c.log") as third,
        pair.east.host.service(
            "receiver", "python3", "-c", receiver, log=tmp_path / "receiver"
        ) as service,
    ):
        third.set_key(third.keys)
        third.set(f"listen-port 51821 peer {west.keys.public} allowed-ips 10.99.0.1/32")
        third.up(f"{other}/24")
        west.set(
            f"peer {third.keys.public} allowed-ips {other}/32 endpoint {pair.EAST_OUTER[4]}:51821"
        )
        assert west.host.pings(pair.EAST) == 1
        assert west.host.pings(other) == 1
        service.wait_for("ready", timeout_s=60)
        os.kill(west.pid, signal.SIGSTOP)  # until all have been sent
        west.host.run("python3", "-c", sender)
        os.kill(west.pid, signal.SIGCONT)
        service.wait_for("[(b'1', 100), (b'2', 40)]", timeout_s=60)


def test_a_capture_shows_no_plaintext(connect: Connect, tmp_path: Path) -> None:
    pair = connect()
    capture = tmp_path / "outer.pcap"
    command = ["dumpcap", "-q", "-i", "va", "-w", str(capture)]
    with pair.west.host.service("dumpcap", *command, log=tmp_path / "dump") as dump:
        dump.wait_for("File:", timeout_s=60)
        assert pair.west.host.pings(pair.EAST, "-p", "c0ffee", "-s", "600", count=3) == 3
        eventually(lambda: capture.stat().st_size > 3 * 700, "the capture")
    data = capture.read_bytes()
    assert b"\xc0\xff\xee\xc0\xff\xee" not in data
    assert struct.pack("<I", 4) in data
