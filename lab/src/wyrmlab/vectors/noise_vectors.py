# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""General Noise vectors, in the form that cacophony, snow and noise-c share."""

from __future__ import annotations

from wyrmlab.vectors.case import Case, Context, Malformed, check, form, same
from wyrmlab.vectors.noise import Handshake, Keys, Protocol


def _optional(case: Case, key: str) -> bytes | None:
    return case.octets(key, 32) if key in case else None


def _psks(case: Case, side: str) -> tuple[bytes, ...]:
    if f"{side}_psks" in case:
        return tuple(case.octets_list(f"{side}_psks"))
    psk = _optional(case, f"{side}_psk")
    return () if psk is None else (psk,)


def _side(context: Context, case: Case, protocol: Protocol, initiator: bool) -> Handshake:
    side, other = ("init", "resp") if initiator else ("resp", "init")
    remote = _optional(case, f"{side}_remote_static")
    pre = protocol.responder_pre if initiator else protocol.initiator_pre
    if remote is None and "s" in pre:  # not named: it follows from the other side's own key
        private = _optional(case, f"{other}_static")
        remote = None if private is None else context.backend.x25519_base(private)
    prologue = f"{side}_prologue"
    return Handshake(
        context.backend,
        protocol,
        initiator=initiator,
        keys=Keys(
            s=_optional(case, f"{side}_static"),
            e=_optional(case, f"{side}_ephemeral"),
            remote_s=remote if "s" in pre else None,
            psks=_psks(case, side),
        ),
        prologue=case.octets(prologue) if prologue in case else b"",
    )


def _check_labels(case: Case, name: str) -> None:
    """A case that also spells its parts out must mean the same protocol by them."""
    _, pattern, dh, cipher, digest = name.split("_")
    for key, part in (("pattern", pattern), ("dh", dh), ("cipher", cipher), ("hash", digest)):
        if key in case and case.text(key) != part:
            raise Malformed(f"{key} is {case.text(key)!r}, but the protocol is {name}")


def _run(context: Context, case: Case) -> None:
    name = case.text("protocol_name" if "protocol_name" in case else "name")
    protocol = Protocol.parse(name)
    _check_labels(case, name)
    initiator = _side(context, case, protocol, True)
    responder = _side(context, case, protocol, False)
    messages = case.cases("messages")
    check(len(messages) >= len(protocol.messages), "there are fewer messages than the pattern has")

    ciphers = None
    for at, message in enumerate(messages):
        payload, text = message.octets("payload"), message.octets("ciphertext")
        by_initiator = protocol.one_way or at % 2 == 0
        if not initiator.finished:
            writer, reader = (initiator, responder) if by_initiator else (responder, initiator)
            same(f"message {at}", writer.write(payload), text)
            same(f"payload {at}", reader.read(text), payload)
        else:
            if ciphers is None:
                ciphers = initiator.symmetric.split(), responder.symmetric.split()
            direction = 0 if by_initiator else 1
            ours, theirs = ciphers if by_initiator else reversed(ciphers)
            same(f"message {at}", ours[direction].seal(b"", payload), text)
            same(f"payload {at}", theirs[direction].open(b"", text), payload)

    same("both sides' hash", initiator.symmetric.h, responder.symmetric.h)
    if "handshake_hash" in case:
        same("handshake hash", initiator.symmetric.h, case.octets("handshake_hash"))


FORMS = (
    form("Noise", "protocol_name messages init_ephemeral", _run),
    form("Noise", "name messages init_ephemeral", _run),
)
