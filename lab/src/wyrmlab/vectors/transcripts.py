# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""WireGuard handshakes with data packets and cookies: the core must say every byte of them."""

from __future__ import annotations

from collections.abc import Mapping

from wyrmlab.vectors.case import Case, Context, Malformed, check, form, same
from wyrmlab.vectors.device import Device, Endpoint, Status
from wyrmlab.vectors.noise import SymmetricState
from wyrmlab.vectors.scene import (
    INITIATOR_AT,
    MTU,
    RESPONDER_AT,
    RESPONSE_LEN,
    Packet,
    Scene,
    data_packet,
    keepalive,
    labelled,
    load,
    same_keys,
    want,
    want_job,
)

_WINDOW = 480  # of the library as it is built here
_REKEY_TIMEOUT = 5_000 + 334
_LAST_COUNTER = (1 << 64) - (1 << 13) - 2


def _transcript(context: Context, case: Case) -> None:
    scene = Scene(context.backend, case)
    _check_static(scene)
    named = _model_intermediates(scene)
    if "intermediates" in case:
        _check_intermediates(case.case("intermediates"), named)

    initiator, responder = _handshake(scene, named)
    for packet in scene.packets:
        _data(scene, packet, initiator, responder)
    if "cookie" in case:
        _cookies(scene, case.case("cookie"))


# ---- Keys


def _check_static(scene: Scene) -> None:
    backend, case = scene.backend, scene.case
    for name, side in (("initiator", scene.initiator), ("responder", scene.responder)):
        same(f"{name} static_public", backend.x25519_base(side.private), side.public)
        same(f"{name} ephemeral_public", backend.x25519_base(side.ephemeral), side.ephemeral_public)
        for key, label in (("mac1_key", b"mac1----"), ("cookie_key", b"cookie--")):
            if f"{key}_{name}" in case:
                got = labelled(backend, label, side.public)
                same(f"{key}_{name}", got, case.octets(f"{key}_{name}", 32))


# ---- Intermediates

# What the state is called after each token, and what the token's own value is called.
_STEPS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("initiation", "start"): {"ck": "C0"},
    ("initiation", "prologue"): {"h": "H0"},
    ("initiation", "pre"): {"h": "H_after_Sr"},
    ("initiation", "e"): {"ck": "C_after_e", "h": "H_after_e"},
    ("initiation", "es"): {"ck": "C_after_es", "value": "es", "key": "k_static"},
    ("initiation", "s"): {"h": "H_after_static"},
    ("initiation", "ss"): {"ck": "C_after_ss", "value": "ss", "key": "k_timestamp"},
    ("initiation", "payload"): {"h": "H_msg1"},
    ("response", "e"): {"ck": "C_after_e", "h": "H_after_e"},
    ("response", "ee"): {"ck": "C_after_ee", "value": "ee"},
    ("response", "se"): {"ck": "C_after_se", "value": "se"},
    ("response", "psk"): {
        "ck": "C_after_psk",
        "h": "H_after_psk",
        "value": "tau",
        "key": "k_empty",
    },
    ("response", "payload"): {"h": "H_final"},
}

Intermediates = dict[str, dict[str, bytes]]


def _model_intermediates(scene: Scene) -> Intermediates:
    """Runs both sides of the small Noise, which must give the messages and agree on every step."""
    sides: list[Intermediates] = []
    messages: list[bytes] = []
    for initiator in (True, False):
        found: Intermediates = {"initiation": {}, "response": {}}
        current = ["initiation"]

        def probe(
            token: str,
            value: bytes,
            state: SymmetricState,
            found: Intermediates = found,
            current: list[str] = current,
        ) -> None:
            values = {
                "ck": state.ck,
                "h": state.h,
                "value": value,
                "key": state.cipher.key or b"",
            }
            for what, name in _STEPS.get((current[0], token), {}).items():
                found[current[0]][name] = values[what]

        side = scene.model(initiator=initiator, probe=probe)
        if initiator:
            messages.append(side.write(scene.timestamp))
            current[0] = "response"
            same("the model's response payload", side.read(scene.response[12:60]), b"")
        else:
            timestamp = side.read(scene.initiation[8:116])
            same("the timestamp in the initiation", timestamp, scene.timestamp)
            current[0] = "response"
            messages.append(side.write(b""))
        sends, receives = (state.key or b"" for state in side.symmetric.split())
        found["response"] |= {"initiator_send_key": sends, "initiator_recv_key": receives}
        sides.append(found)

    same("the model's initiation", messages[0], scene.initiation[8:116])
    same("the model's response", messages[1], scene.response[12:60])
    check(sides[0] == sides[1], "the model's two sides disagree")
    if scene.keys:
        same("keys.initiator_send", sides[0]["response"]["initiator_send_key"], scene.keys[0])
        same("keys.initiator_receive", sides[0]["response"]["initiator_recv_key"], scene.keys[1])
    return sides[0]


