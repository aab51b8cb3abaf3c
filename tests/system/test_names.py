# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A peer whose endpoint is a name, and a name server that changes its mind."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import dpkt
import pytest
from wyrmlab.pair import HOST_INNER, HOST_OUTER, Pair, at

pytestmark = pytest.mark.netns
MakePair = Callable[..., Pair]
NAME = "vpn.example.com"


class NameServer:
    """Tells everybody that all names are at `address`; with None that there is no such name."""

    def __init__(self) -> None:
        self.address: str | None = None
        self.asked = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((HOST_OUTER[4], 53))
        self._socket.settimeout(0.1)
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def close(self) -> None:
        self._end.set()
        self._thread.join(10)
        self._socket.close()

    def _serve(self) -> None:
        while not self._end.is_set():
            with contextlib.suppress(TimeoutError):
                data, asker = self._socket.recvfrom(512)
                self.asked += 1
                self._socket.sendto(self._answer(dpkt.dns.DNS(data)), asker)

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
def name_server() -> Iterator[Callable[[], NameServer]]:
    with contextlib.ExitStack() as stack:

        def make() -> NameServer:
            server = NameServer()
            stack.callback(server.close)
            return server

        yield make


def test_a_peer_is_looked_for_under_its_name_until_it_answers(
    pair: MakePair, name_server: Callable[[], NameServer]
) -> None:
    """No name server, then no such name, then a wrong address, then the right one."""
    made = pair()
    console = made.device.console
    made.bring_up_peer()
    made.device.configure(made.device_conf(endpoint=f"{NAME}:51820"))
    made.device.console.send_line("wg up")
    console.expect(
        rf"^tunnel: the name '{NAME}' was not found, there is no name server", timeout_s=5
    )
    server = name_server()
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.console.send_line("wg up")
    console.expect(rf"^tunnel: the name '{NAME}' was not found; asking on", timeout_s=20)
    server.address = "10.9.0.99"
    console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.99:51820", timeout_s=30)
    server.address = HOST_OUTER[4]
    console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.1:51820", timeout_s=30)
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
    made.device.console.expect(rf"^tunnel: '{NAME}' is at 10\.9\.0\.99:51820", timeout_s=20)
    console = made.device.console
    console.send_line("uapi")
    console.expect(r"^Type a request[^\r\n]*\r*\n")
    key = base64.b64decode(made.peer_keys.public).hex()
    console.send(f"set=1\npublic_key={key}\nendpoint={at(HOST_OUTER[4])}\n\n".encode())
    console.expect(r"^errno=0", timeout_s=20)
    made.wait_up()
    assert made.device_pings(HOST_INNER[4]) == 3
