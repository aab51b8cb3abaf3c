# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The device as gateway: between its network and the tunnel, and from one peer to another."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from wyrmlab.network import capture, frames
from wyrmlab.network.frames import Wire
from wyrmlab.network.host import HERE, Host, namespace
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import DEVICE_INNER, DEVICE_OUTER, HOST_INNER, DeviceTunnel
from wyrmlab.peers.wireguard import WireGuard

pytestmark = pytest.mark.netns
MakePair = Callable[..., DeviceTunnel]

LAN_HOST = {4: "10.9.0.9", 6: "fd09::9"}
FAR_ROUTER = {4: "10.50.0.1", 6: "fd50::1"}
FAR_HOST = {4: "10.50.0.9", 6: "fd50::9"}
FAR_NETWORKS = "10.50.0.0/24, fd50::/64"
PAGE = 8080


@dataclass
class Sites:
    """lan --- device === tunnel === this machine --- far"""

    pair: DeviceTunnel
    lan: Host
    far: Host

    def forward(self, on: bool) -> None:
        self.pair.device.command(f"ip forward {'on' if on else 'off'}")

    def counter(self, name: str) -> int:
        found = re.search(rf"^forward .* {name} (\d+)", self.pair.device.command("ip"), re.M)
        assert found
        return int(found[1])


def lan_host(stack: ExitStack, tap: str) -> Host:
    """A host of its own on the device's link."""
    host = stack.enter_context(namespace("lan"))
    HERE.ip(f"link add lan0 link {tap} type macvlan mode bridge")
    HERE.ip("link set lan0 netns lan")
    host.ip("link set lan0 up")
    host.add_address("lan0", f"{LAN_HOST[4]}/24")
    host.add_address("lan0", f"{LAN_HOST[6]}/64")
    return host


def far_host(stack: ExitStack) -> Host:
    host = stack.enter_context(namespace("far"))
    HERE.ip("link add near0 type veth peer name far0 netns far")
    HERE.ip("link set near0 up")
    host.ip("link set far0 up")
    for end, name, addresses in ((HERE, "near0", FAR_ROUTER), (host, "far0", FAR_HOST)):
        end.add_address(name, f"{addresses[4]}/24")
        end.add_address(name, f"{addresses[6]}/64")
    host.ip(f"route add default via {FAR_ROUTER[4]}")
    host.ip(f"-6 route add default via {FAR_ROUTER[6]}")
    HERE.sysctl("net.ipv4.ip_forward", 1)
    HERE.sysctl("net.ipv6.conf.all.forwarding", 1)
    return host


@pytest.fixture
def sites(pair: MakePair) -> Iterator[Sites]:
    made = pair()
    made.bring_up_peer()
    made.device.configure(
        made.device_conf(allowed=f"{HOST_INNER[4]}/32, {HOST_INNER[6]}/128, {FAR_NETWORKS}")
    )
    made.device.command("wg up")
    made.wait_up()
    with ExitStack() as stack:
        lan, far = lan_host(stack, made.wiring.tap), far_host(stack)
        stack.callback(HERE.ip, "link delete near0", check=False)
        lan.ip(f"route add 10.50.0.0/24 via {DEVICE_OUTER[4]}")
        lan.ip(f"-6 route add fd50::/64 via {DEVICE_OUTER[6]}")
        inside = [f"{DEVICE_INNER[4]}/32", f"{DEVICE_INNER[6]}/128", "10.9.0.8/29", "fd09::8/125"]
        name = made.wiring.interface
        HERE.sysctl(f"net.ipv4.conf.{name}.rp_filter", 0)
        HERE.sysctl("net.ipv4.conf.all.rp_filter", 0)
        HERE.run("wg", "set", name, "peer", made.keys.public, "allowed-ips", ",".join(inside))
        HERE.ip(f"route add 10.9.0.8/29 dev {name}")
        HERE.ip(f"-6 route add fd09::8/125 dev {name}")
        yield Sites(made, lan, far)


