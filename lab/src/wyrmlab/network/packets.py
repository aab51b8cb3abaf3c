# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Reads captures: classifies packets outside a tunnel and extracts pings inside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import dpkt

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError

# Message types and lengths, paper section 5.4; data packets add 32 bytes to their payload.
_FIXED_LENGTHS = {(1, 148): "initiation", (2, 92): "response", (3, 64): "cookie reply"}
_DATA, _DATA_OVERHEAD = 4, 32
_DLT_RAW = (12, 101, 228, 229)  # raw IP: captures of tunnel interfaces


def classify(payload: bytes) -> str | None:
    """The kind of a WireGuard message; None if type or size is invalid."""
    if len(payload) < _DATA_OVERHEAD or payload[1:4] != b"\0\0\0":
        return None
    if payload[0] == _DATA:
        return "keepalive" if len(payload) == _DATA_OVERHEAD else "data"
    return _FIXED_LENGTHS.get((payload[0], len(payload)))


@dataclass
class Outside:
    """Packets on the link that carries the tunnel, counted by kind."""

    messages: Counter[str] = field(default_factory=Counter)
    housekeeping: Counter[str] = field(default_factory=Counter)  # ARP, IPv6 discovery
    strangers: list[str] = field(default_factory=list)  # anything else
    plaintext_found: bool = False

    @property
    def only_wireguard(self) -> bool:
        return bool(self.messages) and not self.strangers


@dataclass(frozen=True, order=True)
class Echo:
    """The fields that identify a ping packet in several captures."""

    kind: str  # request or reply
    ident: int
    seq: int
    text: bytes  # end of the payload; ping and tshark interpret its start as a timestamp


_TEXT_LEN = 40


@dataclass(frozen=True)
class Seen:
    """A packet of a capture, as text."""

    at: float
    what: str


def walk(file: Path) -> list[Seen]:
    """The packets of a capture in order: WireGuard messages, pings, others by protocol."""
    with file.open("rb") as stream:
        reader = dpkt.pcapng.Reader(stream)
        raw_ip = reader.datalink() in _DLT_RAW
        return [Seen(float(at), _in_words(_decoded(frame, raw_ip))) for at, frame in reader]


def _in_words(packet: object) -> str:
    inner = getattr(packet, "data", None)
    if isinstance(inner, dpkt.udp.UDP):
        payload = bytes(inner.data)
        kind = classify(payload)
        return f"{kind or 'UDP'}, {len(payload)} B, port {inner.sport} to {inner.dport}"
    if isinstance(inner, dpkt.icmp.ICMP | dpkt.icmp6.ICMP6):
        echo = inner.data
        if isinstance(echo, dpkt.icmp.ICMP.Echo | dpkt.icmp6.ICMP6.Echo):
            request = inner.type in (dpkt.icmp.ICMP_ECHO, dpkt.icmp6.ICMP6_ECHO_REQUEST)
            return f"echo {'request' if request else 'reply'} {echo.seq}"
    return type(inner if isinstance(inner, dpkt.Packet) else packet).__name__


def _frames(file: Path) -> Iterator[tuple[bytes, object]]:
    """Each frame with its decoded network-layer packet."""
    with file.open("rb") as stream:
        try:
            reader = dpkt.pcapng.Reader(stream)
        except ValueError as error:
            raise WyrmError(f"The capture {file.name} cannot be read: {error}.") from error
        raw_ip = reader.datalink() in _DLT_RAW
        for _, frame in reader:
            yield frame, _decoded(frame, raw_ip)


def _decoded(frame: bytes, raw_ip: bool) -> object:
    if raw_ip:
        return (dpkt.ip.IP if frame[0] >> 4 == 4 else dpkt.ip6.IP6)(frame)
    return dpkt.ethernet.Ethernet(frame).data


