# SPDX-FileCopyrightText: 2026 The Wyrmling authors
# SPDX-License-Identifier: MIT
"""The calls of primitives that vectors lead to, kept so that an image repeats them on a core where
no Python runs: tests/c/target/test_vectors.c reads what is written here."""

from __future__ import annotations

import enum
import itertools
import struct

from wyrmlab.vectors.backend import Backend


class Call(enum.IntEnum):
    """enum call of tests/c/target/test_vectors.c."""

    END = 0
    X25519 = 1
    X25519_BASE = 2
    SEAL = 3
    SEAL_IN_PLACE = 4
    OPEN = 5
    XSEAL = 6
    XOPEN = 7
    CHACHA20_XOR = 8
    HCHACHA20 = 9
    POLY1305 = 10
    BLAKE2S = 11
    HMAC = 12
    KDF = 13


class Recording(Backend):
    """A backend that keeps every call of a primitive, arguments and results; each different one
    once. Left out is X25519 iterated: images have a test of it."""

    def __init__(self, backend: Backend) -> None:
        self.name = backend.name
        self.lib = backend.lib
        self._calls: dict[tuple[int, ...], None] = {}
        self._strings: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._calls)

    def blob(self) -> bytes:
        """Words: how many the calls take, how many strings there are, the calls, where each string
        begins and the last one ends; then the strings."""
        calls = [word for call in (*self._calls, (Call.END,)) for word in call]
        starts = [0, *itertools.accumulate(map(len, self._strings))]
        words = [len(calls), len(self._strings), *calls, *starts]
        return struct.pack(f"<{len(words)}I", *words) + b"".join(self._strings)

    def _keep(self, call: Call, *fields: bytes | int | list[bytes]) -> None:
        words = [int(call)]
        for field in fields:
            if isinstance(field, int):
                words.append(field)
            elif isinstance(field, bytes):
                words.append(self._number(field))
            else:
                words += [len(field), *map(self._number, field)]
        self._calls[tuple(words)] = None

    def _number(self, string: bytes) -> int:
        return self._strings.setdefault(string, len(self._strings))

    def x25519(self, scalar: bytes, point: bytes) -> tuple[bytes, bool]:
        out, usable = super().x25519(scalar, point)
        self._keep(Call.X25519, scalar, point, usable, out)
        return out, usable

    def x25519_base(self, scalar: bytes) -> bytes:
        out = super().x25519_base(scalar)
        self._keep(Call.X25519_BASE, scalar, out)
        return out

    def aead_seal_pieces(
        self, key: bytes, nonce: bytes, aad: bytes, pieces: list[bytes], pad: int = 0
    ) -> bytes:
        out = super().aead_seal_pieces(key, nonce, aad, pieces, pad)
        self._keep(Call.SEAL, key, nonce, aad, pieces, pad, out)
        return out

    def aead_seal_in_place(
        self, key: bytes, nonce: bytes, aad: bytes, plain: bytes, shift: int = 0
    ) -> bytes:
        out = super().aead_seal_in_place(key, nonce, aad, plain, shift)
        self._keep(Call.SEAL_IN_PLACE, key, nonce, aad, plain, shift, out)
        return out

    def aead_open(
        self, key: bytes, nonce: bytes, aad: bytes, text: bytes, shift: int = 0
    ) -> tuple[bytes, bool]:
        out, good = super().aead_open(key, nonce, aad, text, shift)
        self._keep(Call.OPEN, key, nonce, aad, text, shift, good, out)
        return out, good

    def xaead_seal(self, key: bytes, nonce: bytes, aad: bytes, plain: bytes) -> bytes:
        out = super().xaead_seal(key, nonce, aad, plain)
        self._keep(Call.XSEAL, key, nonce, aad, plain, out)
        return out

    def xaead_open(
        self, key: bytes, nonce: bytes, aad: bytes, text: bytes, shift: int = 0
    ) -> tuple[bytes, bool]:
        out, good = super().xaead_open(key, nonce, aad, text, shift)
        self._keep(Call.XOPEN, key, nonce, aad, text, shift, good, out)
        return out, good

    def chacha20_xor(self, key: bytes, nonce: bytes, counter: int, data: bytes) -> bytes:
        out = super().chacha20_xor(key, nonce, counter, data)
        self._keep(Call.CHACHA20_XOR, key, nonce, counter, data, out)
        return out

    def hchacha20(self, key: bytes, nonce: bytes) -> bytes:
        out = super().hchacha20(key, nonce)
        self._keep(Call.HCHACHA20, key, nonce, out)
        return out

    def poly1305(self, key: bytes, message: bytes, shift: int = 0) -> bytes:
        out = super().poly1305(key, message, shift)
        self._keep(Call.POLY1305, key, message, shift, out)
        return out

    def blake2s(self, data: bytes, key: bytes = b"", out_len: int = 32) -> bytes:
        out = super().blake2s(data, key, out_len)
        self._keep(Call.BLAKE2S, key, [data], out)
        return out

    def blake2s_pieces(self, pieces: list[bytes], key: bytes = b"", out_len: int = 32) -> bytes:
        out = super().blake2s_pieces(pieces, key, out_len)
        self._keep(Call.BLAKE2S, key, pieces, out)
        return out

    def hmac(self, key: bytes, data: bytes) -> bytes:
        out = super().hmac(key, data)
        self._keep(Call.HMAC, key, data, out)
        return out

    def kdf(self, chaining_key: bytes, data: bytes, outputs: int) -> list[bytes]:
        outs = super().kdf(chaining_key, data, outputs)
        self._keep(Call.KDF, chaining_key, data, outs)
        return outs