def fetch(host: Host, address: str) -> int:
    """The size of the page that a server at `address` has."""
    at = f"[{address}]" if ":" in address else address
    page = f"http://{at}:{PAGE}/p"
    code = f"import urllib.request as u; print(len(u.urlopen('{page}', timeout=60).read()))"
    return int(host.run(sys.executable, "-c", code, timeout_s=90))


def in_the_clear(file: Path) -> str:
    """The device's frames to the other site, apart from the tunnel's datagrams."""
    mac = ":".join(f"{byte:02x}" for byte in frames.DEVICE_MAC)
    there = "ip.dst#1 == 10.50.0.0/24 || ipv6.dst#1 == fd50::/64"
    there += " || arp.dst.proto_ipv4 == 10.50.0.0/24"
    return capture.tshark(file, "-Y", f"eth.src == {mac} && !udp.port == {PORT} && ({there})")


def test_hosts_behind_both_ends_reach_each_other(sites: Sites, tmp_path: Path) -> None:
    """Over IPv4 and IPv6, begun from either side; TCP with segments that fill the tunnel."""
    sites.forward(True)
    size = 200_000
    (tmp_path / "p").write_bytes(bytes(size))
    server = (sys.executable, "-m", "http.server", str(PAGE), "--bind", "::")
    for family in (4, 6):
        assert sites.lan.pings(FAR_HOST[family], count=3) == 3
        assert sites.far.pings(LAN_HOST[family], count=3) == 3
    file = tmp_path / "outside.pcapng"
    for host, other, addresses in (
        (sites.far, sites.lan, FAR_HOST),
        (sites.lan, sites.far, LAN_HOST),
    ):
        command = ("sh", "-c", f"cd {tmp_path} && exec {' '.join(server)}")
        with (
            host.service("page", *command, log=tmp_path / "page.log"),
            capture.Capture(sites.pair.wiring.tap, file),
        ):
            host.wait_for_port(PAGE)
            assert [fetch(other, address) for address in addresses.values()] == [size, size]
        assert in_the_clear(file) == ""
    assert sites.counter("forwarded") > 4 * size / 1420
    assert sites.counter("too-big") == 0, "the MSS was not lowered"


def test_nothing_is_forwarded_unless_it_is_switched_on(sites: Sites) -> None:
    assert "forward    off" in sites.pair.device.command("ip")
    for on in (False, True, False):
        sites.forward(on)
        for family in (4, 6):
            expected = 1 if on else 0
            assert sites.lan.pings(FAR_HOST[family], wait_s=8 if on else 2) == expected
            assert sites.far.pings(LAN_HOST[family], wait_s=8 if on else 2) == expected


def test_nothing_is_forwarded_in_the_clear_without_the_tunnel(sites: Sites, tmp_path: Path) -> None:
    sites.forward(True)
    file = tmp_path / "outside.pcapng"
    with capture.Capture(sites.pair.wiring.tap, file):
        for end in ("down", "off"):
            sites.pair.device.command(f"wg {end}")
            for family in (4, 6):
                assert sites.lan.pings(FAR_HOST[family], wait_s=2) == 0
    assert in_the_clear(file) == ""
    sites.pair.device.command("wg up")
    sites.pair.wait_up()
    assert sites.lan.pings(FAR_HOST[4]) == 1