def agreed_mss(file: Path) -> int:
    """The largest segment that both ends of a capture's TCP connections offer in their SYNs."""
    offered = []
    for _, packet in _frames(file):
        segment = getattr(packet, "data", None)
        if isinstance(segment, dpkt.tcp.TCP) and segment.flags & dpkt.tcp.TH_SYN:
            options = dict(dpkt.tcp.parse_opts(segment.opts))
            offered.append(int.from_bytes(options.get(dpkt.tcp.TCP_OPT_MSS, b"\x02\x18"), "big"))
    if len(offered) < 2:
        raise WyrmError(f"The capture {file.name} has no whole TCP handshake.")
    return min(offered)


def examine_outside(file: Path, *, port: int, plaintext: bytes) -> Outside:
    """Classifies every frame of the outer link and searches all of them for `plaintext`."""
    seen = Outside()
    for frame, packet in _frames(file):
        if plaintext in frame:
            seen.plaintext_found = True
        if isinstance(packet, dpkt.arp.ARP):
            seen.housekeeping["ARP"] += 1
        elif isinstance(packet, dpkt.ip6.IP6) and isinstance(packet.data, dpkt.icmp6.ICMP6):
            _sort_icmp6(seen, packet.data)
        elif isinstance(packet, dpkt.ip.IP) and packet.p == dpkt.ip.IP_PROTO_IGMP:
            seen.housekeeping["multicast membership"] += 1
        else:
            _sort_datagram(seen, packet, port)
    return seen


def _sort_icmp6(seen: Outside, message: dpkt.icmp6.ICMP6) -> None:
    # 130-132 and 143: multicast membership; 133-137: neighbour and router discovery.
    if message.type in (130, 131, 132, 133, 134, 135, 136, 137, 143):
        seen.housekeeping["IPv6 neighbour discovery"] += 1
    else:
        seen.strangers.append(f"ICMPv6 type {message.type}")


def _sort_datagram(seen: Outside, packet: object, port: int) -> None:
    datagram = getattr(packet, "data", None)
    if isinstance(datagram, dpkt.udp.UDP) and port in (datagram.sport, datagram.dport):
        kind = classify(bytes(datagram.data))
        if kind is not None:
            seen.messages[kind] += 1
            return
        seen.strangers.append(f"UDP port {port} with {len(bytes(datagram.data))} foreign bytes")
        return
    seen.strangers.append(type(datagram if datagram is not None else packet).__name__)


def echoes_inside(file: Path) -> list[Echo]:
    """The pings in a capture of the tunnel interface."""
    found = []
    for _, packet in _frames(file):
        message = getattr(packet, "data", None)
        if not isinstance(message, dpkt.icmp.ICMP | dpkt.icmp6.ICMP6):
            continue
        echo = message.data
        if isinstance(echo, dpkt.icmp.ICMP.Echo | dpkt.icmp6.ICMP6.Echo):
            requests = (dpkt.icmp.ICMP_ECHO, dpkt.icmp6.ICMP6_ECHO_REQUEST)
            kind = "request" if message.type in requests else "reply"
            found.append(Echo(kind, echo.id, echo.seq, bytes(echo.data)[-_TEXT_LEN:]))
    return sorted(found)


def echoes_decrypted(file: Path, keylog: Path) -> list[Echo]:
    """The pings that tshark finds inside WireGuard messages, given the keys."""
    fields = ("icmp.type", "icmp.ident", "icmp.seq")
    fields6 = ("icmpv6.type", "icmpv6.echo.identifier", "icmpv6.echo.sequence_number")
    done = proc.run(
        *("tshark", "-n", "-r", file, "-o", f"wg.keylog_file:{keylog}"),
        *("-Y", "wg && (icmp || icmpv6.echo.identifier)"),
        *("-T", "fields", "-E", "occurrence=f"),
        *(part for name in (*fields, *fields6, "data.data") for part in ("-e", name)),
        timeout_s=120,
    )
    found = []
    for line in done.stdout.splitlines():
        *columns, payload = line.split("\t")
        kind, ident, seq = columns[:3] if columns[0] else columns[3:]
        found.append(
            Echo(
                "request" if kind in ("8", "128") else "reply",
                int(ident, 0),
                int(seq, 0),
                bytes.fromhex(payload.replace(":", ""))[-_TEXT_LEN:],
            )
        )
    return sorted(found)
