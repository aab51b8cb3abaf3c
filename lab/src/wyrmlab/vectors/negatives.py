# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""Messages that must be refused, and their neighbours that must not.

Each case starts from a transcript (`base`) whose keys both sides have. The receiver is brought into
the state in which the message could do most harm: waiting for the response, or with the session up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wyrmlab.vectors.case import Case, Context, Malformed, Mismatch, check, form, same
from wyrmlab.vectors.device import Answer, Device, Endpoint, Status
from wyrmlab.vectors.scene import (
    COOKIE_REPLY,
    COOKIE_REPLY_LEN,
    DATA,
    DATA_HEADER_LEN,
    INITIATION,
    INITIATOR_AT,
    MACS_LEN,
    RESPONDER_AT,
    RESPONSE,
    RESPONSE_LEN,
    Scene,
    index,
    labelled,
    load,
    mac1,
    want,
    want_job,
)

_STAGES: dict[str, tuple[Status, int]] = {
    # The verdict of each stage, and how many steps of a handshake job come before it; 0: the
    # message never becomes a job.
    "length": (Status.D_MALFORMED, 0),
    "type": (Status.D_MALFORMED, 0),
    "reserved": (Status.D_MALFORMED, 0),
    "mac1": (Status.D_MAC1, 0),
    "index_lookup": (Status.D_INDEX, 0),
    "state": (Status.D_INDEX, 0),
    "dh_zero": (Status.D_DH, 1),
    "aead_static": (Status.D_TAG, 1),
    "peer_lookup": (Status.D_PEER, 1),
    "aead_timestamp": (Status.D_TAG, 2),
    "timestamp": (Status.D_TIMESTAMP, 2),
    "aead_empty": (Status.D_TAG, 1),
    "aead_cookie": (Status.D_TAG, 0),
    "aead_data": (Status.D_TAG, 0),
    "counter_limit": (Status.D_EXPIRED, 0),
    "replay_window": (Status.D_REPLAY, 0),
    "inner_packet": (Status.D_INNER, 0),
    "allowed_ips": (Status.D_SOURCE, 0),
}
_INDEPENDENT_OF_CONTENT = (Status.D_MALFORMED, Status.D_MAC1, Status.D_INDEX, Status.D_TAG)
_PREFIX = re.compile(r"[0-9a-fA-F:.]+/\d{1,3}")
_AGE = re.compile(r"more than (\d+) (ms|s)\b")
_SECRET, _NONCE = b"\x31" * 32, b"\x32" * 24


@dataclass(frozen=True)
class Expectation:
    """What `expect` asks for, read out of its words."""

    drop: bool = False
    drop_inner: bool = False
    accept: bool = False
    cookie_under_load: bool = False


def _expectation(case: Case) -> Expectation:
    text = case.text("expect")
    if re.match(r"drop inner\b", text):
        return Expectation(drop_inner=True)
    if re.match(r"drop\b", text):
        return Expectation(drop=True)
    if re.match(r"accept_if_not_under_load\b", text):
        return Expectation(accept=True, cookie_under_load=True)
    if re.match(r"accept\b", text):
        return Expectation(accept=True)
    if re.search(r"\bunder[ _]load:.*\bcookie", text):
        accept = re.search(r"\bnot under load: accept", text) is not None
        return Expectation(accept=accept, cookie_under_load=True)
    raise Malformed(f"expect is not understood: {text!r}")


def _stages(case: Case) -> list[tuple[Status, int]]:
    """The verdicts that fit `reject_stage`, which may name several."""
    text = re.split(r"[:(]", case.text("reject_stage"))[0].strip()
    if text == "none" or text.startswith("mac2"):
        return []
    names = re.split(r"\s+or\s+|/", text)
    for name in names:
        if name not in _STAGES:
            raise Malformed(f"reject_stage is not understood: {name!r}")
    return [_STAGES[name] for name in names]


