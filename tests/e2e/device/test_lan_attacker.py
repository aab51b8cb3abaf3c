# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Attacks from the device's LAN: raw frames, forged sources, floods."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import itertools
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import dpkt
import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.boards.device import Device
from wyrmlab.network import capture, frames
from wyrmlab.network.frames import Wire
from wyrmlab.network.host import HERE
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import (
    DEVICE_INNER,
    DEVICE_OUTER,
    HOST_INNER,
    HOST_OUTER,
    DeviceTunnel,
)
from wyrmlab.peers.flood import initiation

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]
IPERF = 5001


@pytest.fixture
def wire() -> Iterator[Callable[[], Wire]]:
    """Raw frames on the device's link, once it is there."""
    with contextlib.ExitStack() as stack:
        yield lambda: stack.enter_context(Wire("tap0"))


# --- TCP sequence numbers ------------------------------------------------------------------------


def initial_sequence(wire: Wire, by_port: int) -> int:
    """The device's sequence number in answer to a connection attempt, which our system resets."""
    packet = frames.syn(HOST_OUTER[4], DEVICE_OUTER[4], IPERF, by_port=by_port)
    for _ in range(5):
        wire.send(frames.ethernet(packet, by=wire.mac))
        for frame in wire.receive(timeout_s=2):
            segment = getattr(frame.data, "data", None)
            if isinstance(segment, dpkt.tcp.TCP) and segment.dport == by_port:
                return int(segment.seq)
    raise WyrmError("The device does not answer a connection.")


def test_known_defect_83_tcp_sequence_numbers_of_other_connections_cannot_be_guessed(
    boot: Boot, wire: Callable[[], Wire]
) -> None:
    """RFC 6528: numbers of one connection increase every 4 us; others do not reveal them."""
    device = boot()
    device.command("iperf -s")
    link = wire()
    seen = [initial_sequence(link, 20000 + n) for n in range(16)]
    steps = [(b - a) % 2**32 for a, b in itertools.pairwise(seen)]
    far = [step for step in steps if 2**24 < step < 2**32 - 2**24]
    assert len(far) >= 12, steps  # a random step is near once in 128

    before = initial_sequence(link, 20000)
    time.sleep(0.5)
    step = (initial_sequence(link, 20000) - before) % 2**32
    assert 100_000 < step < 2**31  # 250,000 a second


# --- Pings to everybody --------------------------------------------------------------------------


def replies_to(wire: Wire, packet: dpkt.Packet, *, to: bytes = frames.DEVICE_MAC) -> int:
    """How many echo replies come from the device within a second."""
    wire.drain()
    wire.send(frames.ethernet(packet, to=to, by=wire.mac))
    replies = 0
    for frame in wire.receive(timeout_s=1):
        message = getattr(frame.data, "data", None)
        replies += isinstance(message, dpkt.icmp.ICMP) and message.type == 0
        replies += isinstance(message, dpkt.icmp6.ICMP6) and message.type == 129
    return replies


def test_pings_to_all_hosts_are_not_answered(boot: Boot, wire: Callable[[], Wire]) -> None:
    boot()
    link = wire()
    everybody = bytes.fromhex("333300000001")
    assert HERE.ping(DEVICE_OUTER[6], count=1).received == 1
    assert replies_to(link, frames.echo_request(HOST_OUTER[6], DEVICE_OUTER[6])) == 1
    assert replies_to(link, frames.echo_request(HOST_OUTER[6], "ff02::1"), to=everybody) == 0
    assert replies_to(link, frames.echo_request(HOST_OUTER[4], DEVICE_OUTER[4])) == 1
    broadcast = frames.echo_request(HOST_OUTER[4], "10.9.0.255")
    assert replies_to(link, broadcast, to=b"\xff" * 6) == 0


# --- What leaves ---------------------------------------------------------------------------------


