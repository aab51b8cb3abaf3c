# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The strict policy on a device whose LAN hands out networks larger than its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.boards.device import Device
from wyrmlab.network import capture, frames
from wyrmlab.network.dhcp import DhcpServer
from wyrmlab.network.frames import Wire
from wyrmlab.network.host import HERE
from wyrmlab.peers.conf import PORT
from wyrmlab.peers.device_tunnel import HOST_OUTER, DeviceTunnel

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]
MakePair = Callable[..., DeviceTunnel]

LEASE = "10.1.2.3"
NAMED = "8.8.8.8"  # has an AllowedIPs of its own in some tests
LOW, HIGH = "100.64.0.1", "203.0.113.5"  # in 0.0.0.0/1 and in the other half
ADVERTISED = "2001:db8:66::"
ALL_NODES = bytes.fromhex("333300000001")


@pytest.fixture
def behind() -> Iterator[None]:
    """The host owns all these addresses and answers ARP and neighbor solicitations for them."""
    addresses = [f"{address}/32" for address in (NAMED, LOW, HIGH)] + [f"{ADVERTISED}1/128"]
    with ExitStack() as stack:
        for address in addresses:
            HERE.add_address("lo", address)
            stack.callback(proc.run, "ip", "address", "delete", address, "dev", "lo")
        proc.run("ip", "route", "add", LEASE, "dev", "tap0")  # gone with the TAP
        yield


def lease(netmask: str) -> DhcpServer:
    return DhcpServer(router=HOST_OUTER[4], dns=HOST_OUTER[4], address=LEASE, netmask=netmask)


def left_in_the_clear(file: Path) -> set[str]:
    """Destinations and solicited addresses of the device's frames, except DHCP, the tunnel's own
    datagrams, and neighbor discovery for routers, groups and own addresses."""
    device = f"eth.src == {':'.join(f'{byte:02x}' for byte in frames.DEVICE_MAC)}"
    spared = f"udp.srcport == {PORT} || udp.dstport == 67 || icmpv6.type >= 130"
    fields = [f"-e{field}" for field in ("ip.dst", "ipv6.dst", "arp.dst.proto_ipv4")]
    sent = capture.tshark(file, "-Y", f"{device} && !({spared})", "-Tfields", *fields)
    solicited = "icmpv6.nd.ns.target_address"
    sought = capture.tshark(
        file, "-Y", f"{device} && {solicited} && ipv6.src != ::", "-Tfields", "-e", solicited
    )
    return {word for line in (sent + "\n" + sought).splitlines() for word in line.split()}


def configure(made: DeviceTunnel, allowed: str) -> None:
    made.device.configure(made.device_conf(allowed=allowed))
    made.device.command("wg up")
    made.wait_up()


@pytest.mark.parametrize(
    ("netmask", "leaks"), [("128.0.0.0", {NAMED, LOW}), ("0.0.0.0", set())], ids=["/1", "/0"]
)
def test_no_lease_draws_traffic_past_a_strict_tunnel(
    request: pytest.FixtureRequest, pair: MakePair, tmp_path: Path, netmask: str, leaks: set[str]
) -> None:
    """Without the policy, a lease of half the address space takes that half out of the tunnel,
    apart from prefixes that are longer; one of all of it takes nothing."""
    made = pair()
    request.getfixturevalue("behind")
    made.bring_up_peer()
    everything = "0.0.0.0/0, ::/0"
    seen: dict[tuple[str, str], set[str]] = {}
    with lease(netmask):
        made.device.command("ip dhcp", timeout_s=20)
        assert LEASE in made.device.command("ip")
        for allowed in (everything, f"{everything}, {NAMED}/32"):
            made.device.command("wg off")
            configure(made, allowed)
            for strict in ("on", "off"):
                made.device.command(f"wg strict {strict}")
                file = tmp_path / f"{len(seen)}.pcapng"
                with capture.Capture("tap0", file):
                    for address in (NAMED, LOW, HIGH):
                        assert made.device_pings(address, count=2) == 2
                seen[allowed, strict] = left_in_the_clear(file) - {HOST_OUTER[4], LEASE}
    assert seen == {
        (everything, "on"): set(),
        (everything, "off"): leaks,
        (f"{everything}, {NAMED}/32", "on"): set(),
        (f"{everything}, {NAMED}/32", "off"): leaks - {NAMED},
    }


def test_strict_policy_holds_from_the_first_packet_after_a_reboot(
    request: pytest.FixtureRequest, pair: MakePair, tmp_path: Path
) -> None:
    """The listen port is that of the DHCP client, so that the tunnel cannot start."""
    made = pair()
    request.getfixturevalue("behind")
    conf = made.device_conf(allowed="0.0.0.0/0, ::/0")
    made.device.configure(conf.replace("ListenPort = 51820", "ListenPort = 68"))
    made.device.command("wg strict on")
    assert "# not saved" in made.device.command("conf")
    made.device.command("conf save")
    made.device.stop()
    made.device.qemu.args["dhcp"] = "yes"
    file = tmp_path / "outside.pcapng"
    with lease("128.0.0.0"), capture.Capture("tap0", file):
        made.device.start()
        made.device.console.expect(r"^error: traffic for the tunnel is dropped", timeout_s=30)
        for address in (NAMED, HIGH, HOST_OUTER[4], HOST_OUTER[6]):
            assert made.device_pings(address, count=1) == 0
    assert HOST_OUTER[4] not in left_in_the_clear(file)
    assert not {NAMED, HIGH, HOST_OUTER[6]} & left_in_the_clear(file)


