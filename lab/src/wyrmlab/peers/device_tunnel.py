# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A device and a daemon on one link, with keys for each other: two ends of a tunnel."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from wyrmlab import boards
from wyrmlab.base import proc
from wyrmlab.boards.device import Device
from wyrmlab.boards.qemu import EmulatedDevice
from wyrmlab.network import links
from wyrmlab.network.host import HERE
from wyrmlab.network.wiring import Wiring, hosts, with_length
from wyrmlab.peers import conf
from wyrmlab.peers.conf import at
from wyrmlab.peers.wireguard import KeyPair, WireGuard, make_keys

Family = Literal[4, 6]

# Of device 0, which is the only one in most networks.
HOST_OUTER, DEVICE_OUTER = Wiring().host_outer, Wiring().device_outer
HOST_INNER, DEVICE_INNER = Wiring().host_inner, Wiring().device_inner


@dataclass
class DeviceTunnel:
    """Both ends and what they know of each other; `device_conf` and `peer_conf` write it down.

    `outer` is the family the tunnel's datagrams use. Empty `psk`: none.
    """

    device: Device
    peer: WireGuard
    outer: Family = 4
    psk: str = ""
    keys: KeyPair = field(default_factory=make_keys)

    @property
    def wiring(self) -> Wiring:
        return self.device.wiring

    @property
    def peer_endpoint(self) -> str:
        return at(self.wiring.host_outer[self.outer], self.wiring.port)

    @property
    def peer_keys(self) -> KeyPair:
        return self.peer.keys

    def device_conf(
        self,
        *,
        endpoint: str | None = None,
        allowed: str | None = None,
        psk: str | None = None,
        interface: str = "",
        peer: str = "",
    ) -> str:
        """A wg-quick file. Endpoint "": none, None: where the peer is; `allowed` None: its
        addresses; `interface` and `peer` are further lines of the sections."""
        section = conf.PeerSection(
            self.peer_keys.public,
            hosts(self.wiring.host_inner) if allowed is None else [allowed],
            psk=self.psk if psk is None else psk,
            endpoint=self.peer_endpoint if endpoint is None else endpoint,
            more=peer,
        )
        addresses = with_length(self.wiring.device_inner)
        return conf.text(self.keys.private, section, addresses=addresses, more=interface)

    def peer_conf(self, *, endpoint: str = "", psk: str | None = None) -> str:
        """For `wg setconf`."""
        section = conf.PeerSection(
            self.keys.public,
            hosts(self.wiring.device_inner),
            psk=self.psk if psk is None else psk,
            endpoint=endpoint,
        )
        return conf.text(self.peer_keys.private, section, port=self.wiring.port)

    def bring_up_peer(self, *, endpoint: str = "", psk: str | None = None) -> None:
        self.peer.configure(self.peer_conf(endpoint=endpoint, psk=psk))
        self.peer.up(*with_length(self.wiring.host_inner))

    def connect(self, *, first: Literal["device", "peer"] = "device") -> None:
        """Configures both; the one that is first gets the other's address and starts."""
        to_device = at(self.wiring.device_outer[self.outer]) if first == "peer" else ""
        self.bring_up_peer(endpoint=to_device)
        self.device.configure(self.device_conf(endpoint="" if first == "peer" else None))
        self.device.command("wg up")
        if first == "peer":
            HERE.ping(self.wiring.device_inner[4], count=1)
        self.wait_up()

    def wait_up(self, timeout_s: float = 60) -> None:
        """Until both ends use the session: only the first packet on it confirms it to the peer."""
        self.device.console.expect(r"^tunnel: up, handshake took ", timeout_s=timeout_s)
        proc.wait_until(
            lambda: self.device_pings(count=1) == 1,
            timeout_s=timeout_s,
            what="a ping through the tunnel",
        )

    def host_pings(self, *, count: int = 3, size: int = 56) -> bool:
        """Whether all pings to both inner addresses of the device are answered."""
        return all(
            HERE.ping(address, count=count, interval_s=0.1, size=size).loss_percent == 0
            for address in self.wiring.device_inner.values()
        )

    def device_pings(
        self, address: str = "", *, count: int = 3, size: int = 56, every_s: float = 0.1
    ) -> int:
        """How many pings of the device are answered, by the peer if no address is given."""
        address = address or self.wiring.host_inner[4]
        said = self.device.command(
            f"ping {address} -c {count} -s {size} -i {every_s:g} -q",
            timeout_s=count * (every_s + 1) + 60,
        )
        found = re.search(r"^ping: \d+ sent, (\d+) received", said, re.MULTILINE)
        return int(found[1]) if found else 0

    def forget(self, *, endpoint: str = "") -> None:
        """The peer starts anew with the same keys, and unless told no idea where the device is."""
        self.peer.stop()
        self.peer.wait_gone()
        self.peer.start()
        self.bring_up_peer(endpoint=endpoint)


@contextlib.contextmanager
def boot(
    firmware: Path,
    folder: Path,
    *,
    outer: Family = 4,
    psk: str = "",
    interface: str = "",
    board: str = boards.DEFAULT,
    program: Path | str = "wireguard-go",
    wiring: Wiring | None = None,
    qemu_options: Sequence[str] = (),
) -> Iterator[DeviceTunnel]:
    """Both ends started on a TAP of their own and not yet configured; logs and the device's flash
    go to `folder`. `program` is the peer's, as in `WireGuard`. Without `wiring`, names and
    addresses are the first that nobody uses: tap0, wg0 and so on in a network of one's own."""
    wiring = wiring or links.free_wiring()
    folder = folder / f"device{wiring.number}" if wiring.number else folder
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "peer.log"
    with (
        links.tap(wiring.tap, with_length(wiring.host_outer)) as tap,
        EmulatedDevice(
            boards.board(board),
            firmware,
            tap=tap,
            log_dir=folder,
            flash=folder / "flash",
            wiring=wiring,
            qemu_options=qemu_options,
        ) as device,
        WireGuard(HERE, interface or wiring.interface, program, log, log_level="verbose") as peer,
    ):
        device.wait_ready()
        yield DeviceTunnel(device, peer, outer, psk)