@dataclass
class Receiver:
    """The device under test, and where the message comes from."""

    scene: Scene
    device: Device
    responder: bool
    source: Endpoint

    @property
    def public(self) -> bytes:
        return (self.scene.responder if self.responder else self.scene.initiator).public


def _negative(context: Context, case: Case) -> None:
    base = context.transcripts.get(case.text("base"))
    if base is None:
        raise Mismatch(f"its base {case.text('base')} is in none of the folders given")
    expected, stages, message = _expectation(case), _stages(case), case.octets("message")
    receiver = _prepare(context, case, base, message)

    image = receiver.device.save()
    if expected.drop:
        _refused(receiver, message, stages)
    if expected.drop_inner:
        _inner_refused(receiver, message, stages)
    if expected.accept:
        _accepted(receiver, message)
    if expected.cookie_under_load:
        receiver.device.restore(image)
        _cookie_demanded(receiver, message)


# ---- The state before


def _prepare(context: Context, case: Case, base: Case, message: bytes) -> Receiver:
    """The receiver in its state, from a cache of images: most cases share few of them."""
    target, precondition = case.text("target"), ""
    if "precondition" in case:
        precondition = case.text("precondition")
    if target not in ("initiator", "responder"):
        raise Malformed(f"the target {target!r} is neither initiator nor responder")
    kind = message[0] if message else 0
    session = _needs_session(target, kind, precondition)
    prefixes = _prefixes(case.text("cause") if "cause" in case else "")

    key = (id(base), target, session, precondition, prefixes)
    if key not in context.cache:
        context.cache[key] = _build(context, base, target, session, precondition, prefixes)
    receiver: Receiver
    receiver, image, now = context.cache[key]
    receiver.device.restore(image)
    receiver.device.now = now
    if "data packet already accepted" in precondition:
        _accept_data_before(receiver, message)
    return receiver


def _prefixes(cause: str) -> tuple[str, ...]:
    """The allowed IPs that a case's description may name."""
    return tuple(text for text in _PREFIX.findall(cause) if "." in text or ":" in text)


def _needs_session(target: str, kind: int, precondition: str) -> bool:
    """Whether the handshake has taken place: not if the message is to bring it about."""
    if "data packet already accepted" in precondition:
        return True
    if "already accepted" in precondition:
        return "response" in precondition or target == "responder"
    return kind != INITIATION if target == "responder" else kind == DATA


def _build(
    context: Context,
    base: Case,
    target: str,
    session: bool,
    precondition: str,
    prefixes: tuple[str, ...],
) -> tuple[Receiver, bytes, int]:
    known = ("", "base initiation already accepted", "base response already accepted")
    clause = precondition.split(",")[0].strip()
    if clause not in (*known, "base data packet already accepted"):
        raise Malformed(f"precondition is not understood: {precondition!r}")

    scene = Scene(context.backend, base)
    if prefixes:  # the case names what the initiator may have
        scene.addresses = (list(prefixes), scene.addresses[1])
    if target == "responder":
        receiver = Receiver(scene, scene.responder_device(), True, INITIATOR_AT)
        if session:
            made = scene.respond(receiver.device, scene.initiation, INITIATOR_AT)
            same("response", made, scene.response)
    else:
        receiver = Receiver(scene, scene.initiator_device(), False, RESPONDER_AT)
        same("initiation", scene.initiate(receiver.device), scene.initiation)
        if session:
            scene.finish(receiver.device, scene.response, RESPONDER_AT)
    receiver.device.settle()

    # Initiations follow each other at more than the flood limit; nothing else needs to wait.
    age = _AGE.search(precondition)
    wait = int(age[1]) * (1000 if age[2] == "s" else 1) + 1 if age else 100
    receiver.device.now += wait if precondition else 0
    receiver.device.settle()
    return receiver, receiver.device.save(), receiver.device.now