def inner_frames(file: Path) -> str:
    """Frames of a capture that carry an inner address, or solicit one, outside the tunnel."""
    inner = " || ".join(
        f"ip.addr == {address} || arp.dst.proto_ipv4 == {address}"
        for address in (HOST_INNER[4], DEVICE_INNER[4])
    )
    inner += " || " + " || ".join(
        f"ipv6.addr == {address} || icmpv6.nd.ns.target_address == {address}"
        for address in (HOST_INNER[6], DEVICE_INNER[6])
    )
    from_device = f"eth.src == {':'.join(f'{byte:02x}' for byte in frames.DEVICE_MAC)}"
    return capture.tshark(file, "-Y", f"{from_device} && ({inner})")


@pytest.mark.parametrize("state", ["up", "down"])
def test_known_defect_76_forged_pings_from_inside_addresses_are_not_answered_in_the_clear(
    pair: MakePair, wire: Callable[[], Wire], tmp_path: Path, state: str
) -> None:
    made = pair()
    made.connect()
    if state == "down":
        made.device.command("wg down")
    link = wire()
    file = tmp_path / "outside.pcapng"
    with capture.Capture("tap0", file):
        for family in (4, 6):
            for target in (DEVICE_OUTER[family], DEVICE_INNER[family]):
                request = frames.echo_request(HOST_INNER[family], target)
                link.send(frames.ethernet(request, by=link.mac))
        assert HERE.ping(DEVICE_OUTER[4], count=3).received == 3
    assert inner_frames(file) == ""


def test_known_defect_81_frames_from_the_lan_do_not_pass_for_those_of_a_peer(
    pair: MakePair, wire: Callable[[], Wire], tmp_path: Path
) -> None:
    """Connections and pings with the peer's address; the answers would use the tunnel."""
    made = pair()
    made.connect()
    made.device.command("iperf -s")
    link = wire()
    file = tmp_path / "inside.pcapng"
    with capture.Capture(made.peer.interface, file):
        for family in (4, 6):
            for target in (DEVICE_INNER[family], DEVICE_OUTER[family]):
                for forged in (
                    frames.syn(HOST_INNER[family], target, IPERF, by_port=4000),
                    frames.echo_request(HOST_INNER[family], target),
                    frames.udp(HOST_INNER[family], target, 9, b"nobody listens"),
                ):
                    link.send(frames.ethernet(forged, by=link.mac))
        assert HERE.ping(DEVICE_OUTER[4], count=3).received == 3
        assert made.device_pings(count=3) == 3
    genuine = f"icmp.type in {{0, 8}} && ip.src in {{{HOST_INNER[4]}, {DEVICE_INNER[4]}}}"
    # The host repeats reports of its multicast groups on any interface, whenever it likes.
    expected = f"({genuine} && icmp.ident != 0x666) || ipv6.dst == ff02::16"
    assert capture.tshark(file, "-Y", f"!({expected})") == ""
    assert re.search(r"\bspoofed 1\d\b", made.device.command("stats"))


@pytest.mark.parametrize("state", ["up", "down"])
def test_known_defect_82_a_short_netmask_leaks_nothing_from_the_tunnel(
    pair: MakePair, tmp_path: Path, state: str
) -> None:
    """An attached network of eight bits also contains addresses behind the peer."""
    behind = "10.66.0.1"
    made = pair()
    made.bring_up_peer()
    HERE.add_address("lo", f"{behind}/32")
    made.device.configure(made.device_conf(allowed=f"{HOST_INNER[4]}/32, 10.66.0.0/16"))
    made.device.command("wg up")
    made.wait_up()
    if state == "down":
        made.device.command("wg down")
    file = tmp_path / "outside.pcapng"
    try:
        with capture.Capture("tap0", file):
            made.device.command("ip 10.9.0.2/8 gw 10.9.0.1")
            assert made.device_pings(behind) == (3 if state == "up" else 0)
            assert made.device_pings(HOST_OUTER[4]) == 3
    finally:
        proc.run("ip", "address", "delete", f"{behind}/32", "dev", "lo")
    leaked = f"ip.addr == {behind} || arp.dst.proto_ipv4 == {behind}"
    assert capture.tshark(file, "-Y", leaked) == ""


