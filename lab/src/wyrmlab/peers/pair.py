# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Two daemons in namespaces of their own, with a tunnel between them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from wyrmlab.network.host import namespace
from wyrmlab.network.links import cable
from wyrmlab.peers.conf import PORT, at
from wyrmlab.peers.wireguard import WireGuard


@dataclass
class Pair:
    """Two hosts, a cable, a tunnel between them. West initiates first in most tests."""

    west: WireGuard
    east: WireGuard
    outer: int

    WEST, EAST = "10.88.0.1", "10.88.0.2"
    WEST6, EAST6 = "fd88::1", "fd88::2"
    WEST_OUTER: ClassVar = {4: "10.77.0.1", 6: "fd77::1"}
    EAST_OUTER: ClassVar = {4: "10.77.0.2", 6: "fd77::2"}

    def endpoint(self, side: WireGuard, port: int = PORT) -> str:
        outer = (self.WEST_OUTER if side is self.west else self.EAST_OUTER)[self.outer]
        return at(outer, port)

    def introduce(self, psk: str = "") -> None:
        """Each learns the other's key and addresses; only west knows where the other is."""
        given = {"stdin": psk + "\n"} if psk else {}
        extra = " preshared-key /dev/stdin" if psk else ""
        self.east.set(
            f"peer {self.west.keys.public} allowed-ips {self.WEST}/32,{self.WEST6}/128{extra}",
            **given,
        )
        self.west.set(
            f"peer {self.east.keys.public} allowed-ips {self.EAST}/32,{self.EAST6}/128"
            f" endpoint {self.endpoint(self.east)}{extra}",
            **given,
        )

    def bring_up(self, mtu: int = 1420) -> None:
        self.west.up(f"{self.WEST}/24", f"{self.WEST6}/64", mtu=mtu)
        self.east.up(f"{self.EAST}/24", f"{self.EAST6}/64", mtu=mtu)

    def restart(self, side: WireGuard, *, endpoint: bool = False) -> None:
        """Restarts one daemon without its sessions; with `endpoint` it knows where the other is."""
        west = side is self.west
        own, other, peer = (
            (self.WEST, self.EAST, self.east) if west else (self.EAST, self.WEST, self.west)
        )
        side.stop()
        side.wait_gone()
        side.start()
        side.set_key(side.keys)
        side.set(f"listen-port {PORT}")
        where = f" endpoint {self.endpoint(peer)}" if endpoint else ""
        side.set(f"peer {peer.keys.public} allowed-ips {other}/32{where}")
        side.up(f"{own}/24")


@contextlib.contextmanager
def pair(
    folder: Path,
    west: Path | str,
    east: Path | str,
    *,
    outer: int = 4,
    psk: str = "",
    introduced: bool = True,
    mtu: int = 1420,
) -> Iterator[Pair]:
    with namespace("west") as west_host, namespace("east") as east_host:
        cable(
            west_host,
            east_host,
            ("va", "vb"),
            (
                (f"{Pair.WEST_OUTER[4]}/24", f"{Pair.WEST_OUTER[6]}/64"),
                (f"{Pair.EAST_OUTER[4]}/24", f"{Pair.EAST_OUTER[6]}/64"),
            ),
        )
        with (
            WireGuard(west_host, "wga", west, folder / "west.log") as a,
            WireGuard(east_host, "wgb", east, folder / "east.log") as b,
        ):
            for side in (a, b):
                side.set_key(side.keys)
                side.set(f"listen-port {PORT}")
            both = Pair(a, b, outer)
            if introduced:
                both.introduce(psk)
            both.bring_up(mtu)
            yield both
