# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Raw Ethernet frames on a link: sent and received as by an attacker on a device's LAN."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from ipaddress import ip_address

import dpkt

from wyrmlab.network.wiring import Wiring

DEVICE_MAC = bytes.fromhex(Wiring().mac.replace(":", ""))
ATTACKER_MAC = bytes.fromhex("020000000066")
ATTACKER_LINK_LOCAL = "fe80::66"

_ALL = 0x0003  # ETH_P_ALL
_OUTGOING = 4  # PACKET_OUTGOING: our own frames


def packed(address: str) -> bytes:
    return ip_address(address).packed


# --- Building ------------------------------------------------------------------------------------


def ethernet(payload: dpkt.Packet, *, to: bytes = DEVICE_MAC, by: bytes = ATTACKER_MAC) -> bytes:
    kinds = {dpkt.arp.ARP: 0x0806, dpkt.ip.IP: 0x0800, dpkt.ip6.IP6: 0x86DD}
    return to + by + kinds[type(payload)].to_bytes(2, "big") + bytes(payload)


def ip(source: str, target: str, protocol: int, payload: object, **fields: int) -> dpkt.Packet:
    """An IPv4 or IPv6 packet; checksums are filled in."""
    addresses = {"src": packed(source), "dst": packed(target)}
    if ip_address(target).version == 4:
        packet = dpkt.ip.IP(p=protocol, ttl=64, data=payload, **addresses)
        packet.len = len(packet)
    else:
        packet = dpkt.ip6.IP6(nxt=protocol, hlim=64, data=payload, **addresses)
        packet.extension_hdrs, packet.all_extension_headers = {}, []
        packet.plen = len(bytes(payload))  # type: ignore[call-overload]
    for name, value in fields.items():
        setattr(packet, name, value)
    return packet


def echo_request(source: str, target: str, *, size: int = 32, **fields: int) -> dpkt.Packet:
    if ip_address(target).version == 6:
        echo = dpkt.icmp6.ICMP6.Echo(id=0x666, seq=1, data=bytes(size))
        return _icmp6(source, target, dpkt.icmp6.ICMP6(type=128, data=echo), **fields)
    echo = dpkt.icmp.ICMP.Echo(id=0x666, seq=1, data=bytes(size))
    return ip(source, target, 1, dpkt.icmp.ICMP(type=8, data=echo), **fields)


def udp(source: str, target: str, port: int, data: bytes, *, by_port: int = 40000) -> dpkt.Packet:
    datagram = dpkt.udp.UDP(sport=by_port, dport=port, data=data)
    datagram.ulen = len(datagram)
    return ip(source, target, 17, datagram)


def syn(source: str, target: str, port: int, *, by_port: int) -> dpkt.Packet:
    flags = dpkt.tcp.TH_SYN
    segment = dpkt.tcp.TCP(sport=by_port, dport=port, seq=1, flags=flags, win=8192)
    return ip(source, target, 6, segment)


def router_advertisement(prefix: str, *, reachable_ms: int = 0) -> dpkt.Packet:
    """Announces a default router and an on-link /64 for autoconfiguration; neighbors count as
    reachable for `reachable_ms` (0: unspecified)."""
    body = bytes.fromhex("40000708")  # hop limit 64, lifetime 1800 s
    body += reachable_ms.to_bytes(4, "big") + bytes(4)
    body += bytes.fromhex("030440c0") + 2 * (3600).to_bytes(4, "big") + bytes(4) + packed(prefix)
    message = b"\x86\0\0\0" + body
    return _icmp6(ATTACKER_LINK_LOCAL, "ff02::1", message, hlim=255)


def _icmp6(source: str, target: str, message: object, **fields: int) -> dpkt.Packet:
    raw = bytearray(bytes(message))  # type: ignore[call-overload]
    raw[2:4] = bytes(2)
    pseudo = packed(source) + packed(target) + len(raw).to_bytes(4, "big") + b"\0\0\0\x3a"
    raw[2:4] = dpkt.in_cksum(pseudo + bytes(raw)).to_bytes(2, "big")
    return ip(source, target, 58, bytes(raw), **fields)


# --- The wire ------------------------------------------------------------------------------------


class Wire:
    """Sends and receives raw frames on a link."""

    def __init__(self, interface: str) -> None:
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ALL))
        self._socket.bind((interface, _ALL))

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    @property
    def mac(self) -> bytes:
        """The interface's own."""
        return bytes(self._socket.getsockname()[4])

    def send(self, frame: bytes) -> None:
        """Sends one frame; drops it if the queue is full."""
        with contextlib.suppress(BlockingIOError, OSError):
            self._socket.send(frame)

    def receive(self, timeout_s: float) -> Iterator[dpkt.ethernet.Ethernet]:
        """Yields the frames that arrive within `timeout_s`."""
        end = time.monotonic() + timeout_s
        while (left := end - time.monotonic()) > 0:
            self._socket.settimeout(left)
            with contextlib.suppress(TimeoutError):
                frame, where = self._socket.recvfrom(4096)
                if where[2] != _OUTGOING:
                    yield dpkt.ethernet.Ethernet(frame)

    def drain(self) -> None:
        """Discards frames received so far."""
        self._socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self._socket.recv(4096)
        self._socket.setblocking(True)


@contextlib.contextmanager
def flood(wire: Wire, make: Callable[[int], bytes], per_second: int) -> Iterator[list[int]]:
    """Sends make(0), make(1), ... from a separate thread at no more than this rate; yields a list
    with one element, the number sent."""
    sent = [0]
    end = threading.Event()
    every_s = 0.01

    def send() -> None:
        allowed, last = 0.0, time.monotonic()
        while not end.wait(every_s):
            now = time.monotonic()
            # Do not catch up after delays: that would be a burst.
            allowed = min(allowed + (now - last) * per_second, per_second * 2 * every_s + 1)
            last = now
            while allowed >= 1:
                wire.send(make(sent[0]))
                sent[0] += 1
                allowed -= 1

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield sent
    finally:
        end.set()
        thread.join()
