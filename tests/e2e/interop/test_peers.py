# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device with wyrmd and boringtun as peers, and NATs in between."""

from __future__ import annotations

import contextlib
import re
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from wyrmlab.base import proc
from wyrmlab.network import capture, packets
from wyrmlab.network.host import HERE
from wyrmlab.peers import wireguard
from wyrmlab.peers.conf import PORT, at
from wyrmlab.peers.device_tunnel import (
    DEVICE_INNER,
    DEVICE_OUTER,
    HOST_INNER,
    HOST_OUTER,
    DeviceTunnel,
    Family,
)
from wyrmlab.peers.flood import flood

pytestmark = pytest.mark.netns
MakePair = Callable[..., DeviceTunnel]


ProgramNamed = Callable[[str], Path | str]


@pytest.fixture(params=["wyrmd", "boringtun"])
def program(request: pytest.FixtureRequest, program_named: ProgramNamed) -> Path | str:
    return program_named(request.param)


@pytest.mark.parametrize(
    ("first", "outer", "with_psk"),
    [("device", 4, True), ("peer", 6, False)],
    ids=["device-begins", "peer-begins-over-ipv6"],
)
def test_a_device_exchanges_every_kind_of_packet_with_other_implementations(
    pair: MakePair,
    program: Path | str,
    first: Literal["device", "peer"],
    outer: Family,
    with_psk: bool,
    tmp_path: Path,
) -> None:
    """Pings of both families both ways, up to the last byte of the MTU and beyond; streams."""
    made = pair(outer, wireguard.make_psk() if with_psk else "", program)
    made.connect(first=first)
    for size in (56, 1420 - 28, 4000):
        assert made.host_pings(size=size)
        for family in (4, 6):
            assert made.device_pings(HOST_INNER[family], size=size) == 3
    assert made.peer.peers()[0].endpoint == at(DEVICE_OUTER[outer])

    size = 1 << 19
    made.device.command("iperf -s")
    proc.run("iperf", "-c", DEVICE_INNER[4], "-n", str(size), timeout_s=60)
    made.device.console.expect(rf"^iperf: rx {size} bytes in", timeout_s=30)
    server = proc.Service(
        "iperf", ["iperf", "-s", "-V"], tmp_path / "iperf.log", stop_signal=signal.SIGKILL
    )
    with server:
        server.wait_for("Server listening", timeout_s=60)
        made.device.console.send_line(f"iperf -c {HOST_INNER[6]} -n {size}")
        made.device.console.expect(rf"^iperf: tx {size} bytes in", timeout_s=60)


def test_other_implementations_may_restart_elsewhere_while_the_device_moves(
    pair: MakePair, program: Path
) -> None:
    made = pair(4, wireguard.make_psk(), program)
    made.connect()
    made.forget(endpoint=at(DEVICE_OUTER[4]))
    assert made.host_pings()
    assert made.device_pings() == 3
    made.device.command("ip 10.9.0.33/24 gw 10.9.0.1")
    assert made.device_pings() == 3
    assert made.peer.peers()[0].endpoint == at("10.9.0.33")
    made.peer.stop()
    net_gone = f"the end of {made.peer.interface}"
    proc.wait_until(
        lambda: not HERE.has_interface(made.peer.interface), timeout_s=60, what=net_gone
    )
    made.peer.start()
    text = made.peer_conf(endpoint=at("10.9.0.33")).replace(
        f"ListenPort = {PORT}", "ListenPort = 51999"
    )
    made.peer.configure(text)
    made.peer.up(f"{HOST_INNER[4]}/24", f"{HOST_INNER[6]}/64")
    assert made.host_pings()
    assert f"endpoint: {at(HOST_OUTER[4], 51999)}" in made.device.command("wg")


