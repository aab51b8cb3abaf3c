# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""A small Noise (revision 34) over the library's primitives: any pattern, 25519, ChaChaPoly,
BLAKE2s. It is the model against which the core's handshake is checked step by step, and runs the
general Noise vectors."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from wyrmlab.vectors.backend import TAG_LEN, Backend
from wyrmlab.vectors.case import Malformed, Mismatch, Skipped

_DH_LEN = 32

# Pre-messages of initiator and responder, then the messages, initiator first (Noise sections 7.4,
# 7.5 and 18.1). One-way patterns have a single message.
_PATTERNS: dict[str, tuple[str, str, str]] = {
    "N": ("", "s", "e es"),
    "K": ("s", "s", "e es ss"),
    "X": ("", "s", "e es s ss"),
    "NN": ("", "", "e | e ee"),
    "NK": ("", "s", "e es | e ee"),
    "NK1": ("", "s", "e | e ee es"),
    "NX": ("", "", "e | e ee s es"),
    "NX1": ("", "", "e | e ee s | es"),
    "KN": ("s", "", "e | e ee se"),
    "K1N": ("s", "", "e | e ee | se"),
    "KK": ("s", "s", "e es ss | e ee se"),
    "K1K": ("s", "s", "e es | e ee | se"),
    "KK1": ("s", "s", "e | e ee se es"),
    "K1K1": ("s", "s", "e | e ee es | se"),
    "KX": ("s", "", "e | e ee se s es"),
    "K1X": ("s", "", "e | e ee s es | se"),
    "KX1": ("s", "", "e | e ee se s | es"),
    "K1X1": ("s", "", "e | e ee s | se es"),
    "XN": ("", "", "e | e ee | s se"),
    "X1N": ("", "", "e | e ee | s | se"),
    "XK": ("", "s", "e es | e ee | s se"),
    "X1K": ("", "s", "e es | e ee | s | se"),
    "XK1": ("", "s", "e | e ee es | s se"),
    "X1K1": ("", "s", "e | e ee es | s | se"),
    "XX": ("", "", "e | e ee s es | s se"),
    "X1X": ("", "", "e | e ee s es | s | se"),
    "XX1": ("", "", "e | e ee s | es s se"),
    "X1X1": ("", "", "e | e ee s | es s | se"),
    "IN": ("", "", "e s | e ee se"),
    "I1N": ("", "", "e s | e ee | se"),
    "IK": ("", "s", "e es s ss | e ee se"),
    "I1K": ("", "s", "e es s | e ee | se"),
    "IK1": ("", "s", "e s | e ee se es"),
    "I1K1": ("", "s", "e s | e ee es | se"),
    "IX": ("", "", "e s | e ee se s es"),
    "I1X": ("", "", "e s | e ee s es | se"),
    "IX1": ("", "", "e s | e ee se s | es"),
    "I1X1": ("", "", "e s | e ee s | se es"),
}
_NAME = re.compile(
    r"Noise(PSK)?_([A-Z][A-Z0-9]*)([a-z0-9+]*)_(25519|448)_(ChaChaPoly|AESGCM)"
    r"_(SHA256|SHA512|BLAKE2s|BLAKE2b)"
)
_PSK = re.compile(r"psk(\d)")


