# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A recorded run of another implementation, with its ephemeral keys: two cores say it again.

Each packet is made by the core of its sender, out of what the record gives (index, ephemeral key)
and what can be read out of the packet itself (timestamp, inner packet), and must come out byte for
byte; then the other core takes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from wyrmlab.vectors.backend import Backend
from wyrmlab.vectors.case import Case, Context, Malformed, Mismatch, check, form, parse_hex, same
from wyrmlab.vectors.device import Device, Endpoint, Record, Status
from wyrmlab.vectors.noise import Handshake, Keys, Protocol
from wyrmlab.vectors.scene import (
    CONSTRUCTION,
    COOKIE_REPLY,
    DATA,
    DATA_HEADER_LEN,
    DATA_MIN_LEN,
    IDENTIFIER,
    INITIATION,
    INITIATION_LEN,
    INITIATOR_AT,
    RESPONDER_AT,
    RESPONSE,
    RESPONSE_LEN,
    data_packet,
    index,
    keepalive,
    want,
    want_job,
)

_EVERYTHING = ["0.0.0.0/0", "::/0"]
_BETWEEN_INITIATIONS_MS = 6_000
_BETWEEN_PACKETS_MS = 10


@dataclass
class Station:
    """One of the two of the record."""

    name: str
    private: bytes
    public: bytes
    at: Endpoint
    device: Device


@dataclass
class Tape:
    backend: Backend
    psk: bytes
    ephemerals: dict[bytes, bytes]
    stations: dict[str, Station]

    def ephemeral(self, public: bytes) -> bytes:
        if public not in self.ephemerals:
            raise Malformed(f"no private key is recorded for the ephemeral {public.hex()[:16]}...")
        return self.ephemerals[public]

    def other(self, station: Station) -> Station:
        return next(s for s in self.stations.values() if s is not station)

    def pass_time(self, milliseconds: int) -> None:
        for station in self.stations.values():
            station.device.now += milliseconds


def _record(context: Context, case: Case) -> None:
    tape = _read(context.backend, case)
    for at, packet in enumerate(case.cases("packets")):
        sender = tape.stations.get(packet.text("from"))
        if sender is None:
            raise Malformed(f"packet {at} is from neither A nor B")
        data = packet.octets("data")
        try:
            _replay(tape, sender, tape.other(sender), data)
        except Mismatch as finding:
            raise type(finding)(f"packet {at}: {finding}") from finding
        tape.pass_time(_BETWEEN_PACKETS_MS)


def _read(backend: Backend, case: Case) -> Tape:
    ephemerals = {
        parse_hex(public, "an ephemeral public key", 32): parse_hex(private, public, 32)
        for public, private in case.case("ephemeral_private_by_public").fields.items()
    }
    for public, private in ephemerals.items():
        same("ephemeral public key", backend.x25519_base(private), public)
    psk = case.octets("preshared_key", 32)
    stations = {}
    for name, at in (("A", INITIATOR_AT), ("B", RESPONDER_AT)):
        keys = case.case(f"peer_{name}")
        private, public = keys.octets("static_private", 32), keys.octets("static_public", 32)
        same(f"static public key of {name}", backend.x25519_base(private), public)
        stations[name] = Station(name, private, public, at, Device(backend, private))
    tape = Tape(backend, psk, ephemerals, stations)
    for station in stations.values():
        other = tape.other(station)
        station.device.add_peer(other.public, psk, other.at, _EVERYTHING)
    return tape


def _replay(tape: Tape, sender: Station, receiver: Station, data: bytes) -> None:
    kind = data[0] if data else 0
    if kind == INITIATION and len(data) == INITIATION_LEN:
        _initiation(tape, sender, receiver, data)
    elif kind == RESPONSE and len(data) == RESPONSE_LEN:
        _response(tape, sender, receiver, data)
    elif kind == DATA and len(data) >= DATA_MIN_LEN:
        _data(tape, sender, receiver, data)
    elif kind == COOKIE_REPLY:
        # Its secret is not in the record, so it can only be taken.
        answer = receiver.device.input(data, sender.at)
        want(answer, Status.IDLE, "taking the cookie reply")
    else:
        raise Malformed(f"a packet of type {kind} and {len(data)} bytes")


def _initiation(tape: Tape, sender: Station, receiver: Station, data: bytes) -> None:
    tape.pass_time(_BETWEEN_INITIATIONS_MS)
    reader = Handshake(
        tape.backend,
        Protocol.parse(CONSTRUCTION),
        initiator=False,
        keys=Keys(s=receiver.private, psks=(tape.psk,)),
        prologue=IDENTIFIER,
    )
    timestamp = reader.read(data[8:116])
    same("the sender it names", reader.keys.remote_s or b"", sender.public)

    device = sender.device
    device.feed(data[4:8], tape.ephemeral(data[8:40]))
    device.set_timestamp(timestamp)
    device.connect(0)
    want_job(device, "the initiator")
    answer, _ = device.finish_job()
    device.check_all_drawn()
    same("initiation", want(answer, Status.SEND, "the initiation").data, data)
    want(receiver.device.input(data, sender.at), Status.WORK, "taking the initiation")


def _response(tape: Tape, sender: Station, receiver: Station, data: bytes) -> None:
    device = sender.device
    device.feed(data[4:8], tape.ephemeral(data[12:44]))
    want_job(device, "the responder")
    answer, _ = device.finish_job()
    device.check_all_drawn()
    same("response", want(answer, Status.SEND, "the response").data, data)
    want(receiver.device.input(data, sender.at), Status.WORK, "taking the response")
    want_job(receiver.device, "the initiator")
    answer, _ = receiver.device.finish_job()
    want(answer, Status.IDLE, "taking the response")


def _data(tape: Tape, sender: Station, receiver: Station, data: bytes) -> None:
    keypair, newest = _keypair_for(sender.device, index(data, 4))
    counter = int.from_bytes(data[8:DATA_HEADER_LEN], "little")
    nonce = bytes(4) + data[8:DATA_HEADER_LEN]
    opened, good = tape.backend.aead_open(keypair.get("send"), nonce, b"", data[DATA_HEADER_LEN:])
    check(good, "the packet is not sealed with the session's key")
    padded = opened[: len(data) - DATA_MIN_LEN]
    receiver_index = keypair.number("remote")
    same(
        "packet by its definition",
        data_packet(tape.backend, keypair.get("send"), receiver_index, counter, padded),
        data,
    )

    answer = receiver.device.input(data, sender.at)
    if not padded:
        want(answer, Status.IDLE, "taking the keepalive")
    else:
        want(answer, Status.DELIVER, "taking the packet")
        same("the packet delivered", answer.data, padded[: len(answer.data)])

    if not newest:
        return  # the core sends in its newest session only
    if counter != keypair.number("tx_next"):
        keypair.set("tx_next", counter)  # packets before it are not in the record
    if padded:
        sent = want(sender.device.output(answer.data), Status.SEND, "sending the packet").data
    else:
        sent = keepalive(sender.device)
    same("packet", sent, data)


def _keypair_for(device: Device, remote: int) -> tuple[Record, bool]:
    """The sender's session to this receiver index, and whether it is the one that it sends in."""
    current = device.keypair("current")
    for keypair in device.keypairs():
        if keypair.number("remote") == remote:
            newest = current is not None and current.number("remote") == remote
            return keypair, newest
    raise Mismatch(f"the sender has no session to the index {remote:08x}")


FORMS = (
    form(
        "recorded run", "peer_A peer_B preshared_key ephemeral_private_by_public packets", _record
    ),
)