@pytest.mark.parametrize("family", [4, 6])
def test_sources_outside_the_network_are_not_forwarded(
    sites: Sites, tmp_path: Path, family: int
) -> None:
    """Forged: a stranger, the far host, the device itself, inside and outside."""
    sites.forward(True)
    strangers = {4: "192.0.2.1", 6: "2001:db8::1"}
    forged = [
        places[family] for places in (strangers, FAR_HOST, HOST_INNER, DEVICE_INNER, DEVICE_OUTER)
    ]
    file = tmp_path / "inside.pcapng"
    name = sites.pair.wiring.interface
    with capture.Capture(name, file), Wire(sites.pair.wiring.tap) as wire:
        for source in [*forged, LAN_HOST[family]]:
            packet = frames.udp(source, FAR_HOST[family], 7, b"mark", by_port=68)
            wire.send(frames.ethernet(packet))
        # The device answers this only after what came before.
        assert sites.lan.pings(FAR_HOST[family]) == 1
    field = "-eip.src" if family == 4 else "-eipv6.src"
    marked = "udp.dstport == 7 && !icmp && !icmpv6"
    seen = capture.tshark(file, "-Y", marked, "-Tfields", field).split()
    assert seen == [LAN_HOST[family]]


def test_errors_about_forwarded_packets_reach_their_sender(sites: Sites) -> None:
    """TTL and hop limit, and the tunnel's MTU; what may be fragmented is."""
    sites.forward(True)

    def said(address: str, *options: str) -> str:
        return sites.lan.run("ping", "-c1", "-W5", *options, address, check=False)

    assert f"From {DEVICE_OUTER[4]} icmp_seq=1 Time to live exceeded" in said(FAR_HOST[4], "-t1")
    assert "Hop limit" in said(FAR_HOST[6], "-t1")
    large = ("-s1400", "-Mdo")
    assert re.search(r"Frag needed and DF set \(mtu = 1420\)", said(FAR_HOST[4], *large))
    assert "Packet too big: mtu=1420" in said(FAR_HOST[6], *large)
    sites.lan.ip("route flush cache")
    assert "1 received" in said(FAR_HOST[4], "-s1400", "-Mdont")
    assert (sites.counter("expired"), sites.counter("too-big")) == (2, 2)


def test_a_hub_passes_packets_from_one_peer_to_another(pair: MakePair, tmp_path: Path) -> None:
    """Both peers have a session with the device only."""
    made = pair()
    other = {4: "10.77.0.3", 6: "fd77::3"}
    with ExitStack() as stack:
        lan = lan_host(stack, made.wiring.tap)
        peer = stack.enter_context(
            WireGuard(lan, "wg9", "wireguard-go", tmp_path / "other.log", log_level="error")
        )
        made.bring_up_peer()
        made.device.configure(
            made.device_conf()
            + f"\n[Peer]\nPublicKey = {peer.keys.public}\n"
            + f"AllowedIPs = {other[4]}/32, {other[6]}/128\n"
        )
        made.device.command("wg up")
        made.wait_up()
        peer.configure(
            f"[Interface]\nPrivateKey = {peer.keys.private}\n[Peer]\n"
            f"PublicKey = {made.keys.public}\nEndpoint = {DEVICE_OUTER[4]}:{PORT}\n"
            "AllowedIPs = 10.77.0.0/24, fd77::/64\n"
        )
        peer.up(f"{other[4]}/24", f"{other[6]}/64")
        name = made.wiring.interface
        HERE.run(
            *("wg", "set", name, "peer", made.keys.public),
            *("allowed-ips", "10.77.0.0/24,fd77::/64"),
        )
        for family in (4, 6):
            assert lan.pings(DEVICE_INNER[family], count=1) == 1
            assert lan.pings(HOST_INNER[family], wait_s=2) == 0
        made.device.command("ip forward on")
        for family in (4, 6):
            assert lan.pings(HOST_INNER[family], count=3) == 3
            assert HERE.pings(other[family], count=3) == 3


def test_forwarding_lasts_once_it_is_saved(pair: MakePair) -> None:
    made = pair()
    made.connect()
    device = made.device
    device.command("ip forward on")
    assert "# forwarding ('ip forward on')" in device.command("conf")
    device.command("conf save")
    device.reboot()
    assert "forward    on" in device.command("ip")
    device.command("conf clear")
    device.reboot()
    assert "forward    off" in device.command("ip")