def test_known_defect_79_router_advertisements_are_ignored_unless_asked_for(
    boot: Boot, wire: Callable[[], Wire]
) -> None:
    device = boot()
    link = wire()

    def advertise() -> str:
        advertisement = frames.router_advertisement("2001:db8:66::")
        link.send(frames.ethernet(advertisement, to=bytes.fromhex("333300000001")))
        assert HERE.ping(DEVICE_OUTER[6], count=3).received == 3  # it has been looked at
        return device.command("ip")

    assert "2001:db8:66:" not in advertise()
    device.command("ip autoconf on")
    assert "2001:db8:66:" in advertise()


def test_a_router_advertisement_behind_an_extension_header_is_ignored(
    boot: Boot, wire: Callable[[], Wire]
) -> None:
    """Only unfragmented neighbor discovery without extension headers is exempt (RFC 6980)."""
    device = boot()
    device.command("ip autoconf on")
    link = wire()
    advertisement = frames.router_advertisement("2001:db8:66::")
    options = bytes([advertisement.nxt, 0, 1, 4, 0, 0, 0, 0])
    hidden = frames.ip(
        frames.ATTACKER_LINK_LOCAL,
        "ff02::1",
        60,
        options + bytes(advertisement.data),
        hlim=255,
    )
    link.send(frames.ethernet(hidden, to=bytes.fromhex("333300000001")))
    assert HERE.ping(DEVICE_OUTER[6], count=3).received == 3
    assert "2001:db8:66:" not in device.command("ip")


@pytest.mark.parametrize("autoconf", ["off", "on"])
def test_a_router_advertisement_for_an_inside_prefix_leaks_nothing(
    pair: MakePair, wire: Callable[[], Wire], tmp_path: Path, autoconf: str
) -> None:
    made = pair()
    made.connect()
    made.device.command(f"ip autoconf {autoconf}")
    link = wire()
    file = tmp_path / "outside.pcapng"
    advertisement = frames.router_advertisement("fd77::")
    link.send(frames.ethernet(advertisement, to=bytes.fromhex("333300000001")))
    if autoconf == "on":
        proc.wait_until(
            lambda: bool(re.search(r"fd77:\S+ +preferred", made.device.command("ip"))),
            timeout_s=20,
            what="the address that the advertisement suggests",
        )
    else:
        assert HERE.ping(DEVICE_OUTER[6], count=3).received == 3  # it has been looked at
    with capture.Capture("tap0", file):
        assert made.device_pings(HOST_INNER[6]) == 3
        made.device.command("wg down")
        assert made.device_pings(HOST_INNER[6]) == 0
    assert inner_frames(file) == ""


# --- A start that fails --------------------------------------------------------------------------


def spoil_configuration(flash: Path) -> None:
    """Changes a letter of the file that the device keeps."""
    content = flash.read_bytes()
    at = content.index(b"AllowedIPs")
    with flash.open("r+b") as stream:
        stream.seek(at)
        stream.write(b"B")


