# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A model of the configuration protocol in Python, and random requests to compare a daemon with it.

Some requests contain errors: no part of such a request may take effect.
"""

from __future__ import annotations

import copy
import ipaddress
import random
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from wyrmlab.network.host import namespace
from wyrmlab.peers.wireguard import WireGuard

ZERO = "0" * 64


@dataclass
class Peer:
    psk: str = ZERO
    endpoint: str = ""
    keepalive: int = 0
    allowed: set[str] = field(default_factory=set)


def ask(path: Path, request: str) -> dict[str, list[tuple[str, str]]] | str:
    """One request; the lines of the answer, by the public key they follow ("" for the device's)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as wire:
        wire.settimeout(60)
        wire.connect(str(path))
        wire.sendall(request.encode())
        wire.shutdown(socket.SHUT_WR)
        said = b""
        while part := wire.recv(65536):
            said += part
    text = said.decode()
    assert text.endswith("\n\n"), text
    sections: dict[str, list[tuple[str, str]]] = {"": []}
    of = ""
    for line in text.split("\n\n")[0].splitlines():
        key, _, value = line.partition("=")
        if key == "errno" and request.startswith("set"):
            return value
        if key == "public_key":
            of = value
            sections[of] = []
        elif key != "errno":
            sections[of].append((key, value))
    return sections


class Model:
    """The peers a daemon should have after the requests made so far."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.peers: dict[str, Peer] = {}
        self.mark = 0
        self.keys = [f"{self.chance.getrandbits(248):064x}" for _ in range(24)]
        self._lines: list[str] = []
        self._wrong = ""

    def request(self) -> tuple[str, str]:
        """A request and its expected errno; the model has applied it."""
        self._lines, self._wrong = ["set=1"], ""
        before = copy.deepcopy(self.peers), self.mark
        if self.chance.random() < 0.2:
            self._device()
        for _ in range(self.chance.randint(0, 4)):
            if not self._wrong:
                self._peer()
        if self._wrong:
            self.peers, self.mark = before
        return "\n".join(self._lines) + "\n\n", self._wrong or "0"

    def check(self, told: dict[str, list[tuple[str, str]]]) -> None:
        assert dict(told[""]).get("fwmark", "0") == str(self.mark)
        assert set(told) - {""} == set(self.peers)
        for key, peer in self.peers.items():
            values = dict(told[key])
            assert values["preshared_key"] == peer.psk
            assert values.get("endpoint", "") == peer.endpoint
            assert values["persistent_keepalive_interval"] == str(peer.keepalive)
            allowed = [value for name, value in told[key] if name == "allowed_ip"]
            assert len(allowed) == len(set(allowed))
            assert set(allowed) == peer.allowed

    # --- Parts of a request ---

    def _line(self, text: str) -> None:
        self._lines.append(text)

    def _device(self) -> None:
        if self.chance.random() < 0.05:
            self._line("replace_peers=true")
            self.peers.clear()
        self.mark = self.chance.choice((0, 1, 0xFFFFFFFF))
        self._line(f"fwmark={self.mark}")

    def _peer(self) -> None:
        key = self.chance.choice(self.keys)
        self._line(f"public_key={key}")
        if self.chance.random() < 0.15:
            self._line("update_only=true")
            if key not in self.peers:
                self._line(f"persistent_keepalive_interval={self.chance.randint(0, 65535)}")
                return
        if self.chance.random() < 0.15:
            self._line("remove=true")
            self._line("allowed_ip=10.0.0.0/8")
            self.peers.pop(key, None)
            return
        peer = self.peers.setdefault(key, Peer())
        for _ in range(self.chance.randint(0, 5)):
            if self.chance.random() < 0.03:
                self._mistake()
                return
            self._setting(peer)

    def _setting(self, peer: Peer) -> None:
        kind = self.chance.randrange(6)
        if kind == 0:
            peer.psk = self.chance.choice((ZERO, f"{self.chance.getrandbits(256):064x}"))
            self._line(f"preshared_key={peer.psk}")
        elif kind == 1:
            port = self.chance.randint(1, 65535)
            host = self.chance.choice(("192.0.2.7", "[2001:db8::7]", "[fd00::1:2]", "10.0.0.255"))
            peer.endpoint = f"{host}:{port}"
            self._line(f"endpoint={peer.endpoint}")
        elif kind == 2:
            peer.keepalive = self.chance.choice((0, 1, 25, 65535))
            self._line(f"persistent_keepalive_interval={peer.keepalive}")
        elif kind == 3 and self.chance.random() < 0.3:
            peer.allowed.clear()
            self._line("replace_allowed_ips=true")
        else:
            self._allowed(peer)

    def _allowed(self, peer: Peer) -> None:
        """Few different prefixes, so that they change hands, with host bits that do not count."""
        if self.chance.random() < 0.5:
            address = f"10.{self.chance.randrange(3)}.{self.chance.randrange(3)}.9"
            length = self.chance.choice((0, 8, 16, 23, 24, 32))
        else:
            address = f"fd00:{self.chance.randrange(3)}::{self.chance.randrange(3)}"
            length = self.chance.choice((0, 16, 32, 64, 127, 128))
        prefix = str(ipaddress.ip_network(f"{address}/{length}", strict=False))
        if self.chance.random() < 0.2:
            self._line(f"allowed_ip=-{address}/{length}")
            peer.allowed.discard(prefix)
            return
        self._line(f"allowed_ip={address}/{length}")
        for other in self.peers.values():
            other.allowed.discard(prefix)
        peer.allowed.add(prefix)

    def _mistake(self) -> None:
        line, self._wrong = self.chance.choice(
            (
                ("persistent_keepalive_interval=65536", "-22"),
                ("allowed_ip=10.0.0.0/33", "-22"),
                ("allowed_ip=10.0.0.1", "-22"),
                ("endpoint=nowhere.example:1", "-22"),
                ("preshared_key=00", "-22"),
                ("fwmark=1", "-22"),
                ("colour=blue", "-22"),
                ("protocol_version=2", "-22"),
                ("no sign of equality", "-71"),
            )
        )
        self._line(line)
        self._line("persistent_keepalive_interval=7")


def configure_at_random(program: Path, log: Path, seeds: Iterable[int], requests: int) -> None:
    for seed in seeds:
        with namespace("west") as west, WireGuard(west, "wga", program, log) as daemon:
            model = Model(seed)
            for number in range(requests):
                request, error = model.request()
                said = ask(daemon.socket, request)
                assert said == error, f"seed {seed}, request {number}: {request}"
                told = ask(daemon.socket, "get=1\n\n")
                assert isinstance(told, dict)
                model.check(told)
            assert daemon.running
            assert "ERROR" not in daemon.log.read_text()