def _check_intermediates(case: Case, named: Intermediates) -> None:
    for part in case.fields:
        if part not in named:
            raise Malformed(f"intermediates of an unknown message: {part}")
        values = case.case(part)
        for name in values.fields:
            if name not in named[part]:
                raise Malformed(f"an unknown intermediate of the {part}: {name}")
            same(f"{part} {name}", named[part][name], values.octets(name))


# ---- The handshake


def _handshake(scene: Scene, named: Intermediates) -> tuple[Device, Device]:
    """Both roles in the real core, every step of theirs compared; returns the two with their
    session."""
    first, second = named["initiation"], named["response"]
    sends, receives = second["initiator_send_key"], second["initiator_recv_key"]
    initiator, responder = scene.initiator_device(), scene.responder_device()

    scene.start_initiation(initiator)
    initiator.run()
    same("initiator's chaining key after ss", initiator.job.get("ck"), first["C_after_ss"])
    same("initiator's hash after the initiation", initiator.job.get("hash"), first["H_msg1"])
    same("initiator's ss", initiator.job.get("static_dh"), first["ss"])
    made = want(initiator.commit(), Status.SEND, "the initiation")
    same("initiation", made.data, scene.initiation)
    check(made.to == RESPONDER_AT, "the initiation goes elsewhere")

    want(responder.input(made.data, INITIATOR_AT), Status.WORK, "the initiation's arrival")
    responder.feed(scene.responder.draws)
    want_job(responder, "the responder")
    responder.check_all_drawn()
    responder.run()
    same("responder's chaining key after es", responder.job.get("ck"), first["C_after_es"])
    same("responder's hash after s", responder.job.get("hash"), first["H_after_static"])
    same("the initiator it learns", responder.job.get("pub"), scene.initiator.public)
    want(responder.commit(), Status.WORK, "the responder's second step")
    responder.run()
    same("responder's chaining key after psk", responder.job.get("ck"), second["C_after_psk"])
    same("responder's hash at the end", responder.job.get("hash"), second["H_final"])
    made = want(responder.commit(), Status.SEND, "the response")
    same("response", made.data, scene.response)
    check(made.to == INITIATOR_AT, "the response goes elsewhere")
    same_keys(responder, "next", receives, sends)
    same("the timestamp it keeps", responder.peer().get("last_timestamp"), scene.timestamp)

    want(initiator.input(made.data, RESPONDER_AT), Status.WORK, "the response's arrival")
    want_job(initiator, "the initiator")
    initiator.run()
    same("initiator's chaining key after psk", initiator.job.get("ck"), second["C_after_psk"])
    same("initiator's hash at the end", initiator.job.get("hash"), second["H_final"])
    want(initiator.commit(), Status.IDLE, "the response")
    same_keys(initiator, "current", sends, receives)
    for device, role, ours, theirs in (
        (initiator, "current", scene.initiator, scene.responder),
        (responder, "next", scene.responder, scene.initiator),
    ):
        keypair = device.keypair(role)
        assert keypair is not None
        check(device.session_index(role) == ours.index, "a session has the wrong index")
        check(keypair.number("remote") == theirs.index, "a session has the wrong remote index")
    check(
        want(initiator.poll(), Status.READY, "the initiator's next event").peer == 0,
        "another peer than the one that answered is ready",
    )
    return initiator, responder


# ---- Data