@dataclass(frozen=True)
class Protocol:
    name: str
    initiator_pre: tuple[str, ...]
    responder_pre: tuple[str, ...]
    messages: tuple[tuple[str, ...], ...]
    uses_psk: bool
    psk_first: bool = False
    """The way of the specification before revision 32, named NoisePSK: mixed after the prologue."""

    @property
    def one_way(self) -> bool:
        return len(self.messages) == 1

    @classmethod
    def parse(cls, name: str) -> Protocol:
        """Raises Malformed for what is no protocol name, Skipped for what needs primitives that
        the library lacks."""
        found = _NAME.fullmatch(name)
        if not found:
            raise Malformed(f"{name!r} is no name of a Noise protocol")
        psk_first, pattern, modifiers, *primitives = found.groups()
        if primitives != ["25519", "ChaChaPoly", "BLAKE2s"]:
            raise Skipped(f"{name}: the library has 25519, ChaChaPoly and BLAKE2s only")
        if pattern not in _PATTERNS:
            raise Malformed(f"{name}: the pattern {pattern} is not known")
        initiator_pre, responder_pre, text = _PATTERNS[pattern]
        messages = [part.split() for part in text.split("|")]
        for modifier in filter(None, modifiers.split("+")):
            psk = _PSK.fullmatch(modifier)
            if not psk or int(psk[1]) > len(messages):
                raise Malformed(f"{name}: the modifier {modifier} is not known")
            at = int(psk[1])
            if at == 0:
                messages[0].insert(0, "psk")
            else:
                messages[at - 1].append("psk")
        return cls(
            name,
            tuple(initiator_pre.split()),
            tuple(responder_pre.split()),
            tuple(map(tuple, messages)),
            psk_first is not None or "psk" in modifiers,
            psk_first is not None,
        )


def _nonce(counter: int) -> bytes:
    return bytes(4) + counter.to_bytes(8, "little")


@dataclass
class CipherState:
    backend: Backend
    key: bytes | None = None
    counter: int = 0

    def seal(self, aad: bytes, plain: bytes) -> bytes:
        if self.key is None:
            return plain
        text = self.backend.aead_seal(self.key, _nonce(self.counter), aad, plain)
        self.counter += 1
        return text

    def open(self, aad: bytes, text: bytes) -> bytes:
        if self.key is None:
            return text
        plain, good = self.backend.aead_open(self.key, _nonce(self.counter), aad, text)
        if not good:
            raise Mismatch("a Noise message was not authentic")
        self.counter += 1
        return plain[: len(text) - TAG_LEN]


class SymmetricState:
    def __init__(self, backend: Backend, name: bytes) -> None:
        self.backend = backend
        self.h = name.ljust(32, b"\0") if len(name) <= 32 else backend.blake2s(name)
        self.ck = self.h
        self.cipher = CipherState(backend)

    def mix_hash(self, data: bytes) -> None:
        self.h = self.backend.blake2s(self.h + data)

    def mix_key(self, material: bytes) -> None:
        self.ck, key = self.backend.kdf(self.ck, material, 2)
        self.cipher = CipherState(self.backend, key)

    def mix_key_and_hash(self, material: bytes) -> bytes:
        """Returns what was mixed into the hash."""
        self.ck, tau, key = self.backend.kdf(self.ck, material, 3)
        self.mix_hash(tau)
        self.cipher = CipherState(self.backend, key)
        return tau

    def mix_psk_first(self, psk: bytes) -> None:
        self.ck, tau = self.backend.kdf(self.ck, psk, 2)
        self.mix_hash(tau)

    def seal(self, plain: bytes) -> bytes:
        text = self.cipher.seal(self.h, plain)
        self.mix_hash(text)
        return text

    def open(self, text: bytes) -> bytes:
        plain = self.cipher.open(self.h, text)
        self.mix_hash(text)
        return plain

    def split(self) -> tuple[CipherState, CipherState]:
        first, second = self.backend.kdf(self.ck, b"", 2)
        return CipherState(self.backend, first), CipherState(self.backend, second)


@dataclass(frozen=True)
class Keys:
    """What one side has: private keys as far as it needs them, what it knows of the other."""

    s: bytes | None = None
    e: bytes | None = None
    remote_s: bytes | None = None
    remote_e: bytes | None = None
    psks: tuple[bytes, ...] = ()


Probe = Callable[[str, bytes, SymmetricState], None]
"""Told of each token done: its name, the DH result or tau if it had one, and the state after."""


def _silent(_token: str, _value: bytes, _state: SymmetricState) -> None:
    pass