def test_known_defect_77_a_device_with_an_unreadable_configuration_sends_nothing(
    pair: MakePair, tmp_path: Path
) -> None:
    made = pair()
    made.connect()
    device = made.device
    device.stop()
    spoil_configuration(tmp_path / "flash")
    file = tmp_path / "outside.pcapng"
    with capture.Capture("tap0", file):
        device.start()
        device.console.expect(
            r"^error: the saved configuration is unusable.*'conf paste'.*'wg off'",
            timeout_s=20,
        )
        assert made.device_pings(HOST_OUTER[4]) == 3  # to find out what is wrong
        assert made.device_pings(HOST_INNER[4], count=1) == 0
        for family in (4, 6):
            assert HERE.ping(DEVICE_OUTER[family], count=2, wait_s=1).received == 0
        with contextlib.suppress(WyrmError):
            device.command(f"iperf -c {HOST_OUTER[4]} -u -t 1", timeout_s=40)
    by_device = f"eth.src == {':'.join(f'{byte:02x}' for byte in frames.DEVICE_MAC)}"
    harmless = "arp || icmp.type == 8 || icmpv6.type >= 128"
    assert capture.tshark(file, "-Y", f"{by_device} && !({harmless})") == ""

    device.command("wg off")
    for family in (4, 6):
        assert HERE.ping(DEVICE_OUTER[family], count=3).received == 3


def test_a_good_configuration_replaces_one_that_cannot_be_read(
    pair: MakePair, tmp_path: Path
) -> None:
    made = pair()
    made.connect()
    made.device.stop()
    spoil_configuration(tmp_path / "flash")
    made.device.start()
    made.device.wait_ready()
    made.device.configure(made.device_conf())
    made.device.command("wg up")
    made.wait_up()
    assert HERE.ping(DEVICE_OUTER[4], count=3).received == 3
    made.device.reboot()
    made.wait_up()
    assert HERE.ping(DEVICE_OUTER[4], count=3).received == 3


# --- Floods that use up buffers ------------------------------------------------------------------

ABSENT = [f"10.9.0.{host}" for host in range(100, 250)]


def pings_from_absent_hosts(_: str) -> list[dpkt.Packet]:
    return [frames.echo_request(host, DEVICE_OUTER[4], size=1000) for host in ABSENT]


def pings_from_absent_hosts_over_ipv6(_: str) -> list[dpkt.Packet]:
    hosts = [f"fd09::{host:x}" for host in range(0x100, 0x196)]
    return [frames.echo_request(host, DEVICE_OUTER[6], size=1000) for host in hosts]


def initiations_from_absent_hosts(public_key: str) -> list[dpkt.Packet]:
    key = hashlib.blake2s(b"mac1----" + base64.b64decode(public_key)).digest()
    return [frames.udp(host, DEVICE_OUTER[4], PORT, initiation(key)) for host in ABSENT]


def junk(_: str) -> list[dpkt.Packet]:
    data = b"\4\0\0\0" + bytes(1400)
    return [frames.udp(HOST_OUTER[4], DEVICE_OUTER[4], PORT, data, by_port=9)]


def connections_from_absent_hosts(_: str) -> list[dpkt.Packet]:
    return [frames.syn(host, DEVICE_OUTER[4], IPERF, by_port=7) for host in ABSENT]


def fragments_without_an_end(_: str) -> list[dpkt.Packet]:
    """First fragments of as many datagrams."""
    return [
        frames.ip(host, DEVICE_OUTER[4], 17, bytes(1400), id=number, mf=1)
        for number, host in enumerate(ABSENT)
    ]


def fragments_without_an_end_over_ipv6(_: str) -> list[dpkt.Packet]:
    return [
        frames.ip(
            HOST_OUTER[6],
            DEVICE_OUTER[6],
            44,
            b"\x11\0\0\1" + n.to_bytes(4, "big") + bytes(1200),
        )
        for n in range(150)
    ]