def _own_padding(length: int) -> int:
    """How long the library makes a packet: a multiple of 16, but not beyond the MTU."""
    return length if length >= MTU else min((length + 15) // 16 * 16, MTU)


def _data(scene: Scene, packet: Packet, initiator: Device, responder: Device) -> None:
    sender, receiver = (initiator, responder) if packet.to_responder else (responder, initiator)
    there = scene.responder if packet.to_responder else scene.initiator
    keypair = sender.sending_keypair()

    padded = packet.inner.ljust(packet.padded_len, b"\0")
    built = data_packet(scene.backend, keypair.get("send"), there.index, packet.counter, padded)
    same(f"the packet by its definition, {packet}", built, packet.message)

    # What the core would pad otherwise, or no longer send, it must receive all the same.
    if packet.padded_len == _own_padding(len(packet.inner)) and packet.counter <= _LAST_COUNTER:
        keypair.set("tx_next", packet.counter)
        if packet.inner:
            answer = want(sender.output(packet.inner), Status.SEND, f"sending {packet}")
            same(f"packet sent, {packet}", answer.data, packet.message)
        else:
            same(f"keepalive sent, {packet}", keepalive(sender), packet.message)
        check(keypair.number("tx_next") == packet.counter + 1, "the counter did not go up by one")

    _make_room(receiver, packet.counter)
    source = INITIATOR_AT if packet.to_responder else RESPONDER_AT
    answer = receiver.input(packet.message, source)
    if packet.padded_len == 0:
        want(answer, Status.IDLE, f"receiving {packet}")
    else:
        want(answer, Status.DELIVER, f"receiving {packet}")
        same(f"packet delivered, {packet}", answer.data, packet.inner)
    want(receiver.input(packet.message, source), Status.D_REPLAY, f"receiving again {packet}")
    receiver.poll_until_idle()


def _make_room(receiver: Device, counter: int) -> None:
    """A counter far below an earlier one is right by itself, so it meets an empty window."""
    for keypair in receiver.keypairs():
        replay = keypair.get("replay")
        newest = int.from_bytes(replay[:8], "little") - 1
        if counter < newest and newest - counter > _WINDOW:
            keypair.set("replay", bytes(len(replay)))


# ---- Cookies


def _cookies(scene: Scene, case: Case) -> None:
    backend = scene.backend
    secret, cookie = case.octets("secret_Rm", 32), case.octets("cookie", 16)
    try:
        source = Endpoint.parse(case.text("source_ip"), case.number("source_port", 1 << 16))
    except ValueError:
        raise Malformed(f"source_ip is no address: {case.text('source_ip')!r}") from None
    if "mac_input" in case:
        same("mac_input", source.cookie_input, case.octets("mac_input"))
    same("cookie", backend.blake2s(source.cookie_input, secret, 16), cookie)

    if "reply_to_initiation" in case:
        _cookie_for_initiation(scene, case, source)
    if "reply_to_response" in case:
        _cookie_for_response(scene, case, source)


def _cookie_for_initiation(scene: Scene, case: Case, source: Endpoint) -> None:
    """The responder demands a cookie, the initiator comes back with it."""
    reply, cookie = case.case("reply_to_initiation"), case.octets("cookie", 16)
    responder = scene.responder_device()
    load(responder, scene.responder.public)
    responder.feed(case.octets("secret_Rm", 32), reply.octets("nonce", 24))
    answer = want(responder.input(scene.initiation, source), Status.SEND, "under load")
    responder.check_all_drawn()
    same("cookie reply to the initiation", answer.data, reply.octets("message"))
    check(answer.to == source, "the cookie reply goes elsewhere")

    initiator = scene.initiator_device()
    same("initiation", scene.initiate(initiator), scene.initiation)
    want(initiator.input(answer.data, RESPONDER_AT), Status.IDLE, "the cookie reply's arrival")
    same("the cookie the initiator keeps", initiator.peer().get("cookie"), cookie)

    if "next_initiation_with_mac2" not in case:
        return
    following = case.case("next_initiation_with_mac2")
    draws = following.number("index", 1 << 32).to_bytes(4, "little")
    initiator.now += _REKEY_TIMEOUT
    initiator.feed(draws, following.octets("ephemeral_private", 32))
    initiator.set_timestamp(following.octets("timestamp", 12))
    want_job(initiator, "the initiator, REKEY_TIMEOUT later,")
    initiator.check_all_drawn()
    made, _ = initiator.finish_job()
    want(made, Status.SEND, "the next initiation")
    same("next initiation with mac2", made.data, following.octets("message"))

    elsewhere = Endpoint(source.ip, source.port ^ 1)
    responder.feed(bytes(24))
    want(responder.input(made.data, elsewhere), Status.SEND, "mac2 from another port")
    waiting = responder.waiting()
    want(responder.input(made.data, source), Status.WORK, "mac2 from its own port")
    check(responder.waiting() == waiting + 1, "the initiation with mac2 does not wait for work")


def _cookie_for_response(scene: Scene, case: Case, source: Endpoint) -> None:
    """The initiator demands a cookie for the response, the responder's next one brings it."""
    reply = case.case("reply_to_response")
    cookie = reply.octets("cookie", 16) if "cookie" in reply else case.octets("cookie", 16)
    initiator = scene.initiator_device()
    same("initiation", scene.initiate(initiator), scene.initiation)
    load(initiator, scene.initiator.public)
    initiator.feed(case.octets("secret_Rm", 32), reply.octets("nonce", 24))
    answer = want(initiator.input(scene.response, source), Status.SEND, "under load")
    initiator.check_all_drawn()
    same("cookie reply to the response", answer.data, reply.octets("message"))

    responder = scene.responder_device()
    same("response", scene.respond(responder, scene.initiation, INITIATOR_AT), scene.response)
    want(responder.input(answer.data, INITIATOR_AT), Status.IDLE, "the cookie reply's arrival")
    same("the cookie the responder keeps", responder.peer().get("cookie"), cookie)

    if "response_with_mac2" not in case:
        return
    # The vector has the same response once more: let the responder forget that it gave it.
    responder.disconnect(0)
    responder.now += 1_000
    responder.peer().set("last_timestamp", bytes(12))
    again = scene.respond(responder, scene.initiation, INITIATOR_AT)
    same("response with mac2", again, case.octets("response_with_mac2", RESPONSE_LEN))
    want(initiator.input(again, source), Status.WORK, "the response with mac2")
    # Messages are served in the order in which they came: the stranger's initiation first.
    initiator.feed(b"\x79" * 4, b"\x7a" * 32)
    want_job(initiator, "the initiator, under load,")
    initiator.finish_job()
    want_job(initiator, "the initiator")
    made, _ = initiator.finish_job()
    want(made, Status.IDLE, "the response with mac2")


FORMS = (
    form(
        "WireGuard handshake", "initiator responder initiation response preshared_key", _transcript
    ),
)