def test_keepalives_of_both_ends_cause_no_extra_traffic(
    pair: MakePair, wyrmd: Path, tmp_path: Path
) -> None:
    made = pair(4, "", wyrmd)
    text = made.peer_conf().replace("AllowedIPs", "PersistentKeepalive = 1\nAllowedIPs")
    made.peer.configure(text)
    made.peer.up(f"{HOST_INNER[4]}/24", f"{HOST_INNER[6]}/64")
    made.device.configure(made.device_conf(peer="PersistentKeepalive = 1"))
    made.device.command("wg up")
    made.wait_up()
    file = tmp_path / "outside.pcapng"
    begun = time.monotonic()
    with capture.Capture("tap0", file):
        time.sleep(2.5)
    longest = time.monotonic() - begun
    seen = packets.examine_outside(file, port=PORT, plaintext=b"never")
    assert seen.only_wireguard, seen.strangers
    assert 3 <= seen.messages["keepalive"] <= 2 * (longest + 1)
    assert not seen.messages["initiation"]


# --- NAT -----------------------------------------------------------------------------------------


class Nat:
    """A NAT between device and peer: both see it as the other end; `rebind()` changes its port
    towards the peer."""

    def __init__(self, near: tuple[str, int], far: tuple[str, int]) -> None:
        self._device: tuple[str, int] | None = None
        self._far_address = far
        self._near = _bound(near)
        self._far = _bound((near[0], 0))
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._carry)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._far.getsockname()[1])

    def rebind(self) -> None:
        with self._lock:
            self._far.close()
            self._far = _bound((self._near.getsockname()[0], 0))

    def close(self) -> None:
        self._end.set()
        self._thread.join(10)
        self._near.close()
        self._far.close()

    def _carry(self) -> None:
        while not self._end.is_set():
            with self._lock, selectors.DefaultSelector() as ready:
                ready.register(self._near, selectors.EVENT_READ)
                ready.register(self._far, selectors.EVENT_READ)
                for key, _ in ready.select(0.02):
                    with contextlib.suppress(BlockingIOError, ConnectionError):
                        self._pass_on(key.fileobj is self._near)

    def _pass_on(self, outwards: bool) -> None:
        if outwards:
            data, self._device = self._near.recvfrom(2048)
            self._far.sendto(data, self._far_address)
        elif self._device:
            self._near.sendto(self._far.recv(2048), self._device)


def _bound(address: tuple[str, int]) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(address)
    made.setblocking(False)
    return made


@pytest.fixture
def nat() -> Iterator[Callable[[], Nat]]:
    with contextlib.ExitStack() as stack:

        def make() -> Nat:
            box = Nat((HOST_OUTER[4], 52000), (HOST_OUTER[4], PORT))
            stack.callback(box.close)
            return box

        yield make


@pytest.mark.parametrize("make", ["wireguard-go", "wyrmd", "boringtun"])
def test_a_device_behind_a_rebinding_nat_stays_reachable(
    pair: MakePair, nat: Callable[[], Nat], program_named: ProgramNamed, make: str
) -> None:
    made = pair(4, "", program_named(make))
    box = nat()
    made.bring_up_peer()
    made.device.configure(made.device_conf(endpoint=at(HOST_OUTER[4], 52000)))
    made.device.command("wg up")
    made.wait_up()
    for _ in range(3):
        assert made.peer.peers()[0].endpoint == at(HOST_OUTER[4], box.port)
        box.rebind()
        assert HERE.ping(DEVICE_INNER[4], count=1, wait_s=0.3).received == 0  # the hole is gone
        assert made.device_pings() == 3
        assert made.host_pings()
    assert f"endpoint: {at(HOST_OUTER[4], 52000)}" in made.device.command("wg")


# --- Under load ----------------------------------------------------------------------------------


def test_a_device_gets_through_to_a_peer_under_load(
    pair: MakePair, wyrmd: Path, tmp_path: Path
) -> None:
    """The peer answers with cookies; the device proves its address when it retries after 5 s, and
    is let in during the flood."""
    made = pair(4, "", wyrmd)
    made.bring_up_peer()
    made.device.configure(made.device_conf())
    with flood(made.peer_keys.public, HOST_OUTER[4], tmp_path / "flood") as running:
        made.device.command("wg up")
        made.wait_up(timeout_s=60)
        count = running.end()
    assert 0 < count.cookies <= count.sent
    assert (count.responses, count.other) == (0, 0)
    assert re.search(r"latest handshake: (?!none)", made.device.command("wg"))
    assert made.host_pings()