class Handshake:
    """One side of a handshake."""

    def __init__(
        self,
        backend: Backend,
        protocol: Protocol,
        *,
        initiator: bool,
        keys: Keys,
        prologue: bytes = b"",
        probe: Probe = _silent,
    ) -> None:
        self.backend = backend
        self.protocol = protocol
        self.initiator = initiator
        self.keys = keys
        self.symmetric = SymmetricState(backend, protocol.name.encode())
        self._probe = probe
        self._psks = list(keys.psks)
        self._done = 0
        self._probe("start", b"", self.symmetric)
        self.symmetric.mix_hash(prologue)
        self._probe("prologue", b"", self.symmetric)
        if protocol.psk_first:
            self.symmetric.mix_psk_first(self._next_psk())
        for side, tokens in ((True, protocol.initiator_pre), (False, protocol.responder_pre)):
            for token in tokens:
                self.symmetric.mix_hash(self._public(token, ours=side == initiator))
                self._probe("pre", b"", self.symmetric)

    @property
    def finished(self) -> bool:
        return self._done == len(self.protocol.messages)

    def _need(self, key: bytes | None, what: str) -> bytes:
        if key is None:
            raise Malformed(f"the key {what} is missing")
        return key

    def _next_psk(self) -> bytes:
        if not self._psks:
            raise Malformed("a preshared key is missing")
        return self._psks.pop(0)

    def _public(self, token: str, *, ours: bool) -> bytes:
        if not ours:
            remote = self.keys.remote_s if token == "s" else self.keys.remote_e
            return self._need(remote, f"remote {token}")
        private = self.keys.s if token == "s" else self.keys.e
        return self.backend.x25519_base(self._need(private, token))

    def _dh(self, token: str) -> bytes:
        """The first letter names the initiator's key, the second the responder's."""
        mine, theirs = (token[0], token[1]) if self.initiator else (token[1], token[0])
        private = self._need(self.keys.s if mine == "s" else self.keys.e, mine)
        remote = self.keys.remote_s if theirs == "s" else self.keys.remote_e
        shared, _ = self.backend.x25519(private, self._need(remote, f"remote {theirs}"))
        return shared

    def _mix(self, token: str) -> None:
        """The tokens that put nothing on the wire."""
        if token == "psk":
            value = self.symmetric.mix_key_and_hash(self._next_psk())
        else:
            value = self._dh(token)
            self.symmetric.mix_key(value)
        self._probe(token, value, self.symmetric)

    def _mix_ephemeral(self, public: bytes) -> None:
        self.symmetric.mix_hash(public)
        if self.protocol.uses_psk:
            self.symmetric.mix_key(public)
        self._probe("e", b"", self.symmetric)

    def write(self, payload: bytes) -> bytes:
        fields = []
        for token in self.protocol.messages[self._done]:
            if token == "e":
                fields.append(self._public("e", ours=True))
                self._mix_ephemeral(fields[-1])
            elif token == "s":
                fields.append(self.symmetric.seal(self._public("s", ours=True)))
                self._probe("s", b"", self.symmetric)
            else:
                self._mix(token)
        fields.append(self.symmetric.seal(payload))
        self._probe("payload", b"", self.symmetric)
        self._done += 1
        return b"".join(fields)

    def read(self, message: bytes) -> bytes:
        """Returns the payload."""
        for token in self.protocol.messages[self._done]:
            if token == "e":
                public, message = _split(message, _DH_LEN)
                self.keys = replace(self.keys, remote_e=public)
                self._mix_ephemeral(public)
            elif token == "s":
                sealed = self.symmetric.cipher.key is not None
                text, message = _split(message, _DH_LEN + TAG_LEN * sealed)
                self.keys = replace(self.keys, remote_s=self.symmetric.open(text))
                self._probe("s", b"", self.symmetric)
            else:
                self._mix(token)
        payload = self.symmetric.open(message)
        self._probe("payload", b"", self.symmetric)
        self._done += 1
        return payload


def _split(message: bytes, at: int) -> tuple[bytes, bytes]:
    if len(message) < at:
        raise Malformed("a Noise message is too short")
    return message[:at], message[at:]
