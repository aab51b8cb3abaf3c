# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Measures how many handshakes a daemon answers: many peers, one initiation each."""

from __future__ import annotations

import ctypes
import os
import socket
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from wyrmlab.base.errors import WyrmError
from wyrmlab.network.host import namespace
from wyrmlab.network.links import cable
from wyrmlab.peers import conf
from wyrmlab.peers.wireguard import WireGuard
from wyrmlab.vectors.command import backends
from wyrmlab.vectors.noise import Handshake, Keys, Protocol
from wyrmlab.vectors.scene import CONSTRUCTION, IDENTIFIER, mac1

HANDSHAKES = 1000
ENOUGH = 100
IN_FLIGHT = 4
_PATIENCE = 6  # batches without an answer


@dataclass
class Answers:
    count: int = 0
    cpu_seconds: float = 0  # CPU seconds of the daemon for all of them
    batches: int = 0  # answered completely
    batch_seconds: float = 0  # from sending to the last answer

    @property
    def per_second(self) -> float:
        return self.batches * IN_FLIGHT / self.batch_seconds if self.batches else 0


def answered_initiations(program: Path, folder: Path) -> Answers:
    """Answers to one initiation from each of many peers, few at a time, so the daemon is not under
    load and sends no cookies."""
    backend = backends()[0]
    protocol = Protocol.parse(CONSTRUCTION)
    with (
        namespace("caller") as caller,
        namespace("called") as called,
        WireGuard(called, "wgh", program, folder / "called.log") as tunnel,
    ):
        cable(caller, called, ("vc", "vd"), (("10.78.0.1/24",), ("10.78.0.2/24",)))
        public = b64decode(tunnel.keys.public)
        privates = [os.urandom(32) for _ in range(HANDSHAKES)]
        callers = (
            conf.PeerSection(b64encode(backend.x25519_base(private)).decode())
            for private in privates
        )
        tunnel.configure(conf.text(tunnel.keys.private, *callers))
        tunnel.up()
        stamp = (0x400000000000000A + int(time.time())).to_bytes(8, "big") + bytes(4)
        messages = []
        for number, private in enumerate(privates):
            keys = Keys(s=private, e=os.urandom(32), remote_s=public, psks=(bytes(32),))
            side = Handshake(backend, protocol, initiator=True, keys=keys, prologue=IDENTIFIER)
            body = b"\1\0\0\0" + number.to_bytes(4, "little") + side.write(stamp) + bytes(32)
            messages.append(body[:-32] + mac1(backend, body, public) + bytes(16))
        before = tunnel.cpu_seconds()
        answers = _call(caller.namespace, messages)
        answers.cpu_seconds = tunnel.cpu_seconds() - before
    if answers.count < ENOUGH or answers.cpu_seconds <= 0:
        raise WyrmError(f"only {answers.count} of {HANDSHAKES} handshakes were answered")
    return answers


def _call(place: str, messages: Sequence[bytes]) -> Answers:
    """Sends the messages from another namespace. Each uses a separate port, because boringtun
    assigns datagrams from a known endpoint to that endpoint's peer."""
    answers = Answers()
    silences = 0
    for first in range(0, len(messages), IN_FLIGHT):
        if silences == _PATIENCE:
            break
        batch = messages[first : first + IN_FLIGHT]
        with ExitStack() as stack:
            wires = [stack.enter_context(_socket_in(place)) for _ in batch]
            for wire in wires:
                wire.settimeout(0.5)
            begun = time.monotonic()
            for wire, message in zip(wires, batch, strict=True):
                wire.sendto(message, ("10.78.0.2", 51820))
            try:
                for wire in wires:
                    answers.count += len(wire.recv(2048)) == 92
                answers.batch_seconds += time.monotonic() - begun
                answers.batches += 1
                silences = 0
            except TimeoutError:
                silences += 1
    return answers


def _socket_in(place: str) -> socket.socket:
    """A socket belongs to the namespace it was created in; this thread enters it temporarily."""
    libc = ctypes.CDLL(None, use_errno=True)
    clone_newnet = 0x40000000

    def enter(path: str) -> None:
        with Path(path).open() as namespace:
            if libc.setns(namespace.fileno(), clone_newnet) != 0:
                raise WyrmError(f"{path}: {os.strerror(ctypes.get_errno())}")

    with Path("/proc/thread-self/ns/net").open() as home:
        enter(f"/run/netns/{place}")
        try:
            return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        finally:
            libc.setns(home.fileno(), clone_newnet)
