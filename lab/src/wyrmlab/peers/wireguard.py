# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A WireGuard daemon on one interface of a host, configured with `wg`."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.network.host import HERE, Host
from wyrmlab.network.links import check_name

SOCKETS = Path("/run/wireguard")


@dataclass(frozen=True)
class KeyPair:
    private: str
    public: str


def make_keys() -> KeyPair:
    private = proc.run("wg", "genkey", timeout_s=60).stdout.strip()
    return KeyPair(private, proc.run("wg", "pubkey", stdin=private + "\n").stdout.strip())


def make_psk() -> str:
    return proc.run("wg", "genpsk", timeout_s=60).stdout.strip()


@dataclass(frozen=True)
class PeerState:
    """One peer's line of `wg show NAME dump`."""

    public_key: str
    endpoint: str
    allowed_ips: tuple[str, ...]
    latest_handshake: int
    rx_bytes: int
    tx_bytes: int


class WireGuard:
    """One daemon, one interface, as a context manager.

    `program` is the path or the name of one that takes `-f INTERFACE`. What it logs goes to `log`;
    `log_level` is for those that know LOG_LEVEL: verbose or error.
    """

    def __init__(
        self,
        host: Host,
        interface: str,
        program: Path | str,
        log: Path,
        *,
        log_level: str = "error",
    ) -> None:
        self.host = host
        self.interface = check_name(interface)
        self.program = str(program)
        self.keys = make_keys()
        self.log = log
        self._service = host.service(
            Path(self.program).name,
            *(self.program, "-f", interface),
            log=log,
            env={"WG_PROCESS_FOREGROUND": "1", "WG_SUDO": "true", "LOG_LEVEL": log_level},
        )

    @property
    def pid(self) -> int:
        return self._service.pid

    @property
    def socket(self) -> Path:
        return SOCKETS / f"{self.interface}.sock"

    @property
    def running(self) -> bool:
        return self._service.running

    def output(self) -> str:
        """What it has logged so far."""
        return self._service.output()

    def start(self) -> None:
        self._service.start()

        def answers() -> bool:
            if not self._service.running:
                raise WyrmError(f"{self.program} ended early.", detail=self.output()[-2000:])
            with (
                contextlib.suppress(FileNotFoundError, ConnectionError, TimeoutError),
                socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe,
            ):
                probe.settimeout(30)
                probe.connect(str(self.socket))
                probe.sendall(b"get=1\n\n")  # it listens before it has dropped its privileges
                return probe.recv(1) != b""
            return False

        proc.wait_until(answers, timeout_s=60, what=f"the socket of {self.program}")

    def stop(self) -> None:
        self._service.stop()

    def wait_gone(self) -> None:
        """After `stop`: until the kernel has removed the interface."""
        proc.wait_until(
            lambda: not self.host.has_interface(self.interface),
            timeout_s=60,
            what=f"the end of {self.interface}",
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # --- Configuration -----------------------------------------------------------------------

    def wg(self, *args: str, stdin: str | None = None, check: bool = True) -> str:
        """`wg ARGS...` on its host, 60 s at most."""
        return self.host.run("wg", *args, stdin=stdin, check=check, timeout_s=60)

    def set(self, text: str, stdin: str | None = None) -> None:
        """`wg set INTERFACE TEXT...`"""
        self.wg("set", self.interface, *text.split(), stdin=stdin)

    def set_key(self, keys: KeyPair) -> None:
        self.keys = keys
        self.set("private-key /dev/stdin", stdin=keys.private + "\n")

    def configure(self, text: str, verb: str = "setconf") -> None:
        """Replaces its configuration by the one given, or does what else `verb` says."""
        with tempfile.NamedTemporaryFile("w", prefix="wyrm-", suffix=".conf") as file:
            file.write(text)
            file.flush()
            self.wg(verb, self.interface, file.name)

    def up(self, *addresses: str, mtu: int = 1420) -> None:
        # With these on, the kernel sends packets unasked, and no count would be exact.
        name = self.interface
        self.host.ip(f"link set {name} addrgenmode none multicast off")
        for address in addresses:
            self.host.add_address(name, address)
        self.host.ip(f"link set {name} mtu {mtu} up")

    def settle(self) -> None:
        """Until wyrmd, which does one thing after the other, has handled what the kernel told it
        before: of what is ready at the same time it may answer us first, but not twice."""
        for _ in range(2):
            self.show("endpoints")

    # --- What it says ------------------------------------------------------------------------

    def show(self, what: str) -> dict[str, str]:
        """`wg show INTERFACE WHAT`: a value for each peer's key."""
        lines = self.wg("show", self.interface, what).splitlines()
        return dict(line.split("\t", 1) for line in lines if line)

    def peers(self) -> list[PeerState]:
        found = []
        for line in self.wg("show", self.interface, "dump").splitlines()[1:]:
            key, _, endpoint, allowed, handshake, rx, tx, _ = line.split("\t")
            found.append(
                PeerState(
                    key, endpoint, tuple(allowed.split(",")), int(handshake), int(rx), int(tx)
                )
            )
        return found

    def wait_handshake(self, timeout_s: float = 60) -> None:
        def done() -> bool:
            return any(peer.latest_handshake for peer in self.peers())

        proc.wait_until(done, timeout_s=timeout_s, what="a WireGuard handshake", interval_s=0.05)

    def transfer(self, peer: str) -> tuple[int, int]:
        """Bytes received and sent."""
        received, sent = self.show("transfer")[peer].split("\t")
        return int(received), int(sent)

    def handshake(self, peer: str) -> int:
        return int(self.show("latest-handshakes")[peer])

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_kib(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        raise WyrmError(f"{self.program} has ended.")


def wireguard_go(interface: str, log: Path) -> WireGuard:
    """Debian's, in the network we are in, logging all it does."""
    return WireGuard(HERE, interface, "wireguard-go", log, log_level="verbose")