def test_only_the_leading_ones_of_a_netmask_count_before_the_tunnel_starts(
    request: pytest.FixtureRequest, pair: MakePair, tmp_path: Path
) -> None:
    """A netmask with a gap has more ones than the allowed prefix has bits."""
    made = pair()
    request.getfixturevalue("behind")
    inside = "10.65.2.7"
    conf = made.device_conf(allowed="10.64.0.0/10")
    made.device.configure(conf.replace("ListenPort = 51820", "ListenPort = 68"))
    made.device.stop()
    made.device.qemu.args["dhcp"] = "yes"
    file = tmp_path / "outside.pcapng"
    with lease("255.0.255.0"), capture.Capture("tap0", file):
        made.device.start()
        made.device.console.expect(r"^error: traffic for the tunnel is dropped", timeout_s=30)
        assert LEASE in made.device.command("ip")
        assert made.device_pings(inside, count=1) == 0
    assert inside not in left_in_the_clear(file)


def test_strict_policy_is_shown_and_lasts_until_it_is_switched_off(pair: MakePair) -> None:
    made = pair()
    made.connect()
    device = made.device
    assert "strict" not in device.command("wg") + device.command("conf")
    device.command("wg strict on")
    assert re.search(r"^  strict: on", device.command("wg"), re.MULTILINE)
    device.command("conf save")
    device.reboot()
    made.wait_up()
    device.configure(made.device_conf())  # a new file leaves it on
    device.command("wg up")
    made.wait_up()
    assert re.search(r"^  strict: on", device.command("wg"), re.MULTILINE)
    assert re.search(r"^# strict policy", device.command("conf"), re.MULTILINE)
    device.command("wg strict off")
    assert "strict" not in device.command("wg") + device.command("conf")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("wg strict on", "there is no tunnel to route strictly"),
        ("wg strict maybe", "usage: wg "),
        ("wg strict", "usage: wg "),
    ],
)
def test_strict_policy_without_a_tunnel_is_refused(boot: Boot, line: str, words: str) -> None:
    device = boot()
    with pytest.raises(WyrmError, match=re.escape(words)):
        device.command(line)
    device.command("wg strict off")


# --- IPv6 ----------------------------------------------------------------------------------------


def advertise(made: DeviceTunnel, link: Wire, *, reachable_ms: int = 0) -> None:
    made.device.command("ip autoconf on")
    advertisement = frames.router_advertisement(ADVERTISED, reachable_ms=reachable_ms)
    link.send(frames.ethernet(advertisement, to=ALL_NODES))
    proc.wait_until(
        lambda: bool(re.search(r"2001:db8:66:\S+ +preferred", made.device.command("ip"))),
        timeout_s=20,
        what="the address that the advertisement suggests",
    )


def test_no_router_advertisement_draws_traffic_past_a_strict_tunnel(
    request: pytest.FixtureRequest, pair: MakePair, tmp_path: Path
) -> None:
    made = pair()
    request.getfixturevalue("behind")
    made.bring_up_peer()
    target, neighbor = f"{ADVERTISED}1", "fe80::77"
    neighbors = {HOST_OUTER[4], frames.ATTACKER_LINK_LOCAL}  # the endpoint and the router
    interface = re.findall(r"^interface +(\S+)", made.device.command("ip"), re.MULTILINE)[0]
    seen: dict[tuple[str, str], set[str]] = {}
    with Wire("tap0") as link:
        configure(made, "0.0.0.0/0, ::/0")
        advertise(made, link)
        for explicit in ("", f", {target}/128"):
            configure(made, f"0.0.0.0/0, ::/0{explicit}")
            for strict in ("on", "off"):
                made.device.command(f"wg strict {strict}")
                file = tmp_path / f"{len(seen)}.pcapng"
                through = strict == "on" or explicit != ""
                with capture.Capture("tap0", file):
                    assert made.device_pings(target, count=2) == (2 if through else 0)
                    made.device_pings(f"{neighbor}%{interface}", count=1)
                seen[explicit, strict] = left_in_the_clear(file) - neighbors
    assert seen == {
        ("", "on"): set(),
        ("", "off"): {target, neighbor},
        (f", {target}/128", "on"): set(),
        (f", {target}/128", "off"): {neighbor},
    }


def test_endpoint_on_the_link_stays_reachable_from_a_strict_tunnel(
    pair: MakePair, tmp_path: Path
) -> None:
    """Neighbors count as reachable for a second only, so that the device asks for the endpoint
    again and again, with a datagram of the tunnel waiting."""
    made = pair(outer=6)
    made.bring_up_peer()
    made.device.configure(made.device_conf(allowed="0.0.0.0/0, ::/0"))
    made.device.command("wg strict on")
    file = tmp_path / "outside.pcapng"
    with Wire("tap0") as link, capture.Capture("tap0", file):
        advertise(made, link, reachable_ms=1000)
        made.device.command("wg up")
        made.wait_up()
        assert made.device_pings(count=60, every_s=0.2) >= 59
        assert re.search(r"^guard +refused 0 ", made.device.command("stats"), re.MULTILINE)
    asked = f"icmpv6.nd.ns.target_address == {HOST_OUTER[6]}"
    assert len(capture.tshark(file, "-Y", asked).splitlines()) > 1
