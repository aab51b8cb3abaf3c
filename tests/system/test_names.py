# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A peer whose endpoint is a name, and a name server that changes its mind or takes its time."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

import dpkt
import pytest
from wyrmlab import proc
from wyrmlab.pair import HOST_INNER, HOST_OUTER, Pair, at

pytestmark = pytest.mark.netns
MakePair = Callable[..., Pair]
NAME = "vpn.example.com"


class NameServer:
    """Tells everybody that all names are at `address`; with None that there is no such name.

    Questions for one of the names in `slow` wait for `answer_late`.
    """

    def __init__(self) -> None:
        self.address: str | None = None
        self.slow: set[str] = set()
        self.waiting: list[tuple[dpkt.dns.DNS, tuple[str, int]]] = []
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
                message = dpkt.dns.DNS(data)
                if message.qd[0].name in self.slow:
                    self.waiting.append((message, asker))
                else:
                    self._socket.sendto(self._answer(message), asker)

    def wait_asked(self, name: str) -> None:
        proc.wait_until(
            lambda: any(message.qd[0].name == name for message, _ in self.waiting),
            timeout_s=60,
            what=f"a question for {name}",
        )

    def answer_late(self, name: str) -> None:
        for message, asker in [*self.waiting]:
            if message.qd[0].name == name:
                self._socket.sendto(self._answer(message), asker)

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
        rf"^tunnel: the name '{NAME}' was not found, there is no name server", timeout_s=60
    )
    server = name_server()
    made.device.command(f"ip dns {HOST_OUTER[4]}")
    made.device.console.send_line("wg up")
    console.expect(rf"^tunnel: the name '{NAME}' was not found; asking on", timeout_s=60)
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
    """Ctrl-C gives up the first name while its question is still under way."""
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
