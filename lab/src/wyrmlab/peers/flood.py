# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A flood of initiations at a stated rate: a valid first MAC, all else random, which is what anyone
who knows the public key can send. Paper section 5.4.4.

A flood that sends as fast as the machine can tests the machine: its socket buffers overflow, and
honest packets are lost with the others. This one sends in bunches, so that initiations queue up and
the receiver is under load however fast it is, and never makes up for bunches it has missed.

`python -m wyrmlab.peers.flood PUBLIC_KEY ADDRESS PORT RATE` sends until SIGTERM; then it prints
what it has sent and what has come back.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from wyrmlab.base import proc
from wyrmlab.base.errors import WyrmError
from wyrmlab.network.host import HERE, Host

RATE = 2000  # initiations a second, where a test does not need another
BUNCHES = 50  # a second
PREPARED = 512  # different messages
QUIET_S = 0.5  # without an answer: no more will come
_COOKIE, _COOKIE_LEN, _RESPONSE = 3, 64, 2
_FIRST_COOKIE = "first cookie"


@dataclass
class Count:
    """Initiations sent, and the answers to them."""

    sent: int = 0
    cookies: int = 0
    responses: int = 0
    other: int = 0

    def add(self, answer: bytes) -> None:
        if answer[:1] == bytes([_COOKIE]) and len(answer) == _COOKIE_LEN:
            self.cookies += 1
        elif answer[:1] == bytes([_RESPONSE]):
            self.responses += 1
        else:
            self.other += 1

    def __str__(self) -> str:
        return "count: " + ", ".join(f"{name} {number}" for name, number in asdict(self).items())


class Flood(proc.Service):
    """A flood from a process of its own; on `host`."""

    def __init__(
        self,
        public_key: str,
        address: str,
        log: Path,
        *,
        port: int = 51820,
        rate: int = RATE,
        host: Host = HERE,
    ) -> None:
        command = [sys.executable, "-P", "-m", __name__, public_key, address, str(port), str(rate)]
        super().__init__("flood", host.command(*command), log)

    def wait_for_cookie(self, timeout_s: float = 60) -> None:
        """Until the receiver is under load and says so."""
        self.wait_for(_FIRST_COOKIE, timeout_s=timeout_s)

    def end(self) -> Count:
        """Ends the flood; all that came back."""
        os.kill(self.pid, signal.SIGTERM)
        self.wait(60)
        found = re.search(r"^count: (.*)$", self.output(), re.MULTILINE)
        if found is None:
            raise WyrmError("The flood ended early.", detail=self.output())
        fields = (field.split() for field in found[1].split(", "))
        return Count(**{name: int(number) for name, number in fields})


@contextlib.contextmanager
def flood(
    public_key: str, address: str, log: Path, *, rate: int = RATE, host: Host = HERE
) -> Iterator[Flood]:
    """A flood that has put its receiver under load."""
    with Flood(public_key, address, log, rate=rate, host=host) as running:
        running.wait_for_cookie()
        yield running


# --- The process that sends ----------------------------------------------------------------------


def initiation(mac1_key: bytes) -> bytes:
    body = b"\1\0\0\0" + os.urandom(112)
    mac1 = hashlib.blake2s(body, key=mac1_key, digest_size=16).digest()
    return body + mac1 + bytes(16)


class _Sender:
    def __init__(self, public_key: str, to: tuple[str, int], rate: int) -> None:
        mac1_key = hashlib.blake2s(b"mac1----" + base64.b64decode(public_key)).digest()
        self._messages = [initiation(mac1_key) for _ in range(PREPARED)]
        self._bunch = max(1, rate // BUNCHES)
        self._every_s = self._bunch / rate
        family = socket.AF_INET6 if ":" in to[0] else socket.AF_INET
        self._wire = socket.socket(family, socket.SOCK_DGRAM)
        self._wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self._wire.connect(to)
        self._wire.setblocking(False)
        self._count = Count()
        self._ended = False

    def run(self) -> Count:
        signal.signal(signal.SIGTERM, self._end)
        due = time.monotonic()
        while not self._ended:
            self._send_bunch()
            self._receive()
            now = time.monotonic()
            due = max(due + self._every_s, now)
            time.sleep(due - now)
        self._receive_the_rest()
        return self._count

    def _end(self, *_: object) -> None:
        self._ended = True

    def _send_bunch(self) -> None:
        # A full queue is no reason to stop, nor is an ICMP error that an earlier message drew.
        with contextlib.suppress(BlockingIOError, ConnectionError):
            for _ in range(self._bunch):
                self._wire.send(self._messages[self._count.sent % PREPARED])
                self._count.sent += 1

    def _receive(self) -> bool:
        """Whether anything came."""
        before = self._count.cookies
        came = False
        with contextlib.suppress(BlockingIOError, ConnectionError):
            while True:
                self._count.add(self._wire.recv(2048))
                came = True
        if before == 0 and self._count.cookies:
            print(_FIRST_COOKIE, flush=True)
        return came

    def _receive_the_rest(self) -> None:
        quiet_at = time.monotonic() + QUIET_S
        while time.monotonic() < quiet_at:
            if self._receive():
                quiet_at = time.monotonic() + QUIET_S
            time.sleep(0.01)


def main() -> None:
    public_key, address, port, rate = sys.argv[1:]
    print(_Sender(public_key, (address, int(port)), int(rate)).run(), flush=True)


if __name__ == "__main__":
    main()
