# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The two devices of a handshake transcript, and the model of what WireGuard computes."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Malformed, check, same
from wyrmlab.vectors.device import Answer, Device, Endpoint, Status
from wyrmlab.vectors.noise import Handshake, Keys, Probe, Protocol

CONSTRUCTION = "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s"
IDENTIFIER = b"WireGuard v1 zx2c4 Jason@zx2c4.com"
INITIATION, RESPONSE, COOKIE_REPLY, DATA = 1, 2, 3, 4
INITIATION_LEN, RESPONSE_LEN, COOKIE_REPLY_LEN = 148, 92, 64
DATA_HEADER_LEN, DATA_MIN_LEN, MTU = 16, 32, 1420
MACS_LEN = 32

# Where the two sides are unless a case says otherwise, and which inner addresses they have.
INITIATOR_AT = Endpoint.parse("192.0.2.11", 51820)
RESPONDER_AT = Endpoint.parse("192.0.2.12", 51820)
_INITIATOR_HAS = ("10.9.0.1/32", "fd00:9::1/128")
_RESPONDER_HAS = ("10.9.0.2/32", "fd00:9::2/128")


def index(message: bytes, at: int) -> int:
    return int.from_bytes(message[at : at + 4], "little")


def data_packet(backend: Backend, key: bytes, receiver: int, counter: int, padded: bytes) -> bytes:
    """A data message as paper section 5.4.6 has it."""
    number = counter.to_bytes(8, "little")
    header = DATA.to_bytes(4, "little") + receiver.to_bytes(4, "little") + number
    return header + backend.aead_seal(key, bytes(4) + number, b"", padded)


def labelled(backend: Backend, label: bytes, public: bytes) -> bytes:
    """The key of mac1 ("mac1----") or of cookie replies ("cookie--") to the owner of `public`."""
    return backend.blake2s(label + public)


def mac1(backend: Backend, message: bytes, receiver: bytes) -> bytes:
    key = labelled(backend, b"mac1----", receiver)
    return backend.blake2s(message[:-MACS_LEN], key, 16)


def addresses_in(packet: bytes) -> tuple[str, str] | None:
    """Source and destination of an inner packet."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and len(packet) >= 20:
        return str(ipaddress.ip_address(packet[12:16])), str(ipaddress.ip_address(packet[16:20]))
    if version == 6 and len(packet) >= 40:
        return str(ipaddress.ip_address(packet[8:24])), str(ipaddress.ip_address(packet[24:40]))
    return None


@dataclass(frozen=True)
class Side:
    """One of the two of a transcript."""

    private: bytes
    public: bytes
    ephemeral: bytes
    ephemeral_public: bytes
    index: int

    @classmethod
    def read(cls, case: Case) -> Side:
        return cls(
            private=case.octets("static_private", 32),
            public=case.octets("static_public", 32),
            ephemeral=case.octets("ephemeral_private", 32),
            ephemeral_public=case.octets("ephemeral_public", 32),
            index=case.number("index", 1 << 32),
        )

    @property
    def draws(self) -> bytes:
        """What `random` must hand out for this side's handshake message."""
        return self.index.to_bytes(4, "little") + self.ephemeral


@dataclass(frozen=True)
class Packet:
    """A data packet of a transcript."""

    to_responder: bool
    counter: int
    inner: bytes
    padded_len: int
    message: bytes
    kind: str

    @classmethod
    def read(cls, case: Case) -> Packet:
        direction = case.text("dir")
        if direction not in ("i2r", "r2i"):
            raise Malformed(f"the direction {direction!r} is neither i2r nor r2i")
        packet = cls(
            to_responder=direction == "i2r",
            counter=case.number("counter"),
            inner=case.octets("inner"),
            padded_len=case.number("padded_len", 1 << 16),
            message=case.octets("packet"),
            kind=case.text("kind") if "kind" in case else "data",
        )
        if packet.padded_len < len(packet.inner):
            raise Malformed("padded_len is less than the packet's length")
        return packet

    def __str__(self) -> str:
        arrow = "initiator to responder" if self.to_responder else "responder to initiator"
        return f"counter {self.counter}, {arrow} ({self.kind})"


