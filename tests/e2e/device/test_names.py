# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Endpoint names, with a name server that changes its answers or is slow."""

from __future__ import annotations

import base64
import contextlib
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import dpkt
import pytest
from wyrmlab.base import proc
from wyrmlab.boards.device import Device
from wyrmlab.network import capture
from wyrmlab.network.datagrams import DatagramServer
from wyrmlab.network.dhcp import DhcpServer
from wyrmlab.network.host import HERE
from wyrmlab.peers.conf import at
from wyrmlab.peers.device_tunnel import DEVICE_OUTER, HOST_INNER, HOST_OUTER, DeviceTunnel

pytestmark = pytest.mark.netns
MakePair = Callable[..., DeviceTunnel]
NAME = "vpn.example.com"


class NameServer(DatagramServer):
    """Answers that every name has the address `address`; if None, that no name exists.

    Questions for one of the names in `slow` wait for `answer_late`.
    """

    def __init__(self, at: str) -> None:
        super().__init__(at, 53)
        self.address: str | None = None
        self.names: set[str] = set()  # asked for so far
        self.slow: set[str] = set()
        self.forged = False  # forged answers with 10.9.0.66 precede each answer
        self.waiting: list[tuple[dpkt.dns.DNS, tuple[str, int]]] = []
        self.asked = 0

    def handle(self, data: bytes, sender: tuple[str, int]) -> None:
        self.asked += 1
        message = dpkt.dns.DNS(data)
        self.names.add(message.qd[0].name)
        if message.qd[0].name in self.slow:
            self.waiting.append((message, sender))
            return
        if self.forged:
            self._send_forgeries(data, sender)
        self.socket.sendto(self._answer(message), sender)

    def _send_forgeries(self, question: bytes, asker: tuple[str, int]) -> None:
        """Sends forgeries by an attacker who does not see the query, and truncated messages."""
        genuine, self.address = self.address, "10.9.0.66"
        forged = self._answer(dpkt.dns.DNS(question))
        self.address = genuine
        other_id = bytes([forged[0] ^ 1]) + forged[1:]
        other_name = forged.replace(b"\3vpn", b"\3nvp")
        for message in (other_id, other_name, *(forged[:n] for n in range(12 + len(NAME)))):
            self.socket.sendto(message, asker)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as elsewhere:
            elsewhere.sendto(forged, asker)

    def wait_asked(self, name: str) -> None:
        proc.wait_until(
            lambda: any(message.qd[0].name == name for message, _ in self.waiting),
            timeout_s=60,
            what=f"a question for {name}",
        )

    def answer_late(self, name: str) -> None:
        for message, asker in [*self.waiting]:
            if message.qd[0].name == name:
                self.socket.sendto(self._answer(message), asker)

    def _answer(self, message: dpkt.dns.DNS) -> bytes:
        message.qr = dpkt.dns.DNS_R
        asked = message.qd[0]
        if self.address is None:
            message.rcode = dpkt.dns.DNS_RCODE_NXDOMAIN
        elif asked.type == dpkt.dns.DNS_A:
            found = socket.inet_aton(self.address)
            message.an.append(
                dpkt.dns.DNS.RR(
                    name=asked.name, type=asked.type, cls=asked.cls, ttl=1, rdata=found, ip=found
                )
            )
        return bytes(message)


@pytest.fixture
def name_server() -> Iterator[Callable[..., NameServer]]:
    with contextlib.ExitStack() as stack:

        def make(at: str = HOST_OUTER[4]) -> NameServer:
            return stack.enter_context(NameServer(at))

        yield make


def test_an_endpoint_name_is_looked_up_until_the_peer_answers(
    pair: MakePair, name_server: Callable[[], NameServer]
) -> None:
    """No name server, then no such name, then a wrong address, then the right one."""
    made = pair()
    console = made.device.console
    made.bring_up_peer()
    made.device.configure(made.device_conf(endpoint=f"{NAME}:51820"))
    made.device.console.send_line("wg up")
    console.expect(
        rf"^tunnel: the name '{NAME}' was not found, there is no name server", timeout_s=60
    )
    server = name_server()
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.console.send_line("wg up")
    console.expect(rf"^tunnel: the name '{NAME}' was not found; retrying", timeout_s=60)
    server.address = "10.9.0.99"
    console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.99:51820", timeout_s=60)
    server.address = HOST_OUTER[4]
    console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.1:51820", timeout_s=60)
    made.wait_up()
    assert made.device_pings(HOST_INNER[4]) == 3

    asked = server.asked
    assert made.device_pings(HOST_INNER[4], count=20) == 20
    assert server.asked == asked  # a peer that answers is not looked for


def test_an_endpoint_set_by_hand_replaces_the_name(
    pair: MakePair, name_server: Callable[[], NameServer]
) -> None:
    made = pair()
    server = name_server()
    server.address = "10.9.0.99"
    made.bring_up_peer()
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.configure(made.device_conf(endpoint=f"{NAME}:51820"))
    made.device.console.send_line("wg up")
    made.device.console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.99:51820", timeout_s=60)
    console = made.device.console
    console.send_line("uapi")
    console.expect(r"^Type a request[^\r\n]*\r*\n")
    key = base64.b64decode(made.peer_keys.public).hex()
    console.send(f"set=1\npublic_key={key}\nendpoint={at(HOST_OUTER[4])}\n\n".encode())
    console.expect(r"^errno=0", timeout_s=60)
    made.wait_up()
    assert made.device_pings(HOST_INNER[4]) == 3


