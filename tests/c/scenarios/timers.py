# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Plays a timer scenario of timers.json on the real core, in virtual time.

`ours` is the device under test. The peer is a second device whose clock does not advance: its own
messages never expire, and it answers nothing once the session is established.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.device import Answer, Device, Endpoint, Status

US, PEER = Endpoint.parse("192.0.2.11", 51820), Endpoint.parse("192.0.2.12", 51820)
OUR_INNER, PEER_INNER = "10.9.0.1", "10.9.0.2"
KINDS = {1: "initiation", 2: "response", 3: "cookie"}
EMPTY_DATA = 32
INITIATION, RESPONSE, DATA = 148, 92, 100

Kind = Literal["initiation", "response", "cookie", "data", "keepalive"]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Step(Strict):
    """Time goes on to `at_ms` after the start, then `do` happens. `sent` is all that left since the
    step before: how many of each kind, or from how many to how many."""

    at_ms: int
    do: Literal["nothing", "send", "receive data", "receive keepalive", "receive initiation"] = (
        "nothing"
    )
    verdict: str = ""  # of what is done: a status of wyrm.h without WYRM_
    sent: dict[Kind, Annotated[list[int], Field(min_length=2, max_length=2)] | int] = {}
    told: list[Literal["READY", "LOST"]] = []
    first_not_before_ms: int = 0  # the first that left did so no earlier
    keys: Literal["", "kept", "wiped"] = ""


class Scenario(Strict):
    id: str
    title: str
    paper: str  # section of the WireGuard paper
    seen: str  # on which other implementation, and how; or why not
    session: Literal["none", "initiator", "responder", "unconfirmed"] = "none"
    clock_ms: int = 1_000_000  # at the start
    counter: int | None = None  # of the session's next packet
    steps: list[Step]


class File(Strict):
    source: str
    scenarios: list[Scenario]


@dataclass
class World:
    backend: Backend
    scenario: Scenario
    rng: Random = field(default_factory=lambda: Random(1))
    labels: int = 0
    sent: list[tuple[int, Kind, bytes]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.privates = (self.rng.randbytes(32), self.rng.randbytes(32))
        self.publics = tuple(self.backend.x25519_base(private) for private in self.privates)
        self.ours = self._device(0, PEER, PEER_INNER)
        self.theirs = self._device(1, US, OUR_INNER)
        self.ours.now = self.start = self.scenario.clock_ms
        self._begin()

    def _device(self, which: int, peer_at: Endpoint, peer_has: str) -> Device:
        device = Device(self.backend, self.privates[which])
        device.add_peer(self.publics[1 - which], bytes(32), peer_at, [f"{peer_has}/32"])
        return device

    # ---- Devices at work

    def _prepare(self, device: Device) -> None:
        """Randomness for the next call, and a later timestamp."""
        self.labels += 1
        device.forget_random()
        device.feed(self.rng.randbytes(128))
        device.set_timestamp(
            (0x400000000000000A).to_bytes(8, "big") + self.labels.to_bytes(4, "big")
        )

    def _work(self, device: Device) -> list[Answer]:
        """Runs all due jobs and polls of the device."""
        said: list[Answer] = []
        for _ in range(32):
            self._prepare(device)
            said += device.poll_until_idle()
            if device.take() != Status.WORK:
                return said
            answer, _ = device.finish_job()
            said.append(answer)
        raise AssertionError("the device does not come to rest")

    def _note(self, answers: list[Answer]) -> None:
        for answer in answers:
            if answer.status == Status.SEND:
                self.sent.append((self.ours.now, kind(answer.data), answer.data))
            elif answer.status in (Status.READY, Status.LOST):
                self.told.append(answer.status.name)

    def _messages(self, device: Device) -> list[bytes]:
        return [one.data for one in self._work(device) if one.status == Status.SEND]

    # ---- The start

    def _begin(self) -> None:
        session = self.scenario.session
        if session == "initiator":
            for confirmation in self._handshake(self.ours, self.theirs, PEER, US):
                self.theirs.input(confirmation, US)
        elif session != "none":
            self._handshake(self.theirs, self.ours, US, PEER)
        if session == "unconfirmed":
            return
        if session == "responder":
            self.receive(self._keepalive())
        self._work(self.ours)
        if self.scenario.counter is not None:
            self.ours.sending_keypair().set("tx_next", self.scenario.counter)
        self.key = self.ours.sending_keypair().get("send") if session != "none" else b""

    def _handshake(
        self, caller: Device, called: Device, at: Endpoint, caller_at: Endpoint
    ) -> list[bytes]:
        """`called` lives at `at`; returns what the caller confirms the session with."""
        caller.connect(0)
        (initiation,) = self._messages(caller)
        called.input(initiation, caller_at)
        (response,) = self._messages(called)
        caller.input(response, at)
        return self._messages(caller)

    # ---- What the peer says

    def _keepalive(self) -> bytes:
        self.theirs.ask_keepalive(0)
        (message,) = (one.data for one in self.theirs.poll_until_idle() if one.data)
        return message

    def _data(self) -> bytes:
        return self.theirs.output(packet(PEER_INNER, OUR_INNER)).data

    def _initiation(self) -> bytes:
        """As the peer says it after a restart, when it has forgotten the last."""
        self.theirs = self._device(1, US, OUR_INNER)
        self.theirs.connect(0)
        (message,) = self._messages(self.theirs)
        return message

    def receive(self, message: bytes) -> Answer:
        return self.ours.input(message, PEER)

    # ---- Steps

    def advance(self, to: int) -> None:
        """Advances from deadline to deadline, like a port's timer."""
        while (due := self.ours.deadline()) <= to:
            self.ours.now = max(due, self.ours.now)
            self._note(self._work(self.ours))
        self.ours.now = to

    def play(self, step: Step) -> str:
        """Performs the step; returns the verdict."""
        self.sent, self.told = [], []
        self.advance(self.start + step.at_ms)
        answer = self._do(step.do)
        if answer is not None:
            self._note([answer])
        self._note(self._work(self.ours))
        return answer.status.name if answer else ""

    def _do(self, what: str) -> Answer | None:
        if what == "send":
            return self.ours.output(packet(OUR_INNER, PEER_INNER))
        if what == "receive data":
            return self.receive(self._data())
        if what == "receive keepalive":
            return self.receive(self._keepalive())
        if what == "receive initiation":
            return self.receive(self._initiation())
        return None

    def counts(self) -> Counter[str]:
        return Counter(kind for _, kind, _ in self.sent)

    def keys_are(self, what: str) -> bool:
        """`kept`, or `wiped`: not in the device's memory any more."""
        return (self.key in self.ours.state()) == (what == "kept")


def packet(source: str, destination: str) -> bytes:
    """An IPv4 packet of some length that is not a multiple of 16."""
    addresses = bytes(map(int, source.split("."))) + bytes(map(int, destination.split(".")))
    return bytes.fromhex("4500003300000000401100") + b"\0" + addresses + bytes(31)


def kind(message: bytes) -> Kind:
    if message[0] == 4:
        return "keepalive" if len(message) == EMPTY_DATA else "data"
    return KINDS[message[0]]  # type: ignore[return-value]
