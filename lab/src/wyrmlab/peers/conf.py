# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Writes configurations of WireGuard, as wg(8), wg-quick(8) and a device's console read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wyrmlab.network.wiring import PORT as PORT


@dataclass(frozen=True)
class PeerSection:
    """`more`: further lines, as they are."""

    public_key: str
    allowed_ips: Sequence[str] = ()
    psk: str = ""
    endpoint: str = ""
    more: str = ""

    def lines(self) -> list[str]:
        return [
            "[Peer]",
            f"PublicKey = {self.public_key}",
            f"PresharedKey = {self.psk}" if self.psk else "",
            f"AllowedIPs = {', '.join(self.allowed_ips)}" if self.allowed_ips else "",
            f"Endpoint = {self.endpoint}" if self.endpoint else "",
            self.more,
        ]


def text(
    private_key: str,
    *peers: PeerSection,
    port: int = PORT,
    addresses: Sequence[str] = (),
    more: str = "",
) -> str:
    """A whole file. `addresses` are for wg-quick and devices; wg itself refuses them."""
    lines = [
        "[Interface]",
        f"PrivateKey = {private_key}",
        f"ListenPort = {port}",
        f"Address = {', '.join(addresses)}" if addresses else "",
        more,
    ]
    for peer in peers:
        lines += peer.lines()
    return "\n".join(line for line in lines if line) + "\n"


def at(address: str, port: int = PORT) -> str:
    """The two as an Endpoint."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