@pytest.mark.parametrize(
    "kind",
    [
        pings_from_absent_hosts,
        pings_from_absent_hosts_over_ipv6,
        initiations_from_absent_hosts,
        junk,
        connections_from_absent_hosts,
        fragments_without_an_end,
        fragments_without_an_end_over_ipv6,
    ],
)
def test_known_defect_80_floods_do_not_exhaust_the_tunnels_buffers(
    pair: MakePair,
    wire: Callable[[], Wire],
    kind: Callable[[str], list[dpkt.Packet]],
) -> None:
    """At a low rate, so that any loss is due to missing buffers."""
    made = pair()
    made.connect()
    made.device.command("iperf -s")
    link = wire()
    packets = [frames.ethernet(packet) for packet in kind(made.keys.public)]
    with frames.flood(link, lambda n: packets[n % len(packets)], per_second=300) as sent:
        time.sleep(1)  # all resources that a flood can use are in use
        during = HERE.ping(DEVICE_INNER[4], count=40, interval_s=0.1)
    assert sent[0] > 500
    assert during.loss_percent <= 5
    # All buffers are released once their timeouts have passed.
    proc.wait_until(
        lambda: (
            made.host_pings()
            and made.device_pings() == 3
            and HERE.ping(DEVICE_OUTER[4], count=3, size=4000).received == 3
        ),
        timeout_s=100,
        what="a device without a trace of the flood",
    )
    assert "panic" not in made.device.console.transcript


def test_pings_from_absent_neighbors_leave_the_peers_entry_over_ipv6(
    pair: MakePair, wire: Callable[[], Wire], tmp_path: Path
) -> None:
    """lwIP evicts entries of resolved neighbors in favour of unresolved ones."""
    made = pair(outer=6)
    made.connect()
    packets = [frames.ethernet(packet) for packet in pings_from_absent_hosts_over_ipv6("")]
    solicited = "icmpv6.type == 135 and icmpv6.nd.ns.target_address == " + HOST_OUTER[6]
    file = tmp_path / "wire.pcapng"
    with (
        capture.Capture(made.wiring.tap, file),
        frames.flood(wire(), lambda n: packets[n % len(packets)], per_second=300),
    ):
        time.sleep(1)
        during = HERE.ping(DEVICE_INNER[4], count=40, interval_s=0.1)
    assert during.loss_percent <= 5
    # The device confirms its entry now and then; it need not find the peer again.
    assert len(capture.tshark(file, "-Y", solicited).splitlines()) <= 3
    found = re.search(r"unasked-neighbors (\d+)", made.device.command("stats"))
    assert found is not None
    assert int(found[1]) > 100


# --- The command ---------------------------------------------------------------------------------


def gateway(device: Device) -> str:
    found = re.search(r"^gateway +(\S+)", device.command("ip"), re.MULTILINE)
    return found[1] if found else ""


def test_a_new_address_leaves_the_gateway_that_it_can_reach(boot: Boot) -> None:
    device = boot()
    assert gateway(device) == "10.9.0.1"
    device.command("ip 10.9.0.33/24")
    assert gateway(device) == "10.9.0.1"
    assert "note: the gateway is not in this network" in device.command("ip 10.8.0.33/24")
    assert gateway(device) == "0.0.0.0"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ip 10.9.0.2/24 gw 10.8.0.1", "the gateway 10.8.0.1 is not another address"),
        ("ip 10.9.0.2/24 gw 10.9.0.2", "the gateway 10.9.0.2 is not another address"),
        ("ip 10.9.0.2/24 gw somewhere", "'somewhere' is not an IPv4 address"),
        ("ip 10.9.0.2", "'10.9.0.2' is not an ADDRESS/BITS like 10.9.0.2/24"),
        ("ip 10.9.0.2/0", "'10.9.0.2/0' is not an ADDRESS/BITS"),
        ("ip 224.0.0.1/24", "'224.0.0.1/24' is not an ADDRESS/BITS"),
        ("ip fd09::5", "'fd09::5' is not an IPv6 ADDRESS/64"),
        ("ip dns", "usage: ip "),
        ("ip dns somewhere", "'somewhere' is not an address"),
        ("ip autoconf maybe", "usage: ip "),
    ],
)
def test_addresses_that_cannot_work_are_refused_with_a_sentence(
    boot: Boot, line: str, words: str
) -> None:
    device = boot()
    before = device.command("ip")
    with pytest.raises(WyrmError, match=re.escape(words)):
        device.command(line)
    assert device.command("ip") == before