def _accept_data_before(receiver: Receiver, message: bytes) -> None:
    """Has the packet that the message replays accepted: the message itself, or the base's with the
    same counter."""
    packets = [p for p in receiver.scene.packets if p.to_responder == receiver.responder]
    first = message
    if not any(packet.message == message for packet in packets):
        counter = message[8:DATA_HEADER_LEN]
        alike = [p.message for p in packets if p.message[8:DATA_HEADER_LEN] == counter]
        first = alike[0] if alike else message
    _check_delivered(receiver.device.input(first, receiver.source), "the packet replayed")
    receiver.device.settle()


# ---- Refusals


def _refused(receiver: Receiver, message: bytes, stages: list[tuple[Status, int]]) -> None:
    device = receiver.device
    if not stages:
        raise Malformed("expect is drop, but reject_stage names no check")
    before, drops, deadline = device.state(), device.drops(), device.deadline()

    answer, steps = _offer(device, message, receiver.source)
    allowed = " or ".join(dict.fromkeys(status.name for status, _ in stages))
    if (answer.status, steps) not in [(status, n) for status, n in stages]:
        if answer.status in [status for status, _ in stages]:
            raise Mismatch(f"{answer.status.name}, but by another check: after {steps} job steps")
        raise Mismatch(f"{answer.status.name} instead of {allowed}")
    check(not answer.data, "a refused message gave output")
    _check_counted(device, drops, answer.status)
    check(device.take() == Status.IDLE, "a refused message left work")
    check(device.poll().status == Status.IDLE, "a refused message has the device say something")
    check(device.deadline() == deadline, "a refused message moved a timer")
    _check_unchanged(device, before)


def _offer(device: Device, message: bytes, source: Endpoint) -> tuple[Answer, int]:
    """Hands a message in and does the work it makes: the last verdict, and after how many steps."""
    answer = device.input(message, source)
    if answer.status != Status.WORK:
        if answer.status in _INDEPENDENT_OF_CONTENT and not device.backend.refusal_clears:
            same("the datagram after its refusal", device.last_input, message)
        return answer, 0
    check(device.poll().status == Status.WORK, "a waiting message is not announced")
    # An index and an ephemeral of no meaning: the responder draws before it knows the caller.
    device.feed(b"\x5b" * 4, b"\x5c" * 32)
    taken = device.take()
    check(taken == Status.WORK, f"a waiting message makes no job: {taken.name}")
    result = device.finish_job()
    device.forget_random()
    return result


def _check_counted(device: Device, before: dict[Status, int], reason: Status) -> None:
    expected = {**before, reason: before.get(reason, 0) + 1}
    check(device.drops() == expected, f"{reason.name} was not counted once")


def _check_unchanged(device: Device, before: bytes) -> None:
    after = device.state()
    if after != before:
        at = next(i for i, (a, b) in enumerate(zip(after, before, strict=True)) if a != b)
        raise Mismatch(f"a refused message changed the state (byte {at})")


def _inner_refused(receiver: Receiver, message: bytes, stages: list[tuple[Status, int]]) -> None:
    """Authentic, so the counter is spent and the session lives; but nothing is delivered."""
    device = receiver.device
    drops = device.drops()
    answer = device.input(message, receiver.source)
    allowed = [status for status, _ in stages]
    check(answer.status in allowed, f"{answer.status.name} instead of {allowed[0].name}")
    check(not answer.data, "a refused packet was delivered")
    _check_counted(device, drops, answer.status)
    want(device.input(message, receiver.source), Status.D_REPLAY, "the same packet again")
    check(device.keypair("current") is not None, "the session is gone")
    check(
        all(answer.status != Status.SEND for answer in device.poll_until_idle()),
        "a refused packet was answered",
    )


# ---- What must be taken


def _accepted(receiver: Receiver, message: bytes) -> None:
    kind = message[0] if message else 0
    if kind == INITIATION:
        _initiation_accepted(receiver, message)
    elif kind == RESPONSE:
        _response_accepted(receiver, message)
    elif kind == COOKIE_REPLY:
        want(receiver.device.input(message, receiver.source), Status.IDLE, "the cookie reply")
    else:
        _check_delivered(receiver.device.input(message, receiver.source), "the packet")
        again = receiver.device.input(message, receiver.source)
        want(again, Status.D_REPLAY, "the same packet again")