class Scene:
    """A transcript, read, and the devices it needs."""

    def __init__(self, backend: Backend, case: Case) -> None:
        self.backend = backend
        self.case = case
        self.initiator = Side.read(case.case("initiator"))
        self.responder = Side.read(case.case("responder"))
        self.psk = case.octets("preshared_key", 32)
        self.timestamp = case.octets("timestamp", 12)
        self.initiation = case.octets("initiation", INITIATION_LEN)
        self.response = case.octets("response", RESPONSE_LEN)
        self.packets = [Packet.read(item) for item in case.cases("data")] if "data" in case else []
        self.keys = self._keys() if "keys" in case else None

    def _keys(self) -> tuple[bytes, bytes]:
        keys = self.case.case("keys")
        return keys.octets("initiator_send", 32), keys.octets("initiator_receive", 32)

    @cached_property
    def addresses(self) -> tuple[list[str], list[str]]:
        """The inner prefixes of initiator and responder: those its packets show, or the usual."""
        shown: tuple[dict[str, None], dict[str, None]] = ({}, {})
        for packet in self.packets:
            if ends := addresses_in(packet.inner):
                source, destination = ends if packet.to_responder else ends[::-1]
                shown[0][source] = shown[1][destination] = None
        families = {":" in address for address in shown[0]}
        results = []
        for found, usual in zip(shown, (_INITIATOR_HAS, _RESPONDER_HAS), strict=True):
            extra = [prefix for prefix in usual if (":" in prefix) not in families]
            results.append([*found, *extra])
        return results[0], results[1]

    # ---- Devices

    def initiator_device(self, at: Endpoint = RESPONDER_AT) -> Device:
        """The initiator, its peer at `at`, nothing said yet."""
        device = Device(self.backend, self.initiator.private)
        device.add_peer(self.responder.public, self.psk, at, self.addresses[1])
        return device

    def responder_device(self, at: Endpoint = INITIATOR_AT) -> Device:
        device = Device(self.backend, self.responder.private)
        device.add_peer(self.initiator.public, self.psk, at, self.addresses[0])
        return device

    def start_initiation(self, device: Device) -> None:
        """Has the initiator's job for the transcript's initiation taken."""
        device.feed(self.initiator.draws)
        device.set_timestamp(self.timestamp)
        device.connect(0)
        want_job(device, "the initiator")
        device.check_all_drawn()

    def initiate(self, device: Device) -> bytes:
        self.start_initiation(device)
        answer, _ = device.finish_job()
        check(answer.status == Status.SEND, f"no initiation: {answer.status.name}")
        return answer.data

    def respond(self, device: Device, initiation: bytes, source: Endpoint) -> bytes:
        """Has the responder answer, with the transcript's index and ephemeral."""
        want(device.input(initiation, source), Status.WORK, "the initiation")
        device.feed(self.responder.draws)
        want_job(device, "the responder")
        device.check_all_drawn()
        answer, _ = device.finish_job()
        check(answer.status == Status.SEND, f"no response: {answer.status.name}")
        return answer.data

    def finish(self, device: Device, response: bytes, source: Endpoint) -> None:
        """Has the initiator take the response; what it then wants to say is left waiting."""
        want(device.input(response, source), Status.WORK, "the response")
        want_job(device, "the initiator")
        answer, _ = device.finish_job()
        check(answer.status == Status.IDLE, f"the response was refused: {answer.status.name}")

    # ---- The model

    def model(self, *, initiator: bool, probe: Probe) -> Handshake:
        """One side of the handshake by the small Noise."""
        ours, theirs = (
            (self.initiator, self.responder) if initiator else (self.responder, self.initiator)
        )
        return Handshake(
            self.backend,
            Protocol.parse(CONSTRUCTION),
            initiator=initiator,
            keys=Keys(
                s=ours.private,
                e=ours.ephemeral,
                remote_s=theirs.public if initiator else None,
                psks=(self.psk,),
            ),
            prologue=IDENTIFIER,
            probe=probe,
        )


def want(answer: Answer, status: Status, what: str) -> Answer:
    check(answer.status == status, f"{what}: {answer.status.name} instead of {status.name}")
    return answer


def want_job(device: Device, who: str) -> None:
    device.poll_until_idle()
    taken = device.take()
    check(taken == Status.WORK, f"{who} has no handshake job: {taken.name}")


def stranger_initiation(backend: Backend, receiver: bytes) -> bytes:
    """An initiation with the right mac1 from a device that `receiver` need not know."""
    device = Device(backend, b"\x5a" * 32)
    device.add_peer(receiver, bytes(32), RESPONDER_AT, [])
    device.feed(b"\x77" * 4, b"\x78" * 32)
    device.set_timestamp(bytes([0x40, *bytes(11)]))
    device.connect(0)
    want_job(device, "the stranger")
    answer, _ = device.finish_job()
    return want(answer, Status.SEND, "the stranger's initiation").data


def load(device: Device, receiver: bytes) -> None:
    """Brings the device under load: an initiation waits in a slot and nobody takes it."""
    other = Endpoint.parse("198.51.100.77", 4242)
    message = stranger_initiation(device.backend, receiver)
    want(device.input(message, other), Status.WORK, "the initiation that makes load")


def keepalive(device: Device, peer: int = 0) -> bytes:
    """Has the device send a keepalive now."""
    device.ask_keepalive(peer)
    return next(_sent(device), b"")


def _sent(device: Device) -> Iterator[bytes]:
    for answer in device.poll_until_idle():
        if answer.status == Status.SEND:
            yield answer.data


def keys_of(device: Device, role: str, peer: int = 0) -> tuple[bytes, bytes]:
    keypair = device.keypair(role, peer)
    check(keypair is not None, f"there is no {role} session")
    assert keypair is not None
    return keypair.get("send"), keypair.get("recv")


def same_keys(device: Device, role: str, sends: bytes, receives: bytes) -> None:
    got = keys_of(device, role)
    same("sending key", got[0], sends)
    same("receiving key", got[1], receives)
