# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Output of the device's commands: pings, counters, the tunnel's start."""

from __future__ import annotations

import itertools
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from wyrmlab.base.errors import WyrmError
from wyrmlab.boards.device import Device
from wyrmlab.peers import wireguard
from wyrmlab.peers.device_tunnel import HOST_OUTER, Family

pytestmark = pytest.mark.netns
Boot = Callable[..., Device]


def column(device: Device, layer: str, name: str) -> int:
    """A counter of the table that `stats` prints."""
    rows = [line.split() for line in device.command("stats").splitlines()]
    head = next(row for row in rows if row[0] == "layer")
    return next(int(row[head.index(name)]) for row in rows if row[0] == layer)


def internet_checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def echo_reply(packet: bytes, family: Family) -> bytes | None:
    """The reply to a packet from a raw socket, if that is an echo request."""
    if family == 4:
        if packet[20:21] != b"\x08":
            return None
        body = packet[24:]
        return struct.pack("!BBH", 0, 0, internet_checksum(bytes(4) + body)) + body
    # The kernel adds the checksum of ICMPv6.
    return b"\x81\0\0\0" + packet[4:] if packet[:1] == b"\x80" else None


@contextmanager
def late_replies(family: Family, delay_s: float, *, twice: int = 0) -> Iterator[None]:
    """Answers the device's pings late, and the first `twice` of them twice."""
    ignore = Path(f"/proc/sys/net/ipv{family}/icmp{'_' if family == 4 else '/'}echo_ignore_all")
    over = threading.Event()
    requests = itertools.count()

    def answer(port: socket.socket) -> None:
        due: list[tuple[float, bytes, str]] = []
        port.settimeout(0.01)
        while not over.is_set():
            with suppress(TimeoutError):
                packet, (sender, *_) = port.recvfrom(2000)
                if reply := echo_reply(packet, family):
                    again = [reply] if next(requests) < twice else []
                    due += [(time.monotonic() + delay_s, each, sender) for each in [reply, *again]]
            while due and due[0][0] <= time.monotonic():
                _, reply, sender = due.pop(0)
                port.sendto(reply, (sender, 0))

    ip4 = (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    ip6 = (socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    ignore.write_text("1")
    with socket.socket(*(ip4 if family == 4 else ip6)) as port:
        thread = threading.Thread(target=answer, args=(port,))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(10)
            ignore.write_text("0")


# --- ping and stats ------------------------------------------------------------------------------


@pytest.mark.parametrize("family", [4, 6])
def test_a_reply_after_the_next_request_still_counts(boot: Boot, family: Family) -> None:
    device = boot()
    with late_replies(family, 0.25):
        said = device.command(f"ping {HOST_OUTER[family]} -c 5 -i 0.1")
    assert "ping: 5 sent, 5 received, 0 % loss" in said
    times = re.findall(r"^reply (\d) from \S+: 64 bytes in (\d+)\.\d+ ms", said, re.M)
    assert [number for number, _ in times] == ["1", "2", "3", "4", "5"]
    assert all(int(ms) >= 250 for _, ms in times)


@pytest.mark.parametrize("family", [4, 6])
def test_answered_pings_are_not_counted_as_dropped(boot: Boot, family: Family) -> None:
    device = boot()
    with late_replies(family, 0.25):
        device.command(f"ping {HOST_OUTER[family]} -c 5 -i 0.1")
    with late_replies(family, 0, twice=3):
        said = device.command(f"ping {HOST_OUTER[family]} -c 4 -i 0.1")
    assert "4 sent, 4 received" in said
    layer = "icmp" if family == 4 else "icmp6"
    assert (column(device, layer, "dropped"), column(device, layer, "other")) == (0, 0)


def test_pings_without_an_answer_have_no_times(boot: Boot) -> None:
    said = boot().command("ping 10.9.0.99 -c 2 -i 0.01")
    assert said.splitlines()[-1] == "ping: 2 sent, 0 received, 100 % loss"


# --- wg ------------------------------------------------------------------------------------------


def test_wg_up_prints_that_the_tunnel_started(boot: Boot, tmp_path: Path) -> None:
    device = boot(flash=tmp_path / "flash")
    assert re.fullmatch(
        r"tunnel: started on port \d+ with 0 peers", device.command("wg up 10.77.0.2/24")
    )
    keys = [wireguard.make_keys() for _ in range(3)]
    device.configure(
        f"[Interface]\nPrivateKey = {keys[0].private}\nListenPort = 4321\n"
        "Address = 10.77.0.2/24\n"
        f"[Peer]\nPublicKey = {keys[1].public}\nAllowedIPs = 10.77.0.1/32\n"
        f"[Peer]\nPublicKey = {keys[2].public}\nAllowedIPs = 10.77.0.3/32\n"
    )
    started = "tunnel: started on port 4321 with 2 peers"
    assert device.command("wg up") == started
    device.reboot()
    assert started in device.console.transcript.split("rebooting")[1].replace("\r", "").splitlines()


@pytest.mark.parametrize("address", ["10.77.0.2", "10.77.0.2/33", "up", "fd77::2", "10.77.0/24"])
def test_wg_up_requires_an_address_with_a_prefix(boot: Boot, address: str) -> None:
    device = boot()
    with pytest.raises(WyrmError, match=f"'{address}' is not an ADDRESS/BITS like 10.77.0.2/24"):
        device.command(f"wg up 10.77.0.3/24 {address}")
    with pytest.raises(WyrmError, match="the tunnel is down"):
        device.command("wg")


@pytest.mark.parametrize("count", [2, 5, 9])
def test_wg_up_with_too_many_addresses_names_the_limit(boot: Boot, count: int) -> None:
    addresses = " ".join(f"10.77.{i}.2/24" for i in range(count))
    with pytest.raises(WyrmError, match="takes 1 IPv4 address and at most 3 IPv6 addresses"):
        boot().command(f"wg up {addresses}")
