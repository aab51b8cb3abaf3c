# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The protocol core as a test drives it: injected randomness and time, state at hand."""

from __future__ import annotations

import ctypes as c
import enum
import ipaddress
from dataclasses import dataclass
from typing import Self

from wyrmlab.vectors.backend import Address, Backend
from wyrmlab.vectors.case import Mismatch, check

CONTROL_MAX = 148
_BUFFER = 4096


class Status(enum.IntEnum):
    """enum wyrm_status of wyrm.h."""

    IDLE = 0
    SEND = 1
    DELIVER = 2
    HOLD = 3
    WORK = 4
    READY = 5
    LOST = 6
    E_ARG = -1
    E_SPACE = -2
    E_STATE = -3
    E_FULL = -4
    E_EXISTS = -5
    E_KEY = -6
    E_RANDOM = -7
    E_CLOCK = -8
    E_ABI = -9
    E_TEXT = -10
    D_MALFORMED = -32
    D_MAC1 = -33
    D_MAC2 = -34
    D_PEER = -35
    D_INDEX = -36
    D_EXPIRED = -37
    D_TAG = -38
    D_REPLAY = -39
    D_TIMESTAMP = -40
    D_RATE = -41
    D_ROUTE = -42
    D_SOURCE = -43
    D_INNER = -44
    D_ENDPOINT = -45
    D_BUSY = -46
    D_DH = -47
    D_RANDOM = -48

    @property
    def dropped(self) -> bool:
        return self <= Status.D_MALFORMED


DROPS = tuple(status for status in Status if status.dropped)
NO_KEYPAIR = 0xFF


@dataclass(frozen=True)
class Endpoint:
    ip: ipaddress.IPv4Address | ipaddress.IPv6Address
    port: int

    @classmethod
    def parse(cls, ip: str, port: int) -> Self:
        return cls(ipaddress.ip_address(ip), port)

    @property
    def cookie_input(self) -> bytes:
        """What the cookie of this source is a MAC over: address and port."""
        return self.ip.packed + self.port.to_bytes(2, "big")

    def flat(self) -> Address:
        address = Address(port=self.port, family=self.ip.version)
        address.addr[: len(self.ip.packed)] = self.ip.packed
        return address


@dataclass(frozen=True)
class Answer:
    """What a call returned: its status and what it handed out."""

    status: Status
    data: bytes = b""
    peer: int = 0
    to: Endpoint | None = None


class Record:
    """A visible struct, its fields by name."""

    def __init__(self, backend: Backend, kind: str, address: int) -> None:
        self._layout = backend.layout
        self._kind = kind
        self._address = address

    def get(self, field: str) -> bytes:
        offset, size = self._layout[f"{self._kind}.{field}"]
        return c.string_at(self._address + offset, size)

    def number(self, field: str) -> int:
        # The shared object runs here, so its byte order is ours: hosts are little endian.
        return int.from_bytes(self.get(field), "little")

    def set(self, field: str, value: bytes | int) -> None:
        offset, size = self._layout[f"{self._kind}.{field}"]
        data = value.to_bytes(size, "little") if isinstance(value, int) else value
        if len(data) != size:
            raise ValueError(f"{field} has {size} bytes")
        c.memmove(self._address + offset, data, size)