def test_a_late_answer_is_not_taken_for_that_of_another_name(
    pair: MakePair, name_server: Callable[[], NameServer]
) -> None:
    """Ctrl-C cancels the first lookup while its query is in flight."""
    device = pair().device
    console = device.console
    server = name_server()
    server.slow = {"first.example.com", "second.example.com"}
    device.command(f"ip dns {HOST_OUTER[4]}")
    console.send_line("ping first.example.com -c 1")
    server.wait_asked("first.example.com")
    console.send(b"\x03")
    console.expect(r"^error: ", timeout_s=60)
    console.send_line("ping second.example.com -c 1")
    server.wait_asked("second.example.com")
    server.address = "10.9.0.99"
    server.answer_late("first.example.com")
    server.address = HOST_OUTER[4]
    server.answer_late("second.example.com")
    console.expect(r"^reply 1 from 10\.9\.0\.1:", timeout_s=60)


# --- Whose name servers --------------------------------------------------------------------------


def dhcp_server() -> DhcpServer:
    """Leases the device its current address, with a name server."""
    return DhcpServer(router=HOST_OUTER[4], dns=HOST_OUTER[4], address=DEVICE_OUTER[4])


def name_servers(device: Device) -> list[str]:
    """The name servers that `ip` prints, the active one first."""
    return re.findall(r"^dns +(\S+)", device.command("ip"), re.MULTILINE)


def test_known_defect_78_endpoint_names_are_looked_up_outside_the_tunnel(
    pair: MakePair, name_server: Callable[..., NameServer]
) -> None:
    """Everything goes through the tunnel, all other lookups too."""
    made = pair()
    outside = name_server()
    outside.address = HOST_OUTER[4]
    made.bring_up_peer()
    inside = name_server(HOST_INNER[4])
    inside.address = HOST_INNER[4]
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.configure(
        made.device_conf(
            endpoint=f"{NAME}:51820",
            allowed="0.0.0.0/0, ::/0",
            interface=f"DNS = {HOST_INNER[4]}",
        )
    )
    made.device.command("wg up")
    made.wait_up()
    assert made.device_pings("inside.example.com", count=1) == 1
    assert outside.names == {NAME}
    assert "inside.example.com" in inside.names


def test_forged_answers_do_not_move_an_endpoint(
    pair: MakePair, name_server: Callable[..., NameServer]
) -> None:
    made = pair()
    made.bring_up_peer()
    server = name_server()
    server.address, server.forged = HOST_OUTER[4], True
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.configure(made.device_conf(endpoint=f"{NAME}:51820"))
    made.device.command("wg up")
    made.wait_up()
    assert "10.9.0.66" not in made.device.console.transcript


def test_a_lease_renewed_leaves_the_name_servers_of_the_tunnel_until_wg_off(
    pair: MakePair,
) -> None:
    made = pair()
    made.bring_up_peer()
    with dhcp_server() as dhcp:
        made.device.command("ip dhcp", timeout_s=20)
        assert name_servers(made.device) == [HOST_OUTER[4]]
        made.device.configure(made.device_conf(interface=f"DNS = {HOST_INNER[4]}"))
        made.device.command("wg up")
        made.wait_up()
        assert name_servers(made.device) == [HOST_INNER[4], HOST_OUTER[4]]
        before = dhcp.acknowledged
        made.device.command("ip dhcp", timeout_s=20)
        assert dhcp.acknowledged > before
        assert name_servers(made.device) == [HOST_INNER[4], HOST_OUTER[4]]
        made.device.command("wg down")
        assert name_servers(made.device) == [HOST_INNER[4], HOST_OUTER[4]]
        made.device.command("wg off")
        assert name_servers(made.device) == [HOST_OUTER[4]]


def test_a_tunnel_without_name_servers_uses_those_of_the_network(pair: MakePair) -> None:
    made = pair()
    made.bring_up_peer()
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.configure(made.device_conf(interface=f"DNS = {HOST_INNER[4]}"))
    made.device.command("wg up")
    made.wait_up()
    made.device.configure(made.device_conf())
    made.device.command("wg up")
    assert name_servers(made.device) == [HOST_OUTER[4]]


def test_known_defect_77_addresses_of_a_configuration_that_fails_stay_out_of_reach(
    pair: MakePair, tmp_path: Path
) -> None:
    """The listen port is that of the DHCP client, so the tunnel cannot start at boot."""
    made = pair()
    conf = made.device_conf(allowed="10.77.0.0/24, 198.51.100.0/24, fd77::/64")
    made.device.configure(conf.replace("ListenPort = 51820", "ListenPort = 68"))
    made.device.stop()
    made.device.qemu.args["dhcp"] = "yes"
    file = tmp_path / "outside.pcapng"
    with (
        dhcp_server(),
        capture.Capture("tap0", file, only="not udp port 67"),
    ):
        made.device.start()
        made.device.console.expect(
            r"^error: traffic for the tunnel is dropped until it is up; 'wg up'.*'wg off'",
            timeout_s=20,
        )
        for held in (HOST_INNER[4], HOST_INNER[6], "198.51.100.7"):
            assert made.device_pings(held, count=1) == 0
        assert HERE.ping(DEVICE_OUTER[4], count=3).received == 3
    held = "ip.addr == 10.77.0.0/24 || ip.addr == 198.51.100.0/24 || ipv6.addr == fd77::/64"
    asked = "arp.dst.proto_ipv4 == 10.77.0.0/24 || icmpv6.nd.ns.target_address == fd77::/64"
    assert capture.tshark(file, "-Y", f"{held} || {asked}") == ""