def _check_delivered(answer: Answer, what: str) -> None:
    check(
        answer.status in (Status.DELIVER, Status.IDLE),
        f"{what} was refused: {answer.status.name}",
    )


def _initiation_accepted(receiver: Receiver, message: bytes) -> None:
    """It gets a response, which goes to the index it names and is otherwise the transcript's."""
    scene, device = receiver.scene, receiver.device
    want(device.input(message, receiver.source), Status.WORK, "the initiation")
    fresh = message[8:40] != scene.initiator.ephemeral_public
    draws = (scene.responder.index ^ fresh).to_bytes(4, "little") + scene.responder.ephemeral
    device.feed(draws)
    want_job(device, "the responder")
    device.check_all_drawn()
    answer, _ = device.finish_job()
    response = want(answer, Status.SEND, "the initiation").data
    check(len(response) == RESPONSE_LEN and response[0] == RESPONSE, "the answer is no response")
    check(index(response, 8) == index(message, 4), "the response goes to another index")
    same(
        "mac1 of the response",
        response[60:76],
        mac1(scene.backend, response, scene.initiator.public),
    )
    check(answer.to == receiver.source, "the response goes elsewhere")
    check(device.keypair("next") is not None, "no session was made")
    if not fresh:
        same("the response's Noise message", response[12:60], scene.response[12:60])


def _response_accepted(receiver: Receiver, message: bytes) -> None:
    """It makes a session, to the index it names and with the transcript's keys."""
    scene, device = receiver.scene, receiver.device
    scene.finish(device, message, receiver.source)
    keypair = device.keypair("current")
    check(keypair is not None, "no session was made")
    assert keypair is not None
    check(keypair.number("remote") == index(message, 4), "the session has another remote index")
    if message[12:44] == scene.responder.ephemeral_public and scene.keys:
        same("sending key", keypair.get("send"), scene.keys[0])
        same("receiving key", keypair.get("recv"), scene.keys[1])


# ---- Under load


def _cookie_demanded(receiver: Receiver, message: bytes) -> None:
    """No handshake work is done; a cookie reply goes out, and with its cookie the message is taken
    up for work."""
    device, backend = receiver.device, receiver.scene.backend
    load(device, receiver.public)
    device.poll_until_idle()
    waiting = device.waiting()
    session = [keypair.get("send") for keypair in device.keypairs()]

    device.feed(_SECRET, _NONCE)
    answer = want(device.input(message, receiver.source), Status.SEND, "under load")
    device.check_all_drawn()
    reply = answer.data
    check(device.waiting() == waiting, "under load, the message became handshake work")
    check(len(reply) == COOKIE_REPLY_LEN and reply[0] == COOKIE_REPLY, "not a cookie reply")
    check(index(reply, 4) == index(message, 4), "the cookie reply goes to another index")
    check(answer.to == receiver.source, "the cookie reply goes elsewhere")
    check(
        [keypair.get("send") for keypair in device.keypairs()] == session,
        "under load, a message without cookie changed the sessions",
    )

    key = labelled(backend, b"cookie--", receiver.public)
    bound = message[-MACS_LEN : -MACS_LEN // 2]
    cookie, good = backend.xaead_open(key, reply[8:32], bound, reply[32:])
    check(good, "the cookie reply cannot be opened")
    expected = backend.blake2s(receiver.source.cookie_input, _SECRET, 16)
    same("cookie", cookie[:16], expected)

    proven = message[:-16] + backend.blake2s(message[:-16], expected, 16)
    want(device.input(proven, receiver.source), Status.WORK, "the message with its cookie")


FORMS = (form("WireGuard negative", "base target message expect reject_stage", _negative),)