class Device:
    """One device with its pools. `now` is the time every call is told, in milliseconds."""

    def __init__(self, backend: Backend, private_key: bytes) -> None:
        self.backend = backend
        self.lib = backend.lib
        self.now = 1_000_000
        self._bench = self.lib.vec_bench_new()
        if not self._bench:
            raise MemoryError
        self.must(self.lib.wyrm_set_private_key(self._bench, private_key), Status.IDLE)
        self._buffer = c.create_string_buffer(_BUFFER)

    def __del__(self) -> None:
        if getattr(self, "_bench", None):
            self.lib.vec_bench_free(self._bench)

    def must(self, got: int, want: Status) -> None:
        if got != want:
            raise Mismatch(f"setting up the core: {_name(got)} instead of {want.name}")

    # ---- Configuration

    def add_peer(
        self,
        public_key: bytes,
        psk: bytes,
        endpoint: Endpoint,
        addresses: list[str],
    ) -> int:
        """A peer that may have these prefixes."""
        peer: int = self.lib.vec_peer_add(self._bench, public_key, psk, endpoint.flat())
        if peer < 0:
            raise Mismatch(f"the core takes no such peer: {_name(peer)}")
        for text in addresses:
            prefix = ipaddress.ip_network(text)
            packed = prefix.network_address.packed
            self.must(
                self.lib.vec_route_add(self._bench, peer, prefix.version, prefix.prefixlen, packed),
                Status.IDLE,
            )
        return peer

    def feed(self, *chunks: bytes) -> None:
        """The next bytes that `random` will hand out; beyond them it fails."""
        data = b"".join(chunks)
        if not self.lib.vec_feed_random(self._bench, data, len(data)):
            raise ValueError("more randomness than a test needs")

    def forget_random(self) -> None:
        self.lib.vec_random_left(self._bench)

    def check_all_drawn(self) -> None:
        left = self.lib.vec_random_left(self._bench)
        check(left == 0, f"the core left {left} random bytes undrawn")

    def set_timestamp(self, label: bytes) -> None:
        self.lib.vec_set_timestamp(self._bench, label)

    # ---- The calls

    def input(self, datagram: bytes, source: Endpoint) -> Answer:
        room = max(len(datagram), 1)
        buffer = c.create_string_buffer(datagram, room)
        status = self.lib.vec_input(self._bench, self.now, source.flat(), buffer, len(datagram))
        self.last_input = buffer.raw[: len(datagram)]
        return self._answer(status)

    def output(self, packet: bytes) -> Answer:
        """Sends an inner packet, scattered over three pieces."""
        cut1, cut2 = len(packet) // 3, len(packet) - len(packet) // 4
        status = self.lib.vec_output(
            self._bench, self.now, packet, len(packet), cut1, cut2, self._buffer, _BUFFER
        )
        return self._answer(status)

    def poll(self) -> Answer:
        return self._answer(self.lib.vec_poll(self._bench, self.now, self._buffer, _BUFFER))

    def take(self) -> Status:
        return Status(self.lib.vec_job_take(self._bench, self.now))

    def run(self) -> None:
        self.lib.wyrm_job_run(self.lib.vec_job(self._bench))

    def commit(self) -> Answer:
        return self._answer(self.lib.vec_job_commit(self._bench, self.now))

    def connect(self, peer: int) -> None:
        self.must(self.lib.wyrm_peer_connect(self._bench, self.now, peer), Status.IDLE)

    def disconnect(self, peer: int) -> None:
        self.must(self.lib.wyrm_peer_disconnect(self._bench, peer), Status.IDLE)

    def ask_keepalive(self, peer: int) -> None:
        """Has the next poll send a keepalive: persistent ones start with one at once."""
        for seconds in (0, 1, 0):
            self.must(self.lib.wyrm_peer_set_keepalive(self._bench, peer, seconds), Status.IDLE)

    def deadline(self) -> int:
        return int(self.lib.wyrm_deadline(self._bench))

    def _answer(self, code: int) -> Answer:
        status = Status(code)
        length, peer, to = c.c_size_t(), c.c_uint(), Address()
        data = self.lib.vec_out(self._bench, c.byref(length), c.byref(peer), c.byref(to))
        endpoint = None
        if to.family:
            packed = bytes(to.addr)[: 4 if to.family == 4 else 16]
            endpoint = Endpoint(ipaddress.ip_address(packed), to.port)
        return Answer(
            status, c.string_at(data, length.value) if data else b"", peer.value, endpoint
        )

    # ---- Sequences of calls

    def poll_until_idle(self) -> list[Answer]:
        """As a port does after every call; a waiting job is not taken."""
        answers: list[Answer] = []
        for _ in range(32):
            answer = self.poll()
            if answer.status == Status.IDLE:
                return answers
            answers.append(answer)
        raise Mismatch("wyrm_poll does not come to an end")

    def finish_job(self) -> tuple[Answer, int]:
        """Runs the job taken to its end: what came of it, and after how many steps."""
        for steps in range(1, 4):
            self.run()
            answer = self.commit()
            if answer.status != Status.WORK:
                return answer, steps
        raise Mismatch("a handshake job does not come to an end")

    def settle(self) -> None:
        """Takes what the device wants to say and do, so that nothing is pending."""
        for _ in range(32):
            answers = self.poll_until_idle()
            taken = self.take()
            if taken == Status.WORK:
                self.finish_job()
            elif taken == Status.IDLE and not answers:
                return
        raise Mismatch("the device does not come to rest")

    # ---- State

    @property
    def job(self) -> Record:
        return Record(self.backend, "job", self.lib.vec_job(self._bench))

    @property
    def device(self) -> Record:
        return Record(self.backend, "device", self._bench)

    def peer(self, peer: int = 0) -> Record:
        return Record(self.backend, "peer", self.lib.vec_peer(self._bench, peer))

    def keypair(self, role: str, peer: int = 0) -> Record | None:
        """The peer's keypair in the role "current", "previous" or "next"."""
        place = self.peer(peer).number(role)
        if place == NO_KEYPAIR:
            return None
        return Record(self.backend, "keypair", self.lib.vec_keypair(self._bench, peer, place))

    def session_index(self, role: str, peer: int = 0) -> int:
        """Our index of the session in that role."""
        place = self.peer(peer).number(role)
        return int.from_bytes(self.peer(peer).get("local")[4 * place :][:4], "little")

    def sending_keypair(self, peer: int = 0) -> Record:
        """The current keypair; a responder's unconfirmed one is made current."""
        if self.keypair("current", peer) is None:
            record = self.peer(peer)
            record.set("current", record.get("next"))
            record.set("next", NO_KEYPAIR)
        keypair = self.keypair("current", peer)
        if keypair is None:
            raise Mismatch("there is no session")
        return keypair

    def keypairs(self, peer: int = 0) -> list[Record]:
        found = (self.keypair(role, peer) for role in ("current", "next", "previous"))
        return [keypair for keypair in found if keypair is not None]

    def waiting(self) -> int:
        """Handshake messages in slots."""
        count = at = 0
        while slot := self.lib.vec_slot(self._bench, at):
            count += Record(self.backend, "slot", slot).number("type") != 0
            at += 1
        return count

    def state(self) -> bytes:
        """All of the device and its pools but for drop counters and used slots."""
        out = c.create_string_buffer(self.lib.vec_state_size())
        self.lib.vec_state(self._bench, out)
        return out.raw

    def drops(self) -> dict[Status, int]:
        counts = {reason: self.lib.wyrm_drops(self._bench, reason) for reason in DROPS}
        return {reason: count for reason, count in counts.items() if count}

    def save(self) -> bytes:
        return c.string_at(self._bench, self.lib.vec_bench_size())

    def restore(self, image: bytes) -> None:
        c.memmove(self._bench, image, len(image))


def _name(code: int) -> str:
    return Status(code).name if code in Status.__members__.values() else str(code)
